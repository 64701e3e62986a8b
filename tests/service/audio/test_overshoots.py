"""What a player decodes has no true peak above -1 dBTP, whatever the encoder makes of it."""

import numpy as np
import pytest

from service.audio.chaptered_file import BOOK_FORMATS, write_chaptered
from service.audio.loudness import level_for, levelled, measure
from service.audio.overshoots import GainReduction, overshoots, write_below_peak
from service.errors import SynthesisError
from tests.service.audio.audio_samples import decoded, voice_like

RATE = 24_000
PROMISED_DBTP = -1.0

TIMES = np.arange(2 * RATE) / RATE
NOISE = np.random.default_rng(5)


CASES = {
    "speech": voice_like(2),
    # Hiss that begins and ends at once, as plosives do; single samples far above a tone; edges, which
    # encoders ring at; a tone through all frequencies, whose peaks lie between samples.
    "bursts": NOISE.normal(0, 0.3, TIMES.size) * (np.sin(20 * TIMES) > 0.8),
    "clicks": 0.05 * np.sin(2 * np.pi * 440 * TIMES) + 0.9 * (np.arange(TIMES.size) % (RATE // 7) == 0),
    "square": 0.4 * np.sign(np.sin(2 * np.pi * 233 * TIMES)),
    "sweep": 0.7 * np.sin(2 * np.pi * np.cumsum(50 + 1_900 * TIMES) / RATE),
    "noise": NOISE.normal(0, 0.2, TIMES.size),
}
CASES = {name: samples.astype(np.float32) for name, samples in CASES.items()}


def write_loud(path, book_format, samples):
    """Write samples at -12 LUFS as a book is."""
    level = level_for(lambda: [samples], -12)
    write_below_peak(
        path, lambda: levelled([samples], level), lambda parts: write_chaptered(path, book_format, parts, [], {})
    )


@pytest.mark.parametrize(
    "book_format", [pytest.param(form, marks=() if form == "m4b" else pytest.mark.thorough) for form in BOOK_FORMATS]
)
def test_loud_sound_has_its_peaks_when_it_is_decoded_and_is_the_same_file_each_time(book_format, tmp_path):
    path, again = tmp_path / f"a.{book_format}", tmp_path / f"b.{book_format}"
    peaks = {}
    for name, samples in CASES.items():
        write_loud(path, book_format, samples)
        peaks[name] = measure(decoded(path)).peak_dbtp
    assert {name: peak for name, peak in peaks.items() if peak > PROMISED_DBTP} == {}
    write_loud(again, book_format, samples)
    assert path.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("book_format", ["m4b", "mp3"])
def test_encoders_overshoot_if_nothing_is_done(book_format, tmp_path):
    """Or the test above would show nothing."""
    path = tmp_path / f"a.{book_format}"
    samples = CASES["bursts"]
    level = level_for(lambda: [samples], -12)
    write_chaptered(path, book_format, levelled([samples], level), [], {})
    peak = measure(decoded(path)).peak_dbtp
    assert peak > PROMISED_DBTP
    found = overshoots(path)
    assert 20 * np.log10(max(found.values())) == pytest.approx(peak, abs=0.1)


def test_only_what_is_around_an_overshoot_is_lowered():
    reduction = GainReduction()
    samples = np.ones(20 * 1024 + 5, np.float32)
    assert all(part is samples for part in reduction.applied([samples]))
    reduction.lower({7: 1.0, 30: 2.0}, reach=0)
    (result,) = reduction.applied([samples])
    goal = 10 ** (-1.4 / 20)
    assert np.allclose(result[7 * 1024 : 8 * 1024], goal)
    assert (result[: 6 * 1024] == 1).all()
    assert (result[9 * 1024 :] == 1).all()
    assert np.abs(np.diff(result)).max() < 0.001
    in_parts = np.concatenate(list(reduction.applied(np.split(samples, [1, 1, 7_000, 20_000]))))
    assert np.array_equal(in_parts, result)
    reduction.lower({7: 1.0}, reach=3)
    (result,) = reduction.applied([samples])
    assert np.allclose(result[7 * 1024 : 8 * 1024], goal**2)
    assert np.allclose(result[[4 * 1024, 11 * 1024 - 1]], goal, atol=0.001)


def test_an_encoder_that_overshoots_elsewhere_each_time_is_overcome(tmp_path):
    path = tmp_path / "a.flac"
    n_calls = 0

    def write(parts):
        nonlocal n_calls
        samples = np.concatenate(list(parts))
        place = 9_973 * n_calls % samples.size
        samples[place] *= 1.5  # another sample each time
        n_calls += 1
        write_chaptered(path, "flac", [samples], [], {})

    write_below_peak(path, lambda: [np.full(5 * RATE, 0.8, np.float32)], write)
    assert 2 < n_calls < 20
    assert not overshoots(path)


def test_an_encoder_that_is_always_too_loud_is_told_of(tmp_path):
    path = tmp_path / "a.flac"
    waits, loud = [], [np.ones(RATE // 4, np.float32)]
    with pytest.raises(SynthesisError, match="peaks"):
        write_below_peak(
            path, lambda: loud, lambda _: write_chaptered(path, "flac", loud, [], {}), lambda: waits.append("")
        )
    assert len(waits) >= 20
