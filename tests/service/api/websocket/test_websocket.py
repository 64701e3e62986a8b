from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import httpx
import numpy as np
import pytest
from pydantic import Field, TypeAdapter
from websockets.exceptions import ConnectionClosed, InvalidStatus

from service.api.websocket import messages
from service.settings import Settings
from tests.service.api import faulty_server
from tests.service.api.speech_client import log_line, metric, speak
from tests.service.api.speech_socket import SpeechSocket, seconds

FAULTY = Path(faulty_server.__file__)
SHORT = "Good day."
LONG = (
    " The long clause that follows here is meant to keep the model at work for a good while,"
    " because it goes on and on about nothing in particular until its author has run out of words"
    " that he knew when he began to write it down this morning."
)
NEW = "This is a sentence that was not heard before."
KEY = "a-key-that-is-long-enough"


def opened(server: Any, identity: str = "", **options: Any) -> SpeechSocket:
    """Open a session and receive its first message."""
    headers = {"X-Request-ID": identity} if identity else {}
    talk = SpeechSocket(server.url, headers, **options)
    assert talk.receive()["type"] == "ready"
    return talk


@pytest.fixture(scope="module")
def faulty(start_server: Callable[..., Any]) -> Iterator[Any]:
    """A server whose model fails where it is told to, with a cache and little patience."""
    server = start_server(
        *("--audio-cache-bytes", "50000000", "--send-timeout-s", "5", "--max-websockets", "3"),
        program=(str(FAULTY),),
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def guarded(
    start_server: Callable[..., Any], repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A server with a key, one place, and a default voice of no known language."""
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "keys").write_text(KEY)
    (folder / "keys").chmod(0o600)
    voices = folder / "voices"
    voices.mkdir()
    heart = (repository / "voices" / "af_heart.bin").read_bytes()
    (voices / "af_heart.bin").write_bytes(heart)
    (voices / "nobody.bin").write_bytes(heart)
    server = start_server(
        *("--api-keys-file", str(folder / "keys"), "--max-websockets", "1"),
        *("--voices-dir", str(voices), "--voice", "nobody", "--cors-origins", "https://our.page"),
    )
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


# Text in pieces, speech as soon as a clause is complete.


def test_a_session_opens_with_how_it_speaks(server: Any) -> None:
    with opened(server, "the-opening") as talk:
        assert talk.socket.response is not None
        assert talk.socket.response.headers["X-Request-ID"] == "the-opening"
        assert talk.received[0] == {
            "type": "ready",
            "request_id": "the-opening",
            "voice": "af_heart",
            "language": "en-us",
            "speed": 1.0,
            "sample_rate_hz": 24_000,
            "format": "pcm_s16le",
        }
        assert talk.finish() == {"type": "done", "text_end": 0, "duration_s": 0.0}


def test_speech_leaves_when_a_clause_is_complete_though_the_text_goes_on(server: Any) -> None:
    with opened(server) as talk:
        talk.say("Good", " day. And th")
        audio = talk.until("audio")
        assert talk.text[audio["text_start"] : audio["text_end"]] == "Good day."
        talk.say("en.")
        talk.finish()
        assert [m["text_start"] for m in talk.of("audio")] == [0, 9]


def test_the_spans_of_a_session_are_its_text_and_its_pieces_join_without_a_click(
    server: Any,
) -> None:
    text = (
        "\N{GRINNING FACE} It costs $5.50, as Dr. Who said in 1984: not a cent more than that!\n"
        "“Fine”, they went. E.g. naïve ﬁgures"
    )
    with opened(server) as talk:
        talk.say(*(text[i : i + 7] for i in range(0, len(text), 7)))
        done = talk.finish()
        pieces = talk.of("audio")
    spans = [(piece["text_start"], piece["text_end"]) for piece in pieces]
    assert len(spans) > 2
    assert "".join(text[start:end] for start, end in spans) == text
    words = [word["text"] for piece in pieces for word in piece["words"]]
    assert {"$5.50", "Dr.", "Who", "1984", "cent", "Fine", "naïve", "ﬁgures"} <= set(words)
    assert done["duration_s"] == seconds(sum(piece["n_bytes"] for piece in pieces))
    samples = [np.frombuffer(piece["pcm"], "<i2") for piece in pieces]
    largest = max(np.abs(np.diff(part.astype(np.int32))).max() for part in samples)
    for before, after in pairwise(samples):
        assert abs(int(after[0]) - int(before[-1])) < largest / 4


def test_how_text_is_cut_into_messages_changes_nothing(server: Any) -> None:
    text = "Good day, and welcome. I am the voice of this machine."
    heard = []
    for size in (1, 11, len(text)):
        with opened(server) as talk:
            talk.say(*(text[i : i + size] for i in range(0, len(text), size)))
            talk.finish()
            heard.append([message for message in talk.received if message["type"] != "ready"])
    assert heard[0] == heard[1] == heard[2]


def test_a_session_and_a_request_say_the_same(server: Any) -> None:
    with opened(server) as talk:
        talk.say(SHORT)
        talk.finish()
        heard = np.frombuffer(talk.pcm, "<i2").astype(np.float64)
    answer = speak(server, text=SHORT, format="pcm")
    said = np.frombuffer(answer.content, "<i2").astype(np.float64)
    # Only the rest at the end gives way to a pause, before what else may come.
    sounds = min(np.flatnonzero(heard)[-1], np.flatnonzero(said)[-1]) - 240
    assert sounds > 10_000
    assert np.array_equal(heard[:sounds], said[:sounds])


def test_phoneme_times_are_told_where_they_are_asked_for(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.exchange("config", "ready", timestamps="phoneme")
        talk.say(SHORT)
        talk.finish()
        (word, _) = talk.of("audio")[0]["words"]
    assert "".join(phoneme["symbol"] for phoneme in word["phonemes"]) == "ɡˈʊd"
    assert word["phonemes"][0]["start_s"] == word["start_s"]
    assert word["phonemes"][-1]["end_s"] == word["end_s"]


def test_a_long_text_is_spoken_in_spans_that_go_on(faulty: Any) -> None:
    text = LONG[: LONG.index("nothing")]
    with opened(faulty) as talk:
        talk.say(text)
        talk.finish()
        spans = [(m["text_start"], m["text_end"]) for m in talk.of("audio")]
    assert len(spans) > 1
    assert "".join(text[start:end] for start, end in spans) == text


# config, flush, cancel, end.


def test_config_holds_for_the_text_after_it(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say("Good day")  # of no known end yet
        talk.send("config", voice="bf_emma(2)+bm_george(1)", speed=2)
        talk.say("Good day")
        talk.send("config")
        talk.say("Good day")
        talk.finish()
        slow, config, fast, default, again = talk.received[1:-1]
    assert talk.kinds[1:-1] == ["audio", "ready", "audio", "ready", "audio"]
    assert (config["voice"], config["language"], config["speed"]) == (
        "bf_emma+bm_george",
        "en-gb",
        2.0,
    )
    assert default == talk.received[0]
    assert fast["n_bytes"] < 0.8 * slow["n_bytes"]
    assert again["n_bytes"] > fast["n_bytes"] / 0.8


def test_a_refused_config_changes_nothing(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.exchange("config", "ready", voice="bf_emma")
        for field, value, code in (
            ("voice", "af_hart", "unknown_voice"),
            ("voice", "af_heart(", "invalid_blend"),
            ("language", "tlh", "language_unavailable"),
            ("speed", 2.1, "invalid_request"),
        ):
            error = talk.exchange("config", "error", **{field: value})["error"]
            assert error["code"] == code
        talk.say(SHORT)
        talk.finish()
        with opened(faulty) as other:
            other.exchange("config", "ready", voice="bf_emma")
            other.say(SHORT)
            other.finish()
            assert other.pcm == talk.pcm


def test_flush_is_answered_behind_all_the_speech_before_it(faulty: Any) -> None:
    with opened(faulty) as talk:
        assert talk.exchange("flush", "flushed")["text_end"] == 0
        talk.say("Good day")
        assert talk.exchange("flush", "flushed")["text_end"] == 8
        talk.send("flush")
        talk.say("Good day")
        talk.send("flush")
        talk.finish()
        assert talk.kinds == [
            *("ready", "flushed", "audio", "flushed", "flushed", "audio", "flushed", "done")
        ]
        # Each begins afresh.
        first, second = talk.of("audio")
        assert first["pcm"] == second["pcm"]


def test_cancel_forgets_the_text_and_the_session_goes_on(faulty: Any) -> None:
    with opened(faulty) as talk:
        assert talk.exchange("cancel", "cancelled")["text_end"] == 0
        talk.say("This was never me")
        talk.send("cancel")
        talk.say(SHORT)
        talk.finish()
        assert talk.kinds == ["ready", "cancelled", "cancelled", "audio", "done"]
        assert talk.of("cancelled")[1]["text_end"] == 17
        assert talk.of("audio")[0]["text_start"] == 17


def test_what_waits_for_its_answer_is_answered_though_its_text_is_cancelled(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say(LONG)
        talk.send("flush")
        talk.send("config", speed=1.5)
        talk.say(LONG)
        talk.send("cancel")
        talk.say(SHORT)
        talk.finish()
        replies = [kind for kind in talk.kinds if kind != "audio"]
        assert replies == ["ready", "flushed", "ready", "cancelled", "done"]
        *_, audio = talk.of("audio")
        assert audio["text_start"] == 2 * len(LONG)
        assert all(
            talk.kinds.index("cancelled") > talk.received.index(early)
            for early in talk.of("audio")[:-1]
        )


def test_cancel_breaks_off_a_run_of_the_model(faulty: Any) -> None:
    speed = 1.31  # by which the log knows the run
    with opened(faulty, "broken-off") as talk:
        talk.exchange("config", "ready", speed=speed)
        talk.say(SHORT + " ")
        talk.until("audio")
        talk.say(LONG)
        talk.send("flush")
        # Until it is in the model.
        while sum(f"run {speed:.3f} started" in line for line in list(faulty.log)) < 2:
            faulty.client.get("/health")
        talk.send("cancel")
        talk.say("Well")
        talk.finish()
        assert [kind for kind in talk.kinds if kind != "ready"] == [
            *("audio", "flushed", "cancelled", "audio", "done")
        ]
        assert [m["text_start"] for m in talk.of("audio")] == [0, len(SHORT + " " + LONG)]
    log_line(faulty, "broken-off")
    runs = [line.split()[-1] for line in faulty.log if f"run {speed:.3f} " in line]
    assert runs == ["started", "ended", "started", "terminated", "started", "ended"]


def test_cancel_after_end_ends_at_once(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say(LONG * 2)
        talk.send("end")
        talk.send("cancel")
        assert talk.until_closed() == 1000
        assert talk.kinds[-2:] == ["cancelled", "done"]
        assert talk.received[-1]["text_end"] == 2 * len(LONG)


def test_nothing_but_cancel_is_taken_after_end(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say(NEW)
        talk.send("end")
        for kind in ("end", "flush", "config"):
            talk.send(kind)
        talk.send("text", text="More.")
        assert talk.until_closed() == 1000
        assert [m["error"]["code"] for m in talk.of("error")] == ["invalid_request"] * 4
        assert talk.of("audio")[-1]["text_end"] == len(NEW)
        assert len(talk.of("done")) == 1
        assert talk.received[-1] == {
            "type": "done",
            "text_end": len(NEW),
            "duration_s": seconds(len(talk.pcm)),
        }


# What is not taken.


@pytest.mark.parametrize(
    "content",
    [
        "",
        "Hello",
        "null",
        "[]",
        '"text"',
        "{}",
        '{"type": "text"',
        '{"type": null}',
        '{"type": "speak"}',
        '{"type": ["text"]}',
        '{"text": "Hello."}',
        '{"type": "text"}',
        '{"type": "text", "text": null}',
        '{"type": "text", "text": 5}',
        '{"type": "text", "text": "Hello.", "voice": "af_heart"}',
        '{"type": "text", "text": "\\ud800"}',
        '{"type": "flush", "text": "Hello."}',
        '{"type": "config", "speed": "1"}',
        '{"type": "config", "speed": NaN}',
        '{"type": "config", "speed": Infinity}',
        '{"type": "config", "speed": 1e999}',
        '{"type": "config", "speed": true}',
        '{"type": "config", "voice": 3}',
        '{"type": "config", "voice": "\\u0000"}',
        '{"type": "config", "timestamps": "letter"}',
        '{"type": "config", "request_id": "mine"}',
        "[" * 100_000,
        '{"type":' * 20_000,
        b"",
        b'{"type": "end"}',
        b"\xff\xfe",
    ],
    ids=lambda content: repr(content)[:40],
)
def test_a_message_that_cannot_be_taken_is_answered_by_an_error(
    faulty: Any, content: str | bytes
) -> None:
    with opened(faulty) as talk:
        talk.socket.send(content)
        error = talk.receive()
        assert error["type"] == "error"
        assert set(error) == {"type", "error"}
        assert error["error"]["code"] in ("invalid_request", "unknown_voice", "invalid_blend")
        assert error["error"]["message"]
        assert error["error"]["request_id"] == talk.received[0]["request_id"]
        talk.finish()
        assert talk.kinds == ["ready", "error", "done"]


def test_empty_and_blank_text_says_nothing(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say("", "  ", "\n\n", "\N{ZERO WIDTH SPACE}", "\t", "")
        talk.send("flush")
        talk.finish()
        assert [kind for kind in talk.kinds if kind != "skipped"] == ["ready", "flushed", "done"]


def test_a_message_that_is_too_long_ends_the_session_but_not_the_service(faulty: Any) -> None:
    limit = Settings().max_text_length * 12 + 16_384
    with opened(faulty, "too-long") as talk:
        talk.say(SHORT)
        talk.exchange("flush", "flushed")
        with contextlib.suppress(ConnectionClosed):
            talk.socket.send(json.dumps({"type": "text", "text": "a" * limit}))
        assert talk.until_closed() == 1009
    assert "outcome=aborted" in log_line(faulty, "too-long")
    with opened(faulty) as talk:
        talk.finish()


def test_a_message_that_is_too_long_amid_speech_is_no_fault_of_the_service(faulty: Any) -> None:
    limit = Settings().max_text_length * 12 + 16_384
    for number in range(5):
        with opened(faulty, f"too-long-{number}") as talk:
            talk.say(LINES)
            talk.until("audio")
            with contextlib.suppress(ConnectionClosed):
                talk.socket.send("a" * (limit + 1))
            assert talk.until_closed() in (1009, 1006)
        assert "outcome=cancelled" in log_line(faulty, f"too-long-{number}")
    assert not any("too-long" in line and " ERROR " in line for line in faulty.log)


def test_text_that_is_not_utf_8_ends_the_session(faulty: Any) -> None:
    with opened(faulty, "no-utf-8") as talk:
        with talk.socket.send_context():
            talk.socket.protocol.send_text(b"\xff\xfe")
        assert talk.until_closed() == 1007
    assert "outcome=aborted" in log_line(faulty, "no-utf-8")
    assert not any("UnicodeDecodeError" in line for line in faulty.log)


def test_text_over_the_limit_is_refused_and_nothing_else_is_lost(faulty: Any) -> None:
    limit = Settings().max_text_length
    with opened(faulty) as talk:
        talk.say("Good ")
        talk.send("text", text="a" * (limit - 4))
        error = talk.until("error")["error"]
        assert error["code"] == "text_too_long"
        talk.say("day.")
        assert talk.exchange("flush", "flushed")["text_end"] == len(SHORT)
        # Just at the limit; what is cancelled waits no longer.
        for _ in range(2):
            talk.say("b" * limit)
            talk.exchange("cancel", "cancelled")
        talk.say(SHORT)
        talk.finish()
        first, last = talk.of("audio")
        assert first["pcm"] == last["pcm"]


def test_a_thousand_tiny_messages_are_one_text(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say(*SHORT, *[" "] * 1000, *SHORT)
        talk.finish()
        first, second = talk.of("audio")
        assert (first["text_start"], first["text_end"]) == (0, len(SHORT))
        assert [word["text_start"] for word in second["words"]] == [1009, 1014]


def test_messages_that_wait_for_speech_are_bounded(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say(NEW + LONG)
        for _ in range(400):
            talk.send("flush")
        talk.send("cancel")
        talk.finish()
        n_flushed, n_refused = len(talk.of("flushed")), len(talk.of("error"))
        assert n_flushed + n_refused == 400
        assert n_flushed <= 256 + 2
        assert {m["error"]["code"] for m in talk.of("error")} == {"invalid_request"}


def test_a_clause_that_cannot_be_read_is_told_with_its_span(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say(SHORT, "\nᎠᎡᎢ.", "\n— —\n", SHORT, "\nBell: \x07.\n", SHORT)
        talk.finish()
    assert [kind for kind in talk.kinds if kind != "skipped"] == [
        *("ready", "audio", "error", "audio", "error", "audio", "done")
    ]
    cherokee, control = talk.of("error")
    assert cherokee["error"]["code"] == control["error"]["code"] == "invalid_text"
    assert talk.text[cherokee["text_start"] : cherokee["text_end"]].strip() == "ᎠᎡᎢ."
    assert talk.text[control["text_start"] : control["text_end"]].strip() == "Bell: \x07."
    told = [(m["text_start"], m["text_end"]) for m in talk.of("audio", "error", "skipped")]
    rest = "".join(
        talk.text[before[1] : after[0]]
        for before, after in zip([(0, 0), *told], [*told, (len(talk.text),) * 2], strict=True)
    )
    assert rest.strip() == ""


def test_markup_works_however_the_text_is_cut(faulty: Any) -> None:
    with opened(faulty) as talk:
        talk.say("Say [Kok", "oro](/kˈOkə", "ɹO/) now. It is [pause:0.", "5s] good. ")
        talk.finish()
    words = [word["text"] for message in talk.of("audio") for word in message["words"]]
    assert words == ["Say", "Kokoro", "now", "It", "is", "good"]
    assert set(talk.kinds) == {"ready", "audio", "done"}


# Faults.


@pytest.mark.parametrize(
    ("speed", "code"),
    [
        (faulty_server.AT_ONCE, "synthesis_failed"),
        (faulty_server.NOT_FINITE, "synthesis_failed"),
        (faulty_server.UNEXPECTED, "internal_error"),
    ],
)
def test_a_failure_of_the_model_is_told_and_ends_the_session(
    faulty: Any, speed: float, code: str
) -> None:
    identity = f"failure-{speed}"
    with opened(faulty, identity) as talk:
        talk.exchange("config", "ready", speed=speed)
        for number in range(3):
            talk.say(f"Number {speed}{number}. ")
        talk.send("flush")
        assert talk.until_closed() == 1011
        assert talk.received[-1]["type"] == "error"
        assert talk.received[-1]["error"]["code"] == code
        assert "out of something" not in json.dumps(talk.received[-1])
    line = log_line(faulty, identity)
    assert f"outcome={code}" in line
    assert any(identity in entry and " ERROR " in entry for entry in faulty.log)
    assert not any(faulty_server.SECRET in entry or "Number" in entry for entry in faulty.log)
    with opened(faulty) as talk:
        talk.say(SHORT)
        talk.finish()


# A client that reads slowly, or goes away.


def slowly(server: Any) -> dict[str, Any]:
    """Return options of a client that takes little at a time, and does not wait to be closed."""
    url = httpx.URL(server.url)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((url.host, url.port))
    return {"sock": connection, "max_queue": 1, "close_timeout": 1}


N_LINES = 400
LINES = "Good day.\n" * N_LINES
"""After the first, all from the cache: the model does not hold the speech back."""


def n_chunks(line: str) -> int:
    found = re.search(r" chunks=(\d+)", line)
    assert found is not None
    return int(found.group(1))


def test_a_client_that_reads_nothing_holds_back_the_speech_and_is_cut_off(faulty: Any) -> None:
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
    assert n_chunks(line) * n_bytes < 2e6
    assert metric(faulty, "kokoro_websockets_open") == 0


def test_a_client_that_reads_late_gets_everything_once(faulty: Any) -> None:
    with opened(faulty, "reads-late", **slowly(faulty)) as talk:
        talk.say(LINES)
        for _ in range(10):
            assert faulty.client.get("/health").status_code == 200
        talk.finish()
        audio = talk.of("audio")
        assert [m["text_start"] for m in audio] == [
            max(0, number * 10 - 1) for number in range(N_LINES)
        ]
        assert len({m["pcm"] for m in audio[1:]}) == 1
    assert "outcome=ok" in log_line(faulty, "reads-late")


def break_connection(talk: SpeechSocket) -> None:
    """Go away without a word."""
    linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
    talk.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    talk.socket.socket.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("leave", [break_connection, lambda talk: talk.socket.close()])
@pytest.mark.parametrize(
    ("stage", "outcome"),
    [
        ("opened", "ok"),
        ("amid a clause", "cancelled"),
        ("waiting for speech", "cancelled"),
        ("amid speech", "cancelled"),
        ("after speech", "ok"),
        ("after end", "cancelled"),
    ],
)
def test_a_client_that_goes_away_frees_its_place(
    faulty: Any, stage: str, outcome: str, leave: Callable[[SpeechSocket], None]
) -> None:
    identity = f"{stage.replace(' ', '-')}-{leave.__name__.strip('<>')}"
    talk = opened(faulty, identity)
    if stage == "amid a clause":
        talk.say("Good")
        talk.exchange("config", "error", speed=9)  # so it has been read
    elif stage == "waiting for speech":
        talk.say(LONG + identity)
        talk.send("flush")
        talk.exchange("config", "error", speed=9)
    elif stage == "amid speech":
        talk.say(LINES)
        talk.until("audio")
    elif stage == "after speech":
        talk.say(SHORT)
        talk.exchange("flush", "flushed")
    elif stage == "after end":
        talk.say(LONG + identity)
        talk.send("end")
        talk.exchange("end", "error")
    leave(talk)
    assert f"outcome={outcome}" in log_line(faulty, identity)
    assert metric(faulty, "kokoro_websockets_open") == 0
    assert not any(identity in line and " ERROR " in line for line in faulty.log)


def test_handshakes_that_are_broken_off_leave_nothing_behind(faulty: Any) -> None:
    url = httpx.URL(faulty.url)
    head = (
        f"GET /synthesize/stream HTTP/1.1\r\nHost: {url.host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\nX-Request-ID: half-a-handshake-{}\r\n\r\n"
    )
    n_before = len(faulty.log)
    for number in range(30):
        with socket.create_connection((url.host, url.port)) as connection:
            connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
            )
            connection.sendall(head.format(number).encode())
    for number in range(30):
        log_line(faulty, f"half-a-handshake-{number}")
    assert metric(faulty, "kokoro_websockets_open") == 0
    assert [line for line in faulty.log[n_before:] if " ERROR " in line] == []


# Handshakes that are refused.


def refusal(server: Any, headers: dict[str, str]) -> httpx.Response:
    """Return the answer to a handshake that is not taken."""
    with pytest.raises(InvalidStatus) as refused:
        SpeechSocket(server.url, headers)
    response = refused.value.response
    return httpx.Response(
        response.status_code,
        headers=list(response.headers.raw_items()),
        content=bytes(response.body),
    )


def test_a_handshake_needs_the_key(guarded: Any) -> None:
    for headers in ({}, {"X-API-Key": "another-key-long-enough"}):
        answer = refusal(guarded, headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["code"] == "unauthorized"
        assert answer.headers["x-request-id"] == answer.json()["error"]["request_id"]
    for headers in ({"X-API-Key": KEY}, {"Authorization": f"Bearer {KEY}"}):
        with SpeechSocket(guarded.url, headers):
            pass


def test_a_handshake_of_a_page_of_another_origin_is_refused(guarded: Any, server: Any) -> None:
    for where, key in ((guarded, {"X-API-Key": KEY}), (server, {})):
        answer = refusal(where, {**key, "Origin": "https://evil.page"})
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "forbidden_origin"
    with SpeechSocket(guarded.url, {"X-API-Key": KEY, "Origin": "https://our.page"}):
        pass
    with SpeechSocket(server.url, {"Origin": server.url}):
        pass


def test_a_handshake_at_another_path_is_refused(server: Any) -> None:
    with pytest.raises(InvalidStatus) as refused:
        SpeechSocket(server.url + "/nowhere")
    assert refused.value.response.status_code == 404
    assert json.loads(refused.value.response.body)["error"]["code"] == "not_found"


def test_over_the_places_for_sessions_a_handshake_is_refused(guarded: Any) -> None:
    key = {"X-API-Key": KEY}
    with SpeechSocket(guarded.url, {**key, "X-Request-ID": "the-only-place"}) as talk:
        answer = refusal(guarded, key)
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "overloaded"
        assert int(answer.headers["retry-after"]) >= 1
        talk.receive()
        talk.finish()
    log_line(guarded, "the-only-place")
    with SpeechSocket(guarded.url, key):
        pass


def test_a_default_voice_of_no_language_needs_a_config(guarded: Any) -> None:
    with SpeechSocket(guarded.url, {"X-API-Key": KEY}) as talk:
        opening = talk.receive()
        assert opening["type"] == "error"
        assert opening["error"]["code"] == "language_unavailable"
        talk.say(SHORT)
        error = talk.exchange("flush", "error")
        assert (error["text_start"], error["text_end"]) == (0, len(SHORT))
        assert talk.exchange("config", "ready", language="en-us")["voice"] == "nobody"
        talk.finish()


# The service stops.


def test_a_service_that_stops_says_what_it_was_given(start_server: Callable[..., Any]) -> None:
    server = start_server()
    answer = refusal(server, {})
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "not_ready"
    assert answer.headers["retry-after"] == "1"
    server.wait_until_ready()
    with opened(server, "stopped") as talk, opened(server) as idle:
        talk.say("Good day. And good night")
        talk.until("audio")
        server.process.send_signal(signal.SIGTERM)
        assert idle.until_closed() == 1001
        with contextlib.suppress(ConnectionClosed):
            talk.send("text", text="Too late.")
        assert talk.until_closed() == 1001
        assert talk.received[-1]["type"] == "done"
        assert talk.of("audio")[-1]["text_end"] == talk.received[-1]["text_end"] == len(talk.text)
        assert {m["error"]["code"] for m in talk.of("error")} <= {"not_ready"}
    assert "outcome=ok" in log_line(server, "stopped")
    assert server.process.wait(timeout=240) == 0


def test_a_service_that_may_not_wait_breaks_speech_off(start_server: Callable[..., Any]) -> None:
    server = start_server("--shutdown-timeout-s", "0", "--send-timeout-s", "600")
    server.wait_until_ready()
    with (
        opened(server, "broken") as talk,
        opened(server, "deaf", **slowly(server)) as deaf,
    ):
        deaf.say(LONG * 3)
        talk.say(SHORT, LONG * 10)
        talk.until("audio")
        server.process.send_signal(signal.SIGTERM)
        assert talk.until_closed() == 1001
        assert talk.received[-1]["type"] == "error"
        assert talk.received[-1]["error"]["code"] == "not_ready"
        assert server.process.wait(timeout=240) == 0
    assert "outcome=not_ready" in log_line(server, "broken")
    assert "outcome=ok" not in log_line(server, "deaf")


# Logs and numbers.


def test_the_log_and_the_numbers_tell_of_a_session_but_never_its_text(faulty: Any) -> None:
    names = ("kokoro_audio_seconds_total", "kokoro_characters_total")
    before = [metric(faulty, name) for name in names]
    with opened(faulty, "counted") as talk:
        # What goes on before the first text is no waiting for speech.
        waited = speak(faulty, text="This request here is spoken by the model, not by the cache.")
        talk.say("Zanzibar. ", "ᎠᎡᎢ.")
        done = talk.finish()
    line = log_line(faulty, "counted")
    assert "Zanzibar" not in line
    found = dict(re.findall(r"(\w+)=(\S+)", line))
    assert found["method"] == "WEBSOCKET"
    assert found["path"] == "/synthesize/stream"
    assert (found["status"], found["outcome"], found["chunks"]) == ("101", "ok", "1")
    assert float(found["audio_s"]) == round(done["duration_s"], 3)
    compute_s = float(waited.headers["x-compute-s"])
    assert float(found["first_audio_s"]) < float(found["seconds"]) - compute_s + 0.002
    audio_s, characters = (
        metric(faulty, name) - value for name, value in zip(names, before, strict=True)
    )
    assert audio_s == pytest.approx(
        done["duration_s"] + float(waited.headers["x-duration-s"]), abs=0.001
    )
    assert characters == len("Zanzibar.") + 59
    assert not any("Zanzibar" in entry or "ᎠᎡ" in entry for entry in faulty.log)


# The guide.


@pytest.fixture(scope="module")
def guide(repository: Path) -> str:
    return (repository / "docs" / "websocket.md").read_text(encoding="utf-8")


def test_every_message_of_the_guide_is_one_and_none_is_missing(guide: str) -> None:
    to_service = re.findall(r'^\| `(\{"type".*?\})` \|', guide, re.MULTILINE)
    from_service = re.findall(r'^\{"type".*\}$', guide, re.MULTILINE)
    told = {messages.from_client(example).type for example in to_service}
    answers: TypeAdapter[messages.FromServer] = TypeAdapter(
        Annotated[messages.FromServer, Field(discriminator="type")]
    )
    for example in from_service:
        answer = answers.validate_json(example)
        assert answer.model_dump(mode="json", exclude_none=True) == json.loads(example)
        told.add(answer.type)
    assert told == {
        *("config", "text", "flush", "cancel", "end"),
        *("ready", "audio", "skipped", "flushed", "cancelled", "done", "error"),
    }


def test_the_client_of_the_guide_writes_what_it_is_told(
    server: Any, guide: str, tmp_path: Path
) -> None:
    client = re.search(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert client is not None
    program, file = tmp_path / "say.py", tmp_path / "out.wav"
    program.write_text(client.group(1), encoding="utf-8")
    url = server.url.replace("http", "ws") + "/synthesize/stream"
    finished = subprocess.run(
        [sys.executable, program, url, file],
        input="Good day.\nAnd good night.\n",
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert finished.stderr == ""
    *pieces, done = [json.loads(line) for line in finished.stdout.splitlines()]
    words = [word["text"] for piece in pieces for word in piece["words"]]
    assert words == ["Good", "day", "And", "good", "night"]
    with wave.open(str(file)) as audio:
        assert audio.getnframes() / audio.getframerate() == done["duration_s"]
