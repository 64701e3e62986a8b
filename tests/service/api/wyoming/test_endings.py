"""Clients that leave, that do not read, and that are too many; for the service's own end see websocket/test_endings."""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from wyoming.tts import SynthesizeChunk

from tests.service.api.serving_process import FAULTY_SERVER, WYOMING
from tests.service.api.speech_client import metric, speak, wait_until
from tests.service.api.wyoming.talks import LONG, SHORT, Talk, read_out, start, whole

pytestmark = pytest.mark.thorough


def lines_since(server, n_lines):
    """Return the lines of Wyoming's requests after so many lines of the log."""
    return [line for line in server.log[n_lines:] if "method=WYOMING" in line]


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("leave", [Talk.close, Talk.abort])
def test_who_leaves_while_it_is_spoken_stops_the_run(faulty, leave, in_parts):
    n_lines = len(faulty.log)
    text = f"{leave.__name__} {in_parts}: {LONG} {LONG}"
    client = Talk(faulty.uri)
    client.send(*([start(), SynthesizeChunk(text)] if in_parts else [whole(text)]))
    client.until("audio-chunk")
    leave(client)
    wait_until(lambda: lines_since(faulty, n_lines) != [])
    (line,) = lines_since(faulty, n_lines)
    assert "outcome=cancelled" in line
    assert metric(faulty, "kokoro_wyoming_open") == 0
    log = "".join(faulty.log[n_lines:])
    n_started, n_ended, n_terminated = (log.count(f"run 1.000 {end}") for end in ("started", "ended", "terminated"))
    assert n_started == n_ended + n_terminated
    # Most of two minutes was never begun.
    assert float(re.search(r"audio_s=([0-9.]+)", line)[1]) < 30


def test_who_leaves_amid_one_long_run_has_it_stopped(start_server):
    """With streams that are decoded in one run."""
    server = start_server(*WYOMING, "--stream-decoding", "whole", program=FAULTY_SERVER)
    server.wait_until_ready()
    n_lines = len(server.log)  # before them the self-test has run

    def is_told(what):
        return any(f"run 1.000 {what}" in line for line in server.log[n_lines:])

    with Talk(server.uri) as client:
        client.send(whole(LONG[:500]))
        wait_until(lambda: is_told("started"))
    server.wait_for(r"method=WYOMING .*outcome=cancelled")
    assert is_told("terminated")
    assert not is_told("ended")


def test_who_reads_nothing_is_cut_off(faulty):
    n_lines = len(faulty.log)
    port = int(faulty.uri.rpartition(":")[2])
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        client = Talk(connection)
        client.send(*[whole("Good day.\n" * 400)] * 4)  # after the first, all from the cache
        faulty.wait_for("outcome=stalled")
        read_out(connection)
        client.close()
    # One that the buffers of the system hold may have ended; those that waited are nobody's any more.
    *ended, last = lines_since(faulty, n_lines)
    assert "outcome=stalled" in last
    assert len(ended) < 3
    assert all("outcome=ok" in line for line in ended)
    wait_until(lambda: metric(faulty, "kokoro_wyoming_open") == 0)


def test_eight_clients_take_turns_and_a_ninth_is_refused(faulty):
    texts = [f"Number {number}. {LONG[:90]}" for number in range(8)]
    order = []

    def hear(text):
        with Talk(faulty.uri) as client:
            client.send(whole(text))
            client.until("audio-chunk")
            order.append("first")
            client.until("audio-stop")
            order.append("last")
            return b"".join(event.payload or b"" for event in client.heard)

    with ThreadPoolExecutor(8) as threads:
        heard = list(threads.map(hear, texts))
    # Everybody hears something before anybody has heard everything.
    assert order == ["first"] * 8 + ["last"] * 8
    for text, samples in [*zip(texts, heard, strict=True)][::4]:
        assert samples == speak(faulty, text=text, format="pcm", stream=True).content
    with ExitStack() as stack:
        for _ in range(8):
            assert stack.enter_context(Talk(faulty.uri)).say(SHORT)
        late = stack.enter_context(Talk(faulty.uri))
        late.send(whole(SHORT))
        late.until("error")
        assert late.error.code == "overloaded"
        late.until_closed()
    wait_until(lambda: metric(faulty, "kokoro_wyoming_open") == 0)
    with Talk(faulty.uri) as client:
        assert client.say(SHORT)


def test_the_log_and_the_numbers_tell_of_each_text_but_never_the_text(faulty):
    # What earlier tests asked for is counted when it ends.
    wait_until(lambda: metric(faulty, "kokoro_wyoming_open") == 0)
    wait_until(lambda: metric(faulty, "kokoro_requests_in_flight") == 1)
    n_lines = len(faulty.log)
    names = ("kokoro_characters_total", "kokoro_audio_seconds_total")
    before = [metric(faulty, name) for name in names]
    with Talk(faulty.uri) as client:
        n_bytes = len(client.say("Zanzibar.") + client.say_in_parts("Zan", "zibar."))
    wait_until(lambda: len(lines_since(faulty, n_lines)) == 2)
    lines = lines_since(faulty, n_lines)
    assert "path=wyoming:synthesize outcome=ok" in lines[0]
    assert "path=wyoming:synthesize-start outcome=ok" in lines[1]
    assert all("voice=af_heart" in line and "first_audio_s=" in line for line in lines)
    assert not any("anzibar" in line for line in faulty.log)
    characters, audio_s = (metric(faulty, name) - value for name, value in zip(names, before, strict=True))
    assert characters == 2 * len("Zanzibar.")
    assert audio_s == pytest.approx(n_bytes / 48_000, abs=0.001)
    assert 'kokoro_requests_total{endpoint="wyoming:synthesize",outcome="ok"}' in faulty.client.get("/metrics").text
