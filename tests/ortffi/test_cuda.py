"""CUDA and TensorRT: what a library built with them is told, and what happens when it refuses."""

import ctypes

import pytest

import ortffi
from ortffi import SessionBuilder
from ortffi._api import new
from ortffi._provider_options import CUDA_OPTIONS, TENSORRT_OPTIONS
from ortffi.providers import CUDA, TensorRT, available_providers
from ortffi.trial import try_provider, usable_providers
from tests.ortffi import tiny_models

PROVIDERS = [b"TensorrtExecutionProvider", b"CUDAExecutionProvider", b"CPUExecutionProvider"]
OPTIONS = 0x1000
"""Stands for an `OrtCUDAProviderOptionsV2*`, which nothing dereferences."""


class Nvidia:
    """What a library built with CUDA and TensorRT was told.

    Attributes:
        settings: the options of each call of `Update...ProviderOptions`.
        appended: the options of each call of the append function.
    """

    def __init__(self, fake):
        self.settings, self.appended = [], []
        self._names = (ctypes.c_char_p * len(PROVIDERS))(*PROVIDERS)
        fake.replace |= {
            "GetAvailableProviders": self.get_available,
            "ReleaseAvailableProviders": lambda _names, _count: None,
        }
        for kind in ("CUDA", "TensorRT"):
            fake.replace |= {
                f"Create{kind}ProviderOptions": self.create,
                f"Update{kind}ProviderOptions": self.update,
                f"SessionOptionsAppendExecutionProvider_{kind}_V2": self.append,
                f"Release{kind}ProviderOptions": lambda _options: None,
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

    def append(self, _session_options, own_options):
        self.appended.append(own_options)


@pytest.fixture
def nvidia(fake, use):
    use(fake.environment())
    yield Nvidia(fake)
    fake.check()


def commit(builder):
    builder.commit_from_memory(tiny_models.identity()).close()


def test_a_build_without_cuda_is_refused_with_its_path(library):
    if "CUDAExecutionProvider" in available_providers():
        pytest.skip("this library has CUDA; point ONNXRUNTIME_DIR at one without")
    with pytest.raises(ortffi.ProviderUnavailableError, match="CUDA") as caught:
        SessionBuilder().with_cuda()
    assert str(library.path) in str(caught.value)
    assert "CPUExecutionProvider" in str(caught.value)


@pytest.mark.parametrize("provider", [CUDA(), TensorRT()])
def test_a_build_without_it_says_so_itself_where_it_is_not_checked_first(provider):
    if provider.name in available_providers():
        pytest.skip(f"this library has {provider.name}; point ONNXRUNTIME_DIR at one without")
    environment = ortffi.init()
    options = new(environment.api.CreateSessionOptions)
    try:
        with pytest.raises(ortffi.FailError, match="not enabled in this build"):
            provider.append(environment, options)
    finally:
        environment.api.ReleaseSessionOptions(options)


def test_options_are_passed_on_at_each_commit_and_override_the_defaults(nvidia, fake):
    builder = SessionBuilder().with_cuda()
    commit(builder)
    commit(builder)
    assert nvidia.settings == [{"device_id": "0", "cudnn_conv_algo_search": "HEURISTIC"}] * 2
    assert nvidia.appended == [OPTIONS] * 2
    assert fake.calls.count("CreateCUDAProviderOptions") == 2  # each has its own
    chosen = {"cudnn_conv_algo_search": "EXHAUSTIVE", "gpu_mem_limit": 2**33, "prefer_nhwc": True, "use_tf32": False}
    commit(SessionBuilder().with_cuda(1, **chosen))
    assert nvidia.settings[-1] == {
        "device_id": "1", "cudnn_conv_algo_search": "EXHAUSTIVE", "gpu_mem_limit": "8589934592", "prefer_nhwc": "1",
        "use_tf32": "0",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["UpdateCUDAProviderOptions", "SessionOptionsAppendExecutionProvider_CUDA_V2"])
def test_a_provider_that_does_not_load_is_reported_and_its_options_released(nvidia, fake, name):
    with fake.failing(name), pytest.raises(ortffi.FailError) as caught:
        commit(SessionBuilder().with_cuda())
    assert caught.value.function == name
    assert "CreateSessionFromArray" not in fake.calls
    assert not nvidia.appended
    assert not fake.outstanding


def test_every_option_is_given_in_one_update(nvidia):
    """Each update sets what it is not given back to the default."""
    options = {"trt_fp16_enable": True, "trt_engine_cache_path": "/var/cache/é"}
    try_provider(TensorRT(1, options, unchecked_options={"trt_new": 1}))
    expected = {"device_id": "1", "trt_fp16_enable": "1", "trt_engine_cache_path": "/var/cache/é", "trt_new": "1"}
    assert (nvidia.settings, nvidia.appended) == ([expected], [OPTIONS])


@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize("kind", ["CUDA", "TensorRT"])
def test_what_loads_is_usable_and_what_does_not_leaves_nothing_behind(fake, kind):
    assert usable_providers()[:2] == ["TensorrtExecutionProvider", "CUDAExecutionProvider"]
    for name in ("Create{}ProviderOptions", "Update{}ProviderOptions", "SessionOptionsAppendExecutionProvider_{}_V2"):
        with fake.failing(name.format(kind)):
            with pytest.raises(ortffi.ProviderUnavailableError, match=f"here: injected into {name.format(kind)}$"):
                try_provider(kind)
            usable = usable_providers()
        assert [name for name in usable if kind.casefold() in name.casefold()] == []
        assert "CPUExecutionProvider" in usable
        assert not fake.outstanding


@pytest.mark.parametrize(("kind", "options"), [(CUDA, CUDA_OPTIONS), (TensorRT, TENSORRT_OPTIONS)])
def test_the_librarys_own_defaults_are_options_that_ortffi_knows(kind, options):
    """Where there is a build with CUDA, the tables are held against it."""
    environment = ortffi.init()
    api, what = environment.api, kind.__name__
    if kind().name not in available_providers():
        pytest.skip(f"needs a build with {what}; point ONNXRUNTIME_DIR at one")
    own = new(getattr(api, f"Create{what}ProviderOptions"))
    try:
        text = new(getattr(api, f"Get{what}ProviderOptionsAsString"), own, environment.allocator)
    except ortffi.OrtError as error:
        pytest.skip(f"the {what} library does not load here: {error.message}")
    finally:
        getattr(api, f"Release{what}ProviderOptions")(own)
    defaults = dict(pair.split("=", 1) for pair in environment.take_string(text).split(";"))
    assert defaults.pop("device_id") == "0"
    assert dict(kind(options=defaults)._settings) == {"device_id": "0", **defaults}
    assert set(defaults) <= set(options)
