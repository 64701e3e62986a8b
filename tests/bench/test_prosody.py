import numpy as np
import pytest
from bench.prosody import active_level_db, pitch_range, pitches_hz, semitones, without_silence

RATE_HZ = 24_000


def voice(hz, seconds=0.5, level=0.1):
    """A sound with ten harmonics, each weaker than the one below; its pitch may change."""
    n = int(RATE_HZ * seconds)
    phase = 2 * np.pi * np.cumsum(np.broadcast_to(hz, n)) / RATE_HZ
    return level * sum(np.sin(k * phase) / k for k in range(1, 11))


@pytest.mark.parametrize("hz", [70, 98.5, 150, 233.3, 420])
def test_the_pitch_of_a_voice_is_found(hz):
    found = pitches_hz(voice(hz))
    assert found.size > 80
    assert np.abs(found / hz - 1).max() < 0.01


@pytest.mark.parametrize("hz", [90, 200])
def test_a_pitch_without_its_fundamental_is_found_too(hz):
    sound = voice(hz) - 0.1 * np.sin(2 * np.pi * hz * np.arange(RATE_HZ // 2) / RATE_HZ)
    assert np.median(pitches_hz(sound)) == pytest.approx(hz, rel=0.01)


def test_a_glide_over_an_octave_has_most_of_an_octave_between_its_percentiles():
    glide = voice(np.geomspace(120, 240, RATE_HZ), seconds=1.0)
    # The last frame begins 42 ms before the end.
    assert pitch_range(pitches_hz(glide)) == pytest.approx(0.8 * 12 * 0.958, abs=0.2)


@pytest.mark.parametrize(
    "sound",
    [np.random.default_rng(0).normal(0, 0.1, RATE_HZ // 2), np.zeros(RATE_HZ // 2), np.zeros(10)],
    ids=["noise", "silence", "next to nothing"],
)
def test_what_has_no_voice_has_no_pitch(sound):
    found = pitches_hz(sound)
    assert found.size <= 2
    assert np.isnan(pitch_range(found[:0]))


def test_silence_around_a_word_changes_neither_its_level_nor_its_pitch():
    word = voice(150)
    padded = np.pad(word, RATE_HZ)
    assert active_level_db(padded) == pytest.approx(active_level_db(word), abs=0.2)
    assert pitch_range(pitches_hz(padded)) < 0.3


def test_silence_around_a_word_is_left_out_but_for_a_little():
    word = voice(150)
    padded = np.pad(word, RATE_HZ) + np.random.default_rng(0).normal(0, 1e-5, 5 * RATE_HZ // 2)
    left = without_silence(padded)
    assert 0 <= left.size - word.size < 0.11 * RATE_HZ
    assert without_silence(word).size == word.size


def test_a_word_of_half_the_amplitude_is_six_decibels_quieter():
    word = voice(150)
    assert active_level_db(word) - active_level_db(word / 2) == pytest.approx(6.02, abs=0.01)


def test_an_octave_has_twelve_semitones():
    assert semitones(2) == 12
    assert semitones(0.5) == -12
