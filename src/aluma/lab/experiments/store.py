"""Results in plain files, one a task, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from aluma.lab.experiments.declaration import Task
from aluma.lab.experiments.versions import code_version


class Store:
    """A folder of results: ``<experiment>/<case>/seed-<n>-<version>.json``.

    The version is a digest of the code and of the settings that determine the result, so a result
    is found again exactly as long as it would come out the same. Files hold nothing else: no time,
    no machine, so that a run that was interrupted and resumed leaves the same bytes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, task: Task) -> Path:
        """Return where the result of a task belongs."""
        name = f"seed-{task.seed}-{task_version(task)}.json"
        return self.folder / task.experiment.name / task.case / name

    def has(self, task: Task) -> bool:
        """Whether a task's result is there."""
        return self.path(task).is_file()

    def read(self, task: Task) -> dict[str, Any]:
        """Return the result of a task that is there."""
        content: dict[str, Any] = json.loads(self.path(task).read_text(encoding="utf-8"))
        return content["result"]  # type: ignore[no-any-return]

    def write(self, task: Task, result: dict[str, Any]) -> None:
        """Keep a result: readers see it whole, also after a crash or a power cut."""
        content = {
            "experiment": task.experiment.name,
            "case": task.case,
            "seed": task.seed,
            "scale": task.scale,
            "version": task_version(task),
            "result": result,
        }
        write_whole(self.path(task), json.dumps(content, sort_keys=True, allow_nan=False) + "\n")


def task_version(task: Task) -> str:
    """Return the digest of the code and the settings that determine a task's result."""
    code = code_version(task.experiment.code(task.case))
    settings = task.experiment.settings(task.case, task.scale)
    return hashlib.blake2b(f"{code} {settings}".encode(), digest_size=6).hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is either as it was or complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    data = content.encode() if isinstance(content, str) else content
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
