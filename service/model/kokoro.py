"""What Kokoro-82M takes and gives, in every export."""

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
    """What one run gave.

    Attributes:
        samples: float32 [n], mono at 24 kHz, about -1 to 1.
        durations: of each token id, the padding at both ends included, in frames of 600 samples;
            None where the model does not tell.
    """

    samples: Samples
    durations: npt.NDArray[np.int64] | None
