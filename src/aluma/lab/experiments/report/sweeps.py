"""Sections about learners on pools of several sizes: labels needed against a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from aluma import bounds
from aluma.arrays import Floats
from aluma.lab.curves import gave_up, median, most, needed
from aluma.lab.entrants import Entrant
from aluma.lab.experiments.declaration import Tournament
from aluma.lab.experiments.report.contests import beyond
from aluma.lab.experiments.report.drawing import Line, count_panel, picture
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
    if contest.to_the_end:
        going_on = [entrant for entrant in there if entrant.key in contest.to_the_end]
        tables.append(_sweep_table(results, contest, going_on, "asked"))
    said = [*_beside_the_paper(results, contest, there), *_gave_up(results, contest, there)]
    if len(values) < 2 or not all(isinstance(value, int | float) for value in values):
        return Section(contest, said, tables)
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
        np.array(size.values, dtype=float),
        middle,
        low,
        high,
        marked=True,
        beyond=np.array(unreached),
        crosses=_crosses(contest, entrant, size.values),
    )


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


def _beside_the_paper(results: Results, contest: Tournament, there: Sequence[Entrant]) -> list[str]:
    """Say where the paper's figures are not within the range of ours."""
    outside = []
    for value, said in contest.printed.items():
        for entrant in there:
            counts = _counts(of(results, entrant.key, value), "right")
            told = said.get(entrant.paper, "")
            if counts and told.isdigit() and not min(counts) <= int(told) <= max(counts):
                outside.append(f"{entrant.title} at d = {value} ({told})")
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
