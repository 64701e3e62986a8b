import io
from contextlib import closing

import numpy as np
import pytest

from service.model import open_runtime
from service.model.kokoro import Inference
from service.model.parity import SENTENCES, UnlikeError
from service.model.reference import NoReferenceError, Reference
from tests.opened_models import open_file
from tests.small_kokoro import write_small_kokoro

TOKENS = {name: len(ids) + 2 for name, ids in SENTENCES.items()}


def loaded(path, **given):
    return open_file(write_small_kokoro(path, **given), open_runtime(threads=1))


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


def test_every_sentence_is_recorded_and_read(reference, file):
    read = Reference.read(file)
    assert set(reference.inferences) == set(read.inferences) == set(SENTENCES)
    for name, inference in reference.inferences.items():
        assert inference.durations.size == TOKENS[name]
        assert inference.samples.size == 600 * inference.durations.sum()
        assert reference.speaker(name) is inference
        found = read.inferences[name]
        np.testing.assert_array_equal(found.samples, inference.samples)
        np.testing.assert_array_equal(found.durations, inference.durations)
        assert (found.samples.dtype, found.durations.dtype) == (np.float32, np.int64)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_one_that_is_there_is_replaced_also_by_that_of_a_model_that_tells_no_durations(reference, file):
    halved = {name: Inference(each.samples / 2, None) for name, each in reference.inferences.items()}
    Reference(halved).write(file)
    for name, found in Reference.read(file).inferences.items():
        np.testing.assert_array_equal(found.samples, halved[name].samples)
        assert found.durations is None


def test_one_that_cannot_be_written_leaves_the_old_one(reference, file):
    before = file.read_bytes()
    file.with_suffix(".partial.npz").mkdir()
    with pytest.raises(OSError, match="partial"):
        reference.write(file)
    assert file.read_bytes() == before


def test_files_that_are_no_reference_or_not_there(reference, file, tmp_path):
    content = file.read_bytes()
    middle = len(content) // 2
    flipped = bytes(byte ^ 0xFF for byte in content[middle : middle + 8])
    contents = {f"cut off at {share}": content[: int(share * len(content))] for share in (0.0, 0.1, 0.5, 0.99)}
    contents |= {"other bytes inside": content[:middle] + flipped + content[middle + 8 :], "text": b"nothing like it"}
    for what, save in {
        "one array": lambda stream: np.save(stream, np.zeros(3)),
        "another archive": lambda stream: np.savez(stream, other=np.zeros(3)),
        "pickled": lambda stream: np.savez(stream, **{f"{name}_samples": np.array([{}]) for name in SENTENCES}),
    }.items():
        save(stream := io.BytesIO())
        contents[what] = stream.getvalue()

    def is_refused(content):
        file.write_bytes(content)
        try:
            Reference.read(file)
        except NoReferenceError as error:
            return str(error) == "reference.npz cannot be read"
        return False

    assert not [what for what, content in contents.items() if not is_refused(content)]
    with pytest.raises(NoReferenceError, match=r"^reference\.npz: No such file or directory$"):
        Reference.read(tmp_path / "none/reference.npz")


def test_the_same_model_says_the_same(model, reference):
    comparisons = reference.check(model)
    assert {name: each.distance_db for name, each in comparisons.items()} == {"short": 0.0, "long": 0.0}
    assert comparisons["long"].n_samples == reference.inferences["long"].samples.size


@pytest.mark.parametrize(("given", "message"), [
    ({"frames": 2.0}, "the short sentence has other durations: 16 of 16 tokens"),
    ({"pitch": 2.0}, "the short sentence sounds different"),
    ({"pitch": float("nan")}, r"the short sentence: .* not finite"),
])  # fmt: skip
def test_another_model_is_unlike(reference, tmp_path, given, message):
    with closing(loaded(tmp_path / "other.onnx", **given)) as other, pytest.raises(UnlikeError, match=message):
        reference.check(other)
