"""The command line as a newcomer meets it: what is printed, written and refused."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from aluma import cli, reading
from aluma.app import demo
from aluma.cli.table_file import read_labelled
from aluma.errors import Undecided
from aluma.lab import comparison, names
from aluma.learners.aluma import ALuMA
from aluma.learners.registry import ENTRIES

PNG = b"\x89PNG\r\n\x1a\n"


def invoke(*arguments: object):
    """Run a command as a terminal of 80 columns shows it."""
    return CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, [str(one) for one in arguments])


def told(result) -> str:
    """Return the output without line breaks."""
    return " ".join(result.output.split())


def flowers() -> pd.DataFrame:
    """Return a small separable table with a text column and a unit per column."""
    rng = np.random.default_rng(2)
    width, length = rng.standard_normal((2, 40))
    kind = np.where(width > length, "rose", "tulip")
    return pd.DataFrame(
        {"name": [f"f{i}" for i in range(40)], "width": 1e3 * width, "length": length, "kind": kind}
    )


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "flowers.csv"
    flowers().to_csv(path, index=False)
    return path


def written(tmp_path: Path, frame: pd.DataFrame) -> Path:
    path = tmp_path / "changed.csv"
    frame.to_csv(path, index=False)
    return path


def test_version():
    result = invoke("--version")
    assert result.exit_code == 0
    assert result.output == f"aluma {importlib.metadata.version('aluma')}\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ([], "Start with: aluma demo"),
        (["demo"], "ship with scikit-learn"),
        (["run"], "aluma run flowers.csv --label-column species"),
        (["bench"], "print ratios"),
        (["reproduce"], "aluma reproduce octahedron mnist-4-7 --seeds 3"),
    ],
)
def test_help_says_what_a_command_is_for(command, said):
    result = invoke(*command, "--help")
    assert result.exit_code == 0
    assert said in told(result)


def test_help_does_not_wait_for_matplotlib():
    code = "import sys, aluma.cli; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_run_tells_writes_and_counts(csv, tmp_path):
    out = tmp_path / "new" / "results"
    result = invoke("run", csv, "--label-column", "kind", "--repeats", 1, "--out", out)
    assert result.exit_code == 0, result.output
    text = told(result)
    assert "40 rows, 2 numeric columns ('width', 'length')" in text
    assert "standardised" in text
    assert "bias" in text
    assert "not numeric: 'name'" in text
    assert "ALuMA itself does not see the known labels" in text
    assert re.search(r"│ 1-\d+ │ learning", text)
    assert re.search(r"Stopped after \d+ labels: \d+ to learn from, \d+ to check", text)
    assert "of the labels are wrong now (95% sure, whatever the data). In truth" in text
    assert max(len(line) for line in result.output.splitlines() if str(out) not in line) <= 80
    for name in ("learning-curves.png", "labelled-pool.csv"):
        assert str(out / name) in result.output
    assert (out / "learning-curves.png").read_bytes()[:8] == PNG
    frame = pd.read_csv(out / "labelled-pool.csv")
    assert list(frame.columns) == ["example", "label", "given_by", "vote_share"]
    assert frame["label"].tolist() == flowers()["kind"].tolist()
    assert set(frame["given_by"]) <= {"person", "vote"}


def test_the_table_has_the_counts_of_the_comparison(csv, tmp_path):
    result = invoke("run", csv, "--label-column", "kind", "--repeats", 3, "--out", tmp_path)
    # Read back, because old versions of pandas read the last bit of a number wrong.
    data = pd.read_csv(csv)
    X = comparison.standardise(data[["width", "length"]].to_numpy())
    found = comparison.compare(X, data["kind"], repeats=3)
    for name in comparison.COMPARED:
        title = names.title(name)
        (row,) = [
            line.replace("│", " ").split()
            for line in result.output.splitlines()
            if f"│ {title}" in line
        ]
        medians = [one for one in row[len(title.split()) :] if not one.startswith("(")]
        expected = [np.median(found.needed(name, target)) for target in comparison.TARGETS]
        assert medians == [f"{count:g}" for count in expected]


@pytest.mark.parametrize("strategy", ["simple_margin", "qbc", "cal", "iwal", "passive"])
def test_other_strategies_and_no_comparison(csv, tmp_path, strategy):
    result = invoke(
        "run", csv, "--label-column", "kind", "--strategy", strategy, "--no-compare",
        "--out", tmp_path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    titles = [one.title for one in ENTRIES.values() if f"│ {one.title}" in result.output]
    assert titles == [names.title(strategy)]
    rule = {"qbc": "vote", "iwal": "the least weighted loss"}.get(strategy, "SVM")
    assert f"{titles[0]} labels by {rule}." in told(result)
    assert told(result).count(" by ") == 1
    # These two check their labels too, if they are asked to; the others have no promise to check.
    assert ("itself does not see" in told(result)) == (strategy in ("simple_margin", "passive"))
    if strategy != "iwal":
        assert f"{names.title(strategy)} has every label right" in told(result)


def test_a_budget_that_is_too_small_is_said(csv, tmp_path):
    result = invoke("run", csv, "--label-column", "kind", "--budget", 2, "--out", tmp_path)
    assert result.exit_code == 0
    assert "The budget of 2 labels is spent" in told(result)
    assert "The budget is spent, with no stop yet, after 2 labels: 2 to learn from" in told(result)
    assert "any of them may be wrong" in told(result)
    assert ">2" in result.output
    given = pd.read_csv(tmp_path / "labelled-pool.csv")["given_by"]
    assert (given == "person").sum() == 2


def test_the_seed_decides(csv, tmp_path):
    tables = []
    for seed in (0, 0, 7):
        result = invoke(
            "run", csv, "--label-column", "kind", "--strategy", "passive", "--no-compare",
            "--budget", 5, "--seed", seed, "--out", tmp_path,
        )  # fmt: skip
        assert result.exit_code == 0
        tables.append((tmp_path / "labelled-pool.csv").read_text("utf-8"))
    assert tables[0] == tables[1] != tables[2]


def test_a_contradiction_is_explained(tmp_path):
    """Row 1 lies between rows 0 and 2, which have the other label."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0], "y": ["no", "yes", "no", "yes"]})
    path = written(tmp_path, frame)
    result = invoke("run", path, "--label-column", "y", "--repeats", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    text = told(result)
    assert "ALuMA met a contradiction after" in text
    assert "ALuMA labels by vote, SVM margin and random order label by SVM." in text
    assert "No straight boundary fits all answers" in text
    assert "of 4 examples are labelled wrong" in text
    assert (tmp_path / "learning-curves.png").read_bytes()[:8] == PNG


def test_slack_and_kernels_go_on_after_a_contradiction(tmp_path):
    rng = np.random.default_rng(0)
    square = rng.uniform(-1, 1, (60, 2))
    wrong = rng.random(60) < 0.1
    labels = np.where((square[:, 0] * square[:, 1] > 0) ^ wrong, "in", "out")
    path = written(tmp_path, pd.DataFrame({"x": square[:, 0], "y": square[:, 1], "kind": labels}))
    result = invoke(
        "run", path, "--label-column", "kind", "--no-compare", "--repeats", 1, "--kernel", "poly",
        "--gamma", 0.5, "--slack", "auto", "--margin", 0.05, "--budget", 50, "--out", tmp_path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "The answers were given a slack of" in told(result)
    assert "strain the fit most" in told(result)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--kernel", "gauss", "there is no kernel 'gauss'"),
        ("--kernel", "precomputed", "no kernel matrix"),
        ("--slack", "some", "--slack must be auto or a number"),
        ("--slack", "-1", "--slack must be auto or a number"),
        ("--margin", "-1", "--margin must be a positive number, got -1"),
    ],
)
def test_wrong_kernels_and_slacks_are_explained(csv, tmp_path, option, value, said):
    result = invoke("run", csv, "--label-column", "kind", option, value, "--out", tmp_path)
    assert result.exit_code == 2
    assert said in told(result)


@pytest.mark.parametrize("slack", ["auto", "0.1"])
def test_slack_is_refused_where_it_would_have_no_effect(csv, tmp_path, slack):
    result = invoke(
        "run", csv, "--label-column", "kind", "--strategy", "qbc", "--slack", slack,
        "--out", tmp_path,
    )  # fmt: skip
    assert result.exit_code == 2
    assert "qbc does not allow for slack" in told(result)
    assert "--strategy aluma" in told(result)


@pytest.mark.parametrize("answers", [0, 4])
def test_ctrl_c_keeps_what_was_answered(csv, tmp_path, monkeypatch, answers):
    ask = ALuMA.ask

    def interrupted(learner, n=None):
        if learner.n_answers == answers:
            raise KeyboardInterrupt
        return ask(learner, n)

    monkeypatch.setattr(ALuMA, "ask", interrupted)
    result = invoke("run", csv, "--label-column", "kind", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert f"Interrupted after {answers} labels" in told(result)
    assert "random order" not in result.output
    frame = pd.read_csv(tmp_path / "labelled-pool.csv")
    assert (frame["given_by"] == "person").sum() == answers
    assert (tmp_path / "learning-curves.png").exists() == (answers > 0)


def test_rows_without_a_label_are_left_out(tmp_path):
    frame = flowers().assign(kind=lambda f: (f["kind"] == "rose").astype(float))
    frame.loc[[0, 7], "kind"] = np.nan
    path = written(tmp_path, frame)
    result = invoke("run", path, "--label-column", "kind", "--repeats", 1, "--out", tmp_path)
    assert "Left out: 2 rows without a label." in told(result)
    labelled = pd.read_csv(tmp_path / "labelled-pool.csv")
    assert labelled["example"].tolist() == [i for i in range(40) if i not in (0, 7)]
    assert set(labelled["label"]) == {0, 1}
    assert labelled["label"].dtype.kind == "i"


def holed() -> pd.DataFrame:
    frame = flowers()
    frame.loc[3, "length"] = np.nan
    frame.loc[9, "width"] = np.inf
    return frame


@pytest.mark.parametrize(
    ("frame", "column", "said"),
    [
        (flowers(), "colour", "no column 'colour'. Its columns are 'name', 'width', 'length'"),
        (flowers(), "name", "40 different values"),
        (flowers()[["name", "kind"]], "kind", "no numeric column"),
        (flowers().assign(kind="rose"), "kind", "1 different value ('rose')"),
        (flowers().assign(kind=np.nan), "kind", "no row with a label in 'kind'"),
        (flowers()[:0], "kind", "no rows below the names"),
        (holed(), "kind", "no number in row 3 (counted from 0 below the names), column 'length'"),
        (holed()[4:].reset_index(drop=True), "kind", "inf in row 5"),
        (flowers().assign(width=1e35), "kind", "holds 1e+35 in row 0"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(tmp_path, frame, column, said):
    result = invoke("run", written(tmp_path, frame), "--label-column", column)
    assert result.exit_code == 2
    assert said in told(result)
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2,3\n4,5,6\n", "cannot be read as csv"),
        (b"a,b\n1,2\n3,4,5\n", "cannot be read as csv"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, content, said):
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    result = invoke("run", path, "--label-column", "b")
    assert result.exit_code == 2
    assert said in told(result)
    assert "Traceback" not in result.output


def test_missing_files_and_wrong_options_are_refused(csv, tmp_path):
    for arguments, said in (
        ([tmp_path / "none.csv"], "There is no file"),
        ([tmp_path], "a pool is opened from a file or a folder"),
        (
            [csv, "--strategy", "luck"],
            "choose one of aluma, simple_margin, qbc, cal, iwal, passive",
        ),
        ([csv, "--out", csv], "cannot be used as a folder"),
        ([csv, "--budget", 0], "budget"),
    ):
        result = invoke("run", *arguments, "--label-column", "kind")
        assert result.exit_code == 2, arguments
        assert said in told(result)
        assert "Traceback" not in result.output


def test_demo(tmp_path, monkeypatch):
    X, y = cli.demo.threes_and_eights()
    assert X.shape == (357, 64)
    assert set(y) == {3, 8}
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    monkeypatch.setattr(cli.demo, "threes_and_eights", lambda: (X[:40, 20:30], y[:40]))
    monkeypatch.setattr(cli.demo, "REPEATS", 1)
    result = invoke("demo", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    for title in (names.title(name) for name in comparison.COMPARED):
        assert f"│ {title}" in result.output
    assert len(pd.read_csv(tmp_path / "labelled-pool.csv")) == 40
    assert (tmp_path / "learning-curves.png").read_bytes()[:8] == PNG


def test_bench_runs_one_or_all(monkeypatch):
    calls = []
    programs = {
        "good": lambda console, quick: calls.append(("good", quick)) or True,
        "bad": lambda console, quick: calls.append(("bad", quick)) or False,
    }
    monkeypatch.setattr(cli.bench, "benchmarks", lambda: programs)
    assert invoke("bench", "good", "--quick").exit_code == 0
    assert invoke("bench").exit_code == 1
    assert calls == [("good", True), ("good", False), ("bad", False)]
    result = invoke("bench", "other")
    assert result.exit_code == 2
    assert "There is no benchmark 'other': choose one of good, bad." in told(result)


def test_bench_hands_a_file_of_results_to_those_that_keep_their_runs(monkeypatch, tmp_path):
    calls = []
    programs = {
        "keeps": lambda console, quick, results=None: calls.append(results) or True,
        "forgets": lambda console, quick: True,
    }
    monkeypatch.setattr(cli.bench, "benchmarks", lambda: programs)
    file = tmp_path / "runs.jsonl"
    assert invoke("bench", "keeps", "--results", file).exit_code == 0
    assert invoke("bench").exit_code == 0
    assert calls == [file, None]
    result = invoke("bench", "forgets", "--results", file)
    assert result.exit_code == 2
    assert "--results needs a benchmark that keeps its runs: keeps." in told(result)


def test_the_benchmarks_are_the_modules_that_run():
    assert "sampler" in cli.bench.benchmarks()
    assert "noise" in cli.bench.benchmarks()
    assert "cones" not in cli.bench.benchmarks()


def test_what_float64_cannot_settle_ends_a_run_with_a_sentence(csv, tmp_path, monkeypatch):
    tell = ALuMA.tell

    def at_a_loss(learner, i, label):
        if learner.n_answers == 2:
            raise Undecided("2 answers leave a cone too thin for float64.")
        tell(learner, i, label)

    monkeypatch.setattr(ALuMA, "tell", at_a_loss)
    result = invoke("run", csv, "--label-column", "kind", "--no-compare", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "ALuMA had to end after 2 labels" in told(result)
    assert "2 answers leave a cone too thin for float64." in told(result)
    assert "Traceback" not in result.output


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".toy"])
def test_run_takes_every_format_that_has_a_reader(tmp_path, monkeypatch, ending):
    path = tmp_path / f"flowers{ending}"
    if ending == ".jsonl":
        flowers().to_json(path, orient="records", lines=True)
    else:
        flowers().to_csv(path, sep="\t" if ending == ".tsv" else "~", index=False)
    monkeypatch.setitem(reading.TABLES, ".toy", lambda path: pd.read_csv(path, sep="~"))
    result = invoke(
        "run", path, "--label-column", "kind", "--no-compare", "--repeats", 1, "--out", tmp_path
    )
    assert result.exit_code == 0, result.output
    assert "40 rows, 2 numeric columns ('width', 'length')" in told(result)


def test_run_learns_from_the_texts_of_a_column(tmp_path):
    frame, kinds = demo.messages(60)
    frame.assign(kind=kinds).to_csv(tmp_path / "m.csv", index=False)
    read = read_labelled(tmp_path / "m.csv", "kind", "message")
    assert len(read.X) == len(read.y) == 60
    assert "60 texts in 'message'" in " ".join(read.notes)
    with pytest.raises(typer.Exit):
        read_labelled(tmp_path / "m.csv", "kind", "gone")
    with pytest.raises(typer.Exit):
        read_labelled(tmp_path / "m.csv", "kind")
