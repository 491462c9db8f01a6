"""Two label values of any type, and the signs that stand for them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Ints, plain


class Labels:
    """The two answers that are possible, known from the start or learnt as they come.

    Without ``classes``, the first label told stands for +1; once a second one appears, the two are
    sorted (those that cannot be compared stay in the order they came).
    """

    def __init__(self, classes: Sequence[Any] | None = None) -> None:
        self._signs: dict[Hashable, int] = {}
        self._given = classes is not None
        if classes is not None:
            values = [plain(label) for label in classes]
            if len(values) != 2 or values[0] == values[1]:
                raise ValueError(
                    f"classes must name two different labels (negative, positive), got {classes!r}."
                )
            self._signs = {values[0]: -1, values[1]: 1}

    def copy(self) -> Labels:
        """Return an independent copy."""
        twin = Labels()
        twin._signs, twin._given = dict(self._signs), self._given
        return twin

    def used(self, signs: set[int]) -> Labels:
        """Return what is known when answers of these signs are left; given classes stay."""
        twin = self.copy()
        if not self._given:
            twin._signs = {label: sign for label, sign in self._signs.items() if sign in signs}
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
    def known(self) -> tuple[Hashable, ...]:
        """The labels known so far, none, one or two, in order."""
        try:
            return tuple(sorted(self._signs))  # type: ignore[type-var]
        except TypeError:
            return tuple(self._signs)

    @property
    def order(self) -> tuple[Hashable, Hashable]:
        """Both labels, ``classes_``; an error that names ``classes=`` before both are known."""
        if len(self._signs) < 2:
            raise ValueError(
                f"only {list(self._signs)} of the two labels has been told, so there is nothing to "
                "call the other side yet: pass classes=(negative, positive), or tell an example "
                "of each."
            )
        if self._given:
            negative, positive = self._signs
            return negative, positive
        first, second = self.known
        return first, second

    def sign(self, label: Any) -> int:
        """Return +1 or -1 for a label; a new label is accepted while fewer than two are known."""
        value = plain(label)
        if value not in self._signs:
            if len(self._signs) == 2:
                raise ValueError(
                    f"label {value!r} is neither {self.order[0]!r} nor {self.order[1]!r}: a "
                    "learner decides between two labels. For more, use ActiveClassifier."
                )
            self._signs[value] = -next(iter(self._signs.values()), -1)
        return self._signs[value]

    def of_signs(self, signs: Ints) -> npt.NDArray[Any]:
        """Return the labels that signs stand for."""
        names = {sign: label for label, sign in self._signs.items()}
        known = next(iter(names.values()), 0)
        pair = np.array([names.get(-1, known), names.get(1, known)])
        if pair.dtype.kind in "US" and not all(isinstance(v, str | bytes) for v in names.values()):
            pair = np.array([names[-1], names[1]], dtype=object)
        return np.asarray(pair[(signs > 0).astype(int)])

    def second_shares(self, positive: npt.NDArray[Any], tied: Bools) -> npt.NDArray[Any]:
        """Turn shares of + votes into shares for ``order[1]``, where examples that tie go."""
        share = positive if self._signs[self.order[1]] == 1 else 1.0 - positive
        return np.where(tied, 1.0, share)
