"""Tensors that ONNX Runtime keeps."""

import weakref

import numpy as np
import pytest

import ortffi
from ortffi import ClosedError, ElementType, Memory, Value
from tests.ortffi import tiny_models

ALL = {
    np.float16: ElementType.FLOAT16, np.float32: ElementType.FLOAT, np.float64: ElementType.DOUBLE,
    np.int8: ElementType.INT8, np.int16: ElementType.INT16, np.int32: ElementType.INT32, np.int64: ElementType.INT64,
    np.uint8: ElementType.UINT8, np.uint16: ElementType.UINT16, np.uint32: ElementType.UINT32,
    np.uint64: ElementType.UINT64, np.bool_: ElementType.BOOL, object: ElementType.STRING, str: ElementType.STRING,
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "element_type"), ALL.items())
def test_a_value_holds_what_it_was_made_of(dtype, element_type):
    for shape in ((), (0,), (3, 0), (2, 3)):
        array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(str).astype(object)
        array = array.astype(dtype) if element_type is ElementType.STRING else np.ones(shape, dtype)
        with Value.from_numpy(array) as value:
            assert (value.element_type, value.shape) == (element_type, shape)
            copy = value.numpy()
        assert (copy.shape, copy.tolist()) == (shape, array.tolist())
        assert copy.dtype == (object if element_type is ElementType.STRING else dtype)


def test_numpy_checks_the_dtype_and_converts_nothing():
    with Value.from_numpy(np.ones(3, np.float32)) as value:
        assert value.numpy(np.float32).dtype == np.float32
        assert value.numpy("f4").dtype == np.float32
        with pytest.raises(TypeError, match=r"float32.*float64"):
            value.numpy(np.float64)
    with Value.from_numpy(np.array(["a"])) as value:
        assert value.numpy(object).tolist() == ["a"]
        with pytest.raises(TypeError, match="float32"):
            value.numpy(np.float32)


def test_a_borrowed_array_is_seen_as_it_is_now(load):
    array = np.ones(3, np.float32)
    with load(tiny_models.identity()) as session, Value.from_numpy(array) as value:
        assert session.run({"x": value})[0].tolist() == [1, 1, 1]
        array[...] = 2
        assert session.run({"x": value})[0].tolist() == [2, 2, 2]


@pytest.mark.parametrize("is_mapped", [False, True])
def test_a_value_keeps_its_array_alive_until_it_is_closed(is_mapped):
    array = np.ones(3, np.float32)
    gone = weakref.ref(array)
    value = Value.from_numpy(array)
    if is_mapped:
        value, original = value.mapped(Memory.CPU), value
        original.close()
        del original
    del array
    assert gone() is not None
    assert value.numpy().tolist() == [1, 1, 1]
    value.close()
    assert gone() is None


def test_values_and_arrays_mix_in_one_run(load):
    session = load(tiny_models.add())
    left, array = Value.from_numpy(np.float32([5, 6])), np.float32([1, 2])
    for right in (array, Value.from_numpy(array)):
        outputs = session.run({"left": left, "right": right})
        assert [output.tolist() for output in outputs] == [[6, 8], [4, 4]]
    assert session.run({"left": left, "right": left})[0].tolist() == [10, 12]


def test_a_value_of_the_wrong_type_or_shape_is_refused_by_name(load):
    session = load(tiny_models.add())
    right = np.float32([1, 2])
    for wrong in (np.ones(2), np.ones((2, 2), np.float32), np.array(["a", "b"])):
        with Value.from_numpy(wrong) as value, pytest.raises(ortffi.OrtError, match="left"):
            session.run({"left": value, "right": right})
    assert session.run({"left": right, "right": right})[0].tolist() == [2, 4]


def test_a_closed_value_refuses_every_use(load):
    session = load(tiny_models.identity())
    value = Value.from_numpy(np.ones(3, np.float32))
    value.close()
    value.close()
    uses = [lambda: value.shape, lambda: value.element_type, value.numpy, lambda: session.run({"x": value})]
    for use in uses:
        with pytest.raises(ClosedError, match="value is closed"):
            use()
    assert session.run({"x": np.ones(3, np.float32)})[0].all()


def test_a_dtype_without_element_type_is_refused():
    for dtype in (">f4", "complex128", "S4", "m8[s]"):
        with pytest.raises(TypeError, match=r"allowed are.*float32"):
            Value.from_numpy(np.zeros(2, dtype))
    with pytest.raises(ValueError, match="NUL"):
        Value.from_numpy(np.array(["a\0b"], object))


def test_what_is_lent_is_aligned(watched):
    """Which an x86 processor does not mind, and others do."""
    addresses, name = [], "CreateTensorWithDataAsOrtValue"
    real = watched.real(name)
    watched.replace[name] = lambda info, data, *rest: (addresses.append(data), real(info, data, *rest))[1]
    array = np.frombuffer(bytearray(8 * 1000 + 1), np.uint8)[1:].view(np.float64)
    assert not array.flags.aligned
    Value.from_numpy(array).close()
    (address,) = addresses
    assert address % array.itemsize == 0


def test_a_mapped_tensor_is_the_same_memory_said_to_be_elsewhere():
    array = np.arange(3, dtype=np.float32)
    value = Value.from_numpy(array)
    device = value.mapped(Memory.cuda(1))
    assert device.memory == Memory.cuda(1)
    assert (device.shape, device.element_type) == (value.shape, value.element_type)
    with pytest.raises(TypeError, match="Cuda:1 can only be copied"):
        device.numpy(copy=False)
    with pytest.raises(ValueError, match="Cuda:1 cannot be mapped"):
        device.mapped(Memory.CPU)
    same = value.mapped(Memory.CPU)
    value.copy_from(np.array([5, 6, 7], np.float32))
    assert same.numpy().tolist() == array.tolist() == [5, 6, 7]


def test_strings_and_what_is_no_tensor_cannot_be_mapped():
    with pytest.raises(TypeError, match="strings cannot be mapped"):
        Value.from_numpy(np.array(["one"])).mapped(Memory.CPU)
    with pytest.raises(TypeError, match="not a tensor"):
        Value.from_sequence([np.ones(1)]).mapped(Memory.CPU)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2**40)])
def test_a_tensor_without_elements_is_mapped_too(shape):
    for value in (Value.empty(shape), Value.from_numpy(np.zeros(shape, np.float32))):
        with value, value.mapped(Memory.CPU) as mapped:
            assert mapped.shape == shape
            assert mapped.numpy().shape == shape
