"""What a user or a contributor installs: the declared bounds, the typing marker, a light import."""

import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENT_FILES = sorted((ROOT / "requirements").glob("*.txt"))
LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")


def declared(*extras: str) -> list[Requirement]:
    """Return the core requirements and those of the named extras."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return [Requirement(line) for line in lines]


def lower_bound(requirement: Requirement) -> Version:
    bounds = [s.version for s in requirement.specifier if s.operator == ">="]
    assert len(bounds) == 1, f"{requirement} must have exactly one lower bound (>=)"
    return Version(bounds[0])


def pinned(file: Path) -> dict[str, Version]:
    """Return the versions that a requirements file pins, by canonical name."""
    lines = (line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines())
    requirements = [Requirement(line) for line in lines if line]
    versions = {}
    for requirement in requirements:
        (specifier,) = requirement.specifier
        assert specifier.operator == "==", f"{requirement} in {file.name} is not an exact pin"
        versions[canonicalize_name(requirement.name)] = Version(specifier.version)
    assert len(versions) == len(requirements), f"{file.name} pins a package twice"
    return versions


def test_oldest_pins_are_the_lower_bounds():
    bounds = {canonicalize_name(r.name): lower_bound(r) for r in declared("test")}
    assert pinned(ROOT / "requirements" / "oldest.txt") == bounds


def test_every_requirement_has_one_lower_bound_and_no_url():
    for requirement in declared(*EXTRAS):
        lower_bound(requirement)
        assert requirement.url is None, f"{requirement} names a host"


@pytest.mark.parametrize("file", REQUIREMENT_FILES, ids=lambda file: file.name)
def test_requirement_files_name_no_host(file: Path):
    for line in file.read_text("utf-8").splitlines():
        assert "://" not in line, f"{file.name} names a host: {line}"
        assert not line.startswith("-"), f"{file.name} sets an option of the installer: {line}"


def test_there_are_requirement_files_to_check():
    assert REQUIREMENT_FILES


def test_no_lock_file():
    """A lock file would record the hosts of whoever made it."""
    assert [name for name in LOCK_FILES if (ROOT / name).exists()] == []


def test_package_says_that_it_is_typed():
    assert files("aluma").joinpath("py.typed").is_file()


def test_package_data_name_the_files_of_the_page():
    patterns = TOOLS["setuptools"]["package-data"]["aluma"]
    assert "app/static/*" in patterns
    assert files("aluma").joinpath("app", "static", "index.html").is_file()


@pytest.mark.parametrize("heavy", ["matplotlib", "typer", "fastapi"])
def test_import_leaves_out_what_only_the_command_line_needs(heavy: str):
    code = f"import sys, aluma; sys.exit({heavy!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"`import aluma` imports {heavy}"
