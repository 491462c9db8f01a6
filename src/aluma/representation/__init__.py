"""Representations: kernels as features, slack as coordinates, random projections."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aluma.representation.kernels import Kernel, KernelMap
from aluma.representation.lift import ProjectionWarning
from aluma.representation.slack import SlackFit, smallest_slack

if TYPE_CHECKING:
    from aluma.representation.transformer import Lift

__all__ = ["Kernel", "KernelMap", "Lift", "ProjectionWarning", "SlackFit", "smallest_slack"]


def __getattr__(name: str) -> Any:
    """Load the scikit-learn transformer when it is first used: it is slow to import (PEP 562)."""
    if name == "Lift":
        return import_module("aluma.representation.transformer").Lift
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
