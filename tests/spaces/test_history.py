"""Histories: where two of them part, and what was learnt from one."""

from aluma.spaces.history import Event, Group, common, learnt

TOLD = [Event(4, 1), Event(2, 0), Event(7, -1)]


def test_histories_are_alike_up_to_the_first_difference() -> None:
    assert common(TOLD, TOLD) == 3
    assert common(TOLD, TOLD[:2]) == common(TOLD[:2], TOLD) == 2
    assert common(TOLD, [Event(4, 1), Event(2, 1), Event(7, -1)]) == 1
    assert common(TOLD, []) == 0


def test_where_an_event_left_a_stream_is_no_difference() -> None:
    assert common(TOLD, [Event(4, 1, mark=30), Event(2, 0, mark=31)]) == 2


def test_what_an_answer_was_for_is_a_difference() -> None:
    assert Event(4, 1, check=1) != Event(4, 1) != Event(4, 1, check=2)
    assert common(TOLD, [Event(4, 1, check=1), *TOLD[1:]]) == 0


def test_answers_are_learnt_one_by_one_and_skips_are_none() -> None:
    assert learnt(TOLD) == [Group(((4, 1),)), Group(((7, -1),))]
    assert learnt([]) == []


def test_checks_are_learnt_together_when_their_audit_has_ended() -> None:
    checks = [Event(1, 1, check=1), Event(3, -1, check=1), Event(5, 1, check=2)]
    together = Group(((1, 1), (3, -1), (5, 1)), are_checks=True)
    assert learnt([*TOLD, *checks]) == [*learnt(TOLD), together]
    assert learnt([*TOLD, *checks[:2]]) == learnt(TOLD)
    assert learnt([*checks, *TOLD, Event(6, 1, check=2), Event(8, 1, check=1)]) == [
        together,
        *learnt(TOLD),
        Group(((6, 1),), are_checks=True),
    ]
    assert learnt(checks[2:]) != learnt([Event(5, 1)])


def test_a_skip_ends_no_audit_unless_it_is_its_last_check() -> None:
    begun = [Event(1, 1, check=1), Event(2, 0), Event(9, 0, check=1), Event(3, 1, check=1)]
    assert learnt(begun) == []
    assert learnt([*begun, Event(4, 0, check=2)]) == [Group(((1, 1), (3, 1)), are_checks=True)]
    assert learnt([Event(4, 0, check=2)]) == []


def test_checks_of_an_audit_that_was_given_up_are_not_learnt() -> None:
    events = [Event(1, 1, check=1), Event(2, -1), Event(3, 1, check=1), Event(4, 1, check=2)]
    assert learnt(events) == [Group(((2, -1),)), Group(((3, 1), (4, 1)), are_checks=True)]
