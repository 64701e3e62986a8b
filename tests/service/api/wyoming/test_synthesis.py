"""What Wyoming's clients ask for, and what they hear."""

import pytest
from service.text.readers import Readers
from tests.service.api.speech_client import speak
from tests.service.api.wyoming.talks import LONG, SHORT, Talk, run, start
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStop, SynthesizeTextFormat

from service import __version__
from service.text import LANGUAGES


def test_describe_tells_of_every_voice(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(Describe())
            return Info.from_event(await client.receive())

    info = run(talk())
    (program,) = info.tts
    assert (program.name, program.installed, program.version) == ("kokoro", True, __version__)
    assert program.supports_synthesize_streaming
    assert program.attribution.url.startswith("https://")
    voices = {voice.name: voice for voice in program.voices}
    listed = wyoming.client.get("/voices").json()["voices"]
    assert set(voices) == {voice["name"] for voice in listed}
    heart, emma, dora = voices["af_heart"], voices["bf_emma"], voices["pf_dora"]
    assert heart.description == "Heart (American English, female)"
    assert (heart.languages, emma.languages, dora.languages) == (["en-US"], ["en-GB"], ["pt-BR"])
    assert heart.speakers is None
    assert not info.asr + info.wake + info.handle + info.intent
    readable = {code for code in LANGUAGES if Readers.is_available(code)}
    for voice in listed:
        assert voices[voice["name"]].installed is (voice["language"] in readable)


def test_a_whole_text_is_spoken_as_a_stream_of_http_is(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            return await client.say(LONG[:200], name="bf_emma"), client.kinds

    heard, kinds = run(talk())
    fields = {"text": LONG[:200], "voice": "bf_emma", "format": "pcm", "stream": True}
    assert heard == speak(wyoming, **fields).content
    assert kinds == ["audio-start", "audio-chunk", "audio-stop"]


def test_what_cannot_be_pronounced_is_a_short_silence(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            heard = [await client.say(text) for text in ("...", "[pause:0s]", "[pause:0.00001s]")]
            for text in ("\N{SLIGHTLY SMILING FACE}", "[pause:0s]"):
                heard.append(await client.say_in_parts(text))
            return heard

    assert set(run(talk())) == {bytes(2 * 4_800)}  # 0.2 s


def test_a_text_in_parts_is_spoken_once_however_it_is_cut(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            heard = []
            for size in (1, 7, len(LONG)):
                parts = [LONG[at : at + size] for at in range(0, len(LONG), size)]
                heard.append(await client.say_in_parts(*parts))
            assert client.kinds == 3 * [*("audio-start", "audio-chunk", "audio-stop", "synthesize-stopped")]
            return heard

    first, second, third = run(talk())
    assert first == second == third
    said = speak(wyoming, text=LONG, format="pcm").content
    assert 0.9 * len(said) < len(first) < 1.1 * len(said)


def test_sound_leaves_inside_a_sentence_that_is_still_being_written(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.send(start(), SynthesizeChunk("The birch canoe slid on planks, and th"))
            await client.until("audio-chunk")
            await client.send(SynthesizeChunk("en it sank"), SynthesizeStop())
            await client.until("synthesize-stopped")
            return client.kinds

    assert run(talk()) == ["audio-start", "audio-chunk", "audio-stop", "synthesize-stopped"]


def test_a_sentence_leaves_window_by_window(wyoming):
    sentence = LONG[:200].replace(".", ",") + " and this is its end."

    async def talk():
        async with Talk(wyoming.uri) as client:
            await client.say(sentence)
            return [len(event.payload or b"") for event in client.heard]

    sizes = run(talk())
    # The first window is a second or two; a chunk that is decoded whole comes in full parts.
    assert 0 < sum(sizes[1:4]) < 3 * 32_768
    assert len([size for size in sizes if 0 < size < 32_768]) > 2


def test_texts_in_parts_and_whole_ones_follow_each_other_on_a_connection(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            once = await client.say(SHORT)
            # All at once: they are answered one after the other.
            await client.send(Synthesize(SHORT), Synthesize(SHORT), Ping("now"))
            await client.until("audio-stop")
            await client.until("audio-stop")
            assert sum(len(event.payload or b"") for event in client.heard) == 3 * len(once)
            assert any(Pong.is_type(event.type) and event.data == {"text": "now"} for event in client.heard)
            assert await client.say_in_parts(SHORT)
            assert await client.say(SHORT) == once

    run(talk())


@pytest.mark.parametrize(
    ("choice", "voice"),
    [
        ({"language": "en-GB"}, "bf_alice"),
        ({"language": "pt_BR"}, "pf_dora"),
        ({"language": "fr_FR"}, "ff_siwis"),
        ({"language": "fr-CA"}, "ff_siwis"),
        ({"language": "es-MX"}, "ef_dora"),
        ({"language": "en-AU"}, "bf_alice"),
        ({"language": "en"}, "af_heart"),
        ({"language": "en-US"}, "af_heart"),
        ({"name": "af_bella(2)+af_sky(1)"}, "af_bella(2)+af_sky(1)"),
        ({"name": "bm_george", "language": "es", "speaker": "7"}, "bm_george"),
        ({}, "af_heart"),
    ],
)
def test_a_voice_is_chosen_by_name_or_by_language(wyoming, choice, voice):
    async def talk():
        async with Talk(wyoming.uri) as client:
            return [await client.say(SHORT, **choice), await client.say(SHORT, name=voice)]

    chosen, named = run(talk())
    assert chosen == named


def test_ssml_is_spoken_whole_and_refused_in_parts(wyoming):
    ssml = '<speak>Good <break time="1s"/> day.</speak>'

    async def talk():
        async with Talk(wyoming.uri) as client:
            plain = await client.say("Good day.")
            await client.send(Synthesize(ssml, text_format=SynthesizeTextFormat.SSML))
            await client.until("audio-stop")
            n_bytes = sum(len(event.payload or b"") for event in client.heard)
            assert n_bytes > 2 * len(plain) + 40_000
            beginning = start()
            beginning.text_format = "ssml"
            await client.send(beginning)
            await client.until("synthesize-stopped")
            assert client.error.code == "invalid_request"
            assert "SSML" in client.error.text

    run(talk())


def test_a_blank_text_in_parts_ends_without_sound(wyoming):
    async def talk():
        async with Talk(wyoming.uri) as client:
            for parts in ([], ["  ", "\n"]):
                assert await client.say_in_parts(*parts) == b""
            assert "error" not in client.kinds

    run(talk())
