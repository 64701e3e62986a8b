"""Voices, rates and speakers in the input, as clients of Kokoro-FastAPI send them."""

import io
import json
import wave
from functools import partial

import httpx
import openai
import pytest

from tests.service.api.elevenlabs.stream_socket import StreamSocket
from tests.service.api.speech_client import speak

SENTENCE = "The quick brown fox jumps over the lazy dog, and then it rests."


def speech(server, **fields):
    answer = server.client.post("/v1/audio/speech", json={"response_format": "wav", "stream": False, **fields})
    assert answer.status_code == 200, answer.text
    return answer


@pytest.fixture(scope="module")
def lasts(server):
    """Return how many times as long as usual OpenAI's own client makes the sentence."""
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:

        def say(text=SENTENCE, voice="af_bella", **extra):
            content = client.audio.speech.create(
                model="tts-1", voice=voice, input=text, response_format="wav", extra_body=extra
            ).content
            with wave.open(io.BytesIO(content)) as file:
                return file.getnframes() / file.getframerate()

        usual = say()
        yield lambda *text, **fields: say(*text, **fields) / usual


SLOW = {"voice_aliases": {"slow": {"voice": "af_bella", "rate": 0.8}}}


@pytest.mark.parametrize("tags", [{}, {"allow_voice_tags": True}])
def test_rates_of_tags_aliases_and_fields_multiply(lasts, tags):
    near = partial(pytest.approx, rel=0.1)
    assert lasts(speed=0.5) == near(2.0)
    assert lasts(f"[rate:0.5] {SENTENCE}", **tags) == near(2.0)
    assert lasts(f"[rate:2]{SENTENCE}", **tags) == near(0.5)
    assert lasts(voice="slow", **SLOW, **tags) == near(1 / 0.8)
    assert lasts(f"[voice:SLOW]{SENTENCE}", voice="af_sky", **SLOW, **tags) == near(1 / 0.8)
    assert lasts(f"[rate:1.1] {SENTENCE}", voice="slow", **SLOW, **tags) == near(1 / 0.88)
    assert lasts(f"[rate:0.5] {SENTENCE}", voice="slow", speed=1.25, **SLOW, **tags) == near(2.0)


def test_ssml_that_is_written_as_tags_is_as_slow(server, lasts):
    document = f"<speak><prosody rate='slow'>{SENTENCE}</prosody></speak>"
    text = server.client.post("/dev/ssml", json={"text": document, "voice": "af_bella"}).json()["text"]
    assert "[rate:0.75]" in text
    assert lasts(text, allow_voice_tags=True) == pytest.approx(1 / 0.75, rel=0.1)
    assert lasts(document) == pytest.approx(1 / 0.75, rel=0.1)


def test_turns_of_a_dialogue_come_with_openais_client(server):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        turns = [{"voice": "ann", "text": "Who?"}, {"voice": "nova", "text": "Me."}]
        answer = client.post(
            f"{server.url}/dev/dialogue",
            body={"turns": turns, "voice_aliases": {"ann": "bf_emma"}, "response_format": "wav"},
            cast_to=httpx.Response,
        )
    assert answer.content[:4] == b"RIFF"


def test_word_times_carry_the_voice(server):
    fields = {"timestamps": True, "speakers": {"Ben": {"voice": "am_adam", "gain_db": -3.0}}}
    words = speech(server, input="One. [voice:ben]Two. [voice:nova]Three.", voice="af_heart", **fields).json()["words"]
    assert [(word["text"], word.get("voice")) for word in words] == [
        ("One", None), ("Two", "am_adam"), ("Three", "af_nova")
    ]  # fmt: skip


@pytest.mark.parametrize("audio_format", ["mp3", "wav", "pcm"])
def test_times_of_the_parts_are_beside_the_audio(server, audio_format):
    text = f"{SENTENCE} [pause:1s] [voice:af_sky]Again."
    fields = {"input": text, "response_format": audio_format, "return_download_link": True}
    plain = server.client.post("/v1/audio/speech", json=fields)
    answer = server.client.post("/v1/audio/speech", json={**fields, "return_timing": True})
    assert answer.content == plain.content
    assert "x-timing-path" not in plain.headers
    path = answer.headers["x-timing-path"]
    first, last = server.client.get(f"/v1{path}").json()["chunks"]
    assert (first["text"], last["text"], last["voice"]) == (SENTENCE.rstrip("."), "Again", "af_sky")
    assert first["start"] == 0
    assert first["end"] == last["start"] < last["end"]
    assert server.client.get(f"/v1{path[:-6]}.json").status_code == 404


def test_a_dialogue_has_times_and_events(server):
    turns = [{"voice": "af_bella", "text": "Who?"}, {"voice": "am_michael", "text": "Me."}]
    say = {"turns": turns, "response_format": "wav", "stream": False}
    timed = server.client.post("/dev/dialogue", json={**say, "return_timestamps": True}).json()
    words = [(word["word"], word.get("voice")) for word in timed["timestamps"]]
    assert words == [("Who", None), ("Me", "am_michael")]
    events = server.client.post("/dev/dialogue", json={**say, "stream_format": "sse", "timestamps": True})
    assert [word["text"] for word in _words(events.text)] == ["Who", "Me"]
    beside = server.client.post("/dev/dialogue", json={**say, "return_timing": True}).headers["x-timing-path"]
    assert [part["text"] for part in server.client.get(f"/v1{beside}").json()["chunks"]] == ["Who", "Me"]


def _words(events):
    for line in events.splitlines():
        if line.startswith("data: {"):
            yield from json.loads(line[6:]).get("words") or ()


def test_without_voice_tags_they_are_text(server):
    words = speech(server, input="[voice:af_sky]One.", timestamps=True, allow_voice_tags=False).json()["words"]
    assert len(words) > 1


@pytest.mark.parametrize(
    "fields",
    [
        {"voice_aliases": {"a": "nobody"}}, {"voice_aliases": {"a": {"voice": "nobody"}}},
        {"speakers": {"a": "nobody"}},
        {"voice_aliases": {"a": {"voice": "af_sky", "rate": 9}}}, {"speakers": {"": "af_sky"}},
    ],
)  # fmt: skip
def test_speakers_that_cannot_be_are_refused(server, fields):
    assert server.client.post("/v1/audio/speech", json={"input": "Hi.", **fields}).status_code == 400


def test_speakers_have_names_on_the_doors_of_others(server):
    text, speakers = "[voice:ann]Good day.", {"ann": {"voice": "am_adam", "speed": 0.5, "gain_db": -3}}
    own = {form: speak(server, text=text, speakers=speakers, format=form).content for form in ("wav", "pcm")}
    assert server.client.post("/", json={"text": text, "speakers": speakers}).content == own["wav"]
    path = "/v1/text-to-speech/af_heart?output_format=pcm_24000"
    assert server.client.post(path, json={"text": text, "speakers": speakers}).content == own["pcm"]
    with StreamSocket(server.url) as socket:
        socket.send(text=" ", speakers=speakers)
        heard = socket.say(f"{text} ")
    assert len(heard.audio) > 0.8 * len(own["pcm"])
