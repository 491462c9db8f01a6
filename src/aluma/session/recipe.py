"""What a learner is made of, as text: the strategy's name and its settings as JSON."""

from __future__ import annotations

import inspect
import json
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from aluma.arrays import plain
from aluma.learners.learner import Learner
from aluma.learners.registry import strategy
from aluma.learners.settings import taken
from aluma.pool import Pool
from aluma.representation.bias import with_bias
from aluma.streams import entropy

#: How a bias is written that goes by the length of a typical row.
TYPICAL = "typical"


def written(name: str, X: Any, given: dict[str, Any]) -> str:
    """Return a learner's settings as JSON, defaults included: a later version may change those."""
    signature = inspect.signature(strategy(name))
    try:
        bound = signature.bind(X, **given)
    except TypeError as error:
        known = ", ".join(list(signature.parameters)[1:])
        raise TypeError(f"strategy {name!r}: {error}. Its settings are {known}.") from None
    bound.apply_defaults()
    settings = dict(list(bound.arguments.items())[1:])
    if settings.pop("client", None) is not None:
        raise TypeError(
            "a client is not written into a session: give it to the pool, as in "
            "Session.create(path, Pool(X, client=client))."
        )
    if "random_state" in settings:
        # A generator cannot be written down, and None would be another seed on every opening.
        settings["random_state"] = entropy(settings["random_state"])
    if settings.get("bias") is True:
        settings["bias"] = TYPICAL
    if settings.get("classes") is not None:
        settings["classes"] = [storable(plain(label)) for label in settings["classes"]]
    for setting, value in settings.items():
        _check_json(setting, value)
    return json.dumps(settings, default=_unwrapped)


def read(settings: str) -> dict[str, Any]:
    """Return settings as learners take them; what was written before there was a choice stays."""
    wanted: dict[str, Any] = json.loads(settings)
    if "bias" in wanted:
        # In older recipes it is true, and the constant was 1.
        wanted["bias"] = {True: 1.0, TYPICAL: True}.get(wanted["bias"], wanted["bias"])
    return wanted


def pool(settings: str, X: Any) -> Pool:
    """Return the examples as the learner of a recipe sees them, its bias included."""
    return with_bias(X, read(settings).get("bias", False))


def made(name: str, settings: str, X: Any) -> Learner:
    """Return the learner that a recipe describes, before the first answer."""
    kind = strategy(name)
    # Before there were audits, the only promise was by the prior, and that was the paper's.
    return kind(X, **{**taken(kind, {"promise": "credible", "prior": "ball"}), **read(settings)})


def storable(label: Any) -> Any:
    """Return a label if JSON gives it back as it is."""
    if type(label) not in (str, int, float, bool) or label in (np.inf, -np.inf):
        raise TypeError(
            f"a session keeps labels that are text, integers, finite floats or booleans, got "
            f"{label!r} of type {type(label).__name__}: convert it, for instance with str()."
        )
    return label


def shape(examples: Pool) -> str:
    """Return a pool's size in words."""
    done = f", {examples.preparation}" if examples.preparation else ""
    bias = f"{',' if done else ''} and a bias" if examples.bias else ""
    return f"{len(examples)} examples of {examples.dimension - examples.bias} features{done}{bias}"


def aluma_version() -> str:
    """Return the version of aluma that runs."""
    try:
        return version("aluma")
    except PackageNotFoundError:
        return "unknown"


def _check_json(name: str, value: Any) -> None:
    try:
        json.dumps(value, allow_nan=False, default=_unwrapped)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name}={value!r} cannot be written into a session ({error}): use numbers, text and "
            "lists of them."
        ) from None


def _unwrapped(value: Any) -> Any:
    """Return NumPy's numbers and arrays as Python's."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"JSON has no {type(value).__name__}")
