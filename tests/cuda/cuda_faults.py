"""What ONNX Runtime says where CUDA cannot be used, word for word, and which function says it.

Measured: with the libraries of onnxruntime-gpu 1.31.1 on a machine without a GPU. The others are
from reports to microsoft/onnxruntime (the number is given) and other projects; names of nodes and
hosts in them are made up.
"""

from __future__ import annotations

from dataclasses import dataclass

from ortffi._api import ErrorCode
from tests.cuda.stub import Refusal

_APPEND = "SessionOptionsAppendExecutionProvider_CUDA_V2"
_IN_SESSION = ("CreateSession", "CreateSessionFromArray")
_IN_RUN = ("Run", "RunWithBinding")
_OLD_DRIVER = "driver .*(update|use a build)"
_NO_KERNELS = "has no kernels for this GPU.*: use a build for "
_CUDA_CALL = (
    "/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:{} "
    "std::conditional_t<THRW, void, onnxruntime::common::Status> onnxruntime::CudaCall(ERRTYPE, "
    "const char*, const char*, SUCCTYPE, const char*, const char*, int) [with ERRTYPE = cudaError; "
    "bool THRW = true; SUCCTYPE = cudaError; std::conditional_t<THRW, void, common::Status> = void]"
)


@dataclass(frozen=True)
class Fault:
    """A way in which CUDA does not work.

    Attributes:
        reason: the part of ONNX Runtime's text that says it.
        explained: pattern of what the service says instead, with what to do. The rest depends on
            the machine.
        refusals: the functions that fail.
        shows_in_run: whether sessions are made all the same, and only their runs fail.
    """

    reason: str
    explained: str
    refusals: tuple[Refusal, ...]
    shows_in_run: bool = False


def missing_library(name, explained):
    """A library that the provider needs is not there. Measured, with libcublasLt.so.13."""
    reason = (
        "Failed to load library libonnxruntime_providers_cuda.so with error: "
        f"{name}: cannot open shared object file: No such file or directory"
    )
    text = (
        "/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:2043 "
        "onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() "
        f"[ONNXRuntimeError] : 1 : FAIL : {reason}\n"
    )
    return Fault(
        reason,
        explained,
        (
            Refusal("UpdateCUDAProviderOptions", text),
            Refusal("GetCUDAProviderOptionsAsString", text),
            Refusal(_APPEND, "OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library"),
        ),
    )


def _in(functions, text, code):
    return tuple(Refusal(function, text, code) for function in functions)


def _in_node(message, explained, code=ErrorCode.FAIL):
    """A kernel fails; ONNX Runtime names the node."""
    text = f"Non-zero status code returned while running Conv node. Name:'/encoder/Conv' Status Message: {message}"
    reason = message.split(" ; GPU")[0]
    return Fault(reason, explained, _in(_IN_RUN, text, code), shows_in_run=True)


FAULTS = {
    "no cuDNN": missing_library("libcudnn.so.9", "this ONNX Runtime needs cuDNN 9.*: "),  # 25609
    "no driver": missing_library("libcuda.so.1", r"the NVIDIA driver is missing.*: .*--runtime nvidia"),
    # Measured.
    "no GPU": Fault(
        "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version",
        _OLD_DRIVER,
        (
            Refusal(
                "UpdateCUDAProviderOptions",
                "/onnxruntime_src/onnxruntime/core/providers/cuda/"
                "cuda_execution_provider_info.cc:63 static onnxruntime::CUDAExecutionProviderInfo "
                "onnxruntime::CUDAExecutionProviderInfo::FromProviderOptions("
                "const onnxruntime::ProviderOptions&) [ONNXRuntimeError] : 1 : FAIL : "
                'provider_options_utils.h:187 Parse Failed to parse provider option "device_id": '
                "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; "
                "GPU=-1 ; hostname=jetson ; file=/onnxruntime_src/onnxruntime/core/providers/"
                "cuda/cuda_execution_provider_info.cc ; line=70 ; "
                "expr=cudaGetDeviceCount(&num_devices); \n",
            ),
        ),
    ),
    # onnxruntime/mobius 316: with libraries that look for the GPU only then.
    "old driver": Fault(
        "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version",
        _OLD_DRIVER,
        _in(
            _IN_SESSION,
            f"{_CUDA_CALL.format(122)} {_CUDA_CALL.format(114)} CUDA failure 35: CUDA driver "
            "version is insufficient for CUDA runtime version ; GPU=-1 ; hostname=jetson ; "
            "file=/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_execution_provider.cc ; "
            "line=336 ; expr=cudaSetDevice(info_.device_id); ",
            ErrorCode.RUNTIME_EXCEPTION,
        ),
    ),
    # 22441, 26181, 27725.
    "no kernels for this GPU": _in_node(
        "CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for execution on the device",
        _NO_KERNELS,
    ),
    # The same where the code itself is checked; the report has no more of it than this.
    "no kernels for this GPU, by number": _in_node(
        "CUDA failure 209: no kernel image is available for execution on the device", _NO_KERNELS
    ),
    # Comfy-Org/ComfyUI 6102.
    "parts of two cuDNN versions": _in_node(
        "CUDNN failure 1002: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH ; GPU=0 ; hostname=jetson ; "
        "file=/onnxruntime_src/onnxruntime/core/providers/cuda/cudnn_common.cc ; line=31 ; "
        "expr=cudnnCreateTensorDescriptor(&tensor_); ",
        "the parts of cuDNN have different versions.*: check that LD_LIBRARY_PATH ",
    ),
    # 22702, 16307.
    "no memory for a run": _in_node(
        "/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 void* "
        "onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, onnxruntime::Stream*, bool, "
        "onnxruntime::WaitNotificationFn) Failed to allocate memory for requested buffer of size "
        "939524096",
        "too little GPU memory, 896 MiB were requested.*: .* lower memory_budget_bytes",
        ErrorCode.RUNTIME_EXCEPTION,
    ),
    # Reports have no more of it than this.
    "more than gpu_mem_limit": _in_node(
        "BFCArena::AllocateRawInternal Available memory of 34699008 is smaller than requested bytes of 945041920",
        "the limit of GPU memory is reached, with 33 MiB left and 901 MiB needed: raise ",
        ErrorCode.RUNTIME_EXCEPTION,
    ),
}
"""By what is wrong with the machine."""
