"""How far people agree about examples that several of them answered, chance put aside.

Cohen's kappa is for two people: 1 is full agreement, 0 what chance would give for answers as common
as theirs. Krippendorff's alpha is the same for any number of people and gaps (Computing
Krippendorff's alpha-reliability, 2011, nominal data).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from aluma.session.voices import Voice


@dataclass(frozen=True)
class Pair:
    """Two people, and the examples that both answered.

    ``kappa`` is None where it is not defined: nothing in common, or one answer only.
    """

    one: str
    other: str
    both: int
    same: int
    kappa: float | None


def answers_by_example(voices: Iterable[Voice]) -> dict[int, dict[str, str]]:
    """Return who gave which answer to each example; skips are none."""
    found: dict[int, dict[str, str]] = {}
    for voice in voices:
        if voice.label is not None:
            found.setdefault(voice.example, {})[voice.who] = str(voice.label)
    return found


def pairs(given: Mapping[int, Mapping[str, str]], names: Sequence[str]) -> list[Pair]:
    """Return how far every two people agree, those with nothing in common left out."""
    found = []
    for one, other in combinations(names, 2):
        both = [(by[one], by[other]) for by in given.values() if one in by and other in by]
        if both:
            same = sum(a == b for a, b in both)
            found.append(Pair(one, other, len(both), same, kappa(both)))
    return found


def kappa(both: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's kappa of two people's answers."""
    from sklearn.metrics import cohen_kappa_score

    first, second = [a for a, _ in both], [b for _, b in both]
    if len({*first, *second}) < 2:
        return None
    return float(cohen_kappa_score(first, second))


def alpha(given: Iterable[Mapping[str, str]]) -> float | None:
    """Return Krippendorff's alpha for nominal data; None where it is not defined."""
    counts = [Counter(by.values()) for by in given if len(by) >= 2]
    labels = sorted({label for one in counts for label in one})
    if len(labels) < 2:
        return None
    table = np.array([[one[label] for label in labels] for one in counts], dtype=np.float64)
    sizes = table.sum(axis=1)
    # Ordered pairs of answers to one example that differ; an example weighs by its answers.
    observed = ((sizes**2 - (table**2).sum(axis=1)) / (sizes - 1)).sum()
    totals, n = table.sum(axis=0), table.sum()
    expected = (n**2 - (totals**2).sum()) / (n - 1)
    return float(1 - observed / expected)
