"""What each step says of a graph that it does not know: why, where, and what it nearly found."""

import numpy as np
import onnx_ir as ir
import pytest
from onnx_ir.passes import common as passes

from service.model.durations import TENSOR_NAME
from service.model.prepared import DECODER, ENCODER
from service.preparation.refusal import RefusedError
from service.preparation.rewriting import convolutions, normalization, resampling, snake
from service.preparation.rewriting.carrying import carry_statistics, give_spectrum, give_statistics, tell_spectrum
from service.preparation.rewriting.halves import halve, round_to_halves
from service.preparation.rewriting.masked_decoder import mask_frames
from service.preparation.rewriting.opsets import lower_opset
from service.preparation.rewriting.padded_encoder import pad_frames
from service.preparation.rewriting.parts import split
from service.preparation.rewriting.pipeline import rewrite
from service.preparation.rewriting.refusing import not_recognized
from tests.service.preparation.checks import plain, the_node
from tests.service.preparation.rewriting.published_graphs import Published
from tests.service.preparation.rewriting.whole_models import VARIANTS, cpu, layout_of


def unknown():
    """A graph that has nothing of Kokoro's."""
    graph = Published()
    model = graph.model(graph.add("Gelu", graph.given(1, 3)))
    model.graph[0].name = "the node"
    return model


def refusal(work):
    with pytest.raises(RefusedError) as caught:
        work()
    assert str(caught.value.refusal) in str(caught.value)
    return caught.value.refusal


@pytest.mark.parametrize(("step", "reason"), [
    (split, "the generator has no beginning"),
    (lambda model: tell_spectrum(model.graph), "there is no spectrum"),
    (lambda model: give_spectrum(model.graph), "there is no spectrum"),
    (lambda model: give_statistics(model.graph), "the decoder has no residual block"),
    (lambda model: carry_statistics(model.graph), "the decoder has no residual block"),
    (lambda model: pad_frames(model.graph), "nothing numbers the frames"),
    (lambda model: mask_frames(model.graph), "there is no features"),
    (lambda model: halve(model.graph), "no convolution comes before an inverse transform"),
    (lambda model: round_to_halves(model.graph), "no convolution comes before an inverse"),
    (lower_opset, "Gelu is not of opset 17"),
])  # fmt: skip
def test_every_step_refuses_a_graph_that_it_does_not_know(step, reason):
    model = unknown()
    found = refusal(lambda: step(model))
    assert found.reason.startswith(reason)
    assert found.node == "the node"


@pytest.mark.parametrize("name", [TENSOR_NAME, "style"])
def test_a_generator_that_lacks_what_both_parts_need_is_refused(graph, name):
    model = graph.model(graph.generator())
    for module in (convolutions, normalization):
        module.rules().apply_to_model(model)
    passes.RemoveUnusedNodesPass()(model)
    for value in [*model.graph.inputs, *(v for node in model.graph for v in node.outputs)]:
        if value.name == name:
            value.name = "something_else"
    assert refusal(lambda: split(model)).reason == f"there is no {name}"


def grouped():
    graph = Published()
    model = graph.model(graph.convolution(graph.given(1, 4, 9), 4, 5))
    node = the_node(model, "ConvInteger")
    node.name, node.attributes["auto_pad"] = "the convolution", ir.AttrString("auto_pad", "SAME_UPPER")
    return model


def without_a_style():
    graph = Published()
    return graph.model(graph.add("Exp", graph.norm(graph.given(1, 6, 9))))


def cubed():
    graph = Published()
    return graph.model(graph.snake(graph.given(1, 3, 7), 3, power=3.0))


@pytest.mark.parametrize(("module", "build", "nearest"), [
    (convolutions, unknown, "no node looks like one"),
    (convolutions, grouped, "it is grouped, or not padded by numbers at the convolution"),
    (normalization, without_a_style, "more is done with it than modulation by a style at "),
    (snake, cubed, "alpha and its reciprocal are not constant, or the power is "),
])  # fmt: skip
def test_the_nearest_miss_is_told(module, build, nearest):
    def fail():
        raise not_recognized("places", 0, 1, rules, model)

    rules, model = module.rules(), build()
    assert rules.apply_to_model(model) == 0
    found = refusal(fail)
    assert found.reason == "0 places are recognized, and at least 1 are needed"
    assert found.nearest.startswith(nearest)
    assert found.node == ("the node" if build is unknown else found.node)


# The whole of the rewriting, on small models.
@pytest.fixture
def known(monkeypatch):
    """Have small graphs recognized, or those that have what is named."""

    def know(*needed):
        least = {name: (name, int(name in needed)) for name in ("convolutions", "normalization", "snake")}
        monkeypatch.setattr("service.preparation.rewriting.pipeline._RECOGNIZED", least)

    know("snake")
    return know


@pytest.fixture
def refuse(tmp_path):
    def refuse(model, variant, reason):
        """See that a model is refused, with a reason and a node, and nothing is written."""
        source, folder = tmp_path / "source.onnx", tmp_path / "prepared"
        folder.mkdir()
        ir.save(model, source)
        before = source.read_bytes()
        found = refusal(lambda: rewrite(source, folder, variant, lambda line: None, layout_of(variant)))
        assert (list(folder.iterdir()), source.read_bytes()) == ([], before)
        assert reason in found.reason
        assert found.node
        return found

    return refuse


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_generator_that_cannot_be_split_is_not_prepared(graph, variant, refuse):
    style = graph.quantized(graph.given(1, 8, name="style"))
    refuse(graph.model(graph.residual_block(graph.given(1, 6, 30), style, 6)), variant, "no upsampling mixes channels")


@pytest.mark.usefixtures("known")
def test_a_generator_of_other_blocks_is_not_prepared(graph, refuse):
    refuse(graph.model(graph.generator(residual=False)), "stock", "no residual block of 6")


@pytest.mark.parametrize("variant", [*VARIANTS, "float32", "float16", "rounded"])
def test_what_is_no_kokoro_is_left_alone(graph, variant, refuse):
    refuse(graph.model(graph.generator()), variant, "quantized convolutions are recognized, and at least 80 are")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_normalization_without_a_style_is_not_recognized(variant, known, refuse):
    known("normalization")
    found = refuse(without_a_style(), variant, "0 normalization are recognized")
    assert found.nearest.startswith("more is done with it than modulation by a style at ")


@pytest.mark.usefixtures("known")
def test_an_operator_that_cannot_be_run_is_never_written(graph, refuse, monkeypatch):
    others = resampling.rules()
    monkeypatch.setattr("service.preparation.rewriting.stock.rules", lambda **_: others)
    refuse(graph.model(graph.generator()), "stock", "there is no operator for QuantizedConv")


@pytest.mark.usefixtures("known")
def test_a_small_model_of_the_known_kind_gives_the_same_numbers(graph, tmp_path):
    audio = graph.generator()
    before, durations = plain(graph.model(audio, TENSOR_NAME), graph.feeds)
    ir.save(graph.model(audio), tmp_path / "source.onnx")
    report = rewrite(tmp_path / "source.onnx", tmp_path, "stock", lambda line: None)
    assert report.found["projections"] == 18
    # The one without a style stays as it is.
    assert report.found["normalization"] == 18 + 18
    with (
        cpu().commit_from_file(tmp_path / ENCODER.graph) as encoder,
        cpu().commit_from_file(tmp_path / DECODER.graph) as decoder,
    ):
        names = [value.name for value in encoder.outputs]
        told = dict(zip(names, encoder.run(graph.feeds, names, copy=True), strict=True))
        np.testing.assert_array_equal(told.pop(TENSOR_NAME), durations)
        (size,) = (value.shape for value in decoder.inputs if value.name == "given")
        given = {"given": np.zeros(size, np.float32), "share": np.zeros(1, np.float32)}
        (after,) = decoder.run({**told, **given, "style": graph.feeds["style"]}, copy=True)
    assert np.abs(after - before).mean() < 0.02 * np.abs(before).mean()
