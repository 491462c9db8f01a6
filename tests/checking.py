"""Labelled files to be checked, and pages that check them."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aluma.app.check_api import check_application
from check_server import desk
from running_page import TOKEN, Running, served


def messages(path: Path, size: int = 300, wrong: float = 0.0) -> tuple[Path, list[str]]:
    """Write messages with labels of which a share is wrong; return where, and the right ones."""
    rng = np.random.default_rng(7)
    truth = rng.choice(["ham", "spam", "news"], size, p=[0.5, 0.3, 0.2])
    labels = np.where(rng.random(size) < wrong, np.where(truth == "ham", "spam", "ham"), truth)
    texts = [f"the message number {i}, with some words in it" for i in range(size)]
    frame = pd.DataFrame({"text": texts, "label": labels, "vote_share": 0.9})
    frame.to_csv(path, index=False)
    return path, truth.tolist()


def checking(stack: ExitStack, path: Path, **settings: Any) -> Running:
    """Serve the page that checks a file until the stack is left."""
    found = desk(path, **settings)
    return served(stack, check_application(found, TOKEN), found)
