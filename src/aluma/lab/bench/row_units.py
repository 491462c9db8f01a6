"""Units of rows: labels of the same rows in other units, by the learner, the estimator, the page.

    python -m aluma.lab.bench.row_units [--results FILE] [--runs N] [--pools NAME ...]

Every pool of `aluma bench embeddings` is labelled with its rows multiplied by 0.01, 1 and 100, and
with every column divided by its deviation. Multiplied rows are the same in another unit: nothing
may come of it but rounding, and with it other draws. Standardised ones are other data, if columns
had different deviations: those say which of them are strong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.app.features import of_array
from aluma.app.opening import SLACK, TOLERANCE
from aluma.arrays import Bools, Floats
from aluma.estimator import ActiveClassifier
from aluma.lab.bench import one_core
from aluma.lab.bench.embedding_entrants import Ours, standardised
from aluma.lab.bench.embedding_pools import ROWS, embedding_pools
from aluma.lab.bench.embeddings import FIRST_SEED
from aluma.lab.bench.kept_runs import KeptRuns, Record
from aluma.pool import Pool
from aluma.session import Session

#: Answers after which labels are compared.
MARKS = (10, 50)
#: What rows are made of, by name; the second is what the others are compared with.
UNITS: dict[str, Callable[[Floats], Floats]] = {
    "x 0.01": lambda X: 0.01 * X,
    "x 1": lambda X: X,
    "x 100": lambda X: 100.0 * X,
    "standardised": standardised,
}
SAME = "x 1"


def by_learner(X: Floats, positive: Bools, seed: int) -> Record:
    """Return the share of wrong labels of ALuMA, by the number of answers."""
    ours, found = Ours(X, seed), Record()
    for told in range(1, MARKS[-1] + 1):
        rows = ours.ask(1)
        ours.tell(rows, positive[rows])
        if told in MARKS:
            found[str(told)] = float(np.mean(ours.labels() != positive))
    return found


def by_estimator(X: Floats, positive: Bools, seed: int) -> Record:
    """Return that of ``labels_`` of ActiveClassifier."""
    found = Record()
    for budget in MARKS:
        model = ActiveClassifier(budget=budget, random_state=seed).fit(X, positive)
        found[str(budget)] = float(np.mean(model.labels_ != positive))
    return found


def by_page(X: Floats, positive: Bools, seed: int) -> Record:
    """Return that of a session as the page begins it for embeddings in a file."""
    del seed  # The page has one of its own.
    found = Record()
    made = of_array(X, "rows.npy")
    with TemporaryDirectory() as folder:
        session = Session.create(
            Path(folder) / "session.jsonl",
            Pool(made.X, prepared=True),
            classes=("no", "yes"),
            bias=True,
            tolerance=TOLERANCE,
            slack=SLACK,
            promise="audited",
        )
        for told in range(1, MARKS[-1] + 1):
            example = session.ask()
            session.tell(example, ("no", "yes")[int(positive[example])])
            if told in MARKS:
                labels = np.asarray(session.predict()) == "yes"
                found[str(told)] = float(np.mean(labels != positive))
        session.close()
    return found


#: Who labels.
WAYS: dict[str, Callable[[Floats, Bools, int], Record]] = {
    "learner": by_learner,
    "estimator": by_estimator,
    "page": by_page,
}


def measure(kept: KeptRuns, names: Sequence[str], seeds: Sequence[int], rows: int = ROWS) -> None:
    """Run what is not there yet."""
    pools = [pool for pool in embedding_pools() if pool.name in names]
    for seed in seeds:
        for pool in pools:
            X, positive = pool.drawn(seed, rows)
            for way, label in WAYS.items():
                for unit, change in UNITS.items():
                    if (pool.name, seed, f"{way}, {unit}") not in kept:
                        run = label(change(X), positive, seed)
                        kept.add((pool.name, seed, f"{way}, {unit}"), run)


def shown(kept: KeptRuns, names: Sequence[str], seeds: Sequence[int]) -> str:
    """Return mean errors by unit as a table in Markdown, with the differences in pairs."""
    heads = ["pool", "by", *UNITS]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for name in names:
        for way in WAYS:
            done = [s for s in seeds if all((name, s, f"{way}, {u}") in kept for u in UNITS)]
            if done:
                cells = [_cell(kept, name, way, unit, done) for unit in UNITS]
                lines.append("| " + " | ".join([name, way, *cells]) + " |")
    return "\n".join(lines) + "\n"


def _errors(kept: KeptRuns, name: str, rule: str, seeds: Sequence[int]) -> Floats:
    return np.array([[100 * kept[name, s, rule][str(mark)] for mark in MARKS] for s in seeds])


def _cell(kept: KeptRuns, name: str, way: str, unit: str, seeds: Sequence[int]) -> str:
    """Return mean errors by mark, bold where they differ by more than three standard errors."""
    errors, same = (_errors(kept, name, f"{way}, {one}", seeds) for one in (unit, SAME))
    apart = errors - same
    noise = apart.std(axis=0, ddof=1) / np.sqrt(len(seeds)) if len(seeds) > 1 else np.inf
    far = np.abs(apart.mean(axis=0)) > 3 * noise
    shown = [
        f"**{e:.1f}**" if f else f"{e:.1f}" for e, f in zip(errors.mean(axis=0), far, strict=True)
    ]
    return " / ".join(shown)


def summary(kept: KeptRuns, names: Sequence[str], seeds: Sequence[int]) -> Table:
    """Return how far each unit is from rows as they are, over all pools and seeds."""
    marks = " / ".join(map(str, MARKS))
    table = Table("by", "unit", "runs", f"points more after {marks} (standard error)")
    for way in WAYS:
        for unit in UNITS:
            pairs = [
                _errors(kept, n, f"{way}, {unit}", [s]) - _errors(kept, n, f"{way}, {SAME}", [s])
                for n in names
                for s in seeds
                if all((n, s, f"{way}, {u}") in kept for u in (unit, SAME))
            ]
            if unit == SAME or len(pairs) < 2:
                continue
            apart = np.concatenate(pairs)
            noise = apart.std(axis=0, ddof=1) / np.sqrt(len(apart))
            cells = [f"{a:+.2f} ({n:.2f})" for a, n in zip(apart.mean(axis=0), noise, strict=True)]
            table.add_row(way, unit, str(len(apart)), " / ".join(cells))
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    known = [pool.name for pool in embedding_pools()]
    parser = argparse.ArgumentParser(description="Units of rows.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pools", nargs="+", choices=known, default=known)
    parser.add_argument("--show", action="store_true", help="run nothing, print what is there")
    given = parser.parse_args(arguments)
    kept, seeds = KeptRuns(given.results), range(FIRST_SEED, FIRST_SEED + given.runs)
    if not given.show:
        with one_core():
            measure(kept, given.pools, seeds)
    console = Console(width=160)
    console.print(shown(kept, given.pools, seeds), markup=False, highlight=False)
    console.print(summary(kept, given.pools, seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
