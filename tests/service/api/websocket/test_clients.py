"""Clients that read slowly, or go away."""

import re
import socket

import httpx
import pytest
from tests.service.api.speech_client import log_line, metric
from tests.service.api.websocket.sessions import LINES, LONG, N_LINES, SHORT, opened, slowly

pytestmark = pytest.mark.thorough

ABRUPTLY = (socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
"""An option of sockets that are closed without the courtesy of a FIN."""


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
