"""What the benches measure: gaps of streams, likeness and pitch of sounds, memory, time, waiting."""

import math
import mmap
import os
from statistics import mean

import numpy as np
import pytest

from bench import fleet
from bench.fleet import Text, blind, poisson, rate, simulate
from bench.likeness import Likeness, jump_ratios, loudness_changes, percentiles
from bench.processes import ChildError
from bench.procfs import cpu_s, mebibytes
from bench.prosody import active_level_db, pitch_range, pitches_hz, without_silence
from bench.quality import FRAME, mel_distance, mel_levels, resampled_interval
from bench.scaling import fit
from bench.streams import BYTES_PER_S as B
from bench.streams import heard
from service.model.parity import log_spectral_distance
from service.speech.windows import FADE_SAMPLES

RATE_HZ = 24_000
N_SAMPLES = 120_000
SEAMS = [36_000, 84_000]


def noise():
    """Return noise whose jumps are all of the same size, about."""
    return np.random.default_rng(0).uniform(-0.1, 0.1, N_SAMPLES).astype(np.float32)


def sine(hz=200.0):
    return np.float32(0.3) * np.sin(2 * np.pi * hz * np.arange(N_SAMPLES) / RATE_HZ)


def voice(hz, seconds=0.5, level=0.1):
    """A sound with ten harmonics, each weaker than the one below; its pitch may change."""
    phase = 2 * np.pi * np.cumsum(np.broadcast_to(hz, int(RATE_HZ * seconds))) / RATE_HZ
    return level * sum(np.sin(k * phase) / k for k in range(1, 11))


def test_a_player_is_dry_from_when_it_has_played_all_until_more_comes():
    rows = [
        # Arrivals (seconds, bytes); the longest gap, all gaps.
        ([(0.5, B)], 0, 0), ([(0.5, B), (1.5, B)], 0, 0), ([(0.5, B), (1.75, B)], 0.25, 0.25),
        # The player waited, so what comes in time after the gap is not late.
        ([(0.0, B), (1.5, B), (2.5, B)], 0.5, 0.5), ([(0.0, B), (1.5, B), (2.75, B)], 0.5, 0.75),
        # A long first part covers two late ones.
        ([(0.0, 3 * B), (1.0, 1000), (2.9, 1000)], 0, 0),
    ]  # fmt: skip
    for arrivals, longest, together in rows:
        found = heard(arrivals)
        assert (found.gap_s, found.dry_s) == pytest.approx((longest, together)), arrivals
    found = heard([(0.25, 4800), (0.5, 9600)])
    assert (found.first_s, found.whole_s, found.audio_s) == pytest.approx((0.25, 0.5, 0.3))


def test_the_reserve_is_the_least_that_was_left_when_more_came():
    rows = [
        # All at once: nothing came later.
        ([(0.5, B)], math.inf), ([(0.5, B), (0.504, 1000), (0.508, 1000)], math.inf),
        # A quarter of the second was left, then all of what came and a quarter of the next.
        ([(0.0, B), (0.75, B)], 0.25), ([(0.0, B), (0.75, B), (1.9, B)], 0.1), ([(0.0, B), (0.9, B), (1.5, B)], 0.1),
        # A first part in two reads is whole before it is counted.
        ([(0.0, 100), (0.001, B), (0.5, B)], 0.5 + 100 / B),
        # Who was dry had nothing.
        ([(0.0, B), (1.5, B), (2.0, B)], 0.0),
    ]  # fmt: skip
    for arrivals, reserve in rows:
        assert heard(arrivals).reserve_s == pytest.approx(reserve, abs=0.0011), arrivals


def test_a_mel_distance_is_the_difference_of_level_of_what_can_be_heard():
    tone, hiss = sine(1000), np.random.default_rng(0).normal(0, 1e-6, N_SAMPLES)
    assert mel_distance(tone, tone) == 0
    assert mel_distance(noise(), noise() * 10 ** (-6 / 20)) == pytest.approx(6.0, abs=0.01)
    assert mel_distance(tone, tone + hiss) < 0.05
    assert mel_distance(sine(440), sine(880)) > 3
    assert mel_levels(noise()).min() > -60, "every band hears something"
    for n_samples, n_frames in ((1, 1), (FRAME, 1), (FRAME + 256, 2)):
        assert mel_levels(np.zeros(n_samples)).shape == (n_frames, 80)
    with pytest.raises(ValueError, match="100 samples and 99"):
        mel_distance(np.zeros(100), np.zeros(99))


def test_an_interval_holds_the_sum_and_is_nought_where_nothing_differs():
    low, high = resampled_interval([0, 1, 0, 2, -1, 0, 0, 1], 100)
    assert low <= 3 / 100 <= high
    assert resampled_interval([0] * 8, 100) == (0.0, 0.0)


def test_a_change_of_loudness_is_the_change_of_level_where_it_is_loud_from_the_start_on():
    right = noise()
    assert loudness_changes(right, right, 0) == pytest.approx(0, abs=1e-6)
    changes = loudness_changes(right, right * 10 ** (-3 / 20), 0)
    assert changes == pytest.approx(-3, abs=1e-3)
    assert changes.size == N_SAMPLES / 60
    assert loudness_changes(right, np.zeros(N_SAMPLES), 0).max() < -60
    right[N_SAMPLES // 2 :] *= 0.01
    other = right.copy()
    other[: N_SAMPLES // 4] *= 4
    other[N_SAMPLES * 3 // 4 :] *= 4
    changes = loudness_changes(right, other, N_SAMPLES // 4 + 2400)
    assert 0 < changes.size < N_SAMPLES / 4 / 60 + 2400 / 60
    assert changes == pytest.approx(0, abs=1e-6)
    assert loudness_changes(right, other, 0).max() > 11


def test_percentiles_are_of_all_changes_together():
    ones = [Likeness(0.0, np.full(90, 1.0)), Likeness(0.0, np.full(10, -5.0))]
    assert percentiles(ones) == pytest.approx([-5.0, 1.0, 1.0])
    with pytest.raises(ChildError, match="silent"):
        percentiles([Likeness(0.0, np.zeros(0))])


def test_a_distance_counts_what_is_quiet():
    right = noise()
    right[N_SAMPLES // 2 :] *= 1e-4
    other = right.copy()
    other[N_SAMPLES // 2 :] *= 10 ** (-10 / 20)
    assert Likeness.of(right, other, 0).distance_db == pytest.approx(5, abs=0.1)
    assert log_spectral_distance(right, other) < 0.1


def test_a_click_where_windows_are_switched_is_a_large_jump():
    clean, faded = jump_ratios(sine(), SEAMS)
    assert clean.shape == (len(SEAMS), 3)
    assert max(clean.max(), faded.max()) < 1.01
    for place, offset in enumerate((-FADE_SAMPLES, 0, FADE_SAMPLES)):
        samples = sine()
        samples[SEAMS[1] + offset :] += 0.1
        switched, faded = jump_ratios(samples, SEAMS)
        assert np.argwhere(switched > 2).tolist() == [[1, place]]
        assert np.flatnonzero(faded > 2).tolist() == [1]
    samples = sine()
    samples[SEAMS[0] + 100] += 0.3
    switched, faded = jump_ratios(samples, SEAMS)
    assert switched.max() < 1.01, "a click elsewhere in a fade is of the fade alone"
    assert np.flatnonzero(faded > 2).tolist() == [0]
    samples = sine()
    for seam in SEAMS:
        fade = slice(seam - FADE_SAMPLES, seam + FADE_SAMPLES)
        samples[fade] += noise()[fade]
    assert (jump_ratios(samples, SEAMS)[1] > 5).all(), "the rest of the samples tells what is large"


def test_the_pitch_of_a_voice_is_found_with_and_without_its_fundamental():
    for hz in (70, 98.5, 150, 233.3, 420):
        found = pitches_hz(voice(hz))
        assert found.size > 80
        assert np.abs(found / hz - 1).max() < 0.01
    for hz in (90, 200):
        sound = voice(hz) - 0.1 * np.sin(2 * np.pi * hz * np.arange(RATE_HZ // 2) / RATE_HZ)
        assert np.median(pitches_hz(sound)) == pytest.approx(hz, rel=0.01)
    # The last frame of a glide over an octave begins 42 ms before the end.
    glide = voice(np.geomspace(120, 240, RATE_HZ), seconds=1.0)
    assert pitch_range(pitches_hz(glide)) == pytest.approx(0.8 * 12 * 0.958, abs=0.2)
    for sound in (np.random.default_rng(0).normal(0, 0.1, RATE_HZ // 2), np.zeros(RATE_HZ // 2), np.zeros(10)):
        assert pitches_hz(sound).size <= 2
    assert np.isnan(pitch_range(pitches_hz(np.zeros(10))))


def test_silence_around_a_word_changes_neither_its_level_nor_its_pitch():
    word = voice(150)
    padded = np.pad(word, RATE_HZ)
    assert active_level_db(padded) == pytest.approx(active_level_db(word), abs=0.2)
    assert active_level_db(word) - active_level_db(word / 2) == pytest.approx(6.02, abs=0.01)
    assert pitch_range(pitches_hz(padded)) < 0.3
    left = without_silence(padded + np.random.default_rng(0).normal(0, 1e-5, padded.size))
    assert 0 <= left.size - word.size < 0.11 * RATE_HZ
    assert without_silence(word).size == word.size


def test_memory_that_is_touched_is_resident_counts_once_in_pss_and_costs_cpu_seconds(tmp_path):
    before = mebibytes("VmRSS")
    held = b"x" * (64 << 20)
    assert mebibytes("VmRSS", os.getpid()) > before + 32
    assert mebibytes("VmHWM") >= before + 32
    path = tmp_path / "weights"
    path.write_bytes(held)
    resident, once = mebibytes("VmRSS"), mebibytes("Pss")
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as first,
        mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as second,
    ):
        assert first[:: mmap.PAGESIZE] == second[:: mmap.PAGESIZE]
        assert mebibytes("VmRSS") > resident + 96
        assert once + 32 < mebibytes("Pss") < once + 96
    before = cpu_s()
    while cpu_s() == before:
        sum(range(1000))
    assert cpu_s(os.getpid()) > before


def test_a_line_goes_through_short_and_long_texts_alike():
    line = fit([(audio_s, 0.25 + 0.5 * audio_s) for audio_s in (0.5, 1.0, 4.0, 20.0)])
    assert (line.start_s, line.slope) == pytest.approx((0.25, 0.5))
    assert [line.deviation(2.0, seconds) for seconds in (1.25, 2.5)] == pytest.approx([0, 1])
    points = [(1.0, 1.1), (1.0, 0.9), (100.0, 110.0), (100.0, 90.0)]
    assert max(abs(fit(points).deviation(*point)) for point in points) == pytest.approx(0.1, abs=0.03)


def test_one_replica_waits_as_theory_says(monkeypatch):
    """One server, random arrivals, service of constant length: the mean wait is known."""
    monkeypatch.setattr(fleet, "TEXTS", (Text(1, 1.8, 0.5, 0.5),))
    utilization = 0.8
    spoken = simulate(poisson(100_000, rate(utilization, 1), 1), 1, blind, 1)
    expected_s = 0.5 + utilization * 0.5 / (2 * (1 - utilization))
    assert mean(one.first_s for one in spoken) == pytest.approx(expected_s, rel=0.05)
