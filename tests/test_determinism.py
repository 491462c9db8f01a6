"""Same seed, same hypotheses, bit for bit: whatever the threads and the pattern of calls."""

from collections.abc import Callable, Iterator
from dataclasses import asdict

import numba
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from aluma import VersionSpace
from aluma.sampling.absorption import FEW
from aluma.sampling.population import Population
from evidence import generator, holds, seed_of, two_sided

SAMPLERS = ("reflection", "hit_and_run")


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    """Return what sets the number of threads; the old one comes back afterwards."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("needs two threads: numba was started with one")
    before = numba.get_num_threads()
    yield numba.set_num_threads
    numba.set_num_threads(before)


def answers(t: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(seed)
    X = rng.standard_normal((t, d))
    return X, np.where(X @ rng.standard_normal(d) > 0, 1, -1)


def space(t: int, d: int, seed: int = 0) -> VersionSpace:
    V = VersionSpace(d)
    V.add(*answers(t, d, seed))
    return V


def normals(t: int, d: int, seed: int = 0) -> np.ndarray:
    X, y = answers(t, d, seed)
    return X * y[:, None] / np.linalg.norm(X, axis=1, keepdims=True)


def population(t: int, d: int, size: int = 600, seed: int | None = None) -> Population:
    filled = Population(d, size, seed_of(0) if seed is None else seed)
    # The first of many, so that a test can go on with the others.
    for normal in normals(max(t, 30), d)[:t]:
        filled.add(normal)
    return filled


def surprise(known: Population) -> np.ndarray:
    """Return an answer that very few hypotheses expect, but that some could agree with."""
    W = known.hypotheses()
    axis = W.mean(axis=0)
    axis /= np.linalg.norm(axis)
    across = generator(9).standard_normal(len(axis))
    across -= (across @ axis) * axis
    # In front are those whose tangent across the axis is larger than that of nearly all.
    normal = across - 1.05 * np.sort((W @ across) / (W @ axis))[-3] * axis
    return np.asarray(normal / np.linalg.norm(normal))


def draws(t: int, d: int) -> dict[str, np.ndarray]:
    """Return everything random that a version space gives, from several blocks of chains."""
    V = space(t, d)
    single = VersionSpace(d)
    for x, y in zip(*answers(t, d), strict=True):
        single.add(x, y)
    return {
        "reflection": V.sample(600, random_state=seed_of(3)),
        "one by one": single.sample(300, random_state=seed_of(3)),
        "hit_and_run": V.sample(300, "hit_and_run", steps=25, random_state=seed_of(3)),
        "determined": V.determined(answers(20, d, 1)[0]),
    }


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


# --- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("t", "d"), [(1, 1), (3, 2), (12, 5), (40, 30), (60, 300)])
def test_samples_are_the_same_on_one_and_two_threads(
    t: int, d: int, threads: Callable[[int], None]
) -> None:
    threads(1)
    one = draws(t, d)
    threads(2)
    assert_same(one, draws(t, d))


@pytest.mark.parametrize(("t", "d"), [(12, 5), (60, 300)])
def test_samples_are_the_same_on_one_and_two_threads_of_the_linear_algebra(t: int, d: int) -> None:
    """Reflections are chaotic: a product summed in another order would end elsewhere."""
    with threadpool_limits(1, user_api="blas"):
        one = draws(t, d)
    with threadpool_limits(2, user_api="blas"):
        assert_same(one, draws(t, d))


def test_volumes_are_the_same_on_one_and_two_threads(threads: Callable[[int], None]) -> None:
    threads(1)
    one = [space(8, 4).log_volume(0.9, 0.5, random_state=seed_of(seed)) for seed in range(3)]
    threads(2)
    two = [space(8, 4).log_volume(0.9, 0.5, random_state=seed_of(seed)) for seed in range(3)]
    with threadpool_limits(1, user_api="blas"):
        three = [space(8, 4).log_volume(0.9, 0.5, random_state=seed_of(seed)) for seed in range(3)]
    assert one == two == three
    assert len(set(one)) > 1


def test_populations_are_the_same_on_one_and_two_threads(threads: Callable[[int], None]) -> None:
    found = []
    for count in (1, 2):
        threads(count)
        grown = population(40, 10)
        before = grown.hypotheses()
        grown.add(surprise(grown))
        assert grown.mixing.gradual > 0, "the answer should be one that hardly anybody expects"
        assert grown.mixing.ancestors >= FEW
        found.append((before, grown.hypotheses(), grown.log_volume, grown.mixing.effective))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_populations_are_the_same_on_one_and_two_threads_of_the_linear_algebra() -> None:
    found = []
    for count in (1, 2):
        with threadpool_limits(count, user_api="blas"):
            found.append(population(30, 300).hypotheses())
    np.testing.assert_array_equal(*found)


# --- patterns of calls ---------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(("t", "d"), [(0, 3), (1, 1), (10, 4), (8, 40)])
def test_fewer_draws_are_the_first_of_more(t: int, d: int, sampler: str) -> None:
    V = space(t, d) if t else VersionSpace(d)
    more = V.sample(700, sampler, steps=20, random_state=seed_of(1))
    for n in (1, 2, 255, 256, 257, 512):
        np.testing.assert_array_equal(
            V.sample(n, sampler, steps=20, random_state=seed_of(1)), more[:n]
        )


def test_fewer_draws_are_the_first_of_more_with_the_default_number_of_steps() -> None:
    V = space(10, 4)
    np.testing.assert_array_equal(V.sample(10), V.sample(300)[:10])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_what_was_drawn_before_does_not_matter(sampler: str) -> None:
    V, fresh = space(10, 4), space(10, 4)
    V.sample(5, "reflection", random_state=seed_of(8))
    V.sample(5, "hit_and_run", steps=2, random_state=seed_of(8))
    V.determined(np.eye(4))
    V.log_volume(0.9, 0.5)
    np.testing.assert_array_equal(V.sample(50, sampler, 10), fresh.sample(50, sampler, 10))
    assert V.log_volume(0.9, 0.5) == fresh.log_volume(0.9, 0.5)


def test_an_array_of_answers_gives_the_law_that_single_answers_give() -> None:
    """Not the same bits: the basis differs."""
    X, y = answers(15, 5)
    together, singles = space(15, 5), VersionSpace(5)
    for x, label in zip(X, y, strict=True):
        singles.add(x, label)
    functions = np.hstack([np.eye(5), X.T])

    def look(seed: int, more: int) -> np.ndarray:
        one, two = (
            space.sample(4096 * more, random_state=seed + number) @ functions
            for number, space in enumerate((together, singles))
        )
        error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / (4096 * more))
        return two_sided((one.mean(axis=0) - two.mean(axis=0)) / error)

    holds(look)


# --- seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("d", [1, 4, 60])
def test_another_seed_gives_other_hypotheses(sampler: str, d: int) -> None:
    V = space(10, d)
    seeds = [0, 1, 2**40, generator(0), None, None]
    found = np.vstack([V.sample(20, sampler, 10, seed) for seed in seeds])
    assert len(np.unique(found, axis=0)) == 20 * len(seeds)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_generator_is_used_up_and_can_be_repeated(sampler: str) -> None:
    V = space(6, 3)
    first, again = generator(7), generator(7)
    one, two = (V.sample(30, sampler, 10, first) for _ in range(2))
    assert not np.isin(one, two).any()
    np.testing.assert_array_equal(V.sample(30, sampler, 10, again), one)
    np.testing.assert_array_equal(V.sample(30, sampler, 10, again), two)


def test_volumes_depend_on_the_seed_and_take_a_generator() -> None:
    V = space(8, 4)
    known = [V.log_volume(0.9, 0.5, seed) for seed in range(4)]
    # They are counts of chains, so that two of them may agree by chance.
    assert len(set(known)) > 1
    assert V.log_volume(0.9, 0.5, 1) == known[1]
    one, two = (V.log_volume(0.9, 0.5, generator(3)) for _ in range(2))
    assert one == two
    assert V.log_volume(0.9, 0.5, None) < 0


def test_an_integer_of_numpy_is_the_same_seed() -> None:
    V = space(6, 3)
    np.testing.assert_array_equal(
        V.sample(9, random_state=np.int32(seed_of(5))), V.sample(9, random_state=seed_of(5))
    )


# --- populations ---------------------------------------------------------------------------------


def test_the_same_answers_in_the_same_order_give_the_same_population() -> None:
    one, two, other = population(20, 6), population(20, 6), population(20, 6, seed=seed_of(1))
    np.testing.assert_array_equal(one.hypotheses(), two.hypotheses())
    np.testing.assert_equal(asdict(one.mixing), asdict(two.mixing))
    assert not np.isin(one.hypotheses(), other.hypotheses()).any()


def test_undo_goes_back_exactly_and_redo_gives_the_same_again() -> None:
    grown = population(12, 6)
    states = [grown.hypotheses()]
    fresh = normals(30, 6)[12:20]
    for normal in fresh:
        grown.add(normal)
        states.append(grown.hypotheses())
    for state in states[-2::-1]:
        grown.undo()
        np.testing.assert_array_equal(grown.hypotheses(), state)
    for normal, state in zip(fresh, states[1:], strict=True):
        grown.add(normal)
        np.testing.assert_array_equal(grown.hypotheses(), state)


def test_a_fork_goes_its_own_way_and_can_take_the_same_one() -> None:
    grown = population(12, 6)
    before = grown.hypotheses()
    fork = grown.fork()
    first, second = normals(30, 6)[12:14]
    fork.add(first)
    fork.add(second)
    np.testing.assert_array_equal(grown.hypotheses(), before)
    assert len(grown.cone) == 12
    grown.add(first)
    grown.add(second)
    np.testing.assert_array_equal(grown.hypotheses(), fork.hypotheses())
    fork.undo()
    fork.undo()
    np.testing.assert_array_equal(fork.hypotheses(), before)
    assert len(grown.cone) == 14


def test_a_restored_state_goes_on_as_the_original_did() -> None:
    grown = population(12, 6)
    elsewhere = Population(6, 600, seed_of(0))
    elsewhere.restore(grown.state)
    normal = normals(30, 6)[12]
    grown.add(normal)
    elsewhere.add(normal)
    np.testing.assert_array_equal(grown.hypotheses(), elsewhere.hypotheses())


def test_free_directions_are_drawn_anew_only_for_another_number() -> None:
    grown = population(3, 8)
    np.testing.assert_array_equal(grown.hypotheses(1), grown.hypotheses(1))
    one, two = grown.hypotheses(1), grown.hypotheses(2)
    assert not np.isin(one, two).any()
    # Every hypothesis still agrees with every answer, whatever was drawn.
    assert (two @ normals(30, 8)[:3].T > 0).all()
