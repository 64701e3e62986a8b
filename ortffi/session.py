"""A loaded model, and running it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ortffi._api import Api, ElementType, ErrorCode, OnnxType, new
from ortffi._handle import Handle, Owner
from ortffi._run import Call, Functions
from ortffi.environment import Environment
from ortffi.errors import InvalidArgumentError
from ortffi.run_options import RunOptions
from ortffi.value import DTYPES, Array, Value, element_type

_NO_OPTIONS = ctypes.c_void_p()

_CALLS_KEPT = 16
"""Combinations of input and output names remembered by a session; most programs use one or two."""


@dataclass(frozen=True)
class TensorInfo:
    """What a model says about one input or output.

    Attributes:
        name: its name in the graph.
        kind: a tensor, or something that ortffi does not move (a sequence, a map ...).
        element_type: of a tensor; `UNDEFINED` otherwise.
        shape: one entry a dimension: a length, the name of a symbolic dimension, or None where
            the model says nothing. Empty for scalars, for unknown ranks, and where it is no tensor.
    """

    name: str
    kind: OnnxType
    element_type: ElementType
    shape: tuple[int | str | None, ...]

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """Return the dtype of the elements, or None where numpy has none."""
        return DTYPES.get(self.element_type)


class Session(Owner):
    """A model, ready to run. Made by `SessionBuilder`; a context manager.

    Threads may share it and run it at the same time. It is closed by `close`, the end of a `with`
    block, or garbage collection.

    Attributes:
        inputs: what goes in, in the model's order.
        outputs: what comes out, in the model's order.
    """

    def __init__(self, environment: Environment, pointer: int, keep_alive: object = None) -> None:
        api = environment.api
        self._environment = environment
        super().__init__(Handle(pointer, api.ReleaseSession, "session", keep_alive))
        self.inputs = _describe(
            environment, pointer, api.SessionGetInputCount, api.SessionGetInputName,
            api.SessionGetInputTypeInfo,
        )  # fmt: skip
        self.outputs = _describe(
            environment, pointer, api.SessionGetOutputCount, api.SessionGetOutputName,
            api.SessionGetOutputTypeInfo,
        )  # fmt: skip
        self._pointer = ctypes.c_void_p(pointer)
        self._input_types = {info.name: info.element_type for info in self.inputs}
        self._functions = Functions(environment)
        self._calls: dict[tuple[tuple[str, ...], tuple[str, ...] | None], Call] = {}

    def run(
        self,
        inputs: Mapping[str, Array | Value],
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
    ) -> list[Array]:
        """Run the model (`Run`), without the GIL while it computes.

        Args:
            inputs: an array or a `Value` for each input's name. The memory of aligned
                C-contiguous arrays is borrowed for the time of the call, others are copied.
            output_names: which outputs to compute, in the order wanted; all in the model's order
                by default.
            options: of this run.

        Returns:
            A new C-contiguous array for each output; strings as an array of `str` objects.

        Raises:
            TypeError: `inputs` is no mapping by `str`, `output_names` is one `str`, an input is no
                array or its dtype is no element type, or an output is no tensor.
            InvalidArgumentError: a name is unknown or missing, an element type, a rank or a fixed
                dimension is not the model's.
            ClosedError: the session, the options or a value is closed.
            OrtError: the run failed.
        """
        if type(inputs) is not dict and not isinstance(inputs, Mapping):
            raise TypeError(f"inputs must be a mapping by name, not {type(inputs).__name__}")
        if isinstance(output_names, str):
            raise TypeError("output_names must be a sequence of names, not one str")
        key = (tuple(inputs), None if output_names is None else tuple(output_names))
        call = self._calls.get(key)
        if call is None:
            call = self._new_call(*key)
        self._handle.enter()
        try:
            if options is None:
                return call(self._pointer, _NO_OPTIONS, inputs)
            with options.handle as pointer:
                return call(self._pointer, ctypes.c_void_p(pointer), inputs)
        finally:
            self._handle.leave()

    def _new_call(self, input_names: tuple[str, ...], output_names: tuple[str, ...] | None) -> Call:
        kinds = {info.name: info.kind for info in self.outputs}
        requested = tuple(kinds) if output_names is None else output_names
        for name in requested:
            # An unknown name is left for ONNX Runtime to refuse.
            if kinds.get(name, OnnxType.TENSOR) is not OnnxType.TENSOR:
                raise TypeError(f"output {name!r} is a {kinds[name].name.lower()}, not a tensor")
        call = Call(self._environment, self._functions, self._input_types, input_names, requested)
        for info in self.inputs:
            # ONNX Runtime lets it pass and fails in the first kernel that reads it.
            if info.name not in input_names:
                given = ", ".join(map(repr, input_names)) or "none"
                message = f"input {info.name!r} is missing; given: {given}"
                raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, "Run")
        if len(self._calls) >= _CALLS_KEPT:
            self._calls.clear()
        self._calls[input_names, output_names] = call
        return call


def _describe(
    environment: Environment,
    session: int,
    get_count: Callable[..., None],
    get_name: Callable[..., None],
    get_type: Callable[..., None],
) -> tuple[TensorInfo, ...]:
    count = ctypes.c_size_t()
    get_count(session, ctypes.byref(count))
    infos = []
    for index in range(count.value):
        name = environment.take_string(new(get_name, session, index, environment.allocator))
        type_info = new(get_type, session, index)
        try:
            infos.append(_read_type(environment.api, name, type_info))
        finally:
            environment.api.ReleaseTypeInfo(type_info)
    return tuple(infos)


def _read_type(api: Api, name: str, type_info: int) -> TensorInfo:
    kind = ctypes.c_int()
    api.GetOnnxTypeFromTypeInfo(type_info, ctypes.byref(kind))
    if kind.value != OnnxType.TENSOR:
        return TensorInfo(name, OnnxType(kind.value), ElementType.UNDEFINED, ())
    tensor = new(api.CastTypeInfoToTensorInfo, type_info)  # belongs to type_info
    number, rank = ctypes.c_int(), ctypes.c_size_t()
    api.GetTensorElementType(tensor, ctypes.byref(number))
    api.GetDimensionsCount(tensor, ctypes.byref(rank))
    lengths = (ctypes.c_int64 * rank.value)()
    symbols = (ctypes.c_char_p * rank.value)()
    api.GetDimensions(tensor, lengths, rank.value)
    api.GetSymbolicDimensions(tensor, symbols, rank.value)
    shape = tuple(
        length if length >= 0 else (symbol or b"").decode("utf-8", "replace") or None
        for length, symbol in zip(lengths, symbols, strict=True)
    )
    return TensorInfo(name, OnnxType.TENSOR, element_type(number.value), shape)
