"""The desk at which labels are checked: one audit, and the person who answers it.

Changes happen one at a time and are on the disk when a method returns.
"""

from __future__ import annotations

import json
import threading
from datetime import date
from hashlib import blake2b
from math import isnan

from aluma.app import check_export
from aluma.app.check_file import CheckFile
from aluma.app.check_log import CheckLog
from aluma.app.check_shapes import Checked, CheckState, Evidence
from aluma.app.examples import Examples
from aluma.app.publisher import Publisher
from aluma.app.shapes import Receipt
from aluma.errors import Refused
from aluma.promises import audit_words
from aluma.promises.audit import Audit

#: Latest checks, and labels, that come with every state.
LATEST_CHECKS, MOST_LABELS = 12, 500


class CheckDesk(Publisher[CheckState]):
    """One audit of a file and what a person can do with it: answer and undo.

    There is no way to leave a check out: those that are hard to tell are wrong more often than
    others, and without them the draw would no longer stand for all labels.

    Parameters
    ----------
    log : the answers so far, with their audit
    file : what is being checked
    examples : how its rows are shown
    blind : whether the file's label is hidden until the answer is given
    """

    def __init__(
        self, log: CheckLog, file: CheckFile, examples: Examples, *, blind: bool = False
    ) -> None:
        super().__init__()
        self.examples, self.file, self._blind = examples, file, blind
        self._log, self._turn = log, threading.Lock()
        told = json.dumps([log.about, str(log.path.absolute())])
        self._name = blake2b(told.encode(), digest_size=8).hexdigest()
        self._show()

    @property
    def audit(self) -> Audit:
        """The audit as it is now."""
        return self._log.audit

    def answer(
        self, request: str, example: int, label: str | None = None, *, new: bool = False
    ) -> Receipt:
        """Take what a person says about a label; None if the file's is right."""
        with self._turn:
            repeated = self._log.knows(request)
            if not repeated:
                self._check_drawn(example)
                self._log.tell(example, self._meant(example, label, new=new), request)
                self._show()
            return Receipt(version=self._log.version, repeated=repeated, example=example)

    def undo(self, request: str) -> Receipt:
        """Take back the last check; it will be asked about again."""
        with self._turn:
            repeated, example = self._log.knows(request), None
            if not repeated:
                if not self.audit.asked:
                    raise Refused("there is no check to take back.")
                example = self._log.undo(request)
                self._show()
            return Receipt(version=self._log.version, repeated=repeated, example=example)

    def table(self) -> bytes:
        """Return the labels, put right, as a CSV file."""
        with self._turn:
            return check_export.table(self.file, self.audit)

    def statement(self) -> str:
        """Return what can be said about them today."""
        with self._turn:
            return check_export.statement(self.file, self.audit)

    def close(self) -> None:
        """Finish what is being written, and let others have the file of answers."""
        with self._turn:
            self._log.close()

    # -- inside --------------------------------------------------------------------------------

    @property
    def _drawn_now(self) -> int | None:
        """The example to check, if there is one."""
        left = self.audit.asked < len(self.audit) - len(self.file.known)
        return self.audit.ask() if left else None

    def _check_drawn(self, example: int) -> None:
        wanted = self._drawn_now
        if wanted is None:
            raise Refused("nothing is left to check.")
        if example != wanted:
            raise Refused(
                f"{self._called(example)} is not the one that was drawn, "
                f"{self._called(wanted)} is: perhaps it was checked in another tab."
            )

    def _meant(self, example: int, label: str | None, *, new: bool) -> str:
        """Return the label that an answer means, or refuse what may be a slip."""
        if label is None:
            if self._blind:
                raise Refused("the file's label is hidden, so say which label is right.")
            return self.file.labels[example]
        if label in self.file.vocabulary(self.audit):
            return label
        if self.file.closed:
            raise Refused(
                f"{label!r} is none of the labels: choose one of them, or start again with it in "
                "--answers."
            )
        if not new:
            raise Refused(
                f"{label!r} is no label so far: correct it, or say that it is new (`new`)."
            )
        return label

    def _show(self) -> None:
        """Publish what is to be seen after a change. The turn is held, or nobody else is there."""
        drawn, labels = self._drawn_now, self.file.vocabulary(self.audit)
        self._content = CheckState(
            tick="",
            version=self._log.version,
            session=self._name,
            name=self.file.path.name,
            column=self.file.column,
            labels=labels[:MOST_LABELS],
            more_labels=max(0, len(labels) - MOST_LABELS),
            closed=self.file.closed,
            blind=self._blind,
            question=None if drawn is None else self.examples.card(drawn),
            given=None if drawn is None or self._blind else self.file.labels[drawn],
            last=self._last(),
            evidence=evidence(self.audit, len(self.file.known), self.file.path.name),
        )
        self._publish()

    def _drawn(self) -> CheckState:
        # Publishing may happen at any moment, and the audit may be changing just then.
        return self._content.model_copy(update={"tick": self._tick})

    def _last(self) -> list[Checked]:
        pairs = zip(self.audit.checked.tolist(), self.audit.answers, strict=True)
        return [self._checked(i, str(said)) for i, said in list(pairs)[: -LATEST_CHECKS - 1 : -1]]

    def _checked(self, example: int, said: str) -> Checked:
        given, card = self.file.labels[example], self.examples.excerpt(example)
        return Checked(card=card, given=given, answer=said, wrong=said != given)

    def _called(self, example: int) -> str:
        there = 0 <= example < len(self.examples)
        return self.examples.title(example) if there else f"example {example}"


def evidence(audit: Audit, known: int, name: str) -> Evidence:
    """Return what the checks show."""
    return Evidence(
        size=len(audit),
        known=known,
        checked=audit.asked,
        wrong=len(audit.wrong),
        bound=audit.bound,
        lower_bound=audit.lower_bound,
        estimate=None if isnan(audit.estimate) else audit.estimate,
        tolerance=audit.tolerance,
        delta=audit.delta,
        remaining=audit.remaining,
        passed=audit.passed,
        failed=audit.failed,
        headline=audit_words.headline(audit),
        outlook=audit_words.outlook(audit),
        guess=audit_words.guess(audit),
        verdict=audit_words.verdict(audit),
        advice=audit_words.ways_out(audit) if audit.failed else "",
        statement=audit_words.statement(audit, name, date.today()),
    )
