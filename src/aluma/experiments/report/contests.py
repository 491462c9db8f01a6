"""Sections about learners: error curves, and labels needed against a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from aluma import bounds
from aluma.arrays import Floats
from aluma.experiments.declaration import Contest, View
from aluma.experiments.entrants import Entrant
from aluma.experiments.report.drawing import Line, Picture, count_panel, error_panel, picture
from aluma.experiments.report.section import Section
from aluma.experiments.report.table import Cell, Table, count, mark_least, percent
from aluma.experiments.results import Result, Results, at, curves, median, needed, of

#: Errors that the summary counts labels for.
TARGETS = (0.10, 0.05, 0.01, 0.0)
#: Labels after which errors are tabulated.
MOMENTS = (10, 25, 50, 100, 250, 500, 1000)

#: Table 1 of the paper.
PAPER_OCTAHEDRON = {
    10: {"ALuMA": "29", "TK": "156", "QBC": "50", "CAL": "308", "ERM": "1008"},
    12: {"ALuMA": "38", "TK": "735", "QBC": "113", "CAL": "862", "ERM": "3958"},
    15: {"ALuMA": "55", "TK": "959", "QBC": "150", "CAL": "2401", "ERM": ">20000"},
}


def curve_section(results: Results, contest: Contest) -> Section:
    """Report errors against labels, for the pool and for the test set."""
    (value,) = contest.sizes[results.scale].values
    runs = {e: of(results, contest, e.key, value) for e in contest.present}
    there = {entrant: found for entrant, found in runs.items() if found}
    if not there:
        return Section(contest)
    measured = [_ranking(there), *_conflicts(there)]
    tables = [needed_table(contest.name, there), _error_table(contest, there, "train")]
    series = [("train", "Training error")]
    if "test" in next(iter(there.values()))[0]:
        series.append(("test", "Test error"))
        tables.append(_error_table(contest, there, "test"))
    return Section(contest, measured, tables, [_curves(contest, there, series)])


def vote_section(results: Results, view: View) -> Section:
    """Report the same runs by majority vote and by a random hypothesis."""
    (value,) = view.source.sizes[results.scale].values
    keys = [e for e in view.source.present if e.key in view.keys]
    there = {e: of(results, view.source, e.key, value) for e in keys}
    there = {entrant: found for entrant, found in there.items() if found}
    if not there:
        return Section(view)
    panels = []
    for series, title in (("train", "Training error"), ("test", "Test error")):
        lines = []
        for entrant, runs in there.items():
            lines.append(_line(entrant, runs, series, f"{entrant.title}, vote"))
            lines.append(_line(entrant, runs, f"{series}_random", f"{entrant.title}, one", True))
        budget = _most(runs for runs in there.values())
        panels.append(partial(error_panel, lines=lines, title=title, budget=budget))
    shown = picture(view.name, view.title, _reading(there), panels)
    rows = []
    moments = _moments(there)
    for entrant, runs in there.items():
        for series, how in (("train", "vote"), ("train_random", "random hypothesis")):
            cells = [percent(at(runs, series, moment).tolist()) for moment in moments]
            rows.append([entrant.title, how, *cells])
    columns = ["learner", "labels by", *(f"{moment:,}" for moment in moments)]
    table = Table(f"{view.name}-errors", "Training error after so many labels", columns, rows, 2)
    ratios = [
        f"{entrant.title}: {_ratio(runs, moments):.1f} times" for entrant, runs in there.items()
    ]
    sentence = "Error of a random hypothesis over that of the vote, averaged over the table: "
    return Section(view, [sentence + "; ".join(ratios) + "."], [table], [shown])


def sweep_section(results: Results, contest: Contest) -> Section:
    """Report labels needed against a parameter."""
    values = contest.sizes[results.scale].values
    there = [e for e in contest.present if any(of(results, contest, e.key, v) for v in values)]
    if not there:
        return Section(contest)
    tables = [_sweep_table(results, contest, there, "right")]
    measures = [("right", "Until everything is right")]
    if contest.prove:
        tables.append(_sweep_table(results, contest, there, "certain"))
        measures.append(("certain", "Until every label is certain"))
    panels = [
        partial(
            count_panel,
            lines=[_sweep_line(results, contest, e, measure) for e in there]
            + (_reference(contest, values) if measure == measures[-1][0] else []),
            title=title,
            x_label=contest.parameter,
            x_marks=values,
            log_x=max(values) / min(values) >= 8,
        )
        for measure, title in measures
    ]
    spread = "Labels needed. Line: median over targets; band: all of them."
    if contest.name == "octahedron":
        spread += " Crosses: the paper. Triangles: not reached within the budget."
    shown = [picture(contest.name, contest.title, spread, panels)] if len(values) > 1 else []
    return Section(contest, _paper_octahedron(results, contest, there), tables, shown)


def needed_table(name: str, there: dict[Entrant, list[Result]]) -> Table:
    """Tabulate the labels after which the training error was first seen below some errors."""
    columns: list[list[Cell]] = []
    for target in TARGETS:
        counts = [[needed(run, target) for run in runs] for runs in there.values()]
        beyond = [f">{max(run['labels'][-1] for run in runs):,}" for runs in there.values()]
        texts = [count(one, more) for one, more in zip(counts, beyond, strict=True)]
        columns.append(mark_least(texts, [median(one) for one in counts]))
    rows = [_row(entrant, columns, i) for i, entrant in enumerate(there)]
    heads = ["learner", *(f"{target:.0%}" for target in TARGETS)]
    title = "Labels until at most this share of the pool is labelled wrong"
    return Table(f"{name}-labels", title, heads, rows)


def _row(entrant: Entrant, columns: Sequence[Sequence[Cell]], i: int) -> list[Cell | str]:
    return [entrant.title, *(column[i] for column in columns)]


def _error_table(contest: Contest, there: dict[Entrant, list[Result]], series: str) -> Table:
    moments = _moments(there)
    columns: list[list[Cell]] = []
    for moment in moments:
        errors = [at(runs, series, moment).tolist() for runs in there.values()]
        columns.append(
            mark_least([percent(one) for one in errors], [float(np.mean(one)) for one in errors])
        )
    rows = [_row(entrant, columns, i) for i, entrant in enumerate(there)]
    what = {"train": "Training", "test": "Test"}[series]
    heads = ["learner", *(f"{moment:,}" for moment in moments)]
    return Table(f"{contest.name}-{series}", f"{what} error after so many labels", heads, rows)


def _curves(
    contest: Contest, there: dict[Entrant, list[Result]], series: Sequence[tuple[str, str]]
) -> Picture:
    budget = _most(there.values())
    panels = [
        partial(
            error_panel,
            lines=[_line(entrant, runs, name) for entrant, runs in there.items()],
            title=title,
            budget=budget,
        )
        for name, title in series
    ]
    return picture(contest.name, contest.title, _reading(there), panels)


def _line(
    entrant: Entrant, runs: list[Result], series: str, title: str = "", dashed: bool = False
) -> Line:
    counts, rows = curves(runs, series)
    low, high = (rows.min(axis=0), rows.max(axis=0)) if len(rows) > 1 else (None, None)
    name = title or entrant.title
    return Line(entrant.key, name, counts.astype(float), rows.mean(axis=0), low, high, dashed)


def _reading(there: dict[Entrant, list[Result]]) -> str:
    runs = max(len(found) for found in there.values())
    return f"Line: mean of {runs} runs; band: all of them." if runs > 1 else "One run each."


def _ranking(there: dict[Entrant, list[Result]]) -> str:
    """Say who makes the fewest mistakes over the whole course of labelling."""
    last = _most(there.values())
    final = {e: float(np.mean(at(runs, "train", last))) for e, runs in there.items()}
    area = {e: _area(runs, last) for e, runs in there.items()}
    first = min(area, key=area.__getitem__)
    order = ", ".join(
        f"{e.title} {100 * final[e]:.2f}%" for e in sorted(final, key=final.__getitem__)
    )
    return (
        f"Averaged over the course (on a logarithmic scale of labels), {first.title} labels the "
        f"least of the pool wrong. Training error after {last:,} labels: {order}."
    )


def _area(runs: list[Result], last: int) -> float:
    moments = np.unique(np.geomspace(5, max(last, 6), 40).astype(int))
    return float(np.mean([at(runs, "train", int(moment)).mean() for moment in moments]))


def _conflicts(there: dict[Entrant, list[Result]]) -> list[str]:
    found = {
        e.title: [run["conflicts"] for run in runs]
        for e, runs in there.items()
        if any(run["conflicts"] for run in runs)
    }
    if not found:
        return []
    counted = ", ".join(f"{name} {count(numbers, '')}" for name, numbers in found.items())
    return [f"Answers that contradicted the others and were not learnt from: {counted}."]


def _sweep_table(
    results: Results, contest: Contest, there: Sequence[Entrant], measure: str
) -> Table:
    values = contest.sizes[results.scale].values
    rows: list[list[Cell | str]] = []
    for value in values:
        counts = [_counts(of(results, contest, e.key, value), measure) for e in there]
        budgets = [contest.sizes[results.scale].labels(value, e.key) for e in there]
        texts = [count(one, f">{more:,}") for one, more in zip(counts, budgets, strict=True)]
        least = [median(one) if one else float("inf") for one in counts]
        rows.append([str(value), *mark_least(texts, least)])
        paper = PAPER_OCTAHEDRON.get(value) if contest.name == "octahedron" else None
        if paper:
            said: list[Cell | str] = [paper.get(e.paper, "") for e in there]
            rows.append([f"{value}, paper", *said])
    what = {"right": "everything is right", "certain": "every label is certain"}[measure]
    title = f"Labels until {what}: median over targets (range)"
    heads = [contest.parameter, *(e.title for e in there)]
    return Table(f"{contest.name}-{measure}", title, heads, rows)


def _counts(runs: Sequence[Result], measure: str) -> list[float]:
    if measure == "right":
        return [needed(run, 0.0) for run in runs]
    certain = [run["certain"] for run in runs]
    return [float("inf") if one is None else float(one) for one in certain]


def _sweep_line(results: Results, contest: Contest, entrant: Entrant, measure: str) -> Line:
    size = contest.sizes[results.scale]
    rows, limits = [], []
    for value in size.values:
        counts = _counts(of(results, contest, entrant.key, value), measure) or [np.nan]
        limits.append(size.labels(value, entrant.key))
        rows.append(np.minimum(counts, limits[-1]))
    middle, low, high = (np.array([f(row) for row in rows]) for f in (median, np.min, np.max))
    unreached = [
        np.isinf(median(_counts(of(results, contest, entrant.key, v), measure) or [np.nan]))
        for v in size.values
    ]
    return Line(
        entrant.key,
        entrant.title,
        np.array(size.values, dtype=float),
        middle,
        low,
        high,
        marked=True,
        beyond=np.array(unreached),
        crosses=_crosses(contest, entrant, size.values),
    )


def _crosses(contest: Contest, entrant: Entrant, values: Sequence[Any]) -> Floats | None:
    """Return the paper's own figures, where it has some."""
    if contest.name != "octahedron":
        return None
    said = [PAPER_OCTAHEDRON.get(value, {}).get(entrant.paper, "") for value in values]
    return np.array([float(one) if one.isdigit() else np.nan for one in said])


def _reference(contest: Contest, values: Sequence[Any]) -> list[Line]:
    """Return what the theory says about a parameter, where it says something."""
    x = np.array(values, dtype=float)
    if contest.name == "octahedron-gap":
        bound = np.array([bounds.cal_octahedron(int(v)) for v in values], dtype=float)
        return [Line("", "bound for CAL", x, bound, dashed=True)]
    if contest.name == "two-circles":
        return [Line("", "1/ε", x, x, dashed=True)]
    if contest.name == "lower-bound":
        return [Line("", "log₂ m", x, np.log2(x), dashed=True)]
    return []


def _paper_octahedron(results: Results, contest: Contest, there: Sequence[Entrant]) -> list[str]:
    if contest.name != "octahedron":
        return []
    outside = []
    for value, said in PAPER_OCTAHEDRON.items():
        for entrant in there:
            counts = _counts(of(results, contest, entrant.key, value), "right")
            told = said.get(entrant.paper, "")
            if counts and told.isdigit() and not min(counts) <= int(told) <= max(counts):
                outside.append(f"{entrant.title} at d = {value} ({told})")
    if not outside:
        return []
    return ["The paper's figure is outside the range over our targets for: " + "; ".join(outside)]


def _moments(there: dict[Entrant, list[Result]]) -> list[int]:
    last = _most(there.values())
    return [moment for moment in MOMENTS if moment < last] + [last]


def _most(groups: Any) -> int:
    return int(max(run["labels"][-1] for runs in groups for run in runs))


def _ratio(runs: list[Result], moments: Sequence[int]) -> float:
    shares = [
        at(runs, "train_random", moment).mean() / max(at(runs, "train", moment).mean(), 1e-12)
        for moment in moments
        if at(runs, "train", moment).mean() > 0
    ]
    return float(np.mean(shares)) if shares else float("nan")
