"""Units of rows: labels of the same rows in other units, by the learner, the estimator, the page.

    python -m aluma.lab.bench.row_units [--results FILE] [--runs N] [--pools NAME ...]
        [--ways NAME ...] [--exact]

Every pool of `aluma bench embeddings` is labelled with its rows multiplied by 0.01, 1 and 100, and
with every column divided by its deviation. Multiplied rows are the same in another unit: nothing
may come of it but rounding, and with it other draws. Standardised ones are other data, if columns
had different deviations: those say which of them are strong.

With ``--exact`` they are multiplied by powers of two instead, which rounds nothing: questions and
labels have to be the same, one by one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.app.features import of_array
from aluma.app.opening import SLACK, TOLERANCE
from aluma.arrays import Bools, Floats, Ints
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
#: Multiplying by these is exact.
POWERS_OF_TWO = (1 / 128, 128.0)


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
    for asked, session in _sessions(X, positive):
        if len(asked) in MARKS:
            found[str(len(asked))] = float(np.mean(_labels(session) != positive))
    return found


def _sessions(X: Floats, positive: Bools) -> Iterator[tuple[list[int], Session]]:
    """Yield what was asked about so far and a session as the page begins it, after each answer."""
    made, asked = of_array(X, "rows.npy"), list[int]()
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
        for _ in range(MARKS[-1]):
            asked.append(int(session.ask()))
            session.tell(asked[-1], ("no", "yes")[int(positive[asked[-1]])])
            yield asked, session
        session.close()


def _labels(session: Session) -> Bools:
    return np.asarray(np.asarray(session.predict()) == "yes")


#: Who labels.
WAYS: dict[str, Callable[[Floats, Bools, int], Record]] = {
    "learner": by_learner,
    "estimator": by_estimator,
    "page": by_page,
}


def measure(
    kept: KeptRuns,
    names: Sequence[str],
    seeds: Sequence[int],
    rows: int = ROWS,
    ways: Sequence[str] = tuple(WAYS),
) -> None:
    """Run what is not there yet."""
    pools = [pool for pool in embedding_pools() if pool.name in names]
    for seed in seeds:
        for pool in pools:
            X, positive = pool.drawn(seed, rows)
            for way in ways:
                for unit, change in UNITS.items():
                    if (pool.name, seed, f"{way}, {unit}") not in kept:
                        run = WAYS[way](change(X), positive, seed)
                        kept.add((pool.name, seed, f"{way}, {unit}"), run)


def followed(X: Floats, positive: Bools, seed: int) -> tuple[Ints, Bools]:
    """Return what ALuMA asks about, in order, and its labels then."""
    ours = Ours(X, seed)
    for _ in range(MARKS[-1]):
        rows = ours.ask(1)
        ours.tell(rows, positive[rows])
    return np.array(list(ours.told)), ours.labels()


def fitted(X: Floats, positive: Bools, seed: int) -> tuple[Ints, Bools]:
    """Return what ActiveClassifier asks about, in order, and its labels then."""
    model = ActiveClassifier(budget=MARKS[-1], random_state=seed).fit(X, positive)
    return np.asarray(model.queried_), np.asarray(model.labels_, dtype=bool)


def paged(X: Floats, positive: Bools, seed: int) -> tuple[Ints, Bools]:
    """Return what the page asks about, in order, and its labels then."""
    del seed
    for asked, session in _sessions(X, positive):
        if len(asked) == MARKS[-1]:
            found = np.array(asked), _labels(session)
    return found


#: Who is asked for every question.
EXACTLY: dict[str, Callable[[Floats, Bools, int], tuple[Ints, Bools]]] = {
    "learner": followed,
    "estimator": fitted,
    "page": paged,
}


def differences(X: Floats, positive: Bools, seed: int, way: str) -> tuple[int, int]:
    """Return how many questions and labels are others in units that are powers of two."""
    asked, labels = EXACTLY[way](X, positive, seed)
    questions = wrong = 0
    for unit in POWERS_OF_TWO:
        others, given = EXACTLY[way](unit * X, positive, seed)
        questions += int(np.count_nonzero(others != asked))
        wrong += int(np.count_nonzero(given != labels))
    return questions, wrong


def exactly(names: Sequence[str], seeds: Sequence[int], ways: Sequence[str]) -> Table:
    """Return how many questions and labels differ between units, where none should."""
    table = Table("pool", "by", "seeds", "other questions", "other labels")
    for pool in embedding_pools():
        for way in ways:
            if pool.name in names:
                found = [differences(*pool.drawn(seed), seed, way) for seed in seeds]
                totals = map(str, np.sum(found, axis=0).tolist())
                table.add_row(pool.name, way, str(len(seeds)), *totals)
    return table


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
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--exact", action="store_true", help="powers of two, question by question")
    parser.add_argument("--show", action="store_true", help="run nothing, print what is there")
    given = parser.parse_args(arguments)
    kept, seeds = KeptRuns(given.results), range(FIRST_SEED, FIRST_SEED + given.runs)
    console = Console(width=160)
    if given.exact:
        with one_core():
            console.print(exactly(given.pools, seeds, given.ways))
        return 0
    if not given.show:
        with one_core():
            measure(kept, given.pools, seeds, ways=given.ways)
    console.print(shown(kept, given.pools, seeds), markup=False, highlight=False)
    console.print(summary(kept, given.pools, seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
