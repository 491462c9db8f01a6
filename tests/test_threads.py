"""The number of threads is numba's, and nobody waits for a process that was killed."""

import os
import subprocess
import sys

import numba
import pytest
from numba.np.ufunc import parallel

from aluma.threads import threads_allowed

#: Seconds after which a program that does not answer hangs.
PATIENCE = 60

#: A child is killed while it holds the lock that numba shares between processes.
KILLED = """
import os, signal
import numba
import numpy as np
from numba.np.ufunc import parallel
from aluma import ALuMA

X = np.random.default_rng(0).standard_normal((600, 5))
learner = ALuMA(X, classes=(False, True), n_hypotheses=512)
learner.tell([0, 1], [bool(x > 0) for x in X[:2, 0]])
numba.get_num_threads()
child = os.fork()
if child == 0:
    parallel._backend_init_process_lock.acquire()
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
print("locked", not parallel._backend_init_process_lock.acquire(timeout=0.1), flush=True)
i = learner.ask()
learner.tell(i, bool(X[i, 0] > 0))
print("labelled", len(learner.predict()), flush=True)
child = os.fork()
if child == 0:
    print("again", len(learner.fork().predict()), flush=True)
    os._exit(0)
os.waitpid(child, 0)
if {control}:
    numba.get_num_threads()
    print("not locked", flush=True)
"""


def test_it_is_numba_s_number() -> None:
    before = numba.get_num_threads()
    try:
        for n in (1, before):
            numba.set_num_threads(n)
            assert threads_allowed() == n
    finally:
        numba.set_num_threads(before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_a_killed_process_keeps_nobody_waiting() -> None:
    numba.get_num_threads()
    if not hasattr(parallel._backend_init_process_lock, "acquire"):
        pytest.skip("this numba shares no lock between processes")
    run = subprocess.run(
        [sys.executable, "-c", KILLED.format(control=False)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert run.stdout.split("\n") == ["locked True", "labelled 600", "again 600", ""]
    with pytest.raises(subprocess.TimeoutExpired) as waited:
        subprocess.run(
            [sys.executable, "-c", KILLED.format(control=True)],
            capture_output=True,
            timeout=10,
            check=True,
        )
    assert b"again 600" in (waited.value.stdout or b"")
    assert b"not locked" not in (waited.value.stdout or b"")
