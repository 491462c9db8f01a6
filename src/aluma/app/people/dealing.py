"""Who is asked what: different questions for different people, and some of them twice.

Everybody has a hand: the question on the screen and one to go on with, so that nobody waits. What
is in one hand is in no other. A question stays in a hand for :data:`LEASE` seconds after it was
shown; then it is dealt to somebody else as well, so that a person who leaves keeps nothing from the
others. Whoever of the two answers first gives the answer, and the other a second one.

Which questions are asked twice is a matter of the example alone (a digest of its number), so a
restart asks the same ones twice. The second is asked like any other: nothing shows that it is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

#: Questions in a hand: the one on the screen, and the next.
HAND = 2
#: Seconds that a question is somebody's own.
LEASE = 120.0
#: Seconds after an answer in which a person gets a question to go on with; others have one only.
ACTIVE = 30.0


@dataclass(frozen=True)
class Card:
    """A question in a hand.

    Attributes
    ----------
    example : what it is about
    since : when it was dealt or shown
    check : whether it was drawn to check a label
    again : whether somebody else has answered it
    """

    example: int
    since: float
    check: bool = False
    again: bool = False


def asked_twice(session: str, example: int, overlap: float) -> bool:
    """Say whether an example is to be asked about twice; a share of ``overlap`` is."""
    drawn = blake2b(f"{session} {example}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "little") < overlap * 2.0**64


class Dealer:
    """The hands of all people. Methods may be called from any thread.

    Parameters
    ----------
    clock : seconds, of any beginning
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: Held by whoever looks at what people said and says by it what is to be asked.
        self.lock = threading.RLock()
        self._hands: dict[str, list[Card]] = {}
        self._seen: dict[str, float] = {}
        #: What is to be asked next, in order, and whether those are checks.
        self._stock: list[int] = []
        self._checks = False
        #: Examples for a second answer, with those who have given one.
        self._again: dict[int, Collection[str]] = {}
        #: Examples with an answer or a skip.
        self._gone: set[int] = set()
        #: Who took back which answer, and has not given another: however many answers of others
        #: the example has, they are asked about it.
        self._returned: set[tuple[str, int]] = set()

    def hand(self, who: str) -> tuple[Card, ...]:
        """Return what a person has to answer; it is dealt when they look."""
        with self.lock:
            if who not in self._hands:
                self._hands[who], self._seen[who] = [], self._clock()
            self._top_up(who)
            return tuple(self._hands[who])

    @property
    def people(self) -> int:
        """How many people have a hand."""
        return len(self._hands)

    @property
    def wanting(self) -> bool:
        """Whether somebody has nothing to answer: a question may have come free meanwhile."""
        with self.lock:
            return any(not hand for hand in self._hands.values())

    def took(
        self, who: str, example: int, showing: int | None = None, *, again: bool = False
    ) -> None:
        """Take an answered example out of all hands; ``showing`` is on the screen now.

        With ``again``, somebody else is to be asked about it as well.
        """
        with self.lock:
            self._seen[who] = self._clock()
            self._gone.add(example)
            self._returned.discard((who, example))
            self._again.pop(example, None)
            if again:
                self._again[example] = (who,)
            for name, hand in self._hands.items():
                self._hands[name] = [
                    card for card in hand if card.example != example or (name != who and card.again)
                ]
            if showing is not None:
                self._show(who, showing)
            if who in self._hands:
                self._top_up(who)

    def give_back(self, who: str, example: int, *, again: bool) -> None:
        """Ask a person about an example whose answer they took back."""
        with self.lock:
            self._seen[who] = self._clock()
            self._returned.add((who, example))
            if not again:
                self._gone.discard(example)
            self._show(who, example, again=again)

    def settle(self, example: int, who: str | None = None) -> None:
        """Do not ask a person again about an example they took back, or, without a name, anybody.

        They answered it elsewhere, or it was decided what the right answer is.
        """
        with self.lock:
            done = {one for one in self._returned if one[1] == example and who in (None, one[0])}
            self._returned -= done
            for name, _ in done:
                hand = self._hands.get(name, [])
                self._hands[name] = [card for card in hand if card.example != example]

    def stock(
        self, examples: Sequence[int], again: Mapping[int, Collection[str]], gone: Iterable[int],
        *, checks: bool,
    ) -> None:  # fmt: skip
        """Say what is to be asked next: new examples in order, and examples for a second answer."""
        with self.lock:
            self._stock, self._checks = list(examples), checks
            self._again, self._gone = dict(again), set(gone)
            for who, hand in self._hands.items():
                self._hands[who] = [
                    card
                    for card in hand
                    if card.example not in self._gone
                    or who not in again.get(card.example, (who,))
                    or (who, card.example) in self._returned
                ]
            # Those without a question come first; checks go out in the order of their draws.
            for who in sorted(self._hands, key=lambda name: len(self._hands[name])):
                self._top_up(who)

    # -- inside --------------------------------------------------------------------------------

    def _show(self, who: str, example: int, *, again: bool = False) -> None:
        """Put a question in front."""
        hand = self._hands.setdefault(who, [])
        known = next((card for card in hand if card.example == example), None)
        check = known.check if known else self._checks and example in self._stock
        again = known.again if known else again
        rest = [card for card in hand if card.example != example]
        self._hands[who] = [Card(example, self._clock(), check, again), *rest]

    def _top_up(self, who: str) -> None:
        hand = self._hands[who]
        now = self._clock()
        wanted = HAND if now - self._seen[who] < ACTIVE else 1
        mine = {card.example for card in hand}
        others = {
            card.example
            for name, cards in self._hands.items()
            for card in cards
            if name != who and now - card.since < LEASE
        }
        second = (i for i, by in self._again.items() if who not in by and i not in others | mine)
        if len(hand) < wanted and (example := next(second, None)) is not None:
            hand.append(Card(example, now, again=True))
        for example in self._stock:
            if len(hand) >= wanted:
                return
            if example not in others and example not in self._gone and example not in mine:
                hand.append(Card(example, now, self._checks))
