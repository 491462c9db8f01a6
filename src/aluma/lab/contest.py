"""A contest: learners that label the same pools, measured at the same counts of labels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import joblib

from aluma.blas import one_thread
from aluma.lab.construct import construct
from aluma.lab.entrants import Entrant
from aluma.lab.play import Result, play, within
from aluma.lab.problem import Problem
from aluma.lab.reading import with_reading
from aluma.running import OnConflict
from aluma.strategies.order import given_order

Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Learners that label the same pools, seed by seed: whatever compares learners is made of it.

    Attributes
    ----------
    name : what tables call it
    problem : makes the problem of a seed
    entrants : who takes part
    seeds : runs of each entrant, with the seeds 0, 1, ...
    marks : counts of labels after which learners are measured, ascending; the last is the budget
    budgets : smaller budgets of single entrants, by key
    hypotheses : size of the learners' populations, or None for their own
    on_conflict, until_right, prove : see :func:`aluma.lab.play.play`
    to_the_end : keys of the entrants that go on when everything is right, until they ask no more
    read : keys of the entrants whose results say how many examples they have read
    """

    name: str
    problem: Callable[[int], Problem]
    entrants: Sequence[Entrant]
    seeds: int
    marks: Sequence[int]
    budgets: Mapping[str, int] = field(default_factory=dict)
    hypotheses: int | None = None
    on_conflict: OnConflict = "skip"
    until_right: bool = False
    to_the_end: Sequence[str] = ()
    read: Collection[str] = ()
    prove: bool = False

    def run(self, entrant: Entrant, seed: int) -> Result:
        """Let one entrant label the pool of one seed."""
        problem = self.problem(seed)
        budget = min(self.budgets.get(entrant.key, self.marks[-1]), len(problem.positive))
        result = play(
            construct(entrant.learner, entrant.settings, problem, self.hypotheses, seed),
            problem,
            within(self.marks, budget),
            on_conflict=self.on_conflict,
            until_right=self.until_right,
            ask_on=entrant.key in self.to_the_end,
            prove=self.prove,
            measure=entrant.measure,
        )
        if entrant.key not in self.read:
            return result
        return with_reading(result, given_order(problem.order, seed, len(problem.positive)))

    def run_all(self, jobs: int = 1) -> dict[Entrant, list[Result]]:
        """Run every entrant with every seed, a process each up to ``jobs`` at once."""
        plan = [(entrant, seed) for entrant in self.entrants for seed in range(self.seeds)]
        runs: dict[Entrant, list[Result]] = {entrant: [] for entrant in self.entrants}
        found = in_parallel(self._run_alone, plan, jobs)
        for (entrant, _), result in zip(plan, found, strict=True):
            runs[entrant].append(result)
        return runs

    def _run_alone(self, pair: tuple[Entrant, int]) -> Result:
        with one_thread():
            return self.run(*pair)


def in_parallel(
    work: Callable[[Item], Found], items: Sequence[Item], jobs: int, *, ordered: bool = True
) -> Iterator[Found]:
    """Yield what a function returns for every item, from several processes of one thread each.

    More processes than items would only wait. With ``ordered=False`` results come as they are
    ready.
    """
    if not items:
        return
    how: Any = "generator" if ordered else "generator_unordered"
    processes = min(jobs if jobs > 0 else joblib.cpu_count(), len(items))
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=processes, return_as=how, batch_size=1)
        yield from parallel(joblib.delayed(work)(item) for item in items)
