"""The CUDA provider: refused by a build without it, and what a build with it is told."""

from __future__ import annotations

import ctypes

import pytest
import tiny_models

import ortffi
from ortffi import SessionBuilder

PROVIDERS = [b"CUDAExecutionProvider", b"CPUExecutionProvider"]
OPTIONS = 0x1000
"""Stands for an `OrtCUDAProviderOptionsV2*`, which nothing dereferences."""


def test_the_cpu_provider_is_always_there():
    assert "CPUExecutionProvider" in ortffi.available_providers()


def test_a_build_without_cuda_is_refused_with_its_path(library):
    if "CUDAExecutionProvider" in ortffi.available_providers():
        pytest.skip("this library has CUDA; point ONNXRUNTIME_DIR at one without")
    with pytest.raises(ortffi.ProviderUnavailableError, match="CUDA") as caught:
        SessionBuilder().with_cuda()
    assert str(library.path) in str(caught.value)
    assert "CPUExecutionProvider" in str(caught.value)


class Cuda:
    """What a library built with CUDA was told.

    Attributes:
        settings: the options of each call of `UpdateCUDAProviderOptions`.
        appended: the options of each call of the append function.
    """

    def __init__(self, fake):
        self.settings: list[dict[str, str]] = []
        self.appended: list[int] = []
        self._names = (ctypes.c_char_p * len(PROVIDERS))(*PROVIDERS)
        fake.replace |= {
            "GetAvailableProviders": self.get_available,
            "ReleaseAvailableProviders": lambda _names, _count: None,
            "CreateCUDAProviderOptions": self.create,
            "UpdateCUDAProviderOptions": self.update,
            "SessionOptionsAppendExecutionProvider_CUDA_V2": self.append,
            "ReleaseCUDAProviderOptions": lambda _options: None,
        }

    def get_available(self, names, count):
        ctypes.c_void_p.from_address(names).value = ctypes.addressof(self._names)
        ctypes.c_int.from_address(count).value = len(PROVIDERS)

    def create(self, out):
        ctypes.c_void_p.from_address(out).value = OPTIONS

    def update(self, options, keys, values, count):
        assert options == OPTIONS
        array = ctypes.c_char_p * count
        pairs = zip(array.from_address(keys), array.from_address(values), strict=True)
        self.settings.append({key.decode(): value.decode() for key, value in pairs})

    def append(self, _session_options, cuda_options):
        self.appended.append(cuda_options)


@pytest.fixture
def cuda(fake, use):
    use(fake.environment())
    yield Cuda(fake)
    assert not fake.outstanding
    assert not fake.mistakes


def commit(builder):
    builder.commit_from_memory(tiny_models.identity()).close()


def test_the_defaults_search_convolutions_by_heuristic(cuda):
    assert ortffi.available_providers()[0] == "CUDAExecutionProvider"
    commit(SessionBuilder().with_cuda())
    assert cuda.settings == [{"device_id": "0", "cudnn_conv_algo_search": "HEURISTIC"}]
    assert cuda.appended == [OPTIONS]


def test_options_are_passed_on_and_override_the_defaults(cuda):
    commit(
        SessionBuilder().with_cuda(
            1,
            cudnn_conv_algo_search="EXHAUSTIVE",
            gpu_mem_limit=2**33,
            prefer_nhwc=True,
            use_tf32=False,
        )
    )
    assert cuda.settings == [
        {
            "device_id": "1",
            "cudnn_conv_algo_search": "EXHAUSTIVE",
            "gpu_mem_limit": "8589934592",
            "prefer_nhwc": "1",
            "use_tf32": "0",
        }
    ]


def test_each_commit_makes_options_of_its_own(cuda, fake):
    builder = SessionBuilder().with_cuda()
    commit(builder)
    commit(builder)
    assert cuda.appended == [OPTIONS, OPTIONS]
    assert fake.calls.count("CreateCUDAProviderOptions") == 2


@pytest.mark.parametrize(
    "name", ["UpdateCUDAProviderOptions", "SessionOptionsAppendExecutionProvider_CUDA_V2"]
)
def test_a_provider_that_does_not_load_is_reported_and_its_options_released(cuda, fake, name):
    fake.fail = lambda called: called == name
    with pytest.raises(ortffi.FailError) as caught:
        commit(SessionBuilder().with_cuda())
    assert caught.value.function == name
    assert "CreateSessionFromArray" not in fake.calls
    assert not fake.outstanding


@pytest.mark.parametrize(("device_id", "error"), [(-1, ValueError), ("0", TypeError)])
@pytest.mark.usefixtures("cuda")
def test_a_device_id_is_a_natural_number(device_id, error):
    with pytest.raises(error, match="device_id"):
        SessionBuilder().with_cuda(device_id)


@pytest.mark.usefixtures("cuda")
def test_an_option_that_c_would_cut_is_refused():
    with pytest.raises(ValueError, match="gpu_mem_limit"):
        SessionBuilder().with_cuda(gpu_mem_limit="1\0000")
