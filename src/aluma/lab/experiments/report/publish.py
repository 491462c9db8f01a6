"""Put a report into the documentation.

``python -m aluma.lab.experiments.report.publish OUT DOCS``
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from aluma.lab.experiments.store import write_whole

PAGE = "reproduction.md"
IMAGES = Path("images", "reproduction")
#: What stands above this line in the page is written by hand and stays.
MARK = "<!-- What follows is written by aluma.lab.experiments.report.publish. -->"
#: Colours that figures of lines need; the files become a third as large.
MOST_COLOURS = 256


def publish(out: Path, docs: Path) -> None:
    """Write the report in ``out`` below the mark of the page, with its figures beside it."""
    page = docs / PAGE
    head, mark, _ = page.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise ValueError(f"{page} has no line {MARK!r}: add it where the report is to begin.")
    report = (out / "report.md").read_text(encoding="utf-8")
    title, _, rest = report.partition("\n")
    if not title.startswith("# "):
        raise ValueError(f"{out / 'report.md'} does not begin with a title.")
    body = rest.strip().replace("](figures/", f"]({IMAGES.as_posix()}/")
    for picture in sorted((out / "figures").glob("*.png")):
        write_whole(docs / IMAGES / picture.name, _smaller(picture))
    write_whole(page, f"{head}{MARK}\n\n{body}\n")


def _smaller(picture: Path) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    with Image.open(picture) as image:
        # With k-means, the shades of bands leave room for lines and names, which are few pixels.
        reduced = image.convert("RGB").quantize(MOST_COLOURS, kmeans=1, dither=Image.Dither.NONE)
        reduced.save(out, "png", optimize=True)
    return out.getvalue()


def main() -> None:
    """Read the two folders from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder that `aluma reproduce` wrote")
    parser.add_argument("docs", type=Path, help="folder of the documentation")
    arguments = parser.parse_args()
    publish(arguments.out, arguments.docs)


if __name__ == "__main__":
    main()
