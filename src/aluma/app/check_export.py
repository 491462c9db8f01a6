"""What a user takes away from a check: the labels put right, and what can be said about them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from aluma.app.check_file import CheckFile
from aluma.app.table_file import as_file
from aluma.promises import audit_words
from aluma.promises.audit import Audit

#: What a check has found about a label.
RIGHT, CORRECTED = "right", "put right"


def corrected(file: CheckFile, audit: Audit) -> pd.DataFrame:
    """Return the table with what was found put right, and which labels were checked.

    What was checked counts as a person's from then on, so that no later audit draws it.
    """
    by, found = _column(file, file.by, "file"), _column(file, file.found, "")
    by.iloc[audit.checked] = "person"
    found.iloc[audit.checked] = RIGHT
    found.iloc[audit.wrong] = CORRECTED
    columns: dict[str, Any] = {file.column: audit.labels, file.by: by, file.found: found}
    return file.frame.assign(**columns)


def table(file: CheckFile, audit: Audit) -> bytes:
    """Return the corrected table as a CSV file."""
    return as_file(corrected(file, audit), "csv")


def statement(file: CheckFile, audit: Audit) -> str:
    """Return what can be said today, to be kept with the labels."""
    drawn = "more often where they are doubted" if audit.by_doubt else "evenly"
    lines = [
        audit_words.statement(audit, file.path.name, date.today()),
        audit_words.verdict(audit) or audit_words.outlook(audit),
        f"Drawn {drawn}, with seed {audit.seed}, from {len(audit) - len(file.known):,} labels; "
        f"{len(file.known):,} that a person gave count as right.",
        "This is about the labels with what was found put right. It is true with that probability "
        "over the draws, whatever the data are, whoever labelled them and whenever one stops.",
        f"The file that was checked: BLAKE2b (16 bytes) {file.digest}",
    ]
    return "\n".join(lines) + "\n"


def name(file: CheckFile) -> str:
    """Return what the results are called, without an ending."""
    return f"{file.path.stem}-checked"


def save(file: CheckFile, audit: Audit) -> tuple[Path, Path]:
    """Write the table and the statement beside the file, and return where they are."""
    rows, said = (file.path.with_name(name(file) + end) for end in (".csv", ".txt"))
    rows.write_bytes(table(file, audit))
    said.write_text(statement(file, audit), encoding="utf-8")
    return rows, said


def _column(file: CheckFile, wanted: str, otherwise: str) -> pd.Series[Any]:
    """Return a column of the table to be changed, or a new one."""
    if wanted in file.frame.columns:
        return file.frame[wanted].astype(object)
    return pd.Series(otherwise, index=file.frame.index, dtype=object)
