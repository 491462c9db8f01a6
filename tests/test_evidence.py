"""The helper of all statistical tests: what it lets pass, what it catches, and how many use it."""

import ast
import inspect
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba.core.registry import cpu_target
from scipy.stats import binom, kstest, norm
from threadpoolctl import threadpool_info

import evidence
from aluma import ALuMA, Passive, VersionSpace
from evidence import (
    FIRST,
    MORE,
    MOST_TESTS,
    SECOND,
    SUITE_ALARM,
    adjusted,
    caught,
    generator,
    holds,
    looks,
    same_law,
    seed_of,
    too_alike,
    two_sided,
)

TESTS = Path(__file__).parent
#: Folders and files whose seeds ``ALUMA_SEED_OFFSET`` moves.
MOVED = [
    *(TESTS / name for name in ("sampling", "spaces", "learners", "geometry")),
    TESTS / "test_determinism.py",
]


def shifted(by: float):
    """Look at normal draws that are off by a part of their standard deviation."""

    def look(number: int, more: int) -> float:
        points = by + np.random.default_rng(number).standard_normal(1000 * more)
        return kstest(points, norm.cdf).pvalue

    return look


# The two looks.


def test_a_right_law_holds_and_a_wrong_one_is_caught() -> None:
    holds(shifted(0.0))
    caught(shifted(0.3))
    with pytest.raises(AssertionError, match="a law that is wrong passed"):
        caught(shifted(0.0))
    with pytest.raises(AssertionError, match="fresh seed and 4 times more"):
        holds(shifted(0.3))


def test_a_small_bias_is_caught_in_the_second_look() -> None:
    """Seven standard errors of 1,000 draws, and ten first seeds: some see it, none is sure.

    Those that see it are sure in the second look.
    """
    found = np.array([looks(shifted(0.18), 1000 * first) for first in range(10)])
    seen = found[:, 0] < FIRST
    assert seen.sum() > 5
    assert (found[seen, 1] < SECOND).all()
    assert (found[:, 0] > 1e-20).all()


def test_one_unlucky_look_is_no_failure() -> None:
    seen = []

    def look(number: int, more: int) -> float:
        seen.append((number, more))
        return 1e-30 if len(seen) == 1 else 0.5

    holds(look, first=7)
    assert [more for _, more in seen] == [1, MORE]
    assert seen[0][0] == seed_of(7)
    assert seen[0][0] != seen[1][0]
    holds(look)
    assert len(seen) == 3


def test_a_first_look_rejects_as_often_as_it_should() -> None:
    """Uniform p-values, Bonferroni for five: at most ``FIRST`` of them are below it."""
    p = np.random.default_rng(1).uniform(size=(100_000, 5))
    rejected = sum(adjusted(row) < FIRST for row in p)
    assert binom.ppf(1e-9, 100_000, 0.9 * FIRST) <= rejected <= binom.isf(1e-9, 100_000, FIRST)


def test_what_is_not_a_number_is_no_evidence() -> None:
    with pytest.raises(AssertionError, match="nan"):
        holds(lambda number, more: [0.5, np.nan])


def test_the_offset_moves_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    before = generator(3, 4).uniform()
    monkeypatch.setattr(evidence, "OFFSET", evidence.OFFSET + 5)
    assert generator(3, 4).uniform() != before
    assert generator(-2, 4).uniform() == before


@pytest.mark.parametrize("function", [VersionSpace.sample, VersionSpace.log_volume, ALuMA, Passive])
def test_the_offset_moves_seeds_that_are_not_given(function: Callable[..., object]) -> None:
    assert inspect.signature(function).parameters["random_state"].default == evidence.OFFSET


# p-values.


def test_p_values_of_right_laws_are_not_small_and_of_wrong_ones_they_are() -> None:
    def same(by: float):
        return lambda number, more: same_law(
            np.random.default_rng(number).standard_normal((400 * more, 3)),
            by + np.random.default_rng((number, 1)).standard_normal((500 * more, 3)),
        )

    holds(same(0.0))
    caught(same(0.5))
    holds(lambda number, more: two_sided(np.random.default_rng(number).standard_normal(9)))
    caught(lambda number, more: two_sided([0.1, 6.5]))


def alike(shared: float, most: float = 1.0):
    """Look at 40 seeds of 50 draws that have a part of their variance in common."""

    def look(number: int, more: int) -> np.ndarray:
        source = np.random.default_rng(number)
        common = source.standard_normal((40 * more, 1, 2))
        own = source.exponential(size=(40 * more, 50, 2))
        return too_alike(np.sqrt(shared) * common + np.sqrt(1 - shared) * own, most)

    return look


def test_draws_that_are_too_alike_are_caught_by_the_variance_over_seeds() -> None:
    """A correlation of 0.1 makes 50 draws worth 8; one of 0.004, hardly less than 50."""
    holds(alike(0.0))
    caught(alike(0.1))
    holds(alike(0.004, most=1.2))


# Other processors.


# A machine may name one of the two for reasons of its own.
@pytest.mark.skipif(
    not {"OPENBLAS_CORETYPE", "NUMBA_CPU_NAME"} <= os.environ.keys(),
    reason="make test-elsewhere names one",
)
def test_the_processor_is_the_one_that_was_asked_for() -> None:
    blas = {pool["architecture"] for pool in threadpool_info() if "architecture" in pool}
    assert blas == {os.environ["OPENBLAS_CORETYPE"]}
    compiled_for = cpu_target.target_context.codegen().magic_tuple()[1]
    assert compiled_for == os.environ["NUMBA_CPU_NAME"]


# How many there are.


def calls(tree: ast.AST) -> list[str]:
    """Return the names of all functions that are called, once for each call."""
    found = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [name.id for name in found if isinstance(name, ast.Name)]


def uses(path: Path) -> Counter[str]:
    """Return how often each function of a file calls :func:`holds`, itself or by others there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found: Counter[str] = Counter()
    # As deep as functions call each other.
    for _ in functions:
        before = found.copy()
        for name, node in functions.items():
            called = calls(node)
            found[name] = called.count("holds") + sum(before[c] for c in called if c in functions)
        if found == before:
            break
    return found


def in_loops(path: Path) -> list[str]:
    """Return the functions that call :func:`holds` in a loop, where it would be counted once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loops = (ast.For, ast.While, ast.comprehension, ast.ListComp, ast.GeneratorExp)
    return [
        function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for loop in ast.walk(function)
        if isinstance(loop, loops) and "holds" in calls(loop)
    ]


def test_the_suite_keeps_its_promise(request: pytest.FixtureRequest) -> None:
    """As many tests as were collected, each counted as often as it calls :func:`holds`."""
    items = request.session.items
    by_file = {path: uses(path) for path in {item.path for item in items}}
    used = sum(by_file[item.path][getattr(item, "originalname", item.name)] for item in items)
    assert used <= MOST_TESTS
    assert MOST_TESTS * FIRST * SECOND <= SUITE_ALARM


def test_uses_are_counted_through_functions_of_the_file() -> None:
    counted = uses(TESTS / "sampling" / "test_volume.py")
    assert counted["assert_right"] == counted["test_angles_in_the_plane"] == 1
    assert uses(Path(__file__))["test_a_right_law_holds_and_a_wrong_one_is_caught"] == 2


def test_no_loop_hides_uses_from_the_count() -> None:
    assert {p.name: in_loops(p) for p in TESTS.rglob("test_*.py") if in_loops(p)} == {}


def fixed_seeds(path: Path) -> list[int]:
    """Return the lines on which a file takes a seed that no offset moves."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "default_rng"
    ]
    keywords = (node for node in ast.walk(tree) if isinstance(node, ast.keyword))
    return lines + [
        node.value.lineno
        for node in keywords
        if node.arg in ("random_state", "seed") and isinstance(node.value, ast.Constant)
        # Wrong ones are there to be refused.
        and isinstance(node.value.value, int) and node.value.value >= 0
    ]  # fmt: skip


def test_the_offset_moves_every_seed_of_samplers_volumes_and_learners() -> None:
    paths = [p for place in MOVED for p in ([place] if place.suffix else place.rglob("*.py"))]
    assert {p.name: fixed_seeds(p) for p in paths if fixed_seeds(p)} == {}
