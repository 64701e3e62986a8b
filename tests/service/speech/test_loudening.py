"""Gains that clip nothing, and pitches that move."""

import numpy as np
import pytest
from hypothesis import strategies as st

from service.speech.loudening import Limiter
from service.speech.pitch import Resampler, ratio_of
from service.speech.stretching import stretched_size
from tests.profiles import given

CUTS = st.lists(st.integers(0, 5_000), max_size=5)
GAINS = st.floats(1.01, 10.0)


def in_parts(stage, samples, cuts):
    places = sorted(min(cut, samples.size) for cut in cuts)
    parts = [stage.add(part) for part in np.split(samples, places)]
    return np.concatenate([*parts, stage.finish()])


def noise(seed, size=6_000):
    """Return noise with bursts up to 1.4 times full scale, as loud as the model ever is."""
    random = np.random.default_rng(seed)
    envelope = np.repeat(random.choice([0.0, 0.05, 0.3, 1.4], size // 250), 250)
    return (envelope * random.uniform(-1, 1, envelope.size)).astype(np.float32)


@given(st.integers(0, 99), GAINS, CUTS)
def test_no_sample_is_beyond_the_ceiling_and_no_step_clicks(seed, gain, cuts):
    samples = noise(seed)
    loud = in_parts(Limiter(gain), samples, cuts)
    assert loud.size == samples.size
    assert np.abs(loud).max() <= 10 ** (-1 / 20) + 1e-5
    heard = np.abs(samples) > 1e-3
    gains_db = 20 * np.log10(np.abs(loud[heard] / samples[heard]))
    assert (gains_db <= 20 * np.log10(gain) + 1e-3).all()
    steps = np.abs(np.diff(gains_db)) / np.diff(np.flatnonzero(heard))
    assert (steps <= 1.01 / 24 + 1e-3).all()


@given(st.integers(0, 99), GAINS, CUTS)
def test_how_samples_are_divided_does_not_matter_to_the_gain(seed, gain, cuts):
    samples = noise(seed)
    np.testing.assert_allclose(in_parts(Limiter(gain), samples, cuts), in_parts(Limiter(gain), samples, []), atol=1e-5)


@given(st.integers(0, 9_000), st.floats(-6, 6), CUTS)
def test_how_samples_are_divided_does_not_matter_to_the_pitch(size, semitones, cuts):
    samples = np.resize(noise(1), size)
    factor = ratio_of(semitones)
    moved = in_parts(Resampler(factor), samples, cuts)
    assert moved.size == stretched_size(size, factor)
    np.testing.assert_allclose(moved, in_parts(Resampler(factor), samples, []), atol=1e-5)


@pytest.mark.parametrize("semitones", [-6, -1, 1, 6])
def test_a_sine_stays_a_sine_at_another_pitch(semitones):
    factor = ratio_of(semitones)
    times = np.arange(12_000) / 24_000
    sine = np.sin(2 * np.pi * 440 * times).astype(np.float32)
    moved = in_parts(Resampler(factor), sine, [1_000, 5_000])
    expected = np.sin(2 * np.pi * 440 * factor * np.arange(moved.size) / 24_000)
    inner = slice(100, moved.size - 100)
    np.testing.assert_allclose(moved[inner], expected[inner], atol=2e-3)
