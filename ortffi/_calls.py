"""The calls of a session, by the names of their inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ortffi._api import ErrorCode, OnnxType
from ortffi._plan import Functions
from ortffi._run import Call
from ortffi.environment import Environment
from ortffi.errors import InvalidArgumentError
from ortffi.type_info import ValueInfo
from ortffi.value import is_nothing

_CALLS_KEPT = 16
"""Combinations of input and output names that a session keeps; most programs use one or two."""

Inputs = Mapping[str, Any] | Sequence[Any]
"""Inputs by name or in the model's order. Each is an array or a `Value`, a list of these for a
sequence, a dict for a map, or None for an empty optional."""

Key = tuple[tuple[str, ...], tuple[str, ...] | None]


class Calls:
    """Finds the `Call` for the arguments of a run, and makes it the first time.

    Args:
        environment: the loaded library.
        functions: of its vtable.
        inputs: of the model, in its order.
        overridable_initializers: of the model.
        outputs: of the model, in its order.
        may_bind: as for `Call`.
        made: holds the calls; the session clears it before it is released.

    Attributes:
        inputs: by name, overridable initializers included.
        outputs: by name.
    """

    def __init__(
        self,
        environment: Environment,
        functions: Functions,
        inputs: Sequence[ValueInfo],
        overridable_initializers: Sequence[ValueInfo],
        outputs: Sequence[ValueInfo],
        may_bind: bool,
        made: dict[Key, Call],
    ) -> None:
        self._environment = environment
        self._functions = functions
        self._input_names = tuple(info.name for info in inputs)
        self._output_names = tuple(info.name for info in outputs)
        self._required = tuple(info.name for info in inputs if info.kind is not OnnxType.OPTIONAL)
        self._may_bind = may_bind
        self._made = made
        self.inputs = {info.name: info for info in (*overridable_initializers, *inputs)}
        self.outputs = {info.name: info for info in outputs}

    def prepare(
        self, inputs: Inputs, output_names: Sequence[str] | None, *, tensors: bool = True
    ) -> tuple[Call, tuple[Any, ...]]:
        """Return the `Call` for a run, and the values of its inputs in its order.

        Args:
            inputs: as for `Session.run`.
            output_names: as for `Session.run`.
            tensors: whether outputs of other kinds are refused.

        Raises:
            TypeError: `inputs` is neither a mapping nor a sequence, `output_names` is one `str`,
                or an output is not a tensor.
            InvalidArgumentError: an input is missing, or there are too many.
        """
        # A copy: another thread may change the mapping meanwhile.
        named = inputs.copy() if type(inputs) is dict else self._named(inputs)
        if output_names is not None:
            if isinstance(output_names, str):
                raise _no_names(output_names)
            try:
                output_names = tuple(output_names)
            except TypeError:
                raise _no_names(output_names) from None
        key = (tuple(named), output_names)
        try:
            call = self._made.get(key)
        except TypeError:  # a name that is not hashable
            call = None
        if call is None:
            call = self._new_call(*key)
        if call.optional_inputs:
            # ONNX Runtime treats a missing input as empty, but crashes on an empty value.
            given = {
                name: value
                for name, value in named.items()
                if name not in call.optional_inputs or not is_nothing(value)
            }
            if len(given) < len(named):
                return self.prepare(given, output_names, tensors=tensors)
        if tensors and call.other_outputs:
            raise TypeError(f"{call.other_outputs}, not a tensor; use run_values")
        return call, tuple(named.values())

    def _named(self, inputs: Inputs) -> dict[str, Any]:
        if isinstance(inputs, Mapping):
            return dict(inputs)
        if not isinstance(inputs, list | tuple):
            kind = type(inputs).__name__
            raise TypeError(f"inputs must be a mapping by name, a list or a tuple, not {kind}")
        if len(inputs) > len(self._input_names):
            message = f"{len(inputs)} inputs were given; there are {len(self._input_names)}"
            raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, "Run")
        return dict(zip(self._input_names, inputs, strict=False))

    def _new_call(self, input_names: tuple[str, ...], output_names: tuple[str, ...] | None) -> Call:
        wanted = self._output_names if output_names is None else output_names
        call = Call(
            self._environment, self._functions, self.inputs, input_names, self.outputs, wanted,
            self._may_bind,
        )  # fmt: skip
        for name in self._required:
            # ONNX Runtime does not check this and fails in the first kernel that reads it.
            if name not in input_names:
                given = ", ".join(map(repr, input_names)) or "none"
                message = f"input {name!r} is missing; given: {given}"
                raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, "Run")
        if len(self._made) >= _CALLS_KEPT:
            self._made.clear()
        self._made[input_names, output_names] = call
        return call


def _no_names(output_names: object) -> TypeError:
    kind = type(output_names).__name__
    return TypeError(f"output_names must be a sequence of names, not one {kind}")
