"""The learner: a pool, the answers so far, and five parts that do the rest.

- a **space**: what the answers leave (:mod:`aluma.spaces`);
- a **strategy**: who is asked next (:mod:`aluma.strategies`);
- a **prediction**: how labels are given (:mod:`aluma.prediction`);
- a **stopping** rule: when that is enough (:mod:`aluma.promises.stopping`);
- a **promise**: what is said about the result (:mod:`aluma.promises`).

The parts know nothing of each other beyond what a
:class:`~aluma.spaces.situation.Situation` shows. ``ALuMA`` and the others only assemble them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from aluma.arrays import Bools, Floats, Ints, Shares, Signs, plain, positive_integer
from aluma.errors import Conflict, Exhausted, OutOfReach
from aluma.learners.labels import Labels
from aluma.pool import Pool
from aluma.prediction.prediction import Prediction
from aluma.promises.audit import Audit
from aluma.promises.certificate import Certificate
from aluma.promises.promise import Promise
from aluma.promises.stopping import Stopping
from aluma.representation.view import View
from aluma.sampling.population import Population
from aluma.spaces.history import Event, audited_from, column, common, learnt, without
from aluma.spaces.situation import Question, Situation
from aluma.spaces.space import Hypotheses, Space, Standing, Watch, unwatched
from aluma.strategies.strategy import Strategy

#: What a question is for, until no more are needed.
Phase: TypeAlias = Literal["learning", "checking", "finished"]


@dataclass(frozen=True)
class Strain:
    """An answer that strains the fit: ``doubt`` is the share of halfspaces that dispute it."""

    index: int
    label: Any
    doubt: float


@dataclass(frozen=True)
class Parts:
    """What a learner is made of."""

    space: Space
    strategy: Strategy[Any]
    prediction: Prediction[Any]
    stopping: Stopping
    promise: Promise[Any]

    def fork(self) -> Parts:
        """Return independent copies; a stopping rule keeps nothing."""
        return replace(
            self,
            space=self.space.fork(),
            strategy=self.strategy.fork(),
            prediction=self.prediction.fork(),
            promise=self.promise.fork(),
        )


class Learner:
    """A pool, the answers so far, and parts that choose, predict, stop and promise.

    Parameters
    ----------
    X : ndarray, scipy sparse matrix, np.memmap, DataFrame, Pool, or a View of one
        Parts are made for the pool of a view, so it is usually a view here.
    parts : Parts, or a function that makes them for a number of classes
        The space, strategy, prediction, stopping rule and promise. Parts decide between two labels;
        with a function, there may be any number of them.
    classes : (negative, positive), or all labels if there may be more, optional
        The labels. Without it they are learnt as they are told.
    budget : int, optional
        Number of answers after which :meth:`ask` raises :class:`Exhausted`.

    Notes
    -----
    ``ALuMA`` and the others take, instead of parts, what their parts are made with. Two of those
    settings they all have in common:

    bias : bool or float
        Add a constant feature, so that halfspaces need not pass through the origin: True for one
        half as long as a typical row, so that their unit does not matter, or the number itself.
    random_state : int, numpy Generator or None
        The same integer gives the same questions; None gives others every time.

    Examples
    --------
    >>> from aluma.prediction.vote import Vote
    >>> from aluma.promises.credible import Credible
    >>> from aluma.promises.nothing_left import NothingLeft
    >>> from aluma.spaces.plain import PlainSpace
    >>> from aluma.strategies.in_order import InOrder
    >>> view = View(np.eye(3), bias=True)
    >>> space = PlainSpace(view.pool, size=500, seed=0)
    >>> parts = Parts(space, InOrder(np.arange(3)), Vote(), NothingLeft(), Credible(0.05))
    >>> Learner(view, parts, classes=("no", "yes")).ask()
    0
    """

    def __init__(
        self,
        X: Any,
        parts: Parts | Callable[[int], Parts],
        *,
        classes: Sequence[Any] | None = None,
        budget: int | None = None,
    ) -> None:
        self._view = View.of(X)
        self.pool = self._view.pool
        self._labels = Labels(classes, any_number=callable(parts))
        self._parts_for = parts if callable(parts) else None
        self.parts = parts(self._labels.count) if callable(parts) else parts
        if not isinstance(self.parts, Parts):
            raise TypeError(f"parts must be Parts, or a function that makes them, got {parts!r}.")
        #: How many classes the parts are made for.
        self._classes = self._labels.count
        if self.parts.space.pool is not self.pool:
            raise ValueError(
                "the space was made for another pool: make it for the pool of the view that the "
                "learner gets, as in PlainSpace(view.pool, ...)."
            )
        self.budget = None if budget is None else positive_integer(budget, "budget")
        self._history: list[Event] = []
        #: Whether :meth:`ask` goes on when the goal is out of reach.
        self.keep_asking = False
        self._listed = self.parts.strategy.listed(len(self.pool))
        #: The next question in a tuple, once it has been worked out; it may be None.
        self._asked: tuple[Question | None] | None = None

    # -- asking and answering ------------------------------------------------------------------

    def ask(self, n: int | None = None) -> Any:
        """Return the example to ask about next, the same until something is told or skipped.

        With ``n``, an array of n different examples that are informative together; the first of
        them is the question itself.
        While labels are checked (:attr:`phase`), it is the example that was drawn for that.
        Raises :class:`Exhausted` when nothing is left, and :class:`OutOfReach`, which is one, when
        the goal cannot be reached.
        """
        at = self._situation()
        if at.spent:
            raise Exhausted(f"the budget of {self.budget} answers is spent.")
        audit = self.parts.promise.audit(at)
        left = int(at.eligible.sum()) if audit is None else audit.left
        if not left:
            raise Exhausted(
                f"all {len(self.pool)} examples are answered, skipped or cannot be decided."
            )
        if (why := self.out_of_reach) is not None and not self.keep_asking:
            raise why
        if n is not None:
            wanted = positive_integer(n, "n")
            if self.budget is not None:
                left = min(left, self.budget - self.n_answers)
            if wanted > left:
                raise Exhausted(f"{wanted} questions were wanted, {left} are left.")
            if audit is not None:
                return audit.coming(wanted)
            batch = self.parts.strategy.ask_batch(at, wanted)
            self._check_askable(at, batch)
            return batch
        question = self._next_question()
        if question is None:
            raise self.parts.strategy.passed()
        return question.example

    def alternatives(self, n: int) -> Ints:
        """Return up to n other examples that could as well be asked about now, perhaps none.

        They come for nothing with :meth:`ask`, so that nobody has to wait for the question after
        this one. For several questions that complement each other, use ``ask(n)``.
        """
        self.ask()
        question = self._next_question()
        others = np.empty(0, dtype=np.int64) if question is None else question.others
        places = np.linspace(0, len(others) - 1, min(n, len(others))).astype(int)
        return np.asarray(others[places], dtype=np.int64)

    def tell(self, i: Any, label: Any) -> None:
        """Take the answer for one example, or arrays of both; it need not have been asked.

        Raises :class:`Conflict`, and leaves the learner as it was, if no halfspace agrees with all
        the answers. Telling an answer again changes nothing.
        """
        if np.ndim(i) == 0:
            told = [(self._checked_index(i), label)]
        else:
            indices = [self._checked_index(one) for one in i]
            told = list(zip(indices, _as_list(label, len(indices)), strict=True))
        twin = self.fork()
        for index, value in told:
            twin._tell_one(index, value)
        self._turn_into(twin)

    def skip(self, i: Any) -> None:
        """Do not ask about this example, or these (they can still be told).

        Skipping what was told or skipped before is nothing.
        """
        indices = [self._checked_index(one) for one in ([i] if np.ndim(i) == 0 else i)]
        known = {event.index for event in self._history}
        new = [index for index in dict.fromkeys(indices) if index not in known]
        if new:
            twin = self.fork()
            for index in new:
                twin._take(index, 0)
            self._turn_into(twin)

    def undo(self) -> None:
        """Take back the last answer or skip."""
        if not self._history:
            raise LookupError("there is no answer to take back.")
        self._become(self._history[:-1], self._labels)

    def change(self, i: int, label: Any) -> None:
        """Give another answer for an example told before; the others stay, in their order."""
        self._become(*self.changed(i, label))

    def withdraw(self, i: int) -> None:
        """Take back the answer or skip for an example, wherever it stands; the others stay."""
        self._become(self.withdrawn(i), self._labels)

    def fork(self) -> Self:
        """Return an independent copy, cheap enough to look ahead with."""
        twin = copy.copy(self)
        twin.parts = self.parts.fork()
        twin._labels = self._labels.copy()
        twin._history = list(self._history)
        return twin

    # -- the history, for those who keep it elsewhere ------------------------------------------

    @property
    def history(self) -> tuple[Event, ...]:
        """Answers and skips that count, in order."""
        return tuple(self._history)

    @property
    def labels(self) -> Labels:
        """What is known of the labels: a copy; assign one to bring back what was known."""
        return self._labels.copy()

    @labels.setter
    def labels(self, known: Labels) -> None:
        if known.count != self._classes and audited_from(self._history) < len(self._history):
            raise ValueError(
                f"labels are being checked that were made for {self._classes} classes, and "
                f"{known.count} would label anew: tell() an example of the new one instead, which "
                "ends the check."
            )
        twin = self.fork()
        twin._make_for(known.count, self._history)
        twin._labels = known.copy()
        self._turn_into(twin)

    def changed(self, i: int, label: Any) -> tuple[list[Event], Labels]:
        """Return the history and the labels as they would be with another answer for an example."""
        index = self._checked_index(i)
        if not self._sign_of(index):
            raise LookupError(f"example {index} has not been told: tell it first.")
        labels = self.labels
        sign = labels.sign(label)
        events = [
            replace(e, sign=sign, mark=None) if e.index == index and e.sign else e
            for e in self._history
        ]
        start = audited_from(events)
        if start < len(events) and index in {event.index for event in events[:start]}:
            # The labels that are being checked came of the answer that changes.
            events[-1] = replace(events[-1], check=2)
        return events, labels

    def withdrawn(self, i: int) -> list[Event]:
        """Return the history as it would be without what was said about an example."""
        index = self._checked_index(i)
        gone = [event.index == index for event in self._history]
        if not any(gone):
            raise LookupError(
                f"example {index} was neither told nor skipped: nothing to take back."
            )
        return without(self._history, gone)

    def replay(self, events: Sequence[Event]) -> None:
        """Make ``events`` the history; on a Conflict everything stays as it was."""
        twin = self.fork()
        twin._replay(_checked_events(events))
        self._turn_into(twin)

    def learn_together(self, answers: Mapping[int, int], watch: Watch = unwatched) -> None:
        """Let answers (signs, by example) that nobody was asked for follow the history.

        They check nothing and are learnt from at once, together, which is faster than one by one;
        going back from there absorbs answers anew. On a Conflict everything stays as it was.
        """
        if not isinstance(answers, Mapping):
            raise TypeError(f"answers are signs by example, as in {{3: 1}}, got {answers!r}.")
        events = [Event(self._checked_index(i), sign) for i, sign in answers.items()]
        if self.parts.strategy.reads_a_stream:
            return self.replay([*self._history, *events])
        twin = self.fork()
        told = [(i, sign) for i, sign in answers.items() if not self.pool.is_zero[i]]
        twin.parts.space.add_many(told, watch)
        twin._history += events
        twin._forget()
        self._turn_into(twin)

    def can_step_back(self, kept: Sequence[Event]) -> bool:
        """Say whether a beginning of the history is reached without absorbing it anew."""
        kept = _checked_events(kept)
        # A stream is read anew in any case.
        return self.parts.strategy.reads_a_stream or self.parts.space.can_step_back(kept)

    @property
    def standing(self) -> Standing | None:
        """Where the answers have led, to be kept or given to :meth:`restore`.

        None if that can only be replayed: a stream's place in its order is not part of it.
        """
        return None if self.parts.strategy.reads_a_stream else self.parts.space.standing

    def restore(self, standing: Standing, history: Sequence[Event]) -> None:
        """Go on where a learner with the same settings stood after ``history``.

        What was undoable is forgotten, and proofs begin anew. A :class:`NotImplementedError` comes
        from learners that can only replay, whose :attr:`standing` is None.
        """
        if not isinstance(standing, Standing):
            raise TypeError(f"a learner stands where another stood, got {standing!r}.")
        history, twin = _checked_events(history), self.fork()
        twin.parts.space.restore(standing, history[: audited_from(history)])
        twin._history = list(history)
        twin._went_back()
        self._turn_into(twin)

    @property
    def verified_factors(self) -> dict[int, float]:
        """Greedy factors, by example, that were verified when it was chosen.

        They belong to the moment of choosing and cannot be had from the answers later; assign them
        to a learner that goes on from the same answers.
        """
        return self.parts.strategy.verified_factors(self._history)

    @verified_factors.setter
    def verified_factors(self, factors: Mapping[int, float]) -> None:
        if not self.parts.strategy.reads_a_stream:
            self._history = [
                replace(event, mark=factors.get(event.index)) for event in self._history
            ]

    # -- what is known -------------------------------------------------------------------------

    @property
    def examples(self) -> Pool:
        """The examples as given; ``pool`` has them as the points that halfspaces divide."""
        return self._view.examples

    @property
    def population(self) -> Population:
        """The hypotheses that agree with all answers so far, if the learner keeps any."""
        space = self.parts.space
        if not isinstance(space, Hypotheses):
            raise AttributeError(
                f"{type(self).__name__} keeps no hypotheses: any answers go, so none are ruled out."
            )
        return space.population

    @property
    def classes_(self) -> tuple[Any, ...]:
        """All labels. Of two, (negative, positive), ties go to the second; else to the first."""
        return self._labels.order

    @property
    def n_answers(self) -> int:
        """How many examples have been told."""
        return sum(1 for event in self._history if event.sign)

    @property
    def answered(self) -> Ints:
        """Indices of the examples told, in order."""
        return np.array([e.index for e in self._history if e.sign], dtype=np.int64)

    @property
    def answers(self) -> npt.NDArray[Any]:
        """The labels told, in order."""
        return self._labels.of_signs(np.array([e.sign for e in self._history if e.sign]))

    @property
    def eligible(self) -> Bools:
        """Which examples can be asked about: not answered, not skipped, and not all zeros."""
        return self._situation().eligible

    def predict_proba(self, X: Any = None) -> Floats:
        """Return (n, K) vote shares of the K labels, for the pool or for new examples.

        Columns are in the order of ``classes_``. Told examples of the pool have the label that was
        told.
        """
        self._labels.order  # noqa: B018 - before two labels are known there is no vote
        pool = self.pool if X is None else self._view.new(self.examples.alike(X))
        told = self._history if X is None else ()
        if self._classes > 2:
            return self._labels.in_order(self._class_shares(pool, told))
        second = self._second_shares(pool, told, counted=True)
        shares = np.empty((len(second), 2))
        shares[:, 1] = second
        np.subtract(1.0, second, out=shares[:, 0])
        return shares

    def predict(self, X: Any = None) -> npt.NDArray[Any]:
        """Return the label of the majority for the pool, or for new examples."""
        pool = self.pool if X is None else self._view.new(self.examples.alike(X))
        return self._labels.of_signs(self._signs(pool, self._history if X is None else ()))

    @property
    def labelled_by(self) -> str:
        """What gives the labels, in words."""
        return self.parts.prediction.words

    def certificate(self, *, proof_seconds: float | None = None) -> Certificate:
        """Return what can be promised about the labels now.

        Raises :class:`NotImplementedError` for learners without a version space: what the
        consistent halfspaces agree on is all that a certificate speaks of.

        Parameters
        ----------
        proof_seconds : float, optional
            Time for proving labels. When it is given, time is taken for more proofs even if these
            answers have been certified before.
        """
        inferred = self.parts.strategy.inferred()
        return self.parts.promise.certificate(
            self._situation(), inferred, self._greedy_factor(), proof_seconds
        )

    @property
    def finished(self) -> bool:
        """Whether no label is worth asking for any more: what the stopping rule says."""
        return self.parts.stopping.finished(self._situation(), self.parts.promise)

    @property
    def error_bound(self) -> float:
        """The share of the labels that is wrong at most, as the certificate says it."""
        return self.parts.promise.error_bound(self._situation())

    @property
    def phase(self) -> Phase:
        """What a question is for: "learning", "checking" labels at random, or "finished"."""
        if self.finished:
            return "finished"
        return "learning" if self.audit is None else "checking"

    @property
    def audit(self) -> Audit | None:
        """The checks of the labels as they go on or were passed; None while the learner learns.

        Look at it, and answer by :meth:`tell`: it speaks of signs, the learner of labels.
        """
        return self.parts.promise.audit(self._situation())

    @property
    def out_of_reach(self) -> OutOfReach | None:
        """Why the goal cannot be reached with these features, with an estimate; or None."""
        return self.parts.promise.out_of_reach(self._situation())

    @property
    def proven(self) -> dict[int, Any]:
        """Labels, by example, that no halfspace disputes that agrees with the answers.

        They follow from the answers if a halfspace separates the pool.
        """
        signs = dict(sorted(self.parts.promise.proven.items()))
        labels = self._labels.of_signs(np.array(list(signs.values()), dtype=np.int64)).tolist()
        return dict(zip(signs, labels, strict=True))

    def take_proofs(self, earlier: Learner) -> None:
        """Take over what another proved with some of the same answers: more cannot refute it.

        Slack can, so there is nothing to take over when there is some.
        """
        if not isinstance(earlier, Learner):
            raise TypeError(f"proofs are taken over from another learner, got {earlier!r}.")
        settled = self.parts.space.settles and earlier.parts.space.settles
        told, before = (
            {(event.index, event.sign) for event in one.history if event.sign}
            for one in (self, earlier)
        )
        if before <= told and settled:
            self.parts.promise.take_proofs(earlier.parts.promise)

    # -- slack ---------------------------------------------------------------------------------

    @property
    def allowed_slack(self) -> float:
        """The slack H that is allowed for now: 0 while halfspaces agree with every answer."""
        return self.parts.space.allowed_slack

    @property
    def conflict(self) -> Conflict | None:
        """The first contradiction that slack had to be allowed for."""
        return self.parts.space.conflict

    def doubts(self) -> Floats:
        """Return the share of halfspaces that dispute each answer, in order of telling.

        Without slack every halfspace left agrees with every answer.
        """
        return self.parts.space.doubts(self._history)

    def strained(self, n: int = 10) -> list[Strain]:
        """Return the n answers that most halfspaces dispute, the worst first: check these."""
        most = positive_integer(n, "n")
        doubts, labels = self.doubts(), self.answers.tolist()
        worst = np.argsort(-doubts, kind="stable")[:most]
        return [
            Strain(int(self.answered[i]), labels[i], float(doubts[i]))
            for i in worst
            if doubts[i] > 0
        ]

    # -- inside --------------------------------------------------------------------------------

    def _situation(self) -> Situation[Any]:
        """Return the learner as its parts see it now."""
        return Situation(
            pool=self.pool,
            space=self.parts.space,
            history=tuple(self._history[: audited_from(self._history)]),
            heard=tuple(self._history),
            listed=self._listed,
            budget=self.budget,
            next_question=self._next_question,
            vote=self._vote,
            labelling=self._labelling,
        )

    def _next_question(self) -> Question | None:
        """Return the next question, or None when no label is wanted; worked out once."""
        if self._asked is None:
            at = self._situation()
            audit = self.parts.promise.audit(at)
            question: Question | None = None
            if audit is not None and audit.left:
                question = Question(audit.ask())
            elif audit is None and at.eligible.any():
                question = self.parts.strategy.ask(at)
                self._check_askable(at, [] if question is None else [question.example])
            self._asked = (question,)
        return self._asked[0]

    def _check_askable(self, at: Situation[Any], examples: Iterable[int]) -> None:
        """Refuse what a strategy must not ask; else the same question would come for ever."""
        for example in examples:
            if not (0 <= example < len(self.pool) and at.eligible[example]):
                raise RuntimeError(
                    f"{type(self.parts.strategy).__name__} asks about example {example}, which is "
                    "answered, skipped, all zeros or not in the pool: choose among "
                    "np.flatnonzero(at.eligible)."
                )

    def _vote(self, pool: Pool, *, counted: bool = False) -> Shares:
        """Return the share of + votes for each example of a pool; inferred labels are certain.

        With more than two classes, the shares of all, (n, K). Of a large pool they may be shares of
        as few votes as tell the labels, unless all are to be ``counted``.
        """
        at = self._situation()
        if only := self.parts.promise.only_class(at):
            if self._classes > 2:
                return np.asarray(np.eye(self._classes)[np.full(len(pool), column(only))])
            return np.full(len(pool), (only + 1) / 2)
        prediction = self.parts.prediction
        shares = prediction.shares(at, pool) if counted else prediction.leaning(at, pool)
        if pool is self.pool:
            for example, sign in self.parts.strategy.inferred().items():
                shares[example] = (sign + 1) / 2
        return shares

    def _second_shares(self, pool: Pool, told: Iterable[Event], *, counted: bool = False) -> Shares:
        """Return the share of votes for the second label, in place of which is what was told."""
        positive = self._vote(pool, counted=counted)
        if positive.dtype.kind != "f":
            # Of somebody's own prediction, say.
            positive = positive.astype(np.float64)
        shares = self._labels.second_shares(positive, pool.zero_mask)
        second = self._labels.sign(self._labels.order[1])
        for event in told:
            if event.sign:
                shares[event.index] = float(event.sign == second)
        return shares

    def _class_shares(self, pool: Pool, told: Iterable[Event]) -> Shares:
        """Return the share of votes for each class, in place of which is what was told."""
        shares = self._vote(pool)
        for event in told:
            if event.sign:
                shares[event.index] = 0.0
                shares[event.index, column(event.sign)] = 1.0
        return shares

    def _signs(self, pool: Pool, told: Iterable[Event]) -> Signs:
        """Return the sign that stands for the label of each example."""
        only = self.parts.promise.only_class(self._situation())
        if only and len(self._labels.known) == 1:
            return np.full(len(pool), only, dtype=np.int8)
        if self._classes > 2:
            columns = self._class_shares(pool, told).argmax(axis=1)
            return np.where(columns == 0, -1, columns)
        plus = self._labels.sign(self._labels.order[1])
        is_second = self._second_shares(pool, told) >= 0.5
        # In a byte each, since this is made for every example of large pools.
        return np.where(is_second, np.int8(plus), np.int8(-plus))

    def _labelling(self) -> Signs:
        """Return the signs of the labels as they are without the checks that go on."""
        return self._signs(self.pool, self._history[: audited_from(self._history)])

    def _greedy_factor(self) -> float | None:
        """Return the factor that every question so far was within of the best, if verified."""
        known = self.verified_factors
        return max(known.values()) if known and len(known) == self.n_answers else None

    def _tell_one(self, index: int, label: Any) -> None:
        labels = self._labels.copy()
        sign = labels.sign(label)
        known = self._sign_of(index)
        if known == sign:
            return
        if known:
            told = self._labels.of_signs(np.array([known]))[0]
            raise Conflict(
                (index,),
                f"It was told as {plain(told)!r}, and now as {plain(label)!r}: if that is right, "
                f"use change({index}, {plain(label)!r}).",
            )
        if self.pool.zero_mask[index] and self.audit is None:
            raise ValueError(
                f"example {index} is all zeros: no homogeneous halfspace can decide it. "
                "Use bias=True, or leave it out."
            )
        if labels.count == self._classes:
            self._take(index, sign)
            self._labels = labels
        else:
            self._meet_class(index, sign, labels)

    def _meet_class(self, index: int, sign: int, labels: Labels) -> None:
        """Take an answer of a class that the parts are not made for.

        If it checked a label, the audit ends with it: the labels that it checked are not those of
        the parts that there are then.
        """
        audit = self.audit
        checks = audit is not None and audit.asked > 0
        drawn = audit is not None and audit.left > 0 and audit.ask() == index
        said = audit.given(index) if audit is not None and drawn else 0
        event = Event(index, sign, check=2 if checks or drawn else 0, said=said)
        events = [*self._history, event]
        self._make_for(labels.count, events)
        self._history = events
        self._labels = labels

    def _become(self, events: Sequence[Event], labels: Labels) -> None:
        """Make another history this learner's, with the labels that are left then."""
        left, twin = labels.used({event.sign for event in events}), self.fork()
        if left.count == self._classes:
            twin._replay(events)
        else:
            twin._make_for(left.count, events)
            twin._history = list(events)
        twin._labels = left
        self._turn_into(twin)

    def _turn_into(self, twin: Self) -> None:
        """Be what a fork has become: one step, so Ctrl-C and errors find all done or nothing."""
        self.__dict__ = twin.__dict__

    def _replay(self, events: Sequence[Event]) -> None:
        """Go back to what two histories have in common, and take in the rest."""
        same = common(self._history, events)
        self.parts.space.back_to(events[:same])
        self._history = self._history[:same]
        self._went_back()
        for event in events[same:]:
            if event.check:
                self._put_check(event)
            else:
                self._learn(event.index, event.sign)

    def _went_back(self) -> None:
        """Let the parts know that the history is shorter, or another."""
        self.parts.promise.went_back()
        self.parts.strategy.went_back(self._situation())
        self._forget()

    def _make_for(self, classes: int, events: Sequence[Event]) -> None:
        """Make parts for another number of classes, and let them take in what was told."""
        if classes == self._classes:
            return
        assert self._parts_for is not None
        parts = self._parts_for(classes)
        start = audited_from(events)
        parts.space.take_in(learnt(events[:start], self.pool.zero_mask))
        self.parts, self._classes = parts, classes
        self._forget()

    def _take(self, index: int, sign: int) -> None:
        """Let an answer or a skip follow the history; after a Conflict all is as it was."""
        audit = self.audit
        drawn = audit is not None and audit.left > 0 and audit.ask() == index
        if audit is None or not (drawn or audit.asked):
            # What nobody asked about, as when many answers are told at once, is learnt from; once
            # checks have begun it waits, or the labels that are checked would change.
            self._learn(index, sign)
            return
        check = Event(index, sign, check=1, said=audit.given(index) if drawn else 0)
        before = self._history
        self._history = [*before, check]
        ends = self.parts.promise.gives_up(self._situation())
        self._history = before
        self._put_check(replace(check, check=2) if ends else check)

    def _put_check(self, check: Event) -> None:
        """Let a check follow the history; the one that ends an audit lets it be learnt from."""
        history = [*self._history, check]
        if check.check == 2:
            audited = history[audited_from(self._history) :]
            for group in learnt(audited, self.pool.zero_mask):
                self.parts.space.learn_from_checks(group.answers)
        self._history = history
        self._forget()

    def _learn(self, index: int, sign: int) -> None:
        """Let an answer or a skip that is learnt from at once follow the history."""
        strategy = self.parts.strategy
        if strategy.reads_a_stream:
            question = self._next_question()
        else:
            question = None if self._asked is None else self._asked[0]
        mark = strategy.mark(self._situation(), question, index, sign)
        if sign:
            self.parts.space.add(index, sign)
        self._history.append(Event(index, sign, mark))
        self._forget()

    def _forget(self) -> None:
        """Drop what was worked out about the next question: the history has changed."""
        self._asked = None

    def _sign_of(self, index: int) -> int:
        """Return the sign told for an example, 0 if none was."""
        return next((e.sign for e in self._history if e.index == index and e.sign), 0)

    def _checked_index(self, i: Any) -> int:
        if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
            raise TypeError(f"an example is named by its position in the pool, got {i!r}.")
        if not 0 <= i < len(self.pool):
            raise IndexError(f"there is no example {i}: the pool has {len(self.pool)}, from 0.")
        return int(i)


def _checked_events(events: Sequence[Event]) -> list[Event]:
    """Return events as a list, or say which is none."""
    listed = list(events)
    for event in listed:
        if not isinstance(event, Event):
            raise TypeError(f"a history is made of Events, as in learner.history, got {event!r}.")
    return listed


def _as_list(label: Any, n: int) -> list[Any]:
    """Return n labels as a list, or say that the lengths differ."""
    labels = list(label) if isinstance(label, Iterable) and not isinstance(label, str) else [label]
    if len(labels) != n:
        raise ValueError(f"{n} examples were told with {len(labels)} labels.")
    return labels
