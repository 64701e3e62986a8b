"""The C API itself, with the objects of ortffi."""

import ctypes
import threading

import numpy as np
import pytest
from tests.ortffi import tiny_models

import ortffi
from ortffi import raw


@pytest.fixture
def session(load):
    return load(tiny_models.add())


def test_the_table_is_the_librarys(library):
    api = raw.api()
    assert api is library.api
    assert api.version <= library.api_version
    assert raw.SLOTS["CreateEnv"].index == 3
    with pytest.raises(ortffi.InvalidArgumentError):
        api.CreateStatus(ortffi.ErrorCode.INVALID_ARGUMENT, b"refused")


def test_a_session_is_lent(session):
    count = ctypes.c_size_t()
    with raw.pointer(session) as address:
        raw.api().SessionGetInputCount(address, ctypes.byref(count))
    assert count.value == len(session.inputs)


def test_a_value_is_lent():
    with ortffi.Value.from_numpy(np.float32([1, 2, 3])) as value, raw.pointer(value) as address:
        data = raw.new(raw.api().GetTensorMutableData, address)
        assert (ctypes.c_float * 3).from_address(data)[:] == [1, 2, 3]


def test_run_options_are_lent():
    with ortffi.RunOptions(tag="tagged") as options, raw.pointer(options) as address:
        tag = raw.new(raw.api().RunOptionsGetRunTag, address)  # stays the options'
        assert ctypes.string_at(tag) == b"tagged"


def test_a_binding_is_lent(session):
    with session.bind() as binding, raw.pointer(binding) as address:
        raw.api().ClearBoundInputs(address)


def test_the_environment_is_lent():
    environment = ortffi.init()
    with raw.pointer(environment) as address:
        assert address == environment.pointer


def test_prepacked_weights_are_lent():
    with ortffi.PrepackedWeights() as weights, raw.pointer(weights) as address:
        assert address


def test_what_is_closed_is_not_lent(session):
    session.close()
    with pytest.raises(ortffi.ClosedError), raw.pointer(session):
        raise AssertionError


def test_close_waits_for_who_was_lent_the_pointer():
    value = ortffi.Value.from_numpy(np.float32([1]))
    closing = threading.Thread(target=value.close)
    with raw.pointer(value) as address:
        closing.start()
        while not value.closed:
            pass
        assert raw.new(raw.api().GetTensorMutableData, address)
        assert closing.is_alive()
    closing.join()


@pytest.mark.parametrize("thing", [None, 7, np.zeros(3), ortffi.Memory.CPU])
def test_what_owns_nothing_of_c_is_refused(thing):
    with pytest.raises(TypeError, match="owns no object of the C API"):
        raw.pointer(thing)
