"""The sentence of a certificate says what was shown, and no more."""

from dataclasses import replace
from typing import Any, cast

import pytest

from aluma.promises.certificate import Certificate

CHECKED = Certificate(
    size=60,
    asked=40,
    error_bound=0.05,
    basis="audit",
    checks=20,
    wrong_found=3,
    estimate=0.01,
    log_volume=0.0,
    purity=1.0,
    determined=60,
    undecidable=0,
    expected_error=0.0,
    credible_bound=0.0,
    delta=0.05,
    greedy_factor=None,
    mixing=cast(Any, None),
    skipped=1,
)


def test_skipped_checks_are_not_said_to_be_put_right() -> None:
    assert "2 found wrong and put right, 1 skipped and counted as wrong: at most 5%" in str(CHECKED)
    only = replace(CHECKED, wrong_found=1)
    assert "0 found wrong, 1 skipped and counted as wrong" in str(only)
    assert "put right" not in str(only)


@pytest.mark.parametrize("checks", [0, 20])
def test_whoever_answers_all_is_told_so(checks: int) -> None:
    said = str(replace(CHECKED, asked=60, checks=checks, error_bound=0.0))
    assert said == "All 60 labels were given by a person."


def test_before_checks_all_others_may_be_wrong() -> None:
    said = str(replace(CHECKED, asked=30, checks=0, wrong_found=0, skipped=0, error_bound=0.5))
    assert said.startswith("30 of 60 labels were given by a person. No other has been checked")
    assert said.endswith("any of them may be wrong: at most 50% of the labels.")


def test_without_checks_the_condition_comes_first() -> None:
    said = str(replace(CHECKED, basis="prior", checks=0))
    assert said.startswith("If a straight boundary separates the answers")
    assert said.endswith("No label has been checked at random.")
