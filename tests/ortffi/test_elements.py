"""Element types that numpy does not have, and several elements in one byte."""

from contextlib import contextmanager

import ml_dtypes
import numpy as np
import pytest
from hypothesis import strategies as st
from onnx import TensorProto

import ortffi
from ortffi import DTYPES, ElementType, Value
from ortffi.elements import PACKED_BITS, pack, packed_size, resolve, unpack
from tests.ortffi import typed_models
from tests.profiles import given

PACKED = list(PACKED_BITS)
FOREIGN = {
    "BFLOAT16": ml_dtypes.bfloat16, "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "FLOAT8E8M0": ml_dtypes.float8_e8m0fnu,
    "FLOAT4E2M1": ml_dtypes.float4_e2m1fn, "UINT4": ml_dtypes.uint4, "INT4": ml_dtypes.int4,
    "UINT2": ml_dtypes.uint2, "INT2": ml_dtypes.int2,
}  # fmt: skip
WITH_CAST = [name for name in FOREIGN if name != "FLOAT4E2M1"]
"""ONNX Runtime's CPU provider has no kernel at all for float4."""


def bounds(element_type):
    bits, signed = PACKED_BITS[element_type], DTYPES[element_type].kind == "i"
    low = -(1 << (bits - 1)) if signed else 0
    return low, low + (1 << bits) - 1


def all_bits(name):
    """Return an array of every bit pattern of a type, in the dtype of ml_dtypes."""
    element_type = ElementType[name]
    carrier = DTYPES[element_type]
    if element_type in PACKED_BITS:
        low, high = bounds(element_type)
        values = np.arange(low, high + 1).astype(carrier)
        return values.view(FOREIGN[name]) if name == "FLOAT4E2M1" else values.astype(FOREIGN[name])
    return np.arange(1 << (8 * carrier.itemsize)).astype(carrier).view(FOREIGN[name])


@contextmanager
def skipping_what_old_libraries_lack(what):
    try:
        yield
    except (ortffi.OrtError, TypeError):
        if ortffi.init().library.api_version >= 31:
            raise
        pytest.skip(f"this ONNX Runtime has no {what}; 1.31 has")


def load_cast(load, source, target):
    with skipping_what_old_libraries_lack(f"Cast from {source} to {target}"):
        return load(typed_models.cast(getattr(TensorProto, source), getattr(TensorProto, target)))


def make(array, element_type=None):
    with skipping_what_old_libraries_lack(f"tensors of {array.dtype}"):
        return Value.from_numpy(array, element_type)


@pytest.mark.parametrize("element_type", PACKED)
@given(data=st.data())
def test_what_was_packed_is_unpacked(element_type, data):
    values = np.array(data.draw(st.lists(st.integers(*bounds(element_type)), max_size=40)), DTYPES[element_type])
    packed = pack(values, element_type)
    assert packed.dtype == np.uint8
    assert packed.nbytes == packed_size(element_type, values.size)
    back = unpack(packed, element_type, values.size)
    assert back.dtype == DTYPES[element_type]
    assert back.tolist() == values.tolist()


def test_the_first_element_is_in_the_lowest_bits_and_every_byte_is_packed_as_it_is_unpacked():
    assert pack(np.array([1, 2, 3], np.uint8), ElementType.UINT4).tolist() == [0x21, 0x03]
    assert pack(np.array([-1, 1], np.int8), ElementType.INT4).tolist() == [0x1F]
    assert pack(np.array([1, 2, 3, 0, 1], np.uint8), ElementType.UINT2).tolist() == [0b00111001, 1]
    assert pack(np.array([-2, -1, 0, 1], np.int8), ElementType.INT2).tolist() == [0b01001110]
    everything = np.arange(256, dtype=np.uint8)
    for element_type in PACKED:
        flat = unpack(everything, element_type, 256 * 8 // PACKED_BITS[element_type])
        assert pack(flat, element_type).tolist() == everything.tolist()


@pytest.mark.parametrize("element_type", [e for e in PACKED if e is not ElementType.FLOAT4E2M1])
def test_an_integer_out_of_range_is_refused(element_type):
    low, high = bounds(element_type)
    dtype = DTYPES[element_type]
    for value in (low - 1, high + 1):
        if np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            with pytest.raises(ValueError, match=f"{element_type.name.lower()} elements must be between"):
                resolve(np.array([0, value], dtype), element_type)
    assert resolve(np.array([low, high], dtype), element_type)[1] is element_type
    assert resolve(np.empty((0, 3), dtype), element_type)[1] is element_type


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (2, 3), (2, 0, 3)])
def test_a_value_holds_what_it_was_made_of(name, shape):
    element_type, bits = ElementType[name], np.resize(all_bits(name), shape)
    carried, found = resolve(bits)
    assert found is element_type
    with make(bits) as value:
        assert (value.element_type, value.shape) == (element_type, shape)
        array = value.numpy()
    assert (array.dtype, array.shape, array.tobytes()) == (DTYPES[element_type], shape, carried.tobytes())
    with make(carried, element_type) as value:
        assert value.element_type is element_type
        assert value.numpy().tobytes() == carried.tobytes()


@pytest.mark.parametrize("name", WITH_CAST)
def test_onnx_runtime_reads_every_value_as_it_is_meant(load, name):
    bits = all_bits(name)
    session = load_cast(load, name, "FLOAT")
    info, number = session.inputs[0], ElementType[name]
    assert (info.element_type, info.dtype) == (number, DTYPES[number])
    expected = bits.astype(np.float32)
    for _ in range(3):
        (read,) = session.run({"x": bits})
        np.testing.assert_array_equal(read, expected)
    carried, element_type = resolve(bits)
    with Value.from_numpy(carried, element_type) as value:
        np.testing.assert_array_equal(session.run({"x": value})[0], expected)
        np.testing.assert_array_equal(session.run({"x": carried})[0], expected)


@pytest.mark.parametrize("name", WITH_CAST)
def test_onnx_runtime_writes_every_value_as_it_is_meant(load, name):
    bits = all_bits(name)
    numbers = bits.astype(np.float32)
    bits, numbers = bits[np.isfinite(numbers)], numbers[np.isfinite(numbers)]
    # Subnormal float32 numbers are left out: a processor may be told to take them for zero.
    normal = (np.abs(numbers) >= np.finfo(np.float32).tiny) | (numbers == 0)
    bits, numbers = bits[normal], numbers[normal]
    session = load_cast(load, "FLOAT", name)
    for _ in range(3):
        (written,) = session.run({"x": numbers})
        assert written.dtype == DTYPES[ElementType[name]]
        assert written.tobytes() == resolve(bits)[0].tobytes()
    (value,) = session.run_values({"x": numbers})
    assert value.element_type is ElementType[name]
    assert value.numpy().tobytes() == resolve(bits)[0].tobytes()


@pytest.mark.parametrize("name", ["UINT4", "INT4", "UINT2", "INT2"])
def test_packed_elements_go_through_odd_lengths(load, name):
    to, back = load_cast(load, "FLOAT", name), load_cast(load, name, "FLOAT")
    for length in range(11):
        numbers = np.resize(all_bits(name).astype(np.float32), length)
        (packed,) = to.run({"x": numbers})
        assert packed.shape == (length,)
        assert back.run({"x": packed})[0].tolist() == numbers.tolist()


def test_packed_elements_cannot_be_viewed():
    value = make(np.array([1, 2, 3], np.uint8), ElementType.UINT4)
    with pytest.raises(TypeError, match="uint4 can only be copied"):
        value.numpy(copy=False)
    assert value.numpy(copy=None).tolist() == [1, 2, 3]
    assert value.numpy(np.uint8).tolist() == [1, 2, 3]
    value.copy_from(np.array([4, 5, 6], np.uint8))
    assert value.numpy().tolist() == [4, 5, 6]
    with pytest.raises(ValueError, match="uint4 elements must be between 0 and 15"):
        value.copy_from(np.array([4, 5, 16], np.uint8))


def test_a_dtype_that_carries_another_element_type_is_refused(load):
    session = load(typed_models.cast(TensorProto.BFLOAT16, TensorProto.FLOAT))
    with pytest.raises(ortffi.InvalidArgumentError, match=r"bfloat16 \(in an array of uint16\)"):
        session.run({"x": np.ones(2, np.float32)})
    with pytest.raises(TypeError, match="expected bfloat16"):
        Value.from_numpy(np.ones(2, np.int16), ElementType.BFLOAT16)


def test_every_element_type_has_a_dtype_or_no_tensors():
    without = {ElementType.UNDEFINED, ElementType.COMPLEX64, ElementType.COMPLEX128}
    assert set(DTYPES) == set(ElementType) - without
    assert all(packed_size(e, 8) == 8 * PACKED_BITS.get(e, DTYPES[e].itemsize * 8) // 8 for e in DTYPES)
