"""Random streams: every purpose has draws of its own."""

import ast
from itertools import combinations, product, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aluma
from aluma.streams import OfSeed, OfState, entropy, judging, named, stream, streams

#: Purposes whose flights are judged by functions drawn from a key beside theirs.
JUDGED = (OfState.SETTLE, OfState.STEP_FLIGHT, OfState.STEP_AGAIN)


def templates(purposes: Any) -> list[tuple[Any, ...]]:
    own = [purpose.value for purpose in purposes]
    beside = [judging(purpose.value) for purpose in JUDGED if purpose in purposes]
    return own + beside


def may_be_equal(one: tuple[Any, ...], other: tuple[Any, ...], *, padded: bool) -> bool:
    """Say whether some numbers put in the open places give the same key.

    Keys that begin with a seed are short, and NumPy pads those with zeros. The numbers behind an
    ellipsis are never all zeros.
    """
    if ... in (one[-1], other[-1]):
        longer, shorter = (one, other) if one[-1] is ... else (other, one)
        return len(shorter) > len(longer) - 1 and may_be_equal(
            longer[:-1], shorter[: len(longer) - 1], padded=False
        )
    if not padded and len(one) != len(other):
        return False
    pairs = zip_longest(one, other, fillvalue=0)
    return all(a is None or b is None or a == b for a, b in pairs)


@pytest.mark.parametrize(("purposes", "padded"), [(OfSeed, True), (OfState, False)])
def test_no_two_purposes_can_have_one_key(purposes: Any, padded: bool) -> None:
    pairs = combinations(templates(purposes), 2)
    assert not [pair for pair in pairs if may_be_equal(*pair, padded=padded)]


def test_the_check_finds_the_collision_that_there_was() -> None:
    assert may_be_equal((103,), (103, None), padded=True)
    assert may_be_equal((4,), (4, 0), padded=True)
    assert not may_be_equal((4,), (4, 0), padded=False)
    assert may_be_equal((104, None), (104, ...), padded=True)


def test_short_keys_are_padded_with_zeros() -> None:
    """The reason for all this: what NumPy does with keys that differ by zeros at the end."""
    first, second = (streams(key, 1)[0].uniform(size=4) for key in ((5, 103), (5, 103, 0)))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("seed", [0, 1, 2**40 + 3])
def test_streams_of_one_seed_differ(seed: int) -> None:
    drawn = {}
    for purpose, number in product(OfSeed, (0, 1, 7)):
        open_places = purpose.value.count(None)
        numbers = (3, number) if purpose is OfSeed.ELSEWHERE else (number,) * open_places
        drawn[named(seed, purpose, *numbers)] = stream(seed, purpose, *numbers).uniform()
    assert len(set(drawn.values())) == len(drawn) >= len(OfSeed)


def test_a_wrong_count_of_numbers_is_refused() -> None:
    with pytest.raises(TypeError, match="takes 1 numbers, got 2"):
        named(0, OfSeed.COINS, 1, 2)
    with pytest.raises((TypeError, StopIteration, RuntimeError)):
        named(0, OfSeed.COINS)


def test_no_key_is_made_of_bare_integers() -> None:
    """Every call of streams() in the package is given a key that was named."""
    for path in sorted(Path(aluma.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "streams":
                key = node.args[0]
                assert not isinstance(key, ast.Tuple), f"{path.name}:{node.lineno}"


def test_entropy_takes_what_numpy_users_pass() -> None:
    assert entropy(7) == 7
    assert entropy(np.random.default_rng(3)) == entropy(np.random.default_rng(3))
    with pytest.raises(ValueError, match="non-negative integer"):
        entropy(-1)
