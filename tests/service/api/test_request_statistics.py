from __future__ import annotations

import numpy as np
import pytest

from service.api.request_statistics import RequestStatistics
from service.speech import AudioSegment


def segment(*samples: float) -> AudioSegment:
    values = np.array(samples, np.float32)
    return AudioSegment(0, True, "", values, 0.0, (), 0.0, 0.0, None)


@pytest.mark.parametrize(
    ("segments", "n_clipped"),
    [
        ([segment(0.5, -0.5), segment(1.0, -1.0)], 0),
        ([segment(1.001, 0.0, -1.5), segment(), segment(7.0)], 3),
    ],
)
def test_samples_beyond_full_scale_are_counted_and_told(
    segments: list[AudioSegment], n_clipped: int
) -> None:
    statistics = RequestStatistics()
    statistics.voice = "af_heart"  # as of an utterance that was planned
    assert list(statistics.counted(segments)) == segments
    assert statistics.n_clipped == n_clipped
    assert statistics.fields().get("clipped", 0) == n_clipped
