"""The stub of a CUDA build, compiled once; without a compiler there is nothing to test with."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import stub as stub_module

import ortffi


@pytest.fixture(scope="session")
def stub_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled stub. Each test gets a copy: see `stub`."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc")
    return stub_module.compile_library(tmp_path_factory.mktemp("stub"))


@pytest.fixture
def stub(stub_library: Path, library: ortffi.Library, tmp_path: Path) -> stub_module.Stub:
    """A folder with the stub, which computes with the library of the other tests."""
    return stub_module.Stub(stub_library, tmp_path / "cuda", library.path)


@pytest.fixture(scope="session")
def small_kokoro(load_module: Callable[[str], ModuleType]) -> ModuleType:
    """The module that makes such models, from the tests of the model."""
    return load_module("small_kokoro.py")


@pytest.fixture(scope="session")
def kokoro(small_kokoro: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A float32 model with Kokoro's inputs and outputs, a second long for ten tokens."""
    path = tmp_path_factory.mktemp("kokoro") / "kokoro-small.onnx"
    model: Path = small_kokoro.write_small_kokoro(path, frames=4.0)
    return model


@pytest.fixture(scope="session")
def write_parts(small_kokoro: ModuleType) -> Callable[[Path, Path, str], None]:
    """Write encoder and decoder of such a model into a folder, for a variant."""
    write: Callable[[Path, Path, str], None] = small_kokoro.write_parts
    return write
