"""`kokoro-service` that tells on SIGUSR1 how long its event loop stood still since the last time.

Times are of the processor, by the thread that spent them, and in proportion to a fixed piece of
work, so that they depend little on the machine and on what else it does. Called as
`python stepped_server.py serve ...`.
"""

import asyncio
import gc
import logging
import signal
import sys
import time

from service.__main__ import main

logger = logging.getLogger("tests.steps")
_YARDSTICK_MS = 5.0
"""What the piece of work below counts as: it took 4.8 ms on Zen 4."""

_longest = {}
_started = []
_run = asyncio.events.Handle._run
_n_told = 0


def _work_s():
    start, total = time.thread_time(), 0
    for number in range(100_000):
        total += number * number % 7
    return time.thread_time() - start


_MS_PER_S = _YARDSTICK_MS / min(_work_s() for _ in range(10))


def _note(kind, start, what):
    seconds = time.thread_time() - start
    if seconds > _longest.get(kind, (0.0, ""))[0]:
        _longest[kind] = seconds, str(what)


def _timed_run(handle):
    callback, start = handle._callback, time.thread_time()
    _run(handle)
    _note("step", start, callback)


def _timed_collection(phase, info):
    """Every thread stands still while one collects."""
    if phase == "start":
        _started.append(time.thread_time())
    else:
        _note("collection", _started.pop(), f"generation {info['generation']}")


def _tell(*_):
    global _n_told
    _n_told += 1
    for kind, (seconds, what) in _longest.items():
        told_ms = seconds * _MS_PER_S
        logger.info("round %d: longest %s: %.1f ms of %s", _n_told, kind, told_ms, what)
    logger.info("round %d is over", _n_told)
    _longest.clear()


if __name__ == "__main__":
    # The one of C does not tell whose step it is.
    asyncio.Task = asyncio.tasks.Task = asyncio.tasks._PyTask
    asyncio.events.Handle._run = _timed_run
    gc.callbacks.append(_timed_collection)
    signal.signal(signal.SIGUSR1, _tell)
    sys.exit(main())
