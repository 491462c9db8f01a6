"""Where a learner stands as plain arrays, so that its answers need not be absorbed again.

Only the population and its walls are kept: the history comes from the log, and everything else
about a learner follows from its settings. Arrays are stored in NumPy's own format, without pickle
and in the memory order they had, because the order of a sum, and with it the last bit, depends on
that.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np

from aluma.errors import SessionError
from aluma.geometry.cone import Cone
from aluma.learners.learner import Learner
from aluma.sampling.absorption import State
from aluma.sampling.settling import Mixing
from aluma.session.answer_file import AnswerFile
from aluma.session.recipe import aluma_version
from aluma.spaces.history import Event
from aluma.spaces.space import Standing

logger = logging.getLogger(__name__)

#: A snapshot is written when the number of answers passes a multiple of this, and on closing. At a
#: thousand hypotheses in 784 dimensions that costs a few hundredths of what the answers cost.
SPACING = 32
#: Snapshots kept besides the one of the last closing. They are for taking answers back: with two,
#: going back by up to SPACING answers replays at most twice as many.
KEPT = 2
#: Slot of the snapshot of the last closing; the others are numbered by answers // SPACING.
CLOSING = -1
#: Larger populations are not stored: absorbing the answers again is then the lesser evil.
MOST_BYTES = 2**27


class Unusable(ValueError):
    """A snapshot that this version cannot use."""


def keep(learner: Learner, file: AnswerFile, slot: int) -> None:
    """Store a snapshot of the learner, and drop those that are too old or of another history.

    What goes wrong is logged and no more: the answers do not depend on it.
    """
    prefixes = _prefixes(learner.history, file.seed, learner.labels.count)
    if not prefixes:
        return
    name = list(prefixes)[-1]
    try:
        stored = file.snapshots()
        if any(one == name and file.snapshot(s) is not None for s, one in stored.items()):
            return
        payload = capture(learner)
        if payload is not None:
            old = [s for s, one in stored.items() if one not in prefixes or s <= slot - KEPT]
            file.put_snapshot(slot, name, payload, old)
    except (SessionError, OSError) as error:
        logger.warning("no snapshot was written, so opening will take longer: %s", error)


def resume(learner: Learner, history: Sequence[Event], file: AnswerFile) -> int:
    """Bring a fresh learner to the end of a history, from the best snapshot of a part of it.

    Returns how many answers had to be replayed.
    """
    prefixes = _prefixes(history, file.seed, learner.labels.count)
    usable = {prefixes[one]: slot for slot, one in file.snapshots().items() if one in prefixes}
    for length in sorted(usable, reverse=True):
        try:
            restore(learner, file.snapshot(usable[length]), history[:length])
            break
        except Unusable as error:
            logger.warning("a snapshot in %s is of no use: %s", file.path, error)
    missing = len(prefixes) - learner.n_answers
    logger.info("%s: %d of %d answers are replayed", file.path, missing, len(prefixes))
    learner.replay(history)
    return missing


def capture(learner: Learner) -> bytes | None:
    """Return where a learner stands as bytes, or None if it is too large or cannot say."""
    standing = learner.standing
    if standing is None:
        return None
    state, cone = standing.state, standing.state.cone
    examples = np.array(standing.examples, dtype=np.int64)
    arrays = (cone.walls, cone.basis, cone.coordinates, state.points, examples)
    if sum(array.nbytes for array in arrays) > MOST_BYTES:
        return None
    numbers = {
        "key": state.key,
        "length": state.length,
        "paced_at": state.paced_at,
        "log_volume": state.log_volume,
        "mixing": asdict(state.mixing),
        "expected": state.expected,
        "sampler": state.sampler,
        "slack": standing.slack,
        "conflict": standing.conflict,
    }
    text = np.frombuffer(json.dumps(numbers, default=_item).encode(), dtype=np.uint8)
    payload = BytesIO()
    for array in (text, *arrays):
        np.save(payload, array, allow_pickle=False)
    return payload.getvalue()


def restore(learner: Learner, payload: bytes | None, history: Sequence[Event]) -> None:
    """Put a fresh learner where another was, after ``history``, when ``payload`` was captured."""
    if learner.standing is None:
        raise Unusable(f"{type(learner).__name__} takes none.")
    if payload is None:
        raise Unusable("it is damaged.")
    try:
        standing = _decoded(payload)
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise Unusable(f"it has another form: {error}") from error
    learner.restore(standing, history)


def _prefixes(history: Sequence[Event], seed: bytes, classes: int) -> dict[bytes, int]:
    """Return, for every answer, a name of the answers up to it and where in the history it is.

    The name depends on the settings, by way of ``seed``, on the number of classes, and on the form
    of the population: a snapshot is used only by the version of aluma that would arrive at the same
    one.
    """
    prefixes: dict[bytes, int] = {}
    form = aluma_version() if classes == 2 else f"{aluma_version()}, {classes} classes"
    name = blake2b(seed + form.encode(), digest_size=16).digest()
    for place, event in enumerate(history, start=1):
        if event.sign:
            told = f"{event.index} {event.sign}"
            # The same answer leads elsewhere if it was a check, learnt from together with others.
            told += f" {event.check}" if event.check else ""
            name = blake2b(name + told.encode(), digest_size=16).digest()
            prefixes[name] = place
    return prefixes


def _decoded(payload: bytes) -> Standing:
    stream = BytesIO(payload)
    text, walls, basis, coordinates, points, examples = (
        np.load(stream, allow_pickle=False) for _ in range(6)
    )
    numbers = json.loads(text.tobytes())
    state = State(
        cone=Cone(walls, basis, coordinates),
        points=points,
        key=tuple(numbers["key"]),
        length=numbers["length"],
        paced_at=numbers["paced_at"],
        log_volume=numbers["log_volume"],
        mixing=Mixing(**numbers["mixing"]),
        expected=numbers["expected"],
        sampler=numbers.get("sampler", "reflection"),
    )
    conflict = None if numbers["conflict"] is None else tuple(numbers["conflict"])
    return Standing(state, tuple(examples.tolist()), numbers["slack"], conflict)


def _item(value: Any) -> Any:
    """Return a NumPy scalar as the Python number that JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is no number.")
