import io
import struct
import wave

import numpy as np
import pytest
import soundfile
from service.audio.encoding import to_int16
from tests.service.audio.audio_samples import correlation, decode, lag, voice_like

from service.audio import encode


def test_quiet_samples_are_scaled_and_loud_ones_limited():
    samples = np.array([0.0, 0.5, -0.5, 1.0, -1.0, 1e6, -1e6], np.float32)
    assert to_int16(samples).tolist() == [0, 16384, -16384, 30985, -30985, 32767, -32767]


def test_the_samples_given_are_left_as_they_are():
    samples = np.array([0.25, 3.0], np.float32)
    to_int16(samples)
    assert samples.tolist() == [0.25, 3.0]


@pytest.mark.parametrize("n_samples", [1, 2, 600, 24_001])
def test_a_wav_file_has_the_right_sizes_and_the_samples_of_pcm(n_samples):
    samples = np.sin(np.arange(n_samples) / 20).astype(np.float32)
    pcm = encode([samples], "pcm", 24_000)
    file = encode([samples], "wav", 24_000)
    assert pcm == to_int16(samples).tobytes()
    riff, riff_size, form = struct.unpack_from("<4sI4s", file)
    assert (riff, riff_size, form) == (b"RIFF", len(file) - 8, b"WAVE")
    data_at = file.index(b"data")
    assert data_at == 36
    assert struct.unpack_from("<I", file, data_at + 4) == (len(pcm),)
    with wave.open(io.BytesIO(file)) as reader:
        assert reader.getparams()[:4] == (1, 2, 24_000, n_samples)
        assert reader.readframes(n_samples) == pcm
    decoded, rate = soundfile.read(io.BytesIO(file), dtype="int16")
    assert rate == 24_000
    assert decoded.tobytes() == pcm


@pytest.mark.parametrize("audio_format", ["wav", "pcm", "flac", "mp3"])
def test_parts_are_put_one_after_the_other(audio_format):
    samples = voice_like(0.5)
    parts = np.split(samples, [1, 2, 700, 5_000])
    assert encode(parts, audio_format, 24_000) == encode([samples], audio_format, 24_000)


@pytest.mark.parametrize("audio_format", ["wav", "pcm"])
def test_no_samples_make_no_sound(audio_format):
    content = encode([], audio_format, 24_000)
    assert len(content) == {"wav": 44, "pcm": 0}[audio_format]


@pytest.mark.parametrize("n_samples", [1, 575, 576, 1_153, 24_001])
def test_flac_gives_every_sample_back(n_samples):
    samples = voice_like(1.5)[:n_samples]
    assert np.array_equal(decode(encode([samples], "flac", 24_000)), to_int16(samples))


@pytest.mark.parametrize("audio_format", ["mp3", "opus"])
@pytest.mark.parametrize("n_samples", [1, 575, 576, 1_153, 24_001, 72_000])
def test_lossy_formats_give_as_many_samples_back(audio_format, n_samples):
    samples = voice_like(3)[:n_samples]
    decoded = decode(encode([samples], audio_format, 24_000))
    assert decoded.size == n_samples
    if n_samples > 20_000:
        assert lag(decoded, samples) == 0
        assert correlation(decoded, samples) > 0.99


@pytest.mark.parametrize("audio_format", ["mp3", "opus"])
def test_lossy_formats_take_64_kilobits_a_second(audio_format):
    content = encode([voice_like(20)], audio_format, 24_000)
    assert 56 < len(content) * 8 / 20 / 1000 < 70
