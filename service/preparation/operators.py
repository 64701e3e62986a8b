"""The library of Kokoro's own operators, which is compiled where a C compiler is there."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from service.errors import SettingsError
from service.preparation.layout import LAYOUT, LAYOUT_NAME
from service.resources import native_library

PORTABLE = "portable"
"""The instruction set of every processor, for which ONNX Runtime's operators are quicker."""


class NativeUnavailableError(Exception):
    """The operators cannot be used; the message says why."""


@dataclass(frozen=True)
class NativeOperators:
    """A library that can be loaded on this machine.

    Attributes:
        path: the file, for `ortffi.SessionBuilder.with_custom_ops`.
        kernels: the instruction set that it uses on this processor, such as `avx512vnni`.
    """

    path: Path
    kernels: str


@dataclass(frozen=True)
class KernelSpeed:
    """What native kernels do on one thread, in multiply-adds of bytes per second.

    Attributes:
        peak: their instructions, with nothing but registers.
        reached: a convolution of a usual size, with all that belongs to it.
    """

    peak: float
    reached: float

    def __str__(self) -> str:
        return (
            f"{self.reached / self.peak:.0%} of this machine's peak, {self.reached / 1e9:.0f} of "
            f"{self.peak / 1e9:.0f} billion multiply-adds a second on one thread"
        )


def find_native_operators(path: Path | None = None, kernels: str | None = None) -> NativeOperators:
    """Find the library and ask it what it uses on this processor.

    Args:
        path: the library; the one of this installation by default.
        kernels: the instruction set that this process shall use from now on; by default the
            fastest that the processor runs.

    Raises:
        NativeUnavailableError: it was not compiled, does not fit this machine, reads weights in
            another layout, or has nothing but portable C for this processor, which is slower than
            ONNX Runtime's operators.
        SettingsError: it cannot use the kernels that are asked for.
    """
    if kernels is None:
        library = _load(path or native_library())
        if _in_use(library) == PORTABLE:
            raise NativeUnavailableError(
                "this processor has none of the instructions that they are written for"
            )
    else:
        try:
            library = _load(path or native_library())
        except NativeUnavailableError as error:
            raise SettingsError(
                f"kernels = {kernels}: there are no native operators: {error}"
            ) from (error)
        _use(library, kernels)
    return NativeOperators(Path(library._name), _in_use(library))


def _load(path: Path) -> ctypes.CDLL:
    """Load a library that reads weights in our layout. Raises NativeUnavailableError."""
    if not path.is_file():
        raise NativeUnavailableError("they were not compiled: there was no C compiler at setup")
    try:
        library = ctypes.CDLL(str(path))
        library.kokoro_variant_in_use.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise NativeUnavailableError(f"{path.name} does not fit this machine: {error}") from error
    # One from before there were versions has no such function.
    layout = getattr(library, "kokoro_layout", lambda: 0)()
    if layout != LAYOUT:
        raise NativeUnavailableError(
            f"{path.name} was compiled from other sources: it reads weights in layout {layout}, "
            f"and {LAYOUT} ({LAYOUT_NAME}) is needed; install the service again, which compiles it"
        )
    return library


def _in_use(library: ctypes.CDLL) -> str:
    name: bytes = library.kokoro_variant_in_use()
    return name.decode()


def _use(library: ctypes.CDLL, kernels: str) -> None:
    """Have a library use an instruction set. Raises SettingsError."""
    if library.kokoro_use_variant(kernels.encode()) == 0:
        return
    library.kokoro_variant_name.restype = ctypes.c_char_p
    names: list[str] = []
    while name := library.kokoro_variant_name(len(names)):
        names.append(name.decode())
    if kernels in names:
        raise SettingsError(f"kernels = {kernels}: this processor does not run these instructions")
    raise SettingsError(f"kernels = {kernels}: must be one of {', '.join(names)}")


def measure_kernels(operators: NativeOperators) -> KernelSpeed:
    """Measure the kernels in use; takes a tenth of a second. Raises MemoryError."""
    library = ctypes.CDLL(str(operators.path))
    library.kokoro_measure.restype = ctypes.c_char_p
    peak, reached = ctypes.c_double(), ctypes.c_double()
    wrong = library.kokoro_measure(ctypes.byref(peak), ctypes.byref(reached))
    if wrong:
        raise MemoryError(wrong.decode())
    return KernelSpeed(peak.value, reached.value)
