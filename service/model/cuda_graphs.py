"""A decoder on a GPU: its usual lengths as CUDA graphs, in memory that both processors see.

A run of the decoder is some thousand kernels, each of which has to be started; in a window of two
seconds that may take longer than what they compute. With shapes and addresses that never change
CUDA records all of it once, and starts it as one. Inputs and the sound lie in memory of the host
that the GPU reads and writes by itself: where both share it, as on a Jetson, nothing is copied.
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
"""Entry of a run's options: which graph to record or to replay; and none."""

_PINNED = "CudaPinned"


class CapturedDecoder(Decoder):
    """A decoder whose session was opened to capture CUDA graphs.

    ONNX Runtime has graphs for each thread, so all runs are those of one.
    """

    def __init__(self, session: ortffi.Session, lengths: Sequence[int], device_id: int) -> None:
        super().__init__(session, lengths)
        self._device_id = device_id
        self._recordings: dict[int, _Recording] = {}
        self._plain = ortffi.RunOptions(config={_GRAPH: _NONE})
        self._thread = ThreadPoolExecutor(1, "decoder")

    @property
    def captured(self) -> tuple[int, ...]:
        """Return the lengths that are replayed."""
        return tuple(self._recordings)

    @property
    def capturable(self) -> tuple[int, ...]:
        """Return the lengths that windows have."""
        longest = next_length(LONGEST_WINDOW_FRAMES, self.lengths)
        return tuple(length for length in self.lengths if length <= longest)

    def capture(self, length: int) -> None:
        """Have runs of a length be replayed from now on; the first one is recorded.

        One of that length must have been run before.

        Raises:
            ortffi.OrtError: there is no memory for it.
        """
        self._recordings[length] = self._in_thread(
            lambda: _Recording(self._session, self.shapes(length), length, self._device_id)
        )

    def release(self) -> None:
        """Have runs of all lengths start their kernels one by one again."""
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
    """Memory for the runs of one length, and what they are replayed from."""

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
