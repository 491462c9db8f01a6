"""What entrants are called in tables and figures, and the colour they have there.

Learners that users choose by name have title and colour in :mod:`aluma.learners.registry`.
"""

from __future__ import annotations

from typing import NamedTuple

from aluma.lab import palette
from aluma.learners import colours
from aluma.learners.registry import ENTRIES


class Look(NamedTuple):
    """The title of a learner, and its colour."""

    title: str
    colour: str = palette.INK


def _look(strategy: str) -> Look:
    entry = ENTRIES[strategy]
    return Look(entry.title, entry.colour)


#: By the key of an entrant, as experiments and benchmarks have them: here learners go by the names
#: that the paper gives them, and one learner may enter with several settings.
ENTRANTS = {
    "aluma": _look("aluma"),
    "aluma-paper": Look("ALuMA α=1", colours.SKY),
    "aluma-auto": Look("ALuMA, slack auto", colours.BLUE),
    "aluma-lifted": Look("ALuMA lifted", colours.BLUE),
    "aluma-projected": Look("ALuMA projected", colours.SKY),
    "tk": Look("TK", ENTRIES["simple_margin"].colour),
    "svm-margin": _look("simple_margin"),
    "qbc": Look("QBC", ENTRIES["qbc"].colour),
    "cal": _look("cal"),
    "iwal": _look("iwal"),
    "iwal-less": Look("IWAL, c=0.3", colours.GREEN),
    "iwal-bold": Look("IWAL, c=0.1", colours.VERMILION),
    "iwal-wide": Look("IWAL, unscaled", colours.BLUE),
    "determined": _look("determined"),
    "determined-split": Look("most determined, by split", colours.ORANGE),
    "erm": Look("ERM", ENTRIES["passive"].colour),
    "soft-svm": Look("soft-SVM", ENTRIES["passive"].colour),
    "soft-svm-tight": Look("soft-SVM, scaled", colours.SKY),
    "logistic": Look("logistic margin", colours.ORANGE),
    "skactiveml": Look("skactiveml Falcun", colours.BROWN),
}


def title(strategy: str) -> str:
    """Return what a strategy is called; one that is not in the list goes by its own name."""
    return ENTRIES[strategy].title if strategy in ENTRIES else strategy


def colour(key: str) -> str:
    """Return the colour of a strategy or an entrant; what is in no list is drawn in ink."""
    look = ENTRANTS.get(key) or ENTRIES.get(key)
    return palette.INK if look is None else look.colour
