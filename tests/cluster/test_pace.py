"""What Ray costs: the same work by the plain server and through the proxy, in pairs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from statistics import median

import pytest

from tests.cluster.ray_nodes import Cluster
from tests.cluster.serve_client import PORT, Serve, ask
from tests.service.api.serving_process import Server

pytestmark = pytest.mark.cluster

SENTENCE = "The birch canoe slid on the smooth planks, and the box was thrown beside the truck."
SHORT = "Yes, of course."
LONG = "Rice is often served in round bowls, and the juice of lemons makes fine punch. " * 8
N_PAIRS = 15
N_CLIENTS = 4
LOAD_S = 10.0


@pytest.fixture(scope="module")
def two(cluster: Cluster) -> Iterator[Serve]:
    serve = Serve()
    serve.deploy(replicas=2, max_ongoing=32)
    yield serve
    serve.close()


def port_of(server: Server) -> int:
    return int(server.url.rpartition(":")[2])


def test_the_first_byte_of_a_stream_comes_nearly_as_soon(
    two: Serve, start_server: Callable[..., Server]
) -> None:
    server = start_server("--threads", "1")
    server.wait_until_ready()
    stream = {"text": SENTENCE, "stream": True, "format": "pcm"}
    ratios = []
    for number in range(N_PAIRS):
        ports = [port_of(server), PORT]
        times = {
            port: ask(port=port, **stream).first_byte_s
            for port in (ports if number % 2 else ports[::-1])
        }
        ratios.append(times[PORT] / times[port_of(server)])
    server.stop()
    print(f"first byte through the proxy: {median(ratios):.2f} times, {N_PAIRS} pairs, "
          f"{min(ratios):.2f} to {max(ratios):.2f}")  # fmt: skip
    assert median(ratios) <= 1.15


def audio_per_s(port: int) -> float:
    """Return the seconds of audio that some clients get in a second."""
    n_bytes = []
    start_s = time.monotonic()

    def work() -> None:
        while time.monotonic() - start_s < LOAD_S:
            heard = ask(port=port, text=SENTENCE, format="pcm")
            assert heard.is_whole
            n_bytes.append(len(heard.body))

    threads = [threading.Thread(target=work) for _ in range(N_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(n_bytes) / 48_000 / (time.monotonic() - start_s)


def test_two_replicas_of_a_thread_speak_as_much_as_a_server_of_two(
    two: Serve, start_server: Callable[..., Server]
) -> None:
    server = start_server("--threads", "2")
    server.wait_until_ready()
    ratios = []
    for _ in range(5):
        own = audio_per_s(port_of(server))
        ratios.append(audio_per_s(PORT) / own)
    server.stop()
    print(
        f"throughput: {median(ratios):.2f} times, 5 pairs, {min(ratios):.2f} to {max(ratios):.2f}"
    )
    assert median(ratios) >= 0.9


def test_short_requests_beside_a_long_stream_find_the_free_replica(two: Serve) -> None:
    def shorts() -> list[float]:
        return sorted(ask(text=SHORT, format="pcm").total_s for _ in range(20))

    alone = shorts()
    ends = threading.Event()

    def streaming() -> None:
        while not ends.is_set():
            ask(text=LONG, stream=True, format="pcm")

    thread = threading.Thread(target=streaming)
    thread.start()
    time.sleep(1)
    beside = shorts()
    ends.set()
    thread.join()
    p95 = beside[int(0.95 * len(beside))]
    print(f"short request: alone {median(alone):.2f} s, beside a stream p95 {p95:.2f} s")
    assert p95 <= 2.5 * median(alone)
