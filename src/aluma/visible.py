"""Text of others made visible: nothing in it steers a terminal."""

from __future__ import annotations

import unicodedata

#: Unicode's categories of characters that are not to be seen but do something: control characters,
#: marks of direction and other formats, half characters, separators of lines and paragraphs.
STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return text whose characters that steer are as Python writes them.

    Names of files and columns, and texts, may hold escape sequences, or marks that turn the
    direction of writing; both can make a terminal show something else than what is there.
    """
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if unicodedata.category(character) not in STEERING or character in "\n\t":
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def counted(n: int, what: str) -> str:
    """Return how many there are in words: 1 answer, 2 answers."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"
