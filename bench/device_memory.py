"""How much memory of a GPU is in use by all programs, according to its driver.

    python -m bench.device_memory [DEVICE]

It prints the number of bytes for each line of standard input. It is a process of its own, since the
driver must not be initialized in a process that forks. Its own context counts as memory in use, and
its size is constant. On a Jetson, the GPU's memory is the system's memory.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bench.processes import ChildError, ask, python


@contextmanager
def device_memory(device: int = 0) -> Iterator[Callable[[], int]]:
    """Give a function that returns the bytes in use.

    Raises:
        ChildError: the driver cannot be used.
    """
    with python("-m", "bench.device_memory", str(device)) as process:

        def used_bytes() -> int:
            return int(ask(process))

        used_bytes()  # now its context exists
        yield used_bytes


class _Driver:
    """The functions of CUDA's driver API that are needed; its context belongs to this thread."""

    def __init__(self, device: int) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        number, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuInit", ctypes.c_uint(0))
        self._call("cuDeviceGet", ctypes.byref(number), ctypes.c_int(device))
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
        self._call("cuCtxSetCurrent", context)

    def used_bytes(self) -> int:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return total.value - free.value

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._cuda, name)(*arguments)
        if code:
            raise ChildError(f"{name} of the driver returned {code}")


def main() -> int:
    """Answer until standard input ends, and return the exit status."""
    try:
        driver = _Driver(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
        for _ in sys.stdin:
            print(driver.used_bytes(), flush=True)
    except (OSError, AttributeError, ChildError) as error:
        print(f"bench.device_memory: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
