"""Learners that check their labels: what is promised, on kind and unkind data."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, load_wine

from aluma import ALuMA, Exhausted, OutOfReach, run
from aluma.learners.learner import Learner
from aluma.promises import checking
from aluma.spaces.history import Event
from evidence import generator, holds, seed_of

SMALL = {"n_hypotheses": 256}
RNG = generator(31)
X = RNG.standard_normal((400, 4))
Y = np.where(X @ RNG.standard_normal(4) > 0, "yes", "no")


def checked(labels: Any = Y, pool: Any = X, **settings: Any) -> Learner:
    """Return a learner that has been answered until it finished or gave up."""
    learner = ALuMA(pool, **(SMALL | settings))
    run(learner, labels)
    return learner


def until_checking(**settings: Any) -> Learner:
    """Return a learner whose labels are about to be checked."""
    return _until_checking(tuple(settings.items())).fork()


@cache
def _until_checking(settings: tuple[tuple[str, Any], ...]) -> Learner:
    learner = ALuMA(X, classes=("no", "yes"), **(SMALL | dict(settings)))
    while learner.phase == "learning":
        i = learner.ask()
        learner.tell(i, Y[i])
    return learner


def test_it_learns_then_checks_then_has_finished() -> None:
    learner = ALuMA(X, **SMALL)
    phases = []
    while not learner.finished:
        phases.append(learner.phase)
        i = learner.ask()
        learner.tell(i, Y[i])
    assert phases == sorted(phases, key=["learning", "checking"].index)
    found = learner.certificate()
    assert learner.phase == "finished"
    assert found.basis == "audit"
    assert found.checks == phases.count("checking")
    assert found.asked == len(phases)
    assert found.error_bound <= 0.05
    assert found.estimate <= found.error_bound
    assert np.mean(learner.predict() != Y) <= found.error_bound


def test_the_labels_that_are_checked_do_not_change_while_they_are() -> None:
    learner = until_checking()
    before, told = learner.predict(), []
    while not learner.finished:
        i = learner.ask()
        assert i not in told
        assert i not in learner.answered
        learner.tell(i, Y[i])
        told.append(i)
        others = np.setdiff1d(np.arange(len(X)), learner.answered)
        assert (learner.predict()[others] == before[others]).all()


def test_who_goes_on_gets_more_checks_and_a_smaller_bound() -> None:
    learner = checked()
    bound, asked = learner.certificate().error_bound, learner.certificate().checks
    for _ in range(20):
        i = learner.ask()
        learner.tell(i, Y[i])
    after = learner.certificate()
    assert learner.finished
    assert after.checks == asked + 20
    assert after.error_bound < bound


def test_a_batch_of_checks_is_what_comes_one_by_one() -> None:
    learner = until_checking()
    batch = learner.ask(5)
    learner.tell(batch, Y[batch])
    assert learner.history[-5:] == tuple(
        Event(int(i), learner.labels.signs[Y[i]], check=1) for i in batch
    )
    assert learner.certificate().checks == 5


def test_a_check_that_fails_is_learnt_from_and_the_next_draws_others() -> None:
    learner = until_checking()
    first = learner.audit
    assert first is not None
    volume, drawn = learner.certificate().log_volume, first.coming(10).tolist()
    while learner.phase == "checking" and learner.history[-1].check != 2:
        i = learner.ask()
        learner.tell(i, "no" if Y[i] == "yes" else "yes")
        assert learner.certificate().log_volume == volume or learner.history[-1].check == 2
    past = checking.rounds(learner.history)
    assert len(past) == 1
    assert past[0].checks == past[0].wrong > 0
    assert learner.phase == "learning"
    assert learner.allowed_slack > 0
    assert learner.certificate().log_volume != volume
    while learner.phase == "learning":
        i = learner.ask()
        learner.tell(i, Y[i])
    second = learner.audit
    assert second is not None
    assert second.delta == checking.share_of_delta(0.05, 2)
    assert second.coming(10).tolist() != drawn


def test_shares_of_delta_add_up_to_delta() -> None:
    shares = [checking.share_of_delta(0.05, number) for number in range(1, 5000)]
    assert 0.0499 < sum(shares) < 0.05


def test_undo_change_and_fork_go_through_checks() -> None:
    learner = until_checking()
    states = []
    for _ in range(6):
        states.append((learner.history, learner.ask(), learner.certificate().error_bound))
        i = learner.ask()
        learner.tell(i, Y[i])
    twin = learner.fork()
    for _ in range(3):
        i = twin.ask()
        twin.tell(i, Y[i])
    assert len(learner.history) == len(twin.history) - 3
    for history, question, bound in reversed(states):
        learner.undo()
        assert (learner.history, learner.ask()) == (history, question)
        assert learner.certificate().error_bound == bound


def test_a_changed_check_counts_as_what_it_is_now() -> None:
    learner = until_checking()
    i = learner.ask()
    learner.tell(i, "no" if Y[i] == "yes" else "yes")
    assert learner.certificate().wrong_found == 1
    learner.change(i, Y[i])
    assert (learner.certificate().wrong_found, learner.certificate().checks) == (0, 1)


def test_a_change_of_what_was_learnt_from_ends_the_check() -> None:
    learner = until_checking(slack="auto")
    for _ in range(3):
        i = learner.ask()
        learner.tell(i, Y[i])
    first = int(learner.answered[0])
    learner.change(first, "no" if Y[first] == "yes" else "yes")
    assert [event.check for event in learner.history[-3:]] == [1, 1, 2]
    assert learner.phase == "learning"


def test_undoing_the_answer_that_ended_a_check_opens_it_again() -> None:
    learner = until_checking()
    asked = []
    while learner.phase == "checking":
        asked.append(learner.ask())
        learner.tell(asked[-1], "no" if Y[asked[-1]] == "yes" else "yes")
    after = learner.ask()
    learner.undo()
    assert learner.phase == "checking"
    assert learner.ask() == asked[-1]
    learner.tell(asked[-1], "no" if Y[asked[-1]] == "yes" else "yes")
    assert learner.phase == "learning"
    assert learner.ask() == after


def test_an_answer_to_another_example_waits_and_counts_when_it_is_drawn() -> None:
    learner = until_checking()
    first, second, third = learner.ask(3).tolist()
    learner.tell(first, Y[first])
    learner.tell(third, Y[third])
    assert learner.certificate().checks == 1
    assert learner.ask() == second
    learner.tell(second, Y[second])
    assert learner.certificate().checks == 3


def test_many_answers_told_at_once_are_learnt_from() -> None:
    learner = ALuMA(X, classes=("no", "yes"), **SMALL)
    learner.tell(np.arange(100), Y[:100])
    assert [event.check for event in learner.history] == [0] * 100


def test_a_skipped_check_counts_as_wrong_and_is_not_put_right() -> None:
    learner, told = until_checking(), until_checking()
    i = learner.ask()
    learner.skip(i)
    told.tell(i, "no" if told.predict()[i] == "yes" else "yes")
    found, right = learner.certificate(), told.certificate()
    assert found.wrong_found == right.wrong_found == 1
    assert (found.skipped, right.skipped) == (1, 0)
    assert ", 0 found wrong, 1 skipped and counted as wrong: at most" in str(found)
    assert ", 1 found wrong and put right: at most" in str(right)
    assert found.error_bound == pytest.approx(right.error_bound + 1 / len(X))


def test_nothing_is_promised_before_anything_was_checked() -> None:
    learner = ALuMA(X, classes=("no", "yes"), **SMALL)
    assert learner.certificate().error_bound == 1.0
    learner.tell(0, Y[0])
    found = learner.certificate()
    assert found.error_bound == pytest.approx(1 - 1 / len(X))
    assert found.basis == "audit"
    assert found.checks == 0
    assert np.isnan(found.estimate)
    assert not learner.finished


def test_tolerance_zero_asks_for_everything() -> None:
    pool, labels = X[:60], Y[:60]
    learner = checked(labels, pool, tolerance=0.0)
    assert learner.n_answers == 60
    assert learner.finished
    assert learner.certificate().error_bound == 0.0


def test_a_pool_of_one_class_is_finished_by_checks_alone() -> None:
    learner = ALuMA(X, **SMALL)
    trace = run(learner, np.full(len(X), "same"))
    found = learner.certificate()
    assert found.checks == len(trace) - checking.ALL_THE_SAME >= 50
    assert (learner.predict() == "same").all()
    assert found.error_bound <= 0.05


def test_the_first_of_another_class_ends_the_check_of_one() -> None:
    learner = ALuMA(X, classes=("no", "yes"), **SMALL)
    while learner.phase == "learning":
        learner.tell(learner.ask(), "no")
    assert learner.n_answers == checking.ALL_THE_SAME
    assert (learner.predict() == "no").all()
    i = learner.ask()
    learner.tell(i, "yes")
    assert learner.phase == "learning"
    assert learner.history[-1].check == 2


@pytest.mark.filterwarnings("ignore::aluma.errors.NarrowPool")
def test_raw_wine_is_not_finished_after_two_answers() -> None:
    """Not centred, and one column is huge: two answers of one class seem to settle it."""
    pool, kind = load_wine(return_X_y=True)
    learner = checked(kind[kind < 2], pool[kind < 2], bias=True)
    assert learner.finished
    assert learner.certificate().checks > 30
    assert set(learner.answers.tolist()) == {0, 1}


def test_coin_tosses_are_out_of_reach() -> None:
    rng = generator(5)
    pool = rng.standard_normal((600, 30))
    learner = ALuMA(pool, classes=(0, 1), **SMALL)
    tosses = rng.integers(0, 2, len(pool))
    trace = run(learner, tosses)
    assert not learner.finished
    assert len(trace) < 400
    with pytest.raises(OutOfReach, match=r"well enough: [0-9]+ of [0-9]+ labels"):
        learner.ask()
    why = learner.out_of_reach
    assert why is not None
    assert 0.2 < why.estimate < 0.8
    assert why.lower_bound > 0.05
    last = [e for e in learner.history if e.said][-why.checks :]
    assert why.wrong == sum(e.sign != e.said for e in last)
    # The check that fails a second time goes on, so that the estimate rests on enough of them.
    assert why.checks == checking.rounds(learner.history)[-1].checks >= checking.TELLING
    assert issubclass(OutOfReach, Exhausted)
    learner.keep_asking = True
    assert learner.ask() not in learner.answered


def test_checks_that_were_skipped_are_not_called_wrong() -> None:
    learner = ALuMA(X, classes=("no", "yes"), **SMALL)
    while learner.out_of_reach is None:
        question = learner.ask()
        if learner.phase == "checking":
            learner.skip(question)
        else:
            learner.tell(question, Y[question])
    why = learner.out_of_reach
    assert why.skipped == why.wrong == why.checks
    assert f"were wrong or skipped ({why.skipped} skipped)" in str(why)
    kind, settings = why.__reduce__()
    assert str(kind(*settings)) == str(why)


def test_what_is_promised_at_the_stop_holds_on_noisy_answers() -> None:
    """Of all runs that finish, at most delta may be wrong about it."""

    def look(seed: int, more: int) -> float:
        runs, broken = 6 * more, 0
        for number in range(runs):
            rng = generator(seed, number)
            pool = rng.standard_normal((300, 3))
            labels = (pool[:, 0] > 0) != (rng.random(len(pool)) < 0.03)
            learner = checked(labels, pool, n_hypotheses=100, random_state=seed_of(number))
            wrong = np.mean(learner.predict() != labels)
            broken += learner.finished and wrong > learner.certificate().error_bound
        return float(binom.sf(broken - 1, runs, 0.05))

    holds(look)


def test_breast_cancer_passes() -> None:
    pool, labels = load_breast_cancer(return_X_y=True)
    scaled = (pool - pool.mean(axis=0)) / pool.std(axis=0)
    learner = checked(labels, scaled, bias=True, random_state=seed_of(0))
    assert learner.finished
    assert learner.n_answers < 400
