"""The stub of a CUDA build, compiled once; without a compiler there is nothing to test with."""

from __future__ import annotations

import importlib.util
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
def kokoro(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A float32 model with Kokoro's inputs and outputs, a second long for ten tokens."""
    path = tmp_path_factory.mktemp("kokoro") / "kokoro-small.onnx"
    model: Path = _small_kokoro().write_small_kokoro(path, frames=4.0)
    return model


@pytest.fixture(scope="session")
def write_parts() -> Callable[[Path, Path, str], None]:
    """Write encoder and decoder of such a model into a folder, for a variant."""
    write: Callable[[Path, Path, str], None] = _small_kokoro().write_parts
    return write


def _small_kokoro() -> ModuleType:
    """The module that makes it, from the tests of the model."""
    path = Path(__file__).parents[1] / "service" / "model" / "small_kokoro.py"
    spec = importlib.util.spec_from_file_location("small_kokoro_of_cuda", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
