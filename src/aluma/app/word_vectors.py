"""Vectors of words and texts from the weights in wordllama's wheel: nothing is downloaded.

wordllama's own loader looks for the tokenizer where the wheel does not have it, and then fetches it
from the network; importing it changes how a program logs; and it pads texts, so that one long text
makes 64 long. So its two files are read here, and nothing of it is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from aluma.arrays import Singles
from aluma.extras import needed, require

#: The files in the wheel.
WEIGHTS, TOKENIZER = (
    "weights/l2_supercat_256.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json",
)
#: Packages that are needed; the first carries the files.
PACKAGES = ("wordllama", "safetensors", "tokenizers")
#: Texts that are read at a time.
AT_ONCE = 1_000


def installed() -> bool:
    """Say whether there are vectors of words on this machine."""
    return all(find_spec(package) is not None for package in PACKAGES)


def word_vectors(texts: Sequence[str]) -> Singles:
    """Return one row of 256 numbers, of length 1, for every text; an empty one is all zeros.

    Means of few words are longer than those of many, which says nothing about what they mean.
    Raises :class:`aluma.errors.MissingExtra` if wordllama is not installed.
    """
    rows = summed_vectors(texts)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def summed_vectors(texts: Sequence[str]) -> Singles:
    """Return the sum of the vectors of each text's tokens; an empty text has zeros."""
    weights, tokenizer = _files()
    parts = [
        _counts(tokenizer, texts[start : start + AT_ONCE], len(weights)) @ weights
        for start in range(0, len(texts), AT_ONCE)
    ]
    return np.vstack(parts) if parts else np.zeros((0, weights.shape[1]), dtype=np.float32)


def _counts(tokenizer: Any, texts: Sequence[str], tokens: int) -> Any:
    """Return how often each token occurs in each text, as a sparse matrix."""
    found = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    ids = [np.minimum(np.asarray(one.ids, dtype=np.int64), tokens - 1) for one in found]
    columns = np.concatenate(ids) if ids else np.zeros(0, dtype=np.int64)
    ends = np.cumsum([0, *map(len, ids)])
    return sparse.csr_matrix(
        (np.ones(len(columns), dtype=np.float32), columns, ends), shape=(len(texts), tokens)
    )


@lru_cache(maxsize=1)
def _files() -> tuple[Singles, Any]:
    """Return the vectors of all tokens, and what cuts a text into tokens."""
    require("vectors of texts", "text", *PACKAGES)
    numbers = needed("safetensors.numpy", "text", "vectors of texts")
    tokens = needed("tokenizers", "text", "vectors of texts")
    found = find_spec("wordllama")
    assert found is not None
    assert found.submodule_search_locations
    folder = Path(next(iter(found.submodule_search_locations)))
    (weights,) = numbers.load_file(folder / WEIGHTS).values()
    tokenizer = tokens.Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return np.asarray(weights, dtype=np.float32), tokenizer
