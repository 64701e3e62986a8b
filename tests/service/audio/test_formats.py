import re
from typing import get_args

import numpy as np
import pytest
import soundfile
from service.audio.formats import _writable
from service.errors import UnsupportedFormatError
from service.extras import advice

from service.audio import FORMATS, SampleRate, check_formats, encode, open_encoder, require_format, require_rate


@pytest.fixture
def old_library(monkeypatch):
    """A libsndfile without MP3, as 1.0.31 is: no machine here has one."""
    genuine = soundfile.SoundFile

    def without_mp3(*arguments, **options):
        if options["format"] == "MP3":
            raise soundfile.LibsndfileError(1)
        return genuine(*arguments, **options)

    monkeypatch.setattr(soundfile, "SoundFile", without_mp3)
    _writable.cache_clear()
    yield
    _writable.cache_clear()


def test_every_format_has_a_media_type():
    assert {name: form.media_type for name, form in FORMATS.items()} == {
        "wav": "audio/wav", "pcm": "audio/pcm", "flac": "audio/flac", "mp3": "audio/mpeg",
        "opus": "audio/ogg", "aac": "audio/aac", "mulaw": "audio/PCMU", "alaw": "audio/PCMA",
        "wav_mulaw": "audio/wav", "wav_alaw": "audio/wav",
    }  # fmt: skip


def test_raw_telephony_names_a_rate_that_is_not_its_own():
    assert FORMATS["mulaw"].content_type(8000) == "audio/PCMU"
    assert FORMATS["mulaw"].content_type(16_000) == "audio/PCMU;rate=16000"
    assert FORMATS["alaw"].content_type(24_000) == "audio/PCMA;rate=24000"
    assert FORMATS["wav_alaw"].content_type(24_000) == "audio/wav"


def test_telephony_has_its_own_usual_rate():
    assert {name: require_rate(name, None) for name in FORMATS} == {
        **dict.fromkeys(FORMATS, 24_000),
        **dict.fromkeys(("mulaw", "alaw", "wav_mulaw", "wav_alaw"), 8000),
    }


def test_only_opus_lacks_rates():
    lacking = {
        (name, rate_hz) for name in FORMATS for rate_hz in get_args(SampleRate) if rate_hz not in FORMATS[name].rates_hz
    }
    assert lacking == {("opus", rate_hz) for rate_hz in (11_025, 22_050, 32_000, 44_100)}
    with pytest.raises(UnsupportedFormatError, match="opus has no 44100 Hz; its rates are 8000, 1"):
        require_rate("opus", 44_100)
    with pytest.raises(UnsupportedFormatError, match="flac has no 96000 Hz"):
        encode([], "flac", 96_000)


def test_a_second_takes_what_its_rate_and_its_format_make_it():
    seconds = {name: FORMATS[name].bytes_per_s(16_000) for name in ("wav", "pcm", "alaw", "opus")}
    assert seconds == {"wav": 32_000, "pcm": 32_000, "alaw": 16_000, "opus": 8000}
    for name in FORMATS:
        content = encode([np.zeros(240_000, np.float32)], name)
        usual = FORMATS[name].usual_rate_hz
        assert len(content) <= 10.3 * FORMATS[name].bytes_per_s(usual) + 100


def test_only_wav_needs_its_length_first():
    whole = [name for name, form in FORMATS.items() if not form.streamable]
    assert whole == ["wav", "wav_mulaw", "wav_alaw"]


def test_the_libraries_of_the_wheels_write_every_format():
    assert check_formats() == list(FORMATS)


def test_an_unknown_format_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(UnsupportedFormatError, match="wav, pcm, flac, mp3, opus") as caught:
        require_format("amr")
    assert caught.value.status == 400


@pytest.fixture
def without_av(monkeypatch):
    """An installation without the extra `av`."""
    monkeypatch.setattr("service.audio.formats.find_spec", lambda _: None)
    _writable.cache_clear()
    yield
    _writable.cache_clear()


@pytest.mark.usefixtures("without_av")
def test_a_format_without_its_extra_is_refused_with_the_way_to_get_it():
    assert check_formats() == [name for name in FORMATS if name != "aac"]
    with pytest.raises(UnsupportedFormatError, match=re.escape(advice("av"))):
        open_encoder("aac", 24_000)


@pytest.mark.usefixtures("old_library")
def test_a_format_that_the_library_cannot_write_is_refused_before_any_byte():
    assert check_formats() == [name for name in FORMATS if name != "mp3"]
    with pytest.raises(UnsupportedFormatError, match="cannot write mp3; supported: wav, pcm, flac"):
        encode([], "mp3", 24_000)
    with pytest.raises(UnsupportedFormatError, match="cannot write mp3"):
        open_encoder("mp3", 24_000)
    assert encode([], "pcm", 24_000) == b""
