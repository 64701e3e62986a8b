"""The regression from a chunk's encoding to its statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.statistics.leverage import Leverage, limit_of
from bench.statistics.observations import CHANNELS, Observations
from service.model.statistics import INPUTS, STYLE_PART
from service.speech import VoiceLibrary

PENALTY = 1.0
RANK, FURTHER_RANK = 128, 64


class Fit:
    """A ridge regression over observations, before it is cut to its rank and quantized."""

    def __init__(self, found: Observations) -> None:
        self.center = found.inputs.mean(axis=0)
        means, variances = found.rows[:, 0], found.rows[:, 1]
        self.offsets = np.zeros(found.rows.shape[1:], np.float32)
        self.offsets[0] = means.mean(axis=0)
        self.offsets[1] = np.log(variances).mean(axis=0)
        deviations = np.sqrt(variances)
        steps = np.empty_like(found.rows)
        steps[:, 0] = (means - self.offsets[0]) / np.exp(self.offsets[1] / 2)
        steps[:, 1] = np.log(variances) - self.offsets[1]
        for row, sign in ((2, -1), (3, 1)):
            reach = np.log(np.maximum(sign * (found.rows[:, row] - means) / deviations, 1e-6))
            self.offsets[row] = reach.mean(axis=0)
            steps[:, row] = reach - self.offsets[row]
        self.scale = _scale(found.inputs - self.center)
        self._scaled = (found.inputs - self.center) / self.scale
        self._gram = self._scaled.T @ self._scaled
        self._products = self._scaled.T @ steps.reshape(len(steps), -1)
        self._steps = steps.reshape(len(steps), -1)

    def coefficients(self) -> np.ndarray:
        """Return float32 [686, 4 n], from scaled inputs to steps."""
        return self._solve(self._gram, self._products)

    def errors_without(self, left_out: Sequence[bool], others: Observations) -> np.ndarray:
        """Return the error of the mean for each of some chunks, with others left out of the fit.

        Args:
            left_out: for each observation of the fit, whether it is left out.
            others: the chunks whose errors are returned.
        """
        out, n = np.array(left_out, bool), self.offsets.shape[1]
        scaled, steps = self._scaled[out], self._steps[out, :n]
        # New means, for those of all observations depend on the ones left out.
        n_kept = np.count_nonzero(~out)
        center, usual = -scaled.sum(axis=0) / n_kept, -steps.sum(axis=0) / n_kept
        gram = self._gram - scaled.T @ scaled - n_kept * np.outer(center, center)
        products = self._products[:, :n] - scaled.T @ steps - n_kept * np.outer(center, usual)
        inputs = (others.inputs - self.center) / self.scale - center
        found = usual + inputs @ self._solve(gram, products)
        means = self.offsets[0] + np.exp(self.offsets[1] / 2) * found
        off = np.square(means - others.rows[:, 0]) / others.rows[:, 1]
        return np.sqrt(off.mean(axis=1))

    def _solve(self, gram: np.ndarray, products: np.ndarray) -> np.ndarray:
        penalty = PENALTY * np.eye(len(gram), dtype=gram.dtype)
        return np.linalg.solve(gram + penalty, products)

    def rounded(self) -> dict[str, np.ndarray]:
        """Return the arrays `weights`, `moments` and `reaches`; see `StatisticsPredictor`."""
        half = self._products.shape[1] // 2
        coefficients = self.coefficients()
        moments, weights = self._cut(coefficients[:, :half], RANK)
        reaches, further = self._cut(coefficients[:, half:], FURTHER_RANK)
        return {
            "weights": np.concatenate([weights, further], axis=1).astype(np.float32),
            "moments": moments,
            "reaches": reaches,
        }

    def _cut(self, coefficients: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
        """Return int8 [2, rank, n] and float [686, rank]: the best approximation of that rank."""
        # The principal directions of scaled inputs times coefficients, from the Gram matrix.
        values, vectors = np.linalg.eigh(self._gram.astype(np.float64))
        root = (vectors * np.sqrt(np.maximum(values, 0.0))).T @ coefficients
        strengths, directions = np.linalg.eigh(root @ root.T)
        strongest = directions[:, ::-1][:, :rank]
        lengths = np.sqrt(np.maximum(strengths, 1e-9 * strengths[-1]))[::-1][:rank]
        basis = strongest.T @ root / lengths[:, None]
        steps = np.abs(basis).max(axis=1, keepdims=True) / 127
        weights = coefficients @ basis.T * steps[:, 0] / self.scale[:, None]
        levels = np.rint(basis / steps).astype(np.int8)
        return np.ascontiguousarray(levels.reshape(rank, 2, -1).transpose(1, 0, 2)), weights


def _scale(differences: np.ndarray) -> np.ndarray:
    """Return the divisor of each input; style and mean features have one each."""
    own = differences.std(axis=0) + 1e-9
    start = 0
    for size in INPUTS[:2]:
        part = slice(start, start + size)
        own[part] = np.sqrt(np.mean(np.square(own[part])))
        start += size
    return own


def fitted(found: Observations, voices: VoiceLibrary, source: str) -> dict[str, np.ndarray]:
    """Return all arrays of the predictor's file; see `StatisticsPredictor`."""
    fit = Fit(found)
    leverage = Leverage(found.inputs[:, :STYLE_PART])
    return {
        "source": np.frombuffer(bytes.fromhex(source), np.uint8),
        "channels": np.array(CHANNELS, np.int64),
        "center": fit.center.astype(np.float32),
        "offsets": fit.offsets,
        **fit.rounded(),
        "style_center": leverage.center.astype(np.float32),
        "style_weights": leverage.weights,
        "limit": np.array(limit_of(leverage, voices, [voice.name for voice in voices.voices])),
    }
