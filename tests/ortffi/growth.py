"""How much memory grows while something is done again and again."""

import gc
import re
import threading
from functools import cache
from pathlib import Path

import pytest

ALLOWED_KIB = 4096


def resident_kib():
    gc.collect()
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])


def growth_kib(work, times, warm_up):
    """Return how much more memory there is after so many times, in the best of three rounds.

    The C library may take some megabytes at once and keep them; a leak grows in every round.
    """
    for step in range(warm_up):
        work(step)
    rounds = []
    while len(rounds) < 3 and min(rounds, default=ALLOWED_KIB) >= ALLOWED_KIB:
        before = resident_kib()
        for step in range(times):
            work(step)
        rounds.append(resident_kib() - before)
    print(f"{times} times: {rounds} KiB")  # for who asks by -rP
    return min(rounds)


@cache
def kib_of_a_thread():
    """Return how much memory a thread leaves behind that does nothing."""

    def work(_):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    return growth_kib(work, 200, 50) / 200


def skip_where_threads_leak():
    """Skip what starts threads where each leaves memory behind, as it does below qemu-user."""
    if kib_of_a_thread() > 1:
        pytest.skip(
            f"an emulator keeps {kib_of_a_thread():.0f} KiB of every thread that ends, whoever "
            "started it; run this on the processor itself"
        )
