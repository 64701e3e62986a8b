"""ElevenLabs' own client, in Python, against the service."""

import base64
import io
import json
import re
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest
import soundfile
from elevenlabs import DialogueInput, VoiceSettings
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError
from elevenlabs.types import CharacterAlignmentResponseModel as Alignment

from service.api.elevenlabs.output_formats import OUTPUT_FORMATS
from service.api.elevenlabs.voice_ids import KNOWN_VOICES
from tests.service.api.speech_client import KEYS, STRANGER, bearer, speak

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
    """What `/synthesize` answers for the same text, with the bytes `pcm`."""
    answer = speak(remembering, text=TEXT, timestamps="word", format="pcm", voice="af_heart").json()
    return {**answer, "pcm": base64.b64decode(answer["audio"])}


def convert(client, voice_id=RACHEL, **fields):
    """Return the speech, PCM at 24 kHz unless the fields ask for another."""
    fields = {"text": TEXT, "output_format": PCM, **fields}
    return b"".join(client.text_to_speech.convert(voice_id, **fields))


def assert_words_are_those_of(alignment, spoken):
    """Every word starts and ends as `/synthesize` says, and every character is there."""
    starts = alignment.character_start_times_seconds
    ends = alignment.character_end_times_seconds
    assert "".join(alignment.characters) == TEXT
    assert len(starts) == len(ends) == len(TEXT)
    words = spoken["words"]
    assert [starts[word["text_start"]] for word in words] == pytest.approx([w["start_s"] for w in words], abs=1e-3)
    assert [ends[word["text_end"] - 1] for word in words] == pytest.approx([w["end_s"] for w in words], abs=1e-3)
    assert starts == sorted(starts)
    assert all(start <= end for start, end in zip(starts, ends, strict=True))
    assert ends[-1] == pytest.approx(spoken["duration_s"], abs=1e-3)


def test_converted_speech_is_that_of_synthesize(client, spoken):
    assert convert(client, model_id="eleven_multilingual_v2") == spoken["pcm"]
    samples, _ = soundfile.read(io.BytesIO(convert(client, output_format="wav_24000")), dtype="int16")
    assert samples.tobytes() == spoken["pcm"]
    samples, rate = soundfile.read(io.BytesIO(b"".join(client.text_to_speech.convert(RACHEL, text=TEXT))))
    assert rate == 44_100  # an MP3, where no format is named
    assert samples.size == pytest.approx(spoken["duration_s"] * rate, abs=1)


@pytest.mark.parametrize("name", [PCM, "pcm_8000", "pcm_16000", "pcm_48000", "ulaw_8000"])
def test_timestamps_of_the_characters_agree_with_the_times_of_the_words_at_every_rate(client, spoken, name):
    answer = client.text_to_speech.convert_with_timestamps(RACHEL, text=TEXT, output_format=name)
    audio = base64.b64decode(answer.audio_base_64)
    n_samples = len(audio) // (1 if name.startswith("ulaw") else 2)
    assert n_samples == pytest.approx(spoken["duration_s"] * int(name.partition("_")[2]), abs=1)
    assert name != PCM or audio == spoken["pcm"]
    assert answer.alignment == answer.normalized_alignment
    assert_words_are_those_of(answer.alignment, spoken)


def test_a_stream_is_the_speech_and_its_timestamps_are_the_same_in_parts(remembering, client):
    spoken = speak(remembering, text=TEXT, timestamps="word", format="pcm", decoding="windows").json()
    pcm = base64.b64decode(spoken["audio"])
    assert b"".join(client.text_to_speech.stream(RACHEL, text=TEXT, output_format=PCM)) == pcm
    heard, characters, starts, ends = b"", [], [], []
    for part in client.text_to_speech.stream_with_timestamps(RACHEL, text=TEXT, output_format=PCM):
        if part.alignment is not None:
            characters += part.alignment.characters
            starts += part.alignment.character_start_times_seconds
            ends += part.alignment.character_end_times_seconds
            assert starts[-1] >= len(heard) / 48_000 - 1e-6
        heard += base64.b64decode(part.audio_base_64)
    assert heard == pcm
    alignment = Alignment(characters=characters, character_start_times_seconds=starts, character_end_times_seconds=ends)
    assert_words_are_those_of(alignment, spoken)


def test_words_and_their_visemes_come_with_the_characters_if_a_client_asks(remembering):
    fields = {"text": TEXT, "timestamps": "visemes"}
    own = speak(remembering, text=TEXT, timestamps="viseme", format="pcm", voice="af_heart").json()["words"]
    where = f"/v1/text-to-speech/{RACHEL}/with-timestamps"
    params = {"output_format": PCM}
    assert remembering.client.post(where, params=params, json=fields).json()["words"] == own
    assert "words" not in remembering.client.post(where, params=params, json={"text": TEXT}).json()
    streamed = remembering.client.post(where.replace("/with", "/stream/with"), params=params, json=fields)
    lines = [json.loads(line) for line in streamed.text.splitlines()]
    words = [word for line in lines for word in line["words"]]
    assert [word["text_start"] for word in words] == [word["text_start"] for word in own]
    assert all(word["visemes"][0]["start_s"] == word["start_s"] for word in words)
    heard_s = 0.0
    for line in lines:
        start_s, heard_s = heard_s, heard_s + len(base64.b64decode(line["audio_base64"])) / 48_000
        assert all(start_s <= word["start_s"] < heard_s for word in line["words"])
    turns = {"inputs": [{"text": "Pa.", "voice_id": RACHEL}, {"text": "Ma.", "voice_id": "bf_emma"}], **fields}
    said = remembering.client.post("/v1/text-to-dialogue/with-timestamps", params=params, json=turns).json()
    for word in said["words"]:
        letters = said["alignment"]["characters"][word["text_start"] : word["text_end"]]
        assert (word["text"], word["visemes"][0]["name"]) == ("".join(letters), "PP")


def test_lines_of_timestamps_are_short_and_in_ascii(remembering):
    text = f"Déjà vu\u2028is here: {SENTENCE}"
    where = f"/v1/text-to-speech/{RACHEL}/stream/with-timestamps"
    answer = remembering.client.post(where, params={"output_format": PCM}, json={"text": text})
    *lines, rest = answer.content.split(b"\n")
    assert rest == b""
    assert len(lines) > 3
    assert all(line.isascii() and len(line) < 65_536 for line in lines)
    parts = [json.loads(line)["alignment"] for line in lines]
    assert "".join(c for part in parts if part for c in part["characters"]) == text


# It reads the code of a close in the old way.
@pytest.mark.filterwarnings("ignore:ConnectionClosed:DeprecationWarning")
def test_words_that_are_still_written_are_spoken(remembering, client, monkeypatch):
    # This client insists on TLS, whatever its base URL says.
    monkeypatch.setattr(client.text_to_speech, "_ws_base_url", remembering.url.replace("http://", "ws://"))
    words = ("Hello, how", " are you?", " I am ", "fine, thank you.")
    settings = VoiceSettings(stability=0.5, speed=1.1)
    realtime = client.text_to_speech.convert_realtime
    pcm = b"".join(realtime(RACHEL, text=iter(words), output_format=PCM, voice_settings=settings))
    assert len(pcm) // 2 > len("".join(words)) * 24_000 // 30
    with pytest.raises(ApiError) as raised:
        list(realtime(RACHEL, text=iter(["Yes. ", "\u13a0 \u13a1."]), output_format=PCM))
    assert raised.value.status_code == 1008


def test_fields_are_those_of_synthesize_and_others_change_nothing(client, spoken, remembering):
    for fields, own in (
        ({"voice_settings": VoiceSettings(speed=1.2, stability=0.9)}, {"text": TEXT, "speed": 1.2}),
        ({"text": "Hola.", "language_code": "es"}, {"text": "Hola.", "language": "es"}),
        ({"text": "3.", "apply_text_normalization": "off"}, {"text": "3.", "normalize": False}),
    ):
        assert convert(client, **fields) == speak(remembering, format="pcm", **own).content, fields
    told = convert(
        client, seed=4, previous_text="Well.", next_text="So.", apply_text_normalization="auto",
        voice_settings=VoiceSettings(style=0.5), language_code="en",
    )  # fmt: skip
    assert told == spoken["pcm"]
    assert convert(client, text="...") == bytes(2 * 4_800)  # 0.2 s where nothing can be pronounced


def test_english_is_that_of_the_voice(client):
    plain = convert(client, "bm_george", text="A vase.")
    for code in ("en", "en-gb", "EN"):
        assert convert(client, "bm_george", text="A vase.", language_code=code) == plain


def test_voices_are_ours_and_those_that_clients_know(remembering, client):
    own = [voice["name"] for voice in remembering.client.get("/voices").json()["voices"]]
    ids = [voice.voice_id for voice in client.voices.get_all().voices]
    assert ids == [*own, *(voice.voice_id for voice in KNOWN_VOICES)]
    assert len(set(ids)) == len(ids)
    rachel = client.voices.get(RACHEL)
    assert (rachel.name, rachel.category) == ("Rachel", "premade")
    assert rachel.labels == {"language": "en-us", "gender": "female"}
    found = client.voices.search(search="rach")
    assert [voice.voice_id for voice in found.voices] == [RACHEL]
    assert (found.has_more, found.total_count) == (False, 1)


def test_a_voice_is_an_id_a_name_ours_or_a_blend(client):
    said = {name: convert(client, name, text="Yes.") for name in (RACHEL, "rachel", "af_heart", "af_bella", "af_sky")}
    assert said[RACHEL] == said["rachel"] == said["af_heart"]
    assert convert(client, "af_bella(2)+af_sky(1)", text="Yes.") not in (said["af_bella"], said["af_sky"])


def test_models_are_ours_for_who_sends_elevenlabs_header(remembering, client):
    (model,) = client.models.list()
    assert (model.model_id, model.can_do_text_to_speech) == ("kokoro", True)
    assert model.languages
    assert remembering.client.get("/v1/models").json()["object"] == "list"


# Errors.

ERRORS = (
    ("nobody", {}, 404, "voice_not_found"), ("a b", {}, 404, "voice_not_found"),
    (RACHEL, {"output_format": "mp3"}, 400, "unsupported_format"), (RACHEL, {"text": " "}, 422, "empty_text"),
    (RACHEL, {"language_code": "xx"}, 422, "language_unavailable"),
    (RACHEL, {"voice_settings": {"speed": 9.0}}, 422, "invalid_request"),
)  # fmt: skip


@pytest.mark.parametrize(("voice_id", "fields", "status", "name"), ERRORS)
def test_errors_have_the_shape_that_the_client_reads(client, voice_id, fields, status, name):
    with pytest.raises(ApiError) as raised:
        convert(client, voice_id, **fields)
    detail = raised.value.body["detail"]
    assert (raised.value.status_code, detail["status"]) == (status, name)
    assert set(detail) == {"status", "message", "request_id"}
    assert all(detail.values())


def test_wav_cannot_be_sent_in_lines(client):
    with pytest.raises(ApiError, match="wav_24000 cannot be sent in parts"):
        list(client.text_to_speech.stream_with_timestamps(RACHEL, text="Yes.", output_format="wav_24000"))


def test_the_key_is_taken_from_elevenlabs_header(secured):
    with connected(secured, KEYS[0]) as known:
        assert convert(known, text="Yes.")
    with connected(secured, STRANGER) as unknown, pytest.raises(ApiError) as raised:
        convert(unknown, text="Yes.")
    assert (raised.value.status_code, raised.value.body["detail"]["status"]) == (401, "invalid_api_key")
    assert secured.client.get("/v1/voices", headers=bearer(KEYS[1])).status_code == 200


# docs/elevenlabs.md.


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "elevenlabs.md").read_text(encoding="utf-8")


def test_the_page_names_the_voices_and_the_formats(page):
    rows = re.findall(r"^\| `(\w{20})` \| (\w+) \| `(\w+)` \|$", page, re.MULTILINE)
    assert rows == [tuple(known) for known in KNOWN_VOICES]
    assert all(f"`{name}`" in page or name.rpartition("_")[0] + "_" in page for name in OUTPUT_FORMATS)


@pytest.mark.thorough
def test_the_examples_of_the_page_work(server, page, tmp_path):
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    program = program.replace("http://localhost:8880", server.url)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert soundfile.info(tmp_path / "hello.mp3").frames > 24_000
    (command,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```json\n(\{\"audio_base64.*?)^```$", page, re.MULTILINE | re.DOTALL)
    path, text = (re.search(pattern, command)[1] for pattern in (r"localhost:8880(\S+)", r"-d '(.*)'"))
    answer = server.client.post(path, json=json.loads(text)).json()["alignment"]
    alignment = json.loads(shown.replace(', "normalized_alignment": ...', ""))["alignment"]
    assert alignment["characters"] == answer["characters"]
    assert {name: len(values) for name, values in alignment.items()} == {
        name: len(values) for name, values in answer.items()
    }


def test_the_client_converses(client):
    inputs = [DialogueInput(text="Knock knock.", voice_id=RACHEL), DialogueInput(text="Who is it?", voice_id="Adam")]
    fields = {"inputs": inputs, "output_format": PCM, "model_id": "eleven_v3"}
    whole = b"".join(client.text_to_dialogue.convert(**fields))
    assert len(b"".join(client.text_to_dialogue.stream(**fields))) == pytest.approx(len(whole), rel=0.02)
    timed = client.text_to_dialogue.convert_with_timestamps(**fields)
    assert base64.b64decode(timed.audio_base_64) == whole
    lines = list(client.text_to_dialogue.stream_with_timestamps(**fields))
    for segments in (timed.voice_segments, [one for line in lines for one in line.voice_segments]):
        told = [(one.voice_id, one.dialogue_input_index) for one in segments]
        assert list(dict.fromkeys(told)) == [(RACHEL, 0), ("Adam", 1)]
    with pytest.raises(ApiError) as caught:
        b"".join(client.text_to_dialogue.convert(inputs=[DialogueInput(text="a", voice_id="nobody")]))
    assert caught.value.status_code == 404
