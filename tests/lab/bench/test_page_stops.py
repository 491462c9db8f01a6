"""People whose answers cannot be learnt from, in small: what the page bench sees of them."""

from dataclasses import replace

import numpy as np
import pytest

from aluma.lab.bench.page_browser import browser
from aluma.lab.bench.page_stops import Course, course, messages, reviews
from running_page import LABELS, plane

COURSE = Course(90, 60, 90, 60, 0, None, "", "Checked at random", ())


def test_one_answer_gets_a_stop_by_checks_alone(tmp_path):
    path = tmp_path / "points.csv"
    plane(60).drop(columns="side").to_csv(path, index=False)
    labels = (LABELS["no"], LABELS["yes"])
    found = course(path, labels, lambda _i, _n: LABELS["no"], 60, pictures=str(tmp_path / "page"))
    assert found.stopped_after == found.answers == 30 + found.checks
    assert found.checks_then == found.checks > 10
    assert found.verdict_after is None
    assert found.honest, found
    if browser() is not None:
        assert found.headline.startswith(
            f"Checked at random: 0 of {found.checks} wrong, so at most"
        )
        assert sorted(one.name for one in tmp_path.glob("*.png")) == [
            "page-dark.png", "page-phone.png", "page-wide.png"
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "honest"),
    [({}, True), ({"unfounded": 1}, False), ({"larger": ("About 1% wrong",)}, False)],
)
def test_what_was_not_shown_must_not_be_said(change, honest):
    assert replace(COURSE, **change).honest is honest


def test_messages_are_those_of_the_demonstration(tmp_path):
    kinds = messages(tmp_path / "m.csv")
    assert len(kinds) == 400
    assert set(kinds) == {"other", "complaint"}


def test_reviews_have_their_embeddings_beside_them(tmp_path, data_folder):
    kinds, vectors = reviews(tmp_path / "r.csv", 50)
    assert len(kinds) == 50
    assert np.load(vectors).shape == (50, 384)
