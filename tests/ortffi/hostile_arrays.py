"""Arrays of every layout, and what a result must be beside them."""

import mmap
import tempfile

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from onnx import TensorProto

import ortffi

NUMBERS = {
    "f2": TensorProto.FLOAT16, "f4": TensorProto.FLOAT, "f8": TensorProto.DOUBLE, "i1": TensorProto.INT8,
    "i2": TensorProto.INT16, "i4": TensorProto.INT32, "i8": TensorProto.INT64, "u1": TensorProto.UINT8,
    "u2": TensorProto.UINT16, "u4": TensorProto.UINT32, "u8": TensorProto.UINT64, "?": TensorProto.BOOL,
}  # fmt: skip
STAGED = 4096
"""Bytes up to which an input is copied into memory that stays; larger ones are borrowed."""
RUNS = 4
"""By the last of them a run is bound."""

REFUSED = (TypeError, ValueError, ortffi.OrtError)


class Subclass(np.ndarray):
    """An array of a class of one's own, which says what it likes about itself."""

    def __eq__(self, other):
        raise AssertionError("nobody may compare")

    __hash__ = None


def counted(shape, dtype):
    """Return an array with different elements, as far as the dtype has them."""
    count = int(np.prod(shape, dtype=int))
    return (np.arange(1, count + 1) % 251).astype(dtype).reshape(shape)


def misaligned(array):
    """Return a copy that begins at an odd address."""
    raw = bytearray(array.nbytes + 1)
    view = np.frombuffer(raw, np.uint8, array.nbytes, 1).view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def from_bytes(array):
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)


def mapped(array):
    """Return a copy in anonymous mapped memory."""
    memory = mmap.mmap(-1, array.nbytes + 1)
    view = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    view[...] = array
    return view


def in_a_file(array):
    """Return a copy in a mapped file."""
    if not array.size:  # numpy maps no empty file
        return array
    with tempfile.TemporaryFile() as file:
        file.write(array.tobytes())
        file.flush()
        return np.memmap(file, array.dtype, "r+", shape=array.shape or (1,)).reshape(array.shape)


def spread(array):
    """Return every second element of an array with gaps."""
    if not array.ndim:
        return array
    whole = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    whole[..., ::2] = array
    return whole[..., ::2]


def read_only(array):
    array.flags.writeable = False
    return array


def one_for_all(array):
    """Return a view that shows one element everywhere."""
    return np.broadcast_to(array.reshape(-1)[:1].reshape(()) if array.size else array, array.shape)


LAYOUTS = {
    "plain": lambda array: array,
    "fortran": lambda array: np.array(array, order="F"),
    "transposed": lambda array: array.T.copy(order="C").T,
    "backwards": lambda array: array[::-1] if array.ndim else array,
    "backwards inside": lambda array: array[..., ::-1] if array.ndim else array,
    "spread": spread,
    "broadcast": one_for_all,
    "read-only": read_only,
    "bytes": from_bytes,
    "misaligned": misaligned,
    "mapped": mapped,
    "file": in_a_file,
    "subclass": lambda array: array.view(Subclass),
    "matrix": lambda array: np.asmatrix(array) if array.ndim == 2 else array,
    "masked": lambda array: np.ma.MaskedArray(array, mask=False),
    "record": lambda array: array.view(np.recarray),
}

shapes = st.one_of(
    hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4),
    # Some of what makes the layouts stops at 32 before numpy 2.3.
    st.integers(6, 32).map(lambda rank: (1,) * (rank - 1) + (3,)),
    st.sampled_from([(3000,), (64, 64), (0, 5000), (5, 0), (1024,), (1025,), (2, 30, 50)]),
)


class Given:
    """An array, a plain one of what it holds, and its bytes."""

    def __init__(self, array, expected, before):
        self.array, self.expected, self.before = array, expected, before

    def __repr__(self):
        return f"Given({self.array!r:.200})"

    def check_untouched(self):
        assert self.array.tobytes() == self.before
        assert np.asarray(self.array).tobytes() == self.before


def make(shape, dtype, layout):
    array = LAYOUTS[layout](counted(shape, dtype))
    return Given(array, np.array(np.asarray(array), dtype, order="C"), array.tobytes())


def twice(array):
    return np.asarray(array + array)


def same(result, expected):
    assert type(result) is np.ndarray
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.flags.c_contiguous
    assert result.tobytes() == expected.tobytes()


def apart(*arrays):
    """No two share memory; `may_` looks at the bounds, and a result fills its own."""
    for index, first in enumerate(arrays):
        for second in arrays[index + 1 :]:
            assert not np.may_share_memory(first, second)
