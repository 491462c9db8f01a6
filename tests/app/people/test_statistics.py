"""Agreement by closed forms and another library; errors of people against what was put in."""

import numpy as np
import pytest

from aluma.app.people.agreement import Pair, alpha, answers_by_example, kappa, pairs
from aluma.app.people.consensus import counting
from aluma.app.people.model_votes import model_votes
from aluma.app.people.reliability import reliability
from aluma.pool import Pool
from aluma.session.voices import Voice


def answers(rng, errors, n, labels, share):
    """Return right answers, and what people with these errors answer about a share of all."""
    truth = rng.integers(len(labels), size=n)
    given = {i: {} for i in range(n)}
    for who, error in errors.items():
        for i in np.flatnonzero(rng.random(n) < share):
            shift = rng.integers(1, len(labels)) if rng.random() < error else 0
            given[int(i)][who] = labels[(truth[i] + shift) % len(labels)]
    return {i: labels[k] for i, k in enumerate(truth)}, {i: by for i, by in given.items() if by}


def test_alpha_is_what_the_printed_example_says():
    """Krippendorff 2011, section B: two observers, ten units, alpha = 0.095."""
    one, two = "0100000010", "1110010000"
    given = [{"one": a, "two": b} for a, b in zip(one, two, strict=True)]
    assert alpha(given) == pytest.approx(0.095, abs=5e-4)


def test_agreement_where_it_is_not_defined_is_none_and_full_agreement_is_one():
    assert alpha([{"a": "x"}, {"b": "y"}]) is None
    assert alpha([{"a": "x", "b": "x"}]) is None
    assert alpha([{"a": "x", "b": "x"}, {"a": "y", "b": "y"}]) == 1.0
    assert kappa([("x", "x")]) is None
    assert kappa([("x", "x"), ("y", "y")]) == 1.0


def test_alpha_is_that_of_another_library():
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(0)
    labels = ["a", "b", "c"]
    for share in (0.3, 0.9):
        _, given = answers(rng, {"p": 0.1, "q": 0.3, "r": 0.5}, 60, labels, share)
        table = [[by.get(who, "*") for by in given.values()] for who in "pqr"]
        numbers = [[np.nan if x == "*" else labels.index(x) for x in row] for row in table]
        expected = krippendorff.alpha(numbers, level_of_measurement="nominal")
        assert alpha(given.values()) == pytest.approx(expected)


def test_pairs_count_what_both_answered_and_skips_are_none():
    said = [
        Voice("anna", 1, "x", ""), Voice("ben", 1, "y", ""), Voice("anna", 2, "y", ""),
        Voice("ben", 2, "y", ""), Voice("ben", 3, "x", ""), Voice("anna", 3, None, ""),
    ]  # fmt: skip
    assert pairs(answers_by_example(said), ["anna", "ben", "carl"]) == [
        Pair("anna", "ben", 2, 1, 0.0)
    ]


@pytest.mark.parametrize("labels", [["no", "yes"], ["a", "b", "c", "d"]])
def test_errors_lie_where_their_estimates_say(labels):
    """Of 12 intervals that hold with 95% each, at most 4 miss (2e-4 by chance, twice)."""
    errors = {"zero": 0.0, "some": 0.05, "many": 0.2}

    def missed(seed):
        wrong = 0
        for k in range(4):
            rng = np.random.default_rng([seed, k])
            truth, given = answers(rng, errors, 150, labels, 0.6)
            found = reliability(given, labels)
            # The least that an estimate goes down to is what stands for none.
            wrong += sum(
                not found.errors[who].low - 2e-3 <= error <= found.errors[who].high
                for who, error in errors.items()
            )
            likely = [labels[k] for k in found.shares.argmax(axis=1)]
            right = np.mean(
                [truth[i] == one for i, one in zip(found.examples, likely, strict=True)]
            )
            first = np.mean([truth[i] == next(iter(by.values())) for i, by in given.items()])
            assert right >= first - 0.02
        return wrong

    assert missed(1) <= 4 or missed(2) <= 4


def test_two_people_alone_tell_little_about_which_of_them_errs():
    rng = np.random.default_rng(3)
    _, given = answers(rng, {"good": 0.0, "bad": 0.3}, 100, ["no", "yes"], 1.0)
    alone = reliability(given, ["no", "yes"]).errors
    assert alone["good"].high > 0.2
    # Resolutions tell it.
    right = {i: by["good"] for i, by in given.items()}
    known = reliability(given, ["no", "yes"], resolved=right).errors
    assert known["good"].high < 0.06 < 0.15 < known["bad"].low


def test_a_model_speaks_for_what_nobody_was_asked_twice():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 4))
    truth = np.where(X[:, 0] + 0.3 > 0, "yes", "no")
    given = {}
    for i in range(300):
        who, error = [("good", 0.0), ("bad", 0.25)][i % 2]
        given[i] = {who: str(truth[i])}
        if rng.random() < error:
            given[i] = {who: "no" if truth[i] == "yes" else "yes"}
    told = {i: next(iter(by.values())) for i, by in given.items()}
    votes = model_votes(Pool(X, bias=True), told)
    found = reliability(given, ["no", "yes"], model=votes)
    assert found.errors["good"].mean < 0.08 < 0.15 < found.errors["bad"].mean < 0.4
    likely = np.array(["no", "yes"])[found.shares.argmax(axis=1)]
    assert (likely == truth).mean() > (np.array(list(told.values())) == truth).mean() + 0.05


def test_a_model_says_nothing_about_few_answers_or_one():
    X = np.random.default_rng(0).standard_normal((50, 2))
    assert model_votes(Pool(X), dict.fromkeys(range(40), "yes")) == {}
    assert model_votes(Pool(X), {0: "no", 1: "yes"}) == {}


def test_the_answer_that_counts():
    weights = {"anna": 3.0, "ben": 2.0, "carl": 1.0}.__getitem__
    assert counting({"anna": None}, weights) is None
    assert counting({"carl": "x"}, weights) == "x"
    assert counting({"carl": "x", "anna": "y"}, weights) == "y"
    assert counting({"carl": "x", "ben": "x", "anna": "y"}, lambda _: 1.0) == "x"
    # One that counted yields to what is clearly heavier, and while labels are checked to nothing.
    assert counting({"carl": "x", "anna": "y"}, weights, before="x") == "y"
    assert counting({"carl": "x", "anna": "y"}, weights, before="x", settled=True) == "x"
    assert counting({"carl": "x", "ben": "y"}, lambda _: 1.0, before="y") == "y"
    # What nobody says any more counts no longer.
    assert counting({"ben": "y"}, weights, before="x", settled=True) == "y"
