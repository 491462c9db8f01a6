"""When checks should begin and be given up: labels until an audit is passed, by policy.

    python -m aluma.lab.bench.checking_policy [--results FILE] [--runs N] [--rows N]
        [--pools NAME ...] [--variants NAME ...] [--jobs N]

Choices about :mod:`aluma.promises.checking` are made with the seeds from FIRST_SEED on, and judged
with others (:mod:`aluma.lab.bench.at_the_stop`). What is promised is true under every policy; they
differ in labels only. Policies of one pool and seed go together until they decide differently, and
draw the same checks where they begin together.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.arrays import Floats
from aluma.errors import Conflict, Undecided
from aluma.lab.bench import one_core
from aluma.lab.bench.audited_runs import (
    Ended,
    most_answers,
    policy_version,
    seen,
    standing,
)
from aluma.lab.bench.kept_runs import KeptRuns, Key, Record, work_through
from aluma.lab.bench.stop_pools import (
    StopPool,
    available,
    breast_cancer,
    embedded_pool,
    flipped_sphere,
    mnist_sample,
    two_digits,
)
from aluma.learners.aluma import ALuMA
from aluma.learners.learner import Learner
from aluma.promises import checking

#: Seeds that choices are made with begin here; others judge them.
FIRST_SEED = 100
#: Rows of the large pools.
ROWS = 2000
#: Marks the generators of this benchmark apart from those of others.
MIXING = 74

#: (answers, expected error, tolerance, delta) -> whether checks are worth beginning.
Begins = Callable[[int, float, float, float], bool]


@dataclass(frozen=True)
class Variant:
    """A policy.

    Attributes
    ----------
    name : what tables call it
    constants : of :mod:`aluma.promises.checking`, where they differ
    share : if given, checks begin when the expected error is at most this share of tolerance
    every : if given, so many questions apart one is drawn at random
    """

    name: str
    constants: Mapping[str, float] = field(default_factory=dict)
    share: float | None = None
    every: int | None = None


DEFAULT = Variant("default")


def variants() -> list[Variant]:
    """Return the policies that are compared, the default first."""
    return [
        DEFAULT,
        *(Variant(f"LATEST {n}", {"LATEST": n}) for n in (32, 64, 96)),
        Variant("LATEST none", {"LATEST": inf}),
        *(Variant(f"FEWEST {n}", {"FEWEST": n}) for n in (10, 20)),
        *(Variant(f"GROWTH {x:g}", {"GROWTH": x}) for x in (1.25, 2.0, 3.0)),
        *(Variant(f"FUTILE {x:g}", {"FUTILE": x}) for x in (1.25, 1.5, 3.0, 4.0)),
        Variant("FUTILE none", {"FUTILE": inf}),
        Variant("expected <= 1", share=1.0),
        Variant("expected <= 1/2", share=0.5),
        Variant("expected <= 1/4", share=0.25),
        Variant("expected <= 1/2, LATEST 64", {"LATEST": 64}, share=0.5),
        Variant("LATEST 64, FUTILE 1.25", {"LATEST": 64, "FUTILE": 1.25}),
        Variant("every 10th at random", every=10),
    ]


def choice_pools(rows: int = ROWS) -> list[StopPool]:
    """Return the pools that policies are chosen by."""
    return [
        StopPool("breast cancer", breast_cancer),
        StopPool("digits 3 vs 5", partial(two_digits, 3, 5)),
        StopPool("SMS, MiniLM", partial(embedded_pool, "sms_spam", most=rows)),
        StopPool("MNIST 4 vs 7", partial(mnist_sample, 4, 7, most=rows)),
        StopPool("MNIST 3 vs 5", partial(mnist_sample, 3, 5, most=rows)),
        StopPool("sphere, 2% flipped", partial(flipped_sphere, 0.02)),
        StopPool("sphere, 5% flipped", partial(flipped_sphere, 0.05)),
        StopPool("reviews, MiniLM", partial(embedded_pool, "rt_polarity", most=rows)),
    ]


@contextmanager
def applied(variant: Variant) -> Iterator[None]:
    """Let the checks of this process follow a policy."""
    changed: dict[str, Any] = dict(variant.constants)
    if variant.share is not None:
        changed["worth_checking"] = _expects_at_most(variant.share)
    before = {name: getattr(checking, name) for name in changed}
    for name, value in changed.items():
        setattr(checking, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(checking, name, value)


def _expects_at_most(share: float) -> Begins:
    return lambda _answers, error, tolerance, _delta: error <= share * tolerance


#: Under which checks never begin: how the part that policies share is learnt.
NEVER = Variant("never", {"FEWEST": inf, "LATEST": inf, "ALL_THE_SAME": inf})


@dataclass(frozen=True)
class Branch:
    """A learner, and the policies that all would have brought it here."""

    learner: Learner
    policies: tuple[Variant, ...]


def compare(X: Floats, y: Floats, seed: int, policies: Sequence[Variant]) -> dict[str, Record]:
    """Return what became of a learner under each policy, by name."""
    roots = [
        Branch(
            ALuMA(X, bias=True, random_state=seed),
            tuple(policy for policy in policies if policy.every == every),
        )
        for every in dict.fromkeys(policy.every for policy in policies)
    ]
    found: dict[str, Record] = {}
    with one_core():
        while roots:
            branch = roots.pop()
            ended = _ended(branch, y)
            if ended is None:
                try:
                    roots += _grown(branch, y, seed)
                    continue
                except (Conflict, Undecided):
                    ended = seen(branch.learner, y, "stuck")
            found |= {policy.name: ended.as_record() for policy in branch.policies}
    return found


def _ended(branch: Branch, y: Floats) -> Ended | None:
    """Return what became of a branch, or None if it goes on."""
    with applied(branch.policies[0]):
        ending = standing(branch.learner)
        if ending == "capped" and branch.learner.n_answers < most_answers(len(y)):
            return None
        return seen(branch.learner, y, ending)


def _grown(branch: Branch, y: Floats, seed: int) -> list[Branch]:
    """Return where one more answer leads: to several branches if policies decide differently."""
    learner = branch.learner
    check = tuple(policy for policy in branch.policies if _checks(learner, policy))
    learn = tuple(policy for policy in branch.policies if policy not in check)
    grown = _checked(Branch(learner.fork() if learn else learner, check), y) if check else []
    if learn:
        with applied(NEVER):
            _learn(learner, y, seed, learn[0].every)
        grown.append(Branch(learner, learn))
    return grown


def _checks(learner: Learner, policy: Variant) -> bool:
    with applied(policy):
        return learner.audit is not None


def _checked(branch: Branch, y: Floats) -> list[Branch]:
    """Return what one more check leads to; some may give the audit up where others go on.

    Whoever has more patience gives up later, so mostly one or two have to be tried.
    """
    patient = sorted(branch.policies, key=_patience)
    least, most = (_after_check(branch.learner, y, patient[end]) for end in (0, -1))
    if _gave_up(least) == _gave_up(most):
        return [Branch(most, branch.policies)]
    gave_up = [policy for policy in patient if _gave_up(_after_check(branch.learner, y, policy))]
    go_on = tuple(policy for policy in patient if policy not in gave_up)
    return [Branch(least, tuple(gave_up)), Branch(most, go_on)]


def _patience(policy: Variant) -> float:
    return policy.constants.get("FUTILE", checking.FUTILE)


def _after_check(learner: Learner, y: Floats, policy: Variant) -> Learner:
    """Return a fork that has one more check, under a policy."""
    twin = learner.fork()
    with applied(policy):
        question = twin.ask()
        twin.tell(question, y[question])
    return twin


def _gave_up(learner: Learner) -> bool:
    return learner.history[-1].check == 2


def _learn(learner: Learner, y: Floats, seed: int, every: int | None) -> None:
    """Let a learner learn from its own question or, so many apart, from one at random."""
    if every and learner.n_answers % every == every - 1:
        rng = np.random.default_rng((seed, MIXING, learner.n_answers))
        question = int(rng.choice(np.flatnonzero(learner.eligible)))
    else:
        question = learner.ask()
    learner.tell(question, y[question])


# -- many runs -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A pool and a seed, and the policies that have not been tried on them."""

    pool: StopPool
    seed: int
    policies: tuple[Variant, ...]


def choose(
    console: Console,
    *,
    results: Path | None = None,
    runs: int = 10,
    pools: Sequence[StopPool] | None = None,
    policies: Sequence[Variant] | None = None,
    jobs: int = -1,
) -> dict[tuple[str, str], list[Record]]:
    """Compare policies and print; return the runs by pool and policy."""
    kept, tried, version = KeptRuns(results), list(policies or variants()), policy_version()
    if DEFAULT not in tried:
        tried.insert(0, DEFAULT)
    there = available(console, choice_pools() if pools is None else pools)
    seeds = range(FIRST_SEED, FIRST_SEED + runs)
    tasks = [
        Task(pool, seed, missing)
        for seed in seeds
        for pool in there
        if (
            missing := tuple(
                one for one in tried if _key(pool, seed, one.name, version) not in kept
            )
        )
    ]
    with console.status("") as status:
        for done in work_through(kept, tasks, _compare, jobs):
            status.update(f"policies: {done} of {len(tasks)} pools and seeds")
    found = {
        (pool.name, one.name): [kept[_key(pool, seed, one.name, version)] for seed in seeds]
        for pool in there
        for one in tried
    }
    console.print(policy_table(found, [pool.name for pool in there], tried, runs))
    return found


def labels(run: Mapping[str, Any]) -> int:
    """Return all labels that a run spent."""
    return int(run["learning"] + run["failed_checks"] + run["checks"])


def ratio(
    found: Mapping[tuple[str, str], Sequence[Record]], pools: Sequence[str], policy: str
) -> float:
    """Return labels as a ratio to the default's: the geometric mean over pools of mean labels."""
    logs = [
        np.log(np.mean([labels(run) for run in found[pool, policy]]))
        - np.log(np.mean([labels(run) for run in found[pool, DEFAULT.name]]))
        for pool in pools
    ]
    return float(np.exp(np.mean(logs))) if logs else 1.0


def policy_table(
    found: Mapping[tuple[str, str], Sequence[Record]],
    pools: Sequence[str],
    tried: Sequence[Variant],
    runs: int,
) -> Table:
    """Return median and mean labels by policy and pool, and endings that are not an end."""
    table = Table(
        title=f"Labels to a passed audit or out of reach, {runs} runs: median / mean"
        " (f passed, r out of reach, c capped)"
    )
    table.add_column("policy")
    for name in pools:
        table.add_column(name, justify="right")
    table.add_column("ratio to default", justify="right")
    table.add_column("too many wrong", justify="right")
    for policy in tried:
        every = [found[pool, policy.name] for pool in pools]
        passed = [run for several in every for run in several if run["ending"] == "finished"]
        table.add_row(
            policy.name,
            *(_cell(several) for several in every),
            f"{ratio(found, pools, policy.name):.3f}",
            f"{sum(run['wrong'] > 0.05 for run in passed)} of {len(passed)}",
        )
    return table


def _cell(runs: Sequence[Record]) -> str:
    counts = [labels(run) for run in runs]
    endings = [run["ending"] for run in runs]
    passed, reach = endings.count("finished"), endings.count("out of reach")
    ends = f"{passed}f {reach}r {len(runs) - passed - reach}c"
    return f"{np.median(counts):.0f} / {np.mean(counts):.0f} ({ends})"


def _compare(task: Task) -> dict[Key, Record]:
    X, y = task.pool.source(task.seed)
    found = compare(X, y, task.seed, task.policies)
    version = policy_version()
    return {_key(task.pool, task.seed, name, version): run for name, run in found.items()}


def _key(pool: StopPool, seed: int, name: str, version: str) -> Key:
    return pool.name, seed, f"{name} {version}"


def _chosen(names: Sequence[str] | None, known: Sequence[Any]) -> list[Any]:
    by_name = {one.name: one for one in known}
    unknown = [name for name in names or () if name not in by_name]
    if unknown:
        raise SystemExit(f"There is no {unknown[0]!r}: choose among {', '.join(by_name)}.")
    return [by_name[name] for name in names] if names else list(known)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare policies from the command line."""
    parser = argparse.ArgumentParser(description="Labels until an audit is passed, by policy.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rows", type=int, default=ROWS, help="of the large pools")
    parser.add_argument("--pools", nargs="+")
    parser.add_argument("--variants", nargs="+")
    parser.add_argument("--jobs", type=int, default=-1)
    given = parser.parse_args(arguments)
    choose(
        Console(width=260),
        results=given.results,
        runs=given.runs,
        pools=_chosen(given.pools, choice_pools(given.rows)),
        policies=_chosen(given.variants, variants()),
        jobs=given.jobs,
    )


if __name__ == "__main__":
    main()
