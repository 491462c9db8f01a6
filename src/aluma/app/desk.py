"""The desk: one session, the person who answers in as many tabs as they like, and what they see.

Changes happen one at a time and are on the disk when a method returns. What is shown is a snapshot
that is replaced whenever something changes; reading it never waits for anything.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b

from aluma.app import answers, notes
from aluma.app.board import Board, Seen, Task, answers_of
from aluma.app.curve import Curve
from aluma.app.evidence import Evidence
from aluma.app.examples import Examples, sound
from aluma.app.figures import figures
from aluma.app.judge import Judge
from aluma.app.lookahead import Branch, Lookahead
from aluma.app.publisher import Publisher
from aluma.app.shapes import Clash, Figures, Receipt, State, Verdict
from aluma.app.slack import loosened, supports_slack
from aluma.errors import Conflict, Refused, Undecided
from aluma.session import Entry, Session

logger = logging.getLogger(__name__)


class Clashing(Refused):
    """An answer that contradicts earlier ones."""

    def __init__(self, clash: Clash) -> None:
        super().__init__(clash.message)
        self.clash = clash


class Desk(Publisher[State]):
    """One session and what a person can do with it: answer, skip, undo, change, set aside."""

    def __init__(self, session: Session, examples: Examples, task: Task) -> None:
        super().__init__()
        self.examples, self.task = examples, task
        self.examples.notes.update(notes.of_session(session))
        # Where the goal is out of reach the page says so, and goes on for whoever wants to.
        session.keep_asking = True
        self._session, self._seen = session, Board(examples, task)
        self._turn, self._count, self._waiting = threading.Lock(), threading.Lock(), 0
        self._unseen: tuple[Branch | None, int | None] | None = None
        self._busy: str | None = None
        self._evidence: Evidence | None = None
        about = session.about
        self._name = blake2b(
            f"{about['created']} {about['pool']}".encode(), digest_size=8
        ).hexdigest()
        self._curve = Curve(session.path.with_suffix(".curve.jsonl"))
        self._ahead = Lookahead(session.pool, task.labels, self._publish)
        self._judge = Judge(self._ahead.idle, self._publish)
        self._publish()
        self._look_ahead()
        self._publish()

    # -- what changes the session --------------------------------------------------------------

    def answer(self, request: str, example: int, label: str, showing: int | None = None) -> Receipt:
        """Take an answer; ``showing`` is the example that the page went on to."""
        self._check(example, label)
        with self._changing(request) as fresh:
            if not fresh:
                return self._receipt(example, repeated=True)
            self._check_untold(example, label)
            # While others wait, nobody looks ahead, and what is known is about an earlier state.
            branch = None if self._unseen else self._ahead.take(example, label)
            if branch is None and label in self._ahead.unlikely:
                self._busy = "taking in a surprising answer"
                self._publish()
            try:
                self._keep(branch, request, example, label)
            except (Conflict, Undecided) as error:
                raise Clashing(self._seen.clash(self._session, error, example, label)) from error
            self._moved(after=branch, shown=showing)
            return self._receipt(example)

    def skip(self, request: str, example: int, showing: int | None = None) -> Receipt:
        """Do not ask about an example."""
        self._check(example)
        with self._changing(request) as fresh:
            if fresh:
                self._check_untold(example, None)
                self._session.skip(example, request=request)
                self._moved(shown=showing)
            return self._receipt(example, repeated=not fresh)

    def set_aside(self, request: str, example: int, label: str) -> Receipt:
        """Keep an answer that is not to be learnt from: an exception."""
        self._check(example, label)
        with self._changing(request) as fresh:
            if fresh:
                self._check_untold(example, None)
                self._session.skip(example, label=label, request=request)
                self._moved()
            return self._receipt(example, repeated=not fresh)

    def undo(self, request: str) -> Receipt:
        """Take back the last answer or skip, and ask about that example again."""
        with self._changing(request, "taking back an answer") as fresh:
            if not fresh:
                return self._receipt(None, repeated=True)
            if not self._session.kept:
                raise Refused("there is no answer to take back.")
            self._session.undo(request=request)
            example = self._session.log[-1].example
            self._moved(shown=example)
            return self._receipt(example)

    def change(self, request: str, example: int, label: str) -> Receipt:
        """Give another answer to an example that has one."""
        self._check(example, label)
        with self._changing(request, "taking in a changed answer") as fresh:
            if not fresh:
                return self._receipt(example, repeated=True)
            try:
                if example in self._session.exceptions:
                    self._session.tell(example, label, request=request)
                elif example in self._session.answered:
                    self._session.change(example, label, request=request)
                else:
                    raise Refused(f"{self._called(example)} has no answer yet: answer it first.")
            except (Conflict, Undecided) as error:
                raise Clashing(self._seen.clash(self._session, error, example, label)) from error
            self._moved(shown=self._ahead.question.example if self._ahead.question else None)
            return self._receipt(example)

    def add_answer(self, request: str, label: str) -> Receipt:
        """Let there be one more answer; its name is on the disk before it can be given."""
        with self._changing(request) as fresh:
            if fresh:
                if not self.task.grows:
                    first, second = self.task.labels
                    raise Refused(
                        f"this session was begun with the two answers {second!r} and {first!r}: "
                        "begin another with --answers, to which more can be added."
                    )
                labels = answers.added(self.task.labels, label)
                self._session.keep_beside(answers.written(labels), request=request)
                self.task = self._seen.task = replace(self.task, labels=labels)
                self._ahead.labels = labels
            return self._receipt(None, repeated=not fresh)

    def note(self, request: str, example: int, text: str) -> Receipt:
        """Keep a note about an example in place of an earlier one; an empty text is none."""
        self._check(example)
        with self._changing(request) as fresh:
            if fresh:
                kept = sound(text.replace("\x00", "")).strip()
                self._session.keep_beside({notes.named(example): kept}, request=request)
                self.examples.notes[example] = kept
            return self._receipt(example, repeated=not fresh)

    def loosen(self, request: str) -> Receipt:
        """Allow for messy data: answers may contradict each other from now on."""
        if not supports_slack():
            raise Refused("this version of aluma cannot allow for messy data: change an answer.")
        with self._changing(request, "taking in all answers again") as fresh:
            if fresh:
                self._session = loosened(self._session, request)
                self._session.keep_asking = True
                self._moved()
            return self._receipt(None, repeated=not fresh)

    # -- what only looks -----------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The session as it is now."""
        return self._session

    @property
    def proven(self) -> set[int]:
        """Examples whose labels are proven, the answers among them."""
        return set(self._judge.proven) | set(self._session.answered.tolist())

    @property
    def waiting(self) -> dict[int, str]:
        """Answers that count and that the learner has not been told yet: none, of one person."""
        return {}

    def given(self) -> list[Verdict]:
        """Return all answers, the newest first."""
        return [self._seen.verdict(entry) for entry in answers_of(self._session)[::-1]]

    def verdict(self, entry: Entry) -> Verdict:
        """Return an answer with its example."""
        return self._seen.verdict(entry)

    def voted(self, example: int, place: int, share: float) -> Verdict:
        """Return the vote on an example, which may be some answers old."""
        return self._seen.voted(example, place, share)

    def verdicts(self, wanted: list[int]) -> list[Verdict]:
        """Return answers or, where there is none, the vote."""
        return self._seen.verdicts(self._session, wanted)

    def close(self) -> None:
        """Finish what is being written, and close the session."""
        with self._turn:
            self._ahead.close()
            self._judge.close()
            self._session.close()

    # -- inside --------------------------------------------------------------------------------

    @contextmanager
    def _changing(self, request: str, busy: str | None = None) -> Iterator[bool]:
        """Wait for one's turn, and say whether the request is a new one.

        Looking ahead begins when nobody is waiting: it would be for nothing.
        """
        with self._count:
            self._waiting += 1
        with self._turn:
            with self._count:
                self._waiting -= 1
            fresh = not self._session.knows(request)
            if busy and fresh:
                self._busy = busy
                self._publish()
            try:
                yield fresh
            finally:
                self._busy = None
                if self._unseen and not self._waiting:
                    self._look_ahead()
                self._publish()

    def _keep(self, branch: Branch | None, request: str, example: int, label: str) -> None:
        """Write an answer down, with the learner that has taken it in if there is one."""
        if branch is not None:
            try:
                self._session.adopt(branch.told.result(), request=request)
                return
            except CancelledError:
                pass
        self._session.tell(example, label, request=request)

    def _moved(self, *, after: Branch | None = None, shown: int | None = None) -> None:
        """Remember that the session has changed, and what is known about its next question."""
        self._unseen = (after, shown)

    def _look_ahead(self) -> None:
        """Look ahead from, and judge, the state that the session is in now."""
        (after, shown), self._unseen = self._unseen or (None, None), None
        if shown is not None and not self._askable(shown):
            shown = None
        learner = self._session.fork()
        self._ahead.begin(learner, after=after, shown=shown)
        self._judge.look(learner.fork())

    def _askable(self, example: int) -> bool:
        taken = {entry.example for entry in self._session.kept}
        return 0 <= example < len(self.examples) and example not in taken

    def _check(self, example: int, label: str | None = None) -> None:
        if not 0 <= example < len(self.examples):
            raise Refused(
                f"there is no example {example}: the pool has {len(self.examples):,}, from 0."
            )
        if label is not None and label not in self.task.labels:
            if not self.task.grows:
                first, second = self.task.labels
                raise Refused(f"{label!r} is neither {first!r} nor {second!r}.")
            listed = ", ".join(map(repr, self.task.labels))
            raise Refused(f"{label!r} is none of the answers {listed}: add it first.")

    def _check_untold(self, example: int, label: str | None) -> None:
        told = {e.example: e.label for e in self._session.kept if e.kind != "skip"}
        if example in told and told[example] != label:
            raise Refused(
                f"{self._called(example)} was answered {told[example]!r} before, perhaps in "
                "another tab: change that answer instead."
            )

    def _receipt(self, example: int | None, *, repeated: bool = False) -> Receipt:
        return Receipt(version=len(self._session.log), repeated=repeated, example=example)

    # -- what is shown -------------------------------------------------------------------------

    def _drawn(self) -> State:
        question = None if self._unseen else self._ahead.question
        if question is not None:
            spare = tuple(i for i in question.spare if self._askable(i))
            stale = question.example is not None and not self._askable(question.example)
            self._evidence = question.evidence or self._evidence
            question = None if stale else replace(question, spare=spare)
        shown = self._figures()
        seen = Seen(
            tick=self._tick,
            session=self._name,
            question=question,
            following=self._ahead.following,
            evidence=self._evidence,
            figures=shown,
            curve=self._curve,
            busy=self._busy,
        )
        return self._seen.state(self._session, seen)

    def _figures(self) -> Figures | None:
        """Return what is known now, and put it on the curve once it has been judged."""
        checked, judged = self._evidence, self._judge.certificate
        if checked is None:
            return None
        exceptions, size = self._session.exceptions, len(self.examples)
        found = figures(checked, judged, exceptions=exceptions, size=size)
        if judged is not None and (checked.phase != "learning" or judged.asked == checked.answers):
            self._curve.add(found)
        return found

    def _called(self, example: int) -> str:
        return self.examples.title(example)
