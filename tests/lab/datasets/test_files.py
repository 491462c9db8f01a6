"""Files by folder, cache and download: what is checked, what is resumed, what is said."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from aluma.errors import CorruptData, MissingData
from aluma.lab import datasets
from aluma.lab.datasets.files import CHUNK, DataFile, cache_folder, locate

CONTENT = bytes(range(256)) * 2000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Server(BaseHTTPRequestHandler):
    """Sends CONTENT, or what a Range asks for; /broken stops half way; /wrong sends junk."""

    requests: list[str | None]

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        type(self).requests.append(asked)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if self.path == "/missing":
            self.send_error(404)
            return
        if start >= len(CONTENT):
            self.send_error(416)
            return
        body = b"junk" if self.path == "/wrong" else CONTENT[start:]
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.path == "/broken" else body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    Server.requests = []
    running = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return an empty cache, with no folder of local copies."""
    monkeypatch.delenv("ALUMA_DATA", raising=False)
    folder = tmp_path / "cache"
    monkeypatch.setattr("aluma.lab.datasets.files.cache_folder", lambda: folder)
    return folder


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ALUMA_DATA", str(tmp_path))
    return tmp_path


def test_local_copies_are_found_in_any_form_and_checked(local: Path) -> None:
    packed, plain = DataFile("set/a.gz", DIGEST), DataFile("set/a", DIGEST, ("http://unused",))
    (local / "set").mkdir()
    (local / "set" / "a").write_bytes(CONTENT)
    assert locate(packed, plain) == local / "set" / "a"
    (local / "set" / "a").write_bytes(CONTENT[:-1])
    with pytest.raises(
        CorruptData, match=rf"a has the SHA-256 .* {DIGEST} .*: replace it, or unset"
    ):
        locate(packed, plain)


def test_a_missing_local_copy_is_not_downloaded_behind_the_users_back(local: Path) -> None:
    with pytest.raises(MissingData, match=r"set/a is not in .* unset ALUMA_DATA to download it\."):
        locate(DataFile("set/a", DIGEST, ("http://unused",)))
    with pytest.raises(MissingData, match="it is not published anywhere"):
        locate(DataFile("set/a", DIGEST))


def test_a_wrong_folder_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALUMA_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(MissingData, match=r"nowhere' is not a folder: correct it, or unset it"):
        datasets.mnist(4, 7)


def test_downloads_are_kept(cache: Path, server: str) -> None:
    file = DataFile("set/a", DIGEST, (f"{server}/missing", f"{server}/a"))
    assert locate(file).read_bytes() == CONTENT
    assert locate(file) == cache / "set" / "a"
    assert Server.requests == [None, None]
    assert [path.name for path in (cache / "set").iterdir()] == ["a"]


def test_an_interrupted_download_is_resumed(cache: Path, server: str) -> None:
    with pytest.raises(MissingData, match="what has arrived is kept"):
        locate(DataFile("set/a", DIGEST, (f"{server}/broken",)))
    arrived = (cache / "set" / "a.part").stat().st_size
    assert len(CONTENT) // 2 - CHUNK <= arrived <= len(CONTENT) // 2
    assert locate(DataFile("set/a", DIGEST, (f"{server}/a",))).read_bytes() == CONTENT
    assert Server.requests == [None, f"bytes={arrived}-"]


def test_a_download_that_only_missed_its_end_is_recognised(cache: Path, server: str) -> None:
    (cache / "set").mkdir(parents=True)
    (cache / "set" / "a.part").write_bytes(CONTENT)
    assert locate(DataFile("set/a", DIGEST, (f"{server}/a",))).read_bytes() == CONTENT


def test_a_wrong_download_leaves_nothing(cache: Path, server: str) -> None:
    with pytest.raises(MissingData, match=r"wrong: what it sent is not the published file"):
        locate(DataFile("set/a", DIGEST, (f"{server}/wrong",)))
    assert list((cache / "set").iterdir()) == []


def test_a_corrupt_cache_is_reported(cache: Path, server: str) -> None:
    path = cache / "set" / "a"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"cut")
    with pytest.raises(CorruptData, match=re.escape("delete it, and it is downloaded again")):
        locate(DataFile("set/a", DIGEST, (f"{server}/a",)))


def test_unpublished_files_say_so(cache: Path) -> None:
    with pytest.raises(MissingData, match="set ALUMA_DATA to a folder that has it"):
        datasets.pcmac()


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().name == "aluma"
