import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto
from onnx_ir.passes import common as passes

from service.model.durations import TENSOR_NAME
from service.preparation.rewriting.constants import END
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.halves import halve, round_to_halves
from tests.service.preparation.checks import operators, plain, the_node
from tests.service.preparation.rewriting.published_graphs import Published

N_FRAMES = 24
HALF, FLOAT = TensorProto.FLOAT16, TensorProto.FLOAT


class Decoder(Published):
    """A graph with all that the decoder's place is known by; nodes have the names of parts."""

    def __init__(self, *, loudness=1.0):
        super().__init__()
        self.parts = {}
        given = self.given_array(np.full((1, 1, N_FRAMES), 2.0, np.float32), "durations")
        clipped = self.add("Clip", given, self.constant(1.0))
        frames = self.add("Mul", self.given(1, 4, N_FRAMES), clipped)
        pitch = self.part("pitch", self.conv(frames, 4, 1))
        turned = self.add("Transpose", pitch, perm=[0, 2, 1])
        phases = self.part("phases", self.add("CumSum", turned, self.constant(1, np.int32)))
        source = self.part("source", self.add("Tanh", self.add("Sin", phases)))
        row = self.add("Transpose", source, perm=[0, 2, 1])
        magnitude = self.part("magnitude", self.add("Abs", row))
        spectrum = self.part("spectrum", self.add("Concat", row, magnitude, axis=1))
        style = self.add("Gemm", self.given(1, 8), self.floats(8, 12), self.floats(12))
        inner = self.part("first", self.conv(frames, 4, 6))
        inner = self.add("Add", inner, self.part("noise", self.conv(spectrum, 2, 6)))
        inner = self.add("Add", inner, self.part("melody", self.conv(pitch, 1, 6)))
        inner = self.modulation(inner, style, 6)
        inner = self.add("Mul", self.add("LeakyRelu", inner, alpha=0.1), self.constant(loudness))
        inner = self.add("Mul", inner, self.constant(1 / loudness))
        last = self.part("last", self.conv(inner, 6, 6))
        levels, angles = (self.cut(last, *ends) for ends in ((0, 3), (3, END)))
        magnitudes = self.part("magnitudes", self.add("Exp", levels))
        waves = [self.add("Mul", magnitudes, self.add(name, angles)) for name in ("Cos", "Sin")]
        weight = self.floats(6, 1, 4)
        self.sound = self.add("ConvTranspose", self.add("Concat", *waves, axis=1), weight, strides=[2])

    def part(self, name, value):
        self.parts[name] = value
        return value

    def conv(self, x, n_in, n_out):
        weight = self.floats(n_out, n_in, 3, scale=(3 * n_in) ** -0.5)
        return self.add("Conv", x, weight, self.floats(n_out, scale=0.1), pads=[1, 1])

    def cut(self, x, start, end):
        return self.add("Slice", x, *(self.constant([k], np.int64) for k in (start, end, 1)))

    def built(self):
        model = self.model(self.sound)
        the_node(model, "Clip").outputs[0].name = TENSOR_NAME
        passes.TopologicalSortPass()(model)
        return model

    def before(self):
        return plain(self.built(), self.feeds)[0]

    def after(self, work=halve):
        """The model that a change leaves, and what the change returns."""
        model = self.built()
        return model, work(model.graph)


def types_of(model):
    """What ONNX's own inference says of every value; raises where types do not fit."""
    inferred = onnx.shape_inference.infer_shapes(ir.to_proto(model), strict_mode=True, check_type=True)
    values = [*inferred.graph.value_info, *inferred.graph.output]
    return {value.name: value.type.tensor_type.elem_type for value in values}


IN_HALVES = ("first", "noise", "melody", "last")
IN_FLOATS = ("pitch", "phases", "source", "magnitude", "spectrum", "magnitudes")


def test_the_decoder_is_in_halves_and_nothing_else():
    graph = Decoder()
    model, n_nodes = graph.after()
    types = types_of(model)
    assert {name: types[graph.parts[name]] for name in IN_HALVES} == dict.fromkeys(IN_HALVES, HALF)
    assert {name: types[graph.parts[name]] for name in IN_FLOATS} == dict.fromkeys(IN_FLOATS, FLOAT)
    assert types[TENSOR_NAME] == types[graph.sound] == FLOAT
    # Casts in: frames, style, spectrum, pitch. Out: what the last convolution gives.
    assert operators(model)["Cast"] <= 6
    made = [node for node in model.graph if node.outputs[0].name in types]
    halves = [node for node in made if types[str(node.outputs[0].name)] == HALF]
    assert n_nodes == sum(node.op_type != "Cast" for node in halves)


def test_halves_are_nearly_the_same_and_rounding_is_as_they_are_heard():
    graph = Decoder()
    before = graph.before()
    (halved, n_halved), (rounded, n_rounded) = graph.after(), graph.after(round_to_halves)
    assert n_halved == n_rounded
    types = types_of(rounded)
    assert {types[graph.parts[name]] for name in (*IN_HALVES, *IN_FLOATS)} == {FLOAT}
    (in_halves,), (as_rounded,) = (plain(each, graph.feeds) for each in (halved, rounded))
    assert in_halves.dtype == np.float32
    assert 0 < np.abs(in_halves - before).max() < 0.02 * np.abs(before).max()
    loss = np.abs(in_halves - before).mean()
    assert loss / 3 < np.abs(as_rounded - before).mean() < 3 * loss


def test_every_value_of_the_decoder_and_every_weight_is_one_of_halves():
    graph = Decoder()
    model, _ = graph.after(round_to_halves)
    # All users of what the decoder computes have it from a Cast from halves.
    (inside,) = (node for node in model.graph if node.outputs[0].name == graph.parts["noise"])
    for use in inside.outputs[0].uses():
        assert (use.node.op_type, use.node.attributes["to"].as_int()) == ("Cast", HALF)
    for array in map(constant, inside.inputs[1:]):
        np.testing.assert_array_equal(array, array.astype(np.float16).astype(np.float32))
    weight = constant(the_node(model, "ConvTranspose").inputs[1])
    assert (weight != weight.astype(np.float16)).any()


@pytest.mark.parametrize(("loudness", "finite"), [(1e3, True), (1e6, False)])
def test_values_beyond_the_range_of_halves_are_seen(loudness, finite):
    # 1e6 cannot be said in halves, and in floats it does no harm.
    graph = Decoder(loudness=loudness)
    assert np.isfinite(graph.before()).all()
    for work in (halve, round_to_halves):
        with np.errstate(over="ignore"):
            model, _ = graph.after(work)
        (after,) = plain(model, graph.feeds)
        assert np.isfinite(after).all() == finite


def test_the_source_is_not_touched():
    """Its phases, of thousands of cycles, would be noise in halves."""
    graph = Decoder()
    model = graph.built()
    before = {node.outputs[0].name: node for node in model.graph}
    inputs = {name: list(node.inputs) for name, node in before.items()}
    halve(model.graph)
    for name in ("pitch", "phases", "source", "magnitude", "spectrum"):
        value = graph.parts[name]
        assert list(before[value].inputs) == inputs[value]
