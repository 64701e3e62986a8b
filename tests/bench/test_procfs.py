import os

from bench.procfs import cpu_s, mebibytes


def test_memory_that_is_touched_becomes_resident_and_most():
    before = mebibytes("VmRSS")
    held = bytearray(b"x" * (64 << 20))
    assert mebibytes("VmRSS", os.getpid()) > before + 32
    assert mebibytes("VmHWM") >= before + 32
    assert len(held) == 64 << 20


def test_computing_costs_cpu_seconds():
    before = cpu_s()
    while cpu_s() == before:
        sum(range(1000))
    assert cpu_s(os.getpid()) > before
