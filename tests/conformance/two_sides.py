"""One model on two sides: through ortffi, and through the onnxruntime Python package.

Both compute on the CPU with one thread. Both give outputs in the same form, so that they can be
compared bit for bit: an array for a tensor, a list for a sequence, a dict for a map, None for an
empty optional. An element type that numpy lacks is in the dtype that ml_dtypes has for it.
"""

import ctypes
import os

import numpy as np
from onnx import TensorProto, helper

import ortffi
from ortffi import OnnxType

_PACKED = {"UINT4": 4, "INT4": 4, "FLOAT4E2M1": 4, "UINT2": 2, "INT2": 2}


def dtype_of(name):
    """The dtype of an element type, by the name that onnx.proto and ortffi share."""
    return helper.tensor_dtype_to_np_dtype(getattr(TensorProto, name))


def is_native(dtype):
    """Whether numpy has the dtype by itself; those of ml_dtypes are numbered from 256 on."""
    return dtype.num < 256


class Ortffi:
    def __init__(self, model):
        builder = ortffi.SessionBuilder().with_intra_threads(1)
        commit = builder.commit_from_memory if isinstance(model, bytes) else builder.commit_from_file
        self._session = commit(model)
        self.input_names = [info.name for info in self._session.inputs]

    def run(self, inputs):
        """Run, by `Session.run` where all outputs are tensors and `run_values` where not."""
        infos = self._session.outputs
        if any(info.kind is not OnnxType.TENSOR for info in infos):
            return [_from_value(value) for value in self._session.run_values(inputs)]
        arrays = self._session.run(inputs)
        return [_from_carrier(array, info.element_type) for array, info in zip(arrays, infos, strict=True)]


def _from_value(value):
    if value.has_value and value.kind is OnnxType.SEQUENCE:
        return [_from_value(item) for item in value.items()]
    if value.has_value and value.kind is OnnxType.TENSOR:
        return _from_carrier(value.numpy(), value.element_type)
    return value.to_python()


def _from_carrier(array, element_type):
    dtype = dtype_of(element_type.name)
    if is_native(dtype):
        return array
    # Small integers travel as their values, the rest as its bits.
    return array.astype(dtype) if "int" in dtype.name else array.view(dtype)


class Package:
    """Through the onnxruntime package: by `OrtValue`s where a model has elements that numpy lacks."""

    def __init__(self, onnxruntime, model):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._value_type = onnxruntime.OrtValue
        self._session = onnxruntime.InferenceSession(
            model if isinstance(model, bytes) else os.fspath(model), options, providers=["CPUExecutionProvider"]
        )
        ends = (*self._session.get_inputs(), *self._session.get_outputs())
        self.needs_values = any(end.type.startswith("tensor(") and end.type not in _NATIVE_NAMES for end in ends)
        self.input_names = [end.name for end in self._session.get_inputs()]

    def run(self, inputs):
        if not self.needs_values:
            return self._session.run(None, dict(inputs))
        given = {name: self._to_value(value) for name, value in inputs.items() if value is not None}
        return [self._from_value(value) for value in self._session.run_with_ort_values(None, given)]

    def _to_value(self, array):
        if is_native(array.dtype):
            return self._value_type.ortvalue_from_numpy(array)
        number = helper.np_dtype_to_tensor_dtype(array.dtype)
        value = self._value_type.ortvalue_from_shape_and_type(array.shape, number)
        content = _pack(array, _PACKED.get(TensorProto.DataType.Name(number)))
        ctypes.memmove(value.data_ptr(), content, len(content))
        return value

    def _from_value(self, value):
        name = TensorProto.DataType.Name(value.element_type())
        dtype = dtype_of(name)
        if is_native(dtype):
            return value.numpy()
        shape = tuple(value.shape())
        content = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
        return _unpack(content, dtype, _PACKED.get(name), shape)


_NATIVE_NAMES = {
    *("tensor(float)", "tensor(double)", "tensor(float16)", "tensor(bool)", "tensor(string)"),
    *(f"tensor({sign}int{bits})" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def _pack(array, bits):
    if bits is None:
        return array.tobytes()
    digits = [int(byte) & ((1 << bits) - 1) for byte in array.tobytes()]
    packed = bytearray(-(-len(digits) * bits // 8))
    for index, digit in enumerate(digits):
        packed[index * bits // 8] |= digit << index * bits % 8
    return bytes(packed)


def _unpack(content, dtype, bits, shape):
    if bits is None:
        return np.frombuffer(content, dtype).reshape(shape)
    mask = (1 << bits) - 1
    digits = [content[index * bits // 8] >> index * bits % 8 & mask for index in range(int(np.prod(shape)))]
    if "int" not in dtype.name:
        return np.array(digits, np.uint8).view(dtype).reshape(shape)
    if dtype.name.startswith("int"):
        digits = [digit - (1 << bits) if digit >> bits - 1 else digit for digit in digits]
    return np.array(digits, np.int8).astype(dtype).reshape(shape)


def same(left, right):
    """Whether two outputs have the same types, shapes and bits, as deep as they go."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype == object:
            return left.tolist() == right.tolist()
        return left.tobytes() == right.tobytes()
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(np.array(left[key]), np.array(right[key])) for key in left)
    return left is right is None
