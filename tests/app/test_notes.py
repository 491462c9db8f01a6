"""Notes about examples: kept through a restart, exported, and never taken for anything else."""

import io

import pandas as pd
import pytest

from running_page import LABELS

HOSTILE = '<script>alert(1)</script>\n"quoted", \u202egnp.exe\u202c שלום\x00'


def exported(page) -> pd.DataFrame:
    content = page.client.get("/api/export/labels.csv").content
    return pd.read_csv(io.BytesIO(content), keep_default_na=False)


def test_a_note_is_shown_kept_exported_and_taken_away(run, points, stack):
    path, truth = points
    page = run(path, **LABELS)
    example = page.question()["question"]["example"]
    assert "label_note" not in exported(page)
    once = {"request": "note", "example": example, "text": HOSTILE}
    assert not page.client.post("/api/note", json=once).json()["repeated"]
    assert page.client.post("/api/note", json=once).json()["repeated"]
    kept = HOSTILE.replace("\x00", "")
    assert page.question()["question"]["note"] == kept
    page.answer(example, truth[example])
    assert page.state()["last"][0]["card"]["note"] == kept
    page.post("undo")
    assert exported(page)["label_note"][example] == kept
    stack.close()
    again = run(path, **LABELS)
    assert again.client.get(f"/api/examples/{example}").json()["note"] == kept
    gone = {"request": "gone", "example": example, "text": " "}
    assert not again.client.post("/api/note", json=gone).json()["repeated"]
    assert "label_note" not in exported(again)


def test_notes_stay_when_messy_data_are_allowed_for(run, points):
    path, truth = points
    page = run(path, **LABELS, slack=0)
    page.answer(0, truth[0])
    page.post("note", example=1, text="doubtful")
    assert page.post("slack").status_code == 200
    assert page.desk.session.beside == {"note 1": "doubtful"}


@pytest.mark.parametrize(
    ("body", "code"),
    [({"example": 0, "text": "x" * 2001}, 422), ({"example": 99, "text": "x"}, 409)],
)
def test_what_cannot_be_kept_is_refused(run, points, body, code):
    path, _ = points
    assert run(path, **LABELS).post("note", **body).status_code == code
