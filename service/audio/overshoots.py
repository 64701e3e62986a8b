"""Keep true peaks below -1 dBTP after encoding: find where an encoder adds, and give it less there.

Needs the extra `books`. Lossy encoders change the waveform, so peaks come out higher: those of AAC
by up to 4 dB, here and there, whatever the ceiling of the limiter before. Only what a decoder makes
of a file tells where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from service.audio.sample_rates import SOURCE_RATE_HZ
from service.errors import SynthesisError

Samples = npt.NDArray[np.float32]

_PROMISED_DBTP = -1.0
_ALLOWED = 10 ** ((_PROMISED_DBTP - 0.02) / 20)
_GOAL = 10 ** ((_PROMISED_DBTP - 0.4) / 20)
"""What an overshoot is lowered to, so that it is not allowed by a hair."""

_OVERSAMPLED_HZ = 192_000
"""As FFmpeg's meter measures true peaks. Four times 24 kHz, the least of ITU-R BS.1770, read up to
0.2 dB less of loud speech."""

_BLOCK = 1024
"""Samples at 24 kHz between two gains: 43 ms, a frame of AAC."""

_ROUNDS = 20
"""Speech at -12 LUFS has needed 4. The reach of a reduction doubles with each, up to an hour."""

_DECODED_BETWEEN_WAITS = 64
"""Frames, of 20 to 170 ms."""


def write_below_peak(
    path: Path,
    samples: Callable[[], Iterable[Samples]],
    write: Callable[[Iterable[Samples]], None],
    wait: Callable[[], None] = lambda: None,
) -> None:
    """Write a sound file whose true peaks stay below -1 dBTP when it is decoded.

    It is written, decoded, and written again with less gain around each overshoot, until there is
    none. The same samples give the same file.

    Args:
        path: of the file.
        samples: gives float32 arrays, mono at 24 kHz, the same at each call; their own true peaks
            are below -1 dBTP.
        write: writes the file.
        wait: called again and again while the file is decoded.

    Raises:
        OSError: the file cannot be written.
        SynthesisError: overshoots remain, however quiet the sound is made.
    """
    reduction = GainReduction()
    for number in range(_ROUNDS):
        write(reduction.applied(samples()))
        found = overshoots(path, wait)
        if not found:
            return
        # Most are gone at once; a change moves the bits of what follows, which may overshoot anew.
        reduction.lower(found, reach=max(1, 2**number // 8))
    raise SynthesisError(f"{path.name}: its encoder's peaks cannot be kept below -1 dBTP")


def overshoots(path: Path, wait: Callable[[], None] = lambda: None) -> dict[int, float]:
    """Return where the sound of a file is too loud.

    Args:
        path: of a sound file; it is decoded as a player does.
        wait: called again and again.

    Returns:
        The true peak of each block of 1,024 samples at 24 kHz that has one above the promise,
        relative to full scale, by the number of the block.
    """
    found: dict[int, float] = {}
    size = _BLOCK * _OVERSAMPLED_HZ // SOURCE_RATE_HZ
    # Opus is decoded at 48 kHz, and has other peaks for who plays it at 24.
    for rate_hz in sorted({SOURCE_RATE_HZ, _rate_hz(path)}):
        start = 0
        for part in _oversampled(path, rate_hz, wait):
            amounts = np.abs(part)
            loud = np.flatnonzero(amounts > _ALLOWED)
            for place, amount in zip((start + loud) // size, amounts[loud], strict=True):
                found[int(place)] = max(found.get(int(place), 0.0), float(amount))
            start += part.size
    return found


class GainReduction:
    """A gain that is 1 but around the places that are lowered. It changes over 43 ms."""

    def __init__(self) -> None:
        self._gains = np.ones(1, np.float32)
        """At the beginning of each block; the last is 1, and so are those after it."""

    def lower(self, peaks: Mapping[int, float], reach: int) -> None:
        """Lower blocks so much that their peaks would be right.

        Args:
            peaks: of blocks, by their numbers.
            reach: how many blocks before and after each are lowered as much.
        """
        missing = max(peaks) + reach + 3 - self._gains.size
        self._gains = np.pad(self._gains, (0, max(0, missing)), constant_values=1)
        factors = np.ones_like(self._gains)
        for block, peak in peaks.items():
            around = factors[max(0, block - reach) : block + reach + 2]
            np.minimum(around, _GOAL / peak, out=around)
        self._gains *= factors

    def applied(self, samples: Iterable[Samples]) -> Iterator[Samples]:
        """Yield samples with their gains."""
        start = 0
        for part in samples:
            first, last = start // _BLOCK, (start + part.size) // _BLOCK + 1
            gains = self._gains[first : last + 1]
            if (gains == 1).all():
                yield part
            else:
                places = np.arange(start, start + part.size) / _BLOCK
                between = np.interp(places, first + np.arange(gains.size), gains)
                yield part * between.astype(np.float32)
            start += part.size


def _rate_hz(path: Path) -> int:
    import av

    with av.open(str(path)) as file:
        return file.streams.audio[0].rate


def _oversampled(path: Path, rate_hz: int, wait: Callable[[], None]) -> Iterator[Samples]:
    """Yield the samples that a player has at a rate, oversampled."""
    import av

    with av.open(str(path)) as file:
        playing, measuring = (
            av.AudioResampler(format="flt", layout="mono", rate=rate)
            for rate in (rate_hz, _OVERSAMPLED_HZ)
        )
        for number, frame in enumerate(chain(file.decode(file.streams.audio[0]), [None])):
            if number % _DECODED_BETWEEN_WAITS == 0:
                wait()
            for played in playing.resample(frame):
                for part in measuring.resample(played):
                    yield part.to_ndarray()[0]
        for part in measuring.resample(None):
            yield part.to_ndarray()[0]
