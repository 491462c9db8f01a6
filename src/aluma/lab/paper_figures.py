"""Numbers that the paper prints: its table, and the settings of its experiments.

Gonen, Sabato, Shalev-Shwartz: Efficient Active Learning of Halfspaces: an Aggressive Approach. JMLR
14, 2013. Whatever compares with the paper, or quotes it, reads these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

#: Table 1, the octahedron: labels until everything is right, by dimension and learner, as printed.
OCTAHEDRON: Mapping[int, Mapping[str, str]] = {
    10: {"ALuMA": "29", "TK": "156", "QBC": "50", "CAL": "308", "ERM": "1008"},
    12: {"ALuMA": "38", "TK": "735", "QBC": "113", "CAL": "862", "ERM": "3958"},
    15: {"ALuMA": "55", "TK": "959", "QBC": "150", "CAL": "2401", "ERM": ">20000"},
}


class Softness(NamedTuple):
    """How the paper prepares a pool that no halfspace separates (Section 6.3).

    ``slack`` is H, ``dimension`` that of the space into which the lifted pool is projected.
    """

    slack: float
    dimension: int


#: Section 6.3, by data set.
MNIST_SOFTNESS = Softness(0.02, 240)
W1A_SOFTNESS = Softness(0.01, 260)

#: Section 6.3: the regularisation of soft-SVM, and the norm of IWAL's halfspaces.
SOFT_SVM_REGULARIZATION = 1e-3
IWAL_NORM = 1000**0.5
#: The longest row of W1A: 93 of its binary features, and a bias.
W1A_LONGEST = 94**0.5


def octahedron_row(learner: str) -> list[str]:
    """Return what Table 1 prints for one learner, dimension by dimension."""
    return [printed[learner] for printed in OCTAHEDRON.values()]


def octahedron_claim() -> str:
    """Return Table 1 as a sentence."""
    first, *others = next(iter(OCTAHEDRON.values()))
    rivals = [f"{name} ({', '.join(octahedron_row(name))})" for name in others]
    dimensions = ", ".join(map(str, OCTAHEDRON))
    return (
        f"{first} needs {_listed(octahedron_row(first))} labels for d = {dimensions}: far fewer "
        f"than {_listed(rivals)}."
    )


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
