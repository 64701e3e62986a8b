"""Pronounce single English words: from the lists, inflected, by context, or spelled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from service.text.languages.english import coinages, emphasis, numerals
from service.text.languages.english.british import in_british
from service.text.languages.english.emphasis import Strength
from service.text.languages.english.loanwords import Loanwords, fold
from service.text.languages.english.stems import ED, ENDINGS, ING, Ending, S
from service.text.languages.english.subwords import APOSTROPHES
from service.text.languages.english.tokens import Next, Token
from service.text.wordlist import WordList

_SYMBOLS = {"%": "percent", "&": "and", "+": "plus", "@": "at"}
_ADDRESS_SYMBOLS = {".": "dot", "/": "slash"}

_CLASSES = {"VB": "VERB", "NN": "NOUN", "RB": "ADV", "ADV": "ADV", "JJ": "ADJ", "ADJ": "ADJ"}
"""Names of parts of speech in the entries, by the first letters of their tags."""

_BRITISH_LETTERS = {"Z": "zˈɛd"}
"""Names of letters that the British lexicon has as Americans say them."""

_NAME_AT_MOST = 7
"""Longest name, in letters, that is not pronounced like the common word in lower case."""

_SHORTEST_STEM = 4
"""Letters of the shortest stem from the CMU dictionary: `alas` is no plural of `Ala`."""

_SHORTEST_OF_NAME = 5
"""Letters of each of two common words in a name, such as `Tattersfield`."""

_INITIALS = 2
"""Most letters between two dots of an initialism."""

_SOUNDED_ACCENT = re.compile("[ñÑ]|[éèêë]e?s?$", re.IGNORECASE)
"""Accents without which a name would be another."""

_ONE_APOSTROPHE = dict.fromkeys(map(ord, APOSTROPHES), "'")

_SUFFIXES = {"s": S, "'s": S, "ed": ED, "'d": ED, "ing": ING}
"""Suffixes of figures."""

_UNSTRESSED_IN_NUMERALS = ("O", "point")
_NUMERAL = ("", Next(vowel=False))
"""Tag and context of the words of a numeral."""


class Dictionary:
    """Pronounces words and signs, one at a time. Safe to share between threads.

    Args:
        british: whether to pronounce British or American English.
        with_cmu: whether to know the words in data/cmudict.tsv.gz, whose script asks without.
    """

    def __init__(self, *, british: bool, with_cmu: bool = True) -> None:
        country = "gb" if british else "us"
        self._british = british
        self._gold = WordList.load(f"{country}_gold")
        self._silver = WordList.load(f"{country}_silver")
        self._cmu = WordList.load("cmudict") if with_cmu else WordList(b"")
        self._loanwords = Loanwords(british=british)
        self._letters = _BRITISH_LETTERS if british else {}

    def has(self, word: str) -> bool:
        """Tell whether a lexicon has the word in this spelling."""
        return word in self._loanwords or word in self._gold or word in self._silver

    def _of_cmu(self, word: str) -> str | None:
        """Return what the CMU Pronouncing Dictionary has for a word, in this variety.

        It tells nothing of capitals: `DeSantis` is in it, and shorter words in capitals, which may
        be initialisms, are not asked for.
        """
        if word == word.upper() and len(word) <= _NAME_AT_MOST:
            return None
        entry = self._cmu.get(word.lower())
        if not isinstance(entry, str):
            return None
        return in_british(word, entry) if self._british else entry

    def attach(self, phonemes: str | None, ending: Ending) -> str | None:
        """Return the phonemes of a word with an ending, None if there is no rule for it."""
        return ending.attach(phonemes, self._british) if phonemes else None

    def pronounce(self, token: Token, following: Next, *, opens: bool) -> str | None:
        """Return the phonemes of a word or a sign; None if no list and no rule has it.

        Args:
            token: the word or sign.
            following: what comes next.
            opens: whether it starts a word of several parts.
        """
        word = _plain(token.text)
        said = self._word(word, token.tag, following)
        return self._numeral(word, opens=opens) if said is None else said

    def source(self, token: Token) -> str:
        """Return where `pronounce` finds a word: a list or a rule; empty if it does not.

        `lexicon`, `loanwords` and `cmudict` are lists, `inflection` is a word of these with an
        ending.
        """
        word = _plain(token.text)
        small = [word] if word == word.lower() else [word, word.lower()]
        for spelling in (one for form in small for one in _spellings(form)):
            if spelling in self._loanwords:
                return "loanwords"
            if spelling in self._gold or spelling in self._silver:
                return "lexicon"
        if any(self._inflected(form, token.tag, Next()) is not None for form in small):
            return "inflection"
        if any(map(self._is_in_cmu, _spellings(word))):
            return "cmudict"
        if self._inflected(word, token.tag, Next(), of_cmu=True):
            return "inflection"
        return "spelling" if self._is_known(word) or _is_initialism(word) else ""

    def coined(self, text: str) -> str | None:
        """Return the phonemes of a word made of known ones, None of others.

        With a capital it may be a name of another language, unless the parts are long.
        """
        word = _plain(text)
        small = word.lower()
        least = 0 if word == small else _SHORTEST_OF_NAME
        if not (small.isascii() and small.isalpha()) or word[1:] != small[1:]:
            return None
        for ending in (None, *ENDINGS):
            # `fatshaming` is no sham.
            stems = [small] if ending is None else sorted(ending.stems(small), reverse=True)
            for stem in stems:
                said = self._coined_stem(stem, least)
                if said is not None:
                    return said if ending is None else self.attach(said, ending)
        return None

    def _coined_stem(self, word: str, least: int) -> str | None:
        said = None if least else coinages.suffixed(word, self._common, british=self._british)
        if said is not None:
            return said
        for first, second in coinages.halves(word):
            opening, closing = self._common(first), self._common(second)
            is_short = min(len(first), len(second)) < least
            if is_short or opening is None or closing is None or self._is_plural(first):
                continue
            links = self._british and first.endswith(("r", "re")) and second[0] in "aeiou"
            return None if links else coinages.joined(first, opening, closing)
        return None

    def _common(self, word: str) -> str | None:
        """Return the phonemes of a stressed word that the gold list has in small letters."""
        entry = self._gold.exact(word)
        if isinstance(entry, dict):
            entry = entry["DEFAULT"]
        return entry if entry is None or emphasis.PRIMARY in entry else None

    def _is_plural(self, word: str) -> bool:
        return any(self._common(stem) is not None for stem in S.stems(word))

    def _word(self, word: str, tag: str, following: Next) -> str | None:
        said = self._sign(word, tag, following)
        if said is None:
            said = self._in_context(word, tag, following)
        if said is not None:
            return said
        least = _least_strength(word)
        if self._is_common(word, tag, following):
            word = word.lower()
        for of_cmu, knows in ((False, self._is_known), (True, self._is_in_cmu)):
            known = next(filter(knows, _spellings(word)), None)
            if known is not None:
                return self._look_up(known, tag, following, least)
            inflected = self._inflected(word, tag, following, least, of_cmu=of_cmu)
            if inflected is not None:
                return inflected
        return None

    def _sign(self, word: str, tag: str, following: Next) -> str | None:
        """Return the phonemes of a sign that stands for a word, or of letters with dots."""
        if tag == "ADD" and word in _ADDRESS_SYMBOLS:
            said = self._look_up(_ADDRESS_SYMBOLS[word], "", following)
            return emphasis.weaken(said) if said else None
        if word in _SYMBOLS:
            return self._look_up(_SYMBOLS[word], "", following)
        if word[-1:] == "'" and word[:-1] in _SYMBOLS:
            return ""  # as in the official front end
        if _is_initialism(word):
            return self._spell(word)
        return None

    def _in_context(self, word: str, tag: str, following: Next) -> str | None:
        """Return the phonemes of a word with strong and weak forms, None for other words.

        In capitals such a word may be an abbreviation. Its tag decides.
        """
        small = word.lower()
        if small in ("vs", "vs.") and tag == "IN":
            return self._look_up("versus", "", following)
        if word not in (small, small.capitalize(), small.upper()):
            return None
        is_noun = tag.startswith("NN")
        match small:
            case "a":
                return "ɐ" if tag == "DT" else "ˈA"
            case "am" if is_noun:
                return self._spell(word)
            case "am":
                is_weak = word == "am" and following.vowel is not None
                return "ɐm" if is_weak else self._look_up("am", "", following)
            case "an":
                return self._spell(word) if word == "AN" and is_noun else "ɐn"
            case "by" if _class_of(tag) == "ADV":
                return "bˈI"
            case "i" if word == "I" and tag == "PRP":
                return "ˌI"
            case "in" if word != "IN" or tag != "NNP":
                return "ɪn" if tag == "IN" and following.vowel is not None else "ˈɪn"
            case "the" if word != "THE" or tag == "DT":
                return "ði" if following.vowel else "ðə"
            case "to" if word != "TO" or tag in ("TO", "IN"):
                if following.vowel is None:
                    return self._look_up("to", "", following)
                return "tʊ" if following.vowel else "tə"
            case "used":
                is_habit = tag in ("VBD", "JJ") and following.to
                return self._look_up("used", "VBD" if is_habit else "", following)
        return None

    def _is_common(self, word: str, tag: str, following: Next) -> bool:
        """Tell whether the capitals of a word come only from a sentence start or from shouting."""
        small = word.lower()
        if len(word) < 2 or word == small or not word.replace("'", "").isalpha():
            return False
        if (tag == "NNP" and len(word) <= _NAME_AT_MOST) or self.has(word):
            return False
        if word != word.upper() and word[1:] != small[1:]:
            return False
        return self.has(small) or self._inflected(small, tag, following) is not None

    def _is_known(self, word: str) -> bool:
        """Tell whether `_look_up` has an answer: for words in the lists and letters to spell."""
        if self.has(word):
            return True
        return word.isascii() and word.isalpha() and word[1:] == word[1:].upper()

    def _is_in_cmu(self, word: str) -> bool:
        return self._of_cmu(word) is not None

    def _is_stem_in_cmu(self, word: str) -> bool:
        return len(word) >= _SHORTEST_STEM and self._is_in_cmu(word)

    def _look_up(
        self, word: str, tag: str, following: Next, least: Strength = Strength.UNSTRESSED
    ) -> str | None:
        loanword = self._loanwords.get(word)
        if loanword is not None:
            return emphasis.strengthen(loanword, least)
        if word.upper() in self._letters:
            return emphasis.strengthen(self._letters[word.upper()], least)
        is_name, written = False, word
        if word == word.upper() and word not in self._gold:
            word = word.lower()
            is_name = tag == "NNP"
        entry = self._gold.get(word)
        if entry is None and not is_name:
            entry = self._silver.get(word)
        if entry is None:
            entry = self._of_cmu(written)
        if isinstance(entry, dict):
            before_pause = following.vowel is None and "None" in entry
            use = "None" if before_pause else tag if tag in entry else _class_of(tag)
            entry = entry.get(use, entry["DEFAULT"])
        if entry is None or (is_name and emphasis.PRIMARY not in entry):
            spelled = self._spell(word)
            if spelled is not None:
                return spelled
        return None if entry is None else emphasis.strengthen(entry, least)

    def _spell(self, word: str) -> str | None:
        """Return the names of letters, the last one stressed most; None for unknown letters."""
        names: list[str] = []
        for letter in filter(str.isalpha, word):
            name = self._letters.get(letter.upper()) or self._gold.get(letter.upper())
            if not isinstance(name, str):
                return None
            names.append(name)
        joined = emphasis.strengthen(emphasis.weaken("".join(names)), Strength.SECONDARY)
        return emphasis.PRIMARY.join(joined.rsplit(emphasis.SECONDARY, 1))

    def _inflected(
        self,
        word: str,
        tag: str,
        following: Next,
        least: Strength = Strength.UNSTRESSED,
        *,
        of_cmu: bool = False,
    ) -> str | None:
        # Most words of the CMU dictionary are names, of which no verbs are made.
        knows = self._is_stem_in_cmu if of_cmu else self._is_known
        for ending in (S,) if of_cmu else ENDINGS:
            stem = next(filter(knows, ending.stems(word)), None)
            if stem is not None:
                strength = max(least, Strength.SECONDARY) if ending.stressed else least
                said = self.attach(self._look_up(stem, tag, following, strength), ending)
                if said is not None:
                    return said
        return None

    def _numeral(self, text: str, *, opens: bool) -> str | None:
        numeral = numerals.parse(text, opens=opens)
        if numeral is None:
            return None
        said = [self._look_up(word, *_NUMERAL) or "" for word in numeral.words]
        for index, word in enumerate(numeral.words):
            if word in _UNSTRESSED_IN_NUMERALS:
                said[index] = emphasis.remove(said[index])
        phonemes = " ".join(said)
        ending = _SUFFIXES.get(numeral.suffix)
        return self.attach(phonemes, ending) if ending else phonemes


def _plain(text: str) -> str:
    """Return a word with apostrophes, digits and compatibility characters in one spelling."""
    text = unicodedata.normalize("NFKC", text.translate(_ONE_APOSTROPHE))
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text)


def _least_strength(word: str) -> Strength:
    """Return the least stress of a word, given its capitals."""
    if word == word.lower():
        return Strength.UNSTRESSED
    return Strength.PRIMARY if word == word.upper() else Strength.SECONDARY


def _spellings(word: str) -> Iterator[str]:
    """Yield a word as written, and as a list may have it: `boss'` as `boss's`, `an'` as `an`.

    A name like `Málaga` is also `Malaga`; accents that change the sound stay: `Peña`, `rosé`.
    """
    yield word
    if not word.isascii() and word[:1].isupper() and _SOUNDED_ACCENT.search(word) is None:
        yield fold(word)
    if word.endswith("s'"):
        yield f"{word[:-2]}'s"
    if word.endswith("'"):
        yield word[:-1]


def _is_initialism(word: str) -> bool:
    """Tell whether a word is an initialism such as `U.S.` or `Ph.D.`."""
    parts = word.split(".")
    has_points = "." in word.strip(".")
    return has_points and "".join(parts).isalpha() and max(map(len, parts)) <= _INITIALS


def _class_of(tag: str) -> str:
    """Return the name that entries have for a part of speech."""
    return next((name for start, name in _CLASSES.items() if tag.startswith(start)), tag)
