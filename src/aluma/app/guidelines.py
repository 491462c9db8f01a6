"""Guidelines for whoever answers: Markdown as a tree of harmless elements.

The page makes elements of the tree one by one and puts texts in as texts. So whatever a file holds,
nothing of it is ever taken for HTML, no image is loaded, and links lead to web pages or to mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from aluma.app.examples import sound
from aluma.errors import BadInput
from aluma.session import Session

#: Bytes that a file of guidelines may have.
MOST_BYTES = 256 * 1024
#: Quotations within quotations that are looked into.
DEEPEST = 3
#: Name among what a session keeps beside its answers.
KEPT = "guidelines"

Tag: TypeAlias = Literal[
    "text", "h3", "h4", "h5", "p", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em",
    "a", "hr",
]  # fmt: skip


class Node(BaseModel):
    """An element, or a text."""

    tag: Tag
    text: Annotated[str, Field(description="of a text, code or pre")] = ""
    href: Annotated[str | None, Field(description="of a link: http, https or mailto")] = None
    children: list[Node] = []


class Guidelines(BaseModel):
    """All of the guidelines."""

    nodes: list[Node]


_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")
_QUOTE = re.compile(r"\s{0,3}>\s?(.*)")
_ITEM = re.compile(r"\s*(?:([-*+])|\d{1,9}[.)])\s+(\S.*)")
#: Lengths are bounded, so that no text takes long.
_INLINE = re.compile(
    r"`(?P<code>[^`\n]{1,500})`"
    r"|!\[(?P<alt>[^\]\n]{0,300})\]\([^)\n]{0,1000}\)"
    r"|\[(?P<link>[^\]\n]{1,300})\]\((?P<href>[^)\s]{1,1000})\)"
    r"|\*\*(?P<strong>[^*\n]{1,500})\*\*"
    r"|(?<!\w)[*_](?P<em>[^*_\s](?:[^*_\n]{0,498}[^*_\s])?)[*_](?!\w)"
)
_HARMLESS = re.compile(r"(https?://|mailto:)[^\s\\]+", re.IGNORECASE)


def read(path: Path) -> str:
    """Return the text of a file of guidelines."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"the guidelines {path} cannot be read ({error.strerror}).") from error
    if len(content) > MOST_BYTES:
        raise BadInput(
            f"the guidelines {path} have {len(content):,} bytes, and may have {MOST_BYTES:,}: "
            "shorten them."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"the guidelines {path} are not in UTF-8: save them so.") from error


def brought(session: Session, path: Path | None) -> list[Node]:
    """Return the guidelines of a session; those of a file take the place of earlier ones."""
    if path is not None and (text := read(path)) != session.beside.get(KEPT, ""):
        session.keep_beside({KEPT: text})
    return parsed(session.beside.get(KEPT, ""))


def parsed(text: str) -> list[Node]:
    """Return Markdown as a tree: headings, paragraphs, lists, quotations, code and links."""
    plain = "".join(one for one in sound(text) if one in "\n\t" or ord(one) >= 32)
    return list(_blocks(plain.split("\n"), 0))


def _blocks(lines: list[str], depth: int) -> Iterator[Node]:
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if not line.strip():
            pass
        elif fence := _FENCE.match(line):
            while end < len(lines) and not lines[end].lstrip().startswith(fence[1]):
                end += 1
            yield Node(tag="pre", text="\n".join(lines[at + 1 : end]))
            end += 1
        elif heading := _HEADING.match(line):
            levels: tuple[Tag, ...] = ("h3", "h4", "h5")
            level = levels[min(len(heading[1]), 3) - 1]
            yield Node(tag=level, children=_inline(heading[2].rstrip("# ")))
        elif _RULE.match(line):
            yield Node(tag="hr")
        elif _QUOTE.match(line) and depth < DEEPEST:
            while end < len(lines) and _QUOTE.match(lines[end]):
                end += 1
            quoted = [_QUOTE.sub(r"\1", one) for one in lines[at:end]]
            yield Node(tag="blockquote", children=list(_blocks(quoted, depth + 1)))
        elif item := _ITEM.match(line):
            end = _end(lines, at, items=True)
            yield Node(tag="ul" if item[1] else "ol", children=_items(lines[at:end]))
        else:
            end = _end(lines, at, items=False)
            joined = " ".join(one.strip() for one in lines[at:end])
            yield Node(tag="p", children=_inline(joined))
        at = end


def _end(lines: list[str], start: int, *, items: bool) -> int:
    """Return where a list or a paragraph ends: at an empty line, or where something else begins."""
    ordered = items and not _ITEM.match(lines[start])[1]  # type: ignore[index]
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if not line.strip() or any(one.match(line) for one in (_FENCE, _HEADING, _QUOTE)):
            return at
        item = _ITEM.match(line)
        if item and (not items or bool(item[1]) == ordered):
            return at
    return len(lines)


def _items(lines: list[str]) -> list[Node]:
    """Return the items of a list; a line that begins none goes on with the one before."""
    texts: list[str] = []
    for line in lines:
        if item := _ITEM.match(line):
            texts.append(item[2])
        else:
            texts[-1] += f" {line.strip()}"
    return [Node(tag="li", children=_inline(text)) for text in texts]


def _inline(text: str) -> list[Node]:
    """Return a line as texts, code, emphasis and links; an image is its description."""
    nodes: list[Node] = []
    at = 0
    for found in _INLINE.finditer(text):
        if found.start() > at:
            nodes.append(Node(tag="text", text=text[at : found.start()]))
        nodes.append(_element(found))
        at = found.end()
    if at < len(text):
        nodes.append(Node(tag="text", text=text[at:]))
    return nodes


def _element(found: re.Match[str]) -> Node:
    kind = found.lastgroup
    if kind == "code":
        return Node(tag="code", text=found["code"])
    if kind == "strong":
        return Node(tag="strong", children=[Node(tag="text", text=found["strong"])])
    if kind == "em":
        return Node(tag="em", children=[Node(tag="text", text=found["em"])])
    if kind == "href" and _HARMLESS.fullmatch(found["href"]):
        inside = [Node(tag="text", text=found["link"])]
        return Node(tag="a", href=found["href"], children=inside)
    return Node(tag="text", text=f"[image: {found['alt']}]" if kind == "alt" else found[0])
