"""The choices of `normalize` on every door."""

import pytest
from tests.service.api.speech_client import speak
from tests.service.api.websocket.sessions import opened

TEXT = "Go to https://example.com/a."
SHORT = {"urls": "short"}
FAST = {"format": "pcm", "speed": 2.0}


@pytest.fixture(scope="module")
def short(remembering):
    """How the text sounds if the host is all that is read of the URL."""
    said = speak(remembering, text="Go to example dot com.", **FAST).content
    assert said != speak(remembering, text=TEXT, **FAST).content
    return said


def test_synthesize_takes_them(remembering, short):
    assert speak(remembering, text=TEXT, normalize=SHORT, **FAST).content == short


def test_openai_takes_them(remembering, short):
    body = {"input": TEXT, "speed": 2.0, "response_format": "pcm", "stream": False}
    options = {**SHORT, "url_normalization": True}
    answer = remembering.client.post(
        "/v1/audio/speech", json={**body, "normalization_options": options}
    ).raise_for_status()
    assert answer.content == short
    assert answer.headers["x-ignored-fields"] == "normalization_options.url_normalization"


def test_a_session_takes_them(remembering):
    said = []
    for config in ({}, {"normalize": SHORT}):
        with opened(remembering) as talk:
            talk.exchange("config", "ready", speed=2.0, **config)
            talk.say(TEXT if config else "Go to example dot com.")
            talk.finish()
            said.append(talk.pcm)
    assert said[0] == said[1]


def test_phonemize_takes_them_and_tells_what_is_not_read(remembering):
    fields = {"text": "Go 🎉 to https://example.com/ab.", "normalize": {**SHORT, "emoji": "name"}}
    answer = remembering.client.post("/phonemize", json=fields).raise_for_status().json()
    assert answer["normalized"] == "Go party popper to example dot com."


@pytest.mark.parametrize(
    "choices", [{"urls": "none"}, {"url": "short"}, {"markdown": "no"}, {"numbers_as": 1}, "short"]
)
def test_other_choices_are_refused(remembering, choices):
    answer = remembering.client.post("/phonemize", json={"text": "Hello.", "normalize": choices})
    assert answer.status_code == 422
    assert "normalize" in answer.json()["error"]["message"]
