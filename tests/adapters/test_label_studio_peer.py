"""Label Studio from PyPI asks aluma's questions: ``make test-peers``.

Set LABEL_STUDIO to its executable, in an environment of its own. All on loopback; both servers are
killed on the way, and at the end.
"""

import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from aluma.app import demo
from aluma.app.people import tokens

pytestmark = [pytest.mark.peers, pytest.mark.timeout(1800)]
LABEL_STUDIO = os.environ.get("LABEL_STUDIO")
if not LABEL_STUDIO:
    pytest.skip("needs LABEL_STUDIO, the path of label-studio", allow_module_level=True)

#: What a person says about what a task shows.
Answer = Callable[[Any], str]
PERSON = {"email": "person@example.org", "password": "long-enough-1"}
CONFIG = f"""<View><Text name="text" value="$text"/><Choices name="kind" toName="text">
<Choice value="{demo.NO}"/><Choice value="{demo.YES}"/></Choices></View>"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health", trust_env=False, timeout=5).is_success
    except httpx.HTTPError:
        return False


@contextmanager
def started(command, address, log: Path, **environment):
    """Run a server until it is killed at the end; wait for its health."""
    with log.open("ab") as file:
        server = subprocess.Popen(
            command, stdout=file, stderr=file, env=os.environ | environment, cwd=log.parent
        )
        try:
            while not healthy(address):
                assert server.poll() is None, log.read_text()[-2000:]
                time.sleep(0.5)
            yield server
        finally:
            server.kill()
            server.wait()


@contextmanager
def studio(folder: Path, port: int):
    command = [LABEL_STUDIO, "start", "--no-browser", "--internal-host", "127.0.0.1",
               "--port", str(port), "--username", PERSON["email"],
               "--password", PERSON["password"]]  # fmt: skip
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "ML_BLOCK_LOCAL_IP": "false",
        "SSRF_PROTECTION_ENABLED": "false",
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    with started(command, f"http://127.0.0.1:{port}", folder / "studio.log", **settings):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def backend(folder: Path, port: int, token: str, address: str):
    command = [sys.executable, "-m", "aluma", "label-studio", "--port", str(port),
               "--folder", str(folder / "sessions"), "--label-studio", address]  # fmt: skip
    (folder / "sessions").mkdir(exist_ok=True)
    secret = tokens.token(tokens.key_of(folder / "sessions" / "backend"), "Label Studio")
    place = f"http://127.0.0.1:{port}/{secret}"
    with started(command, place, folder / "backend.log", LABEL_STUDIO_API_KEY=token):
        yield place


@contextmanager
def person(address: str):
    """Log in, and be a client."""
    with httpx.Client(
        base_url=address, trust_env=False, timeout=60, follow_redirects=True
    ) as client:
        client.get("/user/login/")
        form = {**PERSON, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
        client.post("/user/login/", data=form, headers={"referer": f"{address}/user/login/"})
        client.headers.update({"x-csrftoken": client.cookies["csrftoken"], "referer": address})
        yield client


def words(place: str) -> str:
    return httpx.get(f"{place}/", trust_env=False, timeout=30).text


def until(place: str, what: str) -> str:
    for _ in range(240):
        if what in (said := words(place)):
            return said
        time.sleep(0.5)
    raise AssertionError(f"{what!r} never came: {said}")


def made(client: httpx.Client, config: str) -> int:
    """Make a project, and return its number."""
    new = client.post("/api/projects", json={"title": "a project", "label_config": config})
    return new.json()["id"]


def connect(client: httpx.Client, project: int, place: str) -> None:
    """Connect a project with the backend, and wait until it can be learnt from."""
    model = {"url": place, "project": project, "title": "aluma"}
    assert client.post("/api/ml", json=model).status_code == 201
    until(place, f"Project {project}: 0 annotations. Learning.")


def annotate(client: httpx.Client, project: int, answer: Answer, about: str = "text") -> float:
    """Answer the task that Label Studio shows next; return its score."""
    task = client.get(f"/api/projects/{project}/next").json()
    chosen = {"from_name": "kind", "to_name": about, "type": "choices",
              "value": {"choices": [answer(task["data"][about])]}}  # fmt: skip
    # With the task it shows predictions only while the backend is there; it orders by those it has.
    kept = client.get("/api/predictions", params={"task": task["id"]}).json()
    score = score_of(kept, task["predictions"])
    sent = client.post(f"/api/tasks/{task['id']}/annotations/", json={"result": [chosen]})
    assert sent.status_code == 201, sent.text
    return score


def score_of(kept, shown) -> float:
    """Return the score that Label Studio orders a task by; who is asked sees no label."""
    mine = [one for one in kept if one["model_version"] == "aluma"]
    assert len(mine) == 1
    if mine[0]["score"] < 0.01:
        assert all(one["result"] == [] for one in [*mine, *shown])
    return mine[0]["score"]


def test_label_studio_asks_in_alumas_order_and_goes_on_after_both_were_killed(tmp_path):
    frame, labels = demo.messages()
    texts = frame[max(frame.columns, key=lambda name: frame[name].astype(str).str.len().mean())]
    truth = dict(zip(texts.tolist()[:120], list(labels)[:120], strict=True))
    answer = truth.__getitem__
    ports = free_port(), free_port()
    with studio(tmp_path, ports[0]) as address, person(address) as client:
        version = client.get("/api/version").json()["label-studio-os-package"]["version"]
        token = client.post("/api/token/", json={}).json()["token"]
        with backend(tmp_path, ports[1], token, address) as place:
            project = made(client, CONFIG)
            client.post(f"/api/projects/{project}/import", json=[{"text": t} for t in truth])
            connect(client, project, place)
            scores = []
            for given in range(1, 16):
                scores.append(annotate(client, project, answer))
                until(place, f"{given} annotations")
            assert scores == [0.0] * 15  # each time the question itself, the lowest of all
    with studio(tmp_path, ports[0]) as address, person(address) as client:
        # An annotation that nobody hears of before the backend is back.
        assert annotate(client, project, answer) == 0.0
        with backend(tmp_path, ports[1], token, address) as place:
            model = client.get("/api/ml", params={"project": project}).json()[0]
            client.get(f"/api/ml/{model['id']}")
            until(place, "16 annotations")
            scores = []
            for given in range(17, 27):
                scores.append(annotate(client, project, answer))
                until(place, f"{given} annotations")
            assert scores == [0.0] * 10
    assert len(list((tmp_path / "sessions").glob("*.aluma"))) == 1
    print(f"Label Studio {version}: 26 of 26 tasks were aluma's questions")  # noqa: T201


def question(tag: str, *choices: str) -> str:
    """Return a labelling configuration."""
    listed = "".join(f'<Choice value="{one}"/>' for one in choices)
    return f'<View>{tag}<Choices name="kind" toName="shown">{listed}</Choices></View>'


def pictures(size: int = 40) -> list[tuple[str, bytes]]:
    """Return files of threes and eights, named by what they are."""
    digits = load_digits()
    found = []
    for k in np.flatnonzero(np.isin(digits.target, (3, 8)))[:size]:
        file = io.BytesIO()
        Image.fromarray((255 - 15.9 * digits.images[k]).astype(np.uint8)).save(file, "PNG")
        found.append((f"digit-{digits.target[k]}-{k}.png", file.getvalue()))
    return found


def test_uploaded_images_and_tables_are_asked_in_alumas_order_too(tmp_path):
    rows = np.random.default_rng(5).standard_normal((40, 2)).round(3)
    ports = free_port(), free_port()
    with studio(tmp_path, ports[0]) as address, person(address) as client:
        token = client.post("/api/token/", json={}).json()["token"]
        with backend(tmp_path, ports[1], token, address) as place:
            images = made(client, question('<Image name="shown" value="$shown"/>', "3", "8"))
            files = [(name, (name, one, "image/png")) for name, one in pictures()]
            assert client.post(f"/api/projects/{images}/import", files=files).is_success
            connect(client, images, place)
            table = made(client, question('<Table name="shown" value="$shown"/>', "in", "out"))
            tasks = [{"shown": {"x": float(x), "y": float(y)}} for x, y in rows]
            client.post(f"/api/projects/{table}/import", json=tasks)
            connect(client, table, place)
            for project, answer in (
                (images, lambda url: url.split("digit-")[1][0]),
                (table, lambda row: "in" if row["x"] + row["y"] > 0.2 else "out"),
            ):
                for given in range(1, 7):
                    assert annotate(client, project, answer, about="shown") == 0.0
                    until(place, f"Project {project}: {given} annotations")
    print("Label Studio: 6 of 6 images and 6 of 6 tables were aluma's questions")  # noqa: T201
