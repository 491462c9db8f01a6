"""The version space of any number of classes: one cone, by Kesler's construction.

A hypothesis is a matrix of K weight vectors that votes for the class with the largest product
(:mod:`aluma.geometry.kesler`). An answer is K - 1 walls, taken in together. Chains move in the
span of the answered examples only: with t answers in ``t (K - 1)`` coordinates at most, whatever
the number of features, and what no answer constrains is drawn afresh, as for two classes.

With slack, every answer has a coordinate of its own, as in Algorithm 3 of the paper; products are
then in units of the noise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Shares, Singles
from aluma.errors import Conflict
from aluma.geometry.cone import Cone
from aluma.geometry.feasibility import Infeasible
from aluma.geometry.kesler import Factors, contrasts
from aluma.pool import Pool
from aluma.representation.bias import bias_share, typical_length
from aluma.representation.lift import largest_norm
from aluma.representation.own import OwnCoordinates
from aluma.representation.softmax import likeliest
from aluma.sampling.ball import quick_normals
from aluma.sampling.bulk import GROUP
from aluma.sampling.pace import directions
from aluma.sampling.population import UNDO_BYTES, UNDO_DEPTH, VOTE, Population, Task
from aluma.scoring import Choice
from aluma.scoring.disputes import Disputes
from aluma.scoring.large import in_sample
from aluma.scoring.many import (
    NEAR,
    Matrices,
    choose_among_classes,
    choose_classes_batch,
    class_counts,
    class_products,
    class_votes,
    disputed_share,
    doubt,
    nearest_to_a_tie,
)
from aluma.scoring.votes import askable
from aluma.spaces.frame import Frame
from aluma.spaces.history import Event, column, learnt
from aluma.spaces.late import GLANCED_AT, LITTLE_NOISE, NEAR_FOR_EACH, Near, first_of_their_kind
from aluma.spaces.neighbours import Neighbours
from aluma.spaces.plain import ADVICE
from aluma.spaces.space import Retraceable, Standing, Watch, unwatched
from aluma.spaces.wide import Seen, WideHypotheses, is_wide
from aluma.streams import OfState, named, streams

#: Bytes of hypotheses that are held at once while a pool is voted on.
MATRIX_BYTES = 2**26
#: Hypotheses that a batch is chosen by.
BATCH_JURY = 128
#: The first so many questions are chosen by more hypotheses, as those about two classes are. On ten
#: tuning seeds of all of MNIST, four times as many took 3.1 points (0.8) off the error after 25
#: answers; on fourteen of the digits 2.2 (1.3) after 10, and added 1.2 (0.7) after 25.
EARLY = 32
#: Questions go to what is nearest to a tie from so many answers on, and so many for each class.
#: Tried on six seeds of the digits, one of four newsgroups and two of 6,000 digits of MNIST: from
#: 75 to 115 on there was little to choose; from 30 to 60 on, and on MNIST from 80 or 150 on, errors
#: at 100 to 300 were larger.
LATE, LATE_FOR_EACH = 100, 10
#: Or before, once no larger share of votes than this is against the leading class, as so many
#: hypotheses see it. With 0.2 instead of 0.3, 0.5 (0.2) more of the 178 of wine were wrong after 25
#: answers (24 tuning seeds) and 4.4 (1.1) more of the digits after 150 (11); all of MNIST was level
#: after 100 (8), and on four newsgroups nothing was asked otherwise.
SETTLING, GLANCE = 0.3, 32
#: Neighbours are heard once the likeliest weights give the leading class of an example all but this
#: share of the chances on average. On 6,000 digits of MNIST, where the share stays above 0.2, more
#: were wrong after 200 and 300 answers when they were heard before.
DOUBT = 0.15


class ManySpace(Retraceable):
    """Hypotheses uniform on the version space of K classes.

    Parameters
    ----------
    pool : the points that hypotheses vote on
    classes : K; answers are told as codes, see :func:`aluma.spaces.history.column`
    size, seed, sampler : of the population
    slack : H, 0 for none
    longest : length of the longest example, if there is slack and it is known already
    share : of the bias's weights, if it is known (:func:`aluma.representation.bias.bias_share`)
    """

    #: Labels that follow from the answers are not proven for more than two classes.
    settles: ClassVar[bool] = False

    def __init__(
        self,
        pool: Pool,
        classes: int,
        size: int,
        seed: int,
        sampler: str = "reflection",
        *,
        slack: float = 0.0,
        longest: float | None = None,
        share: float | None = None,
    ) -> None:
        self.pool, self.classes, self.size, self.seed = pool, classes, size, seed
        self.sampler = sampler
        #: Weights of the bias are multiplied by this.
        self._share = bias_share(pool) if share is None else share
        #: Of a wide sparse pool, what was worked out about its rows.
        self._seen = Seen(pool, self._share) if is_wide(pool) else None
        self._own: OwnCoordinates | None = None
        if slack > 0:
            self._own = OwnCoordinates(slack, largest_norm(pool) if longest is None else longest)
        self._begin()

    def _begin(self) -> None:
        #: The weights that were last found likeliest, and by what answers and noise.
        self._likeliest: tuple[tuple[tuple[int, int], ...], float, Floats] | None = None
        #: What neighbours said, when a late question was last looked for.
        self._neighbours: Neighbours | None = None
        self._population = Population(0, self.size, self.seed, self.sampler)
        #: What the answered examples span.
        self._frame = Frame(self.pool.dimension)
        #: For every coordinate of the chains, K - 1 contrasts each: whether it is one of the frame.
        self._of_frame: tuple[bool, ...] = ()
        self._told: list[tuple[int, int]] = []
        self._factors = Factors.none(self.classes)
        #: What the answers looked like, and the three above before each that can be undone.
        self._known: dict[tuple[bytes, int], int] = {}
        self._steps: deque[tuple[Frame, tuple[bool, ...], Factors]] = deque(maxlen=UNDO_DEPTH)

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers, in the coordinates of the chains."""
        return self._population

    @property
    def allowed_slack(self) -> float:
        """The slack H that is allowed for."""
        return 0.0 if self._own is None else self._own.slack

    # -- taking answers ------------------------------------------------------------------------

    def add(self, index: int, sign: int) -> None:
        """Take an answer in: K - 1 walls; one that was told before changes nothing."""
        x = self._row(index)
        name = (x.tobytes(), sign)
        if name in self._known:
            return
        frame, point, of_frame = self._placed(x, index)
        factors = self._factors.with_answer(point, column(sign))
        try:
            self._population.add_all(factors, tires=self._has_many(len(self._told) + 1))
        except Infeasible as found:
            told = [*(one for one, _ in self._told), index]
            raise self._conflict(told, found) from None
        # A frame is as large as the answered examples, and one is kept for every step.
        self._population.forget_steps(max(0, UNDO_BYTES - UNDO_DEPTH * frame.nbytes))
        self._steps.append((self._frame, self._of_frame, self._factors))
        while len(self._steps) > self._population.n_undoable:
            self._steps.popleft()
        self._frame, self._of_frame, self._factors = frame, of_frame, factors
        self._told.append((index, sign))
        self._known[name] = index

    def add_many(self, answers: Sequence[tuple[int, int]], watch: Watch = unwatched) -> None:
        """Take answers in, some of them at a time; there are no steps back from there."""
        for start in range(0, len(answers), GROUP):
            for index, sign in answers[start : start + GROUP]:
                x = self._row(index)
                if (x.tobytes(), sign) not in self._known:
                    self._frame, point, self._of_frame = self._placed(x, index)
                    self._factors = self._factors.with_answer(point, column(sign))
                    self._told.append((index, sign))
                    self._known[x.tobytes(), sign] = index
            try:
                if len(self._told) * (self.classes - 1) > len(self._population.cone):
                    self._population.add_all(self._factors)
            except Infeasible as found:
                raise self._conflict([index for index, _ in self._told], found) from None
            self.forget_steps()
            watch(min(start + GROUP, len(answers)))

    def _row(self, index: int) -> Floats:
        """Return an example as chains see it: its constant is shorter, not the bias's weights."""
        x: Floats = self.pool.rows([index])[0]
        if self.pool.bias:
            x[-1] *= self._share
        return x

    def _conflict(self, told: Sequence[int], found: Infeasible) -> Conflict:
        walls = sorted({told[wall // (self.classes - 1)] for wall in found.support})
        return Conflict(tuple(walls), ADVICE)

    def _placed(self, x: Floats, index: int) -> tuple[Frame, Floats, tuple[bool, ...]]:
        """Return the frame with an example in it, the example there, and what coordinates are."""
        frame, within = self._frame.with_example(x, index)
        of_frame = self._of_frame + (True,) * (len(frame) - len(self._frame))
        if self._own is not None:
            within = within * (self._own.shrink / self._own.scale)
            of_frame = (*of_frame, False)
        point = np.zeros(len(of_frame))
        point[list(of_frame)] = within
        if self._own is not None:
            point[-1] = self._own.own
        return frame, point, of_frame

    def _step_back(self) -> None:
        self._population.undo()
        self._frame, self._of_frame, self._factors = self._steps.pop()
        self._told.pop()
        self._known.popitem()

    def fork(self) -> Self:
        """Return an independent copy; arrays are never written to, and shared."""
        twin = super().fork()
        twin._population = self._population.fork()
        twin._told, twin._known = list(self._told), dict(self._known)
        twin._steps = self._steps.copy()
        return twin

    def forget_steps(self) -> None:
        """Keep nothing to step back to: from here on, going back absorbs answers anew."""
        self._population.forget_steps(0)
        self._steps.clear()

    @property
    def wall_examples(self) -> tuple[int, ...]:
        """The examples that the walls come from, in order."""
        return tuple(index for index, _ in self._told)

    # -- standing in a file --------------------------------------------------------------------

    @property
    def standing(self) -> Standing:
        """Where the chains are: the walls follow from the answers, and take far more room."""
        state = replace(self._population.state, cone=Cone.whole(0))
        return Standing(state, self.wall_examples, self.allowed_slack, None)

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where another stood; what was undoable is forgotten."""
        self._begin()
        told = [answer for one in learnt(history, self.pool.zero_mask) for answer in one.answers]
        made_walls = set(standing.examples)
        for index, sign in told:
            if index in made_walls:
                x = self._row(index)
                self._frame, point, self._of_frame = self._placed(x, index)
                self._factors = self._factors.with_answer(point, column(sign))
                self._told.append((index, sign))
                self._known[x.tobytes(), sign] = index
        cone = Cone.whole(0)
        cone = cone.factored(self._factors) if self._told else cone
        self._population.restore(replace(standing.state, cone=cone))

    # -- votes ---------------------------------------------------------------------------------

    def voters(self, most_times: int = 1) -> Any:
        """Return the hypotheses that vote, (k, K, d) in float32; more of them early.

        Those of wide sparse pools are not written down, and putting them together would do that.
        """
        early = len(self._told) < EARLY and self._seen is None
        return _together(self._matrices(most_times if early else 1))

    def shares(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the share of votes that each class has, (n, K), among the voters."""
        return self._counted(pool, self._matrices(most_times))

    def jury(self, task: Task = VOTE, most_times: int = 1) -> Any:
        """Return such hypotheses that no question was chosen by, (k, K, d) in float32."""
        return _together(self._jurors(task, most_times))

    def vote(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the shares among a jury, of which not all are held at once."""
        return self._counted(pool, self._jurors(VOTE, most_times))

    def _jurors(self, task: Task, times: int) -> Iterator[Matrices]:
        for number, points in enumerate(self._population.jury_points(task, times)):
            yield from self._lifted(points, named(self.key, task.free, number))

    def _counted(self, pool: Pool, hypotheses: Iterable[Matrices]) -> Floats:
        """Return the share of votes that each class has among some hypotheses, (n, K)."""
        counts = np.zeros((len(pool), self.classes), dtype=np.int64)
        drawn = 0
        noise = self._noise(OfState.OWN_NUMBERS)
        for matrices in hypotheses:
            counts += class_counts(pool, matrices, None, noise)
            drawn += len(matrices)
        return counts / drawn

    def labelled(self, shares: Shares) -> Ints:
        """Return the class with most votes, the first of those that tie."""
        return np.asarray(shares.argmax(axis=1))

    def split(self, voters: Matrices, eligible: Any, **wanted: Any) -> Choice:
        """Return the example that settles most of the vote.

        See :func:`aluma.scoring.many.choose_among_classes`: it has no ``effort`` to spare, and
        ``settled`` pools are for :meth:`nearest`.
        """
        rng = self.rng(OfState.SPLIT)
        seen, open_, rows = in_sample(self.pool, eligible, rng)
        noise = self._noise(OfState.LENGTHS)
        choice = choose_among_classes(seen, voters, open_, rng, alpha=wanted["alpha"], noise=noise)
        return choice.named(rows)

    def nearest(self, eligible: Bools) -> Choice | None:
        """Return the example nearest to a tie if it is late, or one whose neighbours disagree.

        What is wrong late is wrong although most hypotheses agree on it, and splits do not find
        that. No hypotheses have to be written down for it. None if it is early.
        """
        near = self._near(eligible, NEAR)
        if near is None:
            return None
        seen = self.classes * near.seen
        choice = Choice(int(near.rows[0]), 1.0, 0.25, near.rows, seen).named(near.names)
        return replace(choice, positive=self._lead(choice.index))

    def _near(self, eligible: Bools, n: int) -> Near | None:
        """Return the n examples that a late question goes to first, or None if it is early."""
        rng = self.rng(OfState.NEAREST)
        seen, open_, names = in_sample(self.pool, eligible, rng)
        rows = askable(seen, open_)
        if not self._is_late(seen, rows, rng):
            return None

        known = {x for x, _ in self._known}

        def new(some: Ints) -> Bools:
            """Say which are copies of no answered example, and of none before."""
            X = self.pool.rows(some if names is None else names[some])
            if self.pool.bias:
                X[:, -1] *= self._share
            return first_of_their_kind((x.tobytes() for x in X), known)

        products = self.fitted(seen, LITTLE_NOISE)
        near = np.empty(0, dtype=np.int64)
        if doubt(products[rows]) < DOUBT:
            told = [(index, column(sign)) for index, sign in self._told]
            before = Neighbours.about(self._neighbours, seen, names, self._typical)
            self._neighbours = before.after(told, self.pool)
            if self._neighbours.to_be_heard:
                near = self._neighbours.contradicted(products[rows].argmax(axis=1), rows, new, n)
        if not len(near):
            near = nearest_to_a_tie(products, rows, new, n)
        return Near(seen, names, near, len(rows)) if len(near) else None

    def _is_late(self, pool: Pool, rows: Ints, rng: np.random.Generator) -> bool:
        """Say whether there are many answers, or votes divided on little of a pool."""
        if self._has_many(len(self._told)):
            return True
        looked = np.sort(rng.permutation(rows)[:GLANCED_AT])
        points = self._population.points[:GLANCE]
        glance = next(self._lifted(points, named(self.key, OfState.GLANCE)))
        return disputed_share(class_counts(pool, glance, looked) / len(glance)) < SETTLING

    def _has_many(self, answers: int) -> bool:
        """Say whether there are so many answers that few questions are asked of hypotheses."""
        return answers >= max(LATE, LATE_FOR_EACH * self.classes)

    def _lead(self, index: int) -> float:
        """Return the share of hypotheses that vote for the leading class of an example."""
        rng, x = self.rng(OfState.LEAD), self._row(index)
        within = self._frame.products(x)
        # The rest of the example is at right angles to all answers.
        rest = np.sqrt(max(0.0, float(x @ x - within @ within)))
        point = np.zeros(len(self._of_frame))
        point[list(self._of_frame)] = within
        points = self._population.points[: self.size]
        radius = np.sqrt(rng.chisquare(points.shape[1], (len(points), 1)))
        inside = np.matmul(point, directions(points).reshape(len(points), len(point), -1))
        products = radius * inside @ contrasts(self.classes).T
        products += rest * rng.standard_normal(products.shape)
        return float(np.bincount(products.argmax(axis=1)).max() / len(products))

    def fitted(self, pool: Pool, noise: float) -> Singles:
        """Return products of a pool with the likeliest weights, (n, K) in units of the noise.

        See :mod:`aluma.representation.softmax`; the noise is in lengths of a typical row.
        """
        weights = self._fit(noise)
        if self._seen is not None and pool is self.pool and not pool.is_large:
            seen = self._seen.on(self._frame, np.arange(len(pool)))
            return np.asarray(seen @ weights.T.astype(np.float32))
        written = weights @ self._frame.vectors
        if self.pool.bias:
            written[:, -1] *= self._share
        return class_products(pool, written.astype(np.float32))

    def _fit(self, noise: float) -> Floats:
        """Return the likeliest weights of the frame's vectors, (K, r), worked out once."""
        # Not by the key: it does not tell examples at right angles from each other.
        told = tuple(self._told)
        if self._likeliest is None or self._likeliest[:2] != (told, noise):
            size = noise * self._typical
            found = likeliest(self._answered(), self._factors.told, self.classes, size)
            self._likeliest = told, noise, found
        return self._likeliest[2]

    @cached_property
    def _typical(self) -> float:
        return typical_length(self.pool)

    def _answered(self) -> Floats:
        """Return the answered examples in the frame, (t, r)."""
        if len(self._frame) == len(self._told):
            return self._frame.triangle
        rows = np.array([np.frombuffer(x) for x, _ in self._known])
        return np.asarray(rows @ self._frame.vectors.T)

    def batch(self, voters: Matrices, eligible: Any, n: int, *, alpha: float, first: int) -> Ints:
        """Return n examples that split the hypotheses jointly, the given one first.

        If it is late, they are some of those that a late question could be about.
        """
        near = self._near(eligible, NEAR_FOR_EACH * n) if alpha > 1.0 else None
        if near is not None and len(late := near.after(first)) >= n:
            eligible = np.zeros(len(self.pool), dtype=bool)
            eligible[late] = True
        jury, rng, noise = (
            voters[:BATCH_JURY],
            self.rng(OfState.BATCH),
            self._noise(OfState.LENGTHS),
        )
        seen, open_, rows = in_sample(self.pool, eligible, rng)
        start = 0 if rows is None else int(np.searchsorted(rows, first))
        if rows is None or rows[start : start + 1] != [first] or n > np.count_nonzero(open_):
            return choose_classes_batch(self.pool, jury, eligible, n, rng, first=first, noise=noise)
        return rows[choose_classes_batch(seen, jury, open_, n, rng, first=start, noise=noise)]

    def leaning(self, pool: Pool, most_times: int = 1) -> Floats:
        """Return the share of votes that each class has."""
        return self.vote(pool, most_times)

    def disputes(self, pool: Pool, positive: npt.NDArray[Any], answered: Ints) -> Disputes:
        """Count how hypotheses that no question was chosen by dispute a labelling of a pool."""
        points = self._population.independent_points(0) if self._told else self._population.points
        settled = pool.is_zero
        settled[answered] = True
        noise = self._noise(OfState.OWN_NUMBERS)
        by_hypothesis, by_example = [], np.zeros(len(pool), dtype=np.int64)
        for matrices in self._lifted(points, named(self.key, OfState.INDEPENDENT_FREE, 0)):
            mine = np.zeros(len(matrices), dtype=np.int64)
            for part, votes in class_votes(pool, matrices, None, noise):
                differs = votes != positive[part, None]
                differs[settled[part]] = False
                mine += differs.sum(axis=0)
                by_example[part] += differs.sum(axis=1)
            by_hypothesis.append(mine)
        return Disputes(positive, np.concatenate(by_hypothesis), by_example)

    def doubts(self, history: Sequence[Event]) -> Floats:
        """Return the share of hypotheses that dispute each answer, in order of telling."""
        told = [event for event in history if event.sign]
        if not told or self._own is None:
            return np.zeros(len(told))
        rows = np.array([event.index for event in told])
        columns = np.array([column(event.sign) for event in told])
        out = np.zeros(len(told))
        for part, votes in class_votes(self.pool, self.voters(), rows):
            out[part] = (votes != columns[part, None]).mean(axis=1)
        return out

    def _noise(self, purpose: OfState) -> np.random.Generator | None:
        """Return what draws the numbers that unanswered examples have to themselves."""
        return None if self._own is None else self.rng(purpose)

    def _matrices(self, times: int) -> Iterator[Matrices]:
        """Yield the hypotheses, and as often again as wanted as they are after more flights."""
        for number, points in enumerate(self._population.stretches(times)):
            yield from self._lifted(points, named(self.key, OfState.FREE, number))

    def _lifted(self, points: Floats, key: tuple[int, ...]) -> Iterator[Matrices]:
        """Yield points of the chains as matrices of weights, some at a time."""
        if self._seen is not None:
            yield self._wide(self._seen, points[: self.size], streams(key, 1)[0])
            return
        d = self.pool.dimension
        at_once = int(np.clip(MATRIX_BYTES // (4 * self.classes * d), 1, self.size))
        starts = range(0, self.size, at_once)
        frame = self._frame.vectors.astype(np.float32)
        for start, rng in zip(starts, streams(key, len(starts)), strict=True):
            part = points[start : min(start + at_once, self.size)]
            matrices = quick_normals(rng, (len(part) * self.classes, d))
            if self._of_frame:
                flat = self._in_frame(part, rng).astype(np.float32)
                matrices += (flat - matrices @ frame.T) @ frame
            if self._own is not None:
                matrices *= np.float32(self._own.for_weights)
            if self.pool.bias:
                matrices[:, -1] *= np.float32(self._share)
            yield matrices.reshape(len(part), self.classes, d)

    def _wide(self, seen: Seen, points: Floats, rng: np.random.Generator) -> WideHypotheses:
        """Return points of the chains as hypotheses about a wide sparse pool."""
        weights = np.empty((len(points) * self.classes, 0))
        if self._of_frame:
            weights = self._in_frame(points, rng)
        scale = 1.0 if self._own is None else self._own.for_weights
        return WideHypotheses(seen, self._frame, weights, self.classes, rng, scale)

    def _in_frame(self, points: Floats, rng: np.random.Generator) -> Floats:
        """Return the weights that points of the chains give the frame's vectors, (k K, r)."""
        of_frame = np.array(self._of_frame, dtype=bool)
        radius = np.sqrt(rng.chisquare(points.shape[1], (len(points), 1)))
        span = (directions(points) * radius).reshape(len(points), len(of_frame), -1)
        weights = span[:, of_frame] @ contrasts(self.classes).T
        return np.asarray(weights.transpose(0, 2, 1).reshape(-1, len(self._frame)))


def _together(parts: Iterable[Matrices]) -> Matrices:
    """Return hypotheses in one array; of wide pools, a copy of it would cost as much as a vote."""
    found = list(parts)
    return found[0] if len(found) == 1 else np.concatenate([np.asarray(one) for one in found])
