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


def pytest_configure() -> None:
    """Move seeds that tests do not write down: see ``evidence.py``."""
    if not OFFSET:
        return
    space = aluma.VersionSpace
    functions = [space.sample, space.log_volume, space.estimate_volume, log_volume]
    public = [kind for name in aluma.__all__ if inspect.isclass(kind := getattr(aluma, name))]
    learners = [kind for kind in public if issubclass(kind, Learner)]
    for function in (*functions, *(kind.__init__ for kind in (Population, *learners))):
        move_default_seed(function)


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
