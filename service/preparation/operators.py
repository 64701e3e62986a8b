"""Find the library of native operators, which setup compiles if there is a C compiler."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from service.errors import SettingsError
from service.preparation.layout import Layout
from service.resources import native_library

PORTABLE = "portable"
"""The instruction set of every processor, for which ONNX Runtime's operators are quicker."""


OPERATOR_SET = 2
"""The number of the set of operators that models are prepared with, as in native/domain.c."""


class NativeUnavailableError(Exception):
    """The operators cannot be used; the message says why."""


@dataclass(frozen=True)
class NativeOperators:
    """A library that can be loaded on this machine.

    Attributes:
        path: the file, for `ortffi.SessionBuilder.with_custom_ops`.
        kernels: the instruction set that it uses on this CPU, such as `avx512vnni`.
        layout: of the packed weights that these kernels read.
        passed_over: a faster instruction set of this CPU that the operating system refuses, and
            why; empty if there is none or kernels were asked for.
    """

    path: Path
    kernels: str
    layout: Layout
    passed_over: str = ""


@dataclass(frozen=True)
class KernelSpeed:
    """How fast native kernels are on one thread, in 8-bit multiply-adds per second.

    Attributes:
        peak: their instructions on registers alone.
        reached: a convolution of a usual size, with quantization and output.
    """

    peak: float
    reached: float

    def __str__(self) -> str:
        return (
            f"{self.reached / self.peak:.0%} of this machine's peak, {self.reached / 1e9:.0f} of "
            f"{self.peak / 1e9:.0f} billion multiply-adds per second on one thread"
        )


def find_native_operators(
    path: Path | None = None, kernels: str | None = None, layout: Layout | None = None
) -> NativeOperators:
    """Find the library and its instruction set on this CPU.

    Args:
        path: the library; default: that of this installation.
        kernels: the instruction set that this process uses from now on; default: the fastest that
            this CPU has.
        layout: if no kernels are named, that which they must read; default: any.

    Raises:
        NativeUnavailableError: it was not compiled, cannot be loaded, reads another layout of
            weights, or has only portable C for this CPU, which is slower than ONNX Runtime's
            operators.
        SettingsError: it cannot use the kernels that were asked for.
    """
    try:
        library = _load(path or native_library())
        if kernels is not None:
            _use(library, kernels)
        elif layout is not None:
            _use_layout(library, layout)
        if kernels is None and _in_use(library) == PORTABLE:
            raise NativeUnavailableError("this CPU has none of the instruction sets that they need")
        _check_operators(library)
        passed_over = _passed_over(library) if kernels is None else ""
        in_use, read = _in_use(library), _layout(library)
        return NativeOperators(Path(library._name), in_use, read, passed_over)
    except NativeUnavailableError as error:
        if kernels is None:
            raise
        raise SettingsError(
            f"kernels = {kernels}: there are no native operators: {error}"
        ) from error


def _load(path: Path) -> ctypes.CDLL:
    """Load a library of native operators. Raises NativeUnavailableError."""
    if not path.is_file():
        raise NativeUnavailableError("they were not compiled, because setup found no C compiler")
    try:
        library = ctypes.CDLL(str(path))
        library.kokoro_variant_in_use.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise NativeUnavailableError(f"{path.name} cannot be loaded: {error}") from error
    return library


def _check_operators(library: ctypes.CDLL) -> None:
    """Raise NativeUnavailableError if a library has another set of operators."""
    number = getattr(library, "kokoro_operator_set", lambda: 1)()
    if number != OPERATOR_SET:
        raise _of_other_sources(library, f"has set {number} of operators, not {OPERATOR_SET}")


def _layout(library: ctypes.CDLL) -> Layout:
    """Return the layout that the kernels in use read. Raises NativeUnavailableError."""
    # The first version has no such function.
    number = getattr(library, "kokoro_layout", lambda: 0)()
    try:
        return Layout(number)
    except ValueError:
        known = " or ".join(str(int(one)) for one in Layout)
        reads = f"reads layout {number} of weights, not {known}"
        raise _of_other_sources(library, reads) from None


def _of_other_sources(library: ctypes.CDLL, why: str) -> NativeUnavailableError:
    return NativeUnavailableError(
        f"{Path(library._name).name} was compiled from other sources: it {why}; "
        "install the service again to compile it"
    )


def _in_use(library: ctypes.CDLL) -> str:
    name: bytes = library.kokoro_variant_in_use()
    return name.decode()


def _passed_over(library: ctypes.CDLL) -> str:
    """Tell which set faster than the one in use the operating system refuses, and why."""
    names = _names(library)
    for name in names[: names.index(_in_use(library))] if _in_use(library) in names else ():
        if why := _refusal(library, name):
            return f"{name}: {why}"
    return ""


def _refusal(library: ctypes.CDLL, name: str) -> str:
    """Tell why the operating system refuses a set that this CPU has; empty if it does not."""
    if not hasattr(library, "kokoro_variant_refusal"):  # compiled before any could be refused
        return ""
    library.kokoro_variant_refusal.restype = ctypes.c_char_p
    why: bytes | None = library.kokoro_variant_refusal(_names(library).index(name))
    return why.decode() if why else ""


def _use_layout(library: ctypes.CDLL, layout: Layout) -> None:
    """Have a library use the fastest instruction set of this CPU that reads a layout."""
    for name in _names(library):
        if library.kokoro_use_variant(name.encode()) == 0 and _layout(library) == layout:
            return


def _names(library: ctypes.CDLL) -> list[str]:
    """Return the instruction sets that a library knows, fastest first; the last is `PORTABLE`."""
    library.kokoro_variant_name.restype = ctypes.c_char_p
    names: list[str] = []
    while name := library.kokoro_variant_name(len(names)):
        names.append(name.decode())
    return names


def _use(library: ctypes.CDLL, kernels: str) -> None:
    """Have a library use an instruction set. Raises SettingsError."""
    if library.kokoro_use_variant(kernels.encode()) == 0:
        return
    names = _names(library)
    if kernels in names:
        why = _refusal(library, kernels) or "this CPU does not have this instruction set"
        raise SettingsError(f"kernels = {kernels}: {why}")
    raise SettingsError(f"kernels = {kernels}: must be one of {', '.join(names)}")


def measure_kernels(operators: NativeOperators) -> KernelSpeed:
    """Measure the kernels in use, which takes a tenth of a second. Raises MemoryError."""
    library = ctypes.CDLL(str(operators.path))
    library.kokoro_measure.restype = ctypes.c_char_p
    peak, reached = ctypes.c_double(), ctypes.c_double()
    wrong = library.kokoro_measure(ctypes.byref(peak), ctypes.byref(reached))
    if wrong:
        raise MemoryError(wrong.decode())
    return KernelSpeed(peak.value, reached.value)
