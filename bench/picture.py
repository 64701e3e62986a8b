"""Stacked bars as SVG, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5",
            "#9c6b4e", "#9498a0")  # fmt: skip
_BAR, _GAP, _HEIGHT, _TOP, _LEFT = 90, 40, 320, 50, 70
_KEY, _LINE = 200, 20

Bars = Mapping[str, Mapping[str, float]]
"""By bar and by layer; layers that a bar lacks are zero."""


def stacked_bars(title: str, unit: str, bars: Bars, layers: Sequence[str]) -> str:
    """Draw bars side by side, each with its layers from the bottom up and its sum on top.

    Raises:
        ValueError: a bar has a layer that is not among the layers, or there are too many.
    """
    unknown = {layer for bar in bars.values() for layer in bar} - set(layers)
    if unknown or len(layers) > len(_COLORS):
        raise ValueError(f"{len(layers)} layers; unknown layers: {sorted(unknown)}")
    sums = {name: sum(bar.values()) for name, bar in bars.items()}
    scale = _HEIGHT / max(sums.values())
    bottom = _TOP + _HEIGHT
    right = _LEFT + len(bars) * (_BAR + _GAP)
    parts = [text(_LEFT, 24, title, "font-size='15' font-weight='bold'")]
    for value in _ticks(max(sums.values())):
        y = bottom - value * scale
        parts.append(f"<line x1='{_LEFT}' x2='{right}' y1='{y:.1f}' y2='{y:.1f}' stroke='#ddd'/>")
        parts.append(text(_LEFT - 8, y + 4, f"{value:g}", "text-anchor='end'"))
    for number, (name, bar) in enumerate(bars.items()):
        x, y = _LEFT + _GAP / 2 + number * (_BAR + _GAP), float(bottom)
        for layer, color in zip(layers, _COLORS, strict=False):
            height = bar.get(layer, 0.0) * scale
            y -= height
            parts.append(
                f"<rect x='{x}' y='{y:.1f}' width='{_BAR}' height='{height:.1f}' fill='{color}'>"
                f"<title>{escape(name)}, {escape(layer)}: {bar.get(layer, 0.0):.3g} {unit}</title>"
                "</rect>"
            )
        middle = x + _BAR / 2
        parts.append(text(middle, y - 6, f"{sums[name]:.3g}", "text-anchor='middle'"))
        parts.append(text(middle, bottom + 20, name, "text-anchor='middle'"))
    for number, (layer, color) in enumerate(reversed(list(zip(layers, _COLORS, strict=False)))):
        y = _TOP + number * _LINE
        parts.append(f"<rect x='{right + 10}' y='{y}' width='12' height='12' fill='{color}'/>")
        parts.append(text(right + 28, y + 11, layer))
    parts.append(text(_LEFT, bottom + 45, unit, "fill='#555'"))
    return document(right + _KEY, bottom + 60, parts)


def document(width: float, height: float, parts: Sequence[str]) -> str:
    """Return an SVG with a white background; width and height are in pixels."""
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
        f"height='{height}' font-family='sans-serif' font-size='12'>\n"
        f"<rect width='{width}' height='{height}' fill='white'/>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _ticks(highest: float) -> list[float]:
    """Return about five round numbers, from 0 to at most the highest."""
    magnitude = 1.0
    while magnitude * 10 <= highest:
        magnitude *= 10
    while magnitude > highest:
        magnitude /= 10
    step = next(m * magnitude for m in (0.2, 0.5, 1, 2) if highest / (m * magnitude) <= 6)
    return [number * step for number in range(int(highest / step) + 1)]


def text(x: float, y: float, words: str, attributes: str = "") -> str:
    """Return a text element; by default (x, y) is where its baseline begins."""
    return f"<text x='{x:.1f}' y='{y:.1f}' {attributes}>{escape(words)}</text>"
