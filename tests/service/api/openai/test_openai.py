"""OpenAI's door: the official client, which hears the bytes of `/synthesize`, and what others send loosely."""

import base64
import io
import json
import re

import numpy as np
import openai
import pytest
import soundfile

from service.api.openai.names import VOICES, VoiceNames, check_model, language_code
from service.errors import LanguageUnavailableError, UnknownModelError, UnknownVoiceError
from service.resources import resource
from service.speech import VoiceLibrary
from service.speech.voices import FILE_BYTES
from service.tensor_files import read
from tests.service.api.serving_process import lent, write
from tests.service.commands import command

KEY = "sk-kokoro-0123456789abcdef"
HEADERS = {"authorization": f"Bearer {KEY}"}
TEXT = "One moment, please."
SHORT = "Yes."


def connect(server, **options):
    return openai.OpenAI(base_url=f"{server.url}/v1", **{"api_key": KEY, "max_retries": 0, **options})


def create(client, **fields):
    fields = {"model": "tts-1", "voice": "alloy", "input": TEXT, **fields}
    return client.audio.speech.create(**fields).content


def read_events(content):
    """Return the data of server-sent events, which must end with the mark that ends them."""
    *events, end, rest = content.decode().split("\n\n")
    assert (end, rest) == ("data: [DONE]", "")
    return [json.loads(event.removeprefix("data: ")) for event in events]


def decode(content):
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == 24_000
    assert samples.ndim == 1
    return samples


def heard(audio_format, content):
    """Return the bytes, or for Opus the samples: each of its streams has a serial number of its own."""
    return decode(content).tobytes() if audio_format == "opus" else content


@pytest.fixture(scope="session")
def keyed_server(start_server, tmp_path_factory):
    """One that asks for a key, and keeps what it said, for the second format of the same text."""
    folder = tmp_path_factory.mktemp("openai")
    keys, config = write(folder / "keys", KEY.encode()), folder / "config.toml"
    config.write_text('[openai_voices]\nnova = "bm_george"\n"My Blend" = "af_bella(2)+af_sky(1)"\n')
    flags = ("--audio-cache-bytes", "50_000_000", "--config", str(config), "--log-level", "debug")
    yield from lent(start_server, "--api-keys-file", str(keys), *flags)


@pytest.fixture(scope="session")
def client(keyed_server):
    with connect(keyed_server) as client:
        yield client


@pytest.fixture(scope="session")
def ask(keyed_server):
    """Ask without the client, for what it does not send."""

    def ask(**fields):
        body = {"input": SHORT, "response_format": "pcm", **fields}
        return keyed_server.client.post("/v1/audio/speech", json=body, headers=HEADERS)

    return ask


@pytest.fixture(scope="session")
def own(keyed_server):
    return lambda **fields: keyed_server.client.post("/synthesize", json=fields, headers=HEADERS)


ADDED = {"narrator": "bm_george", "Both of Them": "af_bella+af_sky", "duo": "af_sky+af_bella"}


@pytest.fixture(scope="module")
def names():
    return VoiceNames(ADDED, VoiceLibrary(resource("voices")))


def test_a_name_stands_for_a_voice_or_a_blend(names):
    voices = {
        "af_heart": "af_heart", "AF_HEART": "af_heart", "alloy": "af_alloy", " Alloy\n": "af_alloy",
        "alloy+nova(2)": "af_alloy+af_nova(2)", "AF_Bella (2) + echo": "af_bella (2) + am_echo",
        "Narrator": "bm_george", "narrator+alloy": "bm_george+af_alloy", "Both of them": "af_bella+af_sky",
        "duo+alloy": "duo+af_alloy",  # a blend within a blend: refused where it is read
        "a(b": "a(b", "nobody+alloy": "nobody+af_alloy", "": "",
    }  # fmt: skip
    assert {name: names.resolve(name) for name in voices} == voices


def test_single_names_are_known_in_any_case(names):
    assert all(map(names.knows, ("af_heart", "Af_Heart", "ALLOY", "narrator", "both of them")))
    assert not any(map(names.knows, ("", "kokoro", "af_heart+af_sky", "nobody")))


def test_an_unknown_name_is_an_error_with_a_suggestion(names):
    for name, near in (("af_hart", "af_heart"), ("naratorr", "narrator"), ("shimer", "shimmer")):
        with pytest.raises(UnknownVoiceError, match=rf"unknown voice .*mean {near}\?"):
            names.resolve(name)
    with pytest.raises(UnknownVoiceError, match=r"^unknown voice 'zzzzzzzz'$"):
        names.resolve("zzzzzzzz")


def test_names_of_voices_that_are_not_there_are_left_out(tmp_path):
    (tmp_path / "af_alloy.bin").write_bytes(bytes(FILE_BYTES))
    names = VoiceNames({}, VoiceLibrary(tmp_path))
    assert names.mapped == {"alloy": "af_alloy"}
    assert "echo" in VOICES
    assert not names.knows("echo")


def test_a_language_has_a_letter_a_code_and_regions():
    codes = {"a": "en-us", "Z": "zh", "en": "en-us", "pt-PT": "pt-br", "fr_CA": "fr"}
    assert {name: language_code(name) for name in codes} == codes
    for name in ("", "x", "xx", "xx-YY", "-", "english"):
        with pytest.raises(LanguageUnavailableError, match="unknown language"):
            language_code(name)


def test_models_may_have_dates():
    for name in ("kokoro", "tts-1", "tts-1-1106", "tts-1-hd-1106", "gpt-4o-mini-tts-2025-03-20"):
        check_model(name, ())
    for name in ("", "tts", "tts-1-11", "tts-1-hd-", "kokoro-v1", "xtts-1", "tts-1-1106-1106"):
        with pytest.raises(UnknownModelError):
            check_model(name, ())


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
    shown = json.loads(timed(client, timestamps="visemes", response_format="wav"))["words"]
    assert [word["visemes"][-1]["end_s"] for word in shown] == [word["end_s"] for word in plain]


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


def test_without_fields_or_with_null_the_defaults_speak(ask):
    names = (
        "model", "voice", "speed", "stream_format", "instructions", "stream", "lang_code",
        "volume_multiplier", "normalization_options", "timestamps", "input_format",
    )  # fmt: skip
    for answer in (ask(), ask(**dict.fromkeys(names))):
        assert answer.status_code == 200, answer.text
        assert answer.content == ask(model="kokoro", voice="af_heart").content
        assert "x-ignored-fields" not in answer.headers


def test_numbers_may_be_text(ask):
    assert ask(speed="1.5").content == ask(speed=1.5).content
    assert ask(volume_multiplier="0.5").content == ask(volume_multiplier=0.5).content
    for speed in ("fast", "", "nan", "1e9"):
        assert ask(speed=speed).status_code == 400


def test_fields_without_effect_are_named_in_a_header_and_in_the_log(ask, keyed_server):
    answer = ask(
        backend="piper", extra_payload={"cfg": 1}, return_download_link=True,
        instructions="Whisper.", download_format="wav",
        normalization_options={"normalize": True, "url_normalization": False},
    )  # fmt: skip
    assert answer.content == ask().content
    names = answer.headers["x-ignored-fields"]
    assert names.split(", ") == [
        "backend", "extra_payload", "return_download_link", "instructions",
        "download_format", "normalization_options.url_normalization",
    ]  # fmt: skip
    identity = answer.headers["x-request-id"]
    assert keyed_server.wait_for(rf"request {identity}: ignored fields: (.*)") == names
    assert not any("Whisper" in line or "piper" in line for line in keyed_server.log)


def test_names_of_ignored_fields_are_bounded_whatever_they_are(ask):
    answer = ask(**{"a\r\nset-cookie: x": 1, "ü" * 100: 2, "": 3}, download_format="pcm")
    names = answer.headers["x-ignored-fields"].split(", ")
    assert names == ["a??set-cookie??x", "?" * 48, "?"]
    assert "set-cookie" not in answer.headers
    answer = ask(**{f"field_{number}": number for number in range(3_000)})
    names = answer.headers["x-ignored-fields"].split(", ")
    assert names == [*(f"field_{number}" for number in range(16)), "..."]


def test_names_are_found_in_any_case_and_by_the_setting(client):
    for given, voice in (
        (" echo", "am_echo"), ("Echo", "am_echo"), ("AF_Bella", "af_bella"),
        ("af_bella(2)+Echo", "af_bella(2)+am_echo"), ("my blend", "af_bella(2)+af_sky(1)"),
        ("nova", "bm_george"),  # by the server's setting
    ):  # fmt: skip
        assert create(client, voice=given, input=SHORT) == create(client, voice=voice, input=SHORT), given


def test_a_voice_may_come_as_the_model(ask):
    spoken = ask(voice="af_bella").content
    assert ask(model="af_bella").content == ask(model="coral").content == spoken
    assert ask(model="coral", voice="echo").content == ask(voice="echo").content != spoken


def test_a_name_of_the_setting_must_be_of_a_voice(small_cache, monkeypatch):
    monkeypatch.setenv("KOKORO_OPENAI_VOICES", '{"alloy": "af_hart"}')
    done = command("serve", "--port", "0", "--cache-dir", str(small_cache))
    assert done.returncode == 1
    assert "openai_voices.alloy: no voice 'af_hart' (did you mean af_heart?)" in done.stderr.splitlines()[-1]


def test_a_stream_that_is_not_wanted_comes_with_its_length(ask):
    for audio_format in ("mp3", "opus", "pcm", "wav", "flac"):
        answer = ask(stream=False, response_format=audio_format, download_format=audio_format)
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert float(answer.headers["x-duration-s"]) > 0
        assert "x-ignored-fields" not in answer.headers
    assert "content-length" not in ask(stream=True).headers
    assert "content-length" not in ask().headers


def test_the_language_has_a_code_or_a_letter(ask, keyed_server):
    for name, code in (("e", "es"), ("es", "es"), ("es-MX", "es"), ("b", "en-gb"), ("EN_US", "en-us")):
        answer = ask(lang_code=name)
        assert answer.status_code == 200
        keyed_server.wait_for(rf"id={answer.headers['x-request-id']} .*language={code} ")
        assert ask(language=name).content == ask(language="fr", lang_code=name).content == answer.content


def test_a_volume_may_be_nothing_and_what_gets_too_loud_is_counted_as_limited(ask, keyed_server):
    assert ask(volume_multiplier=0).content == bytes(len(ask().content))
    answer = ask(volume_multiplier=10)
    line = keyed_server.wait_for(rf"id={answer.headers['x-request-id']} (.*)")
    assert int(re.search(r"limited=(\d+)", line)[1]) > 100


def test_normalization_can_be_switched_off(ask):
    read, told, plain = (ask(input="It is 1984.", **fields).content for fields in (
        {}, {"normalization_options": {"normalize": True}}, {"normalization_options": {"normalize": False}},
    ))  # fmt: skip
    assert read == told != plain


def test_what_has_nothing_to_pronounce_is_a_short_silence(ask):
    silence = bytes(2 * 4_800)
    for text in (".", "... !", "—", "<speak>.</speak>"):
        kind = {"input_format": "ssml"} if text.startswith("<") else {}
        assert [ask(input=text, stream=stream, **kind).content for stream in (None, False)] == [silence] * 2, text
    events = ask(input=".", stream_format="sse", timestamps=True).text.split("\n\n")
    first = json.loads(events[0].removeprefix("data: "))
    assert (base64.b64decode(first["audio"]), first["words"]) == (silence, [])
    timed = ask(input=".", timestamps=True).json()
    assert (timed["duration_s"], timed["words"]) == (0.2, [])


def test_lists_are_for_readers_of_objects_and_of_names(keyed_server):
    # Open WebUI and others ask without a key.
    objects = keyed_server.client.get("/v1/audio/voices", params={"limit": 100}).json()["voices"]
    names = [voice["id"] for voice in objects]
    assert len(names) == 54 + 14
    assert all(voice["name"] == voice["id"] for voice in objects)
    described = {voice["id"]: (voice["language"], voice["sex"]) for voice in objects}
    assert described["nova"] == described["bm_george"] == ("en-gb", "male")
    for query in ({"format": "names"}, {"legacy": "true"}):
        assert keyed_server.client.get("/v1/audio/voices", params=query).json() == {"voices": names}
    answer = keyed_server.client.get("/v1/audio/voices", params={"format": "list"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "format")


def test_voices_are_mixed_into_the_file_of_a_new_one(keyed_server, tmp_path):
    library = VoiceLibrary(resource("voices"))
    for asked in ("af_bella(2)+af_sky(1)", ["af_bella(2)", "af_sky"], "af_bella:2,AF_SKY"):
        answer = keyed_server.client.post("/v1/audio/voices/combine", json=asked, headers=HEADERS)
        assert answer.headers["content-disposition"] == 'attachment; filename="af_bella+af_sky.pt"'
        (tmp_path / "a.pt").write_bytes(answer.content)
        mixed = library.styles(library.resolve("af_bella(2)+af_sky(1)"))
        assert np.array_equal(read(tmp_path / "a.pt", 1 << 20)[""], mixed)
    for asked in ([], "", "af_bella+", ["nobody"], {"voices": "af_bella"}):
        answer = keyed_server.client.post("/v1/audio/voices/combine", json=asked, headers=HEADERS)
        assert answer.status_code == 400, asked


def test_models_of_speech_are_listed_for_open_webui(keyed_server):
    speech = keyed_server.client.get("/v1/audio/models").json()
    models = keyed_server.client.get("/v1/models").json()
    assert [model["id"] for model in speech["models"]] == [model["id"] for model in models["data"]]
    assert all(model["name"] == model["id"] for model in speech["models"])
    assert {"object": speech["object"], "data": speech["data"]} == models


@pytest.mark.thorough
def test_strict_models_are_the_listed_ones_with_or_without_a_date(start_server):
    server = start_server("--strict-models", "--max-text-length", "10")
    server.wait_until_ready()
    models = {
        "kokoro": 200, "gpt-4o-mini-tts-2025-12-15": 200, "tts-1-1106": 200, "tts-2": 404, "hexgrad/Kokoro-82M": 404,
    }  # fmt: skip
    for name, status in models.items():
        spoken = server.client.post("/v1/audio/speech", json={"model": name, "input": "."})
        described = server.client.get(f"/v1/models/{name}")
        assert spoken.status_code == described.status_code == status
        error = described.json().get("error", {})
        assert status == 200 or (error["code"], error["param"]) == ("model_not_found", "model")
    assert "did you mean tts-1?" in server.client.get("/v1/models/tts-2").text
    assert server.stop() == 0
