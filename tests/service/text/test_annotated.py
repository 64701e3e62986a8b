"""Japanese, Mandarin and Hindi are read as a person says that they may be."""

import re
from functools import cache

import pytest

from bench.readings.annotations import load, units
from service.errors import NothingToSayError
from tests.service.text.whole_reading import normalized, read

LEAST = {"ja": 0.95, "zh": 0.97, "hi": 0.97}
"""Which share of the texts that authors of rules may look at is read exactly."""

_SIGN = re.compile(r"[\W_ˈˌ→↗↘↓]")


def visible(language):
    return [text for text in load(language=language) if not text.unread]


def letters(words):
    return "".join(units(words)).replace("।", "")


def is_written(text, language):
    """Tell whether the words are allowed; spaces between them do not count."""
    said = letters(normalized(text.text, language).text)
    reached = {0}
    for item in text.items:
        options = {"".join(reading).replace("।", "") for reading in item.readings}
        reached = {at + len(option) for at in reached for option in options if said.startswith(option, at)}
    return len(said) in reached


def sound(phonemes):
    # The digits 2 and 5 may be long or short, and a nasal is like what follows it.
    phonemes = _SIGN.sub("", phonemes).replace("ɡoː", "ɡo").replace("ɲiː", "ɲi")
    return re.sub("[mnŋɲɴ](?=[^aiɯeoɨj])", "ɴ", phonemes)


def is_heard(text, say, front_end):
    """Tell whether each annotated part sounds as allowed, with the rest of its words."""
    reading = read(front_end, text.text, "ja")
    for item in text.items:
        if not item.is_annotated:
            continue
        words = [word for word in reading.words if word.text_start < item.end and word.text_end > item.start]
        here = "".join(reading.phonemes[word.phonemes_start : word.phonemes_end] for word in words)
        first = min([item.start, *(word.text_start for word in words)])
        last = max([item.end, *(word.text_end for word in words)])
        before, after = text.text[first : item.start], text.text[item.end : last]
        options = {"".join(allowed) for allowed in item.readings}
        if sound(here) not in {say(option) for option in options} | {
            say(before + option + after) for option in options
        }:
            return False
    return True


@pytest.mark.parametrize("language", LEAST)
def test_annotated_texts_are_read_as_they_may_be(front_end, language):
    @cache
    def say(words):
        if not words:
            return ""
        try:
            return sound(read(front_end, words, "ja").phonemes)
        except NothingToSayError:
            return ""

    texts = visible(language)
    assert len(texts) > 150
    right = [is_heard(text, say, front_end) if language == "ja" else is_written(text, language) for text in texts]
    wrong = [text.place for text, ok in zip(texts, right, strict=True) if not ok]
    assert sum(right) / len(right) >= LEAST[language], wrong
