import mmap
import os

from bench.procfs import cpu_s, mebibytes


def test_memory_that_is_touched_becomes_resident_and_most():
    before = mebibytes("VmRSS")
    held = bytearray(b"x" * (64 << 20))
    assert mebibytes("VmRSS", os.getpid()) > before + 32
    assert mebibytes("VmHWM") >= before + 32
    assert len(held) == 64 << 20


def test_a_page_that_is_mapped_twice_counts_once_in_pss(tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(b"x" * (64 << 20))
    resident, once = mebibytes("VmRSS"), mebibytes("Pss")
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as first,
        mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as second,
    ):
        assert first[:: mmap.PAGESIZE] == second[:: mmap.PAGESIZE]
        assert mebibytes("VmRSS") > resident + 96
        assert once + 32 < mebibytes("Pss") < once + 96


def test_computing_costs_cpu_seconds():
    before = cpu_s()
    while cpu_s() == before:
        sum(range(1000))
    assert cpu_s(os.getpid()) > before
