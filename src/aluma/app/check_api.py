"""The HTTP interface of the page on which labels are checked."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import Response

import aluma
from aluma.app.check_desk import CheckDesk
from aluma.app.check_shapes import CheckAnswer, CheckState
from aluma.app.guard import Guard
from aluma.app.routes import OR_NONE, REFUSED, add_examples, add_state, application_of, attached
from aluma.app.shapes import Plain, Receipt
from aluma.app.table_file import MEDIA

DESCRIPTION = """
Ask which label to check, say whether it is right, take that back, and export the labels.

Every request needs the token, as `Authorization: Bearer TOKEN`. Requests that change something
carry a name in `request`, made up by the client: sending one again changes nothing, so that a
client that got no answer may simply repeat it. A receipt means that it is on the disk.
"""


def check_application(desk: CheckDesk, token: str, names: Iterable[str] = ()) -> Guard:
    """Return the page and its interface, guarded by a token."""
    app = application_of("check.html", "aluma check", DESCRIPTION, aluma.__version__)
    add_state(app, desk, CheckState)
    add_examples(app, desk.examples)

    @app.post("/api/answer", responses=REFUSED, summary="Answer")
    def answer(body: CheckAnswer) -> Receipt:
        """Take what a person says about the label that was drawn; no other can be answered."""
        return desk.answer(body.request, body.example, body.label, new=body.new)

    @app.post("/api/undo", responses=REFUSED, summary="Undo")
    def undo(body: Plain) -> Receipt:
        """Take back the last answer."""
        return desk.undo(body.request)

    @app.get("/api/export/labels.csv", responses=OR_NONE, response_class=Response)
    def labels() -> Response:
        """Return the file with what was found put right, and which labels were checked."""
        return attached(desk.table(), MEDIA["csv"], desk.file.path.stem, "checked.csv")

    @app.get("/api/export/statement.txt", responses=OR_NONE, response_class=Response)
    def statement() -> Response:
        """Return what can be said about the labels, with its date."""
        content = desk.statement().encode("utf-8", "replace")
        return attached(content, "text/plain; charset=utf-8", desk.file.path.stem, "checked.txt")

    return Guard(app, token, names)
