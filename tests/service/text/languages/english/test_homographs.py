"""Homographs are read by a classifier that was trained on other sentences."""

import re
from importlib.resources import files

import pytest

from service.text.languages.english.homographs import SOUNDS, TOKEN, Homographs, tag_of
from service.text.vocabulary import load_vocabulary
from tests.service.text.reading_tables import rows

SHIPPED = files("service.text.languages.english") / "data"
MAX_BYTES = 1_000_000

# Measured: 341 of 350, and 193 of 203.
MIN_RIGHT = {"homographs": 0.96, "homographs_inflected": 0.94}


@pytest.fixture(scope="module")
def homographs():
    return Homographs.load()


def cases(table="homographs"):
    for reading, sentence in rows(table):
        words = TOKEN.findall(sentence)
        (index,) = [k for k, word in enumerate(words) if word.lower() == reading.partition("_")[0]]
        yield reading, sentence, words, index


@pytest.mark.parametrize("table", MIN_RIGHT)
def test_everyday_sentences_have_the_reading_of_their_context(table, homographs):
    wrong = []
    given = list(cases(table))
    for reading, sentence, words, index in given:
        chosen = homographs.choose(words, index)
        if chosen.reading != reading:
            wrong.append(f"{reading}: {sentence}  chosen {chosen}")
    assert len(given) >= 150
    assert 1 - len(wrong) / len(given) >= MIN_RIGHT[table], "\n".join(wrong)


def test_no_sentence_is_both_trained_on_and_tested(repository):
    trained = (repository / "bench/homograph_sentences.tsv").read_text(encoding="utf-8").splitlines()
    for table in MIN_RIGHT:
        assert not {line.partition("\t")[2] for line in trained} & {sentence for _, sentence in rows(table)}


def test_sentences_around_do_not_matter(homographs):
    closed = [(words, index) for _, _, words, index in cases() if words[-1] in set(".!?")]
    assert len(closed) > 300
    for words, index in closed:
        around = ["Well", ".", *words, "They", "left", "."]
        assert homographs.choose(around, index + 2) == homographs.choose(words, index)


def test_other_words_are_not_decided(homographs):
    assert homographs.choose(["the", "table"], 1) is None
    assert homographs.choose(["the", "."], 1) is None


def test_every_reading_has_a_tag_or_sounds_of_the_vocabulary(homographs):
    vocabulary = load_vocabulary()
    names = {reading for readings in homographs.readings.values() for reading in readings}
    for reading in names:
        for sounds in SOUNDS.get(reading, ()):
            assert vocabulary.token_ids(sounds), reading
        assert re.fullmatch("VB[DNZ]?|NNS?|JJ", tag_of(reading, "NN"))
    # Each variety has its own `o` and long vowels.
    assert not [american for american, _ in SOUNDS.values() if set("Qɒː") & set(american)]
    assert not [british for _, british in SOUNDS.values() if "O" in british]


def test_the_weights_are_small():
    assert len((SHIPPED / "homographs.npz").read_bytes()) <= MAX_BYTES
