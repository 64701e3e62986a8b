import numpy as np
import pytest

from service.errors import SynthesisError
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import Inference
from service.model.parity import MAX_LEVEL_DIFFERENCE_DB, SENTENCES, UnlikeError, compare, log_spectral_distance

SPEECH = (np.sin(np.arange(24_000) * 0.05) * np.random.default_rng(1).normal(1, 0.3, 24_000)).astype(np.float32)


@pytest.mark.parametrize("n_samples", [1, 600, 1024, 1025, 24_000])
def test_the_same_has_no_distance_and_half_as_loud_six_decibels(n_samples):
    samples = SPEECH[:n_samples]
    assert log_spectral_distance(samples, samples) == 0
    assert log_spectral_distance(samples * 1e-4, samples * 1e-4) == 0
    if n_samples == SPEECH.size:
        assert log_spectral_distance(samples, samples / 2) == pytest.approx(6.02, abs=0.1)


def test_silence_is_far_from_speech_and_noise_and_delay_are_heard():
    silence = np.zeros_like(SPEECH)
    assert log_spectral_distance(silence, silence) == 0
    assert log_spectral_distance(SPEECH, silence) > 30
    noise = np.random.default_rng(2).normal(0, 0.2, SPEECH.size).astype(np.float32)
    assert log_spectral_distance(SPEECH, SPEECH + noise) > 1
    assert log_spectral_distance(SPEECH, np.roll(SPEECH, 600)) > 1


DURATIONS = (3, 1, 4, 2, 5)
"""Of some sounds, in frames."""


def spoken(durations=DURATIONS, *, told=True, factor=1.0):
    """Sounds of a pitch each; a longer one goes on as it began."""
    time = np.arange(100 * SAMPLES_PER_FRAME)
    random = np.random.default_rng(3)
    hums = [np.sin((0.03 + 0.05 * k) * time) + random.normal(0, 0.05, time.size) for k in range(5)]
    sounds = [hum[: n * SAMPLES_PER_FRAME] for hum, n in zip(hums, durations, strict=True)]
    samples = (0.1 * factor * np.concatenate(sounds)).astype(np.float32)
    return Inference(samples, np.array(durations, np.int64) if told else None)


def saying(short, long=None):
    return {"short": short, "long": long or spoken()}.__getitem__


LONGER, SHORTER, BOTH = (4, 1, 4, 2, 5), (3, 1, 3, 2, 5), (4, 1, 3, 2, 6)


@pytest.mark.parametrize("durations", [LONGER, SHORTER, BOTH])
def test_durations_may_differ_by_the_slack_and_are_compared_where_both_are(durations):
    other = spoken(durations)
    comparison = compare(saying(spoken()), saying(other), slack_frames=1)["short"]
    # Of each sound the frames that both have are the same; all the others would make decibels.
    assert (comparison.distance_db, comparison.n_samples) == (0, other.samples.size)
    with pytest.raises(UnlikeError, match="the short sentence has other durations"):
        compare(saying(spoken()), saying(other))


def test_more_than_the_slack_is_unlike_and_the_sounds_are_counted():
    other = spoken((3, 3, 4, 3, 5))
    with pytest.raises(UnlikeError, match="other durations: 1 of 5 tokens differ; 18 frames in all, not 15"):
        compare(saying(spoken()), saying(other), slack_frames=1)
    compare(saying(spoken()), saying(other), slack_frames=2)
    # Frames that change places, as many samples in all.
    with pytest.raises(UnlikeError, match="other durations: 2 of 5 tokens differ; 15 frames"):
        compare(saying(spoken()), saying(spoken((4, 1, 3, 2, 5))))


@pytest.mark.parametrize("told", [(False, True), (True, False), (False, False)])
def test_without_durations_the_samples_are_counted(told):
    one, other = (spoken(told=each) for each in told)
    assert compare(saying(one), saying(other), slack_frames=1)["short"].distance_db == 0
    longer = spoken(LONGER, told=told[1])
    with pytest.raises(UnlikeError, match="the short sentence has 9600 samples, not 9000"):
        compare(saying(one), saying(longer), slack_frames=1)


@pytest.mark.parametrize("factor", [1.1, 0.9])
def test_a_little_louder_is_alike(factor):
    assert abs(20 * np.log10(factor)) < MAX_LEVEL_DIFFERENCE_DB
    comparisons = compare(saying(spoken()), saying(spoken(), spoken(factor=factor)))
    assert set(comparisons) == set(SENTENCES)
    assert {comparison.n_samples for comparison in comparisons.values()} == {sum(DURATIONS) * SAMPLES_PER_FRAME}
    assert comparisons["short"].distance_db == 0


@pytest.mark.parametrize("factor", [1.13, 0.88, 0.01, 5.0, 0.0])
def test_loudness_is_bounded_and_silence_is_unlike(factor):
    message = r"loudness of the long sentence differs by .* dB" if factor else "the long sentence is silent"
    with pytest.raises(UnlikeError, match=message):
        compare(saying(spoken()), saying(spoken(), spoken(factor=factor)))


def test_another_sound_as_loud_is_unlike():
    one = spoken()
    random = np.random.default_rng(4).normal(size=one.samples.size)
    noise = (random * np.sqrt(np.mean(one.samples**2)) / random.std()).astype(np.float32)
    with pytest.raises(UnlikeError, match="the short sentence sounds different"):
        compare(saying(one), saying(Inference(noise, one.durations)))


def test_who_fails_is_unlike_and_who_is_right_must_not_fail():
    def failing(name):
        raise SynthesisError("the model gave samples that are not finite")

    with pytest.raises(UnlikeError, match=r"^the short sentence: the model gave samples"):
        compare(saying(spoken()), failing)
    with pytest.raises(SynthesisError):
        compare(failing, saying(spoken()))
