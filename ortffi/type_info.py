"""The types of a model's inputs and outputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ortffi._api import Api, ElementType, OnnxType, new
from ortffi.elements import DTYPES, element_type
from ortffi.environment import Environment

Shape = tuple[int | str | None, ...]
"""One entry per dimension: a length, the name of a symbolic dimension, or None if unknown."""


@dataclass(frozen=True)
class TypeInfo:
    """The type of a value, including the types of its items.

    Attributes:
        kind: a tensor, a sequence, a map, an optional ...
        element_type: of a tensor; `UNDEFINED` otherwise.
        shape: of a tensor; None for other kinds or an unknown rank. A library older than 1.24
            reports `()` for an unknown rank, as for a scalar.
        item: the type of a sequence's items, an optional's content, or a map's values.
        key_type: the type of a map's keys.
    """

    kind: OnnxType
    element_type: ElementType = ElementType.UNDEFINED
    shape: Shape | None = None
    item: TypeInfo | None = None
    key_type: ElementType | None = None

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """Return the dtype that represents a tensor's elements, None for other kinds."""
        return DTYPES.get(self.element_type)

    @property
    def rank(self) -> int | None:
        """Return the number of dimensions, None if unknown."""
        return None if self.shape is None else len(self.shape)

    def __str__(self) -> str:
        if self.kind is OnnxType.MAP:
            key = self.key_type.name.lower() if self.key_type is not None else "?"
            return f"map from {key} to {self.item}"
        if self.item is not None:
            return f"{self.kind.name.lower()} of {self.item}"
        if self.shape is None:
            return f"{self.kind.name.lower()} of {self.element_type.name.lower()}"
        lengths = ", ".join("?" if length is None else str(length) for length in self.shape)
        return f"{self.kind.name.lower()} of {self.element_type.name.lower()} [{lengths}]"


@dataclass(frozen=True)
class ValueInfo:
    """An input or an output of a model: its name and its type."""

    name: str
    type: TypeInfo

    @property
    def kind(self) -> OnnxType:
        """Return the kind of value."""
        return self.type.kind

    @property
    def element_type(self) -> ElementType:
        """Return the element type of a tensor, `UNDEFINED` for other kinds."""
        return self.type.element_type

    @property
    def shape(self) -> Shape | None:
        """Return the shape of a tensor; see `TypeInfo`."""
        return self.type.shape

    @property
    def rank(self) -> int | None:
        """Return the number of dimensions, None if unknown."""
        return self.type.rank

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """Return the dtype that represents a tensor's elements, None for other kinds."""
        return self.type.dtype


def read_infos(
    environment: Environment,
    session: int,
    get_count: Callable[..., None],
    get_name: Callable[..., None],
    get_type: Callable[..., None],
) -> tuple[ValueInfo, ...]:
    """Return all inputs or all outputs, as three functions of the C API describe them."""
    count = ctypes.c_size_t()
    get_count(session, ctypes.byref(count))
    infos = []
    for index in range(count.value):
        name = environment.take_string(new(get_name, session, index, environment.allocator))
        type_info = new(get_type, session, index)
        try:
            infos.append(ValueInfo(name, _read_type(environment.api, type_info)))
        finally:
            environment.api.ReleaseTypeInfo(type_info)
    return tuple(infos)


def _read_type(api: Api, type_info: int) -> TypeInfo:
    number = ctypes.c_int()
    api.GetOnnxTypeFromTypeInfo(type_info, ctypes.byref(number))
    kind = OnnxType(number.value) if number.value in _KINDS else OnnxType.UNKNOWN
    # `type_info` owns what a cast returns.
    if kind in (OnnxType.TENSOR, OnnxType.SPARSETENSOR):
        found, shape = read_shape(api, new(api.CastTypeInfoToTensorInfo, type_info))
        return TypeInfo(kind, found, shape)
    if kind is OnnxType.SEQUENCE:
        sequence = new(api.CastTypeInfoToSequenceTypeInfo, type_info)
        return TypeInfo(kind, item=_take_type(api, new(api.GetSequenceElementType, sequence)))
    if kind is OnnxType.MAP:
        map_type = new(api.CastTypeInfoToMapTypeInfo, type_info)
        api.GetMapKeyType(map_type, ctypes.byref(number))
        item = _take_type(api, new(api.GetMapValueType, map_type))
        return TypeInfo(kind, item=item, key_type=element_type(number.value))
    if kind is OnnxType.OPTIONAL and api.has("CastTypeInfoToOptionalTypeInfo"):
        optional = new(api.CastTypeInfoToOptionalTypeInfo, type_info)
        return TypeInfo(kind, item=_take_type(api, new(api.GetOptionalContainedTypeInfo, optional)))
    return TypeInfo(kind)


_KINDS = OnnxType._value2member_map_


def _take_type(api: Api, type_info: int) -> TypeInfo:
    try:
        return _read_type(api, type_info)
    finally:
        api.ReleaseTypeInfo(type_info)


def read_shape(api: Api, info: int) -> tuple[ElementType, Shape | None]:
    """Return element type and shape from an `OrtTensorTypeAndShapeInfo*`."""
    number, rank = ctypes.c_int(), ctypes.c_size_t()
    api.GetTensorElementType(info, ctypes.byref(number))
    found = element_type(number.value)
    if api.has("TensorTypeAndShape_HasShape") and not api.TensorTypeAndShape_HasShape(info):
        return found, None
    api.GetDimensionsCount(info, ctypes.byref(rank))
    lengths = (ctypes.c_int64 * rank.value)()
    symbols = (ctypes.c_char_p * rank.value)()
    api.GetDimensions(info, lengths, rank.value)
    api.GetSymbolicDimensions(info, symbols, rank.value)
    return found, tuple(
        length if length >= 0 else (symbol or b"").decode("utf-8", "replace") or None
        for length, symbol in zip(lengths, symbols, strict=True)
    )
