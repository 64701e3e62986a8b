"""Models for GPUs: prepared, found, refused. What runs on one is in tests/cuda and tests/gpu."""

import os

import numpy as np
import onnx
import pytest

from service.errors import ProviderError
from service.loading import load_model
from service.model import PREPARE_COMMAND, ModelFile, open_runtime
from service.model.prepared import GPU_VARIANTS, REFERENCE
from service.model.reference import Reference
from service.model.runtime import GpuUnavailableError
from service.preparation import Source, get, make_for_gpus, store
from service.preparation.for_gpus import for_gpu
from service.preparation.refusal import NotPreparedError, SourceRefusedError
from service.preparation.store import Store
from service.settings import Settings
from tests.service.preparation.store_bench import PROGRAM
from tests.small_kokoro import COUNTER, write_small_kokoro


class Cache:
    """A source that looks quantized, and a cache."""

    def __init__(self, folder, patch):
        self.path, self.lines = folder / "cache", []
        self.source = Source(write_small_kokoro(folder / "small.onnx"), False)
        self._patch = patch
        patch.setenv(COUNTER, str(folder / "counter"))

    def quantized(self):
        model = onnx.load(self.source.path)
        model.doc_string = "stands for a graph with ConvInteger"
        onnx.save(model, self.source.path)
        return self

    def prepare(self, rewriting):
        self._patch.setattr(store, "PROGRAM", PROGRAM.format(rewriting))
        return [each.place for each in make_for_gpus(self.source, open_runtime(), self.path, self.lines.append)]

    def find(self, precision):
        return get(self.source, precision, open_runtime("cuda"), self.path, self.lines.append)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    return Cache(tmp_path, monkeypatch)


def test_a_quantized_model_is_prepared_in_both_precisions_with_a_reference(cache):
    folders = cache.quantized().prepare("faithful")
    assert [folder.name.split("-")[1] for folder in folders] == ["float32", "float16"]
    for folder in folders:
        assert {path.name for path in folder.iterdir()} == {
            "manifest.json", "encoder.onnx", "encoder.bin", "decoder.onnx", "decoder.bin", REFERENCE
        }  # fmt: skip
        reference = Reference.read(folder / REFERENCE)
        assert set(reference.inferences) == {"short", "long"}
        assert all(np.any(each.samples) for each in reference.inferences.values())
    for precision, folder in zip(GPU_VARIANTS, folders, strict=True):
        found = cache.find(precision)
        assert (found.folder, found.variant) == (folder, precision)
        assert set(found.reference().inferences) == {"short", "long"}
    # One that is found has been used.
    for folder in folders:
        os.utime(folder, (0, 0))
    assert cache.find("float32") is not None
    assert [folder.stat().st_mtime > 0 for folder in folders] == [True, False]


def test_what_is_prepared_for_gpus_and_for_the_processor_stands_side_by_side(cache):
    first = cache.quantized().prepare("faithful")
    store = Store(cache.path)
    other = for_gpu(cache.source, "float32", store).key
    assert not other.supersedes(for_gpu(cache.source, "float16", store).key.name)
    assert not other.supersedes(f"{other.family}-native-2-1.31.1-any")
    assert other.supersedes(f"{other.family}-float32-1-any")
    assert cache.prepare("failing") == first  # nobody rewrites again


@pytest.mark.parametrize(("rewriting", "reason"), [
    ("unknown", "known parts are recognized, at node the node"), ("higher", "sounds different"),
])  # fmt: skip
def test_a_precision_that_does_not_stay_right_is_refused_for_good(cache, rewriting, reason):
    with pytest.raises(NotPreparedError, match=reason):
        cache.quantized().prepare(rewriting)
    with pytest.raises(SourceRefusedError):
        Store(cache.path).has(for_gpu(cache.source, "float32", Store(cache.path)))
    with pytest.raises(GpuUnavailableError, match=f"{reason}.*; set another precision"):
        cache.find("float32")


def test_a_process_that_fails_is_no_refusal(cache):
    with pytest.raises(NotPreparedError, match="hole in the graph"):
        cache.quantized().prepare("failing")
    with pytest.raises(GpuUnavailableError, match=PREPARE_COMMAND):
        cache.find("float32")


def test_a_model_in_floats_is_taken_as_it_is_with_what_the_processor_says(cache):
    assert cache.prepare("failing") == [cache.source.path]
    (reference,) = (cache.path / "references").iterdir()
    assert set(Reference.read(reference).inferences) == {"short", "long"}
    found = cache.find("float32")
    assert isinstance(found, ModelFile)
    assert set(found.reference().inferences) == {"short", "long"}


def test_a_quantized_model_is_refused_with_the_command(cache):
    with pytest.raises(GpuUnavailableError) as caught:
        cache.quantized().find("float32")
    assert f"{PREPARE_COMMAND} --model small.onnx" in str(caught.value)
    published = Source(cache.path / "none.onnx", True)
    with pytest.raises(GpuUnavailableError, match=f"{PREPARE_COMMAND}$"):
        get(published, "float32", open_runtime("cuda"), cache.path, cache.lines.append)


def test_a_damaged_model_is_as_good_as_none(cache):
    for folder in cache.quantized().prepare("faithful"):
        (folder / REFERENCE).write_bytes(b"something else")
    with pytest.raises(GpuUnavailableError, match=PREPARE_COMMAND):
        cache.find("float32")


@pytest.mark.parametrize("provider", ["cuda", "tensorrt"])
def test_a_library_without_the_provider_is_refused_first(cache, provider):
    runtime = open_runtime(provider)
    if "CUDAExecutionProvider" in runtime.compiled_in:
        pytest.skip("this ONNX Runtime has CUDA; the refusal needs one without")
    with pytest.raises(ProviderError, match=f"^provider = {provider}: .*was built without"):
        load_model(Settings(model=cache.source.path, cache_dir=cache.path), runtime, print)
