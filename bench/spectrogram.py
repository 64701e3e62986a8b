"""Spectrograms side by side as SVG with embedded PNGs, which need only zlib."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.picture import document, text
from service.model.kokoro import SAMPLE_RATE_HZ

FRAME, HOP = 640, 150
"""Samples: 27 ms every 6 ms, bins of 37.5 Hz."""

RANGE_DB = 80.0
"""From the darkest to the brightest color; the brightest is the loudest bin of a column."""

_STEPS = 33
_CORNERS = ((0, 0, 4), (60, 15, 110), (150, 40, 110), (225, 90, 50), (250, 175, 40),
            (255, 255, 230))  # fmt: skip
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 300, 240, 60, 76, 40


@dataclass(frozen=True)
class Column:
    """Recordings of the same stretch, shown one below the other.

    Attributes:
        title: text above the column.
        recordings: samples at 24 kHz, all of the same length.
        mark_s: a time that is marked, in seconds from the beginning.
    """

    title: str
    recordings: Sequence[np.ndarray]
    mark_s: float


def spectrograms(title: str, rows: Sequence[str], columns: Sequence[Column]) -> str:
    """Draw the spectrograms of columns of recordings, from 0 to 12 kHz.

    Raises:
        ValueError: a column does not have one recording for each row, or their lengths differ.
    """
    parts = [text(_LEFT, 24, title, "font-size='15' font-weight='bold'")]
    note = f"0 to 12 kHz, {RANGE_DB:.0f} dB from black to white; triangles mark the seams"
    parts.append(text(_LEFT, 44, note, "fill='#555'"))
    for number, column in enumerate(columns):
        if {one.size for one in column.recordings} != {column.recordings[0].size} or len(
            column.recordings
        ) != len(rows):
            raise ValueError(f"{column.title}: one recording for each of {len(rows)} rows")
        x = _LEFT + number * (_WIDTH + _GAP)
        parts.append(text(x, _TOP - 12, column.title))
        levels = [levels_db(one) for one in column.recordings]
        loudest = max(float(one.max()) for one in levels)
        length_s = column.recordings[0].size / SAMPLE_RATE_HZ
        for row, found in enumerate(levels):
            y = _TOP + row * (_HEIGHT + _GAP)
            parts += _panel(x, y, png(steps(found, loudest).T[::-1], palette()))
            parts += _mark(x + _WIDTH * column.mark_s / length_s, y)
            parts += _scale(x, y, length_s)
    for row, name in enumerate(rows):
        y = _TOP + row * (_HEIGHT + _GAP) + _HEIGHT / 2
        turned = f"text-anchor='middle' transform='rotate(-90 16 {y:.1f})' font-weight='bold'"
        parts.append(text(16, y, name, turned))
    width = _LEFT + len(columns) * (_WIDTH + _GAP)
    return document(width, _TOP + len(rows) * (_HEIGHT + _GAP), parts)


def levels_db(samples: np.ndarray) -> np.ndarray:
    """Return levels in dB, float [frames, bins] from 0 to 12 kHz, of at least one frame."""
    padded = np.pad(samples, (0, max(0, FRAME - samples.size)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP]
    power = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1)) ** 2
    levels: np.ndarray = 10 * np.log10(power + 1e-12)
    return levels


def steps(levels: np.ndarray, loudest: float) -> np.ndarray:
    """Return the index of the color of each level, uint8; the loudest has the last one."""
    shares = np.clip(1 - (loudest - levels) / RANGE_DB, 0, 1)
    return np.rint(shares * (_STEPS - 1)).astype(np.uint8)


def palette() -> np.ndarray:
    """Return the colors from quiet to loud, uint8 [n, 3]."""
    places = np.linspace(0, len(_CORNERS) - 1, _STEPS)
    channels = zip(*_CORNERS, strict=True)
    values = [np.interp(places, range(len(_CORNERS)), channel) for channel in channels]
    return np.rint(np.stack(values, axis=1)).astype(np.uint8)


def png(pixels: np.ndarray, colors: np.ndarray) -> bytes:
    """Return a PNG file.

    Args:
        pixels: indices of colors, uint8 [height, width], the uppermost row first.
        colors: red, green and blue, uint8 [n, 3].
    """

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    height, width = pixels.shape
    unfiltered = np.zeros((height, 1), np.uint8)
    rows = np.hstack([unfiltered, pixels.astype(np.uint8)]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"PLTE", colors.astype(np.uint8).tobytes())
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def _panel(x: float, y: float, image: bytes) -> list[str]:
    data = base64.b64encode(image).decode()
    return [
        f"<image x='{x}' y='{y}' width='{_WIDTH}' height='{_HEIGHT}' preserveAspectRatio='none' "
        f"href='data:image/png;base64,{data}'/>"
    ]


def _mark(x: float, y: float) -> list[str]:
    """Return triangles above and below a picture, since a line across it would hide the seam."""
    below = y + _HEIGHT
    return [
        f"<path d='M{x:.1f} {y} l-5 -8 h10 z M{x:.1f} {below} l-5 8 h10 z' fill='#d62728'/>",
    ]


def _scale(x: float, y: float, length_s: float) -> list[str]:
    parts = []
    for khz in (0, 4, 8, 12):
        height = y + _HEIGHT * (1 - khz / 12)
        parts.append(text(x - 6, height + 4, f"{khz}", "text-anchor='end' fill='#555'"))
    for share in (0.0, 1.0):
        at = x + _WIDTH * share
        label = f"{length_s * share:g} s"
        parts.append(text(at, y + _HEIGHT + 16, label, "text-anchor='middle' fill='#555'"))
    return parts
