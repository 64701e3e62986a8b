from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import strategies as st

from service.speech.chunking import LONGEST_CHUNK_S, MAX_CHUNK_LENGTH, MIN_CHUNK_LENGTH, USUAL_PACE, Chunker, Chunking
from service.text import Reading, Word, read_phonemes
from tests.profiles import given

SENTENCE = "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˌOvəɹ ðə lˈAzi dˈɔɡ. "
"""48 phonemes without the space."""

CHUNKINGS = st.sampled_from(get_args(Chunking))


def all_chunks(chunker, *readings):
    """Return all chunks of readings."""
    chunks = []
    for reading in readings:
        chunks += chunker.add(read_phonemes(reading) if isinstance(reading, str) else reading)
    return [*chunks, *chunker.finish()]


def chunks_of(*readings, **options):
    return all_chunks(Chunker(**{"real_time_factor": 0.5, **options}), *readings)


def split(*readings, **options):
    return [chunk.phonemes for chunk in chunks_of(*readings, **options)]


def lengths_of(*readings, **options):
    return [*map(len, split(*readings, **options))]


def words(n_phonemes):
    """Return so many phonemes, the last of which ends a word."""
    return "".join("a" if (n_phonemes - n) % 5 else " " for n in range(n_phonemes)).strip()


def test_what_fits_stays_whole_and_other_text_is_cut_where_it_may_be():
    assert split("həlˈO, wˈɜɹld. həlˈO.") == ["həlˈO, wˈɜɹld. həlˈO."]
    assert split("a" * 150) == ["a" * 150]
    assert split() == []
    assert split(f"{words(80)}—{words(90)}") == [f"{words(80)}—", words(90)]
    assert lengths_of("a" * 180) == [90, 90]
    assert split("a" * 90 + "ː" + "a" * 89)[1].startswith("aː")
    assert split(SENTENCE, chunking="early") == [SENTENCE.strip()]
    assert split("a" * 90, chunking="early") == ["a" * 90]


@pytest.mark.parametrize(("before", "after"), [
    (words(72) + ".", words(18) + ", " + words(80)),  # sentence before phrase
    (words(72) + ";", words(18) + ", " + words(80)),  # clause before phrase
    (words(72) + ",", words(100)),  # phrase before word
    ("“" + words(84) + ". " + words(13) + ".”", words(76)),  # outside a quotation
    ("(" + words(36) + "; " + words(36) + ")", words(90)),  # outside brackets
    ("“" + words(76) + ".", words(14) + ", " + words(80) + "”"),
])  # fmt: skip
def test_the_best_boundary_is_taken(before, after):
    assert split(f"{before} {after}") == [before, after]


def test_chunks_of_prose_have_lengths_that_sound_well():
    chunks = split(SENTENCE * 41)
    assert all(chunk.endswith(".") for chunk in chunks)
    assert min(map(len, chunks)) >= MIN_CHUNK_LENGTH
    assert max(map(len, chunks)) <= MAX_CHUNK_LENGTH


@pytest.mark.parametrize("chunking", ["even", "early"])
def test_slow_speech_is_cut_into_chunks_of_as_many_seconds(chunking):
    slow, usual, quick = (
        lengths_of(SENTENCE * 60, chunking=chunking, pace=factor * USUAL_PACE) for factor in (0.5, 1, 2)
    )
    assert max(slow) <= MAX_CHUNK_LENGTH / 2 < max(usual)
    assert slow[0] < usual[0] or chunking == "even"
    assert quick == usual


@pytest.mark.parametrize("chunking", ["even", "early"])
def test_where_memory_is_limited_chunks_are_no_longer_than_there_is_room_for(chunking):
    chunks = split(SENTENCE * 60, chunking=chunking, longest_s=LONGEST_CHUNK_S / 3)
    assert MAX_CHUNK_LENGTH / 6 < max(map(len, chunks)) <= MAX_CHUNK_LENGTH / 3
    assert " ".join(chunks) == (SENTENCE * 60).strip()


def test_another_pace_begins_with_a_new_chunk():
    chunker = Chunker()
    list(chunker.add(read_phonemes(SENTENCE)))
    with pytest.raises(ValueError, match="not finished"):
        chunker.say_at(USUAL_PACE / 2)
    assert [chunk.phonemes for chunk in chunker.finish()] == [SENTENCE.strip()]
    chunker.say_at(USUAL_PACE / 2)
    assert all(len(chunk.phonemes) <= MAX_CHUNK_LENGTH / 2 for chunk in all_chunks(chunker, SENTENCE * 4))


def test_what_is_said_slowly_after_an_early_beginning_is_cut_by_its_own_pace():
    chunker = Chunker(chunking="early", real_time_factor=0.1)
    assert max(len(chunk.phonemes) for chunk in all_chunks(chunker, SENTENCE * 20)) > MAX_CHUNK_LENGTH / 2
    chunker.say_at(USUAL_PACE / 2)
    slow = all_chunks(chunker, SENTENCE * 20)
    assert max(len(chunk.phonemes) for chunk in slow) <= MAX_CHUNK_LENGTH / 2
    assert len(slow[0].phonemes) > MAX_CHUNK_LENGTH / 4  # not as at the beginning of an answer


@pytest.mark.parametrize("factor", [0.0, 0.1, 0.3, 0.5, 0.6, 2.0])
def test_no_early_chunk_takes_longer_than_what_was_made_before_it_plays(factor):
    unheard, *lengths = lengths_of(SENTENCE * 60, chunking="early", real_time_factor=factor)
    reckoned = min(max(factor, 0.02), 0.9)
    for length in lengths:
        assert length * reckoned <= unheard
        unheard += length * (1 - reckoned)


def test_the_quicker_the_model_the_sooner_early_chunks_are_long():
    second = [lengths_of(SENTENCE * 60, chunking="early", real_time_factor=factor)[1] for factor in (0.6, 0.3, 0.1)]
    assert second == sorted(second)
    assert second[0] < second[-1]


@given(st.text("aˈb .,;—!?”“()", max_size=2000), CHUNKINGS)
def test_nothing_is_lost_and_every_chunk_fits(text, chunking):
    chunks = split(text, chunking=chunking) if text.strip() else []
    assert "".join("".join(chunks).split()) == "".join(text.split())
    assert all(0 < len(chunk) <= MAX_CHUNK_LENGTH for chunk in chunks)
    assert all(chunk == chunk.strip() for chunk in chunks)


@given(st.lists(st.text("ab.,;“”", min_size=1, max_size=9), max_size=200), st.integers(1, 30), CHUNKINGS)
def test_how_the_text_came_makes_no_difference(said, n_words, chunking):
    parts = [" ".join(said[start : start + n_words]) for start in range(0, len(said), n_words)]
    assert split(*parts, chunking=chunking) == split(" ".join(said), chunking=chunking)


def reading_of(phonemes, *ranges):
    spans = [Word(n, n + 1, *span) for n, span in enumerate(ranges)]
    return Reading(phonemes, tuple(spans))


def test_no_cut_is_inside_a_number():
    phonemes = f"{words(48)} {words(42)}. {words(70)}"
    assert split(phonemes)[0].endswith(".")
    for number in ((45, 125), (8, 144), (45, 160)):
        first, second = split(reading_of(phonemes, number))
        assert f"{first} {second}" == phonemes
        assert len(first) < number[0] or len(second) < len(phonemes) - number[1]
        assert split(Reading(phonemes, unbroken=(number,))) == [first, second]


def test_a_number_that_is_too_long_is_cut_between_its_words():
    phonemes = words(700)
    chunks = chunks_of(reading_of(phonemes, (0, len(phonemes))))
    assert " ".join(chunk.phonemes for chunk in chunks) == phonemes
    assert all(chunk.words == (Word(0, 1, 0, len(chunk.phonemes)),) for chunk in chunks)


@given(st.lists(st.text("ab,.", min_size=1, max_size=30), min_size=1, max_size=100), CHUNKINGS)
def test_words_are_found_again_in_the_chunks(said, chunking):
    reading = read_phonemes(" ".join(said))
    of_reading = [reading.phonemes[w.phonemes_start : w.phonemes_end] for w in reading.words]
    of_chunks = {}
    for chunk in chunks_of(reading, chunking=chunking):
        for word in chunk.words:
            part = chunk.phonemes[word.phonemes_start : word.phonemes_end]
            assert part
            of_chunks[word.text_start] = of_chunks.get(word.text_start, "") + part
    assert list(of_chunks.values()) == of_reading


@pytest.mark.parametrize(("text", "first", "length"), [
    (SENTENCE[3:] + SENTENCE * 9, SENTENCE[3:] + SENTENCE, 94),  # 45 phonemes are too few
    (words(54) + ". " + SENTENCE * 9, words(54) + ".", 55),
    (words(54) + ", " + words(84) + ". " + SENTENCE * 9, None, 141),  # whole for its melody
    ("ab " * 200, "ab " * 23, 68),
])  # fmt: skip
def test_a_quick_model_begins_with_a_short_sentence(text, first, length):
    quick = split(text, chunking="short_first")[0]
    assert len(quick) == length
    assert first is None or quick == first.strip()
    assert lengths_of(text, chunking="short_first", real_time_factor=0.6)[0] > 100


def test_early_chunks_begin_short_and_grow():
    lengths = lengths_of(SENTENCE * 20, chunking="early")
    assert lengths[0] == 48
    assert all(later >= sooner for sooner, later in pairwise(lengths[:4]))
    assert 100 < max(lengths) <= 150


@pytest.mark.parametrize(("text", "first"), [
    ("ab " * 10 + "ab. " + "ab " * 60, ("ab " * 11).strip() + "."),  # the sentence
    ("ab, " * 30 + "ab. ab", ("ab, " * 8).strip()),  # else a phrase, the nearest
    ("ab " * 100, ("ab " * 10).strip()),  # else a word
    ("a" * 200, "a" * 30),  # else anywhere
])  # fmt: skip
def test_the_first_early_chunk_ends_at_the_nearest_good_place(text, first):
    assert split(text, chunking="early")[0] == first
