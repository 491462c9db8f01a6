"""The next question for each answer that may come, worked out while the person reads.

One thread works through what is worth knowing, the likelier answer first. When an answer comes, the
learner that has taken it in is usually there already, with its next question; what belongs to the
other answer is thrown away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from aluma.app.evidence import Evidence, evidence
from aluma.app.priority import LOOKING_AHEAD, give_way
from aluma.app.votes import votes
from aluma.errors import Conflict, Exhausted, Undecided
from aluma.learners.learner import Learner
from aluma.pool import Pool

#: An answer that this share of the hypotheses expects, or less, is not looked ahead to: the learner
#: brings it in gradually, which may take seconds, and it will hardly come.
UNLIKELY_SHARE = 0.05
#: Answers that are looked ahead to, at most: the likeliest are nearly all that come.
MOST_BRANCHES = 4
#: Examples offered in place of the next question should that be late.
SPARE_QUESTIONS = 12


@dataclass(frozen=True)
class Question:
    """What to ask (None when nothing is left), and what might be asked instead.

    ``evidence`` is what checks show at this moment, None while that is being worked out.
    """

    example: int | None
    spare: tuple[int, ...] = ()
    evidence: Evidence | None = field(default=None, compare=False)

    @property
    def check(self) -> bool:
        """Whether the example was drawn at random to check the labels."""
        return self.example is not None and (
            self.evidence is not None and self.evidence.drawn == self.example
        )


#: What follows an answer: a question, or why the answer cannot be taken in.
Outcome: TypeAlias = Question | Conflict | Undecided


class Branch:
    """What follows one answer: a learner that has taken it in, then its next question.

    Both futures raise :class:`Conflict` or :class:`Undecided` when the answer cannot be taken in.
    """

    def __init__(
        self, worker: ThreadPoolExecutor, learner: Learner, example: int, label: str
    ) -> None:
        self.example, self.label = example, label
        self.told: Future[Learner] = worker.submit(_told, learner, example, label)
        self.asked: Future[Question] = worker.submit(_asked_after, self.told)

    def begun(self) -> bool:
        """Say whether it pays to wait for this rather than to start again."""
        return self.told.running() or (self.told.done() and not self.told.cancelled())

    def drop(self) -> None:
        """Do not begin what has not begun."""
        self.told.cancel()
        self.asked.cancel()


class Lookahead:
    """A thread that works out what follows each answer to the present question.

    Parameters
    ----------
    pool : the examples
    labels : the answers, in their order
    changed : called whenever more is known; from any thread
    """

    def __init__(self, pool: Pool, labels: Sequence[str], changed: Callable[[], None]) -> None:
        self._pool, self._changed = pool, changed
        #: Another list may take its place, and counts from the next question on.
        self.labels = tuple(labels)
        self._worker = ThreadPoolExecutor(
            1, thread_name_prefix="lookahead", initializer=give_way, initargs=(LOOKING_AHEAD,)
        )
        self._lock = threading.RLock()
        self._round = 0
        self._question: Question | None = None
        self._branches: dict[str, Branch] = {}
        #: Answers to the question that hardly any hypothesis expects.
        self.unlikely: frozenset[str] = frozenset()
        self._waiting: Future[Question] | None = None
        #: Set while there is nothing left to look ahead to.
        self.idle = threading.Event()

    def begin(
        self, learner: Learner, *, after: Branch | None = None, shown: int | None = None
    ) -> None:
        """Look ahead from another state.

        Parameters
        ----------
        learner : a fork of the session, which belongs to this object from now on
        after : the branch that led here, whose next question may be known or on its way
        shown : an example that is on the screen already, and is the question therefore
        """
        with self._lock:
            self._round += 1
            for branch in self._branches.values():
                if branch is not after:
                    branch.drop()
            if self._waiting is not None:
                self._waiting.cancel()
            spare = self._question.spare if self._question else ()
            self._branches, self._question, self._waiting = {}, None, None
            self.unlikely = frozenset()
            self.idle.clear()
            if shown is not None:
                if after is not None:
                    after.asked.cancel()
                left = tuple(one for one in spare if one != shown)
                self._explore(learner, Question(shown, left))
                return
            asked = after.asked if after is not None else self._worker.submit(_asked, learner)
            self._waiting = asked
            number = self._round
        asked.add_done_callback(lambda done: self._arrived(number, learner, done))

    def take(self, example: int, label: str) -> Branch | None:
        """Return what is known or being worked out about an answer."""
        with self._lock:
            branch = self._branches.get(label)
            if branch is None or branch.example != example or not branch.begun():
                return None
            return branch

    @property
    def question(self) -> Question | None:
        """The question of this state, or None while it is being worked out."""
        return self._question

    @property
    def following(self) -> dict[str, Outcome]:
        """What follows each answer, as far as it is known."""
        known: dict[str, Outcome] = {}
        for label, branch in list(self._branches.items()):
            try:
                if branch.asked.done():
                    known[label] = branch.asked.result()
            except (Conflict, Undecided) as error:
                known[label] = error
            except CancelledError:
                continue
        return known

    def close(self) -> None:
        """Stop the thread after what it is doing."""
        with self._lock:
            self._round += 1
        self.idle.set()
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _arrived(self, number: int, learner: Learner, done: Future[Question]) -> None:
        with self._lock:
            if number != self._round or done.cancelled():
                return
            self._waiting = None
            self._explore(learner, done.result())

    def _explore(self, learner: Learner, question: Question) -> None:
        """Begin with a branch for each likely answer, the likelier first."""
        self._question = question
        number = self._round
        if question.example is None:
            self.idle.set()
        else:
            try:
                likely = self._likely(learner, question.example)
                if question.evidence is None:
                    shown = self._worker.submit(evidence, learner)
                    shown.add_done_callback(lambda done: self._shown(number, done))
                for label in likely:
                    branch = Branch(self._worker, learner, question.example, label)
                    self._branches[label] = branch
                    branch.asked.add_done_callback(partial(self._explored, number))
            except RuntimeError:
                # The thread was told to stop: nobody will look.
                return
        self._changed()

    def _shown(self, number: int, done: Future[Evidence]) -> None:
        """Take in what checks show beside a question that was on the screen already."""
        with self._lock:
            if number != self._round or done.cancelled() or self._question is None:
                return
            self._question = replace(self._question, evidence=done.result())
        self._changed()

    def _explored(self, number: int, done: Future[Question]) -> None:
        with self._lock:
            self._refill(done)
            if number != self._round:
                return
            if all(branch.asked.done() for branch in self._branches.values()):
                self.idle.set()
        self._changed()

    def _refill(self, done: Future[Question]) -> None:
        """Offer what may be asked after an answer in place of the next question, too.

        Also after an answer that nobody gave: whoever is faster than this thread goes from one
        such example to the next, and would run out of those found with the first question.
        """
        if self._question is None or done.cancelled() or done.exception() is not None:
            return
        found = done.result()
        if found.example is None or found.check or self._question.check:
            return
        offered = dict.fromkeys((found.example, *found.spare, *self._question.spare))
        spare = tuple(one for one in offered if one != self._question.example)
        self._question = replace(self._question, spare=spare[:SPARE_QUESTIONS])

    def _likely(self, learner: Learner, example: int) -> tuple[str, ...]:
        """Return the labels that are worth looking ahead to, the likelier first."""
        if learner.n_answers == 0:
            return self.labels[:MOST_BRANCHES]
        row = self._pool.rows([example])[:, : self._pool.dimension - self._pool.bias]
        shares = dict(zip(self.labels, votes(learner, self.labels, row)[0], strict=True))
        # Nobody can expect what was never told; that it comes is no surprise all the same.
        unheard = shares.keys() - set(learner.labels.known)
        self.unlikely = frozenset(
            label for label in shares.keys() - unheard if shares[label] <= UNLIKELY_SHARE
        )
        likely = sorted(shares.keys() - self.unlikely, key=lambda label: (-shares[label], label))
        return tuple(likely[:MOST_BRANCHES])


def _told(learner: Learner, example: int, label: str) -> Learner:
    twin = learner.fork()
    twin.tell(example, label)
    return twin


def _asked_after(told: Future[Learner]) -> Question:
    return _asked(told.result())


def _asked(learner: Learner) -> Question:
    known = evidence(learner)
    try:
        example = int(learner.ask())
    except Exhausted:
        return Question(None, evidence=known)
    return Question(example, tuple(learner.alternatives(SPARE_QUESTIONS).tolist()), known)
