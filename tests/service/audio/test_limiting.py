"""Loud samples are limited, not clipped."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from service.audio.encoding import to_int16
from service.audio.limiting import THRESHOLD, limited
from tests.profiles import given

ANY_SAMPLES = arrays(np.float32, st.integers(0, 50), elements=st.floats(-64, 64, width=32, allow_nan=False))


def test_samples_up_to_the_threshold_are_untouched():
    samples = np.linspace(-THRESHOLD, THRESHOLD, 10_001, dtype=np.float32)
    assert limited(samples) is samples


@pytest.mark.parametrize(("amount", "expected"), [(1.0, 0.9456), (2.0, 0.9903), (10.0, 0.9987)])
def test_louder_samples_bend_toward_full_scale(amount, expected):
    # threshold + room * e / (1 + e), where e is the excess in units of the room
    samples = np.array([amount, -amount], np.float32)
    assert limited(samples) == pytest.approx([expected, -expected], abs=1e-4)


def test_the_curve_has_no_corner():
    step = np.float32(1e-3)
    below, at, above = limited(np.array([THRESHOLD - step, THRESHOLD, THRESHOLD + step]))
    assert above - at == pytest.approx(at - below, rel=0.02)


@given(ANY_SAMPLES)
def test_samples_stay_in_order_and_within_full_scale(samples):
    samples = np.sort(samples)
    result = limited(samples)
    assert result.dtype == np.float32
    assert (np.abs(result) <= 1.0).all()
    assert (np.diff(result) >= 0.0).all()


@given(ANY_SAMPLES, st.integers(0, 50))
def test_it_does_not_matter_how_samples_are_divided(samples, cut):
    parts = [limited(samples[:cut]), limited(samples[cut:])]
    assert np.array_equal(np.concatenate(parts), limited(samples))


def test_a_loud_tone_is_never_flat_at_full_scale():
    tone = np.sin(np.arange(24_000, dtype=np.float32) * np.float32(2 * np.pi * 440 / 24_000))
    written = to_int16(1.5 * tone)
    at_the_peak = written == written.max()
    assert not (at_the_peak[:-1] & at_the_peak[1:] & (np.diff(tone) != 0)).any()
    assert written.max() < 32_767
