import numpy as np
import pytest
from hypothesis import strategies as st

from service.speech import Delivery, Utterance
from service.speech.delivery import Made
from service.speech.stretching import Skipper, Stretcher, stretched, stretched_size
from service.speech.windows import Sound
from tests.profiles import given

SENTENCE = "The birch canoe slid on the smooth planks."
FACTORS = [0.5, 0.625, 0.9, 1.25, 1.7, 2.0, 2.1, 3.2, 4.8]


def paced(factor):
    """Return what `stretched` would take."""
    return (Skipper if factor > 2 else Stretcher)(factor)


def stretch(parts, factor):
    stretcher = paced(factor)
    return np.concatenate([*map(stretcher.add, parts), stretcher.finish()])


def tone(frequency_hz, duration_s):
    time_s = np.arange(round(duration_s * 24_000)) / 24_000
    return (0.5 * np.sin(2 * np.pi * frequency_hz * time_s)).astype(np.float32)


@given(st.floats(0.5, 5), st.integers(0, 12_000), st.lists(st.integers(0, 12_000), max_size=6).map(sorted))
def test_how_the_samples_are_divided_changes_nothing_and_the_length_is_exact(factor, n_samples, cuts):
    samples = np.random.default_rng(n_samples).normal(0, 0.2, n_samples).astype(np.float32)
    whole = stretch([samples], factor)
    assert whole.size == stretched_size(n_samples, factor) == round(n_samples / factor)
    assert np.array_equal(stretch(np.split(samples, cuts), factor), whole)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("frequency_hz", [80.0, 220.0, 1000.0])
def test_a_tone_keeps_its_pitch_and_its_loudness(factor, frequency_hz):
    result = stretch([tone(frequency_hz, 2.0)], factor)
    middle = result[2400:-2400].astype(np.float64)
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(middle.size)))
    assert np.argmax(spectrum) * 24_000 / middle.size == pytest.approx(frequency_hz, abs=2)
    loudness = np.sqrt(np.square(middle[: middle.size // 600 * 600]).reshape(-1, 600).mean(1))
    assert loudness == pytest.approx(0.5 / np.sqrt(2), rel=0.15)
    # A jump would be a click.
    assert np.abs(np.diff(middle)).max() < 1.3 * np.pi * frequency_hz / 24_000


@pytest.mark.parametrize("factor", FACTORS)
def test_every_sound_stays_in_its_place(factor):
    samples = np.zeros(48_000, np.float32)
    places_s = [0.3, 0.8, 1.1, 1.7]
    for place_s in places_s:
        start = round(place_s * 24_000)
        samples[start : start + 1200] = tone(500, 0.05)
    result = stretch([samples], factor)
    for place_s in places_s:
        found = np.flatnonzero(np.abs(result) > 0.02) / 24_000
        begin = found[found > (place_s - 0.1) / factor][0]
        assert begin == pytest.approx(place_s / factor, abs=0.015)


@pytest.mark.parametrize("factor", FACTORS)
def test_sixty_five_milliseconds_are_held_at_most(factor):
    stretcher = paced(factor)
    n_out = 0
    for n_in in range(120, 24_001, 120):
        stretched_part = stretcher.add(np.zeros(120, np.float32))
        assert not stretched_part.any()
        n_out += stretched_part.size
        assert n_in / 24_000 - n_out * factor / 24_000 <= 0.065


def test_the_sounds_of_a_chunk_keep_their_frames():
    durations = np.array([10, 20, 10])
    parts = np.split(tone(200, 1.0), [9_000])
    made = [
        Made(Sound(parts[0], durations, 24_000, is_last=False), 0.1, 0.2, None),
        Made(Sound(parts[1], durations, 24_000, is_last=True, seam=9_000), 0.3, 0.4, None),
    ]
    first, last = stretched(made, 2.0)
    assert first.sound.samples.size + last.sound.samples.size == 12_000
    assert (last.sound.n_samples, last.sound.seam, last.sound.frame_samples) == (12_000, 4500, 300)
    assert (last.wait_s, last.compute_s, last.sound.is_last) == (0.3, 0.4, True)
    assert last.sound.durations is durations


# With the model.


def said(synthesizer, utterance, delivery):
    return list(synthesizer.stream(synthesizer.plan(utterance, delivery)))


def duration_s(segments):
    return sum(segment.duration_s for segment in segments)


@pytest.mark.parametrize(("speed", "of_model"), [(0.25, 0.5), (0.4, 0.5), (2.5, 1.25), (4.0, 1.25), (6.0, 1.25)])
@pytest.mark.parametrize("kind", ["small", pytest.param("real", marks=pytest.mark.thorough)])
def test_what_the_model_cannot_do_is_stretched(request, kind, speed, of_model):
    speaking = request.getfixturevalue("synthesizer" if kind == "real" else "small_synthesizer")
    delivery = Delivery(timed=True)
    known = said(speaking, Utterance(SENTENCE, speed=of_model), delivery)
    segments = said(speaking, Utterance(SENTENCE, speed=speed), delivery)
    factor = speed / of_model
    n_samples = sum(segment.samples.size for segment in segments)
    assert n_samples == round(sum(segment.samples.size for segment in known) / factor)
    words = [word for segment in segments for word in segment.words]
    known_words = [word for segment in known for word in segment.words]
    assert len(words) == 8
    for word, other in zip(words, known_words, strict=True):
        assert (word.text_start, word.text_end) == (other.text_start, other.text_end)
        times_s = (other.start_s / factor, other.end_s / factor)
        assert (word.start_s, word.end_s) == pytest.approx(times_s, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "speed"), [("Glue the sheet.", 0.3), pytest.param(SENTENCE, 3.0, marks=pytest.mark.thorough)]
)
def test_a_stream_is_stretched_as_it_is_made(synthesizer, text, speed):
    streamed = Delivery(streamed=True, timed=True, decoding="windows")
    segments = said(synthesizer, Utterance(text, speed=speed), streamed)
    assert len(segments) > 1
    whole = said(synthesizer, Utterance(text, speed=speed), Delivery(timed=True))
    assert duration_s(segments) == pytest.approx(duration_s(whole), rel=0.02)
    end_s = 0.0
    for segment in segments:
        assert segment.start_s == pytest.approx(end_s)
        end_s += segment.duration_s
        for word in segment.words:
            assert segment.start_s <= word.start_s <= word.end_s
            assert word.start_s < end_s
    assert len([word for segment in segments for word in segment.words]) == len(text.split())


def test_each_part_of_a_text_has_its_own_speed(small_synthesizer):
    def length_s(rate, pause=""):
        text = f"<speak>Yes, indeed.{pause}<prosody rate='{rate}'>{SENTENCE}</prosody></speak>"
        return duration_s(said(small_synthesizer, Utterance(text, "ssml"), Delivery()))

    usual_s, quick_s, slow_s = length_s("1"), length_s("4"), length_s("0.25")
    assert quick_s < usual_s < slow_s
    # A pause that is asked for lasts as long as it is told to.
    one_s, three_s = (length_s("4", f"<break time='{pause_s}s'/>") for pause_s in (1, 3))
    assert three_s - one_s == pytest.approx(2)


@pytest.mark.parametrize(
    ("speed", "of_model", "stretching"),
    [
        (0.25, 0.5, 0.5),
        (0.3, 0.5, 0.6),
        (0.5, 0.5, 1.0),
        (1.1, 1.1, 1.0),
        (2.0, 2.0, 1.0),
        (4.0, 1.25, 3.2),
        (6.0, 1.25, 4.8),
    ],
)
def test_the_model_does_what_it_can(small_synthesizer, speed, of_model, stretching):
    (chunk,) = small_synthesizer.plan(Utterance("Yes.", speed=speed)).chunks
    assert (chunk.speed, chunk.model_speed) == (speed, of_model)
    assert chunk.stretching == pytest.approx(stretching)
