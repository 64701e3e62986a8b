"""A model file is read as `onnx` reads it, damaged ones are refused, and quantized ones are told."""

import mmap
from collections import Counter

import numpy as np
import onnx
import pytest
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from ortffi.model_file import ModelFile, ModelFileError, _Reader, inspect_model
from tests.ortffi import tiny_models
from tests.ortffi.typed_models import model_of
from tests.profiles import given

pytestmark = pytest.mark.thorough

TINY = {
    name: getattr(tiny_models, name)()
    for name in ("identity", "add", "double_and_take_first", "constant", "concat_strings", "mixed", "gather",
                 "sequence_output", "sequence_input", "count_up")
}  # fmt: skip


def external(file):
    """A tensor whose values are in a file."""
    tensor = TensorProto(name="far", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", file), ("offset", "0")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def everything():
    """A model with a value in each field that is read, and operators in every place."""
    branch = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "branch", [], [])
    inner = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    body = helper.make_graph([inner], "body", [], [])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("org.example", 3)]
    parts = [helper.make_node("Mul", ["x", "x"], ["y"]), helper.make_node("If", [], [], g=[body])]
    near = TensorProto(name="near", data_type=TensorProto.FLOAT, dims=[4], raw_data=bytes(16))
    near.external_data.add(key="location", value="unused")
    nodes = [
        helper.make_node("Twice", ["x"], ["y"], domain="org.example"),
        helper.make_node("Abs", ["y"], ["z"], domain="ai.onnx"),
        helper.make_node("Abs", ["y"], ["z"]),
        helper.make_node("Loop", ["n"], ["w"], body=body),
        helper.make_node("Constant", [], ["k"], value=external("ü/more.bin")),
    ]
    model = model_of(
        nodes, [external("weights.bin"), near],
        functions=[helper.make_function("org.example", "Twice", ["x"], ["y"], parts, opsets[:1])],
        opset_imports=opsets, producer_name="a tool", producer_version="1.2", domain="org.example",
        doc_string="speaks ❤", model_version=-7,
    )  # fmt: skip
    model.graph.sparse_initializer.add(dims=[9]).values.CopyFrom(external("sparse.bin"))
    helper.set_model_props(model, {"a": "1", "": "no key", "ü": ""})
    return model


def count(nodes):
    operators = Counter()
    for node in nodes:
        operators[node.domain.removeprefix("ai.onnx"), node.op_type] += 1
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                operators += count(graph.node)
    return operators


def as_onnx_reads_it(content):
    model = onnx.load_from_string(content)
    files = [
        next(e.value for e in tensor.external_data if e.key == "location")
        for tensor in onnx.external_data_helper._get_all_tensors(model)
        if tensor.data_location == TensorProto.EXTERNAL
    ]
    return ModelFile(
        ir_version=model.ir_version,
        producer_name=model.producer_name,
        producer_version=model.producer_version,
        domain=model.domain,
        model_version=model.model_version,
        doc_string=model.doc_string,
        graph_name=model.graph.name,
        opset_imports={entry.domain: entry.version for entry in model.opset_import},
        operators=sum(map(count, (function.node for function in model.functions)), count(model.graph.node)),
        metadata={entry.key: entry.value for entry in model.metadata_props},
        external_data_files=tuple(files),
        has_quantized_weights=False,
    )


@pytest.mark.parametrize("content", TINY.values(), ids=TINY)
def test_tiny_models_are_read_as_onnx_reads_them(content):
    found = inspect_model(content)
    assert found == as_onnx_reads_it(content)
    assert not found.is_quantized


def test_every_field_is_read_as_onnx_reads_it():
    content = everything().SerializeToString()
    found = inspect_model(content)
    assert found.external_data_files == ("weights.bin", "sparse.bin", "ü/more.bin")
    expected = as_onnx_reads_it(content)
    assert found.operators == expected.operators
    assert found.operators["", "Neg"] == 4
    assert found.operators["", "Abs"] == 2
    assert vars(found) | {"external_data_files": None} == vars(expected) | {"external_data_files": None}


def test_a_file_or_any_buffer(tmp_path):
    content = TINY["add"]
    path = tmp_path / "add.onnx"
    path.write_bytes(content)
    expected, array = inspect_model(content), np.frombuffer(content, np.uint8)
    for source in (path, str(path), bytearray(content), memoryview(content), array):
        assert inspect_model(source) == expected
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert inspect_model(mapped) == expected


def test_a_buffer_is_let_go():
    content = bytearray(TINY["add"])
    inspect_model(content)
    content.append(0)  # which a view would forbid
    with pytest.raises(ModelFileError):
        inspect_model(content)
    content.append(0)


def field(number, size):
    """The beginning of a field of so many bytes."""
    return bytes([number << 3 | 2]) + varint(size)


def test_weights_are_not_read(tmp_path):
    """Four gigabytes of weights that no disk has: a file with a hole."""
    graph = onnx.load_from_string(TINY["add"]).graph.SerializeToString()
    hole = 4 * 2**30
    raw = field(9, hole)
    tensor = field(5, len(raw) + hole) + raw
    path = tmp_path / "large.onnx"
    with path.open("wb") as file:
        file.write(field(7, len(graph) + len(tensor) + hole) + graph + tensor)
        file.seek(hole - 1, 1)
        file.write(b"\0")
    # Byte by byte it would take longer than the patience of any test run.
    assert inspect_model(path).operators == {("", "Add"): 1, ("", "Sub"): 1}


def varint(value):
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


# Files that are none


def test_what_is_no_model_is_named(tmp_path):
    for name, content, words in (
        ("empty.onnx", b"", r"empty\.onnx is empty"),
        ("model.ort", b"\x18\0\0\0ORTM" + bytes(100), r"model\.ort: a model in ORT format"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ModelFileError, match=words):
            inspect_model(tmp_path / name)
    with pytest.raises(ModelFileError, match="no graph"):
        inspect_model(b"")
    with pytest.raises(FileNotFoundError):
        inspect_model(tmp_path / "absent.onnx")


def test_a_producer_may_be_called_like_the_ort_format():
    model = onnx.load_from_string(TINY["add"])
    model.producer_name = "ORTM"
    content = model.SerializeToString()
    assert content[4:8] == b"ORTM"
    assert inspect_model(content).producer_name == "ORTM"


@pytest.mark.parametrize(
    "content",
    [
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", b"<!DOCTYPE html>", b"PK\x03\x04",
        b"\xff" * 20, b"\x3a\x05\x0a\x7f", b"\x3a\x00\x09\x00", b"\x3a\x00\x08" + b"\x80" * 10 + b"\x01",
        b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # a graph of 2**64 - 1 bytes
        b"\x3a\x00\x0b", b"\x3a\x00\x0c", b"\x3a\x00\x0b\x14",  # groups that lack an end or a beginning
        b"\x3a\x00\x0e", b"\x3a\x00\x00\x00",  # there is no wire type 6 and no field 0
    ],
    ids=repr,
)  # fmt: skip
def test_other_bytes_are_refused(content):
    with pytest.raises(ModelFileError, match="not a readable ONNX model"):
        inspect_model(content)


def test_fields_of_the_future_are_passed_over():
    content = TINY["add"]
    unknown = (
        b"\xf8\x01\x2a"  # 31: a varint
        b"\xf9\x01" + bytes(8) + b"\xfd\x01" + bytes(4) + b"\xfa\x01\x03abc"
        b"\xfb\x01\x3a\x02\xff\xff\x0b\x0c\xfc\x01"  # a group with a field 7 and a group inside
        b"\x10\x07"  # the producer's name as a number
    )
    assert inspect_model(unknown + content + unknown) == inspect_model(content)


def test_a_graph_in_two_parts_is_one():
    """As protobuf defines it: fields of both, the later text."""
    halves = [onnx.ModelProto(), onnx.load_from_string(TINY["add"])]
    halves[0].graph.CopyFrom(onnx.load_from_string(TINY["gather"]).graph)
    content = b"".join(half.SerializeToString() for half in halves)
    found = inspect_model(content)
    assert found.operators == as_onnx_reads_it(content).operators


def test_nesting_has_no_limit():
    """Python's stack would end at a thousand, protobuf's own readers at a hundred."""
    content = b""
    for _ in range(5000):
        attribute = field(6, len(content)) + content
        node = b"\x22\x02If" + field(5, len(attribute)) + attribute
        content = field(1, len(node)) + node
    assert inspect_model(field(7, len(content)) + content).operators == {("", "If"): 5000}


class Counted:
    """Bytes that count how many of them are looked at."""

    def __init__(self, content):
        self.content = content
        self.n_read = 0

    def __len__(self):
        return len(self.content)

    def __getitem__(self, index):
        part = self.content[index]
        self.n_read += len(part) if isinstance(index, slice) else 1
        return part


@pytest.mark.parametrize(
    "model",
    [
        lambda: EVERYTHING,
        lambda: model_of([helper.make_node("Add", ["a", "b"], ["c"])] * 1000).SerializeToString(),
        lambda: TINY["add"] + b"\x3b" * 1000 + b"\x3c" * 1000,
    ],
    ids=["everything", "flat", "groups"],
)
def test_no_byte_is_read_twice_and_weights_never(model):
    weights = model_of([], [numpy_helper.from_array(np.ones(1000), "w")] * 3).SerializeToString()
    for content, most in ((model(), len(model())), (weights, 199)):
        counted = Counted(content)
        assert _Reader(counted).read() == inspect_model(content)
        assert counted.n_read <= most


def outcome(content):
    try:
        return type(inspect_model(content))
    except ModelFileError:
        return ModelFileError


@given(st.binary(max_size=300))
def test_random_bytes_do_no_harm(content):
    assert outcome(content) in (ModelFile, ModelFileError)
    assert outcome(field(7, len(content)) + content) in (ModelFile, ModelFileError)


@given(st.data())
def test_damaged_models_do_no_harm(data):
    content = bytearray(EVERYTHING)
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    assert outcome(content) in (ModelFile, ModelFileError)


EVERYTHING = everything().SerializeToString(deterministic=True)


def test_a_model_cut_short_is_refused_unless_its_graph_is_whole():
    for length in range(len(EVERYTHING)):
        try:
            found = inspect_model(EVERYTHING[:length])
        except ModelFileError:
            continue
        # The graph came through; what is cut off are whole fields behind it.
        assert found.graph_name == "graph"
        assert onnx.load_from_string(EVERYTHING[:length]).graph.name == "graph"


# Quantized or not


WEIGHTS = {
    kind: helper.make_tensor("w", kind, [2], [1, 2])
    for kind in (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT4, TensorProto.UINT4)
}


def inspected(nodes, weights=()):
    return inspect_model(model_of(nodes, weights).SerializeToString())


@pytest.mark.parametrize(
    ("domain", "operator"),
    [
        ("", "ConvInteger"), ("ai.onnx", "MatMulInteger"), ("", "QLinearConv"), ("", "DynamicQuantizeLinear"),
        ("", "QuantizeLinear"), ("com.microsoft", "DynamicQuantizeLSTM"), ("com.microsoft", "QAttention"),
        ("com.microsoft", "QLinearAdd"), ("com.microsoft", "MatMulNBits"), ("com.ms.internal.nhwc", "QLinearConv"),
    ],
)  # fmt: skip
def test_one_quantized_operator_makes_a_quantized_model(domain, operator):
    quantized = helper.make_node(operator, ["c"], ["d"], domain=domain)
    found = inspected([helper.make_node("Add", ["a", "b"], ["c"]), quantized])
    assert found.is_quantized
    assert found.quantized_operators == ((domain.removeprefix("ai.onnx"), operator),)


def test_one_deep_inside_counts_too_and_the_same_name_in_another_domain_does_not():
    body = helper.make_graph([helper.make_node("QLinearMatMul", ["x"], ["y"])], "body", [], [])
    assert inspected([helper.make_node("Loop", ["n"], ["y"], body=body)]).is_quantized
    assert not inspected([helper.make_node("MatMulNBits", ["x"], ["y"], domain="org.example")]).is_quantized


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=map(TensorProto.DataType.Name, WEIGHTS))
def test_weights_that_are_scaled_back_make_a_quantized_model(weights):
    scaling = helper.make_node("DequantizeLinear", ["w", "scale"], ["y"])
    constant = helper.make_node("Constant", [], ["w"], value=weights)
    for found in (inspected([scaling], [weights]), inspected([constant, scaling])):
        assert found.has_quantized_weights
        assert found.is_quantized
        assert found.quantized_operators == ()


def test_scaling_an_input_of_bytes_or_a_table_of_floats_does_not():
    scaling = helper.make_node("DequantizeLinear", ["image", "scale"], ["y"])
    nodes = [scaling, helper.make_node("Gather", ["y", "w"], ["z"])]
    assert not inspected(nodes, [WEIGHTS[TensorProto.INT8]]).is_quantized
    table = numpy_helper.from_array(np.ones(3, np.float32), "image")
    assert not inspected([scaling], [table]).is_quantized
