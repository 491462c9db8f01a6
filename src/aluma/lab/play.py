"""Let a learner ask for labels that are known, and measure it on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from aluma.arrays import Bools, Floats
from aluma.lab.problem import CLASSES, Problem
from aluma.learners.learner import Learner
from aluma.running import Answers, OnConflict
from aluma.spaces.version_space import VersionSpace

#: Every count of labels up to the first is measured; further on, counts grow by the second.
MEASURE_ALL_UP_TO, GROWTH = 20, 1.12
#: Multiples of this are measured, too: learners are compared there, pair by pair.
ROUND = 50


def checkpoints(budget: int, every: int = MEASURE_ALL_UP_TO, growth: float = GROWTH) -> list[int]:
    """Return the counts of labels after which errors are measured, the last of them the budget.

    Each count beyond ``every`` is at most a factor ``growth`` from the next, which is how exactly
    the labels needed for some error are known; and multiples of :data:`ROUND` are among them.
    """
    counts = list(range(1, min(every, budget) + 1))
    while counts[-1] < budget:
        counts.append(min(budget, max(counts[-1] + 1, int(counts[-1] * growth))))
    return sorted({*counts, *range(ROUND, budget + 1, ROUND)})


def within(marks: Sequence[int], budget: int) -> list[int]:
    """Return the marks below a smaller budget, and that budget."""
    last = min(budget, marks[-1])
    return [*(mark for mark in marks if mark < last), last]


#: What a run came to: plain numbers, see :func:`play`.
Result: TypeAlias = dict[str, Any]

#: Answers that contradicted the others, by example: whether the teacher said the second class. The
#: learner does not know them, but whoever asked does.
Known: TypeAlias = Mapping[int, bool]

#: Measures a learner on the way: a name for every number.
Measure: TypeAlias = Callable[[Learner, Problem, Known], dict[str, float]]


def errors(learner: Learner, problem: Problem, known: Known) -> dict[str, float]:
    """Return the learner's errors on the pool and, if there is one, on the test set.

    ``train`` is the share of the pool that would be handed over with a wrong label: answers count
    as known. ``train_random`` is the expected share if one hypothesis drawn at random labelled the
    pool instead of the majority. ``test`` and ``test_random`` are the same for the test set.
    """
    share = learner.predict_proba()[:, 1]
    for index, positive in known.items():
        share[index] = float(positive)
    truth = problem.positive
    if problem.judged is not None:
        share, truth = share[problem.judged], truth[problem.judged]
    found = _wrong("train", share, truth)
    if problem.positive_test is not None:
        votes = learner.predict_proba(problem.X_test)[:, 1]
        found |= _wrong("test", votes, problem.positive_test)
    return found


def _wrong(name: str, share: Floats, truth: Bools) -> dict[str, float]:
    return {
        name: float(np.mean((share >= 0.5) != truth)),
        f"{name}_random": round(float(np.mean(np.abs(share - truth))), 12),
    }


def play(
    learner: Learner,
    problem: Problem,
    counts: Sequence[int],
    *,
    on_conflict: OnConflict = "skip",
    until_right: bool = False,
    ask_on: bool = False,
    prove: bool = False,
    measure: Measure = errors,
) -> Result:
    """Answer a learner's questions and measure it after each of ``counts`` answers.

    Parameters
    ----------
    learner : without answers, for the pool of ``problem``, with the labels -1 and +1
    counts : ascending; the last is the budget
    on_conflict : "skip": an answer that contradicts the others is paid for and kept as the label of
        its example, but the learner goes on without it. "stop": the run ends.
    until_right : stop as soon as the training error is seen to be 0
    ask_on : with ``until_right``, do not stop then, but stop measuring: the learner is answered
        until it asks no more, which is faster than measuring it all the while
    prove : find out afterwards how many of the answers already determined every label
    measure : what is measured

    Returns
    -------
    dict
        ``labels``, the counts that were reached, and a list for every name that ``measure``
        returns; ``asked``, the examples in order; ``conflicts``, how many answers were skipped;
        ``ended``: "budget", "right", "exhausted" (nothing was left that the learner would ask, so
        the last error is final) or "conflict"; with ``prove``, ``certain``, the number of answers
        after which no consistent halfspace labels the pool differently.
    """
    curves: dict[str, list[Any]] = {"labels": []}
    asked: list[int] = []
    known: dict[int, bool] = {}

    def look() -> None:
        curves["labels"].append(len(asked))
        for name, value in measure(learner, problem, known).items():
            curves.setdefault(name, []).append(value)

    answers = Answers(
        learner, problem.answer, counts[-1], on_conflict=on_conflict, stop_when_finished=False
    )
    wanted, right = set(counts), False
    for answer in answers:
        asked.append(answer.index)
        if answer.refused is not None:
            known[answer.index] = answer.label == CLASSES[1]
        if answer.count in wanted and answers.ended is None and not right:
            look()
            right = until_right and curves["train"][-1] == 0
        if right and not ask_on:
            break
    if curves["labels"][-1:] != [len(asked)]:
        look()
    ended = "right" if right and not ask_on else "conflict" if answers.trouble else answers.ended
    result = {**curves, "asked": asked, "conflicts": len(known), "ended": ended}
    return {**result, "certain": certain_after(problem, asked)} if prove else result


def certain_after(problem: Problem, asked: list[int]) -> int | None:
    """Return how many of some answers determine all labels that count, or None if all do not.

    More answers never determine less, so the number is found by bisection.
    """
    X = np.asarray(problem.X, dtype=np.float64)
    judged = X if problem.judged is None else X[problem.judged]
    signs = np.where(problem.positive, 1, -1)

    def determined(n: int) -> bool:
        space = VersionSpace(X.shape[1])
        space.add(X[asked[:n]], signs[asked[:n]])
        return bool(space.determined(judged).all())

    if not determined(len(asked)):
        return None
    low, high = 0, len(asked)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if determined(middle) else (middle + 1, high)
    return low
