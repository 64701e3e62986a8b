"""Models of a few nodes, made when a test asks for one.

IR version 8 and opset 13, so that every library ortffi accepts can load them. Each function
returns the serialized model.
"""

from collections.abc import Sequence

from onnx import StringStringEntryProto, TensorProto, helper

IR_VERSION = 8
OPSET = 13

Shape = Sequence[int | str | None] | None
tensor = helper.make_tensor_value_info


def _serialize(graph):
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, ir_version=IR_VERSION, opset_imports=opsets)
    return model.SerializeToString()


def _model(nodes, inputs, outputs, initializer=()):
    return _serialize(helper.make_graph(nodes, "tiny", inputs, outputs, initializer))


def identity(element_type=TensorProto.FLOAT, shape=None):
    """y = x; of any rank where no shape is given."""
    node = helper.make_node("Identity", ["x"], ["y"])
    return _model([node], [tensor("x", element_type, shape)], [tensor("y", element_type, shape)])


def doubling():
    """y = x + x, of shape [batch, n]; the graph is named so too."""
    shape = ["batch", "n"]
    node = helper.make_node("Add", ["x", "x"], ["y"])
    ends = tensor("x", TensorProto.FLOAT, shape), tensor("y", TensorProto.FLOAT, shape)
    return _serialize(helper.make_graph([node], "doubling", [ends[0]], [ends[1]]))


def add(shape=("n",), element_type=TensorProto.FLOAT):
    """total = left + right, difference = left - right."""
    nodes = [
        helper.make_node("Add", ["left", "right"], ["total"]),
        helper.make_node("Sub", ["left", "right"], ["difference"]),
    ]
    ends = [tensor(name, element_type, shape) for name in ("left", "right")]
    outputs = [tensor(name, element_type, shape) for name in ("total", "difference")]
    return _model(nodes, ends, outputs)


def double_and_take_first():
    """first = (x + x)[0]: as much memory on the way as the input has, and a small output."""
    zero = helper.make_tensor("zero", TensorProto.INT64, [1], [0])
    nodes = [
        helper.make_node("Add", ["x", "x"], ["doubled"]),
        helper.make_node("Gather", ["doubled", "zero"], ["first"]),
    ]
    ends = [tensor("x", TensorProto.FLOAT, ["n"])], [tensor("first", TensorProto.FLOAT, [1])]
    return _model(nodes, *ends, [zero])


def constant():
    """No inputs; answer = 42."""
    value = helper.make_tensor("value", TensorProto.INT64, [], [42])
    node = helper.make_node("Constant", [], ["answer"], value=value)
    return _model([node], [], [tensor("answer", TensorProto.INT64, [])])


def concat_strings():
    """y = the strings of a, then those of b."""
    node = helper.make_node("Concat", ["a", "b"], ["y"], axis=0)
    ends = [tensor(name, TensorProto.STRING, [f"n_{name}"]) for name in ("a", "b")]
    return _model([node], ends, [tensor("y", TensorProto.STRING, ["n"])])


def mixed():
    """Pass a float32, an int64 and a string tensor through."""
    types = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "s": TensorProto.STRING}
    return _model(
        [helper.make_node("Identity", [name], [f"{name}_out"]) for name in types],
        [tensor(name, kind, ["n"]) for name, kind in types.items()],
        [tensor(f"{name}_out", kind, ["n"]) for name, kind in types.items()],
    )


def passing_through():
    """y = x, and x itself is an output as well."""
    node = helper.make_node("Identity", ["x"], ["y"])
    x, y = (tensor(name, TensorProto.FLOAT, ["n"]) for name in "xy")
    return _model([node], [x], [y, x])


def non_zero():
    """y = the indices of what is not zero in x; x's shape does not tell how many."""
    node = helper.make_node("NonZero", ["x"], ["y"])
    return _model([node], [tensor("x", TensorProto.FLOAT, ["n"])], [tensor("y", TensorProto.INT64, [1, "found"])])


def gather():
    """y = x[index], which fails in the kernel where the index is out of range."""
    return _model(
        [helper.make_node("Gather", ["x", "index"], ["y"])],
        [tensor("x", TensorProto.FLOAT, ["n"]), tensor("index", TensorProto.INT64, ["k"])],
        [tensor("y", TensorProto.FLOAT, ["k"])],
    )


def sequence_output():
    """y = x, and pair = the sequence (x, x)."""
    nodes = [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("SequenceConstruct", ["x", "x"], ["pair"])]
    outputs = [
        tensor("y", TensorProto.FLOAT, ["n"]),
        helper.make_tensor_sequence_value_info("pair", TensorProto.FLOAT, ["n"]),
    ]
    return _model(nodes, [tensor("x", TensorProto.FLOAT, ["n"])], outputs)


def sequence_input():
    """y = items[index], of a sequence of tensors."""
    return _model(
        [helper.make_node("SequenceAt", ["items", "index"], ["y"])],
        [
            helper.make_tensor_sequence_value_info("items", TensorProto.FLOAT, None),
            tensor("index", TensorProto.INT64, []),
        ],
        [tensor("y", TensorProto.FLOAT, None)],
    )


def bfloat16_output():
    """y = x as bfloat16, which numpy has no dtype for."""
    node = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.BFLOAT16)
    ends = tensor("x", TensorProto.FLOAT, ["n"]), tensor("y", TensorProto.BFLOAT16, ["n"])
    return _model([node], [ends[0]], [ends[1]])


def count_up():
    """total = start + 1 + 1 ... (n times), one loop iteration each: as slow as n is large."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go_in"], ["go_out"]), helper.make_node("Add", ["sum_in", "one"], ["sum_out"])],
        "body",
        [
            tensor("iteration", TensorProto.INT64, []),
            tensor("go_in", TensorProto.BOOL, []),
            tensor("sum_in", TensorProto.INT64, [None]),
        ],
        [tensor("go_out", TensorProto.BOOL, []), tensor("sum_out", TensorProto.INT64, [None])],
        [helper.make_tensor("one", TensorProto.INT64, [], [1])],
    )
    return _model(
        [helper.make_node("Loop", ["n", "go", "start"], ["total"], body=body)],
        [tensor("n", TensorProto.INT64, []), tensor("start", TensorProto.INT64, ["k"])],
        [tensor("total", TensorProto.INT64, ["k"])],
        [helper.make_tensor("go", TensorProto.BOOL, [], [True])],
    )


def invalid_graph():
    """Well-formed, but no operator has this name."""
    node = helper.make_node("NoSuchOperator", ["x"], ["y"])
    ends = tensor("x", TensorProto.FLOAT, ["n"]), tensor("y", TensorProto.FLOAT, ["n"])
    return _model([node], [ends[0]], [ends[1]])


def product(file=None):
    """y = x @ w, with w a 64 x 64 matrix of ones: in the model, or all of another file."""
    if file is None:
        weights = helper.make_tensor("w", TensorProto.FLOAT, [64, 64], [1.0] * 64 * 64)
    else:
        location = StringStringEntryProto(key="location", value=file)
        weights = TensorProto(
            name="w",
            data_type=TensorProto.FLOAT,
            dims=[64, 64],
            data_location=TensorProto.EXTERNAL,
            external_data=[location],
        )
    ends = [tensor(name, TensorProto.FLOAT, ["n", 64]) for name in "xy"]
    return _model([helper.make_node("MatMul", ["x", "w"], ["y"])], ends[:1], ends[1:], [weights])
