"""The stub of a CUDA build, compiled once; without a compiler there is nothing to test with."""

import shutil

import pytest
from tests.cuda import stub as stub_module
from tests.cuda.graph_programs import IMPORTS
from tests.small_kokoro import write_small_kokoro


@pytest.fixture(scope="session")
def stub_library(tmp_path_factory):
    """The compiled stub. Each test gets a copy: see `stub`."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc")
    return stub_module.compile_library(tmp_path_factory.mktemp("stub"))


@pytest.fixture
def stub(stub_library, library, tmp_path):
    """A folder with the stub, which computes with the library of the other tests."""
    return stub_module.Stub(stub_library, tmp_path / "cuda", library.path)


@pytest.fixture
def python(stub):
    """Run a script on the stub; its assertions are the test's."""
    return lambda script: stub.python(IMPORTS + script)


@pytest.fixture(scope="session")
def kokoro(tmp_path_factory):
    """A float32 model with Kokoro's inputs and outputs, a second long for ten tokens."""
    path = tmp_path_factory.mktemp("kokoro") / "kokoro-small.onnx"
    return write_small_kokoro(path)
