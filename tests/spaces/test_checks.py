"""Spaces learn from the checks of an audit when it has ended, and can go back to before it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from scipy.sparse import csr_matrix

from aluma.errors import Conflict, Undecided
from aluma.lab.bench.cones import sphere_pool
from aluma.pool import Pool
from aluma.representation.noise import CANDIDATES, SlackChoice
from aluma.spaces import loosening as loosening_module
from aluma.spaces.history import Event, learnt
from aluma.spaces.lifted import LiftedSpace
from aluma.spaces.loosening import LooseningSpace
from aluma.spaces.plain import PlainSpace
from aluma.spaces.separator import SeparatorSpace
from aluma.spaces.space import Hypotheses
from evidence import seed_of

X, TRUTH = sphere_pool(4, 80, seed=seed_of(5))
POOL = Pool(X)
SIGNS = TRUTH.astype(int).tolist()
SEED = seed_of(0)

SPACES: dict[str, Callable[[], Hypotheses]] = {
    "plain": lambda: PlainSpace(POOL, 128, SEED),
    "lifted": lambda: LiftedSpace(POOL, 128, SEED, slack=0.05),
    "loosening": lambda: LooseningSpace(POOL, 128, SEED),
    "separator": lambda: SeparatorSpace(POOL, 128, SEED),
}


def events(indices: Sequence[int], check: int = 0, wrong: Sequence[int] = ()) -> list[Event]:
    """Answer some examples, a few of them wrongly."""
    return [Event(i, -SIGNS[i] if i in wrong else SIGNS[i], check=check) for i in indices]


#: Six answers, an audit that ended, three more answers, and an audit that is open.
HISTORY = [
    *events(range(6)),
    *events(range(6, 10), check=1),
    *events([10], check=2),
    *events(range(11, 14)),
    *events(range(14, 17), check=1),
]


def after(make: Callable[[], Hypotheses], history: Sequence[Event]) -> Hypotheses:
    """Return a space that learns what a history teaches as it goes along."""
    space = make()
    space.take_in(learnt(history))
    return space


def seen(space: Hypotheses) -> tuple[object, ...]:
    return space.key, space.allowed_slack, space.shares(POOL).tolist()


@pytest.mark.parametrize("make", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("n", [0, 6, 10, 13, 14, 17])
def test_going_back_leads_to_what_the_events_had_taught(
    make: Callable[[], Hypotheses], n: int
) -> None:
    space = after(make, HISTORY)
    space.back_to(HISTORY[:n])
    assert seen(space) == seen(after(make, HISTORY[:n]))


@pytest.mark.parametrize("make", SPACES.values(), ids=SPACES)
def test_checks_of_an_open_audit_teach_nothing(make: Callable[[], Hypotheses]) -> None:
    assert seen(after(make, HISTORY)) == seen(after(make, HISTORY[:14]))


@pytest.mark.parametrize("make", [SPACES["plain"], SPACES["separator"]], ids=["plain", "separator"])
def test_checks_that_contradict_are_not_learnt_at_all(make: Callable[[], Hypotheses]) -> None:
    space = after(make, HISTORY)
    before = seen(space)
    wrong = events(range(20, 80), wrong=range(40, 80))
    with pytest.raises(Conflict):
        space.learn_from_checks([(event.index, event.sign) for event in wrong])
    assert seen(space) == before


def test_going_far_back_absorbs_groups_anew() -> None:
    """More answers than can be undone one by one."""
    history = [*events(range(5)), *events(range(5, 9), check=1), *events([9], check=2)]
    history += events(range(10, 60))
    make = SPACES["plain"]
    space = after(make, history)
    assert not space.can_step_back(history[:11])
    space.back_to(history[:11])
    assert seen(space) == seen(after(make, history[:11]))


# Slack that checks call for.

#: Every third answer of these checks is wrong: nobody would expect that of a halfspace.
NOISY = [
    *events(range(20, 59), check=1, wrong=range(20, 59, 3)),
    *events([59], check=2, wrong=[59]),
]
CLEAN = [*events(range(20, 59), check=1), *events([59], check=2)]
#: Checks with noise, answers after them, and checks without.
LONG = [*HISTORY[:14], *NOISY, *events(range(60, 66)), *events(range(66, 80), check=1)]


def loosening() -> LooseningSpace:
    return LooseningSpace(POOL, 128, SEED)


def test_checks_that_show_noise_are_learnt_from_with_slack() -> None:
    space = after(loosening, [*HISTORY[:14], *NOISY])
    assert space.allowed_slack in CANDIDATES[1:]
    assert space.conflict is None
    assert not space.settles
    lifted = LiftedSpace(POOL, 128, SEED, slack=space.allowed_slack)
    groups = learnt([*HISTORY[:14], *NOISY])
    lifted.add_many([answer for group in groups for answer in group.answers])
    assert seen(space) == seen(lifted)


def test_checks_as_expected_are_answers_like_others() -> None:
    space = after(loosening, [*HISTORY[:14], *CLEAN])
    assert space.allowed_slack == 0
    assert seen(space) == seen(after(SPACES["plain"], [*HISTORY[:14], *CLEAN]))


def test_one_by_one_the_same_answers_call_for_another_slack() -> None:
    told = [Event(event.index, event.sign) for event in NOISY]
    one_by_one = after(loosening, [*HISTORY[:14], *told])
    together = after(loosening, [*HISTORY[:14], *NOISY])
    assert one_by_one.conflict is not None
    assert one_by_one.allowed_slack != together.allowed_slack


@pytest.mark.parametrize("n", [0, 14, 53, 57, 63])
def test_going_back_gives_back_the_slack_there_was(n: int) -> None:
    space = after(loosening, LONG)
    assert space.allowed_slack > 0
    space.back_to(LONG[:n])
    assert (space.allowed_slack > 0) == (n >= 54)
    assert seen(space) == seen(after(loosening, LONG[:n]))
    # And on from there as if nothing had been taken back.
    space.take_in(learnt(LONG)[len(learnt(LONG[:n])) :])
    assert seen(space) == seen(after(loosening, LONG))


@pytest.mark.parametrize("n", [14, 60])
def test_a_fork_goes_its_own_way(n: int) -> None:
    space = after(loosening, LONG[:n])
    before = seen(space)
    twin = space.fork()
    twin.take_in(learnt(LONG)[len(learnt(LONG[:n])) :])
    assert seen(space) == before
    assert seen(twin) == seen(after(loosening, LONG))


@pytest.mark.parametrize("n", [14, 57])
def test_who_is_restored_goes_on_alike(n: int) -> None:
    space, other = after(loosening, LONG[:n]), loosening()
    standing = space.standing
    assert standing is not None
    other.restore(standing, LONG[:n])
    assert seen(other) == seen(space)
    rest = learnt(LONG)[len(learnt(LONG[:n])) :]
    more = learnt(events(range(66, 80), wrong=range(66, 80, 2)))
    for one in (space, other):
        one.take_in([*rest, *more])
    assert seen(other) == seen(space)
    other.back_to(LONG[:12])
    assert seen(other) == seen(after(loosening, LONG[:12]))


def test_what_checks_decided_only_checks_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that need more than twice the slack, by their margin, are taken as noise."""
    space = after(loosening, [*HISTORY[:14], *NOISY])
    slack = space.allowed_slack
    space.take_in(learnt(events(range(60, 80), wrong=range(60, 80))))
    assert space.allowed_slack == slack
    space.back_to([*HISTORY[:14], *NOISY])
    seen_candidates = []

    def fixed(*given: Any) -> SlackChoice:
        seen_candidates.append(given[-1])
        return SlackChoice(0.123, {}, {})

    monkeypatch.setattr("aluma.spaces.loosening.slack_by_checks", fixed)
    space.learn_from_checks([(60, SIGNS[60])])
    assert space.allowed_slack == 0.123
    # Who has slack does not go without; and what there is comes first.
    assert seen_candidates[0][0] == slack
    assert sorted(seen_candidates[0]) == list(CANDIDATES[1:])


def test_a_contradiction_is_allowed_for_where_checks_left_no_slack() -> None:
    space = after(loosening, [*HISTORY[:14], *CLEAN])
    space.take_in(learnt(events(range(60, 80), wrong=range(60, 80))))
    assert space.conflict is not None
    assert space.allowed_slack > 0


def test_checks_come_first() -> None:
    space = after(loosening, NOISY)
    assert space.allowed_slack > 0
    empty = loosening()
    empty.learn_from_checks([])
    assert seen(empty) == seen(loosening())


def test_a_slack_found_by_a_contradiction_stays_if_checks_do_not_mind() -> None:
    told = events(range(60), wrong=range(0, 60, 12))
    space = after(loosening, told)
    slack = space.allowed_slack
    assert slack > 0
    space.learn_from_checks([(i, SIGNS[i]) for i in (60, 61)])
    assert space.allowed_slack == slack


def test_with_many_answers_checks_are_taken_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [*LONG[:14], *NOISY]
    monkeypatch.setattr(loosening_module, "DEAR_ANSWERS", 4)
    space, before = after(loosening, events), len(learnt(events))
    slack = space.allowed_slack
    assert slack > 0
    more = [Event(i, SIGNS[i], check=1 + (i == 65)) for i in range(60, 66)]
    with monkeypatch.context() as patch:
        patch.setattr(PlainSpace, "add", None)
        space.take_in(learnt([*events, *more])[before:])
    assert space.allowed_slack == slack
    assert seen(space) == seen(after(loosening, [*events, *more]))
    # Nothing to step back to, so answers are absorbed anew, and lead where they led.
    space.back_to(events)
    assert seen(space) == seen(after(loosening, events))


def test_if_checks_cannot_be_taken_in_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    space = after(loosening, LONG[:14])
    before = seen(space)

    def refuse(self: PlainSpace, *_: object) -> None:
        raise Undecided("too thin")

    with monkeypatch.context() as patch:
        patch.setattr(LiftedSpace, "add_many", refuse)
        with pytest.raises(Undecided):
            space.take_in(learnt(NOISY))
    assert seen(space) == before
    space.take_in(learnt(LONG)[len(learnt(LONG[:14])) :])
    assert seen(space) == seen(after(loosening, LONG))


def test_sparse_pools_are_checked_alike() -> None:
    sparse = Pool(csr_matrix(X))
    space = after(lambda: LooseningSpace(sparse, 128, SEED), [*HISTORY[:14], *NOISY])
    assert space.allowed_slack == after(loosening, [*HISTORY[:14], *NOISY]).allowed_slack
