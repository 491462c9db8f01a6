"""Vectors of texts from the weights that wordllama carries in its wheel: nothing is downloaded.

wordllama's own loader looks for the tokenizer where the wheel does not have it, and then fetches it
from the network; so the two files are read here. A text is the mean of its tokens' vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from aluma.arrays import Singles
from aluma.extras import needed

#: The files in the wheel.
WEIGHTS, TOKENIZER = (
    "weights/l2_supercat_256.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json",
)


def word_vectors(texts: Sequence[str]) -> Singles:
    """Return one row of 256 numbers, of length 1, for every text; an empty one is all zeros.

    Means of few words are longer than those of many, which says nothing about what they mean.
    Raises :class:`aluma.errors.MissingExtra` if wordllama is not installed.
    """
    model = _model()
    rows = np.asarray(model.embed(list(texts), norm=False), dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


@lru_cache(maxsize=1)
def _model() -> Any:
    package, reading, numbers, tokens = (
        needed(module, "text", "vectors of texts")
        for module in ("wordllama", "wordllama.inference", "safetensors.numpy", "tokenizers")
    )
    folder = Path(package.__file__).parent
    (weights,) = numbers.load_file(folder / WEIGHTS).values()
    tokenizer = tokens.Tokenizer.from_file(str(folder / TOKENIZER))
    return reading.WordLlamaInference(np.asarray(weights, dtype=np.float32), tokenizer)
