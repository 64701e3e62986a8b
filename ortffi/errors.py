"""The exceptions of ortffi, and the one place where a status is read."""

from __future__ import annotations

import ctypes
from typing import NoReturn

from ortffi._api import SLOTS, Api, ErrorCode


class OrtError(Exception):
    """A call into ONNX Runtime failed. Owns no C memory.

    Attributes:
        code: the `OrtErrorCode`, as `ErrorCode` where the value is known and int otherwise.
        message: ONNX Runtime's own message, or ortffi's if it found the mistake first.
        function: the C function that failed.
    """

    def __init__(self, code: int, message: str, function: str) -> None:
        super().__init__(code, message, function)
        self.code = ErrorCode(code) if code in ErrorCode._value2member_map_ else code
        self.message = message
        self.function = function

    def __str__(self) -> str:
        name = self.code.name if isinstance(self.code, ErrorCode) else f"code {self.code}"
        return f"{self.message} [{name} from {self.function}]"


class FailError(OrtError):
    """`ORT_FAIL`: a failure without a more specific code."""


class TerminatedError(FailError):
    """A run was stopped by its options' `terminate`, or by a deadline."""


class InvalidArgumentError(OrtError):
    """`ORT_INVALID_ARGUMENT`: a name, an element type, a rank, a shape or an option is wrong."""


class NoSuchFileError(OrtError):
    """`ORT_NO_SUCHFILE`: the model file does not exist."""


class NoModelError(OrtError):
    """`ORT_NO_MODEL`: the session has no model."""


class EngineError(OrtError):
    """`ORT_ENGINE_ERROR`: an execution engine failed."""


class RuntimeExceptionError(OrtError):
    """`ORT_RUNTIME_EXCEPTION`: a kernel or the runtime threw."""


class InvalidProtobufError(OrtError):
    """`ORT_INVALID_PROTOBUF`: the bytes are not an ONNX model."""


class ModelLoadedError(OrtError):
    """`ORT_MODEL_LOADED`: a model is already loaded."""


class UnimplementedError(OrtError):
    """`ORT_NOT_IMPLEMENTED`: the library has no kernel for an operator or type."""


class InvalidGraphError(OrtError):
    """`ORT_INVALID_GRAPH`: the model is well-formed but not valid."""


class ExecutionProviderError(OrtError):
    """`ORT_EP_FAIL`: an execution provider failed."""


class ModelLoadCanceledError(OrtError):
    """`ORT_MODEL_LOAD_CANCELED`: loading was cancelled."""


class ModelRequiresCompilationError(OrtError):
    """`ORT_MODEL_REQUIRES_COMPILATION`: the provider needs a compiled model."""


class NotFoundError(OrtError):
    """`ORT_NOT_FOUND`: nothing has the requested name."""


BY_CODE: dict[int, type[OrtError]] = {
    ErrorCode.FAIL: FailError,
    ErrorCode.INVALID_ARGUMENT: InvalidArgumentError,
    ErrorCode.NO_SUCHFILE: NoSuchFileError,
    ErrorCode.NO_MODEL: NoModelError,
    ErrorCode.ENGINE_ERROR: EngineError,
    ErrorCode.RUNTIME_EXCEPTION: RuntimeExceptionError,
    ErrorCode.INVALID_PROTOBUF: InvalidProtobufError,
    ErrorCode.MODEL_LOADED: ModelLoadedError,
    ErrorCode.NOT_IMPLEMENTED: UnimplementedError,
    ErrorCode.INVALID_GRAPH: InvalidGraphError,
    ErrorCode.EP_FAIL: ExecutionProviderError,
    ErrorCode.MODEL_LOAD_CANCELED: ModelLoadCanceledError,
    ErrorCode.MODEL_REQUIRES_COMPILATION: ModelRequiresCompilationError,
    ErrorCode.NOT_FOUND: NotFoundError,
}
"""The class of each code; other codes raise a plain `OrtError`."""


def check(api: Api, status: int, function: str) -> NoReturn:
    """Copy a status's code and message, release it, and raise the class of its code.

    Takes ownership of the status, which is the address of an `OrtStatus` and never 0. Calls
    `GetErrorCode`, `GetErrorMessage` and `ReleaseStatus`.
    """
    try:
        code = int(api.GetErrorCode(status))
        text = ctypes.string_at(api.GetErrorMessage(status)).decode("utf-8", "replace")
    finally:
        api.ReleaseStatus(status)
    kind = BY_CODE.get(code, OrtError)
    if kind is FailError and "terminate flag" in text:  # it has no code of its own
        kind = TerminatedError
    raise kind(code, text, function)


class ClosedError(ValueError):
    """A session or value was used after `close()`."""


class LibraryNotFoundError(ImportError):
    """No usable libonnxruntime was found; the message lists the places searched and what to do."""


class ApiVersionError(LibraryNotFoundError):
    """The library is too old, or is not ONNX Runtime at all."""


class ProviderUnavailableError(RuntimeError):
    """The requested execution provider cannot be used, or the library was built without it."""


class UnsupportedError(RuntimeError):
    """The loaded library is too old for a feature.

    Attributes:
        function: the C function that it lacks.
        needed: the API version that added the function; ONNX Runtime 1.x has API version x.
        found: the API version of the loaded library.
    """

    def __init__(self, function: str, needed: int, found: int) -> None:
        super().__init__(function, needed, found)
        self.function = function
        self.needed = needed
        self.found = found

    def __str__(self) -> str:
        return (
            f"{self.function} came with ONNX Runtime 1.{self.needed}; the loaded library is "
            f"1.{self.found}"
        )


def require(api: Api, *functions: str) -> None:
    """Raise UnsupportedError unless the library has all these functions."""
    for name in functions:
        if not api.has(name):
            raise UnsupportedError(name, SLOTS[name].since, api.version)
