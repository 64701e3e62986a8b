"""Loudness by ITU-R BS.1770 and EBU R 128, and bringing it to a target. By FFmpeg's filters."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from service.audio.filter_chain import FilterChain, filtered

USUAL_LUFS = -18.0
"""Of audiobooks: between the -16 of podcasts and the -23 of broadcasts."""

_CEILING_DBTP = -2.0
"""Of the limiter. At -18 LUFS what the encoders and resampling add stays below -1; AAC adds more to
louder books, whatever the ceiling (docs/books.md)."""

SILENCE_LUFS = -70.0
"""The gate of the standard: quieter sound is silence, and has no loudness."""

_OVERSAMPLED_HZ = 96_000
"""Four times the rate, as the standard measures true peaks."""


def is_available() -> bool:
    """Tell whether PyAV, which has the filters, is installed."""
    return importlib.util.find_spec("av") is not None


@dataclass(frozen=True)
class Loudness:
    """The loudness of a sound.

    Attributes:
        lufs: integrated loudness; -70 for silence.
        peak_dbtp: greatest true peak, in dB of full scale; -inf for digital silence.
    """

    lufs: float
    peak_dbtp: float


def measure(samples: Iterable[npt.NDArray[np.float32]]) -> Loudness:
    """Measure mono samples at 24 kHz of any length, in constant memory."""
    chain = FilterChain([("ebur128", "peak=true:metadata=1")])
    lufs, peak = SILENCE_LUFS, 0.0

    def told() -> Iterator[dict[str, str]]:
        for part in samples:
            for frame in chain.push(part):
                yield frame.metadata
        for frame in chain.finish():
            yield frame.metadata

    for told_now in told():
        lufs = float(told_now.get("lavfi.r128.I", lufs))
        peak = max(peak, float(told_now.get("lavfi.r128.true_peak", peak)))
    lufs = lufs if math.isfinite(lufs) else SILENCE_LUFS
    return Loudness(max(lufs, SILENCE_LUFS), 20 * math.log10(peak) if peak > 0 else -math.inf)


def levelled(
    samples: Iterable[npt.NDArray[np.float32]], loudness: Loudness, target_lufs: float
) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the samples at a target loudness, as many as there are, with true peaks below -1 dBTP.

    Args:
        samples: float32 arrays, mono at 24 kHz.
        loudness: what `measure` says of them.
        target_lufs: -70 to 0.
    """
    if loudness.lufs <= SILENCE_LUFS:
        yield from samples
        return
    gain_db = target_lufs - loudness.lufs
    filters = [("volume", f"{gain_db:.4f}dB")]
    if loudness.peak_dbtp + gain_db > _CEILING_DBTP:
        limit = 10 ** (_CEILING_DBTP / 20)
        filters += [
            ("aresample", str(_OVERSAMPLED_HZ)),
            ("alimiter", f"limit={limit:.6f}:level=false:latency=true:attack=5:release=50"),
            ("aresample", "24000"),
        ]
    yield from filtered(samples, filters)
