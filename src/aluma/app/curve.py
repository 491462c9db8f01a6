"""How the figures fell with the answers: kept beside the session, for the eye only.

Losing the file loses a picture, no answer; so it is written without waiting for the disk, and what
cannot be read of it is left out.
"""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from aluma.app.shapes import Figures

logger = logging.getLogger(__name__)

#: Points that are shown, at most.
MOST_POINTS = 160


class Curve:
    """Figures after ever more answers; when answers are taken back, so are their points."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._points: dict[int, Figures] = {}
        if path.exists():
            for line in path.read_text("utf-8", errors="replace").splitlines():
                try:
                    self._put(Figures.model_validate_json(line))
                except ValidationError:
                    continue

    def add(self, figures: Figures) -> None:
        """Add a point, and drop those of more answers; one that is drawn already stays."""
        if (known := self._points.get(figures.answers)) and _drawn(known) == _drawn(figures):
            return
        self._put(figures)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(figures.model_dump_json() + "\n")
        except OSError as error:
            logger.warning("the curve cannot be kept: %s", error)

    @property
    def points(self) -> list[Figures]:
        """The points, thinned out when there are many."""
        points = [self._points[answers] for answers in sorted(self._points)]
        places = np.linspace(0, len(points) - 1, min(MOST_POINTS, len(points))).round().astype(int)
        return [points[place] for place in places]

    def _put(self, figures: Figures) -> None:
        self._points = {n: one for n, one in self._points.items() if n < figures.answers}
        self._points[figures.answers] = figures


def _drawn(figures: Figures) -> tuple[float | None, ...]:
    """Return what is seen of a point."""
    return figures.checks, figures.expected_error, figures.error_bound
