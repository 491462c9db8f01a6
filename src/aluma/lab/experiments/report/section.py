"""What the report has to say about one experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aluma.lab.experiments.declaration import Experiment
from aluma.lab.experiments.report.drawing import Picture
from aluma.lab.experiments.report.table import Table


@dataclass(frozen=True)
class Section:
    """One experiment in the report.

    Attributes
    ----------
    measured : sentences about what was found
    """

    experiment: Experiment
    measured: Sequence[str] = field(default_factory=list)
    tables: Sequence[Table] = field(default_factory=list)
    pictures: Sequence[Picture] = field(default_factory=list)
