"""The code version: it follows imports, and nothing else."""

from __future__ import annotations

import pytest

from aluma.lab.experiments import catalogue, paper, versions
from aluma.lab.experiments.declaration import Task
from aluma.lab.experiments.store import task_version
from aluma.lab.experiments.versions import code_version, installed, reached


def test_a_learner_reaches_its_engine_and_no_other_learner() -> None:
    found = reached(["aluma.learners.aluma"])
    assert {"aluma.learners.learner", "aluma.sampling.reflection", "aluma.scoring"} <= found
    assert "aluma.learners.simple_margin" not in found
    assert not any(name.startswith(("aluma.cli", "aluma.lab.experiments.report")) for name in found)


def test_results_do_not_depend_on_the_report_or_on_other_declarations() -> None:
    for experiment in catalogue.CATALOGUE:
        for case in experiment.cases("tiny"):
            modules = {versions._module(part) for part in experiment.code(case)}
            found = reached(modules)
            assert not {"aluma.lab.experiments.paper", "aluma.lab.experiments.theorems"} & found
            assert "aluma.lab.entrants" not in found
            assert not any("report" in name for name in found)


def test_changed_code_is_another_version(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    from aluma.learners.aluma import ALuMA
    from aluma.learners.passive import Passive

    before = code_version([ALuMA]), code_version([Passive])
    changed = tmp_path / "passive.py"
    original = versions._source("aluma.learners.passive")
    changed.write_bytes(original.read_bytes() + b"\n")
    source = versions._source

    def patched(name: str):
        return changed if name == "aluma.learners.passive" else source(name)

    monkeypatch.setattr(versions, "_source", patched)
    versions._digest.cache_clear()
    try:
        assert code_version([ALuMA]) == before[0]
        assert code_version([Passive]) != before[1]
    finally:
        versions._digest.cache_clear()


def test_settings_are_part_of_the_version() -> None:
    contest = paper.OCTAHEDRON
    seen = {task_version(Task(contest, case, 0, "full")) for case in contest.cases("full")}
    assert len(seen) == len(contest.cases("full"))
    small = task_version(Task(paper.UNIFORM_10, "aluma@100", 0, "tiny"))
    assert small == task_version(Task(paper.UNIFORM_10, "aluma@100", 5, "tiny"))
    assert small != task_version(Task(paper.UNIFORM_100, "aluma@100", 0, "tiny"))


def test_versions_of_packages_are_named() -> None:
    assert {"Python", "aluma", "numpy", "numba"} <= set(installed())
