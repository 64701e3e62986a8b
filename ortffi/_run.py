"""The hot path of `Session.run`.

Each combination of names has a `Call`, which keeps `Plan`s, some for each combination of the
inputs' shapes and dtypes. A thread takes one for the time of a run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ortffi._api import ElementType, OnnxType
from ortffi._handle import release_with
from ortffi._lending import Lender, Lent
from ortffi._plan import (
    STAGED_BYTES,
    Functions,
    Plan,
    address_of_view,
    c_strings,
    view_first_byte,
)
from ortffi.elements import DTYPES, PACKED_BITS, Array
from ortffi.environment import Environment
from ortffi.errors import OrtError, check
from ortffi.tensors import AddressSpace, describe_tensor, read_tensor
from ortffi.type_info import ValueInfo
from ortffi.value import borrowed_by, require_strings_in_sequences

_SHAPES_KEPT = 64
"""Combinations of shapes remembered per call; a service sees the same few, a fuzzer does not."""

_IDLE_PLANS = 8
"""Plans kept of one combination: as many as threads can use at once without making new ones."""

_NUMERIC = {
    int(key): dtype
    for key, dtype in DTYPES.items()
    if key is not ElementType.STRING and key not in PACKED_BITS
}
_INT64_ARRAYS = [ctypes.c_int64 * rank for rank in range(65)]
"""For every rank that numpy has."""

Key = tuple[Any, ...]
"""For each input that is an array its shape and its dtype, None for others."""

_NO_PLANS: list[Plan] = []
"""Where there are none yet; nothing is ever put into it."""


class Call:
    """A session's `Run` with a fixed tuple of input names and of output names.

    Args:
        environment: the loaded library.
        functions: of its vtable.
        inputs: what is known of each input; names that the model does not have have no entry.
        input_names: in the order of the values.
        outputs: likewise.
        output_names: in the order of the results.
        may_bind: whether the session computes in the host's memory only. On another device a bound
            input is copied there when it is bound, and what is written to it later is not seen.
    """

    def __init__(
        self,
        environment: Environment,
        functions: Functions,
        inputs: dict[str, ValueInfo],
        input_names: tuple[str, ...],
        outputs: dict[str, ValueInfo],
        output_names: tuple[str, ...],
        may_bind: bool,
    ) -> None:
        self._environment = environment
        self._functions = functions
        self._run_with_binding = functions.run_with_binding
        self._quiet = functions.quiet
        self.input_names = input_names
        self.output_names = output_names
        self._input_strings = c_strings("the name of an input", input_names)
        self._output_strings = c_strings("a name in output_names", output_names)
        infos = [inputs.get(name) for name in input_names]
        self._lender = Lender(environment, input_names, infos)
        self._output_infos = [outputs.get(name) for name in output_names]
        for info in self._output_infos:
            item = info.type.item if info is not None else None
            if item is not None and item.element_type is ElementType.STRING:
                require_strings_in_sequences(environment)
        self._plans: dict[Key, list[Plan]] = {}
        # An output that is asked for twice, or is an input as well, shares its memory with the
        # other, and ONNX Runtime does not write it to the array that is bound for it. All others
        # have memory of their own.
        self._may_share = len({*input_names, *output_names}) == len(input_names) + len(output_names)
        self._shares_inputs = [
            name in input_names or info is None or info.kind is not OnnxType.TENSOR
            for name, info in zip(output_names, self._output_infos, strict=True)
        ]
        """Which outputs may show the memory of an input: the others have memory of their own. If
        they kept the inputs alive, a program that feeds its outputs back would keep them all."""
        self.other_outputs = "; ".join(
            f"output {info.name!r} is a {info.kind.name.lower()}"
            for info in self._output_infos
            if info is not None and info.kind is not OnnxType.TENSOR
        )
        """Which outputs are no tensors, in words; empty where all are."""
        self.optional_inputs = tuple(
            name
            for name, info in zip(input_names, infos, strict=True)
            if info is not None and info.kind is OnnxType.OPTIONAL
        )
        """Those for which None may be given, and the C API is given nothing then."""
        known = [*infos, *self._output_infos]
        self._may_bind = may_bind and self._may_share and None not in known
        self._last: list[Plan] = []
        self._large: list[Plan] = []

    def __call__(
        self,
        session: ctypes.c_void_p,
        options: ctypes.c_void_p,
        values: Sequence[Any],
        copy: bool,
    ) -> list[Array]:
        """Run; `values` are in the order of the names, `options` may be null.

        With `copy` no array of the result shows ONNX Runtime's memory.
        """
        # Loops, for a comprehension costs a call before Python 3.12.
        ndarray = np.ndarray
        shapes: list[Any] = []
        for value in values:
            if type(value) is ndarray:
                shapes.append(value.shape)
                shapes.append(value.dtype)
            else:
                shapes.append(None)
        key = tuple(shapes)
        plans = self._plans.get(key, _NO_PLANS)
        try:
            plan = plans.pop()
        except IndexError:
            plans, plan = self._new_plan(key, values)
        for index, target in plan.staged:
            target[...] = values[index]
        bound = plan.bound
        if bound is None or (options and not plan.small):
            return self._run(session, options, values, copy, plan, plans)
        for index, borrowed in plan.borrowed:
            try:
                address = address_of_view(view_first_byte(values[index]))
            except (TypeError, ValueError):
                return self._run(session, options, values, copy, plan, plans)
            if address != borrowed.bound_address:
                if address % borrowed.alignment:
                    return self._run(session, options, values, copy, plan, plans)
                plan.move(index, borrowed, address)
        if not plan.small:
            for output in plan.bound_outputs:
                if output.spare.shown() is not None:
                    output.rebind(bound)
        status = self._run_with_binding(session, options or self._quiet, bound)
        if status:
            return self._unbind(plan, status, session, options, values, copy, plans)
        result = []
        for output in plan.bound_outputs:
            spare = output.spare
            result.append(spare.array.copy() if copy or output.small else spare.show())
        # Not where another thread has bound another combination's large outputs meanwhile.
        if plan.small or self._large is plans:
            plans.append(plan)
        return result

    def run_into(
        self,
        session: ctypes.c_void_p,
        options: ctypes.c_void_p,
        values: Sequence[Any],
        targets: Sequence[int | None],
    ) -> list[tuple[int, tuple[object, ...]]]:
        """Run with some outputs allocated before.

        Returns:
            The `OrtValue*` of every output, of which the caller releases those that had no
            target, and what of the inputs must live as long.
        """
        plan = self._plan()
        for index, target in enumerate(targets):
            plan.outputs[index] = target
        lent: list[Lent] = []
        try:
            for index, value in enumerate(values):
                plan.inputs[index] = self._lender.lend(index, value, lent)
            status = self._functions.run(session, options, *plan.run_arguments)
            if status:
                check(self._environment.api, status, "Run")
            borrowed = borrowed_by(thing for _, thing in lent)
            return [
                (output, borrowed if may_share else ())
                for output, may_share in zip(plan.outputs, self._shares_inputs, strict=True)
            ]
        except BaseException:
            for item, target in zip(plan.output_items, targets, strict=True):
                if item and target is None:
                    self._functions.release(item)
            raise
        finally:
            for give_back, _ in lent:
                give_back()

    def _run(
        self,
        session: ctypes.c_void_p,
        options: ctypes.c_void_p,
        values: Sequence[Any],
        copy: bool,
        plan: Plan,
        plans: list[Plan],
    ) -> list[Array]:
        """Run with a plan whose staged inputs are in place, and give the plan back."""
        lent: list[Lent] = []
        pointers = plan.inputs
        try:
            for index, borrowed in plan.borrowed:
                try:
                    address = address_of_view(view_first_byte(values[index]))
                except (TypeError, ValueError):
                    pointers[index] = self._lender.lend(index, values[index], lent)
                    continue
                if address != borrowed.address:
                    if address % borrowed.alignment:
                        pointers[index] = self._lender.lend(index, values[index], lent)
                        continue
                    borrowed.move(address)
                pointers[index] = borrowed.value
            for index in plan.others:
                pointers[index] = self._lender.lend(index, values[index], lent)
            status = self._functions.run(session, options, *plan.run_arguments)
            if status:
                check(self._environment.api, status, "Run")
            result = []
            for item in plan.output_items:
                result.append(self._take(plan, item, copy))
            if self._may_bind and plan.bound is None:
                self._try_to_bind(session, plan, plans, result, copy)
            return result
        finally:
            for give_back, _ in lent:
                give_back()
            for item in plan.output_items:
                if item:
                    self._functions.release(item)
                    item.value = None
            if len(plans) < _IDLE_PLANS and (plan.small or self._large is plans):
                plans.append(plan)

    def _plan(self) -> Plan:
        return Plan(self._environment, self._functions, self._input_strings, self._output_strings)

    def _new_plan(self, key: Key, values: Sequence[Any]) -> tuple[list[Plan], Plan]:
        plan = self._plan()
        for index, value in enumerate(values):
            if type(value) is np.ndarray:
                array, element_type = self._lender.resolve(index, value)
                # What is carried by another dtype, or packed, is converted anew for every run.
                if array is value and int(element_type) in _NUMERIC:
                    if value.nbytes <= STAGED_BYTES:
                        plan.stage(index, value, element_type)
                    else:
                        plan.borrow(index, value, element_type)
                    continue
            plan.others.append(index)
        if key not in self._plans and len(self._plans) >= _SHAPES_KEPT:
            self._plans.clear()
        return self._plans.setdefault(key, []), plan

    def _try_to_bind(
        self,
        session: ctypes.c_void_p,
        plan: Plan,
        plans: list[Plan],
        result: Sequence[Array],
        copy: bool,
    ) -> None:
        """Bind a plan whose outputs' shapes seem fixed: two runs gave the same.

        They need not be, where they depend on what is in the inputs; ONNX Runtime refuses to write
        to an array of another shape.
        """
        shapes = [array.shape for array in result]
        if plan.others or plan.shapes != shapes:
            plan.shapes = shapes
            return
        outputs = []
        for array, info in zip(result, self._output_infos, strict=True):
            if info is None or _NUMERIC.get(int(info.element_type)) != array.dtype:
                return
            outputs.append((array, info.element_type))
        if any(array.nbytes > STAGED_BYTES for array in result):
            # Arrays for large outputs are kept for one combination of shapes only, the last that
            # came twice in a row, and not for who copies them anyway.
            if copy:
                return
            if self._last is not plans:
                self._last = plans
                return
            if self._large is not plans:
                self._large.clear()
                self._large = plans
        plan.bind(session.value or 0, outputs)

    def _unbind(
        self,
        plan: Plan,
        status: int,
        session: ctypes.c_void_p,
        options: ctypes.c_void_p,
        values: Sequence[Any],
        copy: bool,
        plans: list[Plan],
    ) -> list[Array]:
        """Do a failed bound run again, not bound, which tells what is wrong if anything is.

        If nothing is, then the outputs' shapes are not always the same, and this call never binds
        again.
        """
        plan.unbind()
        try:
            check(self._environment.api, status, "RunWithBinding")
        except OrtError:
            result = self._run(session, options, values, copy, plan, plans)
        # The plan is given back: it may be another thread's already.
        self._may_bind = False
        return result

    def _take(self, plan: Plan, item: ctypes.c_void_p, copy: bool) -> Array:
        """Turn an output into an array: a small one is copied, a large one owns its memory."""
        functions = self._functions
        if functions.describe is None:
            found, shape = describe_tensor(self._environment, item.value or 0)
            dtype = _NUMERIC.get(found)
        else:
            status = functions.describe(item, *plan.description_references)
            if status:
                check(self._environment.api, status, "GetTensorElementTypeAndShapeDataReference")
            number, shape_address, rank = plan.description[:]
            dtype = _NUMERIC.get(number)
            shape = tuple(_INT64_ARRAYS[rank].from_address(shape_address)[:]) if rank else ()
        if dtype is None:
            return read_tensor(self._environment, item.value or 0)
        status = functions.data(item, plan.data_reference)
        if status:
            check(self._environment.api, status, "GetTensorMutableData")
        address = plan.data.value
        if address is None:
            return np.empty(shape, dtype)
        memory: Any = AddressSpace.from_address(address)
        # numpy refuses a shape whose element count overflows.
        array: Array = np.ndarray(shape, dtype, memory)
        if copy or not self._may_share or array.nbytes <= STAGED_BYTES:
            return array.copy()
        release_with(memory, self._environment.api.ReleaseValue, item.value or 0)
        item.value = None
        return array
