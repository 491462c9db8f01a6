"""When checks should begin and be given up, by audits that are simulated along learning curves.

    python -m aluma.lab.bench.checking_simulation [--runs N]

No learner is run: a curve says what share of the labels is wrong after so many answers, and checks
are drawn by chance, so policies of a new kind are compared in a minute.
:mod:`aluma.lab.bench.checking_policy` does so on real pools. What is promised is true under every
policy; they differ in labels only.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

import numpy as np
from rich.console import Console
from rich.table import Table

from aluma.promises import checking
from aluma.promises.checking import Round, checks_needed, share_of_delta, worth_checking
from aluma.promises.wrong_counts import UniformChecks

TOLERANCE, DELTA = 0.05, 0.05
#: Labels of a simulated pool, and answers after which a run is left.
SIZE, MOST_ANSWERS = 2000, 1000
#: What hypotheses expect to be wrong, as a multiple of what is.
EXPECTED = 2.0
#: Checks before a rate is judged by, and answers between the plans of a policy that goes by rate.
FEWEST_CHECKS, STEP = 20, 10


@dataclass(frozen=True)
class Curve:
    """Errors that fall to ``floor`` as ``scale`` / answers ** ``power``."""

    name: str
    scale: float
    power: float = 1.0
    floor: float = 0.0

    def error(self, answers: int) -> float:
        """Return the share of the labels that is wrong after some answers."""
        return min(0.5, self.floor + float(self.scale / answers**self.power))


CURVES = (
    Curve("0.5 / n", 0.5),
    Curve("1 / n", 1.0),
    Curve("2.5 / n", 2.5),
    Curve("5 / n", 5.0),
    Curve("0.25 / sqrt(n)", 0.25, 0.5),
    Curve("2% + 2 / n", 2.0, 1.0, 0.02),
    Curve("4% + 2 / n", 2.0, 1.0, 0.04),
)


class Bounds:
    """The bounds of one audit, by checks and wrong ones among them; each is worked out once."""

    def __init__(self, delta: float) -> None:
        self.goal = int(TOLERANCE * SIZE + 1e-9)
        uniform = UniformChecks(SIZE, self.goal, delta)
        self.most = cache(uniform.most)
        self.least = cache(uniform.least)
        self.remaining = cache(self._remaining)

    def _remaining(self, checks: int, wrong: int) -> int:
        """Return how many more checks it takes to pass if all of them find the label right."""
        low, high = 1, SIZE - checks
        while low < high:
            middle = (low + high) // 2
            passes = self.most(checks + middle, wrong) - wrong <= self.goal
            low, high = (low, middle) if passes else (middle + 1, high)
        return low


@cache
def bounds(number: int) -> Bounds:
    """Return the bounds of the audit of that number."""
    return Bounds(share_of_delta(DELTA, number))


@dataclass(frozen=True)
class Policy:
    """When to begin and to give up: as :mod:`aluma.promises.checking` has it, or otherwise.

    Attributes
    ----------
    name : what tables call it
    latest : answers after which labels are checked for the first time, whatever is expected
    futile : an audit is given up when passing it would take so many times the checks of a new one
    by_rate : if given, it is given up when going on would take so many times what beginning anew
        would, by the share found wrong so far; and the next begins when that is cheapest
    power : by which errors are then taken to fall
    telling : checks that an audit goes on to which fails after one that failed
    """

    name: str
    latest: float = checking.LATEST
    futile: float = checking.FUTILE
    by_rate: float | None = None
    power: float = 1.0
    telling: int = checking.TELLING

    def begins(self, answers: int, expected: float, past: Sequence[Round]) -> bool:
        """Say whether labels are checked from here on."""
        number = len(past) + 1
        if not past:
            start = max(checking.FEWEST, min(self.latest, checking.LATEST_SHARE * SIZE))
        elif answers < (again := past[-1].answers + past[-1].checks + checking.FEWEST):
            return False
        elif self.by_rate is not None:
            return answers >= again + anew(past[-1], number, self.power)[1]
        else:
            start = checking.GROWTH * past[-1].answers
            expected = max(expected, past[-1].rate * past[-1].answers / answers)
        if answers >= start:
            return True
        delta = share_of_delta(DELTA, number)
        return answers >= checking.FEWEST and worth_checking(answers, expected, TOLERANCE, delta)

    def gives_up(self, now: Round, number: int) -> bool:
        """Say whether an audit that goes on is better begun anew."""
        clearly = now.wrong >= checking.CLEARLY * TOLERANCE * now.checks
        if not now.wrong or (clearly and not showed(now, number)):
            return False
        left = bounds(number).remaining(now.checks, now.wrong)
        if self.by_rate is None:
            price = checks_needed(0.0, TOLERANCE, share_of_delta(DELTA, number + 1))
            return left > self.futile * price
        if now.checks < FEWEST_CHECKS:
            return False
        at_rate = checks_needed(now.rate, TOLERANCE, share_of_delta(DELTA, number)) - now.checks
        return max(left, at_rate) > self.by_rate * anew(now, number + 1, self.power)[0]


@cache
def anew(ended: Round, number: int, power: float) -> tuple[float, int]:
    """Return the fewest labels to pass the next audit, and answers before it, by the rate found."""
    plans = []
    for more in range(0, MOST_ANSWERS, STEP):
        answers = ended.answers + ended.checks + checking.FEWEST + more
        error = ended.rate * (ended.answers / answers) ** power
        checks = checks_needed(error, TOLERANCE, share_of_delta(DELTA, number))
        plans.append((checking.FEWEST + more + checks, more))
    return min(plans)


def policies() -> list[Policy]:
    """Return what is compared, the present policy first."""
    return [
        Policy("as it is"),
        *(Policy(f"latest {n}", latest=n) for n in (64, 96, 192, 256)),
        *(Policy(f"futile {x:g}", futile=x) for x in (1.5, 3.0, inf)),
        Policy("ends when it fails", telling=0),
        *(
            Policy(f"by rate, {x:g}, power {power:g}", by_rate=x, power=power)
            for power in (1.0, 0.5)
            for x in (1.0, 2.0)
        ),
    ]


def spent(curve: Curve, policy: Policy, rng: np.random.Generator) -> int:
    """Return the labels that one run takes to a passed audit, or to MOST_ANSWERS.

    Checks of an audit that was given up count as answers that were learnt from.
    """
    answers, past = checking.FEWEST, list[Round]()
    while answers < MOST_ANSWERS:
        error = curve.error(answers)
        if not policy.begins(answers, EXPECTED * error, past):
            answers += 1
            continue
        ended, passed = audited(error, policy, answers, past, rng)
        answers += ended.checks
        if passed:
            break
        past.append(ended)
    return min(answers, MOST_ANSWERS)


def audited(
    error: float, policy: Policy, answers: int, past: Sequence[Round], rng: np.random.Generator
) -> tuple[Round, bool]:
    """Return how an audit of labels with that error ended, and whether it was passed."""
    number = len(past) + 1
    of, among, bad = bounds(number), SIZE - answers, round(error * SIZE)
    outcomes = rng.permutation(among) < bad
    most, wrong = SIZE, 0
    fewest = policy.telling if past and showed(past[-1], number - 1) else 0
    failed = False
    for checks, found in enumerate(outcomes.tolist(), start=1):
        wrong += found
        now = Round(answers, checks, wrong)
        most = min(most, of.most(checks, wrong))
        if most - wrong <= of.goal:
            return now, True
        failed = failed or of.least(checks, wrong) - wrong > of.goal
        ends = checks >= fewest if failed else policy.gives_up(now, number)
        if ends or answers + checks >= MOST_ANSWERS:
            return now, False
    return Round(answers, among, wrong), True


def showed(audit: Round, number: int) -> bool:
    """Say whether the audit of that number showed that too many were wrong when it began."""
    return bool(bounds(number).least(audit.checks, audit.wrong) > bounds(number).goal)


def one_audit(curve: Curve) -> float:
    """Return the fewest labels of who knows the curve: one audit, begun at the best moment."""
    delta = share_of_delta(DELTA, 1)
    return min(
        answers + checks_needed(curve.error(answers), TOLERANCE, delta)
        for answers in range(checking.FEWEST, MOST_ANSWERS)
    )


def table(runs: int, spend: Callable[[Curve, Policy, np.random.Generator], int] = spent) -> Table:
    """Return mean labels by policy and curve, and their geometric mean beside the present one's."""
    found = Table(title=f"Labels to a passed audit, at most {MOST_ANSWERS:,}; means of {runs} runs")
    found.add_column("policy")
    for name in (*(curve.name for curve in CURVES), "ratio"):
        found.add_column(name, justify="right")
    known = (one_audit(curve) for curve in CURVES)
    found.add_row("one audit, curve known", *(f"{min(n, MOST_ANSWERS):.0f}" for n in known), "")
    base: list[float] = []
    for policy in policies():
        means = []
        for curve in CURVES:
            rng = np.random.default_rng(0)
            means.append(float(np.mean([spend(curve, policy, rng) for _ in range(runs)])))
        base = base or means
        ratio = float(np.exp(np.mean(np.log(np.array(means) / base))))
        found.add_row(policy.name, *(f"{mean:.0f}" for mean in means), f"{ratio:.3f}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare policies from the command line."""
    parser = argparse.ArgumentParser(description="Labels until an audit is passed, simulated.")
    parser.add_argument("--runs", type=int, default=100)
    Console(width=160).print(table(parser.parse_args(arguments).runs))


if __name__ == "__main__":
    main()
