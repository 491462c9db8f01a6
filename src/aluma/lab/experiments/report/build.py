"""Make the report of an output folder from the results that are in it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aluma.lab.experiments.declaration import Calculation, Experiment, Scale, Tournament, View
from aluma.lab.experiments.report import contests, overview, sweeps, theory
from aluma.lab.experiments.report.page import Report, as_html, as_markdown
from aluma.lab.experiments.report.section import Section
from aluma.lab.experiments.results import Results, collect
from aluma.lab.experiments.store import Store, write_whole
from aluma.lab.experiments.versions import installed


def build(
    experiments: Sequence[Experiment],
    scale: Scale,
    seeds: int | None,
    out: Path,
    troubles: Sequence[str] = (),
) -> Report:
    """Write ``report.html``, ``report.md``, ``figures/`` and ``tables/``, and return the report."""
    store = Store(out / "runs")
    found = [collect(e, scale, e.tasks(scale, seeds), store) for e in experiments]
    compared = overview.data_sets(found)
    report = Report(
        facts=_facts(found, out),
        summary=overview.summary_table(compared),
        picture=overview.summary_picture(compared),
        sections=[section(results) for results in found],
        troubles=[*troubles, *_absent(found)],
    )
    pictures = [picture for one in report.sections for picture in one.pictures]
    for shown in (*pictures, *filter(None, [report.picture])):
        write_whole(out / "figures" / f"{shown.name}.png", shown.png)
        write_whole(out / "figures" / f"{shown.name}.svg", shown.svg)
    for table in (*(table for one in report.sections for table in one.tables), report.summary):
        write_whole(out / "tables" / f"{table.name}.csv", table.as_csv())
    write_whole(out / "report.html", as_html(report))
    write_whole(out / "report.md", as_markdown(report))
    return report


def section(results: Results) -> Section:
    """Return the section about an experiment."""
    experiment = results.experiment
    if isinstance(experiment, View):
        return contests.vote_section(results, experiment)
    if isinstance(experiment, Tournament):
        if experiment.parameter == "pool" and len(experiment.sizes[results.scale].values) == 1:
            return contests.curve_section(results, experiment)
        return sweeps.sweep_section(results, experiment)
    if isinstance(experiment, Calculation) and experiment.name in theory.SECTIONS:
        return theory.SECTIONS[experiment.name](results, experiment)
    return theory.plain_section(results, experiment)


def _facts(found: Sequence[Results], out: Path) -> list[tuple[str, str]]:
    """Say how, when and with what the results were made."""
    notes = _notes(out / "log.jsonl")
    sittings = _sittings(notes)
    names = {results.experiment.name for results in found}
    runs = {
        (note["experiment"], note["case"], note["seed"], note["scale"]): note["seconds"]
        for note in notes
        if note.get("experiment") in names and "trouble" not in note
    }
    count = sum(len(one) for results in found for one in results.by_case.values())
    wanted = [seeds for results in found for seeds in results.wanted.values()]
    most, least = max(wanted, default=0), min(wanted, default=0)
    seeds = f"{least} to {most}" if least < most else f"{most}"
    versions = ", ".join(f"{name} {version}" for name, version in installed().items())
    wall = sum(seconds for _, seconds in sittings)
    facts = [
        ("command", sittings[-1][0]["command"] if sittings else "-"),
        ("runs", f"{count:,}, {seeds} seeds a case"),
        ("time of the runs", f"{_duration(sum(runs.values()))} on one core"),
        ("wall time", f"{_duration(wall)}, {len(sittings)} sitting(s)"),
        ("made", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        ("machine", f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"),
        ("versions", versions),
    ]
    if sittings:
        started = sittings[0][0]["started"].replace("T", " ").replace("+00:00", " UTC")
        facts.insert(1, ("begun", started))
    return facts


def _sittings(notes: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], float]]:
    """Return what began each sitting, and the seconds until the last task that ended in it."""
    found: list[tuple[dict[str, Any], float]] = []
    for note in notes:
        if "started" in note:
            found.append((note, 0.0))
        elif found:
            begun = found[-1][0]
            start, end = map(datetime.fromisoformat, (begun["started"], note["ended"]))
            found[-1] = (begun, (end - start).total_seconds())
    return found


def _absent(found: Sequence[Results]) -> list[str]:
    """Say which learners this installation cannot run, and which runs are missing."""
    said = []
    for results in found:
        experiment = results.experiment
        if isinstance(experiment, Tournament):
            lacking = [e.title for e in experiment.entrants if not e.available]
            if lacking:
                said.append(f"{experiment.name}: not installed here: {', '.join(lacking)}.")
        if results.missing:
            said.append(f"{experiment.name}: {results.missing} runs are missing.")
    return said


def _notes(log: Path) -> list[dict[str, Any]]:
    """Return the lines of a log, without those that a kill or a full disk cut off."""
    notes = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else ():
        with suppress(json.JSONDecodeError):
            notes.append(json.loads(line))
    return notes


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
