import io
import re
import struct
import wave
from typing import get_args

import numpy as np
import pytest
import soundfile
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from service.audio import FORMATS, SampleRate, check_formats, encode, open_encoder, require_format, require_rate
from service.audio.encoding import to_int16
from service.audio.formats import _writable
from service.audio.limiting import THRESHOLD, limited
from service.errors import UnsupportedFormatError
from service.extras import advice
from tests.profiles import given
from tests.service.audio.audio_samples import correlation, decode, lag, stream, voice_like


def test_quiet_samples_are_scaled_and_loud_ones_limited_in_a_copy():
    samples = np.array([0.0, 0.5, -0.5, 1.0, -1.0, 1e6, -1e6], np.float32)
    assert to_int16(samples).tolist() == [0, 16384, -16384, 30985, -30985, 32767, -32767]
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


def test_no_samples_make_no_sound():
    assert {name: len(encode([], name, 24_000)) for name in ("wav", "pcm", "aac")} == {"wav": 44, "pcm": 0, "aac": 0}


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


def test_lossy_formats_take_64_kilobits_a_second():
    for audio_format in ("mp3", "opus"):
        assert 56 < len(encode([voice_like(8)], audio_format, 24_000)) * 8 / 8 / 1000 < 70


def test_every_format_has_a_media_type_a_usual_rate_and_a_library():
    assert {name: form.media_type for name, form in FORMATS.items()} == {
        "wav": "audio/wav", "pcm": "audio/pcm", "flac": "audio/flac", "mp3": "audio/mpeg",
        "opus": "audio/ogg", "aac": "audio/aac", "mulaw": "audio/PCMU", "alaw": "audio/PCMA",
        "wav_mulaw": "audio/wav", "wav_alaw": "audio/wav",
    }  # fmt: skip
    assert FORMATS["mulaw"].content_type(8000) == "audio/PCMU"
    assert FORMATS["mulaw"].content_type(16_000) == "audio/PCMU;rate=16000"
    assert FORMATS["alaw"].content_type(24_000) == "audio/PCMA;rate=24000"
    assert FORMATS["wav_alaw"].content_type(24_000) == "audio/wav"
    assert {name: require_rate(name, None) for name in FORMATS} == {
        **dict.fromkeys(FORMATS, 24_000),
        **dict.fromkeys(("mulaw", "alaw", "wav_mulaw", "wav_alaw"), 8000),
    }
    whole = [name for name, form in FORMATS.items() if not form.streamable]
    assert whole == ["wav", "wav_mulaw", "wav_alaw"]
    assert check_formats() == list(FORMATS)


def test_rates_and_formats_that_there_are_not_are_refused():
    lacking = {
        (name, rate_hz) for name in FORMATS for rate_hz in get_args(SampleRate) if rate_hz not in FORMATS[name].rates_hz
    }
    assert lacking == {("opus", rate_hz) for rate_hz in (11_025, 22_050, 32_000, 44_100)}
    with pytest.raises(UnsupportedFormatError, match="opus has no 44100 Hz; its rates are 8000, 1"):
        require_rate("opus", 44_100)
    with pytest.raises(UnsupportedFormatError, match="flac has no 96000 Hz"):
        encode([], "flac", 96_000)
    with pytest.raises(UnsupportedFormatError, match="wav, pcm, flac, mp3, opus") as caught:
        require_format("amr")
    assert caught.value.status == 400


def test_a_second_takes_what_its_rate_and_its_format_make_it():
    seconds = {name: FORMATS[name].bytes_per_s(16_000) for name in ("wav", "pcm", "alaw", "opus")}
    assert seconds == {"wav": 32_000, "pcm": 32_000, "alaw": 16_000, "opus": 8000}
    for name in FORMATS:
        content = encode([np.zeros(240_000, np.float32)], name)
        usual = FORMATS[name].usual_rate_hz
        assert len(content) <= 10.3 * FORMATS[name].bytes_per_s(usual) + 100


@pytest.fixture
def other_installation(monkeypatch):
    """Have it looked for what can be written again, in this test and after it."""
    _writable.cache_clear()
    yield monkeypatch
    _writable.cache_clear()


def test_a_format_without_its_extra_is_refused_with_the_way_to_get_it(other_installation):
    other_installation.setattr("service.audio.formats.find_spec", lambda _: None)
    assert check_formats() == [name for name in FORMATS if name != "aac"]
    with pytest.raises(UnsupportedFormatError, match=re.escape(advice("av"))):
        open_encoder("aac", 24_000)


def test_a_format_that_the_library_cannot_write_is_refused_before_any_byte(other_installation):
    """As libsndfile 1.0.31 cannot write MP3: no machine here has one."""
    genuine = soundfile.SoundFile

    def without_mp3(*arguments, **options):
        if options["format"] == "MP3":
            raise soundfile.LibsndfileError(1)
        return genuine(*arguments, **options)

    other_installation.setattr(soundfile, "SoundFile", without_mp3)
    assert check_formats() == [name for name in FORMATS if name != "mp3"]
    with pytest.raises(UnsupportedFormatError, match="cannot write mp3; supported: wav, pcm, flac"):
        encode([], "mp3", 24_000)
    with pytest.raises(UnsupportedFormatError, match="cannot write mp3"):
        open_encoder("mp3", 24_000)
    assert encode([], "pcm", 24_000) == b""


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


@pytest.mark.parametrize(("law", "silence"), [("mulaw", 0xFF), ("alaw", 0xD5)])
def test_a_byte_is_a_sample_of_telephony_and_silence_its_silence(law, silence):
    assert set(encode([np.zeros(240, np.float32)], law)) == {silence}
    samples = voice_like(2)
    content = encode([samples], law)
    assert len(content) == 16_000
    pcm = np.frombuffer(encode([samples], "pcm", 8000), "<i2")
    error = expanded(content, law) - pcm
    assert 10 * np.log10(np.mean(np.square(pcm.astype(float))) / np.mean(np.square(error))) > 35


@pytest.mark.parametrize(("law", "subtype"), [("mulaw", "ULAW"), ("alaw", "ALAW")])
@pytest.mark.parametrize("rate_hz", [8000, 24_000, 44_100])
def test_a_stream_and_a_wav_file_have_the_same_bytes(law, subtype, rate_hz):
    samples = voice_like(1)
    whole = encode([samples], law, rate_hz)
    assert len(whole) == rate_hz
    assert stream(law, samples, [1, 700, 701, 20_000], rate_hz) == whole
    file = encode([samples], f"wav_{law}", rate_hz)
    info = soundfile.info(io.BytesIO(file))
    assert (info.frames, info.samplerate, info.subtype) == (rate_hz, rate_hz, subtype)
    data_at = file.index(b"data") + 8
    assert file[data_at : data_at + rate_hz] == whole


# Loud samples are limited, not clipped.


ANY_SAMPLES = arrays(np.float32, st.integers(0, 50), elements=st.floats(-64, 64, width=32, allow_nan=False))


def test_samples_up_to_the_threshold_are_untouched_and_the_curve_has_no_corner():
    samples = np.linspace(-THRESHOLD, THRESHOLD, 10_001, dtype=np.float32)
    assert limited(samples) is samples
    step = np.float32(1e-3)
    below, at, above = limited(np.array([THRESHOLD - step, THRESHOLD, THRESHOLD + step]))
    assert above - at == pytest.approx(at - below, rel=0.02)


@pytest.mark.parametrize(("amount", "expected"), [(1.0, 0.9456), (2.0, 0.9903), (10.0, 0.9987)])
def test_louder_samples_bend_toward_full_scale(amount, expected):
    # threshold + room * e / (1 + e), where e is the excess in units of the room
    samples = np.array([amount, -amount], np.float32)
    assert limited(samples) == pytest.approx([expected, -expected], abs=1e-4)


@given(ANY_SAMPLES)
def test_samples_stay_in_order_and_within_full_scale(samples):
    samples = np.sort(samples)
    result = limited(samples)
    assert result.dtype == np.float32
    assert (np.abs(result) <= 1.0).all()
    assert (np.diff(result) >= 0.0).all()


@given(ANY_SAMPLES, st.integers(0, 50))
def test_it_does_not_matter_how_samples_are_divided(samples, cut):
    parts = [limited(samples[:cut]), limited(samples[cut:])]
    assert np.array_equal(np.concatenate(parts), limited(samples))


def test_a_loud_tone_is_never_flat_at_full_scale():
    tone = np.sin(np.arange(24_000, dtype=np.float32) * np.float32(2 * np.pi * 440 / 24_000))
    written = to_int16(1.5 * tone)
    at_the_peak = written == written.max()
    assert not (at_the_peak[:-1] & at_the_peak[1:] & (np.diff(tone) != 0)).any()
    assert written.max() < 32_767
