"""Who answers: requests go to the replica that has less to do, whatever the clock says."""

import http.client
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest
from tests.cluster.serve_client import PORT, Serve, ask

pytestmark = pytest.mark.cluster

SENTENCE = "The birch canoe slid on the smooth planks, and the box was thrown beside the truck."
SHORT = "Yes, of course."
# Twenty minutes of speech: more than is made while others are answered.
LONG = "Rice is often served in round bowls, and the juice of lemons makes fine punch. " * 250
N_CLIENTS = 4


@pytest.fixture(scope="module")
def two(cluster):
    serve = Serve()
    serve.deploy(replicas=2, max_ongoing=32)
    yield serve
    serve.close()


@contextmanager
def streaming(text):
    """Have a text streamed meanwhile; give the id of the replica that speaks it."""
    ends = threading.Event()
    with closing(http.client.HTTPConnection("127.0.0.1", PORT, timeout=180)) as connection:
        body = json.dumps({"text": text, "stream": True, "format": "pcm"})
        connection.request("POST", "/synthesize", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.read(1)

        def read():
            """Who reads nothing is cut off. Return whether there was more to read."""
            while not ends.is_set():
                if not answer.read(9_600):
                    return False
            return True

        with ThreadPoolExecutor(1) as reader:
            has_more = reader.submit(read)
            try:
                yield answer.headers["x-replica"]
            finally:
                ends.set()
        assert has_more.result(), "the stream ended first"


def test_short_requests_beside_a_long_stream_find_the_free_replica(two):
    replicas = {each.id for each in two.replicas()}
    with streaming(LONG) as busy:
        heard = [ask(text=SHORT, format="pcm") for _ in range(20)]
    assert all(each.is_whole for each in heard)
    # Ray asks two replicas how busy they are, and takes one blindly if no answer comes in time, so
    # on a busy machine a few find the other one.
    (free,) = replicas - {busy}
    counts = Counter(each.replica for each in heard)
    assert set(counts) <= replicas
    assert counts[free] > counts[busy]


def test_two_replicas_share_what_several_clients_ask(two):
    with ThreadPoolExecutor(N_CLIENTS) as clients:
        heard = list(clients.map(lambda _: ask(text=SENTENCE, format="pcm"), range(20)))
    assert all(each.is_whole for each in heard)
    assert {each.replica for each in heard} == {each.id for each in two.replicas()}
