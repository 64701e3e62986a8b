"""The two ways to decode a chunk, whole and in windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bench.processes import ChildError
from service.model import Model, SplitModel
from service.speech.windows import WindowedSounds

WHOLE, WINDOWS, PUBLISHED = "whole", "windows", "published"
SPEED = 1.0


class Said(NamedTuple):
    """A rendering: samples [n], frames of each token, and the middle sample of each fade."""

    samples: np.ndarray
    durations: np.ndarray | None
    seams: list[int]


Say = Callable[[Sequence[int], np.ndarray], Said]
"""Says token ids in a style, [1, 256]."""


def whole(model: Model) -> Say:
    """Return a function that decodes a chunk whole."""

    def say(token_ids: Sequence[int], style: np.ndarray) -> Said:
        said = model.infer(token_ids, style, SPEED)
        return Said(said.samples, said.durations, [])

    return say


def in_windows(model: Model) -> Say:
    """Return a function that decodes a chunk in the windows of a stream.

    Raises:
        ChildError: this model cannot be decoded in windows.
    """
    if not isinstance(model, SplitModel) or model.statistics is None:
        raise ChildError(f"the model cannot be decoded in windows: {model.prepared.detail}")
    statistics = model.statistics

    def say(token_ids: Sequence[int], style: np.ndarray) -> Said:
        if not statistics.covers(style):
            raise ChildError("the predictor does not cover one of the voices")
        sounds = list(
            WindowedSounds(token_ids, style, SPEED, None, statistics=statistics, soon=True).said_by(
                model
            )
        )
        samples = np.concatenate([sound.samples for sound in sounds])
        return Said(samples, sounds[-1].durations, [sound.seam for sound in sounds[1:]])

    return say
