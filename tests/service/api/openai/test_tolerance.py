"""What clients send that are written for other servers, or loosely."""

import base64
import json
import re

import pytest
from tests.service.api.openai.openai_client import SHORT, create
from tests.service.commands import command


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
        backend="piper", extra_payload={"cfg": 1}, return_download_link=True, return_timing=True,
        instructions="Whisper.", download_format="wav",
        normalization_options={"normalize": True, "url_normalization": False},
    )  # fmt: skip
    assert answer.content == ask().content
    names = answer.headers["x-ignored-fields"]
    assert names.split(", ") == [
        "backend", "extra_payload", "return_download_link", "return_timing", "instructions",
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
    for text in (".", "... !", "😀", "—", "<speak>.</speak>"):
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
