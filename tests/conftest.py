"""Settings and fixtures that all tests share."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Derandomised, so that a red run is red again on the next machine; no deadline, because the first
# example of a property may have to wait for Numba to compile.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("ci")

# A shell that starts a suite in the background has it ignore Ctrl-C, and all that it starts; but
# some tests are about Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
