"""Tensors in files: PyTorch's, NumPy's and safetensors'. Nothing in a file is ever executed.

PyTorch saves a zip file: a pickle that tells how tensors lie in the other entries. A pickle is a
program; the reader here follows only what makes tensors, numbers, texts, lists and dictionaries of
them, and refuses every other instruction and name.
"""

from __future__ import annotations

import ast
import io
import math
import pickletools
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from service.errors import ServiceError
from service.extras import advice

Array = npt.NDArray[Any]

SUFFIXES = frozenset({".bin", ".npy", ".npz", ".pt", ".pth", ".safetensors"})
"""Of the files that can be read."""

_MOST_TENSORS = 10_000
_MOST_DEPTH = 16
_MOST_PICKLE_BYTES = 32 << 20
"""A checkpoint of Kokoro has 1,100 tensors in a pickle of 0.2 MB."""
_MOST_INSTRUCTIONS = 500_000
"""Of a pickle: each may leave something on the stack, and one of a byte makes a list of 56."""
_MOST_RANK = 8
_MOST_HEADER = 10_000


_DAMAGED_ZIP = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError,
    OverflowError, RuntimeError, ValueError,
)  # fmt: skip
"""What `zipfile` raises for damage; RuntimeError is for what is encrypted."""


class TensorFileError(ServiceError):
    """A file has no tensors that can be read; the message, one line, does not name the file."""


class UnknownFormatError(TensorFileError):
    """A file is of none of the formats."""


def read(path: Path, most_bytes: int) -> dict[str, Array]:
    """Return the tensors of a file by name, in the order of the file.

    The content decides, not the ending: `.bin` may be NumPy's archive, as kokoro-onnx ships it.
    Names of dictionaries within each other are joined by dots. A file of one tensor has it under
    the empty name. Floats of 16 bits become float32; all else keeps its type.

    Args:
        path: of the file.
        most_bytes: of the file, and of all its tensors together.

    Raises:
        TensorFileError: it is none of these files, too large, or damaged.
    """
    try:
        size = path.stat().st_size
        if size > most_bytes:
            raise TensorFileError(f"it has {size} bytes; at most {most_bytes} are read")
        content = path.read_bytes()
    except OSError as error:
        raise TensorFileError(f"it cannot be read: {error.strerror}") from error
    if content[:6] == b"\x93NUMPY":
        return {"": _numpy(content)}
    if content[:2] == b"PK":
        try:
            return _zip(content, most_bytes)
        except _DAMAGED_ZIP as error:
            raise TensorFileError("it is a damaged zip file") from error
    if content[8:9] == b"{":
        return _safetensors(content)
    if content[:1] == b"\x80":
        raise TensorFileError("PyTorch before 1.6 wrote it; save it anew with a later one")
    raise UnknownFormatError("is no file of PyTorch, NumPy or safetensors")


def _zip(content: bytes, most_bytes: int) -> dict[str, Array]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        if len(entries) > 2 * _MOST_TENSORS:
            raise TensorFileError(f"it has {len(entries)} entries")
        if sum(entry.file_size for entry in entries.values()) > most_bytes:
            raise TensorFileError(f"unpacked it has more than {most_bytes} bytes")

        def part(name: str) -> bytes:
            entry = entries.get(name)
            if entry is None:
                raise TensorFileError(f"it lacks its part {name!r:.60}")
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise TensorFileError(f"its part {name!r:.60} is packed in an uncommon way")
            return archive.read(entry)  # never more than the size that was checked

        pickles = [name for name in entries if name.rpartition("/")[2] == "data.pkl"]
        if not pickles:
            arrays = [name for name in entries if name.endswith(".npy")]
            if not arrays:
                raise TensorFileError("it is a zip file without tensors")
            return {name.removesuffix(".npy"): _numpy(part(name)) for name in arrays}
        folder = pickles[0].removesuffix("data.pkl")
        if f"{folder}byteorder" in entries and part(f"{folder}byteorder") != b"little":
            raise TensorFileError("it was saved on a machine of the other byte order")
        if entries[pickles[0]].file_size > _MOST_PICKLE_BYTES:
            raise TensorFileError("what it tells of its tensors is too long")
        program = part(pickles[0])
        numbers = cache(lambda key: part(f"{folder}data/{key}"))
        return dict(_named(_Pickle(program, numbers, most_bytes).result()))


def _numpy(content: bytes) -> Array:
    """Read a file of one array; its header is checked before anything is made of its size.

    NumPy's own reader of headers takes what Python 2 wrote too, by a way that hostile ones break.
    """
    version = content[6:8]
    length_format = {b"\1\0": "<H", b"\2\0": "<I", b"\3\0": "<I"}.get(version)
    if length_format is None:
        raise TensorFileError(f"it has version {list(version)} of NumPy's format")
    start = 8 + struct.calcsize(length_format)
    try:
        end = start + struct.unpack_from(length_format, content, 8)[0]
        if end - start > _MOST_HEADER:
            raise TensorFileError("the header of its array is too long")
        header = ast.literal_eval(content[start:end].decode("latin-1"))
        shape, is_fortran = tuple(header["shape"]), bool(header["fortran_order"])
        dtype = np.dtype(str(header["descr"]))
        _check_shape(shape, len(content))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, KeyError) as error:
        raise TensorFileError("the header of its array is damaged") from error
    except struct.error as error:
        raise TensorFileError("the header of its array is cut off") from error
    if dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise TensorFileError(f"it has {dtype} in place of numbers")
    rest = memoryview(content)[end:]
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise TensorFileError("its array has another size than it tells")
    array = np.frombuffer(rest, dtype).reshape(shape, order="F" if is_fortran else "C")
    return _widened(array.astype(dtype.newbyteorder("="), copy=False))


def _check_shape(shape: tuple[int, ...], n_most: int) -> None:
    if any(type(size) is not int or size < 0 for size in shape):
        raise ValueError("a shape")
    if len(shape) > _MOST_RANK or math.prod(shape) > n_most:
        raise TensorFileError(f"a tensor of shape {shape!r:.60} is not in it")


def _widened(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _from_bfloat16(words: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Return the same numbers: bfloat16 is the upper half of float32."""
    return (words.astype(np.uint32) << 16).view(np.float32)


_SAFE = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4",
         "I16": "<i2", "I8": "<i1", "U8": "<u1", "BOOL": "<?"}  # fmt: skip


def _safetensors(content: bytes) -> dict[str, Array]:
    try:
        from safetensors import SafetensorError, deserialize
    except ModuleNotFoundError as error:
        raise TensorFileError(f"safetensors is not installed: {advice('models')}") from error
    try:
        found = deserialize(content)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise TensorFileError("it is a damaged safetensors file") from error
    tensors: dict[str, Array] = {}
    for name, told in found:
        if told["dtype"] not in _SAFE:
            raise TensorFileError(f"its tensor {name!r:.60} has the type {told['dtype']}")
        array = np.frombuffer(bytes(told["data"]), _SAFE[told["dtype"]])
        if told["dtype"] == "BF16":
            array = _from_bfloat16(array)
        tensors[name] = _widened(array.reshape(told["shape"]))
    return tensors


class _Storage(NamedTuple):
    """Where the numbers of a tensor lie: what they are, and the entry of the zip file."""

    kind: str
    key: str


class _Name(NamedTuple):
    """A name that a pickle may call or refer to."""

    name: str


class _Mark:
    """Where the arguments of an instruction begin on the stack."""


_STORAGES = {
    "torch DoubleStorage": "<f8", "torch FloatStorage": "<f4", "torch HalfStorage": "<f2",
    "torch BFloat16Storage": "<u2", "torch LongStorage": "<i8", "torch IntStorage": "<i4",
    "torch ShortStorage": "<i2", "torch CharStorage": "<i1", "torch ByteStorage": "<u1",
    "torch BoolStorage": "<?",
}  # fmt: skip
_TENSOR, _PARAMETER = "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter"
_DICTIONARY = "collections OrderedDict"
_KNOWN = frozenset({*_STORAGES, _TENSOR, _PARAMETER, _DICTIONARY})

_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LITERALS = frozenset(
    {"BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE"}
)
_EMPTY: dict[str, Callable[[], Any]] = {
    "EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "MARK": _Mark,
}  # fmt: skip


class _Pickle:
    """What a pickle of PyTorch makes, followed one instruction after the other.

    Args:
        program: the pickle.
        numbers: returns the entry of the zip file that has the numbers of a storage.
        most_bytes: of all tensors together, since many may share a storage.
    """

    def __init__(self, program: bytes, numbers: Callable[[str], bytes], most_bytes: int) -> None:
        self._program = program
        self._numbers = numbers
        self._bytes_left = most_bytes
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def result(self) -> Any:
        """Return what it makes: tensors, and dictionaries, lists, tuples and constants."""
        try:
            for n, (operation, argument, _) in enumerate(pickletools.genops(self._program)):
                if n == _MOST_INSTRUCTIONS:
                    raise TensorFileError("what it tells of its tensors is too long")
                if operation.name == "STOP":
                    return self._stack.pop()
                self._follow(operation.name, argument)
        except (ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
            raise TensorFileError("what it tells of its tensors is damaged") from error
        raise TensorFileError("what it tells of its tensors ends too early")

    def _follow(self, name: str, argument: Any) -> None:
        stack = self._stack
        if name in ("PROTO", "FRAME"):
            return
        if name in _LITERALS:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _EMPTY:
            stack.append(_EMPTY[name]())
        elif name in ("BINPUT", "LONG_BINPUT"):
            self._memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            self._memo[len(self._memo)] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(self._memo[argument])
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            self._stack[-int(name[-1]) :] = [tuple(self._top(int(name[-1])))]
        elif name == "TUPLE":
            items = self._since_mark()
            stack.append(tuple(items))
        elif name in ("APPEND", "APPENDS"):
            items = [stack.pop()] if name == "APPEND" else self._since_mark()
            self._of(list).extend(items)
        elif name in ("SETITEM", "SETITEMS"):
            items = self._popped(2) if name == "SETITEM" else self._since_mark()
            if len(items) % 2 or not all(isinstance(key, (str, int)) for key in items[::2]):
                raise ValueError("keys of a dictionary")
            self._of(dict).update(zip(items[::2], items[1::2], strict=True))
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            wanted = argument if name == "GLOBAL" else " ".join(self._popped(2))
            if wanted not in _KNOWN:
                raise TensorFileError(f"it asks for {wanted!r:.80}, which is no tensor")
            stack.append(_Name(wanted))
        elif name == "BINPERSID":
            stack.append(self._storage(stack.pop()))
        elif name == "REDUCE":
            called, arguments = self._popped(2)
            stack.append(self._call(called, arguments))
        elif name == "BUILD":  # the versions of modules, beside a dictionary
            stack.pop()
            self._of(dict)
        else:
            raise TensorFileError(f"it has the instruction {name}, which makes no tensor")

    def _top(self, n: int) -> list[Any]:
        if len(self._stack) < n:
            raise IndexError(n)
        return self._stack[-n:]

    def _popped(self, n: int) -> list[Any]:
        items = self._top(n)
        del self._stack[-n:]
        return items

    def _since_mark(self) -> list[Any]:
        place = len(self._stack) - 1
        while not isinstance(self._stack[place], _Mark):
            place -= 1
            if place < 0:
                raise IndexError(place)
        items = self._stack[place + 1 :]
        del self._stack[place:]
        return items

    def _of(self, kind: type) -> Any:
        top = self._stack[-1]
        if type(top) is not kind:
            raise TypeError(type(top))
        return top

    def _storage(self, told: Any) -> _Storage:
        word, kind, key, _device, _n_items = told
        if word != "storage" or not isinstance(kind, _Name) or not isinstance(key, str):
            raise ValueError("storage")
        return _Storage(_STORAGES[kind.name], key)

    def _call(self, called: Any, arguments: Any) -> Any:
        if not isinstance(called, _Name) or type(arguments) is not tuple:
            raise TypeError("a call")
        if called.name == _DICTIONARY and not arguments:
            return {}
        if called.name == _PARAMETER and isinstance(arguments[0], np.ndarray):
            return arguments[0]
        if called.name != _TENSOR:
            raise TypeError(called.name)
        storage, offset, shape, strides = arguments[:4]
        return self._tensor(storage, offset, shape, strides)

    def _tensor(
        self, storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Array:
        told = (offset, *shape, *strides)
        if not isinstance(storage, _Storage) or len(shape) != len(strides):
            raise TypeError("a tensor")
        if any(type(one) is not int or one < 0 for one in told):
            raise ValueError("a tensor")
        content = self._numbers(storage.key)
        dtype = np.dtype(storage.kind)
        if len(content) % dtype.itemsize:
            raise ValueError("a storage")
        numbers = np.frombuffer(content, dtype)
        _check_shape(shape, len(numbers))
        if math.prod(shape):
            last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
            if offset + last >= len(numbers):
                raise ValueError("a tensor beyond its storage")
        self._bytes_left -= math.prod(shape) * dtype.itemsize
        if self._bytes_left < 0:
            raise TensorFileError("its tensors are larger than it")
        steps = [step * dtype.itemsize for step in strides]
        view = np.lib.stride_tricks.as_strided(numbers[offset:], shape, steps)
        tensor = np.ascontiguousarray(view).reshape(shape)
        return _from_bfloat16(tensor) if storage.kind == "<u2" else _widened(tensor)


def _named(value: Any) -> Iterator[tuple[str, Array]]:
    """Yield the tensors in dictionaries within each other, with the names on the way joined."""
    n_seen = 0

    def walk(value: Any, name: str, depth: int) -> Iterator[tuple[str, Array]]:
        nonlocal n_seen
        n_seen += 1
        if n_seen > 2 * _MOST_TENSORS or depth > _MOST_DEPTH:
            raise TensorFileError("it has too many tensors, or too deep in each other")
        if isinstance(value, np.ndarray):
            yield name, value
        elif isinstance(value, Mapping):
            for key, part in value.items():
                yield from walk(part, f"{name}.{key}" if name else str(key), depth + 1)

    yield from walk(value, "", 0)


def pytorch_file(tensor: npt.NDArray[np.float32]) -> bytes:
    """Return the file of one tensor as PyTorch would save it, for programs that read only that."""

    def unicode(text: str) -> bytes:
        return b"X" + struct.pack("<I", len(text)) + text.encode()

    def numbers(values: Iterable[int]) -> bytes:
        return b"(" + b"".join(b"J" + struct.pack("<i", value) for value in values) + b"t"

    tensor = np.ascontiguousarray(tensor, "<f4")
    strides = [step // tensor.itemsize for step in tensor.strides]
    storage = (
        b"(" + unicode("storage") + b"ctorch\nFloatStorage\n" + unicode("0") + unicode("cpu")
        + b"J" + struct.pack("<i", tensor.size) + b"tQ"
    )  # fmt: skip
    program = (
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\x00"
        + numbers(tensor.shape) + numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR."
    )  # fmt: skip
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in (
            ("data.pkl", program),
            ("byteorder", b"little"),
            ("data/0", tensor.tobytes()),
            ("version", b"3\n"),
        ):
            archive.writestr(zipfile.ZipInfo(f"archive/{name}"), content)
    return file.getvalue()
