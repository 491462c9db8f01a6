"""Features of images: where edges run which way, and pixels.

Pixels say where there is ink; a line that is moved by its own width has none in common with what it
was. Directions of edges, counted in small squares, stay nearly the same (Dalal and Triggs 2005,
histograms of oriented gradients). They know neither colour nor brightness, so pixels stay beside
them, with less weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aluma.app.blocks import Block, Part, reduced
from aluma.app.examples import Images
from aluma.arrays import Floats, Singles

#: Images are made this high and wide.
IMAGE_SIDE = 32
#: Pixels of a side of the squares in which edges are counted, and the directions told apart.
CELL, ANGLES = 4, 8
#: Added to the edges' strength of a neighbourhood before it is divided by: noise stays small.
FLOOR = 0.01
#: Total variance of the pixels beside the edges' one. On pairs of digits, a third has the errors of
#: edges alone, and as much of both has up to a quarter more.
PIXELS = 0.3
#: Images whose edges are counted at a time.
AT_ONCE = 1_000


def of_pictures(images: Images, count: int) -> list[Part]:
    """Return leading directions of the edges and of the pixels, all images made the same size."""
    raw, grey = _pixels(images, count)
    channels = raw.shape[1] // IMAGE_SIDE**2
    found = []
    if (drawn := edges(grey)).std(axis=0).any():
        about = {"side": IMAGE_SIDE, "cell": CELL, "angles": ANGLES, "floor": FLOOR}
        found.append(reduced("edges", about, drawn))
    about = {"side": IMAGE_SIDE, "channels": channels}
    return [*found, _weaker(*reduced("pixels", about, raw), np.sqrt(PIXELS) if found else 1.0)]


def edges(grey: Singles) -> Singles:
    """Return how strong edges are by square and direction, beside those in the squares around.

    Parameters
    ----------
    grey : (n, side, side) brightness from 0 to 1

    Returns
    -------
    (n, squares * directions), square by square, directions innermost
    """
    parts = [_edges(grey[start : start + AT_ONCE]) for start in range(0, len(grey), AT_ONCE)]
    return np.concatenate(parts).astype(np.float32)


def _edges(grey: Singles) -> Singles:
    down, right = np.zeros_like(grey), np.zeros_like(grey)
    down[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    right[:, :, 1:-1] = grey[:, :, 2:] - grey[:, :, :-2]
    angle = np.mod(np.arctan2(down, right), np.pi) * (ANGLES / np.pi)
    first = np.floor(angle).astype(np.int64)
    part, strength = angle - first, np.hypot(down, right)
    n, squares = len(grey), grey.shape[1] // CELL
    counted = np.zeros((n, squares, squares, ANGLES), dtype=np.float32)
    for direction in range(ANGLES):
        # An edge between two directions counts for both, the nearer one more.
        share = (first % ANGLES == direction) * (1 - part)
        share += ((first + 1) % ANGLES == direction) * part
        cells = (strength * share).reshape(n, squares, CELL, squares, CELL)
        counted[..., direction] = cells.sum(axis=(2, 4))
    around = np.pad(np.square(counted).sum(axis=3), ((0, 0), (1, 1), (1, 1)))
    near = sum(
        around[:, i : i + squares, j : j + squares] for i in range(3) for j in range(3)
    ) + np.float32(FLOOR)
    return np.asarray((counted / np.sqrt(near)[..., None]).reshape(n, -1))


def _pixels(images: Images, count: int) -> tuple[Singles, Singles]:
    """Return pixels as they are learnt from, (n, side * side * channels), and in grey."""
    side, found, grey = (IMAGE_SIDE, IMAGE_SIDE), [], np.empty((count, IMAGE_SIDE, IMAGE_SIDE))
    for i in range(count):
        picture = images.picture(i)
        has_none = picture.mode in ("1", "L", "I", "I;16", "F")
        one = np.asarray(picture.convert("L" if has_none else "RGB").resize(side))
        grey[i] = one if has_none else np.asarray(picture.convert("L").resize(side))
        found.append(one.ravel())
    wanted = max(map(len, found))
    raw = np.stack([one if len(one) == wanted else np.repeat(one, 3) for one in found])
    return _to_one(raw), _to_one(grey)


def _to_one(bytes_: Any) -> Singles:
    return np.asarray(bytes_, dtype=np.float32) / np.float32(255)


def _weaker(X: Floats | Singles, block: Block, by: float) -> Part:
    return X * by, replace(block, map=block.map * by, offset=block.offset * by)
