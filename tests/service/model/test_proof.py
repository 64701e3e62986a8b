from __future__ import annotations

import numpy as np
import pytest

from service.model.proof import log_spectral_distance

SPEECH = (
    np.sin(np.arange(24_000) * 0.05) * np.random.default_rng(1).normal(1, 0.3, 24_000)
).astype(np.float32)


@pytest.mark.parametrize("n_samples", [1, 600, 1024, 1025, 24_000])
def test_the_same_has_no_distance_and_half_as_loud_six_decibels(n_samples: int) -> None:
    samples = SPEECH[:n_samples]
    assert log_spectral_distance(samples, samples) == 0
    assert log_spectral_distance(samples * 1e-4, samples * 1e-4) == 0
    if n_samples == SPEECH.size:
        assert log_spectral_distance(samples, samples / 2) == pytest.approx(6.02, abs=0.1)


def test_silence_is_far_from_speech_and_near_to_silence() -> None:
    silence = np.zeros_like(SPEECH)
    assert log_spectral_distance(silence, silence) == 0
    assert log_spectral_distance(SPEECH, silence) > 30


def test_noise_and_delay_are_heard() -> None:
    noise = np.random.default_rng(2).normal(0, 0.2, SPEECH.size).astype(np.float32)
    assert log_spectral_distance(SPEECH, SPEECH + noise) > 1
    assert log_spectral_distance(SPEECH, np.roll(SPEECH, 600)) > 1
