"""A learner's own stop: what the answers were for, what is promised then, how it is shown."""

import re

import numpy as np
import pytest

import aluma
from aluma.cli.stop import tell_stop
from aluma.cli.terminal import console
from aluma.errors import OutOfReach
from aluma.lab.comparison import STOP, compare
from aluma.lab.figures import learning_curves
from aluma.lab.names import colour
from aluma.lab.stop import Stretch, audited_learner, stretches
from aluma.spaces.history import Event

#: Of a separable pool, and how many labels may be wrong.
SIZE = 300


@pytest.fixture(scope="module")
def found():
    X = np.random.default_rng(1).standard_normal((SIZE, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.2, "yes", "no")
    watched = []

    def watch(name, repeat):
        return lambda answers, error: watched.append((name, answers))

    return compare(X, y, ["aluma"], seed=2, to_its_stop=True, watch=watch), X, y, watched


def told(stop, size):
    with console.capture() as caught:
        tell_stop(stop, size)
    return " ".join(caught.get().split())


def test_it_ends_where_a_learner_with_the_defaults_has_finished(found):
    """Nothing of the known labels decides where it stops: the loop of the README does the same."""
    comparison, X, y, watched = found
    learner = aluma.ALuMA(X, bias=True, classes=("no", "yes"), random_state=2)
    trace = aluma.run(learner, y)
    stop = comparison.stop
    assert stop.passed
    assert list(stop.indices) == trace.indices
    assert (stop.positive == (learner.predict() == "yes")).all()
    assert str(stop.certificate) == str(learner.certificate())
    assert stop.errors[-1] == np.mean(learner.predict() != y)
    assert [answers for name, answers in watched if name == STOP] == [
        *range(1, len(trace.indices) + 1)
    ]


def test_learning_and_checks_add_up(found):
    stop = found[0].stop
    learning, checking = stop.spent(checking=False), stop.spent(checking=True)
    assert learning + checking == len(stop.indices) == len(stop.errors)
    assert stop.certificate.checks == stop.stretches[-1].answers == checking
    assert [one.checking for one in stop.stretches] == [False, True]
    assert stop.stretches[-1].passed


def test_the_labels_that_are_kept_are_those_that_were_checked(found):
    comparison, _, y, _ = found
    frame = comparison.labelled()
    asked = np.flatnonzero(frame["given_by"] == "person").tolist()
    assert asked == sorted(comparison.stop.indices)
    assert np.mean(frame["label"] != y) == comparison.stop.errors[-1]


def test_the_words_have_every_number(found):
    stop = found[0].stop
    learning, checking = stop.spent(checking=False), stop.spent(checking=True)
    text = told(stop, SIZE)
    assert f"│ 1-{learning} │ learning" in text
    assert f"│ {learning + 1}-{learning + checking} │ checking: passed │ 0 of {checking} │" in text
    assert f"Stopped after {learning + checking} labels: {learning} to learn from" in text
    assert str(stop.certificate) in text


def test_the_picture_shows_where_checks_began(found, tmp_path):
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    path = tmp_path / "curves.png"
    learning_curves(found[0], path, "A title")
    shade = 1 - 0.1 * (1 - np.array(to_rgb(colour("aluma"))))
    shaded = (np.abs(imread(path)[:, :, :3] - shade).max(axis=2) < 0.01).any(axis=0)
    assert 0.05 < shaded.mean() < 0.9


def test_features_that_cannot_do_it_are_said_to():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    y = rng.integers(0, 2, 300)
    stop = compare(X, y, ["aluma"], budget=250, to_its_stop=True).stop
    assert isinstance(stop.out_of_reach, OutOfReach)
    assert not stop.passed
    assert not any(one.passed for one in stop.stretches)
    assert sum(one.checking for one in stop.stretches) >= 2
    text = told(stop, 300)
    assert "Given up after" in text
    assert re.search(r"These columns cannot separate .*: \d+ of \d+ labels", text)
    assert "at most" not in text.split("Given up")[1]


def test_a_budget_is_no_stop(found):
    _, X, y, _ = found
    stop = compare(X, y, ["aluma"], budget=20, to_its_stop=True).stop
    assert stop.ended == "budget"
    assert "with no stop yet, after 20 labels: 20 to learn from, 0 to check." in told(stop, SIZE)
    assert "so any of them may be wrong" in told(stop, SIZE)


@pytest.mark.parametrize(("name", "checks"), [("passive", True), ("qbc", False), ("iwal", False)])
def test_learners_without_checks_have_no_stop_of_that_kind(name, checks):
    made = audited_learner(name, np.eye(3), ("no", "yes"), 0)
    assert (made is not None) == checks


def test_every_audit_is_a_stretch_of_its_own():
    """An audit that ended is followed by learning or, at once, by the next."""
    events = [
        Event(0, 1), Event(1, -1),
        Event(2, 1, check=1, said=1), Event(3, 1, check=2, said=-1),
        Event(4, 1, check=1, said=-1), Event(5, 0, check=2, said=1),
        Event(6, 1),
        Event(7, 1, check=1, said=1),
    ]  # fmt: skip
    assert stretches(events, passed=True) == (
        Stretch(1, 2, False),
        Stretch(3, 4, True, wrong=1),
        Stretch(5, 6, True, wrong=2),
        Stretch(7, 7, False),
        Stretch(8, 8, True, passed=True),
    )
    assert not stretches(events, passed=False)[-1].passed
    assert stretches([], passed=True) == ()
