"""Convert kana to the phonemes of Kokoro's Japanese voices.

The voices were trained with phonemes that misaki made with cutlet: broad phonetic notation, one
symbol for a long vowel or a double consonant, no pitch accent. The tables have that notation, row
by row.
"""

from __future__ import annotations

import re

_ROWS = {
    "アイウエオ": "a i ɯ e o",
    "カキクケコ": "ka kʲi kɯ ke ko",
    "ガギグゲゴ": "ɡa ɡʲi ɡɯ ɡe ɡo",
    "サシスセソ": "sa ɕi sɨ se so",
    "ザジズゼゾ": "ʣa ʥi zɨ ʣe ʣo",
    "タチツテト": "ta ʨi ʦɨ te to",
    "ダヂヅデド": "da ʥi zɨ de do",
    "ナニヌネノ": "na ɲi nɯ ne no",
    "ハヒフヘホ": "ha çi ɸɯ he ho",
    "バビブベボ": "ba bʲi bɯ be bo",
    "パピプペポ": "pa pʲi pɯ pe po",
    "マミムメモ": "ma mʲi mɯ me mo",
    "ラリルレロ": "ɾa ɾʲi ɾɯ ɾe ɾo",
    "ヤユヨ": "ja jɯ jo",
    "ワヰヱヲ": "βa i e o",
    # Japanese has no v sound; cutlet's dictionary also has バイオリン.
    "ヷヸヴヹヺ": "ba bʲi bɯ be bo",
    "ァィゥェォ": "a i ɯ e o",
    "ャュョ": "ja jɯ jo",
    "ヮヵヶ": "βa ka ke",
}
_KANA = {
    kana: phonemes
    for row, sounds in _ROWS.items()
    for kana, phonemes in zip(row, sounds.split(), strict=True)
}

# Kana before a small kana, where the result is not just the kana without its vowel.
_ONSETS = {"イ": "j", "ウ": "β", "ク": "kᵝ", "グ": "ɡᵝ"}
_SMALL_VOWELS = {"ァ": "a", "ィ": "i", "ゥ": "ɯ", "ェ": "e", "ォ": "o", "ヮ": "a"}
_GLIDES = {"ャ": "a", "ュ": "ɨ", "ョ": "o"}
_PALATAL = ("ʲ", "ɕ", "ʥ", "ʨ", "ɲ", "ç", "j")
# ティ, フィ and similar ones are palatal; スィ and ウィ are not.
_PALATALIZED_BY_I = ("t", "d", "ɸ", "ʦ", "b")

_VOWELS = "aiɯɨeo"
_LONG, _DOUBLED, _NASAL = "ー", "ッ", "ン"

# The nasal takes the place of articulation of the next sound.
_NASALS = {"mpb": "m", "kɡ": "ŋ", "ɲʨʥ": "ɲ", "ntdɾz": "n"}
_NASAL_BEFORE = {symbol: nasal for symbols, nasal in _NASALS.items() for symbol in symbols}


_IN_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}
_LONG_VOWEL = re.compile(
    "(?<=[オコソトノホモヨロゴゾドボポョ])ウ|(?<=[エケセテネヘメレゲゼデベペ])イ"
)


def read(word: str) -> str | None:
    """Return the phonemes of a word in kana as they spell it: `とうきょう`; None for other text."""
    kana = _LONG_VOWEL.sub(_LONG, word.translate(_IN_KATAKANA))
    known = (*_KANA, _LONG, _DOUBLED, _NASAL)
    return phonemes_of(kana) or None if all(map(known.__contains__, kana)) else None


def phonemes_of(kana: str) -> str:
    """Return the phonemes of a word in katakana, spelled as pronounced: `トーキョー`.

    Characters other than kana have none.
    """
    said = ""
    nasal_is_open = False
    for sound in _sounds(kana):
        if nasal_is_open:
            said += _NASAL_BEFORE.get(sound[0], "ɴ")
        nasal_is_open = sound == _NASAL
        if nasal_is_open:
            continue
        if sound == _LONG:
            said += "ː" if said[-1:] and said[-1] in _VOWELS else ""
        elif sound == _DOUBLED:
            said += "ʔ"
        else:
            said += sound
    return said + "ɴ" if nasal_is_open else said


def _sounds(kana: str) -> list[str]:
    """Return the phonemes of each syllable. Signs that depend on their neighbours stay."""
    sounds: list[str] = []
    last = ""
    for character in kana:
        if last in _KANA and (character in _SMALL_VOWELS or character in _GLIDES):
            sounds[-1] = _contracted(last, character)
            last = ""
            continue
        last = character
        if character in _KANA:
            sounds.append(_KANA[character])
        elif character in (_LONG, _DOUBLED, _NASAL):
            sounds.append(character)
    return sounds


def _contracted(kana: str, small: str) -> str:
    if small in _GLIDES:
        onset = _KANA[kana][:-1]
        return onset + ("" if onset.endswith(_PALATAL) else "ʲ") + _GLIDES[small]
    vowel = _SMALL_VOWELS[small]
    onset = _ONSETS.get(kana, _KANA[kana][:-1])
    if vowel == "i" and onset in _PALATALIZED_BY_I:
        onset += "ʲ"
    return onset + vowel
