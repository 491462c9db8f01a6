"""Representations: kernels as features, slack as coordinates, random projections."""

from aluma.representation.kernels import Kernel, KernelMap
from aluma.representation.lift import Lift, ProjectionWarning
from aluma.representation.slack import SlackFit, smallest_slack

__all__ = ["Kernel", "KernelMap", "Lift", "ProjectionWarning", "SlackFit", "smallest_slack"]
