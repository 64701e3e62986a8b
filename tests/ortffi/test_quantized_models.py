"""A quantized model is told by its operators and by the types of its weights."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from ortffi.model_file import inspect_model
from tests.ortffi.typed_models import model_of

pytestmark = pytest.mark.thorough


# Quantized or not


WEIGHTS = {
    kind: helper.make_tensor("w", kind, [2], [1, 2])
    for kind in (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT4, TensorProto.UINT4)
}


@pytest.mark.parametrize(
    ("domain", "operator"),
    [
        ("", "ConvInteger"),
        ("ai.onnx", "MatMulInteger"),
        ("", "QLinearConv"),
        ("", "DynamicQuantizeLinear"),
        ("", "QuantizeLinear"),
        ("com.microsoft", "DynamicQuantizeLSTM"),
        ("com.microsoft", "QAttention"),
        ("com.microsoft", "QLinearAdd"),
        ("com.microsoft", "MatMulNBits"),
        ("com.ms.internal.nhwc", "QLinearConv"),
    ],
)
def test_one_quantized_operator_makes_a_quantized_model(domain, operator):
    nodes = [helper.make_node("Add", ["a", "b"], ["c"])]
    nodes.append(helper.make_node(operator, ["c"], ["d"], domain=domain))
    found = inspect_model(model_of(nodes).SerializeToString())
    assert found.is_quantized
    assert found.quantized_operators == ((domain.removeprefix("ai.onnx"), operator),)


def test_one_deep_inside_counts_too():
    body = helper.make_graph([helper.make_node("QLinearMatMul", ["x"], ["y"])], "body", [], [])
    model = model_of([helper.make_node("Loop", ["n"], ["y"], body=body)])
    assert inspect_model(model.SerializeToString()).is_quantized


def test_the_same_name_in_another_domain_is_another_operator():
    model = model_of([helper.make_node("MatMulNBits", ["x"], ["y"], domain="org.example")])
    assert not inspect_model(model.SerializeToString()).is_quantized


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=map(TensorProto.DataType.Name, WEIGHTS))
@pytest.mark.parametrize("place", ["initializer", "constant"])
def test_weights_that_are_scaled_back_make_a_quantized_model(weights, place):
    nodes = [helper.make_node("DequantizeLinear", ["w", "scale"], ["y"])]
    if place == "constant":
        nodes.insert(0, helper.make_node("Constant", [], ["w"], value=weights))
    model = model_of(nodes, [weights] if place == "initializer" else [])
    found = inspect_model(model.SerializeToString())
    assert found.has_quantized_weights
    assert found.is_quantized
    assert found.quantized_operators == ()


def test_scaling_an_input_of_bytes_does_not():
    nodes = [
        helper.make_node("DequantizeLinear", ["image", "scale"], ["y"]),
        helper.make_node("Gather", ["y", "w"], ["z"]),
    ]
    model = model_of(nodes, [WEIGHTS[TensorProto.INT8]])
    assert not inspect_model(model.SerializeToString()).is_quantized


def test_neither_does_a_table_of_floats():
    table = numpy_helper.from_array(np.ones(3, np.float32), "w")
    model = model_of([helper.make_node("DequantizeLinear", ["w"], ["y"])], [table])
    assert not inspect_model(model.SerializeToString()).is_quantized
