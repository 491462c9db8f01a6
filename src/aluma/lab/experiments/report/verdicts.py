"""The table at the top of the report: what the paper says, what we find, and why.

It is read off the sections as Markdown, so that sections of an earlier run, which are kept in the
documentation, are summed up by the same code as new ones.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from aluma.lab.experiments.report.table import Table
from aluma.lab.experiments.verdicts import VERDICTS, Verdict

#: The command in a section's second line names its experiment.
_NAME = re.compile(r"`aluma reproduce ([a-z0-9-]+)`")
#: A range behind a median, which one line has no room for.
_RANGE = re.compile(r" \([^)]* to [^)]*\)")
#: Figures of a sentence: whose, and how large.
_FIGURES = re.compile(r"([^,:]+?) (>?[\d.]+%)")
#: The paper's ALuMA needs no setting beside its name where there is no other.
_PAPERS = "ALuMA α=1"
#: When a section was made, if not with the others.
_APART = re.compile(r"\*Made apart: ([\w-]+)")
HEADS = ("experiment", "the paper says", "we find", "why")


class Line(NamedTuple):
    """A line of the table: the experiment, the title of its section, and the cells."""

    experiment: str
    title: str
    cells: tuple[str, str, str, str]
    apart: str


def sections_of(markdown: str) -> dict[str, str]:
    """Return the sections about experiments, by their names."""
    parts = re.split(r"(?m)^(?=## )", markdown)
    found = {}
    for part in parts:
        if part.startswith("## ") and (name := _NAME.search(part)):
            found[name[1]] = part.strip()
    return found


def verdict_lines(sections: dict[str, str]) -> list[Line]:
    """Return a line for every section that has a verdict."""
    lines = []
    for experiment, text in sections.items():
        if (verdict := VERDICTS.get(experiment)) and (found := _found(text, verdict)):
            title = text.partition("\n")[0].removeprefix("## ")
            cells = (verdict.name, verdict.says, found, verdict.why)
            apart = _APART.search(text)
            lines.append(Line(experiment, title, cells, apart[1] if apart else ""))
    return lines


def verdict_table(sections: dict[str, str], made: str = "") -> Table:
    """Return the table, every line with a link to its section.

    With ``made``, the date of the run that sections are from if they do not say otherwise, a last
    column has the dates.
    """
    rows = []
    heads = [*HEADS, "run of"] if made else HEADS
    for line in verdict_lines(sections):
        name, *cells = line.cells
        dates = [day(line.apart or made)] if made else []
        rows.append([f"[{name}](#{anchor(line.title)})", *cells, *dates])
    return Table("verdicts", "Line by line", heads, rows, len(heads))


def day(date: str) -> str:
    """Return a date in few letters, "16 Nov" for 2026-11-16; what is none stays as it is."""
    try:
        return f"{datetime.fromisoformat(date):%d %b}".lstrip("0")
    except ValueError:
        return date


def anchor(title: str) -> str:
    """Return the name that a heading gets on GitHub, and in most other renderers."""
    kept = re.sub(r"[^\w\s-]", "", title.lower())
    return re.sub(r"\s", "-", kept.strip())


def _found(text: str, verdict: Verdict) -> str:
    if verdict.look:
        match = re.search(verdict.look, " ".join(text.split()))
        found = "".join(match.groups()) if match else ""
        return _figures(found, verdict.columns) if verdict.columns else found
    tables = re.findall(r"(?m)(?:^\|.*\n?)+", text)
    return _row(tables[verdict.table], verdict) if len(tables) > verdict.table else ""


def _figures(sentence: str, wanted: tuple[str, ...]) -> str:
    """Return a sentence with the figures of some learners only, in their order."""
    head, _, rest = sentence.partition(": ")
    figures = {name.strip(): figure for name, figure in _FIGURES.findall(rest)}
    return _told(head, [(name, figures[name]) for name in wanted if name in figures])


def _told(head: str, cells: list[tuple[str, str]]) -> str:
    """Return some figures in a line; ranges behind medians have no room."""
    names = [name for name, _ in cells]
    short = {_PAPERS: "ALuMA"} if "ALuMA" not in names else {}
    figures = [f"{short.get(name, name)} {_RANGE.sub('', figure)}" for name, figure in cells]
    return f"{head}: {', '.join(figures)}" if figures else ""


def _row(table: str, verdict: Verdict) -> str:
    """Return one of a table's rows that are ours, with its heads."""
    rows = [
        [cell.strip(" *") for cell in line.strip("| ").split("|")] for line in table.split("\n")
    ]
    heads, ours = rows[0], [row for row in rows[2:] if len(row) > 1 and ", paper" not in row[0]]
    if verdict.down in heads:
        place = heads.index(verdict.down)
        down = [(row[0], row[place]) for row in ours]
        return _told(f"until {verdict.down} is wrong", _wanted(down, verdict.columns))
    if not -len(ours) <= verdict.row < len(ours):
        return ""
    row = ours[verdict.row]
    across = [cell for cell in zip(heads[1:], row[1:], strict=False) if cell[1]]
    return _told(f"{heads[0]} {row[0]}", _wanted(across, verdict.columns))


def _wanted(cells: list[tuple[str, str]], columns: tuple[str, ...]) -> list[tuple[str, str]]:
    return [cell for cell in cells if not columns or cell[0] in columns]
