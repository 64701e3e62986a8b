"""Execution providers: which there are, and how a session is given one."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from ortffi._api import new
from ortffi.environment import Environment, init
from ortffi.errors import ProviderUnavailableError

CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"

CUDA_DEFAULTS: dict[str, str] = {"cudnn_conv_algo_search": "HEURISTIC"}
"""ONNX Runtime's own default, EXHAUSTIVE, tunes every convolution anew for every new length."""


def available_providers() -> list[str]:
    """Return the names of the providers compiled into the library (`GetAvailableProviders`).

    That one is compiled in does not mean that it works on this machine.
    """
    environment = init()
    api = environment.api
    names, count = ctypes.c_void_p(), ctypes.c_int()
    api.GetAvailableProviders(ctypes.byref(names), ctypes.byref(count))
    try:
        array = ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p))
        return [(array[index] or b"").decode() for index in range(count.value)]
    finally:
        api.ReleaseAvailableProviders(names, count)


def require_cuda(environment: Environment) -> None:
    """Refuse a library that was built without CUDA.

    Raises:
        ProviderUnavailableError: names the library and the providers that it has.
    """
    providers = available_providers()
    if CUDA not in providers:
        library = environment.library
        raise ProviderUnavailableError(
            f"{library.path} (ONNX Runtime {library.version}, found by {library.found_by}) was "
            f"built without CUDA; it has {', '.join(providers)}. Set ONNXRUNTIME_DIR to a build "
            "with CUDA."
        )


def append_cuda(environment: Environment, options: int, settings: Mapping[str, str]) -> None:
    """Add the CUDA provider to session options.

    Calls `CreateCUDAProviderOptions`, `UpdateCUDAProviderOptions` and
    `SessionOptionsAppendExecutionProvider_CUDA_V2`.

    Args:
        environment: the loaded library.
        options: an `OrtSessionOptions*`.
        settings: keys and values as ONNX Runtime documents them for its CUDA provider.

    Raises:
        OrtError: a key or value is unknown, or the provider's library or one that it needs
            (CUDA, cuDNN) does not load.
    """
    api = environment.api
    cuda = new(api.CreateCUDAProviderOptions)
    try:
        keys = [key.encode() for key in settings]
        values = [value.encode() for value in settings.values()]
        strings = ctypes.c_char_p * len(settings)
        api.UpdateCUDAProviderOptions(cuda, strings(*keys), strings(*values), len(settings))
        api.SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda)
    finally:
        api.ReleaseCUDAProviderOptions(cuda)
