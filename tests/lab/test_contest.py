"""A contest: the same pools for everyone, the same marks, differences pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from aluma.lab import datasets
from aluma.lab.contest import Contest, in_parallel
from aluma.lab.curves import at_all, paired
from aluma.lab.entrants import ALUMA, ERM, Entrant
from aluma.lab.play import within
from aluma.lab.problem import Problem


def sphere(seed: int) -> Problem:
    data = datasets.sphere(3, 40, seed)
    return Problem(data.X, data.y > 0)


def contest(**changes: object) -> Contest:
    settings = {"marks": (2, 5, 9), "entrants": (ALUMA, ERM), "seeds": 2, "hypotheses": 64}
    return Contest(name="sphere", problem=sphere, **settings | changes)


def test_everyone_is_measured_at_the_marks() -> None:
    found = contest().run_all()
    assert list(found) == [ALUMA, ERM]
    assert [run["labels"] for runs in found.values() for run in runs] == [[2, 5, 9]] * 4
    assert found[ALUMA][1] == contest().run(ALUMA, 1)


def test_several_processes_find_the_same() -> None:
    one, two = (contest(seeds=1).run_all(jobs) for jobs in (1, 2))
    assert list(one.values()) == list(two.values())


def test_single_entrants_can_have_smaller_budgets() -> None:
    found = contest(seeds=1, budgets={"erm": 4}).run_all()
    assert [found[who][0]["labels"][-1] for who in (ALUMA, ERM)] == [9, 4]


def test_nobody_is_asked_for_more_than_the_pool() -> None:
    (run,) = contest(seeds=1, entrants=(ERM,), marks=(10, 1000)).run_all()[ERM]
    assert run["labels"] == [10, 40]


def test_an_entrant_has_a_measure_of_its_own() -> None:
    def answers(learner, problem, known):
        return {"told": float(learner.n_answers)}

    who = Entrant("toy", "passive", measure=answers)
    (run,) = contest(seeds=1, entrants=(who,)).run_all()[who]
    assert run["told"] == [2.0, 5.0, 9.0]
    assert who.title == "toy"


@pytest.mark.parametrize(
    ("budget", "expected"), [(9, [2, 5, 9]), (6, [2, 5, 6]), (5, [2, 5]), (99, [2, 5, 9]), (1, [1])]
)
def test_marks_within_a_smaller_budget(budget: int, expected: list[int]) -> None:
    assert within((2, 5, 9), budget) == expected


def test_between_marks_a_run_has_the_error_it_had_last() -> None:
    runs = [{"labels": [1, 5], "train": [0.5, 0.1]}]
    assert at_all(runs, "train", [1, 4, 5, 50]).tolist() == [[0.5, 0.5, 0.1, 0.1]]


def test_differences_are_counted_in_pairs() -> None:
    theirs = np.array([[0.1, 0.3], [0.3, 0.1], [0.2, 0.2]])
    worse, noise = np.array([0.05, 0.0]), np.array([[0.01], [0.0], [-0.01]])
    found = paired(theirs + worse + noise, theirs)
    np.testing.assert_allclose(found.mean, [0.05, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.error, 0.01 / np.sqrt(3))
    assert (found.behind.tolist(), found.ahead.tolist()) == ([True, False], [False, False])
    assert paired(np.array([[0.2]]), np.array([[0.1]])).behind.tolist() == [True]


def test_results_of_many_processes_come_in_order() -> None:
    assert list(in_parallel(str, [3, 1, 2], jobs=2)) == ["3", "1", "2"]
    assert list(in_parallel(str, [], jobs=2)) == []
