"""Voices, rates and speakers in the input, as clients of Kokoro-FastAPI send them."""

import io
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
