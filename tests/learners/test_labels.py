"""Two label values of any type and the signs that stand for them."""

import datetime
import enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aluma.arrays import plain
from aluma.learners.labels import Labels


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


PAIRS: list[tuple[Any, Any]] = [
    ("ham", "spam"),
    (False, True),
    (0, 1),
    (2.5, -1.0),
    (b"a", b"b"),
    (1, "one"),
    (True, "yes"),
    (Colour.RED, Colour.BLUE),
    (datetime.date(2001, 1, 1), datetime.date(2002, 2, 2)),
    ("a", "a much longer label"),
]


def learnt(*told: Any) -> Labels:
    labels = Labels()
    for label in told:
        labels.sign(label)
    return labels


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_given_classes_are_negative_and_positive_in_this_order(pair: tuple[Any, Any]) -> None:
    for first, second in (pair, pair[::-1]):
        labels = Labels((first, second))
        assert labels.order == (first, second)
        assert (labels.sign(first), labels.sign(second)) == (-1, 1)
        assert labels.of_signs(np.array([1, -1, 1])).tolist() == [second, first, second]


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_learnt_labels_come_back_as_they_were(pair: tuple[Any, Any]) -> None:
    labels = learnt(*pair)
    assert (labels.sign(pair[0]), labels.sign(pair[1])) == (1, -1)
    back = labels.of_signs(np.array([1, -1])).tolist()
    assert back == list(pair)
    assert set(labels.order) == set(pair)


def test_a_bool_and_a_string_do_not_become_two_strings() -> None:
    back = learnt(True, "yes").of_signs(np.array([1, -1])).tolist()
    assert back[0] is True


def test_learnt_labels_are_sorted_where_they_can_be() -> None:
    for told in (("yes", "no"), ("no", "yes")):
        assert learnt(*told).order == ("no", "yes")
        assert learnt(*told).known == ("no", "yes")
    assert learnt(1, "one").order == (1, "one")
    assert learnt("one", 1).order == ("one", 1)


def test_numpy_values_are_the_plain_ones() -> None:
    labels = learnt(np.str_("b"), "a")
    assert labels.sign("b") == labels.sign(np.str_("b")) == 1
    assert labels.order == ("a", "b")
    assert learnt(np.int64(3), 4).order == (3, 4)
    assert type(plain(np.bool_(True))) is bool


def test_order_before_both_are_known_names_classes() -> None:
    for told in ((), ("yes",)):
        with pytest.raises(ValueError, match="classes="):
            _ = learnt(*told).order
    with pytest.raises(ValueError, match=r"\['yes'\]"):
        _ = learnt("yes").order


def test_a_third_label_is_refused_and_not_learnt() -> None:
    for labels in (learnt("a", "b"), Labels(("a", "b"))):
        with pytest.raises(ValueError, match=r"'c' is neither 'a' nor 'b'.*ActiveClassifier"):
            labels.sign("c")
        assert labels.known == ("a", "b")


def test_further_labels_have_the_signs_from_two_on() -> None:
    labels = Labels(any_number=True)
    assert [labels.sign(one) for one in "cabcd"] == [1, -1, 2, 1, 3]
    assert labels.order == ("a", "b", "c", "d")
    assert labels.count == 4
    assert labels.of_signs(np.array([-1, 1, 2, 3])).tolist() == ["a", "c", "b", "d"]
    shares = np.array([[0.1, 0.2, 0.3, 0.4]])
    assert labels.in_order(shares).tolist() == [[0.1, 0.3, 0.2, 0.4]]
    # What came before a label that is left stays, or its sign would mean another.
    assert labels.used({1, 3}).order == ("a", "b", "c", "d")
    assert labels.used({1, -1}).count == 2


def test_given_classes_are_all_there_may_be() -> None:
    labels = Labels(("x", "y", "z"), any_number=True)
    assert [labels.sign(one) for one in "xyz"] == [-1, 1, 2]
    assert labels.order == ("x", "y", "z")
    assert labels.used({1}).order == ("x", "y", "z")
    with pytest.raises(ValueError, match="'w' is none of 'x', 'y', 'z'"):
        labels.sign("w")
    with pytest.raises(ValueError, match="names 3 labels, and this learner decides between two"):
        Labels(("x", "y", "z"))


@pytest.mark.parametrize("wrong", [("a",), ("a", "a"), (1, True), (1, 1.0), ()])
def test_classes_are_two_different_values(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="two different labels"):
        Labels(wrong)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (None, ValueError, "None"),
        (float("nan"), ValueError, "NaN"),
        (np.float32("nan"), ValueError, "NaN"),
        (["a"], TypeError, "simple value"),
        (("a", "b"), TypeError, "simple value"),
        (np.array(["a"]), TypeError, "simple value"),
    ],
)
def test_what_is_no_label(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        learnt("a").sign(wrong)
    with pytest.raises(error, match=message):
        Labels(("a", wrong))


def test_a_copy_is_independent() -> None:
    labels = learnt("a")
    labels.copy().sign("b")
    assert labels.known == ("a",)
    assert Labels(("z", "a")).copy().order == ("z", "a")


@given(st.booleans(), st.lists(st.floats(0, 1), min_size=1))
def test_shares_are_those_of_the_second_label(given_order: bool, positive: list[float]) -> None:
    shares = np.array(positive)
    expected = shares.copy() if given_order else 1 - shares
    # The second label is "a", which is +1, as given; it is "b", which is -1, as learnt.
    labels = Labels(("b", "a")) if given_order else learnt("a", "b")
    second = labels.second_shares(shares, np.arange(len(shares)) == 0)
    assert second[0] == 1.0
    np.testing.assert_array_equal(second[1:], expected[1:])


def test_what_was_known_can_be_brought_back() -> None:
    labels = learnt("b", "a")
    assert learnt().knowing(labels.signs).order == labels.order == ("a", "b")
    assert learnt().knowing(labels.signs).sign("b") == labels.sign("b") == 1
    assert Labels(("z", "a")).knowing({"z": -1, "a": 1}).order == ("z", "a")
    labels.signs.clear()
    assert labels.known == ("a", "b")
