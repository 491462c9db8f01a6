"""The benchmark of embeddings, in small, and that it can fail."""

from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from aluma.lab.bench.embedding_entrants import ENTRANTS, UNITS, DropQuery
from aluma.lab.bench.embedding_figure import draw, table_of
from aluma.lab.bench.embedding_pools import embedding_pools
from aluma.lab.bench.embeddings import FIRST_SEED, Wanted, cells, judge
from aluma.lab.bench.kept_runs import KeptRuns

#: They come with scikit-activeml, which is in the extra [lab] and not in [test].
PEERS = ("TypiClust, margin", "MaxHerding, margin", "Badge", "Falcun")
DIGITS = embedding_pools(quick=True)[0]


def _console() -> tuple[Console, StringIO]:
    out = StringIO()
    return Console(file=out, width=160), out


@pytest.mark.parametrize("name", [*ENTRANTS, "ALuMA, standardised"])
def test_everybody_labels_digits(name: str) -> None:
    if name in PEERS:
        pytest.importorskip("skactiveml")
    X, positive = DIGITS.drawn(0, 200)
    assert np.linalg.norm(X, axis=1).mean() == pytest.approx(1.0)
    entrant = (ENTRANTS | UNITS)[name](X, 0)
    for n in (1, 1, 1, 10, 3):
        rows = entrant.ask(n)
        assert len(rows) == n == len(set(rows.tolist()) - set(entrant.told))
        entrant.tell(rows, positive[rows])
    labels = entrant.labels()
    told = list(entrant.told)
    assert (labels[told] == positive[told]).all()
    assert (labels != positive).mean() < 0.4


def test_drop_query_asks_what_scikit_activeml_asks() -> None:
    """With every coordinate dropped, nothing is left to chance but the clusters of one."""
    pools, classifiers = (
        pytest.importorskip(f"skactiveml.{name}") for name in ("pool", "classifier")
    )
    X, positive = DIGITS.drawn(1, 200)
    ours = DropQuery(X, 0, dropped=1 - 1e-9, times=3)
    told = np.array([*np.flatnonzero(positive)[:4], *np.flatnonzero(~positive)[:5]])
    ours.tell(told, positive[told])
    known = np.full(len(X), np.nan)
    known[told] = positive[told]
    theirs = pools.DropQuery(dropout_rate=1 - 1e-9, n_dropout_samples=3, random_state=0)
    model = classifiers.SklearnClassifier(ours.unfitted(), classes=[0.0, 1.0], random_state=0)
    asked = theirs.query(X=X, y=known, clf=model)
    assert ours.ask(1).tolist() == asked.tolist()


def test_it_runs_and_goes_on_from_what_is_kept(tmp_path: Path) -> None:
    console, out = _console()
    file = tmp_path / "runs.jsonl"
    wanted = Wanted(2, None, ("margin, C=10", "random"), last=10)
    judge(console, wanted, quick=True, results=file, jobs=1)
    assert "4 of 4 runs" in out.getvalue()
    again, seen = _console()
    judge(again, wanted, quick=True, results=file, jobs=0)
    assert f"{DIGITS.name}: % wrong" in seen.getvalue()


def test_ahead_level_and_behind_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    kept, rng = KeptRuns(file), np.random.default_rng(0)
    for seed in range(FIRST_SEED, FIRST_SEED + 6):
        for name, errors in {
            "ALuMA": {"10": 0.10, "25": 0.20, "50": 0.30},
            "random": {"10": 0.30, "25": 0.20, "50": 0.10},
            "Badge": {"10": 0.25, "25": 0.40, "50": 0.40},
        }.items():
            noisy = {n: error + 0.01 * rng.random() for n, error in errors.items()}
            kept.add((DIGITS.name, seed, name), {"errors": noisy, "cpu": 1.0})
    wanted = Wanted(6, None, ("ALuMA", "random", "Badge"))
    found = cells(kept, wanted, [DIGITS.name])
    assert [one.verdict for one in found] == ["ahead", "level", "behind"]
    assert [one.best for one in found] == ["Badge", "random", "random"]
    console, out = _console()
    assert not judge(console, wanted, quick=True, results=file, jobs=0)
    assert "behind the best of the others in 1 of 3 cells; ahead of all in 1 of 3" in out.getvalue()
    text = table_of(found)
    assert "| **10." in text
    assert "_30." in text
    draw(found, tmp_path / "cells.png")
    assert (tmp_path / "cells.png").stat().st_size > 5000
