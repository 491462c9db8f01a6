"""Query by committee: the law of its questions against fresh pairs, and how it reads its order."""

import numpy as np
import pytest

from aluma.errors import Exhausted
from aluma.geometry.walls import signed_units
from aluma.learners.committee import QueryByCommittee
from aluma.pool import Pool
from aluma.sampling.population import Population
from aluma.spaces.history import Event
from aluma.spaces.version_space import VersionSpace
from aluma.strategies.committee import disagreements
from aluma.streams import streams
from closed_forms import corners_of, polygon_area
from evidence import cells_fit, generator, holds, two_sided

RNG = generator(5)
X = RNG.standard_normal((24, 3))
TARGET = np.array([1.0, 0.2, -0.4])
Y = np.where(X @ TARGET > 0, 1, -1)
TOLD = np.array([20, 21, 22, 23])


def space() -> VersionSpace:
    found = VersionSpace(3)
    found.add(X[TOLD], Y[TOLD])
    return found


def exact_shares() -> np.ndarray:
    """Return the share of hypotheses that say yes: areas of spherical polygons."""
    told = X[TOLD] * Y[TOLD, None]
    corners = [corners_of(np.vstack([told, x])) for x in X]
    areas = [polygon_area(each) if len(each) > 2 else 0.0 for each in corners]
    shares = np.array(areas) / polygon_area(corners_of(told))
    # An example whose plane misses the polygon has all of it on one side.
    whole = np.array([(corners_of(told) @ x > 0).all() for x in X])
    shares[whole] = 1.0
    return shares


def exact_law(order: np.ndarray) -> np.ndarray:
    """Return the law of the next question when every example has two fresh hypotheses.

    The last entry is the probability that a pass asks for nothing.
    """
    shares = exact_shares()
    chance = 2 * shares * (1 - shares)
    law, left = np.zeros(len(X) + 1), 1.0
    for example in order:
        law[example] += left * chance[example]
        left *= 1 - chance[example]
    law[-1] = left
    return law


def slow_question(order: np.ndarray, seed: int) -> int:
    """Draw two hypotheses for every example, from chains of their own: the obvious way."""
    pairs = space().sample(2 * len(order), random_state=seed).reshape(-1, 2, 3)
    for two, example in zip(pairs, order, strict=True):
        if len(set((two @ X[example] >= 0).tolist())) == 2:
            return int(example)
    return -1


def agrees(counts: np.ndarray, law: np.ndarray) -> float:
    """Return the p-value of counts; what can not happen did not."""
    possible = law > 1e-12
    assert counts[~possible].sum() == 0
    return cells_fit(counts[possible], law[possible], least=10)


def test_the_slow_way_has_the_law_that_is_tested_against() -> None:
    order = np.arange(20)

    def look(seed: int, more: int) -> float:
        counts = np.zeros(len(X) + 1)
        for number in range(80 * more):
            counts[slow_question(order, 1000 * seed + number)] += 1
        return agrees(counts, exact_law(order))

    holds(look)


@pytest.mark.parametrize("n_hypotheses", [20, 256])
def test_the_next_question_has_the_law_of_fresh_pairs(n_hypotheses: int) -> None:
    """With 20 hypotheses a pass needs a second draw, and every hypothesis meets two examples."""
    order = np.arange(20)
    # An empty pass is followed by another; its law is that of the first.
    law = exact_law(order)
    law[:-1] /= law[:-1].sum()
    law[-1] = 0.0

    def look(seed: int, more: int) -> float:
        learner = QueryByCommittee(X, order=order, n_hypotheses=n_hypotheses, random_state=seed)
        learner.tell(TOLD, Y[TOLD])
        counts = np.zeros(len(X) + 1)
        for number in range(1, 800 * more + 1):
            # As if the same reading had started at another place: draws are keyed by it.
            learner._history[4:] = [Event(int(TOLD[0]), 0, mark=20 * number)]
            learner._forget()
            counts[learner.ask()] += 1
        return agrees(counts, law)

    holds(look)


def test_one_draw_asks_about_examples_as_often_as_their_votes_say() -> None:
    examples = np.tile(np.arange(20), 400)
    shares = exact_shares()[:20]
    chance = 2 * shares * (1 - shares)

    def look(seed: int, more: int) -> np.ndarray:
        population = Population(3, 1024, seed)
        for wall in signed_units(X[TOLD], Y[TOLD]):
            population.add(wall)
        draws, asked = 4 * more, np.zeros(20)
        for number in range(draws):
            points = population.independent_points(number)
            rng = streams((seed, number), 1)[0]
            at = list(disagreements(Pool(X), examples, population.cone, points, rng))
            asked += np.bincount(examples[at], minlength=20)
        assert (asked[chance == 0] == 0).all()
        # Pairs of one draw share hypotheses: a draw of 1024 knows a share to about 0.016.
        spread = np.sqrt(chance * (1 - chance) / (400 * draws)) + 2 * np.abs(
            1 - 2 * shares
        ) * np.sqrt(shares * (1 - shares) / (1024 * draws))
        open_ = chance > 0.005
        return two_sided((asked / (400 * draws) - chance)[open_] / spread[open_])

    holds(look)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_every_hypothesis_is_in_one_pair_before_any_is_in_two(rounds: int) -> None:
    points = np.tile([-1.0, 0.0], (64, 1))
    points[17] = [1.0, 0.0]
    cone = Population(2, 256).cone.with_walls(np.eye(2))
    rows = np.tile([1.0, 0.0], (32 * rounds, 1))
    for seed in range(20):
        found = disagreements(
            Pool(rows), np.arange(len(rows)), cone, points, streams((seed,), 1)[0]
        )
        assert np.unique([at // 32 for at in found], return_counts=True)[1].tolist() == [1] * rounds


def test_rows_in_the_span_of_the_answers_are_decided_by_the_points_alone() -> None:
    rng = generator(2)
    wide = rng.standard_normal((40, 60))
    learner = QueryByCommittee(wide, classes=(-1, 1), n_hypotheses=256)
    labels = np.where(wide[:, 0] > 0, 1, -1)
    learner.tell(np.arange(30), labels[:30])
    copies = np.vstack([wide[:30], 3 * wide[:30], -wide[:30]])
    population = learner.population
    points = population.state.points
    for number in range(20):
        found = disagreements(
            Pool(copies), np.arange(90), population.cone, points, streams((number,), 1)[0]
        )
        assert list(found) == []


def test_the_order_is_read_on_from_the_question_that_was_answered() -> None:
    order = np.tile(np.arange(24), 3)
    learner = QueryByCommittee(X, classes=(-1, 1), order=order, n_hypotheses=256)
    places = [learner.place]
    for _ in range(8):
        i = learner.ask()
        learner.tell(i, Y[i])
        places.append(learner.place)
        assert order[(learner.place - 1) % len(order)] == i
    assert (np.diff(places) > 0).all()
    learner.undo()
    assert learner.place == places[-2]


def test_what_was_not_asked_does_not_move_the_reading() -> None:
    learner = QueryByCommittee(X, classes=(-1, 1), n_hypotheses=256)
    i = learner.ask()
    learner.tell(i, Y[i])
    place, question = learner.place, learner.ask()
    other = next(j for j in range(24) if j not in (i, question))
    learner.tell(other, Y[other])
    assert learner.place == place
    learner.undo()
    learner.skip(other)
    assert (learner.place, learner.ask()) == (place, question)
    learner.skip(question)
    assert learner.place > place


def test_only_what_is_in_the_order_is_asked() -> None:
    learner = QueryByCommittee(X, classes=(-1, 1), order=[3, 5, 3, 7], n_hypotheses=256)
    asked = []
    while not learner.finished:
        asked.append(learner.ask())
        learner.tell(asked[-1], Y[asked[-1]])
    assert set(asked) <= {3, 5, 7}
    with pytest.raises(Exhausted):
        learner.ask()


def test_rare_disagreement_is_found_after_empty_passes() -> None:
    # A cone of a tenth of a degree is cut once, near its edge, by the only example left.
    angles = np.deg2rad([0.0, 179.9, 179.998])
    walls = np.c_[-np.sin(angles), np.cos(angles)]
    pool = np.vstack([walls[0], -walls[1], walls[2], np.tile(walls[0], (50, 1))])
    narrow = Pool(pool, prepared=True)
    learner = QueryByCommittee(narrow, classes=(-1, 1), n_hypotheses=1000)
    learner.tell([0, 1], [1, -1])
    assert learner.ask() == 2
    share = learner.predict_proba()[2, 1]
    assert min(share, 1 - share) < 0.05


def test_it_finishes_with_every_label_right() -> None:
    rng = generator(8)
    pool = rng.standard_normal((300, 4))
    labels = np.where(pool @ rng.standard_normal(4) > 0, 1, -1)
    learner = QueryByCommittee(pool, classes=(-1, 1))
    while not learner.finished:
        i = learner.ask()
        learner.tell(i, labels[i])
    assert learner.n_answers < 100
    assert (learner.predict() == labels).mean() > 0.99


def test_a_random_hypothesis_is_consistent_and_votes_alone() -> None:
    learner = QueryByCommittee(X, classes=(-1, 1), predict_with="random", n_hypotheses=256)
    learner.tell(TOLD, Y[TOLD])
    shares = learner.predict_proba()
    assert set(np.unique(shares)) <= {0.0, 1.0}
    first = learner.population.hypotheses()[0]
    np.testing.assert_array_equal(learner.predict(X), np.where(X @ first >= 0, 1, -1))
    with pytest.raises(ValueError, match="predict_with must be one of vote, random"):
        QueryByCommittee(X, predict_with="svm")


def test_a_committee_has_two_members() -> None:
    for wrong in (0, 1):
        with pytest.raises(ValueError, match="n_hypotheses must be at least"):
            QueryByCommittee(X, n_hypotheses=wrong)
