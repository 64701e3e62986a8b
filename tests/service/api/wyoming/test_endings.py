"""Clients that leave, that do not read, and that are too many; and the service's own end."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import struct
from contextlib import AsyncExitStack, suppress
from urllib.parse import urlsplit

import pytest
from tests.service.api.serving_process import FAULTY_SERVER
from tests.service.api.speech_client import log_index, metric, speak, wait_until
from tests.service.api.wyoming.talks import LONG, SHORT, Talk, run, start, whole
from wyoming.tts import SynthesizeChunk

pytestmark = pytest.mark.thorough


def lines_since(server, n_lines):
    """Return the lines of Wyoming's requests after so many lines of the log."""
    return [line for line in server.log[n_lines:] if "method=WYOMING" in line]


@pytest.fixture
def telling(start_server):
    """A server of a test's own, which decodes streams in one run."""
    server = start_server("--wyoming", "tcp://127.0.0.1:0", "--stream-decoding", "whole", program=FAULTY_SERVER)
    server.uri = server.wait_for(r"wyoming on (tcp://\S+)")
    server.wait_until_ready()
    return server


def raw_client(server):
    """Return a connection that takes little at a time."""
    address = urlsplit(server.uri)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((address.hostname, address.port))
    return connection


def close(client):
    assert client.client._writer is not None
    client.client._writer.close()


def abort(client):
    """Leave without the courtesy of a FIN."""
    assert client.client._writer is not None
    connection = client.client._writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.client._writer.transport.abort()


def read_out(connection):
    """Read until the server closes, or breaks, the connection."""
    with suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("leave", [close, abort])
def test_who_leaves_while_it_is_spoken_stops_the_run(wyoming, leave, in_parts):
    n_lines = len(wyoming.log)
    text = f"{leave.__name__} {in_parts}: {LONG} {LONG}"
    events = [start(), SynthesizeChunk(text)] if in_parts else [whole(text)]

    async def talk():
        client = Talk(wyoming.uri)
        await client.client.connect()
        await client.send(*events)
        await client.until("audio-chunk")
        leave(client)

    run(talk())
    wait_until(lambda: lines_since(wyoming, n_lines) != [])
    (line,) = lines_since(wyoming, n_lines)
    assert "outcome=cancelled" in line
    assert metric(wyoming, "kokoro_wyoming_open") == 0
    log = wyoming.log[n_lines:]
    n_started = sum("run 1.000 started" in entry for entry in log)
    n_ended = sum("run 1.000 ended" in entry for entry in log)
    n_terminated = sum("run 1.000 terminated" in entry for entry in log)
    assert n_started == n_ended + n_terminated
    # Most of two minutes was never begun.
    audio_s = re.search(r"audio_s=([0-9.]+)", line)
    assert audio_s is not None
    assert float(audio_s.group(1)) < 30


def test_who_leaves_amid_one_long_run_has_it_stopped(telling):
    n_lines = len(telling.log)  # before them the self-test has run

    def is_told(what):
        return any(f"run 1.000 {what}" in line for line in telling.log[n_lines:])

    async def talk():
        async with Talk(telling.uri) as client:
            await client.send(whole(LONG[:500]))
            await asyncio.to_thread(wait_until, lambda: is_told("started"))

    run(talk())
    telling.wait_for(r"method=WYOMING .*outcome=cancelled")
    assert is_told("terminated")
    assert not is_told("ended")


def test_who_reads_nothing_is_cut_off(wyoming):
    n_lines = len(wyoming.log)
    text = "Good day.\\n" * 400  # after the first, all from the cache
    with raw_client(wyoming) as connection:
        for _ in range(4):
            connection.sendall(b'{"type": "synthesize", "data": {"text": "%b"}}\n' % text.encode())
        wyoming.wait_for("outcome=stalled")
        read_out(connection)
    (line,) = lines_since(wyoming, n_lines)
    assert "outcome=stalled" in line
    wait_until(lambda: metric(wyoming, "kokoro_wyoming_open") == 0)


def test_eight_clients_take_turns_and_a_ninth_is_refused(wyoming):
    texts = [f"Number {number}. {LONG[:90]}" for number in range(8)]
    order: list[tuple[str, int]] = []

    async def speak_to(number):
        async with Talk(wyoming.uri) as client:
            await client.send(whole(texts[number]))
            await client.until("audio-chunk")
            order.append(("first", number))
            await client.until("audio-stop")
            order.append(("last", number))
            return b"".join(event.payload or b"" for event in client.heard)

    async def talk():
        heard = await asyncio.gather(*map(speak_to, range(8)))
        async with AsyncExitStack() as stack:
            for _ in range(8):
                client = await stack.enter_async_context(Talk(wyoming.uri))
                await client.send(whole(SHORT))
                await client.until("audio-stop")
            late = await stack.enter_async_context(Talk(wyoming.uri))
            await late.send(whole(SHORT))
            await late.until("error")
            assert late.error.code == "overloaded"
            await late.until_closed()
        await asyncio.to_thread(wait_until, lambda: metric(wyoming, "kokoro_wyoming_open") == 0)
        async with Talk(wyoming.uri) as client:
            assert await client.say(SHORT)
        return heard

    heard = run(talk())
    # Everybody hears something before anybody has heard everything.
    assert [kind for kind, _ in order] == ["first"] * 8 + ["last"] * 8
    for text, samples in [*zip(texts, heard, strict=True)][::4]:
        fields = {"text": text, "format": "pcm", "stream": True}
        assert samples == speak(wyoming, **fields).content


def test_the_log_and_the_numbers_tell_of_each_text_but_never_the_text(wyoming):
    # What earlier tests asked for is counted when it ends.
    wait_until(lambda: metric(wyoming, "kokoro_wyoming_open") == 0)
    wait_until(lambda: metric(wyoming, "kokoro_requests_in_flight") == 1)
    n_lines = len(wyoming.log)
    names = ("kokoro_characters_total", "kokoro_audio_seconds_total")
    before = [metric(wyoming, name) for name in names]

    async def talk():
        async with Talk(wyoming.uri) as client:
            return await client.say("Zanzibar."), await client.say_in_parts("Zan", "zibar.")

    once, again = run(talk())
    wait_until(lambda: len(lines_since(wyoming, n_lines)) == 2)
    lines = lines_since(wyoming, n_lines)
    assert "path=wyoming:synthesize outcome=ok" in lines[0]
    assert "path=wyoming:synthesize-start outcome=ok" in lines[1]
    assert all("voice=af_heart" in line and "first_audio_s=" in line for line in lines)
    assert not any("anzibar" in line for line in wyoming.log)
    characters, audio_s = (metric(wyoming, name) - value for name, value in zip(names, before, strict=True))
    assert characters == 2 * len("Zanzibar.")
    assert audio_s == pytest.approx((len(once) + len(again)) / 48_000, abs=0.001)
    text = wyoming.client.get("/metrics").text
    assert 'kokoro_requests_total{endpoint="wyoming:synthesize",outcome="ok"}' in text


def test_a_service_that_stops_says_what_it_was_given(start_server):
    server = start_server("--wyoming", "tcp://127.0.0.1:0")
    uri = server.wait_for(r"wyoming on (tcp://\S+)")
    server.wait_until_ready()

    async def talk():
        async with Talk(uri) as client, Talk(uri) as idle:
            await client.send(start(), SynthesizeChunk("Good day.\nAnd good ni"))
            await client.until("audio-chunk")
            server.process.send_signal(signal.SIGTERM)
            await idle.until_closed()
            assert idle.heard == []
            await client.until_closed()
            assert client.kinds == [*("audio-start", "audio-chunk", "audio-stop", "synthesize-stopped")]
            with pytest.raises(OSError, match=r"."):
                await Talk(uri).client.connect()

    run(talk())
    assert server.process.wait(timeout=240) == 0


def test_a_service_that_may_not_wait_breaks_speech_off(start_real_server):
    server = start_real_server("--wyoming", "tcp://127.0.0.1:0", "--shutdown-timeout-s", "0")
    uri = server.wait_for(r"wyoming on (tcp://\S+)")
    server.wait_until_ready()

    async def talk():
        async with Talk(uri) as client:
            await client.send(whole(LONG * 3))
            await client.until("audio-chunk")
            server.process.send_signal(signal.SIGTERM)
            await client.until_closed()
            # No audio-stop: nobody shall take it for the whole.
            assert client.kinds == ["audio-start", "audio-chunk", "error"]
            assert client.error.code == "not_ready"

    run(talk())
    assert "outcome=not_ready" in server.log[log_index(server, "method=WYOMING")]
    assert server.process.wait(timeout=240) == 0
