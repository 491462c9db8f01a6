"""Answers at machine speed, and a server that is killed in the middle of them."""

import numpy as np

from aluma.lab.bench.page_crash import Crashes, hammer
from running_page import LABELS, plane


def test_no_answer_is_lost_or_doubled_by_kill_9(tmp_path):
    frame = plane(80, seed=5)
    path = tmp_path / "points.csv"
    frame.drop(columns="side").to_csv(path, index=False)
    found = hammer(
        path,
        frame["side"].tolist(),
        (LABELS["no"], LABELS["yes"]),
        answers=60,
        kills=1,
        rng=np.random.default_rng(11),
    )
    assert found == Crashes(answers=60, kills=1, lost=0, doubled=0, wrong=0)
