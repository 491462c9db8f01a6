"""The benchmark of audits, in small, and that it can fail."""

from io import StringIO

import pytest
from rich.console import Console

from aluma.lab.bench import audits
from aluma.lab.bench.audits import Outcome, Setting


def test_it_runs_and_the_promise_is_kept() -> None:
    out = StringIO()
    assert audits.run(Console(file=out, width=120), quick=True)
    assert "looked at after every answer" in out.getvalue()


def test_a_single_look_fails_where_an_audit_does_not() -> None:
    seen = [audits.watch(Setting(300, 0.12, "none"), seed) for seed in range(24)]
    assert sum(one.single_look_low for one in seen) > 2
    assert not audits.broken(seen)


@pytest.mark.parametrize(("failed", "broken"), [(5, False), (30, True)])
def test_too_many_failures_are_noticed(failed: int, broken: bool) -> None:
    found = [Outcome(number < failed, False, False, 60) for number in range(100)]
    assert audits.broken(found) is broken


def test_prices_are_compared_with_a_single_look() -> None:
    ours, single = audits.prices(5269, 0.05)
    assert single == 58
    assert single <= ours <= 1.35 * single
