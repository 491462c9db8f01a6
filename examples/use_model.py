"""Use a model that the labelling page exported, with Python's own library alone.

    python examples/use_model.py model.json new-rows.csv

prints a label for every row. Parts on pixels and embeddings need those numbers, so they are not
covered here: their rule is the same sum of weight times value.
"""

import csv
import json
import math
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path


def score(model: dict, row: dict[str, str]) -> float:
    """Return the score of a row; the label is yes if it is at least 0."""
    return model["intercept"] + sum(PARTS[part["kind"]](part, row) for part in model["parts"])


def label(model: dict, row: dict[str, str]) -> str:
    """Return the label of a row."""
    return model["labels"]["yes" if score(model, row) >= 0 else "no"]


def numeric(part: dict, row: dict[str, str]) -> float:
    """Weigh numbers; a missing one counts as the mean was."""
    return sum(
        weight * (float(row[name]) if row.get(name) else part["missing"][name])
        for name, weight in part["weights"].items()
    )


def category(part: dict, row: dict[str, str]) -> float:
    """Weigh the value of a column."""
    return part["weights"].get(row[part["column"]], 0.0)


def text(part: dict, row: dict[str, str]) -> float:
    """Weigh words and pairs of neighbours by TF-IDF."""
    words = re.findall(part["word"], row[part["column"]].lower())
    counts = Counter([*words, *(f"{a} {b}" for a, b in pairwise(words))])
    values = {
        term: (1 + math.log(count)) * part["idf"][term]
        for term, count in counts.items()
        if term in part["idf"]
    }
    length = math.sqrt(sum(value * value for value in values.values())) or 1.0
    return sum(part["weights"][term] * value for term, value in values.items()) / length


PARTS = {"numeric": numeric, "category": category, "text": text}


def main(model_path: str, rows_path: str) -> None:
    """Print a label for every row of a table."""
    model = json.loads(Path(model_path).read_text("utf-8"))
    with Path(rows_path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sys.stdout.write(label(model, row) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
