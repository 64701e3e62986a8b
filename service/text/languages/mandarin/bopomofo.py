"""Mandarin syllables in Bopomofo with tones, as Kokoro v1.1-zh has learned them.

Its vocabulary has a symbol for each whole final: Bopomofo where that has one, else a Chinese
character that rhymes. Words are joined by slashes, and the tones are those that are heard.
"""

from __future__ import annotations

from collections.abc import Sequence

from service.text.languages.mandarin.syllables import SIBILANTS, parts

LANDMARK = "ㄅ"
"""A vocabulary that has this has the others."""

_INITIALS = {
    "b": "ㄅ", "p": "ㄆ", "m": "ㄇ", "f": "ㄈ", "d": "ㄉ", "t": "ㄊ", "n": "ㄋ", "l": "ㄌ",
    "g": "ㄍ", "k": "ㄎ", "h": "ㄏ", "j": "ㄐ", "q": "ㄑ", "x": "ㄒ",
    "zh": "ㄓ", "ch": "ㄔ", "sh": "ㄕ", "r": "ㄖ", "z": "ㄗ", "c": "ㄘ", "s": "ㄙ", "": "",
}  # fmt: skip

_FINALS = {
    "a": "ㄚ", "o": "ㄛ", "e": "ㄜ", "ie": "ㄝ", "ai": "ㄞ", "ei": "ㄟ", "ao": "ㄠ", "ou": "ㄡ",
    "an": "ㄢ", "en": "ㄣ", "ang": "ㄤ", "eng": "ㄥ", "er": "ㄦ", "i": "ㄧ", "u": "ㄨ", "ü": "ㄩ",
    "üe": "月", "ia": "压", "ian": "言", "iang": "阳", "iao": "要", "in": "阴", "ing": "应",
    "iong": "用", "iou": "又", "ong": "中", "ua": "穵", "uai": "外", "uan": "万", "uang": "王",
    "uei": "为", "uen": "文", "ueng": "瓮", "uo": "我", "üan": "元", "ün": "云",
    "ê": "ㄝ", "io": "ㄧㄛ", "m": "ㄇ", "n": "ㄋ", "ng": "ㄋ", "hm": "ㄏㄇ", "hng": "ㄏㄋ",
}  # fmt: skip

_AFTER_SIBILANTS = {"z": "ㄭ", "c": "ㄭ", "s": "ㄭ", "zh": "十", "ch": "十", "sh": "十", "r": "十"}
"""The i that only prolongs the initial."""

_RETROFLEX = "R"
"""Within a syllable, before its tone: it ends in 儿."""

_SONS = frozenset("女男婴幼孤患胎健弃宠孙侄妻乞少小孩胖混")
"""Before a 儿 that is a child, and a syllable of its own."""


def phonemes(word: str, pinyin: Sequence[str]) -> str | None:
    """Return the phonemes of a word, None if one of its syllables is none.

    Args:
        word: Chinese characters.
        pinyin: of each, in small letters with the tone from 1 to 5, and heard so; see `heard`.
    """
    said: list[str] = []
    for place, syllable in enumerate(pinyin):
        body, tone = syllable[:-1], syllable[-1:]
        found = parts(body)
        if found is None or tone not in tuple("12345"):
            return None
        if body == "er" and place and said and _curls(word, place):
            said[-1] = f"{said[-1][:-1]}{_RETROFLEX}{said[-1][-1]}"
            continue
        initial, final = found
        if final == "i" and initial in SIBILANTS:
            said.append(f"{_INITIALS[initial]}{_AFTER_SIBILANTS[initial]}{tone}")
        else:
            said.append(f"{_INITIALS[initial]}{_FINALS[final]}{tone}")
    return "".join(said)


def _curls(word: str, place: int) -> bool:
    """Tell whether a 儿 at the end of a word only curls the syllable before it."""
    return place == len(word) - 1 and word[place] == "儿" and word[place - 1] not in _SONS


def heard(words: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the syllables of the words of a clause with the third tones that are heard.

    Before another third tone a third becomes a second: within a word, and between words that have
    three syllables together, which are said in one breath.

    Args:
        words: the pinyin of each; of what is no syllable, anything.
    """
    changed = [list(word) for word in words]
    for place, word in enumerate(changed):
        following = changed[place + 1] if place + 1 < len(changed) else []
        for index, syllable in enumerate(word):
            is_last = index == len(word) - 1
            if is_last and len(word) + len(following) > _BREATH:
                continue
            after = following[:1] if is_last else word[index + 1 : index + 2]
            if _is_third(syllable) and after and _is_third(after[0]):
                word[index] = f"{syllable[:-1]}2"
    return changed


_BREATH = 3


def _is_third(syllable: str) -> bool:
    return syllable[-1:] == "3" and syllable[:-1].isalpha()
