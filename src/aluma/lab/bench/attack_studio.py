"""As much of Label Studio as its backend sees, on this machine: tasks, predictions, annotations."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

CONFIG = """<View><Table name="row" value="$row"/><Choices name="side" toName="row">
<Choice value="a"/><Choice value="b"/><Choice value="c"/></Choices></View>"""


class Studio:
    """A project of Label Studio's with a task for every point."""

    #: Number of the first task.
    first = 10

    def __init__(self, points: Iterable[Sequence[float]]) -> None:
        self.tasks: list[dict[str, Any]] = [
            {"id": self.first + i, "data": {"row": {"x": x, "y": y}}, "annotations": []}
            for i, (x, y) in enumerate(points)
        ]
        self.predictions: list[dict[str, Any]] = []
        #: What it was asked for, as method and path, with the headers.
        self.asked: list[tuple[str, dict[str, str]]] = []
        handler = type("Handler", (_Handler,), {"studio": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def annotate(self, task: int, label: str) -> dict[str, Any]:
        """Keep an annotation, and return what its webhook says; the same when it is repeated."""
        kept = self.tasks[task - self.first]["annotations"]
        if not kept:
            value = {"choices": [label]}
            part = {"from_name": "side", "to_name": "row", "type": "choices", "value": value}
            kept.append({"id": task, "task": task, "result": [part], "updated_at": f"{task:06}"})
        return {"action": "ANNOTATION_CREATED", "project": {"id": 1}, "annotation": kept[0]}

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, body: Any) -> Any:
        """Do what its interface does."""
        asked = urlsplit(path)
        if asked.path == "/api/tasks":
            wanted = {
                name: int(one[0]) for name, one in parse_qs(asked.query).items() if one[0].isdigit()
            }
            start = (wanted["page"] - 1) * wanted["page_size"]
            return {
                "tasks": self.tasks[start : start + wanted["page_size"]],
                "total": len(self.tasks),
            }
        if asked.path == "/api/predictions":
            return self.predictions
        if asked.path.endswith("/import/predictions"):
            begun = len(self.predictions)
            self.predictions += [{"id": begun + i, **one} for i, one in enumerate(body)]
        elif method == "PATCH" and asked.path.startswith("/api/predictions/"):
            self.predictions[int(asked.path.split("/")[3])].update(body)
        return {}


class _Handler(BaseHTTPRequestHandler):
    """Hands requests to a studio."""

    studio: Studio

    def _do(self) -> None:
        length = int(self.headers.get("content-length", 0))
        body = json.loads(self.rfile.read(length)) if length else None
        self.studio.asked.append((f"{self.command} {self.path}", dict(self.headers)))
        content = json.dumps(self.studio.answer(self.command, self.path, body)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = _do

    def log_message(self, *_: object) -> None:
        """Say nothing."""
