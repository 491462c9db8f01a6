"""One run of a learner that checks its labels, to its end, and what was spent on it."""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

import numpy as np

from aluma.arrays import Floats
from aluma.learners.learner import Learner
from aluma.promises import audited, checking
from aluma.running import Answers

#: Answers after which a run that has not ended is left: half of the pool, but at least and at most
#: so many. A small pool is labelled to its end, since checks alone take half of it.
FEWEST_ANSWERS, MOST_ANSWERS = 200, 1000

#: How a run ended. "capped": it was left; "stuck": float64 could not settle an answer.
Ending: TypeAlias = Literal["finished", "out of reach", "capped", "stuck"]


@dataclass(frozen=True)
class Ended:
    """What became of a run.

    Attributes
    ----------
    ending : how it ended
    learning : labels that were learnt from at once
    failed_checks : labels spent on audits that were given up
    checks : labels spent on the audit that was passed, or went on at the end
    rounds : audits that were given up
    wrong : share of the pool that was labelled wrong then
    bound : what the certificate said it would be at most
    """

    ending: Ending
    learning: int
    failed_checks: int
    checks: int
    rounds: int
    wrong: float
    bound: float

    @property
    def labels(self) -> int:
        """All labels that were spent."""
        return self.learning + self.failed_checks + self.checks

    def as_record(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def most_answers(pool: int) -> int:
    """Return after how many answers a run on a pool of that size is left."""
    return min(pool, MOST_ANSWERS, max(pool // 2, FEWEST_ANSWERS))


def policy_version() -> str:
    """Return a digest of the code that decides when labels are checked: part of what runs are of.

    So runs that were kept under another policy are not taken for runs under this one.
    """
    code = "".join(inspect.getsource(module) for module in (audited, checking))
    return blake2b(code.encode(), digest_size=4).hexdigest()


def to_its_end(learner: Learner, y: Floats) -> Ended:
    """Answer a learner by the pool's labels until it has finished or its goal is out of reach."""
    budget = most_answers(len(y)) - learner.n_answers
    if budget <= 0:
        return seen(learner, y, standing(learner))
    with Answers(learner, y, budget) as answers:
        for _ in answers:
            pass
    return seen(learner, y, "stuck" if answers.trouble is not None else standing(learner))


def standing(learner: Learner) -> Ending:
    """Return how a run has ended if no more is asked."""
    if learner.finished:
        return "finished"
    return "capped" if learner.out_of_reach is None else "out of reach"


def seen(learner: Learner, y: Floats, ending: Ending) -> Ended:
    """Return what a run amounts to as it stands."""
    given_up = checking.rounds(learner.history)
    learning = sum(1 for event in learner.history if event.sign and not event.check)
    failed = sum(one.checks for one in given_up)
    return Ended(
        ending=ending,
        learning=learning,
        failed_checks=failed,
        checks=learner.n_answers - learning - failed,
        rounds=len(given_up),
        wrong=share_wrong(learner, y),
        bound=float(learner.certificate(proof_seconds=0.0).error_bound),
    )


def share_wrong(learner: Learner, y: Floats) -> float:
    """Return the share of the pool that is labelled wrong; before both classes were told, all."""
    told = {event.sign for event in learner.history if event.sign}
    if len(told) < 2 and learner.audit is None:
        return 1.0
    return float(np.mean(learner.predict() != y))
