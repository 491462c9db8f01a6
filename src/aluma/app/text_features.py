"""Features of texts: TF-IDF, joined with vectors of words where those are installed.

Vectors know that two words mean much the same before an answer says so; TF-IDF knows words that
vectors have no meaning for, as names and numbers. Both are linear in the TF-IDF of a text here (its
vector is the sum of its words' vectors, each times the word's TF-IDF), so a linear model of the two
together is a model of words: it can be explained by words, and used without any vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aluma.app.blocks import Block, Part, leading, reduced
from aluma.app.word_vectors import summed_vectors
from aluma.arrays import Bools, Floats, Singles

#: A word as the model file defines it; kept here so that the two agree.
WORD = r"\w+"
#: Words and pairs of words that are counted, at most.
VOCABULARY = 20_000
#: Words that occur in one text only, which have vectors too: so many at most, none longer than so
#: many characters (a text in a language without spaces is a few long words).
RARE, RARE_CHARACTERS = 20_000, 100
#: Directions kept of TF-IDF and vectors together, and one for so many examples in small pools.
JOINT_DIRECTIONS, EXAMPLES_PER_DIRECTION = 200, 8


class Counted(NamedTuple):
    """TF-IDF of texts: a sparse matrix, and its terms with their weights."""

    raw: Any
    terms: list[str]
    idf: Floats

    def about(self, column: str) -> dict[str, Any]:
        """Return what a block of features says about them."""
        return {"column": column, "terms": self.terms, "idf": np.round(self.idf, 6).tolist()}


def by_words(texts: Sequence[str], column: str) -> Part | None:
    """Return the leading directions of TF-IDF; None if no word occurs in two texts."""
    counted = _counted(texts)
    if counted is None:
        return None
    return reduced("text", counted.about(column), counted.raw)


def by_vectors(texts: Sequence[str], column: str) -> Part | None:
    """Return the leading directions of TF-IDF and vectors of words together; None if no words.

    The two have the same total variance. How that was chosen, and what it brings, is in
    docs/embeddings.md.
    """
    counted = _counted(texts, rare=True)
    if counted is None:
        return None
    # Single precision: 100,000 texts have 36 million numbers on the way.
    raw = counted.raw.astype(np.float32)
    sides = [_balanced(raw, one) for one in _maps(counted)]
    made, map_ = (np.hstack(parts) for parts in zip(*sides, strict=True))
    most = max(8, min(JOINT_DIRECTIONS, len(made) // EXAMPLES_PER_DIRECTION))
    strong = np.linalg.eigh(made.T @ made)[1][:, ::-1][:, : min(most, len(made) - 1)]
    made = made @ strong
    scale = 1.0 / (float(made.std()) or 1.0)
    plain = np.asarray(map_ @ (strong * scale), dtype=np.float32)
    offset = np.asarray(raw.mean(axis=0)).ravel().astype(np.float64) @ plain
    return made * scale, Block("text", counted.about(column), plain, offset)


def _maps(counted: Counted) -> list[Floats | Singles]:
    """Return what leads from TF-IDF to its leading directions, and to vectors."""
    words = ["" if " " in term else term for term in counted.terms]
    maps: list[Floats | Singles] = [summed_vectors(words)]
    often = np.asarray((counted.raw > 0).sum(axis=0)).ravel() >= 2
    if often.sum() >= 2:
        # Words that occur once have no direction in common with any other text.
        directions = leading(counted.raw[:, np.flatnonzero(often)])
        maps.append(np.zeros((len(words), directions.shape[1])))
        maps[-1][often] = directions
    return maps


def _balanced(raw: Any, map_: Floats | Singles) -> tuple[Singles, Singles]:
    """Return features with a total variance of 1, centred, and the map that leads to them."""
    made = np.asarray(raw @ map_.astype(np.float32))
    made -= made.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.float32(np.sqrt(made.var(axis=0, dtype=np.float64).sum()) or 1.0)
    made /= spread
    return made, np.asarray(map_ / spread, dtype=np.float32)


def _counted(texts: Sequence[str], *, rare: bool = False) -> Counted | None:
    """Return TF-IDF of words and pairs of words, None if there are none.

    Those that occur in two texts at least count, and the words that occur in one if ``rare``.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    counter = CountVectorizer(token_pattern=WORD, ngram_range=(1, 2))
    try:
        counts = counter.fit_transform(texts)
    except ValueError:
        return None  # there is no word in any text
    terms = counter.get_feature_names_out()
    kept = _chosen(counts, terms, rare=rare)
    if not kept.any():
        return None
    weighed = TfidfTransformer(sublinear_tf=True)
    raw = weighed.fit_transform(counts[:, np.flatnonzero(kept)])
    return Counted(raw, [str(term) for term in terms[kept]], np.asarray(weighed.idf_))


def _chosen(counts: Any, terms: Any, *, rare: bool) -> Bools:
    """Say which terms count: the most frequent of those in two texts, and some in one text."""
    texts = np.bincount(counts.indices, minlength=len(terms))
    often = np.flatnonzero(texts >= 2)
    frequency = np.asarray(counts.sum(axis=0)).ravel()[often]
    kept = np.zeros(len(terms), dtype=bool)
    kept[often[(-frequency).argsort()[:VOCABULARY]]] = True
    if rare:
        once = [
            place
            for place in np.flatnonzero(texts == 1).tolist()
            if " " not in terms[place] and len(terms[place]) <= RARE_CHARACTERS
        ]
        kept[once[:RARE]] = True
    return kept
