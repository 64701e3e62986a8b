"""Times of characters: of any words, whole and while they become known."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

from service.api.elevenlabs.character_times import CharacterTimes, aligned_parts
from service.model.kokoro import SAMPLE_RATE_HZ
from service.speech import AudioSegment, PhonemeTime, WordTime, merge_parts
from tests.profiles import given

FRAME_S = 0.025
"""Times are whole frames of the model."""


def word(start, end, *edges):
    """Return a word with phonemes between these times."""
    phonemes = tuple(PhonemeTime("x", first, last) for first, last in pairwise(edges))
    return WordTime(start, end, edges[0], edges[-1], phonemes)


def rows(characters):
    return [(c.character, c.start_s, c.end_s) for c in characters]


def finished(text, words, end_s, **options):
    times = CharacterTimes(text, **options)
    for one in words:
        times.add(one)
    return rows(times.finish(end_s))


def test_characters_share_the_time_of_their_word_as_its_phonemes_do():
    # Half of the phonemes take a tenth of the time.
    characters, starts, ends = zip(*finished("one", [word(0, 3, 1.0, 1.1, 2.0)], 3.0), strict=True)
    assert characters == ("o", "n", "e")
    assert starts == pytest.approx([1.0, 1.066667, 1.4])
    assert ends == pytest.approx([1.066667, 1.4, 2.0])


def test_marks_and_spaces_fill_the_time_between_words():
    assert finished("“a, b.” ", [word(1, 2, 0.5, 0.75), word(4, 5, 1.0, 1.25)], 2.0) == [
        ("“", 0.0, 0.5), ("a", 0.5, 0.75), (",", 0.75, 1.0), (" ", 1.0, 1.0),
        ("b", 1.0, 1.25), (".", 1.25, 2.0), ("”", 2.0, 2.0), (" ", 2.0, 2.0),
    ]  # fmt: skip
    assert finished("...", [], 1.0) == [(".", 0.0, 1.0), (".", 1.0, 1.0), (".", 1.0, 1.0)]
    assert finished("", [], 1.0) == []


def test_a_number_that_is_said_in_two_chunks_has_the_time_of_both():
    parts = [word(0, 2, 0.0, 1.0), word(0, 2, 1.0, 3.0)]
    assert finished("42", merge_parts(parts), 3.0) == [("4", 0.0, 1.0), ("2", 1.0, 3.0)]
    assert finished("42", parts, 3.0) == [("4", 0.0, 0.5), ("2", 0.5, 1.0)]  # while it is made


def test_what_follows_a_word_that_is_not_known_yet_is_a_space_or_waits():
    for text, start, told in (
        ("a b", 2, [("a", 0.25, 0.5), (" ", 0.5, 1.0)]), ("你好", 1, [("你", 0.25, 0.5)])
    ):  # fmt: skip
        times = CharacterTimes(text)
        times.add(word(0, 1, 0.25, 0.5))
        assert rows(times.take(1.0)) == told
        times.add(word(start, start + 1, 1.25, 1.5))
        assert [row[1:] for row in rows(times.finish(2.0))] == [(1.25, 1.5)]


def test_text_before_and_after_a_clause_is_counted_from_where_it_starts():
    earlier = finished("— a", [word(0, 1, 0.5, 0.75)], 1.0, text_start=-2)
    assert earlier == [("—", 0.0, 0.5), (" ", 0.5, 0.5), ("a", 0.5, 0.75)]
    assert finished("a ", [word(1, 2, 0.5, 0.75)], 1.0, text_start=1) == [("a", 0.5, 0.75), (" ", 0.75, 1.0)]


@st.composite
def spoken(draw):
    """Return a text, its words and the end of its audio; words stand apart or touch."""
    text, time = "", 0
    words = []
    for _ in range(draw(st.integers(0, 6))):
        text += draw(st.text(" ,.\n—“)*~", max_size=3))
        time += draw(st.integers(0, 20))
        start, letters = len(text), draw(st.text("abé5$日", min_size=1, max_size=8))
        text += letters
        edges = np.cumsum([time, *draw(st.lists(st.integers(0, 9), min_size=1, max_size=9))])
        time = int(edges[-1])
        words.append(word(start, len(text), *(round(float(e) * FRAME_S, 6) for e in edges)))
    text += draw(st.text(" ,.\n—“)*~", max_size=3))
    time += draw(st.integers(1, 20))
    return text, words, round(time * FRAME_S, 6)


@given(spoken())
def test_every_character_has_a_time_and_words_keep_theirs(said):
    text, words, end_s = said
    times = CharacterTimes(text)
    for one in words:
        times.add(one)
    found = times.finish(end_s)
    assert "".join(c.character for c in found) == text
    assert_in_order(found, end_s)
    for one in words:
        assert found[one.text_start].start_s == one.start_s
        assert found[one.text_end - 1].end_s == one.end_s
    # Nothing is left out where a mark or a space stands between.
    for before, after in pairwise(found):
        if not after.character.isalnum() and after.character != "$":
            assert after.start_s == before.end_s


@given(spoken(), st.data())
def test_a_stream_tells_each_character_with_the_part_it_starts_in(said, data):
    text, words, end_s = said
    n_frames = round(end_s / FRAME_S)
    cuts = sorted(data.draw(st.sets(st.integers(1, n_frames), max_size=5)) | {n_frames})
    segments = list(segments_of(words, [cut * FRAME_S for cut in cuts]))
    n_samples = data.draw(st.sampled_from([600, 5_000, 10**6]))
    parts = list(aligned_parts(segments, text, n_samples))
    found = [c for part in parts for c in part.characters]
    assert "".join(c.character for c in found) == text
    assert_in_order(found, end_s)
    for one in words:
        assert found[one.text_start].start_s == pytest.approx(one.start_s, abs=1e-9)
    *heard, last = parts
    assert last.samples.size == 0
    assert sum(part.samples.size for part in heard) == round(end_s * SAMPLE_RATE_HZ)
    start_s = 0.0
    for part in heard:
        assert 0 < part.samples.size <= n_samples
        assert part.start_s == pytest.approx(start_s)
        for c in part.characters:
            assert part.start_s - 1e-6 <= c.start_s < part.end_s
        start_s = part.end_s


def segments_of(words, ends_s):
    segments, start_s = [], 0.0
    for end_s in ends_s:
        begun = tuple(one for one in words if start_s <= one.start_s + 1e-9 < end_s)
        samples = np.zeros(round((end_s - start_s) * SAMPLE_RATE_HZ), np.float32)
        is_last = end_s == ends_s[-1]
        segments.append(AudioSegment(0, is_last, "", samples, start_s, begun, 0.0, 0.0, 1, None))
        start_s = end_s
    return segments


def assert_in_order(characters, end_s):
    time = 0.0
    for c in characters:
        assert time <= c.start_s <= c.end_s <= end_s + 1e-6
        time = c.end_s
