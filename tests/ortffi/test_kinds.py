"""Values that are no tensors: sequences, maps, optionals, and what is in them."""

import gc
import weakref
from functools import partial

import numpy as np
import pytest
from onnx import TensorProto

import ortffi
from ortffi import ElementType, OnnxType, TypeInfo, Value
from tests.ortffi import typed_models
from tests.ortffi.refusals import not_refused
from tests.ortffi.typed_models import identity, optional_of, sequence_of, tensor_type

X = np.float32([1, 2, 3])


@pytest.fixture
def load_optional(load, library):
    if library.api_version < 15:
        pytest.skip("models with optional inputs or outputs need ONNX Runtime 1.15")
    return load


@pytest.fixture
def nothing(load_optional):
    """An optional tensor that is empty."""
    (value,) = load_optional(typed_models.make_optional(full=False)).run_values({"x": X})
    return value


TENSOR = TypeInfo(OnnxType.TENSOR, ElementType.FLOAT, ("n",))
SCALAR = TypeInfo(OnnxType.TENSOR, ElementType.FLOAT, ())


def test_a_sequence_is_described_with_its_items(load):
    session = load(identity(sequence_of(tensor_type())))
    for info in (*session.inputs, *session.outputs):
        assert info.type == TypeInfo(OnnxType.SEQUENCE, item=TENSOR)
        assert str(info.type) == "sequence of tensor of float [n]"
        assert (info.kind, info.dtype, info.shape, info.rank) == (OnnxType.SEQUENCE, None, None, None)
        assert info.element_type is ElementType.UNDEFINED


def test_a_map_is_described_with_its_keys_and_values(load):
    (info,) = load(typed_models.vectorize()).inputs
    assert info.type == TypeInfo(OnnxType.MAP, item=SCALAR, key_type=ElementType.INT64)
    assert str(info.type) == "map from int64 to tensor of float []"
    (info,) = load(typed_models.zip_maps(["a", "b"])).outputs
    of_names = TypeInfo(OnnxType.MAP, item=SCALAR, key_type=ElementType.STRING)
    assert info.type == TypeInfo(OnnxType.SEQUENCE, item=of_names)
    assert str(info.type) == "sequence of map from string to tensor of float []"


def test_an_optional_is_described_with_what_may_be_in_it(load_optional):
    (info,) = load_optional(typed_models.make_optional(full=True)).outputs
    assert info.type == TypeInfo(OnnxType.OPTIONAL, item=TENSOR)
    assert str(info.type) == "optional of tensor of float [n]"
    (info,) = load_optional(identity(optional_of(sequence_of(tensor_type(TensorProto.INT64, None))))).inputs
    inner = info.type.item
    assert (info.kind, inner.kind, inner.item.element_type) == (
        OnnxType.OPTIONAL, OnnxType.SEQUENCE, ElementType.INT64
    )  # fmt: skip


def test_a_type_without_parts_still_has_words():
    assert str(TypeInfo(OnnxType.UNKNOWN)) == "unknown of undefined"
    assert str(TypeInfo(OnnxType.MAP)) == "map from ? to None"
    assert str(TypeInfo(OnnxType.TENSOR, ElementType.BFLOAT16, (1, "n", None))) == "tensor of bfloat16 [1, n, ?]"


def lists(arrays):
    return [array.tolist() for array in arrays]


def test_a_sequence_comes_back(load):
    session = load(identity(sequence_of(tensor_type(shape=None))))
    items = [X, np.float32([[4]]), np.empty((0, 2), np.float32), np.array(5, np.float32)]
    for _ in range(3):
        (value,) = session.run_values({"x": items})
        assert value.kind is OnnxType.SEQUENCE
        assert lists(value.to_python()) == lists(items)
        assert [item.shape for item in value.items()] == [(3,), (1, 1), (0, 2), ()]
        assert lists(session.run_values([value])[0].to_python()) == lists(items)
    (empty,) = session.run_values({"x": []})
    assert (empty.kind, empty.items(), empty.to_python()) == (OnnxType.SEQUENCE, [], [])


def test_a_sequence_of_strings_comes_back_or_is_refused(load, library):
    session = load(identity(sequence_of(tensor_type(TensorProto.STRING))))
    items = [np.array(["a", ""]), np.array(["äö", "日本"])]
    if library.api_version < 17:  # it would crash
        for use in (partial(Value.from_sequence, items), partial(session.run_values, {"x": items})):
            with pytest.raises(ortffi.UnsupportedError, match=r"1\.17"):
                use()
        return
    (value,) = session.run_values({"x": items})
    assert lists(value.to_python()) == lists(items)


def test_items_are_arrays_or_values():
    with Value.from_numpy(X) as first, Value.from_sequence([first, X]) as value:
        first.close()
        assert lists(value.to_python()) == [[1, 2, 3]] * 2
        assert (value.kind, value.element_type) == (OnnxType.SEQUENCE, ElementType.UNDEFINED)
        assert value.has_value


def test_a_sequence_keeps_the_arrays_it_was_made_of():
    array = X.copy()
    gone = weakref.ref(array)
    value = Value.from_sequence([array])
    (item,) = value.items()
    del array
    value.close()
    gc.collect()
    assert item.numpy().tolist() == [1, 2, 3]
    item.close()
    del item
    gc.collect()
    assert gone() is None


def test_what_was_taken_from_a_sequence_outlives_it_and_its_session(load):
    session = load(typed_models.split())
    (value,) = session.run_values({"x": X})
    items = value.items()
    value.close()
    session.close()
    assert lists(item.numpy() for item in items) == [[1], [2], [3]]


def test_items_that_do_not_go_together_are_refused():
    with Value.from_sequence([X]) as sequence:
        assert not not_refused(
            (partial(Value.from_sequence, items), error, "")
            for items, error in [
                ([X, np.array([1])], ortffi.OrtError), ([X, {"a": 1}], TypeError), ([X.astype(">f4")], TypeError),
                ([np.array(["a\0b"])], ValueError), ([sequence], ortffi.OrtError),
            ]
        )  # fmt: skip


def test_a_map_comes_back():
    for mapping in (
        {1: 1.5, -2: 2.5}, {"a": 1.5, "ä": 2.5}, {1: 1, 2**40: -(2**40)}, {"a": 1}, {1: "x"}, {"a": "x", "b": ""},
    ):  # fmt: skip
        with Value.from_mapping(mapping) as value:
            assert value.kind is OnnxType.MAP
            assert value.to_python() == mapping
            keys, values = value.items()
            assert keys.shape == values.shape == (len(mapping),)
            with pytest.raises(TypeError, match="map, not a tensor"):
                value.numpy()


def test_a_map_is_an_input(load):
    session = load(typed_models.vectorize())
    for _ in range(3):
        assert session.run({"x": {10: 1.0, 30: 3.0, 99: 9.0}})[0].tolist() == [[1, 0, 3]]
    with Value.from_mapping({20: 2.0}) as value:
        assert session.run([value])[0].tolist() == [[0, 2, 0]]
    names = load(typed_models.vectorize_names())
    assert names.run({"x": {"b": 2, "a": 1}})[0].tolist() == [[1, 2]]
    refused = (TypeError, ValueError, ortffi.InvalidArgumentError)
    assert not not_refused(
        [
            *((partial(names.run, {"x": x}), ortffi.InvalidArgumentError, "") for x in ({"a": 1.0}, {1: 1.0})),
            *((partial(session.run, {"x": x}), refused, r"\bx\b") for x in ({}, {1: None}, X, [1])),
        ]
    )


@pytest.mark.parametrize("labels", [[5, 6], ["five", "sechs"]])
def test_maps_are_an_output(load, labels):
    session = load(typed_models.zip_maps(labels))
    rows = np.float32([[1, 2], [3, 4]])
    with pytest.raises(TypeError, match=r"output .y. is a sequence.*run_values"):
        session.run({"x": rows})
    (value,) = session.run_values({"x": rows})
    assert value.to_python() == [dict(zip(labels, row, strict=True)) for row in rows.tolist()]
    maps = value.items()
    assert [item.kind for item in maps] == [OnnxType.MAP] * 2
    again = Value.from_sequence(maps)
    assert again.to_python() == value.to_python()


def test_an_optional_holds_a_tensor_or_nothing(load_optional, nothing):
    (full,) = load_optional(typed_models.make_optional(full=True)).run_values({"x": X})
    assert (full.has_value, full.kind, full.to_python().tolist()) == (True, OnnxType.TENSOR, [1, 2, 3])
    assert (nothing.has_value, nothing.kind, nothing.to_python()) == (False, OnnxType.OPTIONAL, None)
    assert nothing.element_type is ElementType.UNDEFINED
    sequences = load_optional(identity(optional_of(sequence_of(tensor_type()))))
    assert lists(sequences.run_values({"x": [X]})[0].to_python()) == [[1, 2, 3]]
    assert sequences.run_values({"x": []})[0].to_python() == []


def test_an_empty_optional_is_refused_and_never_followed(load, nothing):
    of_tensors, of_sequences = load(identity(tensor_type())), load(identity(sequence_of(tensor_type())))
    uses = (
        nothing.numpy, nothing.read, lambda: nothing.shape, lambda: nothing.memory, nothing.items,
        lambda: Value.from_sequence([nothing]), lambda: nothing.copy_from(X),
        lambda: Value.from_numpy(X).copy_from(nothing), lambda: load(typed_models.vectorize()).run({"x": nothing}),
        lambda: of_tensors.run({"x": nothing}), lambda: of_tensors.bind({"x": nothing}),
        lambda: of_sequences.run_values({"x": nothing}), lambda: of_sequences.bind({"x": nothing}),
    )  # fmt: skip
    assert not not_refused((use, TypeError, "optional") for use in uses)


def test_an_optional_input_is_given_left_out_or_none(load_optional, nothing):
    session = load_optional(typed_models.has_element(tensor_type()))
    for _ in range(3):
        assert session.run({"x": X})[0].tolist() is True
        for inputs in ({}, {"x": None}, {"x": nothing}, [], [None]):
            assert session.run(inputs)[0].tolist() is False


def test_a_closed_value_of_any_kind_refuses_every_use():
    for value in (Value.from_sequence([X]), Value.from_mapping({1: 1.0})):
        value.close()
        uses = (
            value.items, value.to_python, value.numpy, lambda value=value: value.kind,
            lambda value=value: value.has_value, lambda value=value: Value.from_sequence([value]),
        )  # fmt: skip
        assert not not_refused((use, ortffi.ClosedError, "closed") for use in uses)


def test_everything_is_released(watched):
    with ortffi.SessionBuilder().commit_from_memory(typed_models.zip_maps([1, 2])) as session:
        (value,) = session.run_values({"x": np.float32([[1, 2]])})
        assert value.to_python() == [{1: 1.0, 2: 2.0}]
    with ortffi.SessionBuilder().commit_from_memory(identity(sequence_of(tensor_type()))) as session:
        (value,) = session.run_values({"x": [X, X]})
        assert len(value.items()) == 2
    del value
    with ortffi.SessionBuilder().commit_from_memory(typed_models.vectorize()) as session:
        session.run({"x": {10: 1.0}})
    Value.from_mapping({"a": "b"}).close()
    for name in ("CreateValue", "GetValue", "GetValueCount"):
        with watched.failing(name), pytest.raises(ortffi.FailError):
            Value.from_sequence([X, X]).items()
