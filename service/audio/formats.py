"""The audio formats, and the sample rates that each may have."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, get_args

import soundfile

from service.audio.sample_rates import SOURCE_RATE_HZ
from service.audio.sound_file import LOSSY_KBPS, can_write
from service.errors import UnsupportedFormatError
from service.extras import advice

AudioFormat = Literal[
    "wav", "pcm", "flac", "mp3", "opus", "aac", "mulaw", "alaw", "wav_mulaw", "wav_alaw"
]

SampleRate = Literal[8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]
"""Samples per second that audio may have: those of MPEG."""

OPUS_RATES_HZ: tuple[SampleRate, ...] = (8000, 12000, 16000, 24000, 48000)

G711_RATE_HZ = 8000
"""Of telephony; the media types of RFC 4856 name any other."""


@dataclass(frozen=True)
class Format:
    """An audio format: what it is called on the web, what it is, and how it is made.

    Attributes:
        media_type: for `Content-Type`; see `content_type`.
        description: for people.
        streamable: whether a file of it can leave before its length is known.
        container: libsndfile's name of the file format; empty if PyAV makes it.
        subtype: libsndfile's name of the encoding.
        bytes_per_sample: of a file, at most; 0 if its bit rate is `LOSSY_KBPS`.
        rates_hz: sample rates that it may have.
        usual_rate_hz: its sample rate if none is asked for.
        extra: the extra of this distribution that it needs; empty for none.
    """

    media_type: str
    description: str
    streamable: bool
    container: str
    subtype: str
    bytes_per_sample: int = 0
    rates_hz: tuple[SampleRate, ...] = get_args(SampleRate)
    usual_rate_hz: int = SOURCE_RATE_HZ
    extra: str = ""

    def bytes_per_s(self, sample_rate_hz: int) -> int:
        """Return the bytes of a second in a file, at most."""
        return self.bytes_per_sample * sample_rate_hz or LOSSY_KBPS * 1000 // 8

    def content_type(self, sample_rate_hz: int) -> str:
        """Return the media type, with the sample rate if it would mean another one."""
        if self.media_type in (_PCMU, _PCMA) and sample_rate_hz != G711_RATE_HZ:
            return f"{self.media_type};rate={sample_rate_hz}"
        return self.media_type


_WAV, _PCMU, _PCMA = "audio/wav", "audio/PCMU", "audio/PCMA"


def _g711(media_type: str, description: str, container: str, subtype: str) -> Format:
    return Format(
        media_type, description, container == "RAW", container, subtype, 1,
        usual_rate_hz=G711_RATE_HZ,
    )  # fmt: skip


FORMATS: dict[AudioFormat, Format] = {
    "wav": Format(_WAV, "RIFF WAVE, 16-bit PCM, mono", False, "WAV", "PCM_16", 2),
    "pcm": Format(
        "audio/pcm",
        "16-bit signed little-endian samples, mono, no header",
        True,
        "RAW",
        "PCM_16",
        2,
    ),
    "flac": Format("audio/flac", "FLAC, lossless, 16-bit, mono", True, "FLAC", "PCM_16", 2),
    "mp3": Format("audio/mpeg", f"MP3, {LOSSY_KBPS} kbit/s, mono", True, "MP3", "MPEG_LAYER_III"),
    "opus": Format(
        "audio/ogg",
        f"Opus in Ogg, about {LOSSY_KBPS} kbit/s, mono",
        True,
        "OGG",
        "OPUS",
        rates_hz=OPUS_RATES_HZ,
    ),
    "aac": Format(
        "audio/aac", f"AAC in ADTS, about {LOSSY_KBPS} kbit/s, mono", True, "", "", extra="av"
    ),
    "mulaw": _g711(_PCMU, "G.711 mu-law, mono, no header", "RAW", "ULAW"),
    "alaw": _g711(_PCMA, "G.711 A-law, mono, no header", "RAW", "ALAW"),
    "wav_mulaw": _g711(_WAV, "RIFF WAVE, G.711 mu-law, mono", "WAV", "ULAW"),
    "wav_alaw": _g711(_WAV, "RIFF WAVE, G.711 A-law, mono", "WAV", "ALAW"),
}


_SYNONYMS: dict[AudioFormat, str] = {
    "wav": "wave riff vnd.wave",
    "pcm": "raw pcm16 pcm_16 s16le pcm_s16le",
    "flac": "",
    "mp3": "mpeg mpeg3 mpga",
    "opus": "ogg oga ogg_opus opus_ogg",
    "aac": "aacp adts m4a mp4 mp4a",
    "mulaw": "ulaw mu_law u_law pcmu pcm_mulaw g711_ulaw g711u basic",
    "alaw": "a_law pcma pcm_alaw g711_alaw g711a",
    "wav_mulaw": "wav_ulaw wav_pcmu",
    "wav_alaw": "wav_pcma",
}
"""What else clients and players call the formats. AAC is in ADTS under every name."""

_FORMAT_OF = {name: known for known, names in _SYNONYMS.items() for name in (known, *names.split())}


def format_name(written: str) -> str:
    """Return the name of a format by one of its names, its ending or its media type, in any case.

    What names none of `FORMATS` is returned as it is, in lower case; `require_format` refuses it.
    """
    name = written.partition(";")[0].strip().lower()
    ending = name.removeprefix("audio/").removeprefix("x-").removeprefix(".").replace("-", "_")
    return _FORMAT_OF.get(ending, name)


def check_formats() -> list[AudioFormat]:
    """Return the formats that can be written, in the order of `FORMATS`.

    libsndfile can be built without FLAC and Opus, and has MP3 since 1.1; the library in soundfile's
    wheels writes all. Each format is tried once per process, in some milliseconds. AAC needs the
    extra `av`.
    """
    return list(_writable())


def require_format(name: str) -> Format:
    """Return the format of a name.

    Raises:
        UnsupportedFormatError: the format is unknown, its extra is not installed, or this
            libsndfile cannot write it.
    """
    for known, form in FORMATS.items():
        if known == name:
            if known in _writable():
                return form
            break
    else:
        raise UnsupportedFormatError(f"unknown audio format; supported: {', '.join(_writable())}")
    if form.extra:
        raise UnsupportedFormatError(f"{name} needs the extra {form.extra}: {advice(form.extra)}")
    version = soundfile.__libsndfile_version__
    raise UnsupportedFormatError(
        f"libsndfile {version} cannot write {name}; supported: {', '.join(_writable())}"
    )


def require_rate(name: str, sample_rate_hz: int | None) -> int:
    """Return the sample rate of a file: the one that is asked for, or the format's usual one.

    Args:
        name: of the format.
        sample_rate_hz: None for the usual one.

    Raises:
        UnsupportedFormatError: see `require_format`; or the format does not know the rate.
    """
    form = require_format(name)
    if sample_rate_hz is None:
        return form.usual_rate_hz
    if sample_rate_hz not in form.rates_hz:
        rates = ", ".join(map(str, form.rates_hz))
        raise UnsupportedFormatError(f"{name} has no {sample_rate_hz} Hz; its rates are {rates}")
    return sample_rate_hz


@functools.cache
def _writable() -> tuple[AudioFormat, ...]:
    return tuple(name for name, form in FORMATS.items() if _can_write(form))


def _can_write(form: Format) -> bool:
    if form.extra:
        return find_spec(form.extra) is not None
    return can_write(form.container, form.subtype)
