"""The official client against a server; what is said has the bytes of `/synthesize`."""

import base64
import json

import openai
import pytest
from tests.service.api.openai.openai_client import HEADERS, KEY, SHORT, TEXT, connect, create, heard, read_events

LONG = "".join(f"{number} birch canoes slid on the smooth planks. " for number in range(40))

FORMATS = (
    ("mp3", "audio/mpeg", 24_000, True), ("opus", "audio/ogg", 24_000, True), ("aac", "audio/aac", 24_000, True),
    ("flac", "audio/flac", 24_000, False), ("wav", "audio/wav", 24_000, False), ("pcm", "audio/pcm", 24_000, True),
    ("mulaw", "audio/PCMU", 8000, True), ("alaw", "audio/PCMA", 8000, True),
)  # fmt: skip
"""With their media types and rates, and whether they are streamed where nothing else is asked for."""


@pytest.fixture(scope="module")
def said(own):
    def said(audio_format, **fields):
        answer = own(text=TEXT, voice="af_alloy", format=audio_format, **fields)
        assert answer.status_code == 200, answer.text
        return answer.content

    return said


def test_every_format_has_the_bytes_of_synthesize(client, said, tmp_path):
    path = tmp_path / "speech"
    for audio_format, media_type, rate_hz, streamed in FORMATS:
        with client.audio.speech.with_streaming_response.create(
            model="tts-1", voice="alloy", input=TEXT, response_format=audio_format
        ) as response:
            assert response.headers["content-type"] == media_type
            assert response.headers["x-sample-rate-hz"] == str(rate_hz)
            assert ("content-length" in response.headers) is not streamed, audio_format
            response.stream_to_file(path)
        content = heard(audio_format, path.read_bytes())
        assert content == heard(audio_format, said(audio_format, stream=streamed)), audio_format
        assert content == heard(audio_format, create(client, response_format=audio_format)), audio_format
    assert create(client) == create(client, response_format="mp3")


def test_wav_that_is_streamed_does_not_tell_its_length(client):
    whole = create(client, response_format="wav")
    streamed = create(client, response_format="wav", extra_body={"stream": True})
    assert streamed[4:8] == streamed[40:44] == b"\xff\xff\xff\xff"
    assert streamed[:4] + streamed[8:40] == whole[:4] + whole[8:40]
    assert len(streamed) == len(whole)


def test_sound_comes_while_the_rest_is_made(faulty):
    for audio_format in ("mp3", "opus", "pcm"):
        identity = f"left-{audio_format}"
        with (
            connect(faulty) as client,
            client.audio.speech.with_streaming_response.create(
                model="tts-1", voice="alloy", input=LONG, response_format=audio_format,
                extra_headers={"X-Request-ID": identity},
            ) as response,
        ):  # fmt: skip
            assert response.headers["x-request-id"] == identity
            assert "content-length" not in response.headers
            assert next(response.iter_bytes())
        # Who leaves stops what had not been made by then.
        faulty.wait_for(f"id={identity} .*outcome=cancelled")


@pytest.mark.parametrize("audio_format", ["pcm", "mp3", "opus", "flac"])
def test_events_hold_the_audio(client, said, audio_format):
    with client.audio.speech.with_streaming_response.create(
        model="gpt-4o-mini-tts", voice="alloy", input=TEXT, response_format=audio_format, stream_format="sse"
    ) as response:
        assert response.headers["content-type"].partition(";")[0] == "text/event-stream"
        *deltas, done = read_events(response.read())
    assert {event["type"] for event in deltas} == {"speech.audio.delta"}
    assert done["type"] == "speech.audio.done"
    assert set(done["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}
    content = b"".join(base64.b64decode(event["audio"]) for event in deltas)
    assert heard(audio_format, content) == heard(audio_format, said(audio_format, stream=True))


def test_fields_are_those_of_synthesize_and_instructions_change_nothing(client, said):
    def pcm(**fields):
        return create(client, response_format="pcm", **fields)

    assert pcm(extra_body={"sample_rate": 48_000}) == said("pcm", sample_rate=48_000, stream=True)
    assert pcm(speed=1.5) == said("pcm", speed=1.5, stream=True) != pcm()
    assert pcm(instructions="Whisper, as in a library.") == pcm()


def test_names_of_openai_are_voices_of_kokoro(keyed_server, client):
    own = keyed_server.client.get("/voices", headers=HEADERS).json()["voices"]
    listed = keyed_server.client.get("/v1/audio/voices", headers=HEADERS).json()["voices"]
    assert len(own) == 54
    assert [voice["id"] for voice in listed[:54]] == [voice["name"] for voice in own]
    assert {voice["id"] for voice in listed[54:]} == {
        "alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx",
        "sage", "shimmer", "verse", "My Blend",
    }  # fmt: skip
    assert all(voice["language"] and voice["sex"] for voice in listed)

    def said(voice):
        return create(client, voice=voice, input=SHORT)

    for name, kokoro in (("echo", "am_echo"), ("fable", "bm_fable"), ("marin", "af_heart")):
        assert said(name) == said(kokoro)
    assert said("echo") != said("fable")
    assert said({"id": "coral"}) == said("af_bella")
    assert said({"id": "af_bella(2)+af_sky(1)"}) == said("af_bella(2)+af_sky(1)") != said("coral")


def test_models_are_listed_and_any_name_is_a_model(client):
    models = list(client.models.list())
    assert [model.id for model in models] == ["kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd"]
    assert [client.models.retrieve(model.id) for model in models] == models
    spoken = create(client, model="kokoro", input=SHORT)
    for name in ("tts-1-hd", "gpt-4o-mini-tts-2025-12-15", "hexgrad/Kokoro-82M", "no model"):
        assert client.models.retrieve(name).id == name
        assert create(client, model=name, input=SHORT) == spoken


INVALID = "invalid_request"
ERRORS = (
    ({"response_format": "opus", "extra_body": {"sample_rate": 22_050}}, "unsupported_format", "response_format",
     "opus has no 22050 Hz"),
    ({"response_format": "wav_mulaw", "stream_format": "sse"}, "unsupported_format", "response_format", "wav_mulaw"),
    ({"model": ""}, INVALID, "model", "model"), ({"voice": "../../etc/passwd"}, "invalid_blend", "voice", "af_"),
    ({"voice": "af_hart"}, "unknown_voice", "voice", "did you mean af_heart?"),
    ({"speed": 0.01}, INVALID, "speed", "speed"), ({"speed": 40.0}, INVALID, "speed", "speed"),
    ({"input": ""}, "empty_text", "input", "empty"), ({"input": " \n"}, "empty_text", "input", "empty"),
    ({"response_format": "wma"}, INVALID, "response_format", "'mp3'"),
    ({"extra_body": {"input": None}}, INVALID, "input", "required"),
    ({"extra_body": {"lang_code": "xx"}}, "language_unavailable", "lang_code", "en-us"),
    ({"extra_body": {"timestamps": "letter"}}, INVALID, "timestamps", "'word'"),
    ({"extra_body": {"volume_multiplier": 11}}, INVALID, "volume_multiplier", "volume_multiplier"),
    ({"extra_body": {"normalization_options": {"normalize": "no"}}}, INVALID, "normalization_options",
     "normalization_options.normalize"),
)  # fmt: skip


@pytest.mark.parametrize(("fields", "code", "param", "named"), ERRORS)
def test_what_cannot_be_had_is_a_bad_request_that_says_why(client, fields, code, param, named):
    with pytest.raises(openai.BadRequestError) as caught:
        create(client, **fields)
    error = caught.value
    assert (error.code, error.param, error.type) == (code, param, "invalid_request_error")
    assert named in error.body["message"]
    assert error.request_id == error.body["request_id"]


def test_text_over_the_limit_is_an_error(client):
    with pytest.raises(openai.APIStatusError) as caught:
        create(client, input="a" * 20_001)
    error = caught.value
    assert (error.status_code, error.code, error.param) == (413, "text_too_long", "input")


def test_the_key_of_the_client_is_the_key_of_the_service(keyed_server):
    with connect(keyed_server, api_key="sk-of-somebody-else-0123") as stranger:
        with pytest.raises(openai.AuthenticationError, match="API key is unknown") as caught:
            create(stranger)
        assert (caught.value.code, caught.value.type) == ("unauthorized", "invalid_request_error")
        with pytest.raises(openai.AuthenticationError):
            stranger.models.list()
    with connect(keyed_server, api_key="unused", default_headers={"X-API-Key": KEY}) as known:
        assert known.models.list()


# Word times, and kinds of input.

WORDS = "It costs $5.50. Then he left."


def timed(client, **fields):
    return create(client, voice="af_heart", input=WORDS, extra_body=fields)


@pytest.fixture(scope="module")
def answer(own):
    return own(text=WORDS, timestamps="phoneme").json()


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
