"""The limit on BLAS holds for as long as any thread needs it, and no longer."""

from collections.abc import Iterator
from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from aluma.blas import one_thread

#: Seconds after which a thread that does not answer has failed.
PATIENCE = 20


def allowed() -> set[int]:
    """Return how many threads the BLAS libraries may use."""
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def allow(n: int) -> None:
    """Set that from a thread that ends: while one lives, it may be the only one to set limits."""
    thread = Thread(target=threadpool_limits, args=(n,), kwargs={"user_api": "blas"})
    thread.start()
    thread.join()


@pytest.fixture(autouse=True)
def two() -> Iterator[None]:
    np.linalg.norm(np.eye(2) @ np.eye(2))
    with one_thread():
        pass
    before = max(allowed(), default=1)
    allow(2)
    if allowed() != {2}:
        pytest.skip("this BLAS cannot be told to use two threads")
    yield
    allow(before)


class Visitor(Thread):
    """A thread that enters when it is made, and leaves when it is told."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._inside, self._wanted_out, self._out = Event(), Event(), Event()
        self._end = Event()
        self.start()
        assert self._inside.wait(PATIENCE)

    def run(self) -> None:
        with one_thread():
            self._inside.set()
            self._wanted_out.wait(PATIENCE)
        self._out.set()
        # It goes on living, as a server's threads do.
        self._end.wait(PATIENCE)

    def leave(self) -> None:
        self._wanted_out.set()
        assert self._out.wait(PATIENCE)

    def end(self) -> None:
        self._end.set()
        self.join(PATIENCE)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_last_to_leave_lifts_the_limit(order: tuple[int, ...]) -> None:
    for _ in range(2):
        visitors = [Visitor() for _ in order]
        for number in order[:-1]:
            visitors[number].leave()
            assert allowed() == {1}
        visitors[order[-1]].leave()
        assert allowed() == {2}
        for visitor in visitors:
            visitor.end()


@pytest.mark.parametrize("main_first", [True, False])
def test_a_limit_is_kept_for_a_thread_that_came_while_another_was_inside(main_first: bool) -> None:
    with one_thread():
        visitor = Visitor()
        if not main_first:
            visitor.leave()
        assert allowed() == {1}
    if main_first:
        assert allowed() == {1}
        visitor.leave()
    assert allowed() == {2}
    visitor.end()


def test_it_nests_and_an_error_lifts_it_too() -> None:
    @one_thread()
    def inner() -> set[int]:
        with one_thread():
            assert allowed() == {1}
        return allowed()

    assert inner() == {1}
    assert allowed() == {2}
    with pytest.raises(KeyError), one_thread():
        {}["an error"]
    assert allowed() == {2}


def test_a_limit_of_the_callers_own_is_given_back() -> None:
    with threadpool_limits(3, user_api="blas"):
        with one_thread():
            assert allowed() == {1}
        assert allowed() == {3}
    assert allowed() == {2}


def test_a_visit_that_ctrl_c_cut_off_before_its_block_is_over() -> None:
    visit = one_thread()
    visit.__enter__()
    assert allowed() == {1}
    del visit
    assert allowed() == {2}
    with one_thread():
        assert allowed() == {1}
    assert allowed() == {2}
