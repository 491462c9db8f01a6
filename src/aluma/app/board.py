"""What the page shows of a session, made from what is known about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from aluma.app.curve import Curve
from aluma.app.doubt import most_doubtful
from aluma.app.evidence import Evidence
from aluma.app.examples import Examples
from aluma.app.figures import DELTA
from aluma.app.guidelines import Node
from aluma.app.lookahead import Outcome, Question
from aluma.app.shapes import Card, Clash, FailedCheck, Figures, Next, Progress, State, Verdict
from aluma.app.slack import supports_slack
from aluma.app.votes import leading, votes
from aluma.app.withheld import withheld
from aluma.errors import Conflict, Undecided
from aluma.learners.learner import Learner
from aluma.promises import checking
from aluma.session import Entry, Session

#: Latest answers that come with every state.
LATEST_ANSWERS = 12


@dataclass(frozen=True)
class Task:
    """What is asked of the person.

    Attributes
    ----------
    name : what the pool is called
    question : what is asked about every example
    labels : the answers in their order; of two, (no, yes)
    tolerance : share of the labels that may be wrong
    grows : whether answers can be added
    guidelines : what helps to answer
    """

    name: str
    question: str
    labels: tuple[str, ...]
    tolerance: float = 0.05
    grows: bool = False
    guidelines: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Seen:
    """What is known at a moment, besides the answers.

    Attributes
    ----------
    tick, session : names of the moment and of the session
    question : what is asked, None while it is being worked out
    following : what follows each label, as far as it is known
    evidence : what checks have shown so far, None before the first question is known
    figures, curve : the latest figures, and how they fell
    busy : what takes longer just now
    """

    tick: str
    session: str
    question: Question | None
    following: Mapping[str, Outcome]
    evidence: Evidence | None
    figures: Figures | None
    curve: Curve
    busy: str | None


class Board:
    """Makes what the page shows: states, verdicts, and clashes in plain words."""

    def __init__(self, examples: Examples, task: Task) -> None:
        self.examples, self.task = examples, task
        self._clash: tuple[tuple[int, int, str], Clash] | None = None

    def state(self, session: Session, seen: Seen) -> State:
        """Return all that is to be seen."""
        question, answers = seen.question, answers_of(session)
        asked = question.example if question else None
        exhausted = question is not None and asked is None
        return State(
            tick=seen.tick,
            version=len(session.log),
            session=seen.session,
            name=self.task.name,
            question_text=self.task.question,
            labels=list(self.task.labels),
            grows=self.task.grows,
            guidelines=bool(self.task.guidelines),
            question=self._card(question),
            ahead=self._following(session, asked, seen.following),
            spare=[self.examples.card(i) for i in question.spare] if question else [],
            last=[self.verdict(entry) for entry in answers[: -LATEST_ANSWERS - 1 : -1]],
            progress=self._progress(session, answers, seen, exhausted=exhausted),
            curve=seen.curve.points,
            busy=seen.busy,
            slack=supports_slack(),
        )

    def _following(
        self, session: Session, asked: int | None, following: Mapping[str, Outcome]
    ) -> dict[str, Next]:
        if asked is None:
            return {}
        return {
            label: Next(question=self._card(found))
            if isinstance(found, Question)
            else Next(clash=self.clash(session, found, asked, label))
            for label, found in following.items()
        }

    def _progress(
        self, session: Session, answers: list[Entry], seen: Seen, *, exhausted: bool
    ) -> Progress:
        told = [entry for entry in answers if entry.kind != "skip"]
        examples = {entry.example for entry in session.kept}
        checked = seen.evidence
        given = Counter(entry.label for entry in answers)
        return Progress(
            size=len(self.examples),
            answered=len(answers),
            positive=given[self.task.labels[1]],
            counts=[given[label] for label in self.task.labels],
            skipped=len(examples) - len(answers),
            exceptions=len(answers) - len(told),
            tolerance=self.task.tolerance,
            every=self.task.tolerance * len(self.examples) < 1,
            phase=checked.phase if checked else "learning",
            both_seen=checked is not None and checked.both_seen,
            checks_by=self._checks_by(checked, len(told)),
            to_come=self._to_come(checked, len(told)),
            figures=seen.figures,
            failed=_failed(session, checked),
            out_of_reach=_out_of_reach(session, checked),
            finished=exhausted or (checked is not None and checked.phase == "finished"),
            exhausted=exhausted,
        )

    def _checks_by(self, checked: Evidence | None, told: int) -> int | None:
        """Return the number of answers after which labels are checked, while they are not."""
        size = len(self.examples)
        if checked is None or not checked.audited or self.task.tolerance * size < 1:
            return None
        learning = checked.phase == "learning" and checked.out_of_reach is None
        by = checking.begins_by(checked.past, size)
        return by if learning and told < by <= size else None

    def _to_come(self, checked: Evidence | None, told: int) -> int | None:
        """Return about how many answers are to come, as far as anybody can say."""
        if checked is None or not checked.audited:
            return None
        if checked.phase != "learning":
            return checked.at_rate
        by = self._checks_by(checked, told)
        if by is None:
            return None
        share = checking.share_of_delta(DELTA, len(checked.past) + 1)
        price = ceil(checking.checks_needed(0.0, self.task.tolerance, share))
        return min(by - told + price, len(self.examples) - told)

    def verdict(self, entry: Entry) -> Verdict:
        """Return an answer with its example."""
        return Verdict(
            card=self.examples.excerpt(entry.example),
            label=str(entry.label),
            by="exception" if entry.kind == "skip" else "person",
            share=1.0,
        )

    def _voted(self, learner: Learner, wanted: list[int]) -> dict[int, Verdict]:
        """Return the votes on examples; the label is empty while there are none."""
        if not wanted:
            return {}
        pool, labels = learner.examples, self.task.labels
        shares = votes(learner, labels, pool.rows(wanted)[:, : pool.dimension - pool.bias])
        places, hidden = leading(learner, labels, shares), withheld(learner)
        return {
            example: self.voted(example, -1 if example in hidden else int(place), share)
            for example, place, share in zip(wanted, places, shares.max(axis=1), strict=True)
        }

    def voted(self, example: int, place: int, share: float) -> Verdict:
        """Return the vote on an example: which label leads, -1 for none, and its share."""
        return Verdict(
            card=self.examples.excerpt(example),
            label=self.task.labels[place] if place >= 0 else "",
            by="vote",
            share=float(share) if place >= 0 else 0.0,
        )

    def verdicts(self, session: Session, wanted: list[int]) -> list[Verdict]:
        """Return answers or, where there is none, the vote."""
        known = {entry.example: entry for entry in answers_of(session)}
        voted = self._voted(session.fork(), [i for i in wanted if i not in known])
        return [self.verdict(known[i]) if i in known else voted[i] for i in wanted]

    def clash(
        self, session: Session, error: Conflict | Undecided, example: int, label: str
    ) -> Clash:
        """Explain why an answer cannot be taken in, and which ones it clashes with."""
        key = (len(session.log), example, label)
        if self._clash is None or self._clash[0] != key:
            self._clash = key, self._explained(session, error, example, label)
        return self._clash[1]

    def _explained(
        self, session: Session, error: Conflict | Undecided, example: int, label: str
    ) -> Clash:
        others = [i for i in error.indices if i != example] if isinstance(error, Conflict) else []
        known = {entry.example: entry for entry in answers_of(session)}
        others = most_doubtful(session, example, label, others)
        return Clash(
            message=_explained(
                error, self.examples.title(example), label, len(others), len(self.task.labels)
            ),
            example=example,
            label=label,
            **{"with": [self.verdict(known[i]) for i in others if i in known]},
            slack=supports_slack(),
        )

    def _card(self, asked: Question | None) -> Card | None:
        if asked is None or asked.example is None:
            return None
        return self.examples.card(asked.example).model_copy(update={"check": asked.check})


def answers_of(session: Session) -> list[Entry]:
    """Return the entries that hold the present answers, exceptions included, in order."""
    found: dict[int, Entry] = {}
    for entry in session.kept:
        if entry.label is not None:
            found.pop(entry.example, None)
            found[entry.example] = entry
    return list(found.values())


def _failed(session: Session, checked: Evidence | None) -> FailedCheck | None:
    """Return the latest audit that ended without being passed."""
    if checked is None or not checked.past:
        return None
    last = checked.past[-1]
    ended = [entry.example for entry in session.kept if entry.check == 2]
    failed = {entry.example for entry in session.log if entry.check == 2}
    return FailedCheck(
        number=len(checked.past),
        checks=last.checks,
        wrong=last.wrong,
        skipped=_skipped(session, checked),
        since=max(checked.answers - last.answers - last.checks, 0),
        answer_changed=not ended or ended[-1] not in failed,
    )


def _skipped(session: Session, checked: Evidence) -> int:
    """Return how many checks of the latest audit were skipped, and not answered as exceptions."""
    return sum(example not in session.exceptions for example in checked.skipped_before[-1])


def _out_of_reach(session: Session, checked: Evidence | None) -> str | None:
    """Say why the goal cannot be reached, and what can be done."""
    if checked is None or checked.out_of_reach is None:
        return None
    why = checked.out_of_reach
    were = "wrong or skipped" if _skipped(session, checked) else "wrong"
    return (
        f"These features cannot separate your answers well enough: {why.wrong} of "
        f"{why.checks} labels checked at random were {were}, so about {why.estimate:.0%} of all "
        "would be. Better features (--embeddings) or labelling everything are the way."
    )


def _explained(
    error: Conflict | Undecided, title: str, label: str, others: int, answers: int
) -> str:
    """Say in plain words why an answer cannot be taken in."""
    if isinstance(error, Undecided):
        return (
            f"“{label}” for {title} leaves so little room between earlier answers that the "
            "computer cannot tell whether they agree."
        )
    earlier = "an earlier answer" if others == 1 else f"{others} earlier answers"
    no_fit = (
        "no straight boundary between the two answers fits them"
        if answers == 2
        else "no straight boundaries between the answers fit them"
    )
    return (
        f"“{label}” for {title} and {earlier} cannot all be right: {no_fit}. One of them may be a "
        "slip, or the data are messy."
    )
