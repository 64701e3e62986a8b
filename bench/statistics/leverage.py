"""How far a style is from those that the predictor was fitted with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.statistics.plan import LEAST_TOKENS
from service.model.kokoro import MAX_TOKENS
from service.model.statistics import STYLE_PART
from service.speech import VoiceLibrary

STYLE_PENALTY = 0.01
"""Added to the variances of styles, as a share of their mean."""

MARGIN = 1.1
"""Factor on the largest leverage: styles are rounded, so that of a known style may exceed it."""


class Leverage:
    """The distance of a style from a set of styles, relative to their spread."""

    def __init__(self, styles: np.ndarray) -> None:
        """Fit to styles, float32 [N, 128]."""
        self.center = styles.mean(axis=0)
        differences = (styles - self.center).astype(np.float64)
        values, vectors = np.linalg.eigh(differences.T @ differences / len(styles))
        penalty = STYLE_PENALTY * values.mean()
        self.weights = (vectors / np.sqrt(values + penalty)).astype(np.float32)

    def of(self, styles: np.ndarray) -> np.ndarray:
        """Return the leverage of each style, [N]; styles are float32 [N, 128]."""
        return np.square((styles - self.center) @ self.weights).sum(axis=1)


def limit_of(leverage: Leverage, voices: VoiceLibrary, names: Sequence[str]) -> np.float32:
    """Return the leverage up to which styles count as covered, given the voices of the fit."""
    return np.float32(MARGIN * max(leverage.of(known_styles(voices, name)).max() for name in names))


def known_styles(voices: VoiceLibrary, name: str) -> np.ndarray:
    """Return the decoder's part of a voice's styles for 20 tokens and more, float32 [491, 128]."""
    blend = voices.resolve(name)
    rows = [voices.style(blend, n) for n in range(LEAST_TOKENS, MAX_TOKENS + 1)]
    return np.concatenate(rows)[:, :STYLE_PART]
