"""Audits that are simulated along learning curves."""

import numpy as np
import pytest

from aluma.lab.bench import checking_simulation
from aluma.lab.bench.checking_simulation import CURVES, Curve, Policy, audited, one_audit, spent
from aluma.promises.checking import TELLING
from evidence import generator


def test_labels_without_mistakes_pass_at_once() -> None:
    curve = Curve("none wrong", 0.0)
    # Nothing is expected to be wrong, so checks begin after the fewest answers.
    fewest = spent(curve, Policy("as it is"), generator(0))
    assert fewest == pytest.approx(one_audit(curve), rel=0.25)


def test_too_many_mistakes_never_pass() -> None:
    hopeless = Curve("a third wrong", 0.0, 1.0, 1 / 3)
    assert spent(hopeless, Policy("as it is"), generator(1)) == checking_simulation.MOST_ANSWERS
    ended, passed = audited(1 / 3, Policy("as it is"), 100, [], generator(2))
    assert not passed
    assert ended.wrong > 0
    again, passed = audited(1 / 3, Policy("as it is"), 200, [ended], generator(3))
    assert not passed
    assert again.checks >= TELLING > ended.checks


def test_every_policy_and_curve_has_its_place() -> None:
    found = checking_simulation.table(1, lambda curve, policy, rng: 100)
    assert found.row_count == 1 + len(checking_simulation.policies())
    assert len(found.columns) == 2 + len(CURVES)
    assert {cell for cell in found.columns[-1].cells if cell} == {"1.000"}


def test_who_goes_by_the_rate_gives_up_sooner() -> None:
    by_rate = Policy("by rate", by_rate=1.0)
    now = checking_simulation.Round(answers=100, checks=100, wrong=3)
    assert by_rate.gives_up(now, 1)
    assert not Policy("as it is").gives_up(now, 1)
    assert np.isfinite(checking_simulation.anew(now, 2, 1.0)[0])
