"""Features of examples that come without: from numeric columns, texts and images.

Halfspaces are uniform a priori, so the scale of a feature says how much it is expected to matter.
Numeric columns are standardised; texts (:mod:`aluma.app.text_features`), images
(:mod:`aluma.app.image_features`) and embeddings keep the relative scale of their directions,
centred and with an average variance of 1. Every block is an affine map of something plain, so that
a linear classifier of the features is one of cells, words, edges or pixels, which is what is
exported.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from aluma.app import word_vectors
from aluma.app.blocks import Block, Part
from aluma.app.embedders import EMBEDDERS, TEXTS
from aluma.app.examples import Examples, Images, shown
from aluma.app.image_features import of_pictures
from aluma.app.reading import is_text, is_words
from aluma.app.text_features import by_vectors, by_words
from aluma.arrays import Singles
from aluma.errors import BadInput
from aluma.pool import LARGEST_ENTRY

#: Names of columns that only number the rows, if their values are all different.
ROW_NUMBERS = {"id", "index", "unnamed: 0", "row", "key"}
#: What is said where texts could be known better.
BETTER = (
    "Texts are learnt from by their words alone. Vectors of words need fewer answers: "
    "pip install 'aluma[text]', then begin another session."
)


@dataclass(frozen=True)
class Features:
    """A matrix, how it came about, and what a user should know about that."""

    X: Singles
    blocks: tuple[Block, ...]
    notes: list[str] = field(default_factory=list)

    def save(self, path: Path, digest: str, **more: npt.NDArray[Any]) -> None:
        """Write everything into one file, without pickle; whole or not at all."""
        about = [{"kind": block.kind, "about": block.about} for block in self.blocks]
        text = json.dumps({"digest": digest, "blocks": about, "notes": self.notes})
        arrays = more | {"X": self.X, "about": np.frombuffer(text.encode(), dtype=np.uint8)}
        for number, block in enumerate(self.blocks):
            arrays |= {f"map{number}": block.map, f"offset{number}": block.offset}
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> tuple[Features, str]:
        """Return what was saved, and the digest that it was saved with."""
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            about = json.loads(stored["about"].tobytes())
            blocks = tuple(
                Block(one["kind"], one["about"], stored[f"map{n}"], stored[f"offset{n}"])
                for n, one in enumerate(about["blocks"])
            )
            return cls(stored["X"], blocks, about["notes"]), about["digest"]


def of_table(
    frame: pd.DataFrame,
    columns: Sequence[str] | None = None,
    without: str | None = None,
    words: bool | None = None,
) -> Features:
    """Return features of the rows of a table, by the kinds of its columns.

    Parameters
    ----------
    columns : the columns to use; by default all that are of use
    without : a column that is not to be used: the labels
    words : whether texts are learnt from by vectors of words too; None if those are installed
    """
    unknown = [name for name in columns or () if name not in frame.columns]
    if unknown:
        listed = ", ".join(map(repr, frame.columns))
        raise BadInput(f"there is no column {unknown[0]!r}: the columns are {listed}.")
    names = [name for name in columns or frame.columns if name != without]
    parts: list[Part] = []
    notes: list[str] = []
    if columns is None:
        numbering = [name for name in names if _numbers_rows(frame[name])]
        names = [name for name in names if name not in numbering]
        notes += [f"Column {name!r} only numbers the rows: left out." for name in numbering]
    numeric = [name for name in names if not is_words(frame[name])]
    if numeric:
        parts += _numeric(frame[numeric], notes)
    for name in names:
        if name not in numeric:
            text = is_text(frame[name])
            made = _text(frame[name], words, notes) if text else _category(frame[name])
            parts += made
            if not made:
                notes.append(f"Column {name!r} has no value that occurs twice: left out.")
    if not parts:
        raise BadInput(
            "no column tells the rows apart: name the columns to use with --columns, or pass "
            "embeddings of the examples with --embeddings."
        )
    return _joined(parts, notes)


def of_texts(column: pd.Series[Any], words: bool | None = None) -> Features:
    """Return features of the texts of one column, whatever its cells look like."""
    notes: list[str] = []
    parts = _text(column, words, notes)
    if not parts:
        raise BadInput(
            f"column {str(column.name)!r} has no words that tell the rows apart: name another one."
        )
    return _joined(parts, notes)


def of_images(images: Images, count: int) -> Features:
    """Return features of images: directions of edges, and pixels."""
    made = _joined(of_pictures(images, count), [])
    if not made.X.any():
        raise BadInput("every image is the same: nothing tells the examples apart.")
    return made


def of_array(array: npt.NDArray[Any], source: str) -> Features:
    """Return embeddings, centred and rescaled as a whole."""
    raw = np.asarray(array, dtype=np.float32).reshape(len(array), -1)
    wrong = np.argwhere(~(np.abs(raw) <= LARGEST_ENTRY))
    if len(wrong):
        row, column = wrong[0]
        raise BadInput(
            f"{source} holds {raw[row, column]} in row {row}, column {column}: every entry must be "
            "a finite number."
        )
    mean = raw.mean(axis=0, dtype=np.float64)
    spread = float(np.std(raw - mean.astype(np.float32)))
    if spread == 0.0:
        raise BadInput(f"every row of {source} is the same: nothing tells the examples apart.")
    scale = np.full(raw.shape[1], 1.0 / spread)
    X = (raw - mean.astype(np.float32)) * np.float32(scale[0])
    return Features(X, (Block("given", {"source": source}, scale, mean * scale),))


def of_function(
    name: str,
    examples: Examples,
    columns: Sequence[str] | None = None,
    without: str | None = None,
) -> Features:
    """Return what a function ``package:function`` makes of the examples.

    It is called once, with a list: of texts, of PIL images, or of rows as dictionaries. Other names
    are those of :data:`aluma.app.embedders.EMBEDDERS`, models that a package carries, and TEXTS,
    ways to make features of texts, for which columns matter as in :func:`of_table`.
    """
    if name in EMBEDDERS:
        return _by_model(name, examples)
    if name in TEXTS:
        _check_kind(name, "texts", examples)
        return of_examples(examples, columns, without, TEXTS[name])
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        listed = ", ".join((*EMBEDDERS, *TEXTS))
        raise BadInput(
            f"--embed {name!r} must have the form package:function, or be one of {listed}."
        )
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"--embed {name!r} cannot be imported: {error}") from error
    made = np.asarray(function(_for_function(examples)))
    if made.dtype.kind not in "biuf" or made.ndim != 2 or len(made) != len(examples):
        raise BadInput(
            f"{name} returned {made.dtype} of shape {made.shape}: it must return numbers, one row "
            f"for each of the {len(examples):,} examples."
        )
    return of_array(made, name)


def _by_model(name: str, examples: Examples) -> Features:
    """Return what a model that a package carries makes of the texts or the images."""
    model = EMBEDDERS[name]
    _check_kind(name, model.kind, examples)
    model.check(name)
    made = of_array(model.embed(_for_function(examples)), name)
    (block,) = made.blocks
    about = block.about | {"recipe": model.recipe}
    return Features(made.X, (Block(block.kind, about, block.map, block.offset),))


def _check_kind(name: str, kind: str, examples: Examples) -> None:
    there = "images" if examples.images is not None else "texts" if examples.text else "numbers"
    if there != kind:
        raise BadInput(f"--embed {name} is for {kind}, and these are {there}: leave it out.")


def of_examples(
    examples: Examples,
    columns: Sequence[str] | None = None,
    without: str | None = None,
    words: bool | None = None,
) -> Features:
    """Return features of examples that came without any; see :func:`of_table`."""
    if examples.images is None:
        return of_table(examples.frame, columns, without, words)
    return of_images(examples.images, len(examples))


def _for_function(examples: Examples) -> list[Any]:
    if examples.images is not None:
        return [examples.images.picture(i) for i in range(len(examples))]
    if examples.text:
        return [shown(value) for value in examples.frame[examples.text[0]]]
    return examples.frame.to_dict(orient="records")


def _joined(parts: Sequence[Part], notes: list[str]) -> Features:
    X = np.hstack([np.asarray(one, dtype=np.float32) for one, _ in parts])
    return Features(X, tuple(block for _, block in parts), notes)


def _numeric(frame: pd.DataFrame, notes: list[str]) -> list[Part]:
    """Standardise numbers; a missing one becomes the mean, a constant column is left out."""
    raw = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.argwhere(np.abs(raw) > LARGEST_ENTRY)
    if len(wrong):
        row, column = wrong[0]
        raise BadInput(
            f"row {row + 1}, column {frame.columns[column]!r} holds {raw[row, column]:g}: numbers "
            f"must be finite and at most {LARGEST_ENTRY:g}."
        )
    known = ~np.isnan(raw)
    usable = known.any(axis=0)
    mean = np.where(usable, np.where(known, raw, 0.0).sum(axis=0) / np.maximum(known.sum(0), 1), 0)
    raw = np.where(known, raw, mean)
    spread = raw.std(axis=0)
    varies = spread > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    if not known.all():
        notes.append(f"{int((~known).sum()):,} missing numbers are taken as their column's mean.")
    if not varies.all():
        constant = ", ".join(repr(name) for name in frame.columns[~varies])
        notes.append(f"The same in every row, so left out: {constant}.")
    if not varies.any():
        return []
    raw, mean, scale = raw[:, varies], mean[varies], 1.0 / spread[varies]
    columns = [str(name) for name in frame.columns[varies]]
    about = {"columns": columns, "missing": mean.tolist()}
    return [((raw - mean) * scale, Block("numeric", about, scale, mean * scale))]


def _category(column: pd.Series[Any]) -> list[Part]:
    """Return an indicator for each value that occurs at least twice."""
    text = column.map(shown)
    counts = text[text != ""].value_counts()
    values = sorted(str(value) for value in counts[counts >= 2].index)
    if not values or (len(values) == 1 and counts.iloc[0] == len(text)):
        return []
    raw = np.stack([(text == value).to_numpy(dtype=np.float64) for value in values], axis=1)
    about = {"column": str(column.name), "values": values}
    scale = np.full(len(values), 1.0 / raw.std())
    offset = raw.mean(axis=0) * scale
    return [(raw * scale - offset, Block("category", about, scale, offset))]


def _text(column: pd.Series[Any], words: bool | None, notes: list[str]) -> list[Part]:
    """Return features of a text column; with vectors of words if wanted, or if there are any."""
    there = word_vectors.installed() if words is None else words
    texts = column.map(shown).tolist()
    made = (by_vectors if there else by_words)(texts, str(column.name))
    if words is None and not there and BETTER not in notes:
        notes.append(BETTER)
    return [] if made is None else [made]


def _numbers_rows(column: pd.Series[Any]) -> bool:
    return str(column.name).lower() in ROW_NUMBERS and bool(column.is_unique)
