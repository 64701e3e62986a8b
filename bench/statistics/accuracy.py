"""Tables of the predictor's errors and of the voices that it covers."""

from __future__ import annotations

import numpy as np

from bench.report import verdict
from bench.statistics.fit import Fit, fitted
from bench.statistics.leverage import Leverage, known_styles, limit_of
from bench.statistics.observations import Observations
from bench.statistics.plan import KINDS, Chunk
from service.model.statistics import STYLE_PART, StatisticsPredictor
from service.speech import VoiceLibrary

BOUNDS = (0.05, 0.07, 0.07)
WORST_COVERED = 0.15


def compare(
    found: Observations, voices: VoiceLibrary, source: str
) -> tuple[str, dict[str, np.ndarray], bool]:
    """Return the tables, the arrays of the predictor's file, and whether every bound is met."""
    fitting = found.where([not chunk.held_out for chunk in found.chunks])
    others = found.where([chunk.held_out for chunk in found.chunks])
    arrays = fitted(fitting, voices, source)
    predictor = StatisticsPredictor(arrays)
    errors = np.array(
        [
            errors_of(predictor.rows(inputs), rows)
            for inputs, rows in zip(others.inputs, others.rows, strict=True)
        ]
    )
    accuracy, accurate = _accuracy(others, errors)
    coverage, covered = _coverage(fitting, others, voices, predictor)
    return f"{accuracy}\n\n{coverage}", arrays, accurate and covered


def errors_of(predicted: np.ndarray, measured: np.ndarray) -> tuple[float, float, float]:
    """Return the errors of the mean, variance and range of a chunk; both arrays float32 [4, n]."""
    mean = (predicted[0] - measured[0]) / np.sqrt(measured[1])
    variance = np.log(predicted[1] / measured[1])
    ranges = np.log((predicted[3] - predicted[2]) / (measured[3] - measured[2]))
    errors = [float(np.sqrt(np.mean(np.square(error)))) for error in (mean, variance, ranges)]
    return errors[0], errors[1], errors[2]


def _accuracy(others: Observations, errors: np.ndarray) -> tuple[str, bool]:
    head = "| held out | chunks | mean | variance | range | worst chunk's mean | met? |"
    lines = [head, "|---|---|---|---|---|---|---|"]
    kinds = np.array([chunk.kind for chunk in others.chunks])
    met = True
    for kind in KINDS:
        own = errors[kinds == kind]
        means = own.mean(axis=0)
        holds = bool((means <= BOUNDS).all())
        met &= holds
        cells = " | ".join(f"{mean:.4f}" for mean in means)
        lines.append(
            f"| {kind} | {len(own)} | {cells} | {own[:, 0].max():.3f} | {verdict(holds)} |"
        )
    by_voice = {
        name: errors[[chunk.kind == "own" and chunk.voice == name for chunk in others.chunks], 0]
        for name in sorted({chunk.voice for chunk in others.chunks if chunk.kind == "own"})
    }
    worst = sorted(by_voice, key=lambda name: -by_voice[name].mean())[:5]
    names = ", ".join(f"{name} {by_voice[name].mean():.3f}" for name in worst)
    return "\n".join(lines) + f"\n\nThe largest errors of the mean: {names}.", met


def _coverage(
    fitting: Observations,
    others: Observations,
    voices: VoiceLibrary,
    predictor: StatisticsPredictor,
) -> tuple[str, bool]:
    fit, left_out = Fit(fitting), []
    for voice in voices.voices:
        within = [voice.name in _names(chunk) for chunk in fitting.chunks]
        own = others.where([chunk.voice == voice.name for chunk in others.chunks])
        rest = fitting.where([not is_within for is_within in within])
        leverage = Leverage(rest.inputs[:, :STYLE_PART])
        limit = limit_of(
            leverage, voices, [other.name for other in voices.voices if other is not voice]
        )
        nearest = float(leverage.of(known_styles(voices, voice.name)).min())
        left_out.append(
            (voice.name, nearest / limit, float(fit.errors_without(within, own).mean()))
        )
    passed = [entry for entry in left_out if entry[1] <= 1]
    met = all(off <= WORST_COVERED for _, _, off in passed)
    refused = [off for _, share, off in left_out if share > 1]
    lines = [
        "| left out, counts as covered | least leverage, of the limit | error of the mean |",
        "|---|---|---|",
        *(f"| {name} | {share:.2f} | {off:.3f} |" for name, share, off in passed),
        f"| the {len(refused)} that do not, mean | | {np.mean(refused or [0.0]):.3f} |",
    ]
    n_blends = [
        predictor.covers(inputs[None, :STYLE_PART])
        for chunk, inputs in zip(others.chunks, others.inputs, strict=True)
        if chunk.kind == "blend"
    ]
    met &= all(n_blends)
    return "\n".join(lines) + f"\n\nBlends covered: {sum(n_blends)} of {len(n_blends)}.", met


def _names(chunk: Chunk) -> set[str]:
    return {part.partition("(")[0] for part in chunk.voice.split("+")}
