"""ONNX Runtime's C API as ctypes sees it: the vtable's slots, enums and opaque structs.

The only file with C spellings. A slot is one row of `_TABLE`: its place in `struct OrtApi`, the
API version that brought it, and its full C prototype as in `onnxruntime_c_api.h`. The ctypes
signature is derived from the prototype, so the two cannot disagree. Slots never move: the vtable
only grows at its end.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

REQUESTED_API_VERSION = 17
"""The API version asked of `OrtApiBase::GetApi`: JetPack 6's first ONNX Runtime builds have it."""

MINIMUM_API_VERSION = 11
"""The oldest that has every slot ortffi cannot do without (the CUDA V2 options, slots 204-208)."""

_TABLE = """
0    1  OrtStatus* CreateStatus(OrtErrorCode code, const char* msg);
1    1  OrtErrorCode GetErrorCode(const OrtStatus* status);
2    1  const char* GetErrorMessage(const OrtStatus* status);
3    1  OrtStatus* CreateEnv(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out);
7    1  OrtStatus* CreateSession(const OrtEnv* env, const ORTCHAR_T* model_path,
            const OrtSessionOptions* options, OrtSession** out);
8    1  OrtStatus* CreateSessionFromArray(const OrtEnv* env, const void* model_data,
            size_t model_data_length, const OrtSessionOptions* options, OrtSession** out);
9    1  OrtStatus* Run(OrtSession* session, const OrtRunOptions* run_options,
            const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
            const char* const* output_names, size_t output_names_len, OrtValue** outputs);
10   1  OrtStatus* CreateSessionOptions(OrtSessionOptions** options);
16   1  OrtStatus* EnableMemPattern(OrtSessionOptions* options);
17   1  OrtStatus* DisableMemPattern(OrtSessionOptions* options);
18   1  OrtStatus* EnableCpuMemArena(OrtSessionOptions* options);
19   1  OrtStatus* DisableCpuMemArena(OrtSessionOptions* options);
22   1  OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* options,
            int session_log_severity_level);
23   1  OrtStatus* SetSessionGraphOptimizationLevel(OrtSessionOptions* options,
            GraphOptimizationLevel graph_optimization_level);
24   1  OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads);
25   1  OrtStatus* SetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads);
30   1  OrtStatus* SessionGetInputCount(const OrtSession* session, size_t* out);
31   1  OrtStatus* SessionGetOutputCount(const OrtSession* session, size_t* out);
33   1  OrtStatus* SessionGetInputTypeInfo(const OrtSession* session, size_t index,
            OrtTypeInfo** type_info);
34   1  OrtStatus* SessionGetOutputTypeInfo(const OrtSession* session, size_t index,
            OrtTypeInfo** type_info);
36   1  OrtStatus* SessionGetInputName(const OrtSession* session, size_t index,
            OrtAllocator* allocator, char** value);
37   1  OrtStatus* SessionGetOutputName(const OrtSession* session, size_t index,
            OrtAllocator* allocator, char** value);
39   1  OrtStatus* CreateRunOptions(OrtRunOptions** out);
48   1  OrtStatus* CreateTensorAsOrtValue(OrtAllocator* allocator, const int64_t* shape,
            size_t shape_len, ONNXTensorElementDataType type, OrtValue** out);
49   1  OrtStatus* CreateTensorWithDataAsOrtValue(const OrtMemoryInfo* info, void* p_data,
            size_t p_data_len, const int64_t* shape, size_t shape_len,
            ONNXTensorElementDataType type, OrtValue** out);
51   1  OrtStatus* GetTensorMutableData(OrtValue* value, void** out);
52   1  OrtStatus* FillStringTensor(OrtValue* value, const char* const* s, size_t s_len);
53   1  OrtStatus* GetStringTensorDataLength(const OrtValue* value, size_t* len);
54   1  OrtStatus* GetStringTensorContent(const OrtValue* value, void* s, size_t s_len,
            size_t* offsets, size_t offsets_len);
55   1  OrtStatus* CastTypeInfoToTensorInfo(const OrtTypeInfo* type_info,
            const OrtTensorTypeAndShapeInfo** out);
56   1  OrtStatus* GetOnnxTypeFromTypeInfo(const OrtTypeInfo* type_info, ONNXType* out);
60   1  OrtStatus* GetTensorElementType(const OrtTensorTypeAndShapeInfo* info,
            ONNXTensorElementDataType* out);
61   1  OrtStatus* GetDimensionsCount(const OrtTensorTypeAndShapeInfo* info, size_t* out);
62   1  OrtStatus* GetDimensions(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
            size_t dim_values_length);
63   1  OrtStatus* GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info,
            const char** dim_params, size_t dim_params_length);
65   1  OrtStatus* GetTensorTypeAndShape(const OrtValue* value, OrtTensorTypeAndShapeInfo** out);
67   1  OrtStatus* GetValueType(const OrtValue* value, ONNXType* out);
69   1  OrtStatus* CreateCpuMemoryInfo(OrtAllocatorType type, OrtMemType mem_type,
            OrtMemoryInfo** out);
76   1  OrtStatus* AllocatorFree(OrtAllocator* ort_allocator, void* p);
78   1  OrtStatus* GetAllocatorWithDefaultOptions(OrtAllocator** out);
93   1  void ReleaseStatus(OrtStatus* input);
95   1  void ReleaseSession(OrtSession* input);
96   1  void ReleaseValue(OrtValue* input);
97   1  void ReleaseRunOptions(OrtRunOptions* input);
98   1  void ReleaseTypeInfo(OrtTypeInfo* input);
99   1  void ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* input);
100  1  void ReleaseSessionOptions(OrtSessionOptions* input);
125  4  OrtStatus* GetAvailableProviders(char*** out_ptr, int* provider_length);
126  4  OrtStatus* ReleaseAvailableProviders(char** ptr, int providers_length);
130  5  OrtStatus* AddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
            const char* config_value);
165  8  OrtStatus* AddRunConfigEntry(OrtRunOptions* options, const char* config_key,
            const char* config_value);
204  11 OrtStatus* SessionOptionsAppendExecutionProvider_CUDA_V2(OrtSessionOptions* options,
            const OrtCUDAProviderOptionsV2* cuda_options);
205  11 OrtStatus* CreateCUDAProviderOptions(OrtCUDAProviderOptionsV2** out);
206  11 OrtStatus* UpdateCUDAProviderOptions(OrtCUDAProviderOptionsV2* cuda_options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
208  11 void ReleaseCUDAProviderOptions(OrtCUDAProviderOptionsV2* input);
414  25 OrtStatus* GetTensorElementTypeAndShapeDataReference(const OrtValue* value,
            ONNXTensorElementDataType* elem_type, const int64_t** shape_data,
            size_t* shape_data_count);
"""


class ErrorCode(IntEnum):
    """`OrtErrorCode`."""

    OK = 0
    FAIL = 1
    INVALID_ARGUMENT = 2
    NO_SUCHFILE = 3
    NO_MODEL = 4
    ENGINE_ERROR = 5
    RUNTIME_EXCEPTION = 6
    INVALID_PROTOBUF = 7
    MODEL_LOADED = 8
    NOT_IMPLEMENTED = 9
    INVALID_GRAPH = 10
    EP_FAIL = 11
    MODEL_LOAD_CANCELED = 12
    MODEL_REQUIRES_COMPILATION = 13
    NOT_FOUND = 14


class ElementType(IntEnum):
    """`ONNXTensorElementDataType`."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17
    FLOAT8E4M3FNUZ = 18
    FLOAT8E5M2 = 19
    FLOAT8E5M2FNUZ = 20
    UINT4 = 21
    INT4 = 22
    FLOAT4E2M1 = 23


class OnnxType(IntEnum):
    """`ONNXType`: what kind of thing an input, an output or a value is."""

    UNKNOWN = 0
    TENSOR = 1
    SEQUENCE = 2
    MAP = 3
    OPAQUE = 4
    SPARSETENSOR = 5
    OPTIONAL = 6


class LogLevel(IntEnum):
    """`OrtLoggingLevel`: messages below the level are not printed."""

    VERBOSE = 0
    INFO = 1
    WARNING = 2
    ERROR = 3
    FATAL = 4


class GraphOptimizationLevel(IntEnum):
    """`GraphOptimizationLevel`: how far a graph is rewritten when its session is made."""

    DISABLE_ALL = 0
    BASIC = 1
    EXTENDED = 2
    ALL = 99


ARENA_ALLOCATOR = 1
"""`OrtAllocatorType::OrtArenaAllocator`."""

MEM_TYPE_DEFAULT = 0
"""`OrtMemType::OrtMemTypeDefault`."""


class OrtApiBase(ctypes.Structure):
    """`struct OrtApiBase`, what the exported function `OrtGetApiBase` points to."""

    _fields_ = [
        ("GetApi", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)),
        # A char* as c_void_p: c_char_p would copy the string and lose its address.
        ("GetVersionString", ctypes.CFUNCTYPE(ctypes.c_void_p)),
    ]


@dataclass(frozen=True)
class Slot:
    """One function of the vtable: where it is, since which API version, and its C prototype."""

    index: int
    since: int
    name: str
    returns: str
    parameters: tuple[str, ...]

    @property
    def returns_status(self) -> bool:
        """Tell whether the function reports failure by an `OrtStatus*`."""
        return self.returns == "OrtStatus*"

    def signature(self) -> Any:
        """Return the ctypes function type of the prototype."""
        parameters = (_ctype(parameter.rsplit(" ", 1)[0]) for parameter in self.parameters)
        return ctypes.CFUNCTYPE(self.result_type(), *parameters)

    def result_type(self) -> Any:
        """Return the ctypes type of the result, None for void; every pointer is a `c_void_p`."""
        return None if self.returns == "void" else _ctype(self.returns, is_result=True)


_SCALARS: dict[str, Any] = {
    "size_t": ctypes.c_size_t,
    "int": ctypes.c_int,
    "ONNXTensorElementDataType": ctypes.c_int,
    "GraphOptimizationLevel": ctypes.c_int,
    "OrtAllocatorType": ctypes.c_int,
    "OrtErrorCode": ctypes.c_int,
    "OrtLoggingLevel": ctypes.c_int,
    "OrtMemType": ctypes.c_int,
}


def _ctype(spelling: str, *, is_result: bool = False) -> Any:
    if spelling in ("const char*", "const ORTCHAR_T*") and not is_result:
        return ctypes.c_char_p
    if spelling.endswith("*"):
        return ctypes.c_void_p
    return _SCALARS[spelling]


def _parse(table: str) -> dict[str, Slot]:
    row = re.compile(r"(\d+)\s+(\d+)\s+([\w ]+\**) (\w+)\(([^)]*)\)")
    slots = {}
    for statement in filter(None, (" ".join(s.split()) for s in table.split(";"))):
        match = row.fullmatch(statement)
        if match is None:
            raise ValueError(f"not a slot: {statement!r}")
        index, since, returns, name, parameters = match.groups()
        slots[name] = Slot(
            int(index), int(since), name, returns, tuple(p for p in parameters.split(", ") if p)
        )
    return slots


SLOTS: dict[str, Slot] = _parse(_TABLE)
"""Every slot that ortffi calls, by C name."""

Check = Callable[["Api", int, str], None]


class Api:
    """The vtable of a loaded library: one callable attribute per slot, named as in C.

    A function that returns an `OrtStatus*` goes through `check` after every call, so it returns
    only when it succeeded and raises otherwise. A slot newer than the library is absent;
    using it raises AttributeError with both versions.

    Args:
        pointer: the `OrtApi*` that `GetApi` returned.
        version: the newest API version of the library; slots beyond it are not read.
        check: called with this object, the status (an address, never 0) and the function's name;
            must release the status and raise.
    """

    def __init__(self, pointer: int, version: int, check: Check) -> None:
        self.version = version
        self._pointer = pointer
        for slot in SLOTS.values():
            if slot.since > version:
                continue
            function = slot.signature()(self._address(slot))
            if slot.returns_status:
                function.errcheck = self._errcheck(slot.name, check)
            setattr(self, slot.name, function)

    def raw(self, name: str, *, keeps_gil: bool = False) -> Any:
        """Return a slot's function without conversions and without `check`, for the hot path.

        Every argument must be a ctypes object of the right type: nothing is converted, so nothing
        is verified. A status comes back as an address, or None for success.

        Args:
            name: the slot.
            keeps_gil: whether other Python threads wait meanwhile; cheaper for calls that take
                less than a microsecond.
        """
        slot = SLOTS[name]
        if slot.since > self.version:
            return getattr(self, name)
        kind = ctypes.PYFUNCTYPE if keeps_gil else ctypes.CFUNCTYPE
        return kind(slot.result_type())(self._address(slot))

    def _address(self, slot: Slot) -> int:
        word = ctypes.sizeof(ctypes.c_void_p)
        address = ctypes.c_void_p.from_address(self._pointer + slot.index * word).value
        if address is None:
            raise ValueError(f"slot {slot.index} ({slot.name}) of the vtable is empty")
        return address

    def _errcheck(self, name: str, check: Check) -> Callable[[int | None, Any, Any], None]:
        def errcheck(status: int | None, _function: Any, _arguments: Any) -> None:
            if status is not None:
                check(self, status, name)

        return errcheck

    def __getattr__(self, name: str) -> Any:
        slot = SLOTS.get(name)
        if slot is None:
            raise AttributeError(f"ortffi knows no function {name} of ONNX Runtime's C API")
        raise AttributeError(
            f"{name} needs API version {slot.since}, the loaded library has {self.version}"
        )


def new(function: Callable[..., Any], *arguments: object) -> int:
    """Call a function whose last parameter receives an object, and return that object's address.

    Who owns the object is as the C function says.
    """
    out = ctypes.c_void_p()
    function(*arguments, ctypes.byref(out))
    if out.value is None:
        raise RuntimeError("ONNX Runtime reported success and gave no object")
    return out.value


def c_string(name: str, value: str) -> bytes:
    """Return a string as C wants it. A NUL would cut it short, so it is refused.

    Raises:
        TypeError: not a string; the message has its name.
        ValueError: it holds a NUL character.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{name} holds a NUL character: {value!r}")
    # As Python itself does for file names, so that every path can be passed.
    return value.encode("utf-8", "surrogateescape")
