from __future__ import annotations

import numpy as np
import pytest

from service.model.kokoro import SAMPLE_RATE_HZ
from service.speech.joining import PAUSES_S, WORD_PAUSE_S, pause_after
from service.speech.joining import shape as shape_and_skip

QUIET_S = 0.06
"""Of a pause, what is left of the two pieces' own rest."""


def piece(lead_s: float = 0.3, sound_s: float = 0.5, rest_s: float = 0.4) -> np.ndarray:
    """A tone between two quiet stretches, as the model gives it."""
    sound = 0.5 * np.sin(np.arange(int(sound_s * SAMPLE_RATE_HZ)) * 0.1)
    rests = [np.full(int(s * SAMPLE_RATE_HZ), 1e-4) for s in (lead_s, rest_s)]
    return np.concatenate([rests[0], sound, rests[1]]).astype(np.float32)


def shape(samples: np.ndarray, *, first: bool, last: bool, pause_s: float) -> np.ndarray:
    n_pause = round((pause_s - QUIET_S) * SAMPLE_RATE_HZ) if pause_s else 0
    return shape_and_skip(samples, first=first, last=last, n_pause=n_pause)[0]


def loud(samples: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.abs(samples) > 1e-3)


def test_a_piece_alone_stays_as_the_model_made_it() -> None:
    samples = piece()
    np.testing.assert_array_equal(shape(samples, first=True, last=True, pause_s=0.5), samples)


def test_the_sound_is_never_cut() -> None:
    samples = piece()
    middle = shape(samples, first=False, last=False, pause_s=0.1)
    np.testing.assert_array_equal(
        middle[loud(middle)[0] : loud(middle)[-1] + 1],
        samples[loud(samples)[0] : loud(samples)[-1] + 1],
    )


@pytest.mark.parametrize("pause_s", [0.1, 0.25, 0.55, 1.1])
def test_the_pause_between_two_pieces_is_as_asked(pause_s: float) -> None:
    one = shape(piece(), first=True, last=False, pause_s=pause_s)
    two = shape(piece(), first=False, last=True, pause_s=0.0)
    both = np.concatenate([one, two])
    gaps = np.diff(loud(both))
    assert gaps.max() / SAMPLE_RATE_HZ == pytest.approx(pause_s, abs=0.012)


def test_joins_do_not_click() -> None:
    parts = [piece(0.02, 0.5, 0.01) for _ in range(3)]
    joined = np.concatenate(
        [shape(p, first=i == 0, last=i == 2, pause_s=0.1) for i, p in enumerate(parts)]
    )
    inside = max(np.abs(np.diff(p)).max() for p in parts)
    assert np.abs(np.diff(joined)).max() <= inside


def test_a_silent_piece_is_kept_whole() -> None:
    samples = np.zeros(6000, np.float32)
    assert shape(samples, first=False, last=True, pause_s=0).size == 6000


def test_marks_decide_the_pause() -> None:
    assert pause_after("a.", 1.0) > pause_after("a;", 1.0) > pause_after("a,", 1.0)
    assert pause_after("a,", 1.0) > pause_after("a", 1.0)
    for mark, pause_s in {**PAUSES_S, "": WORD_PAUSE_S}.items():
        for speed in (0.5, 1.0, 2.0):
            whole = pause_after("a" + mark, speed) / SAMPLE_RATE_HZ + QUIET_S
            assert whole == pytest.approx(max(pause_s / speed, QUIET_S), abs=1e-4)


def test_the_rest_that_went_before_the_sound_is_told() -> None:
    samples = piece(lead_s=0.3)
    whole, none = shape_and_skip(samples, first=True, last=False, n_pause=9000)
    assert none == 0
    shaped, skipped = shape_and_skip(samples, first=False, last=True, n_pause=0)
    assert 0 < skipped < 0.3 * SAMPLE_RATE_HZ
    assert loud(shaped)[-1] + skipped == loud(samples)[-1]
    assert loud(whole)[0] == loud(samples)[0]
