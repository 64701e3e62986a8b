"""Running a loaded model."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ortffi._api import ElementType
from ortffi._calls import Calls, Inputs, Key
from ortffi._extents import Extent, extents
from ortffi._handle import Handle, Loans, WeakObjects
from ortffi._loaded import LoadedModel
from ortffi._plan import Functions
from ortffi._run import Call
from ortffi._workers import Workers
from ortffi.binding import IoBinding, borrow_output
from ortffi.elements import Array
from ortffi.environment import Environment
from ortffi.memory import Allocator, Memory
from ortffi.run_options import RunOptions, handle_of, terminator
from ortffi.tensors import allocate_tensor
from ortffi.value import Value, allocatable, check_shape, own_all

if TYPE_CHECKING:
    from ortffi.assignment import PlacementLog

_NO_OPTIONS = ctypes.c_void_p()


def _close_parts(
    workers: Workers,
    bindings: WeakObjects[IoBinding],
    made: dict[Key, Call],
    functions: Functions,
) -> None:
    """Let the threads of a session end, and close what is bound to it."""
    workers.end()
    for binding in bindings.alive():
        binding.close()
    made.clear()
    functions.close()


class Session(LoadedModel):
    """A model, ready to run. Made by `SessionBuilder`; a context manager.

    Threads may share it and run it at the same time. It is closed by `close`, the end of a `with`
    block, or garbage collection.

    Attributes:
        inputs: the inputs, in the model's order.
        outputs: the outputs, in the model's order.
        overridable_initializers: weights that may be passed as inputs, but need not be.
    """

    def __init__(
        self,
        environment: Environment,
        pointer: int,
        *keep_alive: object,
        on_host: bool = True,
        placement: PlacementLog | None = None,
        weights: Sequence[Extent] = (),
    ) -> None:
        self._functions = Functions(environment)
        self._bindings: WeakObjects[IoBinding] = WeakObjects()
        self._workers = Workers()
        made: dict[Key, Call] = {}
        handle = Handle(
            pointer,
            environment.api.ReleaseSession,
            "session",
            *keep_alive,
            before_release=partial(
                _close_parts, self._workers, self._bindings, made, self._functions
            ),
        )
        self._functions.session = handle.share()
        super().__init__(environment, handle, placement)
        self._calls = Calls(
            environment, self._functions, self.inputs, self.overridable_initializers, self.outputs,
            on_host, made,
        )  # fmt: skip
        self._pointer = ctypes.c_void_p(pointer)
        self._weights = weights
        self._lock = threading.RLock()

    def run(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        copy: bool = False,
    ) -> list[Array]:
        """Compute outputs (`Run`). Other Python threads keep running meanwhile.

        Args:
            inputs: by name, or in the model's order. Aligned C-contiguous arrays are borrowed
                during the call, others are copied. For element types without a dtype of their
                own see `DTYPES`.
            output_names: which outputs to compute, and in which order; by default all, in the
                model's order.
            options: of this run.
            copy: True copies every output into numpy's own memory. False leaves large outputs in
                ONNX Runtime's memory. No other array uses that memory; it returns to the
                session's arena when the array is collected, even after `close`.

        Returns:
            A C-contiguous array for each output, which the caller may keep and change. Strings
            come as an array of `str` objects.

        Raises:
            TypeError: `inputs` is neither a mapping nor a sequence, `output_names` is one `str`,
                an input is not an array, its dtype has no element type, or an output is not a
                tensor (see `run_values`).
            InvalidArgumentError: a name is unknown or missing, or an element type, a rank or a
                fixed dimension differs from the model's.
            TerminatedError: the options' `terminate` was called, or a deadline has passed.
            ClosedError: the session, the options or a value is closed.
            OrtError: the run failed.
        """
        call, values = self._calls.prepare(inputs, output_names)
        handle = self._handle
        users, use = handle.users, object()
        try:  # a third of the time of a `Loan`
            users[use] = get_ident()
            if handle.closed:
                handle.refuse()
            if options is None:
                return call(self._pointer, _NO_OPTIONS, values, copy)
            with handle_of(options).lend() as pointer:
                return call(self._pointer, ctypes.c_void_p(pointer), values, copy)
        finally:
            users.pop(use, None)
            if handle.release_is_due:
                handle.release_if_unused()

    def run_named(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        copy: bool = False,
    ) -> dict[str, Array]:
        """Run like `run`, and return the outputs by name."""
        if output_names is not None and not isinstance(output_names, str):
            with suppress(TypeError):  # `run` reports it
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
        """Run like `run`, and return the outputs as values of ONNX Runtime.

        Use it for sequences, maps and optionals (`Value.to_python`), and for tensors that are
        inputs of the next run. Values may share memory with the inputs, which are kept alive.
        """
        call, values = self._calls.prepare(inputs, output_names, tensors=False)
        return self._run_values(call, values, options, _no_targets(call))

    def run_into(
        self,
        inputs: Inputs,
        outputs: Mapping[str, Array | Value],
        options: RunOptions | None = None,
    ) -> None:
        """Run like `run`, and write the outputs into existing memory.

        Args:
            inputs: as for `run`.
            outputs: by name; arrays or values with the output's exact shape and element type.
                Arrays must be C-contiguous and aligned. No two may overlap each other, an input,
                or a weight that the session borrows.
            options: of this run.

        Raises:
            TypeError: as for `run`, or a target is not an array or a value, or has another
                element type.
            ValueError: there is no such output, an array is read-only or cannot be borrowed, the
                memory overlaps, or the output is also an input, which ONNX Runtime would not copy.
            OrtError: the run failed, or a target has another shape than the output.
        """
        if not isinstance(outputs, Mapping):
            raise TypeError(f"outputs must be a mapping by name, not {type(outputs).__name__}")
        given = dict(outputs)
        targets = [
            borrow_output(name, target, self._calls.outputs, self._calls.inputs)
            for name, target in given.items()
        ]
        call, values = self._calls.prepare(inputs, tuple(given))
        self._run_values(call, values, options, targets)

    async def run_async(
        self,
        inputs: Inputs,
        output_names: Sequence[str] | None = None,
        options: RunOptions | None = None,
        *,
        copy: bool = False,
    ) -> list[Array]:
        """Run like `run`, in one of the session's threads, without blocking asyncio.

        Cancelling the awaiting task terminates the run. The task continues only when the run has
        ended, because until then the run reads the inputs. Do not change the inputs before that.

        Args:
            inputs: as for `run`.
            output_names: as for `run`.
            options: of this run. Cancelling the task terminates them until `resume`, and with
                them all other runs that use them.
            copy: as for `run`.

        Raises:
            asyncio.CancelledError: the task was cancelled, and the run has ended.
            Exception: as `run`.
        """
        from ortffi._waiting import outcome

        if options is not None:
            handle_of(options)
        call, values = self._calls.prepare(inputs, output_names)
        with nullcontext(options) if options is not None else RunOptions() as used:
            # No local variables here: an error's traceback would keep them alive.
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
        """Start a run in one of the session's threads, and return its future.

        Wrong names raise here; all other errors are the future's exception. The inputs must not
        change until the run is done. To stop it, call `terminate` of its options. `close` waits
        for all submitted runs.

        Args:
            inputs: as for `run`.
            output_names: as for `run`.
            options: as for `run`.
            callback: called with the finished future, in the session's thread.
            copy: as for `run`.
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable, not {type(callback).__name__}")
        if options is not None:
            handle_of(options)
        call, values = self._calls.prepare(inputs, output_names)
        return self._submit(call, values, options, copy, callback)

    def _submit(
        self,
        call: Call,
        values: Sequence[Any],
        options: RunOptions | None,
        copy: bool,
        callback: Callable[[Future[list[Array]]], object] | None = None,
    ) -> Future[list[Array]]:
        named = dict(zip(call.input_names, values, strict=True))
        run = partial(self.run, named, call.output_names, options, copy=copy)
        with self._handle.lend():  # so that the threads end after this run
            return self._workers.submit(run, callback)

    def bind(
        self,
        inputs: Mapping[str, Array | Value] | None = None,
        outputs: Mapping[str, Array | Value | Memory] | None = None,
    ) -> IoBinding:
        """Bind inputs and outputs to memory for many runs; see `IoBinding`.

        Other inputs and outputs can be bound later.

        Raises:
            TypeError, ValueError, OrtError: as `IoBinding.bind_input` and `IoBinding.bind_output`.
            ValueError: the target of an output overlaps an input, another target, or a weight
                that the session borrows.
        """
        for side, given in (("inputs", inputs), ("outputs", outputs)):
            if given is not None and not isinstance(given, Mapping):
                raise TypeError(f"{side} must be a mapping by name, not {type(given).__name__}")
        with self._handle.lend():  # so that `close` waits and then finds the binding
            binding = IoBinding(
                self._environment,
                self._handle,
                self._functions,
                self._calls.inputs,
                self._calls.outputs,
                self._weights,
            )
            with self._lock:
                self._bindings.add(binding)
            try:
                for name, source in (inputs or {}).items():
                    binding.bind_input(name, source)
                for name, target in (outputs or {}).items():
                    binding.bind_output(name, target)
                binding.check_apart()
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
        """Make a tensor in memory of a provider (`CreateAllocator`), with any elements.

        Raises:
            TypeError: a dimension is not an int, or `memory` is not a `Memory`.
            ValueError: a dimension is negative.
            OrtError: no provider of the session has such memory, or there is not enough of it.
        """
        lengths, element_type = check_shape(shape), allocatable(element_type)
        if not isinstance(memory, Memory):
            raise TypeError(f"memory must be a Memory, not {type(memory).__name__}")
        with Allocator(self._environment, self._handle, memory) as allocator:
            with allocator.handle.lend() as pointer:
                value = allocate_tensor(self._environment, pointer, lengths, element_type)
                alive = allocator.handle.share()
            return Value(self._environment, value, alive)

    def close(self) -> None:
        """Wait for active and submitted runs, then release the session; again, do nothing.

        Called during a run by the same thread, for example by a signal handler or a logger, it
        returns at once: the session is released when that run ends, and submitted runs that have
        not begun raise ClosedError.
        """
        # Otherwise the run that is interrupted may be one that is waited for.
        if not self._handle.is_used_here():
            self._workers.wait()
        super().close()

    def _run_values(
        self,
        call: Call,
        values: Sequence[Any],
        options: RunOptions | None,
        targets: Sequence[Value | None],
    ) -> list[Value]:
        """Run, and return the outputs without a target as values."""
        with Loans() as loans:
            session = loans.add(self._handle)
            pointer = None if options is None else loans.add(handle_of(options))
            addresses = [None if target is None else loans.add(target.handle) for target in targets]
            written = [
                extent
                for name, target in zip(call.output_names, targets, strict=True)
                for extent in extents(f"output {name!r}", target)
            ]
            outputs = call.run_into(
                ctypes.c_void_p(session), ctypes.c_void_p(pointer), values, addresses, written,
                self._weights,
            )  # fmt: skip
            alive = self._handle.share()
            return own_all(self._environment, [
                (output, (alive, *borrowed))
                for (output, borrowed), target in zip(outputs, targets, strict=True)
                if target is None
            ])  # fmt: skip


def _no_targets(call: Call) -> list[Value | None]:
    return [None] * len(call.output_names)
