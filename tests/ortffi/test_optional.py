"""Nothing where something may be: empty optionals and sequences of no tensors."""

import gc

import numpy as np
import pytest
from onnx import TensorProto, helper

import ortffi
from ortffi import ElementType, OnnxType, Value
from tests.ortffi import tiny_models
from tests.ortffi.typed_models import has_element, info, model, optional_of, sequence_of, tensor_type

IN_SEQUENCES = [
    TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BOOL, TensorProto.STRING, TensorProto.INT8,
    TensorProto.INT16, TensorProto.INT32, TensorProto.INT64, TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32,
    TensorProto.UINT64,
]  # fmt: skip

TENSOR = tensor_type(shape=None)
SEQUENCE = sequence_of(TENSOR)
ONES = np.ones(2, np.float32)


@pytest.fixture
def _optionals(library):
    if library.api_version < 15:
        pytest.skip(f"ONNX Runtime 1.15 was the first to tell of optionals; not {library.version}")


def length(item=TENSOR):
    """n = how many items there are."""
    node = helper.make_node("SequenceLength", ["items"], ["n"])
    ends = info("items", sequence_of(item)), info("n", tensor_type(TensorProto.INT64, ()))
    return model([node], [ends[0]], [ends[1]], 11)


def get_element(item):
    """y = what is in x."""
    node = helper.make_node("OptionalGetElement", ["x"], ["y"])
    return model([node], [info("x", optional_of(item))], [info("y", item)])


@pytest.mark.parametrize("number", IN_SEQUENCES)
def test_an_empty_list_is_a_sequence_of_no_tensors(load, number):
    session = load(length(tensor_type(number, None)))
    empty = Value.from_sequence([], ElementType(number))
    for inputs in ({"items": []}, {"items": []}, {"items": []}, [()], {"items": empty}):
        assert session.run(inputs)[0] == 0


def test_a_sequence_that_is_not_empty_follows_one_that_is(load):
    session = load(length())
    counts = [session.run({"items": [ONES] * n})[0].item() for n in (0, 2, 0, 1)]
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


def test_an_empty_sequence_has_the_type_of_one_with_items(load):
    with pytest.raises(ortffi.InvalidArgumentError, match="seq"):
        load(length()).run({"items": Value.from_sequence([], ElementType.INT64)})
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
@pytest.mark.parametrize(("item", "some"), [(TENSOR, ONES), (SEQUENCE, [ONES])], ids=["tensor", "sequence"])
def test_none_is_an_empty_optional(load, item, some):
    session = load(has_element(item))
    assert [session.run({"x": x})[0] for x in (None, some) * 3] == [False, True] * 3
    assert not session.run({})[0]
    assert not session.run([None])[0]
    assert not session.run_values({"x": None})[0].numpy()
    assert not session.submit({"x": None}).result()[0]
    answer = np.ones((), np.bool_)
    session.run_into({"x": None}, {"y": answer})
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
@pytest.mark.parametrize(
    ("model", "inputs", "words"),
    [
        (has_element(TENSOR), {"x": [ONES]}, "'x' must be a numpy array"),
        (has_element(SEQUENCE), {"x": {"a": 1}}, "'x' must be a list"),
        (tiny_models.identity(), {"x": None}, "'x' must be a numpy array or a Value, not NoneType"),
        (length(), {"items": None}, "'items' must be a list or a Value, not NoneType"),
    ],
)
def test_what_may_not_be_there_is_refused_by_name(load, model, inputs, words):
    with pytest.raises(TypeError, match=words):
        load(model).run(inputs)


@pytest.mark.usefixtures("_optionals")
def test_a_library_that_does_not_tell_what_may_be_in_an_optional(fake, use, load):
    use(fake.environment(14))
    session = load(get_element(SEQUENCE))
    assert session.inputs[0].type.item is None
    (value,) = session.run_values({"x": [np.float32([3])]})
    assert value.to_python()[0].tolist() == [3]
    with pytest.raises(ValueError, match=r"'x'.*element type"):
        session.run_values({"x": []})


def nothing(load, item=TENSOR):
    """The value of an empty optional."""
    node = helper.make_node("Optional", [], ["x"], type=item)
    (value,) = load(model([node], [], [info("x", optional_of(item))])).run_values({})
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
    """As it is wherever `test_kinds` puts one."""
    session, value = load(has_element(TENSOR)), nothing(load)
    for use in (
        lambda: session.bind({"x": value}),
        lambda: session.run_into({}, {"y": value}),
        lambda: ortffi.SessionBuilder().with_initializers({"x": value}),
        lambda: ortffi.SessionBuilder().with_external_initializers({"x": value}),
    ):
        with pytest.raises(TypeError, match="optional"):
            use()
