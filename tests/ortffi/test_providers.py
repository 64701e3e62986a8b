"""Execution providers: their options, which there are, and which of them work here."""

import ctypes
import dataclasses
import pickle
import re
from functools import partial

import onnx
import pytest

import ortffi
from ortffi import providers, trial
from ortffi._api import new
from ortffi.errors import UnsupportedError
from ortffi.providers import CPU, CUDA, ExecutionProvider, Provider, TensorRT, available_providers
from ortffi.trial import try_provider, usable_providers

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


def test_the_cpu_is_always_there_and_works():
    assert CPU_NAME in available_providers()
    assert CPU_NAME in usable_providers()
    assert set(usable_providers()) <= {*available_providers(), *trial._plug_ins()}


def test_a_provider_is_tried_by_name_or_by_object_and_prints_nothing(run_python):
    for provider in ("CPU", "cpu", CPU_NAME, CPU()):
        try_provider(provider)
    result = run_python("import ortffi; ortffi.try_provider('CPU')")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("provider", ["CUDA", "TensorRT", CUDA(), TensorRT(), "XNNPACK", "Nonsense"])
def test_a_provider_that_was_not_compiled_in_is_named_with_the_library(provider, library):
    name = provider if isinstance(provider, str) else provider.name.removesuffix("ExecutionProvider")
    if any(name.casefold() in available.casefold() for available in available_providers()):
        pytest.skip(f"this library has {name}; point ONNXRUNTIME_DIR at one without")
    with pytest.raises(ortffi.ProviderUnavailableError, match=f"(?i)without {name}") as caught:
        try_provider(provider)
    assert str(library.path) in str(caught.value)
    assert CPU_NAME in str(caught.value)


def test_the_trial_model_is_a_valid_model_of_one_node():
    model = onnx.load_from_string(trial._MODEL)
    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node] == ["Identity"]
    assert (model.ir_version, model.opset_import[0].version) == (7, 13)


def test_a_failed_trial_says_why_and_leaves_nothing_behind(watched):
    assert CPU_NAME in usable_providers()
    for function in ("CreateSessionOptions", "SetIntraOpNumThreads", "CreateSessionFromArray"):
        watched.fail = lambda called, function=function: called == function
        with pytest.raises(ortffi.ProviderUnavailableError) as caught:
            try_provider("CPU")
        assert str(caught.value) == f"{CPU_NAME} cannot be used here: injected into {function}"
        assert isinstance(caught.value.__cause__, ortffi.OrtError)
    assert usable_providers() == []


def test_the_place_in_onnx_runtimes_source_is_left_out_of_the_reason(watched):
    words = "/src/bridge.cc:7 Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load libx.so\n"
    watched.replace["CreateSessionFromArray"] = lambda *_: watched.status(1, words)
    with pytest.raises(ortffi.ProviderUnavailableError, match=r"here: Failed to load libx\.so$"):
        try_provider("CPU")


def test_a_provider_may_be_named_either_way():
    names = [
        ("XNNPACK", "XnnpackExecutionProvider", "XNNPACK"),
        ("XnnpackExecutionProvider", "XnnpackExecutionProvider", "XNNPACK"),
        ("xnnpack", "XnnpackExecutionProvider", "XNNPACK"),
        ("CoreML", "CoreMLExecutionProvider", "CoreML"),
        ("QNNExecutionProvider", "QNNExecutionProvider", "QNN"),
        ("openvino", "OpenVINOExecutionProvider", "OpenVINO"),
        ("DirectML", "DmlExecutionProvider", "DML"),
        ("Future", "FutureExecutionProvider", "Future"),
        ("FutureExecutionProvider", "FutureExecutionProvider", "FutureExecutionProvider"),
    ]
    assert [(given, Provider(given).name, Provider(given)._c_name) for given, _, _ in names] == names
    for name, instead in (("CUDA", "CUDA"), ("TensorrtExecutionProvider", "TensorRT"), ("cpu", "CPU")):
        with pytest.raises(ValueError, match=rf"use {instead}\("):
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
    with pytest.raises(ortffi.InvalidArgumentError, match="Unknown provider name"):
        append(Provider("Nonsense"))


def test_an_older_library_is_not_asked_for_a_provider_by_name(watched, use):
    old = watched.environment(11)
    use(old)
    for call in (append, lambda provider: provider.append(old, 0)):
        with pytest.raises(UnsupportedError, match=r"1\.12"):
            call(Provider("XNNPACK"))


def test_name_and_options_reach_the_library(watched, library):
    if library.api_version < 12:
        pytest.skip("needs ONNX Runtime 1.12; point ONNXRUNTIME_DIR at one")
    told = []

    def note(_options, name, keys, values, count):
        array = ctypes.c_char_p * count
        told.append((name, list(array.from_address(keys)), list(array.from_address(values))))

    watched.replace["SessionOptionsAppendExecutionProvider"] = note
    append(Provider("XnnpackExecutionProvider", {"threads": 3, "fast": True, "scale": 0.5}))
    assert told == [(b"XNNPACK", [b"threads", b"fast", b"scale"], [b"3", b"1", b"0.5"])]


def test_cuda_searches_convolutions_by_heuristic_unless_told_otherwise():
    assert settings(CUDA()) == {"device_id": "0", "cudnn_conv_algo_search": "HEURISTIC"}
    other = CUDA(1, {"cudnn_conv_algo_search": "DEFAULT"})
    assert settings(other) == {"device_id": "1", "cudnn_conv_algo_search": "DEFAULT"}
    assert settings(TensorRT(2)) == {"device_id": "2"}


def test_a_value_is_given_in_onnx_runtimes_spelling():
    spelled = [
        ("gpu_mem_limit", 2**33, "8589934592"), ("gpu_mem_limit", "8589934592", "8589934592"),
        ("gpu_mem_limit", 2e9, "2000000000"), ("gpu_mem_limit", 2**64 - 1, str(2**64 - 1)), ("prefer_nhwc", True, "1"),
        ("use_tf32", False, "0"), ("use_tf32", 0, "0"), ("use_tf32", "True", "1"), ("use_tf32", "false", "0"),
        ("arena_extend_strategy", "kSameAsRequested", "kSameAsRequested"), ("sdpa_kernel", 0, "0"),
    ]  # fmt: skip
    assert [(key, value, settings(CUDA(options={key: value}))[key]) for key, value, _ in spelled] == spelled


XNNPACK = partial(Provider, "XNNPACK")
MISTAKES = [
    (CUDA, {"gpu_mem_limit": -1}, ValueError, "between 1 and"),
    (CUDA, {"gpu_mem_limit": 0}, ValueError, "between 1 and"),
    (CUDA, {"gpu_mem_limit": 2**64}, ValueError, "between 1 and"),
    (CUDA, {"gpu_mem_limit": "8 GB"}, ValueError, "gpu_mem_limit must be a whole number"),
    (CUDA, {"gpu_mem_limit": 1.5}, ValueError, "whole number"),
    (CUDA, {"gpu_mem_limit": float("inf")}, ValueError, "finite"),
    (CUDA, {"gpu_mem_limit": True}, ValueError, "whole number"),
    (CUDA, {"gpu_mem_limit": None}, TypeError, "NoneType"),
    (CUDA, {"gpu_mem_limit": "1\x000"}, ValueError, "NUL"),
    (CUDA, {"use_tf32": 2}, ValueError, "True or False"),
    (CUDA, {"use_tf32": "yes"}, ValueError, "True or False"),
    (CUDA, {"use_tf32": ""}, ValueError, "True or False"),
    (CUDA, {"arena_extend_strategy": "ksameasrequested"}, ValueError, "kSameAsRequested"),
    (CUDA, {"arena_extend_strategy": 1}, ValueError, "kSameAsRequested"),
    (CUDA, {"cudnn_conv_algo_search": "FAST"}, ValueError, "EXHAUSTIVE, HEURISTIC, DEFAULT"),
    (CUDA, {"gpu_memory_limit": 1}, ValueError, "did you mean gpu_mem_limit"),
    (CUDA, {"cudnn_algo_search": "DEFAULT"}, ValueError, "did you mean cudnn_conv_algo_search"),
    (CUDA, {"zzz": 1}, ValueError, "it has arena_extend_strategy, .*unchecked_options"),
    (CUDA, {"device_id": 1}, ValueError, "argument of CUDA"),
    (CUDA, [("use_tf32", 1)], TypeError, "mapping"),
    (TensorRT, {"trt_fp16": True}, ValueError, "did you mean trt_fp16_enable"),
    (TensorRT, {"trt_builder_optimization_level": 6}, ValueError, "between 0 and 5"),
    (TensorRT, {"trt_auxiliary_streams": -2}, ValueError, "between -1 and"),
    (TensorRT, {"trt_engine_cache_path": "a\0b"}, ValueError, "NUL"),
    (TensorRT, {"use_tf32": True}, ValueError, "TensorRT has no option"),
    (XNNPACK, {"key": []}, TypeError, "key"),
    (XNNPACK, {"key": 1j}, TypeError, "key"),
    (XNNPACK, {"key": b"1"}, TypeError, "key"),
    (XNNPACK, {"key": float("nan")}, ValueError, "finite"),
]


def test_a_mistake_in_options_is_found_before_the_library_is_asked():
    misses = []
    for kind, options, expected, words in MISTAKES:
        try:
            misses.append((options, kind(options=options)))
        except Exception as error:
            if type(error) is not expected or not re.search(words, str(error)):
                misses.append((options, error))
    assert not misses


@pytest.mark.parametrize("kind", [CUDA, TensorRT])
def test_what_only_a_newer_library_knows_is_passed_on_unchecked(kind):
    new_options = {"new_key": 7, "newer_key": True, "cudnn_conv_algo_search": "NEWEST"}
    expected = {"new_key": "7", "newer_key": "1", "cudnn_conv_algo_search": "NEWEST"}
    assert settings(kind(unchecked_options=new_options)).items() >= expected.items()
    with pytest.raises(ValueError, match="device_id"):
        kind(unchecked_options={"device_id": 1})
    with pytest.raises(TypeError, match="new_key"):
        kind(unchecked_options={"new_key": None})
    with pytest.raises(ValueError, match="twice"):
        CUDA(options={"use_tf32": 1}, unchecked_options={"use_tf32": 1})


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
    assert len({CUDA(), CUDA(1), TensorRT()}) == 3
    names = ["CPU", "CUDA", "Tensorrt", "Xnnpack"]
    assert [provider.name for provider in ALL] == [f"{name}ExecutionProvider" for name in names]


def test_options_changed_later_do_not_reach_the_library():
    options = {"use_tf32": True}
    provider = CUDA(options=options)
    options["use_tf32"] = "nonsense"
    provider.options["prefer_nhwc"] = "nonsense"
    assert settings(provider)["use_tf32"] == "1"
    assert "prefer_nhwc" not in settings(provider)
