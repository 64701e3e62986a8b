"""Kokoro-82M as a function: token ids, a style and a speed in, samples and durations out."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import ortffi
from service.errors import InvalidRequestError, ModelError, StartupError, SynthesisError
from service.model import durations
from service.model.assembly import FILE_NAME, SHA256, SIZE_BYTES, assemble
from service.model.runtime import Runtime, return_freed_memory

logger = logging.getLogger(__name__)

SAMPLE_RATE_HZ = 24_000
"""Of every Kokoro export."""

MAX_TOKENS = 510
"""Token ids of one run, without the padding at both ends: the model's context is 512."""

STYLE_SIZE = 256
"""Floats of a style vector."""

_TOKENS = ("tokens", "input_ids")
_AUDIO = ("audio", "waveform")
_DURATIONS = (durations.TENSOR_NAME, "durations", "duration", "pred_dur")
_SPEED_DTYPES = (np.float32, np.float16, np.float64, np.int32, np.int64)
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


class Kokoro:
    """A loaded model. Owns its session; not locked, see `Synthesizer`.

    Attributes:
        provider: where it runs, `cpu` or `cuda`.
        name: the model file's name.
        sha256: of the model file.
        runtime: the ONNX Runtime in use.
    """

    def __init__(
        self, session: ortffi.Session, provider: str, name: str, sha256: str, runtime: Runtime
    ) -> None:
        self._session = session
        self.provider = provider
        self.name = name
        self.sha256 = sha256
        self.runtime = runtime
        inputs = {info.name: info for info in session.inputs}
        outputs = [info.name for info in session.outputs]
        try:
            self._tokens = next(name for name in _TOKENS if name in inputs)
            self._audio = next(name for name in _AUDIO if name in outputs)
            style, speed = inputs["style"], inputs["speed"]
        except (StopIteration, KeyError) as error:
            raise self._misfit() from error
        fits = (
            len(inputs) == 3
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
        self._outputs = [self._audio, *([self._durations] if self._durations else [])]

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
    ) -> Inference:
        """Run the model.

        Args:
            token_ids: 1 to 510 ids, without padding.
            style: float32 [1, 256].
            speed: 1.0 is the voice's own; 2.0 takes half as long.
            keep_memory: whether the run's memory stays for the next run. Giving it back costs a
                run a quarter of its time or more.
            run_options: of this run, for who wants to stop it; not without `keep_memory`.

        Raises:
            ValueError: too few or too many token ids, or a style of another shape.
            InvalidRequestError: the model takes whole speeds only, and this is none.
            SynthesisError: the run failed, gave no audio or samples that are not finite, or not
                600 samples for each frame of the durations.
            ortffi.TerminatedError: the run options said so.
        """
        if not 1 <= len(token_ids) <= MAX_TOKENS:
            raise ValueError(f"{len(token_ids)} token ids; 1 to {MAX_TOKENS} are allowed")
        if style.shape != (1, STYLE_SIZE):
            raise ValueError(f"a style is [1, {STYLE_SIZE}], not {list(style.shape)}")
        if self._speed_dtype.kind == "i" and speed != int(speed):
            raise InvalidRequestError(f"speed: this model takes whole numbers only, not {speed}")
        inputs = {
            self._tokens: np.array([[0, *token_ids, 0]], np.int64),
            "style": style.astype(self._style_dtype),
            "speed": np.array([speed], self._speed_dtype),
        }
        try:
            options = run_options if keep_memory else self._frugal
            outputs = self._session.run(inputs, self._outputs, options, copy=True)
        except ortffi.TerminatedError:
            raise
        except ortffi.OrtError as error:
            raise SynthesisError(f"the model failed: {error}") from error
        samples = outputs[0].astype(np.float32, copy=False).ravel()
        if samples.size == 0:
            raise SynthesisError("the model gave no audio")
        if not np.isfinite(samples).all():
            raise SynthesisError("the model gave samples that are not finite")
        frames = outputs[1].ravel().astype(np.int64) if self.gives_durations else None
        if frames is not None:
            expected = int(frames.sum()) * durations.SAMPLES_PER_FRAME
            if samples.size != expected:
                raise SynthesisError(
                    f"the model gave {samples.size} samples where its durations promise {expected}"
                )
        return Inference(samples, frames)

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self._session.close()
        self._frugal.close()

    def _misfit(self) -> ModelError:
        def describe(infos: Sequence[ortffi.ValueInfo]) -> str:
            return ", ".join(f"{info.name} ({info.type})" for info in infos)

        return ModelError(
            f"{self.name} is not a Kokoro model. Expected: {_CONTRACT}. "
            f"Found: inputs {describe(self._session.inputs)}; "
            f"outputs {describe(self._session.outputs)}."
        )


def load_kokoro(
    path: Path, runtime: Runtime, *, published: bool, progress: Callable[[str], None]
) -> Kokoro:
    """Load a model file and hold it against the contract.

    Args:
        path: the file.
        runtime: the ONNX Runtime to run it with.
        published: whether the file is the published model that `assemble` writes; it is then
            verified, and made or made anew where it is missing or damaged.
        progress: called with a line where something takes long.

    Raises:
        ModelError: the file is missing, is no model, or does not fit the contract.
        ProviderError: CUDA was asked for and cannot be had.
    """
    if published and not (path.is_file() and path.stat().st_size == SIZE_BYTES):
        assemble(path, progress)
    model, sha256 = _read(path)
    if published and sha256 != SHA256:
        progress(f"{FILE_NAME} in the cache is damaged; making it anew")
        assemble(path, progress)
        model, sha256 = _read(path)
    if durations.is_computed(model):
        model += durations.output_declaration()
    try:
        session, provider = runtime.open_session(model, path.resolve().parent)
    except ortffi.OrtError as error:
        reason = " ".join(str(error).split())
        raise ModelError(
            f"{path} cannot be loaded by ONNX Runtime {runtime.version}: {reason}"
        ) from error
    del model
    return_freed_memory()
    try:
        kokoro = Kokoro(session, provider, path.name, sha256, runtime)
    except StartupError:
        session.close()
        raise
    if provider == "cuda" and sha256 == SHA256:
        logger.warning(
            "%s is made for the processor: CUDA has no kernels for its quantised operators, so "
            "most of it runs there all the same; give a float32 export with model",
            path.name,
        )
    if not kokoro.gives_durations:
        logger.warning("%s does not tell durations: lost audio cannot be noticed", path.name)
    return kokoro


def _read(path: Path) -> tuple[bytearray, str]:
    """Return a file and its sha256. Never two copies of it at once: it is 92 MB or more."""
    try:
        with open(path, "rb") as file:
            model = bytearray(os.fstat(file.fileno()).st_size)
            n_read = file.readinto(model)
    except OSError as error:
        raise ModelError(f"the model file {path} cannot be read: {error.strerror}") from error
    if n_read != len(model):
        raise ModelError(f"the model file {path} changed while it was read; start again")
    return model, hashlib.sha256(model).hexdigest()
