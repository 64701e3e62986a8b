"""Visemes: the shapes of the mouth while phonemes are said, under Oculus' and Azure's ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from service.speech.timing import PhonemeTime, WordTime
from service.text import load_vocabulary

OCULUS = (
    "sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "ih", "oh", "ou",
)  # fmt: skip
"""Names of Oculus' 15 visemes by their ids, from 0.

Source: Oculus Lipsync's viseme reference,
https://developers.meta.com/horizon/documentation/unity/audio-ovrlipsync-viseme-reference/.
It names the last three I, O and U in pictures, and ih, oh and ou in its library."""

Shape = tuple[int, int]
"""Oculus' id, 0 to 14, and Azure's, 0 to 21."""

REST: Shape = (0, 0)
"""Nothing is said."""

_ROWS = """
PP 21: p b m β ɸ
FF 18: f v ʋ
TH 17: ð
TH 19: θ
DD 19: t d T ʈ ɖ ʔ
DD 19, SS 15: ʦ ʣ
SS 15: s z S
CH 16: ʃ ʒ ʧ ʤ ɕ ʂ ʨ ʥ ꭧ
kk 20: k ɡ q c ɟ ɣ ɰ ŋ ɴ
kk 12: x χ ç
nn 19: n ɲ ɳ
nn 14: l ʎ
RR 13: ɹ ɻ r ɾ ɽ ʁ
RR 5: ɚ
aa 1: æ ʌ ɐ
aa 2: a ɑ
E 1: ə ᵊ ɤ
E 4: ɛ e
E 5: ɜ
ih 6: i ɪ j ʝ ᵻ ɨ
oh 3: ɔ ɒ
oh 8: o
oh 4: œ ø
ou 4: ʊ y
ou 7: u w ɥ ɯ
E 4, ih 4: A
aa 11, ih 11: I
oh 8, ou 8: O
E 8, ou 8: Q
aa 9, ou 9: W
oh 10, ih 10: Y
"""
"""The shapes of each sound of the vocabulary but `h`, which has that of what follows it.

Azure's ids are those of its table, https://learn.microsoft.com/azure/ai-services/speech-service/
how-to-speech-synthesis-viseme, which has SAPI's 22; Oculus' those of the reference above. Both list
sounds of English. A sound that they do not list has the shape of the listed one that is nearest in
place, manner and rounding of the lips. Oculus' has no diphthongs: each is two shapes, half of the
time apiece, which share Azure's id."""

_H_OF_AZURE = 12
_ROUNDED = frozenset("ᵝ")
"""Compressed lips: a sound of the vocabulary, which only changes the one before it."""


def _shapes() -> Iterator[tuple[str, tuple[Shape, ...]]]:
    for row in _ROWS.strip().splitlines():
        shapes, _, symbols = row.partition(": ")
        pairs = [pair.split() for pair in shapes.split(", ")]
        for symbol in symbols.split():
            yield symbol, tuple((OCULUS.index(name), int(azure)) for name, azure in pairs)


SHAPES: Mapping[str, tuple[Shape, ...]] = MappingProxyType(dict(_shapes()))
"""The shapes of a phoneme, in order; each takes an equal part of its time."""

_STRESS = frozenset("ˈˌ")


@dataclass(frozen=True)
class VisemeTime:
    """A viseme, and its time in seconds from the start of the audio."""

    oculus: int
    azure: int
    start_s: float
    end_s: float

    @property
    def name(self) -> str:
        """Return Oculus' name."""
        return OCULUS[self.oculus]


def visemes(word: WordTime) -> tuple[VisemeTime, ...]:
    """Return the visemes of a word; they fill its time, and two that are alike are one.

    A mark of stress counts to the sound after it, one of length or tone to the sound before it. A
    punctuation mark within a word is silence.
    """
    return tuple(_merged(_placed(_sounding(word.phonemes))))


def _sounding(phonemes: Sequence[PhonemeTime]) -> list[PhonemeTime]:
    """Return phonemes with the time of modifiers beside them; what makes no sound is a space."""
    sounds = load_vocabulary().sounds - _ROUNDED
    marks = load_vocabulary().marks | {" "}
    result: list[PhonemeTime] = []
    start_s: float | None = None  # of a stress that waits for its sound
    for phoneme in phonemes:
        if phoneme.symbol in _STRESS:
            start_s = phoneme.start_s if start_s is None else start_s
        elif phoneme.symbol in sounds or phoneme.symbol in marks:
            symbol = phoneme.symbol if phoneme.symbol in sounds else " "
            begin_s = phoneme.start_s if start_s is None else start_s
            result.append(PhonemeTime(symbol, begin_s, phoneme.end_s))
            start_s = None
        elif result and start_s is None:
            result[-1] = replace(result[-1], end_s=phoneme.end_s)
    if start_s is not None and result:
        result[-1] = replace(result[-1], end_s=phonemes[-1].end_s)
    return result


def _placed(phonemes: Sequence[PhonemeTime]) -> Iterator[VisemeTime]:
    for place, phoneme in enumerate(phonemes):
        shapes = SHAPES.get(phoneme.symbol, (REST,))
        if phoneme.symbol == "h":
            following = phonemes[place + 1].symbol if place + 1 < len(phonemes) else " "
            shapes = ((SHAPES.get(following, (REST,))[0][0], _H_OF_AZURE),)
        step_s = (phoneme.end_s - phoneme.start_s) / len(shapes)
        edges = [round(phoneme.start_s + step_s * i, 6) for i in range(len(shapes))]
        for (oculus, azure), start_s, end_s in zip(
            shapes, edges, [*edges[1:], phoneme.end_s], strict=True
        ):
            yield VisemeTime(oculus, azure, start_s, end_s)


def _merged(placed: Iterable[VisemeTime]) -> list[VisemeTime]:
    merged: list[VisemeTime] = []
    for viseme in placed:
        if viseme.start_s == viseme.end_s:
            continue
        if merged and (merged[-1].oculus, merged[-1].azure) == (viseme.oculus, viseme.azure):
            viseme = replace(viseme, start_s=merged.pop().start_s)
        merged.append(viseme)
    return merged
