"""Markdown whose prose is wrapped at a width; tables, pictures and code stay as they are."""

from __future__ import annotations

import re

#: Characters in a line of prose.
WIDTH = 100

#: Lines that stand for themselves: headings, tables, comments, pictures, indented code.
_ALONE = re.compile(r"#|\||<|!\[| {4}")
#: What opens an item of a list, or a quotation.
_OPENING = re.compile(r" *(?:[-*+]|\d+\.) +|> ")
#: Words that would open something else at the beginning of a line.
_NEVER_FIRST = re.compile(r"(?:[-+*>#|=].*|\d+[.)])$")
#: Words: what spaces separate, those in `code` and in [links](...) left out.
_WORD = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")


def wrapped(markdown: str, width: int = WIDTH) -> str:
    """Return Markdown that renders as before, its paragraphs, lists and quotations wrapped."""
    out: list[str] = []
    opening, prose, fenced = "", "", False

    def flush() -> None:
        nonlocal prose
        if prose:
            out.extend(_filled(opening, prose, width))
        prose = ""

    for line in markdown.splitlines():
        fence = line.lstrip().startswith("```")
        if fence or fenced or not line.strip() or _stands_alone(line, prose):
            flush()
            out.append(line)
            fenced ^= fence
        elif (found := _OPENING.match(line)) and not (prose and opening == found[0] == "> "):
            flush()
            opening, prose = found[0], line[found.end() :]
        elif prose:
            prose += " " + line.removeprefix("> ").strip()
        else:
            prose = line.lstrip()
            opening = line[: len(line) - len(prose)]
    flush()
    return "\n".join(out) + "\n"


def _stands_alone(line: str, prose: str) -> bool:
    """Say whether a line is no prose; an indented one belongs to the prose above it."""
    return bool(_ALONE.match(line)) and not (prose and line.startswith(" "))


def _filled(opening: str, prose: str, width: int) -> list[str]:
    """Return the lines of a paragraph; further ones are indented as its opening asks for."""
    further = opening if opening == "> " else " " * len(opening)
    words: list[str] = []
    for word in _WORD.findall(prose):
        if words and _NEVER_FIRST.match(word):
            words[-1] += " " + word
        else:
            words.append(word)
    lines, line = [], opening + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = further + word
        else:
            line += " " + word
    return [*lines, line]
