"""Attacks on sessions and pages by somebody who wants them to fail: ``aluma bench attack``.

Damage to files, tables edited meanwhile, processes killed and out of room, power cuts (where there
is strace), places that may not be written to, requests that must not be let in, tokens in places
where others can read, content that means harm, calls of the library that make no sense, Ctrl-C at
every bytecode, and downloads that are cut off. Everything stays in a temporary folder and on this
machine. What is printed is how often each was tried and how it ended; nothing may end as FAILED.
docs/security.md says what was found, and SECURITY.md what is promised.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from aluma.lab.bench.attack_access import access, doors
from aluma.lab.bench.attack_content import content
from aluma.lab.bench.attack_damage import damages
from aluma.lab.bench.attack_durability import durability
from aluma.lab.bench.attack_edits import edits
from aluma.lab.bench.attack_library import library
from aluma.lab.bench.attack_pages import pages
from aluma.lab.bench.attack_persons import persons
from aluma.lab.bench.attack_places import places
from aluma.lab.bench.attack_power import power
from aluma.lab.bench.attack_secrets import secrets
from aluma.lab.bench.attack_stores import stores
from aluma.lab.bench.attack_supply import supply
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.page import LABELS, points
from aluma.lab.bench.page_crash import Kills, hammer

#: Damages to each file of a session, kills of processes, kills of a page as its user starts it.
DAMAGES, KILLS, PAGE_KILLS = 1000, 1000, 30
QUICK_DAMAGES, QUICK_KILLS, QUICK_PAGE_KILLS = 80, 30, 3
#: Calls of the library, downloads, and edits of a table.
CALLS, DOWNLOADS, EDITS = 10_000, 96, 100
QUICK_CALLS, QUICK_DOWNLOADS, QUICK_EDITS = 300, 16, 10
#: Folders, one for each kind of attack.
PARTS = ("damage", "durability", "access", "content", "supply", "library", "secrets")
#: Answers to a page for every time that it is killed.
ANSWERS = 8
#: Seconds after which no more processes are killed.
MOST_SECONDS = 1800.0
SEED = 20


def run(console: Console, quick: bool = False) -> bool:
    """Print how attacks ended; say whether none got through."""
    tallies: list[Tally] = []
    begun = time.monotonic()
    with TemporaryDirectory() as name, _quiet():
        for tally in _attacks(Path(name), quick):
            tallies.append(tally)
            after = f"after {time.monotonic() - begun:.0f} s"
            console.print(
                f"[dim]{escape(tally.what)}: {escape(_ends(tally))} ({after})[/dim]", soft_wrap=True
            )
    _print(console, tallies)
    return not any(tally.broken for tally in tallies)


def _attacks(folder: Path, quick: bool) -> Iterator[Tally]:
    """Yield what became of each kind of attack, as soon as it is known."""
    rng = np.random.default_rng(SEED)
    parts = [_folder(folder, part) for part in PARTS]
    yield from damages(parts[0], QUICK_DAMAGES if quick else DAMAGES, rng)
    several = (QUICK_DAMAGES if quick else DAMAGES) // 4
    yield from stores(_folder(parts[0], "stores"), several, rng)
    yield edits(_folder(parts[0], "edits"), QUICK_EDITS if quick else EDITS, rng)
    yield from places(parts[1])
    yield from access(parts[2])
    yield persons(_folder(parts[2], "persons"))
    yield from content(parts[3])
    yield supply(parts[4], QUICK_DOWNLOADS if quick else DOWNLOADS, rng)
    yield from library(parts[5], QUICK_CALLS if quick else CALLS, SEED)
    if hasattr(os, "fork"):
        kills = QUICK_KILLS if quick else KILLS
        yield from doors(_folder(parts[2], "doors"))
        yield from secrets(parts[6])
        yield from pages(_folder(parts[1], "pages"), kills, rng)
        yield from durability(parts[1], kills, rng, seconds=MOST_SECONDS)
        yield _page_killed(parts[1], QUICK_PAGE_KILLS if quick else PAGE_KILLS, rng)
        yield from power(parts[1], rng, cuts=1 if quick else 3)


def _page_killed(folder: Path, kills: int, rng: np.random.Generator) -> Tally:
    """Kill a page that is being answered, while it learns and while labels are checked."""
    tally, answers = Tally("SIGKILL: page"), ANSWERS * kills + 60
    source, truth = points(folder, "page", 4 * answers, 6)
    while_checking = kills // 2
    when = Kills(kills - while_checking, while_checking, of_questions=30, of_checks=30)
    found = hammer(source, truth, LABELS, answers=answers, kills=when, rng=rng)
    if found.harmless:
        tally.count("nothing lost, doubled or invented", kills)
    else:
        tally.fail(str(found))
    return tally


def _folder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


@contextmanager
def _quiet() -> Iterator[None]:
    """Do not log what is expected here a thousand times: damage, and marks of no use."""
    logger = logging.getLogger("aluma")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _ends(tally: Tally) -> str:
    return "; ".join(f"{end} {number:,}" for end, number in sorted(tally.ends.items()))


def _print(console: Console, tallies: list[Tally]) -> None:
    table = Table("tried", "times", "how it ended", box=SIMPLE_HEAD, title="Attacks")
    for tally in tallies:
        table.add_row(tally.what, f"{tally.tried:,}", escape(_ends(tally)))
    console.print(table)
    for tally in tallies:
        for line in tally.broken[:5]:
            console.print(f"[bold red]FAILED[/bold red] {escape(tally.what)}: {escape(line)}")
