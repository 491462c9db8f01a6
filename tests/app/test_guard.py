"""Who is let in: tokens, cookies, hosts, origins, sizes, and no way to other files."""

from contextlib import ExitStack

import httpx
import numpy as np
import pandas as pd
import pytest

from aluma.app import server
from aluma.app.guard import Guard
from aluma.app.opening import Wanted, opened
from aluma.app.publisher import Publisher
from aluma.app.shapes import Shown
from running_page import TOKEN, start


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    """Return one page for all that is refused anyway."""
    folder = tmp_path_factory.mktemp("door")
    path = folder / "line.csv"
    pd.DataFrame({"x": np.arange(12.0)}).to_csv(path, index=False)
    with ExitStack() as stack:
        yield start(stack, opened(Wanted(path, folder / "s.aluma", hypotheses=200)))


def knock(page, path="/api/state", method="GET", **headers):
    with httpx.Client(base_url=page.url, trust_env=False) as client:
        body = b"{}" if method == "POST" else None
        return client.request(method, path, headers=headers, content=body)


def test_without_the_token_nothing_is_told(door):
    page = door
    for path in ("/", "/main.js", "/api/state", "/openapi.json", "/api/export/labels.csv"):
        response = knock(page, path)
        assert response.status_code == 401, path
        assert "row" not in response.text
    assert knock(page, authorization="Bearer nonsense").status_code == 401
    assert knock(page, "/api/state?token=nonsense").status_code == 401


def test_the_link_gives_a_cookie_that_only_this_page_sends(door):
    page = door
    first = knock(page, f"/?token={TOKEN}")
    assert first.status_code == 200
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert knock(page, cookie=cookie.partition(";")[0]).status_code == 200


def test_a_ticket_lets_in_once_and_only_to_the_page(door):
    ticket = door.guard.ticket()
    assert knock(door, f"/api/state?ticket={ticket}").status_code == 401
    assert knock(door, "/?ticket=nonsense").status_code == 401
    first = knock(door, f"/?ticket={ticket}")
    assert first.status_code == 200
    cookie = first.headers["set-cookie"].partition(";")[0]
    assert knock(door, cookie=cookie).status_code == 200
    assert knock(door, f"/?ticket={ticket}").status_code == 401
    assert knock(door, "/?ticket=").status_code == 401


def test_the_browser_is_opened_without_the_token(monkeypatch):
    shown, closed = [], []

    class Nothing(Publisher):
        def close(self):
            closed.append(True)

        def _drawn(self):
            return Shown(tick=self._tick)

    class Timer:
        def __init__(self, _seconds, ready, link):
            self.start = lambda: ready(*link)

    async def app(scope, receive, send):
        raise AssertionError

    monkeypatch.setattr(server.threading, "Timer", Timer)
    monkeypatch.setattr(server._Server, "run", lambda *_, **__: None)
    place = server.take(port=0, token=TOKEN)
    address = place.address
    try:
        assert place.link == f"{address}?token={TOKEN}"
        server.serve(lambda token, _: Guard(app, token), Nothing(), place, shown.append)
    finally:
        place.listener.close()
    assert shown[0].startswith(f"{address}?ticket=")
    assert TOKEN not in shown[0]
    assert closed == [True]

    def early(_token, _names):
        raise KeyboardInterrupt

    # Ctrl-C while the page is being made closes the desk as well.
    server.serve(early, Nothing(), place)
    assert closed == [True, True]


def test_other_names_and_other_sites_are_turned_away(door):
    page = door
    auth = {"authorization": f"Bearer {TOKEN}"}
    assert knock(page, host="evil.example", **auth).status_code == 421
    assert knock(page, host="localhost:1", **auth).status_code == 200
    assert knock(page, origin="http://evil.example", **auth).status_code == 403
    site = {"sec-fetch-site": "cross-site"}
    assert knock(page, **site, **auth).status_code == 403
    kind = {"content-type": "text/plain"}
    assert knock(page, "/api/undo", "POST", **kind, **auth).status_code == 415
    json_ = {"content-type": "application/json"}
    assert knock(page, "/api/undo", "POST", **json_, **auth).status_code == 422
    own = {"origin": page.url, "sec-fetch-site": "same-origin"}
    assert knock(page, "/api/undo", "POST", **json_, **own, **auth).status_code == 422


def test_pages_forbid_scripts_frames_and_sniffing(door):
    headers = door.client.get("/").headers
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_large_requests_are_refused(door):
    page = door
    body = {"request": "r", "example": 0, "label": "x" * 100_000}
    assert page.client.post("/api/answer", json=body).status_code == 413

    def endless():
        for _ in range(40):
            yield b" " * 8192

    try:
        status = page.client.post(
            "/api/answer", content=endless(), headers={"content-type": "application/json"}
        ).status_code
    except httpx.HTTPError:
        status = 400
    assert status >= 400
    assert page.state()["progress"]["answered"] == 0


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/%2e%2e/desk.py", "/static/main.js", "/api/images/..%2f..", "/x"],
)
def test_there_is_no_way_to_other_files(door, path):
    assert door.client.get(path).status_code in (404, 422)


def test_the_interface_describes_itself(door):
    description = door.client.get("/openapi.json").json()
    assert {"/api/state", "/api/answer", "/api/undo", "/api/export/model.json"} <= set(
        description["paths"]
    )
