"""Rows in other units, in small."""

import numpy as np
import pytest

from aluma.arrays import Bools, Floats, Ints
from aluma.lab.bench import one_core, row_units
from aluma.lab.bench.embedding_pools import embedding_pools
from aluma.lab.bench.kept_runs import KeptRuns


def test_everybody_labels_rows_in_other_units(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = embedding_pools(quick=True)
    two = {name: row_units.UNITS[name] for name in ("x 0.01", row_units.SAME)}
    monkeypatch.setattr(row_units, "MARKS", (2, 4))
    monkeypatch.setattr(row_units, "UNITS", two)
    monkeypatch.setattr(row_units, "embedding_pools", lambda: pools)
    kept, names = KeptRuns(), [pools[0].name]
    with one_core():
        row_units.measure(kept, names, (0, 1), 60, ways=("learner",))
        assert row_units.shown(kept, names, (0, 1)).count(names[0]) == 1
        row_units.measure(kept, names, (0, 1), 60)
    assert row_units.shown(kept, names, (0, 1)).count(names[0]) == len(row_units.WAYS)
    assert row_units.summary(kept, names, (0, 1)).row_count == len(row_units.WAYS)


def test_units_that_round_nothing_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_units, "MARKS", (3, 8))
    X, positive = embedding_pools(quick=True)[0].drawn(3, 120)
    with one_core():
        for way in row_units.EXACTLY:
            assert row_units.differences(X, positive, 3, way) == (0, 0)


def test_other_questions_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_length(X: Floats, positive: Bools, seed: int) -> tuple[Ints, Bools]:
        del seed
        longer = np.linalg.norm(X, axis=1) > 1
        return np.flatnonzero(longer)[:1], positive ^ longer

    pools = embedding_pools(quick=True)
    monkeypatch.setattr(row_units, "EXACTLY", {"learner": by_length})
    monkeypatch.setattr(row_units, "embedding_pools", lambda: pools)
    X, positive = np.full((4, 1), 0.5), np.ones(4, dtype=bool)
    X[1] = 2.0
    assert row_units.differences(X, positive, 0, "learner") != (0, 0)
    assert row_units.exactly([pools[0].name], (0,), ("learner",)).row_count == 1
