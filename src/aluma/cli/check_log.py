"""Answers to the checks of a labelled file, kept beside it: each is on the disk before it counts.

A file of JSON lines: first what is being checked, then one line an answer. Going on replays them,
so a restart asks the same next question; another file, or other settings, are refused.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from aluma.errors import BadInput
from aluma.promises.audit import Audit


class CheckLog:
    """The answers so far, in a file that grows by one line an answer.

    Parameters
    ----------
    path : where they are kept
    about : what is being checked; it must be the same when checking goes on
    """

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path = path
        lines = self._lines()
        if not lines:
            self._write([about])
            lines = [about]
        if lines[0] != about:
            first = lines[0]
            differ = [name for name in about if first.get(name) != about[name]]
            raise BadInput(
                f"{path} holds checks of something else ({', '.join(differ)} differ): put the file "
                "and the options back as they were, or name another place with --checks."
            )
        self._answers: list[dict[str, Any]] = lines[1:]
        if not path.read_bytes().endswith(b"\n"):
            # An answer whose line was not finished was never confirmed: go on without it.
            self._write(lines)

    def replay(self, audit: Audit) -> None:
        """Tell an audit what was answered before."""
        for line in self._answers:
            audit.tell(line["example"], line["answer"])

    def add(self, example: int, answer: Any) -> None:
        """Keep an answer."""
        self._answers.append({"example": example, "answer": answer})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self._answers[-1]) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def undo(self) -> None:
        """Forget the last answer."""
        self._answers.pop()
        self._write([self._lines()[0], *self._answers])

    def _lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").split("\n")
        # What follows the last line end was never finished.
        try:
            found = [json.loads(line) for line in lines[:-1]]
        except json.JSONDecodeError as error:
            raise self._damaged(str(error)) from error
        if not all(isinstance(line, dict) for line in found):
            raise self._damaged("a line is no object")
        if any(set(line) != {"example", "answer"} for line in found[1:]):
            raise self._damaged("a line is no answer")
        return found

    def _damaged(self, how: str) -> BadInput:
        return BadInput(f"{self.path} is damaged ({how}): restore it, or begin anew with --checks.")

    def _write(self, lines: list[dict[str, Any]]) -> None:
        part = self.path.with_name(self.path.name + ".part")
        with part.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)
