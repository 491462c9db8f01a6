"""Examples of which the page must not say what the model makes of them."""

from __future__ import annotations

from aluma.learners.learner import Learner

#: Checks that may come beyond those it takes to the goal if all are right, and beside them.
TIMES, BESIDE = 2, 20


def withheld(learner: Learner) -> frozenset[int]:
    """Return the examples that are about to be drawn to check labels; none while none are checked.

    A check is worth something only if whoever answers has not read the label. It would be as valid
    if they had, for the draw came before, but they might say what they read. Leaving these out
    tells nobody anything: which labels are checked was drawn after they were made.
    """
    audit = learner.audit
    if audit is None or not audit.left:
        return frozenset()
    coming = min(audit.left, TIMES * audit.remaining + BESIDE)
    return frozenset(audit.coming(coming).tolist())
