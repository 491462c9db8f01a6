"""The label benchmarks in seconds: that they run, and that they would see ALuMA falling behind."""

import io

import numpy as np
import pytest
from rich.console import Console

from aluma.lab.bench import cost, labels, long_run, promise
from aluma.lab.curves import at_all
from aluma.lab.entrants import ALUMA_PAPER


@pytest.mark.parametrize("program", [labels, long_run, promise, cost])
def test_the_quick_version_runs_and_is_content(
    program: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Parts of the benchmark of promises, with tests of their own: test_audits, test_at_the_stop.
    monkeypatch.setattr(promise.audits, "run", lambda *_: True)
    monkeypatch.setattr(promise.at_the_stop, "judge", lambda *_, **__: True)
    out = io.StringIO()
    met = program.run(Console(file=out, width=150), quick=True)  # type: ignore[attr-defined]
    assert met, out.getvalue()
    assert "│" in out.getvalue()


def test_a_part_of_it_can_be_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = labels.contests(quick=True)
    monkeypatch.setattr(labels, "contests", lambda: small)
    name = small[1].contest.name
    labels.main(["--contests", name, "--entrants", "aluma-paper", "--runs", "2", "--jobs", "1"])
    shown = capsys.readouterr().out
    assert f"{name}: 2 runs" in shown
    assert small[0].contest.name not in shown


def test_octahedron_targets_contain_one_face() -> None:
    X, y = labels.octahedron(4, seed=3)
    assert X.shape == (24, 5)
    assert (y > 0).sum() == 4 + 1
    assert (y[8:] > 0).sum() == 1


def test_a_curve_ends_at_its_first_zero() -> None:
    X, y = labels.octahedron(3, seed=0)
    marks = range(1, 40)
    found = labels.contest("", lambda seed: (X, y), (ALUMA_PAPER,), 1, marks).run_all()
    (zero,) = labels.to_zero(found[ALUMA_PAPER])
    (errors,) = at_all(found[ALUMA_PAPER], "train", marks)
    assert np.isfinite(zero)
    assert (errors[int(zero) - 1 :] == 0).all()
    assert (errors[: int(zero) - 1] > 0).all()


def test_who_is_behind_beyond_the_noise_is_seen() -> None:
    rng = np.random.default_rng(0)
    theirs = 0.1 + 0.01 * rng.standard_normal((6, 3))
    noisy = theirs + np.array([0.0, 0.05, -0.05]) + 0.001 * rng.standard_normal((6, 3))
    ours, others = (
        [{"labels": [10, 20, 30], "train": row.tolist()} for row in rows]
        for rows in (noisy, theirs)
    )
    assert labels.behind(ours, others, [10, 20, 30]).tolist() == [False, True, False]


@pytest.mark.parametrize("broken", ["", "audits", "certificate", "stop"])
def test_any_part_can_break_the_promise(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bound = 0.05 if broken == "certificate" else 0.2
    kept = [promise.Kept(np.full(20, 0.1), np.full(20, bound), 5, 5, 0.0) for _ in range(20)]
    monkeypatch.setattr(promise, "watch_all", lambda _: kept)
    monkeypatch.setattr(promise.audits, "run", lambda *_: broken != "audits")
    monkeypatch.setattr(promise.at_the_stop, "judge", lambda *_, **__: broken != "stop")
    assert promise.run(Console(file=io.StringIO()), quick=True) == (not broken)


def test_a_broken_promise_is_seen() -> None:
    kept = [promise.Kept(np.full(20, 0.1), np.full(20, 0.2), 5, 5, 0.0) for _ in range(20)]
    loose = [promise.Kept(np.full(20, 0.1), np.full(20, 0.05), 5, 5, 0.0) for _ in range(20)]
    assert not promise.broken(kept)
    assert promise.broken(loose)
