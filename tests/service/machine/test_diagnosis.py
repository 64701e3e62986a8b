"""Messages are those of real libraries, from their issues or seen with onnxruntime-gpu 1.31.1."""

import platform

import pytest

from service.machine import Machine, explain, foresee
from tests.service.machine.fat_binary import entry

LOAD = (
    "/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:1778 "
    "onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : "
    "Failed to load library {library} with error: {error}"
)
CUDA_CALL = (
    "/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:121 std::conditional_t<THRW, "
    "void, onnxruntime::common::Status> onnxruntime::CudaCall(ERRTYPE, const char*, const char*, "
    "ERRTYPE, const char*, const char*, int) [with ERRTYPE = {kind}; bool THRW = true] {failure} ; "
    "GPU=0 ; hostname=orin ; file=/onnxruntime_src/onnxruntime/core/providers/cuda/"
    "cuda_execution_provider.cc ; line=245 ; expr={expression}; "
)


def unloadable(error):
    return LOAD.format(library="libonnxruntime_providers_cuda.so", error=error)


def missing(name):
    """onnxruntime#19616, #25609, and others with the names of other libraries."""
    return unloadable(f"{name}: cannot open shared object file: No such file or directory")


def failure(code, text):
    """onnxruntime#11561, #17337, insightface#2524."""
    return CUDA_CALL.format(
        kind="cudaError", failure=f"CUDA failure {code}: {text}", expression="cudaSetDevice(info_.device_id)"
    )


def parsed(code, text):
    """Say it as 1.31.1 does, which asks for the number of GPUs while it reads device_id."""
    return (
        'provider_options_utils.h:187 Parse Failed to parse provider option "device_id": CUDA '
        f"failure {code}: {text} ; GPU=-1 ; hostname=vm ; file=/onnxruntime_src/onnxruntime/core/"
        "providers/cuda/cuda_execution_provider_info.cc ; line=70 ; "
        "expr=cudaGetDeviceCount(&num_devices);"
    )


NOT_BUILT_IN = "CUDA execution provider is not enabled in this build. "
NO_KERNEL = (  # onnxruntime#22441
    "Non-zero status code returned while running Sigmoid node. Name:'/model.0/act/Sigmoid' Status "
    "Message: CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for "
    "execution on the device"
)
ARENA = (  # onnxruntime#22702
    "Non-zero status code returned while running Conv node. Name:'/fc1/Conv' Status Message: "
    "/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 void* onnxruntime::BFCArena::"
    "AllocateRawInternal(size_t, bool, onnxruntime::Stream*, bool, onnxruntime::WaitNotificationFn)"
    " Failed to allocate memory for requested buffer of size 2830172160"
)
LIMIT = "Available memory of 1048576 is smaller than requested bytes of 3145728"
WITHOUT_CUDNN = (
    "NOT_IMPLEMENTED : Non-zero status code returned while running ReduceL2 node. Name:'n' Status "
    "Message: cuDNN is unavailable for CUDA Execution Provider: dlopen failed for libcudnn.so"
)


def cudnn(status):
    """onnxruntime#17337, #26322."""
    return CUDA_CALL.format(
        kind="cudnnStatus_t", failure=f"CUDNN failure 1001: {status}", expression="cudnnCreate(&cudnn_handle_)"
    )


@pytest.mark.parametrize(("message", "said"), [
    (NOT_BUILT_IN, ["was built without CUDA", "ONNXRUNTIME_DIR", "docs/jetson.md"]),
    ("/usr/lib/libonnxruntime.so.1.31.1 (ONNX Runtime 1.31.1, found by the onnxruntime "
     "package) was built without TensorRT; it has CPUExecutionProvider.", ["was built without TensorRT"]),
    (missing("libonnxruntime_providers_shared.so"),
     ["libonnxruntime_providers_shared.so is not beside", "one folder"]),
    (missing("libcuda.so.1"), ["driver is missing", "comes with JetPack", "--runtime nvidia"]),
    (missing("libcublasLt.so.13"), ["cuBLAS 13 (libcublasLt.so.13)", "install CUDA 13"]),
    (missing("libcurand.so.10"), ["cuRAND 10 (libcurand.so.10)", "install CUDA 13"]),
    (missing("libcudnn.so.9"), ["cuDNN 9 (libcudnn.so.9)", "is not installed", "cuDNN 9"]),
    (missing("libnvinfer.so.10"), ["TensorRT 10 (libnvinfer.so.10)", "install TensorRT 10"]),
    (WITHOUT_CUDNN, ["cuDNN 9 (libcudnn.so.9), which is not installed"]),
    (unloadable("/lib/aarch64-linux-gnu/libm.so.6: version `GLIBC_2.38' not found "
     "(required by /opt/ort/libonnxruntime_providers_cuda.so)"), ["newer system", "GLIBC_2.38", "docs/jetson.md"]),
    (unloadable("/opt/ort/libonnxruntime_providers_cuda.so: undefined symbol: "
     "cublasLtMatmulAlgoInit, version libcublasLt.so.12"), ["(cublasLtMatmulAlgoInit is missing)", "LD_LIBRARY_PATH"]),
    (unloadable("/opt/ort/libonnxruntime_providers_cuda.so: file too short"),
     ["/opt/ort/libonnxruntime_providers_cuda.so cannot be loaded, file too short"]),
    (NO_KERNEL, ["no kernels for this GPU (Orin, sm_87)", "only for sm_90a, sm_121a", "for sm_87"]),
    (failure(209, "no kernel image is available for execution on the device"), ["sm_87"]),
    (ARENA, ["2699 MiB were requested", "4795 MiB are available now", "lower memory_bud"]),
    (failure(2, "out of memory"), ["too little GPU memory, and 4795 MiB", "memory_budget_bytes"]),
    (cudnn("CUDNN_STATUS_ALLOC_FAILED"), ["too little GPU memory", "memory_budget_bytes"]),
    (LIMIT, ["1 MiB left", "3 MiB needed", "raise memory_budget_bytes"]),
    (failure(35, "CUDA driver version is insufficient for CUDA runtime version"),
     ["supports CUDA up to 12.6", "for CUDA 13", "build for this JetPack"]),
    (parsed(35, "CUDA driver version is insufficient for CUDA runtime version"),
     ["supports CUDA up to 12.6", "for CUDA 13"]),
    ("Invalid device ID: 3, must be between 0 (inclusive) and 1 (exclusive).",
     ["cuda_device is 0", "has 1 GPU, counted from 0"]),
    (failure(101, "invalid device ordinal"), ["cuda_device is 0"]),
    (parsed(803, "system has unsupported display driver / cuda driver combination"),
     ["code 803, system has unsupported display driver", "restart the board"]),
    (cudnn("CUDNN_STATUS_NOT_INITIALIZED"),
     ["cuDNN does not start (CUDNN_STATUS_NOT_INITIALIZED; found: none", "CUDA 12.6"]),
    (cudnn("CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"), ["parts of cuDNN have different versions", "found: none"]),
    ("CUBLAS failure 8: CUBLAS_STATUS_ARCH_MISMATCH ; GPU=0 ; hostname=aimodel", ["loaded cuBLAS has no kernels"]),
])  # fmt: skip
def test_known_failures_have_a_cause_and_a_cure(jetson, cuda_build, message, said):
    told = explain(message, library=cuda_build, machine=jetson)
    assert not [part for part in (*said, ": ") if part not in told]
    assert not [part for part in ("\n", "onnxruntime_src", "hostname") if part in told]
    assert explain(told, library=cuda_build, machine=jetson) == told


def test_unknown_failures_are_told_as_they_are(jetson, cuda_build):
    told = {
        "Something new happened.\nAnd more of it.": "Something new happened.", "\n\n  first \nsecond": "first",
        "": "ONNX Runtime failed without a message",
    }  # fmt: skip
    assert {message: explain(message, library=cuda_build, machine=jetson).strip() for message in told} == told


def test_the_installed_and_the_wanted_version_are_named(jetson, cuda_build, grow):
    folder = grow({"usr/lib/libcudnn.so.8.9.4": ""}) / "usr/lib"
    (folder / "libcudnn.so.8").symlink_to("libcudnn.so.8.9.4")
    told = explain(missing("libcudnn.so.9"), library=cuda_build, machine=jetson)
    assert f"needs cuDNN 9 (libcudnn.so.9), but this machine has 8.9.4 ({folder}/libcudnn.so.8)" in told
    assert "install cuDNN 9, or use a build" in told


def test_folders_that_the_loader_does_not_know_are_named(grow, driver_library, cuda_build):
    packages = grow({"nvidia/cu13/lib/libcudart.so.13": "", "nvidia/cudnn/lib/libcudnn.so.9": ""}, "packages")
    machine = Machine(grow({}), driver_library=driver_library, loader_folders=[], packages=[packages])
    told = explain(missing("libcudart.so.13"), library=cuda_build, machine=machine)
    folders = f"{packages}/nvidia/cu13/lib:{packages}/nvidia/cudnn/lib"
    assert f"add {folders} to LD_LIBRARY_PATH" in told


def test_a_library_that_is_there_but_does_not_load_is_named(jetson, cuda_build, grow):
    path = grow({"usr/lib/libcudnn.so.9": ""}) / "usr/lib/libcudnn.so.9"
    told = explain(missing("libcudnn.so.9"), library=cuda_build, machine=jetson)
    assert f"{path} cannot be loaded" in told


def test_a_provider_that_cannot_be_loaded_is_told_with_its_place(jetson, cuda_build, tmp_path):
    message = missing(str(cuda_build.parent / "libonnxruntime_providers_cuda.so"))
    told = explain(message, library=cuda_build, machine=jetson)
    assert f"is not for this CPU ({platform.machine()})" in told
    link = tmp_path / "libonnxruntime.so"
    link.symlink_to(cuda_build)
    (cuda_build.parent / "libonnxruntime_providers_cuda.so").unlink()
    told = explain(missing("libonnxruntime_providers_cuda.so"), library=link, machine=jetson)
    assert f"is not beside {cuda_build}" in told


def test_off_a_jetson_the_cure_is_another(computer, cuda_build):
    old = failure(35, "CUDA driver version is insufficient for CUDA runtime version")
    told = explain(old, library=cuda_build, machine=computer)
    assert "update the driver, or use a build for CUDA 12" in told
    told = explain(missing("libcuda.so.1"), library=cuda_build, machine=computer)
    assert "install it" in told
    assert "available now" not in explain(ARENA, library=cuda_build, machine=computer)


@pytest.mark.parametrize(("setting", "said"), [
    ("FAKE_GPUS=0", "the driver finds no GPU: check that nvidia-smi lists a GPU"),
    ("FAKE_INIT=999", "cuInit returns code 999, CUDA_ERROR_UNKNOWN (unknown error): check"),
])  # fmt: skip
def test_why_there_is_no_gpu_is_asked_of_the_driver(computer, cuda_build, monkeypatch, setting, said):
    monkeypatch.setenv(*setting.split("="))
    told = explain(failure(100, "no CUDA-capable device is detected"), library=cuda_build, machine=computer)
    assert said in told


def test_a_missing_kernel_of_a_library_that_has_some_is_anothers(jetson, cuda_build, monkeypatch):
    monkeypatch.setenv("FAKE_GPUS", "2")
    provider = cuda_build.parent / "libonnxruntime_providers_cuda.so"
    content = provider.read_bytes()
    provider.write_bytes(content.replace(entry("sm_121a", 0)[16:48], entry("sm_87", 0)[16:48]))
    told = explain(NO_KERNEL, library=cuda_build, machine=jetson)
    assert "has kernels for this GPU (Orin, sm_87), but cuDNN or cuBLAS has none" in told


def test_a_library_without_kernels_is_foreseen_and_one_that_may_work_is_not(jetson, cuda_build, monkeypatch):
    told = foresee(library=cuda_build, machine=jetson)
    assert told == explain(NO_KERNEL, library=cuda_build, machine=jetson)
    assert "has no kernels for this GPU (Orin, sm_87), only for sm_90a, sm_121a" in told
    assert foresee(library=cuda_build, device=7, machine=jetson) == ""
    (cuda_build.parent / "libonnxruntime_providers_cuda.so").unlink()
    assert foresee(library=cuda_build, machine=jetson) == ""


def test_a_file_that_is_cut_short_is_foreseen(jetson, cuda_build):
    provider = cuda_build.parent / "libonnxruntime_providers_cuda.so"
    provider.write_bytes(provider.read_bytes()[:-100])
    told = foresee(library=cuda_build, machine=jetson)
    assert told.startswith(f"{provider}: ends within")
    assert "install the build again" in told


def test_nothing_is_asked_that_a_failure_does_not_need(grow, cuda_build, tmp_path):
    asked = tmp_path / "asked"
    machine = Machine(grow({}), driver_library=asked, loader_folders=[], packages=[])
    explain(NOT_BUILT_IN, library=cuda_build, machine=machine)
    explain(missing("libcudnn.so.9"), library=cuda_build, machine=machine)
    assert "driver" not in vars(machine)
    explain(NO_KERNEL, library=cuda_build, machine=machine)
    assert "driver" in vars(machine)
