"""What the C library does with memory that was freed."""

from __future__ import annotations

import ctypes
import os

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # mallopt's names, from malloc.h
_LARGE_BYTES = 256 << 10


def share_freed_memory() -> None:
    """Have all threads share one heap, and take large blocks straight from the system.

    glibc gives each thread a heap of its own, where what a request has freed waits for the same
    thread's next one; and once a large array was freed it keeps others of its size there too. With
    some requests at once that was 50 MB. Other C libraries are left as they are, and so is glibc
    where the environment tells it (MALLOC_ARENA_MAX, GLIBC_TUNABLES, ...).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    told = any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ)
    if mallopt is not None and not told:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)


def return_freed_memory() -> None:
    """Give memory that was freed back to the system, where the C library can.

    Loading a session frees 17 MB in small blocks, which glibc would keep. Other C libraries give
    them back by themselves.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
