"""The inputs of a run: conversion of the caller's arguments to `OrtValue`s, which a run borrows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ortffi._api import ElementType, ErrorCode, OnnxType
from ortffi._handle import Loan
from ortffi.elements import DTYPES, Array, resolve, spell
from ortffi.environment import Environment
from ortffi.errors import InvalidArgumentError
from ortffi.tensors import create_tensor
from ortffi.type_info import TypeInfo, ValueInfo
from ortffi.value import Value, is_nothing

Lent = tuple[Callable[[], object], object]
"""A function that ends the loan of an `OrtValue`, and an object to keep alive until then."""


class Lender:
    """Makes the `OrtValue` of each input of a call, for one run at a time.

    Args:
        environment: the loaded library.
        names: of the inputs, for error messages.
        infos: the model's description of each input; None for a name that it does not have.
    """

    def __init__(
        self,
        environment: Environment,
        names: Sequence[str],
        infos: Sequence[ValueInfo | None],
    ) -> None:
        self._environment = environment
        self._names = names
        self._infos = infos
        self._empty_sequences: dict[ElementType, Value] = {}

    def lend(self, index: int, value: Any, lent: list[Lent]) -> int:
        """Return the `OrtValue*` of an input, valid until the caller ends the loan.

        Args:
            index: of the input.
            value: what the caller of the run passed.
            lent: gets an entry for the loan.

        Raises:
            TypeError: the input cannot be made from such a value.
            ValueError: an element is out of range, or the input is an empty sequence of a kind
                that cannot be made.
            InvalidArgumentError: it does not have the model's element type.
            ClosedError: a `Value` is closed.
        """
        environment = self._environment
        info = self._infos[index]
        if isinstance(value, np.ndarray):
            array, element_type = self.resolve(index, value)
            try:
                pointer, alive = create_tensor(environment, array, element_type)
            except (TypeError, ValueError) as error:  # an element that is not a string
                raise type(error)(f"input {self._names[index]!r}: {error}") from error
            lent.append((partial(environment.api.ReleaseValue, pointer), alive))
            return pointer
        if not isinstance(value, Value):
            value = self._convert(index, value, info)
        loan: Loan = value.handle.lend()
        lent.append((loan.leave, value))
        pointer = loan.enter()
        if is_nothing(value):
            name = self._names[index]
            raise TypeError(f"input {name!r} is not optional, but the value is an empty optional")
        if value.kind is OnnxType.TENSOR and info is not None:
            expected = info.element_type
            if value.element_type is not expected and expected in DTYPES:
                self._refuse(index, expected, value.element_type)
        return pointer

    def resolve(self, index: int, array: Array) -> tuple[Array, ElementType]:
        """Return an array in the dtype that represents its element type, and that type.

        ONNX Runtime itself refuses an unknown name, and a tensor for another kind of input.

        Raises:
            TypeError: the dtype does not represent an element type.
            ValueError: a number is out of range for the element type.
            InvalidArgumentError: the element type is not the model's.
        """
        info = self._infos[index]
        expected = info.element_type if info is not None else ElementType.UNDEFINED
        try:
            if expected in DTYPES and array.dtype == DTYPES[expected]:
                return resolve(array, expected)
            array, found = resolve(array)
        except TypeError as error:
            raise TypeError(f"input {self._names[index]!r}: {error}") from error
        except ValueError as error:
            raise ValueError(f"input {self._names[index]!r}: {error}") from error
        if found is not expected and expected in DTYPES:
            self._refuse(index, expected, found)
        return array, found

    def _refuse(self, index: int, expected: ElementType, found: ElementType) -> None:
        message = f"input {self._names[index]!r} must be {spell(expected)}, not {spell(found)}"
        raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, "Run")

    def _convert(self, index: int, value: Any, info: ValueInfo | None) -> Value:
        wanted = info.type if info is not None else TypeInfo(OnnxType.TENSOR)
        if wanted.kind is OnnxType.OPTIONAL:
            # A library older than 1.15 does not say what it may contain.
            wanted = wanted.item or TypeInfo(_kind_of(value))
        try:
            if wanted.kind is OnnxType.SEQUENCE and isinstance(value, list | tuple):
                if not value and wanted.item is not None:
                    return self._empty_sequence(wanted.item)
                return Value.from_sequence(value)
            if wanted.kind is OnnxType.MAP and isinstance(value, dict):
                return Value.from_mapping(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"input {self._names[index]!r}: {error}") from error
        expected = {OnnxType.SEQUENCE: "a list", OnnxType.MAP: "a dict"}.get(
            wanted.kind, "a numpy array"
        )
        given = type(value).__name__
        raise TypeError(f"input {self._names[index]!r} must be {expected} or a Value, not {given}")

    def _empty_sequence(self, item: TypeInfo) -> Value:
        """Return an empty sequence of tensors, always the same one: nothing can change it."""
        if item.kind is not OnnxType.TENSOR:
            raise ValueError(f"an empty sequence of {item.kind.name.lower()}s cannot be made")
        found = self._empty_sequences.get(item.element_type)
        if found is None:
            found = Value.from_sequence([], item.element_type)
            self._empty_sequences[item.element_type] = found
        return found


def _kind_of(value: Any) -> OnnxType:
    if isinstance(value, list | tuple):
        return OnnxType.SEQUENCE
    return OnnxType.MAP if isinstance(value, dict) else OnnxType.TENSOR
