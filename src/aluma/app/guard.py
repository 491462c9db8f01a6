"""Who may talk to the page: those with the token, from the page itself, by the right name.

Somebody else's page, open in the same browser, can send requests to this machine. It does not know
the token; its requests carry its own origin; and a host name of its own that it points here is none
of this server's. Each of the three is checked by itself.
"""

from __future__ import annotations

import ipaddress
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

#: Largest request body: an answer is far smaller.
MOST_BYTES = 64 * 1024
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
#: A Host header: an address in brackets or a name, and perhaps a port.
_HOST = re.compile(r"(?:\[(?P<address>[^\[\]]*)\]|(?P<name>[^\[\]:]*))(?::[0-9]{1,5})?")
#: Headers that decide who is let in: two of a kind might be read differently elsewhere.
SINGLE = ("host", "origin", "content-type", "content-length", "authorization", "sec-fetch-site")
#: Nothing but what this server serves: no scripts in pages, no frames, no other hosts.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    """Wraps an application; lets through what is allowed, with headers that keep it so.

    Parameters
    ----------
    app : the application
    token : what a client must know
    names : host names, besides loopback and addresses, that this server goes by
    """

    def __init__(self, app: App, token: str, names: Iterable[str] = ()) -> None:
        self._app, self._token = app, token
        self._names = LOOPBACK | {name.lower() for name in names}
        self._ticket: str | None = None

    def ticket(self) -> str:
        """Return a ticket that lets in once, in place of the token.

        A browser is started with the link as an argument, which everybody on the machine can read
        in the list of processes: a ticket is worth nothing once the browser has used it.
        """
        self._ticket = secrets.token_urlsafe(24)
        return self._ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        pairs = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"]]
        headers = dict(pairs)
        cookie = f"aluma-{scope['server'][1] if scope.get('server') else 0}"
        refused = _ambiguous(pairs) or self._refusal(scope, headers, cookie)
        if refused:
            await _refuse(send, *refused, page=scope["path"] == "/")
            return
        first = scope["path"] == "/" and bool({"token", "ticket"} & set(_query(scope)))
        extra = [(b"set-cookie", self._cookie(cookie))] if first else []
        await self._app(scope, _limited(receive), _with_headers(send, extra))

    def _refusal(
        self, scope: Scope, headers: dict[str, str], cookie: str
    ) -> tuple[int, str] | None:
        """Say what is wrong with a request, if anything."""
        host = headers.get("host", "")
        if not self._known(host):
            return 421, f"This server does not go by the name {host!r}: use the link it printed."
        changing = scope["method"] not in ("GET", "HEAD")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "Requests from other sites are not accepted."
        if site in ("cross-site", "same-site") and (changing or scope["path"] != "/"):
            return 403, "Requests from other sites are not accepted."
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if changing and kind != "application/json":
            return 415, "Send JSON, with content-type: application/json."
        if not self._admitted(scope, headers, cookie):
            return 401, "Open the link that aluma printed: it carries the token."
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return 400, "The content-length is no number."
        if len(length) > 18 or int(length) > MOST_BYTES:
            return 413, f"A request may have up to {MOST_BYTES:,} bytes."
        return None

    def _known(self, host: str) -> bool:
        """Say whether a Host header is a name of this server; addresses cannot be pointed here."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found["address"] or found["name"] or ""
        if name.lower() in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _admitted(self, scope: Scope, headers: dict[str, str], cookie: str) -> bool:
        query = _query(scope)
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        given += query.get("token", [])
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            jar = SimpleCookie()
        if cookie in jar:
            given.append(jar[cookie].value)
        if any(_same(one, self._token) for one in given):
            return True
        return scope["path"] == "/" and any(map(self._used, query.get("ticket", [])))

    def _used(self, given: str) -> bool:
        """Say whether a ticket lets in; it does so once."""
        if self._ticket is None or not _same(given, self._ticket):
            return False
        self._ticket = None
        return True

    def _cookie(self, name: str) -> bytes:
        return f"{name}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode()


def _same(given: str, secret: str) -> bool:
    """Compare in a time that tells nothing about where the two differ."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _ambiguous(headers: list[tuple[str, str]]) -> tuple[int, str] | None:
    """Refuse a request that says twice what may be said once."""
    names = [name for name, _ in headers]
    twice = [name for name in SINGLE if names.count(name) > 1]
    return (400, f"The header {twice[0]!r} is there twice: send it once.") if twice else None


def _query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope.get("query_string", b"").decode("latin-1"))


def _limited(receive: Receive) -> Receive:
    """Return a receive that ends the connection when a body without a length grows too long."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > MOST_BYTES else message

    return limited


def _with_headers(send: Send, extra: list[tuple[bytes, bytes]]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", [])}
            added = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in own]
            message = {**message, "headers": [*message.get("headers", []), *added, *extra]}
        await send(message)

    return sending


async def _refuse(send: Send, status: int, why: str, *, page: bool) -> None:
    text = (
        f'<!doctype html><meta name="viewport" content="width=device-width"><title>aluma</title>'
        f"<p>{escape(why)}"
        if page
        else json.dumps({"detail": why})
    )
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]}
    await _with_headers(send, [])(start)
    await send({"type": "http.response.body", "body": text.encode()})
