"""The audited promise: at most ``tolerance`` is wrong, whatever the data, by checks at random.

A learner learns until it expects to pass, then its labels are checked (:class:`Audit`), and it has
finished when they pass. A check that is given up is learnt from, all of it, and the labels that
come of it are checked anew: by other examples, and with their own share of delta. Checks are not
learnt from before, so the labels that are checked do not depend on what is drawn.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np

from aluma.arrays import Ints
from aluma.errors import OutOfReach
from aluma.pool import Pool
from aluma.pool.store import rows_per_block
from aluma.promises import checking
from aluma.promises.audit import Audit
from aluma.promises.certificate import Certificate
from aluma.promises.credible import Credible
from aluma.promises.promise import Promise
from aluma.scoring.votes import minority_shares
from aluma.spaces.situation import Situation
from aluma.spaces.space import Hypotheses

#: Examples by which the expected error is judged before checks begin.
SAMPLE = 2000


class Audited(Promise[Hypotheses]):
    """Checks at random, and besides them what the halfspaces say.

    Parameters
    ----------
    halfspaces : the promise for targets drawn from the prior
    tolerance : share of the labels that may be wrong
    delta : probability, over the draws, that the promise may fail with
    seed : of the draws
    """

    audits: ClassVar[bool] = True

    def __init__(self, halfspaces: Credible, tolerance: float, delta: float, seed: int) -> None:
        self.halfspaces = halfspaces
        self.tolerance, self.delta, self.seed = tolerance, delta, seed
        #: The audit that was looked at last, by the name of its draws.
        self._audit: tuple[int, Audit] | None = None
        self._expected: tuple[tuple[int, ...], float] | None = None
        self._sample: tuple[Ints, Pool] | None = None

    # -- checking ------------------------------------------------------------------------------

    def audit(self, at: Situation[Hypotheses]) -> Audit | None:
        """Return the audit that goes on or was passed, or None while the learner learns."""
        if len(at.heard) == len(at.history) and not self._begins(at):
            return None
        number = 1 + len(checking.rounds(at.heard))
        name = _name(at, number)
        if self._audit is None or self._audit[0] != name:
            self._audit = (
                name,
                Audit(
                    at.labelling(),
                    tolerance=self.tolerance,
                    delta=checking.share_of_delta(self.delta, number),
                    known=[event.index for event in at.history if event.sign],
                    random_state=self.seed,
                    named=name,
                ),
            )
        _catch_up(self._audit[1], {event.index: event.sign for event in at.heard})
        return self._audit[1]

    def gives_up(self, at: Situation[Hypotheses]) -> bool:
        """Say whether the audit that goes on has failed, or is better begun anew."""
        audit = self.audit(at)
        if audit is None or self.bound(at) <= self.tolerance:
            return False
        if self.only_class(at) and len(audit.wrong) > 0:
            return True
        *past, now = checking.rounds([*at.heard[:-1], replace(at.heard[-1], check=2)])
        shares = [checking.share_of_delta(self.delta, len(past) + more) for more in (1, 2)]
        if audit.failed:
            checks = audit.asked if audit.left else checking.TELLING
            return not checking.tells_too_little(
                past, checks, len(at.pool), self.tolerance, self.delta
            )
        clearly = len(audit.wrong) >= checking.CLEARLY * self.tolerance * audit.asked
        if clearly and now.least_share(len(at.pool), shares[0]) <= self.tolerance:
            return False
        price = checking.checks_needed(0.0, self.tolerance, shares[1])
        return len(audit.wrong) > 0 and audit.remaining > checking.FUTILE * price

    def bound(self, at: Situation[Hypotheses]) -> float:
        """Return the share of the labels that is wrong at most.

        Before an audit that is all that nobody has answered. A skipped example counts as wrong:
        nobody could say that it is right.
        """
        audit = self.audit(at)
        unasked = len(at.pool) - len(at.told)
        if audit is None:
            return unasked / len(at.pool)
        skipped = sum(1 for i in audit.checked.tolist() if i not in at.told)
        return min(audit.bound + skipped / len(at.pool), unasked / len(at.pool))

    def only_class(self, at: Situation[Hypotheses]) -> int:
        """Return the sign of all answers so far if they are many and all the same, else 0."""
        signs = at.signs
        same = len(signs) >= checking.ALL_THE_SAME and len(set(signs.tolist())) == 1
        return int(signs[0]) if same else 0

    def out_of_reach(self, at: Situation[Hypotheses]) -> OutOfReach | None:
        """Return why tolerance cannot be reached with these features, or None while it may."""
        past, pool = checking.rounds(at.heard), len(at.pool)
        unanswered = pool - len(at.told)
        found = checking.out_of_reach(past, pool, unanswered, self.tolerance, self.delta)
        if found is None:
            return None
        return OutOfReach(
            found.estimate,
            found.lower_bound,
            self.tolerance,
            found.checks,
            found.wrong,
            found.skipped,
        )

    # -- what is said --------------------------------------------------------------------------

    def certificate(
        self,
        at: Situation[Hypotheses],
        inferred: Mapping[int, int],
        factor: float | None,
        proof_seconds: float | None,
    ) -> Certificate:
        """Return what the checks show, and besides it what the halfspaces say."""
        credible = self.halfspaces.certificate(at, inferred, factor, proof_seconds)
        audit = self.audit(at)
        return replace(
            credible,
            asked=len(at.told),
            error_bound=self.bound(at),
            basis="audit",
            checks=0 if audit is None else audit.asked,
            wrong_found=0 if audit is None else len(audit.wrong),
            skipped=0 if audit is None else sum(sign == 0 for sign in audit.answers),
            estimate=float("nan") if audit is None else audit.estimate,
        )

    def error_bound(self, at: Situation[Hypotheses]) -> float:
        """Return the share of the labels that is wrong at most."""
        return self.bound(at)

    # -- what the halfspaces keep --------------------------------------------------------------

    @property
    def proven(self) -> Mapping[int, int]:
        """Signs that follow from the answers if a halfspace separates the pool."""
        return self.halfspaces.proven

    def take_proofs(self, earlier: Promise[Any]) -> None:
        """Take over what another proved with some of the same answers."""
        self.halfspaces.take_proofs(earlier)

    def went_back(self) -> None:
        """Forget what needs answers that are gone."""
        self.halfspaces.went_back()

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.halfspaces = self.halfspaces.fork()
        if self._audit is not None:
            twin._audit = self._audit[0], self._audit[1].fork()
        return twin

    # -- inside --------------------------------------------------------------------------------

    def _begins(self, at: Situation[Hypotheses]) -> bool:
        """Say whether labels are checked from here on."""
        past, n = checking.rounds(at.heard), at.n_answers
        left = len(at.pool) - len(at.told)
        delta = checking.share_of_delta(self.delta, len(past) + 1)
        if self.tolerance * len(at.pool) < 1 or not left:
            # Every label has to be seen, and a question is the better way to see one.
            return False
        if len(set(at.signs.tolist())) < 2:
            return bool(self.only_class(at))
        if past and n < past[-1].answers + past[-1].checks + checking.FEWEST:
            return False
        if n >= checking.latest_start(past, len(at.pool)):
            return True
        if n < checking.FEWEST or not checking.is_time_to_look(n):
            return False
        error = self._expected_error(at)
        if past:
            error = max(error, past[-1].rate * past[-1].answers / n)
        return checking.worth_checking(n, error, self.tolerance, delta)

    def _expected_error(self, at: Situation[Hypotheses]) -> float:
        """Return the share of majority votes that a hypothesis disputes, on a sample."""
        key = (*at.space.key, at.n_answers)
        if self._expected is None or self._expected[0] != key:
            rows, sample = self._sampled(at.pool)
            disputed = minority_shares(at.space.shares(sample))
            unasked = ~np.isin(rows, list(at.told))
            self._expected = key, float((disputed * unasked).mean())
        return self._expected[1]

    def _sampled(self, pool: Pool) -> tuple[Ints, Pool]:
        if self._sample is None:
            most = min(SAMPLE, rows_per_block(8 * pool.dimension))
            rows = pool.spread_rows(most)
            self._sample = rows, Pool(pool.rows(rows))
        return self._sample


def _catch_up(audit: Audit, heard: Mapping[int, int]) -> None:
    """Tell an audit, in the order of its draws, what has been heard; a skip is no label."""
    told = zip(audit.checked.tolist(), audit.answers, strict=True)
    # Anywhere among them an answer may have been changed or taken back.
    same = next((n for n, (i, said) in enumerate(told) if heard.get(i) != said), audit.asked)
    while audit.asked > same:
        audit.undo()
    while audit.left and (example := audit.ask()) in heard:
        audit.tell(example, heard[example])


def _name(at: Situation[Hypotheses], number: int) -> int:
    """Return a number that names the draws of an audit: by the answers that were learnt from.

    So a restart draws the same examples, and the draws are the same however labels were computed.
    """
    told = repr([(event.index, event.sign, event.check) for event in at.history])
    return int.from_bytes(blake2b(f"{number} {told}".encode(), digest_size=8).digest(), "little")
