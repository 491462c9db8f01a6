"""Finished runs of a long benchmark in a file of JSON lines, so that it can be interrupted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from aluma.lab.contest import in_parallel

#: What a run is of: pool, seed, and the rule that was followed.
Key: TypeAlias = tuple[str, int, str]
#: What was seen in it: numbers, words and truth values.
Record: TypeAlias = dict[str, Any]


class KeptRuns:
    """Runs by pool, seed and rule; with a file, also those of earlier sittings.

    A line that was cut off, as by a power cut, is left out, and its run is done again. Nothing says
    by which version of the package a run was made: take a new file when that has changed.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._runs: dict[Key, Record] = {}
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text("utf-8") if path.is_file() else ""
        for line in text.splitlines():
            try:
                one = json.loads(line)
                self._runs[one["pool"], one["seed"], one["rule"]] = one["run"]
            except (json.JSONDecodeError, KeyError, TypeError):
                continue
        if text and not text.endswith("\n"):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def __contains__(self, key: Key) -> bool:
        return key in self._runs

    def __getitem__(self, key: Key) -> Record:
        return self._runs[key]

    def add(self, key: Key, run: Record) -> None:
        """Keep a run; it is on the disk when this returns."""
        self._runs[key] = run
        if self.path is None:
            return
        pool, seed, rule = key
        line = json.dumps({"pool": pool, "seed": seed, "rule": rule, "run": run})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())


def work_through(
    kept: KeptRuns,
    tasks: Sequence[Any],
    work: Callable[[Any], dict[Key, Record]],
    jobs: int = -1,
) -> Iterator[int]:
    """Do tasks in several processes and keep what each returns; yield how many are done."""
    for done, found in enumerate(in_parallel(work, tasks, jobs, ordered=False), start=1):
        for key, run in found.items():
            kept.add(key, run)
        yield done
