"""Audio at other sample rates, in the formats of telephony, and at any speed."""

import base64
from typing import get_args

import pytest

from service.audio import SampleRate
from tests.service.api.speech_client import parse_events, speak

TEXT = "One moment, please."
PCM = {"text": TEXT, "format": "pcm", "speed": 2.0}


@pytest.fixture(scope="module")
def n_samples(remembering):
    """Of what every answer here says, at the model's own rate."""
    answer = speak(remembering, **PCM)
    assert answer.headers["x-sample-rate-hz"] == "24000"
    return len(answer.content) // 2


def at_rate(n_samples, rate_hz):
    return int(n_samples * rate_hz / 24_000 + 0.5)


@pytest.mark.parametrize("rate_hz", get_args(SampleRate))
def test_every_rate_has_the_same_duration_and_a_stream_the_same_samples(remembering, n_samples, rate_hz):
    answer = speak(remembering, **PCM, sample_rate=rate_hz)
    assert answer.headers["x-sample-rate-hz"] == str(rate_hz)
    assert float(answer.headers["x-duration-s"]) == round(n_samples / 24_000, 6)
    assert len(answer.content) // 2 == at_rate(n_samples, rate_hz)
    streamed = speak(remembering, **PCM, sample_rate=rate_hz, decoding="whole", stream=True)
    assert streamed.headers["x-sample-rate-hz"] == str(rate_hz)
    assert streamed.content == answer.content


def test_word_times_and_subtitles_do_not_depend_on_the_rate(remembering):
    usual, other = (speak(remembering, **PCM, timestamps="word", sample_rate=rate).json() for rate in (None, 8000))
    assert (usual["sample_rate_hz"], other["sample_rate_hz"]) == (24_000, 8000)
    assert (usual["words"], usual["duration_s"]) == (other["words"], other["duration_s"])
    events = parse_events(speak(remembering, **PCM, timestamps="word", sample_rate=8000, stream=True).text)
    audio = b"".join(base64.b64decode(data["audio"]) for _, data in events)
    assert audio == speak(remembering, **PCM, sample_rate=8000, stream=True).content
    words = [word["text"] for _, data in events[:-1] for word in data["words"]]
    assert words == [word["text"] for word in usual["words"]]
    fields = {**PCM, "format": "srt"}
    assert speak(remembering, **fields, sample_rate=8000).text == speak(remembering, **fields).text


RAW = (
    ({"format": "mulaw"}, "audio/PCMU", 8000), ({"format": "alaw"}, "audio/PCMA", 8000),
    ({"format": "alaw", "sample_rate": 16_000}, "audio/PCMA;rate=16000", 16_000),
)  # fmt: skip


@pytest.mark.parametrize(("fields", "media_type", "rate_hz"), RAW)
@pytest.mark.parametrize("stream", [False, True])
def test_raw_telephony(remembering, n_samples, fields, media_type, rate_hz, stream):
    answer = speak(remembering, **{**PCM, **fields, "stream": stream, "decoding": "whole"})
    assert answer.headers["content-type"] == media_type
    assert len(answer.content) == at_rate(n_samples, rate_hz)


@pytest.mark.parametrize(("speed", "of_model"), [(0.25, 0.5), (0.4, 0.5), (2.5, 1.25), (6.0, 1.25)])
def test_any_speed_is_made_of_what_the_model_says(remembering, speed, of_model):
    fields = {"text": TEXT, "format": "pcm"}
    known = speak(remembering, **fields, speed=of_model)
    answer = speak(remembering, **fields, speed=speed)
    assert answer.headers["x-cache"] == "hit"
    assert len(answer.content) // 2 == round(len(known.content) // 2 * of_model / speed)
    assert speak(remembering, **fields, length_scale=1 / speed).content == answer.content
