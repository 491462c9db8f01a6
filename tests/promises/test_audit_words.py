"""What is said about an audit: never more than was shown."""

from datetime import date

import numpy as np
import pytest

from aluma import Audit
from aluma.promises import audit_words
from aluma.promises.audit_words import at_least, at_most


def checked(n: int, wrong: list[bool], tolerance: float = 0.05, **settings: float) -> Audit:
    """Return an audit of n labels whose first checks found these wrong."""
    audit = Audit(["a"] * n, tolerance=tolerance, **settings)
    for one in wrong:
        audit.tell(audit.ask(), "b" if one else "a")
    return audit


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.106, "11%"), (0.1, "10%"), (0.0491, "5%"), (0.0481, "4.9%"), (0.05, "5%"),
     (0.0021, "0.21%"), (0.00211, "0.22%"), (0.0, "0%"), (1.0, "100%"), (1e-9, "0.01%"),
     (7 / 700, "1%")],
)  # fmt: skip
def test_bounds_are_rounded_up(share: float, said: str) -> None:
    assert at_most(share) == said


@pytest.mark.parametrize(
    ("share", "said"), [(0.106, "10%"), (0.0719, "7.1%"), (0.07, "7%"), (0.0029, "0.29%")]
)
def test_lower_bounds_are_rounded_down(share: float, said: str) -> None:
    assert at_least(share) == said


def test_rounding_does_not_cross_the_goal() -> None:
    assert at_most(0.1232, goal=0.125) == "12.4%"
    assert at_most(0.00326, goal=0.0033) == "0.33%"
    assert at_most(0.0014, goal=0.00142) == "0.14%"
    assert at_least(0.1253, goal=0.125) == "12.53%"
    assert at_least(0.0503, goal=0.05) == "5.03%"


def test_no_bound_is_said_to_be_less_than_it_is() -> None:
    rng = np.random.default_rng(5)
    for n in (7, 300, 10_662, 99_991):
        for k in rng.integers(0, n + 1, 50):
            share = k / n
            assert float(at_most(share)[:-1]) >= 100 * share - 1e-9
            assert float(at_least(share)[:-1]) <= 100 * share + 1e-9


def test_what_an_audit_says_of_itself_is_rounded_up() -> None:
    for n in (331, 667):
        audit = checked(n, [])
        while not audit.passed:
            audit.tell(audit.ask(), "a")
            said = float(str(audit).partition("at most ")[2].partition("%")[0])
            assert 100 * audit.bound - 1e-9 <= said < 100 * audit.bound + 0.01


def test_the_headline_is_the_evidence() -> None:
    start = checked(1000, [])
    assert audit_words.headline(start) == (
        "Nothing checked yet: 61 random checks, all right, would show that at most 5% is wrong "
        "(95% sure)"
    )
    assert audit_words.outlook(start) == "61 checks to the goal of 5%, if all find the label right."
    assert audit_words.guess(start) == audit_words.verdict(start) == ""
    some = checked(1000, [True] + [False] * 39)
    bound = at_most(some.bound)
    assert audit_words.headline(some) == (
        f"Checked at random: 1 of 40 wrong, so at most {bound} (95% sure)"
    )
    assert audit_words.outlook(some).startswith(f"{some.remaining} more checks to the goal of 5%")
    assert audit_words.guess(some) == "Estimate, no promise: 2.4% wrong."
    assert audit_words.verdict(some) == ""


def test_it_says_when_it_has_passed_and_when_it_has_failed() -> None:
    passed = checked(1000, [False] * 61)
    bound = at_most(passed.bound, 0.05)
    assert audit_words.verdict(passed) == (
        f"Passed: at most {bound} of the labels are wrong (95% sure), 61 checks, none wrong."
    )
    one = checked(1000, [True] + [False] * 150)
    assert one.passed
    assert "151 checks, 1 found wrong and put right." in audit_words.verdict(one)
    failed = checked(1000, [True, False] * 10)
    assert failed.failed
    said = audit_words.verdict(failed)
    assert said.startswith(f"Failed: at least {at_least(failed.lower_bound, 0.05)} of the labels")
    assert "20 checks, 10 found wrong and put right." in said
    assert "Better labels or the full labelling" in audit_words.ways_out(failed)
    assert "if at most" not in audit_words.ways_out(failed)
    many = checked(1000, [True, False, False, False] * 50)
    assert f"if at most {at_most(many.bound)} will do" in audit_words.ways_out(many)


def test_nothing_to_check_is_said_too() -> None:
    audit = Audit(["a", "b"], known=[0, 1])
    assert audit_words.headline(audit) == (
        "Nothing has to be checked: at most 0% can be wrong as it is"
    )


def test_the_statement_has_its_date_and_nobody_is_entirely_sure() -> None:
    audit = checked(300, [False] * 3, delta=0.001)
    said = audit_words.statement(audit, "x.csv", date(2026, 11, 17))
    assert said.startswith("2026-11-17, x.csv: 3 of 300 labels checked at random, 0 wrong: at most")
    assert said.endswith("(99.9% sure).")
