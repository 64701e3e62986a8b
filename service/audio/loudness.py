"""Loudness by ITU-R BS.1770 and EBU R 128, and bringing it to a target. By FFmpeg's filters."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from service.audio.filter_chain import FilterChain, filtered

USUAL_LUFS = -18.0
"""Of audiobooks: between the -16 of podcasts and the -23 of broadcasts."""

_CEILING_DBTP = -2.5
"""Of the limiter. Resampling adds up to 0.8 dB, and encoders add more now and then. With this
ceiling speech at -18 LUFS is encoded once, with -2 twice; see `overshoots`."""

_TOLERANCE_LU = 0.1
_ROUNDS = 4
"""What the limiter takes from the peaks is given to the rest, round by round. Speech of -12 LUFS
comes out at -12.7, and each further round would add 0.1 by limiting all of it."""

_MOST_GIVEN_LU = 6.0
"""Speech of -12 LUFS gets 3. What is hardly more than peaks would get 50, and be all distortion."""

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


@dataclass(frozen=True)
class Level:
    """How a sound comes to a loudness.

    Attributes:
        before: what it has.
        aim_lufs: what its gain alone would give: louder than the target by what the limiter takes.
        lufs: what comes out, less than the target if the limiter takes too much; -70 for silence.
    """

    before: Loudness
    aim_lufs: float
    lufs: float

    @property
    def gain_db(self) -> float:
        """Return the gain before the limiter; silence gets none."""
        return 0.0 if self._is_silence else self.aim_lufs - self.before.lufs

    @property
    def is_limited(self) -> bool:
        """Return whether there are peaks for the limiter."""
        return not self._is_silence and self.before.peak_dbtp + self.gain_db > _CEILING_DBTP

    @property
    def _is_silence(self) -> bool:
        return self.before.lufs <= SILENCE_LUFS


def level_for(
    samples: Callable[[], Iterable[npt.NDArray[np.float32]]], target_lufs: float
) -> Level:
    """Find how a sound comes as near to a loudness as it can.

    Args:
        samples: gives float32 arrays, mono at 24 kHz, the same at each call; called up to 5 times.
        target_lufs: -70 to 0.
    """
    before = measure(samples())
    if before.lufs <= SILENCE_LUFS:
        return Level(before, target_lufs, SILENCE_LUFS)
    level = Level(before, target_lufs, target_lufs)
    if not level.is_limited:
        return level
    for _ in range(_ROUNDS):
        aim = min(level.aim_lufs + target_lufs - level.lufs, target_lufs + _MOST_GIVEN_LU)
        level = Level(before, aim, measure(levelled(samples(), Level(before, aim, aim))).lufs)
        if abs(target_lufs - level.lufs) < _TOLERANCE_LU:
            break
    return level


def levelled(
    samples: Iterable[npt.NDArray[np.float32]], level: Level
) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the samples at a loudness, as many as there are, with true peaks below -1 dBTP.

    Args:
        samples: float32 arrays, mono at 24 kHz.
        level: what `level_for` says of them, or of a whole that they are a part of.
    """
    if not level.gain_db and not level.is_limited:
        yield from samples
        return
    filters = [("volume", f"{level.gain_db:.4f}dB")]
    if level.is_limited:
        limit = 10 ** (_CEILING_DBTP / 20)
        filters += [
            ("aresample", str(_OVERSAMPLED_HZ)),
            ("alimiter", f"limit={limit:.6f}:level=false:latency=true:attack=5:release=50"),
            ("aresample", "24000"),
        ]
    yield from filtered(samples, filters)
