from __future__ import annotations

import argparse
from types import SimpleNamespace

import pytest
from bench.gpu.chunks import chunk
from bench.processes import ChildError
from bench.variants import VARIANTS, add_variants, chosen_variants, opened, prepared_for_gpus
from service.model.decoder import Decoder
from service.model.prepared import ENCODER
from service.settings import BUCKETS, Settings

from bench import variants
from service.model import WholeModel
from service.preparation import getting


def n_samples(model):
    """Return how many samples it makes of a sentence."""
    return model.infer(*chunk(3), 1.0).samples.size


def test_native_is_what_the_service_has(model_file, cache_dir):
    with opened("native", Settings(cache_dir=cache_dir)) as model:
        assert model.prepared.variant == "native"
        assert model.statistics is not None
        assert n_samples(model) > 48_000


def test_as_published_has_no_windows(model_file, cache_dir):
    with opened(None, Settings(cache_dir=cache_dir)) as model:
        assert isinstance(model, WholeModel)
        assert model.prepared.variant is None


@pytest.mark.slow
def test_every_variant_speaks_with_the_statistics_of_the_same_model(model_file, cache_dir):
    """Stock and the two for GPUs are prepared, which takes three minutes once."""
    found: dict[str, tuple[int, tuple[int, ...]]] = {}
    for variant in VARIANTS:
        with opened(variant, Settings(cache_dir=cache_dir)) as model:
            assert model.prepared.variant == variant
            assert isinstance(model.decoder, Decoder)
            assert model.statistics is not None
            assert model.statistics.source_sha256 == model.sha256
            found[variant] = (n_samples(model), model.decoder.lengths)
    native, stock, floats = (n for n, _ in found.values())
    assert native == stock
    assert abs(floats - native) < 0.03 * native
    assert [lengths for _, lengths in found.values()] == [(), (), BUCKETS]
    folders = prepared_for_gpus(Settings(cache_dir=cache_dir))
    assert all((folder / ENCODER.graph).exists() for folder in folders.values())


@pytest.mark.parametrize("fails", [False, True])
def test_native_operators_are_left_out_for_stock_alone(monkeypatch, fails):
    find, seen = getting.find_native_operators, []

    def load(*_):
        seen.append(getting.find_native_operators)
        if fails:
            raise RuntimeError("somebody pulled the plug")
        return SimpleNamespace(prepared=SimpleNamespace(variant="stock"), close=lambda: None)

    monkeypatch.setattr(variants, "load_model", load)
    if fails:
        with pytest.raises(RuntimeError, match="plug"), opened("stock", Settings()):
            pass
    else:
        with opened("stock", Settings()):
            assert getting.find_native_operators is find
    assert seen != [find]
    assert getting.find_native_operators is find


def test_what_cannot_be_had_is_told_with_the_reason(monkeypatch):
    closed: list[bool] = []
    detail = "ONNX Runtime's operators: there is no compiler"
    found = SimpleNamespace(variant="stock", detail=detail)
    model = SimpleNamespace(prepared=found, close=lambda: closed.append(True))
    monkeypatch.setattr(variants, "load_model", lambda *_: model)
    with pytest.raises(ChildError, match=r"native is not available here: .* no compiler"), opened("native", Settings()):
        pass
    assert closed == [True]


def test_a_model_that_does_not_stay_right_in_floats_is_told(monkeypatch):
    monkeypatch.setattr(variants, "prepare_model", lambda *_: [SimpleNamespace(variant="float16")])
    with pytest.raises(ChildError, match="fails its parity check in float32"), opened("float32", Settings()):
        pass


def test_a_model_that_is_not_there_is_a_failure(tmp_path):
    settings = Settings(model=tmp_path / "none.onnx", cache_dir=tmp_path)
    for variant in VARIANTS:
        with pytest.raises(ChildError, match=r"none\.onnx"), opened(variant, settings):
            pass


@pytest.mark.parametrize(
    ("flags", "sides"),
    [
        ([], ["native"]),
        (["--side", "stock"], ["stock"]),
        (["--side", "float32", "--side", "native", "--side", "float32"], ["float32", "native"]),
    ],
)
def test_sides_of_a_command_line(flags, sides):
    parser = argparse.ArgumentParser()
    add_variants(parser)
    assert chosen_variants(parser.parse_args(flags)) == sides


def test_what_no_processor_runs_is_no_side(capsys):
    parser = argparse.ArgumentParser()
    add_variants(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--side", "float16"])
    assert "invalid choice: 'float16'" in capsys.readouterr().err
