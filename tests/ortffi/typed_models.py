"""Models of one node each, for element types and kinds of values that few models have."""

from onnx import TensorProto, helper

OPSETS = {
    **dict.fromkeys((TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E4M3FNUZ), (19, 9)),
    **dict.fromkeys((TensorProto.FLOAT8E5M2, TensorProto.FLOAT8E5M2FNUZ), (19, 9)),
    **dict.fromkeys((TensorProto.UINT4, TensorProto.INT4), (21, 10)),
    TensorProto.FLOAT8E8M0: (24, 12),
    **dict.fromkeys((TensorProto.UINT2, TensorProto.INT2), (25, 13)),
}
"""The first opset and IR version of an element type; 16 and 8 do for the others."""


ML = {"ai.onnx.ml": 1}


def model(nodes, inputs, outputs, opset=16, ir_version=8, domains=None, initializers=None):
    graph = helper.make_graph(nodes, "typed", inputs, outputs, initializers or [])
    opsets = [helper.make_opsetid("", opset)]
    opsets += [helper.make_opsetid(domain, number) for domain, number in (domains or {}).items()]
    made = helper.make_model(graph, ir_version=ir_version, opset_imports=opsets)
    return made.SerializeToString()


info, map_of = helper.make_value_info, helper.make_map_type_proto
optional_of, sequence_of = helper.make_optional_type_proto, helper.make_sequence_type_proto


def tensor_type(element_type=TensorProto.FLOAT, shape=("n",)):
    return helper.make_tensor_type_proto(element_type, shape)


def of_one_node(operator, x, y, *settings, domains=None, inputs=("x",), **attributes):
    """y = what an operator makes of x, of these types."""
    node = helper.make_node(operator, inputs, ["y"], domain="ai.onnx.ml" if domains else None, **attributes)
    return model([node], [info("x", x)], [info("y", y)], *settings, domains=domains)


def cast(source, target):
    """y = x as another element type."""
    newest = max(OPSETS.get(kind, (16, 8)) for kind in (source, target))
    return of_one_node("Cast", tensor_type(source), tensor_type(target), *newest, to=target)


def identity(kind):
    """y = x, of any type."""
    return of_one_node("Identity", kind, kind)


def vectorize():
    """y = the values of a map from int64 to float, at the places 10, 20 and 30."""
    floats = map_of(TensorProto.INT64, tensor_type(shape=()))
    return of_one_node("DictVectorizer", floats, tensor_type(shape=(1, 3)), domains=ML, int64_vocabulary=[10, 20, 30])


def vectorize_names():
    """y = the values of a map from str to int64, at the places a and b."""
    numbers = map_of(TensorProto.STRING, tensor_type(TensorProto.INT64, ()))
    y = tensor_type(TensorProto.INT64, (1, 2))
    return of_one_node("DictVectorizer", numbers, y, domains=ML, string_vocabulary=["a", "b"])


def zip_maps(labels):
    """y = a sequence of maps from label to float, one a row of x."""
    is_text = isinstance(labels[0], str)
    maps = sequence_of(map_of(TensorProto.STRING if is_text else TensorProto.INT64, tensor_type(shape=())))
    names = {"classlabels_strings" if is_text else "classlabels_int64s": labels}
    return of_one_node("ZipMap", tensor_type(shape=("rows", len(labels))), maps, domains=ML, **names)


def split():
    """y = a sequence of the elements of x, each of shape [1]."""
    return of_one_node("SplitToSequence", tensor_type(), sequence_of(tensor_type()))


def has_element(kind):
    """y = whether the optional x holds anything."""
    return of_one_node("OptionalHasElement", optional_of(kind), tensor_type(TensorProto.BOOL, ()))


def make_optional(*, full):
    """y = an optional tensor that holds x, or nothing."""
    kind = tensor_type()
    return of_one_node("Optional", kind, optional_of(kind), inputs=["x"] if full else [], type=kind)


def model_of(nodes, initializer=(), **settings):
    """Put nodes into a model that is to be read, not run."""
    graph = helper.make_graph(nodes, "graph", [], [], initializer)
    settings.setdefault("opset_imports", [helper.make_opsetid("", 21)])
    return helper.make_model(graph, ir_version=10, **settings)
