"""The order of checks is that of all clocks, whatever part of it is found."""

from __future__ import annotations

import numpy as np
import pytest

from aluma.promises import drawing
from aluma.promises.drawing import Drawing
from aluma.streams import OfSeed, stream


def by_all_clocks(known: np.ndarray, seed: int, name: int) -> list[int]:
    """Put all examples in the order in which their clocks ring."""
    unknown = np.flatnonzero(~known)
    rings = stream(seed, OfSeed.CHECKS, name).exponential(size=len(unknown))
    return unknown[np.argsort(rings)].tolist()


@pytest.mark.parametrize("known", [[], [0], [3, 4, 499], range(0, 500, 2), range(500)])
@pytest.mark.parametrize("at_once", [7, 500])
def test_a_part_of_the_order_is_its_beginning(
    monkeypatch: pytest.MonkeyPatch, known: list[int], at_once: int
) -> None:
    mask = np.zeros(500, dtype=bool)
    mask[list(known)] = True
    expected = by_all_clocks(mask, 5, 8)
    whole = Drawing(mask, None, 5, 8)
    assert whole.first(500).tolist() == expected
    monkeypatch.setattr(drawing, "WHOLE", 0)
    monkeypatch.setattr(drawing, "FIRST", 3)
    monkeypatch.setattr(drawing, "AT_ONCE", at_once)
    if not expected:
        return
    some = Drawing(mask, None, 5, 8)
    assert len(some) == len(expected)
    for n in (0, 1, 3, 4, 50, 249, 500, 2):
        assert some.first(n).tolist() == expected[:n]


def test_too_few_early_clocks_are_looked_for_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 clocks, those before the time when 1.5 are expected are often fewer than one."""
    monkeypatch.setattr(drawing, "WHOLE", 0)
    monkeypatch.setattr(drawing, "FIRST", 1)
    mask = np.zeros(200, dtype=bool)
    early = [np.sort(stream(seed, OfSeed.CHECKS, 0).exponential(size=200))[0] for seed in range(40)]
    assert sum(first > -np.log1p(-1.5 / 200) for first in early) > 2
    for seed in range(40):
        assert Drawing(mask, None, seed, 0).first(1).tolist() == by_all_clocks(mask, seed, 0)[:1]


def test_little_is_kept_of_many() -> None:
    drawn = Drawing(np.zeros(300_000, dtype=bool), None, 0, 0)
    assert len(drawn._found) == drawing.FIRST
    assert len(np.unique(drawn.first(10_000))) == 10_000
    assert len(drawn._found) == 20_000
