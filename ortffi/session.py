"""A loaded model, and running it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ortffi._api import ElementType, ErrorCode, OnnxType, new
from ortffi._handle import Handle, Owner
from ortffi._plan import Functions
from ortffi._run import Call
from ortffi.binding import IoBinding, borrow_output
from ortffi.elements import Array
from ortffi.environment import Environment
from ortffi.errors import ClosedError, FailError, InvalidArgumentError
from ortffi.memory import Allocator, Memory
from ortffi.run_options import RunOptions, handle_of, terminator
from ortffi.tensors import allocate_tensor
from ortffi.type_info import read_infos
from ortffi.value import Value, allocatable, check_shape, is_nothing, own_all

if TYPE_CHECKING:  # take as long to import as all of ortffi
    from concurrent.futures import Future, ThreadPoolExecutor
    from pathlib import Path

    from ortffi.assignment import AssignedNode, PlacementLog
    from ortffi.metadata import ModelMetadata

_NO_OPTIONS = ctypes.c_void_p()

_CALLS_KEPT = 16
"""Combinations of input and output names remembered by a session; most programs use one or two."""

Inputs = Mapping[str, Any] | Sequence[Any]
"""By name, or in the model's order: an array or a `Value` for each input; a list of them for a
sequence, a dict for a map, None for an optional that is to be empty."""

Key = tuple[tuple[str, ...], tuple[str, ...] | None]


def _release_session(
    release: Callable[[int], None],
    calls: dict[Key, Call],
    bindings: WeakSet[IoBinding],
    functions: Functions,
    pointer: int,
) -> None:
    # What is bound to a session goes before it.
    calls.clear()
    for binding in list(bindings):
        binding.close()
    functions.close()
    release(pointer)


class Session(Owner):
    """A model, ready to run. Made by `SessionBuilder`; a context manager.

    Threads may share it and run it at the same time. It is closed by `close`, the end of a `with`
    block, or garbage collection.

    Attributes:
        inputs: what goes in, in the model's order.
        outputs: what comes out, in the model's order.
        overridable_initializers: weights that may be given as inputs too, and need not be.
    """

    def __init__(
        self,
        environment: Environment,
        pointer: int,
        *keep_alive: object,
        on_host: bool = True,
        placement: PlacementLog | None = None,
    ) -> None:
        api = environment.api
        self._environment = environment
        self._calls: dict[Key, Call] = {}
        self._bindings: WeakSet[IoBinding] = WeakSet()
        self._functions = Functions(environment)
        release = partial(
            _release_session, api.ReleaseSession, self._calls, self._bindings, self._functions
        )
        super().__init__(Handle(pointer, release, "session", *keep_alive))
        self.inputs = read_infos(
            environment, pointer, api.SessionGetInputCount, api.SessionGetInputName,
            api.SessionGetInputTypeInfo,
        )  # fmt: skip
        self.outputs = read_infos(
            environment, pointer, api.SessionGetOutputCount, api.SessionGetOutputName,
            api.SessionGetOutputTypeInfo,
        )  # fmt: skip
        self.overridable_initializers = read_infos(
            environment, pointer, api.SessionGetOverridableInitializerCount,
            api.SessionGetOverridableInitializerName, api.SessionGetOverridableInitializerTypeInfo,
        )  # fmt: skip
        self._pointer = ctypes.c_void_p(pointer)
        self._on_host = on_host
        self._placement = placement
        self._input_names = tuple(info.name for info in self.inputs)
        self._output_names = tuple(info.name for info in self.outputs)
        self._infos = {info.name: info for info in (*self.overridable_initializers, *self.inputs)}
        self._output_infos = {info.name: info for info in self.outputs}
        self._executor: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def run(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        copy: bool = False,
    ) -> list[Array]:
        """Compute outputs (`Run`). Other Python threads go on meanwhile.

        Args:
            inputs: by name, or in the model's order. The memory of aligned C-contiguous arrays is
                borrowed for the time of the call, others are copied; for element types without a
                dtype of their own see `DTYPES`.
            output_names: which outputs to compute, in the order wanted; all in the model's order
                by default.
            options: of this run.
            copy: True puts every output into memory of numpy's. False leaves large ones where
                ONNX Runtime wrote them; nothing else shows that memory, and it goes back to the
                session's arena when the array goes, also after `close`.

        Returns:
            A C-contiguous array for each output, to keep and to change; strings as an array of
            `str` objects.

        Raises:
            TypeError: `inputs` is neither a mapping nor a sequence, `output_names` is one `str`,
                an input is no array or its dtype is no element type, or an output is no tensor
                (for those see `run_values`).
            InvalidArgumentError: a name is unknown or missing, an element type, a rank or a fixed
                dimension is not the model's.
            TerminatedError: the options' `terminate` was called, or a deadline has passed.
            ClosedError: the session, the options or a value is closed.
            OrtError: the run failed.
        """
        call, values = self._prepare(inputs, output_names)
        self._handle.enter()
        try:
            if options is None:
                return call(self._pointer, _NO_OPTIONS, values, copy)
            with handle_of(options) as pointer:
                return call(self._pointer, ctypes.c_void_p(pointer), values, copy)
        finally:
            self._handle.leave()

    def run_named(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        copy: bool = False,
    ) -> dict[str, Array]:
        """Do as `run` does, and return the outputs by name."""
        if output_names is not None and not isinstance(output_names, str):
            with suppress(TypeError):  # `run` tells
                output_names = tuple(output_names)
        outputs = self.run(inputs, output_names, options, copy=copy)
        names = self._output_names if output_names is None else output_names
        return dict(zip(names, outputs, strict=True))

    def run_values(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
    ) -> list[Value]:
        """Do as `run` does, and return the outputs where ONNX Runtime put them.

        The way to sequences, maps and optionals (`Value.to_python`), and to tensors that are the
        next run's inputs. Values may share memory with the inputs, which are kept alive.
        """
        call, values = self._prepare(inputs, output_names, tensors=False)
        return self._run_values(call, values, options, _no_targets(call))

    def run_into(
        self,
        inputs: Inputs,
        outputs: Mapping[str, Array | Value],
        options: RunOptions | None = None,
    ) -> None:
        """Do as `run` does, into memory that is there already.

        Args:
            inputs: as for `run`.
            outputs: by name; arrays or values of the very shape and element type that the output
                will have. Arrays must be C-contiguous, aligned and writeable.
            options: of this run.

        Raises:
            TypeError: as for `run`, or a target is no array or value of the right element type.
            ValueError: there is no such output, an array cannot be borrowed, or the output is an
                input as well, which ONNX Runtime would not copy.
            OrtError: the run failed, or a target has not the output's shape.
        """
        if not isinstance(outputs, Mapping):
            raise TypeError(f"outputs must be a mapping by name, not {type(outputs).__name__}")
        given = dict(outputs)
        targets = [
            borrow_output(name, target, self._output_infos, self._infos)
            for name, target in given.items()
        ]
        call, values = self._prepare(inputs, tuple(given))
        self._run_values(call, values, options, targets)

    async def run_async(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        copy: bool = False,
    ) -> list[Array]:
        """Do as `run` does, in a thread of the session's own, while asyncio goes on.

        When the task is cancelled that awaits it, the run is terminated. The task goes on only
        when the run has ended, for until then it reads the inputs; they must not change either.

        Args:
            inputs: as for `run`.
            output_names: as for `run`.
            options: of this run. When the task is cancelled they are terminated, and stay so; other
                runs with them end as well.
            copy: as for `run`.

        Raises:
            asyncio.CancelledError: the task was cancelled; the run has ended.
            Exception: as `run`.
        """
        from ortffi._waiting import outcome

        if options is not None:
            handle_of(options)
        call, values = self._prepare(inputs, output_names)
        with nullcontext(options) if options is not None else RunOptions() as used:
            # Nothing gets a name here: an error's traceback would keep it.
            return await outcome(terminator(used), self._submit(call, values, used, copy))

    def submit(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        callback: Callable[[Future[list[Array]]], object] | None = None,
        copy: bool = False,
    ) -> Future[list[Array]]:
        """Start a run in a thread of the session's own, and return its future.

        Bad names are refused here, what else can go wrong is the future's exception. The inputs
        must not change until the run is done. To stop it, call `terminate` of its options;
        `close` waits for all that was started.

        Args:
            inputs: as for `run`.
            output_names: as for `run`.
            options: as for `run`.
            callback: called with the future when it is done, in the session's thread.
            copy: as for `run`.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable, not {type(callback).__name__}")
        if options is not None:
            handle_of(options)
        call, values = self._prepare(inputs, output_names)
        future = self._submit(call, values, options, copy)
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def _submit(
        self, call: Call, values: Sequence[Any], options: RunOptions | None, copy: bool
    ) -> Future[list[Array]]:
        named = dict(zip(call.input_names, values, strict=True))
        with self._lock:
            if self.closed:
                raise ClosedError("this session is closed")
            if self._executor is None:
                from concurrent.futures import ThreadPoolExecutor

                self._executor = ThreadPoolExecutor(thread_name_prefix="ortffi")
            return self._executor.submit(self.run, named, call.output_names, options, copy=copy)

    def bind(
        self,
        inputs: Mapping[str, Array | Value] | None = None,
        outputs: Mapping[str, Array | Value | Memory] | None = None,
    ) -> IoBinding:
        """Bind inputs and outputs to memory, for many runs; see `IoBinding`.

        What is not named here can be bound later.

        Raises:
            TypeError, ValueError, OrtError: as `IoBinding.bind_input` and `IoBinding.bind_output`.
        """
        for side, given in (("inputs", inputs), ("outputs", outputs)):
            if given is not None and not isinstance(given, Mapping):
                raise TypeError(f"{side} must be a mapping by name, not {type(given).__name__}")
        with self._handle:  # so that `close` waits, and then finds the binding
            binding = IoBinding(
                self._environment, self._handle, self._functions, self._infos, self._output_infos
            )
            with self._lock:
                self._bindings.add(binding)
            try:
                for name, source in (inputs or {}).items():
                    binding.bind_input(name, source)
                for name, target in (outputs or {}).items():
                    binding.bind_output(name, target)
            except BaseException:
                binding.close()
                raise
        return binding

    def allocate(
        self,
        shape: Sequence[int],
        element_type: ElementType = ElementType.FLOAT,
        memory: Memory = Memory.CPU,
    ) -> Value:
        """Make a tensor in memory of one of the session's providers (`CreateAllocator`).

        Its elements are whatever was there.

        Raises:
            TypeError: a dimension is no int, or `memory` is none.
            ValueError: a dimension is negative.
            OrtError: no provider of the session has such memory, or there is not enough.
        """
        lengths, element_type = check_shape(shape), allocatable(element_type)
        if not isinstance(memory, Memory):
            raise TypeError(f"memory must be a Memory, not {type(memory).__name__}")
        with Allocator(self._environment, self._handle, memory) as allocator:
            with allocator.handle as pointer:
                value = allocate_tensor(self._environment, pointer, lengths, element_type)
                alive = allocator.handle.share()
            return Value(self._environment, value, alive)

    @property
    def metadata(self) -> ModelMetadata:
        """Return what the exporter wrote into the model (`SessionGetModelMetadata`)."""
        from ortffi.metadata import read_metadata

        with self._handle as pointer:
            return read_metadata(self._environment, pointer)

    def opset_version(self, domain: str = "") -> int | None:
        """Return the opset version of a domain, None where the model has nothing of it.

        Calls `SessionGetOpsetForDomain`. `inspect_model` reads all of them from a file.

        Raises:
            TypeError: `domain` is no `str`.
            UnsupportedError: the library is older than 1.22.
        """
        from ortffi.metadata import opset_version

        with self._handle as pointer:
            return opset_version(self._environment, pointer, domain)

    def assignment(self) -> tuple[AssignedNode, ...]:
        """Return which provider computes which node.

        The session must have been made with `record_assignment`. Asks
        `Session_GetEpGraphAssignmentInfo`, which came with 1.24; before, from 1.17 on, it is what
        the session's log said, without names where one provider has all nodes.

        Raises:
            OrtError: the session was made without `record_assignment`.
        """
        from ortffi.assignment import read_assignment

        with self._handle as pointer:
            if self._placement is not None:
                return self._placement.nodes
            return read_assignment(self._environment, pointer)

    def end_profiling(self) -> Path:
        """Stop profiling and return the file it went to (`SessionEndProfiling`).

        `read_profile` reads it.

        Raises:
            OrtError: the session was made without `profiling_prefix`, or has ended it already.
        """
        with self._handle as pointer:
            environment = self._environment
            name = environment.take_string(
                new(environment.api.SessionEndProfiling, pointer, environment.allocator)
            )
        if not name:
            message = "the session does not profile: it was made without profiling_prefix"
            raise FailError(ErrorCode.FAIL, message, "SessionEndProfiling")
        from pathlib import Path

        return Path(name)

    def input_index(self, name: str) -> int:
        """Return the place of an input in the model's order.

        Raises:
            KeyError: there is none of this name.
        """
        return _index("input", name, self._input_names)

    def output_index(self, name: str) -> int:
        """Return the place of an output in the model's order.

        Raises:
            KeyError: there is none of this name.
        """
        return _index("output", name, self._output_names)

    def close(self) -> None:
        """Wait for the runs inside, then release the session. Calling again is harmless."""
        with self._lock:
            executor, self._executor = self._executor, None
            bindings = list(self._bindings)
        if executor is not None:
            # A callback of `submit` that closes the session cannot wait for its own thread;
            # the runs inside are waited for below.
            with suppress(RuntimeError):
                executor.shutdown()
        for binding in bindings:
            binding.close()
        super().close()

    def _prepare(
        self, inputs: Inputs, output_names: Sequence[str] | None, *, tensors: bool = True
    ) -> tuple[Call, tuple[Any, ...]]:
        """Return what to call and the inputs' values in its order."""
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
            call = self._calls.get(key)
        except TypeError:  # a name that cannot even be looked up
            call = None
        if call is None:
            call = self._new_call(*key)
        if call.optional_inputs:
            # ONNX Runtime takes what it is not given for empty; an empty value crashes it.
            given = {
                name: value
                for name, value in named.items()
                if name not in call.optional_inputs or not is_nothing(value)
            }
            if len(given) < len(named):
                return self._prepare(given, output_names, tensors=tensors)
        if tensors and call.other_outputs:
            raise TypeError(f"{call.other_outputs}, not a tensor; run_values gives it")
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

    def _requested(self, output_names: Sequence[str] | None) -> Sequence[str]:
        return self._output_names if output_names is None else output_names

    def _new_call(self, input_names: tuple[str, ...], output_names: tuple[str, ...] | None) -> Call:
        call = Call(
            self._environment, self._functions, self._infos, input_names, self._output_infos,
            tuple(self._requested(output_names)), self._on_host,
        )  # fmt: skip
        for info in self.inputs:
            # ONNX Runtime lets it pass and fails in the first kernel that reads it.
            if info.name not in input_names and info.kind is not OnnxType.OPTIONAL:
                given = ", ".join(map(repr, input_names)) or "none"
                message = f"input {info.name!r} is missing; given: {given}"
                raise InvalidArgumentError(ErrorCode.INVALID_ARGUMENT, message, "Run")
        if len(self._calls) >= _CALLS_KEPT:
            self._calls.clear()
        self._calls[input_names, output_names] = call
        return call

    def _run_values(
        self,
        call: Call,
        values: Sequence[Any],
        options: RunOptions | None,
        targets: Sequence[Value | None],
    ) -> list[Value]:
        """Run, and own the outputs that have no target; returns those."""
        with ExitStack() as stack:
            session = stack.enter_context(self._handle)
            pointer = None if options is None else stack.enter_context(handle_of(options))
            addresses = [
                None if target is None else stack.enter_context(target.handle) for target in targets
            ]
            outputs = call.run_into(
                ctypes.c_void_p(session), ctypes.c_void_p(pointer), values, addresses
            )
            alive = self._handle.share()
            return own_all(self._environment, [
                (output, (alive, *borrowed))
                for (output, borrowed), target in zip(outputs, targets, strict=True)
                if target is None
            ])  # fmt: skip


def _no_names(output_names: object) -> TypeError:
    kind = type(output_names).__name__
    return TypeError(f"output_names must be a sequence of names, not one {kind}")


def _no_targets(call: Call) -> list[Value | None]:
    return [None] * len(call.output_names)


def _index(side: str, name: str, names: tuple[str, ...]) -> int:
    if not isinstance(name, str):
        raise TypeError(f"the name of an {side} must be a str, not {type(name).__name__}")
    if name not in names:
        raise KeyError(f"there is no {side} {name!r}; there are {', '.join(map(repr, names))}")
    return names.index(name)
