"""C arguments that are made once and reused by many runs.

ONNX Runtime runs a trivial model in about one and a half microseconds. Making the arguments of each
run with ctypes would take ten more, and allocating a large output takes longer than computing it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from ortffi._api import ElementType, LogLevel, c_string, new
from ortffi._handle import Owned, WeakObjects
from ortffi.elements import Array
from ortffi.environment import Environment
from ortffi.errors import check
from ortffi.tensors import AddressSpace, address_of, create_tensor

STAGED_BYTES = 4096
"""Inputs and outputs up to this size are copied into and out of memory that keeps its `OrtValue`
between runs: copying them (0.2 us) is faster than making and releasing a value (1.7 us)."""

_SPARES = 2
"""Arrays kept for a large output: `y = session.run(x)` in a loop holds one while the next is
computed."""

CStrings = ctypes.Array[ctypes.c_char_p]

_WORD = ctypes.sizeof(ctypes.c_void_p)

view_first_byte = ctypes.c_char.from_buffer
"""With `address_of_view` the fastest way to get an array's address. Raises TypeError or ValueError
if the memory is read-only, not contiguous, or empty."""

address_of_view = ctypes.addressof


class Functions:
    """The functions of the vtable that runs call, without conversions; see `Api.raw`."""

    def __init__(self, environment: Environment) -> None:
        api = environment.api
        self.run = api.raw("Run")
        self.run_with_binding = api.raw("RunWithBinding")
        self.create = api.raw("CreateTensorWithDataAsOrtValue", keeps_gil=True)
        self.data = api.raw("GetTensorMutableData", keeps_gil=True)
        self.release = api.raw("ReleaseValue", keeps_gil=True)
        self.bind_input = api.raw("BindInput", keeps_gil=True)
        self.bind_output = api.raw("BindOutput", keeps_gil=True)
        name = "GetTensorElementTypeAndShapeDataReference"
        self.describe = api.raw(name, keeps_gil=True) if api.has(name) else None
        """None for a library older than 1.25, for which `describe_tensor` is used."""
        self.quiet = ctypes.c_void_p()
        """Run options that silence the bound runs of plans: if one fails, it is repeated unbound,
        and that run reports the error. Null before the first `Plan.bind`."""
        self._quiet: Owned | None = None
        self.session: Owned | None = None
        """What plans are bound to; None before the session is made and after `close`."""
        self._bound_plans: WeakObjects[Plan] = WeakObjects()
        self._api = api
        self._lock = threading.RLock()

    def make_quiet(self) -> None:
        """Create `quiet` if it does not exist."""
        with self._lock:
            if not self.quiet:
                pointer = new(self._api.CreateRunOptions)
                self._quiet = Owned(pointer, self._api.ReleaseRunOptions)
                self._api.RunOptionsSetRunLogSeverityLevel(pointer, LogLevel.FATAL)
                self.quiet.value = pointer

    def remember(self, plan: Plan) -> None:
        """Make sure that `close` unbinds a plan."""
        with self._lock:
            self._bound_plans.add(plan)

    def close(self) -> None:
        """Release `quiet`, and the plans' bindings, which keep the session."""
        # A plan may still exist: the traceback of a failed run keeps it alive.
        for plan in self._bound_plans.alive():
            plan.unbind()
        self.quiet.value = self._quiet = self.session = None


class Borrowed:
    """An input that ONNX Runtime reads in place, in many runs.

    Shape and element type are fixed. An `OrtValue` of borrowed memory consists of these and an
    address, so it can be reused for every array at that address.

    Attributes:
        address: the address that `value` refers to, 0 if there is no value.
        bound_address: the address of the `OrtValue` that a plan has bound.
        alignment: every address must be a multiple of this.
        value: the `OrtValue*`.
    """

    def __init__(
        self,
        environment: Environment,
        functions: Functions,
        array: Array,
        element_type: ElementType,
    ) -> None:
        self.address = 0
        self.bound_address = 0
        self.alignment = array.dtype.alignment
        self.value = ctypes.c_void_p()
        self._owned = Owned(self.value, environment.api.ReleaseValue)
        self._api = environment.api
        self._create = functions.create
        self._data = ctypes.c_void_p()
        self._arguments = (
            ctypes.c_void_p(environment.cpu_memory_info),
            self._data,
            ctypes.c_size_t(array.nbytes),
            (ctypes.c_int64 * array.ndim)(*array.shape),
            ctypes.c_size_t(array.ndim),
            ctypes.c_int(element_type),
            ctypes.byref(self.value),
        )

    def move(self, address: int) -> None:
        """Refer to the array at another address."""
        self.release()
        self._data.value = address
        status = self._create(*self._arguments)
        if status:
            check(self._api, status, "CreateTensorWithDataAsOrtValue")
        self.address = address

    def release(self) -> None:
        """Release the `OrtValue`, if there is one."""
        pointer, self.value.value, self.address = self.value.value, None, 0
        if pointer:
            self._api.ReleaseValue(pointer)


class _Spare:
    """Memory for an output with its `OrtValue`, and whether a result still uses it.

    Each result array has its own buffer object as its base, and so do all views of it. The memory
    can be reused when that object has been collected. A reference count of the array would not do:
    the interpreter decides how many references a running function holds.

    Attributes:
        array: the memory; results are copies of it or come from `show`.
        value: the `OrtValue*`.
        shown: a weak reference to the buffer object of the last result.
    """

    __slots__ = ("_address", "_like", "_owned", "array", "shown", "value")

    def __init__(self, environment: Environment, array: Array, element_type: ElementType) -> None:
        self.array = array
        self._address, self._like = address_of(array), (array.shape, array.dtype)
        pointer, _ = create_tensor(environment, array, element_type)
        self._owned = Owned(pointer, environment.api.ReleaseValue, array)
        self.value = ctypes.c_void_p(pointer)
        self.shown: Callable[[], object] = _nothing

    def show(self) -> Array:
        """Return the memory as a new array."""
        memory: Any = AddressSpace.from_address(self._address)
        memory.alive = self.array
        self.shown = ref(memory)
        return np.ndarray(*self._like, memory)


def _nothing() -> None:
    """Stand in for a dead weak reference."""


class BoundOutput:
    """Memory for an output that stays bound until a result uses it.

    Attributes:
        small: whether results are copies of the memory.
        spare: the memory that is bound.
    """

    def __init__(
        self,
        environment: Environment,
        functions: Functions,
        name: bytes,
        like: Array,
        element_type: ElementType,
    ) -> None:
        self._environment = environment
        self._bind = functions.bind_output
        self._name = ctypes.c_char_p(name)
        self._shape, self._dtype, self._element_type = like.shape, like.dtype, element_type
        self._spares: list[_Spare] = []
        self.small = like.nbytes <= STAGED_BYTES
        self.spare: _Spare

    def rebind(self, bound: ctypes.c_void_p) -> None:
        """Bind memory that no result uses; allocate it if necessary."""
        spares = self._spares
        for spare in spares:
            if spare.shown() is None:
                spares.remove(spare)
                break
        else:
            if len(spares) >= _SPARES:
                spares.pop(0)
            array = np.empty(self._shape, self._dtype)
            spare = _Spare(self._environment, array, self._element_type)
        spares.append(spare)
        self.spare = spare
        status = self._bind(bound, self._name, spare.value)
        if status:
            check(self._environment.api, status, "BindOutput")


class Plan:
    """The C arguments of one run at a time, for inputs of given shapes and dtypes.

    Attributes:
        staged: inputs that are copied: their index and the array they are copied to.
        borrowed: inputs that are read in place: their index and their `Borrowed`.
        others: the indices of inputs whose `OrtValue` is made for each run.
        inputs: the `OrtValue*` of each input; those of staged inputs are fixed, the others are set
            for each run.
        outputs: the `OrtValue*` of each output, null before a run; `output_items` are views of
            its elements.
        run_arguments: the arguments of `Run` after the session and the run options.
        description: element type, address of the shape, and rank of an output.
        bound: an `OrtIoBinding*` of the staged and borrowed inputs and of arrays for the outputs,
            or None.
        small: whether the results of all bound outputs are copies.
        bound_outputs: the memory of each bound output.
        shapes: the output shapes of the last unbound run.
    """

    def __init__(
        self,
        environment: Environment,
        functions: Functions,
        input_names: CStrings,
        output_names: CStrings,
    ) -> None:
        n_inputs, n_outputs = len(input_names), len(output_names)
        self.staged: list[tuple[int, Array]] = []
        self.borrowed: list[tuple[int, Borrowed]] = []
        self.others: list[int] = []
        self.inputs = (ctypes.c_void_p * n_inputs)()
        self.outputs = (ctypes.c_void_p * n_outputs)()
        self.run_arguments = (
            input_names,
            self.inputs,
            ctypes.c_size_t(n_inputs),
            output_names,
            ctypes.c_size_t(n_outputs),
            self.outputs,
        )
        self.output_items = [
            ctypes.c_void_p.from_buffer(self.outputs, _WORD * index) for index in range(n_outputs)
        ]
        self.data = ctypes.c_void_p()
        self.data_reference = ctypes.byref(self.data)
        self.description = (ctypes.c_size_t * 3)()
        self.description_references = tuple(
            ctypes.byref(self.description, _WORD * index) for index in range(3)
        )
        self.bound: ctypes.c_void_p | None = None
        self.bound_outputs: list[BoundOutput] = []
        self.small = True
        self.shapes: list[tuple[int, ...]] | None = None
        self._staged: list[Owned] = []
        self._binding: Owned | None = None
        self._environment = environment
        self._functions = functions
        self._names = (input_names, output_names)

    def stage(self, index: int, array: Array, element_type: ElementType) -> None:
        """Copy an input into an array that this plan keeps, with its `OrtValue`."""
        target = array.copy(order="C")
        pointer, _ = create_tensor(self._environment, target, element_type)
        self._staged.append(Owned(pointer, self._environment.api.ReleaseValue, target))
        self.staged.append((index, target))
        self.inputs[index] = pointer

    def borrow(self, index: int, array: Array, element_type: ElementType) -> None:
        """Read an input in place."""
        borrowed = Borrowed(self._environment, self._functions, array, element_type)
        self.borrowed.append((index, borrowed))

    def bind(self, session: int, outputs: Sequence[tuple[Array, ElementType]]) -> None:
        """Bind the staged inputs, and arrays like these outputs, for `RunWithBinding`.

        Borrowed inputs are bound by `move`.
        """
        self._functions.make_quiet()
        self._functions.remember(self)
        try:
            self._bind(session, outputs)
        except BaseException:
            self.unbind()
            raise

    def _bind(self, session: int, outputs: Sequence[tuple[Array, ElementType]]) -> None:
        api = self._environment.api
        pointer = new(api.CreateIoBinding, session)
        # Everything bound to a session is released before it.
        self._binding = Owned(pointer, api.ReleaseIoBinding, self._functions.session)
        bound = ctypes.c_void_p(pointer)
        input_names, output_names = self._names
        for index, _ in self.staged:
            api.BindInput(pointer, input_names[index], self.inputs[index])
        bound_outputs = []
        for name, (like, element_type) in zip(output_names, outputs, strict=True):
            output = BoundOutput(self._environment, self._functions, name, like, element_type)
            output.rebind(bound)
            bound_outputs.append(output)
        self.bound_outputs = bound_outputs
        self.small = all(array.nbytes <= STAGED_BYTES for array, _ in outputs)
        self.bound = bound

    def move(self, index: int, borrowed: Borrowed, address: int) -> None:
        """Bind a borrowed input at its current address."""
        if address != borrowed.address:
            borrowed.move(address)
        borrowed.bound_address = 0
        name = ctypes.c_char_p(self._names[0][index])
        status = self._functions.bind_input(self.bound, name, borrowed.value)
        if status:
            check(self._environment.api, status, "BindInput")
        borrowed.bound_address = address

    def unbind(self) -> None:
        """Release the binding, if any. No other thread may be using the plan."""
        self.bound, self.bound_outputs, self.shapes = None, [], None
        self.small = True
        for _, borrowed in self.borrowed:
            borrowed.bound_address = 0
        self._binding = None


def c_strings(what: str, names: Iterable[str]) -> CStrings:
    """Return names as an array of C strings; see `c_string`."""
    encoded = [c_string(what, name) for name in names]
    return (ctypes.c_char_p * len(encoded))(*encoded)
