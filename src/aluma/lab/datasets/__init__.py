"""The data sets of the paper: downloaded or local (see ``ALUMA_DATA``), or made on the spot.

>>> from aluma.lab import datasets
>>> datasets.octahedron(4)
Dataset(octahedron, d = 4: 24 x 5, 5 +)
"""

from aluma.errors import CorruptData, MissingData
from aluma.lab.datasets.dataset import Dataset
from aluma.lab.datasets.files import cache_folder
from aluma.lab.datasets.mnist import mnist
from aluma.lab.datasets.posts import newsgroups, pcmac
from aluma.lab.datasets.shapes import (
    bottom_share,
    circle,
    line,
    lower_bound,
    octahedron,
    packing,
    sphere,
    two_circles,
    two_circles_order,
)
from aluma.lab.datasets.texts import Texts, embedded, texts
from aluma.lab.datasets.web_pages import w1a

__all__ = [
    "CorruptData",
    "Dataset",
    "MissingData",
    "Texts",
    "bottom_share",
    "cache_folder",
    "circle",
    "embedded",
    "line",
    "lower_bound",
    "mnist",
    "newsgroups",
    "octahedron",
    "packing",
    "pcmac",
    "sphere",
    "texts",
    "two_circles",
    "two_circles_order",
    "w1a",
]
