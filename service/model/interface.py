"""What every opened model can do."""

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
"""Where a model runs: `tensorrt` leaves to CUDA what it cannot compute."""


class Model(Protocol):
    """An opened model, whole or split. Owns its sessions; not locked, see `Synthesizer`.

    Nothing about it changes until it is closed.
    """

    @property
    def prepared(self) -> ModelOnDisk:
        """Return what it was opened from."""

    @property
    def name(self) -> str:
        """Return the model file's name; of a prepared model, that of the file it is made of."""

    @property
    def sha256(self) -> str:
        """Return the digest of that file."""

    @property
    def runtime(self) -> Runtime:
        """Return the ONNX Runtime in use."""

    @property
    def provider(self) -> Used:
        """Return where it runs."""

    @property
    def gpu_check(self) -> GpuCheck | None:
        """Return what was seen of it on the GPU, where it runs on one."""

    @property
    def gives_durations(self) -> bool:
        """Tell whether the model's audio can be checked against its durations."""

    @property
    def buckets(self) -> tuple[int, ...]:
        """Return the numbers of frames that runs have, whatever is said.

        There are none where a run has as many frames as the speech.
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
            keep_memory: whether the run's memory stays for the next run. Giving it back costs a
                run a quarter of its time or more.
            run_options: of this run, for who wants to stop it; not without `keep_memory`.
            buckets: in the place of `self.buckets`; of no effect where there are none.

        Raises:
            ValueError: too few or too many token ids, or a style of another shape.
            InvalidRequestError: the model takes whole speeds only, and this is none.
            RunError: the run failed.
            SynthesisError: it gave no audio or samples that are not finite, or not
                600 samples for each frame of the durations.
            ortffi.TerminatedError: the run options said so.
        """

    def end_profiling(self) -> list[Path]:
        """Return the files of the profiles of all runs so far; see `Runtime.open_on_gpu`."""

    def close(self) -> None:
        """Release the sessions, after the run in progress. Calling again is harmless."""


_WARMING, _WARMING_SPEED = (16,), 2.0
"""A space, said quickly: fewer frames than the first of `BUCKETS`."""


def warm_up(model: Model) -> None:
    """Run a model once with each number of frames that runs may have.

    What a GPU's libraries have to choose and set up for a new shape is done then.

    Raises:
        SynthesisError: a run failed.
    """
    style = np.zeros((1, 256), np.float32)
    for n_frames in model.buckets:
        model.infer(_WARMING, style, _WARMING_SPEED, buckets=[n_frames])
