"""Sections about the theory: what was computed exactly, beside what is promised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from aluma.lab.curves import median
from aluma.lab.experiments.declaration import Calculation, Experiment
from aluma.lab.experiments.report.drawing import Line, count_panel, draw_lines, picture
from aluma.lab.experiments.report.section import Section
from aluma.lab.experiments.report.table import Table, count
from aluma.lab.experiments.results import Results
from aluma.lab.names import colour
from aluma.lab.palette import INK
from aluma.lab.play import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Seed of the jitter that tells points apart.
JITTER_SEED = 0
#: How rules are called, and whose colour they have.
RULES = {
    "greedy": ("aluma", "volume-greedy"),
    "binary": ("tk", "binary search"),
    "adversary": ("cal", "2-greedy adversary"),
}


def line_section(results: Results, experiment: Calculation) -> Section:
    """Report labels against the number of points, for three kinds of pools."""
    groups = _grouped(results)
    families = list(dict.fromkeys(name.rpartition("-")[0] for name in groups))
    rows, panels = [], []
    for family in families:
        sizes = {int(n.rpartition("-")[2]): runs for n, runs in groups.items() if family in n}
        for size, runs in sizes.items():
            counts = [count([run[rule] for run in runs], "") for rule in RULES]
            vote = count([run["greedy_vote"] for run in runs], "")
            rows.append([family, f"{size:,}", *counts, vote])
        lines = [_of_rule(rule, sizes) for rule in RULES]
        marks = list(sizes)[:: max(1, len(sizes) // 5)]
        panels.append(
            partial(
                count_panel,
                lines=lines,
                title=family.capitalize(),
                x_label="points in the pool",
                x_marks=marks,
                log_x=True,
            )
        )
    heads = ["pool", "m", *(title for _, title in RULES.values()), "greedy, vote"]
    title = "Labels until certain: median over targets (range)"
    table = Table(experiment.name, title, heads, rows, 1)
    subtitle = "Labels until every label is certain. Line: median over targets; band: all of them."
    shown = [picture(experiment.name, experiment.title, subtitle, panels)] if panels else []
    return Section(experiment, [], [table], shown)


def margins_section(results: Results, experiment: Calculation) -> Section:
    """Report labels against P(h)."""
    runs = [run for found in _grouped(results).values() for run in found]
    if not runs:
        return Section(experiment)
    probability = np.concatenate([run["probability"] for run in runs])
    asked = np.concatenate([run["greedy"] for run in runs])
    binary = np.concatenate([run["binary"] for run in runs])
    bound = 2 * np.log(1 / probability) / np.log(1.5)
    draw = partial(_scatter, probability=probability, asked=asked, binary=binary)
    broken = int((asked > bound + 1).sum())
    steps = (asked / np.maximum(np.log2(1 / probability), 1e-9))[probability < 0.5]
    sentence = (
        f"{len(asked):,} targets: greedy needs {steps.mean():.2f} log₂(1/P(h)) labels on average "
        f"and never more than {steps.max():.2f}; {broken} are above the bound of the proof."
    )
    subtitle = f"{runs[0]['m']:,} points that crowd at 0, targets in gaps of every width."
    shown = picture(experiment.name, experiment.title, subtitle, [draw])
    return Section(experiment, [sentence], [], [shown])


def approximate_section(results: Results, experiment: Calculation) -> Section:
    """Report what the vote is worth to an approximately greedy learner."""
    groups = {name: runs[0] for name, runs in _grouped(results).items() if runs}
    heads = ["α", "m", "OPT_max", "careless output", "majority vote", "bound with vote"]
    keys = ("opt_max", "careless", "vote", "bound")
    rows = [
        [f"{run['alpha']:g}", f"{run['m']:,}", *(f"{run[key]:,}" for key in keys)]
        for run in groups.values()
    ]
    table = Table(experiment.name, "Labels until the output is right", heads, rows, 0)
    alphas = list(dict.fromkeys(run["alpha"] for run in groups.values()))
    panels = []
    for alpha in alphas:
        chosen = [run for run in groups.values() if run["alpha"] == alpha]
        x = np.array([run["m"] for run in chosen], dtype=float)
        lines = [
            Line(key, title, x, np.array([run[name] for run in chosen], float), dashed=dashed)
            for name, key, title, dashed in (
                ("careless", "cal", "careless", False),
                ("vote", "aluma", "vote", False),
                ("bound", "", "bound", True),
                ("opt_max", "tk", "OPT_max", True),
            )
        ]
        marks = x[:: max(1, len(x) // 4)].tolist()
        panels.append(
            partial(
                count_panel,
                lines=lines,
                title=f"α = {alpha:g}",
                x_label="points in the pool",
                x_marks=marks,
                log_x=True,
            )
        )
    subtitle = "The adversary of the proof; P(h) = 1/2 on every pool. Exact."
    shown = [picture(experiment.name, experiment.title, subtitle, panels)] if panels else []
    return Section(experiment, [], [table], shown)


def guarantee_section(results: Results, experiment: Calculation) -> Section:
    """Report greedy beside OPT_max, and whether the bound ever failed."""
    columns = {
        "m": "m",
        "labelings": "labelings",
        "OPT_max": "opt_max",
        "greedy, certain": "greedy_worst",
        "greedy, vote": "vote_worst",
        "least bound": "bound_least",
        "bounds below m": "telling",
        "bounds broken": "broken",
        "1 in 4 greedy, vote": "settled_worst",
        "its bounds broken": "settled_broken",
    }
    groups = _grouped(results)
    rows = [
        [name, *(count([run[key] for run in runs], "") for key in columns.values())]
        for name, runs in groups.items()
        if runs
    ]
    runs = [run for found in groups.values() for run in found]
    if not runs:
        return Section(experiment)
    share = max(run["largest_share"] for run in runs)
    worst = max(run["greedy_worst"] / run["opt_max"] for run in runs)
    sentence = (
        f"{len(runs)} classes: greedy's worst case is at most {worst:.2f} OPT_max, and no labeling "
        f"uses more than {share:.0%} of what the theorem allows; "
        f"{sum(run['broken'] for run in runs)} bounds are broken."
    )
    title = "Worst case over all labelings: median over pools (range)"
    return Section(
        experiment, [sentence], [Table(experiment.name, title, ["class", *columns], rows)]
    )


def factor_section(results: Results, experiment: Calculation) -> Section:
    """Report the exact greedy factor of ALuMA's questions beside the stated one."""
    rows = []
    for name, runs in _grouped(results).items():
        if not runs:
            continue
        true = [run["largest"] for run in runs]
        known = [one for one in true if one is not None]
        stated = sorted({"-" if run["stated"] is None else f"{run['stated']:g}" for run in runs})
        wasted = len(true) - len(known)
        cells = [f"{np.median(known):.3f}", f"{max(known):.3f}"] if known else ["-", "-"]
        rows.append([name, f"{len(runs)}", *cells, ", ".join(stated), f"{wasted}"])
    heads = ["estimate, pool", "runs", "median", "worst", "stated", "asked what was known"]
    title = "Exact greedy factor of the worst question of a run, and the factor stated"
    return Section(experiment, [], [Table(experiment.name, title, heads, rows)])


def plain_section(results: Results, experiment: Experiment) -> Section:
    """Tabulate whatever single numbers an experiment returned: it needs no section of its own."""
    groups = _grouped(results)
    runs = [run for found in groups.values() for run in found]
    keys = list(dict.fromkeys(key for run in runs for key, value in run.items() if _single(value)))
    rows = [
        [
            name,
            f"{len(found)}",
            *(_middle([run[key] for run in found if key in run]) for key in keys),
        ]
        for name, found in groups.items()
    ]
    parameter = getattr(experiment, "parameter", "") or "case"
    title = "What was computed: median over the runs (range)"
    heads = [parameter, "runs", *(key.replace("_", " ") for key in keys)]
    table = Table(experiment.name, title, heads, rows)
    return Section(experiment, [], [table] if runs else [])


def _single(value: Any) -> bool:
    return value is None or isinstance(value, int | float | str)


def _middle(values: Sequence[Any]) -> str:
    """Return the median of numbers and their range; of anything else, what there was."""
    if not values or not all(isinstance(value, int | float) for value in values):
        known = dict.fromkeys("-" if value is None else str(value) for value in values)
        return ", ".join(known) or "-"
    ordered = sorted(values)
    low, middle, high = (f"{one:g}" for one in (ordered[0], median(ordered), ordered[-1]))
    return middle if low == high else f"{middle} ({low} to {high})"


#: By the name of the experiment; others are tabulated by :func:`plain_section`.
SECTIONS: Mapping[str, Callable[[Results, Calculation], Section]] = MappingProxyType(
    {
        "line": line_section,
        "margins": margins_section,
        "approximate": approximate_section,
        "guarantee": guarantee_section,
        "greedy-factor": factor_section,
    }
)


def _grouped(results: Results) -> dict[str, list[Result]]:
    """Return results by the value of the parameter."""
    return {case.partition("@")[2]: runs for case, runs in results.by_case.items() if runs}


def _of_rule(rule: str, sizes: Mapping[int, list[Result]]) -> Line:
    key, title = RULES[rule]
    rows = [np.array([run[rule] for run in runs], dtype=float) for runs in sizes.values()]
    middle, low, high = (np.array([f(row) for row in rows]) for f in (np.median, np.min, np.max))
    return Line(key, title, np.array(list(sizes), dtype=float), middle, low, high, marked=True)


def _scatter(axes: Axes, probability: Any, asked: Any, binary: Any) -> None:
    bits = np.log2(1 / probability)
    rng = np.random.default_rng(JITTER_SEED)
    # Counts are whole: moved a little, points that coincide can be told apart.
    moved = asked + rng.uniform(-0.25, 0.25, len(asked))
    axes.scatter(bits, moved, s=7, color=colour("aluma"), alpha=0.35, linewidth=0)
    x = np.linspace(0, bits.max(), 2)
    draw_lines(
        axes,
        [
            Line("", "bound", x, 2 * x * np.log(2) / np.log(1.5), dashed=True),
            Line("tk", "binary", x, np.full(2, float(binary.max()))),
        ],
    )
    top = 1.2 * max(asked.max(), binary.max())
    axes.set_ylim(0, top)
    axes.set_xlim(0, 1.02 * bits.max())
    axes.set_xlabel("log₂ 1/P(h)")
    axes.set_title("Labels until every label is certain", loc="left", fontsize=10.5, color=INK)
    axes.grid(axis="y")
    for y, text, own in (
        (float(binary.max()), "binary search", colour("tk")),
        (
            float(np.median(asked[bits > np.quantile(bits, 0.97)])),
            "volume-greedy",
            colour("aluma"),
        ),
    ):
        axes.annotate(
            text,
            (1, y / top),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            color=own,
            fontsize=8.5,
            va="center",
        )
    crossing = top * np.log(1.5) / (2 * np.log(2))
    axes.annotate(
        "bound of the proof",
        (crossing, top),
        xytext=(4, -2),
        textcoords="offset points",
        color=INK,
        fontsize=8.5,
        va="top",
    )
