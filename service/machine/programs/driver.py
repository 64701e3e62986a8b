"""Ask NVIDIA's driver which GPUs there are; run as a program, imports only the standard library.

Prints one JSON object: `cuda` (as cuDriverGetVersion has it), `gpus`, and where something went
wrong `step` (`load`, `look up`, or the function), `code`, `name` and `text`. Makes no context. The
functions are those of CUDA's driver API; the numbers of attributes are those of
`CUdevice_attribute`.
"""

from __future__ import annotations

import ctypes
import json
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint
from typing import Any

_INTEGRATED, _MAJOR, _MINOR = 18, 75, 76

_PROTOTYPES: dict[str, list[Any]] = {
    "cuInit": [c_uint],
    "cuDriverGetVersion": [POINTER(c_int)],
    "cuDeviceGetCount": [POINTER(c_int)],
    "cuDeviceGet": [POINTER(c_int), c_int],
    "cuDeviceGetName": [c_char_p, c_int, c_int],
    "cuDeviceGetAttribute": [POINTER(c_int), c_int, c_int],
    "cuDeviceTotalMem_v2": [POINTER(c_size_t), c_int],
    "cuGetErrorName": [c_int, POINTER(c_char_p)],
    "cuGetErrorString": [c_int, POINTER(c_char_p)],
}


class _CallError(Exception):
    def __init__(self, step: str, code: int) -> None:
        super().__init__(step, code)
        self.step = step
        self.code = code


class _Cuda:
    """The driver's functions; each raises unless it returns CUDA_SUCCESS."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._functions = {name: getattr(library, name) for name in _PROTOTYPES}
        for name, function in self._functions.items():
            function.argtypes = _PROTOTYPES[name]
            function.restype = c_int

    def call(self, name: str, *arguments: Any) -> None:
        code = self._functions[name](*arguments)
        if code:
            raise _CallError(name, code)

    def number(self, name: str, *arguments: Any) -> int:
        value = c_int()
        self.call(name, byref(value), *arguments)
        return value.value

    def describe(self, name: str, code: int) -> str:
        text = c_char_p()
        self._functions[name](code, byref(text))  # leaves NULL for a code that it does not know
        return (text.value or b"").decode("utf-8", "replace")

    def gpu(self, index: int) -> dict[str, Any]:
        device = self.number("cuDeviceGet", index)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        size = c_size_t()
        self.call("cuDeviceTotalMem_v2", byref(size), device)
        major, minor, integrated = (
            self.number("cuDeviceGetAttribute", attribute, device)
            for attribute in (_MAJOR, _MINOR, _INTEGRATED)
        )
        return {
            "name": name.value.decode("utf-8", "replace"),
            "capability": [major, minor],
            "integrated": bool(integrated),
            "memory_bytes": size.value,
        }


def main() -> None:
    """Ask, and print the answer."""
    answer: dict[str, Any] = {"cuda": 0, "gpus": []}
    try:
        cuda = _Cuda(ctypes.CDLL(sys.argv[1]))
    except OSError as error:
        answer |= {"step": "load", "code": 0, "name": "", "text": str(error)}
    except AttributeError as error:
        answer |= {"step": "look up", "code": 0, "name": "", "text": str(error)}
    else:
        try:
            answer["cuda"] = cuda.number("cuDriverGetVersion")  # works before cuInit
            cuda.call("cuInit", 0)
            answer["gpus"] = [cuda.gpu(i) for i in range(cuda.number("cuDeviceGetCount"))]
        except _CallError as error:
            answer |= {
                "step": error.step,
                "code": error.code,
                "name": cuda.describe("cuGetErrorName", error.code),
                "text": cuda.describe("cuGetErrorString", error.code),
            }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
