"""The benchmark of units of columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from aluma.lab.bench import column_units


def test_it_prints_errors_and_does_not_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_units, "MARKS", (2, 3))
    given = ["--runs", "2", "--pools", "iris", "--results", str(tmp_path / "runs.jsonl")]
    assert column_units.main(given) == 0
    printed = capsys.readouterr().out
    assert "iris" in printed
    assert "standardize='auto'" in printed
    monkeypatch.delattr(column_units, "errors")
    assert column_units.main(given) == 0
    assert capsys.readouterr().out == printed
