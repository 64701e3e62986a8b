"""The hot path of `Session.run`: C arguments that are made once and used for run after run.

A run on a trivial model takes ONNX Runtime about two microseconds; making its arguments anew with
ctypes would take ten more. So each combination of names has a `Call`, which keeps `Workspace`s:
arrays of pointers, out-parameters, and memory for small inputs. A thread takes one
for the time of a run.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ortffi._api import ElementType, ErrorCode, c_string
from ortffi.environment import Environment
from ortffi.errors import InvalidArgumentError, check
from ortffi.value import (
    DTYPES,
    Array,
    Value,
    create_tensor,
    element_type_of,
    read_tensor,
)

_STAGED_BYTES = 4096
"""Inputs up to this size are copied into memory that keeps its `OrtValue` from run to run: for
them making and releasing a value takes longer (1.7 us) than copying (0.2 us)."""

_SHAPES_KEPT = 64
"""Shapes remembered per input; a service sees the same few lengths, a fuzzer does not."""

_MEMORY = ctypes.c_char * sys.maxsize
"""All memory from an address on, as a buffer from which numpy takes what a shape needs. A type of
the right length for every output would be made anew whenever the length changes."""

_NUMERIC = {int(key): dtype for key, dtype in DTYPES.items() if key is not ElementType.STRING}
_MAX_RANK = 15
_INT64_ARRAYS = [ctypes.c_int64 * rank for rank in range(_MAX_RANK + 1)]


CStrings = ctypes.Array[ctypes.c_char_p]

Lent = tuple[Callable[[], object], object]
"""How to give back what a run holds, and what must stay alive until then."""


class Functions:
    """The functions of the vtable that a run calls, without conversions; see `Api.raw`."""

    def __init__(self, environment: Environment) -> None:
        api = environment.api
        self.run = api.raw("Run")
        self.data = api.raw("GetTensorMutableData", keeps_gil=True)
        self.release = api.raw("ReleaseValue", keeps_gil=True)
        name = "GetTensorElementTypeAndShapeDataReference"
        self.describe = api.raw(name, keeps_gil=True) if api.has(name) else None
        """None for a library older than 1.25: tensors are then read by `read_tensor`."""


@dataclass(frozen=True)
class Staged:
    """Memory of our own for a small input, and the `OrtValue*` that shows it."""

    array: Array
    pointer: int


Staging = dict[tuple[tuple[int, ...], np.dtype[Any]], Staged]


class Workspace:
    """Room for the C arguments of one run at a time.

    Attributes:
        run_arguments: what `Run` takes after the session and the run options.
        inputs: the `OrtValue*` of each input.
        outputs: the `OrtValue*` of each output, null before a run; `output_items` are views of
            its elements.
        staging: for each input, by shape and dtype, where to copy it; only what was checked to
            fit the input is in it.
    """

    def __init__(
        self, input_names: CStrings, output_names: CStrings, release: Callable[[int], None]
    ) -> None:
        n_inputs, n_outputs = len(input_names), len(output_names)
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
        word = ctypes.sizeof(ctypes.c_void_p)
        self.output_items = [
            ctypes.c_void_p.from_buffer(self.outputs, word * index) for index in range(n_outputs)
        ]
        self.data = ctypes.c_void_p()
        self.element_type = ctypes.c_int()
        self.shape = ctypes.c_void_p()
        self.rank = ctypes.c_size_t()
        self.data_reference = ctypes.byref(self.data)
        self.description_references = (
            ctypes.byref(self.element_type),
            ctypes.byref(self.shape),
            ctypes.byref(self.rank),
        )
        self.staging: list[Staging] = [{} for _ in range(n_inputs)]
        self._release = release
        weakref.finalize(self, _release_staging, self.staging, release).atexit = False

    def stage(self, index: int, array: Array, staged: Staged) -> None:
        """Remember where an input of this shape and dtype is copied to."""
        staging = self.staging[index]
        if len(staging) >= _SHAPES_KEPT:
            _release_staging([staging], self._release)
        staging[array.shape, array.dtype] = staged


def _release_staging(staging: list[Staging], release: Callable[[int], None]) -> None:
    for values in staging:
        while values:
            release(values.popitem()[1].pointer)


class Call:
    """A session's `Run` with a fixed tuple of input names and of output names."""

    def __init__(
        self,
        environment: Environment,
        functions: Functions,
        input_types: Mapping[str, ElementType],
        input_names: Iterable[str],
        output_names: Iterable[str],
    ) -> None:
        self._environment = environment
        self._functions = functions
        self._input_types = input_types
        self._input_names = c_strings(input_names)
        self._output_names = c_strings(output_names)
        self._free: list[Workspace] = []

    def __call__(
        self,
        session: ctypes.c_void_p,
        options: ctypes.c_void_p,
        inputs: Mapping[str, Array | Value],
    ) -> list[Array]:
        """Run; `inputs` has the names of this call, in its order, `options` may be null."""
        functions = self._functions
        try:
            workspace = self._free.pop()
        except IndexError:
            release = self._environment.api.ReleaseValue
            workspace = Workspace(self._input_names, self._output_names, release)
        pointers = workspace.inputs
        lent: list[Lent] = []
        try:
            for index, (name, value) in enumerate(inputs.items()):
                if isinstance(value, np.ndarray):
                    staged = workspace.staging[index].get((value.shape, value.dtype))
                    if staged is None:
                        self._create(workspace, index, name, value, lent)
                    else:
                        staged.array[...] = value
                        pointers[index] = staged.pointer
                elif isinstance(value, Value):
                    pointers[index] = value.handle.enter()
                    lent.append((value.handle.leave, None))
                    self._check_type(name, value.element_type)
                else:
                    kind = type(value).__name__
                    raise TypeError(f"input {name!r} must be a numpy array, not {kind}")
            status = functions.run(session, options, *workspace.run_arguments)
            if status:
                check(self._environment.api, status, "Run")
            return [self._read(workspace, item) for item in workspace.output_items]
        finally:
            for give_back, _ in lent:
                give_back()
            for item in workspace.output_items:
                if item:
                    functions.release(item)
                    item.value = None
            self._free.append(workspace)

    def _create(
        self, workspace: Workspace, index: int, name: str, array: Array, lent: list[Lent]
    ) -> None:
        """Make the `OrtValue` of an input, for this run or, if it is small, to be kept."""
        try:
            element_type = element_type_of(array)
        except TypeError as error:
            raise TypeError(f"input {name!r}: {error}") from error
        self._check_type(name, element_type)
        environment = self._environment
        stage = array.nbytes <= _STAGED_BYTES and element_type is not ElementType.STRING
        if stage:
            array = array.copy(order="C")
        pointer, alive = create_tensor(environment, array, element_type)
        workspace.inputs[index] = pointer
        if stage:
            workspace.stage(index, array, Staged(array, pointer))
        else:
            lent.append((partial(environment.api.ReleaseValue, pointer), alive))

    def _check_type(self, name: str, found: ElementType) -> None:
        # An unknown name, and one whose value is no tensor, is left for ONNX Runtime to refuse.
        expected = self._input_types.get(name, found)
        if found is not expected and expected in DTYPES:
            message = f"input {name!r} must be {_spell(expected)}, not {_spell(found)}"
            raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, "Run")

    def _read(self, workspace: Workspace, item: ctypes.c_void_p) -> Array:
        """Copy an output into a new array."""
        functions = self._functions
        if functions.describe is None:
            return read_tensor(self._environment, item.value or 0)
        status = functions.describe(item, *workspace.description_references)
        if status:
            check(self._environment.api, status, "GetTensorElementTypeAndShapeDataReference")
        dtype = _NUMERIC.get(workspace.element_type.value)
        rank = workspace.rank.value
        if dtype is None or rank > _MAX_RANK:
            return read_tensor(self._environment, item.value or 0)
        # numpy refuses a shape whose element count overflows.
        shape = _INT64_ARRAYS[rank].from_address(workspace.shape.value or 0)[:] if rank else ()
        status = functions.data(item, workspace.data_reference)
        if status:
            check(self._environment.api, status, "GetTensorMutableData")
        memory: Any = _MEMORY.from_address(workspace.data.value or 0)
        return np.ndarray(shape, dtype, memory).copy()


def _spell(element_type: ElementType) -> str:
    return "str" if element_type is ElementType.STRING else DTYPES[element_type].name


def c_strings(names: Iterable[str]) -> CStrings:
    """Return names as an array of C strings; see `c_string`."""
    encoded = [c_string("a name of an input or output", name) for name in names]
    return (ctypes.c_char_p * len(encoded))(*encoded)
