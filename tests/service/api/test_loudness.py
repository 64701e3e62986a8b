"""`loudness`: the whole answer at a loudness in LUFS, by the standard's own measure."""

import base64

import numpy as np
import pytest
from service.audio.loudness import measure
from tests.service.api.speech_client import speak

PCM = {"text": "The weather was fine, and everybody went out.", "format": "pcm"}
TOLERANCE_LU = 0.2
"""Of what the limiter takes away and what rounding adds."""


def loudness_of(pcm):
    """Return integrated loudness in LUFS and true peak in dBTP."""
    found = measure([np.frombuffer(pcm, "<i2").astype(np.float32) / 32_768])
    return found.lufs, found.peak_dbtp


@pytest.mark.parametrize(
    ("lufs", "tolerance_lu"), [(-40, TOLERANCE_LU), (-28, TOLERANCE_LU), (-16, TOLERANCE_LU), (-14, 0.5)]
)
def test_an_answer_has_the_loudness_that_was_asked_for(remembering, lufs, tolerance_lu):
    usual = speak(remembering, **PCM).content
    answer = speak(remembering, **PCM, loudness=lufs).content
    measured, peak = loudness_of(answer)
    assert abs(measured - lufs) < tolerance_lu
    assert peak < -0.9
    assert len(answer) == len(usual)
    assert abs(loudness_of(usual)[0] - lufs) > TOLERANCE_LU


def test_times_of_words_stay(remembering):
    fields = {**PCM, "timestamps": "word"}
    usual = speak(remembering, **fields).json()
    answer = speak(remembering, **fields, loudness=-30).json()
    assert answer["words"] == usual["words"]
    assert abs(loudness_of(base64.b64decode(answer["audio"]))[0] + 30) < TOLERANCE_LU


def test_openai_takes_it_where_the_answer_is_whole(remembering):
    fields = {"model": "kokoro", "input": PCM["text"], "response_format": "pcm", "loudness": -30}
    post = remembering.client.post
    answer = post("/v1/audio/speech", json={**fields, "stream": False})
    assert abs(loudness_of(answer.content)[0] + 30) < TOLERANCE_LU
    refused = post("/v1/audio/speech", json={**fields, "stream": True})
    assert refused.status_code == 400
    assert "set stream to false" in refused.json()["error"]["message"]


@pytest.mark.parametrize(("more", "message"), [
    ({"stream": True}, "set stream to false"), ({"volume": 6}, "not both"), ({"loudness": 0}, "loudness"),
    ({"loudness": -51}, "loudness"),
])  # fmt: skip
def test_a_loudness_that_cannot_be_had_is_refused(remembering, more, message):
    answer = remembering.client.post("/synthesize", json={**PCM, "loudness": -20, **more})
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]
