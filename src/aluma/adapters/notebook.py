"""A widget for notebooks: the question, keys, undo, the curve and the stop sign.

It works on a learner or on a session; with a session every answer is on the disk before the next
question is shown, in the same file that the page of ``aluma label`` uses. In JupyterLab, Jupyter
Notebook, VS Code and wherever else anywidget runs.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aluma.errors import AlumaError, BadInput, Exhausted
from aluma.extras import needed, require
from aluma.learners.learner import Learner
from aluma.promises.audit import sure
from aluma.promises.audit_words import at_most
from aluma.session import Session

_anywidget: Any = needed("anywidget", "notebook", "aluma.adapters.notebook")
_traitlets: Any = needed("traitlets", "notebook", "aluma.adapters.notebook")
require("aluma.adapters.notebook", "notebook", "pydantic", "PIL")

from aluma.app import answers  # noqa: E402 - what it needs was looked for before
from aluma.app.curve import MOST_POINTS, Curve  # noqa: E402
from aluma.app.evidence import Evidence, evidence  # noqa: E402
from aluma.app.examples import ArrayImages, Examples  # noqa: E402
from aluma.app.figures import figures  # noqa: E402
from aluma.app.opening import Wanted, opened  # noqa: E402
from aluma.app.reading import as_examples  # noqa: E402
from aluma.app.shapes import Figures  # noqa: E402
from aluma.pool import Pool  # noqa: E402

#: Numbers that are shown of an example that nobody has said how to show.
MOST_NUMBERS = 12
FILES = Path(__file__).parent / "static"


class Labeller(_anywidget.AnyWidget):  # type: ignore[misc]
    """Label in a notebook: show it as the last line of a cell.

    Parameters
    ----------
    learner : Learner or Session
        It goes on from the answers that it has; look at it in other cells whenever you like.
    examples : sequence of str, DataFrame, or array of images, optional
        What is shown of each example of the pool, in the same order. By default its first numbers.
    labels : sequence of str, optional
        The answers. By default the classes of the learner.
    question : str
        What is asked.

    Examples
    --------
    >>> from aluma import ALuMA
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> labeller = Labeller(ALuMA(X, classes=("left", "right"), bias=True))
    >>> labeller.state["labels"]
    ['left', 'right']
    """

    _esm = FILES / "notebook.js"
    _css = FILES / "notebook.css"
    state = _traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        learner: Learner | Session,
        examples: Any = None,
        *,
        labels: Sequence[Any] | None = None,
        question: str = "",
    ) -> None:
        self.learner, self.question = learner, question
        self.labels = _labels(learner, labels)
        self.examples = _examples(examples, _size(learner))
        learner.keep_asking = True
        self._curve: Curve | None = None
        if isinstance(learner, Session):
            self._curve = Curve(learner.path.with_suffix(".curve.jsonl"))
        self._points: list[Figures] = []
        self._asked: int | None = None
        self._turn = 0
        super().__init__()
        self.on_msg(self._received)
        self._show()

    @classmethod
    def of_file(
        cls, source: str | Path, *, session: str | Path | None = None, **more: Any
    ) -> Labeller:
        """Open what ``aluma label SOURCE`` opens: the same examples, features and session file.

        Parameters
        ----------
        source : CSV, TSV, Parquet or JSON Lines; a folder of images; or an array
        session : where answers are kept; by default beside the source
        **more : ``yes``, ``no``, ``answers``, ``question``, ``columns``, ``label_column``,
            ``embeddings``, ``embed``, ``tolerance``, as the options of the command
        """
        source = Path(source)
        whole = source.resolve() if source.is_dir() else source
        path = Path(session) if session is not None else whole.parent / f"{whole.stem}.aluma"
        found = opened(Wanted(source=source, session=path, **more), lambda _: None)
        # The widget works on the session itself, so the page's desk is cleared.
        found.desk.close()
        pool, task = Pool(found.features.X, prepared=True), found.desk.task
        kept = Session.open(path, pool)
        return cls(kept, found.desk.examples, labels=task.labels, question=task.question)

    # -- what the person does ------------------------------------------------------------------

    def answer(self, label: Any) -> None:
        """Take an answer about the example that is shown."""
        if label not in self.labels:
            raise BadInput(f"{label!r} is none of the answers {', '.join(map(repr, self.labels))}.")
        self._change(lambda: self.learner.tell(self._shown(), label))

    def skip(self) -> None:
        """Do not ask about the example that is shown."""
        self._change(lambda: self.learner.skip(self._shown()))

    def undo(self) -> None:
        """Take back the last answer or skip."""
        self._change(self.learner.undo)

    def _received(self, _: Any, message: Any, __: Any) -> None:
        """Do what the page in the notebook says, if it is about what is shown."""
        if not isinstance(message, dict):
            return
        if message.get("do") == "undo":
            self.undo()
        elif message.get("example") != self._asked:
            # Another view of this widget was faster.
            self._show()
        elif message.get("do") == "skip":
            self.skip()
        elif message.get("do") == "answer":
            place = message.get("label")
            if isinstance(place, int) and 0 <= place < len(self.labels):
                self.answer(self.labels[place])

    # -- what is shown -------------------------------------------------------------------------

    def _change(self, change: Any) -> None:
        try:
            change()
        except (AlumaError, LookupError) as error:
            self._show(str(error))
        else:
            self._show()

    def _shown(self) -> int:
        if self._asked is None:
            raise Exhausted("nothing is left to ask.")
        return self._asked

    def _show(self, trouble: str = "") -> None:
        """Work out what is seen now, and send it."""
        learner = self.learner.fork()
        shown = evidence(learner)
        trouble, card = trouble or "", None
        try:
            self._asked = None if shown.phase == "finished" else int(self.learner.ask())
        except Exhausted as error:
            self._asked, trouble = None, trouble or str(error)
        if self._asked is not None:
            card = self._card(self._asked)
        now = self._figures(learner, shown)
        self._turn += 1
        self.state = {
            # A state that is equal to the last would not travel, and the page wait for it.
            "turn": self._turn,
            "question": self.question or "Which is it?",
            "labels": [str(label) for label in self.labels],
            "card": card,
            "trouble": trouble,
            "answers": shown.answers,
            "size": _size(self.learner),
            "phase": shown.phase,
            "headline": _headline(shown, now),
            "curve": self._drawn(),
            "can_undo": len(learner.history) > 0,
        }

    def _card(self, i: int) -> dict[str, Any]:
        """Return what is shown of an example."""
        if self.examples is None:
            pool = self.learner.pool if isinstance(self.learner, Session) else self.learner.examples
            numbers = pool.rows(np.array([i]))[0][:MOST_NUMBERS]
            fields = [[str(j), f"{value:.4g}"] for j, value in enumerate(numbers)]
            return {"example": i, "title": f"row {i + 1:,}", "text": "", "image": "",
                    "fields": fields}  # fmt: skip
        card, image = self.examples.card(i), ""
        if self.examples.images is not None:
            kind, content = self.examples.images.content(i)
            image = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        fields = [[one.name, one.value] for one in card.fields]
        return {"example": i, "title": card.title, "text": card.text, "image": image,
                "fields": fields}  # fmt: skip

    def _figures(self, learner: Learner, shown: Evidence) -> Figures:
        """Return the figures of this moment, and put them on the curve."""
        certifies = learner.parts.promise.certifies and learner.n_answers > 0
        judged = learner.certificate(proof_seconds=0.0) if certifies else None
        aside = self.learner.exceptions if isinstance(self.learner, Session) else {}
        now = figures(shown, judged, exceptions=aside, size=len(learner.pool))
        if self._curve is not None:
            self._curve.add(now)
        else:
            self._points = [one for one in self._points if one.answers < now.answers] + [now]
        return now

    def _drawn(self) -> list[list[float]]:
        """Return the curve: after how many answers how many wrong labels were to be expected."""
        points = self._points[-MOST_POINTS:] if self._curve is None else self._curve.points
        return [[p.answers, p.expected_error] for p in points if p.expected_error is not None]


def _size(learner: Learner | Session) -> int:
    return len(learner.pool)


def _labels(learner: Learner | Session, given: Sequence[Any] | None) -> list[Any]:
    """Return the answers there may be."""
    if given is not None:
        return list(given)
    if isinstance(learner, Session):
        return list(answers.of_session(learner))
    known = list(learner.labels.known)
    if len(known) < 2:
        raise BadInput(
            f"the learner knows the labels {known} so far: name all of them, as in "
            'Labeller(learner, labels=("no", "yes")).'
        )
    return known


def _examples(given: Any, size: int) -> Examples | None:
    """Return what is shown as the page has it."""
    if given is None or isinstance(given, Examples):
        return given
    if isinstance(given, pd.DataFrame):
        made = as_examples(given.reset_index(drop=True))
    elif isinstance(given, np.ndarray) and given.ndim >= 3:
        made = Examples(pd.DataFrame(index=range(len(given))), images=ArrayImages(given))
    else:
        texts = pd.DataFrame({"text": [str(one) for one in given]})
        made = Examples(texts, text=("text",))
    if len(made) != size:
        raise BadInput(
            f"there are {len(made):,} examples to show, and {size:,} in the pool: they must belong "
            "together, one by one."
        )
    return made


def _headline(shown: Evidence, now: Figures) -> str:
    """Return what was checked, in words; an estimate is called one."""
    if shown.out_of_reach is not None:
        return str(shown.out_of_reach)
    bound = f"at most {at_most(now.error_bound)} of the labels are wrong ({sure(now.delta)})"
    if shown.phase == "finished":
        return f"You can stop here: {bound}, whatever the data."
    if shown.checks:
        found = f"{shown.wrong:,} of {shown.checks:,} wrong"
        return f"Checking labels at random: {found}, so {bound}."
    if shown.phase == "checking":
        return "Checking labels at random, to find out how many are wrong."
    return "Learning. Nothing has been checked at random yet."
