"""Calls of everything that is public, with arguments that make sense and with all that do not.

What there is to call is read from the library itself, so that a new class, method or setting is
called without being listed here. After every call that raises, what was called must be as it was:
the same next question, the same votes.
"""

from __future__ import annotations

import copy
import inspect
import pickle  # noqa: TID251 - that others may is what is tried here
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

import aluma
from aluma.pool.sample import Purpose

Random: TypeAlias = np.random.Generator

#: Learners by the name of their class.
LEARNERS = ("ALuMA", "CAL", "IWAL", "Passive", "QueryByCommittee", "SimpleMargin")
#: Examples, features and hypotheses of what is called: small, for there are many calls.
SIZE, FEATURES, HYPOTHESES = 24, 3, 48
LABELS = ("no", "yes", "perhaps")
#: Calls of one object before another is made.
CALLS = 25
#: What may be raised: the library's own, and what Python raises for such arguments.
DOCUMENTED = (aluma.errors.AlumaError, TypeError, ValueError, IndexError)
#: And what docstrings name, of these alone. An OSError is about a path, and names it.
ALSO: dict[type[Exception], tuple[str, ...]] = {
    AttributeError: (".population", ".data", ".moved_by"),
    NotImplementedError: (".certificate", ".restore"),
    LookupError: (".undo", ".change", ".changed", ".withdraw"),
    OSError: ("Session.create", "Session.open"),
}
#: Larger than memory: raised for arguments from here on.
HUGE = 2**31


class Awkward:
    """What fails whatever is done with it."""

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise ValueError("this object fails on purpose")

    __array__ = __len__ = __iter__ = __getitem__ = __float__ = __index__ = __bool__ = _fail
    __eq__ = __lt__ = __fspath__ = _fail
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Awkward()"


def _itself(value: Any) -> Any:
    return value


#: Whatever comes to mind.
VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 7, SIZE, HUGE, 2**63, 10**30, -(10**30),
    0.0, -0.0, 0.5, 1.0, -1.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"),
    float("-inf"), "", "x", "no", "0", "\ud800", "\x00", "a" * 10_000, b"no", 1j,
    Decimal("NaN"), Decimal(1), Fraction(1, 3), Ellipsis, NotImplemented, int, len,
    (), ("no",), ("no", "no"), ("no", "yes"), frozenset(), range(3), slice(None),
    np.int8(3), np.uint64(2**64 - 1), np.float32(1), np.float64("nan"), np.True_,
    np.str_("yes"), np.datetime64("2020-01-01"), np.ma.masked, "reflection", "auto",
)  # fmt: skip
#: The same, and what is made anew for every call.
ODD: tuple[Callable[[], Any], ...] = (
    *(partial(_itself, value) for value in VALUES),
    Awkward, object, list, dict, set, bytearray,
    lambda: [0], lambda: [0, 0], lambda: [0, 1], lambda: [[0]], lambda: [None], lambda: ["no"],
    lambda: {"a": 1}, lambda: iter([0, 1]), lambda: (i for i in (0, 1)), lambda: lambda *_: "no",
    lambda: np.array([]), lambda: np.array(0), lambda: np.array([0, 1]), lambda: np.array([0.5]),
    lambda: np.array([np.nan]), lambda: np.array(["no", "yes"]), lambda: np.array([None]),
    lambda: np.zeros((0, FEATURES)), lambda: np.zeros((SIZE, 0)), lambda: np.zeros((2, 2, 2)),
    lambda: np.zeros((SIZE, FEATURES)), lambda: np.full((SIZE, FEATURES), np.nan),
    lambda: np.full((SIZE, FEATURES), np.inf), lambda: np.full((SIZE, FEATURES), 1e308),
    lambda: np.full((SIZE, FEATURES), 1e-320), lambda: np.ones((SIZE, FEATURES), dtype=complex),
    lambda: np.array([["a", "b"], ["c", "d"]]), lambda: np.ones((1, FEATURES)),
    lambda: np.ones((SIZE, FEATURES), dtype=object), lambda: np.eye(FEATURES, dtype=bool),
    lambda: scipy.sparse.csr_matrix((SIZE, FEATURES)), lambda: scipy.sparse.eye_array(FEATURES),
    lambda: np.ma.masked_array(np.ones((SIZE, FEATURES)), mask=True),
)  # fmt: skip


class Calls:
    """A source of objects, and of arguments for their methods.

    Parameters
    ----------
    rng : chooses everything
    folder : where sessions are
    """

    def __init__(self, rng: Random, folder: Path) -> None:
        self.rng, self._folder, self._files = rng, folder, 0
        self._known = self.points()
        self._sensible: dict[str, Callable[[], Any]] = {
            "i": lambda: int(rng.integers(SIZE)),
            "x": lambda: self.points(1)[0],
            "y": lambda: self._one_of(-1, 1, self.signs()),
            "label": lambda: self._one_of(*LABELS),
            "labels": lambda: [self._one_of(*LABELS) for _ in range(SIZE)],
            "classes": lambda: self._one_of(LABELS, LABELS[:2], LABELS[:2], None),
            "n": lambda: int(rng.integers(1, 4)),
            "X": lambda: self._one_of(self.points(), self.points(5), self._pools()),
            "W": lambda: self.points(4),
            "indices": lambda: rng.integers(SIZE, size=3),
            "teacher": lambda: self._one_of(["no", "yes"] * (SIZE // 2), lambda _: "yes"),
            "learner": self.learner,
            "earlier": self.learner,
            "ahead": self.learner,
            "pool": lambda: self._one_of(self.points(), self._known),
            "path": lambda: self._one_of(self._path(), *self._kept()),
            "budget": lambda: self._one_of(None, 3, 10),
            "n_hypotheses": lambda: HYPOTHESES,
            "random_state": lambda: self._one_of(0, 7, np.random.default_rng(0)),
            "tolerance": lambda: self._one_of(0.05, 0.2, 0.0),
            "delta": lambda: 0.1,
            "epsilon": lambda: 0.5,
            "dimension": lambda: self._one_of(None, FEATURES),
            "kernel": lambda: self._one_of(None, "rbf", {"name": "poly", "degree": 2}),
            "slack": lambda: self._one_of("auto", 0, 0.2),
            "promise": lambda: self._one_of("audited", "credible"),
            "estimate": lambda: self._one_of("sampling", "volume"),
            "strategy": lambda: self._one_of("aluma", "passive", "simple_margin"),
            "sampler": lambda: self._one_of("reflection", "hit_and_run"),
            "predict_with": lambda: self._one_of("vote", "svm"),
            "proof_seconds": lambda: 0.01,
            "steps": lambda: 3,
            "request": lambda: self._one_of(None, f"r{rng.integers(50)}"),
            "requests": lambda: ["a", "b"],
            "values": lambda: {"note": "text"},
            "progress": lambda: False,
            "events": lambda: (),
            "size": lambda: 3,
            "who": lambda: self._one_of("Ada", "Ben"),
            "prior": lambda: self._one_of("pool", "ball"),
            "bias": lambda: self._one_of(False, True, 2.5),
            "prepared": lambda: self._one_of(False, True),
            "columns": lambda: None,
            "beside": lambda: {"note": "text"},
            "rows": lambda: rng.integers(SIZE, size=3),
            "answers": lambda: {0: 1, 1: -1},
            "purpose": lambda: self._one_of(*Purpose),
            "selection": lambda: slice(0, 3),
        }  # fmt: skip

    # -- objects -------------------------------------------------------------------------------

    def points(self, n: int = SIZE) -> np.ndarray[Any, Any]:
        """Return some examples."""
        return self.rng.standard_normal((n, FEATURES))

    def signs(self) -> np.ndarray[Any, Any]:
        """Return signs for all of them."""
        return self.rng.choice([-1, 1], SIZE)

    def learner(self) -> Any:
        """Return a learner that has heard some answers."""
        name = self._one_of(*LEARNERS)
        settings = {} if name == "IWAL" else {"n_hypotheses": HYPOTHESES}
        many = name == "ALuMA" and self.rng.random() < 0.3
        made = getattr(aluma, name)(
            self.points(), classes=LABELS if many else LABELS[:2], bias=True, **settings
        )
        for _ in range(self.rng.integers(4)):
            made.tell(int(made.ask()), self._one_of(*LABELS[:2]))
        return made

    def subjects(self) -> Iterator[Any]:
        """Yield one of everything that has methods."""
        rng = self.rng
        yield self.learner()
        yield self.learner()
        yield aluma.Session.create(
            self._path(), self.points(), n_hypotheses=HYPOTHESES, classes=LABELS[:2]
        )
        doubt = self._one_of(None, rng.random(SIZE))
        yield aluma.Audit([self._one_of(*LABELS) for _ in range(SIZE)], doubt=doubt)
        space = aluma.VersionSpace(FEATURES)
        space.add(self.points(2), [1, -1])
        yield space
        yield aluma.Pool(self.points(), bias=bool(rng.integers(2)))
        yield aluma.ActiveClassifier(budget=5, n_hypotheses=HYPOTHESES)
        yield aluma.run(self.learner(), ["no", "yes"] * (SIZE // 2), budget=3)
        learner = aluma.ALuMA(self.points(), n_hypotheses=HYPOTHESES, classes=LABELS[:2])
        yield learner.certificate(proof_seconds=0.0)

    def made(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield whatever is made or computed by a call of its own: classes and functions."""
        for name in aluma.__all__:
            found = getattr(aluma, name)
            # A session is made by its own functions, below.
            if callable(found) and found is not aluma.Session:
                yield name, found
        for name, found in vars(aluma.bounds).items():
            if inspect.isfunction(found) and not name.startswith("_"):
                yield f"bounds.{name}", found
        yield "Session.create", aluma.Session.create
        yield "Session.open", aluma.Session.open
        yield "Pool.centred", aluma.Pool.centred
        yield "Pool.open", aluma.Pool.open

    # -- arguments -----------------------------------------------------------------------------

    def arguments(self, called: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments for a call: most of them make sense, some do not."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        sense = self._one_of(1.0, 0.8, 0.4)
        for name, parameter in _parameters(called).items():
            optional = parameter.default is not parameter.empty
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                named |= self._settings()
                continue
            keep = name in ("n_hypotheses", "proof_seconds") or self.rng.random() < 0.4
            if optional and not keep:
                continue
            value = self._argument(name, sense)
            if parameter.kind is parameter.KEYWORD_ONLY or optional:
                named[name] = value
            else:
                positional.append(value)
        if self.rng.random() < 0.02:
            positional = positional[:-1] if self.rng.random() < 0.5 else [*positional, None]
        return positional, named

    def _argument(self, name: str, sense: float) -> Any:
        known = self._sensible.get(name)
        if known is not None and self.rng.random() < sense:
            return known()
        return ODD[self.rng.integers(len(ODD))]()

    def _settings(self) -> dict[str, Any]:
        """Return some settings of a learner for what hands them on to it, or one of none."""
        if self.rng.random() < 0.2:
            return {"no_such_setting": 1}
        _, named = self.arguments(aluma.ALuMA)
        return named

    def _kept(self) -> tuple[Path, Path]:
        """Return a session of the known pool, and a file of the pool itself."""
        session, pool = self._folder / "known.aluma", self._folder / "known.npy"
        if not pool.exists():
            np.save(pool, self._known)
            aluma.Session.create(session, self._known, n_hypotheses=HYPOTHESES).close()
        return session, pool

    def _pools(self) -> Any:
        return self._one_of(
            aluma.Pool(self.points()), scipy.sparse.csr_matrix(self.points()), self.points()
        )

    def _path(self) -> Path:
        self._files += 1
        return self._folder / f"{self._files}.aluma"

    def _one_of(self, *values: Any) -> Any:
        return values[self.rng.integers(len(values))]


def methods(subject: Any) -> list[str]:
    """Return the names of what is public of an object, besides what only sets it up."""
    found = [name for name in dir(type(subject)) if not name.startswith("_")]
    # What scikit-learn gives to every estimator has rules of its own.
    found = [name for name in found if name not in ("set_score_request", "get_metadata_routing")]
    return [*found, "pickle", "copy", "deepcopy", "repr"]


def called(subject: Any, name: str, calls: Calls) -> tuple[str, Callable[[], Any]]:
    """Return a call of a method or property, and how it is written."""
    other = {
        "pickle": lambda: pickle.loads(pickle.dumps(subject)),
        "copy": lambda: copy.copy(subject),
        "deepcopy": lambda: copy.deepcopy(subject),
        "repr": lambda: (repr(subject), str(subject)),
    }
    kind = type(subject).__name__
    if name in other:
        return f"{name} of {kind}", other[name]
    if not callable(getattr(type(subject), name, None)):
        return f"{kind}.{name}", lambda: getattr(subject, name)
    method = getattr(subject, name)
    positional, named = calls.arguments(method)
    return written(f"{kind}.{name}", positional, named), lambda: used(method(*positional, **named))


def used(found: Any) -> Any:
    """Go through what a call has returned, should it be worked out only then."""
    return list(found) if inspect.isgenerator(found) else found


def written(name: str, positional: list[Any], named: dict[str, Any]) -> str:
    """Return a call as it would be written, shortened."""
    parts = [_short(value) for value in positional]
    parts += [f"{name}={_short(value)}" for name, value in named.items()]
    return f"{name}({', '.join(parts)})"


def state(subject: Any) -> Any:
    """Return what must not change when a call raises."""
    if isinstance(subject, aluma.Session):
        said = subject.voices, subject.beside, subject.requests
        return said, subject.answered, subject.answers, _tried(subject.ask), _votes(subject)
    if isinstance(subject, aluma.Learner):
        return subject.answered, subject.answers, _tried(subject.ask), _votes(subject)
    if isinstance(subject, aluma.Audit):
        return subject.asked, _tried(subject.ask), subject.bound, subject.labels, subject.answers
    if isinstance(subject, aluma.VersionSpace):
        return len(subject), subject.sample(8)
    if isinstance(subject, aluma.Pool):
        return subject.fingerprint()
    return None


def same(one: Any, other: Any) -> bool:
    """Say whether two states are the same to the last bit."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.dtype == object:
            return bool(one.tolist() == other.tolist())
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return type(one) is type(other) and bool(one == other)


def permitted(error: Exception, text: str) -> bool:
    """Say whether a call may raise this."""
    if isinstance(error, MemoryError | OverflowError):
        return any(str(size) in text for size in (HUGE, 2**63, 2**64 - 1, 10**30)) or "e+" in text
    if text.startswith("pickle of") and "lambda" in str(error):
        return True
    also = (kind for kind, calls in ALSO.items() if any(call in text for call in calls))
    return isinstance(error, (*DOCUMENTED, *also)) and type(error) is not KeyError


def _votes(subject: Any) -> Any:
    return _tried(subject.predict_proba)


def _tried(function: Callable[[], Any]) -> Any:
    """Return what a function returns, or the name of what it raises."""
    try:
        return function()
    except (LookupError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _parameters(called: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(called).parameters)
    except (ValueError, TypeError):
        return {}


def _short(value: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = " ".join(repr(value).split())
    shape = f"{type(value).__name__}{np.shape(value)}" if isinstance(value, np.ndarray) else ""
    return shape if shape and len(text) > 60 else text[:60]
