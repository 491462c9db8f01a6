"""Use a model that the labelling page exported, with Python's own library alone.

    python examples/use_model.py model.json new-rows.csv
    python examples/use_model.py model.json one.png two.png

prints a label for every row or image, of two labels or of more. A model of embeddings takes a table
with the numbers of an embedding in each row, below a line of names. Only images need more: Pillow.
"""

import csv
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from pathlib import Path


def scores(model: dict, row: dict[str, str]) -> list[float]:
    """Return the scores of a row: one of two labels, else one for each label."""
    found = listed(model["intercept"])
    for part in model["parts"]:
        weights = part["weights"]
        for key, value in PARTS[part["kind"]](part, row):
            found = [s + w * value for s, w in zip(found, listed(weights[key]), strict=True)]
    return found


def label(model: dict, row: dict[str, str]) -> str:
    """Return the label of a row: yes if the one score is at least 0, or that of the largest."""
    found, labels = scores(model, row), model["labels"]
    if len(found) == 1:
        return labels["yes" if found[0] >= 0 else "no"]
    return labels[found.index(max(found))]


def listed(numbers: float | list[float]) -> list[float]:
    """Return weights as a list: models of two labels have a single number in its place."""
    return numbers if isinstance(numbers, list) else [numbers]


#: What is weighed: names, words or places of weights, each with the number it counts for.
Values = Iterable[tuple[str | int, float]]


def numeric(part: dict, row: dict[str, str]) -> Values:
    """Return numbers; a missing one counts as the mean was."""
    missing = part["missing"]
    return [(n, float(row[n]) if row.get(n) else missing[n]) for n in part["weights"]]


def category(part: dict, row: dict[str, str]) -> Values:
    """Return the value of a column, if it is one that counts."""
    value = row[part["column"]]
    return [(value, 1.0)] if value in part["weights"] else []


def text(part: dict, row: dict[str, str]) -> Values:
    """Return words and pairs of neighbours by TF-IDF."""
    words = re.findall(part["word"], row[part["column"]].lower())
    counts = Counter([*words, *(f"{a} {b}" for a, b in pairwise(words))])
    values = {
        term: (1 + math.log(count)) * part["idf"][term]
        for term, count in counts.items()
        if term in part["idf"]
    }
    length = math.sqrt(sum(value * value for value in values.values())) or 1.0
    return [(term, value / length) for term, value in values.items()]


def embedding(part: dict, row: dict[str, str]) -> Values:
    """Return the numbers of an embedding, which are the whole row."""
    if len(row) != len(part["weights"]):
        raise SystemExit(f"a row has {len(row)} numbers, not {len(part['weights'])}.")
    return enumerate(float(value) for value in row.values())


def pixels(part: dict, row: dict[str, str]) -> Values:
    """Return the pixels of an image, made as large as the model's."""
    return enumerate(brightness(row["file"], part["side"], part["channels"]))


def brightness(file: str, side: int, channels: int) -> list[float]:
    """Return the values of an image, from 0 to 1."""
    from PIL import Image, ImageOps

    turned = ImageOps.exif_transpose(Image.open(file)).convert("L" if channels == 1 else "RGB")
    return [byte / 255 for byte in turned.resize((side, side)).tobytes()]


def edges(part: dict, row: dict[str, str]) -> Values:
    """Return how strong edges are in each square and direction, beside those around it."""
    side, cell, angles = part["side"], part["cell"], part["angles"]
    grey, squares = brightness(row["file"], side, 1), side // cell
    found = [[0.0] * angles for _ in range(squares * squares)]
    for y, x in product(range(side), repeat=2):
        here, inside = y * side + x, range(1, side - 1)
        down = grey[here + side] - grey[here - side] if y in inside else 0.0
        right = grey[here + 1] - grey[here - 1] if x in inside else 0.0
        angle = math.atan2(down, right) % math.pi * angles / math.pi
        first, strength = math.floor(angle), math.hypot(down, right)
        counted = found[y // cell * squares + x // cell]
        counted[first % angles] += strength * (1 - angle + first)
        counted[(first + 1) % angles] += strength * (angle - first)
    squared = [sum(value * value for value in counted) for counted in found]
    values = []
    for place, counted in enumerate(found):
        y, x = divmod(place, squares)
        around = product(range(max(y - 1, 0), y + 2), range(max(x - 1, 0), x + 2))
        near = sum(squared[i * squares + j] for i, j in around if i < squares and j < squares)
        values += [value / math.sqrt(part["floor"] + near) for value in counted]
    return enumerate(values)


PARTS = {
    "numeric": numeric,
    "category": category,
    "text": text,
    "embedding": embedding,
    "pixels": pixels,
    "edges": edges,
}


def rows(model: dict, paths: list[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of tables, or the names of images."""
    for path in paths:
        if model["parts"][0]["kind"] in ("pixels", "edges"):
            yield {"file": path}
        else:
            with Path(path).open(encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)


def main(model_path: str, *paths: str) -> None:
    """Print a label for every row of the tables, or for every image."""
    model = json.loads(Path(model_path).read_text("utf-8"))
    for row in rows(model, list(paths)):
        sys.stdout.write(label(model, row) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
