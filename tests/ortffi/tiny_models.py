"""Models of a few nodes, made when a test asks for one.

IR version 8 and opset 13, so that every library ortffi accepts can load them. Each function
returns the serialized model.
"""

from onnx import StringStringEntryProto, TensorProto, helper

IR_VERSION, OPSET = 8, 13
tensor, node = helper.make_tensor_value_info, helper.make_node


def _model(nodes, inputs, outputs, initializer=(), name="tiny"):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializer)
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=opsets).SerializeToString()


def floats(*names, shape=("n",)):
    return [tensor(name, TensorProto.FLOAT, shape) for name in names]


def integers(*names, shape=("n",)):
    return [tensor(name, TensorProto.INT64, shape) for name in names]


def identity(element_type=TensorProto.FLOAT, shape=None):
    """y = x; of any rank where no shape is given."""
    x, y = (tensor(name, element_type, shape) for name in "xy")
    return _model([node("Identity", ["x"], ["y"])], [x], [y])


def doubling():
    """y = x + x, of shape [batch, n]; the graph is named so too."""
    x, y = floats("x", "y", shape=["batch", "n"])
    return _model([node("Add", ["x", "x"], ["y"])], [x], [y], name="doubling")


def add(shape=("n",), element_type=TensorProto.FLOAT):
    """total = left + right, difference = left - right."""
    ends = [tensor(name, element_type, shape) for name in ("left", "right", "total", "difference")]
    nodes = [node("Add", ["left", "right"], ["total"]), node("Sub", ["left", "right"], ["difference"])]
    return _model(nodes, ends[:2], ends[2:])


def double_and_take_first():
    """first = (x + x)[0]: as much memory on the way as the input has, and a small output."""
    zero = helper.make_tensor("zero", TensorProto.INT64, [1], [0])
    nodes = [node("Add", ["x", "x"], ["doubled"]), node("Gather", ["doubled", "zero"], ["first"])]
    return _model(nodes, floats("x"), floats("first", shape=[1]), [zero])


def constant():
    """No inputs; answer = 42."""
    value = helper.make_tensor("value", TensorProto.INT64, [], [42])
    return _model([node("Constant", [], ["answer"], value=value)], [], integers("answer", shape=[]))


def concat_strings():
    """y = the strings of a, then those of b."""
    a, b, y = (tensor(name, TensorProto.STRING, [n]) for name, n in (("a", "n_a"), ("b", "n_b"), ("y", "n")))
    return _model([node("Concat", ["a", "b"], ["y"], axis=0)], [a, b], [y])


def mixed():
    """Pass a float32, an int64 and a string tensor through."""
    types = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "s": TensorProto.STRING}
    return _model(
        [node("Identity", [name], [f"{name}_out"]) for name in types],
        [tensor(name, kind, ["n"]) for name, kind in types.items()],
        [tensor(f"{name}_out", kind, ["n"]) for name, kind in types.items()],
    )


def passing_through():
    """y = x, and x itself is an output as well."""
    return _model([node("Identity", ["x"], ["y"])], floats("x"), floats("y", "x"))


def non_zero():
    """y = the indices of what is not zero in x; x's shape does not tell how many."""
    return _model([node("NonZero", ["x"], ["y"])], floats("x"), integers("y", shape=[1, "found"]))


def gather():
    """y = x[index], which fails in the kernel where the index is out of range."""
    inputs = floats("x") + integers("index", shape=["k"])
    return _model([node("Gather", ["x", "index"], ["y"])], inputs, floats("y", shape=["k"]))


def sequence_output():
    """y = x, and pair = the sequence (x, x)."""
    nodes = [node("Identity", ["x"], ["y"]), node("SequenceConstruct", ["x", "x"], ["pair"])]
    pair = helper.make_tensor_sequence_value_info("pair", TensorProto.FLOAT, ["n"])
    return _model(nodes, floats("x"), [*floats("y"), pair])


def sequence_input():
    """y = items[index], of a sequence of tensors."""
    items = helper.make_tensor_sequence_value_info("items", TensorProto.FLOAT, None)
    inputs = [items, *integers("index", shape=[])]
    return _model([node("SequenceAt", ["items", "index"], ["y"])], inputs, floats("y", shape=None))


def bfloat16_output():
    """y = x as bfloat16, which numpy has no dtype for."""
    y = tensor("y", TensorProto.BFLOAT16, ["n"])
    return _model([node("Cast", ["x"], ["y"], to=TensorProto.BFLOAT16)], floats("x"), [y])


def count_up():
    """total = start + 1 + 1 ... (n times), one loop iteration each: as slow as n is large."""
    go_in, go_out = (tensor(name, TensorProto.BOOL, []) for name in ("go_in", "go_out"))
    sum_in, sum_out = integers("sum_in", "sum_out", shape=[None])
    body = helper.make_graph(
        [node("Identity", ["go_in"], ["go_out"]), node("Add", ["sum_in", "one"], ["sum_out"])],
        "body",
        [*integers("iteration", shape=[]), go_in, sum_in],
        [go_out, sum_out],
        [helper.make_tensor("one", TensorProto.INT64, [], [1])],
    )
    inputs = integers("n", shape=[]) + integers("start", shape=["k"])
    go = helper.make_tensor("go", TensorProto.BOOL, [], [True])
    return _model(
        [node("Loop", ["n", "go", "start"], ["total"], body=body)], inputs, integers("total", shape=["k"]), [go]
    )


def invalid_graph():
    """Well-formed, but no operator has this name."""
    return _model([node("NoSuchOperator", ["x"], ["y"])], floats("x"), floats("y"))


def product(file=None):
    """y = x @ w, with w a 64 x 64 matrix of ones: in the model, or all of another file."""
    w = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[64, 64])
    if file is None:
        w.float_data.extend([1.0] * 64 * 64)
    else:
        w.data_location = TensorProto.EXTERNAL
        w.external_data.append(StringStringEntryProto(key="location", value=file))
    x, y = floats("x", "y", shape=["n", 64])
    return _model([node("MatMul", ["x", "w"], ["y"])], [x], [y], [w])
