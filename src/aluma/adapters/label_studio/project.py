"""One project of Label Studio: its tasks as a pool, and the session that learns from annotations.

Label Studio has the annotations; the session has what was learnt from them, in the order they came.
Whenever both meet (:meth:`Project.meet`), the session is brought to what Label Studio says. If the
tasks have changed, or an annotation was deleted that was not the last, another session is begun and
the annotations there are told to it; the earlier file stays.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from aluma.adapters.label_studio.config import Question
from aluma.adapters.label_studio.studio import MODEL, Studio
from aluma.app import features
from aluma.app.examples import ArrayImages, Examples, decoded
from aluma.app.features import Features
from aluma.app.image_features import IMAGE_SIDE
from aluma.app.reading import as_examples
from aluma.errors import BadInput, Conflict, Exhausted, Undecided
from aluma.pool import Pool
from aluma.session import Session

logger = logging.getLogger(__name__)

#: Questions that are at the head of the order: one, and others for further people at work.
AT_THE_HEAD = 3
#: A score that stands behind all questions and before all other scores, times the place.
STEP = 0.001


@dataclass(frozen=True)
class Said:
    """What Label Studio is told about a task: a label, or none to be shown, and its score."""

    label: str | None
    score: float


class Project:
    """The tasks of a project, its session, and what Label Studio has been told.

    Parameters
    ----------
    number : its number in Label Studio
    question : what it asks
    studio : where it is
    folder : where sessions are kept
    embed : a function ``package:function`` that makes features of the tasks, if not aluma
    tolerance : share of the labels that may be wrong
    """

    def __init__(
        self,
        number: int,
        question: Question,
        studio: Studio,
        folder: Path,
        *,
        embed: str | None = None,
        tolerance: float = 0.05,
    ) -> None:
        self.number, self.question, self.studio = number, question, studio
        self._folder, self._embed, self._tolerance = folder, embed, tolerance
        self.session: Session | None = None
        #: Numbers of the tasks, in the order of the pool.
        self.tasks: list[int] = []
        self._places: dict[int, int] = {}
        #: Numbers of the predictions, and what they say, by task.
        self._known: dict[int, tuple[int, Said]] = {}
        #: What is to be said of tasks that are not asked about, and whether answers came since.
        self._labelled: dict[int, Said] = {}
        self._stale = False
        #: The next questions, by task.
        self._asked: list[int] = []

    # -- from Label Studio ---------------------------------------------------------------------

    def meet(self) -> None:
        """Bring the session to what Label Studio has, and Label Studio to what the session says."""
        tasks = sorted(self.studio.tasks(self.number), key=lambda task: int(task["id"]))
        if len(tasks) < 2:
            raise BadInput(f"project {self.number} has {len(tasks)} tasks: import some more.")
        answers = {
            int(task["id"]): self._said_in(task["annotations"])
            for task in tasks
            if task["annotations"]
        }
        self._open(tasks, answers)
        for task, label in answers.items():
            self._tell(task, label)
        self._read_predictions()
        self._stale = True
        self._look()
        self._add_missing()
        self._ask()

    def annotated(self, task: int, annotation: Mapping[str, Any]) -> bool:
        """Learn from an annotation, and put the next question first; False if it is unknown."""
        if self.session is None or task not in self._places:
            return False
        self._tell(task, self.question.answer(dict(annotation)))
        self._stale = True
        self._ask()
        return True

    # -- to Label Studio -----------------------------------------------------------------------

    def put_one_right(self) -> bool:
        """Change one prediction whose label is not what is said now; False if there is none."""
        if self.session is None:
            return False
        self._look()
        for task, (_, said) in self._known.items():
            if said.label != self._said(task).label and task in self._places:
                self._change(task)
                return True
        return False

    def predict(self, task: int) -> dict[str, Any]:
        """Return the prediction of a task, as Label Studio wants it."""
        return self._prediction(self._said(task))

    def words(self) -> str:
        """Return in a sentence where the project stands."""
        session = self.session
        if session is None:
            return "not begun"
        audit, many = session.audit, f"{session.n_answers:,} annotations"
        if session.finished and audit is not None:
            return f"{many}. You can stop here. {session.fork().certificate(proof_seconds=0.0)}"
        if (why := session.out_of_reach) is not None:
            return f"{many}. {why}"
        if audit is not None:
            found = f"{audit.asked:,} checked, {len(audit.wrong):,} wrong"
            return f"{many}. Checking labels at random: {found}."
        return f"{many}. Learning."

    def close(self) -> None:
        """Close the session."""
        if self.session is not None:
            self.session.close()

    # -- inside --------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Put the next questions first in Label Studio, and those that are none any more back."""
        self._asked = [self.tasks[place] for place in self._questions()]
        before = [
            task for task, (_, said) in self._known.items() if said.score < AT_THE_HEAD * STEP
        ]
        for task in dict.fromkeys([*self._asked, *before]):
            if task in self._known and self._known[task][1] != self._said(task):
                self._change(task)

    def _look(self) -> None:
        """Work out the labels of all tasks, if answers have come since."""
        if not self._stale:
            return
        session, self._stale = self._opened, False
        labels, shares = session.predict().tolist(), session.predict_proba().max(axis=1)
        if not session.n_answers:
            labels = [None] * len(labels)
        self._labelled = {
            task: Said(label, round(float(share), 4))
            for task, label, share in zip(self.tasks, labels, shares, strict=True)
        }

    def _said(self, task: int) -> Said:
        """Return what is to be said of a task now."""
        if task in self._asked:
            # Whoever is asked sees no label: a check that is prompted is none.
            return Said(None, STEP * self._asked.index(task))
        return self._labelled.get(task, Said(None, 0.5))

    def _add_missing(self) -> None:
        """Add predictions of tasks that have none, all at once."""
        missing = [task for task in self.tasks if task not in self._known]
        if not missing:
            return
        made = [{"task": task, **self._prediction(self._said(task))} for task in missing]
        self.studio.add_predictions(self.number, made)
        self._read_predictions()

    def _read_predictions(self) -> None:
        self._known = {
            int(one["task"]): (int(one["id"]), self._as_said(one))
            for one in self.studio.predictions(self.number)
        }

    @property
    def _opened(self) -> Session:
        assert self.session is not None
        return self.session

    def _open(self, tasks: Sequence[dict[str, Any]], answers: Mapping[int, Any]) -> None:
        """Open the session about these tasks, or begin one."""
        numbers = [int(task["id"]) for task in tasks]
        name = blake2b(
            repr([(task["id"], task["data"]) for task in tasks] + [self.question]).encode(),
            digest_size=4,
        ).hexdigest()
        stem = f"project-{self.number}-{name}"
        self.tasks, self._places = numbers, {task: i for i, task in enumerate(numbers)}
        if self.session is not None:
            if self.session.path.stem.startswith(stem) and self._agrees(answers):
                return
            self.close()
        made = self._features(tasks, self._folder / f"{stem}.aluma")
        for count in itertools.count(1):
            more = "" if count == 1 else f"-{count}"
            self.session = self._session(self._folder / f"{stem}{more}.aluma", made)
            if self._agrees(answers):
                return
            self.close()

    def _session(self, path: Path, made: Features) -> Session:
        pool = Pool(made.X, prepared=True)
        if path.exists():
            session = Session.open(path, pool)
        else:
            session = Session.create(
                path,
                pool,
                classes=self.question.labels,
                bias=True,
                tolerance=self._tolerance,
                promise="audited",
            )
        session.keep_asking = True
        return session

    def _agrees(self, answers: Mapping[int, str | None]) -> bool:
        """Say whether no answer of the session is gone; if only the last is, take it back."""
        session = self._opened
        places = {self._places[task] for task in answers}
        gone = [entry for entry in session.kept if entry.example not in places]
        if len(gone) == 1 and session.kept[-1].example == gone[0].example:
            session.undo()
            return True
        return not gone

    def _features(self, tasks: Sequence[dict[str, Any]], path: Path) -> Features:
        """Return the features of tasks, as they were made when the session began."""
        kept = path.with_suffix(".features.npz")
        if kept.exists():
            return Features.load(kept)[0]
        frame = self.question.frame(tasks)
        if self.question.kind == "image":
            examples = Examples(frame, images=self._images(frame[self.question.field]))
        else:
            examples = as_examples(frame)
        if self._embed is not None:
            made = features.of_function(self._embed, examples)
        else:
            made = features.of_examples(examples)
        made.save(kept, path.stem)
        return made

    def _images(self, values: Iterable[str]) -> ArrayImages:
        side = (IMAGE_SIDE, IMAGE_SIDE)
        found = []
        for value in values:
            picture = decoded(self.studio.picture(value), value[:60])
            found.append(np.asarray(picture.convert("RGB").resize(side)))
        return ArrayImages(np.stack(found))

    def _said_in(self, annotations: Sequence[dict[str, Any]]) -> str | None:
        """Return what the latest annotation says."""
        latest = max(annotations, key=lambda one: str(one.get("updated_at") or ""))
        return self.question.answer(latest)

    def _tell(self, task: int, label: str | None) -> None:
        """Tell the session an answer; what it cannot learn from is kept as an exception."""
        session, place = self._opened, self._places[task]
        if label is None:
            session.skip(place)
            return
        try:
            if place in session.answered:
                session.change(place, label)
            elif session.exceptions.get(place) != label:
                session.tell(place, label)
        except (Conflict, Undecided) as error:
            logger.warning("task %d is kept and not learnt from: %s", task, error)
            if place not in session.answered:
                session.skip(place, label=label)

    def _questions(self) -> list[int]:
        """Return the places of the next questions, the first one first."""
        session = self._opened
        if session.finished:
            return []
        try:
            first = int(session.ask())
        except Exhausted:
            return []
        try:
            return [int(i) for i in session.ask(AT_THE_HEAD)]
        except Exhausted:
            return [first]

    def _change(self, task: int) -> None:
        number, said = self._known[task][0], self._said(task)
        self.studio.change_prediction(number, self._prediction(said))
        self._known[task] = number, said

    def _prediction(self, said: Said) -> dict[str, Any]:
        result = self.question.result(said.label)
        return {"model_version": MODEL, "score": said.score, "result": result}

    def _as_said(self, prediction: Mapping[str, Any]) -> Said:
        return Said(self.question.answer(dict(prediction)), float(prediction["score"] or 0.0))
