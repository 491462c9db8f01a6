"""When to check a learner's labels, when to give a check up, and when the goal is out of reach.

Nothing here bears on whether what an audit says is true, only on how many labels are spent until
one is passed: see docs/certificate.md, and :mod:`aluma.lab.bench.checking_policy` to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, log, pi

from aluma.promises.wrong_counts import UniformChecks
from aluma.spaces.history import Event

#: Answers, of both classes, before labels are checked for the first time: at least and at most.
FEWEST, LATEST = 30, 128
#: ... and, in small pools, after this share of them.
LATEST_SHARE = 0.16
#: Answers of one class only after which "all are of that class" is checked.
ALL_THE_SAME = 30
#: After a failed check the next begins, whatever is expected, when answers are so many times more.
GROWTH = 1.5
#: A check is given up when passing it would take so many times the checks that a new one does.
FUTILE = 2.0
#: ... unless so many times tolerance were wrong so far: a few checks more then show that too many
#: were, which says more than that it was given up.
CLEARLY = 2.0
#: After a check that failed, the next one that fails goes on to so many labels, because it may show
#: that the goal is out of reach: fewer hardly tell how many are wrong, and a check that ends as
#: soon as it has failed shows too much.
TELLING = 30


@dataclass(frozen=True)
class Round:
    """An audit of a learner's labels that has ended without being passed.

    Attributes
    ----------
    answers : that had been learnt from when it began
    checks : labels that it checked
    wrong : how many of them were wrong, or skipped
    skipped : how many of these were skipped
    aside : examples that had been skipped when it began: it drew them too, and asked nobody
    """

    answers: int
    checks: int
    wrong: int
    skipped: int = 0
    aside: int = 0

    @property
    def rate(self) -> float:
        """The share found wrong, moderated by half a check either way."""
        return (self.wrong + 0.5) / (self.checks + 1.0)

    def least_share(self, pool: int, delta: float) -> float:
        """Return the share of the pool that was wrong at least, with probability 1 - delta.

        When the audit began, that is: what it found and put right is counted. Of what had been
        skipped nothing is known, so it is left out.
        """
        among = UniformChecks(pool - self.answers - self.aside, 0, delta)
        return among.least(self.checks, self.wrong) / pool


def rounds(events: Sequence[Event]) -> list[Round]:
    """Return the audits of a history that have ended, in order."""
    found: list[Round] = []
    answers = checks = wrong = skipped = aside = 0
    for event in events:
        if event.said:
            checks, wrong = checks + 1, wrong + (event.sign != event.said)
            skipped += not event.sign
        if event.check == 2:
            found.append(Round(answers, checks, wrong, skipped, aside))
        if event.check != 1:
            # From here on what was checked is learnt from.
            answers, aside = answers + checks - skipped, aside + skipped
            checks = wrong = skipped = 0
        if not event.check:
            answers, aside = answers + (event.sign != 0), aside + (event.sign == 0)
    return found


def share_of_delta(delta: float, number: int) -> float:
    """Return what the audit of that number, from 1, may fail with: all shares add up to delta."""
    return 6.0 * delta / (pi * number) ** 2


def checks_needed(error: float, tolerance: float, delta: float) -> float:
    """Return about how many checks it takes to pass if that share of the labels is wrong.

    ln(1 / delta) over what one check tells, on average, between the two shares.
    """
    if error >= tolerance:
        return inf
    told = (1.0 - error) * log((1.0 - error) / (1.0 - tolerance))
    if error > 0.0:
        told += error * log(error / tolerance)
    return log(1.0 / delta) / told


def worth_checking(answers: int, error: float, tolerance: float, delta: float) -> bool:
    """Say whether one more answer would save less than one check, if errors fall as 1 / answers."""
    now = checks_needed(error, tolerance, delta)
    after_one_more = checks_needed(error * answers / (answers + 1), tolerance, delta)
    return now < inf and now - after_one_more <= 1.0


def latest_start(past: Sequence[Round], pool: int) -> float:
    """Return the number of answers after which labels are checked, whatever is expected."""
    if past:
        return GROWTH * past[-1].answers
    return max(FEWEST, min(LATEST, LATEST_SHARE * pool))


def begins_by(past: Sequence[Round], pool: int) -> int:
    """Return the number of answers, of both classes, after which labels are checked at the latest.

    After a check that failed there are some to be learnt from in any case.
    """
    again = past[-1].answers + past[-1].checks + FEWEST if past else 0
    return ceil(max(latest_start(past, pool), again))


def tells_too_little(
    past: Sequence[Round], checks: int, pool: int, tolerance: float, delta: float
) -> bool:
    """Say whether an audit that has failed goes on, after so many checks: see TELLING."""
    if not past or checks >= TELLING:
        return False
    return past[-1].least_share(pool, share_of_delta(delta, len(past))) > tolerance


def is_time_to_look(answers: int) -> bool:
    """Say whether expectations are looked at after so many answers: ever more seldom."""
    return answers % max(1, answers // 8) == 0


@dataclass(frozen=True)
class Verdict:
    """That tolerance cannot be reached, as two audits showed; the figures are of the last.

    Attributes
    ----------
    estimate : share of the labels that is wrong now, if as many of the unanswered are as it found
    lower_bound : share that was wrong at least when it began
    checks, wrong : labels that it checked, and how many of those were wrong, or skipped
    skipped : how many were skipped
    """

    estimate: float
    lower_bound: float
    checks: int
    wrong: int
    skipped: int = 0


def out_of_reach(
    past: Sequence[Round], pool: int, unanswered: int, tolerance: float, delta: float
) -> Verdict | None:
    """Return that tolerance cannot be reached, or None while it may.

    So it is if the last two audits each showed that more than tolerance was wrong when they began,
    the later one with half as many answers again at least, and if errors go on falling as they did
    between the two, tolerance is not reached before half of the pool is answered. It is in reach
    again when so few are left unanswered that no more are likely to be wrong.
    """
    if len(past) < 2:
        return None
    before, last = past[-2:]
    least = [
        one.least_share(pool, share_of_delta(delta, number))
        for number, one in enumerate(past[-2:], start=len(past) - 1)
    ]
    if min(least) <= tolerance:
        return None
    # Two checks of the same answers say nothing about how errors fall.
    learnt = log(last.answers / before.answers) if last.answers > before.answers > 0 else 0.0
    fall = log(before.rate / last.rate) / learnt if learnt else 0.0
    if fall > 0.0 and last.answers * (last.rate / tolerance) ** (1.0 / fall) <= pool / 2:
        return None
    estimate = last.wrong / last.checks * unanswered / pool
    if estimate <= tolerance:
        return None
    return Verdict(estimate, least[1], last.checks, last.wrong, last.skipped)
