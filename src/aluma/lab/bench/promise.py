"""Whether promises are kept: audits, the certificate's error bound, and learners at their stop.

``error_bound`` is promised for targets drawn from P, uniform on the ball. There the share of looks
at which the true error is below it has to be at least 1 - delta; and it has to say something, so
it is compared with the error itself. Targets of real pools are not drawn from P: their coverage is
reported, not promised. What an audited learner promises holds for all pools, and is judged last
(:mod:`aluma.lab.bench.at_the_stop`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits

from aluma.arrays import Floats
from aluma.errors import MissingData
from aluma.lab.bench import at_the_stop, audits, one_core
from aluma.lab.bench.cones import sphere_pool
from aluma.lab.bench.labels import mnist_pair
from aluma.lab.comparison import standardise
from aluma.lab.contest import in_parallel
from aluma.lab.problem import Source
from aluma.learners.aluma import ALuMA
from aluma.learners.settings import PAPER
from aluma.running import Answers

#: Looks at a certificate are this many answers apart.
LOOK_EVERY = 5
#: Answers after which a run that has not finished ends.
MOST_ANSWERS = 400
#: What the bound may fail with, as ALuMA has it by default.
DELTA = 0.05
#: Standard errors below 1 - delta at which coverage counts as a broken promise: one false alarm in
#: a thousand. Looks of one run depend on each other, so runs are what is counted.
ALARM = 3.1


@dataclass(frozen=True)
class Kept:
    """What was seen in one run.

    Attributes
    ----------
    errors, bounds : the true error at each look, and the bound on it
    first_zero : answers after which everything was first right, to the next look; infinite if never
    finished : answers after which the learner stopped by itself; infinite if it did not
    error_then : the true error at the end
    """

    errors: Floats
    bounds: Floats
    first_zero: float
    finished: float
    error_then: float

    @property
    def covered(self) -> float:
        """Share of looks at which the bound held."""
        return float(np.mean(self.errors <= self.bounds))


def watch(X: Floats, labels: Floats, seed: int, most: int = MOST_ANSWERS) -> Kept:
    """Label a pool until the learner has finished; look at the certificate on the way."""
    errors, bounds = [], []
    zero = finished = np.inf
    with one_core():
        learner = ALuMA(X, classes=(-1.0, 1.0), random_state=seed, **PAPER)
        # A contradiction, or a space too thin for float64, ends the run wherever it is met.
        with Answers(learner, labels, min(most, len(labels)), stop_when_finished=False) as answers:
            for answer in answers.taken():
                if answer.count % LOOK_EVERY:
                    continue
                errors.append(float(np.mean(learner.predict() != labels)))
                bounds.append(learner.certificate().error_bound)
                zero = min(zero, answer.count if errors[-1] == 0 else np.inf)
                if learner.finished:
                    finished = answer.count
                    break
    return Kept(np.array(errors), np.array(bounds), zero, finished, errors[-1])


@dataclass(frozen=True)
class Trial:
    """Runs on one kind of pool; ``promised`` if its targets are drawn from P."""

    name: str
    sources: Sequence[Source]
    promised: bool


def trials(quick: bool = False) -> list[Trial]:
    """Return what is watched, or a version of it that takes seconds."""
    if quick:
        return [Trial("sphere 4", [partial(sphere_pool, 4, 200)] * 10, True)]
    pairs = [partial(_two_digits, a, b) for a, b in combinations(range(10), 2)]
    return [
        Trial("sphere 5, 500 examples", [partial(sphere_pool, 5, 500)] * 60, True),
        Trial("sphere 20, 1,000 examples", [partial(sphere_pool, 20, 1000)] * 30, True),
        Trial("digits, all 45 pairs", pairs, False),
        Trial("breast cancer", [_breast_cancer] * 5, False),
        Trial("MNIST 4 vs 7", [partial(mnist_pair, 4, 7)] * 2, False),
        Trial("MNIST 3 vs 5", [partial(mnist_pair, 3, 5)] * 2, False),
    ]


def run(console: Console, quick: bool = False, results: Path | None = None) -> bool:
    """Watch and print; return whether bounds held as often as promised.

    What learners did at their stop is kept in ``results``, and not done again.
    """
    met = audits.run(console, quick)
    table = Table(
        title=f"The certificate's error bound at delta={DELTA}, looked at every {LOOK_EVERY}"
    )
    for head in (
        "pool",
        "runs",
        "held",
        "bound / error",
        "stopped after",
        "beyond first zero",
        "error then",
        "not stopped",
    ):
        table.add_column(head, justify="left" if head == "pool" else "right")
    for trial in trials(quick):
        try:
            trial.sources[0](0)
        except MissingData as reason:
            console.print(f"{trial.name} is left out: {reason}")
            continue
        with console.status(f"watching: {trial.name}"):
            kept = watch_all(trial.sources)
        table.add_row(trial.name, f"{len(kept)}", *summary(kept))
        met &= not trial.promised or not broken(kept)
    console.print(table)
    return at_the_stop.judge(console, quick, results=results) and met


def watch_all(sources: Sequence[Source]) -> list[Kept]:
    """Run every source with a seed of its own, a core each."""
    return list(in_parallel(_watch, list(enumerate(sources)), jobs=-1))


def broken(kept: Sequence[Kept]) -> bool:
    """Say whether the bound held less often than promised, beyond chance."""
    held = np.array([one.covered for one in kept])
    noise = max(float(held.std(ddof=1)), np.sqrt(DELTA * (1 - DELTA))) / np.sqrt(len(held))
    return bool(held.mean() < 1 - DELTA - ALARM * noise)


def summary(kept: Sequence[Kept]) -> list[str]:
    """Return coverage, sharpness and what stopping cost, as text."""
    held = np.mean(np.concatenate([one.errors <= one.bounds for one in kept]))
    errors = np.concatenate([one.errors for one in kept])
    bounds = np.concatenate([one.bounds for one in kept])
    stopped = [one for one in kept if np.isfinite(one.finished)]
    right = [one for one in stopped if np.isfinite(one.first_zero)]
    later = [one.finished - one.first_zero for one in right]
    return [
        f"{held:.1%}",
        f"{bounds.mean() / errors.mean():.1f}",
        f"{np.mean([one.finished for one in stopped]):.0f}" if stopped else "-",
        f"{np.mean(later):.0f}" if later else "-",
        f"{np.mean([one.error_then for one in stopped]):.2%}" if stopped else "-",
        f"{len(kept) - len(stopped)}",
    ]


def _watch(numbered: tuple[int, Source]) -> Kept:
    seed, source = numbered
    return watch(*source(seed), seed)


def _two_digits(negative: int, positive: int, _seed: int) -> tuple[Floats, Floats]:
    images, digits = load_digits(return_X_y=True)
    kept = np.isin(digits, (negative, positive))
    return _with_bias(images[kept]), np.where(digits[kept] == positive, 1.0, -1.0)


def _breast_cancer(_seed: int) -> tuple[Floats, Floats]:
    rows, benign = load_breast_cancer(return_X_y=True)
    return _with_bias(rows), np.where(benign == 1, 1.0, -1.0)


def _with_bias(rows: Floats) -> Floats:
    return np.hstack([standardise(rows), np.ones((len(rows), 1))])
