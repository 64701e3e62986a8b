from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from service.preparation.layout import LAYOUT
from service.preparation.operators import NativeUnavailableError, find_native_operators
from service.resources import native_library


def compiled(folder: Path, code: str) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = folder / "libops.so"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=code, text=True, check=True)
    return path


def library_of(folder: Path, kernels: str, layout: int | None = LAYOUT) -> Path:
    code = f'const char *kokoro_variant_in_use(void) {{ return "{kernels}"; }}'
    if layout is not None:
        code += f"int kokoro_layout(void) {{ return {layout}; }}"
    return compiled(folder, code)


def test_a_library_tells_which_kernels_it_uses(tmp_path: Path) -> None:
    path = library_of(tmp_path, "abacus")
    operators = find_native_operators(path)
    assert (operators.path, operators.kernels) == (path, "abacus")


def test_portable_kernels_are_not_worth_it(tmp_path: Path) -> None:
    path = library_of(tmp_path, "portable")
    with pytest.raises(NativeUnavailableError, match="this processor"):
        find_native_operators(path)


@pytest.mark.parametrize("layout", [None, LAYOUT - 1, LAYOUT + 1])
def test_a_library_of_other_sources_is_refused(tmp_path: Path, layout: int | None) -> None:
    path = library_of(tmp_path, "abacus", layout)
    found = f"it reads layout {layout or 0} of weights, not {LAYOUT}; install the service again"
    with pytest.raises(NativeUnavailableError, match=found):
        find_native_operators(path)


def test_what_is_packed_here_is_read_by_what_is_compiled_here() -> None:
    if not native_library().is_file():
        pytest.skip("they were not compiled, because setup found no C compiler")
    library = ctypes.CDLL(str(native_library()))
    assert library.kokoro_layout() == LAYOUT


def test_another_library_is_refused(tmp_path: Path) -> None:
    path = compiled(tmp_path, "int something_else;")
    with pytest.raises(NativeUnavailableError, match=r"libops\.so cannot be loaded"):
        find_native_operators(path)


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "libops.so"
    path.write_bytes(b"\x7fELF of another machine")
    with pytest.raises(NativeUnavailableError, match=r"libops\.so cannot be loaded"):
        find_native_operators(path)


def test_a_library_that_was_not_compiled_is_told(tmp_path: Path) -> None:
    with pytest.raises(NativeUnavailableError, match="no C compiler"):
        find_native_operators(tmp_path / "none.so")
