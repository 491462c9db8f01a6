"""A labelling in codes says what a list of labels says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aluma.promises import labelling
from aluma.promises.labelling import Labelling

SIMPLE = st.one_of(st.integers(-3, 300), st.booleans(), st.floats(-2, 2), st.text(max_size=2))


@example([0.0, -0.0, 0.0], 0.0)
@example([1, 1.0, True, 1], 1)
@given(st.lists(SIMPLE, min_size=1, max_size=400), SIMPLE)
def test_codes_say_what_a_list_does(labels: list[Any], value: Any) -> None:
    found = Labelling.of(labels)
    assert len(found) == len(labels)
    assert repr(found.listed) == repr(labels)
    assert [repr(found[i]) for i in range(len(labels))] == [repr(one) for one in labels]
    assert found.differs(value).tolist() == [one != value for one in labels]


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint16, np.int64])
def test_numbers_are_told_some_at_a_time(monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
    monkeypatch.setattr(labelling, "AT_ONCE", 7)
    given_ones = np.random.default_rng(0).integers(0, 120, 500).astype(kind)
    found = Labelling.of(given_ones)
    assert repr(found.listed) == repr(given_ones.tolist())
    assert found.codes.dtype == np.int8
    # What happens to the array later changes nothing.
    before = found.listed
    given_ones[:] = 0
    assert found.listed == before


def test_many_different_labels_have_codes_of_their_own() -> None:
    assert Labelling.of(range(70_000)).listed == list(range(70_000))
    assert Labelling.of(np.arange(200)).codes.dtype == np.int16


@pytest.mark.parametrize("nothing", [[], np.zeros(0, dtype=int), ()])
def test_there_are_labels(nothing: Any) -> None:
    with pytest.raises(ValueError, match="there are no labels"):
        Labelling.of(nothing)


@pytest.mark.parametrize(
    "wrong",
    [
        [None],
        [float("nan")],
        [["a"]],
        np.zeros((2, 2), dtype=int),
        np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    ],
)
def test_what_is_no_label(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="a label"):
        Labelling.of(wrong)
