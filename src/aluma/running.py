"""Let a teacher answer a learner's questions, and keep what was said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

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

#: What becomes of an answer that contradicts the others, or leaves too little to explore.
OnConflict: TypeAlias = Literal["stop", "skip"]

#: Why a loop has ended: the budget is spent; the learner has nothing left to ask, or has finished
#: by its own rule; an answer contradicted the others, or float64 could not settle it; Ctrl-C.
Ended: TypeAlias = Literal[
    "budget", "exhausted", "finished", "conflict", "undecided", "interrupted"
]


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
    answers = Answers(learner, teacher, budget, catch_interrupt=True)
    trace = Trace(index=learner.pool.index)
    with _bar(progress, answers.budget) as advance, answers:
        for answer in answers.taken():
            trace.indices.append(answer.index)
            trace.labels.append(answer.label)
            if answers.ended is None:
                if measure is not None:
                    trace.measures.append(float(measure(learner)))
                advance()
    trace.conflict, trace.undecided = answers.conflict, answers.undecided
    if answers.ended == "interrupted":
        logger.warning("interrupted after %d answers; they are kept", len(trace))
    elif answers.trouble is not None:
        logger.warning("the run ends after %d answers: %s", len(trace), answers.trouble)
    return trace


@dataclass(frozen=True)
class Answer:
    """One answer of a teacher.

    Attributes
    ----------
    index : the example that was asked about, as its position in the pool
    label : what the teacher said
    count : how many answers the teacher has given in this loop, this one included
    refused : why the learner could not take the answer, or None if it did
    """

    index: int
    label: Any
    count: int
    refused: Conflict | Undecided | None = None


class Answers:
    """The loop in which a teacher answers a learner's questions: iterate over its answers.

    Every step asks the learner, lets the teacher answer, tells the learner, and gives the answer to
    whoever iterates. When the iteration is over, :attr:`ended` says why. Ctrl-C never comes between
    an answer and telling it.

    Use it as a context manager where the code that iterates may itself meet what ends a loop, such
    as a vote that float64 cannot settle: that then ends the loop in the same way.

    Parameters
    ----------
    learner, teacher, budget : see :func:`run`; without a budget every example may be asked
    on_conflict : what becomes of an answer that contradicts the others, or leaves too little to
        explore. "stop": it ends the loop. "skip": the learner goes on without it.
    stop_when_finished : end when the learner says that no label is worth asking for any more;
        finding that out can take as long as a question
    catch_interrupt : let Ctrl-C end the loop quietly, instead of raising KeyboardInterrupt

    Attributes
    ----------
    ended : None while the loop goes on (or when the iteration was left), then the reason
    trouble : the Conflict or Undecided that ended the loop, or None

    Examples
    --------
    >>> import numpy as np
    >>> from aluma import Passive
    >>> learner = Passive(np.array([[1.0], [-1.0], [2.0]]), order=[0, 1, 2])
    >>> answers = Answers(learner, ["yes", "no", "yes"], budget=2)
    >>> [(answer.index, answer.label) for answer in answers]
    [(0, 'yes'), (1, 'no')]
    >>> answers.ended
    'budget'
    """

    def __init__(
        self,
        learner: Learner,
        teacher: npt.ArrayLike | Callable[[int], Any],
        budget: int | None = None,
        *,
        on_conflict: OnConflict = "stop",
        stop_when_finished: bool = True,
        catch_interrupt: bool = False,
    ) -> None:
        if not (hasattr(learner, "ask") and hasattr(learner, "pool")):
            raise TypeError(f"a learner is asked and told, such as ALuMA(X), got {learner!r}.")
        self.learner = learner
        self.budget = len(learner.pool) if budget is None else positive_integer(budget, "budget")
        self.count = 0
        self.ended: Ended | None = None
        self.trouble: Conflict | Undecided | None = None
        self._teacher = _teacher(teacher, learner.pool)
        self._on_conflict = on_conflict
        self._stop_when_finished = stop_when_finished
        self._catch_interrupt = catch_interrupt

    @property
    def conflict(self) -> Conflict | None:
        """The contradiction that ended the loop, if one did."""
        return self.trouble if isinstance(self.trouble, Conflict) else None

    @property
    def undecided(self) -> Undecided | None:
        """What ended the loop because float64 could not settle it, if that did."""
        return self.trouble if isinstance(self.trouble, Undecided) else None

    def taken(self) -> Iterator[Answer]:
        """Iterate over the answers that the learner could take, leaving out the others."""
        return (answer for answer in self if answer.refused is None)

    def __iter__(self) -> Iterator[Answer]:
        return self

    def __next__(self) -> Answer:
        if self.ended is None and self.count >= self.budget:
            self.ended = "budget"
        if self.ended is not None:
            raise StopIteration
        given: list[tuple[int, Any]] = []
        told: list[Answer] = []
        try:
            if self._stop_when_finished and self.learner.finished:
                self.ended = "finished"
                raise StopIteration
            index = self.learner.ask()
            given.append((index, self._teacher(index)))
            self._tell(given, told)
        except KeyboardInterrupt as interrupt:
            self._tell(given, told)
            if not self._ends(interrupt):
                raise
        except (Exhausted, Conflict, Undecided) as error:
            if not self._ends(error):
                raise
        if not told:
            raise StopIteration
        return told[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: Any, error: BaseException | None, _traceback: Any) -> bool:
        return error is not None and self._ends(error)

    def _tell(self, given: list[tuple[int, Any]], told: list[Answer]) -> None:
        """Tell what the teacher has given but the learner not heard, with no Ctrl-C in between."""
        with held_back():
            while given:
                index, label = given[-1]
                refused = self._refused(index, label)
                given.pop()
                self.count += 1
                told.append(Answer(index, label, self.count, refused))

    def _refused(self, index: int, label: Any) -> Conflict | Undecided | None:
        """Tell one answer; return why the learner could not take it, or None if it did."""
        try:
            self.learner.tell(index, label)
        except (Conflict, Undecided) as found:
            if self._on_conflict == "skip":
                self.learner.skip(index)
            else:
                self._ends(found)
            return found
        return None

    def _ends(self, error: BaseException) -> bool:
        """Note why the loop ends; say no if an error is not one of the ways in which it does."""
        why: Ended
        if isinstance(error, Exhausted):
            why = "exhausted"
        elif isinstance(error, Conflict | Undecided) and self._on_conflict == "stop":
            why = "conflict" if isinstance(error, Conflict) else "undecided"
            self.trouble = self.trouble or error
        elif isinstance(error, KeyboardInterrupt) and self._catch_interrupt:
            why = "interrupted"
        else:
            return False
        self.ended = self.ended or why
        return True


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
