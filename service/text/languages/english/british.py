"""Say American pronunciations in British English, where the spelling tells how."""

from __future__ import annotations

import re
from collections.abc import Callable

_VOWEL = re.compile("[AIOWYaiuæɑɔəɛɜɪʊʌᵻᵊ]ɹ?")
_LETTERS = re.compile("[aeiouy]+")
_SILENT = re.compile(
    "(?<=[^aeiouy])e(?=s?$)|(?<=[^aeiouydt])e(?=d$)|(?<=[gq])u(?=[aeio])|^y(?=[aeiou])"
)
"""Letters that are no vowel: `Hale`, `named`, `Guido`, `Yoder`."""

_SOUNDS = "AIOWYaiuæɑɔəɛɜɪʊʌᵻᵊ"
_REPLACED = str.maketrans({"T": "t", "æ": "a", "O": "Q", "ᵻ": "ɪ"})
_BEFORE_R = {
    "ɑ": "ɑː", "ɔ": "ɔː", "ɜ": "ɜː", "ə": "ə", "ɛ": "ɛː", "ɪ": "ɪə", "ʊ": "ʊə", "i": "ɪə",
    "I": "Iə", "W": "Wə", "Y": "Yə", "A": "Aə", "O": "ɔː", "u": "ʊə", "æ": "a", "ʌ": "ʌ",
}  # fmt: skip
"""What becomes of a vowel and an r that no vowel follows."""

_SHORT_O = re.compile("o(?![aour]|w)")


_PLACE = re.compile("(ham|ington|wich|wick|cester|mouth|borough|bury|shire|combe|worth)$")
"""Ends of English places, which Americans say by the letters."""

_UNCLEAR = {"ɑ": "ɑː", "ɔ": "ɔː", "ɛ": "ɛː"}
"""Vowels of foreign words, whose letters do not tell."""


def in_british(word: str, phonemes: str, *, foreign: bool = False) -> str | None:
    """Return British phonemes for the American ones of a word; None where the spelling is unclear.

    The vowels of *lot* and *palm*, one in American English, are told apart by their letter, as are
    those of *merry*, *marry* and *Mary*.

    Args:
        word: its letters, in any case.
        phonemes: its American phonemes.
        foreign: whether unclear vowels, and those of *swan*, are those of foreign words, as in
            *palm*.
    """
    if _PLACE.search(word.lower()):
        return None
    letters = _letters_of(word.lower(), phonemes)
    said: list[str] = []
    end = 0
    for count, match in enumerate(_VOWEL.finditer(phonemes)):
        vowel = _vowel(match[0], letters(count), phonemes[: match.start()], phonemes[match.end() :])
        if foreign and (vowel is None or (vowel == "ɒ" and letters(count).startswith("a"))):
            vowel = _UNCLEAR[match[0][0]] + match[0][1:]
        if vowel is None:
            return None
        said += (phonemes[end : match.start()], vowel)
        end = match.end()
    return "".join([*said, phonemes[end:]]).translate(_REPLACED)


def _letters_of(word: str, phonemes: str) -> Callable[[int], str]:
    """Return a function that returns the letters of a vowel and all after them, by its number."""
    plain = _SILENT.sub(lambda match: "-" * len(match[0]), word)
    starts = [match.start() for match in _LETTERS.finditer(plain)]
    if len(starts) == len(_VOWEL.findall(phonemes)):
        return lambda count: plain[starts[count] :]
    # Without that, only a word with one letter for these sounds is clear.
    places = [place for place, letter in enumerate(word) if letter in "ao"]
    rest = word[places[0] :] if len(places) == 1 else ""
    return lambda count: rest


def _vowel(sound: str, letters: str, before: str, after: str) -> str | None:
    """Return a British vowel, with its r if one is said; None where the spelling is unclear."""
    follows = after.lstrip("ˈˌ")[:1]
    has_r, is_linked = sound.endswith("ɹ"), bool(follows) and follows in _SOUNDS
    if has_r and not is_linked:
        return _BEFORE_R.get(sound[0], sound[0])
    vowel = sound[0]
    r = "ɹ" if has_r else ""
    match vowel:
        case "ɑ" | "ɔ" if not letters:
            return None
        case "ɑ" if letters[0] == "o":
            return "ɒ" + r
        case "ɑ" if letters[0] == "a" or letters[0] == "e":
            return ("ɒ" if before.rstrip("ˈˌ")[-1:] == "w" and not r else "ɑː") + r
        case "ɑ":
            return None
        case "ɔ" if not r and _SHORT_O.match(letters):
            return "ɒ"
        case "ɔ" if r and letters.startswith("orr"):
            return "ɒɹ"
        case "ɔ":
            return "ɔː" + r
        case "ɛ" if r:
            if letters.startswith("arr"):
                return "aɹ"
            if letters.startswith("e"):
                return "ɛɹ"
            return "ɛːɹ" if letters.startswith("ai") else None
        case "ɪ" | "i" if r:
            stressed = before[-1:] in "ˈˌ" and before
            return "ɪəɹ" if stressed and not letters.startswith(("i", "y")) else "ɪɹ"
        case "ɜ" if r:
            return "ʌɹ" if letters.startswith(("urr", "our")) else "ɜːɹ"
        case "ʊ" if r:
            return "ʊəɹ"
        case "u":
            return "uː" + r
        case "i":
            weak = before[-1:] not in "ˈˌ" and (not follows or is_linked)
            return "i" if weak else "iː"
    return sound
