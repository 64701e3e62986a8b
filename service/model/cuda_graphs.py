"""A decoder on a GPU that replays CUDA graphs, in memory that CPU and GPU share.

A run of the decoder starts some thousand kernels. For a window of two seconds, starting them may
take longer than computing. With constant shapes and addresses, CUDA records all of them once and
starts them as one. Inputs and audio are in pinned host memory, which the GPU accesses directly. On
a Jetson, where CPU and GPU share their memory, nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import ortffi
from service.errors import RunError
from service.model.decoder import AUDIO, LONGEST_WINDOW_FRAMES, Decoder, Floats, next_length
from service.model.durations import SAMPLES_PER_FRAME

T = TypeVar("T")

_GRAPH, _NONE = "gpu_graph_id", "-1"
"""Key of a run's options that names the graph to record or replay; and the value for none."""

_PINNED = "CudaPinned"


class CapturedDecoder(Decoder):
    """A decoder whose session was opened to capture CUDA graphs.

    ONNX Runtime keeps graphs per thread, so all runs are in one thread.
    """

    def __init__(self, session: ortffi.Session, lengths: Sequence[int], device_id: int) -> None:
        super().__init__(session, lengths)
        self._device_id = device_id
        self._recordings: dict[int, _Recording] = {}
        self._plain = ortffi.RunOptions(config={_GRAPH: _NONE})
        self._thread = ThreadPoolExecutor(1, "decoder")

    @property
    def captured(self) -> tuple[int, ...]:
        """Return the lengths that have a graph."""
        return tuple(self._recordings)

    @property
    def capturable(self) -> tuple[int, ...]:
        """Return the lengths that windows can have."""
        longest = next_length(LONGEST_WINDOW_FRAMES, self.lengths)
        return tuple(length for length in self.lengths if length <= longest)

    def capture(self, length: int) -> None:
        """Record the next run of a length, and replay it from then on.

        A run of that length must come before.

        Raises:
            ortffi.OrtError: memory is short.
        """
        self._recordings[length] = self._in_thread(
            lambda: _Recording(self._session, self.shapes(length), length, self._device_id)
        )

    def release(self) -> None:
        """Drop all graphs: runs start their kernels one by one again."""
        while self._recordings:
            _, recording = self._recordings.popitem()
            self._in_thread(recording.close)

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self.release()
        self._in_thread(super().close)
        self._thread.shutdown()
        self._plain.close()

    def _run(
        self, inputs: dict[str, Floats], length: int, options: ortffi.RunOptions | None
    ) -> list[Floats]:
        recording = self._recordings.get(length)
        if recording is None:
            options = self._plain if options is None else options.with_config(_GRAPH, _NONE)
            run = super()._run
            return self._in_thread(lambda: run(inputs, length, options))
        if options is not None and options.terminated:
            raise ortffi.TerminatedError(
                ortffi.ErrorCode.FAIL, "terminated before the graph was started", "RunWithBinding"
            )
        try:
            return self._in_thread(lambda: [recording.run(inputs)])
        except ortffi.OrtError as error:
            raise RunError(f"the model failed: {error}") from error

    def _in_thread(self, work: Callable[[], T]) -> T:
        return self._thread.submit(work).result()


class _Recording:
    """Memory and binding of the runs of one length."""

    def __init__(
        self,
        session: ortffi.Session,
        shapes: dict[str, tuple[int, ...]],
        length: int,
        device_id: int,
    ) -> None:
        pinned, device = ortffi.Memory(_PINNED, device_id), ortffi.Memory.cuda(device_id)
        self._inputs = {
            name: session.allocate(shape, memory=pinned) for name, shape in shapes.items()
        }
        self._audio = session.allocate((length * SAMPLES_PER_FRAME,), memory=pinned)
        self._binding = session.bind(
            {name: value.mapped(device) for name, value in self._inputs.items()},
            {AUDIO: self._audio.mapped(device)},
        )
        self._options = ortffi.RunOptions(config={_GRAPH: str(length)})

    def run(self, inputs: dict[str, Floats]) -> Floats:
        for name, value in self._inputs.items():
            value.copy_from(inputs[name])
        self._binding.run(self._options)
        samples: Floats = self._audio.numpy()
        return samples

    def close(self) -> None:
        self._binding.close()
        self._options.close()
        for value in (*self._inputs.values(), self._audio):
            value.close()
