"""Populations stay uniform while answers arrive, and go back, fork and resume without a trace.

Statistical tests look twice before they fail: see ``evidence.py``. Copies of one survivor are
correlated by less than 0.2 with it, so a population of k is worth nearly k draws, and tests take
its hypotheses for independent ones.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest, norm, pearsonr

from aluma.errors import Undecided
from aluma.sampling import afresh, settling
from aluma.sampling.chains import Walls
from aluma.sampling.kernels import MOST_UNCLEAR, Moving
from aluma.sampling.population import UNDO_DEPTH, Population
from aluma.sampling.settling import Mixing, flown_between
from closed_forms import (
    LAWS,
    Floats,
    Known,
    equicorrelated,
    gaussian_radius,
    orthant_law,
    orthogonal,
    random_walls,
    rotated,
    triangle,
    triangle_cells,
    units,
    wedge,
    weyl,
)
from evidence import caught, cells_fit, generator, holds, same_law, seed_of, stream, two_sided
from populations import differs, grown


def even_answers(d: int, answers: int, size: int, seed: int) -> tuple[Population, Floats]:
    """Answer the most even of 100 random questions each time, as a greedy learner would ask."""
    rng = stream(seed)
    target = rng.standard_normal(d)
    population, walls = Population(d, size, seed), []
    for _ in range(answers):
        questions = units(rng.standard_normal((100, d)))
        votes = (population.hypotheses() @ questions.T > 0).mean(axis=0)
        asked = questions[np.abs(votes - 0.5).argmin()]
        walls.append(asked * np.sign(asked @ target))
        population.add(walls[-1])
    return population, np.array(walls)


def same_rows(before: Floats, after: Floats) -> set[bytes]:
    """Return the hypotheses that are in both, bit for bit."""
    return {row.tobytes() for row in before} & {row.tobytes() for row in after}


# Uniformity.


@pytest.mark.parametrize(("d", "answers"), [(3, 20), (4, 40), (6, 30)])
def test_after_many_answers_it_is_uniform_still(d: int, answers: int) -> None:
    walls = random_walls(d, answers, generator(2, d, answers))

    def look(seed: int, more: int) -> list[float]:
        hypotheses = grown(walls, 2000 * more, seed).hypotheses()
        assert (hypotheses @ walls.T > 0).all()
        return differs(hypotheses, walls, seed, more)

    holds(look)


@pytest.mark.parametrize("d", [2, 6, 90])
def test_after_many_answers_at_once_it_is_uniform_too(d: int) -> None:
    """Chains that begin anew; in 90 dimensions answers leave some of them free."""
    walls = random_walls(d, 80, generator(10, d))

    def look(seed: int, more: int) -> list[float]:
        population = Population(d, 2000 * more, seed)
        population.add_many(walls)
        hypotheses = population.hypotheses()
        assert (hypotheses @ walls.T > 0).all()
        law = [angles_fit(hypotheses, walls)] if d == 2 else []
        return [*law, *differs(hypotheses, walls, seed, more)]

    holds(look)


@pytest.mark.parametrize(("d", "answers"), [(3, 20), (6, 40)])
def test_after_answers_that_it_chose_itself_it_is_uniform_still(d: int, answers: int) -> None:
    def look(seed: int, more: int) -> list[float]:
        population, walls = even_answers(d, answers, 2000 * more, seed)
        assert (population.hypotheses() @ walls.T > 0).all()
        return differs(population.hypotheses(), walls, seed, more)

    holds(look, first=d)


@pytest.mark.parametrize("d", [4, 10])
def test_after_answers_that_few_contradict_it_is_uniform_still(d: int) -> None:
    """Answers in random order: most of the later ones move only a part of the population."""
    walls = random_walls(d, 120, generator(9, d))

    def look(seed: int, more: int) -> list[float]:
        population, stayed = Population(d, 2000 * more, seed), 0
        for wall in walls:
            before = population.state.points
            population.add(wall)
            after = population.state.points
            stayed += before.shape == after.shape and len(same_rows(before, after)) > 0
        assert stayed > 50
        assert (population.hypotheses() @ walls.T > 0).all()
        return differs(population.hypotheses(), walls, seed, more)

    holds(look)


def test_between_many_walls_chains_fly_in_float32_and_it_is_uniform_still() -> None:
    walls = random_walls(10, settling.MANY_WALLS + 30, generator(13))
    assert flown_between(Walls.of(walls[: settling.MANY_WALLS], 10)).kind is np.float64
    assert flown_between(Walls.of(walls, 10)).kind is np.float32

    def look(seed: int, more: int) -> list[float]:
        population = grown(walls, 2000 * more, seed)
        assert (population.hypotheses() @ walls.T > 0).all()
        assert (population.independent(0) @ walls.T > 0).all()
        return [
            *differs(population.hypotheses(), walls, seed, more),
            *differs(population.independent(0), walls, seed, more),
        ]

    holds(look)


def test_wrong_walls_in_float32_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    single = Walls.single

    def lossy(walls: Walls) -> Walls:
        found = single(walls)
        vars(found)["pull"] = np.float32(0.8) * found.pull
        return found

    monkeypatch.setattr(settling, "MANY_WALLS", 0)
    walls = random_walls(6, 30, generator(14))

    def look(seed: int, more: int) -> list[float]:
        with monkeypatch.context() as wrong:
            wrong.setattr(Walls, "single", lossy)
            found = grown(walls, 4000 * more, seed).hypotheses()
        return differs(found, walls, seed, more)

    caught(look)


def test_where_float32_tells_too_little_chains_go_on_in_float64() -> None:
    narrow = Walls.of(wedge(1e-3).walls, 2)
    moving = Moving.of(np.array([[1.0, 5e-4]] * 64), narrow.single())
    assert moving.walls.kind is np.float32
    moving, flight = moving.flown(0.5, generator(15))
    assert flight.unclear > MOST_UNCLEAR
    assert moving.walls is narrow
    again, flight = moving.flown(0.5, generator(16))
    assert again.walls is narrow
    assert (again.chains.points @ narrow.normals.T > 0).all()


def test_nobody_stays_for_more_than_eight_answers() -> None:
    walls = random_walls(4, 60, generator(11))
    population = grown(walls, 1000)
    rest = Population(4, 1000)
    rest.restore(population.state)
    before = rest.state.points
    for wall in 1e3 * walls[:8] + generator(12).standard_normal((8, 4)):
        rest.add(wall / np.linalg.norm(wall))
        assert rest.mixing.ancestors > 0.9 * len(before)
    assert len(same_rows(before, rest.state.points)) == 0


@pytest.mark.parametrize("name", LAWS)
def test_populations_follow_laws_that_are_known(name: str) -> None:
    law = LAWS[name]

    def look(seed: int, more: int) -> list[float]:
        rng = stream(3, seed)
        return law.fit(gaussian_radius(grown(law.walls, 8192 * more, seed).hypotheses(), rng), rng)

    holds(look)


@pytest.mark.parametrize("case", range(3))
def test_angles_in_the_plane_are_uniform(case: int) -> None:
    """After 30 answers about random directions the wedge is between two of them."""
    walls = random_walls(2, 30, generator(4, case))
    holds(lambda seed, more: angles_fit(grown(walls, 4000 * more, seed).hypotheses(), walls))


def angles_fit(points: Floats, walls: Floats) -> float:
    angle, middle = (np.arctan2(w[..., 1], w[..., 0]) for w in (points, points.mean(axis=0)))
    edges = np.arctan2(-walls[:, 0], walls[:, 1])
    edges = np.concatenate([edges, edges + np.pi])
    from_middle = (edges - middle + np.pi) % (2 * np.pi) - np.pi
    low, high = from_middle[from_middle < 0].max(), from_middle[from_middle > 0].min()
    shift = (angle - middle + np.pi) % (2 * np.pi) - np.pi
    return float(kstest(shift, "uniform", (low, high - low)).pvalue)


def test_cells_of_a_spherical_triangle_are_as_full_as_they_are_large() -> None:
    walls = random_walls(3, 3, generator(5))
    cells = triangle_cells(walls)

    def look(seed: int, more: int) -> float:
        return cells_fit(cells.count(grown(walls, 8192 * more, seed).hypotheses()), cells.shares)

    holds(look)


def test_a_population_that_does_not_move_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies that stay where they are leave fewer and fewer different hypotheses."""

    def still(points: Floats, *_: object) -> tuple[Floats, Mixing, float]:
        return points, Mixing(1.0, np.nan, 0, 0, 1.0, 1.0, 0.0, 0), 0.0

    monkeypatch.setattr(settling, "fly_until", still)
    walls = random_walls(4, 20, generator(2, 4, 40))

    def look(seed: int, more: int) -> list[float]:
        # Larger ones are no further off: copies are as many times more as all are.
        found = (grown(walls, 2000, seed + i).hypotheses() for i in range(4 * more))
        return [p for one in found for p in differs(one, walls, seed)]

    caught(look)


def test_radii_are_those_of_the_ball_and_drawn_anew_on_request() -> None:
    walls = random_walls(5, 8, generator(6))

    def look(seed: int, more: int) -> list[float]:
        population = grown(walls, 5000 * more, seed)
        radius = np.linalg.norm(population.hypotheses(), axis=1)
        np.testing.assert_array_equal(population.hypotheses(), population.hypotheses())
        other = np.linalg.norm(population.hypotheses(fresh=1), axis=1)
        assert (radius != other).all()
        return [kstest(x**5, "uniform").pvalue for x in (radius, other)]

    holds(look)


def test_directions_without_answers_are_free() -> None:
    def look(seed: int, more: int) -> list[float]:
        two, none = grown(np.eye(2, 6), 5000 * more, seed), Population(3, 5000 * more, seed)
        points = gaussian_radius(two.hypotheses(), stream(7, seed))
        assert (points[:, :2] > 0).all()
        nobody = gaussian_radius(none.hypotheses(), stream(8, seed))
        return [kstest(x, norm.cdf).pvalue for x in (*points[:, 2:].T, *nobody.T)]

    holds(look)


def test_independent_draws_are_uniform_and_know_nothing_of_the_population() -> None:
    f = stream(28).standard_normal((4, 5))

    def look(seed: int, more: int) -> list[float]:
        population, walls = even_answers(4, 15, 2000 * more, seed)
        once, again, other = (population.independent(number) for number in (0, 0, 1))
        np.testing.assert_array_equal(once, again)
        assert (once @ walls.T > 0).all()
        p = differs(once, walls, seed, more)
        for a, b in ((population.hypotheses(), once), (once, other)):
            pairs = zip((units(a) @ f).T, (units(b) @ f).T, strict=True)
            p += [pearsonr(x, y).pvalue for x, y in pairs]
        return p

    holds(look, first=27)


def test_independent_draws_without_answers() -> None:
    population = Population(3, 500)
    assert population.independent(0).shape == (500, 3)
    assert (population.independent(0) != population.independent(1)).all()
    assert (population.independent(0) != population.hypotheses()).all()


def test_a_share_that_was_chosen_for_being_small_is_judged_fairly_by_independent_draws() -> None:
    """The orthant looks the same from all permutations of a question: they have one true share.

    That of 400 with the smallest vote has one several standard deviations too small in the
    population that voted; in independent draws it is what it is.
    """
    question = np.array([3.0, 2.0, 1.0, -1.0, -1.5, -2.0, -2.5, -3.0])

    def votes(seed: int, more: int) -> tuple[float, float]:
        """Return how far the smallest vote and the fair one are off, in standard errors."""
        rng, population = stream(29, seed), grown(np.eye(8), 2000 * more, seed)
        questions = rng.permuted(np.tile(question, (400, 1)), axis=1)
        votes = (population.hypotheses() @ questions.T > 0).mean(axis=0)
        fair = (population.independent(0) @ questions[votes.argmin()] > 0).mean()
        truth = (orthant_law(8).draw(200_000 * more, rng) @ question > 0).mean()
        error = np.sqrt(truth * (1 - truth) * (1 / (2000 * more) + 1 / (200_000 * more)))
        return (votes.min() - truth) / error, (fair - truth) / error

    # The least of 400 is beyond 2.5 in most populations; in one of five it surely is.
    assert min(votes(seed_of(number), 1)[0] for number in range(5)) < -2
    holds(lambda seed, more: two_sided(votes(seed, more)[1]))


# Undo, fork, restore, replay.


def same(one: Population, other: Population) -> bool:
    return (
        np.array_equal(one.hypotheses(), other.hypotheses())
        and one.log_volume == other.log_volume
        and np.array_equal(one.cone.walls, other.cone.walls)
        and one.state.key == other.state.key
    )


def test_undo_and_redo_is_no_change() -> None:
    # As many walls as dimensions: the other side of the last is never empty.
    walls = units(random_walls(6, 6, generator(16)))
    population, before, after = grown(walls), grown(walls[:-1]), grown(walls)
    population.undo()
    assert same(population, before)
    population.add(walls[-1])
    assert same(population, after)
    population.undo()
    population.add(-walls[-1])
    assert not same(population, after)


def test_undo_has_an_end() -> None:
    population = Population(3, 100)
    with pytest.raises(LookupError, match="nothing to undo"):
        population.undo()
    for wall in random_walls(3, UNDO_DEPTH + 2, generator(17)):
        population.add(wall)
    for _ in range(UNDO_DEPTH):
        population.undo()
    assert len(population.cone) == 2
    with pytest.raises(LookupError, match=f"at most {UNDO_DEPTH} answers"):
        population.undo()


def test_a_fork_goes_its_own_way() -> None:
    walls = random_walls(3, 5, generator(18))
    population = grown(walls[:3])
    kept = grown(walls[:3])
    twin = population.fork()
    twin.add(walls[3])
    assert same(population, kept)
    population.add(walls[3])
    assert same(population, twin)
    twin.undo()
    twin.undo()
    assert len(twin.cone) == 2
    assert len(population.cone) == 4


def test_restore_goes_on_from_a_state() -> None:
    walls = units(random_walls(3, 5, generator(19)))
    population = grown(walls[:3])
    state = population.state
    population.add(walls[3])
    population.restore(state)
    assert same(population, grown(walls[:3]))
    with pytest.raises(LookupError, match="nothing to undo"):
        population.undo()
    population.add(walls[3])
    assert same(population, grown(walls[:4]))


def test_seed_and_order_of_answers_decide() -> None:
    walls = random_walls(3, 3, generator(20))
    assert same(grown(walls, seed=seed_of(1)), grown(walls, seed=seed_of(1)))
    assert not same(grown(walls, seed=seed_of(1)), grown(walls, seed=seed_of(2)))
    assert not same(grown(walls), grown(walls[::-1]))


def test_a_numpy_seed_is_as_good_as_an_int() -> None:
    walls = random_walls(3, 3, generator(20))
    assert same(grown(walls, seed=seed_of(5)), grown(walls, seed=np.int64(seed_of(5))))


@pytest.mark.parametrize("size", [0, -5])
def test_sizes_below_one_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"size must be at least 1, got {size}"):
        Population(3, size)


@pytest.mark.parametrize("size", [1, 255, 257])
def test_sizes_need_not_be_whole_blocks(size: int) -> None:
    population = grown(np.eye(3), size)
    assert population.hypotheses().shape == (size, 3)
    assert (population.hypotheses() > 0).all()


@pytest.mark.parametrize("answers", [3, 40])
def test_voters_are_the_hypotheses_where_answers_constrain_them(answers: int) -> None:
    population = grown(random_walls(20, answers, generator(22)))
    voters = population.voters()
    assert voters.dtype == np.float32
    basis = population.cone.basis
    np.testing.assert_allclose(
        units(voters @ basis), units(population.hypotheses() @ basis), atol=2e-6
    )


def test_voters_follow_the_law_of_hypotheses() -> None:
    """Products with a random direction and with a wall."""
    walls = random_walls(6, 3, generator(23))
    f = np.stack([stream(24).standard_normal(6), walls[0]]).T

    def look(seed: int, more: int) -> list[float]:
        population = grown(walls, 20_000 * more, seed)
        return same_law(units(population.voters()) @ f, units(population.independent(0)) @ f)

    holds(look)


def test_more_voters_are_the_population_flown_on() -> None:
    population = grown(random_walls(5, 8, generator(25)), 300)
    voters = population.voters(3)
    assert voters.shape == (900, 5)
    np.testing.assert_array_equal(voters[:300], population.voters())
    assert (voters @ population.cone.walls.T > -1e-6).all()
    assert len(np.unique(voters, axis=0)) == 900


# Volume on the side.


@pytest.mark.parametrize(
    "known",
    [wedge(0.3), triangle(random_walls(3, 3, generator(24))), orthogonal(8, 8), weyl(6),
     weyl(12), equicorrelated(8), rotated(weyl(5), generator(25), spare=4)],
)  # fmt: skip
def test_volume_comes_along_with_answers_that_nobody_chose(known: Known) -> None:
    """Its variance is the sum of (1 - p) / (p k) over the answers, and somewhat more for copies."""

    def look(seed: int, more: int) -> float:
        population = Population(known.walls.shape[1], 4096 * more, seed)
        shares = []
        for wall in units(known.walls):
            before = population.log_volume
            population.add(wall)
            shares.append(np.exp(population.log_volume - before))
        p = np.array(shares)
        error = np.sqrt(1.2 * ((1 - p) / (p * 4096 * more)).sum())
        return two_sided((population.log_volume - known.log_volume) / error).item()

    holds(look)


def test_volume_only_falls() -> None:
    population = Population(4, 500)
    volumes = [population.log_volume]
    for wall in random_walls(4, 15, generator(26)):
        population.add(wall)
        volumes.append(population.log_volume)
    assert volumes[0] == 0
    assert all(a >= b for a, b in itertools.pairwise(volumes))


def test_where_chains_do_not_come_away_from_a_point_that_is_found_out_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wedge of a millionth, and 68 other walls: absorbing them says that it is too thin."""
    flown: list[int] = []
    forget = afresh.forget

    def counted(*given: Any) -> Any:
        try:
            return forget(*given)
        finally:
            flown.append(given[-1])

    monkeypatch.setattr(afresh, "forget", counted)
    rng = generator(21)
    inside, across = np.linalg.qr(rng.standard_normal((10, 2)))[0].T
    others = rng.standard_normal((68, 10))
    others *= np.sign(others @ inside)[:, None]
    thin = np.array([across, -across]) + 1e-6 * inside
    with pytest.raises(Undecided):
        afresh.drawn_afresh(Population(10, 256, seed_of(1)).state, units(np.vstack([others, thin])))
    assert flown == [settling.MAX_FLIGHTS]
