"""Algorithm 4 without its scikit-learn face: ask, complete the labels, fit halfspaces to them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from aluma.arrays import Floats, Ints
from aluma.errors import Conflict, OutOfReach, Undecided
from aluma.learners.learner import Learner
from aluma.pool import Pool

logger = logging.getLogger(__name__)

#: Rows of a pool that halfspaces are fitted to, at most, besides those that were asked about.
MOST_FITTED = 50_000


@dataclass
class Asked:
    """The questions asked, their answers as class numbers, and the first contradiction."""

    indices: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    conflict: tuple[int, ...] | None = None

    def note(self, found: Conflict | Undecided) -> None:
        """Keep the first contradiction."""
        if self.conflict is None:
            self.conflict = found.indices if isinstance(found, Conflict) else ()
            logger.warning("after %d answers: %s", len(self.indices), found)


def question(
    learners: Sequence[Learner],
    positives: Sequence[int | None],
    teacher: Callable[[int], int],
    budget: int,
) -> Asked:
    """Let the learners choose questions in turn and tell every answer to all of them.

    A learner decides whether examples are of its class in ``positives``, or, if that is None, tells
    all classes apart by itself.

    A learner that meets a contradiction is left out from then on. The answer that showed it was
    looked at, so it counts. One question goes to one learner and its answer to all, which is why
    this is not a loop of :class:`aluma.running.Answers`.
    """
    asked = Asked()
    pairs = list(zip(learners, positives, strict=True))
    while len(asked.indices) < budget and pairs:
        turn = len(asked.indices) % len(pairs)
        order = [learner for learner, _ in pairs[turn:] + pairs[:turn]]
        asking = next((learner for learner in order if not learner.finished), None)
        if asking is None:
            break
        try:
            index = int(asking.ask())
        except OutOfReach as why:
            logger.warning("after %d answers: %s", len(asked.indices), why)
            break
        asked.indices.append(index)
        asked.codes.append(teacher(index))
        for learner, positive in pairs.copy():
            try:
                code = asked.codes[-1]
                learner.tell(index, code if positive is None else code == positive)
            except (Conflict, Undecided) as found:
                asked.note(found)
                pairs.remove((learner, positive))
    return asked


def complete(
    learners: Sequence[Learner],
    positives: Sequence[int],
    X: Any,
    asked: Asked,
    bias: bool,
    C: float = 1.0,
) -> tuple[Ints, Floats]:
    """Return a class number for every example, and the halfspaces fitted to them.

    There is a halfspace for each class of ``positives``; the learners vote on those classes, one
    each, or a single one on all of them.

    Examples that were not asked about get the learners' vote. After a contradiction there is none:
    the halfspaces are then fitted to the answers alone, and decide the others. Of a pool with more
    than ``MOST_FITTED`` examples they are fitted to as many of them, and to those asked about.
    """
    answers, votes = np.array(asked.codes), _votes(learners, asked)
    if votes is not None:
        completed = codes_of(votes, 0.5)
        completed[asked.indices] = answers
        if isinstance(X, Pool):
            rows = np.union1d(X.spread_rows(min(MOST_FITTED, len(X))), asked.indices)
            rows = rows.astype(np.int64)
            return completed, halfspaces_of(X.rows(rows), completed[rows], positives, bias, C)
        return completed, halfspaces_of(X, completed, positives, bias, C)
    told = X.rows(asked.indices) if isinstance(X, Pool) else X[asked.indices]
    halfspaces = halfspaces_of(told, answers, positives, bias, C)
    completed = codes_of(values_of(X, halfspaces), 0.0)
    completed[asked.indices] = answers
    return completed, halfspaces


def _votes(learners: Sequence[Learner], asked: Asked) -> Floats | None:
    """Return the share of votes that each example has for each learner's class."""
    if asked.conflict is not None:
        return None
    try:
        votes = [learner.predict_proba() for learner in learners]
        if votes[0].shape[1] > 2:
            return votes[0]
        return np.stack([shares[:, 1] for shares in votes], axis=1)
    except Undecided as thin:
        # Learners that ask without a population draw it only now.
        asked.note(thin)
        return None


def codes_of(values: Floats, middle: float) -> Ints:
    """Return class numbers by the largest value; of two classes only the second has one."""
    if values.shape[1] == 1:
        return np.asarray(values[:, 0] >= middle, dtype=np.int64)
    return np.asarray(values.argmax(axis=1), dtype=np.int64)


def halfspaces_of(
    X: Any, codes: Ints, positives: Sequence[int], bias: bool, C: float = 1.0
) -> Floats:
    """Return weights and, last, the intercept of a linear SVM for each class against the rest.

    The primal solver is used whatever the shape of X, because it draws nothing at random.
    """
    rows = []
    for code in positives:
        positive = codes == code
        if positive.all() or not positive.any():
            # Nothing to separate: without a penalty on the intercept, this is the optimum.
            rows.append(np.append(np.zeros(X.shape[1]), 1.0 if positive.all() else -1.0))
            continue
        machine = LinearSVC(dual=False, fit_intercept=bias, C=C).fit(X, positive)
        rows.append(np.append(machine.coef_[0], machine.intercept_ if bias else 0.0))
    return np.stack(rows)


def is_pool(X: Any) -> bool:
    """Say whether examples are a pool, or what only a pool can be made of: a path, zarr, Dask."""
    of = type(X).__module__.partition(".")[0]
    return isinstance(X, Pool | str | PathLike) or of in ("zarr", "dask")


def _values(start: int, block: Pool, halfspaces: Floats) -> Floats:
    """Return the decision values of a block."""
    del start
    rows = block.rows(np.arange(len(block)))
    return np.asarray(rows @ halfspaces[:, :-1].T + halfspaces[:, -1])


def values_of(X: Any, halfspaces: Floats) -> Floats:
    """Return the decision values of halfspaces."""
    if isinstance(X, Pool):
        return np.concatenate(list(X.mapped(_values, halfspaces)))
    return np.asarray(X @ halfspaces[:, :-1].T + halfspaces[:, -1])
