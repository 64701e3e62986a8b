"""The second part of a parted model: from what is known of a piece to the sound of any stretch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import ortffi
from service.errors import ModelError, RunError, SynthesisError
from service.model.durations import SAMPLES_PER_FRAME

Floats = npt.NDArray[np.float32]

_INPUTS = ("features", "spectrum", "spectrum_statistics", "style", "given", "share")
_OUTPUTS = ("audio", "measured")
_HALVES, _HOPS = 2, 120
"""Columns of features and of the spectrum in a frame; the spectrum has one more at the end."""


@dataclass(frozen=True)
class Encoding:
    """What a model knows of a piece before it makes a sound.

    Attributes:
        durations: of each token id, the padding at both ends included, int64, in frames.
        features: float32 [1, 2 T, 512] for T frames of 600 samples.
        spectrum: of the harmonic source, float32 [1, 120 T + 1, 22].
        spectrum_statistics: mean, variance, least and greatest of its channels, float32 [4, 22].
        style: float32 [1, 256].
    """

    durations: npt.NDArray[np.int64]
    features: Floats
    spectrum: Floats
    spectrum_statistics: Floats
    style: Floats

    @property
    def n_frames(self) -> int:
        """Return T, the length of the piece."""
        return int(self.features.shape[1]) // _HALVES


@dataclass(frozen=True)
class Decoded:
    """The sound of a stretch.

    Attributes:
        samples: float32 [600 n] for n frames.
        measured: statistics of each AdaIN's input over the stretch, in the decoder's own order.
    """

    samples: Floats
    measured: Floats


class Decoder:
    """A session that decodes stretches. Owns it.

    Attributes:
        n_statistics: numbers in `Decoded.measured`.
    """

    def __init__(self, session: ortffi.Session) -> None:
        self._session = session
        inputs = {info.name: info for info in session.inputs}
        outputs = {info.name for info in session.outputs}
        shape = inputs["given"].shape if "given" in inputs else None
        if set(inputs) != set(_INPUTS) or outputs != set(_OUTPUTS) or not shape:
            raise ModelError("this is not the decoder of a prepared model; prepare it anew")
        self.n_statistics = int(shape[0] or 0)
        self._none_given = np.zeros(self.n_statistics, np.float32)

    def decode(
        self,
        encoding: Encoding,
        first: int,
        last: int,
        given: Floats | None = None,
        options: ortffi.RunOptions | None = None,
    ) -> Decoded:
        """Decode the frames from `first` up to `last` as if the piece had no others.

        Args:
            encoding: of the piece.
            first: 0 or more.
            last: greater, up to `n_frames`.
            given: statistics to take in the place of the stretch's own, float32 [n_statistics].
            options: of this run.

        Raises:
            RunError: the run failed.
            SynthesisError: it gave not 600 samples for each frame.
            ortffi.TerminatedError: the options said so.
        """
        samples, measured = run(
            self._session,
            {
                "features": encoding.features[:, _HALVES * first : _HALVES * last],
                "spectrum": encoding.spectrum[:, _HOPS * first : _HOPS * last + 1],
                "spectrum_statistics": encoding.spectrum_statistics,
                "style": encoding.style,
                "given": self._none_given if given is None else given,
                "share": np.array([0.0 if given is None else 1.0], np.float32),
            },
            _OUTPUTS,
            options,
        )
        samples = samples.ravel()
        check_length(samples.size, (last - first) * SAMPLES_PER_FRAME, "samples")
        return Decoded(samples, measured)

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self._session.close()


def run(
    session: ortffi.Session,
    inputs: dict[str, npt.NDArray[Any]],
    outputs: tuple[str, ...],
    options: ortffi.RunOptions | None,
) -> list[npt.NDArray[Any]]:
    """Run a session and copy what it gives.

    Raises:
        RunError: the run failed.
        ortffi.TerminatedError: the options said so.
    """
    try:
        return session.run(inputs, outputs, options, copy=True)
    except ortffi.TerminatedError:
        raise
    except ortffi.OrtError as error:
        raise RunError(f"the model failed: {error}") from error


def check_length(length: int, promised: int, unit: str) -> None:
    """Raise SynthesisError where something is not as long as the durations say."""
    if length != promised:
        raise SynthesisError(
            f"the model gave {length} {unit} where its durations promise {promised}"
        )
