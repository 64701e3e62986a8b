"""The parity check: does a prepared model speak like its source?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from service.errors import RunError, SynthesisError
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import STYLE_SIZE, Inference, Samples
from service.resources import resource

SENTENCES: dict[str, tuple[int, ...]] = {
    # həlˈO, wˈɜɹld.
    "short": (50, 83, 54, 156, 31, 3, 16, 65, 156, 87, 123, 54, 46, 4),
    # ðə nˈɔɹθ wˈɪnd ænd ðə sˈʌn wɜɹ dɪspjˈuɾɪŋ wˌɪʧ wʌz ðə stɹˈɔŋɡəɹ, wˌɛn ə tɹˈævələɹ kˈAm.
    "long": (
        81, 83, 16, 56, 156, 76, 123, 119, 16, 65, 156, 102, 56, 46, 16, 72, 56, 46, 16, 81, 83,
        16, 61, 156, 138, 56, 16, 65, 87, 123, 16, 46, 102, 61, 58, 52, 156, 63, 125, 102, 112, 16,
        65, 157, 102, 133, 16, 65, 138, 68, 16, 81, 83, 16, 61, 62, 123, 156, 76, 112, 92, 83, 123,
        3, 16, 65, 157, 86, 56, 16, 83, 16, 62, 123, 156, 72, 64, 83, 54, 83, 123, 16, 53, 156, 24,
        55, 4,
    ),
}  # fmt: skip
"""Token ids of the sentences that both say."""

MAX_DISTANCE_DB = 5.0
"""Largest log-spectral distance of a good rewriting. Measured for the published model, the short
and the long sentence: 1.6 and 2.7 dB with our own operators, 1.7 and 3.4 with ONNX Runtime's;
noise 20 dB below the speech makes 19 and 15, one frame too late 6 and 9."""

MAX_LEVEL_DIFFERENCE_DB = 1.0
"""Largest difference of the root mean square. All variants are within 0.1."""

Speaker = Callable[[str], Inference]
"""Returns a model's inference of a sentence, live or recorded; see `speaker`."""

_VOICE = "af_heart"
_FRAME, _HOP = 1024, 256
_FLOOR_DB = 80.0
"""Bins so far below the loudest count as silence."""


class Speaking(Protocol):
    """Can say a chunk, as every opened model can."""

    def infer(
        self, token_ids: Sequence[int], style: npt.NDArray[np.float32], speed: float
    ) -> Inference:
        """Say a chunk; see `service.model.interface.Model.infer`."""


class UnlikeError(Exception):
    """The prepared model does not speak like its source; the message says how."""


@dataclass(frozen=True)
class Comparison:
    """The difference between two renderings of a sentence.

    Attributes:
        distance_db: log-spectral distance, see `log_spectral_distance`.
        n_samples: length of the prepared model's rendering.
    """

    distance_db: float
    n_samples: int


def compare(source: Speaker, prepared: Speaker, *, slack_frames: int = 0) -> dict[str, Comparison]:
    """Let both say the sentences, and compare them.

    Args:
        source: says the right audio.
        prepared: says the audio to check.
        slack_frames: by how many frames the duration of a token may differ. Tokens are compared
            over their common frames.

    Returns:
        The comparison for each sentence.

    Raises:
        RunError: a model cannot be run.
        UnlikeError: the durations, the loudness or the spectra differ too much, or the samples
            are not finite.
    """
    comparisons = {}
    for name in SENTENCES:
        expected = source(name)
        try:
            found = prepared(name)
        except RunError:
            raise
        except SynthesisError as error:
            raise UnlikeError(f"the {name} sentence: {error.message}") from error
        one, other = _alike(name, expected, found, slack_frames)
        if not np.any(other):
            raise UnlikeError(f"the {name} sentence is silent")
        difference = abs(_level_db(one) - _level_db(other))
        if not difference <= MAX_LEVEL_DIFFERENCE_DB:
            raise UnlikeError(
                f"the loudness of the {name} sentence differs by {difference:.1f} dB; the limit is "
                f"{MAX_LEVEL_DIFFERENCE_DB}"
            )
        distance = log_spectral_distance(one, other)
        if not distance <= MAX_DISTANCE_DB:
            raise UnlikeError(
                f"the {name} sentence sounds different: log-spectral distance {distance:.1f} dB; "
                f"the limit is {MAX_DISTANCE_DB}"
            )
        comparisons[name] = Comparison(distance, found.samples.size)
    return comparisons


def speaker(model: Speaking) -> Speaker:
    """Return a function that lets a model say one of `SENTENCES`; it raises SynthesisError."""

    def say(name: str) -> Inference:
        token_ids = SENTENCES[name]
        return model.infer(token_ids, style_of(len(token_ids)), 1.0)

    return say


def _alike(
    name: str, one: Inference, other: Inference, slack_frames: int
) -> tuple[Samples, Samples]:
    """Return the samples of both, reduced to the common frames of each token."""
    if one.durations is None or other.durations is None:
        if one.samples.size != other.samples.size:
            raise UnlikeError(
                f"the {name} sentence has {other.samples.size} samples, not {one.samples.size}"
            )
        return one.samples, other.samples
    difference = np.abs(one.durations - other.durations)
    if difference.max() > slack_frames:
        raise UnlikeError(
            f"the {name} sentence has other durations: {int((difference > slack_frames).sum())} of "
            f"{difference.size} tokens differ; {int(other.durations.sum())} frames in all, not "
            f"{int(one.durations.sum())}"
        )
    common = np.minimum(one.durations, other.durations)
    return _beginnings(one, common), _beginnings(other, common)


def _beginnings(inference: Inference, n_frames: npt.NDArray[np.int64]) -> Samples:
    """Return the first frames of each token, concatenated."""
    assert inference.durations is not None
    starts = np.cumsum(inference.durations) - inference.durations
    return np.concatenate(
        [
            inference.samples[start * SAMPLES_PER_FRAME : (start + n) * SAMPLES_PER_FRAME]
            for start, n in zip(starts, n_frames, strict=True)
        ]
    )


def _level_db(samples: Samples) -> float:
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return 10 * math.log10(max(power, np.finfo(np.float64).tiny))


def log_spectral_distance(one: Samples, other: Samples, *, floor_db: float = _FLOOR_DB) -> float:
    """Return the mean over frames of the root mean square over bins of the difference in dB.

    Args:
        one: float32 [n].
        other: float32 [n].
        floor_db: so far below the loudest bin of `one` everything counts as silence.
    """
    spectra = [_power(samples) for samples in (one, other)]
    floor = max(float(spectra[0].max()), np.finfo(np.float64).tiny) * 10 ** (-floor_db / 10)
    difference = 10 * np.log10(np.maximum(spectra[0], floor) / np.maximum(spectra[1], floor))
    return float(np.sqrt(np.square(difference).mean(axis=1)).mean())


def _power(samples: Samples) -> npt.NDArray[np.float64]:
    """Return the power of each frame and bin; the end is padded to a whole frame."""
    n_frames = 1 + max(0, -(-(samples.size - _FRAME) // _HOP))
    padded = np.zeros((n_frames - 1) * _HOP + _FRAME)
    padded[: samples.size] = samples
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::_HOP]
    power: npt.NDArray[np.float64] = np.abs(np.fft.rfft(frames * np.hanning(_FRAME))) ** 2
    return power


def style_of(n_tokens: int) -> npt.NDArray[np.float32]:
    """Return a voice's style for so many tokens; a made-up one where that voice is not there."""
    file = resource("voices") / f"{_VOICE}.bin"
    if not file.is_file():
        return np.full((1, STYLE_SIZE), 0.05, np.float32)
    styles = np.fromfile(file, "<f4").reshape(-1, 1, STYLE_SIZE)
    style: npt.NDArray[np.float32] = styles[n_tokens - 1]
    return style
