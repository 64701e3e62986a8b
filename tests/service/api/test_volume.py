"""`volume` on every door: a gain in decibels."""

import numpy as np
import pytest
from service.audio.encoding import to_int16
from tests.service.api.speech_client import speak
from tests.service.api.websocket.sessions import opened

TEXT = "One moment, please."
PCM = {"text": TEXT, "format": "pcm", "speed": 2.0}
LOUD_DB = 20.0


@pytest.fixture(scope="module")
def usual(remembering):
    """What every answer here says, at a volume of 0 dB."""
    return samples_of(speak(remembering, **PCM).content)


def samples_of(pcm):
    return np.frombuffer(pcm, "<i2").astype(np.float32)


def amplified(usual, volume_db):
    """Return what the answer must be, within the rounding of what it is made from."""
    return to_int16(usual / 32_767 * np.float32(10 ** (volume_db / 20))).astype(np.float32)


@pytest.mark.parametrize("volume_db", [-60, -6.0, 0, LOUD_DB])
def test_volume_is_a_gain_in_decibels(remembering, usual, volume_db):
    answer = samples_of(speak(remembering, **PCM, volume=volume_db).content)
    gain = 10 ** (volume_db / 20)
    assert np.abs(answer - amplified(usual, volume_db)).max() <= 1 + gain / 2


def test_what_gets_too_loud_is_limited_and_not_clipped(remembering):
    answer = samples_of(speak(remembering, **PCM, volume=LOUD_DB).content)
    assert 32_000 < np.abs(answer).max() < 32_767


def test_a_stream_has_the_same_samples(remembering):
    fields = {**PCM, "volume": LOUD_DB, "decoding": "windows"}
    assert speak(remembering, **fields, stream=True).content == speak(remembering, **fields).content


def test_openai_multiplies_it_with_its_own_factor(remembering):
    fields = {"model": "kokoro", "input": TEXT, "response_format": "pcm", "stream": False}
    usual, louder, same = (
        samples_of(remembering.client.post("/v1/audio/speech", json={**fields, **more}).content)
        for more in ({}, {"volume": 6}, {"volume": -20, "volume_multiplier": 10})
    )
    assert np.abs(louder - amplified(usual, 6)).max() <= 2
    assert np.abs(same - usual).max() <= 1


def test_a_session_changes_it_with_config(remembering):
    with opened(remembering) as talk:
        talk.say("Good day.")
        talk.exchange("config", "ready", volume=-20)
        talk.say("Good day.")
        talk.exchange("config", "ready")
        talk.say("Good day.")
        talk.finish()
    peaks = [np.abs(part).max() for part in np.split(samples_of(talk.pcm), clause_starts(talk))]
    assert peaks[1] == pytest.approx(peaks[0] / 10, rel=0.02, abs=1)
    assert peaks[2] == pytest.approx(peaks[0], rel=0.02)


def clause_starts(talk):
    """Return the first sample of the second clause and of those that follow."""
    starts = {}
    n_samples = 0
    for message in talk.of("audio"):
        starts.setdefault(message["text_start"] // len("Good day."), n_samples)
        n_samples += message["n_bytes"] // 2
    return sorted(starts.values())[1:]


@pytest.mark.parametrize("volume", [-60.1, 20.1, "6", None])
def test_other_volumes_are_refused(remembering, volume):
    answer = remembering.client.post("/synthesize", json={**PCM, "volume": volume})
    assert answer.status_code == 422
    assert "volume" in answer.json()["error"]["message"]
