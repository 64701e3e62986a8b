"""What every door says: a sentence as the real model says it, and texts without a sound, in every format."""

import base64
import io
import json

import av
import numpy as np
import pytest
from hypothesis import strategies as st

from service.api.elevenlabs.output_formats import OUTPUT_FORMATS, require_output_format
from service.api.schemas import STREAMABLE_FORMATS
from service.audio import FORMATS
from service.audio.encoding import to_int16
from service.errors import EmptyTextError, NothingToSayError
from service.speech import Delivery, Utterance, joining
from tests.profiles import given
from tests.service.api.elevenlabs.stream_socket import StreamSocket
from tests.service.api.speech_client import speak
from tests.service.api.websocket.sessions import opened, spoken
from tests.service.api.wyoming.talks import Talk

TEXT = "Good morning."
WAV_HEADER = 44


def openai(server):
    body = {"input": TEXT, "voice": "af_heart", "response_format": "pcm"}
    return bytes(server.client.post("/v1/audio/speech", json=body).content)


def elevenlabs(server):
    return bytes(server.client.post("/v1/text-to-speech/af_heart?output_format=pcm_24000", json={"text": TEXT}).content)


def elevenlabs_socket(server):
    with StreamSocket(server.url) as socket:
        return socket.say(" ", f"{TEXT} ").audio


def wyoming(server):
    with Talk(server.uri) as client:
        return client.say(TEXT)


@pytest.fixture(scope="module")
def said(synthesizer):
    segments = synthesizer.stream(synthesizer.plan(Utterance(TEXT)))
    return to_int16(np.concatenate([segment.samples for segment in segments]))


@pytest.mark.parametrize("door", [
    openai, *(pytest.param(door, marks=pytest.mark.thorough) for door in (
        lambda server: speak(server, text=TEXT).content[WAV_HEADER:],
        lambda server: speak(server, text=TEXT, format="pcm", stream=True).content,
        lambda server: server.client.post("/", json={"text": TEXT}).content[WAV_HEADER:],  # piper's
        lambda server: spoken(server, TEXT).pcm,
        elevenlabs, elevenlabs_socket, wyoming,
    )),
])  # fmt: skip
def test_a_door_says_what_the_model_says(real_server, said, door):
    heard = np.frombuffer(door(real_server), "<i2")
    n_common = min(heard.size, said.size)
    # Sessions do not know that it is the last sentence, and end it with a pause.
    silence = round(joining._QUIET * 32_767)
    assert n_common > 24_000
    np.testing.assert_allclose(heard[:n_common], said[:n_common], rtol=0, atol=silence)
    assert np.abs([*heard[n_common:], *said[n_common:], 0]).max() <= silence


PAUSES = (
    "[pause:0s]", "[pause:0ms]. [pause:0s]", "[pause:0.00002s]", "[pause:0.01ms] [pause:0.02ms]", "[pause:1ms]",
    "[voice:bm_george] [pause:0s][/voice]",
)  # fmt: skip
"""Texts of nothing but pauses, most of them without a sample."""

BREAKS = (
    '<speak><break time="0s"/></speak>', '<speak><break time="0ms"/>.<break strength="none"/></speak>',
    '<speak><break strength="none"/></speak>', '<speak><prosody rate="200%"><break time="0s"/></prosody></speak>',
)  # fmt: skip
"""The same in SSML."""

USUAL = ("wav", "mp3")
"""Formats of all texts; the first has every format."""

SHORT_SILENCE = bytes(2 * 4_800)


def n_decoded(content, audio_format):
    """Return the number of samples; what a decoder cannot open raises."""
    if not FORMATS[audio_format].container and not content:
        return 0
    if FORMATS[audio_format].container == "RAW":
        return len(content) // FORMATS[audio_format].bytes_per_sample
    with av.open(io.BytesIO(content)) as file:
        return sum(frame.samples for frame in file.decode(audio=0))


def of_synthesize(server):
    def ask(**fields):
        response = server.client.post("/synthesize", json=fields)
        assert response.status_code == 200, (fields, response.text)
        return response

    said = [{"text": text} for text in PAUSES] + [{"text": text, "ssml": True} for text in BREAKS]
    for number, fields in enumerate(said):
        for audio_format in FORMATS if number == 0 else USUAL:
            yield audio_format, ask(**fields, format=audio_format).content
            timed = ask(**fields, format=audio_format, timestamps="phoneme").json()
            assert (timed["duration_s"] > 0, timed["words"]) == (True, [])
            yield audio_format, base64.b64decode(timed["audio"])
        for audio_format in STREAMABLE_FORMATS if number == 0 else USUAL[1:]:
            yield audio_format, ask(**fields, format=audio_format, stream=True).content
            yield audio_format, joined(ask(**fields, format=audio_format, stream=True, timestamps="word").text, "audio")
        assert ask(**fields, format="vtt").text.startswith("WEBVTT")


def joined(events, name):
    """Return the audio of all server-sent events."""
    data = [line[6:] for line in events.splitlines() if line.startswith("data: {")]
    return b"".join(base64.b64decode(json.loads(one).get(name, "")) for one in data)


def of_openai(server):
    said = [{"input": text} for text in PAUSES]
    said += [{"input": text, "input_format": "ssml"} for text in BREAKS]
    for number, fields in enumerate(said):
        for audio_format in FORMATS if number == 0 else USUAL:
            ways = [{"stream": False}, {"timestamps": "word"}]
            if FORMATS[audio_format].streamable or audio_format == "wav":
                ways += [{"stream": True}, {"stream_format": "sse"}, {}]
            for way in ways:
                body = {**fields, **way, "response_format": audio_format}
                answer = server.client.post("/v1/audio/speech", json=body)
                assert answer.status_code == 200, (body, answer.text)
                content = answer.content
                if "timestamps" in way:
                    content = base64.b64decode(answer.json()["audio"])
                elif "stream_format" in way:
                    content = joined(answer.text, "audio")
                if way in ({"stream": True}, {"stream_format": "sse"}, {}) and audio_format == "wav":
                    assert len(content) > 44  # a header that tells no length, and samples
                else:
                    yield audio_format, content


def of_elevenlabs(server):
    for number, text in enumerate(PAUSES):
        for name, output in list(OUTPUT_FORMATS.items())[: None if number == 0 else 1]:
            for path in ("", "/stream", "/with-timestamps", "/stream/with-timestamps"):
                if path.startswith("/stream/") and not FORMATS[output.audio_format].streamable:
                    continue
                answer = server.client.post(
                    f"/v1/text-to-speech/af_heart{path}?output_format={name}", json={"text": text}
                )
                assert answer.status_code == 200, (text, name, path, answer.text)
                content = answer.content
                if path.endswith("timestamps"):
                    lines = [json.loads(line) for line in answer.text.splitlines()]
                    content = b"".join(base64.b64decode(line["audio_base64"]) for line in lines)
                    aligned = [line["alignment"] for line in lines if line["alignment"]]
                    assert "".join("".join(part["characters"]) for part in aligned) == text
                yield output.audio_format, content


def of_piper(server):
    for text in PAUSES:
        yield "wav", server.client.post("/", json={"text": text}).content


@pytest.mark.parametrize("door", [
    of_synthesize, *(pytest.param(door, marks=pytest.mark.thorough) for door in (of_openai, of_elevenlabs, of_piper)),
])  # fmt: skip
def test_an_answer_without_a_sound_decodes(server, door):
    assert min(n_decoded(content, audio_format) for audio_format, content in door(server)) > 0


@pytest.mark.parametrize("name", ["mp3_44100_128", "opus_48000_64", "pcm_8000", "ulaw_8000"])
def test_a_session_of_elevenlabs_without_a_sound_decodes(server, name):
    for text in PAUSES:
        with StreamSocket(server.url, query=f"output_format={name}") as socket:
            heard = socket.say(f"{text} ")
        assert n_decoded(heard.audio, require_output_format(name, streamed=True).audio_format) > 0, text
        assert heard.text.strip() == text


def ended(talk):
    """End a session; return all that it sends, which may be silent."""
    talk.send("end")
    received = []
    while not (received and '"done"' in str(received[-1])):
        received.append(talk.socket.recv(60))
    return received


@pytest.mark.parametrize("audio_format", ["pcm", "mulaw", "alaw"])
def test_a_session_without_a_sound_ends_as_others_do(server, audio_format):
    with opened(server) as talk:
        talk.exchange("config", "ready", format=audio_format, sample_rate=8000)
        for text in PAUSES:
            talk.send("text", text=text)
            talk.send("flush")
        received = ended(talk)
    assert not any("error" in str(one) for one in received)
    audio = [json.loads(one) for one in received if isinstance(one, str) and '"audio"' in one]
    assert audio
    assert all(message["n_bytes"] for message in audio)


PIECES = st.sampled_from(
    [
        *PAUSES, ".", "…", "\n\n", " ", "— ", "😀", "[pause:1s]", "[of](+1)", "# ", "**", "(",
        "Hm.", "\u00ad", "[Kokoro](/kˈO/)", "&nbsp;", "- ",
    ]
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join))
def test_no_plan_is_without_samples(small_synthesizer, text):
    for silence_s in (None, 0.2):
        utterance = Utterance(text, silence_s=silence_s)
        try:
            plan = small_synthesizer.plan(utterance, Delivery(streamed=True, read_first=True))
        except (EmptyTextError, NothingToSayError):
            assert silence_s is None or not text.strip("\n \u00ad")
            continue
        if not any(chunk.phonemes for chunk in plan.chunks):
            assert sum(segment.samples.size for segment in small_synthesizer.stream(plan)) >= 24


@pytest.mark.parametrize("text", PAUSES[:4])
def test_it_is_the_silence_of_what_cannot_be_pronounced(server, text):
    fields = {"text": text, "format": "pcm"}
    assert server.client.post("/synthesize", json=fields).content == SHORT_SILENCE
    fields["stream"] = True
    assert server.client.post("/synthesize", json=fields).content == SHORT_SILENCE


INVISIBLE = ("\u200b", "\ufeff \u200e", "\u3164", "\u2800", "\u115f\u1160", "\u034f", "\U000e0001")
"""Texts that look like white space."""


@pytest.mark.parametrize(("path", "body"), [
    ("/synthesize", {"text": "{}"}), ("/synthesize", {"text": "{}", "stream": True, "format": "pcm"}),
    ("/synthesize", {"text": "<speak>{}</speak>", "ssml": True}), ("/phonemize", {"text": "{}"}),
    ("/v1/audio/speech", {"input": "{}"}), ("/v1/audio/speech", {"input": "{}", "stream_format": "sse"}),
    ("/v1/text-to-speech/af_heart", {"text": "{}"}), ("/v1/text-to-speech/af_heart/stream", {"text": "{}"}),
    ("/", {"text": "{}"}),
])  # fmt: skip
def test_a_text_in_which_nothing_is_seen_is_as_empty_as_white_space(server, path, body):
    def answer(text):
        filled = {name: value.replace("{}", text) if isinstance(value, str) else value for name, value in body.items()}
        said = server.client.post(path, json=filled)
        return said.status_code, said.text.partition("request_id")[0]

    empty = answer(" ")
    assert empty[0] in (400, 422)
    assert {text: answer(text) for text in INVISIBLE} == dict.fromkeys(INVISIBLE, empty)


def test_a_session_says_nothing_of_what_is_invisible(server):
    for text in INVISIBLE:
        with opened(server) as talk:
            talk.send("text", text=f"{text}\n")
            received = ended(talk)
        assert not any(kind in str(received) for kind in ('"skipped"', '"error"', '"audio"')), text
        with StreamSocket(server.url, query="output_format=pcm_8000") as socket:
            assert not socket.say(f"{text} ").audio, text
