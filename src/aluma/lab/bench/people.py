"""Several people: in a browser at once, and whose consensus is the righter.

Three people answer by keys, each against their own truth: 0, 5 and 20% of their answers are
flipped. Every answer must be kept under the name of who gave it, agreement and estimated errors
must be those that were put in, within their noise. Then the likeliest answers are compared with
the consensus of cleanlab's CROWDLAB on the same answers and the same model's shares, over seeds.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
from rich.console import Console
from scipy.stats import binomtest

from aluma.app.people import tokens
from aluma.app.people.model_votes import model_shares, model_votes
from aluma.app.people.reliability import reliability
from aluma.arrays import Floats
from aluma.lab.bench.page_browser import FLAGS, browser
from aluma.lab.bench.page_client import TOKEN, Served
from aluma.pool import Pool

#: Who errs how often.
ERRORS = {"zero": 0.0, "five": 0.05, "twenty": 0.2}
LABELS = ("no", "yes")
#: Milliseconds between the keys of a person.
FASTEST, SLOWEST = 500, 900
#: What happens by chance in one of so many runs is noise.
CHANCE = 1e-3


def run(console: Console, quick: bool) -> bool:
    """Measure, print, and say whether what is promised holds."""
    met = [_consensus(console, 4 if quick else 20)]
    if browser() is None:
        console.print("No browser: install Chromium and playwright to see people at once.")
    else:
        with TemporaryDirectory() as folder:
            met.append(_at_once(console, Path(folder), 15.0 if quick else 60.0))
    return all(met)


# -- in a browser --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pressed:
    """A key that a person pressed: what it said about which example, and whether that is right."""

    who: str
    example: int
    label: str
    right: bool


def _at_once(console: Console, folder: Path, seconds: float) -> bool:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 10)).astype(np.float32)
    side = X @ rng.standard_normal(10) > 0
    source = folder / "pool.npy"
    np.save(source, X)
    served = Served(source, LABELS, "--people", ",".join(ERRORS), "--overlap", "0.1")
    try:
        base = served.link.partition("?")[0]
        given = press(base, source.with_suffix(".aluma"), side.tolist(), seconds, rng)
        time.sleep(3.0)
        found, rows = _exported(served.port, source.with_suffix(".aluma"))
    finally:
        served.kill()
    kept = {(row["person"], int(row["example"]), row["answer"]) for row in rows}
    lost = {(one.who, one.example, one.label) for one in given} ^ kept
    console.print(
        f"{len(ERRORS)} people for {seconds:.0f} s in Chromium: {len(given)} keys, {len(rows)} "
        f"answers kept, {len(lost)} lost or given to another; "
        f"{len({one.example for one in given})} examples, {found['shared']} answered twice."
    )
    return not lost and _as_put_in(console, found, given)


def press(
    base: str, session: Path, side: Sequence[bool], seconds: float, rng: np.random.Generator
) -> list[Pressed]:
    """Let everybody press keys in a window of their own, until the time is over."""
    from playwright.sync_api import sync_playwright

    key, given = tokens.key_of(session, TOKEN), list[Pressed]()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=list(FLAGS))
        tabs: dict[str, Any] = {}
        for who in ERRORS:
            tabs[who] = chromium.new_context().new_page()
            tabs[who].goto(f"{base}?token={tokens.token(key, who)}")
            tabs[who].locator("#title:not(:empty)").wait_for(timeout=60_000)
        end, due = time.monotonic() + seconds, dict.fromkeys(tabs, 0.0)
        while time.monotonic() < end:
            for who, tab in tabs.items():
                if time.monotonic() >= due[who] and (example := _shown(tab)) is not None:
                    right = bool(rng.random() >= ERRORS[who])
                    yes = side[example] == right
                    tab.keyboard.press("ArrowRight" if yes else "ArrowLeft")
                    given.append(Pressed(who, example, LABELS[yes], right))
                    due[who] = time.monotonic() + rng.uniform(FASTEST, SLOWEST) / 1000
            tabs[who].wait_for_timeout(20)
        for tab in tabs.values():
            tab.locator(".tick.pending").first.wait_for(state="detached", timeout=60_000)
        chromium.close()
    return given


def _shown(tab: Any) -> int | None:
    """Return the example that can be answered now, if there is one."""
    number: int | None = tab.evaluate(
        """() => document.querySelector("#yes")?.disabled === false
            && parseInt(document.querySelector("#title").textContent.replace(/\\D/g, "")) - 1"""
    )
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _exported(port: int, session: Path) -> tuple[Any, list[dict[str, str]]]:
    """Return what the page says about people, and every answer that it exports."""
    token = tokens.token(tokens.key_of(session, TOKEN), next(iter(ERRORS)))

    def got(path: str) -> str:
        wanted = Request(f"http://127.0.0.1:{port}{path}")
        wanted.add_header("authorization", f"Bearer {token}")
        with urlopen(wanted, timeout=120) as reply:
            return str(reply.read().decode())

    rows = csv.DictReader(io.StringIO(got("/api/export/answers.csv")))
    return json.loads(got("/api/people")), list(rows)


def _as_put_in(console: Console, found: Any, given: Sequence[Pressed]) -> bool:
    """Say whether agreement and errors are what was put in, within the noise of that."""
    met = []
    for one in found["people"]:
        keys = [key.right for key in given if key.who == one["name"]]
        share, error = 1 - sum(keys) / max(len(keys), 1), one["error"]
        if error is None:
            met.append(False)
            continue
        spread = max((error["high"] - error["low"]) / 4, 0.01)
        met.append(abs(error["mean"] - share) <= 3 * spread)
        console.print(
            f"  {one['name']:>7}: {ERRORS[one['name']]:.0%} put in, {share:.1%} of {len(keys)} "
            f"answers flipped; estimated {error['mean']:.1%} "
            f"({error['low']:.1%} to {error['high']:.1%})"
        )
    for pair in found["pairs"]:
        a, b = ERRORS[pair["one"]], ERRORS[pair["other"]]
        expected = (1 - a) * (1 - b) + a * b
        chance = binomtest(pair["same"], pair["both"], expected).pvalue
        met.append(bool(chance > CHANCE))
        kappa = "-" if pair["kappa"] is None else f"{pair['kappa']:.2f}"
        console.print(
            f"  {pair['one']} and {pair['other']}: {pair['same']} of {pair['both']} alike, "
            f"{expected:.0%} expected (p = {chance:.2f}); Cohen's kappa {kappa}"
        )
    alpha = "not defined" if found["alpha"] is None else f"{found['alpha']:.2f}"
    console.print(f"  Krippendorff's alpha: {alpha}")
    return all(met)


# -- whose consensus is the righter --------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """A pool, its right labels, and who answered what."""

    pool: Pool
    truth: dict[int, str]
    given: dict[int, dict[str, str]]
    labels: tuple[str, ...]


def made_up(seed: int, classes: int, answered: int = 250, overlap: float = 0.1) -> Answers:
    """Return answers as a session has them: half about the boundary, half at random."""
    rng = np.random.default_rng([seed, classes])
    X = rng.standard_normal((2000, 10))
    scores = X @ rng.standard_normal((10, classes))
    labels = tuple("abcdefgh"[:classes])
    best = np.sort(scores, axis=1)
    near = np.argsort(best[:, -1] - best[:, -2])[: answered * 2]
    asked = rng.choice(near, answered // 2, replace=False)
    rest = np.setdiff1d(np.arange(len(X)), asked)
    asked = np.concatenate([asked, rng.choice(rest, answered - len(asked), replace=False)])
    names, given, right = list(ERRORS), dict[int, dict[str, str]](), scores.argmax(axis=1)
    for i in asked.tolist():
        voices = rng.permutation(names)[: 2 if rng.random() < overlap else 1]
        given[i] = {str(who): labels[_said(rng, int(right[i]), who, classes)] for who in voices}
    return Answers(Pool(X), {i: labels[right[i]] for i in given}, given, labels)


def _said(rng: np.random.Generator, right: int, who: str, classes: int) -> int:
    wrong = rng.random() < ERRORS[str(who)]
    return (right + int(rng.integers(1, classes))) % classes if wrong else right


def first_answers(made: Answers) -> dict[int, str]:
    """Return the first answer to every example."""
    return {i: next(iter(by.values())) for i, by in made.given.items()}


def likeliest(made: Answers) -> dict[int, str]:
    """Return the likeliest answers, as they are exported."""
    votes = model_votes(made.pool, first_answers(made))
    found = reliability(made.given, made.labels, model=votes)
    best = found.shares.argmax(axis=1).tolist()
    return {i: made.labels[k] for i, k in zip(found.examples, best, strict=True)}


def by_cleanlab(made: Answers) -> dict[int, str]:
    """Return the consensus of cleanlab on the same answers, with the same shares of a model."""
    from cleanlab.multiannotator import get_label_quality_multiannotator

    usable, named, shares = model_shares(made.pool, first_answers(made))
    places = [made.labels.index(label) for label in named]
    every: Floats = np.full((len(usable), len(made.labels)), 1e-6)
    every[:, places] = shares
    table = np.array(
        [
            [
                made.labels.index(by[who]) if who in (by := made.given[i]) else np.nan
                for who in ERRORS
            ]
            for i in usable
        ]
    )
    found = get_label_quality_multiannotator(
        table, every / every.sum(axis=1)[:, None], verbose=False
    )["label_quality"]["consensus_label"]
    agreed = {i: made.labels[int(k)] for i, k in zip(usable, found, strict=True)}
    return first_answers(made) | agreed


def wrong(made: Answers, labels: Mapping[int, str]) -> float:
    """Return the share of labels that are wrong."""
    return float(np.mean([labels[i] != right for i, right in made.truth.items()]))


def _consensus(console: Console, seeds: int) -> bool:
    try:
        import cleanlab
    except ImportError:
        console.print("No cleanlab: pip install cleanlab to compare the consensus with its own.")
        return True
    met = []
    for classes in (2, 4):
        made = [made_up(seed, classes) for seed in range(seeds)]
        ours, theirs, first = (
            np.array([wrong(one, by(one)) for one in made])
            for by in (likeliest, by_cleanlab, first_answers)
        )
        gap = ours - theirs
        error = float(gap.std(ddof=1) / np.sqrt(seeds))
        met.append(bool(gap.mean() <= 2 * error))
        console.print(
            f"Consensus of 250 examples, a tenth answered twice, {classes} answers, {seeds} seeds: "
            f"{ours.mean():.2%} wrong; cleanlab {cleanlab.__version__} {theirs.mean():.2%} "
            f"(ours less theirs {100 * gap.mean():+.2f} ± {100 * error:.2f} points); "
            f"first answers {first.mean():.2%}."
        )
    return all(met)
