"""What Wyoming's clients ask for, what they hear, and how they are told what cannot be spoken."""

import json

import pytest
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStop, SynthesizeTextFormat

from service import __version__
from service.text import LANGUAGES
from service.text.readers import Readers
from tests.service.api.speech_client import speak
from tests.service.api.wyoming.talks import IN_PARTS, LONG, SHORT, Talk, start, whole


@pytest.fixture
def client(faulty):
    with Talk(faulty.uri) as client:
        yield client


def test_describe_tells_of_every_voice(faulty, client):
    client.send(Describe())
    info = Info.from_event(client.receive())
    (program,) = info.tts
    assert (program.name, program.installed, program.version) == ("kokoro", True, __version__)
    assert program.supports_synthesize_streaming
    assert program.attribution.url.startswith("https://")
    voices = {voice.name: voice for voice in program.voices}
    listed = faulty.client.get("/voices").json()["voices"]
    readable = {code for code in LANGUAGES if Readers.is_available(code)}
    assert {name: voice.installed for name, voice in voices.items()} == {
        voice["name"]: voice["language"] in readable for voice in listed
    }
    heart, emma, dora = voices["af_heart"], voices["bf_emma"], voices["pf_dora"]
    assert heart.description == "Heart (American English, female)"
    assert (heart.languages, emma.languages, dora.languages) == (["en-US"], ["en-GB"], ["pt-BR"])
    assert heart.speakers is info.satellite is None
    titles = [(voice.description, *voice.languages) for voice in program.voices]
    assert len(set(titles)) == len(titles)  # from which the users of Home Assistant choose
    assert not info.asr + info.wake + info.handle + info.intent


def test_a_whole_text_is_spoken_as_a_stream_of_http_is(faulty, client):
    fields = {"text": LONG[:200], "voice": "bf_emma", "format": "pcm", "stream": True}
    assert client.say(LONG[:200], name="bf_emma") == speak(faulty, **fields).content
    assert client.kinds == ["audio-start", "audio-chunk", "audio-stop"]


def test_what_cannot_be_pronounced_is_a_short_silence_and_what_is_blank_none(client):
    heard = {client.say(text) for text in ("...", "[pause:0s]", "[pause:0.00001s]")}
    heard |= {client.say_in_parts(text) for text in ("\N{HORIZONTAL ELLIPSIS}", "[pause:0s]")}
    assert heard == {bytes(2 * 4_800)}  # 0.2 s
    for parts in ([], ["  ", "\n"]):
        assert client.say_in_parts(*parts) == b""
    assert "error" not in client.kinds


@pytest.mark.thorough
def test_a_text_in_parts_is_spoken_once_however_it_is_cut(faulty, client):
    cuts = ([LONG[at : at + size] for at in range(0, len(LONG), size)] for size in (1, 7, len(LONG)))
    first, second, third = (client.say_in_parts(*parts) for parts in cuts)
    assert client.kinds == 3 * IN_PARTS
    assert first == second == third
    said = speak(faulty, text=LONG, format="pcm").content
    assert 0.9 * len(said) < len(first) < 1.1 * len(said)


def test_sound_leaves_inside_a_sentence_that_is_still_being_written(client):
    client.send(start(), SynthesizeChunk("The birch canoe slid on planks, and th"))
    client.until("audio-chunk")
    client.send(SynthesizeChunk("en it sank"), SynthesizeStop())
    client.until("synthesize-stopped")
    assert client.kinds == IN_PARTS


def test_a_sentence_leaves_window_by_window(client):
    client.say(LONG[:200].replace(".", ",") + " and this is its end.")
    sizes = [len(event.payload or b"") for event in client.heard]
    # The first window is a second or two; a chunk that is decoded whole comes in full parts.
    assert 0 < sum(sizes[1:4]) < 3 * 32_768
    assert len([size for size in sizes if 0 < size < 32_768]) > 2


def test_texts_in_parts_and_whole_ones_follow_each_other_on_a_connection(client):
    once = client.say(SHORT)
    # All at once: they are answered one after the other.
    client.send(Synthesize(SHORT), Synthesize(SHORT), Ping("now"))
    client.until("audio-stop")
    client.until("audio-stop")
    assert client.n_bytes == 3 * len(once)
    assert any(Pong.is_type(event.type) and event.data == {"text": "now"} for event in client.heard)
    assert client.say_in_parts(SHORT)
    assert client.say(SHORT) == once


CHOICES = (
    ({"language": "en-GB"}, "bf_alice"), ({"language": "pt_BR"}, "pf_dora"), ({"language": "fr_FR"}, "ff_siwis"),
    ({"language": "fr-CA"}, "ff_siwis"), ({"language": "es-MX"}, "ef_dora"), ({"language": "en-AU"}, "bf_alice"),
    ({"language": "en"}, "af_heart"), ({"language": "en-US"}, "af_heart"), ({}, "af_heart"),
    ({"name": "af_bella(2)+af_sky(1)"}, "af_bella(2)+af_sky(1)"),
    ({"name": "bm_george", "language": "es", "speaker": "7"}, "bm_george"),
)  # fmt: skip


def test_a_voice_is_chosen_by_name_or_by_language(client):
    misses = [choice for choice, voice in CHOICES if client.say(SHORT, **choice) != client.say(SHORT, name=voice)]
    assert not misses
    assert client.say(SHORT, name="bf_alice") != client.say(SHORT)


def test_ssml_is_spoken_whole_and_in_parts(client):
    document = '<speak>Good <break time="1s"/> day.</speak>'
    plain = client.say("Good day.")
    said = client.ask(Synthesize(document, text_format=SynthesizeTextFormat.SSML))
    assert len(said) > len(plain) + 40_000
    assert client.say(document) == said
    for size in (1, 7, len(document)):
        parts = client.say_in_parts(*(document[at : at + size] for at in range(0, len(document), size)))
        assert len(parts) > len(plain) + 40_000
    assert "error" not in client.kinds


def test_speakers_have_names(client):
    event = Synthesize("[voice:ann]Good day.").event()
    event.data["speakers"] = {"ann": {"voice": "af_bella", "speed": 0.5}}
    client.send_event(event)
    client.until("audio-stop")
    assert client.n_bytes > 1.5 * len(client.say("Good day.", name="af_bella"))


UNSPEAKABLE = (
    (whole(SHORT, name="af_hart"), "unknown_voice", "did you mean af_heart?"),
    (whole(SHORT, name="af_heart("), "invalid_blend", "af_heart"),
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
