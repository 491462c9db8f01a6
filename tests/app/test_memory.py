"""Large arrays go back to the system, and where there is no way to say so, nothing happens."""

import subprocess
import sys

import pytest

from aluma.app import memory

#: Arrays of 8 MB, every second of which is freed; prints whether that was said, and what came back.
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from aluma.app.memory import return_large_arrays

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

said = return_large_arrays() if sys.argv[1] == "return" else None
for _ in range(3):
    # The first ones that are freed make the library keep such as these.
    del_me = [np.ones(2**20) for _ in range(3)]
    del del_me
kept = [np.ones(2**20) for _ in range(40)]
before = resident()
kept[::2] = [None] * 20
print(said, (before - resident()) // 2**23)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="others return them by themselves")
def test_large_arrays_go_back_when_they_are_freed() -> None:
    """And without it they do not, or the setting would be needless."""

    def printed(how: str) -> list[str]:
        run = [sys.executable, "-c", PROGRAM, how]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()

    said, returned = printed("return")
    if said == "False":
        pytest.skip("this C library has no such setting")
    assert int(returned) >= 19
    assert int(printed("keep")[1]) < 10


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert not memory.return_large_arrays()
