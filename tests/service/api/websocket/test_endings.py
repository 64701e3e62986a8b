"""Ends of sessions: faults of the model, clients that leave, and the service's own end at every door."""

import json
import re
import signal
import socket
from contextlib import suppress

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from wyoming.tts import SynthesizeChunk

from tests.service.api import faulty_server
from tests.service.api.elevenlabs.stream_socket import open_context, pipecat
from tests.service.api.serving_process import FAULTY_SERVER, REPLACED_SERVER, WYOMING
from tests.service.api.speech_client import log_index, log_line, metric, speak
from tests.service.api.speech_socket import SpeechSocket, refused
from tests.service.api.websocket.sessions import LINES, LONG, N_LINES, SHORT, opened, slowly
from tests.service.api.wyoming import talks

pytestmark = pytest.mark.thorough

ABRUPTLY = (socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
"""An option of sockets that are closed without the courtesy of a FIN."""


FAULTS = (
    (faulty_server.AT_ONCE, "synthesis_failed"), (faulty_server.NOT_FINITE, "synthesis_failed"),
    (faulty_server.UNEXPECTED, "internal_error"),
)  # fmt: skip


@pytest.mark.parametrize(("speed", "code"), FAULTS)
def test_a_failure_of_the_model_is_told_and_ends_the_session(faulty, speed, code):
    identity = f"failure-{speed}"
    with opened(faulty, identity) as talk:
        talk.exchange("config", "ready", speed=speed)
        talk.say(*(f"Number {speed}{number}. " for number in range(3)))
        talk.send("flush")
        assert talk.until_closed() == 1011
        assert talk.received[-1]["error"]["code"] == code
        assert "out of something" not in json.dumps(talk.received[-1])
    assert f"outcome={code}" in log_line(faulty, identity)
    assert any(identity in entry and " ERROR " in entry for entry in faulty.log)
    assert not any(faulty_server.SECRET in entry or "Number" in entry for entry in faulty.log)
    with opened(faulty) as talk:
        talk.say(SHORT)
        talk.finish()


@pytest.mark.own_server
def test_a_service_that_stops_says_what_it_was_given(start_server):
    server = start_server(*WYOMING)
    answer = refused(SpeechSocket, server.url)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "not_ready")
    assert answer.headers["retry-after"] == "1"
    server.wait_until_ready()
    with (
        opened(server, "stopped") as talk, opened(server) as idle, pipecat(server) as eleven,
        talks.Talk(server.uri) as client, talks.Talk(server.uri) as silent,
    ):  # fmt: skip
        talk.say("Good day. And good night")
        talk.until("audio")
        open_context(eleven, "last")
        eleven.send(text="Good night.", context_id="last")
        eleven.receive()
        client.send(talks.start(), SynthesizeChunk("Good day.\nAnd good ni"))
        client.until("audio-chunk")
        server.process.send_signal(signal.SIGTERM)
        assert idle.until_closed() == 1001
        with suppress(ConnectionClosed):
            talk.send("text", text="Too late.")
        assert talk.until_closed() == 1001
        assert talk.received[-1]["type"] == "done"
        assert talk.of("audio")[-1]["text_end"] == talk.received[-1]["text_end"] == len(talk.text)
        assert {m["error"]["code"] for m in talk.of("error")} <= {"not_ready"}
        assert eleven.until_closed() == 1001
        assert (eleven.heard["last"].text, eleven.heard["last"].is_final) == ("Good night. ", True)
        silent.until_closed()
        client.until_closed()
        assert (silent.kinds, client.kinds) == ([], talks.IN_PARTS)
        with pytest.raises(OSError, match=r"."):
            talks.connect(server.uri)
    assert "outcome=ok" in log_line(server, "stopped")
    assert server.process.wait(timeout=240) == 0


@pytest.mark.own_server
def test_a_service_that_may_not_wait_breaks_speech_off(start_real_server):
    server = start_real_server(*WYOMING, "--shutdown-timeout-s", "0", "--send-timeout-s", "600")
    server.wait_until_ready()
    with (
        opened(server, "broken") as talk, opened(server, "deaf", **slowly(server)) as deaf,
        talks.Talk(server.uri) as client,
    ):  # fmt: skip
        deaf.say(LONG * 3)
        talk.say(SHORT, LONG * 10)
        client.send(talks.whole(talks.LONG * 3))
        talk.until("audio")
        client.until("audio-chunk")
        server.process.send_signal(signal.SIGTERM)
        assert talk.until_closed() == 1001
        assert talk.received[-1]["error"]["code"] == "not_ready"
        client.until_closed()
        # No audio-stop: nobody shall take it for the whole.
        assert client.kinds == ["audio-start", "audio-chunk", "error"]
        assert client.error.code == "not_ready"
        assert server.process.wait(timeout=240) == 0
    assert "outcome=not_ready" in log_line(server, "broken")
    assert "outcome=ok" not in log_line(server, "deaf")
    assert "outcome=not_ready" in server.log[log_index(server, "method=WYOMING")]


@pytest.mark.own_server
def test_a_replica_that_is_replaced_ends_its_sessions_in_time(start_real_server):
    server = start_real_server(program=REPLACED_SERVER)
    server.wait_until_ready()
    with opened(server, "replaced") as talk, opened(server) as idle, pipecat(server) as eleven:
        talk.say(SHORT, LONG * 10)
        open_context(eleven, "long")
        eleven.send(text="Good night, and so on. " * 40, context_id="long")
        talk.until("audio")
        eleven.receive()
        server.process.send_signal(signal.SIGUSR1)
        assert idle.until_closed() == 1001
        assert idle.received[-1]["type"] == "done"
        assert talk.until_closed() == 1001
        assert talk.received[-1]["error"]["code"] == "not_ready"
        assert eleven.until_closed() == 1001
        assert not eleven.heard["long"].is_final
        assert [(error["error"], error["code"]) for error in eleven.errors] == [("not_ready", 1001)]
    assert "outcome=not_ready" in log_line(server, "replaced")
    # Ray decides how long it gets requests.
    assert speak(server, text=SHORT).status_code == 200
    assert server.stop() == 0


def test_a_session_on_which_nothing_happens_is_closed_unless_it_speaks(start_server):
    server = start_server("--session-idle-s", "0.5", program=FAULTY_SERVER)
    server.wait_until_ready()
    with opened(server) as silent, opened(server) as lively:
        silent.say("Good day, and")  # whose end is not certain
        while silent.socket.close_code is None:
            lively.exchange("config", "ready")
        assert silent.until_closed() == 1001
        assert silent.received[-1]["type"] == "done"
        assert silent.of("audio")[-1]["text_end"] == len(silent.text)
        lively.say(SHORT)
        lively.finish()
    with opened(server) as talk:
        talk.say(LONG * 3 + "\n")
        while talk.until("audio")["end_s"] < 10:  # which take a second
            pass
        talk.say(SHORT)
        assert talk.until_closed() == 1001
        assert "error" not in talk.kinds
        assert talk.received[-1]["text_end"] == len(talk.text)
    assert server.stop() == 0


def test_a_client_that_reads_nothing_holds_back_the_speech_and_is_cut_off(faulty):
    with opened(faulty) as talk:
        talk.say("\nGood day.", "\n")
        n_bytes = talk.until("audio")["n_bytes"]
    memory = metric(faulty, "process_resident_memory_bytes")
    with opened(faulty, "reads-nothing", **slowly(faulty)) as talk:
        talk.say(LINES)
        line = log_line(faulty, "reads-nothing")
        assert metric(faulty, "process_resident_memory_bytes") < memory + 15e6
    assert "outcome=stalled" in line
    # The kernel keeps half a megabyte, the session some chunks: 20 MB were asked for.
    assert N_LINES * n_bytes > 15e6
    assert int(re.search(r" chunks=(\d+)", line)[1]) * n_bytes < 2e6
    assert metric(faulty, "kokoro_websockets_open") == 0


def test_a_client_that_reads_late_gets_everything_once(faulty):
    with opened(faulty, "reads-late", **slowly(faulty)) as talk:
        talk.say(LINES)
        for _ in range(10):
            assert faulty.client.get("/health").status_code == 200
        talk.finish()
        audio = talk.of("audio")
        assert [m["text_start"] for m in audio] == [max(0, number * 10 - 1) for number in range(N_LINES)]
        assert len({m["pcm"] for m in audio[1:]}) == 1
    assert "outcome=ok" in log_line(faulty, "reads-late")


def break_connection(talk):
    """Go away without a word."""
    talk.socket.socket.setsockopt(*ABRUPTLY)
    talk.socket.socket.shutdown(socket.SHUT_RDWR)


def close(talk):
    talk.socket.close()


STAGES = {
    "opened": "ok", "amid a clause": "cancelled", "waiting for speech": "cancelled", "amid speech": "cancelled",
    "after speech": "ok", "after end": "cancelled",
}  # fmt: skip
"""When a client may go away, and the outcome."""


def bring_to(talk, stage, text):
    if stage == "amid a clause":
        talk.say("Good")
        talk.exchange("config", "error", speed=9)  # so it has been read
    elif stage == "waiting for speech":
        talk.say(text)
        talk.send("flush")
        talk.exchange("config", "error", speed=9)
    elif stage == "amid speech":
        talk.say(LINES)
        talk.until("audio")
    elif stage == "after speech":
        talk.say(SHORT)
        talk.exchange("flush", "flushed")
    elif stage == "after end":
        talk.say(text)
        talk.send("end")
        talk.exchange("end", "error")


@pytest.mark.parametrize("leave", [break_connection, close])
@pytest.mark.parametrize("stage", STAGES)
def test_a_client_that_goes_away_frees_its_place(faulty, stage, leave):
    identity = f"{stage.replace(' ', '-')}-{leave.__name__}"
    talk = opened(faulty, identity)
    bring_to(talk, stage, LONG + identity)
    leave(talk)
    assert f"outcome={STAGES[stage]}" in log_line(faulty, identity)
    assert metric(faulty, "kokoro_websockets_open") == 0
    assert not any(identity in line and " ERROR " in line for line in faulty.log)


def test_handshakes_that_are_broken_off_leave_nothing_behind(faulty):
    url = httpx.URL(faulty.url)
    head = (
        f"GET /synthesize/stream HTTP/1.1\r\nHost: {url.host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\nX-Request-ID: half-a-handshake-{}\r\n\r\n"
    )
    n_before = len(faulty.log)
    for number in range(30):
        with socket.create_connection((url.host, url.port)) as connection:
            connection.setsockopt(*ABRUPTLY)
            connection.sendall(head.format(number).encode())
    for number in range(30):
        log_line(faulty, f"half-a-handshake-{number}")
    assert metric(faulty, "kokoro_websockets_open") == 0
    assert [line for line in faulty.log[n_before:] if " ERROR " in line] == []
