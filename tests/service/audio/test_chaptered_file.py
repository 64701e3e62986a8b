"""Sound files with chapters, as a player sees them."""

import av
import numpy as np
import pytest

from service.audio.chaptered_file import BOOK_FORMATS, AudioChapter, CoverError, write_chaptered
from service.audio.loudness import level_for, levelled, measure
from service.covers import Cover
from tests.service.audio.audio_samples import decoded
from tests.service.books.made_books import picture, png

RATE = 24_000
TAGS = {"title": "The Sea", "artist": "Ann", "album": "The Sea", "genre": "Audiobook"}


def tone(n_samples, peak=0.2):
    times = np.arange(n_samples) / RATE
    return (peak * np.sin(2 * np.pi * 440 * times)).astype(np.float32)


def parts(samples, size=5_001):
    for start in range(0, samples.size, size):
        yield samples[start : start + size]


@pytest.mark.parametrize("book_format", BOOK_FORMATS)
def test_a_player_sees_chapters_tags_cover_and_length(book_format, tmp_path):
    samples = tone(5 * RATE + 777)
    chapters = [
        AudioChapter("One", 0, 2 * RATE),
        AudioChapter("Two: “é”", 2 * RATE, 3 * RATE + 20_000),
        AudioChapter("Three", 3 * RATE + 20_000, samples.size),
    ]
    path = tmp_path / f"a.{book_format}"
    cover = Cover(picture(), "image/jpeg")
    write_chaptered(path, book_format, parts(samples), chapters, TAGS, cover)
    again = tmp_path / f"b.{book_format}"
    write_chaptered(again, book_format, parts(samples, 999), chapters, TAGS, cover)
    assert path.read_bytes() == again.read_bytes()
    with av.open(str(path)) as file:
        seen = [(c["metadata"]["title"], float(c["start"] * c["time_base"])) for c in file.chapters()]
        assert [title for title, _ in seen] == [chapter.title for chapter in chapters]
        for (_, start_s), chapter in zip(seen, chapters, strict=True):
            assert start_s == pytest.approx(chapter.start / RATE, abs=0.001)
        (stream,) = file.streams.audio
        tags = {**file.metadata, **stream.metadata}
        assert {name: tags[name] for name in TAGS} == TAGS
        (shown,) = file.streams.video
        assert (shown.codec_context.name, shown.codec_context.width) == ("mjpeg", 64)
        if book_format != "opus":  # its duration counts the delay of the codec
            assert float(stream.duration * stream.time_base) * RATE == samples.size
    with av.open(str(path)) as file:
        n_decoded = sum(f.samples * RATE // f.sample_rate for f in file.decode(audio=0))
    # FFmpeg's AAC decoder gives the end of the last frame too, which players cut.
    assert n_decoded - samples.size in (range(1024) if book_format == "m4b" else (0,))


@pytest.mark.parametrize("book_format", BOOK_FORMATS)
def test_a_cover_that_cannot_be_embedded_is_told_before_a_sample_is_taken_and_loudness_is_kept(book_format, tmp_path):
    samples = iter([tone(5 * RATE)])
    path = tmp_path / f"a.{book_format}"
    with pytest.raises(CoverError, match="cannot be put into"):
        write_chaptered(path, book_format, samples, [], TAGS, Cover(b"x", "image/png"))
    write_chaptered(path, book_format, samples, [], TAGS)
    heard = np.concatenate(list(decoded(path)))
    assert heard.size >= 5 * RATE
    assert np.sqrt(2 * np.mean(heard[RATE : 4 * RATE] ** 2)) == pytest.approx(0.2, rel=0.005)


@pytest.mark.parametrize("form", ["rgb24", "rgba", "gray", "monob", "rgb48be", "rgba64be"])
@pytest.mark.parametrize("book_format", BOOK_FORMATS)
def test_pictures_of_any_depth_are_covers(book_format, form, tmp_path):
    path = tmp_path / f"a.{book_format}"
    write_chaptered(path, book_format, [tone(RATE)], [], TAGS, Cover.of(png(form)))
    with av.open(str(path)) as file:
        assert file.streams.video[0].codec_context.name == "png"


def test_loudness_is_that_of_the_standard():
    # A sine of 997 Hz at full scale has -3.01 LUFS: BS.1770-5, annex 1.
    times = np.arange(10 * RATE) / RATE
    sine = (0.1 * np.sin(2 * np.pi * 997 * times)).astype(np.float32)
    loudness = measure(parts(sine))
    assert loudness.lufs == pytest.approx(-23.01, abs=0.1)
    assert loudness.peak_dbtp == pytest.approx(-20, abs=0.1)
    assert measure([np.zeros(RATE, np.float32)]).lufs == -70
    assert measure([]).lufs == -70


@pytest.mark.parametrize("target", [-30.0, -18.0, -12.0])
def test_samples_come_to_the_target_and_peaks_stay_below(target):
    rng = np.random.default_rng(0)
    speech = tone(8 * RATE, 0.05)
    speech[:: RATE // 2] += 0.6  # clicks far above the rest
    speech += rng.normal(0, 0.005, speech.size).astype(np.float32)
    level = level_for(lambda: parts(speech), target)
    result = np.concatenate(list(levelled(parts(speech), level)))
    assert result.size == speech.size
    after = measure([result])
    assert after.lufs == pytest.approx(target, abs=0.1)
    assert after.lufs == pytest.approx(level.lufs, abs=0.01)
    assert after.peak_dbtp < -1


def test_a_loudness_that_cannot_be_reached_is_told_and_silence_stays_silence():
    clicks = np.zeros(8 * RATE, np.float32)
    clicks[:: RATE // 4] = 0.9  # hardly any sound but peaks
    level = level_for(lambda: parts(clicks), -12)
    after = measure(levelled(parts(clicks), level))
    assert after.lufs == pytest.approx(level.lufs, abs=0.01)
    assert after.lufs < -30
    assert after.peak_dbtp < -1
    silence = [np.zeros(RATE, np.float32)]
    level = level_for(lambda: silence, -18)
    assert not any(part.any() for part in levelled(silence, level))
    assert level.lufs == -70
