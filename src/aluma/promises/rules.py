"""Stopping rules by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aluma.promises.nothing_left import NothingLeft
from aluma.promises.passed import Passed
from aluma.promises.settled import Settled
from aluma.promises.stopping import Limits, Stopping

#: Name -> what makes the rule, given the limits.
STOPPING: dict[str, Callable[[Limits], Stopping]] = {
    "passed": Passed,
    "settled": Settled,
    "nothing_left": lambda _: NothingLeft(),
}


def stopping_rule(name: Any, limits: Limits) -> Stopping:
    """Return the rule of that name, or say which there are."""
    if not isinstance(name, str) or name not in STOPPING:
        raise ValueError(f"stopping must be one of {', '.join(STOPPING)}, got {name!r}.")
    return STOPPING[name](limits)
