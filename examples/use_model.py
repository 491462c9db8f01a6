"""Use a model that the labelling page exported, with Python's own library alone.

    python examples/use_model.py model.json new-rows.csv
    python examples/use_model.py model.json one.png two.png

prints a label for every row or image. A model of embeddings takes a table with the numbers of an
embedding in each row, below a line of names. Only images need more: Pillow.
"""

import csv
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
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


def embedding(part: dict, row: dict[str, str]) -> float:
    """Weigh the numbers of an embedding, which are the whole row."""
    return sum(w * float(value) for w, value in zip(part["weights"], row.values(), strict=True))


def pixels(part: dict, row: dict[str, str]) -> float:
    """Weigh the pixels of an image, made as large as the model's."""
    from PIL import Image, ImageOps

    side, mode = part["side"], "L" if part["channels"] == 1 else "RGB"
    turned = ImageOps.exif_transpose(Image.open(row["file"]))
    made = turned.convert(mode).resize((side, side))
    return sum(w * byte for w, byte in zip(part["weights"], made.tobytes(), strict=True)) / 255


PARTS = {
    "numeric": numeric,
    "category": category,
    "text": text,
    "embedding": embedding,
    "pixels": pixels,
}


def rows(model: dict, paths: list[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of tables, or the names of images."""
    for path in paths:
        if model["parts"][0]["kind"] == "pixels":
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
