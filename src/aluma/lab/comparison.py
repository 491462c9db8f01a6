"""How many labels would have been needed: learners against labels that are known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aluma.arrays import Bools, Floats, plain, positive_integer
from aluma.blas import one_thread
from aluma.errors import Conflict, Undecided
from aluma.extras import require
from aluma.lab.mistakes import OnAnswer, marked
from aluma.lab.stop import Stop, audited_learner
from aluma.lab.stop import to_its_stop as run_to_its_stop
from aluma.learners.learner import Learner, Strain
from aluma.learners.registry import strategy
from aluma.learners.settings import PAPER, taken
from aluma.pool.frames import in_order
from aluma.representation.view import View

if TYPE_CHECKING:
    import pandas as pd


#: Shares of the pool labelled wrong that people ask about.
TARGETS = (0.10, 0.05, 0.01, 0.0)

#: What a strategy is compared with unless others are named.
COMPARED = ("aluma", "simple_margin", "passive")

#: What the run to the learner's own stop is called while it is watched.
STOP = "stop"

#: Entries of a pool whose products gain nothing from threads, which wait for each other on a busy
#: machine.
ENTRIES_FOR_ONE_THREAD = 100_000

#: Called before every run with the strategy and the number of its run, from 0.
Watch = Callable[[str, int], OnAnswer]


@dataclass(frozen=True)
class Run:
    """One learner's way through a pool.

    Attributes
    ----------
    indices : positions of the examples it asked about, in order
    errors : share of the pool labelled wrong after 1, 2, ... answers; answered examples count as
        right, so this is the error of the labelled pool that a user would get
    positive : the labels at the end, True for the second class
    share : share of the votes for that label
    strategy, seed : which learner it was
    conflict : the contradiction that ended the run, or None
    undecided : what ended it because float64 could not settle it, or None
    slack : the slack that was allowed for at the end
    strained : the answers that halfspaces disputed most at the end, with slack
    interrupted : whether Ctrl-C ended it
    labelled_by : in words, what labelled the examples that were not asked about
    """

    indices: tuple[int, ...]
    errors: Floats
    positive: Bools
    share: Floats
    strategy: str = ""
    seed: int = 0
    conflict: Conflict | None = None
    undecided: Undecided | None = None
    slack: float = 0.0
    strained: tuple[Strain, ...] = ()
    interrupted: bool = False
    labelled_by: str = "vote"

    def needed(self, target: float) -> int | None:
        """Return the number of answers after which at most ``target`` was first labelled wrong."""
        reached = np.flatnonzero(self.errors <= target)
        return int(reached[0]) + 1 if reached.size else None


@dataclass(frozen=True)
class Comparison:
    """Runs of several learners on one pool.

    Attributes
    ----------
    classes, size : of the pool
    budget : answers per run at most
    runs : in order, those of the strategy of interest first
    stop : how that strategy stops by itself, if that was wanted and it does
    """

    classes: tuple[Hashable, Hashable]
    size: int
    budget: int
    runs: tuple[Run, ...]
    stop: Stop | None = None

    @property
    def main(self) -> Run:
        """The first run of the strategy of interest."""
        return self.runs[0]

    @property
    def kept(self) -> Run | Stop:
        """The run whose labels are kept: the one that came to its own stop, or else the first."""
        return self.main if self.stop is None else self.stop

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies that were run, in order."""
        return tuple(dict.fromkeys(run.strategy for run in self.runs))

    def of(self, name: str) -> list[Run]:
        """Return the runs of one strategy."""
        return [run for run in self.runs if run.strategy == name]

    def needed(self, name: str, target: float) -> Floats:
        """Return the labels that each run of a strategy needed, infinity where never reached."""
        counts = [run.needed(target) for run in self.of(name)]
        return np.array([np.inf if count is None else count for count in counts], dtype=float)

    def median(self, name: str, target: float) -> float:
        """Return the (upper) median of the labels needed, at which the median curve gets there."""
        counts = np.sort(self.needed(name, target))
        return float(counts[len(counts) // 2])

    def curves(self, name: str) -> Floats:
        """Return one row of errors per run, made equally long by repeating the last error.

        A curve ends where everything is right for the first time, as the labels needed are counted;
        one that ends elsewhere, before the budget, met a contradiction or was interrupted.
        """
        errors = [run.errors[: run.needed(0.0)] for run in self.of(name) if len(run.errors)]
        longest = max((len(one) for one in errors), default=0)
        rows = [np.pad(one, (0, longest - len(one)), mode="edge") for one in errors]
        return np.array(rows).reshape(len(rows), longest)

    def labelled(self, names: Sequence[Any] | None = None) -> pd.DataFrame:
        """Return the pool as the run labelled it whose labels are kept, one row per example.

        Columns: ``example`` (its name, or its position), ``label``, ``given_by`` ("person" if it
        was asked about, else what labelled it) and ``vote_share``, of the label given.
        """
        require("the labelled pool as a table", "lab", "pandas")
        import pandas as pd

        asked = np.zeros(self.size, dtype=bool)
        asked[list(self.kept.indices)] = True
        return pd.DataFrame(
            {
                "example": np.arange(self.size) if names is None else names,
                "label": [self.classes[int(one)] for one in self.kept.positive],
                "given_by": np.where(asked, "person", self.kept.labelled_by),
                "vote_share": self.kept.share,
            }
        )


def compare(
    X: Any,
    y: Iterable[Any],
    strategies: Sequence[str] = COMPARED,
    *,
    repeats: int = 1,
    budget: int | None = None,
    seed: int = 0,
    bias: bool = True,
    kernel: Any = None,
    slack: float | str = 0.0,
    margin: float | None = None,
    to_its_stop: bool = False,
    watch: Watch | None = None,
) -> Comparison:
    """Let each strategy label a pool whose labels are known, and see how it goes.

    A run ends when the whole pool is labelled right, the budget is spent, or an answer contradicts
    the others or leaves too little for float64. Learners have the paper's settings. ALuMA labels by
    its vote, the heuristics by their max-margin separator, as people use them.

    Parameters
    ----------
    X : whatever :class:`aluma.pool.Pool` takes, used as given
    y : the known label of every example, two different values; a Series is matched by its index
    strategies : names, the one of interest first
    repeats : runs of each strategy, with the seeds ``seed``, ``seed + 1``, ...
    budget : answers per run at most, by default the whole pool
    bias : add a constant feature
    kernel : of every learner
    slack, margin : of the learners that can allow for slack; the others meet contradictions
    to_its_stop : let the first strategy, with the settings that users get, run to its own stop too,
        see :mod:`aluma.lab.stop`
    watch : told about every run and every answer

    Returns
    -------
    Comparison
        After Ctrl-C, of what was run until then.
    """
    view = View(X, bias=bias, kernel=kernel, seed=seed)
    pool = view.pool
    classes, positive = known_labels(in_order(y, pool.index), len(pool))
    most = len(pool) if budget is None else min(positive_integer(budget, "budget"), len(pool))
    plan = [(name, r) for name in strategies for r in range(positive_integer(repeats, "repeats"))]
    runs: list[Run] = []
    stop: Stop | None = None
    settings: dict[str, Any] = {"slack": slack, "margin": margin}
    try:
        with one_thread() if len(pool) * pool.dimension < ENTRIES_FOR_ONE_THREAD else nullcontext():
            for name, repeat in plan:
                learner = make_learner(name, view, classes, seed + repeat, **settings)
                on_answer = watch(name, repeat) if watch else None
                run = follow(learner, positive, most, on_answer=on_answer)
                by = learner.labelled_by
                runs.append(replace(run, strategy=name, seed=seed + repeat, labelled_by=by))
                if run.interrupted:
                    break
            else:
                audited = audited_learner(strategies[0], view, classes, seed, **settings)
                if to_its_stop and audited is not None:
                    told = watch(STOP, 0) if watch else None
                    stop = run_to_its_stop(audited, positive, most, told, strategies[0], seed)
    except KeyboardInterrupt:
        if not runs:
            raise
    return Comparison(classes, len(pool), most, tuple(runs), stop)


def make_learner(
    name: str,
    X: Any,
    classes: Sequence[Hashable],
    seed: int,
    *,
    slack: float | str = 0.0,
    margin: float | None = None,
) -> Learner:
    """Return the learner of that name, set up as comparisons use it."""
    kind = strategy(name)
    offered: dict[str, Any] = {**PAPER, "random_state": seed, "slack": slack, "margin": margin}
    if "svm" in getattr(kind, "RULES", ()):
        offered["predict_with"] = "svm"
    return kind(X, classes=classes, **taken(kind, offered))


def follow(
    learner: Learner,
    positive: Bools,
    budget: int,
    *,
    until: float = 0.0,
    on_answer: OnAnswer | None = None,
) -> Run:
    """Answer a learner's questions with known labels, and count its mistakes.

    Parameters
    ----------
    learner : a learner that knows its classes and has no answers yet
    positive : the known labels, True for the second class
    budget : answers at most
    until : share of the pool labelled wrong at which it is right enough
    on_answer : told about every answer
    """
    run = marked(
        learner, positive, budget, stop_when_finished=False, until=until, on_answer=on_answer
    )
    return Run(
        indices=run.indices,
        errors=run.errors,
        positive=run.share >= 0.5,
        share=np.maximum(run.share, 1.0 - run.share),
        conflict=run.answers.conflict,
        undecided=run.answers.undecided,
        slack=learner.allowed_slack,
        strained=tuple(learner.strained(5)),
        interrupted=run.answers.ended == "interrupted",
    )


def known_labels(y: Iterable[Any], m: int) -> tuple[tuple[Hashable, Hashable], Bools]:
    """Return the two classes, sorted, and which examples have the second; or what is wrong."""
    labels = [plain(label) for label in y]
    if len(labels) != m:
        raise ValueError(f"there are {len(labels)} labels for {m} examples: give one for each.")
    found = set(labels)
    try:
        values = sorted(found)  # type: ignore[type-var]
    except TypeError:
        values = sorted(found, key=str)
    if len(values) != 2:
        shown = ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")
        raise ValueError(
            f"the labels have {len(values)} different value{'' if len(values) == 1 else 's'} "
            f"({shown}), but learners are compared "
            "on two: keep the rows of two classes, or merge classes into two. (ALuMA and "
            "ActiveClassifier take any number.)"
        )
    return (values[0], values[1]), np.array([label == values[1] for label in labels])


def standardise(X: Floats) -> Floats:
    """Return the columns with mean 0 and standard deviation 1; constant ones become 0.

    Column scale is part of the prior, which is uniform on the ball of w: without this, the unit a
    column happens to be measured in decides how much it counts.
    """
    # In one memory order, so that the same numbers always add up in the same order.
    centred = np.ascontiguousarray(X)
    centred = centred - centred.mean(axis=0)
    scale = centred.std(axis=0)
    # The mean of equal numbers can be off by rounding, and a constant must not become noise.
    constant = np.ptp(X, axis=0) == 0
    centred[:, constant] = 0.0
    return np.asarray(centred / np.where(constant, 1.0, scale))
