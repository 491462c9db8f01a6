"""Drive the labelling page from another tool: here, one that knows the answers.

Start the page on its demonstration, then this, with the link that it printed:

    aluma label --demo --no-browser
    python examples/drive_page.py "http://127.0.0.1:8477/?token=..."

It needs nothing but Python's own library. Requests that change something carry a name made up here;
one that got no reply may simply be sent again, and still happens once.
"""

import json
import sys
import uuid
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen


class Page:
    """The page's HTTP interface; its description is at /openapi.json, for people at /reference."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._token = parse_qs(parts.query)["token"][0]

    def get(self, path: str, **query: object) -> bytes:
        """Return what is at a path."""
        return self._send(Request(f"{self._base}{path}?{urlencode(query)}"))

    def post(self, path: str, **body: object) -> dict:
        """Change something; the reply is a receipt, and means that it is on the disk."""
        content = json.dumps({"request": uuid.uuid4().hex, **body}).encode()
        headers = {"content-type": "application/json"}
        return json.loads(self._send(Request(self._base + path, content, headers)))

    def state(self, after: str = "") -> dict:
        """Return what is to be seen; with ``after``, wait until it is something else."""
        return json.loads(self.get("/api/state", after=after, wait=20 if after else 0))

    def _send(self, request: Request) -> bytes:
        request.add_header("authorization", f"Bearer {self._token}")
        with urlopen(request, timeout=60) as reply:
            return reply.read()


def main(link: str) -> None:
    """Answer until the labels have passed a check, then fetch them and what is promised."""
    from aluma.app.opening import demo_answers

    known, page = demo_answers(), Page(link)
    state = page.state()
    while not state["progress"]["finished"]:
        if state["question"] is None:
            state = page.state(after=state["tick"])
            continue
        example = state["question"]["example"]
        page.post("/api/answer", example=example, label=known[example])
        state = page.state()
    sys.stdout.write(f"{state['progress']['answered']} answers\n")
    Path("labelled.csv").write_bytes(page.get("/api/export/labels.csv"))
    sys.stdout.write(page.get("/api/export/promise.txt").decode())


if __name__ == "__main__":
    main(sys.argv[1])
