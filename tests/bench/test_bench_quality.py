import time

import numpy as np
import pytest

from bench.quality import (
    FRAME,
    Case,
    OutOfTimeError,
    Renderings,
    mel_distance,
    mel_levels,
    resampled_interval,
)

CASE = Case("Hello.", "həlˈO.", "af_heart")


def tone(hz: float, level: float = 0.3, seconds: float = 0.5) -> np.ndarray:
    return np.float32(level) * np.sin(2 * np.pi * hz * np.arange(int(24_000 * seconds)) / 24_000)


def test_distance_of_a_recording_to_itself_is_nought():
    assert mel_distance(tone(440), tone(440)) == 0


def test_distance_is_the_difference_of_level_where_only_that_differs():
    noise = np.random.default_rng(0).normal(0, 0.1, 24_000)
    assert mel_distance(noise, noise * 10 ** (-6 / 20)) == pytest.approx(6.0, abs=0.01)


def test_what_is_too_quiet_to_matter_does_not_count():
    loud = tone(1000)
    hiss = np.random.default_rng(0).normal(0, 1e-6, loud.size)
    assert mel_distance(loud, loud + hiss) < 0.05


def test_another_tone_is_far_away():
    assert mel_distance(tone(440), tone(880)) > 3


def test_recordings_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="100 samples and 99"):
        mel_distance(np.zeros(100), np.zeros(99))


@pytest.mark.parametrize(("n_samples", "n_frames"), [(1, 1), (FRAME, 1), (FRAME + 256, 2)])
def test_every_recording_has_a_frame(n_samples, n_frames):
    assert mel_levels(np.zeros(n_samples)).shape == (n_frames, 80)


def test_every_band_hears_something():
    levels = mel_levels(np.random.default_rng(0).normal(0, 0.1, 4800))
    assert levels.min() > -60


def test_interval_holds_the_sum_and_is_nought_where_nothing_differs():
    low, high = resampled_interval([0, 1, 0, 2, -1, 0, 0, 1], 100)
    assert low <= 3 / 100 <= high
    assert resampled_interval([0] * 8, 100) == (0.0, 0.0)


def test_what_was_found_out_is_found_out_once(tmp_path):
    renderings = Renderings(tmp_path, time.monotonic() + 60)
    asked = []

    def find(case):
        asked.append(case)
        return 3

    assert renderings.keep("native", "words", [CASE], find) == [3]
    assert renderings.keep("native", "words", [CASE], find) == [3]
    assert asked == [CASE]
    renderings.forget("native")
    assert renderings.keep("native", "words", [CASE], find) == [3]
    assert len(asked) == 2


def test_what_was_found_out_before_the_deadline_is_kept(tmp_path):
    early = Renderings(tmp_path, time.monotonic() + 60)
    early.keep("native", "words", [CASE], lambda case: 3)
    late = Renderings(tmp_path, time.monotonic() - 1)
    other = Case("Bye.", "bˈI.", "af_heart")
    with pytest.raises(OutOfTimeError):
        late.keep("native", "words", [CASE, other], lambda case: 4)
    assert late.keep("native", "words", [CASE], lambda case: 4) == [3]
