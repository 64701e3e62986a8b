"""Execution providers: which there are, and how a session is given one.

A session has an ordered list of providers; each takes the nodes that it can of those that the ones
before it left. An element of that list is an object of one of the classes here. What is wrong with
its options shows when the object is made, before ONNX Runtime is asked.
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
from ortffi.environment import Environment, init
from ortffi.errors import ProviderUnavailableError, require

CUDA_DEFAULTS: dict[str, str] = {"cudnn_conv_algo_search": "HEURISTIC"}
"""ONNX Runtime's own default, EXHAUSTIVE, tunes every convolution anew for every new length."""


@dataclass(frozen=True)
class ExecutionProvider(ABC):
    """One element of a session's ordered list of providers.

    Attributes:
        name: as `available_providers` has it, such as `CUDAExecutionProvider`.
    """

    name: str = field(init=False, repr=False)

    @abstractmethod
    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError where the library was built without the provider.

        Whether it works on this machine, only `try_provider` tells.
        """

    @abstractmethod
    def append(self, environment: Environment, options_pointer: int) -> None:
        """Add the provider to an `OrtSessionOptions*`, after those that it has.

        Raises:
            OrtError: ONNX Runtime refused it: a library that the provider needs does not load,
                or an option is unknown to this version.
            UnsupportedError: the library is too old.
        """


@dataclass(frozen=True)
class CPU(ExecutionProvider):
    """The CPU, which every session falls back on: it comes last, asked for or not."""

    name: str = field(default="CPUExecutionProvider", init=False, repr=False)

    def check(self, environment: Environment) -> None:
        """Do nothing: it is always there."""

    def append(self, environment: Environment, options_pointer: int) -> None:
        """Do nothing: ONNX Runtime adds it by itself."""


@dataclass(frozen=True)
class CUDA(ExecutionProvider):
    """An NVIDIA GPU (`SessionOptionsAppendExecutionProvider_CUDA_V2`).

    Attributes:
        device_id: which GPU.
        options: any of `CUDA_OPTIONS`; `cudnn_conv_algo_search` is HEURISTIC unless given. Who
            gives an address keeps what is there alive for as long as the session.
        require: whether a session in which no node runs on this provider is to be refused.
        max_cpu_nodes: refuse a session that leaves more nodes than so many to the CPU; None for
            any number. Neither this nor `require` concerns `append`: who makes the session looks.
        unchecked_options: options of a newer library that `CUDA_OPTIONS` lacks.

    Raises:
        TypeError: an argument, a key or a value is of the wrong type.
        ValueError: a key is unknown, or a value is none that the option takes.
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
        """Raise ProviderUnavailableError where the library was built without CUDA."""
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

    It compiles what it takes when the session is made, which may be minutes; what it leaves is
    CUDA's, where that follows in the list.

    Attributes:
        device_id: which GPU.
        options: any of `TENSORRT_OPTIONS`. Who gives an address keeps what is there alive for as
            long as the session.
        unchecked_options: options of a newer library that `TENSORRT_OPTIONS` lacks.

    Raises:
        TypeError: an argument, a key or a value is of the wrong type.
        ValueError: a key is unknown, or a value is none that the option takes.
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
        """Raise ProviderUnavailableError where the library was built without TensorRT."""
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
"""What `SessionOptionsAppendExecutionProvider` calls each. ONNX Runtime up to 1.20 takes only the
short name, 1.31 either."""

SUFFIX = "ExecutionProvider"
"""What the names of ONNX Runtime's own providers end with."""
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

    Needs API version 12, ONNX Runtime 1.12. A plug-in provider, in a library of its own, is given
    to a session by `Devices`.

    Attributes:
        name: `XNNPACK` or `XnnpackExecutionProvider`, whatever the case; kept as the latter. One
            that ortffi does not know is passed on as it is.
        options: as the provider's documentation has them; neither keys nor values are looked at,
            and not every provider refuses what it does not know.

    Raises:
        TypeError: the name, a key or a value is of the wrong type.
        ValueError: the provider has a class of its own, or a string is empty or holds a NUL.
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
            raise ValueError(f"{self.name} has options of its own: use {own_class}")
        full = _FULL_NAMES.get(folded)
        if full is None:
            full = self.name if self.name.endswith(SUFFIX) else self.name + SUFFIX
        object.__setattr__(self, "_c_name", _C_NAMES.get(full, self.name))
        object.__setattr__(self, "name", full)
        keep(self, plain(self.options))

    def check(self, environment: Environment) -> None:
        """Raise ProviderUnavailableError where the library was built without the provider.

        Raises:
            UnsupportedError: the library has it, and is too old to be asked for it by name.
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
        environment.api.SessionOptionsAppendExecutionProvider(
            options_pointer, c_string("name", self._c_name), *arrays(self._settings)
        )


def available_providers() -> list[str]:
    """Return the names of the providers compiled into the library (`GetAvailableProviders`).

    That one is compiled in does not mean that it works on this machine: see `usable_providers`.
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


def keep(provider: ExecutionProvider, settings: Mapping[str, str]) -> None:
    """Store the settings, and copies of the mappings they came from: the caller's may change."""
    object.__setattr__(provider, "_settings", settings)
    for name in ("options", "unchecked_options"):
        if hasattr(provider, name):
            object.__setattr__(provider, name, dict(getattr(provider, name)))


def _append_nvidia(
    environment: Environment, options_pointer: int, kind: str, settings: Mapping[str, str]
) -> None:
    """Append CUDA or TensorRT, whose functions differ by their names only."""
    api = environment.api
    own = new(getattr(api, f"Create{kind}ProviderOptions"))
    try:
        # Everything at once: each update sets what it is not given back to the default.
        getattr(api, f"Update{kind}ProviderOptions")(own, *arrays(settings))
        getattr(api, f"SessionOptionsAppendExecutionProvider_{kind}_V2")(options_pointer, own)
    finally:
        getattr(api, f"Release{kind}ProviderOptions")(own)
