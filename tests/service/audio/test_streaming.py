import io
import tracemalloc

import av
import numpy as np
import pytest
import soundfile

from service.audio import FORMATS, encode, open_encoder
from service.audio.encoding import to_int16
from service.audio.sound_file import open_file
from service.audio.streaming import _Sink
from service.errors import UnsupportedFormatError
from tests.service.audio.audio_samples import MP3_DELAY, decode, stream, voice_like

STREAMINFO_END = 42

STREAMABLE = [name for name, form in FORMATS.items() if form.streamable]
CUTS = [[], [1], [7, 8, 5_000, 5_001], list(range(240, 48_000, 240)), [24_000, 24_000, 47_999]]


@pytest.fixture(scope="module")
def speech():
    return voice_like(2)


@pytest.mark.parametrize("cuts", CUTS, ids=len)
def test_streamed_pcm_and_aac_are_the_whole_file(speech, cuts):
    for audio_format in ("pcm", "aac"):
        assert stream(audio_format, speech, cuts) == encode([speech], audio_format, 24_000)


@pytest.mark.parametrize("cuts", CUTS, ids=len)
def test_streamed_flac_is_the_whole_file_but_for_what_nobody_could_know(speech, cuts):
    streamed, whole = stream("flac", speech, cuts), encode([speech], "flac", 24_000)
    assert streamed[STREAMINFO_END:] == whole[STREAMINFO_END:]
    # Sizes of frames, number of samples, MD5: zero is `unknown` for each.
    assert streamed[12:18] == bytes(6)
    assert streamed[21] & 0x0F == 0
    assert streamed[22:STREAMINFO_END] == bytes(20)
    assert streamed[:12] + streamed[18:21] == whole[:12] + whole[18:21]


def with_rates(audio_format):
    """Return each way to cut at the usual rate, and each rate with one of them."""
    rates = [(rate_hz, [9, 9_999]) for rate_hz in FORMATS[audio_format].rates_hz]
    return pytest.mark.parametrize(("rate_hz", "cuts"), [*((24_000, cuts) for cuts in CUTS), *rates])


@with_rates("mp3")
def test_streamed_mp3_is_the_whole_file_without_its_first_frame(speech, rate_hz, cuts):
    whole, streamed = encode([speech], "mp3", rate_hz), stream("mp3", speech, cuts, rate_hz)
    info_frame = whole[: len(whole) - len(streamed)]
    assert b"Info" in info_frame
    assert info_frame + streamed == whole
    assert 0 < len(info_frame) < 800


@with_rates("opus")
def test_streamed_opus_decodes_to_the_same_as_the_whole_file(speech, rate_hz, cuts):
    streamed, whole = stream("opus", speech, cuts, rate_hz), encode([speech], "opus", rate_hz)
    # Only the serial number of the Ogg stream, and with it the check sums, differ.
    assert len(streamed) == len(whole)
    decoded = [soundfile.read(io.BytesIO(content), dtype="int16") for content in (streamed, whole)]
    assert [rate for _, rate in decoded] == [rate_hz, rate_hz]
    assert decoded[0][0].size == 2 * rate_hz
    assert np.array_equal(decoded[0][0], decoded[1][0])


@pytest.mark.parametrize("n_samples", [1, 47, 479, 480, 481, 960, 23_999, 24_492, 48_000])
def test_streamed_opus_gives_as_many_samples_back(speech, n_samples):
    assert decode(stream("opus", speech[:n_samples], [n_samples // 2])).size == n_samples


@pytest.mark.parametrize("n_samples", [576, 623, 624, 625, 1_151, 1_152, 24_000, 48_000])
def test_streamed_mp3_gives_more_samples_back_but_never_fewer(speech, n_samples):
    decoded = decode(stream("mp3", speech[:n_samples], [n_samples // 2]))
    assert 47 <= decoded.size - MP3_DELAY - n_samples <= 622


@pytest.mark.parametrize("n_blocks", [1, 2, 10])
def test_flac_holds_back_one_block_at_most(speech, n_blocks):
    blocks, rest = np.split(speech, [n_blocks * 1_152])
    with open_encoder("flac", 24_000) as encoder:
        # It closes a block when it knows that another follows.
        left = encoder.encode(blocks) + encoder.encode(rest[:1])
    assert left[STREAMINFO_END:] == encode([blocks], "flac", 24_000)[STREAMINFO_END:]


def test_mp3_holds_back_an_eighth_of_a_second_at_most(speech):
    left = b""
    with open_encoder("mp3", 24_000) as encoder:
        for n_samples in range(6_000, 48_001, 6_000):
            left += encoder.encode(speech[n_samples - 6_000 : n_samples])
            assert n_samples - (decode(left).size - MP3_DELAY) <= 3_049


def test_opus_holds_back_an_ogg_page_at_most(speech):
    left = b""
    with open_encoder("opus", 24_000) as encoder:
        for n_samples in range(240, 48_001, 240):
            left += encoder.encode(speech[n_samples - 240 : n_samples])
            page = left.rfind(b"OggS")
            granules = int.from_bytes(left[page + 6 : page + 14], "little")
            skipped = 312  # granules at 48 kHz, by the OpusHead of libsndfile at 24 kHz
            assert n_samples - max(0, granules - skipped) // 2 <= 24_636
    assert left.count(b"OggS") == 3


@pytest.mark.thorough
@pytest.mark.parametrize("audio_format", STREAMABLE)
def test_what_has_left_is_not_kept(audio_format, speech):
    part = speech[:12_000]
    with open_encoder(audio_format, 24_000) as encoder:
        for _ in range(10):
            encoder.encode(part)
        tracemalloc.start(20)
        try:
            n_bytes = sum(len(encoder.encode(part)) for _ in range(40))
            # Of this test alone: threads of other tests may be reading what a server says.
            of_this_file = tracemalloc.Filter(True, __file__, all_frames=True)
            kept = tracemalloc.take_snapshot().filter_traces([of_this_file])
        finally:
            tracemalloc.stop()
    assert n_bytes > 130_000
    assert sum(trace.size for trace in kept.traces) < 8_000


@pytest.mark.parametrize("audio_format", ["wav", "wav_mulaw", "wav_alaw"])
def test_wav_is_not_streamed_and_the_answer_names_what_is(audio_format):
    with pytest.raises(UnsupportedFormatError, match="pcm") as caught:
        open_encoder(audio_format, 24_000)
    assert caught.value.status == 400


@pytest.mark.parametrize("rate_hz", [8000, 24_000])
def test_an_endless_wav_is_a_file_of_unknown_length(speech, rate_hz):
    with open_encoder("wav", rate_hz, endless_wav=True) as encoder:
        content = b"".join(map(encoder.encode, np.split(speech, [1, 30_000]))) + encoder.finish()
    whole = encode([speech], "wav", rate_hz)
    unknown = b"\xff\xff\xff\xff"
    assert content == whole[:4] + unknown + whole[8:40] + unknown + whole[44:]
    samples, decoded_rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert decoded_rate_hz == rate_hz
    assert np.array_equal(samples, soundfile.read(io.BytesIO(whole), dtype="int16")[0])


@pytest.mark.parametrize("audio_format", STREAMABLE)
def test_a_stream_ends_once_and_a_failure_in_the_middle_closes_the_encoder(audio_format, speech):
    with open_encoder(audio_format, 24_000) as encoder:
        encoder.encode(speech)
        encoder.finish()
        with pytest.raises(ValueError, match="finished"):
            encoder.encode(speech)
        with pytest.raises(ValueError, match="finished"):
            encoder.finish()

    def fail_midway():
        with encoder:
            encoder.encode(speech)
            raise KeyError

    encoder = open_encoder(audio_format, 24_000)
    with pytest.raises(KeyError):
        fail_midway()
    with pytest.raises(ValueError, match="closed"):
        encoder.finish()
    encoder.close()


def test_many_streams_at_once_keep_apart(speech):
    encoders = [open_encoder("mp3", 24_000) for _ in range(5)]
    contents = [b""] * 5
    for part in np.split(speech, 8):
        for number, encoder in enumerate(encoders):
            contents[number] += encoder.encode(part * np.float32((number + 1) / 5))
    for number, encoder in enumerate(encoders):
        contents[number] += encoder.finish()
        alone = stream("mp3", speech * np.float32((number + 1) / 5), [])
        assert contents[number] == alone


def test_a_library_that_would_rewrite_what_has_left_is_found_out(speech):
    sink = _Sink()
    # The header of a WAV file is written again once the length is known.
    with open_file(sink, "WAV", "PCM_16", 24_000) as file:
        file.write(to_int16(speech))
    with pytest.raises(RuntimeError, match="bytes 0 to 44 would be rewritten"):
        sink.take()


# AAC, which FFmpeg encodes.


PRIMING = 1024
"""Samples of silence with which every AAC stream begins."""


@pytest.mark.parametrize("rate_hz", [8000, 22_050, 24_000, 48_000])
def test_aac_decodes_to_the_samples_after_a_frame_of_silence(speech, rate_hz):
    with av.open(io.BytesIO(encode([speech], "aac", rate_hz))) as container:
        frames = list(container.decode(audio=0))
    decoded = np.concatenate([frame.to_ndarray()[0] for frame in frames])
    assert frames[0].sample_rate == rate_hz
    assert 0 <= decoded.size - PRIMING - 2 * rate_hz < 1024
    pcm = np.frombuffer(encode([speech], "pcm", rate_hz), "<i2") / 32767
    assert np.corrcoef(decoded[PRIMING : PRIMING + pcm.size], pcm)[0, 1] > 0.98


def test_every_frame_of_aac_has_a_header_that_tells_its_length(speech):
    content, n_frames = encode([speech], "aac", 24_000), 0
    while content:
        assert content[:2] == b"\xff\xf1"
        n_bytes = int.from_bytes(content[3:6], "big") >> 5 & 0x1FFF
        assert n_bytes > 7
        content, n_frames = content[n_bytes:], n_frames + 1
    assert n_frames == -(-(48_000 + PRIMING) // 1024)
    assert stream("aac", speech[:0], []) == b""
