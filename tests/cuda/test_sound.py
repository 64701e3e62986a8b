"""Each way in which a run on the stub's GPU sounds wrong, and what of it the service notices."""

import numpy as np
import pytest
from service.model.parity import MAX_DISTANCE_DB, log_spectral_distance
from tests.cuda import runs
from tests.cuda.stub import SOUNDS

N_TOKENS, SAMPLES_PER_FRAME = 10, 600


@pytest.fixture
def speak(stub, kokoro, tmp_path):
    """The samples and durations that the model gives."""

    def speak(sound=None, *, cuda=True, bound=False):
        if sound:
            stub.sound(sound)
        answer = runs.run_model(
            stub.python, tmp_path, kokoro, runs.kokoro_inputs(N_TOKENS), cuda={} if cuda else None, bound=bound
        )
        assert answer["error"] is None, answer["error"]
        samples, durations = answer["outputs"]
        return samples.ravel(), durations.ravel()

    return speak


def rms(samples):
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def test_the_model_hums(speak):
    samples, durations = speak()
    assert durations.size == N_TOKENS
    assert samples.size == durations.sum() * SAMPLES_PER_FRAME > 0
    assert rms(samples) > 0.01


@pytest.mark.parametrize("sound", SOUNDS)
def test_on_the_cpu_it_sounds_right(speak, sound):
    samples, durations = speak()
    other_samples, other_durations = speak(sound, cuda=False)
    assert np.array_equal(samples, other_samples)
    assert np.array_equal(durations, other_durations)


@pytest.mark.parametrize("bound", [False, True])
def test_silence(speak, bound):
    samples, durations = speak("silence", bound=bound)
    assert not samples.any()
    assert np.array_equal(durations, speak()[1])


@pytest.mark.parametrize("bound", [False, True])
def test_no_numbers(speak, bound):
    samples, durations = speak("nan", bound=bound)
    assert np.isnan(samples).all()
    assert np.array_equal(durations, speak()[1])


@pytest.mark.parametrize(("sound", "factor"), [("quiet", 0.01), ("loud", 10)])
def test_loudness(speak, sound, factor):
    samples, _ = speak()
    other, _ = speak(sound)
    assert np.allclose(other, samples * factor)


def test_noise_is_as_loud_as_the_sound(speak):
    samples, _ = speak()
    noise, _ = speak("noise")
    assert rms(noise) == pytest.approx(rms(samples), rel=0.05)
    assert abs(np.corrcoef(samples, noise)[0, 1]) < 0.05
    assert log_spectral_distance(samples, noise) > 2 * MAX_DISTANCE_DB


def test_shifted_is_the_second_half_first(speak):
    samples, _ = speak()
    shifted, _ = speak("shifted")
    assert np.array_equal(shifted, np.roll(samples, samples.size // 2))
    assert log_spectral_distance(samples, shifted) > MAX_DISTANCE_DB


def test_short_fits_its_durations(speak):
    samples, durations = speak()
    short, short_durations = speak("short")
    assert short.size == pytest.approx(samples.size * (1 - 0.275), abs=SAMPLES_PER_FRAME)
    assert np.array_equal(short, samples[: short.size])
    assert short_durations.size == durations.size
    assert short.size == short_durations.sum() * SAMPLES_PER_FRAME


def test_short_cannot_be_had_where_the_memory_is_there_already(stub, kokoro, tmp_path):
    stub.sound("short")
    inputs = runs.kokoro_inputs()
    answer = runs.run_model(stub.python, tmp_path, kokoro, inputs, cuda={}, bound=True)
    assert "cannot shorten an output that is there already" in answer["error"]


def test_durations_move_a_frame(speak):
    samples, durations = speak()
    same_samples, moved = speak("durations")
    assert np.array_equal(same_samples, samples)
    assert moved.sum() == durations.sum()
    assert (moved - durations).tolist() == [-1, 1, *[0] * (N_TOKENS - 2)]


def say(stub, kokoro, tmp_path, *flags):
    sound = tmp_path / "hello.wav"
    done = stub.service(
        "say", "Hello.", "-o", str(sound), "--model", str(kokoro), "--cache-dir", str(tmp_path / "cache"), *flags
    )
    return done, sound


def test_the_service_speaks_on_a_gpu_that_sounds_right(stub, kokoro, tmp_path):
    done, sound = say(stub, kokoro, tmp_path, "--provider=cuda")
    assert done.returncode == 0, done.stderr
    assert sound.stat().st_size > 1000
    assert ["CUDAExecutionProvider"] in [call.arguments["providers"] for call in stub.named("Run")]


@pytest.mark.parametrize("sound", sorted({*SOUNDS} - {"bound"}))
def test_the_service_does_not_speak_on_a_gpu_that_sounds_wrong(stub, kokoro, tmp_path, sound):
    stub.sound(sound)
    done, file = say(stub, kokoro, tmp_path, "--provider=cuda")
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("kokoro-service: provider = cuda: ")
    assert "Traceback" not in done.stderr
    assert not file.exists()


def test_where_the_gpu_sounds_wrong_the_service_speaks_on_the_cpu_if_it_may(stub, kokoro, tmp_path):
    stub.sound("noise")
    done, _ = say(stub, kokoro, tmp_path, "--provider=auto", "--no-prepare")
    assert done.returncode == 0, done.stderr
    assert stub.named("Run")[-1].arguments["providers"] == []
