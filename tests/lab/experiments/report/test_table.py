"""Tables in three forms, and how numbers are written in them."""

from __future__ import annotations

from math import inf

import pytest

from aluma.lab.experiments.report.table import Cell, Table, count, mark_least, percent

TABLE = Table("t", "A <title>", ["learner", "5%"], [["A|B", Cell("12", best=True)], ["C", "<3"]])


def test_forms() -> None:
    assert TABLE.as_csv() == "learner,5%\nA|B,12\nC,<3\n"
    assert TABLE.as_markdown().splitlines() == [
        "| learner | 5% |",
        "| --- | ---: |",
        "| A\\|B | **12** |",
        "| C | <3 |",
    ]
    html = TABLE.as_html()
    assert "<caption>A &lt;title&gt;</caption>" in html
    assert '<td class="word">A|B</td><td><b>12</b></td>' in html
    assert "<td>&lt;3</td>" in html


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "-"),
        ([7.0], "7"),
        ([7.0, 7.0], "7"),
        ([9.0, 1200.0, 8.0], "9 (8 to 1,200)"),
        ([5.0, inf, inf], ">100 (5 to >100)"),
        ([inf], ">100"),
    ],
)
def test_counts(values: list[float], text: str) -> None:
    assert count(values, ">100") == text


def test_percentages() -> None:
    assert percent([0.0123]) == "1.23%"
    assert percent([0.01, 0.03]) == "2.00% ± 1.41"
    assert percent([]) == "-"


def test_the_least_stands_out_and_infinity_never() -> None:
    assert [cell.best for cell in mark_least(["a", "b", "c"], [2.0, 1.0, 1.0])] == [0, 1, 1]
    assert not any(cell.best for cell in mark_least(["a"], [inf]))
