"""What large pools cost, fitted to measurements and drawn to a billion examples.

    aluma bench scale --results costs.jsonl --rows ... --features 64 --places zarr
    python -m aluma.lab.bench.scale_model costs.jsonl scale.png

Every cost is ``a + b m`` for m examples, both at least 0, fitted in relative errors: a is what does
not depend on the pool, b what each example takes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from aluma.arrays import Floats
from aluma.extras import needed

#: What is drawn, by the name it has in the file.
DRAWN = {
    "one_pass": "a pass of 64 hypotheses",
    "predict": "all labels",
    "ask": "a question",
    "tell": "an answer",
    "certify": "a certificate",
}
#: The largest pool that is drawn.
MOST = 10**9


def fitted(rows: Floats, seconds: Floats) -> tuple[float, float]:
    """Return a and b of ``a + b m``, at least 0, with the least sum of squared relative errors.

    Examples
    --------
    >>> a, b = fitted(np.array([1e5, 1e6, 1e7]), np.array([0.2, 1.1, 10.1]))
    >>> round(a, 3), round(1e6 * b, 3)
    (0.1, 1.0)
    """
    scale = float(rows.max())
    terms = np.column_stack([np.ones(len(rows)), rows / scale]) / seconds[:, None]
    (a, b), _ = nnls(terms, np.ones(len(rows)))
    return float(a), float(b) / scale


def models(runs: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Return the fit of each cost."""
    rows = np.array([run["rows"] for run in runs], dtype=np.float64)
    return {name: fitted(rows, np.array([max(run[name], 1e-9) for run in runs])) for name in DRAWN}


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw measurements and fits."""
    pyplot = needed("matplotlib.pyplot", "lab", "the picture of costs")
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    m = np.geomspace(min(run["rows"] for run in runs), MOST, 100)
    for number, (name, (a, b)) in enumerate(models(runs).items()):
        axes.loglog(m, a + b * m, color=f"C{number}", label=DRAWN[name])
        seconds = [run[name] for run in runs]
        axes.loglog([run["rows"] for run in runs], seconds, "o", color=f"C{number}")
    axes.set_xlabel("examples")
    axes.set_ylabel("CPU seconds of one core")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main(results: Path, picture: Path) -> None:
    """Draw a file of results, and print the fits."""
    runs = [json.loads(line) for line in results.read_text().splitlines()]
    draw(runs, picture)
    for name, (a, b) in models(runs).items():
        at = a + b * MOST
        sys.stdout.write(
            f"{DRAWN[name]}: {a:.3g} s + {1e6 * b:.3g} s a million; {at:.3g} s at 1e9\n"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
