"""The backend for Label Studio, against as much of its protocol as it needs.

``test_label_studio_peer.py`` has the same with Label Studio itself.
"""

import base64
import re
import struct
import zlib
from contextlib import contextmanager

import numpy as np
import pytest
from fastapi.testclient import TestClient

from aluma.adapters.label_studio.backend import Backend, application
from aluma.adapters.label_studio.config import Question
from aluma.adapters.label_studio.project import Project
from aluma.adapters.label_studio.studio import Studio
from aluma.errors import BadInput
from fake_studio import CONFIG, HOME, FakeStudio

TOKEN = "a-token-of-a-backend"
SETUP = {"project": "1.1763424000", "schema": CONFIG, "hostname": HOME, "access_token": "legacy"}


def plane(size: int = 40):
    points = np.random.default_rng(5).standard_normal((size, 2)).round(3)
    return [{"x": float(x), "y": float(y)} for x, y in points]


def side(task) -> str:
    row = task["data"]["row"]
    return "right" if row["x"] + 0.5 * row["y"] > 0.1 else "left"


@contextmanager
def running(folder, studio, **more):
    """Serve a backend that Label Studio has connected to."""
    said = []
    backend = Backend(folder, connect=studio.connect, say=said.append, **more)
    client = TestClient(application(backend, TOKEN), base_url=f"http://127.0.0.1:9090/{TOKEN}")
    assert client.post("/setup", json=SETUP).json() == {"model_version": "aluma"}
    backend.wait()
    try:
        yield backend, client, said
    finally:
        backend.close()


def session_of(backend):
    return backend._projects[1].session


def answer(client, studio, task=None, label=None):
    task = task or studio.next()
    event = studio.annotate(task["id"], label or side(task))
    assert client.post("/webhook", json=event).status_code == 200
    return task["id"]


def test_the_next_task_is_the_question_and_everything_goes_on_after_a_stop(tmp_path):
    studio = FakeStudio(plane())
    with running(tmp_path, studio) as (backend, client, said):
        assert client.get("/health").json()["status"] == "UP"
        assert said == ["Project 1: 0 annotations. Learning."]
        assert len(studio.predictions) == 40
        for _ in range(8):
            backend.wait()
            task = studio.next()
            assert backend._projects[1].tasks.index(task["id"]) == session_of(backend).ask()
            shown = next(p for p in studio.predictions.values() if p["task"] == task["id"])
            assert (shown["score"], shown["result"]) == (0.0, [])  # who is asked is not prompted
            answer(client, studio)
        backend.wait()
        assert session_of(backend).n_answers == 8
        tasks = [{"id": number} for number in studio.tasks]
        found = client.post("/predict", json={"project": "1.2", "tasks": tasks}).json()["results"]
        assert [one["model_version"] for one in found] == ["aluma"] * 40
        order = session_of(backend).answered.tolist()
    answer_given_meanwhile = studio.next()
    studio.annotate(answer_given_meanwhile["id"], side(answer_given_meanwhile))
    with running(tmp_path, studio) as (backend, client, _):
        assert session_of(backend).answered.tolist()[:8] == order
        assert session_of(backend).n_answers == 9
        while not session_of(backend).finished:
            answer(client, studio)
            backend.wait()
        said = client.get("/").text
        assert re.search(r"You can stop here\. .* checked at random, .*: at most", said)
    labels = {
        p["task"]: p["result"][0]["value"]["choices"][0]
        for p in studio.predictions.values()
        if p["result"]
    }
    wrong = [number for number, label in labels.items() if label != side(studio.tasks[number])]
    assert len(labels) > 30
    assert len(wrong) <= 4  # two are allowed for, and that may fail
    assert len(list(tmp_path.glob("*.aluma"))) == 1


def test_skips_changes_deletions_and_new_tasks_are_followed(tmp_path):
    studio = FakeStudio(plane())
    with running(tmp_path, studio) as (backend, client, _):
        given = [answer(client, studio) for _ in range(4)]
        skipped = studio.next()["id"]
        client.post("/webhook", json=studio.annotate(skipped, None))
        backend.wait()
        assert session_of(backend).n_answers == 4
        assert studio.next()["id"] != skipped

        other = {"left": "right", "right": "left"}[side(studio.tasks[given[1]])]
        event = studio.annotate(given[1], other)
        client.post("/webhook", json={**event, "action": "ANNOTATION_UPDATED"})
        backend.wait()
        assert other in session_of(backend).answers.tolist()[1]
        assert session_of(backend).n_answers == 4

        first = session_of(backend).path
        studio.tasks[given[0]]["annotations"].clear()
        client.post("/webhook", json={"action": "ANNOTATIONS_DELETED", "project": {"id": 1}})
        backend.wait()
        assert session_of(backend).n_answers == 3
        assert session_of(backend).path != first

        extra = {"id": 99, "data": {"row": {"x": 0.0, "y": 0.3}}, "annotations": []}
        studio.tasks[99] = extra
        client.post("/webhook", json={"action": "TASKS_CREATED", "project": {"id": 1}})
        backend.wait()
        assert len(session_of(backend).pool) == 41
        assert session_of(backend).n_answers == 3
        assert len(studio.predictions) == 41


def test_what_is_wrong_is_said_and_can_be_put_right(tmp_path):
    studio = FakeStudio(plane(1))
    with running(tmp_path, studio) as (backend, client, said):
        assert "has 1 tasks: import some more" in said[-1]
        assert "import some more" in client.get("/").text
        blank = client.post("/predict", json={"project": "1.2", "tasks": [{"id": 10}]}).json()
        assert blank["results"] == [{"model_version": "aluma", "score": 0.5, "result": []}]
        studio.tasks = FakeStudio(plane()).tasks
        studio.refuses = True
        client.post("/webhook", json={"action": "TASKS_CREATED", "project": {"id": 1}})
        backend.wait()
        assert "personal access token in its Account & Settings" in said[-1]
        studio.refuses = False
        client.post("/setup", json=SETUP)
        backend.wait()
        assert said[-1] == "Project 1: 0 annotations. Learning."
        far = {**SETUP, "hostname": "http://example.org", "schema": CONFIG + " "}
        refused = client.post("/setup", json=far)
        assert refused.status_code == 400
        assert "--label-studio" in refused.json()["error"]
        assert client.get("/", headers={"host": "example.org"}).status_code == 421
        nothing = {"action": "ANNOTATION_CREATED", "project": {"id": 1}}
        assert client.post("/webhook", json=nothing).status_code == 200
        backend.wait()
        assert client.get("/health").status_code == 200


def test_configurations_of_texts_images_and_tables_are_read():
    made = Question.of(
        '<View><Image name="i" value="$url"/><Choices name="c" toName="i">'
        '<Choice value="cat" alias="c"/><Choice value="dog"/></Choices></View>'
    )
    assert (made.kind, made.field, made.labels) == ("image", "url", ("c", "dog"))
    assert Question.of(CONFIG).kind == "table"
    for config, why in (
        ("<View", "no XML"),
        ("<View/>", "0 single choices"),
        (CONFIG.replace("left", "right"), "all different"),
        (CONFIG.replace("$row", "row"), "shows a field"),
    ):
        with pytest.raises(BadInput, match=why):
            Question.of(config)


def test_images_come_from_label_studio_or_not_at_all_and_are_no_bombs(tmp_path):
    studio = Studio(HOME, "t")
    assert studio.picture("data:image/png;base64,aGk=").read() == b"hi"
    with pytest.raises(BadInput, match="elsewhere than in Label Studio"):
        studio.picture("http://example.org/cat.png")
    project = Project(1, Question.of(CONFIG), studio, tmp_path)
    header = struct.pack(">IIBBBBB", 10**5, 10**5, 8, 0, 0, 0, 0)
    crc = struct.pack(">I", zlib.crc32(b"IHDR" + header))
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + header + crc
    for content in (b"hi", bomb):
        with pytest.raises(BadInput, match="cannot be read as an image"):
            project._images([f"data:;base64,{base64.b64encode(content).decode()}"])
    studio.close()


def test_nobody_speaks_with_it_without_its_address_or_from_a_web_page(tmp_path):
    with running(tmp_path, FakeStudio(plane())) as (_, client, _):
        assert client.get("/", headers={"sec-fetch-site": "none"}).status_code == 200
        for headers, status in (
            ({"content-type": "text/plain"}, 415),
            ({"content-type": ""}, 415),
            ({"origin": "http://127.0.0.1:9090", "content-type": "application/json"}, 403),
            ({"sec-fetch-site": "cross-site", "content-type": "application/json"}, 403),
            ({"content-length": str(2**40), "content-type": "application/json"}, 413),
        ):
            assert client.post("/webhook", content="{}", headers=headers).status_code == status
        client.base_url = "http://127.0.0.1:9090"
        for path in ("/setup", "/webhook", "/wrong/setup", f"/{TOKEN}", f"//{TOKEN}/setup"):
            assert client.post(path, json=SETUP).status_code == 401


@pytest.mark.parametrize("annotation", [{}, {"task": None}, {"task": 10, "result": ["x"]}])
def test_a_message_that_makes_no_sense_is_said_and_does_not_end_it(tmp_path, annotation):
    studio = FakeStudio(plane())
    with running(tmp_path, studio) as (backend, client, _):
        event = {"action": "ANNOTATION_CREATED", "project": {"id": 1}, "annotation": annotation}
        assert client.post("/webhook", json=event).status_code == 200
        backend.wait()
        assert client.get("/health").status_code == 200
        assert client.post("/webhook", json={**event, "project": {"id": "x"}}).status_code == 422
        wrong = {"project": "x", "tasks": [{"id": 10}]}
        assert client.post("/predict", json=wrong).status_code == 422
        answer(client, studio)
        backend.wait()
        assert session_of(backend).n_answers == 1
