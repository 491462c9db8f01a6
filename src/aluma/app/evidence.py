"""What random checks show about the labels of a learner at one moment.

It costs little while checks go on, because the labels that are checked stay what they are; so it is
worked out with the next question, and seen with the receipt of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from aluma.errors import OutOfReach
from aluma.learners.learner import Learner, Phase
from aluma.promises.audit import Audit
from aluma.promises.checking import Round, rounds
from aluma.spaces.history import Event


@dataclass(frozen=True)
class Evidence:
    """What has been checked, and what follows from it whatever the data are.

    Attributes
    ----------
    answers : told so far, checks included
    phase : what the next question is for; a learner that checks nothing is never "finished"
    audited : whether labels are checked at random at all
    checks, wrong : labels checked in the audit that goes on or was passed, and how many of them
        were wrong, or skipped
    skipped : the examples among these that were skipped
    bound : share of the labels that is wrong at most
    estimate : share that is wrong as far as the checks tell; None before the first
    remaining, at_rate : checks to the goal if all are right, and if as many are wrong as so far;
        None while nothing is checked, and ``at_rate`` if the goal is not reached that way
    past : audits that ended without being passed
    skipped_before : for each of those the examples that were skipped
    out_of_reach : why the goal cannot be reached, or None
    drawn : the example that was drawn to be checked next, or None
    both_seen : whether two different answers have been given
    by_checks : share of the unanswered that is wrong, going by the last audit that was not passed,
        if errors fall as fast as answers grow; where the goal is out of reach, as it was found; 0
        if there was none
    """

    answers: int
    phase: Phase
    audited: bool
    checks: int
    wrong: int
    skipped: tuple[int, ...]
    bound: float
    estimate: float | None
    remaining: int | None
    at_rate: int | None
    past: tuple[Round, ...]
    skipped_before: tuple[tuple[int, ...], ...]
    out_of_reach: OutOfReach | None
    drawn: int | None
    both_seen: bool
    by_checks: float


def evidence(learner: Learner) -> Evidence:
    """Return what the checks of a learner show now."""
    audited, audit = learner.parts.promise.audits, learner.audit
    finished = audited and learner.finished
    past, out_of_reach = tuple(rounds(learner.history)), learner.out_of_reach
    return Evidence(
        answers=learner.n_answers,
        phase="finished" if finished else "learning" if audit is None else "checking",
        audited=audited,
        checks=0 if audit is None else audit.asked,
        wrong=0 if audit is None else len(audit.wrong),
        skipped=() if audit is None else _skipped(audit),
        bound=learner.error_bound if audited else 1.0,
        estimate=None if audit is None or isnan(audit.estimate) else audit.estimate,
        remaining=None if audit is None else audit.remaining,
        at_rate=None if audit is None else _at_rate(audit),
        past=past,
        skipped_before=_skipped_before(learner.history),
        out_of_reach=out_of_reach,
        drawn=None if audit is None or not audit.left else audit.ask(),
        both_seen=len({event.sign for event in learner.history if event.sign}) >= 2,
        by_checks=_by_checks(past, out_of_reach, learner.n_answers),
    )


def _by_checks(past: Sequence[Round], out_of_reach: OutOfReach | None, answers: int) -> float:
    if out_of_reach is not None:
        return out_of_reach.wrong / out_of_reach.checks
    return past[-1].rate * past[-1].answers / answers if past else 0.0


def _at_rate(audit: Audit) -> int | None:
    """Return how many checks are to come at this rate, or None if no number of them is enough."""
    more = audit.remaining_at_this_rate
    return None if len(audit.wrong) and not audit.passed and more >= audit.left else more


def _skipped(audit: Audit) -> tuple[int, ...]:
    answers = zip(audit.checked.tolist(), audit.answers, strict=True)
    return tuple(example for example, sign in answers if sign == 0)


def _skipped_before(events: Sequence[Event]) -> tuple[tuple[int, ...], ...]:
    """Return the examples that were skipped in each audit that ended without being passed."""
    ended: list[tuple[int, ...]] = []
    skipped: tuple[int, ...] = ()
    for event in events:
        if event.said and not event.sign:
            skipped += (event.index,)
        if event.check == 2:
            ended.append(skipped)
        if event.check != 1:
            skipped = ()
    return tuple(ended)


def checked_words(learner: Learner) -> dict[int, str]:
    """Return how the checks of the audit that goes on or was passed came out, by example.

    An answer that is kept without being learnt from was a mistake found; whoever knows of it puts
    the label right.
    """
    audit = learner.audit
    if audit is None:
        return {}
    wrong = set(audit.wrong.tolist())
    signs = zip(audit.checked.tolist(), audit.answers, strict=True)
    return {
        example: "skipped" if sign == 0 else "wrong, put right" if example in wrong else "right"
        for example, sign in signs
    }
