"""A process that requests /health until a line comes on standard input.

    python -m bench.load.health PORT

It prints `ready` when it begins. At the end it prints the number of requests and the median, the
99th percentile and the maximum of their times in ms.
"""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from bench.processes import Process, answer, python
from bench.report import quantile

_PAUSE_S = 0.02


@contextmanager
def probing(port: int) -> Iterator[Process]:
    """Run the process; `bench.processes.ask` ends it and returns its numbers."""
    with python("-m", "bench.load.health", str(port)) as process:
        answer(process)
        yield process


def main() -> None:
    """Request /health until a line comes."""
    seconds = []
    with httpx.Client(base_url=f"http://127.0.0.1:{sys.argv[1]}", timeout=60) as client:
        print("ready", flush=True)
        while not select.select([sys.stdin], [], [], _PAUSE_S)[0]:
            start = time.perf_counter()
            client.get("/health").raise_for_status()
            seconds.append(time.perf_counter() - start)
    values = [quantile(seconds, share) * 1000 for share in (0.5, 0.99, 1)]
    print(len(seconds), *(f"{value:.2f}" for value in values), flush=True)


if __name__ == "__main__":
    main()
