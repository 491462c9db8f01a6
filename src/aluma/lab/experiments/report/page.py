"""The report as one self-contained HTML page, and as Markdown."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from aluma.lab.experiments.report.drawing import Picture
from aluma.lab.experiments.report.section import Section
from aluma.lab.experiments.report.table import Table
from aluma.lab.experiments.report.verdicts import HEADS, sections_of, verdict_lines, verdict_table
from aluma.lab.experiments.report.wrapping import wrapped

TITLE = "The paper, reproduced"
VERDICTS_TITLE = "The paper says, we find, and why"
SUMMARY_TITLE = "Who needs the fewest labels?"
PAPER = (
    "Gonen, Sabato, Shalev-Shwartz: Efficient Active Learning of Halfspaces: an Aggressive "
    "Approach. JMLR 14, 2013."
)

CSS = """
:root { --ink: #222; --quiet: #5a5a5a; --faint: #e4e4e4; --accent: #0072b2; }
body { font: 16px/1.55 Georgia, "Times New Roman", serif; color: var(--ink); margin: 0 auto;
  max-width: 60rem; padding: 3rem 1.5rem 6rem; background: #fff; }
h1, h2, th, caption, nav, .facts, .where { font-family: "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 2.2rem; line-height: 1.15; margin: 0 0 .3rem; }
h2 { font-size: 1.35rem; margin: 3.5rem 0 .1rem; padding-top: 1rem;
  border-top: 1px solid var(--faint); }
.where, .facts { color: var(--quiet); font-size: .85rem; }
.claim { border-left: 3px solid var(--accent); padding-left: .9rem; margin: .9rem 0; }
nav { font-size: .9rem; columns: 2; margin: 1.5rem 0; } nav a { display: block; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .82rem; margin: 1.2rem 0;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: .85rem; color: var(--quiet); padding-bottom: .3rem; }
th, td { padding: .22rem .7rem; text-align: right; white-space: nowrap; }
th.word, td.word { text-align: left; } thead th { border-bottom: 1.5px solid var(--ink); }
td.said { text-align: left; white-space: normal; vertical-align: top; }
tbody tr:nth-child(even) { background: #f8f8f8; } td b { color: var(--accent); }
img { max-width: 100%; height: auto; display: block; margin: 1.2rem 0; }
code { font-size: .85rem; background: #f4f4f4; padding: .1rem .3rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dd { margin: 0; } dt { font-weight: 600; }
"""


@dataclass(frozen=True)
class Report:
    """Everything that the pages show.

    Attributes
    ----------
    facts : how, when and with what the report was made
    summary, picture : labels needed per data set and learner
    troubles : what could not be run, and why
    """

    facts: Sequence[tuple[str, str]]
    summary: Table
    picture: Picture | None
    sections: Sequence[Section]
    troubles: Sequence[str]


def as_html(report: Report) -> str:
    """Return one page with everything in it."""
    links = "".join(
        f'<a href="#{s.experiment.name}">{escape(s.experiment.title)}</a>' for s in report.sections
    )
    facts = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in report.facts)
    troubles = "".join(f"<li>{escape(one)}</li>" for one in report.troubles)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{TITLE}</title><style>{CSS}</style></head><body>",
            f'<h1>{TITLE}</h1><p class="where">{PAPER}</p>',
            f'<dl class="facts">{facts}</dl>',
            f"<h2>Not run</h2><ul>{troubles}</ul>" if troubles else "",
            _html_verdicts(report),
            f'<h2 id="summary">{SUMMARY_TITLE}</h2>',
            _html_picture(report.picture) if report.picture else "",
            f'<div class="scroll">{report.summary.as_html()}</div>',
            f"<nav>{links}</nav>",
            *(_html_section(section) for section in report.sections),
            "</body></html>\n",
        ]
    )


def as_markdown(report: Report, figures: str = "figures") -> str:
    """Return the report as Markdown, its prose wrapped, that refers to PNG files in a folder."""
    parts = [f"# {TITLE}", PAPER]
    parts.append("\n".join(f"- {key}: {_code(key, value)}" for key, value in report.facts))
    if report.troubles:
        parts += ["## Not run", "\n".join(f"- {one}" for one in report.troubles)]
    parts.append(f"## {SUMMARY_TITLE}")
    if report.picture:
        parts.append(_markdown_picture(report.picture, figures))
    parts += [f"{report.summary.title}:", report.summary.as_markdown()]
    told = ["\n\n".join(_markdown_section(section, figures)) for section in report.sections]
    verdicts = verdict_table(sections_of(wrapped("\n\n".join(told))))
    parts[3:3] = [f"## {VERDICTS_TITLE}", verdicts.as_markdown()] if verdicts.rows else []
    return wrapped("\n\n".join([*parts, *told]))


def _html_section(section: Section) -> str:
    about = section.experiment
    pictures = "".join(map(_html_picture, section.pictures))
    tables = "".join(f'<div class="scroll">{table.as_html()}</div>' for table in section.tables)
    measured = "".join(f"<p>{escape(one)}</p>" for one in section.measured)
    return (
        f'<h2 id="{about.name}">{escape(about.title)}</h2>'
        f'<p class="where">{escape(about.where)} · <code>aluma reproduce {about.name}</code></p>'
        f'<p class="claim"><b>The paper:</b> {escape(about.claim)}</p>'
        f"<p>{escape(about.notes)}</p>{pictures}{measured}{tables}"
    )


def _html_verdicts(report: Report) -> str:
    """Return the table at the top, its titles as links to their sections."""
    told = "\n\n".join("\n\n".join(_markdown_section(one, "")) for one in report.sections)
    rows = []
    for line in verdict_lines(sections_of(told)):
        name, *rest = line.cells
        link = f'<a href="#{line.experiment}">{escape(name)}</a>'
        cells = "".join(f'<td class="said">{cell}</td>' for cell in (link, *map(escape, rest)))
        rows.append(f"<tr>{cells}</tr>")
    if not rows:
        return ""
    heads = "".join(f'<th class="word">{escape(head)}</th>' for head in HEADS)
    body = "".join(rows)
    return f"<h2>{VERDICTS_TITLE}</h2><table><tr>{heads}</tr>{body}</table>"


def _html_picture(picture: Picture) -> str:
    image = b64encode(picture.svg).decode()
    return f'<img alt="{escape(picture.caption)}" src="data:image/svg+xml;base64,{image}">'


def _markdown_picture(picture: Picture, figures: str) -> str:
    return f"![{picture.caption}]({figures}/{picture.name}.png)"


def _markdown_section(section: Section, figures: str) -> list[str]:
    about = section.experiment
    parts = [
        f"## {about.title}",
        f"{about.where}; `aluma reproduce {about.name}`",
        f"> The paper: {about.claim}",
        about.notes,
    ]
    parts += [_markdown_picture(one, figures) for one in section.pictures]
    parts += section.measured
    for table in section.tables:
        parts += [f"{table.title}:", table.as_markdown()]
    return parts


def _code(key: str, value: str) -> str:
    return f"`{value}`" if key == "command" else value
