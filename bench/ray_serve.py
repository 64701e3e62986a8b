"""What Ray Serve costs, against a server without it.

    python -m bench.ray_serve [--repeats N] [--write]

Two Ray nodes of this machine with a replica of one thread each, and a plain server, asked in turns.
First byte: a stream of a sentence, through the proxy and from a server of one thread. Throughput:
four clients for ten seconds, against a server of two threads. Beside a stream: the slowest of
twenty short requests while somebody streams a long text, against the median of twenty alone.
Needs Ray, which `make test-cluster` installs.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median

from bench import speech
from bench.command import Section, command_line, publish
from bench.processes import server
from bench.report import Bound, note, quantile, ratio, table
from tests.cluster.ray_nodes import Cluster
from tests.cluster.serve_client import PORT, Serve, ask

PAIRS = 15
CLIENTS = 4
LOAD_S = 10.0
SHORTS = 20
LONG = " ".join([speech.PARAGRAPH] * 3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 1 for a missed bound, 2 for a failure."""
    options = command_line("bench.ray_serve", __doc__, "pairs").parse_args(arguments)
    return publish(_sections(options.repeats or PAIRS), write=options.write)


def _sections(n_pairs: int) -> Iterator[Section]:
    with Cluster():
        serve = Serve()
        serve.deploy(replicas=2, max_ongoing=32)
        try:
            rows = [
                ratio("first byte", _beside_a_server(1, n_pairs, _first_byte_ms), "ms",
                      Bound(1.15)),
                ratio("throughput", _beside_a_server(2, max(1, n_pairs // 3), _audio_per_s),
                      "s of audio a second", Bound(0.9, least=True)),
            ]  # fmt: skip
            beside = [_beside_a_stream() for _ in range(max(1, n_pairs // 5))]
        finally:
            serve.close()
    rows.append(ratio("short request, p95 beside a stream", beside, "ms", Bound(2.5)))
    report = table(rows, peer="plain server, or alone", ours="Ray Serve")
    met = all(row.met is not False for row in rows)
    yield Section("ray serve", (__doc__ or "").split("\n\n", 2)[2], report, met)


def _beside_a_server(
    n_threads: int, n_pairs: int, measure: Callable[[int], float]
) -> list[tuple[float, float]]:
    """Measure Ray Serve and a server with so many threads in turns, by their ports."""
    pairs = []
    with server({"KOKORO_THREADS": str(n_threads)}) as (_, port):
        for number in range(n_pairs):
            note(f"pair {number + 1} of {n_pairs}")
            ports = (PORT, port) if number % 2 else (port, PORT)
            found = {each: measure(each) for each in ports}
            pairs.append((found[PORT], found[port]))
    return pairs


def _first_byte_ms(port: int) -> float:
    return 1000 * ask(port=port, text=speech.MEDIUM, stream=True, format="pcm").first_byte_s


def _audio_per_s(port: int) -> float:
    """Return the seconds of audio that some clients get in a second."""
    n_bytes: list[int] = []
    start_s = time.monotonic()

    def work() -> None:
        while time.monotonic() - start_s < LOAD_S:
            n_bytes.append(len(ask(port=port, text=speech.MEDIUM, format="pcm").body))

    _in_threads(work, CLIENTS)
    return sum(n_bytes) / 48_000 / (time.monotonic() - start_s)


def _beside_a_stream() -> tuple[float, float]:
    """Return the milliseconds of short requests beside a stream (p95), and alone (median)."""

    def shorts() -> list[float]:
        return [1000 * ask(text=speech.SHORT, format="pcm").total_s for _ in range(SHORTS)]

    alone = median(shorts())
    ends = threading.Event()

    def stream() -> None:
        while not ends.is_set():
            ask(text=LONG, stream=True, format="pcm")

    streaming = threading.Thread(target=stream)
    streaming.start()
    time.sleep(1)
    beside = quantile(shorts(), 0.95)
    ends.set()
    streaming.join()
    return beside, alone


def _in_threads(work: Callable[[], None], n_threads: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
