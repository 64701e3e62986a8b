"""What espeak-ng reads of each character: never a code point, nor a script's name before each."""

import pytest

from service.errors import InvalidTextError
from service.text import LANGUAGES, TracedText
from service.text.espeak.letters import Letters
from tests.service.text.whole_reading import read

VOICES = {code: one.espeak_voice for code, one in sorted(LANGUAGES.items()) if one.espeak_voice}


@pytest.mark.parametrize("language", VOICES)
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("naïve Łódź Straße þorn sœur ñandú", "naïve Łódź Straße þorn sœur ñandú"),
        ("Đặng Nguyễn", "Đang Nguyên"), ("ḥalāl, ǎ ș", "halāl, a s"), ("ᴀb ᵢ", " b i"), ("ɪʂ", "ɪʂ"),
        ("πλάτων τὸν ἄνδρα ω", "πλάτων τον ανδρα ω"), ("ไทย", "   "), ("ግᎠⵣ𐀀ꙮሴ", "      "), ("Aح₸ﬡ", "A   "),
        ("Hi a\u1ded", "Hi a"),
        ("քար გარი 한국 नमक पढ़ना நன்றி ආයු", "քար გარი 한국 नमक पढ़ना நன்றி ආයු"),
        ("ॲप", " प"), ("½ ² ∞ ★\ufe0f", "½ ² ∞ ★\ufe0f"), ("plain 1 $", "plain 1 $"),
    ],
)  # fmt: skip
def test_only_what_has_a_sound_or_a_name_is_read(espeak, language, text, written):
    letters = Letters(lambda words: espeak.phonemize(words, VOICES[language]))
    assert letters.written(TracedText(text)).text == written


def test_a_letter_on_which_espeak_ng_crashes_is_left_out():
    def crashing(text):
        if "ħ" in text:
            raise InvalidTextError("it crashes")
        return "x" * len(text)

    assert Letters(crashing).written(TracedText("ħa ö")).text == " a ö"


@pytest.mark.thorough
@pytest.mark.parametrize("language", VOICES)
@pytest.mark.parametrize("piece", ["\ufdfc", "\ufe71", "\u3164", "\u0f79 ", "\u2199 ", "ሴ", "Ж", "⣿", "ﷺ", "ǎ ", "ა "])
def test_a_row_of_odd_characters_stays_short(front_end, language, piece):
    text = "a " + piece * 300
    reading = read(front_end, text, language)
    assert len(reading.phonemes) <= 41 * 300
    letters = set(piece) & set("\ufe71\u0f79ﷺ")
    assert not letters or len(reading.phonemes) < 5
