"""What an experiment is: a small declaration that expands into tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from aluma.lab.construct import construct
from aluma.lab.contest import Contest
from aluma.lab.entrants import Entrant
from aluma.lab.play import GROWTH, MEASURE_ALL_UP_TO, checkpoints, play
from aluma.lab.problem import Problem
from aluma.lab.reading import with_reading
from aluma.running import OnConflict

#: "full" is what the report is made for, "quick" takes minutes, "tiny" seconds.
Scale: TypeAlias = Literal["full", "quick", "tiny"]


@dataclass(frozen=True)
class Task:
    """One run: a case of an experiment with a seed, at a scale."""

    experiment: Experiment
    case: str
    seed: int
    scale: Scale

    def run(self) -> dict[str, Any]:
        """Return plain numbers, the same for the same task wherever it runs."""
        return self.experiment.run(self.case, self.seed, self.scale)


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """What all experiments declare.

    Attributes
    ----------
    name : on the command line and in files
    title : in the report
    where : the place in the paper
    claim : what the paper says
    notes : how ours is set up where the paper is silent, and why
    seeds : how many runs of each case, by scale
    """

    name: str
    title: str
    where: str
    claim: str
    notes: str = ""
    seeds: Mapping[Scale, int]

    @abstractmethod
    def cases(self, scale: Scale) -> Sequence[str]:
        """Return the names of the cases that can be run here."""

    @abstractmethod
    def run(self, case: str, seed: int, scale: Scale) -> dict[str, Any]:
        """Run one case with one seed."""

    @abstractmethod
    def settings(self, case: str, scale: Scale) -> str:
        """Return what of the declaration determines the result of a case."""

    @abstractmethod
    def code(self, case: str) -> Sequence[Any]:
        """Return the functions and classes whose code determines the result of a case."""

    def tasks(self, scale: Scale, seeds: int | None = None) -> list[Task]:
        """Return all runs, those of the first seed first."""
        n = self.seeds[scale] if seeds is None else seeds
        return [Task(self, case, s, scale) for s in range(n) for case in self.cases(scale)]


@dataclass(frozen=True)
class Size:
    """How large a tournament is: values of its parameter, and the labels that may be asked for.

    Attributes
    ----------
    values : what the problem is made for, such as dimensions; one or more
    budget : labels per run, one for all values or one each
    hypotheses : size of the learners' populations
    budgets : smaller budgets of single entrants, by key
    elsewhere : keys of entrants whose runs for a value another experiment has, by value
    seeds : fewer runs than the experiment declares, by value
    """

    values: tuple[Any, ...]
    budget: int | tuple[int, ...]
    hypotheses: int = 1000
    budgets: Mapping[str, int] = field(default_factory=dict)
    elsewhere: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    seeds: Mapping[Any, int] = field(default_factory=dict)

    def shared(self, value: Any) -> int:
        """Return the budget for a value."""
        if isinstance(self.budget, int):
            return self.budget
        return self.budget[self.values.index(value)]

    def labels(self, value: Any, key: str) -> int:
        """Return the budget of an entrant for a value."""
        return min(self.shared(value), self.budgets.get(key, self.shared(value)))


@dataclass(frozen=True, kw_only=True)
class Tournament(Experiment):
    """A :class:`aluma.lab.contest.Contest` for every value of a parameter.

    Attributes
    ----------
    problem : makes the problem for a value of the parameter and a seed
    parameter : what the values are, for tables; "pool" for a single pool, whose section shows
        errors against labels
    entrants : who takes part
    sizes : by scale
    on_conflict, until_right, prove : see :func:`aluma.lab.play.play`
    every, growth : see :func:`aluma.lab.play.checkpoints`
    summarised : whether the summary of all data sets includes it
    to_the_end : keys of learners that go on when everything is right, until they ask no more; the
        report says how many labels they asked for in all
    printed : labels that the paper prints, by value and by its name of the learner
    """

    problem: Callable[[Any, int], Problem]
    parameter: str = ""
    entrants: tuple[Entrant, ...]
    sizes: Mapping[Scale, Size]
    on_conflict: OnConflict = "skip"
    until_right: bool = False
    prove: bool = False
    every: int = MEASURE_ALL_UP_TO
    growth: float = GROWTH
    summarised: bool = True
    to_the_end: tuple[str, ...] = ()
    printed: Mapping[Any, Mapping[str, str]] = field(default_factory=dict)

    @property
    def present(self) -> tuple[Entrant, ...]:
        """The entrants that can take part here."""
        return tuple(entrant for entrant in self.entrants if entrant.available)

    @property
    def _read(self) -> set[str]:
        """Keys of the entrants that another one is read off."""
        return {entrant.read_off for entrant in self.entrants if entrant.read_off}

    def cases(self, scale: Scale) -> list[str]:
        """Return ``entrant@value``, value by value."""
        size = self.sizes[scale]
        return [
            case_name(entrant.key, value)
            for value in size.values
            for entrant in self.present
            if not entrant.read_off and entrant.key not in size.elsewhere.get(value, ())
        ]

    def tasks(self, scale: Scale, seeds: int | None = None) -> list[Task]:
        """Return all runs but those of values that have fewer."""
        limits = self.sizes[scale].seeds
        fewer = {str(value): limit for value, limit in limits.items()}
        return [
            task
            for task in super().tasks(scale, seeds)
            if task.seed < fewer.get(task.case.partition("@")[2], task.seed + 1)
        ]

    def parts(self, case: str, scale: Scale) -> tuple[Entrant, Any]:
        """Return the entrant and the value of a case."""
        key, _, shown = case.partition("@")
        entrant = next(one for one in self.entrants if one.key == key)
        return entrant, next(v for v in self.sizes[scale].values if str(v) == shown)

    def contest(self, value: Any, scale: Scale) -> Contest:
        """Return the contest for a value."""
        size = self.sizes[scale]
        return Contest(
            name=f"{self.name} {value}",
            problem=partial(self.problem, value),
            entrants=self.present,
            seeds=self.seeds[scale],
            marks=checkpoints(size.shared(value), self.every, self.growth),
            budgets=size.budgets,
            hypotheses=size.hypotheses,
            on_conflict=self.on_conflict,
            until_right=self.until_right,
            to_the_end=self.to_the_end,
            read=self._read,
            prove=self.prove,
        )

    def run(self, case: str, seed: int, scale: Scale) -> dict[str, Any]:
        """Let one entrant learn one problem."""
        entrant, value = self.parts(case, scale)
        return self.contest(value, scale).run(entrant, seed)

    def settings(self, case: str, scale: Scale) -> str:
        """Return the entrant, the sizes and the rules."""
        entrant, value = self.parts(case, scale)
        size = self.sizes[scale]
        on = entrant.key in self.to_the_end, entrant.key in self._read
        rules = (self.on_conflict, self.until_right, on, self.prove, self.every, self.growth)
        own = (
            *(entrant.strategy, dict(entrant.settings)),
            size.labels(value, entrant.key),
        )
        return repr((_described(self.problem), value, own, size.hypotheses, rules))

    def code(self, case: str) -> list[Any]:
        """Return the learner, the problem, the loop and what is measured."""
        key = case.partition("@")[0]
        entrant = next(one for one in self.entrants if one.key == key)
        parts = [entrant.learner, self.problem, construct, play, entrant.measure]
        return [*parts, with_reading] if key in self._read else parts


@dataclass(frozen=True, kw_only=True)
class Calculation(Experiment):
    """A quantity of the theory, computed for each value of a parameter.

    Attributes
    ----------
    compute : returns plain numbers for a value and a seed
    parameter : what the values are
    values : by scale
    """

    compute: Callable[[Any, int], dict[str, Any]]
    parameter: str
    values: Mapping[Scale, tuple[Any, ...]]

    def cases(self, scale: Scale) -> list[str]:
        """Return the values."""
        return [case_name("exact", value) for value in self.values[scale]]

    def run(self, case: str, seed: int, scale: Scale) -> dict[str, Any]:
        """Compute one value."""
        shown = case.partition("@")[2]
        return self.compute(next(v for v in self.values[scale] if str(v) == shown), seed)

    def settings(self, case: str, scale: Scale) -> str:
        """Return the value."""
        return repr((_described(self.compute), case))

    def code(self, case: str) -> list[Any]:
        """Return the function."""
        return [self.compute]


@dataclass(frozen=True, kw_only=True)
class View(Experiment):
    """Another look at the runs of a tournament, which are not made twice."""

    source: Tournament
    keys: tuple[str, ...]

    def cases(self, scale: Scale) -> list[str]:
        """Return the cases of the source that are looked at."""
        return [case for case in self.source.cases(scale) if case.partition("@")[0] in self.keys]

    def run(self, case: str, seed: int, scale: Scale) -> dict[str, Any]:
        """Run the source."""
        return self.source.run(case, seed, scale)

    def settings(self, case: str, scale: Scale) -> str:
        """Return the source's settings."""
        return self.source.settings(case, scale)

    def code(self, case: str) -> Sequence[Any]:
        """Return the source's code."""
        return self.source.code(case)

    def tasks(self, scale: Scale, seeds: int | None = None) -> list[Task]:
        """Return the tasks of the source, so that they are shared."""
        wanted = set(self.cases(scale))
        return [task for task in self.source.tasks(scale, seeds) if task.case in wanted]


def case_name(key: str, value: Any) -> str:
    """Return the name of a case, which is part of the name of a file."""
    return f"{key}@{value}"


def _described(function: Callable[..., Any]) -> str:
    """Return the same text for the same function in every process."""
    if isinstance(function, partial):
        bound = (function.args, sorted(function.keywords.items()))
        return f"{_described(function.func)}{bound!r}"
    return f"{function.__module__}.{function.__qualname__}"
