"""What a session says about its model, what it refuses, and how it ends."""

import types
import weakref

import numpy as np
import pytest
from onnx import TensorProto

import ortffi
from ortffi import ElementType, InvalidArgumentError, OnnxType, TypeInfo, ValueInfo
from tests.ortffi import tiny_models


def test_inputs_and_outputs_are_described_in_the_models_order(load):
    session = load(tiny_models.mixed())
    assert [info.name for info in session.inputs] == ["f", "i", "s"]
    assert [info.name for info in session.outputs] == ["f_out", "i_out", "s_out"]
    assert [info.dtype for info in session.inputs] == [np.float32, np.int64, np.dtype(object)]
    assert {info.kind for info in session.inputs + session.outputs} == {OnnxType.TENSOR}


@pytest.mark.parametrize("shape", [[], [3], [0, 3], [1, 2, 3], ["batch", 4], [None, 5], ["größe", None, 7], None])
def test_dimensions_are_lengths_names_or_unknown(load, library, shape):
    session = load(tiny_models.identity(TensorProto.FLOAT, shape))
    dimensions = None if shape is None else tuple(shape)
    if shape is None and library.api_version < 24:
        dimensions = ()
    expected = ValueInfo("x", TypeInfo(OnnxType.TENSOR, ElementType.FLOAT, dimensions))
    assert session.inputs == (expected,)


def test_every_element_type_is_described(load):
    dtypes = {"float": "float32", "double": "float64", "string": "object"}
    for number in range(1, 14):
        (info,) = load(tiny_models.identity(number)).inputs
        name = TensorProto.DataType.Name(number).lower()
        assert (info.element_type, info.dtype) == (number, dtypes.get(name, name))


def test_outputs_come_in_the_models_order_or_the_one_wanted(load):
    session = load(tiny_models.add())
    inputs = {"left": np.float32([5, 6]), "right": np.float32([1, 2])}
    found = {"total": [6, 8], "difference": [4, 4]}
    assert [array.tolist() for array in session.run(inputs)] == list(found.values())
    for names in (None, ["difference"], ("difference", "total"), ["total", "total"]):
        assert [array.tolist() for array in session.run(inputs, names)] == [found[name] for name in names or found]


def test_inputs_may_come_in_any_order_and_any_mapping(load):
    session = load(tiny_models.add())
    left, right = np.float32([5]), np.float32([1])
    inputs = {"right": right, "left": left}
    for given in ({"left": left, "right": right}, inputs, types.MappingProxyType(inputs)):
        assert [array.tolist() for array in session.run(given)] == [[6], [4]]


def test_many_combinations_of_names(load):
    session = load(tiny_models.add())
    for n_names in range(1, 40):
        results = session.run([np.float32([5]), np.float32([1])], ["total", "difference"] * n_names)
        assert [float(array[0]) for array in results] == [6, 4] * n_names


ONES = np.ones(2, np.float32)


@pytest.mark.parametrize(
    ("inputs", "output_names", "named"),
    [
        ({"left": ONES}, None, "right"),
        ({}, None, "left"),
        ({"left": ONES, "wrong": ONES}, None, "wrong"),
        ({"left": ONES, "right": ONES, "extra": ONES}, None, "extra"),
        ({"left": ONES, "right": ONES.astype(np.float64)}, None, "right.*float32.*float64"),
        ({"left": ONES, "right": np.array(["a", "b"])}, None, "right.*float32"),
        ({"left": ONES, "right": np.ones((1, 2), np.float32)}, None, "right"),
        ({"left": ONES, "right": np.array(1, np.float32)}, None, "right"),
        ({"left": ONES, "right": np.ones(5000, np.int8)}, None, "right.*float32.*int8"),
        ({"left": ONES, "right": ONES}, ["wrong"], "wrong"),
        ({"left": ONES, "right": ONES}, ["total", ""], "(?i)output name"),
        ({"left": ONES, "right": ONES}, [], "output"),
    ],
)
def test_what_is_not_the_models_is_refused_by_name(load, inputs, output_names, named):
    session = load(tiny_models.add())
    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match=named) as caught:
            session.run(inputs, output_names)
        assert caught.value.code is ortffi.ErrorCode.INVALID_ARGUMENT
        assert caught.value.function == "Run"
        total, _ = session.run({"left": ONES, "right": ONES})
        assert total.tolist() == [2, 2]


def test_another_than_the_fixed_shape_or_type_is_refused_by_name(load):
    session = load(tiny_models.identity(TensorProto.FLOAT, [2, 3]))
    for shape in [(2, 4), (3, 3), (0, 3), (6,), (1, 2, 3)]:
        with pytest.raises(InvalidArgumentError, match=r"\bx\b"):
            session.run({"x": np.zeros(shape, np.float32)})
    assert session.run({"x": np.ones((2, 3), np.float32)})[0].all()
    with pytest.raises(InvalidArgumentError, match="'x' must be str, not float32"):
        load(tiny_models.identity(TensorProto.STRING)).run({"x": ONES})


def test_a_sequence_is_refused_where_a_tensor_belongs_and_a_tensor_for_a_sequence(load):
    session = load(tiny_models.sequence_output())
    for names in (None, ["pair"], ["y", "pair"]):
        with pytest.raises(TypeError, match="'pair' is a sequence"):
            session.run({"x": ONES}, names)
    assert session.run({"x": ONES}, ["y"])[0].all()
    with pytest.raises(InvalidArgumentError, match="items"):
        load(tiny_models.sequence_input()).run({"items": ONES, "index": np.array(0)})


def test_a_with_block_closes_the_session_also_when_it_raises(load):
    with load(tiny_models.identity()) as session:
        assert session.run({"x": ONES})[0].all()
    with pytest.raises(KeyError), load(tiny_models.identity()) as other:
        raise KeyError
    assert session.closed
    assert other.closed


def test_a_forgotten_session_is_released_at_once(watched):
    session = ortffi.SessionBuilder().commit_from_memory(tiny_models.identity())
    session.run({"x": ONES})
    gone = weakref.ref(session)
    assert any(kind == "session" for kind, _ in watched.outstanding)
    del session
    assert gone() is None, "a reference cycle keeps it until the next collection"
    assert not watched.outstanding
    cycle = [ortffi.SessionBuilder().commit_from_memory(tiny_models.identity())]
    cycle.append(cycle)  # which the collector releases
