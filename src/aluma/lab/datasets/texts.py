"""Short texts of two kinds: the SMS Spam Collection and sentences of movie reviews.

Their sentence embeddings come as files too, so that nothing has to be run to have them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aluma.arrays import Ints
from aluma.errors import CorruptData
from aluma.lab.datasets.dataset import Dataset
from aluma.lab.datasets.files import DataFile, locate

#: So they need local copies.
IN_AN_ARCHIVE = "is published within an archive only"

SMS_SPAM = DataFile(
    "sms_spam/SMSSpamCollection",
    "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    without=IN_AN_ARCHIVE,
)
NEGATIVE_REVIEWS = DataFile(
    "rt_polarity/rt-polarity.neg",
    "2d11cfbc790f1cd96d78339f41ce53ced1efa83cd22d37d6788fa3fe3d17e2fd",
    without=IN_AN_ARCHIVE,
)
POSITIVE_REVIEWS = DataFile(
    "rt_polarity/rt-polarity.pos",
    "4134882974a28d0c7b5151256f0e33a6169984ee7372c279e673f1114f475d58",
    without=IN_AN_ARCHIVE,
)
#: all-MiniLM-L6-v2: 384 numbers a text, of length 1; in the order of the texts.
EMBEDDED = {
    "sms_spam": DataFile(
        "embeddings/sms_spam_minilm.npz",
        "a4a2d1110f15c692ca78066d555dc97292c3736f778a3caaade5200ac83f47f3",
    ),
    "rt_polarity": DataFile(
        "embeddings/rt_polarity_minilm.npz",
        "3d9e0062a682145c1aca2f3586d7230fe0c16c4b4b7fd045400a9f44b4bd085f",
    ),
}


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts and their labels, -1 or +1; ``classes`` is what these stand for."""

    name: str
    texts: list[str]
    y: Ints
    classes: tuple[str, str]

    def __len__(self) -> int:
        return len(self.y)


def texts(name: str) -> Texts:
    """Return the messages of "sms_spam" (+1 is spam) or the sentences of "rt_polarity"."""
    if name == "sms_spam":
        lines = locate(SMS_SPAM).read_text("utf-8").split("\n")
        rows = [line.split("\t", 1) for line in lines if line]
        y = np.array([1 if label == "spam" else -1 for label, _ in rows], dtype=np.int64)
        return Texts("SMS Spam Collection", [text for _, text in rows], y, ("ham", "spam"))
    _check(name)
    sides = [
        [line.strip() for line in locate(file).read_text("latin-1").split("\n") if line.strip()]
        for file in (NEGATIVE_REVIEWS, POSITIVE_REVIEWS)
    ]
    y = np.repeat(np.array([-1, 1], dtype=np.int64), [len(side) for side in sides])
    return Texts("movie reviews", sides[0] + sides[1], y, ("negative", "positive"))


def embedded(name: str) -> Dataset:
    """Return sentence embeddings (all-MiniLM-L6-v2) of "sms_spam" or "rt_polarity"."""
    _check(name)
    path = locate(EMBEDDED[name])
    with np.load(path, allow_pickle=False) as content:
        X, y = content["X"].astype(np.float64), content["y"]
    if len(X) != len(y):
        raise CorruptData(f"{path} has {len(X)} rows and {len(y)} labels: replace it.")
    return Dataset(f"{name}, MiniLM", X, np.where(y == 1, 1, -1).astype(np.int64))


def _check(name: str) -> None:
    if name not in EMBEDDED:
        raise ValueError(f"the texts are {' and '.join(EMBEDDED)}, not {name!r}.")
