"""When a check goes on, is given up, or shows that the goal is out of reach: numbers alone."""

import pytest

from aluma.promises.checking import (
    TELLING,
    Round,
    out_of_reach,
    rounds,
    share_of_delta,
    tells_too_little,
)
from aluma.spaces.history import Event

POOL, TOLERANCE, DELTA = 1000, 0.05, 0.05
#: Of a labelling with far too many wrong, and of one with few.
BAD, GOOD = Round(100, 10, 6), Round(100, 60, 1)


def test_what_was_put_right_was_wrong_when_the_check_began() -> None:
    found = Round(128, 114, 16)
    least = found.least_share(900, share_of_delta(DELTA, 1))
    assert 16 / 900 < TOLERANCE < least < 16 / 114


def test_what_was_skipped_is_no_answer_and_nothing_is_known_of_it() -> None:
    blank = [Event(i, 0) for i in range(50)]
    answers = [Event(100 + i, 1) for i in range(40)]
    checks = [Event(200 + i, -1 if i < 8 else 0, check=1, said=1) for i in range(9)]
    ended = Event(300, 1, check=2, said=1)
    (found,) = rounds([*blank, *answers, *checks, ended])
    assert found == Round(answers=40, checks=10, wrong=9, skipped=1, aside=50)
    again = rounds([*blank, *answers, *checks, ended, Event(301, -1, check=2, said=1)])[-1]
    assert (again.answers, again.aside) == (49, 51)
    # Nine of ten wrong among the other 910 do not speak for the 50.
    whole, delta = Round(40, 10, 9), share_of_delta(DELTA, 1)
    assert found.least_share(POOL, delta) < whole.least_share(POOL, delta)


@pytest.mark.parametrize(
    ("past", "checks", "goes_on"),
    [
        ([], 5, False),
        ([GOOD], 5, False),
        ([BAD], 5, True),
        ([GOOD, BAD], TELLING - 1, True),
        ([BAD], TELLING, False),
        ([BAD, GOOD], 5, False),
    ],
)
def test_a_second_failure_goes_on_until_it_tells_how_many_are_wrong(past, checks, goes_on) -> None:
    assert tells_too_little(past, checks, POOL, TOLERANCE, DELTA) is goes_on


def test_two_failures_with_errors_that_do_not_fall_are_out_of_reach() -> None:
    last = Round(150, 30, 15)
    found = out_of_reach([BAD, last], POOL, 800, TOLERANCE, DELTA)
    assert found is not None
    assert (found.checks, found.wrong) == (30, 15)
    assert found.estimate == pytest.approx(0.5 * 0.8)
    assert TOLERANCE < found.lower_bound < found.estimate


def test_nothing_is_out_of_reach_that_the_few_unanswered_do_not_reach() -> None:
    past = [BAD, Round(150, 30, 15)]
    assert out_of_reach(past, POOL, 101, TOLERANCE, DELTA) is not None
    assert out_of_reach(past, POOL, 100, TOLERANCE, DELTA) is None


@pytest.mark.parametrize(
    "past",
    [
        [],
        [BAD],
        [GOOD, Round(150, 30, 15)],
        # Errors that fall as fast as this come to the goal before half of the pool is answered.
        [Round(40, 10, 9), Round(100, 30, 9)],
    ],
)
def test_one_failure_or_errors_that_fall_fast_are_not(past) -> None:
    assert out_of_reach(past, POOL, 800, TOLERANCE, DELTA) is None


def test_two_audits_of_the_same_answers_say_nothing_about_how_errors_fall() -> None:
    """As where the first check is skipped, and another audit begins at once."""
    past = [Round(30, 40, 30), Round(30, 40, 30)]
    level = [Round(30, 40, 30), Round(45, 40, 30)]
    found, other = (out_of_reach(one, 2000, 1900, 0.05, 0.05) for one in (past, level))
    assert found is not None
    assert other is not None
    assert found.estimate == other.estimate
