"""Words: how they are counted, joined, said alone and in sentences, cut out, and heard."""

from collections import Counter

import numpy as np
import pytest

from bench.agreement import draw, joined
from bench.agreement import words as phoneme_words
from bench.closed_list import ClosedList
from bench.isolated_words import COMMANDS, LETTERS, NUMBERS, Way, cut, frames_of, level_at_cuts_db, say_in, text_of
from bench.isolated_words import words_of as words_of_voices
from bench.normalizers import distance, main, read, read_table, score, words
from bench.short_texts import english_voices, resampled_interval
from service.speech import Utterance

READ = {
    "Yes.": "jˈɛs.", "3": "θɹˈi", "A": "ˈA", "She said:": "ʃˌi sˈɛd:",
    "That is all.": "ðˈæt ɪz ˈɔl.", "They wrote": "ðA ɹˈOt", "twice.": "twˈIs.",
}.__getitem__  # fmt: skip
FRAME = 600


def test_a_score_counts_texts_and_words_without_case_and_marks():
    for expected, said, count in (
        ("a b c", "a b c", 0), ("a b c", "a c", 1), ("a c", "a b c", 1), ("a b c", "a x c", 1),
        ("", "a b", 2), ("a b", "", 2), ("a b c d", "b c d e", 2),
    ):  # fmt: skip
        assert distance(expected.split(), said.split()) == count
    assert words("Twenty-five, (P.M.) isn’t_") == ["twenty", "five", "p", "m", "isn't"]
    found = score(["twelve hours", "ten"], ["twelve H", "Ten!"])
    assert (found.exact, found.n_texts, found.wrong, found.n_words) == (1, 2, 1, 3)
    assert str(found) == "50.0% (1 of 2) | 33.3%"
    found = score(["ɐ kˈæt.", "ɐ dˈɔɡ"], ["ɐ kˈæt!", "ðə dˈɔɡ"], phoneme_words)
    assert (found.exact, found.n_texts, found.wrong, found.n_words) == (1, 2, 1, 4)


def test_a_table_has_class_text_and_reading_and_ours_is_the_service_s(tmp_path, capsys):
    table = tmp_path / "table.tsv"
    table.write_text("# about\nlist\t1. A\\n2. B\tone. A.\\ntwo. B\n", encoding="utf-8")
    assert read_table(table) == [("list", "1. A\n2. B", "one. A.\ntwo. B")]
    assert main([str(tmp_path / "none.tsv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert read(["12 h"]) == ["twelve hours"]


def test_sentences_of_the_brown_corpus_are_joined_as_they_were_written(tmp_path):
    for line, sentences in (
        ("The/at jury/nn said/vbd ,/, ``/`` No/at evidence/nn ''/'' ./.", ['The jury said, "No evidence".']),
        ("(/( It/pps did/dod not/* ?/. ?/. )/)", ["(It did not?)"]),
        ("either/or/cc", ["either/or"]),
        # Headlines and formulas are left out.
        ("", []), ("Highway/nn-hl bill/nn-hl", []), ("x/nn *y/nn", []), ("a/at &/cc b/nn", []),
    ):  # fmt: skip
        assert list(joined(line)) == sentences
    for number in range(3):
        line = f"This/dt is/bez sentence/nn number/nn {number}/cd of/in three/cd ./.\n"
        (tmp_path / f"ca0{number}").write_text(line)
    drawn = draw(tmp_path, 2)
    assert (len(drawn), draw(tmp_path, 2)) == (2, drawn)
    with pytest.raises(ValueError, match="3 sentences"):
        draw(tmp_path, 4)


def test_a_word_is_sent_as_callers_send_it_and_read_alone_whatever_stands_beside_it():
    assert [text_of(word) for word in ("yes", "okay", "three", "A")] == ["Yes.", "OK.", "3", "A"]
    for way, word, phonemes in (
        (Way("alone"), "yes", "jˈɛs."),
        (Way("alone"), "three", "θɹˈi"),
        (Way("full stop", mark="."), "three", "θɹˈi."),
        (Way("after a pause", lead="… ", mark="."), "three", "… θɹˈi."),
        (Way("last", before="She said:", mark="."), "A", "ʃˌi sˈɛd: ˈA."),
        (Way("first", after="That is all.", mark="."), "three", "θɹˈi. ðˈæt ɪz ˈɔl."),
        (Way("inside", before="They wrote", after="twice.", mark=""), "yes", "ðA ɹˈOt jˈɛs twˈIs."),
    ):
        said = say_in(way, word, "af_heart", READ)
        assert said.case.phonemes == phonemes
        assert phonemes[said.start : said.end] == READ(text_of(word)).rstrip(".")


def test_every_voice_says_some_words_and_all_voices_together_each_word_as_often():
    voices = english_voices()
    assert len(voices) == 28
    pairs = list(words_of_voices(voices, 5))
    assert len(set(pairs)) == len(pairs) == 28 * 12
    assert set(Counter(word for _, word in pairs).values()) == {5, 6}
    assert len(list(words_of_voices(voices, 1))) == 28 * 60


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
    durations = [1] * (len(said.case.phonemes) + 2)
    durations[0], durations[said.start - 1], durations[said.start] = 8, 4, 2  # colon, space
    durations[said.end + 1] = 2  # space
    part = cut(said, numbered(sum(durations)), durations)
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
    assert np.isnan(level_at_cuts_db(say_in(Way("alone"), "A", "x", READ), samples, durations))


def test_an_interval_is_wide_where_one_voice_has_all_the_errors():
    pairs = list(words_of_voices(list("abcdefgh"), 5))
    assert resampled_interval(np.zeros(len(pairs)), pairs) == (0.0, 0.0)
    by_voice = np.array([float(voice == "a") for voice, _ in pairs])
    spread = (np.arange(len(pairs)) % 8 == 0).astype(float)
    (low, high), (least, most) = (resampled_interval(values, pairs) for values in (by_voice, spread))
    assert least < spread.mean() < most
    assert high - low > 1.3 * (most - least)


def test_the_recognizer_hears_words_of_its_list_whatever_it_heard_before(synthesizer):
    pytest.importorskip("pocketsphinx", reason="has no wheels from Python 3.14 on")

    def say(text):
        plan = synthesizer.plan(Utterance(text, voice="af_heart"))
        return np.concatenate([segment.samples for segment in synthesizer.stream(plan)])

    listener = ClosedList([*COMMANDS, *NUMBERS], LETTERS)
    texts = {"Thanks.": "thanks", "W": "W", "Cancel.": "cancel"}
    assert {text: listener.hear(say(text)) for text in texts} == texts
    before = [listener.hear(say(text)) for text in ("Stop.", "11", "F")]
    listener.hear(say("They told me that this was the answer."))
    assert [listener.hear(say(text) / 10) for text in ("Stop.", "11", "F")] == before
    assert listener.hear(np.zeros(24_000, np.float32)) is None
    with pytest.raises(ValueError, match="does not know blorptastic"):
        ClosedList(["yes", "blorptastic"], [])
