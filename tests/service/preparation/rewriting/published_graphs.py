"""Graphs in the form in which Kokoro is published, and what passes make of them."""

import numpy as np
import onnx_ir as ir
from onnx import TensorProto, helper, numpy_helper

from service.model.durations import TENSOR_NAME

MICROSOFT = "com.microsoft"

N_IN, N_HIDDEN = 6, 8
"""Of the LSTMs that `recurrent` makes."""

WIDEST = 64
"""Of signed weights, the largest that are multiplied exactly on every processor. x86 without VNNI
adds the products of two with unsigned activations in 16 bits: 2 * 64 * 255 fits, more is cut off.
Those of published models fit too."""


class Published:
    """Builds a graph node by node, with `feeds` to run it with; its methods return names of values."""

    def __init__(self, seed=1):
        self.random = np.random.default_rng(seed)
        self.feeds = {}
        self._nodes = []
        self._initializers = []
        self._count = 0

    def _name(self, kind):
        self._count += 1
        return f"{kind}_{self._count}"

    def given(self, *shape, name=None):
        return self.given_array(self.random.normal(size=shape).astype(np.float32), name)

    def frames(self, n_channels, n_frames=9):
        """An input that is channels last, as all is in a decoder but at its ends; turned."""
        return self.add("Transpose", self.given(1, n_frames, n_channels), perm=[0, 2, 1])

    def given_array(self, array, name=None):
        name = name or self._name("input")
        self.feeds[name] = array
        return name

    def constant(self, value, dtype=np.float32):
        name = self._name("constant")
        self._initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def floats(self, *shape, scale=1.0):
        return self.constant(scale * self.random.normal(size=shape))

    def add(self, op_type, *inputs, **attributes):
        (output,) = self.add_many(op_type, 1, *inputs, **attributes)
        return output

    def add_many(self, op_type, n, *inputs, **attributes):
        outputs = [self._name(op_type) for _ in range(n)]
        self._nodes.append(helper.make_node(op_type, inputs, outputs, **attributes))
        return outputs

    def add_named(self, op_type, name, *inputs, **attributes):
        self._nodes.append(helper.make_node(op_type, inputs, [name], **attributes))
        return name

    def weights(self, *shape, kind=np.uint8):
        """Quantized weights as small as published ones, see `WIDEST`; uint8 has 128 for zero."""
        weights = self.random.integers(-WIDEST, WIDEST + 1, shape)
        return self.constant(weights + (128 if kind is np.uint8 else 0), kind)

    def quantized(self, x):
        return self.add_many("DynamicQuantizeLinear", 3, x)

    def convolution(
        self, x, n_in, n_out, size=3, *, bias=True, shared_scale=True, scale_first=False, weight_zero=69, **attributes
    ):
        """Quantized inside, as published ones but the last; `x` may be the outputs of what quantized it."""
        quantized, scale, zero = x if isinstance(x, list) else self.quantized(x)
        weight = self.weights(n_out, n_in, size)
        given = {
            "auto_pad": "NOTSET", "dilations": [1], "group": 1, "kernel_shape": [size],
            "pads": [size // 2, size // 2], "strides": [1],
        } | attributes  # fmt: skip
        sums = self.add("ConvInteger", quantized, weight, zero, self.constant(weight_zero, np.uint8), **given)
        weight_scale = self.constant(0.0021)
        step = self.add("Mul", scale, weight_scale)
        if bias:
            other = step if shared_scale else self.add("Mul", scale, weight_scale)
            sums = self.add("Add", sums, self.quantized_bias(self.floats(n_out), other))
        floats = self.cast(sums, TensorProto.FLOAT)
        return self.add("Mul", *((step, floats) if scale_first else (floats, step)))

    def quantized_bias(self, bias, step, rounding="Floor", shape=(1, -1, 1)):
        integers = self.cast(self.add(rounding, self.add("Div", bias, step)), TensorProto.INT32)
        return self.add("Reshape", integers, self.constant(shape, np.int64))

    def cast(self, x, to):
        return self.add("Cast", x, to=to)

    def norm(self, x, *, axis=2, epsilon=1e-5):
        """Normalization over time of [1, C, T]."""
        axes = self.constant([axis], np.int64)
        centered = self.add("Sub", x, self.mean(x, axes))
        variance = self.mean(self.add("Mul", centered, centered), axes)
        return self.add("Div", centered, self.add("Sqrt", self.add("Add", variance, self.constant(epsilon))))

    def mean(self, x, axes):
        return self.add("ReduceMean", x, axes, noop_with_empty_axes=0, keepdims=1)

    def time_first_norm(self, x):
        """The same of [T, 1, C], giving [1, C, T]."""
        axes = self.constant([0], np.int64)
        centered = self.add("Sub", x, self.mean(x, axes))
        turned = self.add("Transpose", self.mean(self.add("Mul", centered, centered), axes), perm=[1, 2, 0])
        deviation = self.add("Sqrt", self.add("Add", turned, self.constant(1e-5)))
        return self.add("Div", self.add("Transpose", centered, perm=[1, 2, 0]), deviation)

    def modulation(self, x, style, n, *, halves=None, one=1.0):
        """(1 + gamma) * x + beta of a style [1, 2n]."""
        column = self.add("Unsqueeze", style, self.constant([2], np.int64))
        gamma, beta = self.add_many("Split", 2, column, self.constant(halves or [n, n], np.int64), axis=1)
        return self.add("Add", self.add("Mul", self.add("Add", gamma, self.constant(one)), x), beta)

    def product(self, x, n_in, n_out, *, bias=True, bias_first=True, kind=np.int8, zero=0):
        """[..., n_out] of the outputs of what quantized [..., n_in]."""
        quantized, scale, zero_point = x
        weight = self.weights(n_in, n_out, kind=kind)
        sums = self.add("MatMulInteger", quantized, weight, zero_point, self.constant(np.full(n_out, zero), kind))
        factors = self.constant(self.random.uniform(0.001, 0.003, n_out))
        floats = self.add("Mul", self.cast(sums, TensorProto.FLOAT), self.add("Mul", scale, factors))
        if not bias:
            return floats
        offset = self.floats(n_out)
        return self.add("Add", *((offset, floats) if bias_first else (floats, offset)))

    def snake(self, x, n, *, power=2.0, alpha_first=True):
        alpha = self.random.uniform(0.2, 3, (1, n, 1)).astype(np.float32)
        scaled = (self.constant(alpha), x)
        sine = self.add("Sin", self.add("Mul", *(scaled if alpha_first else scaled[::-1])))
        square = self.add("Pow", sine, self.constant(power))
        return self.add("Add", x, self.add("Mul", self.constant(1 / alpha), square))

    def upsampling(self, x, n_in, n_out, stride, **attributes):
        given = {
            "strides": [stride], "kernel_shape": [2 * stride], "auto_pad": "NOTSET",
            "dilations": [1], "pads": [stride // 2, stride // 2], "group": 1,
        } | attributes  # fmt: skip
        weight = self.floats(n_in, n_out, *given["kernel_shape"], scale=n_in**-0.5)
        return self.add("ConvTranspose", x, weight, self.floats(n_out), **given)

    def residual_block(self, x, style, n, size=3, *, residual=True):
        """Three pairs of AdaIN, Snake and convolution; style is quantized, of 8 numbers."""
        for dilation in (1, 3, 5):
            y = x
            for spread in (dilation, 1):
                projected = self.product(style, 8, 2 * n, bias_first=False)
                y = self.snake(self.modulation(self.norm(y), projected, n), n)
                pad = spread * (size - 1) // 2
                y = self.convolution(y, n, n, size, dilations=[spread], pads=[pad, pad])
            x = self.add("Add", y, x) if residual else y
        return x

    def generator(self, n=6, n_frames=20, **given):
        """A small model with all by which it is parted, and one stage of a generator.

        Inputs are style, [1, 8], tokens and speed, which are frames; durations are there too. One
        normalization has no style, and the two parallel blocks stand in another order than that in
        which they are summed.
        """
        style = self.quantized(self.given(1, 8, name="style"))
        before = self.given(1, 5, n_frames, name="tokens")
        durations = self.add_named("Sigmoid", TENSOR_NAME, before)
        features = self.convolution(self.add("Mul", self.norm(before), durations), 5, 8)
        source = self.given(1, 4, 2 * n_frames, name="speed")
        spectrum = self.add("Concat", self.add("Exp", source), self.add("Neg", source), axis=1)
        first, second = (self.convolution(spectrum, 8, n, size) for size in (3, 1))
        upsampled = self.upsampling(self.add("LeakyRelu", features, alpha=0.1), 8, n, 2)
        x = self.add("Add", upsampled, self.residual_block(first, style, n, 5))
        later, sooner = (self.residual_block(x, style, n, size, **given) for size in (7, 3))
        total = self.add("Add", self.add("Add", sooner, later), second)
        return self.add("Conv", total, self.floats(1, n, 7), self.floats(1), pads=[3, 3])

    def model(self, *outputs):
        types = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}
        graph = helper.make_graph(
            self._nodes,
            "published",
            [helper.make_tensor_value_info(name, types[str(array.dtype)], None) for name, array in self.feeds.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            self._initializers,
        )
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)]
        return ir.from_proto(helper.make_model(graph, ir_version=9, opset_imports=opsets))


def recurrent(graph, x, *, kind=np.int8, zero=0, by_column=False, both_ways=True, peepholes=False, bias=True, **given):
    """The outputs of an LSTM in the published form of [T, 1, N_IN]; `state` and `weights` may be given."""
    n = 2 if both_ways else 1

    def matrix(n_rows):
        return graph.weights(n, n_rows, 4 * N_HIDDEN, kind=kind)

    def scales():
        shape = (n, 4 * N_HIDDEN) if by_column else (n,)
        return [graph.constant(graph.random.uniform(0.002, 0.006, shape)), graph.constant(np.full(shape, zero), kind)]

    w, r = given.get("weights") or (matrix(N_IN), matrix(N_HIDDEN))
    states, state = ["", ""], given.get("state", 0.0)
    if state is not None:
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [state])
        states = [graph.add("ConstantOfShape", graph.constant([n, 1, N_HIDDEN], np.int64), value=value)] * 2
    holes = graph.floats(n, 3 * N_HIDDEN) if peepholes else ""
    biases = graph.floats(n, 8 * N_HIDDEN, scale=0.3) if bias else ""
    return graph.add_many(
        "DynamicQuantizeLSTM", 3, x, w, r, biases, "", *states, holes, *scales(), *scales(),
        domain=MICROSOFT, hidden_size=N_HIDDEN, direction="bidirectional" if both_ways else "forward",
    )  # fmt: skip
