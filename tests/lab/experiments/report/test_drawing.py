"""Names beside lines, axes and files of figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aluma.lab.experiments.report.drawing import (
    LINE_OF_TEXT,
    Line,
    count_panel,
    error_panel,
    picture,
    spread,
)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=12))
def test_names_are_spread_in_order_and_do_not_touch(heights: list[float]) -> None:
    places = spread(heights, 0.0, 300.0)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(places[order]) >= LINE_OF_TEXT - 1e-9).all()
    assert places.min() >= -1e-9
    assert places.max() <= 300 + 1e-9


def test_names_with_room_stay_where_they_are() -> None:
    np.testing.assert_allclose(spread([100.0, 10.0, 50.0], 0.0, 300.0), [100.0, 10.0, 50.0])


def lines() -> list[Line]:
    x = np.array([1.0, 10.0, 100.0])
    return [
        Line("aluma", "ALuMA", x, np.array([0.4, 0.1, 0.0]), x * 0, x * 0 + 0.5),
        Line("erm", "ERM", x, np.array([0.5, 0.3, 0.2])),
    ]


def test_figures_are_png_and_svg_and_the_same_each_time() -> None:
    def draw(axes) -> None:
        error_panel(axes, lines(), "Training error", 100)

    one, two = (picture("name", "A title", "how to read it", [draw]) for _ in range(2))
    assert one.png.startswith(b"\x89PNG")
    assert b"<svg" in one.svg
    assert (one.png, one.svg) == (two.png, two.svg)


def test_what_was_not_reached_is_marked() -> None:
    from matplotlib.figure import Figure

    x = np.array([10.0, 12.0])
    line = Line("erm", "ERM", x, np.array([50.0, 100.0]), beyond=np.array([False, True]))
    figure = Figure()
    axes = figure.add_subplot()
    count_panel(axes, [line], "Labels", "d", [10, 12])
    assert any("ERM · >100" in text.get_text() for text in axes.texts)
    assert axes.get_ylim()[0] == pytest.approx(0.75 * 50)


def test_where_there_is_no_room_every_other_size_is_named() -> None:
    from matplotlib.figure import Figure

    x = 2.0 ** np.arange(2, 11)
    axes = Figure().add_subplot()
    count_panel(axes, [Line("erm", "ERM", x, x)], "Labels", "m", x.tolist(), log_x=True)
    named = sorted(int(text.get_text()) for text in axes.get_xticklabels())
    assert named == [4, 16, 64, 256, 1024]
