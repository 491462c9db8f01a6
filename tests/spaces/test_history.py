"""Histories, and where two of them part."""

from aluma.spaces.history import Event, common

TOLD = [Event(4, 1), Event(2, 0), Event(7, -1)]


def test_histories_are_alike_up_to_the_first_difference() -> None:
    assert common(TOLD, TOLD) == 3
    assert common(TOLD, TOLD[:2]) == common(TOLD[:2], TOLD) == 2
    assert common(TOLD, [Event(4, 1), Event(2, 1), Event(7, -1)]) == 1
    assert common(TOLD, []) == 0


def test_where_an_event_left_a_stream_is_no_difference() -> None:
    assert common(TOLD, [Event(4, 1, mark=30), Event(2, 0, mark=31)]) == 2
