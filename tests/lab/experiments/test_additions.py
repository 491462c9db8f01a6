"""An experiment is one file and one line: toys in the catalogue run, are listed and reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from aluma import cli
from aluma.lab import datasets
from aluma.lab.entrants import ALUMA, Entrant
from aluma.lab.experiments import catalogue
from aluma.lab.experiments.declaration import Calculation, Size, Tournament
from aluma.lab.problem import Problem

ONCE = {"full": 2, "quick": 2, "tiny": 2}


def squares(value: int, seed: int) -> dict[str, Any]:
    """Return plain numbers, a word, nothing and a list."""
    return {"square": value**2 + seed, "side": "right", "unknown": None, "many": [1, 2]}


def sphere(size: int | str, seed: int) -> Problem:
    data = datasets.sphere(3, 30 if isinstance(size, str) else size, seed)
    return Problem(data.X, data.y > 0)


CALCULATION = Calculation(
    name="toy-squares",
    title="Squares",
    where="nowhere",
    claim="Nothing.",
    notes="A toy.",
    seeds=ONCE,
    compute=squares,
    parameter="n",
    values=dict.fromkeys(ONCE, (2, 3)),
)


def tournament(name: str, parameter: str, values: tuple[Any, ...]) -> Tournament:
    return Tournament(
        name=name,
        title="A toy",
        where="nowhere",
        claim="Nothing.",
        notes="A toy.",
        seeds=ONCE,
        problem=sphere,
        parameter=parameter,
        entrants=(ALUMA, Entrant("newcomer", "passive", {"predict_with": "svm"})),
        sizes=dict.fromkeys(ONCE, Size(values, 12, hypotheses=64)),
    )


TOYS = (
    CALCULATION,
    tournament("toy-pool", "pool", (30,)),
    tournament("toy-sizes", "m", (20, 40)),
    tournament("toy-words", "shape", ("round", "square")),
)


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "CATALOGUE", (*catalogue.CATALOGUE, *TOYS))


def invoke(*arguments: object):
    """Run `aluma reproduce` as a wide terminal shows it."""
    runner = CliRunner(env={"COLUMNS": "160"})
    return runner.invoke(cli.app, ["reproduce", *(str(one) for one in arguments)])


def test_toys_are_run_and_reported(tmp_path: Path) -> None:
    names = [toy.name for toy in TOYS]
    result = invoke(*names, "--quick", "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "Not run" not in report
    assert "| n | runs | side | square | unknown |" in report
    assert "| 2 | 2 | right | 5 (4 to 5) | - |" in report
    assert all(f"`aluma reproduce {name}`" in report for name in names)
    assert "newcomer" in report
    figures = {path.stem for path in (tmp_path / "figures").glob("*.png")}
    assert figures == {"summary", "toy-pool", "toy-sizes", "toy-words"}
    tables = {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert {"toy-squares", "toy-pool-labels", "toy-sizes-right", "toy-words-right"} <= tables


def test_toys_are_listed() -> None:
    listed = invoke("--list").output
    assert all(toy.name in listed for toy in TOYS)
