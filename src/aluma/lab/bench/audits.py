"""Whether audits keep their promise, and what they cost.

Validity: many audits of labellings with a known share of wrong labels, looked at after every answer
until they pass or fail; counted are those whose bound was ever below the truth, and those that
passed with more than the tolerance wrong. Control: the bound for a single look, looked at as often.
Price: checks until passed with nothing wrong, as a ratio to what a single look needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import binom, hypergeom

from aluma.arrays import Bools, Floats
from aluma.lab.contest import in_parallel
from aluma.promises.audit import Audit, price

#: What audits are asked for.
TOLERANCE, DELTA = 0.05, 0.05
#: Doubts that an audit may be given: none, such as a good model has, such that say nothing, and
#: such that point away from every mistake.
DOUBTS = ("none", "helpful", "useless", "adversarial")
#: Shares that are wrong, as multiples of the tolerance: passing is a mistake from 1 on.
SHARES = (0.0, 0.4, 0.8, 1.1, 1.5, 3.0)
#: Chance of a false alarm of this benchmark, for each of its counts.
ALARM = 1e-4
#: The most that looking at any time may cost, as a multiple of a single look.
MOST_PRICE = 1.35
#: Checks after which an audit that has neither passed nor failed is left.
MOST_CHECKS = 300
#: Marks the generators of this benchmark apart from those of others.
AUDIT_SEED = 91


@dataclass(frozen=True)
class Setting:
    """A kind of audit: labels in all, share of them wrong, and the doubts it is given."""

    size: int
    share: float
    doubt: str


@dataclass(frozen=True)
class Outcome:
    """What became of one audit.

    Attributes
    ----------
    ever_low : whether the bound was ever below the share that was wrong then
    passed_wrongly : whether it passed with more than the tolerance wrong
    single_look_low : the same as ever_low for the bound of a single look
    asked : checks until it passed or failed
    """

    ever_low: bool
    passed_wrongly: bool
    single_look_low: bool
    asked: int


def watch(setting: Setting, seed: int) -> Outcome:
    """Audit a random labelling to its end, looking after every answer."""
    rng = np.random.default_rng((AUDIT_SEED, seed, setting.size, round(1e4 * setting.share)))
    wrong = np.zeros(setting.size, dtype=bool)
    wrong[rng.permutation(setting.size)[: round(setting.share * setting.size)]] = True
    audit = Audit(
        np.zeros(setting.size, dtype=int),
        tolerance=TOLERANCE,
        delta=DELTA,
        doubt=_doubts(setting.doubt, wrong, rng),
        classes=(0, 1),
        random_state=seed,
    )
    left, total = int(wrong.sum()), int(wrong.sum())
    ever = single = False
    while not (audit.passed or audit.failed) and audit.asked < MOST_CHECKS:
        example = audit.ask()
        audit.tell(example, int(wrong[example]))
        left -= int(wrong[example])
        ever |= audit.bound < left / setting.size - 1e-12
        if setting.doubt == "none":
            found = total - left
            single |= bool(hypergeom.cdf(found, setting.size, total, audit.asked) <= DELTA)
    passed_wrongly = audit.passed and left > TOLERANCE * setting.size + 1e-9
    return Outcome(ever, passed_wrongly, single, audit.asked)


def _doubts(kind: str, wrong: Bools, rng: np.random.Generator) -> Floats | None:
    noise = rng.random(len(wrong))
    if kind == "none":
        return None
    if kind == "helpful":
        return np.asarray(np.where(wrong, 0.3 + 0.7 * noise, 0.3 * noise**2))
    return noise if kind == "useless" else np.asarray(np.where(wrong, 0.0, noise))


def settings(quick: bool = False) -> list[Setting]:
    """Return the kinds of audits that are watched."""
    sizes = (100, 300) if quick else (100, 1000, 10_000, 100_000)
    shares = (0.0, 2.0) if quick else SHARES
    return [
        Setting(size, TOLERANCE * share, doubt)
        for size in sizes
        for share in shares
        for doubt in DOUBTS
    ]


def run(console: Console, quick: bool = False) -> bool:
    """Watch and print; return whether the promise was kept at the price stated."""
    each = 4 if quick else 21
    kinds = settings(quick)
    tasks = [(kind, seed) for kind in kinds for seed in range(each)]
    with console.status(f"{len(tasks):,} audits"):
        outcomes = list(in_parallel(_watch, tasks, jobs=-1))
    console.print(validity_table([kind for kind, _ in tasks], outcomes))
    found: dict[Setting, list[Outcome]] = {kind: [] for kind in kinds}
    for (kind, _), one in zip(tasks, outcomes, strict=True):
        found[kind].append(one)
    kept = not any(broken(several, len(kinds)) for several in found.values())
    sizes = (1000,) if quick else (1000, 10_000, 100_000)
    ratios = {(n, t): prices(n, t) for n in sizes for t in (0.05, 0.02, 0.01)}
    console.print(price_table(ratios))
    return kept and all(ours <= MOST_PRICE * single for ours, single in ratios.values())


def broken(outcomes: Sequence[Outcome], kinds: int = 1) -> bool:
    """Say whether the bounds of one kind of audit, of so many, failed more often than delta.

    Beyond chance, that is: one false alarm of the whole benchmark in 1 / ALARM.
    """
    failed = sum(one.ever_low for one in outcomes)
    return bool(binom.sf(failed - 1, len(outcomes), DELTA) < ALARM / kinds)


def prices(n: int, tolerance: float) -> tuple[int, int]:
    """Return the checks until passed with nothing wrong, and those of a single look."""
    too_many = int(tolerance * n) + 1
    single = next(t for t in range(1, n + 1) if hypergeom.pmf(0, n, too_many, t) <= DELTA)
    return price(n, tolerance, DELTA), single


def validity_table(kinds: Sequence[Setting], outcomes: Sequence[Outcome]) -> Table:
    """Return how often bounds failed, by doubts and by the share that was wrong."""
    table = Table(
        title=f"{len(outcomes):,} audits at delta={DELTA:g}, looked at after every answer"
    )
    heads = ("doubts", "audits", "ever too low", "passed wrongly", "single look's", "checks")
    for head in heads:
        table.add_column(head, justify="left" if head == "doubts" else "right")
    for doubt in (*DOUBTS, "all"):
        found = [
            one for kind, one in zip(kinds, outcomes, strict=True) if doubt in (kind.doubt, "all")
        ]
        table.add_row(
            doubt,
            f"{len(found):,}",
            f"{np.mean([one.ever_low for one in found]):.2%}",
            f"{np.mean([one.passed_wrongly for one in found]):.2%}",
            f"{np.mean([one.single_look_low for one in found]):.2%}" if doubt == "none" else "",
            f"{np.median([one.asked for one in found]):.0f}",
        )
    return table


def price_table(ratios: dict[tuple[int, float], tuple[int, int]]) -> Table:
    """Return checks until passed with nothing wrong."""
    table = Table(title="Checks until passed if nothing is found wrong")
    for head in ("labels", "tolerance", "at any time", "single look", "ratio"):
        table.add_column(head, justify="right")
    for (n, tolerance), (ours, single) in ratios.items():
        table.add_row(f"{n:,}", f"{tolerance:.0%}", f"{ours}", f"{single}", f"{ours / single:.2f}")
    return table


def _watch(task: tuple[Setting, int]) -> Outcome:
    return watch(*task)
