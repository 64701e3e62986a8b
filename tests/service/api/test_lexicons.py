"""The lexicon that comes with a request."""

import pytest
from tests.service.api.speech_client import speak
from tests.service.api.speech_socket import SpeechSocket

TEXT = "Ask Zorvath, or Quarrik."
LEXICON = {"zorvath": "/ʃəvˈɔn/", "Quarrik": "win"}


def phonemes(server, **fields):
    answer = server.client.post("/phonemize", json=fields)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["phonemes"])


def test_words_are_said_as_the_request_says(server):
    wanted = phonemes(server, text="Ask [Zorvath](/ʃəvˈɔn/), or win.")
    assert phonemes(server, text=TEXT, lexicon=LEXICON) == wanted
    assert phonemes(server, text=TEXT, lexicon={}) == phonemes(server, text=TEXT) != wanted
    assert phonemes(server, text=TEXT, lexicon=None) == phonemes(server, text=TEXT)
    fast = {"speed": 2.0, "format": "pcm"}
    spoken = speak(server, text=TEXT, lexicon=LEXICON, **fast).content
    assert spoken == speak(server, phonemes=wanted, **fast).content
    openai = {"model": "kokoro", "voice": "af_heart", "speed": 2.0, "response_format": "pcm"}
    by_openai = [
        server.client.post("/v1/audio/speech", json={**openai, **fields}).content
        for fields in ({"input": TEXT, "lexicon": LEXICON}, {"input": "Ask Zorvath, or win."})
    ]
    assert len(by_openai[0]) > 20_000
    assert by_openai[0] != by_openai[1]


def test_times_are_those_of_the_words_as_they_were_sent(server):
    answer = speak(server, text=TEXT, lexicon=LEXICON, speed=2.0, timestamps="word").json()
    assert [word["text"] for word in answer["words"]] == ["Ask", "Zorvath", "or", "Quarrik"]
    for word in answer["words"]:
        assert TEXT[word["text_start"] : word["text_end"]] == word["text"]


def test_a_session_has_the_lexicon_of_its_last_config(server):
    with SpeechSocket(server.url) as session:
        session.until("ready")
        for lexicon in (LEXICON, None):
            fields = {"lexicon": lexicon} if lexicon else {}
            session.exchange("config", "ready", speed=2.0, timestamps="phoneme", **fields)
            session.say("Zorvath.\n")
            session.exchange("flush", "flushed")
        said = [
            "".join(phoneme["symbol"] for word in message["words"] for phoneme in word["phonemes"])
            for message in session.of("audio")
            if message["words"]
        ]
        assert said[0] == "ʃəvˈɔn"
        assert said[-1] != said[0]
        session.send("config", lexicon={"a": "/k@/"})
        assert session.until("error")["error"]["code"] == "invalid_lexicon"
        session.finish()


@pytest.mark.parametrize(("lexicon", "code", "named"), [
    ({"Zorvath": "/k@/"}, "invalid_lexicon", "entry 1 ('Zorvath'): '@'"),
    ({"a": "b", "Zorvath": ""}, "invalid_lexicon", "'Zorvath'"), ({"": "b"}, "invalid_lexicon", "''"),
    ({"a": "b", "A": "b"}, "invalid_lexicon", "entry 2 ('A'): an earlier entry"),
    ({"a" * 65: "b"}, "invalid_lexicon", "65 characters; the limit is 64"),
    ({f"a{number}": "b" for number in range(1000)}, "invalid_lexicon", "1000 words"),
    ({"a": 1}, "invalid_request", "lexicon: Input should be an object with strings"),
    (["a"], "invalid_request", "lexicon: Input should be an object with strings"),
    ("a", "invalid_request", "lexicon: Input should be an object with strings"),
])  # fmt: skip
@pytest.mark.parametrize("path", ["/synthesize", "/phonemize", "/v1/audio/speech"])
def test_a_lexicon_that_cannot_be_used_is_refused(server, path, lexicon, code, named):
    fields = {"text": TEXT}
    status = 422
    if path.startswith("/v1"):
        status = 400
        fields = {"input": TEXT, "model": "kokoro", "voice": "nova"}
    answer = server.client.post(path, json={**fields, "lexicon": lexicon})
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] == code
    assert named in error["message"]
    assert len(answer.content) < 1000
