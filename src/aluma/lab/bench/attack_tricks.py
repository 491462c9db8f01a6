"""Requests to a page that must not be let in, as bytes, and some that must."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

TOKEN = "a-token-for-attacks-0123456789"
#: Answers of the guard, and of the server below it: bad request, no token, other site, too large,
#: no JSON, another name, headers too large. None (no answer at all) is a refusal too.
REFUSED = frozenset({400, 401, 403, 413, 415, 421, 431, None})
#: And what an admitted request finds behind other paths: nothing.
NOTHING = REFUSED | {404, 405, 422, 307}


class Trick(NamedTuple):
    """A request, and whether it may be let in."""

    name: str
    content: bytes
    allowed: bool = False
    refused: frozenset[int | None] = REFUSED


def tricks(port: int) -> list[Trick]:
    """Return all requests that are tried."""
    return [trick for kind in KINDS for trick in kind(port)]


def request(
    port: int,
    path: str = "/api/state",
    method: str = "GET",
    *headers: tuple[str, str],
    body: bytes = b"",
    host: str | None = None,
) -> bytes:
    """Return a request as bytes; without a host if that is empty."""
    lines = [f"{method} {path} HTTP/1.1"]
    if host != "":
        lines.append(f"Host: {f'127.0.0.1:{port}' if host is None else host}")
    lines += [f"{name}: {value}" for name, value in headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + body


AUTH = ("Authorization", f"Bearer {TOKEN}")
JSON = ("Content-Type", "application/json")
UNDO = b'{"request": "attack"}'


def _tokens(port: int) -> Iterator[Trick]:
    """Yield requests without the token, with a wrong one, or with it in the wrong place."""
    paths = (
        "/",
        "/api/state",
        "/api/answers",
        "/api/search?q=x",
        "/api/examples/0",
        "/api/export/labels.csv",
        "/api/export/model.json",
        "/openapi.json",
        "/main.js",
        "/api/export/summary.html",
    )
    wrong = (
        TOKEN[:-1],
        TOKEN + "x",
        TOKEN.upper(),
        TOKEN[::-1],
        "",
        " ",
        "null",
        "undefined",
        "*",
        "' or 1=1",
        TOKEN[:-1] + "\0",
        "%00",
        TOKEN.replace("-", "%2D") + "%00",
    )
    for path in paths:
        yield Trick(f"no token {path}", request(port, path))
        join = "&" if "?" in path else "?"
        for token in wrong:
            quoted = token.replace(" ", "+").replace("\0", "%00")
            yield Trick(
                f"wrong token {path} {token!r}", request(port, f"{path}{join}token={quoted}")
            )
    for token in wrong:
        for header in ("Authorization", "X-Token", "X-Api-Key", "Token", "Proxy-Authorization"):
            value = f"Bearer {token}".replace("\0", "")
            yield Trick(f"{header}: {value!r}", request(port, "/api/state", "GET", (header, value)))
        cookie = ("Cookie", f"aluma-{port}={token}".replace("\0", ""))
        yield Trick(f"cookie {token!r}", request(port, "/api/state", "GET", cookie))
    elsewhere = (
        ("X-Token", TOKEN),
        ("Proxy-Authorization", f"Bearer {TOKEN}"),
        ("X-Authorization", TOKEN),
        ("Authorization", f"Basic {TOKEN}"),
        ("Authorization", f"bearer  {TOKEN}x"),
        ("Cookie", f"token={TOKEN}"),
        ("Cookie", f"aluma={TOKEN}"),
        ("Cookie", f"aluma-1={TOKEN}"),
        ("Referer", f"http://127.0.0.1:{port}/?token={TOKEN}"),
        ("X-Original-Url", f"/?token={TOKEN}"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Real-Ip", "127.0.0.1"),
        ("Forwarded", "for=127.0.0.1"),
    )
    for pair in elsewhere:
        yield Trick(f"elsewhere {pair}", request(port, "/api/state", "GET", pair))
    for name in ("Token", "TOKEN", "tok", "t", "ticket", "token[]", "access_token", "token%00"):
        yield Trick(f"query {name}", request(port, f"/api/state?{name}={TOKEN}"))
    body = b'{"request": "r", "token": "' + TOKEN.encode() + b'"}'
    yield Trick("in the body", request(port, "/api/undo", "POST", JSON, body=body))
    yield Trick("in the path", request(port, f"/{TOKEN}/api/state"))
    yield Trick("ticket", request(port, "/?ticket="))
    yield Trick("fragment", request(port, f"/api/state#token={TOKEN}"))


def _hosts(port: int) -> Iterator[Trick]:
    """Yield requests with the right token, by names that are not this server's."""
    names = (
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil-localhost",
        "localhost.",
        "LOCALHOST.",
        "127.0.0.1.",
        "127.0.0.1.nip.io",
        "rebind.network",
        "a@localhost",
        "localhost@evil.example",
        "127.0.0.1@evil.example",
        "localhost evil",
        "localhost,evil.example",
        "localhost/",
        # What follows was taken for the path (CVE-2026-48710).
        "localhost/?",
        "localhost/api/state?x=",
        "localhost/evil.example",
        "localhost#evil",
        "localhost?x",
        "localhost\\evil",
        "[::1].evil.example",
        "[::1]evil",
        "[evil.example]",
        "[localhost]x",
        "::1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "localhost%00",
        "localhost%2e",
        "%6cocalhost",
        "localhost.localdomain",
        "ip6-localhost",
        "loopback",
        "..",
        "*",
        "null",
        "-",
        "_",
        "ⓛocalhost",
        "localhost\u3002evil",
        "127。0。0。1",
        "xn--localhost-",
        "[::ffff:127.0.0.1",
        "]",
        "[",
        "[]",
    )
    for name in names:
        for suffix in ("", f":{port}"):
            content = request(port, "/api/state", "GET", AUTH, host=name + suffix)
            yield Trick(f"host {name}{suffix}", content)
    for suffix in (":", ":x", ":-1", ":999999", ":80:80", f":{port}.evil", f":{port}@evil", ": 80"):
        yield Trick(
            f"host port {suffix}",
            request(port, "/api/state", "GET", AUTH, host=f"localhost{suffix}"),
        )
    yield Trick("no host", request(port, "/api/state", "GET", AUTH, host=""))
    for header in ("X-Forwarded-Host", "X-Host", "Forwarded"):
        content = request(
            port, "/api/state", "GET", AUTH, (header, "localhost"), host="evil.example"
        )
        yield Trick(f"host by {header}", content)
    absolute = request(port, "http://evil.example/api/state", "GET", AUTH, host="evil.example")
    yield Trick("absolute address", absolute)


def _origins(port: int) -> Iterator[Trick]:
    """Yield requests with the right token, from pages of others."""
    here = f"127.0.0.1:{port}"
    origins = (
        "null",
        "",
        "http://evil.example",
        f"http://evil.example:{port}",
        f"http://{here}.evil",
        f"http://localhost:{port}",
        f"http://127.0.0.1:{port + 1}",
        "http://127.0.0.1",
        f"ftp://{here}",
        f"file://{here}",
        f"//{here}",
        here,
        f"http://{here}/",
        f"http://{here}/x",
        f"http://a@{here}",
        f"http://{here}@evil",
        f"http://{here}, http://evil",
        f"HTTP://{here}",
        f"http:///{here}",
        f"http://[::1]:{port}",
        f"chrome-extension://{here}",
        f"javascript://{here}",
        f"http://127.1:{port}",
        f"http://{here} ",
        f"blob:http://{here}",
        f"data:{here}",
        f"http://0:{port}",
        f"ws://{here}",
    )
    for origin, (path, method) in product(origins, (("/api/undo", "POST"), ("/api/state", "GET"))):
        if origin == f"http://{here} ":
            continue  # A header ends with its last visible character: that is the right one.
        kind = [JSON] if method == "POST" else []
        body = UNDO if method == "POST" else b""
        content = request(port, path, method, AUTH, ("Origin", origin), *kind, body=body)
        yield Trick(f"origin {origin!r} {method}", content)
    for site, path in product(
        ("cross-site", "same-site"), ("/api/state", "/api/export/labels.csv")
    ):
        content = request(port, path, "GET", AUTH, ("Sec-Fetch-Site", site))
        yield Trick(f"{site} {path}", content)
    for site in ("cross-site", "same-site"):
        content = request(
            port, "/api/undo", "POST", AUTH, JSON, ("Sec-Fetch-Site", site), body=UNDO
        )
        yield Trick(f"{site} post", content)


def _forms(port: int) -> Iterator[Trick]:
    """Yield bodies such as a form of another site can send, with the right token."""
    kinds = (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; charset=application/json",
        "text/plain;application/json",
        "",
        "application/jsonp",
        "application/json-patch+json",
        "application/jsonx",
        "x/application/json",
        "text/json",
        "application",
        "application/ json",
        "application/x-json",
        "multipart/form-data; a=application/json",
    )
    for kind, path in product(kinds, ("/api/undo", "/api/answer", "/api/slack")):
        content = request(port, path, "POST", AUTH, ("Content-Type", kind), body=UNDO)
        yield Trick(f"kind {kind!r} {path}", content)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "FOO"):
        yield Trick(f"{method} plain", request(port, "/api/undo", method, AUTH, body=UNDO))


def _paths(port: int) -> Iterator[Trick]:
    """Yield ways to files that are not the page's, with the right token."""
    roots = ("/", "/api/", "/api/images/", "/api/examples/", "/api/export/", "/static/")
    ups = (
        "../",
        "..%2f",
        "%2e%2e/",
        "%2e%2e%2f",
        "%252e%252e%252f",
        "..%5c",
        "..\\",
        "....//",
        "%c0%ae%c0%ae/",
    )
    for root, up in product(roots, ups):
        content = request(port, f"{root}{up * 6}etc/passwd", "GET", AUTH)
        yield Trick(f"path {root}{up}", content, refused=NOTHING)
    for path in (
        "//etc/passwd",
        "/points.csv",
        "/s.aluma",
        "/.git/config",
        "/guard.py",
        "/index.html",
        "/check",
        "/check.html",
        "/docs",
        "/redoc",
        "/api/export/labels.exe",
        "/api/images/-1",
        "/api/images/0%00.png",
        "/api/examples/1e3",
        "/api/examples/9999999",
        "/__pycache__/",
        "/api/export/labels.csv%00",
        "/api/export/../state%00",
        "/%00",
        "/main.js/",
        "/main.js%00",
        # Without a slash a path was taken for a part of the address (CVE-2026-54282).
        "@evil.example",
        "@evil.example/api/state",
        "evil",
        "http:evil",
        "?x",
    ):
        yield Trick(f"path {path}", request(port, path, "GET", AUTH), refused=NOTHING)


def _smuggled(port: int) -> Iterator[Trick]:
    """Yield requests that say things twice, too long or not at all."""
    here = ("Host", f"127.0.0.1:{port}")
    twice = (
        (("Host", "evil.example"), here),
        (AUTH, ("Authorization", "Bearer wrong")),
        (("Origin", "http://evil.example"), ("Origin", f"http://127.0.0.1:{port}")),
        (("Content-Type", "text/plain"), JSON),
        (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "none")),
    )
    for first, second in twice:
        for a, b in ((first, second), (second, first)):
            content = request(port, "/api/undo", "POST", AUTH, JSON, a, b, body=UNDO)
            yield Trick(f"twice {a} {b}", content)
    for length in ("-1", "1e3", "x", "0x10", "²", "9" * 30, "9" * 5000, "99999999"):
        content = request(port, "/api/undo", "POST", AUTH, JSON, ("Content-Length", length))
        yield Trick(f"length {length[:12]}", content)
    yield Trick("large header", request(port, "/api/state", "GET", ("X", "y" * 200_000)))
    yield Trick("large path", request(port, "/" + "y" * 200_000))
    yield Trick("no request", b"\r\n\r\n")
    yield Trick("binary", bytes(range(256)) * 4)
    yield Trick("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64))
    yield Trick("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    socket_ = (("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"))
    key = ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    yield Trick("websocket", request(port, "/api/state", "GET", *socket_, key))


def _controls(port: int) -> Iterator[Trick]:
    """Yield what a browser or a script of the user sends: all of it must be let in."""
    here = f"127.0.0.1:{port}"
    for host in (here, "127.0.0.1", f"localhost:{port}", f"LocalHost:{port}", f"[::1]:{port}"):
        yield Trick(f"host {host}", request(port, "/api/state", "GET", AUTH, host=host), True)
    yield Trick("link", request(port, f"/?token={TOKEN}"), True)
    yield Trick("cookie", request(port, "/", "GET", ("Cookie", f"aluma-{port}={TOKEN}")), True)
    own = (("Origin", f"http://{here}"), ("Sec-Fetch-Site", "same-origin"))
    for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
        head = (AUTH, ("Content-Type", kind), *own)
        yield Trick(f"post {kind}", request(port, "/api/undo", "POST", *head, body=UNDO), True)
    mail = ("Sec-Fetch-Site", "cross-site")
    yield Trick("from a mail", request(port, f"/?token={TOKEN}", "GET", mail), True)


#: All kinds of requests. Another kind, such as one person's token used for another, is a function
#: of the port that yields its tricks, and a name here.
KINDS: tuple[Callable[[int], Iterator[Trick]], ...] = (
    _tokens,
    _hosts,
    _origins,
    _forms,
    _paths,
    _smuggled,
    _controls,
)


def backend_tricks(port: int) -> list[Trick]:
    """Return the same for Label Studio's backend, whose token is the first part of its paths."""
    made = [*_backend_tokens(port), *_backend_controls(port)]
    for kind in (_hosts, _origins, _forms, _smuggled, _paths):
        for trick in kind(port):
            # Without the token in a header it would be let in as what it is: a plain request.
            if trick.name != "websocket":
                made.append(trick._replace(content=_below_token(trick.content)))
    return made


def _below_token(content: bytes) -> bytes:
    """Return a request for a page as one for the backend."""
    own = f"/{TOKEN}/".encode()
    for page, backend in BACKEND_PATHS.items():
        if page in content:
            return content.replace(page, own + backend, 1)
    return content.replace(b"GET /", b"GET " + own, 1)


BACKEND_PATHS = {
    b"/api/state": b"health",
    b"/api/undo": b"webhook",
    b"/api/answer": b"predict",
    b"/api/slack": b"setup",
}
#: Has the backend look elsewhere, if it were let in.
ELSEWHERE = b'{"project": "1.2", "schema": "<View/>", "hostname": "http://127.0.0.1:9"}'


def _backend_tokens(port: int) -> Iterator[Trick]:
    """Yield requests that do not have the token where it belongs."""
    places = (
        "/", "//", "/x/", f"/{TOKEN[:-1]}/", f"/{TOKEN}x/", f"/{TOKEN.upper()}/", f"//{TOKEN}/",
        f"/{TOKEN}", f"/x/{TOKEN}/", f"/{TOKEN}%00/", f"/%2f{TOKEN}/", f"/{TOKEN}%20/", "/./",
        f"/../{TOKEN}x/", "/*/", f"/{TOKEN[::-1]}/", "/null/", "/undefined/",
    )  # fmt: skip
    for place, path in product(places, ("health", "setup", "webhook", "predict")):
        if place == f"/{TOKEN}" and path:
            path = f"{path[0]}"  # the token with something behind it
        if path in ("health", "h"):
            yield Trick(f"{place}{path}", request(port, place + path))
        else:
            content = request(port, place + path, "POST", JSON, body=ELSEWHERE)
            yield Trick(f"{place}{path}", content)
    for pair in (AUTH, ("Cookie", f"aluma-{port}={TOKEN}"), ("X-Token", TOKEN)):
        yield Trick(f"by {pair[0]}", request(port, "/setup", "POST", pair, JSON, body=ELSEWHERE))
    for query in (f"?token={TOKEN}", f"?{TOKEN}", f"#{TOKEN}"):
        yield Trick(query, request(port, f"/health{query}"))


def _backend_controls(port: int) -> Iterator[Trick]:
    """Yield what Label Studio and a person who looks send."""
    for path in ("", "health"):
        yield Trick(f"own {path}", request(port, f"/{TOKEN}/{path}"), True)
    look = ("Sec-Fetch-Site", "none")
    yield Trick("looked at", request(port, f"/{TOKEN}/", "GET", look), True)
    for host in (f"localhost:{port}", f"[::1]:{port}"):
        yield Trick(f"own {host}", request(port, f"/{TOKEN}/health", host=host), True)
    body = b'{"action": "NOTHING"}'
    yield Trick("event", request(port, f"/{TOKEN}/webhook", "POST", JSON, body=body), True)
