"""A tensor's memory in the hands of others: numpy's array protocol and DLPack."""

import gc

import numpy as np
import pytest

import ortffi
from ortffi import ElementType, Memory, Value, exchange
from tests.ortffi import tiny_models
from tests.ortffi.growth import resident_kib
from tests.ortffi.lifetimes import count

SHARED = [
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32,
    np.float64,
]  # fmt: skip
"""What numpy, DLPack and ONNX Runtime have in common."""

NOT_SHARED = [
    ElementType.BFLOAT16, ElementType.FLOAT8E4M3FN, ElementType.FLOAT4E2M1, ElementType.INT4, ElementType.STRING,
]  # fmt: skip
BOTH = pytest.mark.parametrize("wanted", [{}, {"max_version": (1, 0)}], ids=["DLPack 0", "DLPack 1"])
ROUNDS, MEGABYTE = 200, 1 << 20

versioned = pytest.mark.skipif(
    not exchange._VERSIONED, reason="numpy before 2.1 knows no DLPack 1; install a newer one"
)


class Consumer:
    """Asks for a capsule as an older or a newer consumer does, and lets numpy take it."""

    def __init__(self, value, **wanted):
        self.value, self.wanted = value, wanted

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()

    def __dlpack__(self, **_):
        self.capsule = self.value.__dlpack__(**self.wanted)
        return self.capsule


def make(dtype=np.float32, shape=(2, 3)):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def own(array):
    """A value with memory of ONNX Runtime's own."""
    value = Value.empty(array.shape, Value.from_numpy(array).element_type)
    value.copy_from(array)
    return value


@pytest.mark.parametrize("dtype", SHARED)
@BOTH
def test_a_tensor_comes_back_from_dlpack(dtype, wanted):
    for shape in [(), (0,), (4, 0), (7,), (2, 3)]:
        array = make(dtype, shape)
        with own(array) as value:
            for taken in (np.from_dlpack(value), np.from_dlpack(Consumer(value, **wanted))):
                np.testing.assert_array_equal(taken, array, strict=True)


def test_dlpack_copies_nothing_and_shows_what_is_written_later():
    value = own(make())
    taken, other = np.from_dlpack(value), np.from_dlpack(Consumer(value))
    assert np.shares_memory(taken, other)
    value.copy_from(make() + 7)
    np.testing.assert_array_equal(taken, make() + 7)


@versioned
def test_who_knows_dlpack_1_is_told_that_the_memory_is_read_only():
    assert not np.from_dlpack(own(make())).flags.writeable


def test_an_older_consumer_gets_no_array_that_may_not_be_written_to():
    array = make()
    array.flags.writeable = False
    value = Value.from_numpy(array)
    for source in (value, value.mapped(Memory.CPU)):
        with pytest.raises(BufferError, match="readonly"):
            source.__dlpack__()
        with pytest.raises(BufferError, match="readonly"):
            source.__dlpack__(max_version=(0, 8))
    np.testing.assert_array_equal(np.from_dlpack(Consumer(value, copy=True)), array)


@BOTH
def test_a_copy_is_the_consumers_own(wanted):
    value = own(make())
    taken = np.from_dlpack(Consumer(value, copy=True, **wanted))
    assert not np.shares_memory(taken, np.from_dlpack(value))
    np.testing.assert_array_equal(taken, make())


@BOTH
def test_a_capsule_keeps_the_memory_until_it_goes_and_is_renamed_when_it_is_taken(watched, wanted):
    consumer = Consumer(own(make()), **wanted)
    assert '"dltensor' in repr(consumer.__dlpack__())
    taken = np.from_dlpack(consumer)
    assert '"used_dltensor' in repr(consumer.capsule)
    consumer.value.close()
    del consumer
    np.testing.assert_array_equal(taken, make())
    part = taken[1:]
    del taken
    assert count(watched, "value") == len(watched.outstanding) == 1
    np.testing.assert_array_equal(part, make()[1:])
    del part
    gc.collect()
    assert not watched.outstanding
    with own(make()) as value:
        capsule = value.__dlpack__()  # which nobody takes
    assert count(watched, "value") == 1
    del capsule
    assert not watched.outstanding


def test_exporting_again_and_again_does_not_grow():
    array = np.ones(MEGABYTE, np.uint8)
    sizes = []
    for _ in range(2):
        for _ in range(ROUNDS):
            with own(array) as value:
                taken = np.from_dlpack(value)
                value.__dlpack__()
                np.asarray(value)
            assert taken[-1] == 1
        sizes.append(resident_kib() * 1024)
    assert sizes[1] - sizes[0] < ROUNDS * MEGABYTE / 10


def test_a_value_of_a_run_goes_to_dlpack(load):
    session = load(tiny_models.doubling())
    (value,) = session.run_values([np.float32([[1, 2]])])
    taken = np.from_dlpack(value)
    session.close()
    value.close()
    assert taken.tolist() == [[2, 4]]


def test_a_tensor_says_on_which_device_it_is():
    for memory, device in [
        (Memory.CPU, (1, 0)), (Memory.cuda(0), (2, 0)), (Memory.cuda(3), (2, 3)), (Memory("CudaPinned", 0), (1, 0)),
        (Memory("Hip", 1), (10, 1)),
    ]:  # fmt: skip
        assert exchange.dlpack_device(memory) == device
    with pytest.raises(BufferError, match="no device for WebGPU_Buffer:0"):
        exchange.dlpack_device(Memory("WebGPU_Buffer", 0))


def test_memory_of_a_gpu_is_said_to_be_there_and_not_exported_and_no_other_device_is_reached():
    value = own(make()).mapped(Memory.cuda(1))
    assert value.__dlpack_device__() == (2, 1)
    for wanted in ({}, {"dl_device": (2, 1)}, {"dl_device": (1, 0), "copy": False}):
        with pytest.raises(BufferError, match="Cuda:1 can be exported only by a copy to the host"):
            value.__dlpack__(**wanted)
    with own(make()) as value:
        np.testing.assert_array_equal(np.from_dlpack(Consumer(value, dl_device=(1, 0))), make())
        with pytest.raises(BufferError, match="only by a copy to the host"):
            value.__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize("element_type", NOT_SHARED)
def test_what_dlpack_and_numpy_do_not_share_is_refused(element_type):
    try:
        value = Value.empty((2, 2), element_type)
    except ortffi.OrtError:
        pytest.skip(f"this ONNX Runtime has no tensors of {element_type.name}; 1.31 has")
    with value, pytest.raises(BufferError, match="cannot be exported by DLPack"):
        value.__dlpack__()


def test_what_is_no_tensor_or_closed_is_refused():
    closed = own(make())
    closed.close()
    for protocol in (np.asarray, np.from_dlpack):
        with Value.from_sequence([make()]) as value, pytest.raises(TypeError, match="a sequence, not a tensor"):
            protocol(value)
        with pytest.raises(ortffi.ClosedError):
            protocol(closed)


@pytest.mark.parametrize("dtype", SHARED)
def test_numpy_sees_a_tensor_as_an_array(dtype):
    with own(make(dtype)) as value:
        array = np.asarray(value)
        np.testing.assert_array_equal(array, make(dtype), strict=True)
        assert not array.flags.writeable
        assert np.shares_memory(array, np.asarray(value))
        copy = np.array(value)
        assert copy.flags.writeable
        assert not np.shares_memory(array, copy)
    np.testing.assert_array_equal(array, copy)


def test_numbers_are_converted_for_numpy():
    with own(make(np.int16)) as value:
        assert np.asarray(value, np.float64).dtype == np.float64
        np.testing.assert_array_equal(np.asarray(value, np.float64), make(np.float64))
        assert np.add(value, 1).tolist() == (make(np.int16) + 1).tolist()
        with pytest.raises(ValueError, match="int16 can become float64 only by a copy"):
            value.__array__(np.float64, copy=False)


def test_strings_are_copied_for_numpy_and_bits_are_not_taken_for_numbers():
    with Value.from_numpy(np.array(["a", "b"], object)) as value:
        assert np.asarray(value).tolist() == ["a", "b"]
        assert np.asarray(value, "U3").dtype == "U3"
        with pytest.raises(ValueError, match="can only be copied"):
            value.__array__(copy=False)
    with Value.from_numpy(np.uint16([0x3F80]), ElementType.BFLOAT16) as value:
        assert np.asarray(value).tolist() == [0x3F80]
        with pytest.raises(TypeError, match="holds bits"):
            np.asarray(value, np.float32)
