"""The native library, compiled here; without a compiler there is nothing to test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import native_library
import pytest

import ortffi


@pytest.fixture(scope="session")
def library_path() -> Path:
    ortffi.init(log_level=ortffi.LogLevel.FATAL)
    try:
        return native_library.path()
    except native_library.native_build.CompilerError as error:
        pytest.skip(f"needs the native library: {error}")


@pytest.fixture(params=native_library.FAMILY)
def variant(request: pytest.FixtureRequest, library_path: Path) -> Iterator[str]:
    """Every variant in turn, in use for the test."""
    if request.param not in native_library.variants():
        pytest.skip(f"{request.param} is beyond this compiler")
    if request.param not in native_library.runnable():
        pytest.skip(f"this processor does not run {request.param}")
    with native_library.using(request.param):
        yield request.param
