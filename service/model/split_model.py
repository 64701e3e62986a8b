"""A model in two graphs: an encoder for a whole chunk, a decoder for any window of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import ortffi
from service.model import durations
from service.model.decoder import LONGEST_WINDOW_FRAMES, Decoded, Decoder, Encoding, Floats
from service.model.interface import Used
from service.model.kokoro import Inference
from service.model.opened import OpenedModel, checked
from service.model.prepared import ModelOnDisk
from service.model.runtime import Runtime
from service.model.statistics import StatisticsPredictor
from service.model.token_session import TokenSession

_ENCODED = (durations.TENSOR_NAME, "features", "spectrum")
_SPECTRUM_STATISTICS = "spectrum_statistics"
"""Output of encoders for CPUs."""


@dataclass(frozen=True, kw_only=True)
class SplitModel(OpenedModel):
    """A prepared model; see `Model`. Owns its sessions.

    It can say a chunk in windows: `encode` it once, then `decode` any frames of it.

    Attributes:
        encoder: runs once for a chunk.
        decoder: runs once for each window.
        statistics: predicts those of a chunk before it is decoded; None if this model has none.
    """

    encoder: TokenSession
    decoder: Decoder
    statistics: StatisticsPredictor | None = None

    @classmethod
    def of(
        cls,
        session: ortffi.Session,
        decoder: Decoder,
        statistics: StatisticsPredictor | None,
        prepared: ModelOnDisk,
        runtime: Runtime,
        provider: Used,
        buckets: Sequence[int],
    ) -> SplitModel:
        """Make a model of the session of an encoder, whose inputs and outputs are checked.

        The statistics are used if they are those of this model and a run has room for every
        window, which on a GPU with little memory it may not have.

        Raises:
            ModelError: inputs or outputs are wrong; session and decoder stay open then.
        """
        required = [(output,) for output in _ENCODED]
        encoder = TokenSession(
            session, prepared.source_name, required, [_SPECTRUM_STATISTICS], buckets
        )
        has_room = not decoder.lengths or decoder.lengths[-1] >= LONGEST_WINDOW_FRAMES
        if statistics and not (has_room and statistics.source_sha256 == prepared.sha256):
            statistics = None
        return cls(
            prepared=prepared, runtime=runtime, provider=provider,
            encoder=encoder, decoder=decoder, statistics=statistics,
        )  # fmt: skip

    @property
    def gives_durations(self) -> bool:
        """Tell that it does: an encoder without durations is none."""
        return True

    @property
    def buckets(self) -> tuple[int, ...]:
        """Return the numbers of frames that a run may have; see `Model.buckets`."""
        return self.encoder.buckets

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
        options = run_options if keep_memory else self.encoder.frugal
        encoding = self.encode(token_ids, style, speed, run_options=options, buckets=buckets)
        decoded = self.decode(encoding, 0, encoding.n_frames, run_options=options, lengths=buckets)
        return Inference(decoded.samples, encoding.durations)

    def encode(
        self,
        token_ids: Sequence[int],
        style: npt.NDArray[np.float32],
        speed: float,
        *,
        run_options: ortffi.RunOptions | None = None,
        buckets: Sequence[int] | None = None,
    ) -> Encoding:
        """Find out everything about a chunk but its sound; arguments and errors as for `infer`."""
        frames, features, spectrum, *statistics = self.encoder.run(
            token_ids, style, speed, run_options, buckets
        )
        return Encoding.of(
            frames.ravel().astype(np.int64), features, spectrum, style.astype(np.float32),
            statistics[0] if statistics else None, padded=bool(self.buckets),
        )  # fmt: skip

    def decode(
        self,
        encoding: Encoding,
        first: int,
        last: int,
        given: Floats | None = None,
        *,
        run_options: ortffi.RunOptions | None = None,
        lengths: Sequence[int] | None = None,
    ) -> Decoded:
        """Decode a window of a chunk; see `Decoder.decode`.

        Raises:
            SynthesisError: it gave samples that are not finite.
        """
        decoded = self.decoder.decode(encoding, first, last, given, run_options, lengths)
        checked(decoded.samples)
        return decoded

    def end_profiling(self) -> list[Path]:
        """Return the files of the profiles, one for each part; see `Model.end_profiling`."""
        return [self.encoder.end_profiling(), self.decoder.end_profiling()]

    def close(self) -> None:
        """Release both sessions, after the run in progress."""
        self.encoder.close()
        self.decoder.close()
