"""What each step says of a graph that it does not know: why, where, and what it nearly found."""

import numpy as np
import onnx_ir as ir
import pytest
from onnx_ir.passes import common as passes
from service.model.durations import TENSOR_NAME
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.carrying import carry_statistics, give_spectrum, give_statistics, tell_spectrum
from service.preparation.rewriting.halves import halve, round_to_halves
from service.preparation.rewriting.masked_decoder import mask_frames
from service.preparation.rewriting.opsets import lower_opset
from service.preparation.rewriting.padded_encoder import pad_frames
from service.preparation.rewriting.parts import split
from service.preparation.rewriting.refusing import not_recognized
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import convolutions, normalization, snake


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


@pytest.mark.parametrize(
    ("step", "reason"),
    [
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
    ],
)
def test_every_step_refuses_a_graph_that_it_does_not_know(step, reason):
    model = unknown()
    found = refusal(lambda: step(model))
    assert found.reason.startswith(reason)
    assert found.node == "the node"


@pytest.mark.parametrize("name", [TENSOR_NAME, "style"])
def test_a_generator_that_lacks_what_both_parts_need_is_refused(name):
    graph = Published()
    model = graph.model(graph.generator())
    for module in (convolutions, normalization):
        module.rules().apply_to_model(model)
    passes.RemoveUnusedNodesPass()(model)
    for value in [*model.graph.inputs, *(v for node in model.graph for v in node.outputs)]:
        if value.name == name:
            value.name = "something_else"
    assert refusal(lambda: split(model)).reason == f"there is no {name}"


def nearest(module, model):
    rules = module.rules()  # type: ignore[attr-defined]
    assert rules.apply_to_model(model) == 0
    return refusal(lambda: raising(not_recognized("places", 0, 1, rules, model)))


def raising(error):
    raise error


def test_a_graph_without_anything_alike_has_no_nearest_miss():
    found = nearest(convolutions, unknown())
    assert found.reason == "0 places are recognized, and at least 1 are needed"
    assert (found.node, found.nearest) == ("the node", "no node looks like one")


def test_a_convolution_that_is_grouped_is_told_with_its_node():
    graph = Published()
    model = graph.model(graph.convolution(graph.given(1, 4, 9), 4, 5))
    (node,) = (node for node in model.graph if node.op_type == "ConvInteger")
    node.name = "the convolution"
    node.attributes["auto_pad"] = ir.AttrString("auto_pad", "SAME_UPPER")
    found = nearest(convolutions, model)
    assert found.nearest == "it is grouped, or not padded by numbers at the convolution"


def test_a_normalization_of_which_more_is_made_is_told():
    graph = Published()
    found = nearest(normalization, graph.model(graph.add("Exp", graph.norm(graph.given(1, 6, 9)))))
    assert found.nearest.startswith("more is done with it than modulation by a style at ")


def test_an_activation_of_another_power_is_told():
    graph = Published()
    x, alpha = graph.given(1, 3, 7), graph.constant(np.full((1, 3, 1), 2, np.float32))
    wave = graph.add("Sin", graph.add("Mul", alpha, x))
    cube = graph.add("Pow", wave, graph.constant(3, np.float32))
    inverse = graph.constant(np.full((1, 3, 1), 0.5, np.float32))
    found = nearest(snake, graph.model(graph.add("Add", x, graph.add("Mul", inverse, cube))))
    assert found.nearest.startswith("alpha and its reciprocal are not constant, or the power is ")
