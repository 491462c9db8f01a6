"""Audits: what a person sees of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

import aluma
from aluma import Audit, Exhausted, audit
from aluma.promises.audit import price
from evidence import caught, generator, holds, seed_of


def labelled(n: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and what is right, with a share of them wrong."""
    rng = generator(17, seed)
    truth = rng.choice(["a", "b", "c"], n)
    labels = truth.copy()
    wrong = rng.choice(n, round(share * n), replace=False)
    labels[wrong] = np.where(truth[wrong] == "a", "b", "a")
    return labels, truth


def courses(n: int, share: float, doubt: str | None, runs: int, first: int) -> np.ndarray:
    """Return, for each audit run to its end, whether its bound was ever too low."""
    failed = np.zeros(runs, dtype=bool)
    for run in range(runs):
        labels, truth = labelled(n, share, first + run)
        wrong = (labels != truth).astype(float)
        doubts = {None: None, "helpful": wrong + 0.02, "useless": np.arange(n) % 7 / 7.0}
        doubts["adversarial"] = 1.02 - wrong
        given = None if doubt is None else doubts[doubt]
        checks = Audit(labels, doubt=given, classes="abc", delta=0.1, random_state=first + run)
        while not (checks.passed or checks.failed):
            example = checks.ask()
            checks.tell(example, truth[example])
            failed[run] |= checks.bound < np.mean(checks.labels != truth) - 1e-12
    return failed


@pytest.mark.parametrize("labels", [[1, 1.0, 1, True], [1.0, 1, True, 1.0], [True, 1, 1.0, True]])
def test_an_answer_is_spelled_as_its_label_was_first(labels: list[object]) -> None:
    checks = Audit(labels, classes=[2])
    for _ in labels:
        checks.tell(checks.ask(), 1)
    assert {type(answer) for answer in checks.answers} == {type(labels[0])}


@pytest.mark.parametrize(
    ("share", "doubt"),
    [(0.08, None), (0.04, None), (0.08, "helpful"), (0.08, "useless"), (0.08, "adversarial")],
)
def test_the_bound_is_ever_too_low_with_delta_at_most(share: float, doubt: str | None) -> None:
    def look(seed: int, more: int) -> float:
        failed = courses(140, share, doubt, 20 * more, seed)
        # The chance of as many failures, if each audit fails with delta.
        return float(hypergeom.sf(failed.sum() - 1, 10**9, 10**8, len(failed)))

    holds(look)


def test_a_bound_that_forgets_to_be_anytime_is_caught() -> None:
    def look(seed: int, more: int) -> float:
        rng = generator(23, seed)
        n, wrong, delta, failed = 250, 25, 0.1, 0
        for _ in range(40 * more):
            found = np.cumsum(rng.permutation(np.arange(n) < wrong))
            looks = np.arange(1, n + 1)
            failed += (hypergeom.cdf(found, n, wrong, looks) <= delta).any()
        return float(hypergeom.sf(failed - 1, 10**9, 10**8, 40 * more))

    caught(look)


@pytest.mark.parametrize("n", [1000, 10_000, 100_000])
@pytest.mark.parametrize("tolerance", [0.05, 0.02, 0.01])
def test_the_price_is_near_that_of_a_single_look(n: int, tolerance: float) -> None:
    allowed = int(tolerance * n)
    single = next(t for t in range(1, n) if hypergeom.pmf(0, n, allowed + 1, t) <= 0.05)
    assert single <= price(n, tolerance) <= 1.35 * single


def test_errors_are_put_right_and_no_longer_count() -> None:
    labels, truth = labelled(300, 0.1)
    checks = Audit(labels, classes="abc")
    while checks.asked < 300:
        example = checks.ask()
        checks.tell(example, truth[example])
        assert checks.bound <= (300 - checks.asked) / 300
    with pytest.raises(Exhausted, match="all 300 labels"):
        checks.ask()
    assert (checks.labels == truth).all()
    assert sorted(checks.wrong) == np.flatnonzero(labels != truth).tolist()
    assert (checks.bound, checks.lower_bound, checks.estimate) == (0.0, 0.0, 0.0)


def test_what_is_known_is_never_drawn_and_counts_as_right() -> None:
    labels, truth = labelled(400, 0.0)
    known = np.arange(0, 400, 2)
    checks = audit(labels, truth, known=known)
    assert not set(checks.checked.tolist()) & set(known.tolist())
    assert checks.passed
    assert checks.asked < audit(labels, truth).asked
    everything = Audit(labels, known=np.arange(400))
    assert everything.passed
    assert everything.bound == 0


def test_a_bad_labelling_fails_and_a_good_one_passes() -> None:
    labels, truth = labelled(5000, 0.3)
    report = audit(labels, truth, classes="abc", tolerance=0.05)
    assert report.failed
    assert not report.passed
    assert 0.05 < report.lower_bound < 0.3
    assert report.asked < 200
    assert audit(truth, truth, tolerance=0.05).asked == price(5000, 0.05)


def test_undo_and_a_restart_ask_the_same() -> None:
    labels, truth = labelled(200, 0.1)
    doubt = generator(3).random(200)
    for given in (None, doubt):
        one, other = (
            Audit(labels, doubt=given, classes="abc", random_state=seed_of(5)) for _ in range(2)
        )
        seen = []
        for _ in range(30):
            seen.append((one.ask(), one.bound, one.lower_bound, one.remaining))
            one.tell(one.ask(), truth[one.ask()])
        for _ in range(12):
            one.undo()
        assert (one.ask(), one.bound, one.lower_bound, one.remaining) == seen[18]
        for example, *_ in seen[:18]:
            assert other.ask() == example
            other.tell(example, truth[example])
        assert other.bound == one.bound
    with pytest.raises(LookupError, match="no check to take back"):
        Audit(labels).undo()


def test_remaining_is_how_many_right_answers_it_takes() -> None:
    labels, truth = labelled(600, 0.02)
    checks = Audit(labels, classes="abc")
    for _ in range(50):
        checks.tell(checks.ask(), truth[checks.ask()])
    wanted = checks.remaining
    for _ in range(wanted):
        assert not checks.passed
        checks.tell(checks.ask(), checks.labels[checks.ask()])
    assert checks.passed
    assert checks.remaining == 0


def test_tolerance_zero_needs_everything_and_says_so() -> None:
    # All but what luck may hide: one wrong label is missed by 19 in 20 of the checks with 5%.
    assert 0.95 * 400 <= Audit(["x"] * 400, tolerance=0).remaining <= 400


def test_missed_bounds_what_screening_may_have_overlooked() -> None:
    rng = generator(8)
    truth = np.where(rng.random(3000) < 0.03, "yes", "no")
    labels = truth.copy()
    labels[np.flatnonzero(truth == "yes")[::4]] = "no"
    overlooked = int(((truth == "yes") & (labels == "no")).sum())
    checks = Audit(labels)
    assert checks.missed("yes") == int((labels == "no").sum())
    for _ in range(600):
        checks.tell(checks.ask(), truth[checks.ask()])
    left = int(((truth == "yes") & (checks.labels == "no")).sum())
    assert overlooked >= left
    assert left <= checks.missed("yes") < 300
    assert checks.missed("no") < 60
    assert Audit(labels, doubt=rng.random(3000)).missed("yes") == int((labels == "no").sum())


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"tolerance": 1.5}, ValueError, "tolerance must be at least 0 and below 1"),
        ({"tolerance": "low"}, TypeError, "tolerance must be a number"),
        ({"delta": 0}, ValueError, "delta must lie strictly between"),
        ({"known": [7]}, IndexError, "known names example 7: there are 5"),
        ({"known": ["a"]}, TypeError, "list of positions"),
        ({"doubt": [1, 2]}, ValueError, "for 5 labels"),
        ({"doubt": [1, 2, 3, -1, 0]}, ValueError, "negative or not finite"),
        ({"random_state": -3}, ValueError, "non-negative integer"),
    ],
)
def test_what_is_wrong_with_a_setting_is_said(settings, error, words) -> None:
    with pytest.raises(error, match=words):
        Audit([1, 0, 1, 1, 0], **settings)


def test_the_next_checks_are_those_that_come_and_no_other_number_of_them() -> None:
    checks = Audit(["a"] * 9 + ["b"])
    coming = checks.coming(10)
    assert sorted(coming) == list(range(10))
    assert checks.coming(0).tolist() == []
    for n, error in ((-1, ValueError), (11, Exhausted), (1.0, TypeError), (True, TypeError)):
        with pytest.raises(error, match=r"checks were wanted|n must be"):
            checks.coming(n)
    for example in coming:
        assert checks.ask() == example
        checks.tell(example, "a")


def test_what_is_wrong_with_an_answer_is_said_and_loses_nothing() -> None:
    checks = Audit(["a", "b"] * 20, classes=np.array(["a", "b"]))
    example = checks.ask()
    for wrong, label, error, words in (
        (99, "a", IndexError, "there is no example 99: there are 40"),
        ((example + 1) % 40, "a", ValueError, f"example {example} was"),
        (example, "c", ValueError, "'c' is none of the labels \\('a', 'b'\\).*classes="),
        (example, None, ValueError, "None"),
        (True, "a", TypeError, "named by its position"),
    ):
        with pytest.raises(error, match=words):
            checks.tell(wrong, label)
    assert (checks.asked, checks.ask()) == (0, example)
    with pytest.raises(ValueError, match="there are no labels"):
        Audit([])
    with pytest.raises(ValueError, match="40 labels and 3 right ones"):
        audit(["a", "b"] * 20, ["a", "b", "a"])


def test_any_labelling_can_be_audited() -> None:
    labels = pd.Series([1, 2, 3, 1] * 10, index=[f"r{i}" for i in range(40)])
    report = aluma.audit(labels, lambda i: int(labels.iloc[i]), tolerance=0.1)
    assert report.passed
    assert report.labels.tolist() == labels.tolist()
    assert "checked at random, 0 wrong: at most" in str(report)


def test_a_label_that_nobody_predicted_is_found() -> None:
    truth = ["ham"] * 380 + ["spam"] * 20
    report = audit(["ham"] * 400, truth, tolerance=0.01)
    assert report.passed
    assert "spam" in report.labels.tolist()
    mixed = audit([1, "a"] * 50, [1, "a"] * 50)
    assert len(mixed.wrong) == 0


def test_one_label_has_one_spelling() -> None:
    checks = Audit([0, 1] * 30)
    checks.tell(checks.ask(), float(checks.labels[checks.ask()]))
    assert len(checks.wrong) == 0
    assert checks.labels.dtype.kind == "i"


def test_labels_put_right_are_checked_by_other_draws() -> None:
    """Else a labelling that failed would pass on the same rows, which are right by now."""
    labels, truth = labelled(2000, 0.15)
    for _ in range(3):
        report = audit(labels, truth, classes="abc")
        again = audit(report.labels, truth, classes="abc")
        assert again.checked[:10].tolist() != report.checked[:10].tolist()
        labels = again.labels


def test_what_remains_is_counted_as_passing_is() -> None:
    checks = Audit([0] * 100, tolerance=0.29)
    for _ in range(checks.remaining - 1):
        checks.tell(checks.ask(), 0)
        assert not checks.passed
    checks.tell(checks.ask(), 0)
    assert checks.passed
    assert Audit([0, 1], known=[0, 1]).estimate == 0.0


def test_all_labels_wrong_with_even_doubts_is_no_surprise_to_rounding() -> None:
    checks = Audit([0] * 400, doubt=np.ones(400), random_state=seed_of(2))
    while checks.asked < 60:
        checks.tell(checks.ask(), 1)
        assert checks.bound == (400 - checks.asked) / 400
