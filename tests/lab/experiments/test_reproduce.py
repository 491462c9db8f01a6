"""The whole of it, in seconds: every experiment, killed and resumed, reported and refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aluma import cli
from aluma.errors import MissingData
from aluma.lab.experiments import problems
from aluma.lab.experiments.catalogue import CATALOGUE
from aluma.lab.experiments.declaration import Scale, Tournament
from aluma.lab.experiments.paper import OCTAHEDRON
from aluma.lab.experiments.report import drawing
from aluma.lab.experiments.reproduce import chosen, reproduce
from aluma.lab.experiments.runner import Outcome, run_all
from aluma.lab.experiments.store import Store, write_whole
from aluma.lab.experiments.theorems import CIRCLE, LINE
from aluma.lab.play import Result
from aluma.lab.problem import Problem

#: Enough tasks, of a twentieth of a second or so each, to be killed among.
SMALL = ("circle", "line")
SEEDS = 4


def files(out: Path) -> dict[str, bytes]:
    """Return the result files of an output folder."""
    runs = out / "runs"
    return {str(path.relative_to(runs)): path.read_bytes() for path in runs.rglob("seed-*.json")}


@pytest.fixture
def unreported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no report made: it takes longer than the runs, and says nothing about them."""
    monkeypatch.setattr("aluma.lab.experiments.reproduce.build", lambda *_: None)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the result files of a run that nobody interrupted."""
    out = tmp_path_factory.mktemp("whole")
    tasks = [task for experiment in chosen(SMALL) for task in experiment.tasks("tiny", SEEDS)]
    assert not run_all(tasks, Store(out / "runs"), 1, out / "log.jsonl")
    return files(out)


def start(out: Path, jobs: int) -> subprocess.Popen[str]:
    """Start the same run in another process."""
    code = (
        "from pathlib import Path\n"
        "from aluma.lab.experiments.reproduce import chosen, reproduce\n"
        f"reproduce(chosen({SMALL!r}), Path({str(out)!r}), scale='tiny', seeds={SEEDS}, "
        f"jobs={jobs})\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(out: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until some results are there."""
    for _ in range(6000):
        if len(files(out)) >= count or process.poll() is not None:
            return
        time.sleep(0.01)
    pytest.fail("no results after a minute")


@pytest.mark.usefixtures("unreported")
@pytest.mark.parametrize(("how", "jobs"), [(signal.SIGKILL, 1), (signal.SIGINT, 2)])
def test_an_interrupted_run_goes_on_and_leaves_the_same_bytes(tmp_path, whole, how, jobs) -> None:
    process = start(tmp_path, jobs)
    wait_for(tmp_path, 5, process)
    process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode != 0
    done = files(tmp_path)
    assert 5 <= len(done) < len(whole)
    assert all(whole[name] == content for name, content in done.items())
    seen: list[Outcome] = []
    reproduce(chosen(SMALL), tmp_path, scale="tiny", seeds=SEEDS, watch=lambda plan: Seen(seen))
    assert len(seen) == len(whole) - len(done)
    assert files(tmp_path) == whole


class Seen:
    """Collects what a watch is told."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        self.outcomes = outcomes

    def __enter__(self):
        return self.outcomes.append

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.usefixtures("unreported")
def test_one_more_seed_costs_one_more_seed(tmp_path: Path) -> None:
    seen: list[Outcome] = []
    for seeds in (1, 2):
        seen.clear()
        reproduce([CIRCLE], tmp_path, scale="tiny", seeds=seeds, watch=lambda _: Seen(seen))
        assert {outcome.task.seed for outcome in seen} == {seeds - 1}
        assert len(seen) == len(CIRCLE.cases("tiny"))


def let_few_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a learner that has played elsewhere take over what another did in its tournament.

    Every pool is labelled, every learner plays with each of its settings, and every section has all
    its learners. Only their pairs are not all tried: `aluma reproduce --quick` does that.
    """
    played: set[str] = set()
    found: dict[tuple[str, str], Result] = {}
    run = Tournament.run

    def instead(self: Tournament, case: str, seed: int, scale: Scale) -> Result:
        entrant, value = self.parts(case, scale)
        who, where = f"{entrant.strategy} {dict(entrant.settings)}", (self.name, str(value))
        alone = entrant.key in self.to_the_end
        if alone or who not in played or where not in found:
            played.add(who)
            found[where] = run(self, case, seed, scale)
        return found[where]

    monkeypatch.setattr(Tournament, "run", instead)


def test_every_experiment_runs_and_is_reported(
    tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_few_play(monkeypatch)
    # Experiments come by seed, so that a pool is wanted again and again.
    monkeypatch.setattr(problems, "_read", cache(problems._read.__wrapped__))
    # Every figure is drawn, but only once: test_drawing.py has both forms.
    saved = drawing._saved
    monkeypatch.setattr(
        drawing, "_saved", lambda figure, kind: saved(figure, kind) if kind == "png" else b"<svg/>"
    )
    done = reproduce(CATALOGUE, tmp_path, scale="tiny", command="aluma reproduce")
    assert not done.failed, [outcome.detail for outcome in done.failed]
    page, text = ((tmp_path / name).read_text("utf-8") for name in ("report.html", "report.md"))
    for section in done.report.sections:
        experiment = section.experiment
        assert f'id="{experiment.name}"' in page
        assert experiment.title in text
        if any(experiment.tasks("tiny")):
            assert section.tables or section.pictures
        for picture in section.pictures:
            assert (tmp_path / "figures" / f"{picture.name}.png").is_file()
            assert f"figures/{picture.name}.png" in text
    assert "http" not in page.replace("http://www.w3.org", "")
    assert (tmp_path / "tables" / "summary.csv").read_text("utf-8").startswith("data set,learner")
    assert "`aluma reproduce`" in text


def broken(value: int, seed: int) -> Problem:
    raise ZeroDivisionError("on purpose")


def absent(value: int, seed: int) -> Problem:
    raise MissingData("put it there")


def test_a_failure_is_reported_and_ends_nothing_else(tmp_path: Path) -> None:
    bad = replace(OCTAHEDRON, name="bad", problem=broken)
    gone = replace(OCTAHEDRON, name="gone", problem=absent)
    done = reproduce([bad, gone, LINE], tmp_path, scale="tiny", seeds=1)
    assert {outcome.task.experiment.name for outcome in done.failed} == {"bad", "gone"}
    assert "bad: ZeroDivisionError: on purpose" in done.report.troubles
    assert "gone: put it there" in done.report.troubles
    assert Store(tmp_path / "runs").has(LINE.tasks("tiny", 1)[0])
    notes = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert sum("trouble" in note for note in notes) == len(done.failed)


def test_the_report_counts_sittings_that_were_killed(tmp_path: Path) -> None:
    ended = {
        "experiment": "line",
        "case": "exact@wide-4",
        "seed": 0,
        "scale": "tiny",
        "seconds": 50,
    }
    log = [
        {"command": "aluma reproduce", "started": "2026-01-01T10:00:00+00:00", "jobs": 2},
        ended | {"ended": "2026-01-01T10:01:00+00:00"},
        {"command": "aluma reproduce", "started": "2026-01-01T12:00:00+00:00", "jobs": 2},
        ended | {"ended": "2026-01-01T12:00:30+00:00"},
    ]
    lines = [json.dumps(line) for line in log]
    # The second was killed while a line was written.
    (tmp_path / "log.jsonl").write_text("\n".join([*lines, lines[1][:40]]) + "\n", "utf-8")
    facts = dict(reproduce([LINE], tmp_path, scale="tiny", seeds=1).report.facts)
    assert facts["begun"] == "2026-01-01 10:00:00 UTC"
    minutes, sittings = facts["wall time"].split(", ")
    assert sittings == "3 sitting(s)"
    assert minutes.startswith("1 min 3")


def test_files_are_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a" / "b.json"
    write_whole(path, "first")

    def fails(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="full"):
        write_whole(path, "second")
    assert [one.read_text() for one in path.parent.iterdir()] == ["first"]


def invoke(*arguments: str):
    return CliRunner(env={"COLUMNS": "120"}).invoke(cli.app, ["reproduce", *arguments])


def test_the_list_names_every_experiment() -> None:
    result = invoke("--list")
    assert result.exit_code == 0
    assert all(experiment.name in result.output for experiment in CATALOGUE)


def test_a_wrong_name_is_told_the_right_ones() -> None:
    result = invoke("octohedron")
    assert result.exit_code == 2
    assert "there is no experiment 'octohedron': choose from octahedron" in result.output


def test_the_command_writes_a_report(tmp_path: Path) -> None:
    out = tmp_path / "new"
    result = invoke(
        "margins", "guarantee", "--quick", "--seeds", "1", "--jobs", "1", "--out", str(out)
    )
    assert result.exit_code == 0, result.output
    assert (out / "report.html").is_file()
    assert "guarantee" in result.output
