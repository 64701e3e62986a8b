"""Models of a node or a few, whose tensors are all inputs of the model."""

from onnx import TensorProto, helper

import ortffi
from tests.native import native_library

TYPES = {"float32": TensorProto.FLOAT, "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int32": TensorProto.INT32}
PACKED = {"DynamicQuantizeConv", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "ResidualBlock"}
"""Operators whose weights have a layout."""
DOMAINS = {"": 17, "kokoro": 1, "com.microsoft": 1}


def model(operator, inputs, attributes, outputs):
    """Serialize a node; what is None is missing, and weights are in the layout of the variant in use."""
    if operator in PACKED:
        attributes = {"layout": int(native_library.layout()), **attributes}
    given = {name: array for name, array in inputs.items() if array is not None}
    names = [name if name in given else "" for name in inputs]
    while names and not names[-1]:
        names.pop()
    node = helper.make_node(operator, names, list(outputs), domain="kokoro", **attributes)
    return chain([node], given, [name for name in outputs if name])


def chain(nodes, given, outputs):
    """Serialize a model of nodes, with the types of what it is given; its outputs are floats."""
    inputs = [helper.make_tensor_value_info(n, TYPES[str(a.dtype)], None) for n, a in given.items()]
    found = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
    graph = helper.make_graph(nodes, "chain", inputs, found)
    opsets = [helper.make_opsetid(domain, version) for domain, version in DOMAINS.items()]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets).SerializeToString()


def run_stock(nodes, given):
    """Run ONNX Runtime's own nodes, which make `y`."""
    model = chain(nodes, given, ["y"])
    with ortffi.SessionBuilder().with_spinning(False).commit_from_memory(model) as session:
        return session.run(given, copy=True)[0]


def operands_of(c, suffix=""):
    """The inputs that its packed weights are, for the variant in use."""
    arrays = (c.packed(native_library.layout()), c.weight_sums(), c.runs())
    return {f"{name}{suffix}": a for name, a in zip(("weight", "weight_sums", "runs"), arrays, strict=True)}


def inputs_of(c):
    return {
        "x": c.x[None], **operands_of(c), "bias": c.bias, "statistics": c.statistics,
        "style": None if c.style is None else c.style[None], "alpha": c.alpha,
        "residual": None if c.residual is None else c.residual[None],
        "addend": None if c.addend is None else c.addend[None],
    }  # fmt: skip


ATTRIBUTES = ("kernel_size", "dilation", "stride", "pad_begin", "pad_end")
ATTRIBUTES += ("weight_scale", "epsilon", "negative_slope", "output_scale")


def attributes_of(c):
    return {"channels": c.w.shape[0]} | {name: getattr(c, name) for name in ATTRIBUTES}


def made_of(c):
    return inputs_of(c), attributes_of(c)
