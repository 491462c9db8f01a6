"""Installs without extras and with [label] only: what works in them, and what they say they lack.

The first half hides packages from an interpreter of this environment. The second makes real
environments from a wheel, which takes minutes: ``make test-installs``.
"""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from light import ROOT, hidden, run_light

#: Labels a pool by hand, by a teacher and in a session, and asks for what an extra brings.
CORE = """
import sys
from pathlib import Path
import numpy as np
import aluma

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
y = np.where(X @ [1.0, -2.0, 0.5] > 0, "yes", "no")

learner = aluma.ALuMA(X)
trace = aluma.run(learner, y, budget=8)
assert len(trace) == 8 and (learner.predict() == y).mean() > 0.7
assert learner.certificate().asked == 8
assert (aluma.ActiveClassifier(budget=5).fit(X, y).predict(X) == y).mean() > 0.6

path = Path(sys.argv[1]) / "answers.aluma"
with aluma.Session.create(path, X, classes=("no", "yes")) as session:
    for _ in range(4):
        i = session.ask()
        session.tell(i, str(y[i]))
    question = session.ask()
with aluma.Session.open(path, X) as session:
    assert (session.n_answers, session.ask()) == (4, question)

for part in (trace.to_frame, lambda: aluma.run(learner, y, progress=True)):
    try:
        part()
    except aluma.MissingExtra as error:
        assert error.extra == "label" and "pip install 'aluma[label]'" in str(error), error
    else:
        raise AssertionError("nothing was missing")
try:
    import aluma.app.server
except aluma.MissingExtra as error:
    assert error.extra == "label", error
else:
    raise AssertionError("the page needs nothing")
"""

COMMAND = "from aluma.__main__ import main; main()"
NEEDS_LABEL = "Error: the command line needs typer, which is not installed"
NEEDS_MORE = "needs matplotlib, which is not installed: pip install 'aluma[{}]'."


# -- packages hidden in this environment -------------------------------------------------------


def test_the_core_works_without_any_extra(tmp_path: Path) -> None:
    assert {"pandas", "rich", "fastapi", "matplotlib"} <= hidden()
    done = run_light(CORE, str(tmp_path))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("args", [[], ["--help"], ["label", "--demo"], ["demo"]], ids=str)
def test_without_extras_the_command_names_the_one_it_needs(args: list[str]) -> None:
    done = run_light(COMMAND, *args)
    assert done.returncode == 2
    assert done.stderr == f"{NEEDS_LABEL}: pip install 'aluma[label]'.\n"


def test_with_label_the_help_lists_every_command() -> None:
    done = run_light(COMMAND, "--help", extras=("label",))
    assert done.returncode == 0, done.stderr
    for command in ("demo", "run", "label", "bench", "reproduce"):
        assert command in done.stdout


@pytest.mark.parametrize(
    "args", [["demo"], ["run", "x.csv", "--label-column", "y"], ["bench"], ["reproduce", "--list"]]
)
def test_with_label_the_laboratory_names_its_extra(args: list[str], tmp_path: Path) -> None:
    assert {"matplotlib", "pooch", "requests"} <= hidden("label")
    done = run_light(f"import os; os.chdir({str(tmp_path)!r}); {COMMAND}", *args, extras=("label",))
    assert done.returncode == 2
    extra = "lab" if args == ["bench"] else "demo"
    assert done.stderr == f"Error: aluma {args[0]} {NEEDS_MORE.format(extra)}\n"
    assert list(tmp_path.iterdir()) == []


# -- real environments -------------------------------------------------------------------------


def ran(*command: str | Path, seconds: float = 600, **settings: object) -> str:
    """Return what a command printed; it must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True, text=True, check=False, timeout=seconds, env=clean(), **settings,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def clean() -> dict[str, str]:
    """Return the variables of this process without those that lead Python to this checkout."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # From a copy: building leaves files beside the source.
    source = folder / "source"
    tracked = ran("git", "-C", ROOT, "ls-files").splitlines()
    for name in tracked:
        if name.startswith("src/") or name in ("pyproject.toml", "README.md", "LICENSE"):
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    ran(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, source)
    (found,) = folder.glob("aluma-*.whl")
    return found


def environment(folder: Path, requirement: str) -> Path:
    """Make an environment with a requirement in it; return the folder of its programs."""
    ran(sys.executable, "-m", "venv", folder)
    pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
    ran(*pip, "--quiet", requirement)
    return folder / "bin"


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("light") / "venv", str(wheel))


@pytest.fixture(scope="module")
def label(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("label") / "venv", f"{wheel}[label]")


def refused(program: Path, *args: str, folder: Path) -> str:
    """Return the complaint of a command that must fail with the exit code for wrong usage."""
    done = subprocess.run(
        [str(program), *args],
        capture_output=True, text=True, check=False, cwd=folder, env=clean(),
    )  # fmt: skip
    assert done.returncode == 2, f"{done.stdout}\n{done.stderr}"
    return done.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_install_without_extras_labels_a_pool(light: Path, tmp_path: Path) -> None:
    ran(light / "python", "-c", CORE, tmp_path, cwd=tmp_path)
    installed = ran(light / "python", "-m", "pip", "--disable-pip-version-check", "list")
    present = {line.split()[0].lower() for line in installed.splitlines()[2:]}
    assert not present & {"pandas", "matplotlib", "typer", "fastapi", "rich", "pooch", "requests"}
    complaint = refused(light / "aluma", "label", "--demo", folder=tmp_path)
    assert complaint == f"{NEEDS_LABEL}: pip install 'aluma[label]'.\n"


@contextmanager
def page(program: Path, folder: Path) -> Iterator[str]:
    """Run `aluma label --demo`; yield where it is, and end it as Ctrl-C does."""
    command = [str(program), "label", "--demo", "--no-browser", "--port", "0"]
    log = folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--token", "a-token-for-tests"],
            stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=clean(),
        )  # fmt: skip
        try:
            end = time.monotonic() + 120
            while "?token=" not in log.read_text():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            yield log.read_text().partition("http://")[2].partition("/")[0]
        finally:
            process.send_signal(2)
            process.wait(60)
    assert process.returncode == 0, log.read_text()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_install_with_label_has_the_page_and_names_the_lab(label: Path, tmp_path: Path) -> None:
    with page(label / "aluma", tmp_path) as place:
        connection = http.client.HTTPConnection(place, timeout=60)
        connection.request("GET", "/?token=a-token-for-tests")
        answer = connection.getresponse()
        answer.read()
        cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        for path, part in (("/", b"<html"), ("/api/state", b'"question"')):
            connection.request("GET", path, headers={"Cookie": cookie})
            answer = connection.getresponse()
            assert answer.status == 200
            assert part in answer.read()
        connection.close()
    assert (tmp_path / "aluma-demo.aluma").is_file()
    complaint = refused(label / "aluma", "demo", folder=tmp_path)
    assert complaint == f"Error: aluma demo {NEEDS_MORE.format('demo')}\n"
