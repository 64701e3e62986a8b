from collections import Counter

import numpy as np
import pytest
from bench.isolated_words import KINDS, WORDS, Way, cut, frames_of, level_at_cuts_db, say_in, text_of, words_of
from bench.short_texts import OWN, SENTENCES, WAYS, Measured, english_voices, report, resampled_interval

from bench import short_texts

READ = {
    "Yes.": "jˈɛs.", "3": "θɹˈi", "A": "ˈA", "She said:": "ʃˌi sˈɛd:",
    "That is all.": "ðˈæt ɪz ˈɔl.", "They wrote": "ðA ɹˈOt", "twice.": "twˈIs.",
}.__getitem__  # fmt: skip
FRAME = 600


def test_there_are_sixty_words_of_three_kinds():
    assert len(set(WORDS)) == 60
    assert sum(map(len, KINDS.values())) == 60


@pytest.mark.parametrize(("word", "text"), [("yes", "Yes."), ("okay", "OK."), ("three", "3"), ("A", "A")])
def test_a_word_is_sent_as_callers_send_it(word, text):
    assert text_of(word) == text


@pytest.mark.parametrize(
    ("way", "word", "phonemes"),
    [
        (Way("alone"), "yes", "jˈɛs."),
        (Way("alone"), "three", "θɹˈi"),
        (Way("full stop", mark="."), "three", "θɹˈi."),
        (Way("after a pause", lead="… ", mark="."), "three", "… θɹˈi."),
        (Way("last", before="She said:", mark="."), "A", "ʃˌi sˈɛd: ˈA."),
        (Way("first", after="That is all.", mark="."), "three", "θɹˈi. ðˈæt ɪz ˈɔl."),
        (Way("inside", before="They wrote", after="twice.", mark=""), "yes", "ðA ɹˈOt jˈɛs twˈIs."),
    ],
)
def test_a_word_is_read_alone_whatever_stands_beside_it(way, word, phonemes):
    said = say_in(way, word, "af_heart", READ)
    assert said.case.phonemes == phonemes
    assert phonemes[said.start : said.end] == READ(text_of(word)).rstrip(".")


def test_every_voice_says_some_words_and_all_voices_together_each_word_as_often():
    voices = english_voices()
    assert len(voices) == 28
    pairs = list(words_of(voices, 5))
    assert len(set(pairs)) == len(pairs) == 28 * 12
    assert set(Counter(word for _, word in pairs).values()) == {5, 6}
    assert len(list(words_of(voices, 1))) == 28 * 60


def numbered(n_frames):
    """Samples that tell the number of their frame, from 1 on."""
    return np.repeat(np.arange(1, n_frames + 1, dtype=np.float32), FRAME)


@pytest.mark.parametrize("lead", ["", "… "])
def test_a_word_that_is_said_alone_is_kept_whole(lead):
    said = say_in(Way("alone", lead=lead), "yes", "af_heart", READ)
    samples = numbered(30 + len(lead))
    durations = [10, *[1] * len(lead), 2, 2, 4, 6, 4, 2]
    assert (cut(said, samples, durations) == samples).all()
    assert frames_of(said, durations) == 2 + 2 + 4 + 6


def test_a_word_inside_a_sentence_is_cut_between_it_and_its_neighbours():
    said = say_in(Way("inside", before="She said:", after="That is all.", mark=""), "A", "x", READ)
    phonemes = said.case.phonemes
    durations = [1] * (len(phonemes) + 2)
    durations[0], durations[said.start - 1], durations[said.start] = 8, 4, 2  # colon, space
    durations[said.end + 1] = 2  # space
    samples = numbered(sum(durations))
    part = cut(said, samples, durations)
    # A phoneme sounds three frames before its place; half of the six of the pause belong to it.
    start = sum(durations[: said.start + 1]) - 3 - 3
    end = sum(durations[: said.end + 1]) - 3 + 1
    assert part.size == (end - start) * FRAME
    assert part[part.size // 2] == start + 1 + (end - start) // 2
    assert part[0] == part[-1] == 0
    assert frames_of(said, durations) == 2


def test_a_cut_in_silence_is_quiet_and_one_in_sound_is_not():
    said = say_in(Way("last", before="She said:", mark="."), "A", "x", READ)
    durations = [1] * (len(said.case.phonemes) + 2)
    durations[0], durations[said.start - 1], durations[said.start] = 8, 4, 4  # colon, space
    samples = np.ones(sum(durations) * FRAME)
    assert level_at_cuts_db(said, samples, durations) == pytest.approx(0, abs=0.01)
    middle = (sum(durations[: said.start - 1]) - 3 + 4) * FRAME
    samples[middle - 2 * FRAME : middle + 2 * FRAME] = 1e-3
    assert level_at_cuts_db(said, samples, durations) == pytest.approx(-60, abs=0.1)
    alone = say_in(Way("alone"), "A", "x", READ)
    assert np.isnan(level_at_cuts_db(alone, samples, durations))


def test_what_differs_nowhere_has_no_interval_and_what_differs_has_one_around_it():
    pairs = list(words_of(["a", "b", "c"], 5))
    assert resampled_interval(np.zeros(len(pairs)), pairs) == (0.0, 0.0)
    values = np.arange(len(pairs)) % 4 == 0
    low, high = resampled_interval(values.astype(float), pairs)
    assert low < values.mean() < high


def test_the_interval_is_wide_where_one_voice_has_all_the_errors():
    pairs = list(words_of(list("abcdefgh"), 5))
    by_voice = np.array([float(voice == "a") for voice, _ in pairs])
    spread = np.arange(len(pairs)) % 8 == 0
    widths = [
        high - low
        for low, high in (resampled_interval(by_voice, pairs), resampled_interval(spread.astype(float), pairs))
    ]
    assert widths[0] > 1.3 * widths[1]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_tables_compare_with_the_sentences_and_with_the_own_row():
    pairs = [("a", "yes"), ("a", "three"), ("b", "yes"), ("b", "A")]
    nan = float("nan")
    found = {way.name: [Measured(0, -20, 100, 4, 20)] * 4 for way in (*WAYS, *SENTENCES)}
    found[OWN.name] = [Measured(1, -26, nan, nan, 30), *[Measured(0, -26, 200, 6, 30)] * 3]
    compared, by_kind = (
        {row[0]: row[1:] for row in map(cells, table.splitlines())} for table in report(pairs, found).split("\n\n")
    )
    assert compared[OWN.name] == [
        "1", "0.250", "", "-6.0 (-6.0 to -6.0)", "+12.0 (+12.0 to +12.0)", "6.0 (6.0 to 6.0)",
        "1.50 (1.50 to 1.50)", "",
    ]  # fmt: skip
    assert compared["row of 20"][:2] == ["0", "0.000"]
    assert compared["row of 20"][2].startswith("-0.250 (")
    assert by_kind[OWN.name] == ["1 of 2", "0 of 1", "0 of 1"]


def test_a_sentence_that_cannot_be_measured_counts_for_nothing():
    nan = float("nan")
    heard = Measured(0, -30, 100, 4, 20, -40)
    mean = short_texts._mean([Measured(1, -20, nan, nan, 10, -50), heard])
    assert mean == Measured(0.5, -25, 100, 4, 15, -45)
