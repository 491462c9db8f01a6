"""What an audit shows, in words: the same in the terminal, on the page and in what is exported.

No bound is rounded to something that was not shown: what is said to be at most some share is
rounded up, what is said to be at least some share is rounded down.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from math import ceil, floor, isnan

from aluma.promises.audit import Audit, sure

#: Digits after the point that a percentage has at most.
MOST_DIGITS = 6
#: A bound below this may be good enough for somebody whose labels have failed.
WORTH_SAYING = 0.5
#: A count divided by the number of labels and multiplied again is a whole number, up to this.
ROUNDING = 1e-9


def at_most(share: float, goal: float = 1.0) -> str:
    """Return a percentage that is not less, with digits enough to stay within the goal."""
    return _percentage(share, _up, lambda said: share <= goal < said)


def at_least(share: float, goal: float = 0.0) -> str:
    """Return a percentage that is not more, with digits enough to stay above the goal."""
    return _percentage(share, _down, lambda said: said <= goal < share)


def headline(audit: Audit) -> str:
    """Return the evidence in one line."""
    bound = at_most(audit.bound, audit.tolerance)
    if audit.asked:
        wrong = f"{len(audit.wrong):,} of {audit.asked:,} wrong"
        return f"Checked at random: {wrong}, so at most {bound} ({sure(audit.delta)})"
    if audit.passed:
        return f"Nothing has to be checked: at most {bound} can be wrong as it is"
    goal, checks = _goal(audit), _many(audit.remaining, "random check")
    would = f"{checks}, all right, would show that at most {goal} is wrong ({sure(audit.delta)})"
    return f"Nothing checked yet: {would}"


def came_out(wrong: int, skipped: int) -> str:
    """Return how checks came out: what was found wrong is put right, what was skipped is not.

    ``wrong`` counts the skipped ones too.
    """
    found = wrong - skipped
    said = f"{found:,} found wrong{' and put right' if found else ''}"
    if not skipped:
        return said
    return f"{said}, {skipped:,} skipped and counted as wrong"


def outlook(audit: Audit) -> str:
    """Return how far it is to the goal."""
    goal = _goal(audit)
    if audit.passed:
        return f"The goal of {goal} is reached."
    if audit.failed:
        return f"The goal was at most {goal}."
    checks = _many(audit.remaining, "more check" if audit.asked else "check")
    return f"{checks} to the goal of {goal}, if all find the label right."


def guess(audit: Audit) -> str:
    """Return the estimate, and that it is one; nothing before the first check."""
    if isnan(audit.estimate):
        return ""
    return f"Estimate, no promise: {100 * audit.estimate:.2g}% wrong."


def verdict(audit: Audit) -> str:
    """Return whether it has passed or failed, and how; nothing while that is open."""
    found = f"{len(audit.wrong):,} found wrong and put right" if len(audit.wrong) else "none wrong"
    course = f"{_many(audit.asked, 'check')}, {found}"
    if audit.passed:
        bound = at_most(audit.bound, audit.tolerance)
        return f"Passed: at most {bound} of the labels are wrong ({sure(audit.delta)}), {course}."
    if audit.failed:
        bound = at_least(audit.lower_bound, audit.tolerance)
        return f"Failed: at least {bound} of the labels are wrong ({sure(audit.delta)}), {course}."
    return ""


def ways_out(audit: Audit) -> str:
    """Return what can be done about labels that have failed."""
    way = (
        "Better labels or the full labelling are the way; more checks are not. Label again, with a "
        "better model or clearer rules, and check the new file."
    )
    if audit.bound >= WORTH_SAYING:
        return way
    bound = at_most(audit.bound)
    return f"{way} Or stop here, if at most {bound} will do: that is true whatever the goal was."


def statement(audit: Audit, name: str, on: date) -> str:
    """Return what can be said about the labels of a file, in one exact sentence with its date."""
    return f"{on.isoformat()}, {name}: {audit}"


def _percentage(
    share: float, rounded: Callable[[float], int], misleads: Callable[[float], bool]
) -> str:
    """Return a share with as few digits as do not mislead about it."""
    digits = 0 if share >= 0.1 else 1 if share >= 0.01 else 2
    while digits < MOST_DIGITS and misleads(_rounded(share, rounded, digits) / 100):
        digits += 1
    text = f"{_rounded(share, rounded, digits):.{digits}f}"
    return (text.rstrip("0").rstrip(".") if digits else text) + "%"


def _rounded(share: float, rounded: Callable[[float], int], digits: int) -> float:
    """Return a percentage with some digits after the point."""
    return rounded(share * 10.0 ** (digits + 2)) / 10.0**digits


def _goal(audit: Audit) -> str:
    return f"{100 * audit.tolerance:.10g}%"


def _up(value: float) -> int:
    return ceil(value - ROUNDING)


def _down(value: float) -> int:
    return floor(value + ROUNDING)


def _many(n: int, one: str) -> str:
    return f"{n:,} {one}{'' if n == 1 else 's'}"
