"""How the C library treats freed memory."""

from __future__ import annotations

import ctypes
import os

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # mallopt's names, from malloc.h
_LARGE_BYTES = 256 << 10


def share_freed_memory() -> None:
    """Have all threads share one heap, and take large blocks straight from the system.

    glibc gives each thread a heap of its own, which keeps freed memory for that thread. After a
    large array is freed, it also keeps others of that size. With some concurrent requests that was
    50 MB. Other C libraries are not changed, nor is glibc if the environment configures it
    (MALLOC_ARENA_MAX, GLIBC_TUNABLES, ...).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    told = any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ)
    if mallopt is not None and not told:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)


def return_freed_memory() -> None:
    """Return freed memory to the system, if the C library can.

    Loading a session frees 17 MB in small blocks, which glibc would keep. Other C libraries give
    them back by themselves.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
