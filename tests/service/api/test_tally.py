from __future__ import annotations

import numpy as np
import pytest

from service.api.tally import Tally
from service.speech import AudioChunk


def chunk(*samples: float) -> AudioChunk:
    values = np.array(samples, np.float32)
    return AudioChunk(0, True, "", values, 0.0, (), 0.0, 0.0, None)


@pytest.mark.parametrize(
    ("chunks", "n_clipped"),
    [
        ([chunk(0.5, -0.5), chunk(1.0, -1.0)], 0),
        ([chunk(1.001, 0.0, -1.5), chunk(), chunk(7.0)], 3),
    ],
)
def test_samples_beyond_full_scale_are_counted_and_told(
    chunks: list[AudioChunk], n_clipped: int
) -> None:
    tally = Tally()
    tally.voice = "af_heart"  # as of an utterance that was planned
    assert list(tally.counted(chunks)) == chunks
    assert tally.n_clipped == n_clipped
    assert tally.fields().get("clipped", 0) == n_clipped
