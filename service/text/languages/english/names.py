"""Say names of other languages: by the language that their letters show, in English sounds.

`bench/names.py` makes the weights that tell a language from letters, and measures. espeak-ng reads
the name by the rules of its language; languages that are written in Latin letters as they sound,
such as romanized Japanese, are read by those of Swahili.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from service.text.languages.english.british import in_british
from service.text.languages.english.loanwords import fold

ENGLISH = "en"
VOICES = {
    "cs": "zlw/cs", "de": "gmw/de", "es": "roa/es", "fi": "urj/fi", "fr": "roa/fr", "hu": "urj/hu",
    "it": "roa/it", "nl": "gmw/nl", "pl": "zlw/pl", "plain": "bnt/sw", "pt": "roa/pt",
    "ro": "roa/ro", "sh": "zls/hr", "sv": "gmq/sv", "tr": "trk/tr", "zh": "bnt/sw",
}  # fmt: skip
"""espeak-ng's voices by language. `plain` is every language that is spelled as it sounds; `sv` are
the Scandinavian languages, `cs` is also Slovak, `sh` also Slovene, `zh` pinyin."""

_ACCENTED = {
    "cs": "áäčďéěíľĺňóŕřšťúůýž", "de": "äöüß", "es": "áéíñóúü", "fi": "åäöšž",
    "fr": "àâæçéèêëîïôœùûüÿ", "hu": "áéíóöőúüű", "it": "àèéìòù", "nl": "éèëïöü",
    "pl": "ąćęłńóśźż", "pt": "áàâãçéêíóôõúü",
    "ro": "ăâîșțşţ", "sh": "čćđšž", "sv": "åäæéöø", "tr": "âçğıîöşü\u0307",
}  # fmt: skip
"""The letters of each language beyond those of English. Others are read without their accents."""

_BY_ACCENT = ("tr",)
"""Languages whose names are told by their accents only: `tokenizer` is not Turkish."""

_WITHOUT_ACCENTS = 1e-6
"""What is left of the odds of a language without the letters of a name."""

SURE = 0.25
"""Probability from which a name is English; chosen on the names that may be read."""

_NEIGHBOURS = 0.5
"""Weight of the names beside it, of which a person has two in one language."""

_LONGEST = 24
_KEPT = 2048
_SIZES = (1, 2, 3, 4)

_PLAIN = (
    ("(?<=[kgpbdtn])h(?!$)|(?<=[kgbdtn])h$", ""), ("ph$", "f"), ("wh", "w"), ("tch", "ch"),
    ("ou|oo", "u"), ("ee", "i"), ("ei", "ey"), ("(?<!^)y(?![aeiou])", "i"), ("eo(?=n)", "o"),
    ("uo(?=ng)", "u"), ("ao", "au"), ("aa", "a"), ("ah$", "a"), ("dj", "j"),
    ("(?<![scz])h(?=[bdfklmnprstvz])", ""), ("(?<![sckgpbdtnwz])h$", ""),
)  # fmt: skip
_RESPELLED = {
    "plain": tuple((re.compile(old), new) for old, new in _PLAIN),
    "sh": ((re.compile("ic$"), "ić"),),
    "sv": tuple((re.compile(old), new) for old, new in (("aa", "å"), ("ø", "ö"), ("æ", "ä"))),
    "zh": tuple(
        (re.compile(old), new)
        for old, new in (
            ("zh", "j"), ("x", "sh"), ("q", "ch"), ("c(?!h)", "ts"), ("(?<=i)an", "en"),
            ("ui", "wey"), ("ei", "ey"), ("iao", "yau"), ("ao", "au"), ("ou", "o"),
            ("i(?=[aeou])", "y"), ("u(?=[aeo])", "w"),
        )
    ),
}  # fmt: skip
"""What is respelled for espeak-ng: patterns and letters."""

_V = "ɑæɛeiɪoɔuʊəOIWYAɜ"
_NATIVE = {
    "cs": (("ʃtj", "ʃt"), ("j(?=ɛk)", "j")),
    "es": (("β", "v"), ("θ", "s"), ("ð", "d"), ("ʎ", "j"), ("^ɟ(?=[^aeoɛɔˈˌ])", "i"), ("ɟ", "j")),
    "fi": (("æi", "aɪ"),),
    "fr": (("ɛ$", "e"), ("ɛ\u0303", "æn"), ("pe$", "pe")),
    "hu": (("ɟ", "ʤ"),),
    "de": (("^ts", "z"),),
    "it": (("ɪ$", "i"), ("ʊo", "wo"), ("^dz", "z"), ("tʃʃ", "tʃ"), ("dʒʒ", "dʒ")),
    "nl": (("ɛɪ", "aɪ"), ("yi", "aɪ"), ("ɵ", "ə"), ("sx", "sk"), ("ei(?=[ˈˌ]?e)", "aɪ")),
    "pl": (("ɲ(?=s)", "n"), ("ɛj", "A")),
    "plain": (
        ("aˈ([iu])(?=[^aeiou][aeiou])", r"ˈa\1"), ("ov$", "ɔf"), ("ev$", "ɛf"),
        ("ɲɟ", "nʤ"), ("ɟ", "ʤ"), ("ej(?![ˈˌaeiou])", "eɪ"), ("zh", "ʒ"),
        ("ŋɡ(?![aeiouwjɾr])", "ŋ"),
    ),
    "pt": (
        ("ɐ\u0303[ɨiɪ]?ʃ", "aɪs"), ("[ɨɪ]$", "i"), ("eɪŋ", "ɛn"), ("[ʊu]ʃ?$", "os"), ("ʎ", "lj"),
        ("ʃ(?=t|$)", "s"), ("ɾə(?=[kɡtdpb])", "ɹ"), ("(?<=[^j])os$", "o"),
        ("[ou]w(?=[ɾrdklmnstvz])", "o"),
    ),
    "ro": (("aˈu", "ˈau"), ("[oɔ]a", "wa"), ("(?<=[ʧʃʒʤ])ea", "a"), ("[ʃʒ]ʃ$", "ʃ")),
    "sh": (("æ", "a"),),
    "sv": (
        ("ʂ", "ɹs"), ("ˌɔn$", "ən"), ("øː?$", "o"), ("sx", "ʃ"), ("rj$", "rɡ"), ("[ɵʉ]", "ʊ"),
        ("[æɛ]r(?=[ɡds])", "ər"),
    ),
    "tr": (("ʊ$", "u"), ("oɫ[ˈ]u", "ˈoɫu"), ("æ", "ɛ")),
    "zh": (
        ("aˈu", "ˈau"), ("ɲɟ", "nʤ"), ("ɟ", "ʤ"),
        ("ej(?![ˈˌaeiou])", "eɪ"), ("ŋɡ(?![aeiouwj])", "ŋ"),
        ("ʤi(?=[ˈˌ]?[ao])", "ʤj"), ("eŋ", "ʌŋ"),
    ),
}  # fmt: skip
"""What espeak-ng's sounds of a language are in English, before the rules for all languages."""

_ALL = (
    *(
        ("(?<=[bfmpvw])ʲ(?=[ˈˌ]?[aɑɛeɔou])", "j"),
        ("ʲ", ""),
        ("ʧ+", "ʧ"),
        ("t?t[ɕʃʂ]|tʧ", "ʧ"),
        ("d[ʑʒʐ]", "ʤ"),
        ("[ɕʂ]", "ʃ"),
        ("[ʑʐ]", "ʒ"),
        ("ɲj?", "nj"),
    ),
    *(("ʎ", "lj"), ("ɟ", "dj"), ("\u0303", "n"), ("[aɑ][ɪi](?![ˈˌ])", "I"), ("[aɑ][ʊu]", "W")),
    *(("[ɔo][ʏøɪiy]", "Y"), ("[eɛ][ɪi](?![ˈˌ])", "A"), ("o[ʊu]", "o"), ("[yʏ]", "u")),
    *(("[øœ][rɾʁ]?", "ɜɹ"), ("ɜɹɹ", "ɜɹ"), ("ɜ(?!ɹ)", "əɹ"), ("[ɨɯ]", "ɪ"), ("ɵ", "ʊ")),
    *((f"[xχçħ](?=[ˈˌ]?[a{_V}])", "h"), ("[xχçħ]", "k"), ("[ɾrʁʀɹ]+", "ɹ"), ("[ɫɬ]", "l")),
    *(("ʋ", "v"), ("ɱ", "m"), ("β", "b"), ("ɣ", "ɡ"), ("g", "ɡ"), ("ʝ", "j"), ("c", "tj")),
    *(
        ("[ɒɑaɐ]", "ɑ"),
        ("ɤ", "ə"),
        ("[oɔ](?=[ɹfŋ])", "ɔ"),
        ("[oɔ](?![ɹfŋ])", "O"),
        ("e(?=[ɹʃ])", "ɛ"),
    ),
    *(
        (f"e(?=[^ˈˌ{_V}][{_V}])", "A"),
        ("e$", "A"),
        ("e", "ɛ"),
        ("ɑj(?![jˈˌ])", "I"),
        (f"[Oɔ]j(?![ˈˌ{_V}])", "Y"),
    ),
    *(
        ("ː", ""),
        ("h(?=[bdfklmnprstvz])", ""),
        ("(?<![ˈˌ])ɑ$", "ə"),
        (r"([bdfhjklmnpstvwzðŋɡɹʃʒʤʧθ])\1+", r"\1"),
    ),
    *((f"(?<=[{_V}])t(?=[ɪiəOu])", "T"),),
)
_UNSAID = re.compile("[\\^ʔ\u0361\u032f\u0329\u02b0-]|(?<=[a-zɐ-ʒ])ː")
_LONG_CONSONANT = re.compile("([bdfklmnpstvzɡʃʒrɲʎ])ː")
_NASAL = re.compile("\u0303(?=[mnŋ])")
_STRESSABLE = re.compile(f"[{_V}]")


class Origins:
    """Tells the language of a name from its letters. Safe to share between threads.

    Args:
        stored: the arrays of the file of weights.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]]) -> None:
        meta = json.loads(stored["meta"].tobytes())
        self.languages: list[str] = meta["languages"]
        """The languages, with `en`."""
        self._scale: float = meta["scale"]
        self._table = stored["table"]
        self._bias = stored["bias"]

    @classmethod
    @cache
    def load(cls) -> Origins:
        """Return the shipped weights: one object for all readers."""
        file = files("service.text.languages.english") / "data" / "names.npz"
        with file.open("rb") as opened, np.load(opened) as stored:
            return cls(dict(stored))

    def language(self, name: str, neighbours: Sequence[str] = ()) -> tuple[str, float]:
        """Return the likeliest language of a name but English, and the probability of English.

        Args:
            name: a word in any case, with its accents.
            neighbours: the names beside it.
        """
        scores = self._scores(name) + _NEIGHBOURS * sum(map(self._scores, neighbours))
        odds = np.exp(scores - scores.max())
        english = self.languages.index(ENGLISH)
        probability = float(odds[english] / odds.sum())
        odds[english] = 0
        accents = {letter for letter in name.lower() if not letter.isascii()}
        for k, language in enumerate(self.languages):
            has_all = accents.issubset(_ACCENTED.get(language, ""))
            if not has_all or (language in _BY_ACCENT and not accents):
                odds[k] *= _WITHOUT_ACCENTS
        return self.languages[int(odds.argmax())], probability

    def _scores(self, name: str) -> NDArray[np.float32]:
        rows = [crc32(part.encode()) % len(self._table) for part in pieces(name)]
        total: NDArray[np.float32] = self._table[rows].sum(0, dtype=np.float32)
        scores: NDArray[np.float32] = total * np.float32(self._scale) + self._bias
        return scores


class Names:
    """Says names of other languages. Safe to share between threads.

    Args:
        british: whether in British or American English.
        phonemize: returns the IPA of a text by a voice of espeak-ng.
    """

    def __init__(self, *, british: bool, phonemize: Callable[[str, str], str]) -> None:
        self._british = british
        self._phonemize = phonemize
        self._origins = Origins.load()
        self.say = lru_cache(_KEPT)(self._say)
        """Return the phonemes of a name, and its language; None if it is English or unclear.

        Takes the name and those beside it.
        """

    def _say(self, name: str, neighbours: tuple[str, ...]) -> tuple[str, str] | None:
        language, english = self._origins.language(name)
        if neighbours:
            # A title or an English name beside it does not make a name English.
            shared, likewise = self._origins.language(name, neighbours)
            if likewise <= SURE:
                language, english = shared, likewise
        if english > SURE:
            return None
        said = pronounce(name, language, self._phonemize)
        if not said:
            return None
        if self._british:
            said = in_british(fold(name), said, foreign=True) or said
        return said, language


def pieces(name: str) -> list[str]:
    """Return the runs of up to four letters of a name, with its ends marked."""
    text = f"<{name.lower()[:_LONGEST]}>"
    return [text[at : at + size] for size in _SIZES for at in range(len(text) - size + 1)]


def pronounce(name: str, language: str, phonemize: Callable[[str, str], str]) -> str:
    """Return the American phonemes of a name.

    Args:
        name: a word.
        language: one of `VOICES`.
        phonemize: returns the phonemes of a text by a voice of espeak-ng.
    """
    own = _ACCENTED.get(language, "")
    text = "".join(one if one in own else fold(one) for one in name.lower())
    for pattern, letters in _RESPELLED.get(language, ()):
        text = pattern.sub(letters, text)
    ipa = _LONG_CONSONANT.sub(r"\1\1", phonemize(text, VOICES[language]))
    said = _NASAL.sub("", _UNSAID.sub("", ipa))
    for pattern, sound in (*_compiled(language), *_compiled("")):
        said = pattern.sub(sound, said)
    if language == "sh":
        return _stressed(said, 3)
    return _stressed(said, 2) if text.endswith("sky") else said


@cache
def _compiled(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the rules of a language, or those of all; most texts have names of a few."""
    rules = _NATIVE.get(language, ()) if language else _ALL
    return tuple((re.compile(old), new) for old, new in rules)


def _stressed(said: str, place: int) -> str:
    """Return the phonemes of a long name with its stress on a vowel, counted from the end.

    English speakers stress so `Ivanišević` and `Zelensky`.
    """
    plain = said.replace("ˌ", "").replace("ˈ", "")
    vowels = [match.start() for match in _STRESSABLE.finditer(plain)]
    if len(vowels) <= place:
        return said
    at = vowels[-place]
    return f"{plain[:at]}ˈ{plain[at:]}"
