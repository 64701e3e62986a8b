"""The second part of a split model: it decodes a window of an encoded chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ortffi
from service.errors import ModelError, RunError, SynthesisError
from service.model.durations import SAMPLES_PER_FRAME

Floats = npt.NDArray[np.float32]

AUDIO = "audio"
"""The output that is the sound: float32, 600 samples for each frame."""

MASK = "mask"
"""Input of decoders for GPUs: float32 [1, 1, 2 T], 1 where features count and 0 behind them."""

_INPUTS = ("features", "spectrum", "style", "given", "share")
_OF_PROCESSORS = "spectrum_statistics"
"""Input of decoders that quantize."""

LONGEST_WINDOW_FRAMES = 104
"""Of the longest window with its context on both sides: 2.6 s; see `service.speech.windows`."""

_HALVES, _HOPS = 2, 120
"""Columns of features and of the spectrum in a frame; the spectrum has one more at the end."""


@dataclass(frozen=True)
class Encoding:
    """What the encoder gives of a chunk.

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

    @classmethod
    def of(
        cls,
        durations: npt.NDArray[np.int64],
        features: Floats,
        spectrum: Floats,
        style: Floats,
        spectrum_statistics: Floats | None,
        *,
        padded: bool = False,
    ) -> Encoding:
        """Make an encoding of an encoder's outputs.

        Args:
            durations: see `Encoding`, as the others.
            features: of all frames, and of padding where there is any.
            spectrum: likewise.
            style: likewise.
            spectrum_statistics: None where the encoder does not give them.
            padded: whether the encoder may have padded the frames.

        Raises:
            SynthesisError: its outputs do not have the length that its durations say, or are not
                finite.
        """
        n_frames, n_given = int(durations.sum()), features.shape[1] // _HALVES
        if n_given < n_frames or not padded:
            check_length(n_given, n_frames, "frames")
        check_length(spectrum.shape[1], _HOPS * n_given + 1, "columns")
        features = features[:, : _HALVES * n_frames]
        spectrum = spectrum[:, : _HOPS * n_frames + 1]
        # A decoder that quantizes would hide a NaN.
        if not (np.isfinite(features).all() and np.isfinite(spectrum).all()):
            raise SynthesisError("the model gave features that are not finite")
        if spectrum_statistics is None:
            spectrum_statistics = _statistics(spectrum[0])
        return cls(durations, features, spectrum, spectrum_statistics, style)

    @property
    def n_frames(self) -> int:
        """Return T, the length of the chunk."""
        return int(self.features.shape[1]) // _HALVES


@dataclass(frozen=True)
class Decoded:
    """The sound of a window.

    Attributes:
        samples: float32 [600 n] for n frames.
        measured: statistics of each AdaIN's input over the window, in the decoder's own order;
            None where the decoder does not give them.
    """

    samples: Floats
    measured: Floats | None


class Decoder:
    """Decodes windows with a session, which it owns.

    Attributes:
        n_statistics: numbers in `Decoded.measured`.
        lengths: numbers of frames that a run can have, for windows are padded to the next; empty
            where a run has the frames of its window.
    """

    def __init__(self, session: ortffi.Session, lengths: Sequence[int] = ()) -> None:
        self._session = session
        inputs = {info.name: info for info in session.inputs}
        self._outputs = tuple(info.name for info in session.outputs)
        shape = inputs["given"].shape if "given" in inputs else None
        unknown = set(inputs) - {*_INPUTS, _OF_PROCESSORS, MASK}
        known = set(inputs) >= set(_INPUTS) and not unknown
        if not known or self._outputs[:1] != (AUDIO,) or not shape:
            raise ModelError("this is not the decoder of a prepared model; prepare it anew")
        self._takes_ranges = _OF_PROCESSORS in inputs
        self.lengths = tuple(lengths) if MASK in inputs else ()
        self.n_statistics = int(shape[0] or 0)
        self._none_given = np.zeros(self.n_statistics, np.float32)

    def decode(
        self,
        encoding: Encoding,
        first: int,
        last: int,
        given: Floats | None = None,
        options: ortffi.RunOptions | None = None,
        lengths: Sequence[int] | None = None,
    ) -> Decoded:
        """Decode the frames from `first` up to `last` as if the chunk had no others.

        Args:
            encoding: of the chunk.
            first: 0 or more.
            last: greater, up to `n_frames`.
            given: statistics to use instead of the window's own, float32 [n_statistics].
            options: of this run.
            lengths: used instead of `self.lengths`; without effect where these are empty.

        Raises:
            RunError: the run failed.
            SynthesisError: it did not give 600 samples for each frame.
            ortffi.TerminatedError: the options terminated the run.
        """
        n_frames = last - first
        inputs: dict[str, Floats] = {
            "features": encoding.features[:, _HALVES * first : _HALVES * last],
            "spectrum": encoding.spectrum[:, _HOPS * first : _HOPS * last + 1],
            "style": encoding.style,
            "given": self._none_given if given is None else given,
            "share": np.array([0.0 if given is None else 1.0], np.float32),
        }
        if self._takes_ranges:
            inputs[_OF_PROCESSORS] = encoding.spectrum_statistics
        length = n_frames
        if self.lengths:
            length = next_length(n_frames, lengths or self.lengths)
            inputs = self._padded(inputs, n_frames, length)
        samples, *measured = self._run(inputs, length, options)
        samples = samples.ravel()
        check_length(samples.size, length * SAMPLES_PER_FRAME, "samples")
        return Decoded(samples[: n_frames * SAMPLES_PER_FRAME], measured[0] if measured else None)

    def _run(
        self, inputs: dict[str, Floats], length: int, options: ortffi.RunOptions | None
    ) -> list[Floats]:
        """Run with so many frames and return all outputs."""
        return run(self._session, inputs, self._outputs, options)

    def _padded(self, inputs: dict[str, Floats], n_frames: int, length: int) -> dict[str, Floats]:
        """Return the inputs padded to so many frames with zeros, and a mask of the real ones."""
        padded = dict(inputs)
        shapes = self.shapes(length)
        for name in ("features", "spectrum"):
            padded[name] = np.zeros(shapes[name], np.float32)
            padded[name][:, : inputs[name].shape[1]] = inputs[name]
        padded[MASK] = np.zeros(shapes[MASK], np.float32)
        padded[MASK][..., : _HALVES * n_frames] = 1
        return padded

    def shapes(self, length: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all inputs of a run with so many frames, where there is a mask."""
        return {
            "features": (1, _HALVES * length, 512),
            "spectrum": (1, _HOPS * length + 1, 22),
            "style": (1, 256),
            "given": (self.n_statistics,),
            "share": (1,),
            MASK: (1, 1, _HALVES * length),
        }

    def end_profiling(self) -> Path:
        """Return the file of the profile of all runs so far; see `Runtime.open_on_gpu`."""
        return self._session.end_profiling()

    def close(self) -> None:
        """Release the session, after the run in progress."""
        self._session.close()


def next_length(n_frames: int, lengths: Sequence[int]) -> int:
    """Return the first of the lengths that has room, or a multiple of the last."""
    for length in lengths:
        if length >= n_frames:
            return length
    return -(-n_frames // lengths[-1]) * lengths[-1]


def run(
    session: ortffi.Session,
    inputs: dict[str, npt.NDArray[Any]],
    outputs: tuple[str, ...],
    options: ortffi.RunOptions | None,
) -> list[npt.NDArray[Any]]:
    """Run a session and copy its outputs.

    Raises:
        RunError: the run failed.
        ortffi.TerminatedError: the options terminated the run.
    """
    try:
        return session.run(inputs, outputs, options, copy=True)
    except ortffi.TerminatedError:
        raise
    except ortffi.OrtError as error:
        raise RunError(f"the model failed: {error}") from error


def check_length(length: int, promised: int, unit: str) -> None:
    """Raise SynthesisError where an output is not as long as the durations say."""
    if length != promised:
        raise SynthesisError(
            f"the model gave {length} {unit} where its durations promise {promised}"
        )


def _statistics(columns: Floats) -> Floats:
    """Return mean, variance, least and greatest of each channel of float32 [n, C]."""
    return np.stack([columns.mean(0), columns.var(0), columns.min(0), columns.max(0)])
