"""Where the tests of sessions keep them."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.aluma"
