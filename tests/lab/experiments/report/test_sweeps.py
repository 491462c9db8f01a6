"""Labels needed against a parameter: the figure says what the table says."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from aluma.lab.entrants import QBC
from aluma.lab.experiments.catalogue import CATALOGUE
from aluma.lab.experiments.declaration import Tournament
from aluma.lab.experiments.paper import OCTAHEDRON_15
from aluma.lab.experiments.report.sweeps import (
    _gave_up,
    _sweep_line,
    _sweep_table,
    _unfinished,
    sweep_section,
)
from aluma.lab.experiments.results import Results

(CIRCLE,) = (e for e in CATALOGUE if isinstance(e, Tournament) and e.name == "circle")


def run(right_after: float, asked: int) -> dict[str, Any]:
    """Return a run that had everything right after some labels, or gave up."""
    there = right_after < inf
    return {
        "labels": [0, right_after if there else asked],
        "train": [0.5, 0.0 if there else 0.1],
        "asked": list(range(asked)),
        "ended": "right" if there else "exhausted",
    }


@pytest.mark.parametrize(
    ("counts", "text", "drawn", "given_up"),
    [
        ((8, 9, 10), "9 (8 to 10)", 9, False),
        ((9, inf, 8), "9 (8 to never)", 9, False),
        ((inf, 7, inf), "never (7 to never)", 10, True),
        ((inf, inf, inf), "never", 10, True),
    ],
)
def test_runs_that_gave_up_count_as_never(
    counts: tuple[float, ...], text: str, drawn: float, given_up: bool
) -> None:
    runs = [run(one, 4 if one == inf else int(one)) for one in counts]
    others = [run(10, 10)]
    results = Results(CIRCLE, "tiny", {"qbc@10": runs, "erm@10": others})
    line = _sweep_line(results, CIRCLE, QBC, "right")
    assert line.y.tolist() == [drawn]
    assert line.high is not None
    assert line.high.tolist() == [10]
    assert line.beyond is not None
    assert line.beyond.tolist() == [given_up]
    (row,) = _sweep_table(results, CIRCLE, [QBC], "right").rows
    assert [getattr(cell, "text", cell) for cell in row] == ["10", text]
    said = _gave_up(results, CIRCLE, [QBC])
    assert [f"QBC in {counts.count(inf)} of 3 runs" in one for one in said] == [True] * bool(
        counts.count(inf)
    )


def test_who_asked_for_everything_wanted_did_not_give_up() -> None:
    runs = [run(8, 8) | {"ended": "exhausted"}]
    runs += [run(inf, 10) | {"ended": "budget"} for _ in range(2)]
    results = Results(CIRCLE, "tiny", {"qbc@10": runs})
    (row,) = _sweep_table(results, CIRCLE, [QBC], "right").rows
    assert [getattr(cell, "text", cell) for cell in row] == ["10", ">10 (8 to >10)"]
    assert _gave_up(results, CIRCLE, [QBC]) == []


def test_a_section_says_how_many_runs_are_there_where_some_are_missing() -> None:
    runs = {"qbc@10": [run(8, 8)], "erm@10": [run(9, 9)] * 2}
    whole, part = ({"qbc@10": n, "erm@10": 2} for n in (1, 2))
    assert _unfinished(Results(CIRCLE, "tiny", runs, whole)) == []
    (said,) = _unfinished(Results(CIRCLE, "tiny", runs, part))
    assert said.endswith("Targets of each case: qbc@10 1, erm@10 2.")


def test_pools_on_no_scale_have_rows_and_what_was_asked_in_all() -> None:
    found = {
        "aluma-paper@10000": [run(54, 54), run(56, 56)],
        "qbc@10000": [run(120, 149) | {"ended": "exhausted"}],
        "qbc@all": [run(230, 260) | {"ended": "exhausted"}],
        "cal@all": [run(2_400, 2_500) | {"ended": "exhausted", "read": [0, 24_000]}],
    }
    section = sweep_section(Results(OCTAHEDRON_15, "full", found), OCTAHEDRON_15)
    right, asked = section.tables
    assert "asked" in asked.name
    assert [getattr(cell, "text", cell) for cell in asked.rows[0]] == ["10000", "149", "-"]
    # ERM has no runs of its own: it is given the labels of all that CAL has read.
    (everything,) = (row for row in right.rows if row[0] == "all")
    assert [getattr(cell, "text", cell) for cell in everything[-2:]] == ["2,400", "24,000"]
    assert len(section.pictures) == 1
    # 150 is none of our counts, whether until right or in all.
    (said,) = section.measured
    assert "QBC at face centres = 10000 (150); QBC at face centres = all (150)" in said
