"""Let a learner ask for labels that are known, and measure it on the way."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from aluma.arrays import Bools, Floats
from aluma.errors import Conflict, Exhausted, Undecided
from aluma.lab.experiments.problem import CLASSES, Problem
from aluma.learners.learner import Learner
from aluma.spaces.version_space import VersionSpace

#: What becomes of an answer that contradicts the others, or leaves too little to explore. "skip":
#: it is paid for and kept as the label of its example, but the learner goes on without it. "stop":
#: the run ends.
OnConflict: TypeAlias = Literal["skip", "stop"]

#: Every count of labels up to here is measured; further on, counts grow by this factor.
EVERY, GROWTH = 20, 1.12
#: Multiples of this are measured, too: learners are compared there, pair by pair.
ROUND = 50


def checkpoints(budget: int, every: int = EVERY, growth: float = GROWTH) -> list[int]:
    """Return the counts of labels after which errors are measured, the last of them the budget.

    Each count beyond ``every`` is at most a factor ``growth`` from the next, which is how exactly
    the labels needed for some error are known; and multiples of :data:`ROUND` are among them.
    """
    counts = list(range(1, min(every, budget) + 1))
    while counts[-1] < budget:
        counts.append(min(budget, max(counts[-1] + 1, int(counts[-1] * growth))))
    return sorted({*counts, *range(ROUND, budget + 1, ROUND)})


class Measured:
    """Errors along a run, as lists of plain numbers.

    ``train`` is the share of the pool that would be handed over with a wrong label: answers count
    as known. ``train_random`` is the expected share if one hypothesis drawn at random labelled the
    pool instead of the majority. ``test`` and ``test_random`` are the same for the test set.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.known: dict[int, bool] = {}
        self.curves: dict[str, list[float]] = {"labels": [], "train": [], "train_random": []}
        if problem.positive_test is not None:
            self.curves |= {"test": [], "test_random": []}

    def look(self, learner: Learner, spent: int) -> None:
        """Measure a learner after some answers."""
        share = learner.predict_proba()[:, 1]
        for index, positive in self.known.items():
            share[index] = float(positive)
        judged = self.problem.judged
        truth = self.problem.positive
        if judged is not None:
            share, truth = share[judged], truth[judged]
        self.curves["labels"].append(spent)
        self._add("train", share, truth)
        if self.problem.positive_test is not None:
            votes = learner.predict_proba(self.problem.X_test)[:, 1]
            self._add("test", votes, self.problem.positive_test)

    def _add(self, name: str, share: Floats, truth: Bools) -> None:
        self.curves[name].append(float(np.mean((share >= 0.5) != truth)))
        self.curves[f"{name}_random"].append(round(float(np.mean(np.abs(share - truth))), 12))


def play(
    learner: Learner,
    problem: Problem,
    counts: list[int],
    *,
    on_conflict: OnConflict = "skip",
    until_right: bool = False,
    prove: bool = False,
) -> dict[str, Any]:
    """Answer a learner's questions and measure it after each of ``counts`` answers.

    Parameters
    ----------
    learner : without answers, for the pool of ``problem``, with the labels -1 and +1
    counts : ascending; the last is the budget
    on_conflict : what becomes of an answer that contradicts the others
    until_right : stop as soon as the training error is seen to be 0
    prove : find out afterwards how many of the answers already determined every label

    Returns
    -------
    dict
        The curves of :class:`Measured`; ``asked``, the examples in order; ``conflicts``, how many
        answers were skipped; ``ended``: "budget", "right", "exhausted" (nothing was left that the
        learner would ask, so the last error is final) or "conflict"; with ``prove``, ``certain``,
        the number of answers after which no consistent halfspace labels the pool differently.
    """
    measured = Measured(problem)
    wanted, ended = set(counts), "budget"
    asked: list[int] = []
    while len(asked) < counts[-1]:
        try:
            index = learner.ask()
        except Exhausted:
            ended = "exhausted"
            break
        positive = bool(problem.positive[index])
        asked.append(index)
        try:
            learner.tell(index, CLASSES[positive])
        except (Conflict, Undecided):
            measured.known[index] = positive
            if on_conflict == "stop":
                ended = "conflict"
                break
            learner.skip(index)
        if len(asked) in wanted:
            measured.look(learner, len(asked))
            if until_right and measured.curves["train"][-1] == 0:
                ended = "right"
                break
    if measured.curves["labels"][-1:] != [len(asked)]:
        measured.look(learner, len(asked))
    result = {**measured.curves, "asked": asked, "conflicts": len(measured.known), "ended": ended}
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
