"""Audits: how many labels of a pool are wrong, found out by random checks.

An audit takes any labelling, by whoever made it, and draws examples for a person to check. What it
says is true with probability 1 - delta over its own draws, for every labelling of every pool, and
however often one looks: see :mod:`aluma.promises.wrong_counts` and docs/audit.md.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, checked_tolerance, plain, probability
from aluma.errors import Exhausted
from aluma.promises.drawing import Drawing
from aluma.promises.labelling import Labelling
from aluma.promises.wrong_counts import UniformChecks, WeightedChecks
from aluma.streams import entropy

#: With doubts, this share of every draw goes by doubt and the rest is uniform: a label that nobody
#: doubts is then drawn at least so often that it costs little to be surprised by it.
BY_DOUBT = 1 / 3


class Audit:
    """Random checks of a labelling, and what they show.

    Parameters
    ----------
    labels : sequence
        A labelling of a pool, one label an example, by whoever, of any number of classes.
    tolerance : float
        Share of the labels that may be wrong.
    delta : float
        Probability, over the audit's own draws, with which a bound may fail.
    known : sequence of int, optional
        Examples whose labels a person has given. They count as right and are not drawn.
    doubt : sequence of float, optional
        How much each label is doubted, such as the share of votes against it. Doubtful ones are
        drawn more often, found wrong sooner and put right. What is said is true whatever they are.
    classes : sequence, optional
        All labels that an answer may be, besides those that ``labels`` holds: any other is refused
        as a slip. Without it, any label is taken.
    random_state : int, numpy Generator or None
        The same integer draws the same checks of the same labels, also after a restart; of other
        labels it draws others.
    named : int, optional
        What names the draws besides the seed, instead of the labels themselves. Whoever passes it
        must see to it that the labels do not depend on what was drawn by that name before.

    Examples
    --------
    >>> audit = Audit(["ham"] * 95 + ["spam"] * 5, tolerance=0.05)
    >>> while not (audit.passed or audit.failed):
    ...     audit.tell(audit.ask(), audit.labels[audit.ask()])
    >>> audit.asked, audit.bound <= 0.05
    (51, True)
    """

    def __init__(
        self,
        labels: Iterable[Any],
        *,
        tolerance: float = 0.05,
        delta: float = 0.05,
        known: npt.ArrayLike | None = None,
        doubt: npt.ArrayLike | None = None,
        classes: Iterable[Any] | None = None,
        random_state: Any = 0,
        named: int | None = None,
    ) -> None:
        self._given = Labelling.of(labels)
        self.tolerance, self.delta = checked_tolerance(tolerance), probability(delta, "delta")
        self._closed = classes is not None
        listed = () if classes is None else classes
        #: Labels there may be, each as it was first written: 1 and 1.0 are one label.
        self._spelling: dict[Hashable, Hashable] = {}
        for value in (*self._given.values, *map(plain, listed)):
            self._spelling.setdefault(value, value)
        self._known = _checked_known(known, len(self._given))
        self.seed = entropy(random_state)
        weights = _weights(doubt, self._known)
        name = _name(self._given, self._known) if named is None else named
        self._order = Drawing(self._known, weights, self.seed, name)
        #: Answers to the first checks of the order, and 1 for each that found a wrong label.
        self._answers: list[Hashable] = []
        self._found: list[float] = []
        #: Bounds on how many are wrong of all, those found included, after 0, 1, ... checks.
        self._most: list[int] = []
        self._least: list[int] = []
        self._weighted = None
        if weights is not None:
            self._weighted = WeightedChecks(weights[self._order.first(len(self._order))], delta)
        self._uniform = UniformChecks(len(self._order), self._allowed, self.delta)
        self._judge()

    # -- asking and answering ------------------------------------------------------------------

    def ask(self) -> int:
        """Return the example to check next, the same until it is told."""
        if not self.left:
            raise Exhausted(f"all {len(self)} labels have been checked or were known.")
        return int(self._order.first(self.asked + 1)[self.asked])

    def coming(self, n: int) -> Ints:
        """Return the next n examples to check, in the order in which they are to be told."""
        if isinstance(n, bool | np.bool_) or not isinstance(n, int | np.integer):
            raise TypeError(f"n must be an integer, got {n!r}.")
        if n < 0:
            raise ValueError(f"n must be 0 or more, got {n}.")
        if n > self.left:
            raise Exhausted(f"{n} checks were wanted, {self.left} are left.")
        return self._order.first(self.asked + n)[self.asked :]

    def tell(self, i: int, label: Any) -> None:
        """Take what a person says about the example that was asked about."""
        wanted = self.ask()
        if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
            raise TypeError(f"an example is named by its position, got {i!r}.")
        if not 0 <= i < len(self):
            raise IndexError(f"there is no example {i}: there are {len(self)} labels, from 0.")
        if i != wanted:
            raise ValueError(
                f"example {i} was not drawn now, example {wanted} was: checks count only if they "
                "are the ones that were drawn, so answer that one."
            )
        value = plain(label)
        value = self._spelling.get(value, value)
        if self._closed and value not in self._spelling:
            known = ", ".join(sorted(map(repr, self._spelling))[:12])
            raise ValueError(
                f"{value!r} is none of the labels ({known}): correct it, or name all labels there "
                "may be with classes=."
            )
        twin = self.fork()
        twin._answers.append(value)
        twin._found.append(float(value != self._given[wanted]))
        twin._judge()
        # One step, so that Ctrl-C finds all of it done or nothing.
        self.__dict__ = twin.__dict__

    def undo(self) -> None:
        """Take back the last check; it will be asked about again."""
        if not self._answers:
            raise LookupError("there is no check to take back.")
        twin = self.fork()
        for kept in (twin._answers, twin._found, twin._most, twin._least):
            kept.pop()
        self.__dict__ = twin.__dict__

    def fork(self) -> Audit:
        """Return an independent copy; what is never written to is shared."""
        twin = copy.copy(self)
        twin._answers, twin._found = list(self._answers), list(self._found)
        twin._most, twin._least = list(self._most), list(self._least)
        return twin

    # -- what the checks show ------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._given)

    @property
    def by_doubt(self) -> bool:
        """Whether doubtful labels are drawn more often."""
        return self._weighted is not None

    @property
    def asked(self) -> int:
        """How many checks have been answered."""
        return len(self._answers)

    @property
    def left(self) -> int:
        """How many labels can still be checked."""
        return len(self._order) - self.asked

    def given(self, i: int) -> Any:
        """Return the label of an example as it was when the audit began."""
        return self._given[i]

    @property
    def checked(self) -> Ints:
        """The examples that were checked, in order."""
        return self._order.first(self.asked)

    @property
    def answers(self) -> tuple[Hashable, ...]:
        """What was said about the examples that were checked, in order."""
        return tuple(self._answers)

    @property
    def wrong(self) -> Ints:
        """The examples that were found wrong, in order."""
        return self.checked[self._outcomes() > 0]

    @property
    def labels(self) -> npt.NDArray[Any]:
        """The labels, with what was found wrong put right."""
        values = self._given.listed
        for example, answer in zip(self.checked.tolist(), self._answers, strict=True):
            values[example] = answer
        same_kind = len({type(value) for value in values}) == 1
        return np.array(values, dtype=None if same_kind else object)

    @property
    def bound(self) -> float:
        """At most this share of :attr:`labels` is wrong, with probability 1 - delta.

        Over the audit's own draws, however often one looks, whatever the data. What was found wrong
        has been put right and no longer counts.
        """
        return max(min(self._most) - sum(self._found), 0) / len(self)

    @property
    def lower_bound(self) -> float:
        """At least this share of :attr:`labels` is wrong, with probability 1 - delta."""
        return max(max(self._least) - sum(self._found), 0) / len(self)

    @property
    def passed(self) -> bool:
        """Whether at most ``tolerance`` is wrong: the bound says so."""
        return self.bound <= self.tolerance

    @property
    def failed(self) -> bool:
        """Whether more than ``tolerance`` is wrong, with the same confidence."""
        return self.lower_bound > self.tolerance

    @property
    def estimate(self) -> float:
        """The share of :attr:`labels` that is wrong, as far as the checks tell; no promise.

        By the checks that were drawn: each wrong one stands for as many as its chance was small.
        """
        outcomes, left = self._outcomes(), self.left
        if left == 0:
            return 0.0
        if len(outcomes) == 0:
            return float("nan")
        if self._weighted is None:
            return float(outcomes.mean() * left / len(self))
        found = np.cumsum(outcomes) - outcomes
        chances = self._weighted.probabilities[: len(outcomes)]
        total = float((found + outcomes / chances).mean())
        return min(max(total - float(outcomes.sum()), 0.0), left) / len(self)

    @property
    def remaining(self) -> int:
        """How many more checks it takes to pass if all of them find the label right."""
        if self.passed:
            return 0
        low, high = 1, self.left
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._passes_after(middle) else (middle + 1, high)
        return low

    @property
    def remaining_at_this_rate(self) -> int:
        """How many more checks it takes to pass if as many are wrong as so far; no promise."""
        rate = len(self.wrong) / max(self.asked, 1)
        if rate == 0.0 or self.passed:
            return self.remaining

        def passes(more: int) -> bool:
            # Spread evenly: the wrong ones come as often as before.
            found = np.diff(np.floor(rate * np.arange(more + 1)))
            outcomes = np.concatenate([self._outcomes(), found])
            return self._most_wrong(outcomes) - int(outcomes.sum()) <= self._allowed

        more = 1
        while more < self.left and not passes(more):
            more = min(self.left, more + max(1, more // 8))
        return more

    def missed(self, label: Any) -> int:
        """Return how many examples of a class are labelled otherwise, at most.

        Among :attr:`labels` as they are now, with probability 1 - delta for this class by itself.
        For whoever screens for a class, recall is at least its examples found over those and this.
        """
        value = plain(label)
        differs = self._given.differs(value)
        others, drawn = differs[self.checked], int(np.count_nonzero(differs & ~self._known))
        found = np.array([answer == value for answer in self._answers], dtype=np.float64)
        outcomes = found * others
        left = drawn - int(others.sum())
        if self._weighted is not None:
            most = self._weighted.most(outcomes) - int(outcomes.sum())
            return min(most, left)
        among = UniformChecks(drawn, 0, self.delta)
        within = outcomes[others]
        looks = (among.most(t, int(within[:t].sum())) for t in range(len(within) + 1))
        return min(min(looks) - int(within.sum()), left)

    def __str__(self) -> str:
        checked = f"{self.asked} of {len(self):,} labels checked at random, {len(self.wrong)} wrong"
        # Rounded up: a bound that is rounded down would say more than was shown.
        bound = f"{ceil(self.bound * 10_000 - 1e-9) / 10_000:.2%}"
        return f"{checked}: at most {bound} of the labels are wrong now ({sure(self.delta)})."

    def __repr__(self) -> str:
        return f"Audit({len(self)} labels, asked={self.asked}, bound={self.bound:.4f})"

    # -- inside --------------------------------------------------------------------------------

    @property
    def _allowed(self) -> int:
        """How many labels may be wrong."""
        return int(self.tolerance * len(self) + 1e-9)

    def _outcomes(self) -> Floats:
        """Return 1 for each check that found a wrong label, 0 for the others."""
        return np.array(self._found, dtype=np.float64)

    def _judge(self) -> None:
        """Bring the bounds up to date after a check."""
        outcomes = self._outcomes()
        self._most.append(self._most_wrong(outcomes))
        if self._weighted is not None:
            self._least.append(self._weighted.least(outcomes))
        else:
            self._least.append(self._uniform.least(len(outcomes), int(outcomes.sum())))

    def _most_wrong(self, outcomes: Floats) -> int:
        if self._weighted is not None:
            return self._weighted.most(outcomes)
        return self._uniform.most(len(outcomes), int(outcomes.sum()))

    def _passes_after(self, right: int) -> bool:
        outcomes = np.concatenate([self._outcomes(), np.zeros(right)])
        left = self._most_wrong(outcomes) - int(outcomes.sum())
        return left / len(self) <= self.tolerance


def audit(
    labels: Iterable[Any],
    teacher: Iterable[Any] | Callable[[int], Any],
    **settings: Any,
) -> Audit:
    """Let a teacher check a labelling until it has passed or failed.

    Parameters
    ----------
    labels, **settings
        As for :class:`Audit`.
    teacher : array of the right labels, or callable(index) -> label

    Returns
    -------
    Audit
        With everything that was found; ``str()`` of it is what can be said.
    """
    checks = Audit(labels, **settings)
    if callable(teacher):
        answer = teacher
    else:
        right = [plain(one) for one in teacher]
        if len(right) != len(checks):
            raise ValueError(
                f"there are {len(checks)} labels and {len(right)} right ones: give one for each."
            )
        answer = right.__getitem__
    while not (checks.passed or checks.failed):
        example = checks.ask()
        checks.tell(example, answer(example))
    return checks


def price(n: int, tolerance: float = 0.05, delta: float = 0.05) -> int:
    """Return how many checks it takes to pass if none of them finds a label wrong.

    Parameters
    ----------
    n : labels in all
    """
    return Audit(np.zeros(n, dtype=int), tolerance=tolerance, delta=delta).remaining


def sure(delta: float) -> str:
    """Return in words how sure one can be; never that one is entirely."""
    return f"{100 * (1 - delta):.10g}% sure"


def _name(given: Labelling, known: Bools) -> int:
    """Return a number that names a labelling and what of it is known."""
    told = blake2b(repr(given.listed).encode() + known.tobytes(), digest_size=8)
    return int.from_bytes(told.digest(), "little")


def _weights(doubt: npt.ArrayLike | None, known: Bools) -> Floats | None:
    """Return weights by doubt, mixed with even ones, or None where all labels are alike."""
    if doubt is None:
        return None
    values = np.asarray(doubt, dtype=np.float64)
    if values.shape != known.shape:
        raise ValueError(
            f"doubt has shape {values.shape} for {len(known)} labels: give one number for each."
        )
    drawn = values[~known]
    if not np.isfinite(drawn).all() or (drawn < 0).any():
        raise ValueError("doubt holds a number that is negative or not finite: use 0 or more.")
    total = drawn.sum()
    if not total > 0:
        return None
    return np.asarray((1 - BY_DOUBT) / max(int((~known).sum()), 1) + BY_DOUBT * values / total)


def _checked_known(known: npt.ArrayLike | None, m: int) -> Bools:
    mask = np.zeros(m, dtype=bool)
    positions = np.asarray([] if known is None else known)
    if positions.size == 0:
        return mask
    if positions.ndim != 1 or positions.dtype.kind not in "iu":
        raise TypeError("known must be a list of positions of labels that a person has given.")
    outside = (positions < 0) | (positions >= m)
    if outside.any():
        raise IndexError(f"known names example {positions[outside][0]}: there are {m}, from 0.")
    mask[positions] = True
    return mask
