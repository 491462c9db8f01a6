"""Who may talk to the page: those with the token, from the page itself, by the right name.

Somebody else's page, open in the same browser, can send requests to this machine. It does not know
the token; its requests carry its own origin; and a host name of its own that it points here is none
of this server's. Each of the three is checked by itself.

Where several people label, each has a token, and what a request does is done by whoever it is of.
"""

from __future__ import annotations

import ipaddress
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from aluma.app.people import current
from aluma.app.people.admission import Admission

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

#: What somebody who has not said who they are can ask for; in place of the page, for their name.
FOR_GUESTS = frozenset(
    {"/", "/join", "/join.js", "/dom.js", "/style.css", "/icon.svg", "/api/join"}
)

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
    people : those who have a token each; ``token`` then lets nobody in
    """

    def __init__(
        self,
        app: App,
        token: str,
        names: Iterable[str] = (),
        people: Admission | None = None,
    ) -> None:
        self._app, self._token, self._people = app, token, people
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
        cookie, path = cookie_name(scope), scope["path"]
        refused = ambiguous(pairs) or self._refusal(scope, headers)
        token = None if refused else self._admitted(scope, headers, cookie)
        who = None if token is None else self._person(token)
        refused = refused or self._unwelcome(who, path) or too_long(headers)
        if refused:
            await refuse(send, *refused, page=path == "/")
            return
        current.enter(who or "")
        first = path == "/" and bool({"token", "ticket"} & set(_query(scope)))
        extra = [(b"set-cookie", cookie_for(cookie, token or ""))] if first else []
        if self._people is not None and not who and path == "/":
            scope = {**scope, "path": "/join", "raw_path": b"/join"}
        await self._app(scope, limited(receive), with_headers(send, extra))

    def _person(self, token: str) -> str | None:
        """Return whose token it is: "" if people are not told apart, or have no name yet."""
        return "" if self._people is None else self._people.who(token)

    def _unwelcome(self, who: str | None, path: str) -> tuple[int, str] | None:
        """Refuse who has no token, and much to those who have not said who they are."""
        if who is None:
            return 401, "Open the link that aluma printed: it carries the token."
        if self._people is not None and not who and path not in FOR_GUESTS:
            return 401, "Say who you are first: open the page."
        return None

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Say what is wrong with a request, if anything."""
        host = headers.get("host", "")
        if not goes_by(host, self._names):
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
        return None

    def _admitted(self, scope: Scope, headers: dict[str, str], cookie: str) -> str | None:
        """Return the token that lets a request in, of those that came with it."""
        query = _query(scope)
        given = [headers.get("authorization", "").removeprefix("Bearer ")]
        given += query.get("token", [])
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            jar = SimpleCookie()
        if cookie in jar:
            given.append(jar[cookie].value)
        if self._people is not None:
            known = [one for one in given if self._people.who(one) is not None]
            # Who comes again by the common link is still who they are.
            if known:
                return next((one for one in known if self._people.who(one)), known[0])
        elif any(same(one, self._token) for one in given):
            return self._token
        ticket = scope["path"] == "/" and any(map(self._used, query.get("ticket", [])))
        return self._token if ticket else None

    def _used(self, given: str) -> bool:
        """Say whether a ticket lets in; it does so once."""
        if self._ticket is None or not same(given, self._ticket):
            return False
        self._ticket = None
        return True


def goes_by(host: str, names: Collection[str]) -> bool:
    """Say whether a Host header is a name of this server; addresses cannot be pointed here."""
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found["address"] or found["name"] or ""
    if name.lower() in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def cookie_name(scope: Scope) -> str:
    """Return under which name a browser keeps the token: ports of a machine share their cookies."""
    return f"aluma-{scope['server'][1] if scope.get('server') else 0}"


def cookie_for(name: str, token: str) -> bytes:
    """Return a cookie that no script can read and no other site sends."""
    return f"{name}={token}; Path=/; HttpOnly; SameSite=Strict".encode()


def same(given: str, secret: str) -> bool:
    """Compare in a time that tells nothing about where the two differ."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def ambiguous(headers: list[tuple[str, str]]) -> tuple[int, str] | None:
    """Refuse a request that says twice what may be said once."""
    names = [name for name, _ in headers]
    twice = [name for name in SINGLE if names.count(name) > 1]
    return (400, f"The header {twice[0]!r} is there twice: send it once.") if twice else None


def too_long(headers: dict[str, str], most: int = MOST_BYTES) -> tuple[int, str] | None:
    """Refuse a request that says it is too long."""
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        return 400, "The content-length is no number."
    if len(length) > 18 or int(length) > most:
        return 413, f"A request may have up to {most:,} bytes."
    return None


def _query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope.get("query_string", b"").decode("latin-1"))


def limited(receive: Receive, most: int = MOST_BYTES) -> Receive:
    """Return a receive that ends the connection when a body without a length grows too long."""
    taken = 0

    async def receiving() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > most else message

    return receiving


def with_headers(send: Send, extra: Iterable[tuple[bytes, bytes]] = ()) -> Send:
    """Return a send that adds the headers that keep a page safe."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", [])}
            added = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in own]
            message = {**message, "headers": [*message.get("headers", []), *added, *extra]}
        await send(message)

    return sending


async def refuse(send: Send, status: int, why: str, *, page: bool = False) -> None:
    """Say why a request is refused."""
    text = (
        f'<!doctype html><meta name="viewport" content="width=device-width"><title>aluma</title>'
        f"<p>{escape(why)}"
        if page
        else json.dumps({"detail": why})
    )
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    start = {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]}
    await with_headers(send)(start)
    await send({"type": "http.response.body", "body": text.encode()})
