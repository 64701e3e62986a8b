"""The published graph with other weights."""

import numpy as np
import onnx_ir as ir
import pytest

from service.errors import ModelError
from service.preparation.rewriting.filling import by_tensor, dequantize, fill, refine_durations, symmetric
from service.preparation.rewriting.graph import constant
from tests.service.preparation.published_weights import published_weights


@pytest.fixture(scope="module")
def weights(model_file):
    return published_weights(model_file)


def constants(model):
    """Return every constant that a node has, by the node and the place."""
    return {
        (node.name or node.outputs[0].name, place): constant(value)
        for node in model.graph for place, value in enumerate(node.inputs) if constant(value) is not None
    }  # fmt: skip


def test_convolutions_have_seven_bits_over_their_range_and_zero():
    rng = np.random.default_rng(1)
    for weight in (rng.normal(0.3, 1, (4, 3, 5)), np.abs(rng.normal(1, 1, (2, 2, 1))), np.zeros((2, 1, 1))):
        integers, scale, zero_point = by_tensor(weight.astype(np.float32))
        assert integers.dtype == np.uint8
        assert integers.max() <= 127
        restored = (integers.astype(np.float32) - zero_point) * scale
        assert np.abs(restored - weight).max() <= scale * 0.51
        assert not (np.full(1, zero_point, np.float32) - zero_point).any()


def test_matrices_have_seven_bits_on_both_sides_of_zero():
    weight = np.random.default_rng(1).normal(0, 1, (6, 9)).astype(np.float32)
    weight[2] = 0
    integers, scale = symmetric(weight, (1,))
    assert (integers.dtype, scale.shape) == (np.int8, (6,))
    assert sorted({int(n) for n in np.abs(integers.astype(int)).max(axis=1)}) == [0, 64]
    assert (np.abs(integers * scale[:, None] - weight).max(axis=1) <= scale * 0.51).all()


def test_the_published_numbers_are_reproduced_from_their_floats(model_file, weights):
    model = ir.load(model_file)
    before = constants(model)
    fill(model, weights)
    after = constants(model)
    assert after.keys() == before.keys()
    integers = [key for key, array in before.items() if array.dtype in (np.int8, np.uint8)]
    assert len(integers) > 400
    for key in integers:
        assert after[key].dtype == before[key].dtype
        np.testing.assert_array_equal(after[key], before[key])
    for key in before.keys() - set(integers):
        np.testing.assert_allclose(after[key], before[key], rtol=2e-6)


def test_other_weights_reach_every_constant(model_file, weights):
    """A weight that nobody fills would stay the published one, and no other test would hear it."""
    model = ir.load(model_file)
    before = constants(model)
    rng = np.random.default_rng(1)
    others = {name: (array * rng.uniform(0.5, 2, array.shape)).astype(np.float32) for name, array in weights.items()}
    fill(model, others)
    after = constants(model)
    kept = [key for key, array in before.items() if array.size > 20 and np.array_equal(after[key], array)]
    assert {before[key].dtype for key in kept} <= {np.dtype(np.int64), np.dtype(np.int8), np.dtype(np.float32)}
    assert all(not before[key].any() for key in kept if before[key].dtype == np.int8)  # zero points
    floats = {key[0].rpartition("/")[0] for key in kept if before[key].dtype == np.float32}
    assert floats <= {"/decoder/decoder/generator/istft/stft", "/encoder/predictor/text_encoder/lstms.1"} | {
        key[0].rpartition("/")[0] for key in kept if set(np.unique(before[key])) <= {0.0, 1.0}
    }


def test_weights_of_another_structure_are_refused(model_file, weights):
    name = "decoder.decode.0.conv1.weight"
    cases = [
        ({key: value for key, value in weights.items() if key != name}, f"it lacks {name!r}"),
        ({**weights, name: weights[name][:512]}, "has [512, 1090, 3], and Kokoro-82M has [1024, 1090, 3]"),
        ({**weights, "decoder.decode.4.conv1.weight": weights[name]}, "it has 'decoder.decode.4.conv1.weight'"),
        ({**weights, "predictor.lstm.bias_ih_l0": np.zeros(4, np.float32)}, "predictor.lstm.bias_ih_l0 has [4]"),
        (
            {**weights, "decoder.generator.resblocks.0.alpha1.0": np.zeros((1, 256, 1), np.float32)},
            "a factor of Snake is 0",
        ),
    ]
    for others, message in cases:
        with pytest.raises(ModelError) as error:
            fill(ir.load(model_file), others)
        assert message in error.value.message


def test_models_may_have_other_numbers_of_symbols(model_file, weights):
    model = ir.load(model_file)
    tables = ("bert.embeddings.word_embeddings.weight", "text_encoder.embedding.weight")
    fill(model, {**weights, **{name: np.ones((200, weights[name].shape[1]), np.float32) for name in tables}})
    rows = [array for key, array in constants(model).items() if array.ndim == 2 and len(array) == 200]
    assert len(rows) == 2


def test_a_float_model_has_no_integers_and_the_same_weights(model_file, weights):
    model = ir.load(model_file)
    dequantize(model)
    fill(model, weights)
    operators = {node.op_type for node in model.graph}
    assert not operators & {"ConvInteger", "MatMulInteger", "DynamicQuantizeLSTM", "DynamicQuantizeLinear"}
    arrays = constants(model)
    name = "predictor.duration_proj.linear_layer.weight"
    assert any(array.shape == (512, 50) and np.array_equal(array.T, weights[name]) for array in arrays.values())


def test_matrices_that_durations_depend_on_become_floats_once(model_file, weights):
    model = ir.load(model_file)
    n_integers = sum(node.op_type == "MatMulInteger" for node in model.graph)
    count = refine_durations(model)
    assert count == 78  # six in each of twelve layers, one before and one behind them, four of the predictor's
    assert sum(node.op_type == "MatMulInteger" for node in model.graph) == n_integers - count
    fill(model, weights)
    floats = {node.inputs[1].name: constant(node.inputs[1]) for node in model.graph if node.op_type == "MatMul"}
    own = [array for name, array in floats.items() if array is not None and "/encoder/" not in name]
    assert sum(array.size for array in own if array.ndim == 2 and array.shape[1] > 1) < 8_000_000
    name = "predictor.duration_proj.linear_layer.weight"
    assert np.array_equal(floats[name].T, weights[name])
