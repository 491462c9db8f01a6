"""Threads of the page give way to the browser, also where the page itself was told to."""

import os
import sys
import threading

import pytest

from aluma.app.priority import give_way


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own here")
def test_a_thread_becomes_less_urgent_than_it_was_and_no_other_does() -> None:
    before, seen = os.getpriority(os.PRIO_PROCESS, 0), []

    def work() -> None:
        for _ in range(2):
            give_way(3)
            seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [min(19, before + 3), min(19, before + 6)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
