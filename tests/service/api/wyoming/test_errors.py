"""What cannot be spoken is told by an event, and the connection goes on."""

import json
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from tests.profiles import costly, given
from tests.service.api.wyoming.talks import GUARD_S, SHORT, Talk, run, start, whole
from tests.service.api.wyoming.wire_bytes import any_bytes
from wyoming.event import Event
from wyoming.ping import Ping
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStop


@pytest.mark.parametrize(
    ("request_", "code", "named"),
    [
        (whole(SHORT, name="af_hart"), "unknown_voice", "did you mean af_heart?"),
        (whole(SHORT, name="af_heart("), "invalid_blend", "af_heart("),
        (whole(SHORT, language="tlh"), "language_unavailable", "tlh"),
        (whole(""), "empty_text", "empty"),
        (whole("ᎠᎡᎢ."), "invalid_text", "Ꭰ"),
        (whole("a" * 5001), "text_too_long", "5001"),
    ],
)
def test_what_cannot_be_spoken_is_told_and_the_next_is_spoken(wyoming, request_, code, named):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(request_)
            # Clients that know no errors wait for the end of the audio.
            await client.until("audio-stop")
            assert client.kinds == ["error", "audio-stop"]
            assert client.error.code == code
            assert named in client.error.text
            assert await client.say(SHORT)

    run(talk())


@pytest.mark.parametrize("odd", ["\uf0b7", "\x1b", "\ufffe", "\ud83d", "\u13a0"])
def test_an_odd_character_costs_no_text(wyoming, odd):
    async def talk():
        async with Talk(wyoming.uri) as client:
            event = {"type": "synthesize", "data": {"text": f"Good {odd} day."}}
            await client.send_raw(json.dumps(event).encode() + b"\n")
            await client.until("audio-stop")
            assert "error" not in client.kinds
            assert "audio-chunk" in client.kinds

    run(talk())


def test_a_start_that_is_refused_is_told_once_and_its_text_is_dropped(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(start(name="af_hart"), SynthesizeChunk(SHORT), Synthesize(SHORT), SynthesizeStop())
            await client.until("synthesize-stopped")
            assert client.kinds == ["error", "audio-stop", "synthesize-stopped"]
            assert client.error.code == "unknown_voice"
            assert await client.say_in_parts(SHORT)

    run(talk())


def test_a_clause_that_cannot_be_spoken_is_told_and_the_others_are_spoken(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            heard = await client.say_in_parts("Good day.\n", "ᎠᎡᎢ.\n", "Good day.\n")
            assert client.error.code == "invalid_text"
            assert client.kinds == [
                *("audio-start", "audio-chunk", "error", "audio-chunk"),
                *("audio-stop", "synthesize-stopped"),
            ]
            assert len(heard) > 1.5 * len(await client.say_in_parts("Good day.\n"))

    run(talk())


def test_more_text_than_may_wait_is_dropped_and_told(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(start(), SynthesizeChunk(SHORT), SynthesizeChunk("a" * 5001))
            await client.until("error")
            assert client.error.code == "text_too_long"
            await client.send(SynthesizeStop())
            await client.until("synthesize-stopped")
            assert "audio-chunk" in client.kinds

    run(talk())


@pytest.mark.parametrize(
    ("kind", "data", "named"),
    [
        ("synthesize", {}, "text"),
        ("synthesize", {"text": 7}, "text"),
        ("synthesize", {"text": "Hi", "voice": "af_heart"}, "voice"),
        ("synthesize", {"text": "Hi", "voice": {"name": ["af_heart"]}}, "voice.name"),
        ("synthesize", {"text": "Hi", "text_format": "html"}, "text_format"),
        ("synthesize-chunk", {"text": "Hi"}, "without synthesize-start"),
        ("synthesize-stop", {}, "without synthesize-start"),
        ("ping", {"text": {}}, "text"),
    ],
)
def test_an_event_that_is_not_as_it_must_be_is_told(wyoming, kind, data, named):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send_raw(json.dumps({"type": kind, "data": data}).encode() + b"\n")
            await client.until("error")
            assert client.error.code == "invalid_request"
            assert named in client.error.text
            await client.send(Ping("still there"))
            assert (await client.until("pong")).data["text"] == "still there"

    run(talk())


def test_a_second_start_is_refused_and_the_first_goes_on(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(start(), start())
            await client.until("error")
            await client.send(SynthesizeChunk(SHORT), SynthesizeStop())
            await client.until("synthesize-stopped")
            assert client.kinds == [*("error", "audio-start", "audio-chunk", "audio-stop", "synthesize-stopped")]

    run(talk())


def test_events_of_other_services_are_ignored_with_their_audio(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.client.write_event(Event("transcribe", {"language": "en"}))
            await client.client.write_event(Event("audio-chunk", {"rate": 16_000}, b"\0" * 9999))
            await client.send(Ping())
            assert (await client.receive()).type == "pong"

    run(talk())


@costly(part=4)
@given(content=any_bytes)
def test_any_bytes_leave_the_service_well(wyoming, content):
    address = urlsplit(wyoming.uri)
    with socket.create_connection((address.hostname, address.port), GUARD_S) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while connection.recv(65_536):
                pass

    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(Ping())
            await client.until("pong")

    run(talk())
