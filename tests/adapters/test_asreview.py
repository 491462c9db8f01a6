"""The stopper for ASReview, in a loop that screens as its simulation does.

``test_asreview_peer.py`` has the same with ASReview itself.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chisquare

from aluma.adapters.asreview import Checks, RecallBound
from evidence import generator, holds

SIZE, RELEVANT = 400, 40
#: Records that are drawn between two looks.
AT_ONCE = 16


def screened(rng, *, read: int, stopper: RecallBound, seed: int | None = 0) -> tuple[float, int]:
    """Read some records by a score that half of the relevant ones have, then check; return recall.

    Also how many records were read.
    """
    labels = np.zeros(SIZE, dtype=int)
    labels[rng.choice(SIZE, RELEVANT, replace=False)] = 1
    likely = np.argsort(-(labels * (rng.random(SIZE) < 0.9) + 0.1 * rng.random(SIZE)))[:read]
    rows = [(int(i), int(labels[i]), "max") for i in likely]
    querier = Checks(seed)
    while True:
        results = pd.DataFrame(rows, columns=["record_id", "label", "querier"])
        if stopper.stop(results, labels):
            return results["label"].sum() / RELEVANT, len(rows)
        unread = np.setdiff1d(np.arange(SIZE), results["record_id"])
        drawn = unread[querier.query(np.zeros((len(unread), 2)))[:AT_ONCE]]
        rows += [(int(i), int(labels[i]), querier.name) for i in drawn]


def test_what_it_says_is_true_as_often_as_it_says():
    def look(seed, more):
        rng, runs, stopper = generator(seed), 30 * more, RecallBound(0.9, delta=0.2)
        late = (screened(rng, read=60, stopper=stopper, seed=None) for _ in range(runs))
        failed = sum(recall < 0.9 for recall, _ in late)
        return float(binom.sf(failed - 1, runs, 0.2))

    holds(look)


def test_it_stops_before_everything_is_read_and_never_without_checks():
    stopper = RecallBound(0.8, delta=0.05)
    recall, read = screened(generator(0), read=80, stopper=stopper)
    assert recall >= 0.8
    assert read < SIZE
    assert screened(generator(0), read=80, stopper=stopper)[1] == read
    labels = [1] * 10 + [0] * 90
    likely = pd.DataFrame({"label": labels[:60], "querier": "max"})
    assert not stopper.stop(likely, labels)
    assert stopper.screened(likely, labels).missed == 40
    assert stopper.stop(pd.DataFrame({"label": labels, "querier": "max"}), labels)


def test_checks_count_from_their_last_run_and_a_second_run_costs_more():
    labels = [0] * 1000
    once = pd.DataFrame(
        {"label": [1] * 20 + [0] * 200, "querier": ["max"] * 20 + [Checks.name] * 200}
    )
    twice = once.copy()
    twice.loc[100, "querier"] = "max"
    first, second = (RecallBound().screened(one, labels) for one in (once, twice))
    assert (first.checks, second.checks) == (200, 119)
    assert second.missed > first.missed
    ended = pd.concat([once, pd.DataFrame({"label": [0], "querier": ["max"]})])
    assert RecallBound().screened(ended, labels).missed == 1000 - 221


def test_draws_are_uniform_also_with_a_seed_and_a_querier_made_anew():
    def look(seed, more):
        firsts = [int(Checks(seed * 1000 + k).query(np.zeros(5))[0]) for k in range(200 * more)]
        return chisquare(np.bincount(firsts, minlength=5)).pvalue

    holds(look)
    places = {Checks(3).query(np.zeros(n))[0] / n for n in range(400, 500)}
    assert max(places) - min(places) > 0.8  # not the same place again and again


@pytest.mark.parametrize(("recall", "checks"), [(0.95, 2478), (0.9, 1432), (0.8, 709)])
def test_the_price_is_what_the_guide_says(recall, checks):
    guide = Path(__file__).parents[2] / "docs" / "adapters.md"
    assert f"{checks:,}" in guide.read_text(encoding="utf-8")
    for drawn, enough in ((checks - 1, False), (checks, True)):
        rows = {"label": [1] * 100 + [0] * drawn, "querier": ["max"] * 100 + [Checks.name] * drawn}
        assert RecallBound(recall).stop(pd.DataFrame(rows), [0] * 5100) == enough


def test_wrong_settings_are_named():
    empty = pd.DataFrame({"label": [], "querier": []})
    with pytest.raises(ValueError, match="recall must lie strictly between 0 and 1"):
        RecallBound(1.5).stop(empty, [0, 1])
