from typing import get_args

import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st

from service.audio import SampleRate
from service.audio.sample_rates import Resampler, resampled
from tests.profiles import given
from tests.service.audio.audio_samples import voice_like

RATES_HZ = get_args(SampleRate)


def resample(parts, rate_hz):
    return np.concatenate(list(resampled(parts, rate_hz)))


def tone(frequency_hz, rate_hz, duration_s=1.0):
    time_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    return (0.5 * np.sin(2 * np.pi * frequency_hz * time_s)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("frequency_hz", [100.0, 1000.0, 3300.0])
def test_a_tone_is_the_same_tone_at_every_rate(rate_hz, frequency_hz):
    result, ideal = resample([tone(frequency_hz, 24_000)], rate_hz), tone(frequency_hz, rate_hz)
    assert result.dtype == np.float32
    # A tone that begins at once has all frequencies at its ends.
    middle = slice(rate_hz // 10, -rate_hz // 10)
    noise = np.sqrt(np.mean(np.square(result[middle] - ideal[middle])))
    assert noise < 1e-4


@pytest.mark.parametrize("rate_hz", [8000, 11025, 16000])
def test_what_a_rate_cannot_hold_is_gone_and_not_another_tone(rate_hz):
    result = resample([tone(0.6 * rate_hz, 24_000)], rate_hz)
    assert np.abs(result[rate_hz // 10 : -rate_hz // 10]).max() < 1e-4


def test_at_their_own_rate_samples_pass_as_they_are_and_a_long_stream_does_not_drift():
    samples = voice_like(0.1)
    resampler = Resampler(24_000)
    assert resampler.add(samples) is samples
    assert resampler.finish().size == 0
    part = np.zeros(24_000, np.float32)
    assert sum(part.size for part in resampled([part] * 600, 11_025)) == 600 * 11_025


@given(st.sampled_from(RATES_HZ), st.integers(0, 9_000), st.lists(st.integers(0, 9_000), max_size=6).map(sorted))
@example(11_025, 160, [])  # half a sample is rounded up
@example(44_100, 40, [])
def test_a_stream_equals_the_whole_and_its_length_is_exact(rate_hz, n_samples, cuts):
    samples = np.random.default_rng(n_samples).normal(0, 0.2, n_samples).astype(np.float32)
    whole = resample([samples], rate_hz)
    assert whole.size == (2 * n_samples * rate_hz + 24_000) // 48_000
    assert np.array_equal(resample(np.split(samples, cuts), rate_hz), whole)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_eighty_milliseconds_are_held_at_most(rate_hz):
    resampler = Resampler(rate_hz)
    n_out = 0
    for n_in in range(240, 48_001, 240):
        n_out += resampler.add(np.zeros(240, np.float32)).size
        assert n_in / 24_000 - n_out / rate_hz <= 0.08
