"""The declarations: complete, named once, and small where they must be."""

from __future__ import annotations

import pytest

from aluma.lab.experiments.catalogue import CATALOGUE
from aluma.lab.experiments.declaration import Tournament, View
from aluma.lab.experiments.paper import OCTAHEDRON, OCTAHEDRON_15


def test_names_are_different_and_fit_for_files() -> None:
    names = [experiment.name for experiment in CATALOGUE]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() for name in names)


@pytest.mark.parametrize("experiment", CATALOGUE, ids=lambda one: one.name)
def test_every_declaration_is_complete(experiment) -> None:
    assert experiment.title
    assert experiment.claim.endswith(".")
    assert experiment.notes.endswith(".")
    assert set(experiment.seeds) == {"full", "quick", "tiny"}
    if isinstance(experiment, Tournament):
        assert set(experiment.sizes) == {"full", "quick", "tiny"}
        keys = [entrant.key for entrant in experiment.entrants]
        assert len(set(keys)) == len(keys)


def test_seeds_come_one_after_the_other_and_more_seeds_add_to_the_tasks() -> None:
    three, two = OCTAHEDRON.tasks("tiny", 3), OCTAHEDRON.tasks("tiny", 2)
    assert [task.seed for task in three] == sorted(task.seed for task in three)
    assert [(t.case, t.seed) for t in three[: len(two)]] == [(t.case, t.seed) for t in two]


def test_budgets_differ_by_value() -> None:
    size = OCTAHEDRON.sizes["full"]
    assert [size.labels(d, "erm") for d in size.values] == list(size.budget)


def test_a_view_shares_the_runs_of_its_source() -> None:
    (view,) = [one for one in CATALOGUE if isinstance(one, View)]
    assert {task.experiment.name for task in view.tasks("tiny")} == {view.source.name}
    assert set(view.cases("tiny")) <= set(view.source.cases("tiny"))


def test_what_another_experiment_has_is_not_run_again() -> None:
    cases = OCTAHEDRON_15.cases("full")
    assert "tk@10000" in cases
    assert "tk@all" not in cases
    assert 15 in OCTAHEDRON.sizes["full"].values
    # Nor what is read off another learner's runs.
    assert not any(case.startswith("erm") for case in cases)


def test_values_may_have_fewer_seeds() -> None:
    found = {(task.case, task.seed) for task in OCTAHEDRON_15.tasks("full")}
    assert max(seed for case, seed in found if case == "tk@10000") == 9
    assert max(seed for case, seed in found if case == "tk@10000-without") == 2
