"""What the proofs take for granted: draws that no question was chosen by."""

from typing import Any

import numpy as np
import pytest

from aluma.learners.aluma import ALuMA
from aluma.learners.cal import CAL
from aluma.learners.passive import Passive
from aluma.learners.simple_margin import SimpleMargin
from aluma.pool import Pool
from aluma.sampling.population import VERIFY, VOTE, Population
from aluma.strategies import volume_greedy
from closed_forms import units
from evidence import generator, holds, seed_of
from paper import paper
from populations import differs, grown


def asked(learner: ALuMA, target: Any, n: int) -> ALuMA:
    for _ in range(n):
        i = learner.ask()
        learner.tell(i, 1 if learner.pool.rows([i])[0] @ target > 0 else -1)
    return learner


@pytest.fixture
def learner() -> ALuMA:
    X = generator(31).standard_normal((60, 4))
    return asked(paper(X, classes=(-1, 1), n_hypotheses=300), np.arange(4) - 1.2, 6)


def refuse(*_: Any, **__: Any) -> None:
    raise AssertionError("these were not to be looked at")


def test_questions_are_by_voters_and_labels_by_a_jury(
    learner: ALuMA, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = learner.fork().ask()
    with monkeypatch.context() as patch:
        patch.setattr(Population, "jury", refuse)
        assert learner.fork().ask() == question
        with pytest.raises(AssertionError, match="looked at"):
            learner.predict()
    monkeypatch.setattr(Population, "voters", refuse)
    learner.predict()
    with pytest.raises(AssertionError, match="looked at"):
        learner.fork().ask()


def test_verified_questions_are_by_a_jury_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    X = generator(32).standard_normal((12, 2))
    learner = asked(paper(X, classes=(-1, 1), estimate="verified"), np.array([1.0, 0.4]), 2)
    monkeypatch.setattr(Population, "voters", refuse)
    learner.ask()


@pytest.mark.parametrize("kind", [Passive, SimpleMargin, CAL])
def test_where_no_hypothesis_chooses_all_of_them_are_a_jury(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = generator(33).standard_normal((40, 3))
    learner = kind(X, classes=(-1, 1), predict_with="vote", n_hypotheses=300)
    unseen = kind(X, classes=(-1, 1), predict_with="vote", n_hypotheses=300)
    target = np.array([1.0, -0.3, 0.2])
    for _ in range(8):
        i = learner.ask()
        learner.predict()
        learner.tell(i, 1 if X[i] @ target > 0 else -1)
        # One whose hypotheses nobody has looked at asks the same: they choose nothing.
        assert unseen.ask() == i
        unseen.tell(i, 1 if X[i] @ target > 0 else -1)
    monkeypatch.setattr(Population, "jury", refuse)
    assert len(learner.predict()) == 40


def test_juries_agree_with_all_answers_and_know_nothing_of_each_other() -> None:
    walls = units(generator(34).standard_normal((8, 4)) + np.array([2.0, 0, 0, 0]))
    population = grown(walls, 512)
    vote, verify = population.jury(VOTE), population.jury(VERIFY)
    for drawn in (vote, verify):
        assert ((drawn @ walls.T) > -1e-6).all()
    # The same hypotheses in the same places would be correlated by about 1.
    a, b = (units(one.astype(float)) @ walls[0] for one in (vote, verify))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.4
    assert abs(np.corrcoef(a, units(population.voters().astype(float)) @ walls[0])[0, 1]) < 0.4


def test_a_jury_is_the_same_whoever_looked_before() -> None:
    walls = units(generator(35).standard_normal((5, 3)) + np.array([2.0, 0, 0]))
    population, twin = grown(walls, 300), grown(walls, 300)
    first = population.jury()
    assert np.array_equal(population.jury(), first)
    twin.jury(VERIFY)
    twin.jury(VOTE, 3)
    assert np.array_equal(twin.jury(), first)
    assert np.array_equal(population.fork().jury(), first)
    assert np.array_equal(population.jury(VOTE, 3)[:300], first)
    population.add(walls[0] * 0.6 + walls[1] * 0.8)
    assert not np.array_equal(population.jury(), first)
    population.undo()
    assert np.array_equal(population.jury(), first)


def test_a_jury_is_uniform() -> None:
    def look(seed: int, more: int) -> list[float]:
        walls = units(generator(36).standard_normal((6, 3)) + np.array([1.5, 0, 0]))
        drawn = grown(walls, 2048 * more, seed).jury().astype(float)
        return differs(drawn, walls, seed, more)

    holds(look)


def test_volest_draws_anew_for_every_side_and_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one seed for all, which cone comes next would depend on its own draws."""
    seeds: list[int] = []
    true_volume = volume_greedy.log_volume

    def noted(cone: Any, epsilon: float, delta: float, seed: int) -> Any:
        seeds.append(seed)
        return true_volume(cone, epsilon, delta, seed)

    monkeypatch.setattr(volume_greedy, "log_volume", noted)
    X = units(generator(37).standard_normal((3, 3)))
    population, rows = Population(3, 256, seed_of(0)), np.arange(3)
    for answer in range(2):
        population.add(units(generator(38, answer).standard_normal((1, 3)))[0])
        found = [
            volume_greedy._products(Pool(X), population, rows, np.ones(3), 0.4) for _ in range(2)
        ]
        assert np.array_equal(*found)
    assert len(seeds) == 2 * 2 * 6
    assert len(set(seeds)) == 2 * 6
