"""The interface of every opened model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

import ortffi
from service.model.kokoro import Inference
from service.model.placement import GpuCheck
from service.model.prepared import ModelOnDisk
from service.model.runtime import Runtime

Used = Literal["cpu", "cuda", "tensorrt"]
"""Where a model runs. TensorRT leaves to CUDA what it does not support."""


class Model(Protocol):
    """An opened model, whole or split. Owns its sessions; not locked, see `Synthesizer`.

    It is immutable until it is closed. Then its properties stay, and it says nothing any more.
    """

    @property
    def prepared(self) -> ModelOnDisk:
        """Return what it was opened from."""

    @property
    def name(self) -> str:
        """Return the name of the model file; for a prepared model, that of its source."""

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of that file."""

    @property
    def runtime(self) -> Runtime:
        """Return the ONNX Runtime in use."""

    @property
    def provider(self) -> Used:
        """Return where it runs."""

    @property
    def gpu_check(self) -> GpuCheck | None:
        """Return the results of the checks on the GPU; None on the CPU."""

    @property
    def gives_durations(self) -> bool:
        """Tell whether the model's audio can be checked against its durations."""

    @property
    def buckets(self) -> tuple[int, ...]:
        """Return the numbers of frames that a run can have; a chunk is padded to the next.

        Empty if a run has the frames of its chunk.
        """

    def infer(
        self,
        token_ids: Sequence[int],
        style: npt.NDArray[np.float32],
        speed: float,
        *,
        keep_memory: bool = True,
        run_options: ortffi.RunOptions | None = None,
        buckets: Sequence[int] | None = None,
    ) -> Inference:
        """Say a whole chunk.

        Args:
            token_ids: 1 to 510 ids, without padding.
            style: float32 [1, 256].
            speed: 1.0 is the voice's own; 2.0 takes half as long.
            keep_memory: whether the run's memory stays allocated for the next run. Freeing it costs
                a quarter of a run's time or more.
            run_options: of this run, to terminate it; only with `keep_memory`.
            buckets: used instead of `self.buckets`; without effect if these are empty.

        Raises:
            ValueError: too few or too many token ids, or a style of another shape.
            InvalidRequestError: the model takes integer speeds only.
            RunError: the run failed.
            SynthesisError: its audio is empty, not finite, or has not 600 samples for each frame
                of its durations.
            ortffi.TerminatedError: the run options terminated it.
        """

    def end_profiling(self) -> list[Path]:
        """Return the files of the profiles of all runs so far; see `Runtime.open_on_gpu`."""

    def close(self) -> None:
        """Release the sessions, after the run in progress. May be called again."""


_WARMING, _WARMING_SPEED = (16,), 2.0
"""A space, said quickly: fewer frames than the first of `BUCKETS`."""


def rehearse(model: Model) -> None:
    """Say next to nothing and keep no memory of it: a short self-test of a model opened again.

    Raises:
        SynthesisError: the run failed.
    """
    model.infer(_WARMING, np.zeros((1, 256), np.float32), _WARMING_SPEED, keep_memory=False)


def warm_up(model: Model) -> None:
    """Run a model once with each number of frames that a run can have.

    A GPU's libraries select and set up kernels at the first run of a shape.

    Raises:
        SynthesisError: a run failed.
    """
    style = np.zeros((1, 256), np.float32)
    for n_frames in model.buckets:
        model.infer(_WARMING, style, _WARMING_SPEED, buckets=[n_frames])
