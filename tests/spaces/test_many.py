"""The version space of several classes, against Gaussian draws that simply agree by chance."""

import numpy as np
import pytest
from scipy import sparse

from aluma.arrays import Floats, Ints
from aluma.errors import Conflict
from aluma.geometry.kesler import Factors, Grid, contrasts
from aluma.pool import Pool
from aluma.representation.bias import bias_share, with_bias
from aluma.sampling.bulk import LEAST_DIFFERING
from aluma.spaces import many
from aluma.spaces.history import Event, column
from aluma.spaces.many import ManySpace
from evidence import generator, holds, seed_of, two_sided


def small_pool(seed: int, m: int = 40, d: int = 3) -> Floats:
    return generator(seed).standard_normal((m, d))


def accepted(X: Floats, told: list[tuple[int, int]], classes: int, n: int, seed: int) -> Floats:
    """Draw Gaussian matrices until some agree with all answers: slow, and right by definition."""
    rng, rows = generator(seed), [index for index, _ in told]
    columns = np.array([column(sign) for _, sign in told])
    kept: list[Floats] = []
    while sum(map(len, kept)) < n:
        matrices = rng.standard_normal((20_000, classes, X.shape[1]))
        votes = np.einsum("nkd,id->nik", matrices, X[rows]).argmax(axis=2)
        kept.append(matrices[(votes == columns).all(axis=1)])
    return np.concatenate(kept)[:n]


def votes_of(X: Floats, matrices: Floats, classes: int) -> Floats:
    votes = np.einsum("nkd,id->nik", matrices, X).argmax(axis=2)
    return np.stack([(votes == c).mean(axis=0) for c in range(classes)], axis=1)


@pytest.mark.parametrize("classes", [2, 3, 5, 20])
def test_contrasts_are_a_simplex(classes: int) -> None:
    corners = contrasts(classes)
    np.testing.assert_allclose(corners.T @ corners, np.eye(classes - 1), atol=1e-12)
    np.testing.assert_allclose(corners.sum(axis=0), 0.0, atol=1e-12)


def test_walls_say_that_a_class_leads() -> None:
    rng = generator(1)
    x, W = rng.standard_normal(4), rng.standard_normal((5, 4))
    inside = (W.T @ contrasts(5)).ravel()
    for k in range(5):
        factors = Factors.none(5).with_answer(x, k)
        walls = factors.walls()
        np.testing.assert_allclose(np.linalg.norm(walls, axis=1), 1.0)
        others = np.delete(W @ x, k)
        np.testing.assert_allclose(
            walls @ inside * np.sqrt(2) * np.linalg.norm(x), W[k] @ x - others
        )


def test_arithmetic_with_factors_is_that_with_walls() -> None:
    rng = generator(13)
    factors = Factors.none(4)
    for n in (1, 2, 2, 3):
        factors = factors.with_answer(rng.standard_normal(n), int(rng.integers(4)))
    walls, points = factors.walls(), rng.standard_normal((7, 9))
    assert walls.shape == (12, 9)
    grid = Grid.of(factors)
    assert sorted(grid.walls[grid.walls >= 0]) == list(range(12))
    np.testing.assert_array_equal(grid.walls.ravel()[grid.places], np.arange(12))
    for k, place in np.argwhere(grid.walls < 0):
        assert grid.starts[k] <= place < grid.starts[k + 1]
    np.testing.assert_allclose(factors.products(points), points @ walls.T, atol=1e-12)
    weights = rng.standard_normal((7, 12))
    np.testing.assert_allclose(factors.combined(weights), weights @ walls, atol=1e-12)
    few = factors.first(7)
    assert len(few) == len(Grid.of(few).places) == 7
    np.testing.assert_array_equal(few.walls(), walls[:7])
    np.testing.assert_allclose(few.products(points), points @ walls[:7].T, atol=1e-12)
    np.testing.assert_allclose(few.combined(weights[:, :7]), weights[:, :7] @ walls[:7], atol=1e-12)


@pytest.mark.parametrize(("classes", "bias"), [(3, False), (4, False), (3, True)])
def test_votes_are_those_of_gaussian_matrices_that_agree(classes: int, bias: bool) -> None:
    """Shares on 40 examples within five standard errors of both: false alarms below 1 in 1e4."""
    X = small_pool(2)
    target = generator(3).standard_normal((classes, 3))
    labels = (X @ target.T).argmax(axis=1)
    told = [(i, int(labels[i]) or -1) for i in range(5)]
    pool = with_bias(X, bias)
    space = ManySpace(pool, classes, 2048, 0)
    for index, sign in told:
        space.add(index, sign)
    if bias:
        # Weights of the bias are drawn otherwise, which is another constant.
        share = bias_share(pool)
        assert not 0.9 < share < 1.1
        X = np.hstack([X, np.full((len(X), 1), share * pool.constant)])
    expected = votes_of(X, accepted(X, told, classes, 4000, 4), classes)
    found = space.shares(pool)
    noise = np.sqrt(expected * (1 - expected) * (1 / 2048 + 1 / 4000)) + 2e-3
    assert (np.abs(found - expected) < 5 * noise).all()
    for index, sign in told:
        assert found[index, column(sign)] == 1.0


def test_two_classes_are_the_plain_version_space() -> None:
    """Kesler's construction of two classes is the paper's cone: the same shares of votes."""
    from aluma.spaces.plain import PlainSpace

    X, told = small_pool(5), [(0, 1), (1, -1), (2, -1)]
    many, plain = ManySpace(Pool(X), 2, 2048, 0), PlainSpace(Pool(X), 2048, 0)
    for index, sign in told:
        many.add(index, sign)
        plain.add(index, sign)
    p = plain.shares(Pool(X))
    noise = np.sqrt(2 * p * (1 - p) / 2048) + 2e-3
    assert (np.abs(many.shares(Pool(X))[:, 1] - p) < 5 * noise).all()


def test_slack_is_the_lifted_cone_of_each_class() -> None:
    """Against draws with numbers of their own: utilities with noise H^(1/4) agree by chance."""
    X, classes, slack = small_pool(6), 3, 0.5
    told = [(0, -1), (1, 1), (2, 2), (3, -1)]
    pool = Pool(X)
    space = ManySpace(pool, classes, 2048, 0, slack=slack)
    for index, sign in told:
        space.add(index, sign)
    longest = np.linalg.norm(X, axis=1).max()
    rng, noise = generator(7), slack**0.25 * longest
    W = rng.standard_normal((400_000, classes, 3))
    rows, columns = [i for i, _ in told], np.array([column(s) for _, s in told])
    utilities = np.einsum("nkd,id->nik", W, X[rows])
    utilities += noise * rng.standard_normal(utilities.shape)
    W = W[(utilities.argmax(axis=2) == columns).all(axis=1)]
    unasked = np.arange(4, 40)
    later = np.einsum("nkd,id->nik", W, X[unasked])
    later += noise * rng.standard_normal(later.shape)
    votes = later.argmax(axis=2)
    expected = np.stack([(votes == c).mean(axis=0) for c in range(classes)], axis=1)
    found = space.shares(pool)[unasked]
    off = np.sqrt(expected * (1 - expected) * (1 / 2048 + 1 / len(W))) + 2e-3
    assert (np.abs(found - expected) < 5 * off).all()


def late(seed: int, size: int, answers: int, watched: bool = False) -> tuple[Pool, ManySpace]:
    """Return a space of three classes after some answers about examples of four features."""
    X = small_pool(31, 200, 4)
    labels = (X @ generator(32).standard_normal((3, 4)).T).argmax(axis=1)
    pool = Pool(X)
    space = ManySpace(pool, 3, size, seed_of(seed))
    for i in range(answers):
        space.add(i, int(labels[i]) or -1)
        if watched:
            space.voters()
    return pool, space


def lineages(space: ManySpace) -> int:
    return len(np.unique(space.population.points[:, 0]))


def test_late_copies_do_not_fly_before_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then they have, all of them; and what is asked later does not depend on who looked."""
    monkeypatch.setattr(many, "LATE", 20)
    monkeypatch.setattr(many, "LATE_FOR_EACH", 1)
    # Between two searches for a trajectory length, which all take part in.
    _, space = late(0, 512, 36)
    assert 512 * LEAST_DIFFERING <= lineages(space) < 512
    assert space.population.mixing.effective < 512
    rested = space.population.rested()
    assert len(np.unique(rested[:, 0])) == 512
    assert (space._factors.products(rested) > 0).all()
    assert lineages(space) < 512
    _, watched = late(0, 512, 36, watched=True)
    assert watched.key == space.key
    np.testing.assert_array_equal(watched.population.points, space.population.points)
    np.testing.assert_array_equal(watched.fork().voters(), space.voters())


def test_late_votes_are_those_of_chains_that_flew_after_every_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shares of voters and of jurors on every example on which votes are divided."""
    monkeypatch.setattr(many, "LATE", 20)
    monkeypatch.setattr(many, "LATE_FOR_EACH", 1)

    def look(seed: int, more: int) -> list[float]:
        n = 2048 * more
        pool, tired = late(seed, n, 47)
        with monkeypatch.context() as eager:
            eager.setattr(many, "LATE", 1000)
            _, fresh = late(seed + 500, n, 47)
        assert lineages(tired) < n == lineages(fresh)
        found: list[float] = []
        for shares in (ManySpace.shares, ManySpace.vote):
            one, other = shares(tired, pool), shares(fresh, pool)
            p = (one + other) / 2
            divided = (p > 0.02) & (p < 0.98)
            assert divided.any()
            # Copies that flew have less than a fifth in common with those they come from.
            off = np.sqrt(1.2 * 2 * p * (1 - p) / n)[divided]
            found += two_sided((one - other)[divided] / off).tolist()
        return found

    holds(look)


def test_the_same_example_told_twice_is_a_conflict_or_nothing() -> None:
    X = small_pool(8)
    X[1] = 2 * X[0]
    space = ManySpace(Pool(X), 3, 256, 0)
    space.add(0, -1)
    key = space.key
    space.add(0, -1)
    assert space.key == key
    with pytest.raises(Conflict) as found:
        space.add(1, 2)
    assert found.value.indices == (0, 1)
    assert space.key == key


def test_going_back_is_exact() -> None:
    X = small_pool(9)
    labels = (X @ generator(10).standard_normal((4, 3)).T).argmax(axis=1)
    events = [Event(i, int(labels[i]) or -1) for i in range(8)]
    space, once = ManySpace(Pool(X), 4, 256, 0), ManySpace(Pool(X), 4, 256, 0)
    for event in events:
        space.add(event.index, event.sign)
    for event in events[:5]:
        once.add(event.index, event.sign)
    space.back_to(events[:5])
    np.testing.assert_array_equal(space.voters(), once.voters())
    space.forget_steps()
    space.back_to(events[:3])
    assert space.wall_examples == (0, 1, 2)
    twin = space.fork()
    twin.add(7, events[7].sign)
    assert space.wall_examples == (0, 1, 2)


def test_more_features_than_answers_leave_the_rest_free() -> None:
    """Chains move in the span of the answers, whatever the number of features."""
    X = generator(11).standard_normal((30, 500))
    labels: Ints = generator(12).integers(0, 3, 30)
    space = ManySpace(Pool(X), 3, 256, 0)
    for i in range(6):
        space.add(i, int(labels[i]) or -1)
    assert space.population.cone.dimension == 6 * 2
    found = space.shares(Pool(X))
    assert (found[np.arange(6), labels[:6]] == 1.0).all()
    assert space.voters().shape == (256, 3, 500)


def test_early_questions_are_chosen_by_more_hypotheses() -> None:
    X = small_pool(31, m=80, d=6)
    y = X[:, :3].argmax(axis=1)

    def told(pool: Pool, answers: int) -> ManySpace:
        space = ManySpace(pool, 3, 256, 0)
        space.add_many([(index, int(y[index]) or -1) for index in range(answers)])
        return space

    pool = with_bias(X, True)
    for answers, times in ((0, 4), (many.EARLY - 1, 4), (many.EARLY, 1)):
        space = told(pool, answers)
        assert len(space.voters()) == 256
        assert len(space.voters(4)) == times * 256
        # Others, not the same again.
        matrices = space.voters(4).reshape(times * 256, -1)
        assert len(np.unique(matrices, axis=0)) > 0.9 * len(matrices)
    wide = sparse.random(80, 2500, 0.02, "csr", random_state=generator(32))
    assert len(told(with_bias(wide, True), 5).voters(4)) == 256
