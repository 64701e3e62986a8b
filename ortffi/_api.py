"""ONNX Runtime's C API for ctypes: the slots of the vtable, enums and opaque structs.

Apart from the table of prototypes (`_table.py`), this is the only file with C spellings. A slot is
one row of that table: its index in `struct OrtApi`, the API version that added it, and its C
prototype. The ctypes signature is derived from the prototype, so the two cannot disagree.
"""

from __future__ import annotations

import ctypes
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, SupportsIndex, TypeVar

from ortffi._table import TABLE

MINIMUM_API_VERSION = 11
"""The oldest version with every slot that ortffi requires (the CUDA V2 options, slots 204-208)."""


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
    UINT2 = 24
    INT2 = 25
    FLOAT8E8M0 = 26


class OnnxType(IntEnum):
    """`ONNXType`: the kind of an input, an output or a value."""

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
    """`GraphOptimizationLevel`: how much a graph is optimized when its session is created."""

    DISABLE_ALL = 0
    BASIC = 1
    EXTENDED = 2
    ALL = 99


class ExecutionMode(IntEnum):
    """`ExecutionMode`: one operator after another, or independent ones in parallel."""

    SEQUENTIAL = 0
    PARALLEL = 1


ARENA_ALLOCATOR = 1
"""`OrtAllocatorType::OrtArenaAllocator`."""

MEM_TYPE_DEFAULT = 0
"""`OrtMemType::OrtMemTypeDefault`."""


class OrtApiBase(ctypes.Structure):
    """`struct OrtApiBase`, which the exported function `OrtGetApiBase` returns."""

    _fields_ = [
        ("GetApi", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)),
        # A char* as c_void_p: c_char_p would copy the string and lose its address.
        ("GetVersionString", ctypes.CFUNCTYPE(ctypes.c_void_p)),
    ]


@dataclass(frozen=True)
class Slot:
    """One function of the vtable: its index, the API version that added it, and its C prototype."""

    index: int
    since: int
    name: str
    returns: str
    parameters: tuple[str, ...]

    @property
    def returns_status(self) -> bool:
        """Return whether the function reports failure with an `OrtStatus*`."""
        return self.returns == "OrtStatus*"

    def signature(self) -> Any:
        """Return the ctypes function type of the prototype."""
        parameters = (_ctype(parameter.rsplit(" ", 1)[0]) for parameter in self.parameters)
        return ctypes.CFUNCTYPE(self.result_type(), *parameters)

    def result_type(self) -> Any:
        """Return the ctypes type of the result, None for void; every pointer is a `c_void_p`."""
        return None if self.returns == "void" else _ctype(self.returns, is_result=True)


_SCALARS: dict[str, Any] = {
    "bool": ctypes.c_bool,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "uint32_t": ctypes.c_uint32,
}
_CALLBACKS = (
    "EpSelectionDelegate",
    "OrtCustomCreateThreadFn",
    "OrtCustomJoinThreadFn",
    "OrtExperimentalFnPtr",
    "OrtLoggingFunction",
    "RunAsyncCallbackFn",
)


def _ctype(spelling: str, *, is_result: bool = False) -> Any:
    if spelling in ("const char*", "const ORTCHAR_T*") and not is_result:
        return ctypes.c_char_p
    if spelling.endswith("*") or spelling in _CALLBACKS:
        return ctypes.c_void_p
    # Everything else is an enum, and this header's enums are ints.
    return _SCALARS.get(spelling, ctypes.c_int)


_ROW = re.compile(
    r"^(?P<index>\d+) +(?P<since>\d+) +"
    r"(?P<returns>[\w *]+?) (?P<name>\w+)\((?P<parameters>[^)]*)\);$",
    re.MULTILINE,
)


class _Slots(Mapping[str, Slot]):
    """The rows of the table by C name. A row is parsed when it is first needed.

    Most programs call a tenth of the functions.
    """

    def __init__(self, table: str) -> None:
        self._table = table
        self._slots: dict[str, Slot] = {}

    @cached_property
    def _rows(self) -> dict[str, re.Match[str]]:
        return {row["name"]: row for row in _ROW.finditer(self._table)}

    def __getitem__(self, name: str) -> Slot:
        slot = self._slots.get(name)
        if slot is None:
            row = self._rows[name]
            parameters = " ".join(row["parameters"].split())
            slot = self._slots[name] = Slot(
                int(row["index"]),
                int(row["since"]),
                name,
                row["returns"],
                tuple(p for p in parameters.split(", ") if p),
            )
        return slot

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def places(self, version: int) -> Iterator[tuple[int, str]]:
        """Yield index and name of every slot that a library with this API version has."""
        for name, row in self._rows.items():
            if int(row["since"]) <= version:
                yield int(row["index"]), name


SLOTS = _Slots(TABLE)
"""Every function of the vtable, by C name."""

Check = Callable[["Api", int, str], None]


class Api:
    """The vtable of a loaded library: one callable attribute per slot, named as in C.

    Every `OrtStatus*` that a function returns is passed to `check`, so the function either succeeds
    or raises. A slot newer than the library is missing; using it raises an AttributeError that
    names both versions.

    Args:
        pointer: the `OrtApi*` that `GetApi` returned.
        version: the newest API version of the library; newer slots are not read.
        check: called with this object, the status (an address, never 0) and the function's name;
            must release the status and raise.

    Raises:
        ValueError: a slot that this version must have is empty.
    """

    def __init__(self, pointer: int, version: int, check: Check) -> None:
        self.version = version
        self._pointer = pointer
        self._check = check
        places = list(SLOTS.places(version))
        table = (ctypes.c_void_p * (places[-1][0] + 1)).from_address(pointer)[:]
        for index, name in places:
            if table[index] is None:
                raise ValueError(f"slot {index} ({name}) of the vtable is empty")

    def has(self, name: str) -> bool:
        """Return whether the library has a function."""
        return SLOTS[name].since <= self.version

    def __getattr__(self, name: str) -> Any:
        # Called once for each name; afterwards it is an attribute of the object.
        slot = SLOTS.get(name)
        if slot is None:
            raise AttributeError(f"ortffi knows no function {name} of ONNX Runtime's C API")
        function = slot.signature()(self._address(slot))
        if slot.returns_status:
            function.errcheck = self._errcheck(slot.name)
        setattr(self, name, function)
        return function

    def raw(self, name: str, *, keeps_gil: bool = False) -> Any:
        """Return a slot's function without conversions and without `check`, for the hot path.

        Every argument must be a ctypes object of the right type: nothing is converted or checked.
        The function returns a status as an address, or None for success.

        Args:
            name: the slot.
            keeps_gil: whether the call keeps the GIL, which is cheaper for calls that take less
                than a microsecond.
        """
        slot = SLOTS[name]
        kind = ctypes.PYFUNCTYPE if keeps_gil else ctypes.CFUNCTYPE
        return kind(slot.result_type())(self._address(slot))

    def _address(self, slot: Slot) -> int:
        if slot.since > self.version:
            raise AttributeError(
                f"{slot.name} needs API version {slot.since}, the loaded library has {self.version}"
            )
        word = ctypes.sizeof(ctypes.c_void_p)
        address: int = ctypes.c_void_p.from_address(self._pointer + slot.index * word).value or 0
        return address

    def _errcheck(self, name: str) -> Callable[[int | None, Any, Any], None]:
        check = self._check

        def errcheck(status: int | None, _function: Any, _arguments: Any) -> None:
            if status is not None:
                check(self, status, name)

        return errcheck


def new(function: Callable[..., Any], *arguments: object, allow_null: bool = False) -> int:
    """Call a function whose last parameter receives a pointer, and return that address.

    The C function's documentation says who owns the object.

    Args:
        function: of an `Api`.
        arguments: all but the last.
        allow_null: return 0 for a null pointer instead of raising.
    """
    out = ctypes.c_void_p()
    function(*arguments, ctypes.byref(out))
    if out.value is None and not allow_null:
        raise RuntimeError("ONNX Runtime reported success but returned no object")
    return out.value or 0


def c_string(name: str, value: str) -> bytes:
    """Encode a string for C. A NUL is refused because C would stop reading at it.

    Raises:
        TypeError: not a string; the message contains the name.
        ValueError: it contains a NUL character.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{name} contains a NUL character: {value!r}")
    # Like Python's own encoding of file names, so that every path can be passed.
    return value.encode("utf-8", "surrogateescape")


_Member = TypeVar("_Member", bound=IntEnum)


def member(name: str, kind: type[_Member], value: int) -> _Member:
    """Return the member of an enum that a number stands for.

    Raises:
        TypeError: neither a member nor an int; the message contains the name.
        ValueError: the enum has no such number.
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    number = operator.index(value)
    if number not in kind._value2member_map_:
        raise ValueError(f"{name} must be a {kind.__name__}; there is no {number}")
    return kind(number)


def natural(name: str, value: int, *, least: int = 0) -> int:
    """Return a number that fits a C `int`.

    Raises:
        TypeError: not an int; the message contains the name.
        ValueError: less than `least`, or too large.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not least <= value < 2**31:
        raise ValueError(f"{name} must be between {least} and {2**31 - 1}, not {value}")
    return value
