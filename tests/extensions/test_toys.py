"""A toy of each kind of extension, added as CONTRIBUTING says and used to the end.

Each is one file and one line: here the file is a few lines above the test, and the line is the
``monkeypatch.setitem`` that takes it back afterwards.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aluma
from aluma import ActiveClassifier, ALuMA, Learner, Passive, Pool, Session, SimpleMargin
from aluma.arrays import Bools, Ints, probability
from aluma.learners import registry
from aluma.learners.learner import Parts
from aluma.pool import stores
from aluma.pool.dense import Dense
from aluma.prediction.vote import Vote
from aluma.promises import rules
from aluma.promises.credible import Credible
from aluma.promises.nothing_left import NothingLeft
from aluma.promises.stopping import Limits, Stopping
from aluma.representation.view import View
from aluma.sampling import kernels, reflection
from aluma.sampling.chains import Chains, Flight, Walls
from aluma.sampling.kernels import Kernel, checked_sampler
from aluma.spaces.plain import PlainSpace
from aluma.spaces.situation import Question, Situation
from aluma.strategies.strategy import Strategy
from aluma.streams import entropy

RNG = np.random.default_rng(3)
X = RNG.standard_normal((80, 3))
Y = np.where(X @ [1.0, -0.5, 0.2] > 0, "yes", "no")


# -- a strategy --------------------------------------------------------------------------------


class LongestFirst(Strategy[PlainSpace]):
    """Ask about the longest example that is left."""

    def ask(self, at: Situation[PlainSpace]) -> Question:
        """Return the longest."""
        return Question(int(self.ask_batch(at, 1)[0]))

    def ask_batch(self, at: Situation[PlainSpace], n: int) -> Ints:
        """Return the n longest."""
        rows = np.flatnonzero(at.eligible)
        sizes = np.linalg.norm(at.pool.rows(rows), axis=1)
        return rows[np.argsort(-sizes, kind="stable")[:n]]


def longest_first(
    X: Any,
    *,
    classes: Sequence[Any] | None = None,
    bias: bool = False,
    budget: int | None = None,
    n_hypotheses: int = 1000,
    delta: float = 0.05,
    sampler: str = "reflection",
    random_state: Any = 0,
) -> Learner:
    """Assemble a learner that asks about the longest example."""
    view = View.of(X, bias=bias)
    space = PlainSpace(view.pool, n_hypotheses, entropy(random_state), checked_sampler(sampler))
    promise = Credible(probability(delta, "delta"))
    parts = Parts(space, LongestFirst(), Vote(), NothingLeft(), promise)
    return Learner(view, parts, classes=classes, budget=budget)


@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> str:
    entry = registry.Entry(longest_first, "longest first", "#444444")
    monkeypatch.setitem(registry.ENTRIES, "longest", entry)
    return "longest"


def test_a_strategy_asks_predicts_and_takes_back(longest: str) -> None:
    learner = registry.strategy(longest)(X, classes=("no", "yes"))
    trace = aluma.run(learner, Y, budget=20)
    lengths = np.linalg.norm(X, axis=1)
    assert trace.indices == np.argsort(-lengths, kind="stable")[:20].tolist()
    last = trace.indices[-1]
    learner.undo()
    assert learner.ask() == last
    assert learner.certificate().asked == 19
    assert (learner.predict()[learner.answered] == learner.answers).all()


def test_a_strategy_reaches_sessions_and_the_estimator(longest: str, tmp_path: Path) -> None:
    with Session.create(tmp_path / "a.aluma", X, strategy=longest, classes=("no", "yes")) as one:
        for _ in range(5):
            i = one.ask()
            one.tell(i, str(Y[i]))
        question = one.ask()
    with Session.open(tmp_path / "a.aluma", X) as again:
        assert again.ask() == question
    model = ActiveClassifier(strategy=longest, budget=10).fit(X, Y)
    assert model.n_queries_ == 10


class Stubborn(LongestFirst):
    """Ask about the first example, answered or not."""

    def ask_batch(self, at: Situation[PlainSpace], n: int) -> Ints:
        """Return the first n, which a strategy must not."""
        return np.arange(n)


def test_a_strategy_that_asks_what_is_answered_is_told_so() -> None:
    view = View.of(X)
    space = PlainSpace(view.pool, 300, 0)
    parts = Parts(space, Stubborn(), Vote(), NothingLeft(), Credible(0.05))
    learner = Learner(view, parts, classes=("no", "yes"))
    learner.tell(learner.ask(), Y[0])
    for n in (None, 2):
        with pytest.raises(RuntimeError, match="Stubborn asks about example 0, which is answered"):
            learner.ask(n)


# -- a kernel ----------------------------------------------------------------------------------


def escaping(
    chains: Chains, walls: Walls, length: float, rng: np.random.Generator
) -> tuple[Chains, Flight]:
    """Turn every chain round, which leads out of the cone."""
    n = len(chains.points)
    away = Chains(-chains.points, -chains.margins)
    return away, Flight(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool))


def test_a_kernel_that_leaves_the_cone_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kernels.KERNELS, "escaping", Kernel(escaping))
    learner = ALuMA(X, classes=("no", "yes"), sampler="escaping")
    with pytest.raises(RuntimeError, match="'escaping' moved a chain out of the cone"):
        learner.tell(0, Y[0])


def twice(
    chains: Chains, walls: Walls, length: float, rng: np.random.Generator
) -> tuple[Chains, Flight]:
    """Fly two trajectories: what leaves a law invariant once does so twice."""
    chains, first = reflection.fly(chains, walls, length, rng)
    chains, second = reflection.fly(chains, walls, length, rng)
    return chains, Flight(first.bounces + second.bounces, first.refused | second.refused)


@pytest.fixture
def doubled(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(kernels.KERNELS, "twice", Kernel(twice))
    return "twice"


@pytest.mark.parametrize("kind", [ALuMA, SimpleMargin, Passive, aluma.CAL, aluma.QueryByCommittee])
@pytest.mark.parametrize("sampler", ["hit_and_run", "twice"])
def test_a_kernel_reaches_learners(kind: Any, sampler: str, doubled: str) -> None:
    settings = {"classes": ("no", "yes"), "n_hypotheses": 256}
    learner, usual = kind(X, sampler=sampler, **settings), kind(X, **settings)
    for i in (0, 20, 40, 60):
        learner.tell(i, Y[i])
        usual.tell(i, Y[i])
    drawn = learner.population.hypotheses()
    signs = np.where(Y[learner.answered] == "yes", 1, -1)
    assert (drawn @ X[learner.answered].T * signs > 0).all()
    assert learner.population.mixing.sound
    # Another chain, other draws, of the same law: votes are close, hypotheses are not the same.
    assert not np.array_equal(drawn, usual.population.hypotheses())
    votes, others = (one.population.voters() @ X.T >= 0 for one in (learner, usual))
    assert np.abs(votes.mean(axis=0) - others.mean(axis=0)).max() < 0.25


def test_a_kernel_draws_from_a_version_space(doubled: str) -> None:
    space = aluma.VersionSpace(3)
    space.add(X[:4], np.where(Y[:4] == "yes", 1, -1))
    assert space.contains(space.sample(300, sampler=doubled)).all()


def test_a_kernel_resumes_from_a_snapshot(tmp_path: Path) -> None:
    settings = {"classes": ("no", "yes"), "n_hypotheses": 256, "sampler": "hit_and_run"}
    with Session.create(tmp_path / "a.aluma", X, **settings) as one:
        for _ in range(6):
            i = one.ask()
            one.tell(i, str(Y[i]))
        question = one.ask()
    with Session.open(tmp_path / "a.aluma", X) as again:
        assert again.ask() == question


def test_an_unknown_kernel_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(
        ValueError, match=re.escape(f"sampler must be one of {', '.join(kernels.KERNELS)}, got 'x'")
    ):
        ALuMA(X, sampler="x")


# -- a stopping rule ---------------------------------------------------------------------------


class AfterFive(Stopping):
    """Stop after five answers, whatever they are."""

    def finished(self, at: Situation[Any], promise: Any) -> bool:
        """Say whether there are five."""
        return at.n_answers >= 5


def test_a_stopping_rule_reaches_a_learner_and_its_session(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(rules.STOPPING, "after_five", lambda limits: AfterFive())
    learner = ALuMA(X, classes=("no", "yes"), stopping="after_five")
    assert len(aluma.run(learner, Y)) == 5
    with Session.create(tmp_path / "a.aluma", X, stopping="after_five") as session:
        session.tell([0, 1, 2, 3, 4], Y[:5].tolist())
        assert session.finished
    assert isinstance(rules.stopping_rule("settled", Limits(0.0, 0.05, True)), Stopping)
    with pytest.raises(
        ValueError, match=re.escape(f"stopping must be one of {', '.join(rules.STOPPING)}, got")
    ):
        ALuMA(X, stopping="soon")


# -- a store -----------------------------------------------------------------------------------


class Columns:
    """Examples held column by column, in a dictionary."""

    def __init__(self, **columns: Any) -> None:
        self.columns = columns


def of_columns(given: Any) -> Dense | None:
    """Return a store for columns."""
    if not isinstance(given, Columns):
        return None
    return Dense(np.column_stack(list(given.columns.values())), columns=tuple(given.columns))


def test_a_store_reaches_learners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "STORES", [of_columns, *stores.STORES])
    held = Columns(a=X[:, 0], b=X[:, 1], c=X[:, 2])
    assert Pool(held).columns == ("a", "b", "c")
    assert Pool(held).fingerprint() == Pool(X).fingerprint()
    one, other = ALuMA(held, classes=("no", "yes")), ALuMA(X, classes=("no", "yes"))
    assert aluma.run(one, Y, budget=8).indices == aluma.run(other, Y, budget=8).indices
    mask: Bools = one.eligible
    assert mask.sum() == 72
