"""How tests wait for threads, and let them meet."""

import threading
import time

PATIENCE_S = 60
"""After so long a wait is a deadlock."""


def wait_until(condition, what="it never came true"):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.001)


def together(threads, work, n_threads=8):
    """Let threads do some work at once, each with its number, and return the results."""
    start = threading.Barrier(n_threads)

    def begin(number):
        start.wait(PATIENCE_S)
        return work(number)

    return [future.result(PATIENCE_S * 5) for future in [threads.submit(begin, number) for number in range(n_threads)]]


def check_results(results):
    """Check arrays that are one number throughout: each comes with its shape and the number."""
    for array, shape, first in results:
        assert array.shape == shape
        assert (array == first).all()


def elsewhere(work):
    """Return what a function returns in another thread, which must end."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive(), "it waits for ever"
    (result,) = results
    return result
