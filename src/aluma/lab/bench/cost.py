"""What a question costs: choosing it and absorbing its answer, and how that grows with the answers.

On MNIST's 4 and 7 (12,107 images of 784 pixels), beside margin sampling by logistic regression in
scikit-activeml, a scoring of the whole pool on the whole population, and the paper's own recipe:
for every question 1,000 fresh chains of 1,000 hit-and-run steps. All in CPU seconds of one core,
with the paper's settings and with the default ones. Questions of ours and of theirs take turns, so
that other work on the machine slows both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from aluma import scoring
from aluma.arrays import Floats
from aluma.errors import MissingData
from aluma.lab.bench import one_core
from aluma.lab.bench.cones import sphere_pool
from aluma.lab.bench.labels import mnist_pair
from aluma.learners.aluma import ALuMA
from aluma.learners.settings import PAPER
from aluma.running import Answers
from aluma.sampling import hit_and_run
from aluma.sampling.blocks import BLOCK

#: Seed of the walk that is timed.
WALK_SEED = 0
#: Whose questions are timed; the default ones without checks, which cost next to nothing.
SETTINGS: dict[str, Mapping[str, Any]] = {
    "the paper's settings": PAPER,
    "the default settings": {"promise": "credible", "tolerance": 0.0},
}
#: Questions that a cost is the mean of.
REPEATS = 10
#: What the paper's experiments draw for one question.
CHAINS, STEPS = 1000, hit_and_run.PAPER_STEPS
#: Steps of theirs that are timed; the rest is scaled.
TIMED = 5
#: After so many answers, a question may cost this many times one of scikit-activeml's.
AS_CHEAP = {50: 1.5, 200: 1.5, 500: 2.5}
#: Here questions are chosen with more effort; what that costs is shown, and free.
EARLY_ON = 10
#: The scoring step against a full one, from so many answers on as well.
ELIMINATION = 5.0
#: The whole question against the paper's recipe, from so many answers on.
RECIPE_AT, RECIPE = 200, 200.0


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a question after some answers, ours and theirs.

    Attributes
    ----------
    answers : how many had been told
    scoring : choosing a question
    sampling : absorbing its answer, and turning chains into hypotheses that vote
    full : scoring every example on every hypothesis
    activeml : a question of scikit-activeml's, its fit included; None without the package
    recipe : the paper's chains, and a full scoring
    """

    answers: int
    scoring: float
    sampling: float
    full: float
    activeml: float | None
    recipe: float

    @property
    def whole(self) -> float:
        """A question, with all that it costs."""
        return self.scoring + self.sampling

    @property
    def met(self) -> bool:
        """Whether the ratios are what they have to be."""
        most = AS_CHEAP.get(self.answers, np.inf)
        cheap = self.activeml is None or self.whole <= most * self.activeml
        return (
            cheap
            and (self.answers <= EARLY_ON or self.full >= ELIMINATION * self.scoring)
            and (self.answers < RECIPE_AT or self.recipe >= RECIPE * self.whole)
        )


def run(console: Console, quick: bool = False) -> bool:
    """Measure and print; return whether every required ratio was reached."""
    try:
        rows, labels = sphere_pool(64, 3000) if quick else mnist_pair(4, 7)
    except MissingData as reason:
        console.print(f"The cost of a question is left out: {reason}")
        return True
    marks = (20, 60) if quick else (EARLY_ON, *AS_CHEAP)
    met = True
    for words, settings in SETTINGS.items():
        with one_core(), console.status("labelling") as status:
            costs = measure(rows.astype(np.float32), labels, marks, status.update, settings)
        console.print(_table(costs, rows.shape, words))
        met &= all(cost.met for cost in costs)
    if find_spec("skactiveml") is None:
        console.print(
            escape("scikit-activeml is not installed: pip install 'aluma[bench]' to compare.")
        )
    return quick or met


def measure(
    rows: Any,
    labels: Floats,
    marks: tuple[int, ...],
    note: Callable[[str], None],
    settings: Mapping[str, Any] = PAPER,
) -> list[Cost]:
    """Let ALuMA label a pool; stop at each mark to see what a question costs there."""
    learner = ALuMA(rows, classes=(-1.0, 1.0), **settings)
    costs = []
    note("labelling")
    for answer in Answers(learner, labels, marks[-1], stop_when_finished=False):
        if answer.count in marks:
            note(f"measuring after {answer.count} answers")
            costs.append(_cost(learner, labels))
            note("labelling")
    return costs


class _Stopwatch:
    """CPU seconds of asking, of turning chains into hypotheses that vote, and of telling.

    It times one question after the other by being the teacher, who is called between asking and
    telling.
    """

    def __init__(self, learner: ALuMA, labels: Floats) -> None:
        self._learner, self._labels, self._since = learner, labels, process_time()
        self.ask = self.lift = self.tell = 0.0

    def teacher(self, index: int) -> float:
        """Answer for an example."""
        self.ask += self._lap()
        self._learner.population.voters()
        self.lift += self._lap()
        return float(self._labels[index])

    def told(self) -> None:
        """Note that the answer has been told."""
        self.tell += self._lap()

    def go_on(self) -> None:
        """Begin with the next question, after something else that does not count."""
        self._lap()

    def _lap(self) -> float:
        before, self._since = self._since, process_time()
        return self._since - before


def _cost(learner: ALuMA, labels: Floats) -> Cost:
    full = _full_scoring(learner)
    recipe = _recipe(learner.population.cone.walls, learner.population.hypotheses()[0])
    ahead, query, theirs = learner.fork(), _activeml(learner, labels), 0.0
    watch = _Stopwatch(ahead, labels)
    for _ in Answers(ahead, watch.teacher, REPEATS, stop_when_finished=False):
        watch.told()
        theirs += 0.0 if query is None else _timed(query)[1]
        watch.go_on()
    # Asking lifts the chains first.
    scores, samples = (watch.ask - watch.lift) / REPEATS, (watch.tell + watch.lift) / REPEATS
    activeml = None if query is None else theirs / REPEATS
    return Cost(learner.n_answers, scores, samples, full, activeml, recipe + full)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function returns, and its CPU seconds."""
    start = process_time()
    found = work()
    return found, process_time() - start


def _full_scoring(learner: ALuMA) -> float:
    hypotheses = learner.population.voters()
    return min(_timed(lambda: scoring.vote_shares(learner.pool, hypotheses))[1] for _ in range(3))


def _recipe(walls: Floats, inside: Floats) -> float:
    """Time a few steps of a block of chains, and scale to all of them."""
    start, rng = np.tile(inside, (BLOCK, 1)), np.random.default_rng(WALK_SEED)
    _, seconds = _timed(lambda: hit_and_run.walk(start, walls, TIMED, rng))
    return seconds * (CHAINS / BLOCK) * (STEPS / TIMED)


def _activeml(learner: ALuMA, labels: Floats) -> Callable[[], Any] | None:
    """Return a question of margin sampling, as that package's users would call it."""
    if find_spec("skactiveml") is None:
        return None
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling
    from sklearn.linear_model import LogisticRegression

    X = learner.pool.rows(np.arange(len(learner.pool))).astype(np.float32)
    known = np.full(len(X), np.nan)
    known[learner.answered] = labels[learner.answered]
    sampling = UncertaintySampling(method="margin_sampling", random_state=0)
    model = SklearnClassifier(LogisticRegression(max_iter=1000), classes=[-1, 1], random_state=0)
    sampling.query(X, known, clf=model)  # once, so that all is loaded
    return lambda: sampling.query(X, known, clf=model)


def _table(costs: list[Cost], shape: tuple[int, ...], words: str) -> Table:
    """Return the costs in milliseconds, with the ratios that matter."""
    title = f"CPU milliseconds of a question, pool {shape[0]:,} x {shape[1]}, 1,000 hypotheses"
    table = Table(title=f"{title}, {words}")
    heads = "answers", "scoring", "sampling", "scikit-activeml", "ours / theirs", "full scoring"
    for head in (*heads, "/ scoring", "paper's recipe", "/ ours"):
        table.add_column(head, justify="right")
    for cost in costs:
        theirs = cost.activeml
        table.add_row(
            f"{cost.answers}",
            f"{1e3 * cost.scoring:.1f}",
            f"{1e3 * cost.sampling:.1f}",
            "-" if theirs is None else f"{1e3 * theirs:.1f}",
            "-" if theirs is None else f"{cost.whole / theirs:.2f}",
            f"{1e3 * cost.full:.0f}",
            f"{cost.full / cost.scoring:.1f}",
            f"{1e3 * cost.recipe:,.0f}",
            f"{cost.recipe / cost.whole:,.0f}",
        )
    return table
