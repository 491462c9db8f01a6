"""How far a file had grown, in a small file beside it: an older state in its place is noticed.

A file that is put back whole, from a backup or by a program that synchronises folders, bears no
trace of what it lost. The mark beside it does: it names the last link of the chain. It is written
after every answer, when that is on the disk already, so it is never ahead of the file.

The mark is for accidents. Who puts back both files, or deletes the mark, goes unnoticed; and a file
without one, because it was copied elsewhere, is as good as ever. A mark that cannot be read counts
as none, because it holds no answers and must not keep anybody from them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from aluma.errors import SessionRolledBack
from aluma.session.chain import digest

logger = logging.getLogger(__name__)


class Mark(NamedTuple):
    """How far a chain had grown: its links, the entries among them, and the last link."""

    links: int
    entries: int
    last: str


def place(path: Path) -> Path:
    """Return where the mark of a file is."""
    return path.with_name(path.name + ".mark")


def write(path: Path, marks: Mapping[str, Mark]) -> None:
    """Write the marks of a file, by the session that each is of; usually there is one.

    What goes wrong is logged and no more: the answers are in the file.
    """
    text = json.dumps(marks)
    content = json.dumps({"marks": marks, "digest": digest(text.encode()).hex()})
    part = place(path).with_name(place(path).name + ".part")
    try:
        part.write_text(content + "\n", encoding="utf-8")
        part.replace(place(path))
    except OSError as error:
        logger.warning("%s cannot be written, so an older state may go unnoticed: %s", part, error)


def read(path: Path) -> dict[str, Mark]:
    """Return the marks of a file; none if there is no sound one."""
    try:
        content = json.loads(place(path).read_text("utf-8"))
        marks = {str(name): Mark(*mark) for name, mark in content["marks"].items()}
        if content["digest"] != digest(json.dumps(marks).encode()).hex():
            raise ValueError("its digest is another")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        logger.warning("%s is of no use and is left out of account: %s", place(path), error)
        return {}
    return marks


def check(path: Path, session: str, links: Sequence[bytes], entries: int) -> None:
    """Refuse a file that is not what grew from the state that its mark names.

    Parameters
    ----------
    path : the file
    session : names the session in it
    links : its whole chain, from the seed on
    entries : how many entries its log has
    """
    marks = read(path)
    way_out = (
        f"Put the newer file back. Only if you mean to go on from this one, delete {place(path)}: "
        "what came after is then given up."
    )
    if marks and session not in marks:
        raise SessionRolledBack(
            f"{path} is not the session that was last kept under this name: it may be an older "
            f"one. {way_out}"
        )
    mark = marks.get(session)
    if mark is None or (mark.links < len(links) and links[mark.links].hex() == mark.last):
        return
    if mark.links >= len(links):
        raise SessionRolledBack(
            f"{path} is an older state: it holds {entries:,} entries, and {mark.entries:,} had "
            f"been kept ({mark.links - len(links) + 1:,} records are missing). {way_out}"
        )
    raise SessionRolledBack(
        f"{path} went another way: up to entry {mark.entries:,} it does not hold what had been "
        f"kept under this name, so it grew from an older copy. {way_out}"
    )
