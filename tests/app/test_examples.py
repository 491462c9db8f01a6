"""The example scripts do what they say."""

import json
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

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


def used(page, capsys, *paths) -> list[bool]:
    """Return what the exported model says about files, by the example script."""
    Path("model.json").write_bytes(page.client.get("/api/export/model.json").content)
    runpy.run_path(str(EXAMPLES / "use_model.py"))["main"]("model.json", *map(str, paths))
    return [line == page.desk.task.labels[1] for line in capsys.readouterr().out.splitlines()]


def test_a_model_of_embeddings_takes_their_numbers(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(40, 5)) + 3.0
    np.save("e.npy", X)
    page = run(tmp_path / "e.npy")
    for i in range(12):
        page.answer(i, "yes" if X[i, 0] > 3 else "no")
    pd.DataFrame(X).to_csv("rows.csv", index=False)
    assert np.mean(used(page, capsys, "rows.csv") == labelled(page.desk).yes) > 0.95


def test_a_model_of_images_takes_their_files(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder, rng = tmp_path / "pictures", np.random.default_rng(0)
    folder.mkdir()
    for i in range(20):
        picture = rng.integers(0, 60, size=(24, 24, 3), dtype=np.uint8)
        picture[:, 12 * (i % 2) : 12 * (i % 2) + 12] += 150
        Image.fromarray(picture).save(folder / f"{i:02}.png")
    page = run(folder)
    for i in range(8):
        page.answer(i, "yes" if i % 2 else "no")
    found = used(page, capsys, *sorted(folder.iterdir()))
    assert found == labelled(page.desk).yes.tolist() == [bool(i % 2) for i in range(20)]
