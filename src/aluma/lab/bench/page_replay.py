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
from aluma.lab.bench.page_client import Client, Served

#: Figures are waited for after every so many answers, as they are when a person answers.
LOOK_EVERY = 5
#: Random orders that logistic regression is averaged over.
ORDERS = 5


@dataclass(frozen=True)
class Replay:
    """How a replay went.

    Attributes
    ----------
    answers : until the page said stop (or the limit)
    stopped : whether it did
    exceptions : answers that contradicted the others, and were kept as exceptions
    error : share of the pool labelled wrong then, answered examples included
    bound : what the page said it would be at most
    logistic : the same share for logistic regression on as many labels in random order
    """

    answers: int
    stopped: bool
    exceptions: int
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
    """Answer the page's questions from known labels until it says stop."""
    served = Served(source, labels)
    client = Client(served.port)
    try:
        state, answers, number = _ready(client), 0, 0
        while not state["progress"]["finished"] and answers < most:
            example = state["question"]["example"]
            number += 1
            body = {"example": example, "label": truth[example]}
            status, _ = client.post("/api/answer", request=f"a{number}", **body)
            if status == 409:
                client.post("/api/exception", request=f"e{number}", **body)
            answers += 1
            state = _ready(client, judged=answers % LOOK_EVERY == 0)
        progress = state["progress"]
        labelled = pd.read_csv(io.BytesIO(client.get("/api/export/labels.csv")))
    finally:
        client.close()
        served.kill()
    made, _ = Features.load(source.with_suffix(".features.npz"))
    known = np.array(truth)
    return Replay(
        answers=answers,
        stopped=bool(progress["finished"]),
        exceptions=progress["exceptions"],
        error=float((labelled["label"].to_numpy() != known).mean()),
        bound=progress["figures"]["error_bound"],
        logistic=float(np.mean([_passive(made.X, known, answers, s) for s in range(ORDERS)])),
    )


def _ready(client: Client, *, judged: bool = False) -> Any:
    """Wait until there is a question and, if wanted, until the figures are about all answers."""
    state = client.get("/api/state")
    while True:
        progress = state["progress"]
        learnt = progress["answered"] - progress["exceptions"]
        late = judged and (progress["figures"] or {"answers": 0})["answers"] < learnt
        if (state["question"] or progress["exhausted"]) and not late:
            return state
        state = client.get("/api/state", after=state["tick"], wait=20)


def _passive(X: Singles, truth: npt.NDArray[Any], answers: int, seed: int) -> float:
    """Return the error of the pool labelled by logistic regression from random answers."""
    from sklearn.linear_model import LogisticRegression

    order = np.random.default_rng(seed).permutation(len(truth))
    asked, rest = order[:answers], order[answers:]
    model = LogisticRegression(max_iter=2000).fit(X[asked], truth[asked])
    return float((model.predict(X[rest]) != truth[rest]).sum() / len(truth))
