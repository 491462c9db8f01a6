"""The learners by the names that estimators, sessions and commands know them by.

To add one, write it in a file of its own and add a line to :data:`ENTRIES`: whoever offers a choice
of learners offers these, under their titles and in their colours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aluma.learners import colours
from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.committee import QueryByCommittee
from aluma.learners.determined import Determined
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
    any_number : whether it takes more than two classes
    """

    learner: Callable[..., Learner]
    title: str
    colour: str
    any_number: bool = False


#: Name -> entry. CAL and IWAL share a colour, and never a figure.
ENTRIES: dict[str, Entry] = {
    "aluma": Entry(ALuMA, "ALuMA", colours.BLUE, any_number=True),
    "simple_margin": Entry(SimpleMargin, "SVM margin", colours.VERMILION),
    "qbc": Entry(QueryByCommittee, "committee", colours.GREEN),
    "cal": Entry(CAL, "CAL", colours.PURPLE),
    "iwal": Entry(IWAL, "IWAL", colours.PURPLE),
    "passive": Entry(Passive, "random order", colours.GREY),
    "determined": Entry(Determined, "most determined", colours.BROWN),
}


def strategy(name: Any) -> Callable[..., Learner]:
    """Return the learner of that name, or say which names there are."""
    if not isinstance(name, str) or name not in ENTRIES:
        known = ", ".join(repr(one) for one in ENTRIES)
        raise ValueError(
            f"there is no strategy {name!r}: choose one of {known}, or add yours to "
            "aluma.learners.registry.ENTRIES under a name."
        )
    return ENTRIES[name].learner
