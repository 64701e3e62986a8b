"""On Ray the service answers as it does by itself, whoever is free, and keeps its promises when parts fail."""

import http.client
import io
import json
import os
import signal
import socket
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import httpx
import numpy as np
import pytest
import soundfile

from tests.cluster.ray_nodes import WORKER
from tests.cluster.serve_client import PORT, URL, Serve, ask
from tests.service.api.speech_socket import SpeechSocket

pytestmark = pytest.mark.cluster

TEXT = "The birch canoe slid on the smooth planks. It costs $5.50 at 10:30, Dr. Smith said."
SHORT = "Yes, of course."
LONG = "Rice is often served in round bowls, and the juice of lemons makes fine punch. " * 2
TWENTY_MINUTES = LONG * 125
"""Of speech: more than is made while others are answered."""

LONGEST_WAIT_S = 240
GRACE_S = 120
"""As in deploy/ray/serve.yaml."""


@pytest.fixture(scope="module")
def serve(cluster):
    serve = Serve()
    yield serve
    serve.close()


@pytest.fixture(scope="module")
def two(serve):
    serve.deploy(replicas=2, max_ongoing=32, grace_s=GRACE_S)
    return serve


@pytest.fixture(scope="module")
def plain(start_server):
    server = start_server("--threads", "1")
    server.wait_until_ready()
    yield server
    server.stop()


ASKED = [
    *(
        ("POST", "/synthesize", {"text": TEXT, "format": name, "stream": stream})
        for name in ("wav", "pcm", "flac", "mp3", "opus", "mulaw", "srt")
        for stream in (False, True)
        if not (stream and name in ("wav", "srt"))
    ),
    ("POST", "/synthesize", {"text": TEXT, "timestamps": "word"}),
    ("POST", "/v1/audio/speech", {"model": "kokoro", "input": TEXT, "voice": "alloy"}),
    ("POST", "/v1/text-to-speech/af_heart", {"text": TEXT}),
    ("POST", "/phonemize", {"text": TEXT}),
    ("GET", "/voices", None), ("GET", "/languages", None), ("GET", "/v1/models", None),
    ("GET", "/openapi.json", None), ("GET", "/", None),
    ("POST", "/synthesize", {"text": "x", "voice": "af_hart"}),
    ("POST", "/v1/audio/speech", {"model": "kokoro", "input": "", "voice": "alloy"}),
    ("POST", "/synthesize", {"text": "x" * 20_001}),
    ("GET", "/nowhere", None), ("DELETE", "/synthesize", None),
]  # fmt: skip


def test_answers_are_those_of_the_plain_server(two, plain):
    misses = []
    for method, path, body in ASKED:
        answers = [
            httpx.request(method, url + path, json=body, timeout=120, headers={"x-request-id": "the-same"})
            for url in (plain.url, URL)
        ]
        own, hosted = answers
        same = own.content == hosted.content
        if body and body.get("format") == "opus":  # its streams have serial numbers by chance
            decoded = [soundfile.read(io.BytesIO(each.content), dtype="float32")[0] for each in answers]
            same = bool(np.array_equal(*decoded))
        kinds = [each.headers.get("content-type") for each in answers]
        ids = hosted.headers.get_list("x-request-id")
        if not (same and own.status_code == hosted.status_code and kinds[0] == kinds[1]):
            misses.append((method, path, body, own.status_code, hosted.status_code))
        if ids != ["the-same"]:
            misses.append((method, path, body, ids))
    assert not misses


def test_a_session_says_what_the_plain_server_would(two, plain):
    spoken = []
    for url in (plain.url, URL):
        with SpeechSocket(url) as session:
            session.say(TEXT)
            session.send("end")
            assert session.until_closed() == 1000
            spoken.append(session.pcm)
    assert spoken[0] == spoken[1]
    with SpeechSocket(URL) as session:
        session.socket.send("x" * 300_000)
        assert session.until_closed() == 1009


def test_an_id_that_cannot_be_one_is_replaced_once(two):
    heard = ask(request_id="a b", text="")
    assert heard.status == 422
    (identity,) = heard.headers.get_all("x-request-id", [])
    assert len(identity) == 32
    assert identity.encode() in heard.body


def test_without_keys_nobody_is_answered_at_other_addresses(two):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        address = probe.getsockname()[0]
    answer = httpx.get(f"http://{address}:{PORT}/voices", timeout=30)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden_origin")


def test_metrics_of_all_replicas_are_in_one_place(two):
    with ThreadPoolExecutor(8) as pool:
        assert all(heard.is_whole for heard in pool.map(lambda _: ask(text=SHORT), range(8)))
    replicas = {each.id for each in two.replicas()}
    until_s = time.monotonic() + 30
    while True:
        text = httpx.get(f"{URL}/metrics", timeout=30).text
        told = {each for each in replicas if f'kokoro_ready{{replica="{each}"}} 1.0' in text}
        if told == replicas:
            break
        assert time.monotonic() < until_s, text
        time.sleep(0.5)
    assert text.count("# HELP kokoro_requests_total") == 1


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
    with streaming(TWENTY_MINUTES) as busy:
        heard = [ask(text=SHORT, format="pcm") for _ in range(20)]
    assert all(each.is_whole for each in heard)
    # Ray asks two replicas how busy they are, and takes one blindly if no answer comes in time, so
    # on a busy machine a few find the other one.
    (free,) = replicas - {busy}
    counts = Counter(each.replica for each in heard)
    assert set(counts) <= replicas
    assert counts[free] > counts[busy]


def test_two_replicas_share_what_several_clients_ask(two):
    with ThreadPoolExecutor(4) as clients:
        heard = list(clients.map(lambda _: ask(text=TEXT, format="pcm"), range(20)))
    assert all(each.is_whole for each in heard)
    assert {each.replica for each in heard} == {each.id for each in two.replicas()}


def client_loop(ends, heard, **body):
    while not ends.is_set():
        heard.append(ask(**body))


class Load:
    """Eight streams and eight whole requests at a time, all the time."""

    def __init__(self):
        self.streams = []
        self.whole = []
        self._ends = threading.Event()
        long = {"text": LONG, "stream": True, "format": "pcm"}
        short = {"text": SHORT, "format": "pcm"}
        self._threads = [
            threading.Thread(target=client_loop, args=(self._ends, heard), kwargs=body)
            for heard, body in ((self.streams, long), (self.whole, short))
            for _ in range(8)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self._ends.set()
        for thread in self._threads:
            thread.join()


def assert_kept(load, whole_stream, whole_answer):
    """Check that nothing truncated looks whole; return the streams that broke."""
    assert not [(each.status, each.broken, each.body[:200]) for each in load.whole if not each.is_whole]
    assert all(each.body == whole_answer for each in load.whole)
    assert all(each.body == whole_stream for each in load.streams if each.is_whole)
    broken = [each for each in load.streams if not each.is_whole]
    # One whose answer had not begun was tried again, so only a begun one may break.
    assert all(each.status == 200 and each.broken for each in broken), broken
    return broken


@pytest.fixture(scope="module")
def wholes(plain):
    """What the plain server says to the requests of a load."""
    stream = ask(port=int(plain.url.rpartition(":")[2]), text=LONG, stream=True, format="pcm")
    return stream.body, ask(port=int(plain.url.rpartition(":")[2]), text=SHORT, format="pcm").body


N_REPLICA_KILLS = int(os.environ.get("REPLICA_KILLS", "2"))
N_NODE_KILLS = int(os.environ.get("NODE_KILLS", "1"))
N_UPDATES = int(os.environ.get("UPDATES", "1"))


def test_a_killed_replica_takes_only_its_own_streams_with_it(two, wholes):
    for _ in range(N_REPLICA_KILLS):
        before = two.replicas()
        with Load() as load:
            time.sleep(5)
            os.kill(before[0].pid, signal.SIGKILL)
            killed_s = time.monotonic()
            while before[0].pid in {each.pid for each in two.replicas()}:
                assert time.monotonic() - killed_s < LONGEST_WAIT_S
                time.sleep(0.2)
            two.wait_until_running(2)
            replaced_s = time.monotonic() - killed_s
        broken = assert_kept(load, *wholes)
        print(f"replaced after {replaced_s:.1f} s, {len(broken)} of {len(load.streams)} streams "
              f"broken, {len(load.whole)} whole requests")  # fmt: skip
        assert {each.replica for each in broken} <= {before[0].id}
        assert {each.pid for each in two.replicas()} != {each.pid for each in before}


def test_a_killed_node_takes_only_its_own_streams_with_it(two, cluster, wholes):
    for _ in range(N_NODE_KILLS):
        lost = {each.id for each in two.replicas() if each.node == WORKER}
        with Load() as load:
            time.sleep(5)
            cluster.nodes[WORKER].kill()
            time.sleep(3)
        broken = assert_kept(load, *wholes)
        print(f"{len(broken)} of {len(load.streams)} streams broken, {len(load.whole)} whole requests")
        assert {each.replica for each in broken} <= lost
        cluster.start(WORKER)
        two.wait_until_running(2)


def test_an_update_refuses_nobody_and_asks_sessions_to_go(two, wholes):
    for number in range(N_UPDATES):
        with SpeechSocket(URL) as one, SpeechSocket(URL) as other, Load() as load:
            for session in (one, other):
                session.say(SHORT)
            time.sleep(3)
            # Another setting, so that the replicas are replaced one by one.
            settings = {"max_text_length": 19_000 + number}
            two.deploy(replicas=2, max_ongoing=32, grace_s=GRACE_S, settings=settings)
            codes = {session.until_closed() for session in (one, other)}
        assert codes == {1001}
        assert not assert_kept(load, *wholes)


def test_a_session_on_a_replica_that_is_reconfigured_goes_on(two):
    before = {each.pid for each in two.replicas()}
    with SpeechSocket(URL) as one, SpeechSocket(URL) as other:
        two.reconfigure(33)
        assert {each.pid for each in two.replicas()} == before
        for session in (one, other):
            session.say(SHORT)
            session.finish()
    with SpeechSocket(URL) as later:
        later.say(SHORT)
        later.finish()


def test_a_client_that_leaves_leaves_an_idle_replica(two):
    two.wait_until_running(2)
    connection = socket.create_connection(("127.0.0.1", PORT))
    body = f'{{"text": "{LONG}", "stream": true, "format": "pcm"}}'.encode()
    connection.sendall(
        b"POST /synthesize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body) + body
    )
    assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    connection.close()
    time.sleep(1)
    before = [cpu_s(each.pid) for each in two.replicas()]
    time.sleep(2)
    after = [cpu_s(each.pid) for each in two.replicas()]
    assert max(late - early for early, late in zip(before, after, strict=True)) < 0.5


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as file:
        ticks = file.read().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def narrow(serve):
    serve.deploy(replicas=2, max_ongoing=1, max_queued=1, settings={"session_idle_s": 2})
    return serve


def test_a_session_on_which_nothing_happens_is_closed(narrow):
    with SpeechSocket(URL) as session:
        session.say(SHORT)
        assert (session.until_closed(), session.received[-1]["type"]) == (1001, "done")
        assert session.pcm


def test_more_than_there_is_room_for_is_refused_in_our_own_words(narrow):
    with ThreadPoolExecutor(12) as pool:
        heard = list(pool.map(lambda _: ask(text=LONG, format="pcm"), range(12)))
        openai = list(pool.map(lambda _: ask("/v1/audio/speech", model="kokoro", voice="alloy", input=LONG), range(12)))
    refused = [each for each in heard if each.status == 503]
    assert refused
    assert {each.status for each in heard} == {200, 503}
    for each in refused:
        assert each.headers["retry-after"] == "2"
        assert b'"code":"overloaded"' in each.body
    print(f"refused within {max(each.total_s for each in refused):.3f} s")
    of_openai = next(each for each in openai if each.status != 200)
    assert b'"type"' in of_openai.body
    assert b"too many requests" in of_openai.body


def test_replicas_come_and_go_with_speech(serve):
    serve.deploy(
        max_ongoing=16,
        autoscaling={
            "min_replicas": 0, "initial_replicas": 1, "max_replicas": 2,
            "target_ongoing_requests": 2, "upscale_delay_s": 1, "downscale_delay_s": 4,
            "downscale_to_zero_delay_s": 6, "look_back_period_s": 4, "metrics_interval_s": 1,
        },
    )  # fmt: skip
    serve.wait_until_running(1)
    with SpeechSocket(URL):  # which nobody speaks on, so it holds no replica
        with Load() as load:
            serve.wait_until_running(2)
        assert all(each.is_whole for each in (*load.streams, *load.whole))
        serve.wait_until_running(1)
        serve.wait_until_running(0)
    start_s = time.monotonic()
    assert ask(text=SHORT).is_whole
    print(f"first answer from nothing after {time.monotonic() - start_s:.1f} s")
