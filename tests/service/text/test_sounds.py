"""How words sound in other languages, where their spelling does not tell."""

import re

import pytest

from service.text.languages.mandarin import syllables
from tests.service.text.reading_tables import rows
from tests.service.text.whole_reading import read

_NO_STRESS = str.maketrans("", "", "ˈˌ")


@pytest.mark.parametrize("language", sorted({row[1] for row in rows("sounds-other")}))
def test_words_sound_as_a_person_would_say_them(front_end, language):
    if not front_end.readers.is_available(language):
        pytest.skip(f"nothing reads {language} here")
    misses = []
    for _, of_language, text, word, expected in rows("sounds-other"):
        if of_language != language:
            continue
        said = _said(front_end, text, word, language)
        if not _fits(said, expected, language):
            misses.append(f"{text!r}: {word} is {said!r}, not {expected!r}")
    assert not misses, "\n".join(misses)


def _said(front_end, text, word, language):
    """Return the phonemes of the words that a part of the text belongs to, without stress."""
    reading = read(front_end, text, language)
    start = text.index(word)
    said = " ".join(
        reading.phonemes[found.phonemes_start : found.phonemes_end]
        for found in reading.words
        if found.text_start < start + len(word) and found.text_end > start
    )
    return said.translate(_NO_STRESS)


def _fits(said, expected, language):
    if language != "zh":
        return said == expected
    phonemes = [syllables.phonemes(syllable) for syllable in expected.split()]
    assert None not in phonemes, expected
    # The neutral tone has no sign.
    pattern = re.escape("".join(filter(None, phonemes))) + "(?![→↗↓↘])"
    return re.search(pattern, said) is not None
