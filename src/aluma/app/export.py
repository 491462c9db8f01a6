"""What a user takes away: a labelled table, a linear model, and what is promised about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from aluma.app.desk import Desk
from aluma.app.evidence import checked_words, evidence
from aluma.app.features import WORD, Features
from aluma.arrays import Floats
from aluma.errors import BadInput
from aluma.session.recipe import aluma_version

#: Names of the columns that are added; with this prefix where the table has them already.
ADDED = ("label", "label_by", "vote_share", "follows_if_separable", "checked")
PREFIX = "aluma_"


@dataclass(frozen=True)
class Labelled:
    """The labels of the whole pool.

    Attributes
    ----------
    yes : whether the label is the second one
    by : "person", "exception" (a person's answer that was not learnt from) or "vote"
    share : share of the votes for the label, no probability of its being right; 1 for a person's
    follows : whether it follows from the answers if a straight boundary fits, as far as proven
    checked : "right", "wrong, put right" or "skipped" if it was checked at random, else ""
    """

    yes: Any
    by: list[str]
    share: Floats
    follows: Any
    checked: list[str]


def labelled(desk: Desk) -> Labelled:
    """Return the labels as they are now."""
    session, learner = desk.session, desk.session.fork()
    second = learner.predict_proba()[:, 1]
    yes = second >= 0.5
    by = np.full(len(yes), "vote", dtype=object)
    told = session.answered
    by[told] = "person"
    yes[told] = session.answers == session.classes_[1]
    for example, label in session.exceptions.items():
        by[example], yes[example] = "exception", label == session.classes_[1]
    follows = np.zeros(len(yes), dtype=bool)
    follows[sorted(desk.proven)] = True
    share = np.where(by == "vote", np.where(yes, second, 1 - second), 1.0)
    checked = np.full(len(yes), "", dtype=object)
    for example, came_out in checked_words(learner).items():
        # A mistake found whose answer was kept, if not learnt from, has been put right.
        found = "wrong, put right" if by[example] == "exception" else came_out
        checked[example] = found
    return Labelled(yes, by.tolist(), share, follows & (by != "exception"), checked.tolist())


def table(desk: Desk) -> pd.DataFrame:
    """Return the examples with their labels."""
    found, frame = labelled(desk), desk.examples.frame.copy()
    if desk.examples.hidden == ADDED[0]:
        frame = frame.drop(columns=ADDED[0])
    if frame.columns.empty:
        frame.insert(0, "example", range(len(frame)))
    no, yes = desk.task.labels
    columns = (
        np.where(found.yes, yes, no),
        found.by,
        np.round(found.share, 4),
        found.follows,
        found.checked,
    )
    for name, values in zip(ADDED, columns, strict=True):
        frame[PREFIX + name if name in frame.columns else name] = values
    return frame


def model(desk: Desk, features: Features) -> dict[str, Any]:
    """Return Algorithm 4's support vector machine on the completed labels, in plain terms.

    The weights are for cells, words or pixels as they are, not for the features made of them.
    """
    from sklearn.svm import LinearSVC

    found = labelled(desk)
    if found.yes.all() or not found.yes.any():
        raise BadInput(
            "every example has the same label so far, so there is no boundary: answer more first."
        )
    machine = LinearSVC(dual=False).fit(features.X, found.yes)
    w = np.asarray(machine.coef_[0], dtype=np.float64)
    intercept, start, parts = float(machine.intercept_[0]), 0, []
    for block in features.blocks:
        own = w[start : start + len(block.offset)]
        start += len(block.offset)
        intercept -= float(block.offset @ own)
        parts.append(_part(block.kind, block.about, block.weights(own)))
    no, yes = desk.task.labels
    return {
        "format": "aluma-linear-model-1",
        "aluma": aluma_version(),
        "labels": {"no": no, "yes": yes},
        "rule": "score = intercept + the sum of all parts; the label is yes if score >= 0",
        "intercept": intercept,
        "parts": parts,
        "use": "examples/use_model.py of aluma applies this file with Python's own library alone",
        "promise": statement(desk),
        "promise_is_about": "the exported labels, which this model was fitted to; it is no promise "
        "about the model on other examples",
        "answers": int(desk.session.n_answers),
        "examples": len(desk.examples),
    }


def _part(kind: str, about: dict[str, Any], weights: Floats) -> dict[str, Any]:
    numbers = [float(f"{weight:.8g}") for weight in weights]
    if kind == "numeric":
        return {
            "kind": kind,
            "rule": "sum of weight * value; a missing value counts as `missing`",
            "weights": dict(zip(about["columns"], numbers, strict=True)),
            "missing": dict(zip(about["columns"], about["missing"], strict=True)),
        }
    if kind == "category":
        return {
            "kind": kind,
            "rule": "weight of the value in the column, 0 if it is not listed",
            "column": about["column"],
            "weights": dict(zip(about["values"], numbers, strict=True)),
        }
    if kind == "text":
        return {
            "kind": kind,
            "rule": "count words (lower case) and pairs of neighbours; each counts "
            "(1 + ln count) * idf; divide by the root of the sum of squares; sum weight * that",
            "column": about["column"],
            "word": WORD,
            "idf": dict(zip(about["terms"], about["idf"], strict=True)),
            "weights": dict(zip(about["terms"], numbers, strict=True)),
        }
    if kind == "pixels":
        return {
            "kind": kind,
            "rule": "turn as EXIF says, resize to side x side, values 0 to 1 row by row, channels "
            "innermost; sum of weight * value",
            "side": about["side"],
            "channels": about["channels"],
            "weights": numbers,
        }
    return {
        "kind": "embedding",
        "rule": "sum of weight * value over the embedding",
        "source": about["source"],
        "weights": numbers,
    }


def model_file(desk: Desk, features: Features) -> bytes:
    """Return the model as JSON."""
    return json.dumps(model(desk, features), ensure_ascii=False, indent=1).encode(
        "utf-8", "replace"
    )


STYLE = """
body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1.25rem;
color:#1d2327;background:#fff}h1{font-size:1.5rem;margin:0}h2{font-size:1rem;margin:2rem 0 .5rem}
p{margin:.25rem 0}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.4rem
.75rem .4rem 0;border-bottom:1px solid #dde1e4;vertical-align:top}td:last-child{text-align:right;
font-variant-numeric:tabular-nums}.quiet{color:#5b656d}.said td:last-child{text-align:left}
"""


def statement(desk: Desk) -> str:
    """Return what is promised about the labels now, in one exact sentence with its date."""
    learner = desk.session.fork()
    certificate = learner.certificate(proof_seconds=0.0)
    sentence = f"{datetime.now(UTC).date().isoformat()}, {desk.task.name}: {certificate}"
    if skipped := evidence(learner).skipped:
        sentence += f" {skipped:,} of those could not be answered, and count as wrong."
    if certificate.basis == "prior" and (aside := len(desk.session.exceptions)):
        sentence += f" Mistakes found: {aside:,}, kept as answered and not learnt from."
    return sentence


def summary(desk: Desk) -> str:
    """Return one page, to be printed or mailed: what was asked, answered and can be promised."""
    found, task = labelled(desk), desk.task
    n, yes_no = len(found.by), [escape(label) for label in task.labels]
    body = "".join(f"<tr><td>{name}<td>{value}" for name, value in _rows(desk, found))
    doubtful = sorted(range(n), key=lambda i: found.share[i])[:10]
    listed = "".join(
        f"<tr><td>{escape(desk.examples.title(i))}<td>{yes_no[bool(found.yes[i])]}"
        f"<td dir=auto>{escape(desk.examples.excerpt(i).text[:90])}"
        for i in doubtful
        if found.by[i] == "vote"
    )
    return f"""<!doctype html><html lang=en><meta charset=utf-8>
<meta name=viewport content="width=device-width"><title>{escape(task.name)}: labels</title>
<style>{STYLE}</style><h1>{escape(statement(desk))}</h1>
<p class=quiet>{escape(task.question)} · {n:,} examples · aluma {escape(aluma_version())}</p>
{_verdict(desk)}<h2>The labels</h2><table>{body}</table>
<p class=quiet>What is expected holds if a straight boundary in the features separates the answers
and none was likelier than another beforehand: an estimate. What “follows” needs the first only.
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
        wrong, checks = progress.failed.wrong, progress.failed.checks
        return f"<p>The last check found {wrong:,} of {checks:,} wrong; they were learnt from.</p>"
    return ""


def _rows(desk: Desk, found: Labelled) -> list[tuple[str, str]]:
    """Return the figures of the summary, those that were checked first."""
    progress, figures = desk.state.progress, desk.state.progress.figures
    no, yes = map(escape, desk.task.labels)
    rows = [
        ("the goal: wrong at most", f"{100 * desk.task.tolerance:.10g}%"),
        ("checked at random", f"{sum(bool(one) for one in found.checked):,}"),
        ("found wrong and put right", f"{found.checked.count('wrong, put right'):,}"),
        (f"labelled {yes}", f"{int(found.yes.sum()):,}"),
        (f"labelled {no}", f"{int((~found.yes).sum()):,}"),
        ("answered by a person", f"{progress.answered:,}"),
        ("… kept, and not learnt from", f"{progress.exceptions:,}"),
        ("skipped", f"{progress.skipped:,}"),
        ("follow from the answers, if a straight boundary fits", f"{int(found.follows.sum()):,}"),
    ]
    if figures and figures.expected_error is not None:
        source = "going by checks" if figures.expected_by == "checks" else "if a straight one fits"
        rows.append((f"wrong labels expected, {source}", f"about {figures.expected_error:.2%}"))
    return rows
