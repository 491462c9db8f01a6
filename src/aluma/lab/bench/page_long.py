"""A long session: what the page takes in memory, and how long a person waits, past 1,000 answers.

    python -m aluma.lab.bench.page_long [--given 1000] [--keys 150] [--pause 700]

Movie reviews by MiniLM (10,662 x 384), whose labels no halfspace separates: the page allows for
slack, so every answer has a coordinate of its own and takes more room than the one before. The
first answers are given in a column and taken in together, the others by keys in Chromium.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from rich.console import Console

from aluma.arrays import Bools
from aluma.lab.bench.page_browser import WARM_UP, browser, pace_of, pressed
from aluma.lab.bench.page_client import Served
from aluma.lab.datasets.texts import embedded

LABELS = ("no", "yes")
#: Gigabytes that the page may take, and the share of keys that may be followed by a second's wait.
MOST_GIGABYTES, MOST_LATE = 1.0, 0.05
#: The memory is looked at after every so many keys.
LOOK_EVERY = 10


def run(console: Console, given: int, keys: int, pause: float) -> bool:
    """Measure, print, and say whether memory and waiting stay within bounds."""
    if browser() is None:
        console.print("Not measured: Chromium and playwright are needed.")
        return True
    with TemporaryDirectory() as name:
        source, truth = _table(Path(name) / "reviews.parquet", given)
        served = Served(source, LABELS, "--label-column", "answer")
        memory: list[float] = [gigabytes(served.process.pid)]

        def watch(number: int) -> None:
            if number % LOOK_EVERY == 0:
                memory.append(gigabytes(served.process.pid))

        try:
            rng = np.random.default_rng(0)
            between = (0.9 * pause, 1.1 * pause)
            times = pressed(served.link, truth.tolist(), keys, rng, between, watch)
            most = gigabytes(served.process.pid, "VmHWM")
        finally:
            served.kill()
    found = pace_of(times)
    late = float(np.mean([duration > 1000 for duration, _ in times]))
    console.print(
        f"answers {given} to {given + keys + WARM_UP}, a key every {pause:.0f} ms: median "
        f"{found.median:.0f} ms, 95% {found.p95:.0f} ms, slowest {found.slowest:.0f} ms, "
        f"{late:.1%} of the keys waited over a second; {found.sources}"
    )
    seen = " ".join(f"{one:.2f}" for one in memory)
    console.print(f"memory in GB, every {LOOK_EVERY} keys: {seen}; at most {most:.2f}")
    return most <= MOST_GIGABYTES and late <= MOST_LATE


def _table(path: Path, given: int) -> tuple[Path, Bools]:
    """Write the reviews as a table of numbers with the first answers, drawn at random."""
    reviews = embedded("rt_polarity")
    X, truth = np.asarray(reviews.X, dtype=np.float32), reviews.y > 0
    frame = pd.DataFrame(X, columns=[f"e{i}" for i in range(X.shape[1])])
    answers = np.full(len(X), None, dtype=object)
    rows = np.random.default_rng(1).choice(len(X), given, replace=False)
    answers[rows] = np.where(truth[rows], LABELS[1], LABELS[0])
    frame["answer"] = answers
    frame.to_parquet(path)
    return path, truth


def gigabytes(process: int, which: str = "VmRSS") -> float:
    """Return the memory that a process holds, or the most that it ever held ("VmHWM")."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which)) / 2**20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="A long session on the page.")
    parser.add_argument("--given", type=int, default=1000)
    parser.add_argument("--keys", type=int, default=150)
    parser.add_argument("--pause", type=float, default=700.0)
    wanted = parser.parse_args(arguments)
    return 0 if run(Console(width=160), wanted.given, wanted.keys, wanted.pause) else 1


if __name__ == "__main__":
    sys.exit(main())
