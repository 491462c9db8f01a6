"""Tables that are written once and shown as CSV, Markdown and HTML."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and whether it stands out as the best of its group."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Table:
    """A table with a name for its file.

    Attributes
    ----------
    columns : heads; the first ``words`` columns are words and aligned left, the others numbers
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    words: int = 1

    def as_csv(self) -> str:
        """Return the table as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(cell).text for cell in row] for row in self.rows)
        return out.getvalue()

    def as_markdown(self) -> str:
        """Return the table as Markdown."""
        rule = ["---" if i < self.words else "---:" for i in range(len(self.columns))]
        lines = [self.columns, rule, *([_marked(_cell(c)) for c in row] for row in self.rows)]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def as_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f"<th{self._side(i)}>{escape(c)}</th>" for i, c in enumerate(self.columns))
        body = "\n".join(f"<tr>{self._html_row(row)}</tr>" for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"

    def _html_row(self, row: Iterable[Cell | str]) -> str:
        cells = []
        for i, cell in enumerate(map(_cell, row)):
            text = escape(cell.text)
            shown = f"<b>{text}</b>" if cell.best else text
            cells.append(f"<td{self._side(i)}>{shown}</td>")
        return "".join(cells)

    def _side(self, column: int) -> str:
        return ' class="word"' if column < self.words else ""


def count(values: Sequence[float], beyond: str) -> str:
    """Return labels needed as text: the median, and the range of the runs where they differ."""
    if not values:
        return "-"
    ordered = sorted(values)
    low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
    shown = [f"{one:,.0f}" if np.isfinite(one) else beyond for one in (low, middle, high)]
    return shown[1] if low == high else f"{shown[1]} ({shown[0]} to {shown[2]})"


def percent(values: Sequence[float]) -> str:
    """Return errors as text: their mean, and their standard deviation if there are several."""
    if len(values) == 0:
        return "-"
    mean = f"{100 * float(np.mean(values)):.2f}%"
    return mean if len(values) == 1 else f"{mean} ± {100 * float(np.std(values, ddof=1)):.2f}"


def mark_least(texts: Sequence[str], values: Sequence[float]) -> list[Cell]:
    """Return cells of which the smallest value stands out, if there is one."""
    finite = [value for value in values if np.isfinite(value)]
    least = min(finite, default=None)
    return [
        Cell(text, least is not None and value == least)
        for text, value in zip(texts, values, strict=True)
    ]


def _cell(cell: Cell | str) -> Cell:
    return cell if isinstance(cell, Cell) else Cell(cell)


def _marked(cell: Cell) -> str:
    text = cell.text.replace("|", "\\|")
    return f"**{text}**" if cell.best else text
