"""The small model ignores nothing that it is given: a test with one that did would find nothing."""

from contextlib import closing

import numpy as np
import pytest

from service.text import load_vocabulary
from tests.opened_models import open_file, open_folder
from tests.small_kokoro import write_parts, write_small_kokoro

PHONEMES = "həlˈO wˈɜɹld."
IDS = load_vocabulary().token_ids(PHONEMES)
STYLE = np.full((1, 256), 0.1, np.float32)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_small_kokoro(tmp_path_factory.mktemp("small") / "small.onnx")


@pytest.fixture(scope="module")
def model(source):
    write_parts(source, source.parent, "native")
    with closing(open_folder(source.parent, variant="native")) as model:
        yield model


@pytest.fixture(scope="module")
def said(model):
    return model.infer(IDS, STYLE, 1.0)


def test_the_parts_say_what_the_whole_says_and_a_window_a_part_of_it(source, said, model):
    with closing(open_file(source)) as whole:
        expected = whole.infer(IDS, STYLE, 1.0)
    np.testing.assert_array_equal(said.durations, expected.durations)
    np.testing.assert_allclose(said.samples, expected.samples, atol=1e-6)
    window = model.decode(model.encode(IDS, STYLE, 1.0), 10, 30, np.zeros(7, np.float32))
    np.testing.assert_allclose(window.samples, said.samples[6_000:18_000], atol=1e-6)


def test_every_token_has_a_sound_of_its_own(model):
    symbols = load_vocabulary().token_ids("abdefhijklmnoprstuvwzæðŋɑɔəɛɜɪɹʃʊʌʒˈˌ ")
    sounds = {model.infer([token], STYLE, 1.0).samples[12 * 600 : 14 * 600].tobytes() for token in symbols}
    assert len(sounds) == len(symbols)


def test_it_is_as_loud_as_speech_and_silent_at_its_ends_and_marks(said):
    assert 0.05 < np.abs(said.samples).max() < 0.3
    frames = said.samples.reshape(-1, 600).any(axis=1)
    silent = np.repeat([token in (0, *load_vocabulary().token_ids(".")) for token in (0, *IDS, 0)], said.durations)
    np.testing.assert_array_equal(frames, ~silent)


def test_a_style_is_a_timbre(model, said):
    assert 0.001 < np.abs(model.infer(IDS, 2 * STYLE, 1.0).samples - said.samples).max() < 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("speed", [0.5, 0.99, 1.01, 2.0])
def test_the_speed_is_that_of_the_durations(model, said, speed):
    durations = model.infer(IDS, STYLE, speed).durations
    assert durations.min() >= 1
    assert durations.sum() == int(said.durations.sum() / speed)
