"""Sections about learners on one pool: their errors against the labels given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from aluma.lab.comparison import TARGETS
from aluma.lab.curves import (
    at,
    at_all,
    curves,
    gave_up,
    median,
    most,
    needed,
    paired,
    stopped,
)
from aluma.lab.entrants import Entrant
from aluma.lab.experiments.declaration import Tournament, View
from aluma.lab.experiments.report.drawing import Line, Picture, error_panel, picture
from aluma.lab.experiments.report.section import Section
from aluma.lab.experiments.report.table import Cell, Table, count, mark_least, percent
from aluma.lab.experiments.results import Results, of
from aluma.lab.play import ROUND, Result

#: Labels after which errors are tabulated.
MOMENTS = (10, 25, 50, 100, 250, 500, 1000)


def curve_section(results: Results, contest: Tournament) -> Section:
    """Report errors against labels, for the pool and for the test set."""
    (value,) = contest.sizes[results.scale].values
    runs = {e: of(results, e.key, value) for e in contest.present}
    there = {entrant: found for entrant, found in runs.items() if found}
    if not there:
        return Section(contest)
    measured = [_ranking(there), *_paired(there), *_conflicts(there), *_stopped(there)]
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
    there = {e: of(results, e.key, value) for e in keys}
    there = {entrant: found for entrant, found in there.items() if found}
    if not there:
        return Section(view)
    panels = []
    for series, title in (("train", "Training error"), ("test", "Test error")):
        lines = []
        for entrant, runs in there.items():
            lines.append(_line(entrant, runs, series, f"{entrant.title}, vote"))
            lines.append(_line(entrant, runs, f"{series}_random", f"{entrant.title}, one", True))
        budget = most(there.values())
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


def needed_table(name: str, there: dict[Entrant, list[Result]]) -> Table:
    """Tabulate the labels after which the training error was first seen below some errors."""
    columns: list[list[Cell]] = []
    for target in TARGETS:
        counts = [[needed(run, target) for run in runs] for runs in there.values()]
        texts = [
            count(one, beyond(runs, one, most([runs])))
            for runs, one in zip(there.values(), counts, strict=True)
        ]
        columns.append(mark_least(texts, [median(one) for one in counts]))
    rows = [_row(entrant, columns, i) for i, entrant in enumerate(there)]
    heads = ["learner", *(f"{target:.0%}" for target in TARGETS)]
    title = "Labels until at most this share of the pool is labelled wrong"
    return Table(f"{name}-labels", title, heads, rows)


def _row(entrant: Entrant, columns: Sequence[Sequence[Cell]], i: int) -> list[Cell | str]:
    return [entrant.title, *(column[i] for column in columns)]


def _error_table(contest: Tournament, there: dict[Entrant, list[Result]], series: str) -> Table:
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
    contest: Tournament, there: dict[Entrant, list[Result]], series: Sequence[tuple[str, str]]
) -> Picture:
    budget = most(there.values())
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
    last = most(there.values())
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


def _paired(there: dict[Entrant, list[Result]]) -> list[str]:
    """Say how often ALuMA is clearly behind TK, the paper's strongest competitor, and ahead of it.

    At every multiple of ROUND labels, by more than two standard errors of the pairs of runs.
    """
    by_key = {entrant.key: runs for entrant, runs in there.items()}
    ours, theirs = by_key.get("aluma", []), by_key.get("tk", [])
    moments = range(ROUND, most(there.values()) + 1, ROUND)
    if len(ours) != len(theirs) or len(ours) < 2 or not moments:
        return []
    found = paired(at_all(ours, "train", moments), at_all(theirs, "train", moments))
    behind = [n for n, is_late in zip(moments, found.behind, strict=True) if is_late]
    ahead = int(np.count_nonzero(found.ahead))
    where = f" ({', '.join(f'{n:,}' for n in behind)} labels)" if behind else ""
    return [
        f"Every {ROUND} labels, run by run: ALuMA's training error is below TK's by more than two "
        f"standard errors at {ahead} of {len(moments)} counts, above it at {len(behind)}{where}."
    ]


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


def beyond(runs: Sequence[Result], counts: Sequence[float], budget: int) -> str:
    """Say what became of runs that did not get there: of some, more labels would be no help."""
    return "never" if gave_up(runs, counts) else f">{budget:,}"


def _stopped(there: dict[Entrant, list[Result]]) -> list[str]:
    """Say who stopped asking before the budget was spent."""
    found = {e.title: [len(r["asked"]) for r in runs if stopped(r)] for e, runs in there.items()}
    early = [f"{name} after {count(ends, '')}" for name, ends in found.items() if ends]
    return (
        [f"Stopped by themselves, with nothing left to ask: {'; '.join(early)}."] if early else []
    )


def _moments(there: dict[Entrant, list[Result]]) -> list[int]:
    last = most(there.values())
    return [moment for moment in MOMENTS if moment < last] + [last]


def _ratio(runs: list[Result], moments: Sequence[int]) -> float:
    shares = [
        at(runs, "train_random", moment).mean() / max(at(runs, "train", moment).mean(), 1e-12)
        for moment in moments
        if at(runs, "train", moment).mean() > 0
    ]
    return float(np.mean(shares)) if shares else float("nan")
