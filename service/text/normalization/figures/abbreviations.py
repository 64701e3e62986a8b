"""Abbreviations, initials and acronyms."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.text.normalization.figures.notation import (
    LETTER_BEFORE,
    SPACE,
    STOP,
    WORD_AFTER,
    WORD_BEFORE,
    one_of,
    without_spaces,
)
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule
from service.text.normalization.typed import roman_value

_BEFORE = rf"{WORD_BEFORE}(?<!\.)"
_LAST_WORD = re.compile(r"([^\W\d_]+)\s\Z")
_REACH = 24
# Digits before an abbreviation will become separate words.
_BEFORE_NUMBER = LETTER_BEFORE
_INITIALS = re.compile(
    rf"[A-Z](?<![\w.][A-Z])(?:\.[A-Z])+(?:\.(?!{STOP})|\.(?={SPACE}[A-Z])|(?=\.))"
)
_ACIDITY = re.compile(r"(?<![\w.])pH(?![\w.])")
_VOWEL = re.compile("[AEIOUY]")
CAPITALS = re.compile(
    r"(?<![\w.&'’/-])[A-Z]{2,6}(?![\w&]|[./-]\w)|(?<=[a-zA-Z]['’])[A-Z]{2,6}(?![\w&]|[./-]\w)"
)
"""Words that may be acronyms."""
_ROAD = re.compile(
    rf"{WORD_BEFORE}[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz]{{2}}(?=-[0-9]{{2,3}}{WORD_AFTER})"
)
# Consonants that begin and end words of the four Romance languages, between vowels any two.
_SYLLABLES = re.compile(
    "(?:[BCDFGHJKLMNPRSTVZ]?|[BCDFGPTV]R|[BCFGP]L|S[CMPTNL]|QU|CH|PH|PS)"
    "[AEIOUY]{1,3}(?:[B-DF-HJ-NP-TV-Z]{1,3}[AEIOUY]{1,2}){0,3}"
    "(?:[BCDFGKLMNPRSTXZ]?|[NRLXC]T|[NRLPCTM]S|[LR][CMP]|ST|N[CKG]|L[ABF])"
)
_IN_FORMULA = (
    "es|est|igual|uguale|égale|al|ao|au|más|mais|più|plus|menos|meno|moins|por|per|vezes|fois|par"
    "|elevado|alla|puissance|entre|diviso|dividido|divisé|mayor|menor|maior|maggiore|minore|vale|vaut"
    "|supérieur|inférieur|sobre|sur|su"
)
"""What follows a variable."""
_WORD_BEFORE_IT = re.compile(r"([^\W\d_]{2,})\s(?:[^\W\d_]{1,4}['’])?\Z")
_WORD_AFTER_IT = re.compile(r"\s([^\W\d_]+)")
# The dot of an abbreviation, unless it also ends the sentence.
_DOT = rf"(?=\.{WORD_AFTER})(?:\.(?!{STOP}|\.)|(?=\.))"
# Names of Latin letters, as Devanagari spells acronyms: एम.ए.
_SYLLABLE = r"[\u0904-\u0939][\u0900-\u0963]{0,3}"
_DEVANAGARI_INITIALS = re.compile(rf"{WORD_BEFORE}{_SYLLABLE}(?:\.{_SYLLABLE})+{_DOT}")


def rules(locale: Locale) -> tuple[Rule, ...]:
    """Return the rules for abbreviations, initials and acronyms in any context."""
    letters = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", locale.letters, strict=True))

    known = {without_spaces(key).rstrip(".") for key in locale.abbreviations}

    def spell(match: re.Match[str]) -> str | None:
        if match[0].rstrip(".") in known:
            return None
        if locale.small_cardinals:  # no Latin script
            names = " ".join(letters[letter] for letter in match[0].upper() if letter.isalpha())
        else:
            names = " ".join(filter(str.isalpha, match[0].upper()))
        return names + _space_before_letter(match)

    def spell_unpronounceable(match: re.Match[str]) -> str | None:
        if match[0] in known or not _is_spelled(match, locale):
            return None
        return spell(match)

    def separate(match: re.Match[str]) -> str | None:
        if match[0].rstrip(".") in known:
            return None
        return match[0].replace(".", " ").strip()

    nobles = _nobles(locale)
    # An acronym without a vowel is no word in small letters either.
    small = {each.lower() for each in locale.spelled if len(each) > 2 and not _VOWEL.search(each)}
    spelled = locale.spelled | small | locale.spelled_small
    # Initials first, which separates the words that touch them.
    return (
        *nobles,
        Rule(_INITIALS, spell),
        Rule(_ACIDITY, spell),
        Rule(_DEVANAGARI_INITIALS, separate),
        *_titles(locale.titles),
        *_abbreviations(locale.abbreviations),
        Rule(re.compile(WORD_BEFORE + one_of(spelled) + WORD_AFTER), spell),
        *((Rule(CAPITALS, spell_unpronounceable),) if not locale.small_cardinals else ()),
    )


def _is_spelled(match: re.Match[str], locale: Locale) -> bool:
    """Tell whether capitals can only be read letter by letter."""
    word, text = match[0], match.string
    if word in locale.pronounced or roman_value(word) is not None:
        return False
    before = _WORD_BEFORE_IT.search(text, max(0, match.start() - _REACH), match.start())
    after = _WORD_AFTER_IT.match(text, match.end(), match.end() + _REACH)
    beside = [found[1] for found in (before, after) if found is not None]
    is_shouted = any(one.isupper() and len(one) > 2 and _VOWEL.search(one) for one in beside)
    if is_shouted:
        return len(word) > 2 and not _VOWEL.search(word)
    if len(word) == 2:
        return word.lower() not in locale.short_words
    n_vowels = len(_VOWEL.findall(word))
    if len(word) > 4 and 3 * n_vowels >= len(word):
        return False  # an acronym of so many letters is a word
    return not n_vowels or not _SYLLABLES.fullmatch(word)


def _nobles(locale: Locale) -> tuple[Rule, ...]:
    """Return the rule for `D.` before the name of a ruler."""
    if locale.noble_titles is None:
        return ()
    his, her = locale.noble_titles
    pattern = re.compile(
        rf"{_BEFORE}D\.(?={SPACE}(?P<name>{one_of(locale.regnal_names)}){WORD_AFTER})"
    )

    def write(match: re.Match[str]) -> str | None:
        # `Vitamina D. Pedro toma.`
        before = _LAST_WORD.search(match.string, max(0, match.start() - _REACH), match.start())
        if before is not None and before[1].lower() in locale.numbered:
            return None
        return her if locale.regnal_names[match["name"]] else his

    return (Rule(pattern, write),)


def _abbreviations(words: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rule for abbreviations whose dot may also end a sentence."""
    table = {without_spaces(key.rstrip(".")): said for key, said in _both_cases(words).items()}
    dotted = [key.rstrip(".") for key in _both_cases(words) if key.endswith(".")]
    bare = [key for key in _both_cases(words) if not key.endswith(".")]
    alternatives = [rf"(?P<dotted>{one_of(dotted)}){_DOT}"]
    alternatives.append(rf"(?P<bare>{one_of(bare)}){WORD_AFTER}")
    pattern = re.compile(f"{_BEFORE}(?:{'|'.join(alternatives)})")

    def write(match: re.Match[str]) -> str:
        return table[without_spaces(match[match.lastgroup or 0])]

    return (Rule(pattern, write),)


def rules_before_numbers(locale: Locale) -> tuple[Rule, ...]:
    """Return the rules for abbreviations before a figure."""
    words = locale.before_number
    table = {without_spaces(key): said for key, said in _both_cases(words).items()}
    pattern = re.compile(
        f"{_BEFORE_NUMBER}{one_of(_both_cases(words))}(?=:?{SPACE}?(?:[0-9+(]|[IVXLC]+{WORD_AFTER}))"
    )

    def write(match: re.Match[str]) -> str:
        said = table[without_spaces(match[0])]
        following = match.string[match.end()]
        return said + " " if following.isalnum() or following in "+(" else said

    return (Rule(pattern, write),)


def _titles(words: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rule for abbreviations before a name."""
    words = _any_case(words)
    table = {without_spaces(key): said for key, said in words.items()}
    long = [key for key in words if len(key) > 2 or not key.isascii()]
    short = [key for key in words if key not in long]
    alternatives = [rf"{one_of(long)}(?=\s{{1,3}}[^\W\d_])(?!\s{{1,3}}J\.)"]
    # One letter may be an initial or the end of a sentence. Only a name decides.
    alternatives += (
        [rf"{one_of(short)}(?=\s{{1,3}}(?:[A-ZÀ-ÖØ-Þ]|d[eu'’]|d[aeo]s?\s|et\s))"] if short else []
    )
    pattern = re.compile(f"{_BEFORE}(?:{'|'.join(alternatives)})")
    return (Rule(pattern, lambda match: table[without_spaces(match[0])]),)


_CLEAR = (
    *(
        "av.",
        "sr",
        "dr",
        "prof",
        "lic",
        "mme",
        "mlle",
        "mgr",
        "avd",
        "ctra",
        "gral",
        "sig",
        "dott",
        "avv",
    ),
    *(
        "arch.",
        "geom",
        "eng",
        "exm",
        "ilm",
        "pza",
        "plza",
        "p.z",
        "dña",
        "blv",
        "f.l",
        "gent.",
        "pça",
    ),
)
"""How titles begin that are no words in small letters."""


def _any_case(words: Mapping[str, str]) -> dict[str, str]:
    """Return the table with keys in small letters and in capitals added; case is not meaning."""
    long = {key: said for key, said in words.items() if len(key) > 2}
    small = {key.lower(): said for key, said in long.items() if key.lower().startswith(_CLEAR)}
    return {**{key.upper(): said for key, said in long.items()}, **small, **words}


def chat_rules(locale: Locale) -> tuple[Rule, ...]:
    """Return the rules for short forms of chat: one letter only between words."""
    words = locale.chat
    # After a century, an `x` is a Roman numeral.
    numbered = "".join(rf"(?<!{word}[ ])" for word in locale.centuries)
    short = [key for key in words if len(key) == 1]
    capitalised = {key.capitalize(): said for key, said in words.items() if len(key) > 1}
    kept = {key: said for key, said in capitalised.items() if key not in locale.titles}
    forms = {**words, **kept}
    long = one_of(key for key in forms if len(key) > 1)
    alone = re.compile(
        rf"(?<=[a-zà-ÿ,;.!?]{SPACE}){numbered}{one_of(short)}(?={SPACE}[a-zà-ÿ]{{2}})(?!{SPACE}(?:{_IN_FORMULA})\b)"
    )
    pattern = re.compile(rf"(?<![\w.@#/'’-])(?<![0-9]{SPACE}){long}(?![\w@/'’]|[.-]\w)")
    return (
        *((Rule(pattern, lambda match: forms[match[0]]),) if words else ()),
        *((Rule(alone, lambda match: forms[match[0]]),) if short else ()),
    )


def _both_cases(words: Mapping[str, str]) -> dict[str, str]:
    """Return the table with capitalized keys added for those too long to be initials."""
    capitalised = {
        key[0].upper() + key[1:]: said
        for key, said in words.items()
        if key[0].islower() and len(key) > 3 and key[1].islower()
    }
    small = {key.lower(): said for key, said in words.items() if len(key) > 5 and key[1].isupper()}
    return {**capitalised, **small, **words}


def road_rule() -> Rule:
    """Return the rule for the letters of a road: `br-101`."""
    return Rule(_ROAD, lambda match: " ".join(match[0].upper()))


def inner_dot_rule(locale: Locale) -> Rule:
    """Return the rule for abbreviations that look like addresses, which are read before: `P.za`."""
    words = _any_case(locale.titles) | dict(locale.abbreviations)
    table = {
        key: said for key, said in words.items() if re.fullmatch(r"[^\W\d_]{1,4}\.[a-z]{2,4}", key)
    }
    return Rule(re.compile(rf"{_BEFORE}{one_of(table)}(?=\s|\Z)"), lambda match: table[match[0]])


def ampersand_rule(locale: Locale) -> Rule:
    """Return the rule for `&`."""

    def write(match: re.Match[str]) -> str:
        text, start, end = match.string, *match.span()
        before = " " if start and not text[start - 1].isspace() else ""
        after = " " if end < len(text) and not text[end].isspace() else ""
        return before + locale.ampersand + after

    return Rule(re.compile("&"), write)


def _space_before_letter(match: re.Match[str]) -> str:
    return " " if match.string[match.end() : match.end() + 1].isalpha() else ""
