"""Embeddings: errors after some labels beside the methods that are made for them.

    aluma bench embeddings [--quick] [--results FILE]
    python -m aluma.lab.bench.embeddings [--results FILE] [--runs N] [--pools NAME ...]
        [--entrants NAME ...] [--batch N] [--last N] [--rows N] [--jobs N] [--show]
        [--table FILE] [--figure FILE]

Errors are in percent of the pool, told examples counted as right. Runs of one seed, which draws
rows of the pool too, are compared in pairs. In a cell (a pool and a number of labels), ALuMA is
ahead or behind if it differs from the best of the others by more than two standard errors of the
pairs; which of them is the best is found on the same runs, in their favour.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.arrays import Floats
from aluma.errors import MissingData, MissingExtra
from aluma.lab.bench import one_core
from aluma.lab.bench.embedding_entrants import ENTRANTS, UNITS
from aluma.lab.bench.embedding_pools import ROWS, EmbeddingPool, embedding_pools
from aluma.lab.bench.kept_runs import KeptRuns, Key, Record, work_through

#: Numbers of labels after which errors are noted, and those at which few have been given.
MARKS, EARLY = (10, 25, 50, 100, 200), (10, 25, 50)
#: Seeds that nothing was chosen by begin here.
FIRST_SEED = 1000
#: Who is judged; and who is not one of the others, being the same with a prior or unit of its own.
JUDGED, SAME = "ALuMA", ("ALuMA", "ALuMA, prior ball", *UNITS)
#: Behind in one cell of so many at most, and ahead in at least this share of the early ones.
BEHIND_AT_MOST, AHEAD_AT_LEAST = 1 / 20, 1 / 2


@dataclass(frozen=True)
class Wanted:
    """What is run: seeds, pools, entrants, labels at a time and at most, rows of a pool."""

    runs: int = 10
    pools: Sequence[str] | None = None
    entrants: Sequence[str] = tuple(ENTRANTS)
    batch: int = 1
    last: int = 200
    rows: int = ROWS

    @property
    def seeds(self) -> range:
        """The seeds."""
        return range(FIRST_SEED, FIRST_SEED + self.runs)

    def rule(self, name: str) -> str:
        """Return what runs of an entrant are kept as."""
        batch = "" if self.batch == 1 else f", {self.batch} at a time"
        return name + batch + ("" if self.rows == ROWS else f", {self.rows} rows")


@dataclass(frozen=True)
class Cell:
    """ALuMA beside the best of the others, on one pool after so many labels.

    Attributes
    ----------
    gap, noise : ALuMA's error minus the other's in points, and its standard error
    """

    pool: str
    labels: int
    ours: float
    best: str
    theirs: float
    gap: float
    noise: float

    @property
    def verdict(self) -> str:
        """Return "ahead", "level" or "behind"."""
        if not abs(self.gap) > 2 * self.noise:
            return "level"
        return "ahead" if self.gap < 0 else "behind"


def run(console: Console, quick: bool = False, *, results: Path | None = None) -> bool:
    """Measure, print, and say whether ALuMA is ahead and behind as often as it is to be."""
    wanted = Wanted(runs=2, entrants=("ALuMA", "margin, C=10", "random"), last=25)
    return judge(console, wanted if quick else Wanted(), quick=quick, results=results) or quick


def judge(
    console: Console,
    wanted: Wanted,
    *,
    quick: bool = False,
    results: Path | None = None,
    jobs: int = -1,
) -> bool:
    """Run what is not there yet (nothing with ``jobs=0``), and print tables and the verdict."""
    kept = KeptRuns(results)
    there = [
        pool for pool in embedding_pools(quick) if wanted.pools is None or pool.name in wanted.pools
    ]
    if jobs:
        there = [pool for pool in there if _is_there(pool, console)]
        tasks = [
            (pool, seed, name)
            for seed in wanted.seeds
            for pool in there
            for name in wanted.entrants
        ]
        missing = [one for one in tasks if (one[0].name, one[1], wanted.rule(one[2])) not in kept]
        for done in work_through(kept, missing, partial(_labelled, wanted), jobs):
            console.print(f"{done} of {len(missing)} runs", highlight=False)
    for pool in there:
        _report(console, pool.name, kept, wanted)
    return _verdict(console, cells(kept, wanted, [pool.name for pool in there]))


def cells(kept: KeptRuns, wanted: Wanted, pools: Sequence[str]) -> list[Cell]:
    """Return ALuMA beside the best of the others, wherever there are two runs of both."""
    found = []
    for pool in pools:
        runs = _runs(kept, wanted, pool)
        for labels in MARKS:
            others = [
                _cell(pool, labels, runs[JUDGED], name, runs[name])
                for name in wanted.entrants
                if name not in SAME and JUDGED in runs
            ]
            known = [one for one in others if one is not None]
            if known:
                found.append(min(known, key=lambda one: one.theirs))
    return found


def _cell(
    pool: str, labels: int, ours: Mapping[int, Record], name: str, theirs: Mapping[int, Record]
) -> Cell | None:
    both = [s for s in ours if s in theirs and str(labels) in ours[s]["errors"]]
    both = [s for s in both if str(labels) in theirs[s]["errors"]]
    if len(both) < 2:
        return None
    mine, other = (
        np.array([100 * one[s]["errors"][str(labels)] for s in both]) for one in (ours, theirs)
    )
    gaps: Floats = mine - other
    noise = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return Cell(
        pool, labels, float(mine.mean()), name, float(other.mean()), float(gaps.mean()), noise
    )


def _runs(kept: KeptRuns, wanted: Wanted, pool: str) -> dict[str, dict[int, Record]]:
    return {
        name: {
            seed: kept[pool, seed, wanted.rule(name)]
            for seed in wanted.seeds
            if (pool, seed, wanted.rule(name)) in kept
        }
        for name in wanted.entrants
    }


def _labelled(wanted: Wanted, task: tuple[EmbeddingPool, int, str]) -> dict[Key, Record]:
    """Return the errors of one run by mark, and its CPU seconds."""
    pool, seed, name = task
    X, positive = pool.drawn(seed, wanted.rows)
    errors: dict[str, float] = {}
    with one_core():
        before = process_time()
        entrant = (ENTRANTS | UNITS)[name](X, seed)
        for n in range(wanted.batch, min(wanted.last, len(X) // 2) + 1, wanted.batch):
            rows = entrant.ask(wanted.batch)
            entrant.tell(rows, positive[rows])
            if n in MARKS:
                errors[str(n)] = float((entrant.labels() != positive).mean())
    return {
        (pool.name, seed, wanted.rule(name)): {"errors": errors, "cpu": process_time() - before}
    }


def _report(console: Console, pool: str, kept: KeptRuns, wanted: Wanted) -> None:
    """Print mean errors by mark, with the standard errors of the pairs."""
    runs = _runs(kept, wanted, pool)
    table = Table(title=f"{pool}: % wrong after so many labels (standard error of the pairs)")
    for head in ("", "runs", *map(str, MARKS), "CPU s"):
        table.add_column(head, justify="right" if head else "left")
    for name, mine in runs.items():
        if not mine:
            continue
        shown = []
        for n in MARKS:
            errors = [
                100 * one["errors"][str(n)] for one in mine.values() if str(n) in one["errors"]
            ]
            pairs = _cell(pool, n, runs.get(JUDGED, {}), name, mine)
            noise = f" ({pairs.noise:.1f})" if pairs is not None and name != JUDGED else ""
            shown.append(f"{np.mean(errors):.1f}{noise}" if errors else "-")
        seconds = np.mean([one["cpu"] for one in mine.values()])
        table.add_row(name, str(len(mine)), *shown, f"{seconds:.0f}")
    console.print(table)


def _verdict(console: Console, found: Sequence[Cell]) -> bool:
    """Print in how many cells ALuMA is ahead and behind, and say whether that is as it is to be."""
    behind = [one for one in found if one.verdict == "behind"]
    early = [one for one in found if one.labels in EARLY]
    ahead = [one for one in early if one.verdict == "ahead"]
    console.print(
        f"behind the best of the others in {len(behind)} of {len(found)} cells; "
        f"ahead of all in {len(ahead)} of {len(early)} with 10 to 50 labels"
    )
    for one in behind:
        console.print(
            f"behind: {one.pool}, {one.labels} labels: {one.ours:.1f}% and {one.theirs:.1f}% "
            f"({one.best}), {one.gap:+.1f} points ({one.noise:.1f})"
        )
    enough = len(ahead) >= AHEAD_AT_LEAST * len(early)
    return bool(found) and enough and len(behind) <= BEHIND_AT_MOST * len(found)


def _is_there(pool: EmbeddingPool, console: Console) -> bool:
    try:
        pool.whole()
    except (MissingData, MissingExtra) as why:
        console.print(f"{pool.name} is left out: {why}")
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    from aluma.lab.bench.embedding_figure import draw, table_of

    parser = argparse.ArgumentParser(description="Labelling pools of embeddings.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=Wanted.runs)
    parser.add_argument("--pools", nargs="+")
    parser.add_argument(
        "--entrants", nargs="+", default=list(ENTRANTS), choices=[*ENTRANTS, *UNITS]
    )
    parser.add_argument("--batch", type=int, default=Wanted.batch)
    parser.add_argument("--last", type=int, default=Wanted.last)
    parser.add_argument("--rows", type=int, default=Wanted.rows)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--show", action="store_true", help="run nothing, print what is there")
    parser.add_argument("--table", type=Path, help="write the cells as a Markdown table")
    parser.add_argument("--figure", type=Path, help="draw the cells: PNG or SVG")
    given = parser.parse_args(arguments)
    wanted = Wanted(
        given.runs, given.pools, tuple(given.entrants), given.batch, given.last, given.rows
    )
    console, jobs = Console(width=160), 0 if given.show else given.jobs
    met = judge(console, wanted, results=given.results, jobs=jobs)
    names = [pool.name for pool in embedding_pools()]
    found = cells(KeptRuns(given.results), wanted, names)
    if given.table is not None:
        given.table.write_text(table_of(found), "utf-8")
    if given.figure is not None:
        draw(found, given.figure)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
