"""The version of the code behind a result: a digest of the modules that it can depend on.

A result is made again when, and only when, something that it was computed with has changed: its
learner, its problem, the loop, or any module of this package that these import.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import platform
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGE = "aluma"
#: What results depend on besides this package.
NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")
#: What else a report names.
OTHERS = ("matplotlib", "joblib", "scikit-activeml")


def code_version(parts: Iterable[Any]) -> str:
    """Return a digest of the source of everything that some functions and classes import."""
    return _digest(frozenset(_module(part) for part in parts))


def installed() -> dict[str, str]:
    """Return the versions that a report names; a package that is not there is left out."""
    found = {"Python": platform.python_version()}
    for name in (PACKAGE, *NUMERICAL, *OTHERS):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@lru_cache(maxsize=256)
def _digest(roots: frozenset[str]) -> str:
    digest = hashlib.blake2b(digest_size=6)
    for name in sorted(reached(roots)):
        source = _source(name)
        if source is not None:
            digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


def reached(roots: Iterable[str]) -> set[str]:
    """Return the modules of this package that some modules import, themselves included."""
    found: set[str] = set()
    waiting = [name for name in roots if _source(name)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imported(name))
    return found


@lru_cache(maxsize=1024)
def _imported(name: str) -> tuple[str, ...]:
    source = _source(name)
    if source is None:
        return ()
    tree = ast.parse(source.read_bytes())
    return tuple(dict.fromkeys(_names(tree)))


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of this package that a source imports anywhere, absolute imports only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] == PACKAGE)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module.partition(".")[0] != PACKAGE:
                continue
            for one in node.names:
                submodule = f"{node.module}.{one.name}"
                # "from aluma import scoring" needs that module, not all that aluma offers.
                yield submodule if _source(submodule) else node.module


@lru_cache(maxsize=4096)
def _source(name: str) -> Path | None:
    """Return the file of a module of this package, or None if there is no such module."""
    if name.partition(".")[0] != PACKAGE:
        return None
    loaded = sys.modules.get(name)
    if loaded is not None:
        return Path(str(loaded.__file__))
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec is not None and spec.origin else None


def _module(part: Any) -> str:
    while isinstance(part, partial):
        part = part.func
    return str(part.__module__)
