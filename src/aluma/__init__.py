"""aluma: a pool labelled right with the fewest questions to a person.

Every name below is loaded when it is first used, so ``import aluma`` costs next to nothing. What
only the labelling page, the laboratory or large pools need comes with an extra, and an error names
it: ``pip install 'aluma[label]'``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aluma import bounds, errors
    from aluma.errors import (
        AlumaError,
        BadInput,
        ClusterLost,
        Conflict,
        CorruptData,
        Exhausted,
        MissingData,
        MissingExtra,
        NarrowPool,
        NewerFormat,
        NotASession,
        OutOfReach,
        Refused,
        SessionDamaged,
        SessionError,
        SessionLocked,
        SessionRolledBack,
        Undecided,
        Unreadable,
        WrongPool,
    )
    from aluma.estimator import ActiveClassifier
    from aluma.learners.aluma import ALuMA
    from aluma.learners.cal import CAL
    from aluma.learners.committee import QueryByCommittee
    from aluma.learners.iwal import IWAL
    from aluma.learners.learner import Learner
    from aluma.learners.passive import Passive
    from aluma.learners.simple_margin import SimpleMargin
    from aluma.pool import Pool
    from aluma.promises.audit import Audit, audit
    from aluma.promises.certificate import Certificate
    from aluma.running import Trace, run
    from aluma.session import Session
    from aluma.spaces.version_space import VersionSpace

    __version__: str

__all__ = [
    "CAL",
    "IWAL",
    "ALuMA",
    "ActiveClassifier",
    "AlumaError",
    "Audit",
    "BadInput",
    "Certificate",
    "ClusterLost",
    "Conflict",
    "CorruptData",
    "Exhausted",
    "Learner",
    "MissingData",
    "MissingExtra",
    "NarrowPool",
    "NewerFormat",
    "NotASession",
    "OutOfReach",
    "Passive",
    "Pool",
    "QueryByCommittee",
    "Refused",
    "Session",
    "SessionDamaged",
    "SessionError",
    "SessionLocked",
    "SessionRolledBack",
    "SimpleMargin",
    "Trace",
    "Undecided",
    "Unreadable",
    "VersionSpace",
    "WrongPool",
    "__version__",
    "audit",
    "bounds",
    "errors",
    "run",
]

#: Where names live that are neither modules nor exceptions.
_HOMES = {
    "ALuMA": "aluma.learners.aluma",
    "ActiveClassifier": "aluma.estimator",
    "Audit": "aluma.promises.audit",
    "CAL": "aluma.learners.cal",
    "Certificate": "aluma.promises.certificate",
    "IWAL": "aluma.learners.iwal",
    "Learner": "aluma.learners.learner",
    "Passive": "aluma.learners.passive",
    "Pool": "aluma.pool",
    "QueryByCommittee": "aluma.learners.committee",
    "Session": "aluma.session",
    "SimpleMargin": "aluma.learners.simple_margin",
    "Trace": "aluma.running",
    "VersionSpace": "aluma.spaces.version_space",
    "audit": "aluma.promises.audit",
    "run": "aluma.running",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, and keep it (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: Any
    if name in ("bounds", "errors"):
        found = import_module(f"aluma.{name}")
    elif name == "__version__":
        found = import_module("importlib.metadata").version("aluma")
    else:
        found = getattr(import_module(_HOMES.get(name, "aluma.errors")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
