"""Each word tells where its sound is from."""

import pytest

from service.text import punctuation
from service.text.characters import clean_text
from service.text.languages.english.homographs import Homographs
from service.text.offset_mapping import TracedText
from service.text.spans import Override


def sources(reader, text, overrides=()):
    spans = punctuation.split(clean_text(TracedText(text)), overrides)
    return {
        text[word.text_start : word.text_end]: word.source for fragment in reader.read(spans) for word in fragment.words
    }


@pytest.mark.parametrize("language", ["en-us", "en-gb"])
def test_every_kind_of_source_is_told(language, readers):
    text = "The cat walks past Björk and Zuckerberg, says dockerized mp3 state-of-the-art FBI and Adegoke's Bort"
    start = text.index("Bort")
    assert sources(readers[language], text, [Override(start, start + 4, "bˈɔt")]) == {
        "The": "lexicon", "cat": "lexicon", "walks": "lexicon", "past": "lexicon", "Björk": "loanwords",
        "and": "lexicon", "Zuckerberg": "cmudict", "says": "lexicon", "dockerized": "espeak-ng", "mp3": "espeak-ng",
        "state-of-the-art": "compound", "FBI": "spelling", "Adegoke's": "name plain", "Bort": "caller",
    }  # fmt: skip


@pytest.mark.parametrize(("text", "word"), [("He plays bass.", "bass"), ("They object to it.", "object")])
def test_a_homograph_tells_its_reading_and_how_sure_it_is(text, word, readers):
    kind, reading, score = sources(readers["en-us"], text)[word].split()
    decision = Homographs.load().choose(text[:-1].split(), text[:-1].split().index(word))
    assert (kind, reading) == ("homograph", decision.reading)
    assert float(score) > 0


def test_inflections_and_contexts_are_told(readers):

    assert sources(readers["en-us"], "Zuckerbergs")["Zuckerbergs"] == "inflection"
    assert sources(readers["en-us"], "My toes grew number.")["number"] == "context"
