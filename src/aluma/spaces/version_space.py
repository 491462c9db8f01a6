"""Version spaces: answers in; hypotheses, volume and settled labels out."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from aluma.arrays import Bools, Floats, Ints, finite_rows, positive_integer
from aluma.blas import one_thread
from aluma.errors import Conflict
from aluma.geometry.cone import Cone, clearly_inside
from aluma.geometry.feasibility import Infeasible, interior_point, is_settled
from aluma.geometry.walls import signed_units
from aluma.sampling.draw import draw
from aluma.sampling.kernels import checked_sampler
from aluma.sampling.volume import VolumeEstimate, log_volume

#: Numbers in a sample, at most: 8 TiB of them, which says early what would take days to fail.
MOST_NUMBERS = 2**40


class VersionSpace:
    """All homogeneous halfspaces that agree with the answers so far.

    The cone ``{w : y_i <w, x_i> > 0}`` within the unit ball of R^d (Section 3 of the paper).

    Parameters
    ----------
    dimension : int
        Number of features d.

    Examples
    --------
    >>> V = VersionSpace(2)
    >>> V.add([1.0, 0.0], +1)
    >>> V.add([0.0, 3.0], +1)
    >>> round(float(np.exp(V.log_volume())), 1)
    0.2
    >>> V.determined([[1.0, 1.0], [1.0, -1.0]]).tolist()
    [1, 0]
    """

    #: Hypotheses drawn to prove that both labels of an example are possible.
    PROOFS = 512

    def __init__(self, dimension: int) -> None:
        self._cone = Cone.whole(positive_integer(dimension, "dimension"))
        self._positions = np.empty(0, dtype=np.int64)
        self._seen: set[bytes] = set()
        self._answers = 0
        self._inside = interior_point(self._cone)

    @property
    def dimension(self) -> int:
        """Number of features d."""
        return self._cone.dimension

    @property
    def cone(self) -> Cone:
        """The cone itself; identical answers are one wall of it."""
        return self._cone

    def __len__(self) -> int:
        return self._answers

    def __repr__(self) -> str:
        return f"VersionSpace(dimension={self.dimension}, answers={len(self)})"

    @one_thread()
    def add(self, x: Any, y: Any) -> None:
        """Take an answer: the label ``y`` (+1 or -1) of the example ``x``; or arrays of both.

        Raises :class:`Conflict`, and leaves the space as it was, if no halfspace agrees with all.
        The tolerance is :func:`aluma.geometry.feasibility.tolerance`.
        """
        normals = signed_units(finite_rows(x, self.dimension, "x"), y, self._answers)
        names = [normal.tobytes() for normal in normals]
        fresh = _first_seen(names, self._seen)
        cone = self._cone.with_walls(normals[fresh]) if len(fresh) else self._cone
        positions = np.append(self._positions, self._answers + fresh)
        twin = copy.copy(self)
        if not self._still_inside(cone):
            try:
                twin._inside = interior_point(cone)
            except Infeasible as found:
                raise Conflict(tuple(positions[found.support].tolist())) from None
        twin._cone, twin._positions = cone, positions
        twin._seen = self._seen | set(names)
        twin._answers += len(normals)
        # One step, so that Ctrl-C finds all of it done or nothing.
        self.__dict__ = twin.__dict__

    def contains(self, W: Any) -> Bools | bool:
        """Say which rows of ``W`` agree with every answer; one vector gives one bool."""
        rows = finite_rows(W, self.dimension, "W")
        agree: Bools = np.all(rows @ self._cone.walls.T > 0, axis=1)
        return bool(agree[0]) if np.ndim(W) == 1 else agree

    @one_thread()
    def sample(
        self,
        n: int,
        sampler: str = "reflection",
        steps: int | None = None,
        random_state: Any = 0,
    ) -> Floats:
        """Draw hypotheses uniformly from the version space within the unit ball.

        The uniform law is exactly that which the chains leave invariant; how much of their start
        is forgotten is measured, not proven.

        Parameters
        ----------
        n : int
            Number of hypotheses. Drawing fewer gives the first of what drawing more gives.
        sampler : {"reflection", "hit_and_run"}, or another name in aluma.sampling.kernels
            The Markov chain.
        steps : int, optional
            Trajectories or steps after the pilot, with a chain for every hypothesis. By default
            1000 as in the paper (hit_and_run). Without it, "reflection" has up to 2,048 chains,
            which have flown three times as long as it takes to forget a start (a correlation of at
            most 0.2, as for learners); each further hypothesis of one comes as many trajectories
            later as it takes to forget the last, most often one.
        random_state : int, numpy Generator or None
            The same integer gives the same hypotheses on any number of threads.

        Returns
        -------
        (n, d) array; every row agrees with every answer.
        """
        sampler = checked_sampler(sampler)
        steps = None if steps is None else positive_integer(steps, "steps")
        n = positive_integer(n, "n")
        if n * self.dimension > MOST_NUMBERS:
            raise ValueError(
                f"{n} hypotheses of {self.dimension} numbers each fit into no memory: draw fewer, "
                "several times, with another random_state each time."
            )
        return draw(self._cone, self._inside, n, sampler, steps, random_state)

    def log_volume(
        self, epsilon: float = 1 / 3, delta: float = 0.05, random_state: Any = 0
    ) -> float:
        """Return ln of the fraction of the unit ball that agrees with the answers.

        Off by more than ``ln(1 + epsilon)`` with probability at most ``delta``; how, and under
        what assumption, is in :mod:`aluma.sampling.volume`.
        """
        return self.estimate_volume(epsilon, delta, random_state).log_volume

    @one_thread()
    def estimate_volume(
        self, epsilon: float = 1 / 3, delta: float = 0.05, random_state: Any = 0
    ) -> VolumeEstimate:
        """Return :meth:`log_volume` with its standard deviation and what it cost."""
        return log_volume(self._cone, epsilon, delta, random_state)

    @one_thread()
    def determined(self, X: Any) -> Ints:
        """Return +1 or -1 where every consistent hypothesis gives that label, 0 elsewhere.

        Exact: a label is open if two hypotheses are found that differ, by a sample first and by
        non-negative least squares or a linear program where the sample agrees; and it is settled
        only if the example is verified to be a non-negative combination of the answers.
        """
        rows = finite_rows(X, self.dimension)
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.where(largest > 0, largest, 1.0)
        sizes = np.linalg.norm(rows, axis=1)
        labels = np.zeros(len(rows), dtype=np.int64)
        if len(self._cone) == 0:
            return labels
        products = rows @ self.sample(self.PROOFS).T
        positive = clearly_inside(products.max(axis=1), sizes, self.dimension)
        negative = clearly_inside(-products.min(axis=1), sizes, self.dimension)
        for i in np.flatnonzero((sizes > 0) & ~(positive & negative)):
            for sign in (1, -1):
                if is_settled(self._cone, sign * rows[i], self._inside):
                    labels[i] = sign
        return labels

    def _still_inside(self, cone: Cone) -> bool:
        """Say whether the known point is still inside, which settles feasibility for free."""
        products = (cone.walls @ self._inside)[None, :]
        return bool(clearly_inside(products, np.ones(1), self.dimension)[0])


def _first_seen(names: list[bytes], seen: set[bytes]) -> Ints:
    """Return the positions of names that are neither known nor repeated."""
    first = {name: position for position, name in reversed(list(enumerate(names)))}
    return np.array(sorted(p for name, p in first.items() if name not in seen), dtype=np.int64)
