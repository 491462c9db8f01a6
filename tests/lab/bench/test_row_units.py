"""Rows in other units, in small."""

import pytest

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
        row_units.measure(kept, names, (0, 1), 60)
    assert row_units.shown(kept, names, (0, 1)).count(names[0]) == len(row_units.WAYS)
    assert row_units.summary(kept, names, (0, 1)).row_count == len(row_units.WAYS)
