"""What is measured: sides by label and settings, and variants of the model."""

import argparse
from types import SimpleNamespace

import pytest

from bench import variants
from bench.gpu.chunks import chunk
from bench.processes import ChildError
from bench.sides import parse_side
from bench.variants import VARIANTS, add_variants, chosen_variants, opened, prepared_for_gpus
from service.model import WholeModel
from service.model.decoder import Decoder
from service.model.prepared import ENCODER
from service.preparation import getting
from service.preparation.operators import NativeUnavailableError, find_native_operators
from service.settings import BUCKETS, Settings


def test_a_side_is_a_label_settings_and_what_its_operators_run_on():
    misses = []
    for text, label, environment in (
        ("published", "published", {"KOKORO_PREPARE": "false"}), ("service", "service", {}),
        ("mine:threads=1,voice=af_bella", "mine", {"KOKORO_THREADS": "1", "KOKORO_VOICE": "af_bella"}),
        ("mine:model=/a=b.onnx", "mine", {"KOKORO_MODEL": "/a=b.onnx"}),
    ):  # fmt: skip
        side = parse_side(text)
        if (side.label, side.environment()) != (label, environment):
            misses.append((text, side))
    for text, kernels in (
        ("mine:kernels=portable", "portable"), ("stock", "stock"), ("published", None),
        ("mine:prepare=false,threads=1", None),
    ):  # fmt: skip
        if parse_side(text).kernels != kernels:
            misses.append((text, parse_side(text).kernels))
    assert not misses
    other = parse_side("mine:threads=1").with_setting("workers", "2")
    assert other.label == "mine, workers = 2"
    assert other.environment() == {"KOKORO_THREADS": "1", "KOKORO_WORKERS": "2"}
    for text in ("nobody", "mine:treads=1"):
        with pytest.raises(argparse.ArgumentTypeError):
            parse_side(text)


def test_sides_have_the_kernels_of_this_processor_unless_they_name_others():
    try:
        kernels = find_native_operators().kernels
    except NativeUnavailableError:
        kernels = "stock"
    assert {parse_side(text).kernels for text in ("native", "service", "mine:threads=1")} == {kernels}


def test_sides_of_a_command_line(capsys):
    parser = argparse.ArgumentParser()
    add_variants(parser)
    for flags, sides in (
        ([], ["native"]),
        (["--side", "stock"], ["stock"]),
        (["--side", "float32", "--side", "native", "--side", "float32"], ["float32", "native"]),
    ):
        assert chosen_variants(parser.parse_args(flags)) == sides
    with pytest.raises(SystemExit):
        parser.parse_args(["--side", "float16"])
    assert "invalid choice: 'float16'" in capsys.readouterr().err


def n_samples(model):
    return model.infer(*chunk(3), 1.0).samples.size


def test_native_is_what_the_service_has_and_as_published_has_no_windows(model_file, cache_dir):
    with opened("native", Settings(cache_dir=cache_dir)) as model:
        assert model.prepared.variant == "native"
        assert model.statistics is not None
        assert n_samples(model) > 48_000
    with opened(None, Settings(cache_dir=cache_dir)) as model:
        assert isinstance(model, WholeModel)
        assert model.prepared.variant is None


@pytest.mark.slow
def test_every_variant_speaks_with_the_statistics_of_the_same_model(model_file, cache_dir):
    """Stock and the two for GPUs are prepared, which takes three minutes once."""
    found = {}
    for variant in VARIANTS:
        with opened(variant, Settings(cache_dir=cache_dir)) as model:
            assert model.prepared.variant == variant
            assert isinstance(model.decoder, Decoder)
            assert model.statistics.source_sha256 == model.sha256
            found[variant] = (n_samples(model), model.decoder.lengths)
    native, stock, floats = (n for n, _ in found.values())
    assert native == stock
    assert abs(floats - native) < 0.03 * native
    assert [lengths for _, lengths in found.values()] == [(), (), BUCKETS]
    folders = prepared_for_gpus(Settings(cache_dir=cache_dir))
    assert all((folder / ENCODER.graph).exists() for folder in folders.values())


def test_native_operators_are_left_out_for_stock_alone(monkeypatch):
    find, seen = getting.find_native_operators, []

    def load(*_):
        seen.append(getting.find_native_operators)
        if len(seen) == 2:
            raise RuntimeError("somebody pulled the plug")
        return SimpleNamespace(prepared=SimpleNamespace(variant="stock"), close=lambda: None)

    monkeypatch.setattr(variants, "load_model", load)
    with opened("stock", Settings()):
        assert getting.find_native_operators is find
    with pytest.raises(RuntimeError, match="plug"), opened("stock", Settings()):
        pass
    assert find not in seen
    assert getting.find_native_operators is find


def assert_fails(match, variant, **settings):
    with pytest.raises(ChildError, match=match), opened(variant, Settings(**settings)):
        pass


def test_what_cannot_be_had_is_told_with_the_reason(monkeypatch, tmp_path):
    for variant in VARIANTS:
        assert_fails(r"none\.onnx", variant, model=tmp_path / "none.onnx", cache_dir=tmp_path)
    closed = []
    found = SimpleNamespace(variant="stock", detail="ONNX Runtime's operators: there is no compiler")
    model = SimpleNamespace(prepared=found, close=lambda: closed.append(True))
    monkeypatch.setattr(variants, "load_model", lambda *_: model)
    assert_fails(r"native is not available here: .* no compiler", "native")
    assert closed == [True]
    monkeypatch.setattr(variants, "prepare_model", lambda *_: [SimpleNamespace(variant="float16")])
    assert_fails("fails its parity check in float32", "float32")
