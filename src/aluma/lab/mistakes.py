"""A learner that is answered by known labels, and what it labels wrong after every answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from aluma.arrays import Bools, Floats
from aluma.learners.learner import Learner
from aluma.running import Answers

#: Told after every answer: how many there are, and what share of the pool is labelled wrong.
OnAnswer: TypeAlias = Callable[[int, float], None]
#: Mistakes in a large pool are counted when the logarithm of the answers has grown by this.
STEP = 0.05


@dataclass(frozen=True)
class Marked:
    """Answers to the end of a run, and what was labelled wrong on the way.

    Attributes
    ----------
    answers : how the run ended
    indices : the examples asked about, in order
    errors : share of the pool labelled wrong after each answer; of a large pool it is counted now
        and then, and as it was last counted in between
    share : votes for the second class at the end
    """

    answers: Answers
    indices: tuple[int, ...]
    errors: Floats
    share: Floats


def _counted_now_and_then(learner: Learner, positive: Bools, before: list[float]) -> float:
    """Return what is labelled wrong, counted when there is a twentieth more answers than last."""
    n = len(before) + 1
    if before and int(np.log(n) / STEP) == int(np.log(n - 1) / STEP):
        return before[-1]
    return float(np.mean((learner.predict() == learner.classes_[1]) != positive))


def marked(
    learner: Learner,
    positive: Bools,
    budget: int,
    *,
    stop_when_finished: bool,
    until: float | None = None,
    on_answer: OnAnswer | None = None,
) -> Marked:
    """Answer a learner's questions with known labels, and count its mistakes.

    Parameters
    ----------
    learner : a learner that knows its classes and has no answers yet
    positive : the known labels, True for the second class
    budget : answers at most
    stop_when_finished : whether the run ends when the learner says so
    until : share of the pool labelled wrong at which it ends, too
    on_answer : told about every answer
    """
    indices: list[int] = []
    errors: list[float] = []
    share = np.empty(0) if learner.pool.is_large else learner.predict_proba()[:, 1]
    answers = Answers(
        learner,
        lambda index: learner.classes_[int(positive[index])],
        budget,
        stop_when_finished=stop_when_finished,
        catch_interrupt=True,
    )
    with answers:
        for answer in answers.taken():
            if answers.ended is not None:
                break
            indices.append(answer.index)
            if learner.pool.is_large:
                errors.append(_counted_now_and_then(learner, positive, errors))
            else:
                share = learner.predict_proba()[:, 1]
                errors.append(float(np.mean((share >= 0.5) != positive)))
            if on_answer is not None:
                on_answer(len(errors), errors[-1])
            if until is not None and errors[-1] <= until:
                break
    if learner.pool.is_large:
        share = learner.predict_proba()[:, 1]
    return Marked(answers, tuple(indices[: len(errors)]), np.array(errors), share)
