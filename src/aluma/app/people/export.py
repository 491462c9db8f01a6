"""Every answer as a row of its own, and a folder of Parquet files that other tools load."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pandas as pd

from aluma.app import export
from aluma.app.desk import Desk
from aluma.app.people.learning import told
from aluma.app.people.team import Team
from aluma.app.table_file import as_file
from aluma.errors import BadInput
from aluma.session.recipe import aluma_version
from aluma.session.voices import Voice, resolutions

#: Names of the columns that are added to those of the table.
COLUMNS = ("example", "person", "answer", "skipped", "time", "label", "resolved_by")
README = """---
configs:
- config_name: labels
  default: true
  data_files: labels/*.parquet
- config_name: answers
  data_files: answers/*.parquet
---
# {name}

Labelled with aluma {version}. {promise}

`labels` has one row an example, `answers` one a person and example. Read either with

    datasets.load_dataset("{name}")             # or load_dataset("{name}", "answers")
    pandas.read_parquet("{name}/labels")
"""


def answers(desk: Desk) -> pd.DataFrame:
    """Return every answer and skip that a person gave: the example, who, when, and what counts."""
    voices = _voices(desk)
    if not voices:
        raise BadInput("nothing has been answered yet, so there are no answers: give one first.")
    right = resolutions(desk.session.log)
    counts: dict[int, Any] = {**told(desk.session), **desk.waiting}
    rows = [
        (
            voice.example,
            voice.who,
            None if voice.label is None else str(voice.label),
            voice.label is None,
            voice.time,
            counts.get(voice.example),
            right[voice.example].who if voice.example in right else "",
        )
        for voice in voices
    ]
    frame = desk.examples.frame.iloc[[voice.example for voice in voices]].reset_index(drop=True)
    added = pd.DataFrame(rows, columns=list(COLUMNS))
    named = {
        name: (export.PREFIX + name if name in frame.columns else name) for name in added.columns
    }
    return pd.concat([added.rename(columns=named), frame], axis=1)


def dataset(desk: Desk, name: str) -> bytes:
    """Return a ZIP file with a folder of Parquet files: labels, answers, and what is promised."""
    folder = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "labels"
    readme = README.format(name=folder, version=aluma_version(), promise=export.statement(desk))
    files = {
        "labels/train-00000-of-00001.parquet": as_file(export.table(desk), "parquet"),
        "answers/train-00000-of-00001.parquet": as_file(answers(desk), "parquet"),
        "README.md": readme.encode("utf-8", "replace"),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, part in files.items():
            archive.writestr(f"{folder}/{path}", part)
    return content.getvalue()


def _voices(desk: Desk) -> list[Voice]:
    """Return what people say; where they are not told apart, the answers have no name."""
    if isinstance(desk, Team):
        voices = desk.voices
        known = {voice.example for voice in voices}
    else:
        voices, known = [], set[int]()
    unnamed = [
        Voice("", entry.example, entry.label, entry.time)
        for entry in desk.session.kept
        if entry.example not in known
    ]
    return [*unnamed, *voices]
