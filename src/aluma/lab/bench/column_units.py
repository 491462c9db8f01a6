"""Units of columns: the estimator's labels with every column divided by its deviation, or by rule.

python -m aluma.lab.bench.column_units [--results FILE] [--runs N] [--pools NAME ...]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from aluma.estimator import ActiveClassifier
from aluma.lab.bench import one_core
from aluma.lab.bench.embedding_pools import embedding_pools
from aluma.lab.bench.embeddings import FIRST_SEED
from aluma.lab.bench.kept_runs import KeptRuns, Record

#: Answers after which labels are compared, and rows of a large pool.
MARKS, ROWS = (10, 25), 1000
#: Ways to standardise.
WAYS: tuple[bool | str, ...] = (True, "auto")
#: Tables that scikit-learn has.
TABLES: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
}
DIGITS = "digits 3, 5 and 8, pixels"
EMBEDDINGS = ("MNIST 3 and 5, components", "SMS, MiniLM")
POOLS = (*TABLES, DIGITS, *EMBEDDINGS)


def drawn(name: str, seed: int) -> tuple[Any, Any]:
    """Return the rows of a pool and their labels; of a large one, some."""
    if name in TABLES:
        X, y = TABLES[name](return_X_y=True)
        return X, y
    if name == DIGITS:
        X, y = load_digits(return_X_y=True)
        kept = np.isin(y, (3, 5, 8))
        return X[kept], y[kept]
    return next(pool for pool in embedding_pools() if pool.name == name).drawn(seed, ROWS)


def errors(X: Any, y: Any, way: bool | str, seed: int) -> Record:
    """Return the share of ``labels_`` that is wrong, by the number of answers."""
    found = {}
    for budget in MARKS:
        model = ActiveClassifier(budget=budget, standardize=way, random_state=seed).fit(X, y)
        found[str(budget)] = float((model.labels_ != y).mean())
    return {"errors": found}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Units of columns.")
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pools", nargs="+", choices=POOLS, default=list(POOLS))
    given = parser.parse_args(arguments)
    kept, seeds = KeptRuns(given.results), range(FIRST_SEED, FIRST_SEED + given.runs)
    table = Table("pool", *(f"standardize={way!r}" for way in WAYS), title="% of labels_ wrong")
    with one_core():
        for name in given.pools:
            for seed in seeds:
                for way in WAYS:
                    if (name, seed, str(way)) not in kept:
                        kept.add((name, seed, str(way)), errors(*drawn(name, seed), way, seed))
            table.add_row(name, *(_shown(kept, name, str(way), seeds) for way in WAYS))
    Console(width=100).print(table)
    return 0


def _shown(kept: KeptRuns, name: str, way: str, seeds: range) -> str:
    """Return mean errors in percent, with their standard errors."""
    runs = [kept[name, seed, way]["errors"] for seed in seeds]
    cells = []
    for budget in MARKS:
        found = 100 * np.array([run[str(budget)] for run in runs])
        noise = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
        cells.append(f"{found.mean():.1f} ({noise:.1f})")
    return " / ".join(cells)


if __name__ == "__main__":
    sys.exit(main())
