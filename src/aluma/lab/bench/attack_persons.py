"""Persons: one person's token must not do anything as another, whatever a request claims."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aluma.app.desk import Desk
from aluma.app.people import tokens
from aluma.app.people.begin import Wish
from aluma.lab.bench.attack_access import page, sent
from aluma.lab.bench.attack_tally import Tally
from aluma.lab.bench.attack_tricks import JSON, TOKEN, request

#: Who attacks, who is attacked, and the example that the latter has answered.
ONE, OTHER, ANSWERED = "anna", "ben", 29
#: What somebody might be called by in a request.
CLAIMS = ("who", "person", "name", "user", "by", "as", "label_by", "author", "voice", "people")


class Claim(NamedTuple):
    """A request, and whether it carries a token that lets in."""

    name: str
    content: bytes
    admitted: bool = True


def persons(folder: Path) -> Tally:
    """Try to speak for another, to take back and to change what they said, and to be them."""
    tally = Tally("one person's token used for another")
    with page(folder, Wish((ONE, OTHER), asks=False, token=TOKEN)) as (port, desk):
        key = tokens.key_of(desk.session.path, TOKEN)
        mine, theirs = tokens.token(key, ONE), tokens.token(key, OTHER)
        status = sent(port, _answer(port, theirs, "first", ANSWERED))
        said = _of_other(desk)
        if status != 200 or said != [(ANSWERED, "yes")]:
            tally.fail(f"the other could not answer: {status}, {said}")
        for claim in _claims(port, mine):
            status = sent(port, claim.content)
            if _of_other(desk) != said:
                tally.fail(f"{claim.name}: the other is taken to have said {_of_other(desk)}")
            elif not claim.admitted and status not in (401, 404, 409):
                tally.fail(f"{claim.name}: {status}")
            else:
                tally.count("done as themselves" if status == 200 else "refused")
    return tally


def _of_other(desk: Desk) -> list[tuple[int, object]]:
    voices = desk.session.voices
    return [(voice.example, voice.label) for voice in voices if voice.who == OTHER]


def _claims(port: int, mine: str) -> Iterator[Claim]:
    numbers = iter(range(ANSWERED))
    for name in CLAIMS:
        i = next(numbers)
        yield Claim(f"body {name}", _answer(port, mine, f"b{i}", i, more={name: OTHER}))
        path = f"/api/answer?{name}={OTHER}"
        yield Claim(f"query {name}", _answer(port, mine, f"q{i}", i, path=path))
    for header in (
        "X-Person",
        "X-User",
        "Remote-User",
        "X-Remote-User",
        "X-Forwarded-User",
        "From",
    ):
        i = next(numbers)
        yield Claim(header, _answer(port, mine, f"h{i}", i, head=((header, OTHER),)))
    for cookie in (f"person={OTHER}", f"aluma-{port}={OTHER}", f"who={OTHER}"):
        i = next(numbers)
        yield Claim(cookie, _answer(port, mine, f"c{i}", i, head=(("Cookie", cookie),)))
    stranger = tokens.token(b"another key" * 3, OTHER)
    for token in (
        OTHER,
        mine + OTHER,
        f"{OTHER}:{mine}",
        mine[:-1],
        mine[::-1],
        stranger,
        "",
        TOKEN,
    ):
        yield Claim(f"token {token[:8]}", _answer(port, token, "t", 20), admitted=False)
    auth = (("Authorization", f"Bearer {mine}"), JSON)
    for path, body in (
        ("undo", {}),
        ("change", {"example": ANSWERED, "label": "no"}),
        ("skip", {"example": ANSWERED}),
        ("answer", {"example": ANSWERED, "label": "no"}),
        ("resolve", {"example": ANSWERED, "label": "no"}),
    ):
        content = json.dumps({"request": f"x-{path}", **body}).encode()
        yield Claim(path, request(port, f"/api/{path}", "POST", *auth, body=content))
    # The name of a request that the other has used is not a way to their answer.
    yield Claim("request", _answer(port, mine, "first", ANSWERED, label="no"))
    for name in (OTHER, OTHER.upper(), "\uff42\uff45\uff4e", f" {OTHER} "):
        content = json.dumps({"name": name}).encode()
        yield Claim(f"join {name}", request(port, "/api/join", "POST", *auth, body=content), False)


def _answer(
    port: int,
    token: str,
    name: str,
    example: int,
    *,
    label: str = "yes",
    more: dict[str, str] | None = None,
    path: str = "/api/answer",
    head: tuple[tuple[str, str], ...] = (),
) -> bytes:
    body = {"request": name, "example": example, "label": label, **(more or {})}
    headers = (("Authorization", f"Bearer {token}"), JSON, *head)
    return request(port, path, "POST", *headers, body=json.dumps(body).encode())
