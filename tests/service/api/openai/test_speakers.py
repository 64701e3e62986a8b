"""Voices, rates and speakers in the input, as clients of Kokoro-FastAPI send them."""

import io
import json
import wave

import pytest

SENTENCE = "The quick brown fox jumps over the lazy dog, and then it rests."


def speech(server, **fields):
    answer = server.client.post("/v1/audio/speech", json={"response_format": "wav", "stream": False, **fields})
    assert answer.status_code == 200, answer.text
    return answer


def seconds(server, text, **fields):
    with wave.open(io.BytesIO(speech(server, input=text, **fields).content)) as file:
        return file.getnframes() / file.getframerate()


def test_half_the_rate_takes_twice_as_long(server):
    usual = seconds(server, SENTENCE, voice="af_bella")
    assert seconds(server, f"[rate:0.5]{SENTENCE}", voice="af_bella") / usual == pytest.approx(2.0, abs=0.35)
    assert seconds(server, f"[rate:2]{SENTENCE}", voice="af_bella") / usual == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("more", [{}, {"allow_voice_tags": True}])
def test_an_alias_has_a_rate_that_multiplies_with_a_tag(server, more):
    fields = {"voice_aliases": {"slow": {"voice": "af_bella", "rate": 0.8}}, **more}
    usual = seconds(server, SENTENCE, voice="af_bella")
    assert seconds(server, SENTENCE, voice="slow", **fields) / usual == pytest.approx(1 / 0.8, rel=0.1)
    assert seconds(server, f"[voice:SLOW]{SENTENCE}", voice="af_sky", **fields) / usual == pytest.approx(1.25, rel=0.1)
    tagged = seconds(server, f"[voice:slow][rate:0.5]{SENTENCE}", **fields)
    assert tagged / usual == pytest.approx(2.5, rel=0.15)


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
