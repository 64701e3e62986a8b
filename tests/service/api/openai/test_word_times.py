"""Word times on OpenAI's door, and its kinds of input."""

import base64
import json

import openai
import pytest
from tests.service.api.openai.openai_client import create, read_events

TEXT = "It costs $5.50. Then he left."


def timed(client, **fields):
    return create(client, voice="af_heart", input=TEXT, extra_body=fields)


@pytest.fixture(scope="module")
def answer(own):
    """What `/synthesize` answers."""
    return own(text=TEXT, timestamps="phoneme").json()


def test_the_envelope_is_that_of_synthesize(client, answer):
    assert json.loads(timed(client, timestamps="phoneme", response_format="wav")) == answer
    plain = [{name: word[name] for name in word if name != "phonemes"} for word in answer["words"]]
    for depth in (True, "word"):
        assert json.loads(timed(client, timestamps=depth, response_format="wav")) == {**answer, "words": plain}
    assert json.loads(timed(client, timestamps=True))["format"] == "mp3"


@pytest.mark.parametrize("audio_format", ["pcm", "mp3", "opus"])
def test_events_carry_words_beside_what_the_clients_know(client, answer, audio_format):
    fields = {"response_format": audio_format, "stream_format": "sse"}
    *deltas, done = read_events(timed(client, timestamps=True, **fields))
    assert {event["type"] for event in deltas} == {"speech.audio.delta"}
    assert all(base64.b64decode(event["audio"]) for event in deltas)
    words = [word for event in deltas for word in event["words"]]
    places = ("text", "text_start", "text_end")
    assert [[word[name] for name in places] for word in words] == [
        [word[name] for name in places] for word in answer["words"]
    ]
    assert done["type"] == "speech.audio.done"
    assert "words" not in timed(client, **fields).decode()


def test_input_is_text_ssml_or_phonemes(client):
    def say(text, **fields):
        return create(client, input=text, response_format="pcm", extra_body=fields)

    assert say("həlˈO", input_format="phonemes") == say("[Hi](/həlˈO/)")
    ssml = "<speak>Hi<break time='1s'/></speak>"
    assert say(ssml, input_format="ssml") == say(ssml, ssml=True) == say("Hi[pause:1s]")
    for text, kind, code in (("<speak>", "ssml", "invalid_markup"), (".", "phonemes", "nothing_to_say")):
        with pytest.raises(openai.BadRequestError) as caught:
            say(text, input_format=kind)
        assert (caught.value.code, caught.value.param) == (code, "input")
