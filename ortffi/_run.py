"""The hot path of `Session.run`.

Each combination of names has a `Call`, which keeps some `Plan`s for each combination of the inputs'
shapes and dtypes. A thread takes one of them for a run and then returns it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ortffi._api import ElementType, OnnxType
from ortffi._extents import Extent, check_apart, extents
from ortffi._handle import Owned
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
"""Combinations of shapes that a call keeps; a service uses the same few, a fuzzer does not."""

_IDLE_PLANS = 8
"""Plans that a combination keeps: so many threads can run at once without making new ones."""

_NUMERIC = {
    int(key): dtype
    for key, dtype in DTYPES.items()
    if key is not ElementType.STRING and key not in PACKED_BITS
}
_INT64_ARRAYS = [ctypes.c_int64 * rank for rank in range(65)]
"""For every rank that numpy has."""

Key = tuple[Any, ...]
"""Shape and dtype of each input that is an array, None for other inputs."""

_NO_PLANS: list[Plan] = []
"""The plans of a new combination; nothing is ever added to it."""


class Call:
    """A session's `Run` with a fixed tuple of input names and of output names.

    Args:
        environment: the loaded library.
        functions: of its vtable.
        inputs: the model's inputs by name.
        input_names: in the order of the values; the model may lack some.
        outputs: the model's outputs by name.
        output_names: in the order of the results; the model may lack some.
        may_bind: whether the session computes only in host memory. On another device an input is
            copied when it is bound, and later changes of it are not seen.
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
        # An output that is requested twice, or is also an input, shares memory with the other one,
        # and ONNX Runtime does not write it to its bound array. All others have memory of their
        # own.
        self._may_share = len({*input_names, *output_names}) == len(input_names) + len(output_names)
        self._shares_inputs = [
            name in input_names or info is None or info.kind is not OnnxType.TENSOR
            for name, info in zip(output_names, self._output_infos, strict=True)
        ]
        """Which outputs may share an input's memory. The others must not keep the inputs alive: a
        program that feeds its outputs back would never free any of them."""
        self.other_outputs = "; ".join(
            f"output {info.name!r} is a {info.kind.name.lower()}"
            for info in self._output_infos
            if info is not None and info.kind is not OnnxType.TENSOR
        )
        """Describes the outputs that are not tensors, for an error message; empty if all are."""
        self.optional_inputs = tuple(
            name
            for name, info in zip(input_names, infos, strict=True)
            if info is not None and info.kind is OnnxType.OPTIONAL
        )
        """The optional inputs: for None, nothing is passed to the C API."""
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

        With `copy` no result uses ONNX Runtime's memory.
        """
        # Loops, because a comprehension is a function call before Python 3.12.
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
        # Not if another thread has meanwhile bound large outputs of another combination.
        if plan.small or self._large is plans:
            plans.append(plan)
        return result

    def run_into(
        self,
        session: ctypes.c_void_p,
        options: ctypes.c_void_p,
        values: Sequence[Any],
        targets: Sequence[int | None],
        written: Sequence[Extent],
        weights: Sequence[Extent],
    ) -> list[tuple[int, tuple[object, ...]]]:
        """Run with memory given for some outputs.

        Args:
            session: the `OrtSession*`.
            options: the `OrtRunOptions*` or null.
            values: of the inputs.
            targets: the `OrtValue*` of each output, None for one that the run makes.
            written: the memory of the targets.
            weights: other memory that the session reads.

        Returns:
            For every output its `OrtValue*` and the inputs' objects that must live as long. The
            caller releases the values of the outputs without a target.

        Raises:
            ValueError: a target overlaps another one, an input or a weight.
        """
        plan = self._plan()
        for index, target in enumerate(targets):
            plan.outputs[index] = target
        lent: list[Lent] = []
        try:
            for index, value in enumerate(values):
                plan.inputs[index] = self._lender.lend(index, value, lent)
            if written:
                read = [
                    extent
                    for name, (_, thing) in zip(self.input_names, lent, strict=True)
                    for extent in extents(f"input {name!r}", thing)
                ]
                check_apart(written, [*read, *weights])
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
        """Run with a plan whose staged inputs are already copied, and return the plan."""
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
                # Arrays that must be converted or packed are converted in every run.
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
        """Bind a plan whose output shapes seem fixed, because two runs gave the same shapes.

        The shapes may still change if they depend on the inputs' elements. ONNX Runtime then
        refuses to write to an array of another shape.
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
            # Arrays for large outputs are kept only for one combination of shapes, the last one
            # that came twice in a row, and not if the caller wants copies.
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
        """Repeat a failed bound run unbound, which reports the error if there is one.

        If there is none, the outputs' shapes vary, and this call never binds again.
        """
        plan.unbind()
        try:
            check(self._environment.api, status, "RunWithBinding")
        except OrtError:
            result = self._run(session, options, values, copy, plan, plans)
        # The plan has been returned, so another thread may already use it.
        self._may_bind = False
        return result

    def _take(self, plan: Plan, item: ctypes.c_void_p, copy: bool) -> Array:
        """Convert an output to an array: copy a small one, take over a large one's memory."""
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
        # Two owners, if a signal handler raised between these two, would release it twice.
        pointer, item.value = item.value or 0, None
        memory.alive = Owned(pointer, self._environment.api.ReleaseValue)
        return array
