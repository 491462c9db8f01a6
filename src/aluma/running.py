"""Let a teacher answer a learner's questions, and keep what was said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import positive_integer
from aluma.errors import Conflict, Exhausted, Undecided
from aluma.extras import needed
from aluma.interrupts import held_back
from aluma.learners.learner import Learner
from aluma.pool import Pool
from aluma.pool.frames import in_order

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)


@dataclass
class Trace:
    """The questions asked, their answers, and what was measured after each.

    Attributes
    ----------
    indices, labels : the answers in order, as pool positions and label values
    measures : what ``measure`` returned after each answer, if it was given
    conflict : the Conflict that ended the run, or None
    undecided : what ended the run because float64 could not settle it, or None
    """

    indices: list[int] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    measures: list[float] = field(default_factory=list)
    conflict: Conflict | None = None
    undecided: Undecided | None = None
    index: Sequence[Any] | None = None

    def __len__(self) -> int:
        return len(self.indices)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per answer; rows of a DataFrame pool are named by its index."""
        pd = needed("pandas", "label", "Trace.to_frame")
        names = self.indices if self.index is None else [self.index[i] for i in self.indices]
        frame = pd.DataFrame(
            {"example": names, "position": self.indices, "label": self.labels},
            index=pd.RangeIndex(1, len(self) + 1, name="answer"),
        )
        if self.measures:
            # An interrupted run may lack the last.
            frame["measure"] = pd.Series(self.measures, index=frame.index[: len(self.measures)])
        return frame  # type: ignore[no-any-return]


def run(
    learner: Learner,
    teacher: npt.ArrayLike | Callable[[int], Any],
    budget: int | None = None,
    progress: bool = False,
    measure: Callable[[Learner], float] | None = None,
) -> Trace:
    """Ask and tell until the budget is spent, nothing is left or the learner has finished.

    Parameters
    ----------
    learner : Learner
        Changed by the run; it can be run on, or asked by hand, afterwards.
    teacher : array of labels, one per example, or callable(index) -> label
        A pandas Series is matched with a DataFrame pool by its index, see
        :func:`aluma.pool.frames.in_order`.
    budget : int, optional
        Number of answers in this run at most.
    progress : bool
        Show a progress bar.
    measure : callable, optional
        Evaluated on the learner after each answer, for learning curves.

    Returns
    -------
    Trace
        A contradiction ends the run and is kept in ``trace.conflict``; so does, in
        ``trace.undecided``, an answer that leaves too little for float64. Ctrl-C ends it too: an
        answer that was given is told first, and all of them are kept.
    """
    answer = _teacher(teacher, learner.pool)
    most = len(learner.pool) if budget is None else positive_integer(budget, "budget")
    trace = Trace(index=learner.pool.index)
    with _bar(progress, most) as advance:
        given: list[tuple[int, Any]] = []
        try:
            try:
                while len(trace) < most and not learner.finished:
                    i = learner.ask()
                    given.append((i, answer(i)))
                    _take(learner, given, trace)
                    if measure is not None:
                        trace.measures.append(float(measure(learner)))
                    advance()
            except KeyboardInterrupt:
                _take(learner, given, trace)
                logger.warning("interrupted after %d answers; they are kept", len(trace))
        except Exhausted:
            pass
        except (Conflict, Undecided) as found:
            if isinstance(found, Conflict):
                trace.conflict = found
            else:
                trace.undecided = found
            logger.warning("the run ends after %d answers: %s", len(trace), found)
    return trace


def _take(learner: Learner, given: list[tuple[int, Any]], trace: Trace) -> None:
    """Tell what the teacher has given but the learner not taken, with no Ctrl-C in between."""
    with held_back():
        while given:
            learner.tell(*given[-1])
            index, label = given.pop()
            trace.indices.append(index)
            trace.labels.append(label)


def _teacher(teacher: Any, pool: Pool) -> Callable[[int], Any]:
    """Return a function that answers for an example."""
    if callable(teacher):
        return teacher  # type: ignore[no-any-return]
    labels, m = np.asarray(in_order(teacher, pool.index)), len(pool)
    if labels.shape != (m,):
        raise ValueError(
            f"the teacher has labels of shape {labels.shape}, the pool has {m} examples: give one "
            "label per example, or a function of an example's position."
        )
    return lambda i: labels[i].item() if isinstance(labels[i], np.generic) else labels[i]


@contextmanager
def _bar(shown: bool, total: int) -> Iterator[Callable[[], None]]:
    """Yield a function that advances a progress bar, or does nothing."""
    if not shown:
        yield lambda: None
        return
    rich = needed("rich.progress", "label", "a progress bar")
    columns = (
        rich.TextColumn("answers"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
    )
    with rich.Progress(*columns) as bar:
        task = bar.add_task("answers", total=total)
        yield lambda: bar.advance(task)
