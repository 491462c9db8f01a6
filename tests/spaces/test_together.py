"""Answers that are taken in together: they leave what they leave one by one."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from aluma import ALuMA, Session
from aluma.app.slack import learn
from aluma.errors import Conflict, Undecided
from aluma.pool import Pool
from aluma.sampling import absorption, afresh
from aluma.spaces import plain
from aluma.spaces.lifted import LiftedSpace
from aluma.spaces.loosening import LooseningSpace
from aluma.spaces.loosening_many import LooseningManySpace
from aluma.spaces.many import ManySpace
from aluma.spaces.plain import PlainSpace
from evidence import caught, generator, holds


def rows(n=24, d=3, seed=0):
    return generator(seed).standard_normal((n, d))


def two(X):
    """Return answers that a halfspace agrees with, as (index, sign)."""
    return [(i, 1 if x @ np.ones(X.shape[1]) > 0 else -1) for i, x in enumerate(X)]


def three(X):
    """Return answers of three classes that a matrix agrees with."""
    codes = np.array([-1, 1, 2])
    return [(i, int(codes[x[:3].argmax()])) for i, x in enumerate(X)]


MADE = {
    "plain": (lambda X, seed: PlainSpace(Pool(X), 512, seed), two),
    "lifted": (lambda X, seed: LiftedSpace(Pool(X), 512, seed, slack=0.3), two),
    "many": (lambda X, seed: ManySpace(Pool(X), 3, 512, seed), three),
    "many with slack": (lambda X, seed: ManySpace(Pool(X), 3, 512, seed, slack=0.3), three),
}


def seen(space):
    """Return two functions of the hypotheses, one a row."""
    voters = space.voters()
    flat = voters.reshape(len(voters), -1)
    flat = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    return np.stack([flat[:, 0], np.abs(flat[:, -1])])


#: Few are absorbed in groups; of many, more than there were, chains begin anew.
@pytest.mark.parametrize(
    ("name", "n"), [*((name, 24) for name in MADE), ("plain", 80), ("lifted", 80)]
)
def test_they_leave_the_same_law(name, n):
    make, answer = MADE[name]
    X = rows(n)
    answers = answer(X)

    def look(seed, more, leave_out=0):
        apart, together = make(X, seed), make(X, seed + 1)
        for index, sign in answers:
            apart.add(index, sign)
        together.add_many(answers[leave_out:])
        return [ks_2samp(a, b).pvalue for a, b in zip(seen(apart), seen(together), strict=True)]

    holds(look)
    if name == "plain":
        caught(lambda seed, more: look(seed, more, leave_out=n // 2))


@pytest.mark.parametrize("name", ["plain", "many"])
def test_so_do_survivors_that_stay_where_flights_are_dear(name, monkeypatch):
    make, answer = MADE[name]
    X = rows()

    def look(seed, more):
        spaces = []
        for dear, one in ((10_000, seed), (0, seed + 1)):
            monkeypatch.setattr(absorption, "DEAR_WALLS", dear)
            spaces.append(make(X, one))
            for index, sign in answer(X):
                spaces[-1].add(index, sign)
        return [ks_2samp(a, b).pvalue for a, b in zip(*map(seen, spaces), strict=True)]

    holds(look)


def test_steps_back_take_a_bounded_number_of_bytes(monkeypatch):
    X = rows(40)
    kept = []
    for most in (2**28, 2**16):
        monkeypatch.setattr(plain, "UNDO_BYTES", most)
        learner = ALuMA(X, classes=(-1, 1), slack=0.3, n_hypotheses=256, promise="credible")
        for index, sign in two(X)[:20]:
            learner.tell(index, sign)
        kept.append(learner.population.n_undoable)
        asked = learner.ask()
        learner.tell(30, 1)
        for _ in range(3):
            learner.undo()
        for index, sign in two(X)[18:20]:
            learner.tell(index, sign)
        assert learner.ask() == asked
    assert kept[0] == 20
    assert kept[1] < 3


@pytest.mark.parametrize("name", ["plain", "many"])
def test_all_agree_and_what_was_told_before_changes_nothing(name):
    make, answer = MADE[name]
    X = rows(60, 6)
    answers, done = answer(X), []
    space = make(X, 0)
    space.add_many(answers[:40], done.append)
    space.add_many(answers[20:], done.append)
    assert space.wall_examples == tuple(range(60))
    assert (space.population.points @ space.population.cone.coordinates.T > 0).all()
    assert done == [16, 32, 40, 16, 32, 40]
    key = space.key
    space.add_many(answers)
    assert space.key == key


@pytest.mark.parametrize(("name", "n"), [("plain", 40), ("plain", 100), ("many", 40)])
def test_a_contradiction_names_its_examples(name, n):
    make, answer = MADE[name]
    X = rows(n)
    X[30] = 1.5 * X[3]
    answers = answer(X)
    answers[30] = (30, -answers[3][1] if answers[3][1] in (-1, 1) else -1)
    with pytest.raises(Conflict) as found:
        make(X, 0).add_many(answers)
    assert 30 in found.value.indices
    with pytest.raises(Conflict):
        make(X, 0).add_many([answers[i] for i in found.value.indices])


@pytest.mark.parametrize("classes", [2, 3])
def test_the_slack_that_all_need_is_found_once(classes):
    X = np.vstack([rows(60), np.eye(3)])
    answers = two(X) if classes == 2 else three(X)
    codes = [-1, 1, 2][:classes]
    answers[10:40:6] = [(i, codes[codes.index(sign) - 1]) for i, sign in answers[10:40:6]]
    if classes == 2:
        space = LooseningSpace(Pool(X), 256, 0)
    else:
        space = LooseningManySpace(Pool(X), 3, 256, 0)
    space.add_many(answers[:5])
    assert space.allowed_slack == 0
    space.add_many(answers[5:])
    assert space.allowed_slack > 0
    assert space.conflict is not None


def test_a_learner_takes_them_or_stays_as_it_was():
    X = rows(50)
    answers = dict(two(X))
    learner = ALuMA(X, classes=("no", "yes"), slack=0, promise="credible")
    learner.learn_together(answers)
    assert learner.n_answers == 50
    assert learner.predict().tolist() == ["yes" if answers[i] > 0 else "no" for i in range(50)]
    other = ALuMA(np.vstack([X, X[:1] * 2]), classes=("no", "yes"), slack=0, promise="credible")
    with pytest.raises(Conflict):
        other.learn_together({**answers, 50: -answers[0]})
    assert other.history == ()
    assert other.population.n_undoable == 0


def test_more_than_there_were_begin_anew_and_fewer_are_absorbed():
    X = rows(200, 5)
    answers, done = two(X), []
    space = PlainSpace(Pool(X), 512, 0)
    space.add_many(answers[:100], done.append)
    assert done == [100]
    assert np.isnan(space.population.log_volume)
    assert space.population.mixing.sound
    space.add_many(answers[100:], done.append)
    assert done[-1] == 100
    space = PlainSpace(Pool(X), 512, 0)
    space.add_many(answers[:48])
    before = space.population.log_volume
    space.add_many(answers[48:80], done.append)
    assert done[-2:] == [16, 32]
    assert space.population.log_volume < before


def test_where_chains_cannot_spread_answers_are_absorbed(monkeypatch):
    def refuse(*_):
        raise Undecided("too thin")

    monkeypatch.setattr(afresh, "spread", refuse)
    X = rows(80)
    space = PlainSpace(Pool(X), 512, 0)
    space.add_many(two(X))
    assert np.isfinite(space.population.log_volume)
    assert (space.population.points @ space.population.cone.coordinates.T > 0).all()


@pytest.mark.parametrize("n", [50, 70])
def test_a_session_goes_on_from_where_they_led(tmp_path, n):
    X = rows(100, 4)
    told = {i: "yes" if sign > 0 else "no" for i, sign in two(X)[:n]}
    path = tmp_path / "s.aluma"
    with Session.create(path, X, classes=("no", "yes"), n_hypotheses=256) as session:
        learn(session, told)
        asked, shares = session.ask(), session.predict_proba()
    with Session.open(path, X) as again:
        assert again.n_answers == n
        assert again.ask() == asked
        assert np.array_equal(again.predict_proba(), shares)
