from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from service.model.native import NativeUnavailableError, find_native_operators


def compiled(folder: Path, code: str) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = folder / "libops.so"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=code, text=True, check=True)
    return path


def test_a_library_tells_which_kernels_it_uses(tmp_path: Path) -> None:
    path = compiled(tmp_path, 'const char *kokoro_variant_in_use(void) { return "abacus"; }')
    operators = find_native_operators(path)
    assert (operators.path, operators.kernels) == (path, "abacus")


def test_portable_kernels_are_not_worth_it(tmp_path: Path) -> None:
    path = compiled(tmp_path, 'const char *kokoro_variant_in_use(void) { return "portable"; }')
    with pytest.raises(NativeUnavailableError, match="this processor"):
        find_native_operators(path)


def test_another_library_is_refused(tmp_path: Path) -> None:
    path = compiled(tmp_path, "int something_else;")
    with pytest.raises(NativeUnavailableError, match=r"libops\.so does not fit"):
        find_native_operators(path)


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "libops.so"
    path.write_bytes(b"\x7fELF of another machine")
    with pytest.raises(NativeUnavailableError, match=r"libops\.so does not fit"):
        find_native_operators(path)


def test_a_library_that_was_not_compiled_is_told(tmp_path: Path) -> None:
    with pytest.raises(NativeUnavailableError, match="no C compiler"):
        find_native_operators(tmp_path / "none.so")
