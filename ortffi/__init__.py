"""ONNX Runtime through its C API, on whatever libonnxruntime.so the machine has.

Needs numpy and nothing else: no compiler, no wheel for this very Python version. A model is run by

    import ortffi

    with ortffi.SessionBuilder().commit_from_file("model.onnx") as session:
        outputs = session.run({"x": array})

`init` chooses the library; `load_library` describes where one is looked for.
"""

from ortffi._api import ElementType, ErrorCode, GraphOptimizationLevel, LogLevel, OnnxType
from ortffi.builder import SessionBuilder
from ortffi.environment import Environment, init
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
    UnimplementedError,
)
from ortffi.inference import infer
from ortffi.library import Library, load_library
from ortffi.providers import available_providers
from ortffi.run_options import RunOptions
from ortffi.session import Session, TensorInfo
from ortffi.value import Value

__all__ = [
    "ApiVersionError",
    "ClosedError",
    "ElementType",
    "EngineError",
    "Environment",
    "ErrorCode",
    "ExecutionProviderError",
    "FailError",
    "GraphOptimizationLevel",
    "InvalidArgumentError",
    "InvalidGraphError",
    "InvalidProtobufError",
    "Library",
    "LibraryNotFoundError",
    "LogLevel",
    "ModelLoadCanceledError",
    "ModelLoadedError",
    "ModelRequiresCompilationError",
    "NoModelError",
    "NoSuchFileError",
    "NotFoundError",
    "OnnxType",
    "OrtError",
    "ProviderUnavailableError",
    "RunOptions",
    "RuntimeExceptionError",
    "Session",
    "SessionBuilder",
    "TensorInfo",
    "UnimplementedError",
    "Value",
    "available_providers",
    "infer",
    "init",
    "load_library",
]
