"""Inputs and outputs that are bound to memory for many runs."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn, cast

import numpy as np

from ortffi._api import OnnxType, c_string, new
from ortffi._extents import Extent, check_apart, extents
from ortffi._handle import Handle, Owned, Owner
from ortffi._plan import Functions
from ortffi.elements import Array, resolve, spell
from ortffi.environment import Environment
from ortffi.errors import check
from ortffi.memory import Memory, memory_info
from ortffi.run_options import RunOptions, handle_of
from ortffi.tensors import is_viewable
from ortffi.type_info import ValueInfo
from ortffi.value import Value, borrowed_by, is_nothing, own_all, require_writeable


class IoBinding(Owner):
    """A session's inputs and outputs, bound to memory once and used by run after run.

    Made by `Session.bind`. The next run reads what you write to a bound input, and each run
    overwrites the bound outputs. Between runs the arrays belong to the caller. Only one run is
    active at a time; other threads wait. A context manager; closed by `close`, its session's
    `close`, the end of a `with` block, or garbage collection.
    """

    def __init__(
        self,
        environment: Environment,
        session: Handle,
        functions: Functions,
        inputs: Mapping[str, ValueInfo],
        outputs: Mapping[str, ValueInfo],
        weights: Sequence[Extent],
    ) -> None:
        self._api = api = environment.api
        self._environment = environment
        self._session = session
        self._inputs = inputs
        self._outputs = outputs
        self._weights = weights
        self._extents: dict[tuple[str, str], list[Extent]] = {}
        self._ready: tuple[Array, ...] | None = None
        """The arrays that the next run writes to; None if something must be prepared before it."""
        self._memories: dict[str, Memory] = {}
        self._lock = threading.RLock()
        with session.lend() as session_pointer:
            pointer = new(api.CreateIoBinding, session_pointer)
            alive: dict[tuple[str, str], Owned] = {}
            # Everything bound to a session is released before it.
            handle = Handle(
                pointer, api.ReleaseIoBinding, "binding", session.share(), alive, lock=self._lock
            )
            super().__init__(handle)
        run, bound = functions.run_with_binding, ctypes.c_void_p(pointer)
        session_address = ctypes.c_void_p(session_pointer)
        self._run: Callable[[], int | None] = partial(
            run, session_address, ctypes.c_void_p(), bound
        )
        self._run_with: Callable[[int], int | None] = lambda options: run(
            session_address, ctypes.c_void_p(options), bound
        )

    def bind_input(self, name: str, source: Array | Value) -> None:
        """Use an array or a value as an input from now on (`BindInput`).

        An array is borrowed. A session on a GPU copies the input to the GPU in this call, so bind
        it again when it has changed.

        Raises:
            TypeError: not an array or a value, or it does not have the model's element type.
            ValueError: the session has no such input, or the array's memory cannot be borrowed
                (not C-contiguous, not aligned).
            OrtError: ONNX Runtime refused the input.
        """
        value = _borrow(name, source, _find("input", name, self._inputs))
        with self._handle.lend() as pointer, self._lock, self._session.lend():
            self._bind("input", self._api.BindInput, pointer, name, value)

    def bind_output(self, name: str, target: Array | Value | Memory = Memory.CPU) -> None:
        """Choose where an output goes from now on (`BindOutput`, `BindOutputToDevice`).

        Args:
            name: the output.
            target: an array or a value with the output's exact shape and element type, or a
                memory in which ONNX Runtime allocates the output for each run.

        Raises:
            TypeError: not an array, a value or a memory, or it does not have the model's element
                type.
            ValueError: the session has no such output, the output is also an input, or the
                memory is read-only or cannot be borrowed (not C-contiguous, not aligned).
            OrtError: ONNX Runtime refused the target.
        """
        if isinstance(target, Memory):
            c_string("name", name)
            _find("output", name, self._outputs)
            with self._handle.lend() as pointer, self._lock, self._session.lend():
                self._bind_to_memory(pointer, name, target)
                self._memories[name] = target
                self._forget("output", name)
                self._ready = None
            return
        value = borrow_output(name, target, self._outputs, self._inputs)
        with self._handle.lend() as pointer, self._lock, self._session.lend():
            self._bind("output", self._api.BindOutput, pointer, name, value)
            self._memories.pop(name, None)

    def run(self, options: RunOptions | None = None) -> None:
        """Compute the bound outputs from the bound inputs (`RunWithBinding`).

        Raises:
            InvalidArgumentError: an input has a wrong rank or dimension.
            TerminatedError: the options' `terminate` was called, or a deadline has passed.
            ClosedError: the binding, the session or the options are closed.
            ValueError: the target of an output is read-only now, or overlaps an input, another
                target, or a weight that the session borrows.
            OrtError: the run failed, an input is not bound, or an output's target has another
                shape than the output.
        """
        try:
            with self._lock:  # which makes this thread a user
                written = self._ready
                if written is None:
                    written = self._get_ready()
                for array in written:
                    if not array.flags.writeable:
                        self._refuse(array)
                if options is None:
                    status = self._run()
                else:
                    with handle_of(options).lend() as pointer:
                        status = self._run_with(pointer)
        finally:
            if self._ready is None and self._handle.release_is_due:
                self._handle.release_if_unused()
        if status:
            check(self._api, status, "RunWithBinding")

    def outputs(self) -> dict[str, Value]:
        """Return the outputs of the last run by name, in the order they were bound.

        Calls `GetBoundOutputNames` and `GetBoundOutputValues`. The values share the bound memory:
        the next run overwrites those that have a target.
        """
        with self._handle.lend() as pointer, self._lock, self._session.lend():
            names = self._bound_output_names(pointer)
            values, count = ctypes.c_void_p(), ctypes.c_size_t()
            api, allocator = self._api, self._environment.allocator
            api.GetBoundOutputValues(pointer, allocator, ctypes.byref(values), ctypes.byref(count))
            if not count.value:
                return {}
            try:
                array = (ctypes.c_size_t * count.value).from_address(values.value or 0)[:]
            finally:
                api.AllocatorFree(allocator, values)
            # Before the first run there are no values.
            made = own_all(self._environment, [
                (value, (self._session.share(), *self._borrowed_by(name)))
                for name, value in zip(names, array, strict=True)
            ])  # fmt: skip
            return dict(zip(names, made, strict=True))

    def synchronize_inputs(self) -> None:
        """Wait until the inputs are copied to the device (`SynchronizeBoundInputs`)."""
        with self._handle.lend() as pointer, self._lock, self._session.lend():
            self._api.SynchronizeBoundInputs(pointer)

    def synchronize_outputs(self) -> None:
        """Wait until the outputs on the device are complete (`SynchronizeBoundOutputs`)."""
        with self._handle.lend() as pointer, self._lock, self._session.lend():
            self._api.SynchronizeBoundOutputs(pointer)

    def clear_inputs(self) -> None:
        """Unbind all inputs (`ClearBoundInputs`)."""
        self._clear("input", self._api.ClearBoundInputs)

    def clear_outputs(self) -> None:
        """Unbind all outputs (`ClearBoundOutputs`)."""
        self._clear("output", self._api.ClearBoundOutputs)

    def close(self) -> None:
        """Wait for the run, then release the binding. Calling it again does nothing.

        Called during a run by the same thread, for example by a signal handler, it returns at
        once: the binding is released when that run ends.
        """
        self._handle.closed = True
        with self._lock:
            self._ready = None
        self._handle.close()

    def check_apart(self) -> None:
        """Raise ValueError if memory for an output overlaps other memory that is bound.

        Every run checks it. While inputs and outputs change places, they may overlap.
        """
        sides: dict[str, list[Extent]] = {"input": [], "output": []}
        for (side, _), found in tuple(self._extents.items()):
            sides[side] += found
        check_apart(sides["output"], [*sides["input"], *self._weights])

    def _get_ready(self) -> tuple[Array, ...]:
        """Prepare a run after a change of what is bound, and every run with a `Memory`.

        Returns:
            The arrays that it writes to.
        """
        handle = self._handle
        handle.check_open()
        self.check_apart()
        # Otherwise ONNX Runtime would overwrite the outputs of the last run.
        for name, memory in tuple(self._memories.items()):
            self._bind_to_memory(handle.pointer, name, memory)
        written = tuple(array for _, array in self._targets())
        self._ready = None if self._memories or handle.closed else written
        return written

    def _targets(self) -> list[tuple[str, Array]]:
        """Return the name of each bound output, and each array that its target borrows."""
        return [
            (name, kept)
            for (side, name), owned in tuple(self._alive.items())
            if side == "output"
            for kept in owned.keep_alive
            if isinstance(kept, np.ndarray)
        ]

    def _refuse(self, read_only: Array) -> NoReturn:
        name = next(name for name, array in self._targets() if array is read_only)
        raise ValueError(f"the memory for output {name!r} is read-only")

    def _bind(self, side: str, bind: Any, pointer: int, name: str, value: Value) -> None:
        with value.handle.lend() as value_pointer:
            bind(pointer, c_string("name", name), value_pointer)
            self._alive[side, name] = value.handle.share()
        self._ready = None
        self._extents[side, name] = list(extents(f"{side} {name!r}", value))

    @property
    def _alive(self) -> dict[tuple[str, str], Owned]:
        """Return what is bound. Only for callers that have entered."""
        return cast("dict[tuple[str, str], Owned]", self._handle.share().keep_alive[-1])

    def _forget(self, side: str, name: str) -> None:
        self._alive.pop((side, name), None)
        self._extents.pop((side, name), None)

    def _borrowed_by(self, name: str) -> tuple[object, ...]:
        """Return the objects whose memory an output may share: its target, or the inputs.

        Most outputs have memory of their own; see `Call`.
        """
        info = self._outputs.get(name)
        may_share = name in self._inputs or info is None or info.kind is not OnnxType.TENSOR
        return borrowed_by(
            owned
            for key, owned in self._alive.items()
            if key == ("output", name) or (may_share and key[0] == "input")
        )

    def _clear(self, side: str, clear: Any) -> None:
        with self._handle.lend() as pointer, self._lock, self._session.lend():
            clear(pointer)
            if side == "output":
                self._memories.clear()
            self._forget_all(side)

    def _forget_all(self, side: str) -> None:
        for found, name in tuple(self._alive):
            if found == side:
                self._forget(found, name)

    def _bind_to_memory(self, pointer: int, name: str, memory: Memory) -> None:
        with memory_info(self._environment, memory) as info:
            self._api.BindOutputToDevice(pointer, c_string("name", name), info)

    def _bound_output_names(self, pointer: int) -> list[str]:
        api, allocator = self._api, self._environment.allocator
        text, lengths, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        api.GetBoundOutputNames(
            pointer, allocator, ctypes.byref(text), ctypes.byref(lengths), ctypes.byref(count)
        )
        if not count.value:
            return []
        try:
            sizes = (ctypes.c_size_t * count.value).from_address(lengths.value or 0)[:]
            raw = ctypes.string_at(text.value or 0, sum(sizes))
        finally:
            api.AllocatorFree(allocator, text)
            api.AllocatorFree(allocator, lengths)
        names = []
        for size in sizes:
            names.append(raw[:size].decode("utf-8", "replace"))
            raw = raw[size:]
        return names


def _find(side: str, name: str, infos: Mapping[str, ValueInfo]) -> ValueInfo:
    if not isinstance(name, str):
        raise TypeError(f"the name of an {side} must be a str, not {type(name).__name__}")
    info = infos.get(name)
    if info is None:
        known = ", ".join(map(repr, infos)) or "none"
        raise ValueError(f"there is no {side} {name!r}; there are {known}")
    return info


def borrow_output(
    name: str,
    target: Array | Value,
    outputs: Mapping[str, ValueInfo],
    inputs: Mapping[str, ValueInfo],
) -> Value:
    """Return a value that borrows the array for an output; return a value unchanged.

    Raises:
        TypeError: not an array or a value, or it does not have the model's element type.
        ValueError: there is no such output, it is also an input, or the array's memory cannot be
            borrowed or written.
    """
    info = _find("output", name, outputs)
    if name in inputs:
        # ONNX Runtime would silently leave the target unchanged.
        raise ValueError(f"output {name!r} is an input too; ONNX Runtime would not copy it")
    what = f"the memory for output {name!r}"
    if isinstance(target, np.ndarray) and not target.flags.writeable:
        raise ValueError(f"{what} is read-only")  # whatever else may be wrong with it
    return require_writeable(what, _borrow(name, target, info))


def _borrow(name: str, thing: Array | Value, info: ValueInfo) -> Value:
    wanted = info.element_type
    if isinstance(thing, Value):
        if is_nothing(thing):
            raise TypeError(f"{name!r} is an empty optional: leave it out")
        if info.kind is OnnxType.TENSOR and thing.element_type is not wanted:
            raise TypeError(f"{name!r} must be {spell(wanted)}, not {spell(thing.element_type)}")
        if info.kind in (OnnxType.SEQUENCE, OnnxType.MAP) and thing.kind is not info.kind:
            kinds = info.kind.name.lower(), thing.kind.name.lower()
            raise TypeError("{!r} must be a {}, not a {}".format(name, *kinds))
        return thing
    if not isinstance(thing, np.ndarray):
        raise TypeError(f"{name!r} must be an array or a Value, not {type(thing).__name__}")
    try:
        array, element_type = resolve(thing, wanted if info.kind is OnnxType.TENSOR else None)
    except TypeError as error:
        raise TypeError(f"{name!r}: {error}") from error
    flags = array.flags
    if not (is_viewable(element_type) and flags.c_contiguous and flags.aligned):
        raise ValueError(
            f"the array for {name!r} cannot be used in place: it must be C-contiguous, aligned, "
            "and of numbers of a byte or more; pass a Value instead"
        )
    return Value.from_numpy(thing, element_type)
