"""The learners by the names that estimators, sessions and commands know them by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.committee import QueryByCommittee
from aluma.learners.iwal import IWAL
from aluma.learners.learner import Learner
from aluma.learners.passive import Passive
from aluma.learners.simple_margin import SimpleMargin

#: Name -> class. The one list of strategies: whoever offers a choice offers these.
STRATEGIES: Mapping[str, type[Learner]] = MappingProxyType(
    {
        "aluma": ALuMA,
        "simple_margin": SimpleMargin,
        "qbc": QueryByCommittee,
        "cal": CAL,
        "iwal": IWAL,
        "passive": Passive,
    }
)


def strategy(name: Any) -> type[Learner]:
    """Return the learner of that name, or say which names there are."""
    if not isinstance(name, str) or name not in STRATEGIES:
        known = ", ".join(repr(one) for one in STRATEGIES)
        raise ValueError(f"there is no strategy {name!r}: choose one of {known}.")
    return STRATEGIES[name]
