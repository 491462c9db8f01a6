"""How the figures fell with the answers: kept beside the session, for the eye and for forecasts.

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
#: Answers that a forecast looks back on, and ahead to.
ANSWERS_BACK, ANSWERS_AHEAD = 40, 20


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
        """Add a point, and drop those of more answers."""
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

    def gain(self) -> float | None:
        """Return the share of labels that so many answers more would set right, as the trend goes.

        The expected error falls about geometrically, so the trend is a line through its logarithm.
        """
        points = [self._points[answers] for answers in sorted(self._points)]
        if not points:
            return None
        last = points[-1]
        recent = [
            p for p in points if p.answers >= last.answers - ANSWERS_BACK and p.expected_error > 0
        ]
        if len(recent) < 4 or last.expected_error <= 0:
            return None
        slope = np.polyfit(
            [p.answers for p in recent], np.log([p.expected_error for p in recent]), 1
        )[0]
        return float(last.expected_error * (1 - np.exp(min(slope, 0.0) * ANSWERS_AHEAD)))

    def _put(self, figures: Figures) -> None:
        self._points = {n: one for n, one in self._points.items() if n < figures.answers}
        self._points[figures.answers] = figures
