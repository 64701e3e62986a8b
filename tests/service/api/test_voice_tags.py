"""Tags that set the voice inside a text, on every door."""

import pytest
from tests.service.api.speech_client import speak
from tests.service.api.speech_socket import SpeechSocket

TAGGED = "One day. [voice:bm_lewis]Two days.[/voice] Three days."


def test_the_words_between_tags_are_said_by_their_voice(server):
    fast = {"speed": 2.0, "format": "pcm"}
    tagged = speak(server, text=TAGGED, **fast).content
    ssml = '<speak>One day. <voice name="bm_lewis">Two days.</voice> Three days.</speak>'
    assert tagged == speak(server, text=ssml, ssml=True, **fast).content
    assert tagged != speak(server, text="One day. Two days. Three days.", **fast).content


def test_times_are_those_of_the_words_as_they_were_sent(server):
    answer = speak(server, text=TAGGED, speed=2.0, timestamps="word").json()
    assert " ".join(word["text"] for word in answer["words"]) == "One day Two days Three days"
    for word in answer["words"]:
        assert TAGGED[word["text_start"] : word["text_end"]] == word["text"]


@pytest.mark.parametrize(("text", "code"), [
    ("[voice:nobody]Hi.[/voice]", "unknown_voice"), ("[voice:af_sky]Hi.", "invalid_markup"),
    ("Hi.[/voice]", "invalid_markup"),
])  # fmt: skip
def test_wrong_tags_are_refused_by_every_door(text, code, server):
    requests = [
        ("/synthesize", {"text": text}),
        ("/v1/audio/speech", {"model": "kokoro", "voice": "af_heart", "input": text}),
        ("/v1/text-to-speech/af_heart", {"text": text}),
        ("/phonemize", {"text": text}),
    ]
    for path, body in requests:
        answer = server.client.post(path, json=body)
        assert answer.status_code in (400, 422), path
        assert code in answer.text, path


def test_a_session_goes_on_with_the_voice_of_a_tag(server):
    said = []
    for tag, end in (("[voice:bm_lewis]", "[/voice]"), ("", "")):
        with SpeechSocket(server.url) as session:
            session.until("ready")
            session.exchange("config", "ready", speed=2.0)
            session.say(f"{tag}One day.\n")
            session.say(f"Two days.{end}\n")
            session.exchange("flush", "flushed")
            session.finish()
            assert not session.of("error")
            said.append(session.pcm)
    assert said[0] != said[1]
