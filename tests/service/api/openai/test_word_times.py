"""Word times on OpenAI's door, and its kinds of input."""

from __future__ import annotations

import base64
import json
from typing import Any

import openai
import pytest
from tests.service.api.openai.openai_client import KEY, create, read_events

TEXT = "It costs $5.50. Then he left."
HEADERS = {"authorization": f"Bearer {KEY}"}


def ask(client, **fields):
    return create(client, voice="af_heart", input=TEXT, extra_body=fields)


@pytest.fixture(scope="module")
def own(keyed_server):
    """What `/synthesize` answers."""
    body = {"text": TEXT, "timestamps": "phoneme"}
    answer = keyed_server.client.post("/synthesize", json=body, headers=HEADERS)
    found: dict[str, Any] = answer.json()
    return found


def without_phonemes(words):
    return [{name: word[name] for name in word if name != "phonemes"} for word in words]


def test_the_envelope_is_that_of_synthesize(client, own):
    phonemes = json.loads(ask(client, timestamps="phoneme", response_format="wav"))
    assert phonemes == own
    for depth in (True, "word"):
        answer = json.loads(ask(client, timestamps=depth, response_format="wav"))
        assert answer == {**own, "words": without_phonemes(own["words"])}
    assert json.loads(ask(client, timestamps=True))["format"] == "mp3"


@pytest.mark.parametrize("audio_format", ["pcm", "mp3", "opus"])
def test_events_carry_words_beside_what_the_clients_know(client, own, audio_format):
    fields = {"response_format": audio_format, "stream_format": "sse"}
    events = read_events(ask(client, timestamps=True, **fields))
    assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}
    assert all(base64.b64decode(event["audio"]) for event in events[:-1])
    words = [word for event in events[:-1] for word in event["words"]]
    assert [(word["text"], word["text_start"], word["text_end"]) for word in words] == [
        (word["text"], word["text_start"], word["text_end"]) for word in own["words"]
    ]
    assert events[-1]["type"] == "speech.audio.done"
    silent = ask(client, **fields).decode()
    assert "words" not in silent


def test_input_is_text_ssml_or_phonemes(client):
    def say(text, **fields):
        return create(client, input=text, response_format="pcm", extra_body=fields)

    phonemes = say("həlˈO", input_format="phonemes")
    assert phonemes == say("[Hi](/həlˈO/)")
    ssml = "<speak>Hi<break time='1s'/></speak>"
    assert say(ssml, input_format="ssml") == say(ssml, ssml=True) == say("Hi[pause:1s]")
    with pytest.raises(openai.BadRequestError) as caught:
        say("<speak>", input_format="ssml")
    assert (caught.value.code, caught.value.param) == ("invalid_markup", "input")
    with pytest.raises(openai.BadRequestError) as caught:
        say(".", input_format="phonemes")
    assert caught.value.code == "nothing_to_say"
