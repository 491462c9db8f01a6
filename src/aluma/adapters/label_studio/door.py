"""Who may speak with the backend: whoever knows the address that was printed, a token in it.

Label Studio calls backends and webhooks without a header that a token could be in, but by an
address that a person gives it; so the token is the first part of the path. Without it any program
on the machine could say that somebody has annotated something, or have the token of Label Studio
sent to itself; and pages of others, open in a browser here, could try.
"""

from __future__ import annotations

from collections.abc import Iterable

from aluma.app.guard import (
    LOOPBACK,
    App,
    Receive,
    Scope,
    Send,
    ambiguous,
    goes_by,
    limited,
    refuse,
    same,
    too_long,
    with_headers,
)

#: Largest request: Label Studio sends tasks whole, many at a time.
MOST_BYTES = 64 * 2**20


class Door:
    """Wraps an application that is served below a token.

    Parameters
    ----------
    app : the application
    token : the first part of all paths
    names : host names, besides loopback and addresses, that this server goes by
    """

    def __init__(self, app: App, token: str, names: Iterable[str] = ()) -> None:
        self._app, self._token = app, token
        self._names = LOOPBACK | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        pairs = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"]]
        headers = dict(pairs)
        refused = ambiguous(pairs) or self._refusal(scope, headers)
        refused = refused or too_long(headers, MOST_BYTES)
        if refused:
            await refuse(send, *refused)
            return
        rest = "/" + scope["path"].split("/", 2)[2]
        inside = {**scope, "path": rest, "raw_path": rest.encode()}
        await self._app(inside, limited(receive, MOST_BYTES), with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Say what is wrong with a request, if anything."""
        host, changing = headers.get("host", ""), scope["method"] not in ("GET", "HEAD")
        if not goes_by(host, self._names):
            return 421, f"This server does not go by the name {host!r}: use the printed address."
        # Label Studio's server sends neither; whoever opens the address in a browser only looks.
        site = headers.get("sec-fetch-site", "none")
        if "origin" in headers or site != "none":
            return 403, "Requests from web pages are not accepted."
        parts = scope["path"].split("/", 2)
        if len(parts) < 3 or parts[0] or not same(parts[1], self._token):
            return 401, "Name the whole address that aluma printed: it carries a token."
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if changing and kind != "application/json":
            return 415, "Send JSON, with content-type: application/json."
        return None
