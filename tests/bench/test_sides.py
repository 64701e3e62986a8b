import argparse

import pytest
from bench.sides import parse_side
from service.preparation.operators import NativeUnavailableError, find_native_operators

from bench import speech
from service.text import load_vocabulary


@pytest.mark.parametrize(
    ("text", "label", "environment"),
    [
        ("published", "published", {"KOKORO_PREPARE": "false"}),
        ("service", "service", {}),
        ("mine:threads=1,voice=af_bella", "mine", {"KOKORO_THREADS": "1", "KOKORO_VOICE": "af_bella"}),
        ("mine:model=/a=b.onnx", "mine", {"KOKORO_MODEL": "/a=b.onnx"}),
    ],
)
def test_side_is_a_label_and_settings(text, label, environment):
    side = parse_side(text)
    assert side.label == label
    assert side.environment() == environment


def test_another_setting_makes_another_side():
    side = parse_side("mine:threads=1").with_setting("workers", "2")
    assert side.label == "mine, workers = 2"
    assert side.environment() == {"KOKORO_THREADS": "1", "KOKORO_WORKERS": "2"}


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("mine:kernels=portable", "portable"),
        ("stock", "stock"),
        ("published", None),
        ("mine:prepare=false,threads=1", None),
    ],
)
def test_a_side_knows_what_its_operators_run_on(text, kernels):
    assert parse_side(text).kernels == kernels


@pytest.mark.parametrize("text", ["native", "service", "mine:threads=1"])
def test_sides_have_the_kernels_of_this_processor_unless_they_name_others(text):
    kernels = parse_side(text).kernels
    if kernels == "stock":
        with pytest.raises(NativeUnavailableError):
            find_native_operators()
    else:
        assert kernels == find_native_operators().kernels


@pytest.mark.parametrize("text", ["nobody", "mine:treads=1"])
def test_unknown_label_or_setting_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        parse_side(text)


@pytest.mark.parametrize("n_tokens", [2, 14, 96, 398, 510])
def test_phonemes_are_as_many_tokens_as_asked_for(n_tokens):
    phonemes = speech.phonemes(n_tokens)
    assert len(load_vocabulary().token_ids(phonemes)) == n_tokens == len(phonemes)
    assert phonemes.endswith(".")


def test_paragraph_is_of_the_length_that_is_written_about():
    assert len(speech.PARAGRAPH) == 600
