"""Reading the initializers of a model in ORT format.

The format is FlatBuffers (https://flatbuffers.dev/internals) with ONNX Runtime's schema
(onnxruntime/core/flatbuffers/schema/ort.fbs). A field's number is its place in its table.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

IDENTIFIER = b"ORTM"
"""At byte 4."""

_MODEL, _GRAPH = 1, 7
_INITIALIZERS, _NODES, _SPARSE_INITIALIZERS = 0, 2, 7
_ATTRIBUTES = 10
_SUBGRAPH, _SUBGRAPHS = 7, 12
_NAME, _DIMS, _DATA_TYPE = 0, 2, 3
_VALUES, _SPARSE_DIMS = 0, 2


class OrtFormatError(ValueError):
    """The bytes are not a model in ORT format."""


def initializers(view: memoryview) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Yield name, ONNX data type and shape of each initializer, those of subgraphs included.

    Raises:
        OrtFormatError: the bytes are damaged.
    """
    try:
        yield from _Tables(view).initializers()
    except struct.error as error:
        raise OrtFormatError(f"an offset goes beyond the end: {error}") from error


class _Tables:
    """Tables are known by their offsets; 0 is none. Offsets only go forward."""

    def __init__(self, view: memoryview) -> None:
        self._view = view

    def initializers(self) -> Iterator[tuple[str, int, tuple[int, ...]]]:
        graphs = [self._table(self._table(self._follow(0), _MODEL), _GRAPH)]
        seen = set()
        while graphs:
            graph = graphs.pop()
            if not graph or graph in seen:
                continue
            seen.add(graph)
            for tensor in self._tables(graph, _INITIALIZERS):
                yield self._tensor(tensor, self._numbers(tensor, _DIMS))
            for sparse in self._tables(graph, _SPARSE_INITIALIZERS):
                shape = self._numbers(sparse, _SPARSE_DIMS)
                yield self._tensor(self._table(sparse, _VALUES), shape)
            for node in self._tables(graph, _NODES):
                for attribute in self._tables(node, _ATTRIBUTES):
                    graphs.append(self._table(attribute, _SUBGRAPH))
                    graphs += self._tables(attribute, _SUBGRAPHS)

    def _tensor(self, tensor: int, shape: tuple[int, ...]) -> tuple[str, int, tuple[int, ...]]:
        at = self._field(tensor, _DATA_TYPE)
        data_type = self._number("<i", at) if at else 0
        at = self._field(tensor, _NAME)
        if not at:
            return "", data_type, shape
        start = self._follow(at)
        name = bytes(self._view[start + 4 :][: self._number("<I", start)])
        return name.decode("utf-8", "replace"), data_type, shape

    def _numbers(self, table: int, field: int) -> tuple[int, ...]:
        start, count = self._vector(table, field, 8)
        return struct.unpack_from(f"<{count}q", self._view, start)

    def _tables(self, table: int, field: int) -> list[int]:
        start, count = self._vector(table, field, 4)
        return [self._follow(start + 4 * index) for index in range(count)]

    def _table(self, table: int, field: int) -> int:
        at = self._field(table, field)
        return self._follow(at) if at else 0

    def _vector(self, table: int, field: int, size: int) -> tuple[int, int]:
        at = self._field(table, field)
        if not at:
            return 0, 0
        start = self._follow(at)
        count = self._number("<I", start)
        if count * size > len(self._view) - start - 4:
            raise OrtFormatError(f"a list at byte {start} goes beyond the end")
        return start + 4, count

    def _field(self, table: int, field: int) -> int:
        """Return where a field of a table is, 0 if it has its default."""
        if not table:
            return 0
        layout = table - self._number("<i", table)
        if layout < 0:
            raise OrtFormatError(f"the table at byte {table} has no layout")
        entry = 4 + 2 * field
        if entry + 2 > self._number("<H", layout):
            return 0
        offset = self._number("<H", layout + entry)
        return table + offset if offset else 0

    def _follow(self, at: int) -> int:
        return at + self._number("<I", at)

    def _number(self, form: str, at: int) -> int:
        number: int = struct.unpack_from(form, self._view, at)[0]
        return number
