"""Learners that allow for slack, and kernels in learners."""

import doctest
import logging
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from aluma import ALuMA, Conflict, Passive, SimpleMargin, run
from aluma.lab.bench.cones import sphere_pool
from aluma.representation import Lift, smallest_slack
from aluma.spaces.loosening import MARGIN
from evidence import generator, holds, seed_of, two_sided
from paper import paper

X, TRUTH = sphere_pool(4, 150, seed=seed_of(3))
WRONG = generator(0).random(150) < 0.1
ANSWERS = np.where(WRONG, -TRUTH, TRUTH)


def learner(**settings: Any) -> ALuMA:
    return paper(X, classes=(-1.0, 1.0), **({"n_hypotheses": 256} | settings))


@cache
def _after(n: int, slack: float | str) -> ALuMA:
    return answered(learner(slack=slack), n)


def after(n: int, slack: float | str) -> ALuMA:
    """Return a learner with n answers: a copy, since they are the same for all tests."""
    return _after(n, slack).fork()


def answered(one: ALuMA, n: int) -> ALuMA:
    for _ in range(n):
        index = one.ask()
        one.tell(index, ANSWERS[index])
    return one


def seen(one: ALuMA) -> tuple[Any, ...]:
    return one.ask(), one.allowed_slack, one.predict_proba().tolist(), one.doubts().tolist()


def test_auto_is_separable_until_answers_contradict() -> None:
    plain, auto = learner(), learner(slack="auto")
    with pytest.raises(Conflict) as found:
        answered(plain, 150)
    answered(auto, plain.n_answers)
    assert auto.answered.tolist() == plain.answered.tolist()
    assert auto.allowed_slack == 0
    assert auto.conflict is None
    assert auto.strained() == []
    asked = auto.ask()
    auto.tell(asked, ANSWERS[asked])
    assert auto.n_answers == plain.n_answers + 1
    assert auto.conflict is not None
    assert auto.conflict.indices == found.value.indices


def test_auto_allows_the_smallest_slack_that_all_answers_need() -> None:
    auto = learner(slack="auto", margin=0.05)
    while auto.conflict is None:
        answered(auto, 1)
    told = auto.answered
    walls = ANSWERS[told, None] * X[told] / np.linalg.norm(X, axis=1).max()
    assert auto.allowed_slack == pytest.approx(smallest_slack(walls, 0.05).slack)
    assert auto.allowed_slack > smallest_slack(walls, MARGIN).slack


def test_auto_goes_on_and_loses_no_answer() -> None:
    auto = answered(learner(slack="auto"), 60)
    assert auto.n_answers == 60
    assert len(set(auto.answered.tolist())) == 60
    labels = auto.predict()
    assert (labels[auto.answered] == ANSWERS[auto.answered]).all()
    assert (labels != TRUTH).mean() < 0.12


def test_slack_is_measured_again_when_much_more_is_needed() -> None:
    auto = learner(slack="auto")
    slacks = {answered(auto, 1).allowed_slack for _ in range(70)}
    assert len(slacks) > 2
    told = auto.answered
    walls = ANSWERS[told, None] * X[told] / np.linalg.norm(X, axis=1).max()
    assert auto.allowed_slack >= smallest_slack(walls, MARGIN).slack / 2


@pytest.mark.parametrize("slack", ["auto", 0.02])
@pytest.mark.parametrize("back", [3, 37])
def test_undo_and_redo_change_nothing(slack: float | str, back: int) -> None:
    one = after(40, slack)
    before, told = seen(one), one.answered[-back:].tolist()
    for _ in range(back):
        one.undo()
    assert one.n_answers == 40 - back
    assert seen(one) == seen(after(40 - back, slack))
    for index in told:
        one.tell(index, ANSWERS[index])
    assert seen(one) == before


def test_a_changed_answer_is_as_if_it_had_been_told_so() -> None:
    one = after(40, "auto")
    history = list(zip(one.answered.tolist(), one.answers.tolist(), strict=True))
    index = history[10][0]
    one.change(index, -history[10][1])
    history[10] = (index, -history[10][1])
    other = learner(slack="auto")
    for example, label in history:
        other.tell(example, label)
    assert seen(one) == seen(other)


def test_a_fork_is_independent() -> None:
    one = after(40, "auto")
    before = seen(one)
    answered(one.fork(), 5)
    assert seen(one) == before


def test_wrong_answers_strain_the_fit_most() -> None:
    """Of the ten answers most in doubt, far more are wrong than one in ten."""
    one = answered(learner(slack=0.02), 80)
    worst = one.strained(10)
    assert [w.doubt for w in worst] == sorted((w.doubt for w in worst), reverse=True)
    assert all(w.label == ANSWERS[w.index] for w in worst)
    wrong = np.mean([WRONG[w.index] for w in worst])
    assert wrong >= 0.4 > 2 * WRONG[one.answered].mean()


def test_the_certificate_knows_that_nothing_unasked_is_settled() -> None:
    certificate = answered(learner(slack=0.05), 30).certificate()
    assert certificate.determined == 30
    assert certificate.purity < 0.1
    assert 0 < certificate.expected_error < certificate.error_bound < 0.6


def test_the_expected_error_is_that_of_soft_votes() -> None:
    one = answered(learner(slack=0.05, n_hypotheses=2048), 20)
    shares = one.predict_proba()[:, 1]
    expected = np.minimum(shares, 1 - shares).mean()
    # 2,048 draws, correlated between examples: a standard error of 0.5 / 45 at the very most.
    assert one.certificate().expected_error == pytest.approx(expected, abs=0.03)


def test_a_batch_has_different_examples_and_the_question_first() -> None:
    one = answered(learner(slack=0.05), 10)
    batch = one.ask(5)
    assert batch[0] == one.ask()
    assert len(set(batch.tolist())) == 5


def test_projected_learners_meet_contradictions() -> None:
    one = learner(slack=0.01, dimension=6)
    with pytest.raises(Conflict):
        one.tell(np.arange(150), ANSWERS)
    assert one.n_answers == 0


def test_projection_by_the_learner_is_that_of_the_transformer() -> None:
    given = paper(
        Lift(slack=0.1, dimension=20, random_state=seed_of(2)).fit_transform(X),
        classes=(-1.0, 1.0),
        n_hypotheses=256,
        random_state=seed_of(2),
    )
    own = learner(slack=0.1, dimension=20, random_state=seed_of(2))
    answered(given, 10), answered(own, 10)
    assert own.answered.tolist() == given.answered.tolist()
    assert own.predict(X[:5]).shape == (5,)


@pytest.mark.parametrize("kind", [ALuMA, SimpleMargin, Passive])
def test_a_kernel_matrix_and_explicit_features_give_the_same_learner(kind: Any) -> None:
    holds(lambda seed, more: kernel_votes_differ(kind, TRUTH[:25], 4096 * more, seed))


def kernel_votes_differ(
    kind: Any, labels: np.ndarray, n: int, seed: int, **settings: Any
) -> np.ndarray:
    """Compare shares of n votes each, of examples that are in dispute."""
    settings |= {"classes": (-1.0, 1.0), "n_hypotheses": n, "random_state": seed}
    shares = []
    for one in (kind(X, **settings), kind(X @ X.T, kernel="precomputed", **settings)):
        one.tell(np.arange(len(labels)), labels)
        shares.append(one.predict_proba()[:, 1])
    a, b = shares
    both = (a + b) / 2
    # Where nearly all agree, votes are too few for a normal approximation.
    open_ = np.minimum(both, 1 - both) > 0.02
    error = np.sqrt(both * (1 - both) * 2 / n)
    np.testing.assert_allclose(a[~open_], b[~open_], atol=0.03)
    return two_sided(((a - b)[open_] / error[open_]) if open_.any() else [0.0])


def test_a_kernel_matrix_and_explicit_features_agree_with_slack_too() -> None:
    holds(
        lambda seed, more: kernel_votes_differ(ALuMA, ANSWERS[:20], 4096 * more, seed, slack=0.05)
    )


@pytest.mark.parametrize("kind", [ALuMA, SimpleMargin, Passive])
def test_kernels_decide_what_no_line_does(kind: Any) -> None:
    square = generator(0).uniform(-1, 1, (200, 2))
    labels = square[:, 0] * square[:, 1] > 0
    one = kind(square, classes=(False, True), kernel="rbf", n_hypotheses=256)
    run(one, labels, budget=80)
    new = np.array([[0.5, 0.5], [-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]])
    assert one.predict(new).tolist() == [True, True, False, False]
    assert (one.predict() == labels).mean() > 0.9
    assert one.examples.dimension == 2


def test_new_examples_of_a_precomputed_kernel_are_rows_of_its_values() -> None:
    one = paper(rbf_kernel(X), kernel="precomputed", classes=(-1.0, 1.0), n_hypotheses=256)
    one.tell(np.arange(30), TRUTH[:30])
    assert (one.predict(rbf_kernel(X[:30], X)) == TRUTH[:30]).all()
    with pytest.raises(ValueError, match="features"):
        one.predict(X)


def test_a_contradiction_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        answered(learner(slack="auto"), 60)
    assert "slack" in caplog.text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"slack": -0.1}, "slack"),
        ({"slack": "some"}, "slack"),
        ({"slack": np.nan}, "slack"),
        ({"margin": 0.0}, "margin"),
        ({"slack": "auto", "dimension": 10}, "beforehand"),
        ({"slack": 0.1, "estimate": "verified"}, "coordinates of their own"),
        ({"kernel": "gauss"}, "no kernel"),
    ],
    ids=str,
)
def test_wrong_settings_are_explained(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        learner(**settings)


def test_the_page_about_kernels_and_noise_is_true() -> None:
    page = Path(__file__).parents[2] / "docs" / "kernels-and-noise.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0


@pytest.mark.parametrize("slack", [0.0, 0.1, "auto"])
def test_a_learner_goes_on_where_another_stood(slack: float | str) -> None:
    one = answered(learner(slack=slack), 6 if slack == 0.0 else 30)
    two = answered(learner(slack=slack), 3)
    two.certificate()
    two.restore(one.standing, one.history)
    assert seen(two) == seen(one)
    assert two.history == one.history
    assert str(two.conflict) == str(one.conflict)
    assert (one.conflict is not None) == (slack == "auto")
    assert two.certificate().error_bound == one.certificate().error_bound
    assert not two.can_step_back(two.history[:-1])
    for each in (one, two):
        each.undo()
    assert seen(answered(two, 2)) == seen(answered(one, 2))


@pytest.mark.parametrize(("wrong", "error"), [(-1, ValueError), (0, ValueError), (2.0, TypeError)])
def test_a_number_of_strained_answers_is_positive(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="n must be"):
        learner(slack=0.05).strained(wrong)


@pytest.mark.parametrize("setting", ["slack", "margin", "tolerance", "alpha"])
@pytest.mark.parametrize("wrong", [True, "x", None])
def test_settings_that_are_no_numbers_are_named(setting: str, wrong: Any) -> None:
    if (setting, wrong) == ("margin", None):
        return
    with pytest.raises((TypeError, ValueError), match=f"{setting} must be .*, got {wrong!r}"):
        learner(**{setting: wrong})
