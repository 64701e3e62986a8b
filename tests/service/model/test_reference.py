from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from service.model.kokoro import Inference
from service.model.parity import SENTENCES, UnlikeError
from service.model.reference import NoReferenceError, Reference
from tests.opened_models import open_file
from tests.small_kokoro import write_small_kokoro

from service.model import open_runtime

TOKENS = {name: len(ids) + 2 for name, ids in SENTENCES.items()}


def loaded(path, **given):
    model = write_small_kokoro(path, **given)
    return open_file(model, open_runtime(threads=1))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with closing(loaded(tmp_path_factory.mktemp("model") / "small.onnx")) as kokoro:
        yield kokoro


@pytest.fixture(scope="module")
def reference(model):
    return Reference.record(model)


@pytest.fixture
def file(reference, tmp_path):
    path = tmp_path / "reference.npz"
    reference.write(path)
    return path


def changed(reference, change):
    """The reference, with something done to the samples of the long sentence."""
    inferences = dict(reference.inferences)
    long = inferences["long"]
    inferences["long"] = replace(long, samples=change(long.samples))  # type: ignore[operator]
    return Reference(inferences)


def test_every_sentence_is_recorded(reference):
    assert set(reference.inferences) == set(SENTENCES)
    for name, inference in reference.inferences.items():
        assert inference.durations is not None
        assert inference.durations.size == TOKENS[name]
        assert inference.samples.size == 600 * inference.durations.sum()
        assert reference.speaker(name) is inference


def test_what_is_written_is_read(reference, file):
    read = Reference.read(file)
    assert set(read.inferences) == set(SENTENCES)
    for name, inference in reference.inferences.items():
        found = read.inferences[name]
        np.testing.assert_array_equal(found.samples, inference.samples)
        np.testing.assert_array_equal(found.durations, inference.durations)
        assert found.samples.dtype == np.float32
        assert found.durations is not None
        assert found.durations.dtype == np.int64
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_model_that_tells_no_durations_has_a_reference_too(reference, tmp_path):
    silent = Reference({name: Inference(each.samples, None) for name, each in reference.inferences.items()})
    silent.write(tmp_path / "reference.npz")
    read = Reference.read(tmp_path / "reference.npz")
    assert [each.durations for each in read.inferences.values()] == [None, None]


def test_one_that_is_there_is_replaced(reference, file):
    changed(reference, lambda samples: samples / 2).write(file)
    read = Reference.read(file)
    expected = reference.inferences["long"].samples / 2
    np.testing.assert_array_equal(read.inferences["long"].samples, expected)


def test_one_that_cannot_be_written_leaves_the_old_one(reference, file):
    before = file.read_bytes()
    file.with_suffix(".partial.npz").mkdir()
    with pytest.raises(OSError, match="partial"):
        reference.write(file)
    assert file.read_bytes() == before


def test_a_missing_file_is_said_by_name(tmp_path):
    with pytest.raises(NoReferenceError, match=r"^reference\.npz: No such file or directory$"):
        Reference.read(tmp_path / "reference.npz")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_no_reference(share, file):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(NoReferenceError, match=r"reference\.npz cannot be read"):
        Reference.read(file)


def test_other_bytes_inside_are_noticed(file):
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(byte ^ 0xFF for byte in content[middle : middle + 8])
    file.write_bytes(content)
    with pytest.raises(NoReferenceError, match=r"reference\.npz cannot be read"):
        Reference.read(file)


@pytest.mark.parametrize("what", ["text", "one array", "another archive", "pickled"])
def test_other_files_are_no_reference(what, tmp_path):
    path = tmp_path / "reference.npz"
    with open(path, "wb") as file:
        if what == "text":
            file.write(b"nothing of the kind")
        elif what == "one array":
            np.save(file, np.zeros(3))
        elif what == "another archive":
            np.savez(file, other=np.zeros(3))
        else:
            np.savez(file, **{f"{name}_samples": np.array([{}]) for name in SENTENCES})
    with pytest.raises(NoReferenceError, match=r"reference\.npz cannot be read"):
        Reference.read(path)


def test_the_same_model_says_the_same(model, reference):
    comparisons = reference.check(model)
    assert {name: each.distance_db for name, each in comparisons.items()} == {"short": 0.0, "long": 0.0}
    assert comparisons["long"].n_samples == reference.inferences["long"].samples.size


def test_other_durations_are_unlike(reference, tmp_path):
    with (
        closing(loaded(tmp_path / "longer.onnx", frames=2.0)) as longer,
        pytest.raises(UnlikeError, match="the short sentence has other durations: 16 of 16 tokens"),
    ):
        reference.check(longer)


def test_another_sound_is_unlike(reference, tmp_path):
    with (
        closing(loaded(tmp_path / "higher.onnx", pitch=2.0)) as higher,
        pytest.raises(UnlikeError, match="the short sentence sounds different"),
    ):
        reference.check(higher)


def test_what_is_not_finite_is_unlike(reference, tmp_path):
    with (
        closing(loaded(tmp_path / "infinite.onnx", pitch=float("nan"))) as infinite,
        pytest.raises(UnlikeError, match=r"the short sentence: .* not finite"),
    ):
        reference.check(infinite)


@pytest.mark.parametrize("factor", [0.5, 1.3])
def test_another_loudness_is_unlike(factor, model, reference):
    other = changed(reference, lambda samples: samples * np.float32(factor))
    with pytest.raises(UnlikeError, match=r"the loudness of the long sentence differs by .* dB"):
        other.check(model)


def test_silence_is_unlike(reference, tmp_path):
    with (
        closing(loaded(tmp_path / "silent.onnx", pitch=0.0)) as silent,
        pytest.raises(UnlikeError, match="the short sentence is silent"),
    ):
        reference.check(silent)


def test_a_little_louder_is_alike(model, reference):
    other = changed(reference, lambda samples: samples * np.float32(1.05))
    assert 0 < other.check(model)["long"].distance_db < 1
