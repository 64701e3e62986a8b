import io

import numpy as np
import pytest
import soundfile
from tests.service.audio.audio_samples import stream, voice_like

from service.audio import encode

RAW = ["mulaw", "alaw"]


def expanded(content, law):
    """Return the samples that bytes stand for, by the tables of G.711."""
    codes = np.frombuffer(content, np.uint8).astype(np.int64)
    codes ^= 0xFF if law == "mulaw" else 0x55
    exponent, mantissa = codes >> 4 & 7, codes & 15
    if law == "mulaw":
        size = ((2 * mantissa + 33) << exponent + 2) - 132
        return np.where(codes & 0x80, -size, size)
    size = np.where(exponent, (2 * mantissa + 33) << np.maximum(exponent, 1) + 2, 16 * mantissa + 8)
    return np.where(codes & 0x80, size, -size)


@pytest.mark.parametrize("law", RAW)
def test_a_byte_is_a_sample_of_telephony(law):
    samples = voice_like(2)
    content = encode([samples], law)
    assert len(content) == 16_000
    pcm = np.frombuffer(encode([samples], "pcm", 8000), "<i2")
    error = expanded(content, law) - pcm
    assert 10 * np.log10(np.mean(np.square(pcm.astype(float))) / np.mean(np.square(error))) > 35


@pytest.mark.parametrize(("law", "silence"), [("mulaw", 0xFF), ("alaw", 0xD5)])
def test_silence_is_the_silence_of_telephones(law, silence):
    assert set(encode([np.zeros(240, np.float32)], law)) == {silence}


@pytest.mark.parametrize("law", RAW)
@pytest.mark.parametrize("rate_hz", [8000, 24_000, 44_100])
def test_a_stream_and_a_wav_file_have_the_same_bytes(law, rate_hz):
    samples = voice_like(1)
    whole = encode([samples], law, rate_hz)
    assert len(whole) == rate_hz
    assert stream(law, samples, [1, 700, 701, 20_000], rate_hz) == whole
    file = encode([samples], "wav_mulaw" if law == "mulaw" else "wav_alaw", rate_hz)
    subtype = {"mulaw": "ULAW", "alaw": "ALAW"}[law]
    info = soundfile.info(io.BytesIO(file))
    assert (info.frames, info.samplerate, info.subtype) == (rate_hz, rate_hz, subtype)
    data_at = file.index(b"data") + 8
    assert file[data_at : data_at + rate_hz] == whole
