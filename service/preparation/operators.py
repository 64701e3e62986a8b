"""Find the library of native operators, which setup compiles if there is a C compiler."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from service.preparation.layout import LAYOUT
from service.resources import native_library


class NativeUnavailableError(Exception):
    """The operators cannot be used; the message says why."""


@dataclass(frozen=True)
class NativeOperators:
    """A library that can be loaded on this machine.

    Attributes:
        path: the file, for `ortffi.SessionBuilder.with_custom_ops`.
        kernels: the instruction set that it uses on this CPU, such as `avx512-vnni`.
    """

    path: Path
    kernels: str


def find_native_operators(path: Path | None = None) -> NativeOperators:
    """Find the library and its instruction set on this CPU.

    Args:
        path: the library; default: that of this installation.

    Raises:
        NativeUnavailableError: it was not compiled, cannot be loaded, reads another layout of
            weights, or has only portable C for this CPU, which is slower than ONNX Runtime's
            operators.
    """
    path = path or native_library()
    if not path.is_file():
        raise NativeUnavailableError("they were not compiled, because setup found no C compiler")
    try:
        library = ctypes.CDLL(str(path))
        variant_in_use = library.kokoro_variant_in_use
    except (OSError, AttributeError) as error:
        raise NativeUnavailableError(f"{path.name} cannot be loaded: {error}") from error
    variant_in_use.argtypes, variant_in_use.restype = [], ctypes.c_char_p
    # The first version has no such function.
    layout = getattr(library, "kokoro_layout", lambda: 0)()
    if layout != LAYOUT:
        raise NativeUnavailableError(
            f"{path.name} was compiled from other sources: it reads layout {layout} of weights, "
            f"not {LAYOUT}; install the service again to compile it"
        )
    kernels: bytes = variant_in_use()
    if kernels == b"portable":
        raise NativeUnavailableError("this CPU has none of the instruction sets that they need")
    return NativeOperators(path, kernels.decode())
