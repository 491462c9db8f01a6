"""A model to take away: a linear classifier of cells, words, edges or pixels, as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from aluma.app.desk import Desk
from aluma.app.export import labelled, statement
from aluma.app.features import Features
from aluma.app.stored import StoredRows
from aluma.app.text_features import WORD
from aluma.arrays import Floats, Ints
from aluma.errors import BadInput
from aluma.session.recipe import aluma_version

#: How closely more than two classes are fitted: labels that a linear classifier can separate are
#: to come out as they are.
CLOSENESS = 100.0


def model(desk: Desk, features: Features) -> dict[str, Any]:
    """Return a linear classifier fitted to the completed labels, in plain terms.

    The weights are for cells, words, edges or pixels as they are, not for the features made of
    them.
    """
    places = labelled(desk).place
    present = np.unique(places).tolist()
    if len(present) < 2:
        raise BadInput(
            "every example has the same label so far, so there is no boundary: answer more first."
        )
    names = [desk.task.labels[place] for place in present]
    fit = _two if len(present) == 2 else _many
    return {
        **fit(features, np.searchsorted(present, places), names),
        "use": "examples/use_model.py of aluma applies this file with Python's own library alone",
        "promise": statement(desk),
        "promise_is_about": "the exported labels, which this model was fitted to; it is no promise "
        "about the model on other examples",
        "answers": int(desk.session.n_answers),
        "examples": len(desk.examples),
    }


def _two(features: Features, codes: Ints, names: Sequence[str]) -> dict[str, Any]:
    """Return Algorithm 4's support vector machine: one score, whose sign decides."""
    from sklearn.svm import LinearSVC

    X, codes = _fitted_to(features, codes)
    machine = LinearSVC(dual=False).fit(X, codes)
    (intercept,), parts = _plain(features, machine.coef_, machine.intercept_)
    return {
        "format": "aluma-linear-model-1",
        "aluma": aluma_version(),
        "labels": {"no": names[0], "yes": names[1]},
        "rule": "score = intercept + the sum of all parts; the label is yes if score >= 0",
        "intercept": intercept,
        "parts": parts,
    }


def _many(features: Features, codes: Ints, names: Sequence[str]) -> dict[str, Any]:
    """Return multinomial logistic regression: a score for each label, of which the largest decides.

    One score against the rest for each label, as support vector machines have it, could not tell a
    class that lies between two others.
    """
    from sklearn.linear_model import LogisticRegression

    X, codes = _fitted_to(features, codes)
    machine = LogisticRegression(C=CLOSENESS, max_iter=1000).fit(X, codes)
    intercept, parts = _plain(features, machine.coef_, machine.intercept_)
    return {
        "format": "aluma-linear-model-2",
        "aluma": aluma_version(),
        "labels": list(names),
        "rule": "a score for each label, in their order: intercept + the sum of all parts, where "
        "every weight is a list with one number for each label; the label is the one with the "
        "largest score, the first of those that are equal",
        "agrees_with_exported_labels": float(np.mean(machine.predict(X) == codes)),
        "intercept": intercept,
        "parts": parts,
    }


def _fitted_to(features: Features, codes: Ints) -> tuple[Any, Ints]:
    """Return what a model is fitted to: all examples, or some of those that stay in a file."""
    if not isinstance(features.X, StoredRows):
        return features.X, codes
    rows = features.X.some()
    return features.X[rows], codes[rows]


def _plain(
    features: Features, weights: Floats, intercepts: Floats
) -> tuple[list[float], list[dict[str, Any]]]:
    """Return intercepts, and parts with the weights of what the features were made of."""
    w = np.asarray(weights, dtype=np.float64)
    plain, start, parts = np.array(intercepts, dtype=np.float64), 0, []
    for block in features.blocks:
        own = w[:, start : start + len(block.offset)]
        start += len(block.offset)
        plain = plain - np.array([float(block.offset @ one) for one in own])
        raw = np.stack([block.weights(one) for one in own], axis=1)
        parts.append(_part(block.kind, block.about, raw))
    return plain.tolist(), parts


def _part(kind: str, about: dict[str, Any], weights: Floats) -> dict[str, Any]:
    rows = [[float(f"{weight:.8g}") for weight in row] for row in weights]
    numbers = [row[0] if len(row) == 1 else row for row in rows]
    if kind == "numeric":
        return {
            "kind": kind,
            "rule": "sum of weight * value; a missing value counts as `missing`",
            "weights": dict(zip(about["columns"], numbers, strict=True)),
            "missing": dict(zip(about["columns"], about["missing"], strict=True)),
        }
    if kind == "category":
        return {
            "kind": kind,
            "rule": "weight of the value in the column, 0 if it is not listed",
            "column": about["column"],
            "weights": dict(zip(about["values"], numbers, strict=True)),
        }
    if kind == "text":
        return {
            "kind": kind,
            "rule": "count words (lower case) and pairs of neighbours; each counts "
            "(1 + ln count) * idf; divide by the root of the sum of squares; sum weight * that",
            "column": about["column"],
            "word": WORD,
            "idf": dict(zip(about["terms"], about["idf"], strict=True)),
            "weights": dict(zip(about["terms"], numbers, strict=True)),
        }
    if kind == "edges":
        return {
            "kind": kind,
            "rule": "turn as EXIF says, make grey, resize to side x side, values 0 to 1; slopes "
            "are differences of the two neighbours, 0 at the rim; a slope's length counts for the "
            "two nearest of the directions (0 to pi) in its square of cell x cell pixels; divide "
            "by the root of floor + the sum of squares in the square and the 8 around it; squares "
            "row by row, directions innermost; sum of weight * that",
            **about,
            "weights": numbers,
        }
    if kind == "pixels":
        return {
            "kind": kind,
            "rule": "turn as EXIF says, resize to side x side, values 0 to 1 row by row, channels "
            "innermost; sum of weight * value",
            "side": about["side"],
            "channels": about["channels"],
            "weights": numbers,
        }
    return {
        "kind": "embedding",
        "rule": "sum of weight * value over the embedding",
        "source": about["source"],
        **({"needs": about["recipe"]} if "recipe" in about else {}),
        "weights": numbers,
    }


def model_file(desk: Desk, features: Features) -> bytes:
    """Return the model as JSON."""
    return json.dumps(model(desk, features), ensure_ascii=False, indent=1).encode(
        "utf-8", "replace"
    )
