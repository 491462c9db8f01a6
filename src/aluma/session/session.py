"""Sessions: a learner whose answers survive a crash.

An answer is tried on a fork of the learner, written to the file, and only then does the fork become
the learner. So an answer that the learner refuses leaves no trace, one that cannot be written is
not used, and one that is used is on the disk.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from aluma.arrays import Floats, Ints, plain
from aluma.errors import OutOfReach, SessionError
from aluma.learners.learner import Learner, Phase, Strain
from aluma.pool import Pool
from aluma.promises.audit import Audit
from aluma.promises.certificate import Certificate
from aluma.session import answer_log, recipe, resuming, snapshot
from aluma.session.answer_file import AnswerFile
from aluma.session.answer_log import Entry
from aluma.session.refusals import check_new
from aluma.session.voices import Voice, voices
from aluma.spaces.history import Event


class Session:
    """A learner in a file; make one with :meth:`create` or :meth:`open`, and close it.

    It has the face of a learner. What changes it is logged in the file before it counts. Reading
    goes on working after :meth:`close`; telling does not. Methods may be called from any thread.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.aluma"
    >>> with Session.create(path, X, classes=("no", "yes")) as session:
    ...     session.tell(session.ask(), "yes")
    >>> with Session.open(path, X) as session:
    ...     session.answers.tolist()
    ['yes']
    """

    def __init__(self, file: AnswerFile, learner: Learner) -> None:
        self._file, self._learner = file, learner
        self._lock = threading.RLock()

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        pool: Any,
        *,
        strategy: str = "aluma",
        beside: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> Session:
        """Begin a session in a new file.

        Parameters
        ----------
        path : where the file is to be; it must not exist yet
        pool : the examples, as for a learner
        strategy : name of the learner, see :mod:`aluma.learners.registry`
        beside : what to keep beside the answers, see :attr:`beside`
        **settings
            The learner's own keyword arguments. They are written into the file, defaults
            included; ``random_state`` as the integer that it comes to.
        """
        check_new(Path(path))
        written = recipe.written(strategy, pool, settings)
        given = recipe.pool(written, pool)
        learner = recipe.made(strategy, written, given)
        about = {
            "strategy": strategy,
            "settings": written,
            "pool": given.fingerprint(),
            "shape": recipe.shape(given),
            "created": _now(),
            "aluma": recipe.aluma_version(),
        }
        return cls(AnswerFile.create(Path(path), about, beside), learner)

    @classmethod
    def open(cls, path: str | PathLike[str], pool: Any) -> Session:
        """Continue a session with the pool that it was made with, where it was left."""
        file = AnswerFile.open(Path(path))
        try:
            return cls(file, resuming.resumed(file, pool))
        except BaseException:
            file.close()
            raise

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._file.closed else "open"
        return f"Session({str(self.path)!r}, {self.n_answers} answers, {state})"

    def close(self) -> None:
        """Write a snapshot, close the file and let others open it. Closing twice is fine."""
        with self._lock:
            if self._file.closed:
                return
            try:
                if not self._file.is_inherited:
                    snapshot.keep(self._learner, self._file, snapshot.CLOSING)
            finally:
                self._file.close()

    # -- what changes the learner --------------------------------------------------------------
    # With ``request``, a name that the caller made up, each of them happens once: asking again by
    # the same name changes nothing, also after a crash.

    def tell(self, i: Any, label: Any, *, request: str | None = None) -> None:
        """Take an answer, or arrays of answers (all of them or none), as a learner does.

        Labels are text, integers, finite floats or booleans: what JSON can hold.
        """
        with self._writing(request) as wanted:
            if wanted:
                twin = self._learner.fork()
                twin.tell(i, label)
                added = twin.history[len(self._learner.history) :]
                self._record("tell", twin, added, request)

    def adopt(self, ahead: Learner, *, request: str | None = None) -> None:
        """Keep what was told to a fork of this session, without working it out again.

        The fork must be of the session as it is now: a :class:`ValueError` says if it is not.
        """
        with self._writing(request) as wanted:
            if not wanted:
                return
            if not isinstance(ahead, Learner):
                raise TypeError(f"a session adopts what fork() returned, got {ahead!r}.")
            history = self._learner.history
            added = ahead.history[len(history) :]
            if ahead.history[: len(history)] != history or not all(e.sign for e in added):
                raise ValueError(
                    "this fork looked ahead from another point: take it with fork() after the last "
                    "change of the session, and only tell() it."
                )
            self._record("tell", ahead.fork(), added, request)

    def skip(self, i: Any, *, label: Any = None, request: str | None = None) -> None:
        """Do not ask about this example, or these (they can still be told).

        With a label, of one example, it is an exception: an answer that is kept, see
        :attr:`exceptions`, but that the learner does not learn from.
        """
        if label is not None and np.ndim(i) > 0:
            raise ValueError("a label goes with one example: skip them one after the other.")
        with self._writing(request) as wanted:
            if wanted:
                twin = self._learner.fork()
                if label is not None:
                    labels = twin.labels
                    classes = labels.count
                    labels.sign(label)
                    if labels.count == classes:
                        # What is not learnt from makes no further class either.
                        twin.labels = labels
                twin.skip(i)
                before = self._learner.history
                if label is not None and twin.history == before and i not in twin.answered:
                    # Skipped before, but only now with an answer that is to be kept.
                    twin.replay([*before, Event(int(i), 0)])
                added = twin.history[len(before) :]
                self._record("skip", twin, added, request, label)

    def undo(self, *, request: str | None = None) -> None:
        """Take back the last answer or skip; the log keeps both it and the undoing."""
        with self._writing(request) as wanted:
            if wanted:
                learner, last = self._learner, self._learner.history[-1:]
                left = learner.history[:-1]
                twin = resuming.rewritten(learner, self._file, left, learner.labels, Learner.undo)
                self._record("undo", twin, last, request)

    def change(self, i: int, label: Any, *, request: str | None = None) -> None:
        """Give another answer for an example told before; the log keeps both."""
        with self._writing(request) as wanted:
            if not wanted:
                return
            learner, (events, labels) = self._learner, self._learner.changed(i, label)
            twin = resuming.rewritten(
                learner, self._file, events, labels, lambda one: one.change(i, label)
            )
            both = zip(learner.history, events, strict=True)
            new = [event for old, event in both if event.sign != old.sign]
            self._record("change", twin, new, request)

    def withdraw(self, i: int, *, request: str | None = None) -> None:
        """Take back the answer or skip for an example, wherever it stands; the log keeps both."""
        with self._writing(request) as wanted:
            if wanted:
                learner, left = self._learner, self._learner.withdrawn(i)
                gone = [event for event in learner.history if event.index == i][-1:]
                twin = resuming.rewritten(
                    learner, self._file, left, learner.labels, lambda one: one.withdraw(i)
                )
                self._record("withdraw", twin, gone, request)

    # -- what people say, apart from what the learner is told ----------------------------------

    def say(self, who: str, i: int, label: Any, *, request: str | None = None) -> None:
        """Keep what a person says about an example, in place of what they said before.

        None is a skip. The learner hears nothing of it: see :mod:`aluma.session.voices`.
        """
        self._voice("say", who, i, label, request)

    def unsay(self, who: str, i: int, *, request: str | None = None) -> None:
        """Take back what a person said about an example."""
        self._voice("unsay", who, i, None, request)

    def resolve(self, who: str, i: int, label: Any, *, request: str | None = None) -> None:
        """Keep which answer is the right one, whatever people say; None leaves it open again."""
        self._voice("resolve", who, i, label, request)

    @property
    def voices(self) -> list[Voice]:
        """What people say now, in the order in which they said it."""
        return voices(self._file.entries)

    # -- what only looks -----------------------------------------------------------------------

    def ask(self, n: int | None = None) -> Any:
        """Return the example to ask about next, or n of them."""
        with self._lock:
            return self._learner.ask(n)

    def predict(self, X: Any = None) -> npt.NDArray[Any]:
        """Return the label of the majority for the pool, or for new examples."""
        return self._learner.predict(X)

    def predict_proba(self, X: Any = None) -> Floats:
        """Return (n, K) vote shares, in the order of ``classes_``, for the pool or for others."""
        return self._learner.predict_proba(X)

    def certificate(self) -> Certificate:
        """Return what can be promised now; learners without a version space refuse, see there."""
        with self._lock:
            return self._learner.certificate()

    def strained(self, n: int = 10) -> list[Strain]:
        """Return the answers that most halfspaces dispute, if the learner allows for slack."""
        with self._lock:
            return self._learner.strained(n)

    def fork(self) -> Learner:
        """Return an independent learner to look ahead with; nothing told to it is kept."""
        return self._learner.fork()

    @property
    def finished(self) -> bool:
        """Whether no label is worth asking for any more."""
        with self._lock:
            return self._learner.finished

    @property
    def phase(self) -> Phase:
        """What a question is for: "learning", "checking" labels at random, or "finished"."""
        with self._lock:
            return self._learner.phase

    @property
    def audit(self) -> Audit | None:
        """The checks of the labels as they go on or were passed; None while there are none."""
        with self._lock:
            return self._learner.audit

    @property
    def out_of_reach(self) -> OutOfReach | None:
        """Why the goal cannot be reached with these features, with an estimate; or None."""
        with self._lock:
            return self._learner.out_of_reach

    @property
    def keep_asking(self) -> bool:
        """Whether :meth:`ask` goes on when the goal is out of reach; it is not written down."""
        return self._learner.keep_asking

    @keep_asking.setter
    def keep_asking(self, wanted: bool) -> None:
        with self._lock:
            self._learner.keep_asking = wanted

    @property
    def answered(self) -> Ints:
        """Indices of the examples told, in order."""
        return self._learner.answered

    @property
    def answers(self) -> npt.NDArray[Any]:
        """The labels told, in order."""
        return self._learner.answers

    @property
    def exceptions(self) -> dict[int, Any]:
        """Answers that are kept but not learnt from, by example."""
        told = set(self.answered.tolist())
        given = answer_log.set_aside(self._file.entries)
        return {example: label for example, label in given.items() if example not in told}

    @property
    def kept(self) -> tuple[Entry, ...]:
        """The entries of the log that count: not taken back, and as they were last changed."""
        return tuple(answer_log.kept(self._file.entries))

    def remember(self, requests: Iterable[str]) -> None:
        """Take requests for carried out, as when a session goes on in another file."""
        with self._writing(None):
            self._file.remember(requests)

    def keep_beside(self, values: Mapping[str, str], *, request: str | None = None) -> None:
        """Keep texts by name beside the answers, as :attr:`beside` has them then.

        They are on the disk when this returns, all or none; an empty text is one that is not kept.
        """
        if not isinstance(values, Mapping):
            raise TypeError(f"texts are kept by name, as in {{'note': 'text'}}, got {values!r}.")
        with self._writing(request) as wanted:
            if wanted:
                self._file.keep_beside(values, request)

    @property
    def beside(self) -> dict[str, str]:
        """What is kept beside the answers: text by name. It is nothing to the learner."""
        return dict(self._file.beside)

    @property
    def requests(self) -> frozenset[str]:
        """Names of the requests that have been carried out."""
        return frozenset(self._file.requests)

    def knows(self, request: str) -> bool:
        """Say whether a request of this name has been carried out."""
        return request in self._file.requests

    @property
    def n_answers(self) -> int:
        """How many examples have been told."""
        return self._learner.n_answers

    @property
    def classes_(self) -> tuple[Any, ...]:
        """All labels, as the learner has them: of two, (negative, positive)."""
        return self._learner.classes_

    @property
    def pool(self) -> Pool:
        """The examples."""
        return self._learner.examples

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def about(self) -> dict[str, str]:
        """What was written when the session was created: strategy, settings, pool, date."""
        return dict(self._file.about)

    @property
    def log(self) -> tuple[Entry, ...]:
        """Everything that was ever told, skipped, taken back or changed, with its time."""
        return tuple(self._file.entries)

    # -- inside --------------------------------------------------------------------------------

    @contextmanager
    def _writing(self, request: str | None) -> Iterator[bool]:
        """Lock the session, and say whether the request is a new one."""
        with self._lock:
            if self._file.closed:
                raise SessionError(f"the session in {self.path} is closed: open it again to go on.")
            if self._file.is_inherited:
                raise SessionError(
                    f"the session in {self.path} was opened by another process, of which this one "
                    "is a fork: answer there, or close it there and open it here."
                )
            yield request is None or request not in self._file.requests

    def _voice(self, kind: str, who: str, i: int, label: Any, request: str | None) -> None:
        """Write down what a person says."""
        if not isinstance(who, str) or not who:
            raise ValueError(f"a voice needs the name of a person, got {who!r}.")
        if isinstance(i, bool | np.bool_) or not isinstance(i, int | np.integer):
            raise TypeError(f"an example is named by its position in the pool, got {i!r}.")
        if not 0 <= i < len(self.pool):
            raise IndexError(f"there is no example {i}: the pool has {len(self.pool)}, from 0.")
        with self._writing(request) as wanted:
            if wanted:
                signs = self._learner.labels.signs
                known = tuple((recipe.storable(one), sign) for one, sign in signs.items())
                said = None if label is None else recipe.storable(plain(label))
                entry = Entry(kind, int(i), said, known, None, _now(), who=who)
                self._file.append([entry], request)

    def _record(
        self,
        kind: str,
        twin: Learner,
        events: Sequence[Event],
        request: str | None = None,
        aside: Any = None,
    ) -> None:
        """Write what happened to the file, then let the learner that has seen it take over."""
        if not events and request is None:
            return
        entries = answer_log.entries(
            kind, events, twin.labels.signs, twin.verified_factors, _now(), aside
        )
        logged, answers = len(self._file.entries), self.n_answers
        try:
            self._file.append(entries, request)
            self._learner = twin
        except BaseException:
            # Ctrl-C may come between the two: whether the answer counts is what the file says.
            if self._file.length() > logged:
                self._learner = twin
            raise
        if (slot := self.n_answers // snapshot.SPACING) > answers // snapshot.SPACING:
            snapshot.keep(self._learner, self._file, slot)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
