"""Samples to encode, and the way back."""

import io
from itertools import chain

import av
import numpy as np
import soundfile

from service.audio import open_encoder

# What decoders of MP3 are late by: LAME's 576 samples and the decoder's 529.
MP3_DELAY = 1_105


def voice_like(duration_s):
    """Gliding harmonics in syllables, with hiss between them."""
    time_s = np.arange(int(duration_s * 24_000)) / 24_000
    phase = 2 * np.pi * np.cumsum(140 + 40 * np.sin(4.4 * time_s)) / 24_000
    voice = np.sum([np.sin(k * phase + k) / k for k in range(1, 25)], axis=0)
    syllables = np.clip(np.sin(12 * time_s), 0, None)
    hiss = np.random.default_rng(7).normal(0, 0.006, time_s.size) * (1 - syllables)
    return (0.25 * voice * syllables + hiss).astype(np.float32)


def stream(audio_format, samples, cuts, rate_hz=24_000):
    """The bytes of a stream whose samples come in parts."""
    with open_encoder(audio_format, rate_hz) as encoder:
        parts = [encoder.encode(part) for part in np.split(samples, cuts)]
        return b"".join([*parts, encoder.finish()])


def decode(content):
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == 24_000
    return np.asarray(samples)


def decoded(path):
    """The samples of a sound file as a player decodes them, at 24 kHz."""
    with av.open(str(path)) as file:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=24_000)
        for frame in chain(file.decode(file.streams.audio[0]), [None]):
            for part in resampler.resample(frame):
                yield part.to_ndarray()[0]


def correlation(decoded, samples):
    return float(np.corrcoef(decoded.astype(np.float64), samples)[0, 1])


def lag(decoded, samples):
    """By how many samples the decoded is late; negative if early."""
    size = 2 * max(decoded.size, samples.size)
    spectrum = np.fft.rfft(decoded.astype(np.float64), size)
    products = np.fft.irfft(spectrum * np.conj(np.fft.rfft(samples, size)), size)
    best = int(np.argmax(products))
    return best if best < size // 2 else best - size
