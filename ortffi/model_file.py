"""Inspection of a model file from its bytes, without a session, a library or `onnx`.

An ONNX model is a protobuf message (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). Only
the needed fields are read. Weights are skipped, so little more than the graph of a mapped file is
ever read.
"""

from __future__ import annotations

import mmap
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

from ortffi import _ort_format
from ortffi._api import ElementType
from ortffi._protobuf import BYTES, VARINT, ProtobufError, fields, integers, signed
from ortffi._quantization import DEQUANTIZE, NARROW_TYPES, QUANTIZED_OPERATORS
from ortffi.elements import element_type

Model: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | mmap.mmap


class ModelFileError(ValueError):
    """The bytes cannot be read as an ONNX model."""


@dataclass(frozen=True)
class ModelFile:
    """The contents of a model file except its weights; missing strings are empty.

    Attributes:
        ir_version: of the file format; 0 if it is missing.
        producer_name: the tool that wrote the file.
        producer_version: that tool's version.
        domain: the model's namespace, as a reversed host name.
        model_version: the model's own version.
        doc_string: the model's documentation.
        graph_name: of the main graph.
        opset_imports: version by domain; ONNX's own domain is the empty string.
        operators: the number of nodes of each (domain, operator), in the main graph, in the bodies
            of loops and branches, and in functions (each counted once, however often it is called).
        metadata: the custom entries by key.
        external_data_files: the files with weights, in order of first use, relative to the
            model's folder.
        has_quantized_weights: whether `DequantizeLinear` reads weights of a narrow type.
    """

    ir_version: int
    producer_name: str
    producer_version: str
    domain: str
    model_version: int
    doc_string: str
    graph_name: str
    opset_imports: Mapping[str, int]
    operators: Counter[tuple[str, str]]
    metadata: Mapping[str, str]
    external_data_files: tuple[str, ...]
    has_quantized_weights: bool

    @property
    def quantized_operators(self) -> tuple[tuple[str, str], ...]:
        """Return the operators that only a quantized model has, as (domain, operator), sorted."""
        return tuple(
            sorted(
                (domain, operator)
                for domain, operator in self.operators
                if operator in QUANTIZED_OPERATORS.get(domain, ())
            )
        )

    @property
    def is_quantized(self) -> bool:
        """Return whether the model computes with quantized numbers or stores quantized weights."""
        return self.has_quantized_weights or bool(self.quantized_operators)


def inspect_model(model: Model) -> ModelFile:
    """Read a model file except its weights, in time proportional to the size of the graph.

    The file is mapped into memory, so it must not be truncated meanwhile.

    Args:
        model: a path (`str` or path-like), or the content as any contiguous buffer.

    Raises:
        TypeError: neither a path nor a contiguous buffer.
        OSError: the file cannot be read.
        ModelFileError: it is not an ONNX model, is damaged or truncated, or is in ORT format.
    """
    return _with_bytes(model, _inspect)


Initializers: TypeAlias = dict[str, set[tuple[ElementType, tuple[int, ...]]]]


def read_initializers(model: Model) -> Initializers:
    """Return element type and shape of each initializer by name, those of subgraphs included.

    What constants are is included too: ONNX Runtime makes initializers of them.

    Args:
        model: as for `inspect_model`; it may be in ORT format.

    Raises:
        TypeError, OSError, ModelFileError: as `inspect_model`.
    """
    return _with_bytes(model, _read_initializers)


_Result = TypeVar("_Result")


def _with_bytes(model: Model, read: Callable[[memoryview, str], _Result]) -> _Result:
    if not isinstance(model, (str, os.PathLike)):
        try:
            view = memoryview(model)
        except TypeError as error:
            raise TypeError(f"model must be a path or a buffer: {error}") from error
        with view, view.cast("B") as flat:
            return read(flat, "these bytes")
    path = os.fspath(model)
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:  # an empty file cannot be mapped
            raise ModelFileError(f"{path} is empty")
        with (
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
            memoryview(mapped) as view,
        ):
            return read(view, path)


def _read_initializers(view: memoryview, where: str) -> Initializers:
    found: Initializers = {}
    try:
        if bytes(view[4:8]) == _ort_format.IDENTIFIER:
            tensors = [_Tensor(*tensor) for tensor in _ort_format.initializers(view)]
        else:
            reader = _Reader(view)
            reader.read()
            tensors = reader.initializers
    except (ProtobufError, _ort_format.OrtFormatError) as error:
        raise ModelFileError(f"{where}: not a readable model: {error}") from None
    for name, data_type, shape in tensors:
        kind = _NEW_TYPES.get(data_type) or element_type(data_type)
        found.setdefault(name, set()).add((kind, shape))
    return found


def _inspect(view: memoryview, where: str) -> ModelFile:
    try:
        return _Reader(view).read()
    except ProtobufError as error:
        # Checked only now: an ONNX file may have its producer's name at this place.
        if bytes(view[4:8]) == _ort_format.IDENTIFIER:
            raise ModelFileError(
                f"{where}: a model in ORT format, which only ONNX Runtime can read; "
                "inspect the .onnx file that it was made from"
            ) from None
        raise ModelFileError(f"{where}: not a readable ONNX model: {error}") from None


_Span = tuple[int, int]

_NEW_TYPES = {24: ElementType.FLOAT8E8M0, 25: ElementType.UINT2, 26: ElementType.INT2}
"""The element types that have another number in ONNX (`TensorProto.DataType`)."""


class _Tensor(NamedTuple):
    name: str
    data_type: int
    shape: tuple[int, ...]

    @property
    def is_narrow(self) -> bool:
        return self.data_type in NARROW_TYPES


class _Reader:
    """Walks through a `ModelProto` and reads every byte at most once.

    Nested graphs wait in a list instead of on Python's stack, so they may be nested to any depth.
    """

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._graphs: list[_Span] = []
        self._nodes: list[_Span] = []
        self._operators: Counter[tuple[str, str]] = Counter()
        self._files: dict[str, None] = {}  # a set that keeps the order
        self._narrow: set[str] = set()
        self._dequantized: set[str] = set()
        self._graph_name = ""
        self.initializers: list[_Tensor] = []
        """Those of all graphs, and constants by the name of their output."""

    def read(self) -> ModelFile:
        numbers: dict[int, int] = {}
        spans: dict[int, _Span] = {}
        opsets: dict[str, int] = {}
        metadata: dict[str, str] = {}
        has_graph = False
        for number, wire, start, end in fields(self._view, 0, len(self._view)):
            if wire == VARINT:
                numbers[number] = start
            elif number == 7:
                # If it occurs twice, the two are parts of one graph.
                has_graph = True
                self._read_graph(start, end, is_main=True)
            elif number == 8:
                domain, version = self._read_opset(start, end)
                opsets[domain] = version
            elif number == 14:
                key, value = self._read_entry(start, end)
                metadata[key] = value
            elif number == 25:  # FunctionProto, whose nodes are its field 7
                self._nodes += (
                    (a, b) for n, w, a, b in fields(self._view, start, end) if n == 7 and w == BYTES
                )
            else:
                spans[number] = start, end
        if not has_graph:
            raise ProtobufError("it has no graph")
        while self._nodes or self._graphs:
            while self._nodes:
                self._read_node(*self._nodes.pop())
            if self._graphs:
                self._read_graph(*self._graphs.pop())
        return ModelFile(
            ir_version=signed(numbers.get(1, 0)),
            producer_name=self._text(spans.get(2)),
            producer_version=self._text(spans.get(3)),
            domain=self._text(spans.get(4)),
            model_version=signed(numbers.get(5, 0)),
            doc_string=self._text(spans.get(6)),
            graph_name=self._graph_name,
            opset_imports=MappingProxyType(opsets),
            operators=self._operators,
            metadata=MappingProxyType(metadata),
            external_data_files=tuple(self._files),
            has_quantized_weights=not self._narrow.isdisjoint(self._dequantized),
        )

    def _read_graph(self, start: int, end: int, *, is_main: bool = False) -> None:
        for number, wire, a, b in fields(self._view, start, end):
            if wire != BYTES:
                continue
            if number == 1:
                self._nodes.append((a, b))
            elif number == 2 and is_main:
                self._graph_name = self._text((a, b))
            elif number == 5:
                # Names are assumed to be unique in the whole file, as exporters make them.
                tensor = self._read_tensor(a, b)
                self.initializers.append(tensor)
                if tensor.is_narrow:
                    self._narrow.add(tensor.name)
            elif number == 15:
                self.initializers.append(self._read_sparse_tensor(a, b))

    def _read_node(self, start: int, end: int) -> None:
        operator = domain = first_input = first_output = ""
        has_input = has_output = False
        tensors: list[_Tensor] = []
        for number, wire, a, b in fields(self._view, start, end):
            if wire != BYTES:
                continue
            if number == 1 and not has_input:
                has_input, first_input = True, self._text((a, b))
            elif number == 2 and not has_output:
                has_output, first_output = True, self._text((a, b))
            elif number == 4:
                operator = self._text((a, b))
            elif number == 5:
                tensors += self._read_attribute(a, b)
            elif number == 7:
                domain = self._text((a, b))
        key = _domain(domain), operator
        self._operators[key] += 1
        if key in DEQUANTIZE:
            self._dequantized.add(first_input)
        elif key == ("", "Constant"):
            self.initializers += [tensor._replace(name=first_output) for tensor in tensors]
            if any(tensor.is_narrow for tensor in tensors):
                self._narrow.add(first_output)

    def _read_attribute(self, start: int, end: int) -> list[_Tensor]:
        """Return the tensors that it holds."""
        tensors = []
        for number, wire, a, b in fields(self._view, start, end):
            if wire != BYTES:
                continue
            if number in (5, 10):
                tensors.append(self._read_tensor(a, b))
            elif number in (6, 11):
                self._graphs.append((a, b))
            elif number in (22, 23):
                tensors.append(self._read_sparse_tensor(a, b))
        return tensors

    def _read_sparse_tensor(self, start: int, end: int) -> _Tensor:
        tensor = _Tensor("", 0, ())
        shape: tuple[int, ...] = ()
        for number, wire, a, b in fields(self._view, start, end):
            if number == 3:
                shape += integers(self._view, wire, a, b)
            elif wire == BYTES and number == 1:
                tensor = self._read_tensor(a, b)
            elif wire == BYTES and number == 2:
                self._read_tensor(a, b)
        return tensor._replace(shape=shape)

    def _read_tensor(self, start: int, end: int) -> _Tensor:
        name, file = "", ""
        data_type, location = 0, 0
        shape: tuple[int, ...] = ()
        for number, wire, a, b in fields(self._view, start, end):
            if number == 1:
                shape += integers(self._view, wire, a, b)
            elif wire == VARINT:
                if number == 2:
                    data_type = a
                elif number == 14:
                    location = a
            elif number == 8:
                name = self._text((a, b))
            elif number == 13:
                key, value = self._read_entry(a, b)
                if key == "location":
                    file = value
        if location == 1 and file:
            self._files[file] = None
        return _Tensor(name, data_type, shape)

    def _read_opset(self, start: int, end: int) -> tuple[str, int]:
        domain, version = "", 0
        for number, wire, a, b in fields(self._view, start, end):
            if number == 1 and wire == BYTES:
                domain = self._text((a, b))
            elif number == 2 and wire == VARINT:
                version = signed(a)
        return _domain(domain), version

    def _read_entry(self, start: int, end: int) -> tuple[str, str]:
        """Read a `StringStringEntryProto`."""
        texts = {1: "", 2: ""}
        for number, wire, a, b in fields(self._view, start, end):
            if wire == BYTES and number in texts:
                texts[number] = self._text((a, b))
        return texts[1], texts[2]

    def _text(self, span: _Span | None) -> str:
        return "" if span is None else bytes(self._view[slice(*span)]).decode("utf-8", "replace")


def _domain(name: str) -> str:
    """ONNX's own domain has two names."""
    return "" if name == "ai.onnx" else name
