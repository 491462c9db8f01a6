"""Labels to look through: those nobody gave, the most doubtful first, and doubtful answers.

What is confirmed or corrected is an answer like any other. While labels are checked at random such
answers wait (see :meth:`aluma.learners.learner.Learner.tell`), so they change nothing that is being
checked. Examples that are about to be drawn are left out: whoever checks a label must not have read
what the model says of it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from aluma.app.board import answers_of
from aluma.app.desk import Desk
from aluma.app.people.consensus import by_example
from aluma.app.review_shapes import Certainty, Reviewed, What
from aluma.app.shapes import Verdict
from aluma.app.votes import leading, votes
from aluma.app.withheld import withheld
from aluma.arrays import Floats, Ints

#: A label with a smaller share of the votes is unsure. Votes are no probabilities: all they tell is
#: which labels are doubtful. static/list.js has the same number.
UNSURE_SHARE = 0.8


@dataclass(frozen=True)
class Wish:
    """What is to be looked through.

    Attributes
    ----------
    what : which labels
    label : only those with this answer; empty for all
    certainty : only votes that are so sure
    person : only what this person answered or skipped; empty for all
    """

    what: What = "unanswered"
    label: str = ""
    certainty: Certainty = "any"
    person: str = ""


@dataclass(frozen=True)
class Votes:
    """The votes at one moment.

    Attributes
    ----------
    name : of the moment
    places : which label leads, by example; -1 if none does
    shares : its share of the votes
    unanswered : examples that nobody has answered or skipped, the most doubtful first
    withheld : how many more there are, which are about to be checked
    answers : how many answers the votes come of
    """

    name: str
    places: Ints
    shares: Floats
    unanswered: Ints
    withheld: int
    answers: int


class Review:
    """What a desk has to look through."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._lock = desk, threading.Lock()
        self._votes: Votes | None = None

    def look(self, wish: Wish, of: str, offset: int, limit: int) -> Reviewed:
        """Return a part of what there is; ``of`` names the order that was begun with, if any."""
        known = self._as_of(of)
        found = self._chosen(wish, known)
        part = found[offset : offset + limit]
        return Reviewed(
            total=len(found),
            items=self._verdicts(wish, part, known),
            of=known.name,
            answers=known.answers,
            withheld=known.withheld if wish.what == "unanswered" else 0,
            people=list(dict.fromkeys(voice.who for voice in self._desk.session.voices)),
        )

    def _as_of(self, of: str) -> Votes:
        """Return the votes of the moment that was named, or of now."""
        with self._lock:
            if self._votes is None or self._votes.name != of:
                name = f"{self._desk.state.session}.{len(self._desk.session.log)}"
                if self._votes is None or self._votes.name != name:
                    self._votes = self._counted(name)
            return self._votes

    def _counted(self, name: str) -> Votes:
        session, labels = self._desk.session, self._desk.task.labels
        learner = session.fork()
        shares = votes(learner, labels)
        places = leading(learner, labels, shares)
        lead = np.where(places < 0, 0.0, shares[np.arange(len(shares)), np.maximum(places, 0)])
        left = np.ones(len(shares), dtype=bool)
        left[[entry.example for entry in session.kept]] = False
        coming = np.zeros(len(shares), dtype=bool)
        coming[list(withheld(learner))] = True
        open_to_review = np.flatnonzero(left & ~coming)
        order = np.argsort(lead[open_to_review], kind="stable")
        return Votes(
            name=name,
            places=np.asarray(places),
            shares=lead,
            unanswered=open_to_review[order],
            withheld=int((left & coming).sum()),
            answers=learner.n_answers,
        )

    def _chosen(self, wish: Wish, known: Votes) -> list[int]:
        """Return the examples of a wish, in their order."""
        if wish.what == "unanswered":
            wanted = known.unanswered
            if wish.label:
                place = self._desk.task.labels.index(wish.label)
                wanted = wanted[known.places[wanted] == place]
            if wish.certainty != "any":
                unsure = known.shares[wanted] < UNSURE_SHARE
                wanted = wanted[unsure == (wish.certainty == "unsure")]
            return [int(i) for i in wanted]
        said = {v.example: v.label for v in self._desk.session.voices if v.who == wish.person}
        if wish.what == "skipped":
            if wish.person:
                return [i for i, label in reversed(said.items()) if label is None]
            return [e.example for e in self._desk.session.kept[::-1] if e.label is None]
        given = {entry.example: str(entry.label) for entry in answers_of(self._desk.session)}
        found = list(self._doubts()) if wish.what == "strained" else list(given)[::-1]
        return [
            i
            for i in found
            if wish.label in ("", given.get(i)) and (not wish.person or said.get(i) is not None)
        ]

    def _doubts(self) -> dict[int, float]:
        """Return the answers that strain the fit, the worst first, and how many dispute each.

        What was kept without being learnt from contradicts the others by what the person said.
        """
        session = self._desk.session
        aside: dict[int, float] = dict.fromkeys(session.exceptions, 1.0)
        told = session.n_answers
        strained = session.strained(told) if told else []
        return aside | {one.index: one.doubt for one in strained}

    def _verdicts(self, wish: Wish, wanted: list[int], known: Votes) -> list[Verdict]:
        answered = {entry.example: entry for entry in answers_of(self._desk.session)}
        doubts = self._doubts() if wish.what in ("strained", "answered") else {}
        hidden = withheld(self._desk.session.fork())
        said = by_example(self._desk.session.voices)
        made: list[Verdict] = []
        for i in wanted:
            if i in answered:
                verdict = self._desk.verdict(answered[i])
                by = {who: label for who, label in said.get(i, {}).items() if label is not None}
                more = {"doubt": doubts.get(i, 0.0), "said": by}
                made.append(verdict.model_copy(update=more))
            else:
                place = -1 if i in hidden else int(known.places[i])
                made.append(self._desk.voted(i, place, float(known.shares[i])))
        return made
