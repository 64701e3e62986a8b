"""ONNX Runtime through its C API, with any libonnxruntime.so that the machine has.

Needs only numpy: no compiler, and no wheel built for this Python version. To run a model:

    import ortffi

    with ortffi.SessionBuilder().commit_from_file("model.onnx") as session:
        outputs = session.run({"x": array})

`init` chooses the library; `load_library` describes where it is looked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ortffi._api import (
    ElementType,
    ErrorCode,
    ExecutionMode,
    GraphOptimizationLevel,
    LogLevel,
    OnnxType,
)
from ortffi.binding import IoBinding
from ortffi.builder import SessionBuilder
from ortffi.elements import DTYPES
from ortffi.environment import ArenaConfig, ArenaExtendStrategy, Environment, ThreadPools, init
from ortffi.errors import (
    ApiVersionError,
    ClosedError,
    EngineError,
    ExecutionProviderError,
    FailError,
    InvalidArgumentError,
    InvalidGraphError,
    InvalidProtobufError,
    LibraryNotFoundError,
    ModelLoadCanceledError,
    ModelLoadedError,
    ModelRequiresCompilationError,
    NoModelError,
    NoSuchFileError,
    NotFoundError,
    OrtError,
    ProviderUnavailableError,
    RuntimeExceptionError,
    TerminatedError,
    UnimplementedError,
    UnsupportedError,
)
from ortffi.inference import infer
from ortffi.library import Library, load_library
from ortffi.memory import Memory
from ortffi.options import SessionOptions
from ortffi.prepacked import PrepackedWeights
from ortffi.providers import (
    CPU,
    CUDA,
    ExecutionProvider,
    Provider,
    TensorRT,
    available_providers,
)
from ortffi.run_options import RunOptions
from ortffi.session import Session
from ortffi.type_info import TypeInfo, ValueInfo
from ortffi.value import Value

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ortffi.assignment import AssignedNode, count_by_provider
    from ortffi.batch import pad_batch, split_batch
    from ortffi.metadata import ModelMetadata
    from ortffi.model_file import ModelFile, ModelFileError, inspect_model
    from ortffi.plugins import (
        Device,
        Devices,
        HardwareType,
        devices,
        register_provider_library,
        unregister_provider_library,
    )
    from ortffi.profile import KernelEvent, ProviderShare, by_provider, read_profile
    from ortffi.trial import try_provider, usable_providers

__all__ = [
    "CPU",
    "CUDA",
    "DTYPES",
    "ApiVersionError",
    "ArenaConfig",
    "ArenaExtendStrategy",
    "AssignedNode",
    "ClosedError",
    "Device",
    "Devices",
    "ElementType",
    "EngineError",
    "Environment",
    "ErrorCode",
    "ExecutionMode",
    "ExecutionProvider",
    "ExecutionProviderError",
    "FailError",
    "GraphOptimizationLevel",
    "HardwareType",
    "InvalidArgumentError",
    "InvalidGraphError",
    "InvalidProtobufError",
    "IoBinding",
    "KernelEvent",
    "Library",
    "LibraryNotFoundError",
    "LogLevel",
    "Memory",
    "ModelFile",
    "ModelFileError",
    "ModelLoadCanceledError",
    "ModelLoadedError",
    "ModelMetadata",
    "ModelRequiresCompilationError",
    "NoModelError",
    "NoSuchFileError",
    "NotFoundError",
    "OnnxType",
    "OrtError",
    "PrepackedWeights",
    "Provider",
    "ProviderShare",
    "ProviderUnavailableError",
    "RunOptions",
    "RuntimeExceptionError",
    "Session",
    "SessionBuilder",
    "SessionOptions",
    "TensorRT",
    "TerminatedError",
    "ThreadPools",
    "TypeInfo",
    "UnimplementedError",
    "UnsupportedError",
    "Value",
    "ValueInfo",
    "available_providers",
    "by_provider",
    "count_by_provider",
    "devices",
    "infer",
    "init",
    "inspect_model",
    "load_library",
    "pad_batch",
    "read_profile",
    "register_provider_library",
    "split_batch",
    "try_provider",
    "unregister_provider_library",
    "usable_providers",
]

_LATER = {
    "Device": "plugins",
    "Devices": "plugins",
    "try_provider": "trial",
    "usable_providers": "trial",
    "HardwareType": "plugins",
    "devices": "plugins",
    "register_provider_library": "plugins",
    "unregister_provider_library": "plugins",
    "pad_batch": "batch",
    "split_batch": "batch",
    "AssignedNode": "assignment",
    "KernelEvent": "profile",
    "ModelFile": "model_file",
    "ModelFileError": "model_file",
    "ModelMetadata": "metadata",
    "ProviderShare": "profile",
    "by_provider": "profile",
    "count_by_provider": "assignment",
    "inspect_model": "model_file",
    "read_profile": "profile",
}
"""Names that most programs never use, each with the module it is imported from on first use."""


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
