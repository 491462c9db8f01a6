"""Settings and fixtures that all tests share."""

import inspect
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from numba.core.registry import cpu_target
from threadpoolctl import threadpool_info

import aluma
from aluma.learners.learner import Learner
from aluma.sampling.population import Population
from aluma.sampling.volume import log_volume
from evidence import OFFSET

# Derandomised, so that a red run is red again on the next machine; no deadline, because the first
# example of a property may have to wait for Numba to compile.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("ci")

TESTS = Path(__file__).parent
#: Files that take longest, in order: those that drive pages, then those that draw much.
LONGEST = (
    "lab/experiments/test_reproduce.py",
    "sampling/test_oracles.py",
    "app/test_answers.py",
    "lab/bench/test_attack.py",
    "app/test_checks.py",
    "test_estimator.py",
    "app/test_browser.py",
    "learners/test_audited.py",
    "learners/test_template.py",
    "test_cli.py",
    "sampling/test_volume.py",
    "lab/bench/test_labels.py",
    "lab/bench/test_noise.py",
    "test_estimator_checks.py",
    "lab/bench/test_at_the_stop.py",
    "app/test_api.py",
    "app/test_check_browser.py",
    "lab/test_stop.py",
    "app/test_crash.py",
    "app/test_check_page.py",
    "lab/bench/test_page_stops.py",
    "lab/bench/test_audits.py",
)

# A shell that starts a suite in the background has it ignore Ctrl-C, and all that it starts; but
# some tests are about Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def move_default_seed(decorated: Callable[..., Any]) -> None:
    """Have a function that is called without a seed take the offset of all seeds for it."""
    function = inspect.unwrap(decorated)
    options = [
        p for p in inspect.signature(function).parameters.values() if p.default is not p.empty
    ]
    moved = {p.name: OFFSET if p.name in ("random_state", "seed") and p.default == 0 else p.default
             for p in options}  # fmt: skip
    by_keyword = [p.name for p in options if p.kind is p.KEYWORD_ONLY]
    function.__kwdefaults__ = {name: moved.pop(name) for name in by_keyword} or None
    function.__defaults__ = tuple(moved.values()) or None


def pytest_configure(config: pytest.Config) -> None:
    """Move seeds that tests do not write down: see ``evidence.py``."""
    # Several processes take files in the order below, not by how many tests they hold.
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    if not OFFSET:
        return
    space = aluma.VersionSpace
    functions = [space.sample, space.log_volume, space.estimate_volume, log_volume]
    public = [kind for name in aluma.__all__ if inspect.isclass(kind := getattr(aluma, name))]
    learners = [kind for kind in public if issubclass(kind, Learner)]
    for function in (*functions, *(kind.__init__ for kind in (Population, *learners))):
        move_default_seed(function)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files first that take longest, so that both cores are busy to the end."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.relative_to(TESTS).as_posix(), len(places)))


def pytest_report_header() -> str:
    """Say which processor the numbers are of, because rounding decides where reflections end."""
    blas = sorted({pool["architecture"] for pool in threadpool_info() if "architecture" in pool})
    name = cpu_target.target_context.codegen().magic_tuple()[1]
    return f"OpenBLAS for {', '.join(blas)}; Numba for {name}; seeds + {OFFSET}"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of real data sets, or skip the test where there is none."""
    setting = os.environ.get("ALUMA_DATA")
    if not setting:
        pytest.skip("needs real data: set ALUMA_DATA to the folder that holds the data sets")
    folder = Path(setting)
    if not folder.is_dir():
        pytest.fail(f"ALUMA_DATA={setting!r} is not a folder: correct it, or unset it to skip")
    return folder
