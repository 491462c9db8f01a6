"""A labelled data set replayed through the page: how many answers, and how good they were."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from aluma.app.features import Features
from aluma.arrays import Singles
from aluma.lab.bench.page_client import Client, Served, ready

#: Random orders that logistic regression is averaged over.
ORDERS = 5


@dataclass(frozen=True)
class Replay:
    """How a replay went.

    Attributes
    ----------
    answers : until the labels had passed a check (or the limit)
    checks : how many of them checked labels in the check that was passed
    stopped : whether they had
    error : share of the pool labelled wrong then, answered examples included
    bound : what the page promised that it would be at most
    logistic : the same share for logistic regression on as many labels in random order
    """

    answers: int
    checks: int
    stopped: bool
    error: float
    bound: float
    logistic: float


def sms_spam(folder: Path, to: Path) -> list[str]:
    """Write the SMS Spam Collection as a table without its labels, and return these."""
    lines = (folder / "SMSSpamCollection").read_text("utf-8").splitlines()
    rows = [line.split("\t", 1) for line in lines if line]
    pd.DataFrame({"message": [text for _, text in rows]}).to_csv(to, index=False)
    return [label for label, _ in rows]


def replay(source: Path, truth: Sequence[str], labels: tuple[str, str], most: int) -> Replay:
    """Answer the page's questions from known labels until they have passed a check."""
    served = Served(source, labels)
    client = Client(served.port)
    try:
        state, answers, number = ready(client), 0, 0
        while not state["progress"]["finished"] and answers < most:
            example = state["question"]["example"]
            number += 1
            body = {"example": example, "label": truth[example]}
            status, reply = client.post("/api/answer", request=f"a{number}", **body)
            if status != 200:
                raise RuntimeError(f"answer {number} was refused: {reply}")
            answers += 1
            state = ready(client)
        progress = state["progress"]
        labelled = pd.read_csv(io.BytesIO(client.get("/api/export/labels.csv")))
    finally:
        client.close()
        served.kill()
    made, _ = Features.load(source.with_suffix(".features.npz"))
    known = np.array(truth)
    return Replay(
        answers=answers,
        checks=progress["figures"]["checks"],
        stopped=bool(progress["finished"]),
        error=float((labelled["label"].to_numpy() != known).mean()),
        bound=progress["figures"]["error_bound"],
        logistic=float(np.mean([_passive(made.X, known, answers, s) for s in range(ORDERS)])),
    )


def _passive(X: Singles, truth: npt.NDArray[Any], answers: int, seed: int) -> float:
    """Return the error of the pool labelled by logistic regression from random answers."""
    from sklearn.linear_model import LogisticRegression

    order = np.random.default_rng(seed).permutation(len(truth))
    asked, rest = order[:answers], order[answers:]
    model = LogisticRegression(max_iter=2000).fit(X[asked], truth[asked])
    return float((model.predict(X[rest]) != truth[rest]).sum() / len(truth))
