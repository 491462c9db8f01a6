"""Sentences about learners on one pool."""

from typing import Any

import pytest

from aluma.lab.entrants import ALUMA, TK
from aluma.lab.experiments.report.contests import _paired


def runs(*errors: float) -> list[dict[str, Any]]:
    """Return runs with an error after 50 labels and none after 100."""
    return [{"labels": [50, 100], "train": [error, 0.0]} for error in errors]


@pytest.mark.parametrize(
    ("ours", "theirs", "ahead", "behind"),
    [
        ((0.01, 0.02, 0.03), (0.05, 0.06, 0.08), "1 of 2 counts", "above it at 0."),
        ((0.05, 0.06, 0.08), (0.01, 0.02, 0.03), "0 of 2 counts", "above it at 1 (50 labels)."),
        ((0.05, 0.01, 0.03), (0.01, 0.05, 0.03), "0 of 2 counts", "above it at 0."),
    ],
)
def test_runs_are_compared_in_pairs(
    ours: tuple[float, ...], theirs: tuple[float, ...], ahead: str, behind: str
) -> None:
    (sentence,) = _paired({ALUMA: runs(*ours), TK: runs(*theirs)})
    assert ahead in sentence
    assert sentence.endswith(behind)


def test_one_run_each_has_no_noise_to_compare_with() -> None:
    assert _paired({ALUMA: runs(0.1), TK: runs(0.2)}) == []
    assert _paired({ALUMA: runs(0.1, 0.2)}) == []
