"""Real books are spoken: a whole short one, and a chapter that a recognizer listens to."""

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from service.audio.chaptered_file import BOOK_FORMATS
from service.audio.loudness import measure
from service.books.book_files import read_book
from service.books.sections import text_of_chapter
from tests.service.api.test_hearing import listen, n_errors, recognizer, words
from tests.service.audio.audio_samples import decoded
from tests.service.books.read_command import Call, played, read_whole
from tests.service.books.real_books import letters, shakespeare, the_war_of_the_worlds

pytestmark = pytest.mark.slow

MAX_ERRORS = 0.5
"""Share of the words of a chapter that the recognizer mishears: it was 0.21 of 843 words."""


class Spoken(NamedTuple):
    """A book that was read aloud: its file, its audio, what the command told, and what else there is of it."""

    book: Path
    output: Path
    call: Call
    times: dict
    n_samples: int
    chunks: list
    """The samples of each chunk, as the journal has them."""


@pytest.fixture(scope="module")
def poems(shelf, tmp_path_factory, model_file, cache_dir):
    """The Passionate Pilgrim, whole: thirteen poems, nine minutes."""
    folder = tmp_path_factory.mktemp("poems")
    book = folder / "The Passionate Pilgrim.txt"
    shutil.copy(shakespeare(shelf, "passionate_pilgrim"), book)
    output = folder / "poems.flac"
    call = read_whole(book, output, cache_dir, "--timestamps", "json", "--keep-state")
    with closing(sqlite3.connect(Path(f"{output}.state") / "speech.sqlite")) as database:
        chunks = database.execute("select n_samples from chunk join sound using (key) order by position").fetchall()
    times = json.loads(output.with_suffix(".json").read_text(encoding="utf-8"))
    return Spoken(book, output, call, times, call.of("done")[0]["samples"], [n for (n,) in chunks])


def check_times(times, chapters, n_samples):
    """Check that every sentence of the text is in a file of times, in order."""
    end_s = 0.0
    assert len(times["chapters"]) == len(chapters)
    for timed, chapter in zip(times["chapters"], chapters, strict=True):
        said = "".join(sentence["text"] for sentence in timed["sentences"])
        assert letters(said) == letters(text_of_chapter(chapter)), chapter.title
        assert end_s <= timed["start_s"]
        for sentence in timed["sentences"]:
            assert end_s <= sentence["start_s"] + 1e-6 <= sentence["end_s"] + 1e-6
            end_s = sentence["end_s"]
        for word in timed["words"]:
            assert timed["text"][word["text_start"] : word["text_end"]] == word["text"]
    assert end_s <= n_samples / 24_000


def test_a_whole_book_is_the_sum_of_its_chunks_and_every_sentence_is_timed(poems):
    book = read_book(poems.book)
    assert len(book.chapters) == 13
    assert sum(poems.chunks) == poems.n_samples == played(poems.output).n_samples
    assert poems.n_samples > 5 * 60 * 24_000
    check_times(poems.times, book.chapters, poems.n_samples)


def test_progress_is_right_within_a_tenth_from_the_first_tenth_on(poems):
    """By the speech that is made: a clock would measure the machine."""
    told = poems.call.of("progress")
    made = 0
    for event, n_samples in zip(told, poems.chunks, strict=True):
        made += n_samples
        share = made / poems.n_samples
        if share < 0.1:
            continue
        assert abs(event["share"] - share) <= 0.1 * share
        assert abs(event["foretold_s"] * 24_000 - poems.n_samples) <= 0.1 * poems.n_samples
    assert told[-1]["share"] == 1
    assert told[-1]["foretold_s"] * 24_000 == pytest.approx(poems.n_samples, abs=0.1 * 24_000)


@pytest.mark.parametrize("form", BOOK_FORMATS)
def test_a_player_sees_the_book_in_each_format(form, poems, tmp_path, cache_dir):
    """As its manifest says: the file of times. Loudness and peaks are those after decoding."""
    output = tmp_path / f"poems.{form}"
    shutil.copytree(f"{poems.output}.state", f"{output}.state")
    assert not read_whole(poems.book, output, cache_dir).of("progress")
    seen = played(output)
    assert seen.duration_s == pytest.approx(poems.n_samples / 24_000, abs=0.1)
    assert seen.tags["title"] == "The Passionate Pilgrim"
    timed = poems.times["chapters"]
    assert [title for title, _ in seen.chapters] == [chapter["title"] for chapter in timed]
    starts_s = [chapter["start_s"] for chapter in timed]
    assert [start_s for _, start_s in seen.chapters] == pytest.approx(starts_s, abs=0.001)
    loudness = measure(decoded(output))
    assert loudness.lufs == pytest.approx(-18, abs=0.2)
    assert loudness.peak_dbtp < -1


def test_a_recognizer_hears_a_whole_chapter(shelf, tmp_path, model_file, cache_dir):
    """Five minutes of a novel, with its cover, its author and its times."""
    path, output = the_war_of_the_worlds(shelf), tmp_path / "worlds.m4b"
    done = read_whole(path, output, cache_dir, "--chapters", "6", "--timestamps", "json")
    n_samples = done.of("done")[0]["samples"]
    seen = played(output)
    assert seen.duration_s * 24_000 == pytest.approx(n_samples, abs=0.5)
    assert seen.chapters == [("Chapter 6 - The Heat-Ray in the Chobham Road", 0.0)]
    assert seen.has_cover
    assert (seen.tags["title"], seen.tags["artist"]) == ("The War of the Worlds", "H. G. Wells")
    body = [chapter for chapter in read_book(path).chapters if chapter.role == "body"]
    own, other = body[5], body[22]
    times = json.loads(output.with_suffix(".json").read_text(encoding="utf-8"))
    check_times(times, [own], n_samples)

    # In parts of half a minute, cut in the pauses: the recognizer takes one utterance at a time.
    starts = [0.0]
    for before, after in pairwise(times["chapters"][0]["sentences"]):
        if after["start_s"] - starts[-1] > 25:
            starts.append((before["end_s"] + after["start_s"]) / 2)
    samples = np.concatenate(list(decoded(output)))
    pcm = (np.clip(samples, -1, 1) * 32767).astype("<i2")
    decoder = recognizer()
    heard = [
        word
        for part in np.split(pcm, [round(start * 24_000) for start in starts[1:]])
        for word in listen(decoder, part.tobytes())
    ]
    expected, others = (words(text_of_chapter(one)) for one in (own, other))
    errors = n_errors(expected, heard) / len(expected)
    assert errors < MAX_ERRORS, f"{errors:.2f}: {' '.join(heard)}"
    assert n_errors(others, heard) / max(len(others), len(heard)) > 0.8
