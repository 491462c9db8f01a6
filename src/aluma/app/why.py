"""What speaks for a vote: words and columns by their weights in the mean of all that vote.

The mean of the hypotheses is a linear model, and every block of features is an affine map of
cells or words (:mod:`aluma.app.features`), so what a word or a column adds to it can be said
exactly. That explains the model and not the world: a word that stands for an answer here need not
have anything to do with it elsewhere.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from aluma.app.blocks import Block
from aluma.app.desk import Desk
from aluma.app.examples import FIELD_CHARACTERS, TEXT_CHARACTERS, shown
from aluma.app.features import Features
from aluma.app.review_shapes import Column, Piece, Why
from aluma.app.text_features import WORD
from aluma.app.votes import leading, votes
from aluma.app.withheld import withheld
from aluma.arrays import Floats
from aluma.learners.learner import Learner
from aluma.spaces.history import column as class_number
from aluma.spaces.space import Hypotheses

#: Rows by which the mean of the hypotheses is read off: it is linear, so these are enough.
ROWS = 4_000
#: What keeps the linear system solvable where features repeat each other, relative to its size.
RIDGE = 1e-9
#: A word or a column with a smaller share of the largest weight is not worth a mark.
LEAST_SHARE = 0.12
#: Columns that are named, at most, and different words that are marked: more explain nothing.
MOST_COLUMNS, MOST_WORDS = 6, 12
#: Kinds of features that are made of words or cells.
EXPLAINED = ("numeric", "category", "text")


@dataclass(frozen=True)
class Weights:
    """A linear model of the votes: (K, d) weights, the K classes as the learner numbers them."""

    of: tuple[Any, ...]
    values: Floats


class Reasons:
    """Says what speaks for the votes of a desk."""

    def __init__(self, desk: Desk, features: Features) -> None:
        self._desk, self._features = desk, features
        self._lock = threading.Lock()
        self._weights: Weights | None = None
        self._rows = np.unique(np.linspace(0, len(features.X) - 1, ROWS).astype(np.int64))

    def why(self, example: int) -> Why:
        """Return what speaks for the vote on an example."""
        learner = self._desk.session.fork()
        if example in withheld(learner):
            note = "It is about to be checked at random, so nothing is said about it before."
            return Why(example=example, label="", note=note)
        if len(learner.labels.known) < 2 or learner.n_answers == 0:
            return Why(
                example=example, label="", note="There is no vote before two answers differ."
            )
        label, against = self._sides(learner, example)
        if all(block.kind not in EXPLAINED for block in self._features.blocks):
            note = "It was learnt from numbers that stand for no word or column by themselves."
            return Why(example=example, label=label, against=against, note=note)
        with self._lock:
            weights = self._fitted(learner)
        signs = learner.labels.signs
        ahead, behind = (class_number(signs[one]) for one in (label, against))
        w = weights.values[ahead] - weights.values[behind]
        columns = self._columns(example, w)
        return Why(
            example=example,
            label=label,
            against=against,
            pieces=self._pieces(example, w),
            columns=columns,
        )

    def _sides(self, learner: Learner, example: int) -> tuple[str, str]:
        """Return what the vote says about an example, were it not answered, and what is next."""
        row = self._features.X[[example]]
        labels = self._desk.task.labels
        shares = votes(learner, labels, row)
        first = labels[int(leading(learner, labels, shares)[0])]
        known = [str(label) for label in learner.labels.known]
        order = [labels[place] for place in np.argsort(-shares[0], kind="stable")]
        return first, next(label for label in order if label in known and label != first)

    def _fitted(self, learner: Learner) -> Weights:
        """Return the mean of all hypotheses, as weights of the features."""
        key = (*learner.population.state.key, learner.labels.count)
        if self._weights is None or self._weights.of != key:
            space = learner.parts.space
            assert isinstance(space, Hypotheses)
            mean = np.asarray(space.voters(), dtype=np.float64).mean(axis=0)
            # Of two classes, the second has the products of the hypotheses, and the first none.
            mean = mean if mean.ndim == 2 else np.stack([np.zeros_like(mean), mean])
            scores = learner.pool.margins(mean, self._rows)
            X = self._features.X[self._rows].astype(np.float64)
            X -= X.mean(axis=0)
            gram = X.T @ X
            gram[np.diag_indices_from(gram)] += RIDGE * np.trace(gram) + np.finfo(float).tiny
            values = np.linalg.solve(gram, X.T @ (scores - scores.mean(axis=0))).T
            self._weights = Weights(key, values)
        return self._weights

    def _blocks(self, w: Floats) -> list[tuple[Block, slice, Floats]]:
        """Return the blocks of features, their places and the weights of their features."""
        found, start = [], 0
        for block in self._features.blocks:
            place = slice(start, start + len(block.offset))
            found.append((block, place, w[place]))
            start = place.stop
        return found

    def _columns(self, example: int, w: Floats) -> list[Column]:
        """Return what each column adds, compared with an average example."""
        row, found = self._features.X[example].astype(np.float64), list[tuple[str, float]]()
        for block, place, own in self._blocks(w):
            adds = row[place] * own
            if block.kind == "numeric":
                found += zip(block.about["columns"], adds.tolist(), strict=True)
            elif block.kind in EXPLAINED:
                found.append((block.about["column"], float(adds.sum())))
        largest = max((abs(weight) for _, weight in found), default=0.0) or 1.0
        found.sort(key=lambda one: -abs(one[1]))
        frame = self._desk.examples.frame
        return [
            Column(name=name, value=self._value(frame, example, name), weight=weight / largest)
            for name, weight in found[:MOST_COLUMNS]
            if abs(weight) >= LEAST_SHARE * largest
        ]

    def _value(self, frame: Any, example: int, name: str) -> str:
        value = shown(frame[name].iloc[example]) if name in frame.columns else ""
        return value if len(value) <= FIELD_CHARACTERS else value[:FIELD_CHARACTERS] + "…"

    def _pieces(self, example: int, w: Floats) -> list[Piece]:
        """Return the text that is shown large, with what its words add."""
        text = self._desk.examples.text
        if not text:
            return []
        for block, _, own in self._blocks(w):
            if block.kind == "text" and block.about["column"] == text[0]:
                whole = shown(self._desk.examples.frame[text[0]].iloc[example])
                return pieces(whole, _terms(whole, block, block.weights(own)))
        return []


def _terms(text: str, block: Block, weights: Floats) -> dict[str, float]:
    """Return what each word and pair of words adds, every time it occurs."""
    words = re.findall(WORD, text.lower())
    counts = Counter([*words, *map(" ".join, pairwise(words))])
    places = _places(block)
    there = {term: n for term, n in counts.items() if term in places}
    idf = block.about["idf"]
    tf_idf = {term: (1 + np.log(n)) * idf[places[term]] for term, n in there.items()}
    length = np.sqrt(sum(value**2 for value in tf_idf.values())) or 1.0
    return {
        term: float(value / length * weights[places[term]] / counts[term])
        for term, value in tf_idf.items()
    }


def _places(block: Block) -> dict[str, int]:
    return {term: place for place, term in enumerate(block.about["terms"])}


def pieces(text: str, terms: dict[str, float]) -> list[Piece]:
    """Cut a text where the weight of its words changes; a pair gives half to each of its words."""
    cut = text[:TEXT_CHARACTERS]
    found = list(re.finditer(WORD, cut))
    words = [one.group().lower() for one in found]
    weights = np.array([terms.get(word, 0.0) for word in words])
    for place, pair in enumerate(pairwise(words)):
        weights[place : place + 2] += terms.get(" ".join(pair), 0.0) / 2
    largest = np.abs(weights).max(initial=0.0)
    worth = _worth_a_mark(words, weights, LEAST_SHARE * largest)
    made, done = list[Piece](), 0
    for one, word, weight in zip(found, words, weights.tolist(), strict=True):
        if word in worth and abs(weight) >= LEAST_SHARE * largest:
            made += [Piece(text=cut[done : one.start()], weight=0.0)] * (one.start() > done)
            made.append(Piece(text=one.group(), weight=weight / largest))
            done = one.end()
    if done < len(cut):
        made.append(Piece(text=cut[done:], weight=0.0))
    return made


def _worth_a_mark(words: list[str], weights: Floats, least: float) -> set[str]:
    """Return the words with the largest weights, a few at most, and none below the least."""
    heavy: dict[str, float] = {}
    for word, weight in zip(words, np.abs(weights).tolist(), strict=True):
        heavy[word] = max(heavy.get(word, 0.0), weight)
    chosen = sorted(heavy, key=lambda word: -heavy[word])[:MOST_WORDS]
    return {word for word in chosen if heavy[word] >= least > 0}
