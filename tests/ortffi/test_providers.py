"""Execution providers: their options, which there are, and which of them work here."""

import ctypes
import dataclasses
import pickle

import onnx
import pytest
from ortffi._api import new
from ortffi.errors import UnsupportedError
from ortffi.providers import CPU, CUDA, ExecutionProvider, Provider, TensorRT, available_providers
from ortffi.trial import try_provider, usable_providers

import ortffi
from ortffi import providers, trial

CPU_NAME = "CPUExecutionProvider"


def settings(provider):
    """What ONNX Runtime is told."""
    return dict(provider._settings)


def append(provider):
    """Append a provider to session options, which then go."""
    environment = ortffi.init()
    options = new(environment.api.CreateSessionOptions)
    try:
        provider.append(environment, options)
    finally:
        environment.api.ReleaseSessionOptions(options)


# What works


def test_the_cpu_is_always_there_and_works():
    assert CPU_NAME in available_providers()
    assert CPU_NAME in usable_providers()


def test_what_works_was_compiled_in_or_registered():
    assert set(usable_providers()) <= {*available_providers(), *trial._plug_ins()}


@pytest.mark.parametrize("provider", ["CPU", "cpu", CPU_NAME, CPU()])
def test_a_provider_is_tried_by_name_or_by_object(provider):
    try_provider(provider)


@pytest.mark.parametrize("provider", ["CUDA", "TensorRT", CUDA(), TensorRT(), "XNNPACK", "Nonsense"])
def test_a_provider_that_was_not_compiled_in_is_named_with_the_library(provider, library):
    name = provider if isinstance(provider, str) else provider.name.removesuffix("ExecutionProvider")
    if any(name.casefold() in available.casefold() for available in available_providers()):
        pytest.skip(f"this library has {name}; point ONNXRUNTIME_DIR at one without")
    with pytest.raises(ortffi.ProviderUnavailableError, match=f"(?i)without {name}") as caught:
        try_provider(provider)
    assert str(library.path) in str(caught.value)
    assert CPU_NAME in str(caught.value)


@pytest.mark.parametrize("provider", [None, b"CPU", CPU, 1])
def test_what_is_no_provider_is_refused(provider):
    with pytest.raises(TypeError, match="provider"):
        try_provider(provider)


def test_the_trial_model_is_a_valid_model_of_one_node():
    model = onnx.load_from_string(trial._MODEL)
    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node] == ["Identity"]
    assert (model.ir_version, model.opset_import[0].version) == (7, 13)


def test_a_trial_prints_nothing(run_python):
    script = "import ortffi; ortffi.try_provider('CPU')"
    result = run_python(script)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


# A provider that is compiled in and does not work


@pytest.fixture
def broken(fake, use):
    """A library that was built with a provider which does not load; nothing may leak."""
    use(fake.environment())
    yield fake
    assert not fake.outstanding
    assert not fake.mistakes


@pytest.mark.parametrize("function", ["CreateSessionOptions", "SetIntraOpNumThreads", "CreateSessionFromArray"])
def test_a_failed_trial_says_why_and_leaves_nothing_behind(broken, function):
    broken.fail = lambda called: called == function
    with pytest.raises(ortffi.ProviderUnavailableError) as caught:
        try_provider("CPU")
    assert str(caught.value) == f"{CPU_NAME} cannot be used here: injected into {function}"
    assert isinstance(caught.value.__cause__, ortffi.OrtError)


def test_what_does_not_work_is_not_usable(broken):
    assert CPU_NAME in usable_providers()
    broken.fail = lambda called: called == "CreateSessionFromArray"
    assert usable_providers() == []


def test_the_place_in_onnx_runtimes_source_is_left_out_of_the_reason(broken):
    words = "/src/bridge.cc:7 Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load libx.so\n"
    broken.replace["CreateSessionFromArray"] = lambda *_: broken.status(1, words)
    with pytest.raises(ortffi.ProviderUnavailableError, match=r"here: Failed to load libx\.so$"):
        try_provider("CPU")


def test_every_trial_releases_what_it_made(broken):
    for _ in range(3):
        usable_providers()
    assert broken.calls.count("CreateSessionFromArray") >= 3


# Names


@pytest.mark.parametrize(
    ("given", "name", "c_name"),
    [
        ("XNNPACK", "XnnpackExecutionProvider", "XNNPACK"),
        ("XnnpackExecutionProvider", "XnnpackExecutionProvider", "XNNPACK"),
        ("xnnpack", "XnnpackExecutionProvider", "XNNPACK"),
        ("CoreML", "CoreMLExecutionProvider", "CoreML"),
        ("QNNExecutionProvider", "QNNExecutionProvider", "QNN"),
        ("openvino", "OpenVINOExecutionProvider", "OpenVINO"),
        ("DirectML", "DmlExecutionProvider", "DML"),
        ("Future", "FutureExecutionProvider", "Future"),
        ("FutureExecutionProvider", "FutureExecutionProvider", "FutureExecutionProvider"),
    ],
)
def test_a_provider_may_be_named_either_way(given, name, c_name):
    assert Provider(given).name == name
    assert Provider(given)._c_name == c_name


@pytest.mark.parametrize(
    ("name", "instead"), [("CUDA", "CUDA"), ("TensorrtExecutionProvider", "TensorRT"), ("cpu", "CPU")]
)
def test_a_provider_with_a_class_of_its_own_is_sent_there(name, instead):
    with pytest.raises(ValueError, match=rf"use {instead}\("):
        Provider(name)


@pytest.mark.parametrize(("name", "error"), [("", ValueError), ("XNN\0PACK", ValueError), (None, TypeError)])
def test_a_name_is_a_string_with_something_in_it(name, error):
    with pytest.raises(error, match="name"):
        Provider(name)


def test_the_names_are_those_that_the_library_knows(library):
    if library.api_version < 31:
        pytest.skip("older versions know fewer; point ONNXRUNTIME_DIR at 1.31")
    unknown = []
    for name in providers._C_NAMES:
        try:
            append(Provider(name))
        except ortffi.OrtError as error:
            if "not supported in this build" not in error.message:
                unknown.append((name, error.message))
    assert not unknown


def test_a_name_that_the_library_does_not_know_is_reported(library):
    if library.api_version < 12:
        pytest.skip("needs ONNX Runtime 1.12; point ONNXRUNTIME_DIR at one")
    with pytest.raises(ortffi.InvalidArgumentError, match="Unknown provider name"):
        append(Provider("Nonsense"))


def test_an_older_library_is_not_asked_for_a_provider_by_name(fake, use):
    old = fake.environment(11)
    use(old)
    for call in (append, lambda provider: provider.append(old, 0)):
        with pytest.raises(UnsupportedError, match=r"1\.12"):
            call(Provider("XNNPACK"))
    assert not fake.outstanding


def test_name_and_options_reach_the_library(broken, library):
    if library.api_version < 12:
        pytest.skip("needs ONNX Runtime 1.12; point ONNXRUNTIME_DIR at one")
    told = []

    def note(_options, name, keys, values, count):
        array = ctypes.c_char_p * count
        told.append((name, list(array.from_address(keys)), list(array.from_address(values))))

    broken.replace["SessionOptionsAppendExecutionProvider"] = note
    append(Provider("XnnpackExecutionProvider", {"threads": 3, "fast": True, "scale": 0.5}))
    assert told == [(b"XNNPACK", [b"threads", b"fast", b"scale"], [b"3", b"1", b"0.5"])]


# Options


def test_cuda_searches_convolutions_by_heuristic_unless_told_otherwise():
    assert settings(CUDA()) == {"device_id": "0", "cudnn_conv_algo_search": "HEURISTIC"}
    other = CUDA(1, {"cudnn_conv_algo_search": "DEFAULT"})
    assert settings(other) == {"device_id": "1", "cudnn_conv_algo_search": "DEFAULT"}


def test_tensorrt_has_no_options_of_its_own_accord():
    assert settings(TensorRT(2)) == {"device_id": "2"}


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("gpu_mem_limit", 2**33, "8589934592"),
        ("gpu_mem_limit", "8589934592", "8589934592"),
        ("gpu_mem_limit", 2e9, "2000000000"),
        ("gpu_mem_limit", 2**64 - 1, str(2**64 - 1)),
        ("prefer_nhwc", True, "1"),
        ("use_tf32", False, "0"),
        ("use_tf32", 0, "0"),
        ("use_tf32", "True", "1"),
        ("use_tf32", "false", "0"),
        ("arena_extend_strategy", "kSameAsRequested", "kSameAsRequested"),
        ("sdpa_kernel", 0, "0"),
    ],
)
def test_a_value_is_given_in_onnx_runtimes_spelling(key, value, text):
    assert settings(CUDA(options={key: value}))[key] == text


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"gpu_mem_limit": -1}, ValueError, "between 1 and"),
        ({"gpu_mem_limit": 0}, ValueError, "between 1 and"),
        ({"gpu_mem_limit": 2**64}, ValueError, "between 1 and"),
        ({"gpu_mem_limit": "8 GB"}, ValueError, "gpu_mem_limit must be a whole number"),
        ({"gpu_mem_limit": 1.5}, ValueError, "whole number"),
        ({"gpu_mem_limit": float("inf")}, ValueError, "finite"),
        ({"gpu_mem_limit": True}, ValueError, "whole number"),
        ({"gpu_mem_limit": None}, TypeError, "NoneType"),
        ({"gpu_mem_limit": "1\x000"}, ValueError, "NUL"),
        ({"use_tf32": 2}, ValueError, "True or False"),
        ({"use_tf32": "yes"}, ValueError, "True or False"),
        ({"use_tf32": ""}, ValueError, "True or False"),
        ({"arena_extend_strategy": "ksameasrequested"}, ValueError, "kSameAsRequested"),
        ({"arena_extend_strategy": 1}, ValueError, "kSameAsRequested"),
        ({"cudnn_conv_algo_search": "FAST"}, ValueError, "EXHAUSTIVE, HEURISTIC, DEFAULT"),
        ({"gpu_memory_limit": 1}, ValueError, "did you mean gpu_mem_limit"),
        ({"cudnn_algo_search": "DEFAULT"}, ValueError, "did you mean cudnn_conv_algo_search"),
        ({"zzz": 1}, ValueError, "it has arena_extend_strategy, .*unchecked_options"),
        ({"device_id": 1}, ValueError, "argument of CUDA"),
        ({"": 1}, ValueError, "empty"),
        ({"use_tf32\0": 1}, ValueError, "NUL"),
        ({1: 1}, TypeError, "key must be a str"),
        ([("use_tf32", 1)], TypeError, "mapping"),
        ("use_tf32", TypeError, "mapping"),
    ],
)
def test_a_mistake_in_options_is_found_before_the_library_is_asked(options, error, match):
    with pytest.raises(error, match=match):
        CUDA(options=options)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"trt_fp16": True}, "did you mean trt_fp16_enable"),
        ({"trt_builder_optimization_level": 6}, "between 0 and 5"),
        ({"trt_auxiliary_streams": -2}, "between -1 and"),
        ({"trt_engine_cache_path": "a\0b"}, "NUL"),
        ({"use_tf32": True}, "TensorRT has no option"),
    ],
)
def test_mistakes_in_tensorrts_options_are_found_too(options, match):
    with pytest.raises(ValueError, match=match):
        TensorRT(options=options)


@pytest.mark.parametrize("kind", [CUDA, TensorRT])
def test_what_only_a_newer_library_knows_is_passed_on_unchecked(kind):
    provider = kind(unchecked_options={"new_key": 7, "newer_key": True})
    assert settings(provider)["new_key"] == "7"
    assert settings(provider)["newer_key"] == "1"
    with pytest.raises(ValueError, match="device_id"):
        kind(unchecked_options={"device_id": 1})
    with pytest.raises(TypeError, match="new_key"):
        kind(unchecked_options={"new_key": None})


def test_an_unchecked_option_may_have_a_value_that_ortffi_does_not_know():
    provider = CUDA(unchecked_options={"cudnn_conv_algo_search": "NEWEST"})
    assert settings(provider)["cudnn_conv_algo_search"] == "NEWEST"
    with pytest.raises(ValueError, match="twice"):
        CUDA(options={"use_tf32": 1}, unchecked_options={"use_tf32": 1})


@pytest.mark.parametrize("kind", [CUDA, TensorRT])
@pytest.mark.parametrize(
    ("device_id", "error"),
    [(-1, ValueError), (2**31, ValueError), ("0", TypeError), (True, TypeError), (0.0, TypeError)],
)
def test_a_device_id_is_a_natural_number(kind, device_id, error):
    with pytest.raises(error, match="device_id"):
        kind(device_id)


def test_what_cuda_is_required_to_do_is_checked():
    assert CUDA(require=True, max_cpu_nodes=0).max_cpu_nodes == 0
    for arguments, error in (
        ({"require": 1}, TypeError),
        ({"max_cpu_nodes": -1}, ValueError),
        ({"max_cpu_nodes": 1.0}, TypeError),
        ({"max_cpu_nodes": False}, TypeError),
    ):
        with pytest.raises(error, match=next(iter(arguments))):
            CUDA(**arguments)


@pytest.mark.parametrize("value", [None, [], 1j, b"1"])
def test_an_option_of_any_provider_is_something_that_has_a_spelling(value):
    with pytest.raises(TypeError, match="key"):
        Provider("XNNPACK", {"key": value})
    with pytest.raises(ValueError, match="finite"):
        Provider("XNNPACK", {"key": float("nan")})


# Objects


ALL = [
    CPU(),
    CUDA(1, {"use_tf32": True}, require=True, unchecked_options={"x": 1}),
    TensorRT(1, {"trt_fp16_enable": True}),
    Provider("XNNPACK", {"threads": 2}),
]


@pytest.mark.parametrize("provider", ALL)
def test_a_provider_is_a_value(provider):
    assert isinstance(provider, ExecutionProvider)
    copy = pickle.loads(pickle.dumps(provider))
    assert (copy, hash(copy)) == (provider, hash(provider))
    assert dataclasses.replace(provider) == provider
    assert eval(repr(provider), vars(providers)) == provider
    with pytest.raises(dataclasses.FrozenInstanceError):
        provider.name = "other"


def test_different_options_make_different_providers():
    assert CUDA(options={"use_tf32": True}) != CUDA(options={"use_tf32": False})
    assert CUDA() != CUDA(1)
    assert CUDA() != TensorRT()


def test_options_changed_later_do_not_reach_the_library():
    options = {"use_tf32": True}
    provider = CUDA(options=options)
    options["use_tf32"] = "nonsense"
    provider.options["prefer_nhwc"] = "nonsense"
    assert settings(provider)["use_tf32"] == "1"
    assert "prefer_nhwc" not in settings(provider)


def test_the_names_are_those_of_onnx_runtime():
    assert [provider.name for provider in ALL] == [
        "CPUExecutionProvider",
        "CUDAExecutionProvider",
        "TensorrtExecutionProvider",
        "XnnpackExecutionProvider",
    ]
