"""The stub of a CUDA build, compiled once; without a compiler there is nothing to test with."""

import shutil

import pytest

from tests.cuda.stub import Stub, compile_library
from tests.small_kokoro import write_small_kokoro


@pytest.fixture(scope="session")
def stub_library(tmp_path_factory):
    """The compiled stub. Each test gets a copy: see `stub`."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc")
    return compile_library(tmp_path_factory.mktemp("stub"))


@pytest.fixture
def stub(stub_library, library, tmp_path):
    return Stub(stub_library, tmp_path / "cuda", library.path)


@pytest.fixture(scope="session")
def kokoro(tmp_path_factory):
    return write_small_kokoro(tmp_path_factory.mktemp("kokoro") / "kokoro-small.onnx")


@pytest.fixture
def say(stub, tmp_path):
    """Say a word by the command; returns the finished process and the file that it may have written."""

    def say(*flags):
        sound = tmp_path / "hello.wav"
        return stub.service("say", "Hello.", "-o", str(sound), *map(str, flags)), sound

    return say
