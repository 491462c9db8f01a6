"""The figures that are shown: what was checked, and beside it what may be expected."""

from __future__ import annotations

from collections.abc import Collection

from aluma.app.evidence import Evidence
from aluma.app.shapes import Figures
from aluma.promises.certificate import Certificate

#: What a bound may fail with, unless a session was begun otherwise.
DELTA = 0.05


def figures(
    checked: Evidence, judged: Certificate | None, *, exceptions: Collection[int], size: int
) -> Figures:
    """Return the figures of a moment; ``judged`` may be some answers behind.

    Before both answers were given nothing is expected: any boundary at all fits them. What checks
    have found does not go away because the answers since fit a boundary. ``exceptions`` are answers
    that were kept without being learnt from: a learner knows such an example as skipped, but it has
    been put right.
    """
    known = judged if checked.both_seen else None
    prior = judged is not None and judged.basis == "prior"
    aside = len(exceptions)
    unanswered = max(size - checked.answers - aside, 0) / size
    expected = _expected(known, checked.answers, aside, unanswered)
    by_checks = checked.by_checks * unanswered
    if checked.out_of_reach is not None:
        # What a boundary would make likely says nothing where checks showed that none fits.
        expected = by_checks
    elif expected is not None:
        expected = max(expected, by_checks)
    return Figures(
        answers=checked.answers,
        basis="audit" if checked.audited else "prior",
        checks=checked.checks,
        wrong_found=checked.wrong,
        skipped_checks=sum(example not in exceptions for example in checked.skipped),
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
