"""Kokoro's English symbols: their classes, and how they stand for those of others."""

from __future__ import annotations

from service.text.languages.language import Sounds

VOWELS = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ")
"""Vowels that can be stressed and that decide weak forms such as `the`. ɐ is never stressed."""

CONSONANTS = frozenset("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ")

PAUSES = frozenset(";:,.!?—…")
"""Marks at which speech pauses."""

FLAPPING = frozenset("AIOWYiuæɑəɛɪɹʊʌ")
"""Sounds after which Americans pronounce a t between vowels as a tap."""

DOUBLE = frozenset("AIOQWYʤʧ")
"""Symbols that each stand for two sounds."""


def is_before_vowel(phonemes: str, default: bool | None) -> bool | None:
    """Tell whether phonemes start with a vowel; None if they start with a pause.

    Args:
        phonemes: the phonemes of a word, or a mark.
        default: the result if they have neither a vowel, a consonant nor a pause.
    """
    for symbol in phonemes:
        if symbol in VOWELS:
            return True
        if symbol in CONSONANTS:
            return False
        if symbol in PAUSES:
            return None
    return default


# The English voices were trained with a lexicon that has its own inventory.
_ESPEAK = {
    # Syllabic l and n have a short schwa; the syllabic mark is not written.
    "ə^l": "ᵊl",
    "l\u0329": "ᵊl",
    "m\u0329": "ᵊm",
    "n\u0329": "ᵊn",
    "r\u0329": "ᵊɹ",
    # One schwa for all. The near-open one is only in unstressed articles.
    "ɐ": "ə",
    "#ɐ#": "ɐ",
    "#ɐn#": "ɐn",
    # The English r, and no glottal stop: button is bˈʌtᵊn.
    "r": "ɹ",
    "ʔ": "t",
    # Loch and Reich as most speakers pronounce them.
    "x": "k",
    "ç": "k",
    # English has no plain e and o. A lone o is the vowel of north in older versions of espeak-ng.
    "e": "A",
    "o": "ɔ",
    # Vowels that are nasal in the original language get an n, as in ensemble. Jalapeño has a j.
    "\u0303": "n",
    "ʲ": "j",
    # Aspiration after a stop is not written.
    "k^h": "k",
    "p^h": "p",
    "t^h": "t",
    "ʰ": "",
}

_DICTIONARY = {
    "r": "ɹ",
    "e": "ɛ",
    "l\u0329": "ᵊl",
    "m\u0329": "ᵊm",
    "n\u0329": "ᵊn",
}

AMERICAN = Sounds(
    espeak={
        **_ESPEAK,
        # The flap in water.
        "ɾ": "T",
        # An r-coloured vowel is a vowel and r. It includes an r that follows.
        "ɚ": "əɹ",
        "ɚɹ": "əɹ",
        "a^ɪ^ɚ": "Iəɹ",
        "a^ɪ^ɚɹ": "Iəɹ",
        "ɜː": "ɜɹ",
        "ɜːɹ": "ɜɹ",
        "^ɹɹ": "ɹ",
        # Vowel length is not distinctive.
        "ː": "",
        # Idea ends in two vowels, the first of which is that of fleece.
        "ɪə": "iə",
        # The British vowel of goat, from words that espeak-ng reads by its British rules.
        "ə^ʊ": "O",
    },
    dictionary={
        **_DICTIONARY,
        "əʊ": "O",
        "o": "O",
        "or": "ɔɹ",
        "oɹ": "ɔɹ",
        "ɝ": "ɜɹ",
        "ɚ": "əɹ",
        "ɝː": "ɜɹ",
        "ɜː": "ɜɹ",
        "ɜːr": "ɜɹ",
        "ɜːɹ": "ɜɹ",
        "ɾ": "T",
        "ː": "",
    },
)

BRITISH = Sounds(
    espeak={
        **_ESPEAK,
        # The vowel of square is long. Near and the end of idea have the same diphthong.
        "e^ə": "ɛː",
        "i^ə": "ɪə",
        # Only words of other languages have the flap.
        "ɾ": "ɹ",
        # The American vowel of goat, likewise.
        "o^ʊ": "Q",
    },
    dictionary={
        **_DICTIONARY,
        "oʊ": "Q",
        "o": "Q",
        "or": "ɔː",
        "oɹ": "ɔː",
        "eə": "ɛː",
        "ɝ": "ɜː",
        "ɝː": "ɜː",
        "ɚ": "ə",
    },
)
