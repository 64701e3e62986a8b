"""What one character, or a row of them, becomes: bounded, in every language."""

import unicodedata

import pytest

from service.errors import TextTooLongError
from service.text import LANGUAGES, Passage, TracedText, UserLexicon, longest_in_words
from service.text.frontend import MAX_GROWTH

IDEOGRAPHS = ((0x3400, 0xA000), (0xAC00, 0xD7A4), (0x12000, 0x19000), (0x20000, 0x110000))
"""Characters of which there are many of a kind: every sixty-first will do."""

LONGEST_IN_PHONEMES = 60
"""Of a character: the names of some signs and of emoji alone."""
LONGEST_NAME = 60
"""In letters, of an emoji alone: a dorsal hand with its index pointing up, in Portuguese."""


def assigned(step=1):
    """Return every so many-th character that is assigned, those of one kind 61 times as rarely."""
    found = []
    for code in range(0x21, 0x110000, step):
        is_one_of_many = any(start <= code < end for start, end in IDEOGRAPHS)
        if is_one_of_many and code // step % 61:
            continue
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co", "Cc"):
            found.append(chr(code))
    return found


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize(
    "step", [211, pytest.param(7, marks=pytest.mark.thorough), pytest.param(1, marks=pytest.mark.slow)]
)
def test_no_character_becomes_a_speech(front_end, language, step):
    misses = []
    for character in [*assigned(step), *"ﷺﷻ﷽½‰√∬∭⨌㌖↙⣿"]:
        readings = list(front_end.read(Passage(TracedText(character)), language))
        n_written = sum(len(reading.normalized) for reading in readings)
        n_phonemes = sum(len(reading.phonemes) for reading in readings)
        most = max(longest_in_words(character) + 8, LONGEST_NAME)
        if n_written > most or n_phonemes > LONGEST_IN_PHONEMES:
            misses.append((character, n_written, n_phonemes))
    assert not misses


def test_two_phrases_in_one_character_are_dropped_and_told(front_end):
    for language in sorted(LANGUAGES):
        (reading,) = front_end.read(Passage(TracedText("a ﷺ b ﷻ")), language)
        assert reading.dropped == ((2, 3), (6, 7)), language


@pytest.mark.parametrize(("text", "at_least"), [("½" * 9, 81), ("99" * 4, 40), ("a 1%", 16), ("plain prose.", 12)])
def test_the_estimate_of_a_length_in_words_is_from_above(text, at_least):
    assert at_least <= longest_in_words(text) <= 64 * len(text)


@pytest.mark.thorough
def test_a_block_that_a_lexicon_makes_too_long_is_refused(front_end):
    lexicon = UserLexicon.of_words({"a": "b " * 64})
    assert list(front_end.read(Passage(TracedText("a a " * 200)), "en-us", lexicon=lexicon))
    # Only patterns of the operator can do more.
    growing = UserLexicon._from_entries([{"pattern": "a", "respelling": "b " * MAX_GROWTH}])
    with pytest.raises(TextTooLongError, match="become"):
        list(front_end.read(Passage(TracedText("aa" * 500)), "en-us", lexicon=growing))
