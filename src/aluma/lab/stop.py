"""How a learner stops that does not see the known labels: by checks of its own.

The other runs of a comparison end where the known labels say so. This one learns, has its labels
checked at random, and ends when they pass, when it says that they cannot, or with the budget.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aluma.arrays import Bools, Floats
from aluma.errors import OutOfReach
from aluma.lab.mistakes import OnAnswer, marked
from aluma.learners.learner import Learner
from aluma.learners.registry import strategy
from aluma.learners.settings import accepted, taken
from aluma.promises.certificate import Certificate
from aluma.running import Ended
from aluma.spaces.history import Event

#: Share of the labels that may be wrong: the default of learners that check theirs.
TOLERANCE = 0.05


@dataclass(frozen=True)
class Stretch:
    """Answers in a row that were for one purpose.

    Attributes
    ----------
    first, last : which answers, counted from 1
    checking : whether they checked labels; else they were learnt from at once
    wrong : how many labels the checks found wrong
    passed : whether these are the checks that the labels have passed
    """

    first: int
    last: int
    checking: bool
    wrong: int = 0
    passed: bool = False

    @property
    def answers(self) -> int:
        """How many answers these are."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class Stop:
    """A run to the learner's own end.

    Attributes
    ----------
    strategy, seed, labelled_by : which learner it was, and what labelled what it did not ask about
    indices : the examples that it asked about, in order
    stretches : what the answers were for
    errors : share of the pool labelled wrong after 1, 2, ... answers, which the learner cannot see
    positive, share : the labels at the end, and the share of the votes for each
    certificate : what is promised at the end
    out_of_reach : why tolerance cannot be reached, or None
    ended : why the run has ended
    """

    strategy: str
    seed: int
    labelled_by: str
    indices: tuple[int, ...]
    stretches: tuple[Stretch, ...]
    errors: Floats
    positive: Bools
    share: Floats
    certificate: Certificate
    out_of_reach: OutOfReach | None
    ended: Ended | None

    @property
    def passed(self) -> bool:
        """Whether the learner has finished: its labels have passed their checks."""
        return self.ended == "finished"

    def spent(self, *, checking: bool) -> int:
        """Return the answers that checked labels, or those that were learnt from at once."""
        return sum(one.answers for one in self.stretches if one.checking == checking)


def audited_learner(
    name: str,
    X: Any,
    classes: Sequence[Hashable],
    seed: int,
    *,
    slack: float | str = 0.0,
    margin: float | None = None,
) -> Learner | None:
    """Return the learner of that name as users get it, or None if it checks no labels.

    A slack of 0, which is what comparisons use, is "auto" here: that is the default.
    """
    kind = strategy(name)
    if "promise" not in accepted(kind):
        return None
    offered: dict[str, Any] = {
        "promise": "audited", "tolerance": TOLERANCE, "random_state": seed,
        "slack": slack or "auto", "margin": margin,
    }  # fmt: skip
    if "svm" in getattr(kind, "RULES", ()):
        offered["predict_with"] = "svm"
    return kind(X, classes=classes, **taken(kind, offered))


def to_its_stop(
    learner: Learner,
    positive: Bools,
    budget: int,
    on_answer: OnAnswer | None,
    name: str,
    seed: int,
) -> Stop:
    """Answer a learner's questions with known labels until it ends, and count its mistakes.

    Parameters
    ----------
    learner : with an audited promise, no answers yet, and its classes
    positive : the known labels, True for the second class
    budget : answers at most
    on_answer : told about every answer: how many there are, and what share is labelled wrong
    name, seed : of the learner
    """
    run = marked(learner, positive, budget, stop_when_finished=True, on_answer=on_answer)
    finished = learner.finished
    return Stop(
        strategy=name,
        seed=seed,
        labelled_by=learner.labelled_by,
        indices=run.indices,
        stretches=stretches(learner.history[: len(run.errors)], passed=finished),
        errors=run.errors,
        positive=run.share >= 0.5,
        share=np.maximum(run.share, 1.0 - run.share),
        certificate=learner.certificate(proof_seconds=0.0),
        out_of_reach=None if finished else learner.out_of_reach,
        ended="finished" if finished else run.answers.ended,
    )


def stretches(events: Sequence[Event], *, passed: bool) -> tuple[Stretch, ...]:
    """Return what some answers were for; the checks of every audit are a stretch of their own."""
    found: list[Stretch] = []
    begins, wrong = 0, 0
    for place, event in enumerate(events):
        wrong += bool(event.said) and event.sign != event.said
        following = events[place + 1] if place + 1 < len(events) else None
        if following is None or event.check == 2 or bool(following.check) != bool(event.check):
            checking = bool(event.check)
            is_last = following is None and passed and checking
            found.append(Stretch(begins + 1, place + 1, checking, wrong, is_last))
            begins, wrong = place + 1, 0
    return tuple(found)
