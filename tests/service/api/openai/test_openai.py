"""The official client against a real server."""

from __future__ import annotations

import base64
import io
import itertools
import json
import time

import av
import numpy as np
import openai
import pytest
from tests.service.api.openai.openai_client import KEY, SHORT, TEXT, connect, create, decode, read_events
from tests.service.api.speech_client import Caller

SENTENCE = "The birch canoe slid on the smooth planks. "

MP3_DELAY = 1105
"""Samples that LAME and decoding are late by; a stream cannot tell decoders to cut them off."""


@pytest.fixture(scope="module")
def server(keyed_server):
    return keyed_server


def correlation(one, other):
    return float(np.corrcoef(one.astype(float), other.astype(float))[0, 1])


@pytest.fixture(scope="module")
def pcm(client):
    samples = np.frombuffer(create(client, response_format="pcm"), "<i2")
    assert np.abs(samples).max() > 3_000
    return samples


def test_wav_that_is_streamed_does_not_tell_its_length(client):
    whole = create(client, response_format="wav")
    streamed = create(client, response_format="wav", extra_body={"stream": True})
    assert streamed[4:8] == streamed[40:44] == b"\xff\xff\xff\xff"
    assert streamed[:4] + streamed[8:40] == whole[:4] + whole[8:40]
    assert len(streamed) == len(whole)


@pytest.mark.parametrize("audio_format", ["wav", "flac"])
def test_files_are_as_long_as_pcm_but_are_decoded_whole(client, pcm, audio_format):
    decoded = decode(create(client, response_format=audio_format))
    assert abs(decoded.size - pcm.size) <= 240
    assert np.array_equal(decoded, decode(create(client, response_format="wav")))
    # Where nothing is said both are silent, and loud at the same times.
    loudness = [
        np.abs(one[: pcm.size // 2400 * 2400 - 2400].astype(float)).reshape(-1, 2400).mean(1) for one in (decoded, pcm)
    ]
    assert correlation(*loudness) > 0.95


def test_opus_decodes_to_as_many_samples_as_pcm(client, pcm):
    decoded = decode(create(client, response_format="opus"))
    assert decoded.size == pcm.size
    assert correlation(decoded, pcm) > 0.98


def test_mp3_is_the_default_and_decodes_to_no_less_than_pcm(client, pcm):
    content = create(client)
    assert content == create(client, response_format="mp3")
    decoded = decode(content)
    assert 47 <= decoded.size - MP3_DELAY - pcm.size <= 622
    assert correlation(decoded[MP3_DELAY:][: pcm.size], pcm) > 0.98


@pytest.mark.parametrize(
    ("audio_format", "media_type"),
    [
        ("mp3", "audio/mpeg"),
        ("opus", "audio/ogg"),
        ("flac", "audio/flac"),
        ("wav", "audio/wav"),
        ("pcm", "audio/pcm"),
        ("aac", "audio/aac"),
    ],
)
def test_the_file_of_a_streaming_response_is_the_same(client, tmp_path, audio_format, media_type):
    path = tmp_path / "speech"
    with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input=TEXT, response_format=audio_format
    ) as response:
        assert response.headers["content-type"] == media_type
        assert response.headers["x-sample-rate-hz"] == "24000"
        response.stream_to_file(path)
    whole = create(client, response_format=audio_format)
    if audio_format == "opus":  # each has a serial number of its own
        assert np.array_equal(decode(path.read_bytes()), decode(whole))
    else:
        assert path.read_bytes() == whole


@pytest.mark.parametrize("audio_format", ["mp3", "opus", "pcm"])
def test_sound_comes_while_the_rest_is_made(server, client, audio_format):
    identity = f"left-{audio_format}"
    with client.audio.speech.with_streaming_response.create(
        model="tts-1",
        voice="alloy",
        input=SENTENCE * 40,  # half a minute of computing, two and a half of listening
        response_format=audio_format,
        extra_headers={"X-Request-ID": identity},
    ) as response:
        assert response.headers["x-request-id"] == identity
        assert "content-length" not in response.headers
        assert next(response.iter_bytes())
    # Who leaves stops what had not been made by then.
    server.wait_for(f"id={identity} .*outcome=cancelled")


@pytest.mark.parametrize("audio_format", ["pcm", "mp3", "opus", "flac"])
def test_events_hold_the_audio(client, pcm, audio_format):
    events = read_events(create(client, response_format=audio_format, stream_format="sse"))
    assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}
    assert events[-1]["type"] == "speech.audio.done"
    assert set(events[-1]["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}
    content = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    if audio_format == "pcm":
        assert content == pcm.tobytes()
    elif audio_format == "flac":  # soundfile does not read one of open length
        assert content.startswith(b"fLaC")
    else:
        assert decode(content).size >= pcm.size


def test_aac_decodes_to_pcm_after_a_frame_of_silence(client, pcm):
    content = create(client, response_format="aac")
    with av.open(io.BytesIO(content)) as container:
        frames = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    decoded = np.concatenate(frames)[1024:]
    assert 0 <= decoded.size - pcm.size < 1024
    assert correlation(decoded[: pcm.size], pcm) > 0.98


@pytest.mark.parametrize("audio_format", ["mulaw", "alaw"])
def test_telephones_get_their_own_bytes(client, pcm, audio_format):
    with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input=TEXT, response_format=audio_format
    ) as response:
        assert response.headers["x-sample-rate-hz"] == "8000"
        media_type = {"mulaw": "audio/PCMU", "alaw": "audio/PCMA"}[audio_format]
        assert response.headers["content-type"] == media_type
        assert abs(len(response.read()) - pcm.size / 3) < 1


def test_a_sample_rate_changes_the_samples_and_not_the_duration(client, pcm):
    faster = create(client, response_format="pcm", extra_body={"sample_rate": 48_000})
    assert len(faster) // 2 == 2 * pcm.size
    assert correlation(np.frombuffer(faster, "<i2")[::2], pcm) > 0.99


def test_events_come_line_by_line(client):
    with client.audio.speech.with_streaming_response.create(
        model="gpt-4o-mini-tts", voice="alloy", input=TEXT, stream_format="sse"
    ) as response:
        assert response.headers["content-type"].partition(";")[0] == "text/event-stream"
        lines = [line.removeprefix("data: ") for line in response.iter_lines() if line]
    assert json.loads(lines[0])["type"] == "speech.audio.delta"
    assert json.loads(lines[-2])["type"] == "speech.audio.done"
    assert lines[-1] == "[DONE]"


def test_the_async_client_gets_the_same(server, pcm):
    import asyncio

    async def ask():
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY) as client:
            answer = await client.audio.speech.create(model="tts-1", voice="alloy", input=TEXT, response_format="pcm")
            return answer.content

    assert asyncio.run(ask()) == pcm.tobytes()


def test_names_of_openai_are_voices_of_kokoro(server, client):
    headers = {"authorization": f"Bearer {KEY}"}
    own = {voice["name"]: voice for voice in server.client.get("/voices", headers=headers).json()["voices"]}
    listed = server.client.get("/v1/audio/voices", headers=headers).json()["voices"]
    assert len(own) == 54
    assert [voice["id"] for voice in listed[:54]] == list(own)
    assert {voice["id"] for voice in listed[54:]} == {
        "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx",
        "sage", "shimmer", "verse", "My Blend",
    }  # fmt: skip
    assert all(voice["language"] and voice["sex"] for voice in listed)
    for name, kokoro in (("echo", "am_echo"), ("fable", "bm_fable"), ("marin", "af_heart")):
        assert create(client, voice=name, input=SHORT) == create(client, voice=kokoro, input=SHORT)
    assert create(client, voice="echo", input=SHORT) != create(client, voice="fable", input=SHORT)


def test_a_voice_is_a_name_an_object_or_a_blend(client):
    blend = create(client, voice="af_bella(2)+af_sky(1)", input=SHORT)
    assert create(client, voice={"id": "af_bella(2)+af_sky(1)"}, input=SHORT) == blend
    assert create(client, voice={"id": "coral"}, input=SHORT) == create(client, voice="af_bella", input=SHORT)
    assert blend != create(client, voice="coral", input=SHORT)


def test_speed_changes_the_length_and_instructions_change_nothing(client, pcm):
    quick, slow = (len(create(client, response_format="pcm", speed=speed)) // 2 for speed in (1.5, 0.7))
    assert quick < 0.85 * pcm.size < pcm.size < 0.85 * slow
    told = create(client, response_format="pcm", instructions="Whisper, as in a library.")
    assert told == pcm.tobytes()


def test_models_are_listed_and_any_name_is_a_model(client):
    models = list(client.models.list())
    assert [model.id for model in models] == ["kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd"]
    for model in models:
        assert client.models.retrieve(model.id) == model
    spoken = create(client, model="kokoro", input=SHORT)
    for name in ("tts-1-hd", "gpt-4o-mini-tts-2025-12-15", "hexgrad/Kokoro-82M", "no model"):
        assert client.models.retrieve(name).id == name
        assert create(client, model=name, input=SHORT) == spoken


@pytest.mark.parametrize(
    ("fields", "code", "param", "named"),
    [
        (
            {"response_format": "opus", "extra_body": {"sample_rate": 22_050}},
            "unsupported_format",
            "response_format",
            "opus has no 22050 Hz",
        ),
        (
            {"response_format": "wav_mulaw", "stream_format": "sse"},
            "unsupported_format",
            "response_format",
            "wav_mulaw",
        ),
        ({"model": ""}, "invalid_request", "model", "model"),
        ({"voice": "af_hart"}, "unknown_voice", "voice", "did you mean af_heart?"),
        ({"voice": "../../etc/passwd"}, "invalid_blend", "voice", "af_"),
        ({"speed": 0.01}, "invalid_request", "speed", "speed"),
        ({"speed": 40.0}, "invalid_request", "speed", "speed"),
        ({"input": ""}, "empty_text", "input", "empty"),
        ({"input": " \n"}, "empty_text", "input", "empty"),
        ({"response_format": "wma"}, "invalid_request", "response_format", "'mp3'"),
        ({"extra_body": {"input": None}}, "invalid_request", "input", "required"),
        ({"extra_body": {"lang_code": "xx"}}, "language_unavailable", "lang_code", "en-us"),
        ({"extra_body": {"timestamps": "letter"}}, "invalid_request", "timestamps", "'word'"),
        ({"extra_body": {"volume_multiplier": 11}}, "invalid_request", "volume_multiplier", "volume_multiplier"),
        (
            {"extra_body": {"normalization_options": {"normalize": "no"}}},
            "invalid_request",
            "normalization_options",
            "normalization_options.normalize",
        ),
    ],
)
def test_what_cannot_be_had_is_a_bad_request_that_says_why(client, fields, code, param, named):
    with pytest.raises(openai.BadRequestError) as caught:
        create(client, **fields)
    error = caught.value
    assert (error.code, error.param, error.type) == (code, param, "invalid_request_error")
    assert isinstance(error.body, dict)
    assert named in error.body["message"]
    assert error.request_id == error.body["request_id"]


def test_text_over_the_limit_is_an_error(client):
    with pytest.raises(openai.APIStatusError) as caught:
        create(client, input="a" * 20_001)
    assert (caught.value.status_code, caught.value.code) == (413, "text_too_long")
    assert caught.value.param == "input"


def test_the_key_of_the_client_is_the_key_of_the_service(server):
    with connect(server, api_key="sk-of-somebody-else-0123") as stranger:
        with pytest.raises(openai.AuthenticationError, match="API key is unknown") as caught:
            create(stranger)
        assert caught.value.code == "unauthorized"
        assert caught.value.type == "invalid_request_error"
        with pytest.raises(openai.AuthenticationError):
            stranger.models.list()
    with connect(server, api_key="unused", default_headers={"X-API-Key": KEY}) as known:
        assert known.models.list()


@pytest.mark.thorough
def test_an_overloaded_service_is_asked_again_after_the_time_that_it_names(start_server):
    server = start_server("--max-requests", "1")
    server.wait_until_ready()
    answers: list[tuple[float, int, str | None]] = []

    def note(response):
        after_s = response.headers.get("retry-after")
        answers.append((time.monotonic(), response.status_code, after_s))
        taker.close()

    transport = openai.DefaultHttpxClient(event_hooks={"response": [note]})
    with Caller(server, "taker", text=SENTENCE * 40, stream=True, format="pcm") as taker:
        taker.read_some()
        with connect(server) as client, pytest.raises(openai.InternalServerError) as caught:
            create(client)
        assert caught.value.code == "overloaded"
        with connect(server, max_retries=20, http_client=transport) as client:
            response = client.audio.speech.with_raw_response.create(model="tts-1", voice="alloy", input=TEXT)
    assert response.retries_taken == len(answers) - 1 > 0
    assert {status for _, status, _ in answers[:-1]} == {503}
    assert answers[-1][1] == 200
    for (asked, _, after_s), (asked_again, _, _) in itertools.pairwise(answers):
        assert after_s is not None
        assert asked_again - asked >= int(after_s) >= 1
    assert server.stop() == 0
