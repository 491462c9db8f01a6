"""The figures that are shown: what was checked, and beside it what may be expected."""

from __future__ import annotations

from aluma.app.evidence import Evidence
from aluma.app.shapes import Figures
from aluma.promises.certificate import Certificate

#: What a bound may fail with, unless a session was begun otherwise.
DELTA = 0.05


def figures(
    checked: Evidence, judged: Certificate | None, *, exceptions: int, size: int
) -> Figures:
    """Return the figures of a moment; ``judged`` may be some answers behind.

    Before both answers were given nothing is expected: any boundary at all fits them. What checks
    have found does not go away because the answers since fit a boundary.
    """
    known = judged if checked.both_seen else None
    prior = judged is not None and judged.basis == "prior"
    unanswered = max(size - checked.answers - exceptions, 0) / size
    expected = _expected(known, checked.answers, exceptions, unanswered)
    by_checks = checked.by_checks * unanswered
    if expected is not None:
        expected = max(expected, by_checks)
    return Figures(
        answers=checked.answers,
        basis="audit" if checked.audited else "prior",
        checks=checked.checks,
        wrong_found=checked.wrong,
        skipped_checks=checked.skipped,
        error_bound=judged.credible_bound if prior and judged else checked.bound,
        estimate=checked.estimate,
        remaining=checked.remaining,
        remaining_at_rate=checked.at_rate,
        judged=0 if judged is None else judged.asked,
        determined=checked.answers if known is None else known.determined,
        expected_error=expected,
        expected_by="checks" if expected and expected == by_checks else "boundary",
        credible_bound=None if known is None else known.credible_bound,
        delta=DELTA if judged is None else judged.delta,
    )


def _expected(
    judged: Certificate | None, answers: int, exceptions: int, unanswered: float
) -> float | None:
    """Return the expected share of wrong labels.

    An answer that was kept without being learnt from is a mistake that was found. As often as among
    the answers, such mistakes are to be expected among the labels that nobody has answered.
    """
    if judged is None:
        return None
    rate = exceptions / max(answers + exceptions, 1)
    return min(judged.expected_error + rate * unanswered, 1.0)
