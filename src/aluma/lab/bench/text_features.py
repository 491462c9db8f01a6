"""Features of texts: errors of the page's labels, and seconds to the first question.

    python -m aluma.lab.bench.text_features curves [--results FILE] [--runs N] [--first-seed N]
    python -m aluma.lab.bench.text_features page [--results FILE] [--runs N]
    python -m aluma.lab.bench.text_features times [--texts N ...]

``curves`` lets the learner label 2,000 messages, reviews and posts by each kind of features.
``page`` drives `aluma label` over HTTP: whoever answers says the truth, checks at random included,
and the labels are those that the page exports. ``times`` starts the page on many texts, reviews
over and over, each with a number of its own.
"""

from __future__ import annotations

import argparse
import io
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from aluma.app.features import of_texts
from aluma.app.word_vectors import word_vectors
from aluma.arrays import Bools, Floats, Ints
from aluma.lab import datasets
from aluma.lab.bench import one_core
from aluma.lab.bench.embedding_entrants import Ours
from aluma.lab.bench.kept_runs import KeptRuns, Record
from aluma.lab.bench.page_client import Client, Served, ready
from aluma.lab.datasets import posts

#: Rows of a pool, and labels after which errors are noted.
ROWS, MARKS = 2000, (25, 50, 100, 200)
#: Answers to the page after which its labels are looked at.
PAGE_MARKS = (100, 200, 300)
#: Seeds that nothing was chosen by begin here; before, 0 and 1 chose.
FIRST_SEED = 1000
#: Purpose of the draws of rows.
CHOOSING_ROWS = 12
#: Pairs of newsgroups.
PAIRS = {
    "PC or Mac": (posts.MAC, posts.PC),
    "medicine or space": ("sci.med", "sci.space"),
    "baseball or hockey": ("rec.sport.baseball", "rec.sport.hockey"),
}
#: Texts for whose first question somebody waits.
MANY = (10_000, 100_000)


class Labelled(NamedTuple):
    """Texts, and which of them are positive."""

    texts: list[str]
    positive: Bools

    def drawn(self, seed: int, rows: int = ROWS) -> Labelled:
        """Return some of them."""
        rng = np.random.default_rng((seed, CHOOSING_ROWS))
        return self._at(np.sort(rng.permutation(len(self.texts))[:rows]))

    def shuffled(self, seed: int) -> Labelled:
        """Return all of them in another order, which is what a page's run goes by."""
        return self._at(np.random.default_rng((seed, CHOOSING_ROWS)).permutation(len(self.texts)))

    def _at(self, rows: Ints) -> Labelled:
        return Labelled([self.texts[i] for i in rows], self.positive[rows])


@lru_cache(maxsize=1)
def _whole(name: str) -> Labelled:
    if name in PAIRS:
        texts, y = posts.pair("train", *PAIRS[name])
        return Labelled(list(texts), np.asarray(y) > 0)
    data = datasets.texts({"SMS": "sms_spam", "reviews": "rt_polarity"}[name])
    return Labelled(list(data.texts), np.asarray(data.y > 0))


def _vectors(texts: list[str]) -> Floats:
    rows = word_vectors(texts).astype(np.float64)
    return np.asarray(rows - rows.mean(axis=0))


def _made(words: bool, texts: list[str]) -> Floats:
    return np.asarray(of_texts(pd.Series(texts, name="text"), words).X, dtype=np.float64)


#: What is made of texts, by name; the first is what it was, the last what it is.
KINDS: dict[str, Callable[[list[str]], Floats]] = {
    "TF-IDF": partial(_made, False),
    "mean vectors": _vectors,
    "joined": partial(_made, True),
}
#: What the page is told for them.
OPTIONS = {"TF-IDF": ("--embed", "tfidf"), "joined": ("--embed", "words")}


def curve(X: Floats, positive: Bools, seed: int, marks: Sequence[int] = MARKS) -> Record:
    """Return the learner's errors in percent after some labels, and CPU seconds."""
    start, found = process_time(), Record()
    ours = Ours(X, seed)
    for told in range(1, marks[-1] + 1):
        rows = ours.ask(1)
        ours.tell(rows, positive[rows])
        if told in marks:
            found[str(told)] = 100 * float(np.mean(ours.labels() != positive))
    return found | {"seconds": process_time() - start}


def curves(console: Console, kept: KeptRuns, seeds: Sequence[int], names: Sequence[str]) -> None:
    """Label pools by all kinds of features, and print errors."""
    for seed in seeds:
        for name in names:
            for kind, make in KINDS.items():
                if (name, seed, kind) not in kept:
                    drawn = _whole(name).drawn(seed)
                    kept.add((name, seed, kind), curve(make(drawn.texts), drawn.positive, seed))
    console.print(shown(kept, names, list(KINDS), seeds, MARKS))


def page(console: Console, kept: KeptRuns, seeds: Sequence[int], names: Sequence[str]) -> None:
    """Answer the page's questions, and print errors of what it exports."""
    for seed in seeds:
        for name in names:
            for kind, options in OPTIONS.items():
                if (name, seed, kind) not in kept:
                    kept.add((name, seed, kind), answered(_whole(name).shuffled(seed), options))
    console.print(shown(kept, names, list(OPTIONS), seeds, PAGE_MARKS))


def answered(data: Labelled, options: Sequence[str]) -> Record:
    """Return errors of the page's labels in percent after some answers; the answers are true."""
    with served(data.texts, options) as (client, _):
        state, found = ready(client), Record()
        for told in range(1, PAGE_MARKS[-1] + 1):
            example = state["question"]["example"]
            label = ("no", "yes")[int(data.positive[example])]
            status, reply = client.post(
                "/api/answer", request=f"answer-{told}", example=example, label=label
            )
            if status != 200:
                raise RuntimeError(f"answer {told} was refused: {reply}")
            state = ready(client)
            if told in PAGE_MARKS:
                labels = pd.read_csv(io.BytesIO(client.get("/api/export/labels.csv")))["label"]
                found[str(told)] = 100 * float(np.mean((labels == "yes") != data.positive))
        figures = state["progress"]["figures"]
        return found | {"checks": figures["checks"], "bound": figures["error_bound"]}


@contextmanager
def served(texts: Sequence[str], options: Sequence[str]) -> Iterator[tuple[Client, float]]:
    """Serve the page about some texts; yield a client, and the seconds to the first question."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "texts.csv"
        pd.DataFrame({"text": texts}).to_csv(source, index=False)
        start = monotonic()
        process = Served(source, ("no", "yes"), *options)
        client = Client(process.port)
        try:
            ready(client)
            yield client, monotonic() - start
        finally:
            client.close()
            process.kill()


def times(console: Console, sizes: Sequence[int]) -> None:
    """Print how long it takes from the command to the first question, and how much memory."""
    names = ("texts", "features", "wall s", "CPU s", "most memory so far, MB")
    table = Table(*names, title="From the command to the first question")
    reviews = _whole("reviews").texts
    for count in sorted(sizes):
        texts = [f"{reviews[i % len(reviews)]} {i}" for i in range(count)]
        for kind, options in OPTIONS.items():
            before = _spent()
            with served(texts, options) as (_, seconds):
                pass
            table.add_row(
                f"{count:,}", kind, f"{seconds:.1f}", f"{_spent() - before:.1f}", f"{_memory():.0f}"
            )
    console.print(table)


def _spent() -> float:
    """Return CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory() -> float:
    """Return megabytes of the largest process that has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def shown(
    kept: KeptRuns,
    names: Sequence[str],
    kinds: Sequence[str],
    seeds: Sequence[int],
    marks: Sequence[int],
) -> Table:
    """Return a table of mean errors, and how far the last kind is from the first, in pairs."""
    title = f"% wrong after {' / '.join(map(str, marks))} labels, mean of {len(seeds)}"
    table = Table("pool", *kinds, f"{kinds[-1]} minus {kinds[0]} (standard error)", title=title)
    for name in names:
        errors = {
            kind: np.array([[kept[name, seed, kind][str(m)] for m in marks] for seed in seeds])
            for kind in kinds
        }
        apart = errors[kinds[-1]] - errors[kinds[0]]
        noise = apart.std(axis=0, ddof=1) / np.sqrt(len(seeds)) if len(seeds) > 1 else None
        cells = [" / ".join(f"{one:.1f}" for one in errors[kind].mean(axis=0)) for kind in kinds]
        far = [f"{one:+.1f}" for one in apart.mean(axis=0)]
        if noise is not None:
            far = [f"{one} ({by:.1f})" for one, by in zip(far, noise, strict=True)]
        table.add_row(name, *cells, " / ".join(far))
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Features of texts.")
    parser.add_argument("what", choices=("curves", "page", "times"))
    parser.add_argument("--results", type=Path, help="JSON lines; finished runs are not redone")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--pools", nargs="+", choices=("SMS", "reviews", *PAIRS))
    parser.add_argument("--texts", type=int, nargs="+", default=list(MANY))
    given = parser.parse_args(arguments)
    console, kept = Console(width=160), KeptRuns(given.results)
    seeds = range(given.first_seed, given.first_seed + given.runs)
    with one_core():
        if given.what == "curves":
            curves(console, kept, seeds, given.pools or ("SMS", "reviews", *PAIRS))
        elif given.what == "page":
            page(console, kept, seeds, given.pools or ("SMS", "reviews"))
        else:
            times(console, given.texts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
