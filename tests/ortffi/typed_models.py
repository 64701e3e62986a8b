"""Models of one node each, for element types and kinds of values that few models have."""

from onnx import TensorProto, helper

Shape = tuple[int | str | None, ...]

OPSETS = {
    TensorProto.FLOAT8E4M3FN: (19, 9),
    TensorProto.FLOAT8E4M3FNUZ: (19, 9),
    TensorProto.FLOAT8E5M2: (19, 9),
    TensorProto.FLOAT8E5M2FNUZ: (19, 9),
    TensorProto.UINT4: (21, 10),
    TensorProto.INT4: (21, 10),
    TensorProto.FLOAT8E8M0: (24, 12),
    TensorProto.UINT2: (25, 13),
    TensorProto.INT2: (25, 13),
}
"""The first opset and IR version of an element type; 16 and 8 do for the others."""


def model(nodes, inputs, outputs, opset=16, ir_version=8, domains=None, initializers=None):
    graph = helper.make_graph(nodes, "typed", inputs, outputs, initializers or [])
    opsets = [helper.make_opsetid("", opset)]
    opsets += [helper.make_opsetid(domain, number) for domain, number in (domains or {}).items()]
    made = helper.make_model(graph, ir_version=ir_version, opset_imports=opsets)
    return made.SerializeToString()


def tensor_type(element_type=TensorProto.FLOAT, shape=("n",)):
    return helper.make_tensor_type_proto(element_type, shape)


def info(name, kind):
    return helper.make_value_info(name, kind)


def cast(source, target):
    """y = x as another element type."""
    newest = max(OPSETS.get(kind, (16, 8)) for kind in (source, target))
    node = helper.make_node("Cast", ["x"], ["y"], to=target)
    ends = info("x", tensor_type(source)), info("y", tensor_type(target))
    return model([node], [ends[0]], [ends[1]], *newest)


def identity(kind):
    """y = x, of any type."""
    return model([helper.make_node("Identity", ["x"], ["y"])], [info("x", kind)], [info("y", kind)])


def optional_of(kind):
    return helper.make_optional_type_proto(kind)


def sequence_of(kind):
    return helper.make_sequence_type_proto(kind)


def map_of(key, kind):
    return helper.make_map_type_proto(key, kind)


def vectorize():
    """y = the values of a map from int64 to float, at the places 10, 20 and 30."""
    node = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", int64_vocabulary=[10, 20, 30])
    floats = map_of(TensorProto.INT64, tensor_type(shape=()))
    ends = info("x", floats), info("y", tensor_type(shape=(1, 3)))
    return model([node], [ends[0]], [ends[1]], domains={"ai.onnx.ml": 1})


def vectorize_names():
    """y = the values of a map from str to int64, at the places a and b."""
    node = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b"])
    numbers = map_of(TensorProto.STRING, tensor_type(TensorProto.INT64, ()))
    ends = info("x", numbers), info("y", tensor_type(TensorProto.INT64, (1, 2)))
    return model([node], [ends[0]], [ends[1]], domains={"ai.onnx.ml": 1})


def zip_maps(labels):
    """y = a sequence of maps from label to float, one a row of x."""
    is_text = isinstance(labels[0], str)
    key = TensorProto.STRING if is_text else TensorProto.INT64
    name = "classlabels_strings" if is_text else "classlabels_int64s"
    node = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", **{name: labels})
    maps = sequence_of(map_of(key, tensor_type(shape=())))
    ends = info("x", tensor_type(shape=("rows", len(labels)))), info("y", maps)
    return model([node], [ends[0]], [ends[1]], domains={"ai.onnx.ml": 1})


def split():
    """y = a sequence of the elements of x, each of shape [1]."""
    node = helper.make_node("SplitToSequence", ["x"], ["y"])
    ends = info("x", tensor_type()), info("y", sequence_of(tensor_type()))
    return model([node], [ends[0]], [ends[1]])


def has_element(kind):
    """y = whether the optional x holds anything."""
    node = helper.make_node("OptionalHasElement", ["x"], ["y"])
    ends = info("x", optional_of(kind)), info("y", tensor_type(TensorProto.BOOL, ()))
    return model([node], [ends[0]], [ends[1]])


def make_optional(*, full):
    """y = an optional tensor that holds x, or nothing."""
    kind = tensor_type()
    node = helper.make_node("Optional", ["x"] if full else [], ["y"], type=kind)
    return model([node], [info("x", kind)], [info("y", optional_of(kind))])


def model_of(nodes, initializer=(), **settings):
    """Put nodes into a model that is to be read, not run."""
    graph = helper.make_graph(nodes, "graph", [], [], initializer)
    settings.setdefault("opset_imports", [helper.make_opsetid("", 21)])
    return helper.make_model(graph, ir_version=10, **settings)
