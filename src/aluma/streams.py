"""Random streams, each named by what it is for.

A stream is determined by a root (the seed that a user passed, or the key of a population, which is
a digest of the seed and of all answers) and by the name of a purpose. All purposes are listed here,
each with the numbers that go into the key, so that no two of them ever read the same draws. Numbers
that a purpose leaves open (``None``) are given when the stream is wanted: a pass, a step, a draw.

Why this matters: NumPy pads short keys with zeros, so ``(seed, 103)`` and ``(seed, 103, 0)`` are
one stream. A test holds that no two names below can come to the same key.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Any

import numpy as np


@unique
class OfSeed(Enum):
    """Streams whose root is a seed."""

    #: Levels and trajectory lengths of a volume estimate, and the chains that go through them.
    VOLUME_PILOT = (1,)
    VOLUME_DESCENT = (2,)
    #: Draws from a version space: the paper's walk; the pilot block, the others and what no answer
    #: constrains.
    DRAW_WALK = (10,)
    DRAW_PILOT = (11,)
    DRAW_FLIGHTS = (11, 1)
    DRAW_FREE = (12,)
    #: The order in which examples come to a learner that does not choose among them.
    ORDER = (101,)
    #: IWAL's coins, for every pass through the order.
    COINS = (103, None)
    #: Signs of a random projection, and those of the coordinates that examples have to themselves.
    PROJECTION = (104,)
    #: Another library's strategy; the numbers are those of the history, which is never all zeros.
    ELSEWHERE = (104, ...)
    OWN_PROJECTION = (105,)
    #: Examples that stand for the others in a kernel's features.
    LANDMARKS = (106,)
    #: The order in which an audit checks a labelling, which is named by a digest: another one, were
    #: it the same with some labels put right, is checked by other draws.
    CHECKS = (107, None)
    #: Projections that find the directions in which the examples of a wide pool differ most.
    SKETCH = (108,)
    #: The rows of a large pool that stand for it, for one purpose or another; the seed is 0.
    POOL_SAMPLE = (109, None)
    #: Right answers and errors of people, drawn in turn.
    PEOPLE = (120,)


@unique
class OfState(Enum):
    """Streams whose root is the key of a population after some answers."""

    #: What no answer constrains, of a numbered draw of hypotheses.
    FREE = (1, None)
    #: Absorbing an answer: who is copied, the trajectory length, and the flights.
    REFILL = (2,)
    PACE = (3,)
    SETTLE = (4,)
    #: The same for each step in which a surprising answer is brought in.
    STEP_REFILL = (5, None, 0)
    STEP_PACE = (5, None, 1)
    STEP_FLIGHT = (5, None, 2)
    STEP_AGAIN = (5, None, 3)
    #: Numbered draws that no question was chosen by: their flights, and what no answer constrains.
    INDEPENDENT = (6, None)
    INDEPENDENT_FREE = (7, None)
    #: Copies that had not flown yet when somebody looked.
    REST = (14,)
    #: Further voters than the population has.
    MORE_VOTERS = (8,)
    #: Hypotheses that no question was chosen by, for one purpose each: their flights, and what no
    #: answer constrains. The vote on labels, and Algorithm 2's estimates.
    VOTE = (9,)
    VOTE_FREE = (10, None)
    VERIFY = (11,)
    VERIFY_FREE = (12, None)
    #: VolEst of one side of an example.
    VOLUME = (13, None, None)
    #: The choice of a question, and of a batch.
    SPLIT = (100, 0)
    BATCH = (100, 1)
    #: Lengths of halfspaces, and what examples have to themselves, where there is slack.
    LENGTHS = (100, 2)
    OWN_NUMBERS = (100, 3)
    #: The order in which hypotheses vote, where not all of them have to.
    VOTE_ORDER = (100, 4)
    #: Halfspaces that vote with noise, where classes overlap.
    NOISY_VOTE = (100, 5)
    #: Several classes: examples by which it is seen how far votes are divided, and hypotheses.
    NEAREST = (100, 6)
    GLANCE = (100, 7)
    #: And the votes on the example that is asked about then.
    LEAD = (100, 8)
    #: Query by committee: the pairs for a place in the order and a draw.
    COMMITTEE = (102, None, None)


def named(root: int | tuple[int, ...], purpose: OfSeed | OfState, *numbers: int) -> tuple[int, ...]:
    """Return the key of a stream, the numbers that its purpose leaves open filled in."""
    start = root if isinstance(root, tuple) else (root,)
    words: tuple[Any, ...] = purpose.value
    if words[-1] is ...:
        return (*start, *words[:-1], *numbers)
    given = iter(numbers)
    filled = tuple(next(given) if word is None else word for word in words)
    if next(given, None) is not None:
        raise TypeError(f"{purpose} takes {words.count(None)} numbers, got {len(numbers)}.")
    return (*start, *filled)


def judging(flights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the key of the functions that flights with a key of their own are judged by."""
    return (*flights, 0)


def streams(key: tuple[int, ...], count: int) -> list[np.random.Generator]:
    """Return one generator per block; ``key`` and the block's number determine each."""
    return [
        np.random.Generator(np.random.SFC64(np.random.SeedSequence(key, spawn_key=(block,))))
        for block in range(count)
    ]


def stream(
    root: int | tuple[int, ...], purpose: OfSeed | OfState, *numbers: int
) -> np.random.Generator:
    """Return the generator of one purpose."""
    return streams(named(root, purpose, *numbers), 1)[0]


def seed(root: tuple[int, ...], purpose: OfState, *numbers: int) -> int:
    """Return a seed for what takes no key: another for every purpose and every state."""
    key = named(root, purpose, *numbers)
    return int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0])


def entropy(random_state: Any) -> int:
    """Return the integer that seeds the streams, from an int, a Generator or None (fresh)."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return int.from_bytes(random_state.bytes(8), "little")
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    raise ValueError(
        f"random_state must be a non-negative integer, a numpy Generator or None, got "
        f"{random_state!r}."
    )
