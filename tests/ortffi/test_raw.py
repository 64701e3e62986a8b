"""The table of slots, what an `Api` makes of it, and the C API itself with the objects of ortffi."""

import ctypes
import threading

import numpy as np
import pytest

import ortffi
from ortffi import raw
from ortffi._api import MINIMUM_API_VERSION, SLOTS, Api
from tests.ortffi import tiny_models
from tests.ortffi.meeting import wait_until

KNOWN = {
    "CreateStatus": 0, "CreateEnv": 3, "CreateSession": 7, "CreateSessionFromArray": 8, "Run": 9,
    "CreateSessionOptions": 10, "CreateRunOptions": 39, "GetAllocatorWithDefaultOptions": 78, "ReleaseStatus": 93,
    "ReleaseSession": 95, "ReleaseValue": 96, "ReleaseRunOptions": 97, "GetAvailableProviders": 125,
    "AddRunConfigEntry": 165, "SessionOptionsAppendExecutionProvider_CUDA_V2": 204, "CreateCUDAProviderOptions": 205,
    "UpdateCUDAProviderOptions": 206, "ReleaseCUDAProviderOptions": 208,
    "GetTensorElementTypeAndShapeDataReference": 414,
}  # fmt: skip

LAST_INDEX = {
    1: 101, 2: 118, 3: 124, 4: 126, 5: 149, 6: 157, 7: 161, 8: 169, 9: 191, 10: 203, 11: 209,
    12: 218, 13: 224, 14: 238, 15: 254, 16: 265, 17: 275, 18: 279, 20: 284, 22: 317, 23: 389,
    24: 414, 25: 418, 27: 421, 28: 423, 29: 424, 30: 425,
}  # fmt: skip
"""The last slot of each API version, counted in the headers of the releases."""


def refuse(_api, _status, name):
    raise AssertionError(name)


def test_the_table_has_every_slot_up_to_its_end_once_and_in_order():
    assert [slot.index for slot in SLOTS.values()] == list(range(426))
    assert {name: SLOTS[name].index for name in KNOWN} == KNOWN


def test_every_slot_is_within_the_vtable_of_its_version():
    for slot in SLOTS.values():
        earlier = [last for version, last in LAST_INDEX.items() if version < slot.since - 1]
        assert max(earlier, default=-1) < slot.index <= LAST_INDEX[slot.since], slot.name


def test_every_prototype_has_a_ctypes_signature():
    for slot in SLOTS.values():
        signature = slot.signature()
        assert len(signature._argtypes_) == len(slot.parameters), slot.name
        if slot.returns == "void":
            assert signature._restype_ is None, slot.name
        elif slot.returns.endswith("*"):
            # c_char_p would copy the string and lose the pointer.
            assert signature._restype_ is ctypes.c_void_p, slot.name
    wanted = {
        "CreateStatus": [ctypes.c_int, ctypes.c_char_p],
        "SessionGetInputCount": [ctypes.c_void_p, ctypes.c_void_p],
        "SetIntraOpNumThreads": [ctypes.c_void_p, ctypes.c_int],
        "GetDimensions": [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t],
        "ReleaseValue": [ctypes.c_void_p],
    }
    assert {name: list(SLOTS[name].signature()._argtypes_) for name in wanted} == wanted


def test_every_slot_of_the_minimum_version_is_there_and_newer_ones_are_said_to_be_newer(library):
    api = Api(library.api._pointer, MINIMUM_API_VERSION, refuse)
    for name, slot in SLOTS.items():
        if slot.since <= MINIMUM_API_VERSION:
            assert callable(getattr(api, name))
            continue
        for get in (getattr, Api.raw):
            with pytest.raises(AttributeError, match=f"{name} needs .*{slot.since}.*11"):
                get(api, name)
    with pytest.raises(AttributeError, match="NoSuchFunction"):
        _ = api.NoSuchFunction


def test_an_empty_slot_is_refused_by_name():
    table = (ctypes.c_void_p * 500)()
    with pytest.raises(ValueError, match=r"slot 0 \(CreateStatus\)"):
        Api(ctypes.addressof(table), 11, refuse)


@pytest.fixture
def session(load):
    return load(tiny_models.add())


def test_the_table_is_the_librarys(library):
    api = raw.api()
    assert api is library.api
    assert api.version <= library.api_version
    with pytest.raises(ortffi.InvalidArgumentError):
        api.CreateStatus(ortffi.ErrorCode.INVALID_ARGUMENT, b"refused")


def test_everything_that_owns_an_object_is_lent(session):
    count = ctypes.c_size_t()
    with raw.pointer(session) as address:
        raw.api().SessionGetInputCount(address, ctypes.byref(count))
    assert count.value == len(session.inputs)
    with ortffi.Value.from_numpy(np.float32([1, 2, 3])) as value, raw.pointer(value) as address:
        data = raw.new(raw.api().GetTensorMutableData, address)
        assert (ctypes.c_float * 3).from_address(data)[:] == [1, 2, 3]
    with ortffi.RunOptions(tag="tagged") as options, raw.pointer(options) as address:
        tag = raw.new(raw.api().RunOptionsGetRunTag, address)  # stays the options'
        assert ctypes.string_at(tag) == b"tagged"
    with session.bind() as binding, raw.pointer(binding) as address:
        raw.api().ClearBoundInputs(address)
    with raw.pointer(ortffi.init()) as address:
        assert address == ortffi.init().pointer
    with ortffi.PrepackedWeights() as weights, raw.pointer(weights) as address:
        assert address


def test_what_is_closed_or_owns_nothing_of_c_is_not_lent(session):
    session.close()
    with pytest.raises(ortffi.ClosedError), raw.pointer(session):
        raise AssertionError
    for thing in (None, 7, np.zeros(3), ortffi.Memory.CPU):
        with pytest.raises(TypeError, match="owns no object of the C API"):
            raw.pointer(thing)


def test_close_waits_for_who_was_lent_the_pointer():
    value = ortffi.Value.from_numpy(np.float32([1]))
    closing = threading.Thread(target=value.close)
    with raw.pointer(value) as address:
        closing.start()
        wait_until(lambda: value.closed, "close() did not begin")
        assert raw.new(raw.api().GetTensorMutableData, address)
        assert closing.is_alive()
    closing.join()
