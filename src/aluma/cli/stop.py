"""Where a learner stops that does not see the known labels: what its answers were for, and why."""

from __future__ import annotations

from rich.table import Table

from aluma.cli.terminal import console
from aluma.lab.names import title as title_of
from aluma.lab.stop import TOLERANCE, Stop, Stretch
from aluma.promises.audit_words import at_least


def tell_stop(stop: Stop, size: int) -> None:
    """Print what the answers were for, what is promised then, and how many labels are wrong."""
    console.print(
        f"\n{title_of(stop.strategy)} itself does not see the known labels. It learns, then has "
        f"labels checked at random, until at most {TOLERANCE:.0%} can be wrong:",
        *([_table(stop, size)] if stop.stretches else []),
        _words(stop, size),
        sep="\n",
    )


def _table(stop: Stop, size: int) -> Table:
    """Return what the answers were for, a stretch a row."""
    table = Table("labels", "spent on", "found wrong", f"wrong of {size:,}")
    for column in (0, 2, 3):
        table.columns[column].justify = "right"
    for one in stop.stretches:
        wrong = round(float(stop.errors[one.last - 1]) * size)
        found = f"{one.wrong:,} of {one.answers:,}" if one.checking else ""
        table.add_row(f"{one.first:,}-{one.last:,}", _purpose(one), found, f"{wrong:,}")
    return table


def _purpose(one: Stretch) -> str:
    """Say what answers were for."""
    if not one.checking:
        return "learning"
    return "checking: passed" if one.passed else "checking"


def _words(stop: Stop, size: int) -> str:
    """Say how it ended, what is promised, and what is true."""
    learning, checking = stop.spent(checking=False), stop.spent(checking=True)
    spent = f"{learning + checking:,} labels: {learning:,} to learn from, {checking:,} to check"
    if not len(stop.errors):
        return f"It was asked for nothing. {stop.certificate}"
    wrong = round(float(stop.errors[-1]) * size)
    truth = f"In truth {wrong:,} of {size:,} are wrong ({stop.errors[-1]:.1%})."
    return f"{_ending(stop)} after {spent}. {_promise(stop)} {truth}"


def _ending(stop: Stop) -> str:
    if stop.passed:
        return "Stopped"
    if stop.out_of_reach is not None:
        return "Given up"
    ends = {
        "budget": "The budget is spent, with no stop yet,",
        "interrupted": "Interrupted",
        "conflict": "Ended by a contradiction",
        "undecided": "Ended, as float64 could not settle an answer,",
    }
    return ends.get(stop.ended or "", "Ended, as nothing is left to ask,")


def _promise(stop: Stop) -> str:
    """Return what is promised: where the goal is out of reach, why."""
    why = stop.out_of_reach
    if why is None:
        return str(stop.certificate)
    return (
        f"These columns cannot separate the answers well enough: {why.wrong:,} of "
        f"{why.checks:,} labels checked at random were wrong, so about {why.estimate:.0%} of all "
        f"would be (at least {at_least(why.lower_bound, why.tolerance)} were when that check "
        "began). Better columns, a kernel or labelling everything are the way."
    )
