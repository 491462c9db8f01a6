"""What large pools cost, fitted to measurements and drawn to a billion examples.

    aluma bench scale --results costs.jsonl --rows ... --features 64 --places zarr
    python -m aluma.lab.bench.scale_model costs.jsonl scale.png

Every cost is ``a + b m + c max(0, m - kept)`` for m examples, all at least 0, fitted in relative
errors: a is what does not depend on the pool, b what each example takes, and c what one takes that
is read anew, because it does not fit in the room for those that stay decoded.
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
from aluma.pool.chunked import FOR_EACH_ROW, KEPT_BYTES

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


def fitted(rows: Floats, seconds: Floats, anew: Floats) -> tuple[float, float, float]:
    """Return a, b and c of ``a + b rows + c anew``, at least 0, for relative errors.

    Their sum of squares is least. So many of the rows of a file are decoded ``anew`` each time.

    Examples
    --------
    >>> rows = np.array([1e5, 1e6, 1e7])
    >>> a, b, c = fitted(rows, np.array([0.2, 1.1, 14.1]), np.array([0, 0, 8e6]))
    >>> round(a, 3), round(1e6 * b, 3), round(1e6 * c, 3)
    (0.1, 1.0, 0.5)
    """
    scale = float(rows.max())
    columns = np.ones(len(rows)), rows / scale, anew / scale
    (a, b, c), _ = nnls(np.column_stack(columns) / seconds[:, None], np.ones(len(rows)))
    return float(a), float(b) / scale, float(c) / scale


def decoded_anew(rows: Floats, features: int) -> Floats:
    """Return how many rows of files of so many in float32 do not stay decoded."""
    kept = np.maximum(0.0, KEPT_BYTES - FOR_EACH_ROW * rows) / (4 * features)
    return np.maximum(0.0, rows - kept)


def models(runs: list[dict[str, Any]]) -> dict[str, tuple[float, float, float]]:
    """Return the fit of each cost."""
    rows = np.array([run["rows"] for run in runs], dtype=np.float64)
    anew = decoded_anew(rows, runs[0]["features"])
    return {
        name: fitted(rows, np.array([max(run[name], 1e-9) for run in runs]), anew) for name in DRAWN
    }


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw measurements and fits."""
    pyplot = needed("matplotlib.pyplot", "lab", "the picture of costs")
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    m = np.geomspace(min(run["rows"] for run in runs), MOST, 100)
    anew = decoded_anew(m, runs[0]["features"])
    for number, (name, (a, b, c)) in enumerate(models(runs).items()):
        axes.loglog(m, a + b * m + c * anew, color=f"C{number}", label=DRAWN[name])
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
    for name, (a, b, c) in models(runs).items():
        at = a + b * MOST + c * MOST
        sys.stdout.write(
            f"{DRAWN[name]}: {a:.3g} s + {1e6 * b:.3g} s a million, {1e6 * c:.3g} s more where "
            f"they are decoded anew; {at:.3g} s at 1e9\n"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
