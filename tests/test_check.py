"""`aluma check`: a labelled file, checked at random."""

import json
import re
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from aluma.cli import app


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Write 300 labels of which 6 are wrong; a person gave the first 40."""
    rng = np.random.default_rng(4)
    truth = rng.choice(["ham", "spam"], 300)
    labels = truth.copy()
    wrong = 50 + 40 * np.arange(6)
    labels[wrong] = np.where(truth[wrong] == "spam", "ham", "spam")
    frame = pd.DataFrame({"text": [f"message [{i}]" for i in range(300)], "label": labels})
    frame["truth"], frame["vote_share"] = truth, 0.9
    frame["label_by"] = ["person"] * 40 + ["vote"] * 260
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    return path


def check(*words: object, said: str = "") -> Result:
    return CliRunner().invoke(app, ["check", *map(str, words)], input=said)


def test_a_column_of_right_labels_answers_and_mistakes_are_put_right(labelled: Path) -> None:
    result = check(labelled, "--truth-column", "truth", "--tolerance", 0.004)
    assert result.exit_code == 0, result.output
    assert re.search(
        r"Passed: at most 0\.3\d*% of the labels are wrong \(95% sure\)", result.output
    )
    fixed = pd.read_csv(labelled.with_name("labels-checked.csv"))
    assert (fixed["label"] != fixed["truth"]).sum() <= 1
    found = fixed["label_check"].value_counts()
    assert found["put right"] == len(fixed[fixed["label"] != pd.read_csv(labelled)["label"]])
    assert fixed["label_check"].notna().sum() == (fixed["label_by"] == "person").sum() - 40
    said = labelled.with_name("labels-checked.txt").read_text().splitlines()
    assert said[:2] == [line.partition(" Estimate")[0] for line in result.output.splitlines()[:2]]
    assert f"{found.sum()} of 300 labels checked at random, {found['put right']} wrong" in said[0]
    assert said[0].startswith(f"{date.today().isoformat()}, labels.csv: ")


def test_a_bad_labelling_fails_and_the_way_out_is_named(labelled: Path) -> None:
    result = check(labelled, "--label-column", "truth", "--truth-column", "text")
    assert result.exit_code == 0, result.output
    assert re.search(r"Failed: at least \d+(\.\d+)?% of the labels are wrong", result.output)
    assert "Better labels or the full labelling" in " ".join(result.output.split())


def test_answers_are_kept_and_the_same_command_goes_on(labelled: Path) -> None:
    first = check(labelled, said="\n\nnonsense\n\n:u\n:q\n")
    assert first.exit_code == 0, first.output
    assert "'nonsense' is none of the labels" in first.output
    assert "2 of 300 labels checked at random, 0 wrong" in " ".join(first.output.split())
    log = labelled.with_name("labels.csv.checks.jsonl")
    kept = [json.loads(line) for line in log.read_text().splitlines()]
    said = [set(line) - {"digest"} for line in kept[1:]]
    assert said == [{"example", "answer"}] * 3 + [{"undo"}]
    assert all("digest" in line for line in kept)
    # A line that was being written when the power went was never confirmed.
    log.write_text(log.read_text() + '{"example": 1')
    second = check(labelled, said="\n:q\n")
    assert "3 of 300 labels checked" in " ".join(second.output.split())
    shown = [line.split("[")[1].split("]")[0] for line in second.output.splitlines() if "[" in line]
    lines = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    assert lines[:4] == kept[1:]
    assert lines[4]["example"] == kept[3]["example"] == int(shown[0])
    drawn = pd.read_csv(labelled).loc[[line["example"] for line in lines if "example" in line]]
    drawn = drawn["label_by"]
    assert (drawn == "vote").all()


def test_a_label_that_did_not_occur_is_taken_when_it_is_typed_twice(labelled: Path) -> None:
    result = check(labelled, said="new\nother\nnew\nnew\nnew\n:q\n")
    told = " ".join(result.output.split())
    assert "2 of 300 labels checked at random, 2 wrong" in told
    assert told.count("is none of the labels") == 3
    closed = check(labelled, "--answers", "old", "--checks", f"{labelled}.x", said="new\nnew\n:q\n")
    assert "0 of 300 labels checked" in " ".join(closed.output.split())
    assert "once more" not in closed.output


def test_blind_checks_show_the_label_after_the_answer(labelled: Path) -> None:
    pd.read_csv(labelled).drop(columns="truth").to_csv(labelled, index=False)
    first = pd.read_csv(labelled).loc[drawn_first(labelled)]
    wrong = {"ham": "spam", "spam": "ham"}[first["label"]]
    result = check(labelled, "--blind", said=f"\n{wrong}\n:u\n{first['label']}\n:q\n")
    before, _, after = result.output.partition("The file says ")
    assert "hidden: type the right one" in " ".join(before.split())
    assert f" {first['label']} " not in f"{before} "
    assert after.startswith(f"'{first['label']}': put right.")
    assert f"The file says '{first['label']}': right." in after
    assert "1 of 300 labels checked at random, 0 wrong" in " ".join(after.split())


def drawn_first(path: Path) -> int:
    """Return which row is asked about first."""
    kept = path.with_name("first.jsonl")
    check(path, "--checks", kept, said="\n:q\n")
    return json.loads(kept.read_text().splitlines()[1])["example"]


def test_options_of_the_page_and_of_a_column_exclude_each_other(labelled: Path) -> None:
    for words, said in [
        (["--port", 0], "--port is about the page"),
        (["--images", labelled.parent], "--images is about the page"),
        (["--browser", "--truth-column", "truth"], "--truth-column answers for you"),
        (["--blind", "--truth-column", "truth"], "--truth-column answers for you"),
        (["--no-browser", "--port", 70000], "65535"),
        (["--no-browser", "--token", "short"], "at least 8 plain characters"),
        (["--no-browser", "--images", labelled], "is no folder of images"),
        (["--no-browser", "--images", labelled.parent], "no column names an image"),
    ]:
        result = check(labelled, *words)
        assert result.exit_code == 2, words
        assert said in " ".join(result.output.split()), words


def test_another_file_or_other_settings_are_refused(labelled: Path) -> None:
    check(labelled, said="\n:q\n")
    other = check(labelled, "--tolerance", 0.1, said=":q\n")
    assert other.exit_code == 2
    assert "not the same: tolerance" in " ".join(other.output.split())
    with labelled.open("a") as file:
        file.write("more,ham,ham,0.9,vote\n")
    assert "not the same: file" in " ".join(check(labelled, said=":q\n").output.split())


def test_columns_that_are_not_there_are_named(labelled: Path) -> None:
    result = check(labelled, "--label-column", "no")
    assert result.exit_code == 2
    assert "has no column 'no'" in result.output


def test_a_missing_label_and_missing_votes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("text,label\na,x\nb,\n")
    assert "no value in column 'label' of row 1" in " ".join(check(path).output.split())
    path.write_text('text,label\na,x\nb," "\n')
    assert "no value in column 'label' of row 1" in " ".join(check(path).output.split())
    path.write_text("text,label\na,x\nb,y\n")
    assert "needs a column 'vote_share'" in check(path, "--by-doubt").output


def test_checking_again_what_was_put_right_draws_other_rows(tmp_path: Path) -> None:
    """A labelling that failed must not pass because the same rows, now right, are drawn again."""
    rng = np.random.default_rng(9)
    truth = rng.choice(["a", "b"], 1500)
    labels = np.where(rng.random(1500) < 0.15, np.where(truth == "a", "b", "a"), truth)
    path = tmp_path / "l.csv"
    pd.DataFrame({"label": labels, "truth": truth}).to_csv(path, index=False)
    for _ in range(3):
        result = check(path, "--truth-column", "truth")
        before = pd.read_csv(path)
        path = path.with_name(f"{path.stem}-checked.csv")
        after = pd.read_csv(path)
        assert result.exit_code == 0, result.output
        asked = after.index[after["label_by"] == "person"]
        earlier = before.index[before["label_by"] == "person"] if "label_by" in before else []
        assert set(earlier) < set(asked)
        assert (after.loc[asked, "label"] == after.loc[asked, "truth"]).all()


def test_labels_that_look_like_commands_can_be_typed(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    pd.DataFrame({"label": ["u", "q"] * 30}).to_csv(path, index=False)
    result = check(path, said="u\nq\n:q\n")
    assert "2 of 60 labels checked" in " ".join(result.output.split())


def test_files_that_cannot_be_used_are_said_to_be_so(labelled: Path, tmp_path: Path) -> None:
    log = labelled.with_name("labels.csv.checks.jsonl")
    for content in ("[1]\n", "no\n"):
        log.write_text(content)
        assert "is damaged" in check(labelled, said=":q\n").output
    missing = check(labelled, "--checks", tmp_path / "nowhere" / "x", said=":q\n")
    assert missing.exit_code == 2
    assert "Traceback" not in missing.output


def test_whole_numbers_are_one_label_whatever_their_type(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    pd.DataFrame({"label": [0, 1] * 50, "truth": [0.0, 1.0] * 50}).to_csv(path, index=False)
    assert "0 wrong" in check(path, "--truth-column", "truth").output
