"""Kokoro-82M as a function: token ids, a style and a speed in, samples and durations out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import ortffi
from service.errors import InvalidRequestError, ModelError, SynthesisError
from service.model import durations
from service.model.decoder import Decoded, Decoder, Encoding, Floats, check_length, run
from service.model.manifest import Variant
from service.model.placement import GpuProof
from service.model.runtime import Runtime
from service.model.statistics import StatisticsPredictor
from service.settings import BUCKETS

SAMPLE_RATE_HZ = 24_000
"""Of every Kokoro export."""

MAX_TOKENS = 510
"""Token ids of one run, without the padding at both ends: the model's context is 512."""

Used = Literal["cpu", "cuda", "tensorrt"]
"""Where a model runs: `tensorrt` leaves to CUDA what it cannot compute."""

STYLE_SIZE = 256
"""Floats of a style vector."""

_TOKENS = ("tokens", "input_ids")
_AUDIO = ("audio", "waveform")
_DURATIONS = (durations.TENSOR_NAME, "durations", "duration", "pred_dur")
_ENCODED = (durations.TENSOR_NAME, "features", "spectrum")
_SPECTRUM_STATISTICS = "spectrum_statistics"
"""Output of encoders for processors."""

_SPEED_DTYPES = (np.float32, np.float16, np.float64, np.int32, np.int64)
_BUCKETS = "buckets"
"""Input of models prepared for GPUs: int64 [n], numbers of frames that a run may have."""

_WARMING, _WARMING_SPEED = (16,), 2.0
"""A space, said quickly: fewer frames than the first of `BUCKETS`."""

_CONTRACT = (
    "inputs tokens or input_ids (int64 [1, n]), style (float [1, 256]), "
    "speed (float or integer [1]); output audio or waveform (float)"
)

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Inference:
    """What one run gave.

    Attributes:
        samples: float32 [n], mono at 24 kHz, about -1 to 1.
        durations: of each token id, the padding at both ends included, in frames of 600 samples;
            None where the model does not tell.
    """

    samples: Samples
    durations: npt.NDArray[np.int64] | None


@dataclass(frozen=True)
class Preparation:
    """How a model was made ready for this machine.

    Attributes:
        variant: `native` with operators of our own, `stock` with ONNX Runtime's; None where the
            model is used as it is.
        kernels: the instruction set of our own operators, such as `avx512-vnni`, where they run.
        detail: the same in words, with the reason where it is not the fastest.
    """

    variant: Variant | None
    kernels: str | None
    detail: str


class Kokoro:
    """A loaded model. Owns its session; not locked, see `Synthesizer`.

    A model that is parted has two, an encoder and a decoder, and can say a piece in stretches:
    `encode` it once, then `decode` any frames of it.

    Attributes:
        provider: where it runs.
        name: the model file's name.
        sha256: of the model file; where a prepared model runs, of the one that it was made of.
        runtime: the ONNX Runtime in use.
        preparation: how the model was made ready for this machine.
        buckets: numbers of frames that runs have, whatever is said; none where the model has as
            many frames as the speech.
        gpu_proof: what was seen of it on the GPU, where it runs on one.
        decoder: the second part of a model that is parted, else None.
        statistics: tells those of a piece before it is decoded, where that is known of the model.
    """

    def __init__(
        self,
        session: ortffi.Session,
        provider: Used,
        name: str,
        sha256: str,
        runtime: Runtime,
        preparation: Preparation,
        buckets: Sequence[int] = BUCKETS,
        decoder: Decoder | None = None,
    ) -> None:
        self._session = session
        self.decoder = decoder
        self.statistics: StatisticsPredictor | None = None
        self.provider = provider
        self.name = name
        self.sha256 = sha256
        self.runtime = runtime
        self.preparation = preparation
        self.gpu_proof: GpuProof | None = None
        inputs = {info.name: info for info in session.inputs}
        outputs = [info.name for info in session.outputs]
        try:
            self._tokens = next(name for name in _TOKENS if name in inputs)
            audio = _ENCODED if decoder else (next(name for name in _AUDIO if name in outputs),)
            style, speed = inputs["style"], inputs["speed"]
        except (StopIteration, KeyError) as error:
            raise self._misfit() from error
        self.buckets = tuple(buckets) if _BUCKETS in inputs else ()
        fits = (
            len(inputs) == (4 if self.buckets else 3)
            and set(audio) <= set(outputs)
            and inputs[self._tokens].dtype == np.int64
            and style.dtype in (np.float32, np.float16)
            and style.shape is not None
            and style.shape[-1:] == (STYLE_SIZE,)
            and speed.dtype in _SPEED_DTYPES
        )
        if not fits or style.dtype is None or speed.dtype is None:
            raise self._misfit()
        self._style_dtype, self._speed_dtype = style.dtype, speed.dtype
        self._durations = next((name for name in _DURATIONS if name in outputs), None)
        self._frugal = ortffi.RunOptions(shrink_arenas="cpu:0")
        self._outputs = audio
        if decoder is None and self._durations:
            self._outputs = (*audio, self._durations)
        elif _SPECTRUM_STATISTICS in outputs:
            self._outputs = (*audio, _SPECTRUM_STATISTICS)

    @property
    def gives_durations(self) -> bool:
        """Tell whether the model's audio can be checked against its durations."""
        return self._durations is not None

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
        """Say a whole piece.

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
        options = run_options if keep_memory else self._frugal
        if self.decoder is not None:
            encoding = self.encode(token_ids, style, speed, run_options=options, buckets=buckets)
            decoded = self.decode(
                encoding, 0, encoding.n_frames, run_options=options, lengths=buckets
            )
            return Inference(decoded.samples, encoding.durations)
        inputs = self._inputs(token_ids, style, speed, buckets)
        outputs = run(self._session, inputs, self._outputs, options)
        samples = _checked(outputs[0].astype(np.float32, copy=False).ravel())
        frames = outputs[1].ravel().astype(np.int64) if self.gives_durations else None
        if frames is not None:
            promised = int(frames.sum()) * durations.SAMPLES_PER_FRAME
            check_length(samples.size, promised, "samples")
        return Inference(samples, frames)

    def encode(
        self,
        token_ids: Sequence[int],
        style: npt.NDArray[np.float32],
        speed: float,
        *,
        run_options: ortffi.RunOptions | None = None,
        buckets: Sequence[int] | None = None,
    ) -> Encoding:
        """Find out everything about a piece but its sound; arguments and errors as for `infer`.

        Raises:
            RuntimeError: the model is not parted.
        """
        if self.decoder is None:
            raise RuntimeError(f"{self.name} is not parted")
        inputs = self._inputs(token_ids, style, speed, buckets)
        frames, features, spectrum, *statistics = run(
            self._session, inputs, self._outputs, run_options
        )
        return Encoding.of(
            frames.ravel().astype(np.int64), features, spectrum, inputs["style"],
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
        """Decode a stretch of a piece; see `Decoder.decode`.

        Raises:
            SynthesisError: it gave samples that are not finite.
            RuntimeError: the model is not parted.
        """
        if self.decoder is None:
            raise RuntimeError(f"{self.name} is not parted")
        decoded = self.decoder.decode(encoding, first, last, given, run_options, lengths)
        _checked(decoded.samples)
        return decoded

    def _inputs(
        self,
        token_ids: Sequence[int],
        style: npt.NDArray[np.float32],
        speed: float,
        buckets: Sequence[int] | None,
    ) -> dict[str, npt.NDArray[Any]]:
        if not 1 <= len(token_ids) <= MAX_TOKENS:
            raise ValueError(f"{len(token_ids)} token ids; 1 to {MAX_TOKENS} are allowed")
        if style.shape != (1, STYLE_SIZE):
            raise ValueError(f"a style is [1, {STYLE_SIZE}], not {list(style.shape)}")
        if self._speed_dtype.kind == "i" and speed != int(speed):
            raise InvalidRequestError(f"speed: this model takes whole numbers only, not {speed}")
        inputs: dict[str, npt.NDArray[Any]] = {
            self._tokens: np.array([[0, *token_ids, 0]], np.int64),
            "style": style.astype(self._style_dtype),
            "speed": np.array([speed], self._speed_dtype),
        }
        if self.buckets:
            inputs[_BUCKETS] = np.array(self.buckets if buckets is None else buckets, np.int64)
        return inputs

    def warm_up(self) -> None:
        """Run once with each number of frames that runs may have.

        What a GPU's libraries have to choose and set up for a new shape is done then.

        Raises:
            SynthesisError: a run failed.
        """
        style = np.zeros((1, STYLE_SIZE), np.float32)
        for n_frames in self.buckets:
            self.infer(_WARMING, style, _WARMING_SPEED, buckets=[n_frames])

    def end_profiling(self) -> list[Path]:
        """Return the files of the profiles of all runs so far; see `Runtime.open_on_gpu`."""
        profiles = [self._session.end_profiling()]
        if self.decoder is not None:
            profiles.append(self.decoder.end_profiling())
        return profiles

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self._session.close()
        if self.decoder is not None:
            self.decoder.close()
        self._frugal.close()

    def _misfit(self) -> ModelError:
        def describe(infos: Sequence[ortffi.ValueInfo]) -> str:
            return ", ".join(f"{info.name} ({info.type})" for info in infos)

        return ModelError(
            f"{self.name} is not a Kokoro model. Expected: {_CONTRACT}. "
            f"Found: inputs {describe(self._session.inputs)}; "
            f"outputs {describe(self._session.outputs)}."
        )


def _checked(samples: Samples) -> Samples:
    if samples.size == 0:
        raise SynthesisError("the model gave no audio")
    if not np.isfinite(samples).all():
        raise SynthesisError("the model gave samples that are not finite")
    return samples
