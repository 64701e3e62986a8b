"""The C function in front of a callback: open it changes nothing, closed it lets nothing in."""

import ctypes
import mmap
import os
import struct
import threading
from types import SimpleNamespace

import pytest

from ortffi import _gate
from ortffi._gate import Gate, machine_code
from ortffi.logs import LoggingFunction
from tests.ortffi.meeting import together

MESSAGE = (2**64 - 1, -3, b"category", b"id", b"location", b"text")


def gate_to(function):
    target = LoggingFunction(function)
    gate = Gate(ctypes.cast(target, ctypes.c_void_p).value)
    gate.target = target  # kept for as long
    if not gate.guarded:
        pytest.skip(f"no machine code for {os.uname().machine}")
    return gate


@pytest.fixture
def received():
    return []


@pytest.fixture
def gate(received):
    return gate_to(lambda *arguments: received.append(arguments))


def test_an_open_gate_passes_all_arguments_and_a_closed_one_lets_nothing_in(gate, received):
    LoggingFunction(gate.address)(*MESSAGE)
    assert received == [MESSAGE]
    assert gate.inside == 0
    assert gate.close()
    assert gate.close()
    LoggingFunction(gate.address)(*MESSAGE)
    assert received == [MESSAGE]
    assert gate.inside == 0


def test_closing_waits_for_those_inside():
    entered, may_leave, left = threading.Event(), threading.Event(), []

    def wait(*_):
        entered.set()
        may_leave.wait(60)
        left.append(True)

    gate = gate_to(wait)
    inside = threading.Thread(target=LoggingFunction(gate.address), args=MESSAGE)
    inside.start()
    assert entered.wait(60)
    assert gate.inside == 1
    assert not gate.close(timeout_s=0.01)
    assert not left
    may_leave.set()
    assert gate.close(timeout_s=60)
    assert left
    inside.join()


def test_many_threads_at_once_are_counted_right(gate, received, threads):
    function = LoggingFunction(gate.address)
    together(threads, lambda _: [function(*MESSAGE) for _ in range(500)])
    assert len(received) == 8 * 500
    assert gate.inside == 0


@pytest.mark.parametrize("lacking", ["instructions", "memory", "new code"])
def test_without_a_gate_the_callback_is_called_directly(monkeypatch, lacking):
    if lacking == "instructions":
        monkeypatch.setattr(_gate.os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    elif lacking == "memory":
        monkeypatch.setattr(_gate, "_map", lambda _size: None)
    else:
        # No such protection: as where a security module refuses new code.
        monkeypatch.setattr(_gate.mmap, "PROT_EXEC", -1)
    gate = Gate(4096)
    assert not gate.guarded
    assert gate.address == 4096
    assert not gate.close()


def test_memory_that_cannot_be_had_is_none():
    assert _gate._map(2**60) is None
    assert mmap.PAGESIZE <= 2**16


def test_the_instructions_carry_the_address():
    data = 0x1122334455667788
    address = struct.pack("<Q", data)
    assert machine_code("x86_64", data).count(address) == 2
    assert machine_code("aarch64", data).endswith(address)
    # The address is read by an instruction that wants it aligned.
    assert machine_code("aarch64", data).index(address) % 8 == 0
    assert machine_code("arm64", data) == machine_code("aarch64", data)
    assert machine_code("riscv64", data) is None
