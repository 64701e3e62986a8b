from __future__ import annotations

import io
import struct
import wave

import numpy as np
import pytest
import soundfile

from service.audio import FORMATS, encode
from service.audio.encoding import to_int16


def test_full_scale_and_beyond() -> None:
    samples = np.array([0.0, 1.0, -1.0, 2.0, -7.0, 0.5], np.float32)
    assert to_int16(samples).tolist() == [0, 32767, -32767, 32767, -32767, 16384]


@pytest.mark.parametrize("n_samples", [1, 2, 600, 24_001])
def test_a_wav_file_has_the_right_sizes_and_the_samples_of_pcm(n_samples: int) -> None:
    samples = np.sin(np.arange(n_samples) / 20).astype(np.float32)
    pcm = encode([samples], "pcm", 24_000)
    file = encode([samples], "wav", 24_000)
    assert len(pcm) == 2 * n_samples
    riff, riff_size, form = struct.unpack_from("<4sI4s", file)
    assert (riff, riff_size, form) == (b"RIFF", len(file) - 8, b"WAVE")
    data_at = file.index(b"data")
    assert struct.unpack_from("<I", file, data_at + 4) == (len(pcm),)
    with wave.open(io.BytesIO(file)) as reader:
        assert reader.getparams()[:4] == (1, 2, 24_000, n_samples)
        assert reader.readframes(n_samples) == pcm
    decoded, rate = soundfile.read(io.BytesIO(file), dtype="int16")
    assert rate == 24_000
    assert decoded.tobytes() == pcm


def test_parts_are_put_one_after_the_other() -> None:
    parts = [np.full(n, n / 10, np.float32) for n in (1, 2, 3)]
    assert encode(parts, "pcm", 24_000) == b"".join(encode([p], "pcm", 24_000) for p in parts)


def test_every_format_has_a_media_type() -> None:
    assert {form.media_type for form in FORMATS.values()} == {"audio/wav", "audio/pcm"}
