"""A GPU and a CUDA build where there are some, models prepared for them, and the service."""

import os
import subprocess
import sys
from contextlib import closing
from functools import cache

import pytest

import ortffi
from service.loading import load_model, load_runtime, prepare_model
from service.machine import CudaBuild, Machine
from service.settings import Settings
from tests.service.api.serving_process import starting


def lack_of_build():
    """Return why this library has no CUDA part to look at; empty if it has one."""
    if "CUDAExecutionProvider" in ortffi.available_providers():
        return ""
    return "needs a CUDA build of ONNX Runtime: make test-gpu"


@cache
def lack_of_gpu():
    """Return why nothing can be computed on a GPU here; empty if it must work."""
    driver = Machine().driver
    needs = "needs an NVIDIA GPU and a CUDA build of ONNX Runtime: make test-gpu"
    if not driver.gpus:
        return f"{needs} ({driver.problem})"
    return needs if lack_of_build() else ""


@pytest.fixture(scope="session")
def build(library):
    if lack_of_build():
        pytest.skip(lack_of_build())
    return CudaBuild(library.path)


@pytest.fixture(scope="session")
def no_gpu(build):
    if not lack_of_gpu():
        pytest.skip("shows what is said without a GPU, and there is one: run it elsewhere")


@pytest.fixture(scope="session")
def gpu(build):
    if lack_of_gpu():
        pytest.skip(lack_of_gpu())


@pytest.fixture(scope="session")
def prepared(build, model_file, cache_dir):
    """The cache, with the model prepared for GPUs in both precisions; takes two minutes once."""
    folders = prepare_model(Settings(cache_dir=cache_dir), "cuda", lambda line: None)
    assert [folder.name.split("-")[1] for folder in folders] == ["float32", "float16"]
    return cache_dir


@pytest.fixture
def service():
    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "service", *arguments],
            capture_output=True, text=True, check=False, timeout=500,
            env={**os.environ, **environment},
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def load_on_gpu(gpu, prepared):
    def load(precision):
        settings = Settings(provider="cuda", precision=precision, cache_dir=prepared)
        return load_model(settings, load_runtime(settings), lambda line: None)

    return load


@pytest.fixture(scope="session", params=["float32", "float16"])
def speaking(request, load_on_gpu):
    with closing(load_on_gpu(request.param)) as kokoro:
        yield kokoro


@pytest.fixture(scope="session")
def start_server(prepared):
    with starting(prepared) as start:
        yield start
