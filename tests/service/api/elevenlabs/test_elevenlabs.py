"""ElevenLabs' own client, in Python, against the service."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import subprocess
import sys
from contextlib import contextmanager
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile
from elevenlabs import VoiceSettings
from elevenlabs.client import AsyncElevenLabs, ElevenLabs
from elevenlabs.core.api_error import ApiError
from elevenlabs.types import CharacterAlignmentResponseModel as Alignment
from service.api.elevenlabs.output_formats import OUTPUT_FORMATS
from service.api.elevenlabs.voice_ids import KNOWN_VOICES
from tests.service.api.secured_server import KEYS, STRANGER, bearer
from tests.service.api.speech_client import log_line, speak

RACHEL = "21m00Tcm4TlvDq8ikWAM"
TEXT = "Dr. Smith paid $5.50, didn't he?  “Yes!”\n"
SENTENCE = "One moment, please, for I am still thinking about what you have asked me to do. "
PCM = "pcm_24000"


@contextmanager
def connected(server, key="anything"):
    """Lend a client that closes its connections."""
    with httpx.Client(timeout=600) as connections:
        yield ElevenLabs(base_url=server.url, api_key=key, httpx_client=connections)


@pytest.fixture(scope="module")
def client(remembering):
    with connected(remembering) as client:
        yield client


@pytest.fixture(scope="module")
def spoken(remembering):
    """What `/synthesize` answers for the same text."""
    found: dict[str, Any] = speak(remembering, text=TEXT, timestamps="word", format="pcm", voice="af_heart").json()
    return found


def convert(client, voice_id=RACHEL, **fields):
    return b"".join(client.text_to_speech.convert(voice_id, **{"text": TEXT, **fields}))


def decoded(content):
    samples: np.ndarray = soundfile.read(io.BytesIO(content), dtype="int16")[0]
    return samples


def assert_words_are_those_of(alignment, spoken):
    """Every word starts and ends as `/synthesize` says, and every character is there."""
    starts = alignment.character_start_times_seconds
    ends = alignment.character_end_times_seconds
    assert "".join(alignment.characters) == TEXT
    assert len(starts) == len(ends) == len(TEXT)
    assert spoken["words"]
    for word in spoken["words"]:
        assert starts[word["text_start"]] == pytest.approx(word["start_s"], abs=1e-3)
        assert ends[word["text_end"] - 1] == pytest.approx(word["end_s"], abs=1e-3)
    assert starts == sorted(starts)
    assert all(start <= end for start, end in zip(starts, ends, strict=True))
    assert ends[-1] == pytest.approx(spoken["duration_s"], abs=1e-3)


# Speech.


def test_converted_speech_is_that_of_synthesize(client, spoken):
    pcm = base64.b64decode(spoken["audio"])
    assert convert(client, output_format=PCM, model_id="eleven_multilingual_v2") == pcm
    assert decoded(convert(client, output_format="wav_24000")).tobytes() == pcm


def test_without_a_format_it_is_an_mp3(client, spoken):
    samples, rate = soundfile.read(io.BytesIO(convert(client)))
    assert rate == 44_100
    assert samples.size == pytest.approx(spoken["duration_s"] * rate, abs=1)


@pytest.mark.parametrize("name", ["pcm_8000", "pcm_16000", "pcm_48000", "ulaw_8000"])
def test_speech_has_the_sample_rate_of_the_format(client, spoken, name):
    sample_bytes = 1 if name.startswith("ulaw") else 2
    rate = int(name.partition("_")[2])
    answer = client.text_to_speech.convert_with_timestamps(RACHEL, text=TEXT, output_format=name)
    n_samples = len(base64.b64decode(answer.audio_base_64)) // sample_bytes
    assert n_samples == pytest.approx(spoken["duration_s"] * rate, abs=1)
    assert answer.alignment is not None
    assert_words_are_those_of(answer.alignment, spoken)


@pytest.mark.parametrize("name", sorted(OUTPUT_FORMATS))
def test_every_output_format_is_written(remembering, name):
    for path in ("", "/stream"):
        answer = remembering.client.post(
            f"/v1/text-to-speech/{RACHEL}{path}", params={"output_format": name}, json={"text": "Yes."}
        )
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("audio/")
        assert answer.content


def test_streamed_speech_comes_while_the_rest_is_made(telling_server):
    identity = "left-elevenlabs"
    with telling_server.client.stream(
        "POST",
        f"/v1/text-to-speech/{RACHEL}/stream",
        params={"output_format": PCM, "optimize_streaming_latency": "3"},
        json={"text": SENTENCE * 40},
        headers={"X-Request-ID": identity},
    ) as response:
        assert next(response.iter_bytes())
    telling_server.wait_for(f"id={identity} .*outcome=cancelled")
    assert "path=/v1/text-to-speech/{voice_id}/stream " in log_line(telling_server, identity)


def test_the_client_s_stream_is_the_speech(remembering, client):
    pcm = b"".join(client.text_to_speech.stream(RACHEL, text=TEXT, output_format=PCM))
    fields = {"text": TEXT, "format": "pcm", "decoding": "windows"}
    assert pcm == speak(remembering, **fields).content


def test_timestamps_of_the_characters_agree_with_the_times_of_the_words(client, spoken):
    answer = client.text_to_speech.convert_with_timestamps(RACHEL, text=TEXT, output_format=PCM)
    assert base64.b64decode(answer.audio_base_64) == base64.b64decode(spoken["audio"])
    assert answer.alignment is not None
    assert answer.alignment == answer.normalized_alignment
    assert_words_are_those_of(answer.alignment, spoken)


def test_streamed_timestamps_are_the_same_in_parts(remembering, client):
    windows = {"timestamps": "word", "format": "pcm", "decoding": "windows"}
    spoken = speak(remembering, text=TEXT, **windows).json()
    pcm, n_samples = b"", 0
    characters: list[str] = []
    starts: list[float] = []
    ends: list[float] = []
    for part in client.text_to_speech.stream_with_timestamps(RACHEL, text=TEXT, output_format=PCM):
        audio = base64.b64decode(part.audio_base_64)
        pcm += audio
        if part.alignment is not None:
            characters += part.alignment.characters
            starts += part.alignment.character_start_times_seconds
            ends += part.alignment.character_end_times_seconds
            assert starts[-1] >= n_samples / 24_000 - 1e-6
        n_samples = len(pcm) // 2
    assert pcm == base64.b64decode(spoken["audio"])
    alignment = Alignment(characters=characters, character_start_times_seconds=starts, character_end_times_seconds=ends)
    assert_words_are_those_of(alignment, spoken)


def test_lines_of_timestamps_are_short_and_in_ascii(remembering):
    text = "Déjà vu\u2028is here: "
    with remembering.client.stream(
        "POST",
        f"/v1/text-to-speech/{RACHEL}/stream/with-timestamps",
        params={"output_format": PCM},
        json={"text": text + SENTENCE},
    ) as response:
        lines = response.read().split(b"\n")
    assert lines.pop() == b""
    assert len(lines) > 3
    assert all(line.isascii() and len(line) < 65_536 for line in lines)
    parts = [json.loads(line)["alignment"] for line in lines]
    characters = [c for part in parts if part for c in part["characters"]]
    assert "".join(characters) == text + SENTENCE


def test_the_asynchronous_client_gets_the_same(remembering, client, spoken):
    async def ask():
        async with httpx.AsyncClient(timeout=600) as connections:
            eleven = AsyncElevenLabs(base_url=remembering.url, api_key="anything", httpx_client=connections)
            parts = eleven.text_to_speech.convert(RACHEL, text=TEXT, output_format=PCM)
            return b"".join([part async for part in parts])

    assert asyncio.run(ask()) == base64.b64decode(spoken["audio"])


# It reads the code of a close in the old way.
@pytest.mark.filterwarnings("ignore:ConnectionClosed:DeprecationWarning")
def test_words_that_are_still_written_are_spoken(remembering, client, monkeypatch):
    # This client insists on TLS, whatever its base URL says.
    url = remembering.url.replace("http://", "ws://")
    monkeypatch.setattr(client.text_to_speech, "_ws_base_url", url)

    def words():
        yield from ("Hello, how", " are you?", " I am ", "fine, thank you.")

    settings = VoiceSettings(stability=0.5, speed=1.1)
    pcm = b"".join(
        client.text_to_speech.convert_realtime(RACHEL, text=words(), output_format=PCM, voice_settings=settings)
    )
    n_letters = len("Hello, how are you? I am fine, thank you.")
    assert len(pcm) // 2 > n_letters * 24_000 // 30
    with pytest.raises(ApiError) as raised:
        list(client.text_to_speech.convert_realtime(RACHEL, text=iter(["Yes. ", "\u13a0 \u13a1."]), output_format=PCM))
    assert raised.value.status_code == 1008


# Fields.


def test_speed_counts_and_other_fields_do_not(client, spoken, remembering):
    quick = convert(client, output_format=PCM, voice_settings=VoiceSettings(speed=1.2, stability=0.9))
    fields = {"text": TEXT, "speed": 1.2, "format": "pcm"}
    assert quick == speak(remembering, **fields).content
    told = convert(
        client, output_format=PCM, seed=4, previous_text="Well.", next_text="So.",
        apply_text_normalization="auto", voice_settings=VoiceSettings(style=0.5),
        language_code="en",
    )  # fmt: skip
    assert told == base64.b64decode(spoken["audio"])


def test_language_and_normalization_are_honoured(remembering, client):
    for fields, own in (
        ({"text": "Hola.", "language_code": "es"}, {"text": "Hola.", "language": "es"}),
        ({"text": "3.", "apply_text_normalization": "off"}, {"text": "3.", "normalize": False}),
    ):
        expected = speak(remembering, format="pcm", **own).content
        assert convert(client, output_format=PCM, **fields) == expected


def test_english_is_that_of_the_voice(client):
    plain = convert(client, "bm_george", output_format=PCM, text="A vase.")
    for code in ("en", "en-gb", "EN"):
        assert convert(client, "bm_george", output_format=PCM, text="A vase.", language_code=code) == plain


# Voices and models.


def test_voices_are_ours_and_those_that_clients_know(remembering, client):
    own = [voice["name"] for voice in remembering.client.get("/voices").json()["voices"]]
    voices = client.voices.get_all().voices
    assert [voice.voice_id for voice in voices] == [*own, *(v.voice_id for v in KNOWN_VOICES)]
    assert len({voice.voice_id for voice in voices}) == len(voices)
    rachel = client.voices.get(RACHEL)
    assert (rachel.name, rachel.category) == ("Rachel", "premade")
    assert rachel.labels == {"language": "en-us", "gender": "female"}
    found = client.voices.search(search="rach")
    assert [voice.voice_id for voice in found.voices] == [RACHEL]
    assert (found.has_more, found.total_count) == (False, 1)


def test_a_voice_is_an_id_a_name_ours_or_a_blend(client):
    def said(voice_id):
        return convert(client, voice_id, text="Yes.", output_format=PCM)

    assert said(RACHEL) == said("rachel") == said("af_heart")
    assert said("af_bella(2)+af_sky(1)") not in (said("af_bella"), said("af_sky"))


def test_models_are_ours_for_who_sends_elevenlabs_header(remembering, client):
    (model,) = client.models.list()
    assert model.model_id == "kokoro"
    assert model.can_do_text_to_speech
    assert model.languages
    assert remembering.client.get("/v1/models").json()["object"] == "list"


# Errors.


@pytest.mark.parametrize(
    ("voice_id", "fields", "status", "name"),
    [
        ("nobody", {}, 404, "voice_not_found"),
        ("a b", {}, 404, "voice_not_found"),
        (RACHEL, {"output_format": "mp3"}, 400, "unsupported_format"),
        (RACHEL, {"text": " "}, 422, "empty_text"),
        (RACHEL, {"language_code": "xx"}, 422, "language_unavailable"),
        (RACHEL, {"voice_settings": {"speed": 9.0}}, 422, "invalid_request"),
    ],
)
def test_errors_have_the_shape_that_the_client_reads(client, voice_id, fields, status, name):
    with pytest.raises(ApiError) as raised:
        convert(client, voice_id, **fields)
    assert raised.value.status_code == status
    detail = raised.value.body["detail"]
    assert set(detail) == {"status", "message", "request_id"}
    assert detail["status"] == name
    assert all(detail.values())


def test_wav_cannot_be_sent_in_lines(client):
    with pytest.raises(ApiError, match="wav_24000 cannot be sent in parts"):
        list(client.text_to_speech.stream_with_timestamps(RACHEL, text="Yes.", output_format="wav_24000"))


def test_the_key_is_taken_from_elevenlabs_header(secured):
    with connected(secured, KEYS[0]) as known:
        assert convert(known, text="Yes.")
    with connected(secured, STRANGER) as unknown, pytest.raises(ApiError) as raised:
        convert(unknown, text="Yes.")
    assert raised.value.status_code == 401
    assert raised.value.body["detail"]["status"] == "invalid_api_key"
    answer: httpx.Response = secured.client.get("/v1/voices", headers=bearer(KEYS[1]))
    assert answer.status_code == 200


# docs/elevenlabs.md.


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "elevenlabs.md").read_text(encoding="utf-8")


def test_the_page_names_the_voices_and_the_formats(page):
    rows = re.findall(r"^\| `(\w{20})` \| (\w+) \| `(\w+)` \|$", page, re.MULTILINE)
    assert rows == [tuple(known) for known in KNOWN_VOICES]
    for name in OUTPUT_FORMATS:
        family = name.rpartition("_")[0] + "_"
        assert f"`{name}`" in page or family in page


def test_the_examples_of_the_page_work(server, page, tmp_path):
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program.replace("http://localhost:8880", server.url)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert decoded((tmp_path / "hello.mp3").read_bytes()).size > 24_000
    (command,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```json\n(\{\"audio_base64.*?)^```$", page, re.MULTILINE | re.DOTALL)
    text = re.search(r"-d '(.*)'", command)
    path = re.search(r"localhost:8880(\S+)", command)
    assert text is not None
    assert path is not None
    answer = server.client.post(path[1], json=json.loads(text[1])).json()
    alignment = json.loads(shown.replace(', "normalized_alignment": ...', ""))["alignment"]
    assert alignment["characters"] == answer["alignment"]["characters"]
    assert {name: len(values) for name, values in alignment.items()} == {
        name: len(values) for name, values in answer["alignment"].items()
    }


def test_what_cannot_be_pronounced_is_a_short_silence(client):
    assert convert(client, text="...", output_format=PCM) == bytes(2 * 4_800)  # 0.2 s
