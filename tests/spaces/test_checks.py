"""Spaces learn from the checks of an audit when it has ended, and can go back to before it."""

from collections.abc import Callable, Sequence

import pytest

from aluma.errors import Conflict
from aluma.lab.bench.cones import sphere_pool
from aluma.pool import Pool
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
@pytest.mark.parametrize("n", [0, 4, 6, 8, 10, 11, 13, 14, 16, 17])
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
