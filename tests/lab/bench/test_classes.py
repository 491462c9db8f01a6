"""The benchmark of several classes, in small, and that it can fail."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from aluma.lab.bench import classes
from aluma.lab.bench.class_entrants import ENTRANTS
from aluma.lab.bench.class_pools import wine
from aluma.lab.bench.classes import FIRST_SEED, Wanted, judge
from aluma.lab.bench.kept_runs import KeptRuns

#: They come with scikit-activeml, which is in the extra [lab] and not in [test].
PEERS = ("margin", "entropy", "Badge")


def _console() -> tuple[Console, StringIO]:
    out = StringIO()
    return Console(file=out, width=160), out


@pytest.mark.parametrize("name", list(ENTRANTS))
def test_everybody_labels_wine(name: str) -> None:
    if name in PEERS:
        pytest.importorskip("skactiveml")
    X, y = wine()
    entrant = ENTRANTS[name](X, 3, 0)
    for _ in range(20):
        row = entrant.ask()
        assert row not in entrant.told
        entrant.tell(row, int(y[row]))
    labels = entrant.labels()
    assert (labels[list(entrant.told)] == y[list(entrant.told)]).all()
    assert (labels != y).mean() < 0.35


def test_it_runs_and_goes_on_from_what_is_kept(tmp_path: Path) -> None:
    console, out = _console()
    file, wanted = tmp_path / "runs.jsonl", Wanted(2, None, ("ALuMA", "in turn"), last=25)
    judge(console, wanted, quick=True, results=file, jobs=1)
    assert "4 of 4 runs" in out.getvalue()
    assert "wine: % wrong" in out.getvalue()
    again, seen = _console()
    judge(again, wanted, quick=True, results=file, jobs=0)
    assert "ALuMA minus in turn" in seen.getvalue()


def test_who_is_behind_is_named(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    kept = KeptRuns(file)
    for seed in range(FIRST_SEED, FIRST_SEED + 3):
        for name, error in (("ALuMA", 0.3), ("margin", 0.1)):
            noisy = error + 0.001 * seed % 3
            kept.add(("wine", seed, name), {"errors": {"25": noisy}, "cpu": 1.0})
    console, out = _console()
    wanted = Wanted(3, None, ("ALuMA", "margin"))
    assert not judge(console, wanted, quick=True, results=file, jobs=0)
    assert "behind: margin after 25" in out.getvalue()


def test_the_cost_of_a_question_is_a_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "ANSWERED", (5, 10))
    console, out = _console()
    classes.cost(console, quick=True)
    assert "10 classes" in out.getvalue()

    def five_times_as_dear(X: object, counts: list[int], rng: object) -> list[dict[int, float]]:
        return [dict.fromkeys((5, 10), float(count)) for count in counts]

    monkeypatch.setattr(classes, "_seconds", five_times_as_dear)
    assert not classes.cost(console, quick=True)
