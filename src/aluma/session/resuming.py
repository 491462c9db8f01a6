"""Bring a learner to where its answers lead: those in a file, or its own with one changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aluma.errors import Conflict, SessionError, Undecided, WrongPool
from aluma.learners.labels import Labels
from aluma.learners.learner import Learner
from aluma.session import answer_log, recipe, snapshot
from aluma.session.answer_file import AnswerFile
from aluma.spaces.history import Event, common


def resumed(file: AnswerFile, pool: Any) -> Learner:
    """Return the learner of a session as it was when the last answer was written."""
    about, given = file.about, recipe.pool(file.about["settings"], pool)
    fingerprint = given.fingerprint()
    if fingerprint != about["pool"]:
        raise WrongPool(
            f"the answers in {file.path} are about another pool: {about['shape']}, fingerprint "
            f"{about['pool']}, while this one is {recipe.shape(given)}, fingerprint {fingerprint}. "
            "Pass the examples that the session was created with, in the same order and prepared "
            "in the same way (the same numbers held sparse and dense count as different)."
        )
    learner = recipe.made(about["strategy"], about["settings"], given)
    if file.entries:
        learner.labels = learner.labels.knowing(dict(file.entries[-1].known))
    try:
        replayed = snapshot.resume(learner, answer_log.history(file.entries), file)
    except (Conflict, Undecided) as error:
        raise SessionError(
            f"the answers in {file.path} were accepted by aluma {about['aluma']}, but not by aluma "
            f"{recipe.aluma_version()}: {error} Use that version to go on."
        ) from error
    learner.verified_factors = answer_log.factors(file.entries)
    if replayed >= snapshot.SPACING:
        snapshot.keep(learner, file, learner.n_answers // snapshot.SPACING)
    return learner


def rewritten(
    learner: Learner,
    file: AnswerFile,
    wanted: Sequence[Event],
    labels: Labels,
    step: Callable[[Learner], None],
) -> Learner:
    """Return a learner with another history: by a step of its own, or from a snapshot.

    The learner takes the step where that is cheap for it, and where it will refuse it.
    """
    history = learner.history
    same = common(history, wanted)
    if same == len(history) or learner.can_step_back(history[:same]):
        twin = learner.fork()
        step(twin)
    else:
        twin = recipe.made(file.about["strategy"], file.about["settings"], learner.examples)
        twin.labels = labels.used({event.sign for event in wanted})
        # What follows a change was chosen in another version space.
        anew = {event.index for event in wanted[same:]}
        factors = {i: f for i, f in learner.verified_factors.items() if i not in anew}
        snapshot.resume(twin, wanted, file)
        twin.verified_factors = factors
        twin.keep_asking = learner.keep_asking
    return twin
