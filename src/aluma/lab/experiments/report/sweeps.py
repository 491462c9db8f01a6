"""Sections about learners on pools of several sizes: labels needed against a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from aluma import bounds
from aluma.arrays import Floats
from aluma.lab.curves import gave_up, median, most, needed
from aluma.lab.entrants import Entrant
from aluma.lab.experiments.declaration import Tournament
from aluma.lab.experiments.report.contests import beyond
from aluma.lab.experiments.report.dots import ROW_INCHES, around, row_panel
from aluma.lab.experiments.report.drawing import Line, Picture, count_panel, picture
from aluma.lab.experiments.report.section import Section
from aluma.lab.experiments.report.table import Cell, Table, count, mark_least
from aluma.lab.experiments.results import Results, of
from aluma.lab.play import Result


def sweep_section(results: Results, contest: Tournament) -> Section:
    """Report labels needed against a parameter."""
    values = contest.sizes[results.scale].values
    there = [e for e in contest.present if any(of(results, e.key, v) for v in values)]
    if not there:
        return Section(contest)
    tables = [_sweep_table(results, contest, there, "right")]
    measures = [("right", "Until everything is right")]
    if contest.prove:
        tables.append(_sweep_table(results, contest, there, "certain"))
        measures.append(("certain", "Until every label is certain"))
    going_on = [entrant for entrant in there if entrant.key in contest.to_the_end]
    if going_on:
        tables.append(_sweep_table(results, contest, going_on, "asked"))
    said = [
        *_unfinished(results),
        *_beside_the_paper(results, contest, there),
        *_gave_up(results, contest, there),
    ]
    if len(values) < 2:
        return Section(contest, said, tables)
    if not all(isinstance(value, int | float) for value in values):
        asked = {"right": there, "asked": going_on}
        return Section(contest, said, tables, [_rows_picture(results, contest, asked)])
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
    spread = "Labels needed. Line: median over targets; band: all of them. Triangle: not reached."
    if contest.printed:
        spread = spread.replace(" Triangle", " Cross: the paper. Triangle")
    return Section(contest, said, tables, [picture(contest.name, contest.title, spread, panels)])


def _rows_picture(
    results: Results, contest: Tournament, who: Mapping[str, Sequence[Entrant]]
) -> Picture:
    """Draw labels needed on pools that are on no scale."""
    titles = {"right": "Until everything is right", "asked": "Asked for in all"}
    drawn = {measure: entrants for measure, entrants in who.items() if entrants}
    rows = [str(value) for value in contest.sizes[results.scale].values]
    panels = [
        partial(
            row_panel,
            lines=[_sweep_line(results, contest, e, measure) for e in entrants],
            rows=rows,
            title=titles[measure],
            first=not i,
            last=i == len(drawn) - 1,
            named={e.title: e.key for e in who["right"]},
        )
        for i, (measure, entrants) in enumerate(drawn.items())
    ]
    spread = "Labels needed. Dot: median over targets; bar: all of them. Triangle: not reached."
    if contest.printed:
        spread = spread.replace(" Triangle", " Cross: the paper. Triangle")
    height = max(2.0, ROW_INCHES * len(rows))
    return picture(contest.name, contest.title, spread, panels, around(len(panels)), height=height)


def _sweep_table(
    results: Results, contest: Tournament, there: Sequence[Entrant], measure: str
) -> Table:
    values = contest.sizes[results.scale].values
    rows: list[list[Cell | str]] = []
    for value in values:
        counts = [_counts(of(results, e.key, value), measure) for e in there]
        limits = [contest.sizes[results.scale].labels(value, e.key) for e in there]
        texts = [
            count(one, beyond(of(results, e.key, value), one, limit))
            for e, one, limit in zip(there, counts, limits, strict=True)
        ]
        least = [median(one) if one else float("inf") for one in counts]
        rows.append([str(value), *mark_least(texts, least)])
        paper = contest.printed.get(value)
        if paper:
            said: list[Cell | str] = [paper.get(e.paper, "") for e in there]
            rows.append([f"{value}, paper", *said])
    what = {
        "right": "everything is right",
        "certain": "every label is certain",
        "asked": "the learner wants no more",
    }[measure]
    title = f"Labels until {what}: median over targets (range)"
    heads = [contest.parameter, *(e.title for e in there)]
    return Table(f"{contest.name}-{measure}", title, heads, rows)


def _sweep_line(results: Results, contest: Tournament, entrant: Entrant, measure: str) -> Line:
    size = contest.sizes[results.scale]
    rows, unreached = [], []
    for value in size.values:
        runs = of(results, entrant.key, value)
        counts = _counts(runs, measure) or [np.nan]
        # Who gave up is drawn no higher than who asked for most.
        asked = most(of(results, e.key, value) for e in contest.entrants)
        limit = min(size.labels(value, entrant.key), asked)
        rows.append(np.where(np.isinf(counts), limit, counts))
        unreached.append(bool(np.isinf(median(counts))))
    middle, low, high = (np.array([f(row) for row in rows]) for f in (median, np.min, np.max))
    return Line(
        entrant.key,
        entrant.title,
        _along(size.values),
        middle,
        low,
        high,
        marked=True,
        beyond=np.array(unreached),
        crosses=_crosses(contest, entrant, size.values),
    )


def _along(values: Sequence[Any]) -> Floats:
    """Return values of a parameter, or the rows of those that are no numbers."""
    numbers = all(isinstance(value, int | float) for value in values)
    return np.array(values if numbers else range(len(values)), dtype=float)


def _counts(runs: Sequence[Result], measure: str) -> list[float]:
    if measure == "right":
        return [needed(run, 0.0) for run in runs]
    if measure == "asked":
        ends = [run["ended"] == "exhausted" for run in runs]
        return [len(r["asked"]) if e else float("inf") for r, e in zip(runs, ends, strict=True)]
    certain = [run["certain"] for run in runs]
    return [float("inf") if one is None else float(one) for one in certain]


def _crosses(contest: Tournament, entrant: Entrant, values: Sequence[Any]) -> Floats | None:
    """Return the paper's own figures, where it has some."""
    if not contest.printed:
        return None
    said = [contest.printed.get(value, {}).get(entrant.paper, "") for value in values]
    return np.array([float(one) if one.isdigit() else np.nan for one in said])


def _reference(contest: Tournament, values: Sequence[Any]) -> list[Line]:
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


def _unfinished(results: Results) -> list[str]:
    """Say how many runs each median is of, where some are missing."""
    if not results.missing:
        return []
    there = [f"{case} {len(runs)}" for case, runs in results.by_case.items()]
    return [f"Not all runs are there. Targets of each case: {', '.join(there)}."]


def _beside_the_paper(results: Results, contest: Tournament, there: Sequence[Entrant]) -> list[str]:
    """Say where the paper's figures are not within the range of ours, however they are counted."""
    outside = []
    for value, said in contest.printed.items():
        for entrant in there:
            told, runs = said.get(entrant.paper, ""), of(results, entrant.key, value)
            ways = ["right", "asked"] if entrant.key in contest.to_the_end else ["right"]
            ranges = [_counts(runs, way) for way in ways]
            if not runs or not told.isdigit():
                continue
            if not any(min(counts) <= int(told) <= max(counts) for counts in ranges):
                outside.append(f"{entrant.title} at {contest.parameter} = {value} ({told})")
    if not outside:
        return []
    return ["The paper's figure is outside the range over our targets for: " + "; ".join(outside)]


def _gave_up(results: Results, contest: Tournament, there: Sequence[Entrant]) -> list[str]:
    """Say whose runs met the whole pool without a question before they got there."""
    measure = "certain" if contest.prove else "right"
    who = []
    for entrant in there:
        values = contest.sizes[results.scale].values
        runs = [run for value in values for run in of(results, entrant.key, value)]
        if lost := gave_up(runs, _counts(runs, measure)):
            who.append(f"{entrant.title} in {lost} of {len(runs)} runs")
    if not who:
        return []
    return [
        "“Never” is for runs that passed over the whole pool without a question before they got "
        f"there: {'; '.join(who)}."
    ]
