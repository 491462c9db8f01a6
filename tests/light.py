"""An interpreter that sees only some extras' packages, as if nothing else were installed.

The finders of ``sys.meta_path`` are wrapped so that packages outside the core and the extras asked
for are not found. ``tests/test_install.py`` does the same with real environments, which takes
longer.
"""

import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

HIDE = """
import sys

class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, *args):
        return None if name.partition(".")[0] in HIDDEN else self.finder.find_spec(name, *args)
    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
"""


def declared(*extras: str) -> list[Requirement]:
    """Return the core requirements and those of the named extras, and of extras that they name."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    found = [Requirement(line) for line in lines]
    inner = {extra for one in found if one.name == "aluma" for extra in one.extras}
    others = [one for one in found if one.name != "aluma"]
    return [*others, *declared(*sorted(inner))] if inner else others


def closure(requirements: list[Requirement]) -> set[str]:
    """Return the distributions that requirements bring, those that they need included."""
    found: set[str] = set()
    waiting = [(canonicalize_name(one.name), frozenset(one.extras)) for one in requirements]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        found.add(name)
        for one in _needs(name, extras):
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return found


@cache
def _needs(name: str, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return []
    wanted = [Requirement(line) for line in lines]
    return [
        (canonicalize_name(one.name), frozenset(one.extras))
        for one in wanted
        if one.marker is None
        or any(one.marker.evaluate({"extra": extra}) for extra in (*extras, ""))
    ]


def hidden(*extras: str) -> set[str]:
    """Return the top-level packages of this environment that an install does not bring."""
    kept = closure(declared(*extras)) | {"aluma"}
    return {
        package
        for package, owners in packages_distributions().items()
        if not kept & {canonicalize_name(owner) for owner in owners}
    } - set(sys.stdlib_module_names)


def run_light(
    code: str, *args: str, extras: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter that sees the core and what some extras bring."""
    whole = f"HIDDEN = {hidden(*extras)!r}\n{HIDE}\n{code}"
    return subprocess.run(
        [sys.executable, "-c", whole, *args], capture_output=True, text=True, check=False
    )
