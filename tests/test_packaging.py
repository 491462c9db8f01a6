"""What a user or a contributor installs: the declared bounds, the typing marker, a light import."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import aluma
from aluma import errors
from aluma.extras import INSTALLED_AS, LAB
from light import EXTRAS, ROOT, declared

TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
REQUIREMENT_FILES = sorted((ROOT / "requirements").glob("*.txt"))
LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")


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
    # Neither [lab] nor [text]: scikit-activeml and wordllama need a newer NumPy than the core.
    covered = declared("test", "parquet", "scale")
    bounds = {canonicalize_name(r.name): lower_bound(r) for r in covered}
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


# -- the core and the extras -------------------------------------------------------------------


def names(*extras: str) -> set[str]:
    return {canonicalize_name(one.name) for one in declared(*extras)}


def test_the_core_needs_five_packages():
    assert names() == {"numba", "numpy", "scikit-learn", "scipy", "threadpoolctl"}


def test_all_is_every_extra_of_a_user():
    every = names("label", "lab", "scale", "text", "notebook", "label-studio")
    assert names("all") == every
    assert names("parquet") | names("bench") | names("demo") <= every


@pytest.mark.parametrize("extra", ["label", "demo", "lab"])
def test_an_extra_brings_what_its_errors_ask_for(extra: str):
    brought = names(extra)
    source = [file.read_text("utf-8") for file in (ROOT / "src").rglob("*.py")]
    needed = re.findall(rf'needed\("(\w+)[.\w]*", "{extra}"', "\n".join(source))
    required = re.findall(rf'require\("[^"]+", "{extra}", ([^*)]+)\)', "\n".join(source))
    asked = {*needed, *(name.strip(' "') for group in required for name in group.split(","))}
    asked |= set(LAB) if extra != "label" else set()
    assert asked
    assert {INSTALLED_AS.get(name, name) for name in asked} <= brought


# -- what is exported, and what that costs -----------------------------------------------------


def test_every_public_name_is_there():
    for name in aluma.__all__:
        assert getattr(aluma, name) is not None
    assert set(aluma.__all__) <= set(dir(aluma))
    assert aluma.__version__ == version("aluma")
    with pytest.raises(AttributeError, match="no attribute 'Aluma'"):
        _ = aluma.Aluma


def test_every_exception_and_warning_is_exported():
    exceptions = {name for name, one in vars(errors).items() if isinstance(one, type)}
    assert exceptions <= set(aluma.__all__)
    assert all(issubclass(getattr(aluma, name), aluma.AlumaError | Warning) for name in exceptions)


def loaded(code: str) -> set[str]:
    """Return the modules that are loaded after some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_aluma_loads_nothing_that_is_installed_with_it():
    packages = {module.partition(".")[0] for module in loaded("import aluma")}
    assert not packages & {"numpy", "scipy", "sklearn", "numba", "threadpoolctl", "joblib"}
    assert not packages & {"pandas", "matplotlib", "typer", "rich", "fastapi"}


@pytest.mark.parametrize("name", ["ALuMA", "Session", "VersionSpace", "run"])
def test_the_core_loads_little_more_than_the_packages_it_computes_with(name: str):
    """A ceiling that moves with those packages, so that only our own imports can break it."""
    modules = loaded(f"from aluma import {name}")
    heavy = ("sklearn", "scipy.stats", "scipy.optimize", "pandas", "matplotlib", "joblib", "rich")
    assert [one for one in heavy if one in modules] == []
    floor = loaded("import numpy, numba, scipy.linalg, scipy.sparse, scipy.special, threadpoolctl")
    ours = {module for module in modules if module.partition(".")[0] == "aluma"}
    assert len(modules - ours - floor) <= 20, sorted(modules - ours - floor)
