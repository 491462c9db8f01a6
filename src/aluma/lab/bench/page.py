"""The labelling page, measured: ``aluma bench page``.

    python -m aluma.lab.bench.page [--parts NAME ...] [--reviews N] [--pictures FOLDER] [--quick]

runs some parts of it, and keeps pictures of what people are shown whose answers cannot be learnt
from.

How long a person waits between a key and the next example, in a real browser; how many answers the
page asks for on real messages, and how good the labels are then; what is left of six hundred
answers when the server is killed sixty times, fifty of them while labels are checked; whether fifty
clients at once see anything wrong; and whether it ever says more than was checked, to people whose
answers cannot be learnt from.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from aluma.app.demo import NO, YES
from aluma.errors import MissingData
from aluma.lab.bench.page_browser import browser, pace
from aluma.lab.bench.page_crash import Kills, hammer
from aluma.lab.bench.page_crowd import crowd
from aluma.lab.bench.page_replay import replay, sms_spam
from aluma.lab.bench.page_stops import (
    ALL_THE_SAME,
    COINS_SEED,
    GOING_ON,
    MOST_REVIEWS,
    Course,
    course,
    messages,
    reviews,
)

POOLS = ((1_000, 100), (12_000, 784), (200_000, 100))
#: Milliseconds from a key to the next example that 95 of 100 keys must stay within.
PROMISED_MILLISECONDS = 50.0
LABELS = ("no", "yes")
#: Share of wrong answers while the page is killed, so that some checks fail and learning goes on.
WRONG_ANSWERS = 0.08
#: Kills, most of them while a check is answered; in any case so many questions and checks come.
ALL_KILLS, QUICK_KILLS = Kills(10, 50, 60, 150), Kills(1, 4, 30, 30)
#: Seed of the moments at which the page is killed.
KILLING_SEED = 1
#: Share of the labels that may be wrong, unless the page is told otherwise.
GOAL = 0.05
#: Movie reviews that are taken in a quick run; all, otherwise.
REVIEWS = 1500
#: Answers after which a replay is given up.
MOST_REPLAYED = 800


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes
    ----------
    quick : whether less than all
    reviews : movie reviews that are taken; None for all
    pictures : folder for pictures of what people are shown, or None
    """

    quick: bool = False
    reviews: int | None = None
    pictures: Path | None = None

    def picture(self, name: str) -> str | None:
        """Return where pictures of that name go, without their ending."""
        return None if self.pictures is None else str(self.pictures / name)


def run(console: Console, quick: bool = False) -> bool:
    """Print what was measured; say whether the page keeps what it promises."""
    return measured(console, tuple(PARTS), Effort(quick, REVIEWS if quick else None))


def measured(console: Console, parts: Sequence[str], effort: Effort) -> bool:
    """Do some of :data:`PARTS`, and print; say whether the page kept what it promises in them."""
    if effort.pictures is not None:
        effort.pictures.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name:
        met = [PARTS[part](console, Path(name), effort) for part in parts]
    return all(met)


def _paces(console: Console, folder: Path, effort: Effort) -> bool:
    """Measure from key to next example."""
    if browser() is None:
        console.print("Not measured in a browser: Chromium and playwright are needed.")
        return True
    keys = 20 if effort.quick else 60
    title = "From a key to the next example, at human pace"
    names = ("pool", "median ms", "95% ms", "slowest ms", "ahead / spare / wait", "keys")
    table = Table(*names, box=SIMPLE_HEAD, title=title)
    met = True
    for rows, columns in POOLS:
        found = pace(folder, rows, columns, keys)
        sources = " / ".join(str(found.sources.get(one, 0)) for one in ("ahead", "spare", "wait"))
        table.add_row(
            f"{rows:,} x {columns}", f"{found.median:.0f}", f"{found.p95:.0f}",
            f"{found.slowest:.0f}", sources, str(found.keys),
        )  # fmt: skip
        met &= rows > 12_000 or found.p95 <= PROMISED_MILLISECONDS
    console.print(table)
    return met


def _crashes(console: Console, folder: Path, effort: Effort) -> bool:
    """Count what kill -9 costs."""
    answers, kills = (150, QUICK_KILLS) if effort.quick else (600, ALL_KILLS)
    source, truth = points(folder, "crash", 4 * answers, 12, wrong=WRONG_ANSWERS)
    found = hammer(
        source, truth, LABELS, answers=answers, kills=kills, rng=np.random.default_rng(KILLING_SEED)
    )
    console.print(
        f"{found.answers:,} answers at machine speed, {found.checks:,} of them checks, and "
        f"{found.kills} kill -9, {found.while_checking} of them while checking: {found.lost} lost, "
        f"{found.doubled} doubled, {found.wrong} that nobody gave, {found.redrawn} questions that "
        "an uninterrupted learner does not ask."
    )
    return found.harmless and found.while_checking == kills.checking


def _crowded(console: Console, folder: Path, effort: Effort) -> bool:
    """Let fifty clients in."""
    seconds = 10.0 if effort.quick else 60.0
    source, truth = points(folder, "crowd", 3000, 12)
    found = crowd(source, truth, LABELS, clients=50, seconds=seconds)
    console.print(
        f"50 clients for {seconds:.0f} s: {found.requests:,} requests, {found.answers:,} answers "
        f"among them, {len(found.errors)} errors, {found.backwards} states that went back, "
        f"{found.wrong} answers wrong in the end."
    )
    for error in found.errors[:3]:
        console.print(f"  {error}", markup=False)
    return not found.errors and not found.backwards and not found.wrong


def _replayed(console: Console, folder: Path, _effort: Effort) -> bool:
    """Replay the SMS Spam Collection through the page."""
    data = Path(os.environ.get("ALUMA_DATA", ""))
    data = data / "sms_spam" if (data / "sms_spam").is_dir() else data
    if not (data / "SMSSpamCollection").is_file():
        console.print("SMS spam was not replayed: set ALUMA_DATA to the folder that holds it.")
        return True
    source = folder / "sms.csv"
    truth = sms_spam(data, source)
    found = replay(source, truth, ("ham", "spam"), MOST_REPLAYED)
    end = "had passed its check" if found.stopped else "had not passed a check"
    console.print(
        f"SMS spam, {len(truth):,} messages: the page {end} after {found.answers} answers "
        f"({found.checks} checks among them), with {found.error:.2%} of all labels wrong (it "
        f"promised at most {found.bound:.2%}). Logistic regression on as many answers in random "
        f"order: {found.logistic:.2%}, {found.logistic / max(found.error, 1e-9):.1f} times as many."
    )
    return found.stopped and found.error <= found.bound


def _tossed(console: Console, folder: Path, effort: Effort) -> bool:
    """Answer the demonstration's messages by tossing coins, as long as any are unknown."""
    kinds, rng = messages(folder / "tossed.csv"), np.random.default_rng(COINS_SEED)
    # Half of what is unanswered is wrong: from there on the goal is reached by answering.
    most = len(kinds) - int(2 * GOAL * len(kinds)) - 1
    found = course(
        folder / "tossed.csv",
        (NO, YES),
        lambda _i, _n: (NO, YES)[int(rng.integers(2))],
        most,
        pictures=effort.picture("coins"),
    )
    _tell(console, f"Coin tosses on the demonstration's {len(kinds)} messages", found)
    return found.stopped_after is None and found.verdict_after is not None and found.honest


def _always_the_same(console: Console, folder: Path, effort: Effort) -> bool:
    """Give one answer to every message."""
    messages(folder / "same.csv")
    found = course(
        folder / "same.csv",
        (NO, YES),
        lambda _i, _n: NO,
        ALL_THE_SAME,
        pictures=effort.picture("same"),
    )
    _tell(console, f"Up to {ALL_THE_SAME} answers that are all “{NO}”", found)
    return found.honest and (found.stopped_after is None or found.checks_then > 0)


def _reviews(console: Console, folder: Path, effort: Effort, vectors: bool = False) -> bool:
    """Answer movie reviews by the truth, which none of these features separate well enough."""
    name = "MiniLM" if vectors else "words"
    source = folder / f"reviews-{name}.csv"
    try:
        truth, beside = reviews(source, effort.reviews)
    except MissingData as reason:
        console.print(f"Movie reviews were left out: {reason}")
        return True
    found = course(
        source,
        ("negative", "positive"),
        lambda i, _n: truth[i],
        MOST_REVIEWS,
        *(("--embeddings", str(beside)) if vectors else ()),
        going_on=GOING_ON,
        pictures=effort.picture(f"reviews-{name}"),
    )
    _tell(console, f"Movie reviews by {name}, {len(truth):,}, answered by the truth", found)
    return found.stopped_after is None and found.verdict_after is not None and found.honest


#: What is measured, by name.
PARTS: dict[str, Callable[[Console, Path, Effort], bool]] = {
    "pace": _paces,
    "crashes": _crashes,
    "crowd": _crowded,
    "replay": _replayed,
    "coins": _tossed,
    "same": _always_the_same,
    "reviews": _reviews,
    "reviews-MiniLM": partial(_reviews, vectors=True),
}


def _tell(console: Console, who: str, found: Course) -> None:
    """Print how it went with a person."""
    stop = (
        f"no stop in {found.answers} answers, {found.checks} of them checks"
        if found.stopped_after is None
        else f"a stop after {found.stopped_after} answers, by {found.checks_then} checks"
    )
    console.print(f"{who}: {stop}, {found.unfounded} stops without evidence.", markup=False)
    if found.verdict_after is not None:
        console.print(f"  After {found.verdict_after}: {found.verdict}", markup=False)
    if found.headline is not None:
        console.print(f"  Largest on the page: “{found.headline}”.", markup=False)
    for one in found.larger:
        console.print(f"  Larger than that: {one}", markup=False)


def points(
    folder: Path, name: str, rows: int, columns: int, wrong: float = 0.0
) -> tuple[Path, list[str]]:
    """Write points that a halfspace separates, with some room; return where, and their labels.

    With ``wrong``, about so many labels are the other one.
    """
    rng = np.random.default_rng([rows, columns])
    normal = rng.standard_normal(columns)
    normal /= np.linalg.norm(normal)
    X = rng.standard_normal((4 * rows, columns))
    margin = X @ normal
    clear = np.flatnonzero(np.abs(margin) > 0.3)[:rows]
    source = folder / f"{name}.npy"
    np.save(source, X[clear].astype(np.float32))
    side = (margin[clear] > 0) ^ (rng.random(len(clear)) < wrong)
    return source, [LABELS[int(value)] for value in side]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return 1 if the page did not keep what it promises."""
    parser = argparse.ArgumentParser(description="The labelling page, measured.")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--reviews", type=int, help="movie reviews that are taken; all of them")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the page")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(arguments)
    effort = Effort(given.quick, given.reviews, given.pictures)
    return 0 if measured(Console(width=120), given.parts, effort) else 1


if __name__ == "__main__":
    sys.exit(main())
