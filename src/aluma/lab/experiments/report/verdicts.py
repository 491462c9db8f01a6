"""The table at the top of the report: what the paper says, what we find, and why.

It is read off the sections as Markdown, so that sections of an earlier run, which are kept in the
documentation, are summed up by the same code as new ones.
"""

from __future__ import annotations

import re

from aluma.lab.experiments.report.table import Table
from aluma.lab.experiments.verdicts import VERDICTS, Verdict

#: The command in a section's second line names its experiment.
_NAME = re.compile(r"`aluma reproduce ([a-z0-9-]+)`")
#: A range behind a median, which one line has no room for.
_RANGE = re.compile(r" \([^)]* to [^)]*\)")
#: Learners that the paper does not have, with what they came to.
_OTHERS = re.compile(r"(?:logistic margin|skactiveml Falcun) >?[\d.,]*\d%?(?:, )?")
#: When a section was made, if not with the others.
_APART = re.compile(r"\*Made apart: ([\w-]+)")
HEADS = ("experiment", "the paper says", "we find", "why")


def sections_of(markdown: str) -> dict[str, str]:
    """Return the sections about experiments, by their names."""
    parts = re.split(r"(?m)^(?=## )", markdown)
    found = {}
    for part in parts:
        if part.startswith("## ") and (name := _NAME.search(part)):
            found[name[1]] = part.strip()
    return found


def verdict_table(sections: dict[str, str], made: str = "") -> Table:
    """Return a line for every section that has a verdict.

    With ``made``, the date of the run that sections are from if they do not say otherwise, a last
    column has the dates.
    """
    rows = []
    heads = [*HEADS, "run of"] if made else HEADS
    for name, text in sections.items():
        if (verdict := VERDICTS.get(name)) and (found := _of_the_paper(_found(text, verdict))):
            title = text.partition("\n")[0].removeprefix("## ")
            apart = _APART.search(text)
            date = [apart[1] if apart else made] if made else []
            rows.append([f"[{title}](#{anchor(title)})", verdict.says, found, verdict.why, *date])
    return Table("verdicts", "Line by line", heads, rows, len(heads))


def anchor(title: str) -> str:
    """Return the name that a heading gets on GitHub, and in most other renderers."""
    kept = re.sub(r"[^\w\s-]", "", title.lower())
    return re.sub(r"\s", "-", kept.strip())


def _of_the_paper(found: str) -> str:
    """Return what was found without learners that the paper does not compare with."""
    return re.sub(r", (?=\.?$)", "", _OTHERS.sub("", found))


def _found(text: str, verdict: Verdict) -> str:
    if verdict.look:
        prose = " ".join(text.split())
        match = re.search(verdict.look, prose)
        return match[0] if match else ""
    tables = re.findall(r"(?m)(?:^\|.*\n?)+", text)
    return _row(tables[verdict.table], verdict) if len(tables) > verdict.table else ""


def _row(table: str, verdict: Verdict) -> str:
    """Return one of a table's rows that are ours, with its heads."""
    rows = [
        [cell.strip(" *") for cell in line.strip("| ").split("|")] for line in table.split("\n")
    ]
    heads, ours = rows[0], [row for row in rows[2:] if len(row) > 1 and ", paper" not in row[0]]
    if verdict.down in heads:
        place = heads.index(verdict.down)
        cells = [f"{row[0]} {_RANGE.sub('', row[place])}" for row in ours]
        return f"labels until {verdict.down} is wrong: {', '.join(cells)}"
    if not -len(ours) <= verdict.row < len(ours):
        return ""
    row = ours[verdict.row]
    cells = [
        f"{head} {_RANGE.sub('', cell)}"
        for head, cell in zip(heads[1:], row[1:], strict=False)
        if cell and (not verdict.columns or head in verdict.columns)
    ]
    return f"{heads[0]} {row[0]}: {', '.join(cells)}"
