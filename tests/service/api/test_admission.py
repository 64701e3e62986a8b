"""Many callers, impatient callers, and callers who go away."""

import asyncio
import itertools
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from service.api.admission import Admission
from service.errors import OverloadedError
from tests.service.api.serving_process import FAULTY_SERVER, lent, running
from tests.service.api.speech_client import (
    Caller,
    assert_refused,
    events_received,
    in_flight,
    is_cut_off,
    log_line,
    metric,
    speak,
    wait_until,
)

pytestmark = pytest.mark.thorough

SENTENCE = "The birch canoe slid on the smooth planks."
LONG_TEXT = " ".join([SENTENCE] * 40)  # far longer than any test listens
ONE_LONG_RUN = {"text": " ".join([SENTENCE] * 5), "speed": 0.5, "format": "pcm"}
STREAM = {"text": LONG_TEXT, "format": "pcm", "stream": True, "speed": 2.0}


@pytest.fixture(scope="module")
def small_server(start_server):
    """Two places, little patience."""
    yield from lent(start_server, "--max-requests", "2", "--send-timeout-s", "1", program=FAULTY_SERVER)


def assert_overloaded(answer, named=""):
    assert_refused(answer, 503, "overloaded", named)
    assert 1 <= int(answer.headers["retry-after"]) <= 60


def test_who_finds_every_place_taken_is_refused_at_once_and_taken_later(small_server):
    with Caller(small_server, "place-1", **STREAM) as first, Caller(small_server, "place-2", **STREAM) as second:
        assert first.read_some().startswith(b"HTTP/1.1 200")
        assert second.read_some().startswith(b"HTTP/1.1 200")
        for stream in (False, True):
            assert_overloaded(speak(small_server, text="Hello.", format="pcm", stream=stream))
        # Both are being spoken still.
        assert not any("id=place-" in line for line in small_server.log)
        for path in ("/health", "/ready", "/voices", "/v1/models", "/metrics"):
            assert small_server.client.get(path).status_code == 200
        first.close()
        log_line(small_server, "place-1")
        assert speak(small_server, text="Hello.").status_code == 200
        assert not any("id=place-2" in line for line in small_server.log)
    assert "outcome=cancelled" in log_line(small_server, "place-2")


def test_while_the_machine_is_short_of_memory_nobody_is_let_in(start_server):
    with running(start_server, "--min-free-memory-bytes", str(1 << 40)) as server:
        for stream in (False, True):
            assert_overloaded(speak(server, text="Hello.", format="pcm", stream=stream), "too little free memory")
        assert server.client.get("/ready").status_code == 200


def test_answers_take_only_so_much_memory_together():
    holds = {"first": 600, "second": 300, "third": 200}

    async def scenario():
        admission = Admission(10, 10, answer_bytes=1000)
        with ExitStack() as stack:
            for name in ("first", "second"):
                stack.enter_context(admission.request(lambda name=name: holds[name]))
            with pytest.raises(OverloadedError, match=r"900 of 1000 bytes are in use"):
                stack.enter_context(admission.request(lambda: holds["third"]))
            assert (admission.n_requests, admission.held_bytes) == (2, 900)
            stack.enter_context(admission.request(lambda: 100))
            holds["first"] = 5000  # more than was thought, which nobody knew
            assert admission.held_bytes == 5400
            with pytest.raises(OverloadedError):
                stack.enter_context(admission.request(lambda: 1))
        assert admission.held_bytes == 0
        # Alone it may be any, or it would never be let in.
        with admission.request(lambda: 5000):
            assert admission.held_bytes == 5000

    asyncio.run(scenario())


def test_an_answer_that_nobody_reads_counts_until_it_is_gone(start_server):
    server = start_server("--answer-memory-bytes", "2000000", "--audio-cache-bytes", "20000000")
    server.wait_until_ready()
    fields = {"text": " ".join([SENTENCE] * 5), "format": "wav"}
    whole = speak(server, **fields)
    wait_until(lambda: metric(server, "kokoro_answer_bytes") == 0)
    with ExitStack() as stack:
        for number in range(2):
            caller = stack.enter_context(Caller(server, f"unread-{number}", frugal=True, **fields))
            caller.socket.recv(1)  # made, and now sent, as far as it is read
        assert metric(server, "kokoro_answer_bytes") >= 2 * (len(whole.content) - 1000)
        openai = {"model": "kokoro", "voice": "nova", "input": fields["text"]}
        for path, body in (("/synthesize", fields), ("/v1/audio/speech", {**openai, "response_format": "wav"})):
            assert_overloaded(server.client.post(path, json=body), "too little memory for the answer")
        # What takes little is let in.
        assert server.client.post("/v1/audio/speech", json=openai).status_code == 200
        assert server.client.post("/phonemize", json={"text": "Hello."}).status_code == 200
    wait_until(lambda: metric(server, "kokoro_answer_bytes") == 0)
    assert speak(server, **fields).status_code == 200
    assert server.stop() == 0


def test_five_streams_progress_evenly_and_each_is_heard_early(telling_server):
    n_streams = 5
    speeds = [1.81 + 0.01 * number for number in range(n_streams)]
    heard = []
    # Every chunk is a sentence, since two are too long for one.
    fields = {**STREAM, "text": " ".join(["The birch canoe slid on the planks."] * 40), "timestamps": "word"}
    go_on = threading.Event()

    def listen(number):
        with Caller(telling_server, f"even-{number}", **{**fields, "speed": speeds[number]}) as caller:
            for _ in events_received(caller):
                heard.append(number)
                counts = Counter(heard)
                heard_twice = len(counts) == n_streams and min(counts.values()) >= 2
                if heard_twice or counts[number] >= 4:
                    go_on.set()
                if go_on.is_set():
                    return

    with ExitStack() as stack:
        # All of them wait before the first of them is spoken.
        holder = stack.enter_context(Caller(telling_server, "even-holder", **ONE_LONG_RUN))
        wait_until(lambda: in_flight(telling_server) >= 1)
        pool = stack.enter_context(ThreadPoolExecutor(n_streams))
        listening = [pool.submit(listen, number) for number in range(n_streams)]
        wait_until(lambda: metric(telling_server, "kokoro_queue_length") == n_streams)
        holder.close()
        for future in listening:
            future.result()
    wait_until(lambda: in_flight(telling_server) == 0)
    # In the order in which the model spoke them, nobody is ahead by more than one.
    started = re.findall(r"run (1\.8\d0) started", "".join(telling_server.log))
    assert len(set(started[:n_streams])) == n_streams
    counts = Counter(dict.fromkeys(set(started), 0))
    for speed in started[: 2 * n_streams]:
        counts[speed] += 1
        assert max(counts.values()) - min(counts.values()) <= 1
    # And so it arrives: everybody hears a first chunk before anybody hears a third.
    thirds = [place for place, number in enumerate(heard) if heard[: place + 1].count(number) == 3]
    assert max(heard.index(number) for number in range(n_streams)) < min(thirds, default=len(heard))


def test_who_goes_away_frees_its_place_while_it_waits_and_while_it_is_spoken(telling_server):
    with Caller(telling_server, "gone-holder", **{**ONE_LONG_RUN, "speed": 0.6}) as holder:
        telling_server.wait_for(r"run 0\.600 started")
        with Caller(telling_server, "gone-waiter", text="Hello.", speed=0.61):
            wait_until(lambda: metric(telling_server, "kokoro_queue_length") == 1)
        assert "status=499 outcome=cancelled" in log_line(telling_server, "gone-waiter")
        assert metric(telling_server, "kokoro_queue_length") == 0
        # The one before it is still being spoken, in the same run.
        assert not any(re.search(r"run 0\.600 (ended|terminated)", x) for x in telling_server.log)
        holder.close()
        assert "status=499 outcome=cancelled" in log_line(telling_server, "gone-holder")
    log = "".join(telling_server.log)
    assert "run 0.600 terminated" in log
    assert "run 0.600 ended" not in log
    assert "run 0.610 started" not in log
    assert speak(telling_server, text="Hello.").status_code == 200


def test_who_goes_away_from_a_stream_frees_its_place(small_server):
    with Caller(small_server, "gone-stream", **STREAM) as caller:
        assert caller.read_some().startswith(b"HTTP/1.1 200")
        assert in_flight(small_server) == 1
    line = log_line(small_server, "gone-stream")
    assert "status=200 outcome=cancelled" in line
    assert int(re.findall(r" windows=(\d+)", line)[0]) < 10
    wait_until(lambda: in_flight(small_server) == 0)


@pytest.mark.parametrize("stream", [True, False])
def test_who_reads_nothing_is_cut_off_and_nothing_piles_up(small_server, stream):
    identity = f"stalled-{stream}"
    # As a stream minutes, else as much as is made in some seconds.
    text = LONG_TEXT if stream else " ".join([SENTENCE] * 5)
    with Caller(small_server, identity, frugal=True, **{**STREAM, "text": text, "stream": stream}) as caller:
        wait_until(lambda: in_flight(small_server) >= 1)
        # The others do not notice.
        assert speak(small_server, text="Hello.").status_code == 200
        line = log_line(small_server, identity)
        assert "status=200 outcome=stalled" in line
        if stream:
            # What the connection holds, one window being sent, and one ahead; of some 80.
            assert int(re.findall(r" windows=(\d+)", line)[0]) <= 10
        wait_until(lambda: in_flight(small_server) == 0)
        assert is_cut_off(caller.read_all())


def test_over_the_deadline_is_504_and_a_break_where_audio_had_begun(start_real_server):
    # On a busy machine the first deadlines may pass before any audio is made.
    for deadline_s in (4, 16, 64, 256):
        server = start_real_server("--deadline-s", str(deadline_s))
        server.wait_until_ready()
        with Caller(server, "late-stream", **STREAM) as caller:
            begun = caller.read_some()
            if begun.startswith(b"HTTP/1.1 504"):
                continue
            assert begun.startswith(b"HTTP/1.1 200")
            assert_refused(speak(server, text=LONG_TEXT), 504, "deadline_exceeded")
            assert is_cut_off(begun + caller.read_all())
        assert "status=200 outcome=deadline_exceeded" in log_line(server, "late-stream")
        assert server.stop() == 0
        return
    pytest.fail("no audio within minutes")


@pytest.mark.slow
def test_the_deadline_is_for_the_reading_too(start_server):
    server = start_server("--deadline-s", "10", "--audio-cache-bytes", "10000000")
    server.wait_until_ready()
    # Made in time, because it is in the cache, where one short chunk comes after the other.
    fields = {**STREAM, "text": " ".join([SENTENCE] * 16), "stream": False, "chunking": "early"}
    wait_until(lambda: speak(server, **fields).status_code == 200)
    with Caller(server, "late-reader", frugal=True, **fields) as caller:
        pace = threading.Event()
        answer = b""
        while not any("id=late-reader" in line for line in server.log):
            answer += caller.socket.recv(2048)
            pace.wait(0.1)
        answer += caller.read_all()
    assert answer.startswith(b"HTTP/1.1 200")
    assert is_cut_off(answer)
    assert "status=200 outcome=deadline_exceeded" in log_line(server, "late-reader")
    assert server.stop() == 0


def test_repeats_come_out_of_a_bounded_cache(start_server):
    bound = 600_000
    server = start_server("--audio-cache-bytes", str(bound))
    server.wait_until_ready()
    fields = {"text": SENTENCE, "speed": 2.0, "format": "pcm"}
    first, again = speak(server, **fields), speak(server, **fields)
    assert (first.headers["x-cache"], again.headers["x-cache"]) == ("miss", "hit")
    assert again.content == first.content
    assert float(again.headers["x-compute-s"]) == 0
    assert again.headers["x-duration-s"] == first.headers["x-duration-s"]
    # Of another speed, voice or text it is other speech.
    for other in ({"speed": 1.9}, {"voice": "am_adam"}):
        assert speak(server, **{**fields, **other}).headers["x-cache"] == "miss"
    longer = {**fields, "text": f"{SENTENCE} The sheet was glued to the background of the box."}
    longer["text"] += " It is easy to tell the depth of a well."
    part = speak(server, **longer, chunking="early")
    assert part.headers["x-cache"] == "partial"
    assert speak(server, **longer, stream=True, decoding="whole").content == part.content
    assert log_line(server, part.headers["x-request-id"]).count("cache=partial") == 1
    wait_until(lambda: metric(server, 'kokoro_audio_cache_total{result="hit"}') >= 3)
    sizes = []
    for number in itertools.count():
        assert speak(server, **{**fields, "text": f"Number {number}."}).status_code == 200
        sizes.append(metric(server, "kokoro_audio_cache_bytes"))
        if len(sizes) > 1 and sizes[-1] <= sizes[-2]:  # something had to leave
            break
    assert bound / 2 < max(sizes) <= bound
    assert server.stop() == 0


def test_without_a_cache_nothing_is_said_of_one(server):
    for _ in range(2):
        answer = speak(server, text="Hello.", speed=2.0)
        assert "x-cache" not in answer.headers
        assert float(answer.headers["x-compute-s"]) > 0
    assert metric(server, "kokoro_audio_cache_bytes") == 0
