"""Install a wheel in an empty environment, label with it and run its demonstration.

``python .ci/try_wheel.py dist/aluma-0.2.0-py3-none-any.whl``, or ``make dist``. It says how large
the wheel is, what it needs, and how long it takes from ``pip install`` to the first question.
"""

import http.client
import os
import subprocess
import sys
import time
import zipfile
from email import message_from_bytes
from pathlib import Path
from tempfile import TemporaryDirectory

TOKEN = "a-token-for-the-wheel"
#: Nothing of this checkout is to be found by the Python of the new environment.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


class Clock:
    """Time since it was made, and what the programs that were started have computed since."""

    def __init__(self) -> None:
        self._began, self._computed = time.monotonic(), self._children()

    def __str__(self) -> str:
        past, computed = time.monotonic() - self._began, self._children() - self._computed
        return f"{past:.1f} s ({computed:.1f} s of a processor)"

    @staticmethod
    def _children() -> float:
        used = os.times()
        return used.children_user + used.children_system


def main(wheel: Path) -> None:
    """Try a wheel."""
    describe(wheel)
    with TemporaryDirectory() as name:
        folder = Path(name)
        clock = Clock()
        run(sys.executable, "-m", "venv", folder / "venv")
        bin = folder / "venv" / "bin"
        say(f"an empty environment: {clock}")
        clock = Clock()
        install(bin, f"{wheel.resolve()}[label]")
        say(f"pip install 'aluma[label]': {clock}")
        first_question(bin, folder)
        say(f"from pip install to the first question: {clock}")
        say(f"packages: {packages(bin)}, {megabytes(folder / 'venv'):.0f} MB with Python's own pip")
        install(bin, f"{wheel.resolve()}[demo]")
        clock = Clock()
        said = run(bin / "aluma", "demo", cwd=folder)
        say(f"aluma demo: {clock}; its last line:")
        say(said.strip().splitlines()[-1])
        left = sorted(file.name for file in (folder / "aluma-demo").iterdir())
        assert left, "the demonstration left nothing behind"
        say(f"it left {', '.join(left)}")


def describe(wheel: Path) -> None:
    """Say how large a wheel is, and what it needs without extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        about = message_from_bytes(archive.read(name))
    needs = [one for one in about.get_all("Requires-Dist", []) if "extra" not in one]
    say(f"{wheel.name}: {wheel.stat().st_size / 1024:.0f} KB")
    say(f"needs {', '.join(needs)}")


def first_question(bin: Path, folder: Path) -> None:
    """Start the labelling page on its demonstration, and wait until it asks something."""
    log = folder / "log"
    command = [bin / "aluma", "label", "--demo", "--no-browser", "--port", "0", "--token", TOKEN]
    with log.open("w") as out:
        page = subprocess.Popen(command, stdout=out, stderr=out, cwd=folder, env=CLEAN)
        try:
            while "?token=" not in log.read_text():
                assert page.poll() is None, log.read_text()
                time.sleep(0.05)
            place = log.read_text().partition("http://")[2].partition("/")[0]
            while '"question":{' not in state(place):
                time.sleep(0.05)
        finally:
            # Not Ctrl-C, which a shell may have told programs in the background to ignore.
            page.terminate()
            page.wait(300)


def state(place: str) -> str:
    """Return what the page shows, as its interface says it."""
    connection = http.client.HTTPConnection(place, timeout=60)
    connection.request("GET", "/api/state", headers={"Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status == 200, text
    return text.replace(" ", "")


def packages(bin: Path) -> int:
    """Count what is installed, aluma among it and pip not."""
    return len(run(bin / "python", "-m", "pip", "freeze").splitlines())


def megabytes(folder: Path) -> float:
    """Return how much is in a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


def install(bin: Path, requirement: str) -> None:
    """Install something."""
    run(
        bin / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        requirement,
    )


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Return what a command printed; it must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=CLEAN)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def say(line: str) -> None:
    """Tell whoever started this."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
