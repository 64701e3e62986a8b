"""The library of Kokoro's own operators, which is compiled where a C compiler is there."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from service.preparation.layout import LAYOUT, LAYOUT_NAME
from service.resources import native_library


class NativeUnavailableError(Exception):
    """The operators cannot be used; the message says why."""


@dataclass(frozen=True)
class NativeOperators:
    """A library that can be loaded on this machine.

    Attributes:
        path: the file, for `ortffi.SessionBuilder.with_custom_ops`.
        kernels: the instruction set that it uses on this processor, such as `avx512-vnni`.
    """

    path: Path
    kernels: str


def find_native_operators(path: Path | None = None) -> NativeOperators:
    """Find the library and ask it what it uses on this processor.

    Args:
        path: the library; the one of this installation by default.

    Raises:
        NativeUnavailableError: it was not compiled, does not fit this machine, reads weights in
            another layout, or has nothing but portable C for this processor, which is slower than
            ONNX Runtime's operators.
    """
    path = path or native_library()
    if not path.is_file():
        raise NativeUnavailableError("they were not compiled: there was no C compiler at setup")
    try:
        library = ctypes.CDLL(str(path))
        variant_in_use = library.kokoro_variant_in_use
    except (OSError, AttributeError) as error:
        raise NativeUnavailableError(f"{path.name} does not fit this machine: {error}") from error
    variant_in_use.argtypes, variant_in_use.restype = [], ctypes.c_char_p
    # One from before there were versions has no such function.
    layout = getattr(library, "kokoro_layout", lambda: 0)()
    if layout != LAYOUT:
        raise NativeUnavailableError(
            f"{path.name} was compiled from other sources: it reads weights in layout {layout}, "
            f"and {LAYOUT} ({LAYOUT_NAME}) is needed; install the service again, which compiles it"
        )
    kernels: bytes = variant_in_use()
    if kernels == b"portable":
        raise NativeUnavailableError(
            "this processor has none of the instructions that they are written for"
        )
    return NativeOperators(path, kernels.decode())
