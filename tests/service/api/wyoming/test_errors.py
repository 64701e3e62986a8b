"""What cannot be spoken is told by an event, and the connection goes on."""

import json
import socket

from tests.profiles import costly, given
from tests.service.api.wyoming.talks import IN_PARTS, SHORT, Talk, read_out, start, whole
from tests.service.api.wyoming.wire_bytes import any_bytes
from wyoming.event import Event
from wyoming.ping import Ping
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStop

UNSPEAKABLE = (
    (whole(SHORT, name="af_hart"), "unknown_voice", "did you mean af_heart?"),
    (whole(SHORT, name="af_heart("), "invalid_blend", "af_heart("),
    (whole(SHORT, language="tlh"), "language_unavailable", "tlh"),
    (whole(""), "empty_text", "empty"), (whole("ᎠᎡᎢ."), "invalid_text", "Ꭰ"),
    (whole("a" * 20_001), "text_too_long", "20001"),
)  # fmt: skip


def test_what_cannot_be_spoken_is_told_and_the_next_is_spoken(faulty):
    for asked, code, named in UNSPEAKABLE:
        with Talk(faulty.uri) as client:
            client.send(asked)
            # Clients that know no errors wait for the end of the audio.
            client.until("audio-stop")
            assert (client.kinds, client.error.code) == (["error", "audio-stop"], code)
            assert named in client.error.text
            assert client.say(SHORT)


def test_an_odd_character_costs_no_text(client):
    for odd in ("\uf0b7", "\x1b", "\ufffe", "\ud83d", "\u13a0"):
        client.send_raw(json.dumps({"type": "synthesize", "data": {"text": f"Good {odd} day."}}).encode() + b"\n")
        client.until("audio-stop")
        assert client.kinds[-3:] == ["audio-start", "audio-chunk", "audio-stop"], odd
    assert "error" not in client.kinds


def test_a_start_that_is_refused_is_told_once_and_its_text_is_dropped(client):
    client.send(start(name="af_hart"), SynthesizeChunk(SHORT), Synthesize(SHORT), SynthesizeStop())
    client.until("synthesize-stopped")
    assert client.kinds == ["error", "audio-stop", "synthesize-stopped"]
    assert client.error.code == "unknown_voice"
    assert client.say_in_parts(SHORT)


def test_a_clause_that_cannot_be_spoken_is_told_and_the_others_are_spoken(client):
    heard = client.say_in_parts("Good day.\n", "ᎠᎡᎢ.\n", "Good day.\n")
    assert client.error.code == "invalid_text"
    assert client.kinds == ["audio-start", "audio-chunk", "error", *IN_PARTS[1:]]
    assert len(heard) > 1.5 * len(client.say_in_parts("Good day.\n"))


def test_more_text_than_may_wait_is_dropped_and_told(client):
    client.send(start(), SynthesizeChunk(SHORT), SynthesizeChunk("a" * 20_001))
    client.until("error")
    assert client.error.code == "text_too_long"
    client.send(SynthesizeStop())
    client.until("synthesize-stopped")
    assert "audio-chunk" in client.kinds


MALFORMED = (
    ("synthesize", {}, "text"), ("synthesize", {"text": 7}, "text"),
    ("synthesize", {"text": "Hi", "voice": "af_heart"}, "voice"),
    ("synthesize", {"text": "Hi", "voice": {"name": ["af_heart"]}}, "voice.name"),
    ("synthesize", {"text": "Hi", "text_format": "html"}, "text_format"),
    ("synthesize-chunk", {"text": "Hi"}, "without synthesize-start"),
    ("synthesize-stop", {}, "without synthesize-start"), ("ping", {"text": {}}, "text"),
)  # fmt: skip


def test_an_event_that_is_not_as_it_must_be_is_told(faulty):
    for kind, data, named in MALFORMED:
        with Talk(faulty.uri) as client:
            client.send_raw(json.dumps({"type": kind, "data": data}).encode() + b"\n")
            client.until("error")
            assert client.error.code == "invalid_request", (kind, data)
            assert named in client.error.text
            client.send(Ping("still there"))
            assert client.until("pong").data["text"] == "still there"


def test_a_second_start_is_refused_and_the_first_goes_on(client):
    client.send(start(), start())
    client.until("error")
    client.send(SynthesizeChunk(SHORT), SynthesizeStop())
    client.until("synthesize-stopped")
    assert client.kinds == ["error", *IN_PARTS]


def test_events_of_other_services_are_ignored_with_their_audio(client):
    client.send_event(Event("transcribe", {"language": "en"}), Event("audio-chunk", {"rate": 16_000}, b"\0" * 9999))
    client.send(Ping())
    assert client.receive().type == "pong"


@costly(part=4)
@given(content=any_bytes)
def test_any_bytes_leave_the_service_well(faulty, content):
    with Talk(faulty.uri) as client:
        client.send_raw(content)
        client.socket.shutdown(socket.SHUT_WR)
        read_out(client.socket)
    with Talk(faulty.uri) as client:
        client.send(Ping())
        client.until("pong")
