"""What all learners share: answers, their history, and the questions asked about a pool."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, positive_integer
from aluma.errors import Conflict, Exhausted
from aluma.learners.labels import Labels, plain
from aluma.pool import Pool
from aluma.promises.certificate import Certificate
from aluma.representation.view import View
from aluma.spaces.history import Event, common

if TYPE_CHECKING:
    from aluma.learners.lifted import Strain


class Learner(ABC):
    """A pool, the answers so far, and a way to choose the next question.

    Subclasses say how to choose (:meth:`_choose`), how to take an answer in (:meth:`_absorb`) and
    take it back (:meth:`_release`), and how examples are voted on (:meth:`_positive_shares`).

    Parameters
    ----------
    X : ndarray, scipy sparse matrix, np.memmap, DataFrame, Pool, or a View of one
    classes : (negative, positive), optional
        The two labels. Without it they are learnt as they are told.
    bias : bool
        Add a constant feature, so that halfspaces need not pass through the origin.
    budget : int, optional
        Number of answers after which :meth:`ask` raises :class:`Exhausted`.
    random_state : int, numpy Generator or None
    """

    #: The first contradiction that slack had to be allowed for, if there was one.
    conflict: Conflict | None = None

    def __init__(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        bias: bool = False,
        budget: int | None = None,
    ) -> None:
        self._view = View.of(X, bias=bias)
        self.pool = self._view.pool
        self.budget = None if budget is None else positive_integer(budget, "budget")
        self._labels = Labels(classes)
        self._history: list[Event] = []
        self._question: int | None = None

    # -- asking and answering ------------------------------------------------------------------

    def ask(self, n: int | None = None) -> Any:
        """Return the example to ask about next, the same until something is told or skipped.

        With ``n``, an array of n different examples that are informative together; the first of
        them is the question itself.
        Raises :class:`Exhausted` when nothing is left.
        """
        eligible = self._eligible()
        if self.budget is not None and self.n_answers >= self.budget:
            raise Exhausted(f"the budget of {self.budget} answers is spent.")
        if not eligible.any():
            raise Exhausted(
                f"all {len(self.pool)} examples are answered, skipped or cannot be decided."
            )
        if n is not None:
            wanted = positive_integer(n, "n")
            left = eligible.sum()
            if self.budget is not None:
                left = min(left, self.budget - self.n_answers)
            if wanted > left:
                raise Exhausted(f"{wanted} questions were wanted, {left} are left.")
            return self._choose_batch(eligible, wanted)
        if self._question is None:
            self._question = int(self._choose(eligible))
        return self._question

    def alternatives(self, n: int) -> Ints:
        """Return up to n other examples that could as well be asked about now, perhaps none.

        They come for nothing with :meth:`ask`, so that nobody has to wait for the question after
        this one. For several questions that complement each other, use ``ask(n)``.
        """
        del n
        return np.empty(0, dtype=np.int64)

    def tell(self, i: Any, label: Any) -> None:
        """Take the answer for one example, or arrays of both; it need not have been asked.

        Raises :class:`Conflict`, and leaves the learner as it was, if no halfspace agrees with all
        the answers. Telling an answer again changes nothing.
        """
        if np.ndim(i) == 0:
            self._tell_one(self._checked_index(i), label)
            return
        indices = [self._checked_index(one) for one in i]
        labels = _as_list(label, len(indices))
        before = self.fork()
        try:
            for index, value in zip(indices, labels, strict=True):
                self._tell_one(index, value)
        except Exception:
            self.__dict__ = before.__dict__
            raise

    def skip(self, i: int) -> None:
        """Do not ask about this example (it can still be told); skipping it again is nothing."""
        index = self._checked_index(i)
        if all(event.index != index for event in self._history):
            self._take(index, 0)

    def undo(self) -> None:
        """Take back the last answer or skip."""
        if not self._history:
            raise LookupError("there is no answer to take back.")
        self.replay(self._history[:-1])
        self._labels = self._labels.used({event.sign for event in self._history})

    def change(self, i: int, label: Any) -> None:
        """Give another answer for an example told before; the others stay, in their order."""
        events, labels = self.changed(i, label)
        self.replay(events)
        self._labels = labels.used({event.sign for event in events})

    def fork(self) -> Self:
        """Return an independent copy, cheap enough to look ahead with."""
        twin = copy.copy(self)
        twin._labels = self._labels.copy()
        twin._history = list(self._history)
        return twin

    # -- the history, for those who keep it elsewhere ------------------------------------------

    @property
    def history(self) -> tuple[Event, ...]:
        """Answers and skips that count, in order."""
        return tuple(self._history)

    @property
    def labels(self) -> Labels:
        """What is known of the two labels: a copy; assign one to bring back what was known."""
        return self._labels.copy()

    @labels.setter
    def labels(self, known: Labels) -> None:
        self._labels = known.copy()

    def changed(self, i: int, label: Any) -> tuple[list[Event], Labels]:
        """Return the history and the labels as they would be with another answer for an example."""
        index = self._checked_index(i)
        if not self._sign_of(index):
            raise LookupError(f"example {index} has not been told: tell it first.")
        labels = self.labels
        new = Event(index, labels.sign(label))
        return [new if e.index == index and e.sign else e for e in self._history], labels

    def replay(self, events: Sequence[Event]) -> None:
        """Make ``events`` the history; on a Conflict everything stays as it was."""
        before = self.fork()
        same = common(self._history, events)
        try:
            self._release(events[:same])
            self._history = self._history[:same]
            self._forget()
            for event in events[same:]:
                self._take(event.index, event.sign)
        except Exception:
            self.__dict__ = before.__dict__
            raise

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether a beginning of the history is reached without absorbing it anew."""
        del kept
        return True

    # -- what is known -------------------------------------------------------------------------

    @property
    def examples(self) -> Pool:
        """The examples as given; ``pool`` has them as the points that halfspaces divide."""
        return self._view.examples

    @property
    def classes_(self) -> tuple[Any, Any]:
        """Both labels, (negative, positive); ties go to the second."""
        return self._labels.order

    @property
    def n_answers(self) -> int:
        """How many examples have been told."""
        return sum(1 for event in self._history if event.sign)

    @property
    def answered(self) -> Ints:
        """Indices of the examples told, in order."""
        return np.array([e.index for e in self._history if e.sign], dtype=np.int64)

    @property
    def answers(self) -> npt.NDArray[Any]:
        """The labels told, in order."""
        return self._labels.of_signs(np.array([e.sign for e in self._history if e.sign]))

    def predict_proba(self, X: Any = None) -> Floats:
        """Return (n, 2) vote shares of the two labels, for the pool or for new examples.

        Told examples of the pool have the label that was told.
        """
        pool = self.pool if X is None else self._view.new(self.examples.alike(X))
        self._labels.order  # noqa: B018 - before both labels are known there is no vote
        positive = self._positive_shares(pool)
        if X is None:
            for event in self._history:
                if event.sign:
                    positive[event.index] = (event.sign + 1) / 2
        second = self._labels.second_shares(positive, pool.is_zero)
        return np.stack([1.0 - second, second], axis=1)

    def predict(self, X: Any = None) -> npt.NDArray[Any]:
        """Return the label of the majority for the pool, or for new examples."""
        second = self.predict_proba(X)[:, 1] >= 0.5
        plus = self._labels.sign(self._labels.order[1])
        return self._labels.of_signs(np.where(second, plus, -plus))

    def certificate(self, *, proof_seconds: float | None = None) -> Certificate:
        """Return what can be promised about the labels now.

        Raises :class:`NotImplementedError` for learners without a version space: what the
        consistent halfspaces agree on is all that a certificate speaks of.
        """
        raise NotImplementedError(
            f"{type(self).__name__} keeps no version space, so nothing can be promised about its "
            "labels: use ALuMA, or another learner that votes, for a certificate."
        )

    @property
    def finished(self) -> bool:
        """Whether no label is worth asking for any more."""
        return not self._eligible().any()

    # -- what every learner can be asked, whatever it is made of -------------------------------

    @property
    def labelled_by(self) -> str:
        """In words, what gives the labels that nobody was asked about."""
        return "vote"

    @property
    def allowed_slack(self) -> float:
        """The slack that is allowed for now; 0 for learners that allow for none."""
        return 0.0

    def doubts(self) -> Floats:
        """Return the share of halfspaces that dispute each answer; without slack none does."""
        return np.zeros(self.n_answers)

    def strained(self, n: int = 10) -> list[Strain]:
        """Return the n answers that most halfspaces dispute; without slack there are none."""
        del n
        return []

    # -- for subclasses ------------------------------------------------------------------------

    @abstractmethod
    def _choose(self, eligible: Bools) -> int:
        """Return the example to ask about, one of the eligible."""

    @abstractmethod
    def _choose_batch(self, eligible: Bools, n: int) -> Ints:
        """Return n different eligible examples."""

    @abstractmethod
    def _absorb(self, index: int, sign: int) -> None:
        """Take an answer in, or raise Conflict and stay the same. History does not hold it yet."""

    @abstractmethod
    def _release(self, kept: Sequence[Event]) -> None:
        """Go back to the state after the events in ``kept``, a beginning of the history."""

    def _mark(self, index: int, sign: int) -> Any:
        """Return where an event is going to leave a learner that reads a stream; it comes next."""
        return None

    @abstractmethod
    def _positive_shares(self, pool: Pool) -> Floats:
        """Return the share of + votes for each example of a pool."""

    # -- taking answers ------------------------------------------------------------------------

    def _tell_one(self, index: int, label: Any) -> None:
        labels = self._labels.copy()
        sign = labels.sign(label)
        known = self._sign_of(index)
        if known == sign:
            return
        if known:
            told = self._labels.of_signs(np.array([known]))[0]
            raise Conflict(
                (index,),
                f"It was told as {plain(told)!r}, and now as {plain(label)!r}: if that is right, "
                f"use change({index}, {plain(label)!r}).",
            )
        if self.pool.is_zero[index]:
            raise ValueError(
                f"example {index} is all zeros: no homogeneous halfspace can decide it. "
                "Use bias=True, or leave it out."
            )
        self._take(index, sign)
        self._labels = labels

    def _take(self, index: int, sign: int) -> None:
        """Let an answer or a skip follow the history; after a Conflict all is as it was."""
        mark = self._mark(index, sign)
        if sign:
            self._absorb(index, sign)
        self._history.append(Event(index, sign, mark))
        self._forget()

    def _forget(self) -> None:
        """Drop what was worked out about the next question: the history has changed."""
        self._question = None

    def _sign_of(self, index: int) -> int:
        """Return the sign told for an example, 0 if none was."""
        return next((e.sign for e in self._history if e.index == index and e.sign), 0)

    def _eligible(self) -> Bools:
        """Return which examples can be asked about."""
        mask = ~self.pool.is_zero
        mask[[event.index for event in self._history]] = False
        return mask

    def _checked_index(self, i: Any) -> int:
        if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
            raise TypeError(f"an example is named by its position in the pool, got {i!r}.")
        if not 0 <= i < len(self.pool):
            raise IndexError(f"there is no example {i}: the pool has {len(self.pool)}, from 0.")
        return int(i)


def _as_list(label: Any, n: int) -> list[Any]:
    """Return n labels as a list, or say that the lengths differ."""
    labels = list(label) if isinstance(label, Iterable) and not isinstance(label, str) else [label]
    if len(labels) != n:
        raise ValueError(f"{n} examples were told with {len(labels)} labels.")
    return labels
