"""A model of one graph, from token ids to samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import ortffi
from service.model import durations
from service.model.decoder import check_length
from service.model.interface import Used
from service.model.kokoro import Inference
from service.model.opened import OpenedModel, checked
from service.model.prepared import ModelOnDisk
from service.model.runtime import Runtime
from service.model.token_session import TokenSession

_AUDIO = ("audio", "waveform")
_DURATIONS = (durations.TENSOR_NAME, "durations", "duration", "pred_dur")


@dataclass(frozen=True, kw_only=True)
class WholeModel(OpenedModel):
    """A model of one graph; see `Model`. Owns its session."""

    session: TokenSession

    @classmethod
    def of(
        cls,
        session: ortffi.Session,
        prepared: ModelOnDisk,
        runtime: Runtime,
        provider: Used,
        buckets: Sequence[int],
    ) -> WholeModel:
        """Check a session, and own it. Raises ModelError; the session stays open then."""
        held = TokenSession(session, prepared.source_name, [_AUDIO], _DURATIONS, buckets)
        return cls(prepared=prepared, runtime=runtime, provider=provider, session=held)

    @property
    def gives_durations(self) -> bool:
        """Tell whether the graph has such an output."""
        return len(self.session.outputs) > 1

    @property
    def buckets(self) -> tuple[int, ...]:
        """Return the numbers of frames that a run can have; see `Model.buckets`."""
        return self.session.buckets

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
        """Say a whole chunk; see `Model.infer`."""
        options = run_options if keep_memory else self.session.frugal
        audio, *given = self.session.run(token_ids, style, speed, options, buckets)
        samples = checked(audio.astype(np.float32, copy=False).ravel())
        if not given:
            return Inference(samples, None)
        frames = given[0].ravel().astype(np.int64)
        check_length(samples.size, int(frames.sum()) * durations.SAMPLES_PER_FRAME, "samples")
        return Inference(samples, frames)

    def end_profiling(self) -> list[Path]:
        """Return the file of the profile; see `Model.end_profiling`."""
        return [self.session.end_profiling()]

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self.session.close()
