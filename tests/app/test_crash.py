"""The page's questions answered at machine speed, and a server that is killed in the middle."""

import numpy as np

from aluma.lab.bench.page_crash import Kills, hammer
from running_page import LABELS, plane

#: After so many answers labels are being checked, whatever was expected before.
CHECKING = 48


def test_no_answer_or_check_is_lost_doubled_or_chosen_again_by_kill_9(tmp_path):
    frame = plane(300, seed=5)
    path = tmp_path / "points.csv"
    frame.drop(columns="side").to_csv(path, index=False)
    found = hammer(
        path,
        frame["side"].tolist(),
        (LABELS["no"], LABELS["yes"]),
        answers=CHECKING + 10,
        kills=Kills(learning=1, checking=2, of_questions=30, of_checks=10),
        rng=np.random.default_rng(11),
    )
    assert (found.answers, found.kills) == (CHECKING + 10, 3)
    assert found.checks >= 10
    assert found.while_checking == 2
    assert found.harmless, found
