"""The page on which labels are checked: its interface, what it refuses, what it gives away."""

import io
import json
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from aluma.app import check_file, export
from aluma.errors import BadInput
from browsing import begun, end
from check_server import command, desk
from checking import checking, messages
from running_page import TOKEN, Running


@pytest.fixture
def page(stack: ExitStack, tmp_path: Path) -> Callable[..., Running]:
    """Return a function that serves the page for a file."""

    def running(path: Path | None = None, **settings: Any) -> Running:
        return checking(stack, path or messages(tmp_path / "m.csv")[0], **settings)

    return running


def answer(page: Running, label: str | None = None, **more: Any) -> httpx.Response:
    """Answer the check that is asked now."""
    body = {"example": page.state()["question"]["example"], **more}
    return page.post("answer", **body, **({} if label is None else {"label": label}))


def exported(page: Running) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(page.client.get("/api/export/labels.csv").content))


def test_checks_until_it_passes_and_beyond(page: Callable[..., Running], tmp_path: Path) -> None:
    path, truth = messages(tmp_path / "m.csv", wrong=0.1)
    one, given = page(path, tolerance=0.25), pd.read_csv(path)["label"]
    first = one.state()
    assert first["evidence"]["headline"].startswith("Nothing checked yet: 11 random checks")
    assert first["given"] == given[first["question"]["example"]]
    assert first["labels"] == ["ham", "spam", "news"]
    checked: list[int] = []
    while not (state := one.state())["evidence"]["passed"]:
        example = state["question"]["example"]
        checked.append(example)
        right = {} if truth[example] == state["given"] else {"label": truth[example]}
        assert one.post("answer", example=example, **right).json()["version"] == len(checked)
    evidence, wrong = one.state()["evidence"], sum(truth[i] != given[i] for i in checked)
    assert evidence["checked"] == len(set(checked)) == len(checked)
    assert evidence["wrong"] == wrong
    assert evidence["verdict"].startswith("Passed: at most ")
    assert answer(one).status_code == 200
    frame, told = exported(one), checked + one.desk.audit.checked[-1:].tolist()
    assert sorted(frame.index[frame["label_check"].notna()]) == sorted(told)
    assert (frame["label_check"] == "put right").sum() == wrong
    assert (frame.loc[told, "label"] == [truth[i] for i in told]).all()
    assert set(frame.loc[told, "label_by"]) == {"person"}
    text = one.client.get("/api/export/statement.txt")
    assert "attachment; filename=m-checked.txt" in text.headers["content-disposition"]
    sentence = text.text.splitlines()[0]
    assert sentence == one.state()["evidence"]["statement"]
    assert sentence.startswith(f"{date.today().isoformat()}, m.csv: {len(told)} of 300 labels")
    assert f"{wrong} wrong" in sentence
    assert wrong > 0


def test_failing_is_said_with_the_ways_out(page: Callable[..., Running], tmp_path: Path) -> None:
    path, truth = messages(tmp_path / "m.csv", wrong=0.6)
    one = page(path)
    while not (state := one.state())["evidence"]["failed"]:
        answer(one, truth[state["question"]["example"]])
    evidence = one.state()["evidence"]
    assert evidence["verdict"].startswith("Failed: at least ")
    assert "Better labels" in evidence["advice"]
    assert answer(one).status_code == 200


def test_a_request_that_is_repeated_counts_once_also_after_a_restart(tmp_path: Path) -> None:
    path, _ = messages(tmp_path / "m.csv")
    body: dict[str, Any] = {"request": "mine"}
    with ExitStack() as stack:
        one = checking(stack, path)
        body["example"] = one.state()["question"]["example"]
        assert not one.client.post("/api/answer", json=body).json()["repeated"]
        assert one.client.post("/api/answer", json=body).json()["repeated"]
        following = one.state()["question"]
    with ExitStack() as stack:
        again = checking(stack, path)
        assert again.client.post("/api/answer", json=body).json()["repeated"]
        assert again.state()["question"] == following
        assert again.state()["evidence"]["checked"] == 1
        undo = {"request": "back"}
        assert again.client.post("/api/undo", json=undo).json()["example"] == body["example"]
        assert again.client.post("/api/undo", json=undo).json()["repeated"]
        assert again.state()["evidence"]["checked"] == 0
        assert again.state()["question"]["example"] == body["example"]
        assert again.post("undo").status_code == 409


def test_only_the_check_that_was_drawn_can_be_answered(page: Callable[..., Running]) -> None:
    one = page()
    drawn = one.state()["question"]["example"]
    refused = one.post("answer", example=(drawn + 1) % 300)
    assert refused.status_code == 409
    assert f"row {drawn + 1} is: perhaps it was checked in another tab" in refused.text
    assert one.post("answer", example=10**9).status_code == 409
    assert one.post("skip", example=drawn).status_code == 404
    for label in ("", "  ", "x" * 1001, 3):
        assert one.post("answer", example=drawn, label=label).status_code == 422
    assert one.state()["evidence"]["checked"] == 0


def test_a_label_that_is_new_must_be_meant(page: Callable[..., Running]) -> None:
    one = page()
    refused = answer(one, "soap")
    assert refused.status_code == 409
    assert "'soap' is no label so far" in refused.text
    assert answer(one, "soap", new=True).status_code == 200
    assert one.state()["labels"][-1] == "soap"
    assert answer(one, "soap").status_code == 200
    assert one.state()["evidence"]["wrong"] == 2


def test_a_closed_list_takes_no_other_label(page: Callable[..., Running]) -> None:
    one = page(answers=("eggs",))
    assert one.state()["closed"]
    assert one.state()["labels"] == ["ham", "spam", "news", "eggs"]
    refused = answer(one, "soap", new=True)
    assert refused.status_code == 409
    assert "'soap' is none of the labels" in refused.text
    assert answer(one, "eggs").status_code == 200


def test_blind_hides_the_label_until_the_answer(page: Callable[..., Running]) -> None:
    one = page(blind=True)
    state, labels = one.state(), one.desk.file.labels
    assert state["given"] is None
    assert "label" not in [field["name"] for field in state["question"]["fields"]]
    drawn = state["question"]["example"]
    assert answer(one).status_code == 409
    assert answer(one, labels[drawn]).status_code == 200
    last = one.state()["last"][0]
    assert (last["given"], last["answer"], last["wrong"]) == (labels[drawn], labels[drawn], False)


def test_a_person_s_labels_are_not_drawn_and_nothing_may_be_left(
    page: Callable[..., Running], tmp_path: Path
) -> None:
    path = tmp_path / "few.csv"
    by = ["person"] * 3 + ["vote"] * 2
    pd.DataFrame({"x": range(5), "label": [1, 2, 1, 2, 1], "label_by": by}).to_csv(
        path, index=False
    )
    one = page(path)
    for _ in range(2):
        assert one.state()["question"]["example"] >= 3
        assert [field["name"] for field in one.state()["question"]["fields"]] == ["x"]
        assert answer(one).status_code == 200
    assert one.state()["question"] is None
    assert one.state()["evidence"]["bound"] == 0
    assert one.post("answer", example=0).status_code == 409


def test_nothing_that_the_labelling_page_says_of_a_label_is_shown_with_it(tmp_path: Path) -> None:
    """What gives the label away would make a blind check none."""
    frame = pd.DataFrame({"x": range(4), **dict.fromkeys(export.ADDED, "a")})
    frame.to_csv(tmp_path / "labelled.csv", index=False)
    assert list(check_file.read(tmp_path / "labelled.csv").shown.columns) == ["x"]


def test_images_are_shown_from_the_folder_and_no_other(
    page: Callable[..., Running], tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    names = [f"{i}.png" for i in range(6)]
    for name in names:
        Image.new("RGB", (8, 8)).save(folder / name)
    Image.new("RGB", (8, 8)).save(tmp_path / "secret.png")
    path = tmp_path / "labels.csv"
    frame = pd.DataFrame({"file": names, "label": ["cat", "dog"] * 3})
    frame.to_csv(path, index=False)
    one = page(path, images=folder)
    card = one.state()["question"]
    assert card["kind"] == "image"
    assert card["title"] == names[card["example"]]
    assert one.client.get(card["image"]).headers["content-type"] == "image/png"
    for name, said in [("../secret.png", "no such file"), ("missing.png", "no such file")]:
        frame.assign(file=[name, *names[1:]]).to_csv(tmp_path / "other.csv", index=False)
        with pytest.raises(BadInput, match=said):
            desk(tmp_path / "other.csv", images=folder)
    stack = tmp_path / "stack.npy"
    np.save(stack, np.zeros((6, 8, 8)))
    frame.to_csv(tmp_path / "third.csv", index=False)
    assert page(tmp_path / "third.csv", images=stack).state()["question"]["kind"] == "image"
    np.save(stack, np.zeros((5, 8, 8)))
    frame.to_csv(tmp_path / "fourth.csv", index=False)
    with pytest.raises(BadInput, match="there are 6 rows"):
        desk(tmp_path / "fourth.csv", images=stack)


def test_files_that_cannot_be_checked_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": ""}\n')
    with pytest.raises(BadInput, match="no value in column 'label' of row 1"):
        desk(path)
    with pytest.raises(BadInput, match="has no column 'kind'"):
        desk(path, column="kind")


def test_it_is_guarded_as_the_labelling_page_is(page: Callable[..., Running]) -> None:
    one = page()
    with httpx.Client(base_url=one.url, trust_env=False) as stranger:
        for path in ("/", "/check.js", "/api/state", "/api/export/labels.csv"):
            response = stranger.get(path)
            assert response.status_code == 401, path
            assert "message" not in response.text
        known = {"authorization": f"Bearer {TOKEN}"}
        assert stranger.get("/api/state", headers=known | {"host": "evil.test"}).status_code == 421
        origin = known | {"origin": "http://evil.test"}
        assert stranger.post("/api/undo", json={}, headers=origin).status_code == 403
        plain = known | {"content-type": "text/plain"}
        assert stranger.post("/api/undo", content="{}", headers=plain).status_code == 415
    assert "script-src 'self'" in one.client.get("/").headers["content-security-policy"]
    assert "checked" in one.client.get("/").text
    assert one.client.get("/main.js").status_code == 200
    for path in ("/check", "/index", "/index.html", "/../check.py"):
        assert one.client.get(path).status_code == 404, path


def test_what_labels_and_texts_hold_stays_text(
    page: Callable[..., Running], tmp_path: Path
) -> None:
    attack = "<script>alert(1)</script>\u2028\ud800"
    path = tmp_path / "bad.jsonl"
    rows = [{"text": attack, "label": attack if i % 2 else "fine"} for i in range(6)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    one = page(path)
    for _ in range(3):
        assert answer(one).status_code == 200
    assert one.state()["evidence"]["wrong"] == 0
    assert len(exported(one)) == 6


def test_no_check_is_lost_or_doubled_by_kill_9(tmp_path: Path) -> None:
    """Send checks as fast as they are taken, kill the server, start it again, repeat the last."""
    path, truth = messages(tmp_path / "m.csv", wrong=0.1)
    sent: list[tuple[int, str]] = []
    for run in range(2):
        server, link = begun(command(path, TOKEN))
        client = httpx.Client(
            base_url=link.partition("/?")[0], headers={"authorization": f"Bearer {TOKEN}"},
            trust_env=False, timeout=30,
        )  # fmt: skip
        try:
            if sent:
                repeated = {"request": f"r{len(sent) - 1}", "example": sent[-1][0]}
                assert client.post(
                    "/api/answer", json={**repeated, "label": sent[-1][1]}
                ).is_success
            checked = client.get("/api/state").json()["evidence"]["checked"]
            assert checked == len(sent)
            hammer = Thread(target=pour, args=(client, truth, sent))
            hammer.start()
            while len(sent) < 8 * (run + 1):
                hammer.join(0.01)
        finally:
            end(server)
        hammer.join()
        client.close()
    found = desk(path)
    kept = list(zip(found.audit.checked.tolist(), found.audit.answers, strict=True))
    found.close()
    # The last one may have been on its way when the server was killed.
    assert kept in (sent, sent[:-1])
    assert len({example for example, _ in kept}) == len(kept)


def pour(client: httpx.Client, truth: list[str], sent: list[tuple[int, str]]) -> None:
    """Answer until the server is gone; what was sent is noted before it is."""
    try:
        while True:
            example = client.get("/api/state").json()["question"]["example"]
            sent.append((example, truth[example]))
            body = {"request": f"r{len(sent) - 1}", "example": example, "label": truth[example]}
            assert client.post("/api/answer", json=body).is_success
    except httpx.HTTPError:
        return
