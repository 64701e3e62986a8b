"""Inputs and outputs of Kokoro-82M, in every export."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SAMPLE_RATE_HZ = 24_000
"""Of every Kokoro export."""

MAX_TOKENS = 510
"""Token ids of one run, without the padding at both ends: the model's context is 512."""

STYLE_SIZE = 256
"""Floats of a style vector."""

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Inference:
    """The result of one run.

    Attributes:
        samples: float32 [n], mono at 24 kHz, about -1 to 1.
        durations: of each token id, including the padding at both ends, in frames of 600 samples;
            None if the model gives none.
    """

    samples: Samples
    durations: npt.NDArray[np.int64] | None
