import io

import av
import numpy as np
import pytest
from tests.service.audio.audio_samples import stream, voice_like

from service.audio import encode

PRIMING = 1024
"""Samples of silence with which every AAC stream begins."""


def decode(content):
    """Return the samples, and their rate."""
    with av.open(io.BytesIO(content)) as container:
        frames = list(container.decode(audio=0))
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]), frames[0].sample_rate


def frames(content):
    """Yield the frames of a file, by the lengths in their headers."""
    while content:
        assert content[:2] == b"\xff\xf1"
        n_bytes = int.from_bytes(content[3:6], "big") >> 5 & 0x1FFF
        yield content[:n_bytes]
        content = content[n_bytes:]


@pytest.mark.parametrize("rate_hz", [8000, 22_050, 24_000, 48_000])
def test_a_file_decodes_to_the_samples_after_a_frame_of_silence(rate_hz):
    samples = voice_like(2)
    decoded, decoded_rate_hz = decode(encode([samples], "aac", rate_hz))
    assert decoded_rate_hz == rate_hz
    n_filled = decoded.size - PRIMING - 2 * rate_hz
    assert 0 <= n_filled < 1024
    (pcm,) = [np.frombuffer(encode([samples], "pcm", rate_hz), "<i2") / 32767]
    heard = decoded[PRIMING : PRIMING + pcm.size]
    assert np.corrcoef(heard, pcm)[0, 1] > 0.98


@pytest.mark.parametrize("cuts", [[1], [100, 5_000, 5_001], list(range(600, 48_000, 600))], ids=len)
def test_a_stream_is_the_whole_file(cuts):
    samples = voice_like(2)
    assert stream("aac", samples, cuts) == encode([samples], "aac", 24_000)


def test_every_frame_has_a_header_that_tells_its_length_and_no_samples_make_none():
    content = list(frames(encode([voice_like(1)], "aac", 24_000)))
    assert len(content) == -(-(24_000 + PRIMING) // 1024)
    assert all(len(frame) > 7 for frame in content)
    assert encode([], "aac", 24_000) == b""
    assert stream("aac", np.zeros(0, np.float32), []) == b""
