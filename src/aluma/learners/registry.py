"""The learners by the names that estimators, sessions and commands know them by.

To add one, write it in a file of its own and add a line to :data:`ENTRIES`: whoever offers a choice
of learners offers these, under their titles and in their colours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.committee import QueryByCommittee
from aluma.learners.iwal import IWAL
from aluma.learners.learner import Learner
from aluma.learners.passive import Passive
from aluma.learners.simple_margin import SimpleMargin


@dataclass(frozen=True)
class Entry:
    """A learner that can be chosen by name.

    Attributes
    ----------
    learner : its class, or a function that makes one: takes the pool and keyword arguments
    title : what tables and pictures call it
    colour : its colour in pictures
    """

    learner: Callable[..., Learner]
    title: str
    colour: str


#: Name -> entry. Colours are from the palette of Okabe and Ito, which colour-blind readers can tell
#: apart; grey is for chance.
ENTRIES: dict[str, Entry] = {
    "aluma": Entry(ALuMA, "ALuMA", "#0072B2"),
    "simple_margin": Entry(SimpleMargin, "SVM margin", "#D55E00"),
    "qbc": Entry(QueryByCommittee, "committee", "#009E73"),
    "cal": Entry(CAL, "CAL", "#CC79A7"),
    "iwal": Entry(IWAL, "IWAL", "#B8860B"),
    "passive": Entry(Passive, "random order", "#6B6B6B"),
}


def accepted(learner: Callable[..., Learner]) -> set[str]:
    """Return the names of the settings that a learner takes."""
    return set(inspect.signature(learner).parameters)


def strategy(name: Any) -> Callable[..., Learner]:
    """Return the learner of that name, or say which names there are."""
    if not isinstance(name, str) or name not in ENTRIES:
        known = ", ".join(repr(one) for one in ENTRIES)
        raise ValueError(f"there is no strategy {name!r}: choose one of {known}.")
    return ENTRIES[name].learner
