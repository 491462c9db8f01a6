"""The example scripts do what they say."""

import json
import runpy
from pathlib import Path

import pandas as pd

from aluma.app.export import labelled
from aluma.app.opening import demo_answers
from running_page import TOKEN

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_another_tool_drives_the_page_and_uses_the_model(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = run(tolerance=0.08)
    runpy.run_path(str(EXAMPLES / "drive_page.py"))["main"](f"{page.url}/?token={TOKEN}")
    assert int(capsys.readouterr().out.split()[0]) == page.desk.session.n_answers
    frame = pd.read_csv("labelled.csv")
    assert (frame["label"] == pd.Series(demo_answers())).mean() > 0.9

    Path("model.json").write_bytes(page.client.get("/api/export/model.json").content)
    page.desk.examples.frame.to_csv("rows.csv", index=False)
    runpy.run_path(str(EXAMPLES / "use_model.py"))["main"]("model.json", "rows.csv")
    said = capsys.readouterr().out.split("\n")[:-1]
    yes = [label == page.desk.task.labels[1] for label in said]
    # The model is a support vector machine on these very labels, so it may miss a few.
    assert (pd.Series(yes) == labelled(page.desk).yes).mean() > 0.97
    assert json.loads(Path("model.json").read_text())["format"] == "aluma-linear-model-1"
