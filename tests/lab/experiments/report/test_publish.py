"""A report in the documentation: below the mark, with smaller figures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from aluma.lab.experiments.report.publish import MARK, publish

DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    (folder / "figures").mkdir(parents=True)
    (folder / "report.md").write_text("# Title\n\nText ![a](figures/a.png)\n", "utf-8")
    pixels = np.random.default_rng(0).integers(0, 8, (60, 80, 3)).astype(np.uint8) * 30
    Image.fromarray(pixels).save(folder / "figures" / "a.png")
    return folder


def test_what_is_above_the_mark_stays(out: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "reproduction.md").write_text(f"# By hand\n\n{MARK}\n\nold\n", "utf-8")
    for _ in range(2):
        publish(out, docs)
        text = (docs / "reproduction.md").read_text("utf-8")
        assert text == f"# By hand\n\n{MARK}\n\nText ![a](images/reproduction/a.png)\n"
    content = (docs / "images" / "reproduction" / "a.png").read_bytes()
    assert len(content) < (out / "figures" / "a.png").stat().st_size
    assert Image.open(io.BytesIO(content)).size == (80, 60)


def test_a_page_without_the_mark_is_left_alone(out: Path, tmp_path: Path) -> None:
    (tmp_path / "reproduction.md").write_text("# By hand\n", "utf-8")
    with pytest.raises(ValueError, match="has no line"):
        publish(out, tmp_path)
    assert (tmp_path / "reproduction.md").read_text("utf-8") == "# By hand\n"


def test_the_page_of_this_project_has_the_mark() -> None:
    assert MARK in (DOCS / "reproduction.md").read_text("utf-8")


def test_the_colour_of_a_thin_line_stays(out: Path, tmp_path: Path) -> None:
    """Bands of many shades must not take the palette from a line of one pixel."""
    shades = np.linspace(120, 255, 600).astype(np.uint8)
    pixels = np.stack([np.broadcast_to(shades, (400, 600))] * 3, axis=2).copy()
    pixels[..., 2] = pixels[::-1, :, 1] // 2 + np.arange(400, dtype=np.uint8)[:, None] // 4
    pixels[200] = (204, 121, 167)
    Image.fromarray(pixels).save(out / "figures" / "a.png")
    (tmp_path / "reproduction.md").write_text(f"{MARK}\n", "utf-8")
    publish(out, tmp_path)
    with Image.open(tmp_path / "images" / "reproduction" / "a.png") as image:
        line = np.asarray(image.convert("RGB"), dtype=int)[200]
    assert np.abs(line - (204, 121, 167)).max() <= 8
