"""Nothing where something may be: empty optionals and sequences of no tensors."""

import gc

import numpy as np
import pytest
from onnx import TensorProto, helper
from tests.ortffi import tiny_models

import ortffi
from ortffi import ElementType, OnnxType, Value

IN_SEQUENCES = [
    ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16, ElementType.BOOL,
    ElementType.STRING, ElementType.INT8, ElementType.INT16, ElementType.INT32, ElementType.INT64,
    ElementType.UINT8, ElementType.UINT16, ElementType.UINT32, ElementType.UINT64,
]  # fmt: skip

TENSOR = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
SEQUENCE = helper.make_sequence_type_proto(TENSOR)


@pytest.fixture
def _optionals(library):
    if library.api_version < 15:
        pytest.skip(f"ONNX Runtime 1.15 was the first to tell of optionals; not {library.version}")


def model(node, inputs, outputs, opset=16):
    ends = [[helper.make_value_info(name, kind) for name, kind in side.items()] for side in (inputs, outputs)]
    graph = helper.make_graph([node], "optional", *ends)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets).SerializeToString()


def length(item=TENSOR):
    """n = how many items there are."""
    node = helper.make_node("SequenceLength", ["items"], ["n"])
    number = helper.make_tensor_type_proto(TensorProto.INT64, [])
    return model(node, {"items": helper.make_sequence_type_proto(item)}, {"n": number}, 11)


def has_element(item=TENSOR):
    """answer = whether there is anything in x."""
    node = helper.make_node("OptionalHasElement", ["x"], ["answer"])
    answer = helper.make_tensor_type_proto(TensorProto.BOOL, [])
    return model(node, {"x": helper.make_optional_type_proto(item)}, {"answer": answer})


def get_element(item):
    """y = what is in x."""
    node = helper.make_node("OptionalGetElement", ["x"], ["y"])
    return model(node, {"x": helper.make_optional_type_proto(item)}, {"y": item})


@pytest.mark.parametrize("element_type", IN_SEQUENCES)
def test_an_empty_list_is_a_sequence_of_no_tensors(load, element_type):
    number = getattr(TensorProto, element_type.name)
    session = load(length(helper.make_tensor_type_proto(number, None)))
    for _ in range(3):
        assert session.run({"items": []})[0] == 0
    assert session.run([()])[0] == 0
    assert session.run({"items": Value.from_sequence([], element_type)})[0] == 0


def test_a_sequence_that_is_not_empty_follows_one_that_is(load):
    session = load(length())
    one = np.ones(2, np.float32)
    counts = [session.run({"items": items})[0].item() for items in ([], [one, one], [], [one])]
    assert counts == [0, 2, 0, 1]


def test_an_empty_sequence_outlives_nothing_that_it_needs():
    value = Value.from_sequence([], ElementType.INT64)
    gc.collect()
    assert value.kind is OnnxType.SEQUENCE
    assert value.items() == []
    assert value.to_python() == []
    value.close()
    with pytest.raises(ortffi.ClosedError):
        value.items()


def test_an_empty_sequence_of_another_type_is_refused(load):
    session = load(length())
    with pytest.raises(ortffi.InvalidArgumentError, match="seq"):
        session.run({"items": Value.from_sequence([], ElementType.INT64)})


def test_an_empty_sequence_needs_a_type_that_sequences_have():
    with pytest.raises(ValueError, match="element type"):
        Value.from_sequence([])
    with pytest.raises(ortffi.OrtError):
        Value.from_sequence([], ElementType.FLOAT8E5M2)


def test_the_element_type_tells_what_arrays_of_a_sequence_carry():
    bits = np.uint16([0x3F80, 0x4000])
    with Value.from_sequence([bits], ElementType.BFLOAT16) as value:
        (item,) = value.items()
        assert item.element_type is ElementType.BFLOAT16
        assert item.numpy().tolist() == bits.tolist()
    with pytest.raises(TypeError, match="float32"):
        Value.from_sequence([bits], ElementType.FLOAT)


@pytest.mark.usefixtures("_optionals")
@pytest.mark.parametrize("item", [TENSOR, SEQUENCE], ids=["tensor", "sequence"])
def test_none_is_an_empty_optional(load, item):
    session = load(has_element(item))
    something = np.ones(2, np.float32) if item is TENSOR else [np.ones(2, np.float32)]
    for _ in range(3):
        assert not session.run({"x": None})[0]
        assert session.run({"x": something})[0]
    assert not session.run({})[0]
    assert not session.run([None])[0]
    assert not session.run_values({"x": None})[0].numpy()
    assert not session.submit({"x": None}).result()[0]
    answer = np.ones((), np.bool_)
    session.run_into({"x": None}, {"answer": answer})
    assert not answer


@pytest.mark.usefixtures("_optionals")
def test_an_optional_takes_what_may_be_in_it(load):
    array = np.float32([1, 2])
    assert load(get_element(TENSOR)).run({"x": array})[0].tolist() == [1, 2]
    session = load(get_element(SEQUENCE))
    for items in ([array, array], (array,), []):
        (value,) = session.run_values({"x": items})
        assert [item.tolist() for item in value.to_python()] == [[1, 2]] * len(items)


@pytest.mark.usefixtures("_optionals")
def test_what_may_not_be_in_an_optional_is_refused_by_name(load):
    with pytest.raises(TypeError, match="'x' must be a numpy array"):
        load(has_element(TENSOR)).run({"x": [np.ones(2, np.float32)]})
    with pytest.raises(TypeError, match="'x' must be a list"):
        load(has_element(SEQUENCE)).run({"x": {"a": 1}})


@pytest.mark.usefixtures("_optionals")
def test_a_library_that_does_not_tell_what_may_be_in_an_optional(fake, use, load):
    use(fake.environment(14))
    session = load(get_element(SEQUENCE))
    assert session.inputs[0].type.item is None
    (value,) = session.run_values({"x": [np.float32([3])]})
    assert value.to_python()[0].tolist() == [3]
    with pytest.raises(ValueError, match=r"'x'.*element type"):
        session.run_values({"x": []})


def test_none_is_no_tensor_and_no_sequence(load):
    with pytest.raises(TypeError, match="'x' must be a numpy array or a Value, not NoneType"):
        load(tiny_models.identity()).run({"x": None})
    with pytest.raises(TypeError, match="'items' must be a list or a Value, not NoneType"):
        load(length()).run({"items": None})


def nothing(load, item=TENSOR):
    """The value of an empty optional."""
    node = helper.make_node("Optional", [], ["x"], type=item)
    (value,) = load(model(node, {}, {"x": helper.make_optional_type_proto(item)})).run_values({})
    return value


@pytest.mark.usefixtures("_optionals")
@pytest.mark.parametrize("item", [TENSOR, SEQUENCE], ids=["tensor", "sequence"])
def test_an_empty_optional_comes_out_as_none_and_goes_in_again(load, item):
    value = nothing(load, item)
    assert not value.has_value
    assert value.to_python() is None
    session = load(has_element(item))
    assert not session.run({"x": value})[0]
    assert not session.run([value])[0]


@pytest.mark.usefixtures("_optionals")
def test_an_empty_optional_is_refused_where_something_must_be(load):
    value = nothing(load)
    for use in (
        value.numpy,
        value.read,
        value.items,
        lambda: value.shape,
        lambda: value.memory,
        lambda: load(tiny_models.identity()).run({"x": value}),
        lambda: load(length()).run({"items": value}),
        lambda: load(has_element()).bind({"x": value}),
        lambda: load(has_element()).run_into({}, {"answer": value}),
        lambda: Value.from_sequence([value]),
        lambda: Value.from_numpy(np.ones(1, np.float32)).copy_from(value),
        lambda: ortffi.SessionBuilder().with_initializers({"x": value}),
        lambda: ortffi.SessionBuilder().with_external_initializers({"x": value}),
    ):
        with pytest.raises(TypeError, match="optional"):
            use()


def test_every_call_on_the_way_to_an_empty_sequence_may_fail(fake, use):
    use(fake.environment())
    Value.from_sequence([], ElementType.FLOAT).close()
    expected = list(fake.calls)
    for victim, name in enumerate(expected):
        if name.startswith("Release"):
            continue
        fake.calls.clear()
        fake.fail = lambda _name, victim=victim: len(fake.calls) == victim + 1
        with pytest.raises(ortffi.FailError, match=f"injected into {name}"):
            Value.from_sequence([], ElementType.FLOAT).close()
        fake.fail = lambda _name: False
        gc.collect()
        assert not fake.outstanding, name
        assert not fake.mistakes
