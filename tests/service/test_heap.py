"""How the C library is told to deal with memory, seen in processes of their own."""

import os
import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")

SCRIPT = """
import ctypes, re, sys, threading
from pathlib import Path
from service.heap import return_freed_memory, share_freed_memory

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = libc.fclose.argtypes = [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

share_freed_memory()
allocated = threading.Barrier(5)

def allocate():
    pointer = libc.malloc(1000)
    allocated.wait()
    libc.free(pointer)

threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads:
    thread.start()
allocated.wait()
for thread in threads:
    thread.join()
file = libc.fopen(sys.argv[1].encode(), b"w")
libc.malloc_info(0, file)
libc.fclose(file)
heaps = len(re.findall("<heap nr=", Path(sys.argv[1]).read_text()))

blocks = [libc.malloc(20_000) for _ in range(2_000)]
for block in blocks:
    ctypes.memset(block, 1, 20_000)
for block in blocks[:-1]:
    libc.free(block)
held = resident()
return_freed_memory()
print(heaps, held - resident())
"""


def run(tmp_path, **environ):
    """Return how many heaps there are after four threads, and the MiB that were given back."""
    told = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    told.pop("GLIBC_TUNABLES", None)
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, f"{tmp_path}/malloc.xml"], env={**told, **environ},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    heaps, returned = result.stdout.split()
    return int(heaps), float(returned)


def test_threads_share_one_heap_unless_the_environment_says_otherwise_and_freed_memory_is_given_back(tmp_path):
    n_heaps, returned = run(tmp_path)
    assert n_heaps == 1
    assert returned > 30
    assert run(tmp_path, MALLOC_ARENA_MAX="3")[0] == 3
