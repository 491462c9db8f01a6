"""The desk at which several people sit, each with questions of their own.

What a person says is on the disk when a method returns; nobody waits for the learner. It takes
answers in behind their backs (:mod:`aluma.app.people.learning`), and deals out the questions that
tell most together. Who asks is known from the token of the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aluma.app.board import Seen, Task, answers_of
from aluma.app.desk import Desk
from aluma.app.evidence import evidence
from aluma.app.examples import Examples
from aluma.app.people import names
from aluma.app.people.admission import Admission
from aluma.app.people.agreement import answers_by_example
from aluma.app.people.consensus import by_example, counting, disputed
from aluma.app.people.current import person
from aluma.app.people.dealing import HAND, Card, Dealer, asked_twice
from aluma.app.people.learning import bring_in_line, told
from aluma.app.people.model_votes import model_votes
from aluma.app.people.reliability import Reliability, reliability
from aluma.app.people.scribe import Scribe
from aluma.app.server import Place
from aluma.app.shapes import Receipt, State, Verdict
from aluma.errors import Exhausted, Refused
from aluma.learners.learner import Learner
from aluma.session import Session
from aluma.session.voices import Voice, ever_voiced, resolutions

#: Answers come with every state, the person's own latest.
LATEST = 12
#: People are judged anew when there are so many times more answers.
GROWTH = 1.1
#: Nobody is here yet: questions are ready for so many.
EXPECTED = 2
#: So many times more are at hand for people who are quicker than the learner.
RESERVE = 4


class Team(Desk):
    """A desk for several people; the methods are those of a desk, for the person who asks.

    Parameters
    ----------
    session, examples, task : as for a desk
    admission : who is let in
    overlap : share of the questions that is asked twice
    """

    def __init__(
        self,
        session: Session,
        examples: Examples,
        task: Task,
        admission: Admission,
        overlap: float = 0.1,
    ) -> None:
        self.admission, self.overlap = admission, overlap
        self.dealer = Dealer()
        self._nothing_left = False
        self._states: dict[str, tuple[str, State, bytes]] = {}
        self._judged: tuple[int, Reliability] = (0, Reliability({}, (), np.zeros((0, 0))))
        #: By which answers weigh; while labels are checked it stays what it was.
        self._weighed = self._judged[1]
        #: What people said after so many entries: one tuple, for threads replace it whole.
        self._heard: tuple[int, list[Voice]] = (-1, [])
        self._scribe: Scribe | None = None
        super().__init__(session, examples, task)
        self._ahead.idle.set()
        self._scribe = Scribe(self._settle, lambda: self.dealer.wanting)
        self._scribe.stir()

    # -- what people do ------------------------------------------------------------------------

    def answer(self, request: str, example: int, label: str, showing: int | None = None) -> Receipt:
        """Take a person's answer; ``showing`` is the example that the page went on to."""
        self._check(example, label)
        return self._said(request, example, label, showing)

    def skip(self, request: str, example: int, showing: int | None = None) -> Receipt:
        """Take it that a person does not know; others may."""
        self._check(example)
        return self._said(request, example, None, showing)

    def set_aside(self, request: str, example: int, label: str) -> Receipt:
        """Take a person's answer: with several people nothing is set aside by one of them."""
        return self.answer(request, example, label)

    def change(self, request: str, example: int, label: str) -> Receipt:
        """Take another answer of the person who asks; those of others stay."""
        self._check(example, label)
        with self._changing(request) as fresh:
            if fresh:
                self._session.say(_me(), example, label, request=request)
                self.dealer.settle(example, _me())
                self._stir()
            return self._receipt(example, repeated=not fresh)

    def undo(self, request: str) -> Receipt:
        """Take back the last answer or skip of the person who asks."""
        with self._changing(request) as fresh:
            if not fresh:
                return self._receipt(None, repeated=True)
            mine = [voice for voice in self.voices if voice.who == _me()]
            if not mine:
                raise Refused("you have no answer to take back.")
            example = mine[-1].example
            self._session.unsay(_me(), example, request=request)
            others = any(v.example == example for v in self.voices if v.who != _me())
            self.dealer.give_back(_me(), example, again=others)
            self._stir()
            return self._receipt(example)

    def resolve(self, request: str, example: int, label: str) -> Receipt:
        """Say which answer to an example is the right one."""
        self._check(example, label)
        with self._changing(request) as fresh:
            if fresh:
                if all(voice.example != example for voice in self.voices):
                    raise Refused(f"{self._called(example)} has no answer yet: answer it first.")
                self._session.resolve(_me(), example, label, request=request)
                self.dealer.settle(example)
                self._stir()
            return self._receipt(example, repeated=not fresh)

    def loosen(self, request: str) -> Receipt:
        """Refuse: with several people answers may contradict each other from the first."""
        raise Refused("answers of several people may contradict each other already.")

    # -- what only looks -----------------------------------------------------------------------

    @property
    def state(self) -> State:
        """What the person who asks sees now."""
        return self._state_of(person())[1]

    @property
    def encoded(self) -> bytes:
        """That as JSON."""
        return self._state_of(person())[2]

    @property
    def voices(self) -> list[Voice]:
        """What people say now, in order."""
        version, (known, voices) = len(self._session.log), self._heard
        if version != known:
            voices = self._session.voices
            self._heard = version, voices
        return voices

    @property
    def waiting(self) -> dict[int, str]:
        """Answers that count and that the learner has not been told yet, by example."""
        before = told(self._session)
        found = self._wanted(before).items()
        return {i: label for i, label in found if label is not None and before.get(i) != label}

    def given(self) -> list[Verdict]:
        """Return the answers that count, the newest first, those that wait among them."""
        waiting = self.waiting
        listed = [self._verdict(i, label) for i, label in waiting.items()]
        rest = [e for e in answers_of(self._session) if e.example not in waiting]
        return [*listed[::-1], *(self._seen.verdict(entry) for entry in rest[::-1])]

    def judged(self, *, anew: bool = True) -> Reliability:
        """Return how reliable people are, as far as their answers tell."""
        count, found = self._judged
        given = answers_by_example(self.voices)
        size = sum(len(by) for by in given.values()) + len(resolutions(self._session.log))
        if size != count and (anew or size > GROWTH * count):
            right = {i: str(v.label) for i, v in resolutions(self._session.log).items()}
            before = told(self._session)
            counts = {i: label for i in given if (label := right.get(i) or before.get(i))}
            votes = model_votes(self._session.pool, counts)
            found = reliability(given, self.task.labels, resolved=right, model=votes)
            self._judged = size, found
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """All who have a name here."""
        return tuple(dict.fromkeys([*self.admission.names, *names.of_session(self._session)]))

    def links(self, place: Place) -> dict[str, str]:
        """Return the link of each person, or the common one where names are asked for."""
        named = ("",) if self.admission.asks else self.admission.names
        return {name: f"{place.address}?token={self.admission.token(name)}" for name in named}

    def close(self) -> None:
        """Finish what is being learnt and written, and close the session."""
        if self._scribe is not None:
            self._scribe.close()
        super().close()

    def settled(self, seconds: float) -> bool:
        """Wait until the learner has heard all that it can, and say whether it came to that."""
        return self._scribe is not None and self._scribe.rest(seconds)

    # -- inside --------------------------------------------------------------------------------

    def _said(self, request: str, example: int, label: str | None, showing: int | None) -> Receipt:
        with self._changing(request) as fresh:
            if fresh:
                mine = [v for v in self.voices if v.who == _me() and v.example == example]
                if mine and mine[0].label is not None and mine[0].label != label:
                    raise Refused(
                        f"you answered {self._called(example)} with {mine[0].label!r} before, "
                        "perhaps in another tab: change that answer instead."
                    )
                self._session.say(_me(), example, label, request=request)
                said = {v.who: v.label for v in self.voices if v.example == example}
                again = self._is_asked_again(example, said)
                self.dealer.took(_me(), example, showing, again=again)
                self._stir()
            return self._receipt(example, repeated=not fresh)

    def _stir(self) -> None:
        if self._scribe is not None:
            self._scribe.stir()

    def _look_ahead(self) -> None:
        """Leave it to the scribe."""
        self._unseen = None
        self._stir()

    def _wanted(self, before: dict[int, str | None]) -> dict[int, str | None]:
        """Return the answer that counts of every example that somebody says something about."""
        said = by_example(self.voices)
        right = resolutions(self._session.log)
        checking = self._checking
        known, labels = self._weighed, len(self.task.labels)
        return {
            example: str(right[example].label)
            if example in right
            else counting(
                by,
                lambda who: known.weight(who, labels),
                before=before.get(example),
                settled=checking,
            )
            for example, by in said.items()
        }

    def _settle(self) -> None:
        """Let the learner hear what counts, then see what is to be asked next."""
        session = self._session
        if not self._checking and self._disputes():
            self._weighed = self.judged(anew=False)
        bring_in_line(session, self._wanted(told(session)), ever_voiced(session.log))
        learner = session.fork()
        self._evidence = evidence(learner)
        self._stock(learner)
        self._publish()
        self._judge.look(learner)

    def _stock(self, learner: Learner) -> None:
        heard = told(self._session)
        wanted = (HAND + 2) * max(self.dealer.people, EXPECTED)
        waiting = {voice.example for voice in self.voices} - heard.keys()
        examples = _coming(learner, wanted + len(waiting))
        left = _left(learner)
        with self.dealer.lock:
            # An answer is said before it is taken out of a hand: so none is dealt again.
            said = by_example(self.voices)
            gone = {*said, *heard}
            self._nothing_left = gone.issuperset(left)
            again = {i: tuple(by) for i, by in said.items() if self._is_asked_again(i, by)}
            self.dealer.stock(examples, again, gone, checks=self._checking)

    def _is_asked_again(self, example: int, said: Mapping[str, str | None]) -> bool:
        answered_once = len(said) == 1 and None not in said.values()
        return answered_once and asked_twice(self._name, example, self.overlap)

    @property
    def _checking(self) -> bool:
        return self._evidence is not None and self._evidence.phase != "learning"

    def _disputes(self) -> int:
        """Return how many disagreements nobody has resolved."""
        right = resolutions(self._session.log)
        return sum(disputed(by) for i, by in by_example(self.voices).items() if i not in right)

    # -- what is shown -------------------------------------------------------------------------

    def _drawn(self) -> State:
        """Return what everybody sees alike; the rest is made for whoever looks."""
        seen = Seen(
            tick=self._tick,
            session=self._name,
            question=None,
            following={},
            evidence=self._evidence,
            figures=self._figures(),
            curve=self._curve,
            busy=self._busy,
        )
        state = self._seen.state(self._session, seen)
        answered = state.progress.answered + len(self.waiting)
        progress = state.progress.model_copy(update={"answered": answered})
        return state.model_copy(update={"progress": progress, "disputes": self._disputes()})

    def _state_of(self, who: str) -> tuple[str, State, bytes]:
        common = self._board
        kept = self._states.get(who)
        if kept is None or kept[0] != common.tick:
            state = self._made_for(who, common)
            kept = common.tick, state, state.model_dump_json(by_alias=True).encode()
            self._states[who] = kept
        return kept

    def _made_for(self, who: str, common: State) -> State:
        before = self.dealer.people
        hand = self.dealer.hand(who) if who else ()
        if self.dealer.people > before:
            # One more to find questions for.
            self._stir()
        mine = [voice for voice in self.voices if voice.who == who]
        exhausted = bool(who) and not hand and self._nothing_left
        progress = common.progress.model_copy(
            update={
                "exhausted": exhausted,
                "finished": exhausted or common.progress.finished,
            }
        )
        latest = [v for v in mine if v.label is not None][: -LATEST - 1 : -1]
        return common.model_copy(
            update={
                "question": self._dealt(hand[0]) if hand else None,
                "spare": [self._dealt(card) for card in hand[1:]],
                "last": [self._verdict(v.example, str(v.label)) for v in latest],
                "progress": progress,
                "me": who,
                "mine": len(mine),
            }
        )

    def _dealt(self, card: Card) -> Any:
        shown = self.examples.card(card.example)
        return shown.model_copy(update={"check": card.check})

    def _verdict(self, example: int, label: str) -> Verdict:
        return Verdict(card=self.examples.excerpt(example), label=label, by="person", share=1.0)


def _me() -> str:
    who = person()
    if not who:
        raise Refused("nobody knows who you are: open the link that is yours.")
    return who


def _left(learner: Learner) -> list[int]:
    """Return all that can still be asked about; checks in the order of their draws."""
    audit = learner.audit
    if audit is not None:
        return [int(i) for i in audit.coming(audit.left)]
    return [int(i) for i in np.flatnonzero(learner.eligible)]


def _coming(learner: Learner, n: int) -> list[int]:
    """Return examples to ask about, the n that tell most together first.

    Others follow, as good by themselves and then any, for people who are quicker than the learner:
    nobody waits for it.
    """
    left = _left(learner)
    if not left or learner.audit is not None:
        return left[: RESERVE * n]
    try:
        first = [int(i) for i in learner.ask(min(n, len(left)))]
        others = [int(i) for i in learner.alternatives(n)]
    except Exhausted:
        return []
    spread = np.linspace(0, len(left) - 1, min(RESERVE * n, len(left))).astype(int)
    return list(dict.fromkeys([*first, *others, *(left[place] for place in spread)]))
