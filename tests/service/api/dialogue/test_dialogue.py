"""Dialogues: on the service's own door, ElevenLabs' and Kokoro-FastAPI's."""

import base64
import io
import json
import wave

import numpy as np
import pytest

TURNS = [
    {"voice": "anna", "text": "Who is there?", "pause_s": 1.0},
    {"voice": "am_michael", "text": "It is [rate:0.8]me.", "speed": 1.2},
    {"voice": "anna", "text": "Come in!"},
]
BODY = {"turns": TURNS, "speakers": {"anna": {"voice": "bf_emma", "gain_db": -1.0}}}


def post(server, path, **body):
    answer = server.client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer


def samples_of(content):
    with wave.open(io.BytesIO(content)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def test_turns_are_said_one_after_another_with_their_pauses(server):
    answer = post(server, "/dialogue", **BODY, timestamps="word").json()
    assert [turn["voice"] for turn in answer["turns"]] == ["anna", "am_michael", "anna"]
    assert [[word["text"] for word in turn["words"]] for turn in answer["turns"]] == [
        ["Who", "is", "there"], ["It", "is", "me"], ["Come", "in"]
    ]  # fmt: skip
    for turn, sent in zip(answer["turns"], TURNS, strict=True):
        assert (turn["start_s"], turn["end_s"]) == (turn["words"][0]["start_s"], turn["words"][-1]["end_s"])
        for word in turn["words"]:
            assert sent["text"][word["text_start"] : word["text_end"]] == word["text"]
    first, second, third = answer["turns"]
    assert 1.0 <= second["start_s"] - first["end_s"] < 1.4
    assert 0.4 <= third["start_s"] - second["end_s"] < 0.8
    samples = samples_of(base64.b64decode(answer["audio"]))
    assert samples.size / 24_000 == pytest.approx(answer["duration_s"], abs=1e-3)


def test_a_stream_has_the_same_sound_and_words(server):
    whole = post(server, "/dialogue", **BODY, format="pcm", timestamps="word", decoding="windows").json()
    stream = post(server, "/dialogue", **BODY, format="pcm", timestamps="word", stream=True)
    events = [json.loads(line[6:]) for line in stream.text.splitlines() if line.startswith("data: ")]
    words = [(word["turn"], word["text"]) for event in events for word in event.get("words", ())]
    assert words == [(n, word["text"]) for n, turn in enumerate(whole["turns"]) for word in turn["words"]]
    sound = b"".join(base64.b64decode(event["audio"]) for event in events)
    assert len(sound) == pytest.approx(len(base64.b64decode(whole["audio"])), rel=0.02)
    assert post(server, "/dialogue", **BODY, format="pcm", stream=True).headers["content-type"].startswith("audio/pcm")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"turns": []}, 422), ({"turns": [{"text": "Hi.", "voice": "nobody"}]}, 422),
        ({"turns": [{"text": ""}]}, 422), ({"turns": [{"text": "Hi."}], "format": "wav", "stream": True}, 400),
        ({"turns": [{"text": "x" * 15_000}, {"text": "y" * 15_000}]}, 413), ({"turns": [{"voice": "af_sky"}]}, 422),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(server, fields, status):
    assert server.client.post("/dialogue", json=fields).status_code == status


INPUTS = [
    {"text": "Knock knock.", "voice_id": "21m00Tcm4TlvDq8ikWAM"}, {"text": "Who is it?", "voice_id": "Adam"},
]  # fmt: skip


def test_elevenlabs_clients_converse(server):
    path = "/v1/text-to-dialogue"
    assert samples_of(post(server, f"{path}?output_format=wav_24000", inputs=INPUTS).content).size > 24_000
    assert post(server, f"{path}/stream?output_format=pcm_24000", inputs=INPUTS).content
    timed = post(server, f"{path}/with-timestamps?output_format=pcm_24000", inputs=INPUTS, model_id="eleven_v3").json()
    characters = timed["alignment"]["characters"]
    segments = timed["voice_segments"]
    assert [
        "".join(characters[one["character_start_index"] : one["character_end_index"]]) for one in segments
    ] == ["Knock knock.", "Who is it?"]  # fmt: skip
    assert [one["voice_id"] for one in segments] == [turn["voice_id"] for turn in INPUTS]
    assert [one["dialogue_input_index"] for one in segments] == [0, 1]
    assert segments[0]["end_time_seconds"] <= segments[1]["start_time_seconds"]
    lines = post(server, f"{path}/stream/with-timestamps?output_format=pcm_24000", inputs=INPUTS).text.splitlines()
    streamed = [json.loads(line) for line in lines]
    assert "".join("".join((line["alignment"] or {"characters": []})["characters"]) for line in streamed) == "".join(
        characters
    )
    told = [one for line in streamed for one in line["voice_segments"]]
    assert sum(one["character_end_index"] - one["character_start_index"] for one in told) == 22
    assert server.client.post(path, json={"inputs": [{"text": "a", "voice_id": "b"}]}).status_code == 404


def test_kokoro_fastapi_clients_converse(server):
    turns = [{"voice": "slow", "text": "Who is there?"}, {"voice": "nova", "text": "It is me."}]
    fields = {"voice_aliases": {"slow": {"voice": "af_bella", "rate": 0.8}}, "response_format": "wav", "stream": False}
    short = samples_of(post(server, "/dev/dialogue", turns=turns, pause_between_turns=0.0, **fields).content)
    long = samples_of(post(server, "/dev/dialogue", turns=turns, pause_between_turns=2.0, **fields).content)
    assert (long.size - short.size) / 24_000 == pytest.approx(2.0, abs=0.05)


def test_kokoro_fastapi_clients_have_captions(server):
    body = {"input": "One. [voice:af_sky]Two.", "voice": "af_heart", "response_format": "wav"}
    whole = post(server, "/dev/captioned_speech", stream=False, **body).json()
    words = [(word["word"], word.get("voice")) for word in whole["timestamps"]]
    assert words == [("One", None), ("Two", "af_sky")]
    lines = post(server, "/dev/captioned_speech", **body).text.splitlines()
    streamed = [json.loads(line) for line in lines]
    assert [(word["word"], word.get("voice")) for line in streamed for word in line["timestamps"]] == words
    assert b"".join(base64.b64decode(line["audio"]) for line in streamed)[:4] == b"RIFF"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<speak>Hi <break time='1s'/><prosody rate='slow'>there</prosody></speak>", "Hi [pause:1s] [rate:0.75] there"),
        ("<speak><voice name='af_sky'>A.</voice> B.</speak>", "[voice:af_sky] A. [/voice] B."),
        ("<speak><emphasis level='strong'>So</emphasis> <phoneme alphabet='kokoro' ph='kˈæt'>cat</phoneme></speak>",
         "[So](+1) [cat](/kˈæt/)"),
        ("<speak><sub alias='World'>W</sub></speak>", "World"),
        ("<speak><voice name='en-US-GuyNeural'>A.</voice> <voice name='nobody'>B.</voice></speak>",
         "[voice:am_michael] A. [/voice] B."),
    ],
)  # fmt: skip
def test_ssml_is_written_as_tags(server, document, text):
    assert post(server, "/dev/ssml", text=document).json()["text"] == text
