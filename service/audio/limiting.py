"""Keep loud samples within full scale without clipping them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

THRESHOLD = np.float32(10 ** (-1 / 20))
"""-1 dBFS. Samples up to it are not changed at all."""


def limited(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return samples whose values stay between -1 and 1.

    Beyond the threshold the values bend toward full scale: the curve starts with a slope of 1, and
    1.0 becomes 0.946. Each sample is limited by itself, so that nothing is held back, and the
    result does not depend on how the samples are divided. It takes only operations that every
    processor rounds alike.

    Args:
        samples: float32 [n], finite; returned as they are if none is beyond the threshold.
    """
    amounts = np.abs(samples)
    beyond = amounts > THRESHOLD
    if not beyond.any():
        return samples
    room = np.float32(1) - THRESHOLD
    excess = (amounts[beyond] - THRESHOLD) / room
    result = samples.copy()
    result[beyond] = np.copysign(
        THRESHOLD + room * (excess / (np.float32(1) + excess)), samples[beyond]
    )
    return result
