"""Label values of any type, and the signs that stand for them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Shares, Signs, plain
from aluma.pool.store import parts
from aluma.spaces.history import column

#: Labels that are looked up at a time.
AT_ONCE = 2**20


class Labels:
    """The answers that are possible, known from the start or learnt as they come.

    Two labels have the signs -1 and +1, and any further ones 2, 3, and so on (see
    :func:`aluma.spaces.history.column`). Without ``classes``, the first label told stands for +1;
    once there are more, they are sorted (those that cannot be compared stay in the order they
    came).

    Parameters
    ----------
    classes : the labels, if they are known: (negative, positive), or any number of them
    any_number : whether there may be more than two
    """

    def __init__(self, classes: Sequence[Any] | None = None, *, any_number: bool = False) -> None:
        self._signs: dict[Hashable, int] = {}
        self._given = classes is not None
        self._any_number = any_number
        if classes is not None:
            values = [plain(label) for label in classes]
            if len(values) < 2 or len(set(values)) < len(values):
                raise ValueError(
                    "classes must name two different labels (negative, positive)"
                    f"{', or more' if any_number else ''}, got {classes!r}."
                )
            if len(values) > 2 and not any_number:
                raise ValueError(
                    f"classes names {len(values)} labels, and this learner decides between two: "
                    "for more, use ALuMA or ActiveClassifier."
                )
            self._signs = {label: place or -1 for place, label in enumerate(values)}

    def copy(self) -> Labels:
        """Return an independent copy."""
        twin = Labels(any_number=self._any_number)
        twin._signs, twin._given = dict(self._signs), self._given
        return twin

    def used(self, signs: Iterable[int]) -> Labels:
        """Return what is known when answers of these signs are left; given classes stay.

        So do labels that came before one that is left, once there are more than two.
        """
        twin, left = self.copy(), set(signs)
        if not self._given:
            most = max(left, default=0)
            stays = left if most < 2 else {-1, *range(1, most + 1)}
            twin._signs = {label: sign for label, sign in self._signs.items() if sign in stays}
        return twin

    def knowing(self, signs: Mapping[Any, int]) -> Labels:
        """Return the same with what was known at another time, as :attr:`signs` told it then."""
        twin = self.copy()
        twin._signs = dict(signs)
        return twin

    @property
    def signs(self) -> dict[Hashable, int]:
        """The labels known so far in the order they came, each with the sign it stands for."""
        return dict(self._signs)

    @property
    def count(self) -> int:
        """How many classes a learner has to tell apart: two until there are more."""
        return max(2, len(self._signs))

    @property
    def known(self) -> tuple[Hashable, ...]:
        """The labels known so far, perhaps none, in order."""
        if self._given:
            return tuple(self._signs)
        try:
            return tuple(sorted(self._signs))  # type: ignore[type-var]
        except TypeError:
            return tuple(self._signs)

    @property
    def order(self) -> tuple[Hashable, ...]:
        """All labels, ``classes_``; an error that names ``classes=`` before two are known."""
        if len(self._signs) < 2:
            raise ValueError(
                f"only {list(self._signs)} of the two labels has been told, so there is nothing to "
                "call the other side yet: pass classes=(negative, positive), or tell an example "
                "of each."
            )
        return self.known

    def sign(self, label: Any) -> int:
        """Return what stands for a label; a new one is accepted where there may be more."""
        value = plain(label)
        if value not in self._signs:
            if self._given or (len(self._signs) == 2 and not self._any_number):
                raise ValueError(self._refusal(value))
            if len(self._signs) < 2:
                self._signs[value] = -next(iter(self._signs.values()), -1)
            else:
                self._signs[value] = len(self._signs)
        return self._signs[value]

    def of_signs(self, signs: Signs) -> npt.NDArray[Any]:
        """Return the labels that signs stand for."""
        names = {column(sign): label for label, sign in self._signs.items()}
        known = next(iter(names.values()), 0)
        listed = [names.get(place, known) for place in range(self.count)]
        values = np.array(listed)
        if values.dtype.kind in "US" and not all(isinstance(v, str | bytes) for v in listed):
            values = np.array(listed, dtype=object)
        out = np.empty(len(signs), values.dtype)
        for part in parts(len(signs), AT_ONCE):
            out[part] = values[np.maximum(signs[part], 0)]
        return out

    def in_order(self, shares: Shares) -> Floats:
        """Return shares of votes, a column for each sign, as columns in the order of ``order``."""
        return np.asarray(shares[:, [column(self._signs[label]) for label in self.order]])

    def second_shares(self, positive: Shares, tied: Bools) -> Shares:
        """Turn shares of + votes, in place, into those for ``order[1]``, where ties go."""
        if self._signs[self.order[1]] != 1:
            np.subtract(1.0, positive, out=positive)
        positive[tied] = 1.0
        return positive

    def _refusal(self, value: Any) -> str:
        if len(self._signs) == 2:
            first, second = self.order
            more = (
                "pass all of them as classes, or none, and they are learnt as they are told."
                if self._any_number
                else "this learner decides between two labels. For more, use ALuMA or "
                "ActiveClassifier."
            )
            return f"label {value!r} is neither {first!r} nor {second!r}: {more}"
        listed = ", ".join(repr(label) for label in self.order)
        return f"label {value!r} is none of {listed}: pass all that there may be as classes."
