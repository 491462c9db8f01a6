"""Put a report into the documentation.

``python -m aluma.lab.experiments.report.publish OUT DOCS``
"""

from __future__ import annotations

import argparse
import io
import re
from pathlib import Path

from aluma.lab.experiments.catalogue import CATALOGUE
from aluma.lab.experiments.report.page import SUMMARY_TITLE, VERDICTS_TITLE
from aluma.lab.experiments.report.verdicts import sections_of, verdict_table
from aluma.lab.experiments.report.wrapping import wrapped
from aluma.lab.experiments.store import write_whole

PAGE = "reproduction.md"
IMAGES = Path("images", "reproduction")
#: What stands above this line in the page is written by hand and stays.
MARK = "<!-- What follows is written by aluma.lab.experiments.report.publish. -->"
#: Between these lines of what is written by hand, the table of verdicts has its place, if they are
#: there; otherwise it is the first section below the mark.
TOP = ("<!-- The table is written by publish. -->", "<!-- Here it ends. -->")
#: The figure of who needs the fewest labels.
SUMMARY = "summary"
#: Colours that figures of lines need; the files become a third as large.
MOST_COLOURS = 256


def publish(out: Path, docs: Path) -> None:
    """Write the report in ``out`` below the mark of the page, with its figures beside it."""
    page = docs / PAGE
    head, mark, old = page.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise ValueError(f"{page} has no line {MARK!r}: add it where the report is to begin.")
    report = (out / "report.md").read_text(encoding="utf-8")
    title, _, rest = report.partition("\n")
    if not title.startswith("# "):
        raise ValueError(f"{out / 'report.md'} does not begin with a title.")
    body = rest.strip().replace("](figures/", f"]({IMAGES.as_posix()}/")
    of_some = bool(set(sections_of(old)) - set(sections_of(body)))
    head, body = _at_the_top(head, _beside_earlier(body, old))
    for picture in sorted((out / "figures").glob("*.png")):
        if of_some and picture.stem == SUMMARY:
            # The page keeps the summary of all experiments.
            continue
        write_whole(docs / IMAGES / picture.name, _smaller(picture))
    write_whole(page, f"{head}{MARK}\n\n{body}\n")


def _at_the_top(head: str, body: str) -> tuple[str, str]:
    """Return both parts of the page, the table of verdicts in its place in the first."""
    table = re.search(rf"(?m)^## {re.escape(VERDICTS_TITLE)}\n\n((?:\|.*\n?)+)\n*", body)
    begin, end = (head.find(mark) for mark in TOP)
    if table is None or not 0 <= begin < end:
        return head, body
    body = body[: table.start()] + body[table.end() :]
    place = begin + len(TOP[0])
    return f"{head[:place]}\n\n{table[1].strip()}\n\n{head[end:]}", body


def _beside_earlier(report: str, page: str) -> str:
    """Return a report of some experiments put into the page of an earlier one, which has more.

    Sections that the report has take the place of the page's, each with a line that says when it
    was made; the others stay as they are. The table at the top is made of all of them.
    """
    new, kept = sections_of(report), sections_of(page)
    if not set(kept) - set(new):
        return report
    said = [_fact(report, name) for name in ("made", "command", "runs")]
    when = "; ".join(fact for fact in said if fact)
    dated = {name: _with_date(text, f"*Made apart: {when}.*") for name, text in new.items()}
    everything = {**{name: _claiming(name, text) for name, text in kept.items()}, **dated}
    order = {experiment.name: place for place, experiment in enumerate(CATALOGUE)}
    names = sorted(everything, key=lambda name: order.get(name, len(order)))
    facts = re.split(r"(?m)^## ", page.strip())[0].strip()
    summary = re.search(rf"(?ms)^## {re.escape(SUMMARY_TITLE)}\n.*?(?=^## |\Z)", page)
    first = re.search(r"(?m)^- made: (\S+)", facts)
    table = verdict_table({name: everything[name] for name in names}, first[1] if first else "")
    parts = [
        facts,
        f"## {VERDICTS_TITLE}",
        table.as_markdown(),
        summary[0].strip() if summary else "",
        *(everything[name] for name in names),
    ]
    return wrapped("\n\n".join(part for part in parts if part)).strip()


def _fact(report: str, name: str) -> str:
    """Return what the list at the beginning of a report says, or "" if it says nothing."""
    # A long one goes on in the next line.
    found = re.search(rf"(?m)^- {name}:((?:.*\n)(?:  .*\n)*)", report)
    said = " ".join(found[1].split()) if found else ""
    return said.replace(", ", " runs, ", 1) if name == "runs" else said


def _claiming(name: str, section: str) -> str:
    """Return a section with what the paper says as it is declared now."""
    claims = {experiment.name: experiment.claim for experiment in CATALOGUE}
    if name not in claims:
        return section
    said = f"> The paper: {claims[name]}\n\n"
    return re.sub(r"(?ms)^> The paper:.*?\n\n", lambda _: said, section)


def _with_date(section: str, line: str) -> str:
    """Return a section with a line behind the one that names its command."""
    title, where, rest = section.split("\n\n", 2)
    return "\n\n".join([title, where, line, rest])


def _smaller(picture: Path) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    with Image.open(picture) as image:
        # With k-means, the shades of bands leave room for lines and names, which are few pixels.
        reduced = image.convert("RGB").quantize(MOST_COLOURS, kmeans=1, dither=Image.Dither.NONE)
        reduced.save(out, "png", optimize=True)
    return out.getvalue()


def main() -> None:
    """Read the two folders from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder that `aluma reproduce` wrote")
    parser.add_argument("docs", type=Path, help="folder of the documentation")
    arguments = parser.parse_args()
    publish(arguments.out, arguments.docs)


if __name__ == "__main__":
    main()
