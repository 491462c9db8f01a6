"""`aluma label` as a process of its own, and a client that is let in."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

TOKEN = "a-token-for-measuring"


class Served:
    """The page as a process of its own, which can be killed and started again on its port."""

    def __init__(self, source: Path, labels: Sequence[str], *options: str) -> None:
        self._command = [
            sys.executable, "-c", "from aluma.cli import app; app()", "label", str(source),
            "--no-browser", "--no", labels[0], "--yes", labels[1], "--token", TOKEN, *options,
        ]  # fmt: skip
        self.port = 0
        self.link = ""
        self.start()

    def start(self) -> None:
        """Start the process and wait for its link."""
        environment = os.environ | {"COLUMNS": "400"}
        command = [*self._command, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("http://"):
                self.link = line.strip()
                self.port = int(self.link.partition("/?")[0].rpartition(":")[2])
                return
        raise RuntimeError(f"the page did not start: {' '.join(command)}")

    def kill(self) -> None:
        """End the process at once, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the process as Ctrl-C does."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Client:
    """One connection that is kept open; a broken one raises OSError or HTTPException."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def get(self, path: str, **query: Any) -> Any:
        """Return what is at a path."""
        return self._ask("GET", f"{path}?{urlencode(query)}" if query else path)[1]

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        """Return the status and the answer."""
        return self._ask("POST", path, json.dumps(body))

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self._connection.close()

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, Any]:
        headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        kind = response.headers.get("content-type", "")
        return response.status, json.loads(content) if kind == "application/json" else content


def ready(client: Client) -> Any:
    """Wait until there is a question; the figures come with it."""
    state = client.get("/api/state")
    while not (state["question"] or state["progress"]["exhausted"]):
        state = client.get("/api/state", after=state["tick"], wait=20)
    return state
