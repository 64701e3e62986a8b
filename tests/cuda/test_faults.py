"""What goes wrong where CUDA does not work reaches the user, with the reason.

ONNX Runtime's words are measured with the libraries of onnxruntime-gpu 1.31.1 on a machine without a
GPU, or come from reports to microsoft/onnxruntime (the number is given) and other projects; names of
nodes and hosts in them are made up.
"""

import json
import re
from collections import namedtuple

import pytest

from ortffi._api import ErrorCode
from tests.cuda.gpu_models import N_TOKENS, run_model
from tests.cuda.stub import Refusal

Fault = namedtuple("Fault", ["reason", "explained", "refusals"])
"""A part of ONNX Runtime's text; a pattern of what the service says instead, with what to do (the rest
depends on the machine); and the functions that fail."""

SOURCES = "/onnxruntime_src/onnxruntime/core"
OLD_DRIVER = "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version"
UPDATE = "driver .*(update|use a build)"
NO_KERNELS = "has no kernels for this GPU.*: use a build for "
CUDA_CALL = (
    "/providers/cuda/cuda_call.cc:{} std::conditional_t<THRW, void, onnxruntime::common::Status> onnxruntime::CudaCall("
    "ERRTYPE, const char*, const char*, SUCCTYPE, const char*, const char*, int) [with ERRTYPE = cudaError; "
    "bool THRW = true; SUCCTYPE = cudaError; std::conditional_t<THRW, void, common::Status> = void] "
)


def refused_in(functions, text, code=ErrorCode.FAIL):
    return [Refusal(function, text, code) for function in functions]


def missing_library(name, explained):
    """A library that the provider needs is not there. Measured, with libcublasLt.so.13."""
    reason = (
        "Failed to load library libonnxruntime_providers_cuda.so with error: "
        f"{name}: cannot open shared object file: No such file or directory"
    )
    text = (
        f"{SOURCES}/session/provider_bridge_ort.cc:2043 onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() "
        f"[ONNXRuntimeError] : 1 : FAIL : {reason}\n"
    )
    append = "SessionOptionsAppendExecutionProvider_CUDA_V2"
    shorter = "OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library"
    return Fault(reason, explained, [Refusal("UpdateCUDAProviderOptions", text), Refusal(append, shorter)])


def in_node(message, explained, code=ErrorCode.FAIL):
    """A kernel fails; ONNX Runtime names the node."""
    text = f"Non-zero status code returned while running Conv node. Name:'/encoder/Conv' Status Message: {message}"
    return Fault(message.split(" ; GPU")[0], explained, refused_in(("Run", "RunWithBinding"), text, code))


EARLY = {
    "no cuDNN": missing_library("libcudnn.so.9", "this ONNX Runtime needs cuDNN 9.*: "),  # 25609
    "no driver": missing_library("libcuda.so.1", r"the NVIDIA driver is missing.*: .*--runtime nvidia"),
    # Measured.
    "no GPU": Fault(
        OLD_DRIVER,
        UPDATE,
        refused_in(
            ["UpdateCUDAProviderOptions"],
            f"{SOURCES}/providers/cuda/cuda_execution_provider_info.cc:63 static "
            "onnxruntime::CUDAExecutionProviderInfo onnxruntime::CUDAExecutionProviderInfo::FromProviderOptions("
            "const onnxruntime::ProviderOptions&) [ONNXRuntimeError] : 1 : FAIL : provider_options_utils.h:187 Parse "
            f'Failed to parse provider option "device_id": {OLD_DRIVER} ; GPU=-1 ; hostname=jetson ; file={SOURCES}'
            "/providers/cuda/cuda_execution_provider_info.cc ; line=70 ; expr=cudaGetDeviceCount(&num_devices); \n",
        ),
    ),
    # onnxruntime/mobius 316: with libraries that look for the GPU only then.
    "old driver": Fault(
        OLD_DRIVER,
        UPDATE,
        refused_in(
            ["CreateSession", "CreateSessionFromArray"],
            f"{SOURCES}{CUDA_CALL.format(122)}{SOURCES}{CUDA_CALL.format(114)}{OLD_DRIVER} ; GPU=-1 ; "
            f"hostname=jetson ; file={SOURCES}/providers/cuda/cuda_execution_provider.cc ; line=336 ; "
            "expr=cudaSetDevice(info_.device_id); ",
            ErrorCode.RUNTIME_EXCEPTION,
        ),
    ),
}
LATE = {
    # 22441, 26181, 27725.
    "no kernels for this GPU": in_node(
        "CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for execution on the device",
        NO_KERNELS,
    ),
    # The same where the code itself is checked; the report has no more of it than this.
    "no kernels for this GPU, by number": in_node(
        "CUDA failure 209: no kernel image is available for execution on the device", NO_KERNELS
    ),
    # Comfy-Org/ComfyUI 6102.
    "parts of two cuDNN versions": in_node(
        f"CUDNN failure 1002: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH ; GPU=0 ; hostname=jetson ; file={SOURCES}"
        "/providers/cuda/cudnn_common.cc ; line=31 ; expr=cudnnCreateTensorDescriptor(&tensor_); ",
        "the parts of cuDNN have different versions.*: check that LD_LIBRARY_PATH ",
    ),
    # 22702, 16307.
    "no memory for a run": in_node(
        f"{SOURCES}/framework/bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, "
        "onnxruntime::Stream*, bool, onnxruntime::WaitNotificationFn) Failed to allocate memory for requested buffer "
        "of size 939524096",
        "too little GPU memory, 896 MiB were requested.*: .* lower memory_budget_bytes",
        ErrorCode.RUNTIME_EXCEPTION,
    ),
    # Reports have no more of it than this.
    "more than gpu_mem_limit": in_node(
        "BFCArena::AllocateRawInternal Available memory of 34699008 is smaller than requested bytes of 945041920",
        "the limit of GPU memory is reached, with 33 MiB left and 901 MiB needed: raise ",
        ErrorCode.RUNTIME_EXCEPTION,
    ),
}
"""By what is wrong with the machine; of the late ones sessions are made, and only their runs fail."""
TRY = """
import ortffi
try:
    ortffi.try_provider("cuda")
except ortffi.ProviderUnavailableError as error:
    print(error)
else:
    print("usable")
print(*ortffi.usable_providers(), sep=",")
"""


def faults(some):
    return pytest.mark.parametrize("fault", some.values(), ids=some)


@faults(EARLY)
def test_trying_the_provider_gives_the_reason_in_one_line(stub, fault):
    stub.build_with("CUDAExecutionProvider").refuse(*fault.refusals)
    reason, usable = stub.python(TRY).splitlines()
    assert reason.startswith("CUDAExecutionProvider cannot be used here: ")
    assert fault.reason in reason
    assert "CUDAExecutionProvider" not in usable.split(",")
    assert "CPUExecutionProvider" in usable.split(",")
    # Both times; and nothing is left behind.
    assert len([call for call in stub.calls if call.refused]) == 2
    for verb in ("Create", "Release"):
        assert len(stub.named(f"{verb}CUDAProviderOptions")) == 2


@faults(LATE)
def test_what_only_a_run_meets_is_the_runs_error(stub, kokoro, fault):
    stub.refuse(*fault.refusals)
    reason, usable = stub.python(TRY).splitlines()
    assert reason == "usable"
    assert "CUDAExecutionProvider" in usable
    for bound in (False, True):
        error, outputs = run_model(stub, kokoro, {}, bound=bound)
        assert fault.reason in error
        assert outputs == []


def test_on_the_cpu_all_of_it_does_not_matter(stub, kokoro):
    stub.refuse(*(refusal for fault in (EARLY | LATE).values() for refusal in fault.refusals))
    error, (samples, durations) = run_model(stub, kokoro)
    assert error is None
    assert len(durations) == N_TOKENS
    assert len(samples) == 600 * sum(durations) > 0


def on_cuda(kokoro, tmp_path):
    return ("--provider", "cuda", "--model", str(kokoro), "--cache-dir", str(tmp_path / "cache"))


@faults(EARLY)
def test_doctor_gives_cause_and_cure_in_one_line(stub, kokoro, tmp_path, fault):
    done = stub.refuse(*fault.refusals).service("doctor", *on_cuda(kokoro, tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line[5:].startswith("provider cuda "))
    assert line.startswith("FAIL")
    assert re.search(fault.explained, line), line
    assert "Traceback" not in done.stderr


@faults(LATE)
def test_doctor_gives_cause_and_cure_as_json(stub, kokoro, tmp_path, fault):
    done = stub.refuse(*fault.refusals).service("doctor", "--json", *on_cuda(kokoro, tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    failed = [finding["detail"] for finding in json.loads(done.stdout) if finding["ok"] is False]
    assert [detail for detail in failed if re.search(fault.explained, detail)], failed


@pytest.mark.parametrize("fault", [EARLY["no cuDNN"], LATE["no kernels for this GPU"]], ids=["early", "late"])
@pytest.mark.parametrize("command", ["say Hello. -o hello.wav", "serve --port 0"])
def test_nothing_is_spoken_or_served_where_cuda_was_asked_for_in_vain(
    stub, kokoro, tmp_path, monkeypatch, command, fault
):
    """One fault of each kind; `doctor` is asked about all."""
    monkeypatch.chdir(tmp_path)
    done = stub.refuse(*fault.refusals).service(*command.split(), *on_cuda(kokoro, tmp_path))
    complaint = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert complaint.startswith("kokoro-service: provider = cuda: ")
    assert re.search(fault.explained, complaint), complaint
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "hello.wav").exists()
