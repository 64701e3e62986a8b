import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from bench.processes import ChildError
from bench.streams import BYTES_PER_S, OURS, heard, listen_to


@pytest.mark.parametrize(
    ("arrivals", "longest", "together"),
    [
        ([(0.5, BYTES_PER_S)], 0.0, 0.0),
        ([(0.5, BYTES_PER_S), (1.5, BYTES_PER_S)], 0.0, 0.0),
        ([(0.5, BYTES_PER_S), (1.75, BYTES_PER_S)], 0.25, 0.25),
        # The player waited, so what comes in time after the gap is not late.
        ([(0.0, BYTES_PER_S), (1.5, BYTES_PER_S), (2.5, BYTES_PER_S)], 0.5, 0.5),
        ([(0.0, BYTES_PER_S), (1.5, BYTES_PER_S), (2.75, BYTES_PER_S)], 0.5, 0.75),
        # A long first part covers two late ones.
        ([(0.0, 3 * BYTES_PER_S), (1.0, 1000), (2.9, 1000)], 0.0, 0.0),
    ],
)
def test_player_is_dry_from_when_it_has_played_all_until_more_comes(arrivals, longest, together):
    found = heard(arrivals)
    assert found.gap_s == pytest.approx(longest)
    assert found.dry_s == pytest.approx(together)


def test_first_and_last_bytes_and_the_length_are_told():
    found = heard([(0.25, 4800), (0.5, 9600)])
    assert (found.first_s, found.whole_s) == (0.25, 0.5)
    assert found.audio_s == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("arrivals", "reserve"),
    [
        # All at once: nothing came later.
        ([(0.5, BYTES_PER_S)], math.inf),
        ([(0.5, BYTES_PER_S), (0.504, 1000), (0.508, 1000)], math.inf),
        # A quarter of the second was left, then all of what came and a quarter of the next.
        ([(0.0, BYTES_PER_S), (0.75, BYTES_PER_S)], 0.25),
        ([(0.0, BYTES_PER_S), (0.75, BYTES_PER_S), (1.9, BYTES_PER_S)], 0.1),
        ([(0.0, BYTES_PER_S), (0.9, BYTES_PER_S), (1.5, BYTES_PER_S)], 0.1),
        # A first part in two reads is whole before it is counted.
        ([(0.0, 100), (0.001, BYTES_PER_S), (0.5, BYTES_PER_S)], 0.5 + 100 / BYTES_PER_S),
        # Who was dry had nothing.
        ([(0.0, BYTES_PER_S), (1.5, BYTES_PER_S), (2.0, BYTES_PER_S)], 0.0),
    ],
)
def test_reserve_is_the_least_that_was_left_when_more_came(arrivals, reserve):
    assert heard(arrivals).reserve_s == pytest.approx(reserve, abs=0.0011)


class Echo(BaseHTTPRequestHandler):
    """Answers as many samples as the body asks for; refuses those who ask for none."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert (body["format"], body["stream"]) == ("pcm", True)
        n_bytes = 2 * body["n_samples"]
        told = b"\0" * n_bytes or b"nothing to say"
        self.send_response(200 if n_bytes else 422)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format, *args):
        """Say nothing."""


@pytest.fixture
def port():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("n_clients", [1, 2, 4])
def test_every_body_is_asked_for_once_whoever_asks(port, n_clients):
    bodies = [{"n_samples": n * 2400, "stream": True} for n in (1, 2, 3, 4, 5)]
    found = listen_to(OURS, port, bodies, n_clients=n_clients)
    assert sorted(one.audio_s for one in found) == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])


def test_a_refusal_is_told_with_its_reason(port):
    with pytest.raises(ChildError, match="422 to /synthesize: nothing to say"):
        listen_to(OURS, port, [{"n_samples": 0, "stream": True}])
