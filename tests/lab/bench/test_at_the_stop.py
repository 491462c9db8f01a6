"""The benchmark of what is wrong at the stop, in small, and that it can fail."""

import json
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from aluma.lab.bench import at_the_stop, checking_policy, one_core
from aluma.lab.bench.at_the_stop import Effort
from aluma.lab.bench.audited_runs import most_answers, to_its_end
from aluma.lab.bench.checking_policy import DEFAULT, NEVER, Variant, applied, compare
from aluma.lab.bench.kept_runs import KeptRuns
from aluma.lab.bench.stop_pools import StopPool, coin_tosses, flipped_sphere, named
from aluma.learners.aluma import ALuMA
from aluma.promises import checking

TINY = StopPool("tiny", partial(flipped_sphere, 0.0, size=250, dimension=3), rare=True)


def _record(ending: str = "finished", wrong: float = 0.01, bound_held: bool = True) -> dict:
    spent = {"learning": 30, "failed_checks": 0, "checks": 60, "rounds": 0}
    return {"ending": ending, "wrong": wrong, "bound": 0.05, "bound_held": bound_held, **spent}


def test_it_runs_and_goes_on_from_what_is_kept(tmp_path: Path) -> None:
    file, out = tmp_path / "new" / "runs.jsonl", StringIO()
    settings = {"results": file, "only": [TINY], "effort": Effort(1, 30)}
    console = Console(file=out, width=200)
    assert at_the_stop.judge(Console(file=StringIO()), jobs=1, kinds=["audited"], **settings)
    assert len(file.read_text().splitlines()) == 1
    assert at_the_stop.judge(console, jobs=1, **settings)
    assert "1 of 1 runs that stopped had at most 5% wrong" in out.getvalue()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert {(one["pool"], one["seed"]) for one in lines} == {("tiny", 0)}
    assert len(lines) == len(at_the_stop.RUNS)
    again = StringIO()
    assert at_the_stop.judge(Console(file=again, width=200), jobs=0, **settings)
    assert again.getvalue() == out.getvalue()
    assert len(file.read_text().splitlines()) == len(lines)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    first = KeptRuns(file)
    first.add(("a", 0, "r"), {"x": 1})
    first.add(("b", 0, "r"), {"x": 2})
    file.write_text(file.read_text()[:-10])
    second = KeptRuns(file)
    assert ("a", 0, "r") in second
    assert ("b", 0, "r") not in second
    second.add(("b", 0, "r"), {"x": 3})
    assert KeptRuns(file)["b", 0, "r"] == {"x": 3}


def test_coin_tosses_do_not_stop() -> None:
    run = at_the_stop.audited(*coin_tosses(0, size=250, dimension=3), 0)
    assert run["ending"] == "out of reach"
    assert run["wrong"] > at_the_stop.TOLERANCE
    assert run["failed_checks"] > 0


def test_the_credible_rule_stops_on_coin_tosses() -> None:
    """The control that fails: without checks, and without slack, nothing shows that all is wrong.

    Contradicting answers are set aside, so what is left agrees.
    """
    run = at_the_stop.followed(*coin_tosses(0, size=200, dimension=3), 0, 0.0, 60)
    stop = run["credible 5%"]
    assert stop is not None
    assert stop["wrong"] > 0.3


@pytest.mark.parametrize(("failed", "broken"), [(5, False), (30, True)])
def test_too_many_failures_are_noticed(failed: int, broken: bool) -> None:
    runs = [_record(wrong=0.2 if number < failed else 0.01) for number in range(100)]
    assert at_the_stop.broken(runs) is broken
    untrue = [_record("capped", bound_held=number >= failed) for number in range(100)]
    assert at_the_stop.broken(untrue) is broken


def test_the_total_counts_runs_that_stopped() -> None:
    runs = [_record(), _record(wrong=0.2), _record("out of reach", wrong=0.4), _record()]
    assert at_the_stop.total(runs).startswith("In all: 2 of 3 runs that stopped had at most 5%")
    assert at_the_stop.total(runs[2:3]) == "None of 1 runs stopped by itself."


def test_pools_are_found_by_name() -> None:
    assert [pool.name for pool in named(["coin tosses", "w1a"])] == ["coin tosses", "w1a"]
    with pytest.raises(ValueError, match="no pool 'iris'"):
        named(["iris"])


@pytest.mark.parametrize(("size", "most"), [(130, 130), (300, 200), (800, 400), (4000, 1000)])
def test_runs_are_left_after_half_of_a_large_pool(size: int, most: int) -> None:
    assert most_answers(size) == most


# -- policies ------------------------------------------------------------------------------------


def test_policies_that_go_together_end_as_on_their_own() -> None:
    X, y = flipped_sphere(0.06, 100, size=200, dimension=3)
    policies = [DEFAULT, Variant("early", {"LATEST": 12}), Variant("hasty", {"FUTILE": 0.5})]
    found = compare(X, y, 100, policies)
    for policy in policies:
        with applied(policy), one_core():
            alone = to_its_end(ALuMA(X, bias=True, random_state=100), y)
        assert found[policy.name] == alone.as_record()
    assert len({(run["learning"], run["failed_checks"]) for run in found.values()}) >= 2


def test_a_policy_is_taken_back() -> None:
    before = {name: getattr(checking, name) for name in ("FEWEST", "LATEST", "worth_checking")}
    with applied(Variant("other", {"FEWEST": 3, "LATEST": 7}, share=0.5)):
        assert (checking.FEWEST, checking.LATEST) == (3, 7)
        assert checking.worth_checking(10, 0.02, 0.05, 0.05)
        assert not checking.worth_checking(10, 0.03, 0.05, 0.05)
    assert {name: getattr(checking, name) for name in before} == before


def test_nothing_is_checked_while_checks_never_begin() -> None:
    X, y = flipped_sphere(0.0, 0, size=100, dimension=3)
    learner = ALuMA(X, bias=True, classes=(-1.0, 1.0), n_hypotheses=200)
    with applied(NEVER):
        for _ in range(40):
            question = learner.ask()
            learner.tell(question, y[question])
    assert not any(event.check for event in learner.history)


def test_policies_are_compared_with_the_default(tmp_path: Path) -> None:
    out, file = StringIO(), tmp_path / "policies.jsonl"
    policies = [Variant("every 10th at random", every=10)]
    settings = {"results": file, "runs": 1, "pools": [TINY], "policies": policies, "jobs": 1}
    found = checking_policy.choose(Console(file=out, width=200), **settings)
    assert set(found) == {("tiny", "default"), ("tiny", policies[0].name)}
    assert checking_policy.ratio(found, ["tiny"], "default") == 1.0
    assert "ratio to default" in out.getvalue()
    file_before = file.read_text()
    assert checking_policy.choose(Console(file=StringIO()), **settings) == found
    assert file.read_text() == file_before
