"""Execution providers and their options.

A session has an ordered list of providers. Each runs the nodes it can of those that the earlier
ones left. Each entry of the list is an object of one of these classes. Wrong options raise when the
object is made, before ONNX Runtime is called.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from ortffi._api import c_string, natural, new
from ortffi._provider_options import (
    CUDA_OPTIONS,
    TENSORRT_OPTIONS,
    OptionValue,
    arrays,
    checked,
    plain,
)
from ortffi._shared_object import fault_of
from ortffi.environment import Environment, init
from ortffi.errors import ProviderUnavailableError, require

CUDA_DEFAULTS: dict[str, str] = {"cudnn_conv_algo_search": "HEURISTIC"}
"""ONNX Runtime's own default, EXHAUSTIVE, tunes every convolution again for each new length."""


@dataclass(frozen=True)
class ExecutionProvider(ABC):
    """One entry of a session's ordered list of providers.

    Attributes:
        name: the name in `available_providers`, such as `CUDAExecutionProvider`.
    """

    name: str = field(init=False, repr=False)

    @abstractmethod
    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError if the library was built without the provider.

        Only `try_provider` finds out whether it works on this machine.
        """

    @abstractmethod
    def append(self, environment: Environment, options_pointer: int) -> None:
        """Add the provider to an `OrtSessionOptions*`, after those already there.

        Raises:
            OrtError: ONNX Runtime refused it: a library that the provider needs does not load,
                or this version does not know an option.
            ProviderUnavailableError: the provider's library is truncated or damaged.
            UnsupportedError: the library is too old.
        """


@dataclass(frozen=True)
class CPU(ExecutionProvider):
    """The CPU, which is always the last provider of a session, even if it is not listed."""

    name: str = field(default="CPUExecutionProvider", init=False, repr=False)

    def check(self, environment: Environment) -> None:
        """Do nothing: the CPU is always available."""

    def append(self, environment: Environment, options_pointer: int) -> None:
        """Do nothing: ONNX Runtime adds the CPU itself."""


@dataclass(frozen=True)
class CUDA(ExecutionProvider):
    """An NVIDIA GPU (`SessionOptionsAppendExecutionProvider_CUDA_V2`).

    Attributes:
        device_id: the number of the GPU.
        options: any of `CUDA_OPTIONS`; the default of `cudnn_conv_algo_search` is HEURISTIC. If an
            option is an address, the caller keeps its object alive as long as the session.
        require: refuse a session in which no node runs on this provider.
        max_cpu_nodes: refuse a session with more nodes than this on the CPU; None for any number.
            `SessionBuilder` checks this and `require`; `append` does not.
        unchecked_options: options of a newer library that `CUDA_OPTIONS` lacks.

    Raises:
        TypeError: an argument, a key or a value is of the wrong type.
        ValueError: a key is unknown, or the option does not accept a value.
    """

    device_id: int = 0
    options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    require: bool = False
    max_cpu_nodes: int | None = None
    unchecked_options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    name: str = field(default="CUDAExecutionProvider", init=False, repr=False)
    _settings: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.require, bool):
            raise TypeError(f"require must be a bool, not {type(self.require).__name__}")
        if self.max_cpu_nodes is not None:
            natural("max_cpu_nodes", self.max_cpu_nodes)
        settings = {
            "device_id": str(natural("device_id", self.device_id)),
            **plain(CUDA_DEFAULTS),
            **checked("CUDA", CUDA_OPTIONS, self.options, self.unchecked_options),
        }
        keep(self, settings)

    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError if the library was built without CUDA."""
        _require_built_with(environment, "CUDA", self.name)

    def append(self, environment: Environment, options_pointer: int) -> None:
        """Add it to session options.

        Raises:
            OrtError: CUDA or cuDNN does not load, there is no such GPU, or this version does not
                know an option.
        """
        _append_nvidia(environment, options_pointer, "CUDA", self._settings)


@dataclass(frozen=True)
class TensorRT(ExecutionProvider):
    """NVIDIA's TensorRT (`SessionOptionsAppendExecutionProvider_TensorRT_V2`).

    It compiles its nodes when the session is made, which may take minutes. Put `CUDA` after it in
    the list to run the remaining nodes on the GPU.

    Attributes:
        device_id: the number of the GPU.
        options: any of `TENSORRT_OPTIONS`. If an option is an address, the caller keeps its object
            alive as long as the session.
        unchecked_options: options of a newer library that `TENSORRT_OPTIONS` lacks.

    Raises:
        TypeError: an argument, a key or a value is of the wrong type.
        ValueError: a key is unknown, or the option does not accept a value.
    """

    device_id: int = 0
    options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    unchecked_options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    name: str = field(default="TensorrtExecutionProvider", init=False, repr=False)
    _settings: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        settings = {
            "device_id": str(natural("device_id", self.device_id)),
            **checked("TensorRT", TENSORRT_OPTIONS, self.options, self.unchecked_options),
        }
        keep(self, settings)

    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError if the library was built without TensorRT."""
        _require_built_with(environment, "TensorRT", self.name)

    def append(self, environment: Environment, options_pointer: int) -> None:
        """Add it to session options.

        Raises:
            OrtError: TensorRT or CUDA does not load, there is no such GPU, or this version does
                not know an option.
        """
        _append_nvidia(environment, options_pointer, "TensorRT", self._settings)


_C_NAMES = {
    "AzureExecutionProvider": "AZURE",
    "CoreMLExecutionProvider": "CoreML",
    "DmlExecutionProvider": "DML",
    "JsExecutionProvider": "JS",
    "MIGraphXExecutionProvider": "MIGraphX",
    "NvTensorRTRTXExecutionProvider": "NvTensorRtRtx",
    "OpenVINOExecutionProvider": "OpenVINO",
    "QNNExecutionProvider": "QNN",
    "SNPEExecutionProvider": "SNPE",
    "VitisAIExecutionProvider": "VitisAI",
    "WebGpuExecutionProvider": "WebGPU",
    "WebNNExecutionProvider": "WEBNN",
    "XnnpackExecutionProvider": "XNNPACK",
}
"""The names for `SessionOptionsAppendExecutionProvider`. ONNX Runtime up to 1.20 accepts only the
short name, 1.31 both."""

SUFFIX = "ExecutionProvider"
"""The suffix of the names of ONNX Runtime's own providers."""
_FULL_NAMES = {
    **{name.casefold(): name for name in _C_NAMES},
    **{short.casefold(): name for name, short in _C_NAMES.items()},
    "directml": "DmlExecutionProvider",
    "directmlexecutionprovider": "DmlExecutionProvider",
}
_OWN_CLASSES = {"cpu": "CPU()", "cuda": "CUDA(...)", "tensorrt": "TensorRT(...)"}


@dataclass(frozen=True)
class Provider(ExecutionProvider):
    """Any other provider compiled into the library (`SessionOptionsAppendExecutionProvider`).

    Needs API version 12, ONNX Runtime 1.12. For a plug-in provider, which has its own library, use
    `Devices`.

    Attributes:
        name: `XNNPACK` or `XnnpackExecutionProvider`, in any case; stored as the latter. Names
            that ortffi does not know are passed on unchanged.
        options: see the provider's documentation. Keys and values are not checked, and not every
            provider refuses unknown ones.

    Raises:
        TypeError: the name, a key or a value is of the wrong type.
        ValueError: the provider has its own class, or a string is empty or contains a NUL.
    """

    name: str
    options: Mapping[str, OptionValue] = field(default_factory=dict, hash=False)
    _c_name: str = field(init=False, repr=False, compare=False)
    _settings: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not c_string("name", self.name):
            raise ValueError("a provider's name must not be empty")
        folded = self.name.casefold()
        own_class = _OWN_CLASSES.get(folded.removesuffix(SUFFIX.casefold()))
        if own_class is not None:
            raise ValueError(f"{self.name} has its own class: use {own_class}")
        full = _FULL_NAMES.get(folded)
        if full is None:
            full = self.name if self.name.endswith(SUFFIX) else self.name + SUFFIX
        object.__setattr__(self, "_c_name", _C_NAMES.get(full, self.name))
        object.__setattr__(self, "name", full)
        keep(self, plain(self.options))

    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError if the library was built without the provider.

        Raises:
            UnsupportedError: the library has it, but is too old to add it by name.
        """
        _require_built_with(environment, self._c_name.removesuffix(SUFFIX), self.name)
        require(environment.api, "SessionOptionsAppendExecutionProvider")

    def append(self, environment: Environment, options_pointer: int) -> None:
        """Add it to session options.

        Raises:
            OrtError: the library does not know the name, was built without the provider, or
                refused an option.
            UnsupportedError: the library is older than 1.12.
        """
        require(environment.api, "SessionOptionsAppendExecutionProvider")
        _check_libraries(environment, self._c_name)
        environment.api.SessionOptionsAppendExecutionProvider(
            options_pointer, c_string("name", self._c_name), *arrays(self._settings)
        )


def available_providers() -> list[str]:
    """Return the names of the providers compiled into the library (`GetAvailableProviders`).

    They need not work on this machine: see `usable_providers`.
    """
    return _compiled_in(init())


def _compiled_in(environment: Environment) -> list[str]:
    api = environment.api
    names, count = ctypes.c_void_p(), ctypes.c_int()
    api.GetAvailableProviders(ctypes.byref(names), ctypes.byref(count))
    try:
        array = ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p))
        return [(array[index] or b"").decode() for index in range(count.value)]
    finally:
        api.ReleaseAvailableProviders(names, count)


def _require_built_with(environment: Environment, what: str, name: str) -> None:
    providers = _compiled_in(environment)
    if name not in providers:
        library = environment.library
        raise ProviderUnavailableError(
            f"{library.path} (ONNX Runtime {library.version}, found by {library.found_by}) was "
            f"built without {what}; it has {', '.join(providers)}. Set ONNXRUNTIME_DIR to a build "
            f"with {what}."
        )


def _check_libraries(environment: Environment, name: str) -> None:
    """Raise ProviderUnavailableError if a library that ONNX Runtime loads now is no intact one.

    Each provider with a library of its own needs the shared one too. Both are beside ONNX Runtime's
    library. It reports itself what is missing.
    """
    for part in ("shared", name.lower()):
        path = environment.library.path.with_name(f"libonnxruntime_providers_{part}.so")
        fault = fault_of(str(path)) if path.exists() else None
        if fault is not None:
            raise ProviderUnavailableError(f"{path} {fault}")


def keep(provider: ExecutionProvider, settings: Mapping[str, str]) -> None:
    """Store the settings and copies of their mappings, because the caller may change those."""
    object.__setattr__(provider, "_settings", settings)
    for name in ("options", "unchecked_options"):
        if hasattr(provider, name):
            object.__setattr__(provider, name, dict(getattr(provider, name)))


def _append_nvidia(
    environment: Environment, options_pointer: int, kind: str, settings: Mapping[str, str]
) -> None:
    """Append CUDA or TensorRT, whose functions differ only in their names."""
    api = environment.api
    _check_libraries(environment, kind)
    own = new(getattr(api, f"Create{kind}ProviderOptions"))
    try:
        # All settings at once: each update resets all others to their defaults.
        getattr(api, f"Update{kind}ProviderOptions")(own, *arrays(settings))
        getattr(api, f"SessionOptionsAppendExecutionProvider_{kind}_V2")(options_pointer, own)
    finally:
        getattr(api, f"Release{kind}ProviderOptions")(own)
