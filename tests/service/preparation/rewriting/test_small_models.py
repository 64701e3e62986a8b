"""The whole of the rewriting on small models: known ones, and such as are refused."""

import numpy as np
import onnx_ir as ir
import pytest
from service.model.durations import TENSOR_NAME
from service.model.prepared import DECODER, ENCODER
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.pipeline import rewrite
from tests.service.preparation.rewriting.graph_checks import plain
from tests.service.preparation.rewriting.published_graphs import Published
from tests.service.preparation.rewriting.variants import VARIANTS, cpu, layout_of

from service.preparation.rewriting import resampling

NONE_NEEDED = {name: (name, 0) for name in ("convolutions", "normalization", "snake")}


@pytest.fixture
def known(monkeypatch):
    """Have small graphs recognized."""
    least = {**NONE_NEEDED, "snake": ("Snake activations", 1)}
    monkeypatch.setattr("service.preparation.rewriting.pipeline._RECOGNIZED", least)


def saved(model, tmp_path):
    """Return a model's file, and an empty folder."""
    source, folder = tmp_path / "source.onnx", tmp_path / "prepared"
    folder.mkdir()
    ir.save(model, source)
    return source, folder


def refuse(source, folder, variant, reason):
    """See that a model is refused, with a reason and a node, and nothing is written."""
    with pytest.raises(RefusedError) as caught:
        rewrite(source, folder, variant, lambda line: None, layout_of(variant))  # type: ignore[arg-type]
    assert list(folder.iterdir()) == []
    found = caught.value.refusal
    assert reason in found.reason
    assert found.node
    return found


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_generator_that_cannot_be_split_is_not_prepared(variant, tmp_path):
    graph = Published()
    style = graph.quantized(graph.given(1, 8, name="style"))
    model = graph.model(graph.residual_block(graph.given(1, 6, 30), style, 6))
    source, folder = saved(model, tmp_path)
    refuse(source, folder, variant, "no upsampling mixes channels")


@pytest.mark.usefixtures("known")
def test_a_generator_of_other_blocks_is_not_prepared(tmp_path):
    graph = Published()
    source, folder = saved(graph.model(graph.generator(residual=False)), tmp_path)
    refuse(source, folder, "stock", "no residual block of 6")


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_no_kokoro_is_left_alone(variant, tmp_path):
    graph = Published()
    source, folder = saved(graph.model(graph.generator()), tmp_path)
    before = source.read_bytes()
    refuse(source, folder, variant, "quantized convolutions are recognized, and at least 80 are")
    assert source.read_bytes() == before


@pytest.mark.usefixtures("known")
def test_a_small_model_of_the_known_kind_gives_the_same_numbers(tmp_path):
    graph = Published()
    audio = graph.generator()
    before, durations = plain(graph.model(audio, TENSOR_NAME), graph.feeds)
    source, folder = saved(graph.model(audio), tmp_path)
    report = rewrite(source, folder, "stock", lambda line: None)
    assert report.found["projections"] == 18
    # The one without a style stays as it is.
    assert report.found["normalization"] == 18 + 18
    with (
        cpu().commit_from_file(folder / ENCODER.graph) as encoder,
        cpu().commit_from_file(folder / DECODER.graph) as decoder,
    ):
        names = [value.name for value in encoder.outputs]
        told = dict(zip(names, encoder.run(graph.feeds, names, copy=True), strict=True))
        np.testing.assert_array_equal(told.pop(TENSOR_NAME), durations)
        size = next(value for value in decoder.inputs if value.name == "given").shape
        given = {"given": np.zeros(size, np.float32), "share": np.zeros(1, np.float32)}
        (after,) = decoder.run({**told, **given, "style": graph.feeds["style"]}, copy=True)
    assert np.abs(after - before).mean() < 0.02 * np.abs(before).mean()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_normalization_without_a_style_is_not_recognized(variant, tmp_path, monkeypatch):
    least = {**NONE_NEEDED, "normalization": ("layers of AdaIN", 1)}
    monkeypatch.setattr("service.preparation.rewriting.pipeline._RECOGNIZED", least)
    graph = Published()
    model = graph.model(graph.add("Exp", graph.norm(graph.given(1, 6, 9))))
    source, folder = saved(model, tmp_path)
    found = refuse(source, folder, variant, "0 layers of AdaIN are recognized")
    assert found.nearest.startswith("more is done with it than modulation by a style at ")


@pytest.mark.usefixtures("known")
def test_an_operator_that_cannot_be_run_is_never_written(tmp_path, monkeypatch):
    others = resampling.rules()
    monkeypatch.setattr("service.preparation.rewriting.stock.rules", lambda **_: others)
    graph = Published()
    source, folder = saved(graph.model(graph.generator()), tmp_path)
    refuse(source, folder, "stock", "there is no operator for QuantizedConv")
