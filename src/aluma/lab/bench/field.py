"""The paper's competitors, measured: ``aluma bench field``, or ``python -m aluma.lab.bench.field``.

Four tables: labels until everything is right on the octahedron, beside the paper's; the growth of
CAL's and ALuMA's labels on two circles (Theorem 20), also as a picture; what a query of
QBC and of CAL costs on MNIST, in queries of ALuMA; and IWAL's error beside that of passive
soft-SVM. The exit code is 1 if the two circles do not show what the theorem says.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sklearn.decomposition import PCA

from aluma.arrays import Floats
from aluma.errors import MissingData
from aluma.extras import require
from aluma.lab import datasets, paper_figures
from aluma.lab.bench import label_counts, one_core
from aluma.lab.bench.label_counts import Counter
from aluma.lab.construct import construct
from aluma.lab.contest import Contest
from aluma.lab.curves import at_all
from aluma.lab.entrants import ALUMA, CAL, QBC, Entrant
from aluma.lab.play import Known, errors
from aluma.lab.problem import Problem
from aluma.learners.learner import Learner
from aluma.running import Answers

#: Rows of the octahedron's table: name, how it is counted, and the learner's name in the paper.
OCTAHEDRON: tuple[tuple[str, Counter, str], ...] = (
    ("ALuMA", label_counts.aluma_count, "ALuMA"),
    ("TK, vote", label_counts.margin_count, "TK"),
    ("TK, separator", label_counts.separator_count, ""),
    ("QBC", label_counts.committee_count, "QBC"),
    ("CAL", label_counts.cal_count, "CAL"),
    ("ERM", label_counts.passive_count, "ERM"),
)
#: The seed of the learners whose queries are timed.
TIMING_SEED = 0
#: What the exponent of 1 / epsilon has to be for CAL, and the most that it may be for ALuMA.
CAL_EXPONENT, ALUMA_EXPONENT = (0.85, 1.15), 0.5
#: Where the picture goes.
PICTURE = Path("two-circles.png")


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes
    ----------
    dimensions, targets : of the octahedron
    points, seeds : on a circle, and runs for each
    answers, hypotheses : of the timing on MNIST
    labels, runs : numbers of labels at which errors are compared, and runs
    """

    dimensions: tuple[int, ...]
    targets: int
    points: tuple[int, ...]
    seeds: int
    answers: int
    hypotheses: int
    labels: tuple[int, ...]
    runs: int


FULL = Effort((10, 12), 20, (14, 30, 62, 126, 254), 20, 1000, 1000, (25, 50, 100, 200, 400, 800), 3)
QUICK = Effort((6,), 3, (14, 30, 62, 126), 3, 30, 256, (25, 50, 100), 1)


def run(console: Console, quick: bool = False) -> bool:
    """Print the tables; say whether the two circles show what the theorem says."""
    effort = QUICK if quick else FULL
    with one_core():
        for d in effort.dimensions:
            console.print(octahedron_table(d, effort.targets))
        met = circles(console, effort.points, effort.seeds)
        try:
            console.print(timing_table(effort.answers, effort.hypotheses))
            console.print(iwal_table(effort.labels, effort.runs))
        except MissingData as missing:
            console.print(escape(f"MNIST is left out: {missing}"))
    return met


def octahedron_table(d: int, targets: int) -> Table:
    """Return the labels that each learner needs for zero error, over random targets."""
    pools = [datasets.octahedron(d, seed) for seed in range(targets)]
    X, labels = pools[0].X, [pool.y for pool in pools]
    title = f"Octahedron, d = {d}: labels until all {len(X):,} are right, {targets} targets"
    table = _table(title, "learner", "paper", "mean", "sd", "least", "most", "never")
    printed = paper_figures.OCTAHEDRON.get(d, {})
    for name, count, paper in OCTAHEDRON:
        counts = np.array([count(X, y, seed) for seed, y in enumerate(labels)])
        reached = counts[np.isfinite(counts)]
        cells = [f"{value:.0f}" for value in _summary(reached)] if len(reached) else ["-"] * 4
        table.add_row(name, printed.get(paper, "-"), *cells, str(len(counts) - len(reached)))
    return table


def circles(console: Console, points: Sequence[int], seeds: int) -> bool:
    """Print and draw the labels on two circles; say whether they grow as in the theorem."""
    counts = {
        name: np.array([[count(n, seed) for seed in range(seeds)] for n in points])
        for name, count in (
            ("CAL", label_counts.circles_cal),
            ("ALuMA", label_counts.circles_aluma),
        )
    }
    means = {name: each.mean(axis=1) for name, each in counts.items()}
    table = _table(f"Two circles: labels, mean and sd over {seeds} samples", "1/epsilon", *counts)
    for row, n in enumerate(points):
        cells = (f"{each[row].mean():.1f} +- {each[row].std():.1f}" for each in counts.values())
        table.add_row(str(n), *cells)
    console.print(table)
    exponents = {name: slope(np.log(points), np.log(mean)) for name, mean in means.items()}
    squared = np.log(points) ** 2
    console.print(
        f"Fitted: CAL ~ (1/epsilon)^{exponents['CAL']:.2f}, ALuMA ~ "
        f"(1/epsilon)^{exponents['ALuMA']:.2f}; ALuMA rises by "
        f"{slope(squared, means['ALuMA']):.2f} labels per unit of ln^2(1/epsilon), correlation "
        f"{np.corrcoef(squared, means['ALuMA'])[0, 1]:.3f}; as ln^p(1/epsilon), "
        f"p = {slope(np.log(np.log(points)), np.log(means['ALuMA'])):.2f}."
    )
    draw_circles(np.array(points), counts, PICTURE)
    console.print(f"Picture: {PICTURE}")
    low, high = CAL_EXPONENT
    return low <= exponents["CAL"] <= high and exponents["ALuMA"] <= ALUMA_EXPONENT


def slope(x: Floats, y: Floats) -> float:
    """Return the slope of the least-squares line."""
    return float(np.polyfit(x, y, 1)[0])


def draw_circles(points: Floats, counts: dict[str, Floats], path: Path) -> None:
    """Draw labels against 1 / epsilon with the growth that the theorem speaks of, as a PNG."""
    require("a picture", "lab", "matplotlib")
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from aluma.lab.names import colour
    from aluma.lab.palette import DPI, QUIET, STYLE

    shapes = {"CAL": points, "ALuMA": np.log(points) ** 2}
    names = {"CAL": "1/ε", "ALuMA": "ln²(1/ε)"}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.0, 4.5), dpi=DPI)
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for name, each in counts.items():
            own, mean = colour(name.lower()), each.mean(axis=1)
            axes.errorbar(points, mean, each.std(axis=1), fmt="o", color=own, capsize=3)
            growth = np.polyval(np.polyfit(shapes[name], mean, 1), shapes[name])
            axes.plot(points, growth, color=own, label=f"{name}, a + b {names[name]}")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(points, [str(int(n)) for n in points])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("1/ε, points on a circle")
        axes.set_ylabel("labels", color=QUIET)
        axes.grid(axis="y")
        axes.legend(frameon=False)
        axes.set_title("Two circles: labels asked for", loc="left", fontweight="bold")
        figure.savefig(path, bbox_inches="tight", metadata={"Software": None})


def timing_table(answers: int, hypotheses: int) -> Table:
    """Return CPU seconds per query on MNIST 4 vs 7, and as a ratio to ALuMA's."""
    data = datasets.mnist(4, 7)
    problem = Problem(data.X - data.X.mean(axis=0), data.y > 0, bias=True)
    title = f"MNIST 4 vs 7, {answers} answers, {hypotheses} hypotheses: CPU seconds per query"
    table = _table(title, "learner", "answers", "seconds", "ALuMA = 1", "train error")
    first = 0.0
    for entrant in (ALUMA, QBC, CAL):
        learner = construct(entrant.learner, entrant.settings, problem, hypotheses, TIMING_SEED)
        seconds = per_query(learner, problem, answers)
        first = first or seconds
        error = errors(learner, problem, {})["train"]
        figures = (f"{seconds:.4f}", f"{seconds / first:.3f}", f"{100 * error:.2f}%")
        table.add_row(entrant.title, str(learner.n_answers), *figures)
    return table


def per_query(learner: Learner, problem: Problem, answers: int) -> float:
    """Return CPU seconds per question and answer."""
    start, given = process_time(), 0
    for answer in Answers(learner, problem.answer, answers, stop_when_finished=False):
        given = answer.count
    return (process_time() - start) / given


def iwal_table(labels: Sequence[int], runs: int) -> Table:
    """Return test errors of IWAL and of passive soft-SVM on 25 components of MNIST 3 vs 5."""
    contest = Contest(
        name="MNIST 3 vs 5, 25 components",
        problem=components,
        entrants=STREAMS,
        seeds=runs,
        marks=labels,
    )
    title = f"{contest.name}: test error in %, mean of {runs} runs, after labels"
    table = _table(title, "learner", *(str(n) for n in labels), "read")
    for entrant, found in contest.run_all().items():
        mean = at_all(found, "test", labels).mean(axis=0)
        read = np.mean([run["read"][-1] for run in found])
        table.add_row(entrant.title, *(f"{100 * error:.2f}" for error in mean), f"{read:,.0f}")
    return table


def components(_seed: int) -> Problem:
    """Return the same problem for every seed: learners differ by the order of their streams."""
    data = datasets.mnist(3, 5)
    basis = PCA(25, svd_solver="covariance_eigh").fit(data.X)
    X, new = basis.transform(data.X), basis.transform(data.X_test)
    longest = np.linalg.norm(X, axis=1).max()
    truth = np.asarray(data.y_test) > 0
    return Problem(X / longest, data.y > 0, new / longest, truth, bias=True)


def errors_and_reading(learner: Learner, problem: Problem, known: Known) -> dict[str, float]:
    """Measure the test error, and how many examples were read until now, asked about or not."""
    reading = getattr(learner, "reading", None)
    read = learner.n_answers if reading is None else reading.place
    return {"test": errors(learner, problem, known)["test"], "read": float(read)}


#: IWAL with two constants of its deviation bound, and passive soft-SVM.
STREAMS = (
    Entrant("iwal", "iwal", {"deviation": 1.0}, measure=errors_and_reading),
    Entrant("iwal-bold", "iwal", {"deviation": 0.1}, measure=errors_and_reading),
    Entrant("soft-svm", "passive", {"predict_with": "soft_svm"}, measure=errors_and_reading),
)


def _summary(values: Floats) -> tuple[float, float, float, float]:
    return float(values.mean()), float(values.std()), float(values.min()), float(values.max())


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for column in columns:
        first = column == columns[0]
        table.add_column(column, justify="left" if first else "right", no_wrap=first)
    return table


if __name__ == "__main__":
    sys.exit(0 if run(Console(), quick="--quick" in sys.argv[1:]) else 1)
