"""Labels needed, counted by hand; how runs end; the picture."""

import struct
from pathlib import Path

import numpy as np
import pytest

import aluma
from aluma.lab.comparison import (
    Comparison,
    Run,
    compare,
    follow,
    known_labels,
    make_learner,
    standardise,
)
from aluma.lab.figures import learning_curves
from aluma.lab.names import colour
from aluma.learners.passive import Passive
from aluma.representation.bias import with_bias

LINE = np.array([[-2.0], [-1.0], [1.0], [2.0]])


def plane(m: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return a separable pool in the plane, with string labels."""
    X = np.random.default_rng(1).standard_normal((m, 2))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] > 0.2, "yes", "no")


def made_up(*errors: list[float], budget: int = 4) -> Comparison:
    """Return a comparison of one strategy with the given learning curves."""
    nothing = np.zeros(10, dtype=bool)
    runs = [
        Run(tuple(range(len(e))), np.array(e), nothing, np.ones(10), strategy="aluma", seed=i)
        for i, e in enumerate(errors)
    ]
    return Comparison(("no", "yes"), 10, budget, tuple(runs))


def test_errors_are_those_counted_by_hand():
    """Separators of x -> w x + b, in order: 2x - 1, then 0.19x - 1.15, then one that fits all.

    The first calls 1 "yes" (wrong), the second calls 2 "no" (wrong), and after the third answer
    -1 lies between -2 and 1, which are both "no".
    """
    learner = Passive(LINE, bias=1.0, classes=("no", "yes"), order=[0, 2, 3], predict_with="svm")
    run = follow(learner, np.array([False, False, False, True]), budget=4)
    assert run.indices == (0, 2, 3)
    assert run.errors.tolist() == [0.25, 0.25, 0.0]
    assert [run.needed(target) for target in (0.25, 0.1, 0.0)] == [1, 3, 3]
    assert run.positive.tolist() == [False, False, False, True]


def test_labels_needed_are_the_first_that_suffice():
    found = made_up([0.4, 0.1, 0.2, 0.1], [0.5, 0.0], [0.5, 0.2, 0.1, 0.0])
    assert found.needed("aluma", 0.1).tolist() == [2, 2, 3]
    assert found.needed("aluma", 0.0).tolist() == [np.inf, 2, 4]
    assert [found.median("aluma", target) for target in (0.1, 0.0)] == [2, 4]
    assert made_up([0.5, 0.0], [0.5]).median("aluma", 0.0) == np.inf


def test_curves_that_ended_go_on_as_they_were():
    found = made_up([0.4, 0.3, 0.2], [0.5], [0.3, 0.0, 0.1, 0.0])
    assert found.curves("aluma").tolist() == [[0.4, 0.3, 0.2], [0.5, 0.5, 0.5], [0.3, 0.0, 0.0]]


@pytest.mark.parametrize("repeats", [1, 2, 3, 4])
def test_the_median_curve_is_right_at_the_median_count(repeats):
    """The picture and the table show the same number."""
    rng = np.random.default_rng(repeats)
    found = made_up(*([0.2] * n + [0.0, 0.1] for n in rng.integers(1, 9, repeats)))
    middle = np.median(found.curves("aluma"), axis=0)
    assert np.flatnonzero(middle == 0)[0] + 1 == found.median("aluma", 0.0)


def test_a_comparison_counts_what_a_replay_counts():
    X, y = plane()
    found = compare(X, y, repeats=2, seed=3)
    assert found.strategies == ("aluma", "simple_margin", "passive")
    assert [run.seed for run in found.runs] == [3, 4] * 3
    for run in found.runs:
        learner = make_learner(run.strategy, with_bias(X, True), ("no", "yes"), run.seed)
        counted = []
        for index in run.indices:
            learner.tell(index, y[index])
            counted.append(np.mean(learner.predict() != y))
        np.testing.assert_array_equal(run.errors, counted)
        assert run.errors[-1] == 0


def test_every_run_ends_when_all_is_right():
    X, y = plane()
    found = compare(X, y, repeats=2)
    assert all(run.needed(0.0) == len(run.indices) for run in found.runs)
    assert found.stop is None
    assert found.kept is found.main


def test_a_budget_ends_every_run():
    X, y = plane()
    found = compare(X, y, budget=2)
    assert [len(run.indices) for run in found.runs] == [2, 2, 2]
    assert found.budget == 2
    assert compare(X, y, ["passive"], budget=1000).budget == len(y)


def test_a_contradiction_ends_a_run_and_is_kept():
    run = compare(LINE, ["no", "yes", "no", "yes"], ["simple_margin"]).main
    assert isinstance(run.conflict, aluma.Conflict)
    assert len(run.errors) == len(run.indices) < 4
    assert not run.interrupted


@pytest.mark.parametrize("strategy", ["aluma", "passive"])
def test_ctrl_c_keeps_what_was_answered(strategy):
    X, y = plane()

    def watch(name, repeat):
        def on_answer(answers, error):
            if answers == 3 and repeat == 1:
                raise KeyboardInterrupt

        return on_answer

    found = compare(X, y, [strategy, "simple_margin"], repeats=2, watch=watch)
    assert [run.interrupted for run in found.runs] == [False, True]
    last = found.runs[-1]
    assert len(last.indices) == len(last.errors) == 3
    asked = list(last.indices)
    np.testing.assert_array_equal(last.positive[asked], y[asked] == "yes")


def test_the_labelled_pool_says_who_gave_each_label():
    X, y = plane()
    found = compare(X, y, ["aluma"], budget=5)
    frame = found.labelled(names=range(100, 160))
    assert list(frame.columns) == ["example", "label", "given_by", "vote_share"]
    assert frame["example"].tolist() == list(range(100, 160))
    asked = sorted(found.main.indices)
    assert np.flatnonzero(frame["given_by"] == "person").tolist() == asked
    assert frame["label"][asked].tolist() == y[asked].tolist()
    assert (frame["vote_share"][asked] == 1).all()
    assert frame["vote_share"].between(0.5, 1).all()
    assert np.mean(frame["label"] != y) == found.main.errors[-1]


@pytest.mark.parametrize(("name", "by"), [("aluma", "vote"), ("simple_margin", "SVM")])
def test_the_rest_is_labelled_by_what_the_strategy_labels_with(name, by):
    frame = compare(*plane(), [name], budget=5).labelled()
    assert set(frame["given_by"]) == {"person", by}


def test_known_labels_are_two_and_sorted():
    classes, positive = known_labels(np.array([8, 3, 8]), 3)
    assert classes == (3, 8)
    assert type(classes[0]) is int
    assert positive.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a", "b", "c"], r"3 different values \('a', 'b', 'c'\)"),
        (["a", "a", "a"], r"1 different value \('a'\)"),
        (["a", "b"], "2 labels for 3 examples"),
        (["a", "b", float("nan")], "NaN"),
    ],
)
def test_labels_that_are_not_two_are_refused(labels, said):
    with pytest.raises(ValueError, match=said):
        known_labels(labels, 3)


def test_standardise_leaves_no_unit():
    X = np.random.default_rng(0).standard_normal((50, 3))
    X[:, 2] = 0.1
    scaled = standardise(X * [1e6, 1e-6, 1.0] + [5.0, -7.0, 0.0])
    np.testing.assert_allclose(scaled[:, :2].mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(scaled[:, :2].std(axis=0), 1)
    assert (scaled[:, 2] == 0).all()
    assert X[0, 2] == 0.1


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:])
    return width, height


@pytest.mark.parametrize(
    ("curves", "covered"),
    [
        (([0.4, 0.1, 0.0], [0.5, 0.3, 0.2, 0.0]), 0.5),
        (([0.3],), 0.05),
        (([0.4, 0.2, 0.2, 0.2],), 0.5),
    ],
)
def test_the_picture_is_a_png_with_a_line_in_it(tmp_path, curves, covered):
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    path = tmp_path / "curves.png"
    learning_curves(made_up(*curves), path, r"prices_$\x$.csv")
    width, height = png_size(path)
    assert 1000 < width < 1600
    assert 500 < height < 900
    assert 10_000 < path.stat().st_size < 150_000
    distance = np.abs(imread(path)[:, :, :3] - to_rgb(colour("aluma"))).max(axis=2)
    assert (distance < 0.02).any(axis=0).mean() > covered


def test_the_picture_is_the_same_every_time(tmp_path):
    found = made_up([0.4, 0.1, 0.0])
    for name in ("a.png", "b.png"):
        learning_curves(found, tmp_path / name, "A title")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
