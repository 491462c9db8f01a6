"""ASReview itself, stopped by the bound on recall: ``make test-peers``."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("asreview", reason="needs ASReview: pip install asreview")

import asreview
from asreview.extensions import load_extension
from asreview.models.stoppers import NConsecutiveIrrelevant
from asreview.simulation.simulate import Simulate

from aluma.adapters.asreview import Checks, RecallBound

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("default")]
WORDS = ["cell", "dose", "trial", "mice", "rats", "soil", "rain", "wind", "leaf", "bird"]


def records(size: int = 600, relevant: int = 60):
    """Return short texts, and which are relevant: most of these are about trials."""
    rng = np.random.default_rng(0)
    labels = np.zeros(size, dtype=int)
    labels[rng.choice(size, relevant, replace=False)] = 1
    likely = {0: WORDS[3:], 1: [*WORDS[:3] * 6, *WORDS[3:]]}
    texts = [" ".join(rng.choice(likely[label], 12)) for label in labels]
    return pd.DataFrame({"title": texts, "abstract": texts}), labels


def test_a_simulation_stops_with_the_recall_that_was_asked_for():
    frame, labels = records()
    stopper = RecallBound(recall=0.8)
    first = asreview.ActiveLearningCycle(
        querier=load_extension("models.queriers", "max")(),
        classifier=load_extension("models.classifiers", "nb")(),
        balancer=load_extension("models.balancers", "balanced")(),
        feature_extractor=load_extension("models.feature_extractors", "tfidf")(),
        stopper=NConsecutiveIrrelevant(20),
    )
    checks = asreview.ActiveLearningCycle(querier=Checks(1), stopper=stopper)
    simulation = Simulate(frame, labels, [first, checks], stopper=-1, print_progress=False)
    simulation.label([int(np.flatnonzero(labels == 1)[0]), int(np.flatnonzero(labels == 0)[0])])
    simulation.review()
    results = simulation._results
    shown = stopper.screened(results, labels)
    assert shown.recall >= 0.8
    assert shown.checks > 0
    assert results["label"].sum() / labels.sum() >= 0.8
    assert len(results) < len(labels)
    print(f"ASReview {asreview.__version__}: {shown}, {len(results)} of {len(labels)} read")  # noqa: T201


def test_asreview_finds_them_by_name():
    assert load_extension("models.stoppers", "aluma_recall") is RecallBound
    assert load_extension("models.queriers", "aluma_checks") is Checks
