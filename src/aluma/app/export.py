"""What a user takes away: a labelled table, a linear model, and what is promised about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from aluma.app.desk import Desk
from aluma.app.evidence import checked_words, evidence
from aluma.app.people.columns import by_people
from aluma.app.votes import leading, votes
from aluma.arrays import Floats, Ints
from aluma.errors import BadInput
from aluma.learners.learner import Learner
from aluma.session.recipe import aluma_version

#: Names of the columns that are added; with this prefix where the table has them already.
ADDED = ("label", "label_by", "vote_share", "follows_if_separable", "checked")
PREFIX = "aluma_"
#: The column of notes, if there are any.
NOTE = "label_note"
#: The beginning of the name of a column with the votes for one answer.
SHARE_OF = "vote_share "


@dataclass(frozen=True)
class Labelled:
    """The labels of the whole pool.

    Attributes
    ----------
    place : where the label stands in the list of answers
    by : "person", "exception" (a person's answer that was not learnt from) or "vote"
    share : share of the votes for the label, no probability of its being right; 1 for a person's
    follows : whether it follows from the answers if a straight boundary fits, as far as proven
    checked : "right", "wrong, put right" or "skipped" if it was checked at random, else ""
    shares : (n, K) shares of the votes for all answers; a person's has all of them
    """

    place: Ints
    by: list[str]
    share: Floats
    follows: Any
    checked: list[str]
    shares: Floats

    @property
    def yes(self) -> Any:
        """Whether the label is the second one."""
        return self.place == 1


def labelled(desk: Desk) -> Labelled:
    """Return the labels as they are now."""
    session, learner = desk.session, desk.session.fork()
    names = desk.task.labels
    if not learner.labels.known:
        raise BadInput("nothing has been answered yet, so there are no labels: answer one first.")
    shares = votes(learner, names)
    place = _places(learner, names, shares)
    by = np.full(len(place), "vote", dtype=object)
    given = dict(zip(session.answered.tolist(), session.answers.tolist(), strict=True))
    for who, answers in (
        ("person", given),
        ("exception", session.exceptions),
        ("person", desk.waiting),
    ):
        for example, label in answers.items():
            by[example], place[example] = who, names.index(str(label))
    sure = by != "vote"
    shares[sure] = np.eye(len(names))[place[sure]]
    share = shares[np.arange(len(place)), place]
    follows = np.zeros(len(place), dtype=bool)
    follows[sorted(desk.proven)] = True
    checked = np.full(len(place), "", dtype=object)
    for example, came_out in checked_words(learner).items():
        # A mistake found whose answer was kept, if not learnt from, has been put right.
        found = "wrong, put right" if by[example] == "exception" else came_out
        checked[example] = found
    learnt = by != "exception"
    return Labelled(place, by.tolist(), share, follows & learnt, checked.tolist(), shares)


def _places(learner: Learner, names: Sequence[str], shares: Floats) -> Ints:
    """Return where the labels stand in the list, by the vote that checks are about."""
    if len(learner.labels.known) > 2:
        order = {name: place for place, name in enumerate(names)}
        return np.array([order[str(label)] for label in learner.predict().tolist()])
    return np.asarray(leading(learner, names, shares), dtype=np.int64)


def table(desk: Desk, *, shares: bool = False) -> pd.DataFrame:
    """Return the examples with their labels; with ``shares``, all shares of the votes as well."""
    found, frame = labelled(desk), desk.examples.frame.copy()
    if desk.examples.hidden == "label":
        frame = frame.drop(columns="label")
    if frame.columns.empty:
        frame.insert(0, "example", range(len(frame)))
    names = desk.task.labels
    values = (
        np.array(names, dtype=object)[found.place],
        found.by,
        np.round(found.share, 4),
        found.follows,
        found.checked,
    )
    columns: dict[str, Any] = dict(zip(ADDED, values, strict=True))
    noted = desk.examples.notes
    if any(noted.values()):
        columns[NOTE] = [noted.get(i, "") for i in range(len(frame))]
    columns |= by_people(desk)
    if shares:
        columns |= {
            f"{SHARE_OF}{name}": np.round(found.shares[:, place], 4)
            for place, name in enumerate(names)
        }
    return frame.assign(**{_free(name, frame): values for name, values in columns.items()})


def _free(name: str, frame: pd.DataFrame) -> str:
    """Return the name of a column that is added, with the prefix where the table has it."""
    return PREFIX + name if name in frame.columns else name


STYLE = """
body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1.25rem;
color:#1d2327;background:#fff}h1{font-size:1.5rem;margin:0}h2{font-size:1rem;margin:2rem 0 .5rem}
p{margin:.25rem 0}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.4rem
.75rem .4rem 0;border-bottom:1px solid #dde1e4;vertical-align:top}td:last-child{text-align:right;
font-variant-numeric:tabular-nums}.quiet{color:#5b656d}.said td:last-child{text-align:left}
"""


def statement(desk: Desk) -> str:
    """Return what is promised about the labels now, in one exact sentence with its date."""
    learner, aside = desk.session.fork(), desk.session.exceptions
    # A mistake found whose answer was kept, if not learnt from, was not skipped.
    skipped = sum(example not in aside for example in evidence(learner).skipped)
    certificate = replace(learner.certificate(proof_seconds=0.0), skipped=skipped)
    sentence = f"{datetime.now(UTC).date().isoformat()}, {desk.task.name}: {certificate}"
    if certificate.basis == "prior" and aside:
        sentence += f" Mistakes found: {len(aside):,}, kept as answered and not learnt from."
    return sentence


def summary(desk: Desk) -> str:
    """Return one page, to be printed or mailed: what was asked, answered and can be promised."""
    found, task = labelled(desk), desk.task
    n, names = len(found.by), [escape(label) for label in task.labels]
    body = "".join(f"<tr><td>{name}<td>{value}" for name, value in _rows(desk, found))
    doubtful = sorted(range(n), key=lambda i: found.share[i])[:10]
    listed = "".join(
        f"<tr><td>{escape(desk.examples.title(i))}<td dir=auto>{names[found.place[i]]}"
        f"<td dir=auto>{escape(desk.examples.excerpt(i).text[:90])}"
        for i in doubtful
        if found.by[i] == "vote"
    )
    follows = " What “follows” needs the first only." if len(names) == 2 else ""
    return f"""<!doctype html><html lang=en><meta charset=utf-8>
<meta name=viewport content="width=device-width"><title>{escape(task.name)}: labels</title>
<style>{STYLE}</style><h1>{escape(statement(desk))}</h1>
<p class=quiet>{escape(task.question)} · {n:,} examples · aluma {escape(aluma_version())}</p>
{_verdict(desk)}<h2>The labels</h2><table>{body}</table>
<p class=quiet>What is expected holds if a straight boundary in the features separates the answers
and it was as likely beforehand as was assumed: an estimate.{follows}
What was checked at random is true whatever the data.</p>
<h2>Labels that the model is least sure of</h2>
<table class=said><tr><th>example<th>label<th>{listed}</table>
"""


def _verdict(desk: Desk) -> str:
    """Return what the checks came to, where that is more than the sentence says."""
    progress = desk.state.progress
    if progress.out_of_reach:
        return f"<p>{escape(progress.out_of_reach)}</p>"
    if progress.failed and progress.phase == "learning" and not progress.failed.answer_changed:
        last = progress.failed
        skips = f", {last.skipped:,} of them skipped" if last.skipped else ""
        return (
            f"<p>Of the {last.checks:,} labels of the last check, {last.wrong:,} counted as wrong"
            f"{skips}; all answers were learnt from.</p>"
        )
    return ""


def _rows(desk: Desk, found: Labelled) -> list[tuple[str, str]]:
    """Return the figures of the summary, those that were checked first."""
    progress, figures = desk.state.progress, desk.state.progress.figures
    counts = np.bincount(found.place, minlength=len(desk.task.labels)).tolist()
    # Of two answers, the second is what is looked for, and stands first.
    order = range(len(counts)) if desk.task.grows else (1, 0)
    labelled = [
        (f"labelled {escape(desk.task.labels[place])}", f"{counts[place]:,}") for place in order
    ]
    rows = [
        ("the goal: wrong at most", f"{100 * desk.task.tolerance:.10g}%"),
        ("checked at random", f"{sum(bool(one) for one in found.checked):,}"),
        ("found wrong and put right", f"{found.checked.count('wrong, put right'):,}"),
        ("skipped, and counted as wrong", f"{found.checked.count('skipped'):,}"),
        *labelled,
        ("answered by a person", f"{progress.answered:,}"),
        ("… kept, and not learnt from", f"{progress.exceptions:,}"),
        ("skipped, in checks or otherwise", f"{progress.skipped:,}"),
    ]
    if len(counts) == 2:
        follows = f"{int(found.follows.sum()):,}"
        rows.append(("follow from the answers, if a straight boundary fits", follows))
    if figures and figures.expected_error is not None:
        source = "going by checks" if figures.expected_by == "checks" else "if a straight one fits"
        rows.append((f"wrong labels expected, {source}", f"about {figures.expected_error:.2%}"))
    return rows
