"""Roman numerals, next to words that make them certain."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import DASH, WORD_AFTER, one_of
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Agreement, Locale, RomanStyle, Suffix
from service.text.normalization.rules import Rule
from service.text.normalization.typed import roman_value

# A single letter is a numeral only if it is I, V or X.
_NUMERAL = r"(?P<numeral>[IVXLCDM](?<![\w'’.][IVXLCDM])(?:(?<=[IVX])|(?=[IVXLCDM]))[IVXLCDM]{0,14})"

# The word before, perhaps with another numeral that shares it: `siglos XV y XVI`.
_LOOK_BACK = 40
_WORD = re.compile(rf"([^\W\d_]+)\s(?:[IVXLC]+(?:\s?{DASH}\s?|\s[^\W\d_A-Z]{{1,3}}\s))?\Z")
_NEXT_WORD = re.compile(r"\s([^\W\d_]+)")
# The numeral of a king is not the initial of a surname.
_SURNAME_NEXT = re.compile(r"\.\s?[A-ZÀ-ÖØ-Þ]")


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for Roman numerals."""
    suffixes = one_of(locale.roman_suffixes)
    pattern = re.compile(
        f"{_NUMERAL}(?P<suffix>{suffixes})?"
        f"(?:{DASH}(?P<to>[IVXLC]{{1,9}})(?P<to_suffix>{suffixes})?)?{WORD_AFTER}"
    )

    def write(match: re.Match[str]) -> str | None:
        value = roman_value(match["numeral"])
        if value is None:
            return None
        if match["suffix"]:
            return _suffixed(match, value)
        if match["to_suffix"]:
            return None
        style, agreement = _style(locale, match)
        if style is None:
            return None
        words = _say(numerals, value, style, agreement)
        if match["to"] is None or words is None:
            return words
        to = roman_value(match["to"])
        last = None if to is None else _say(numerals, to, style, agreement)
        return None if last is None else f"{words} {locale.range_word} {last}"

    def _suffixed(match: re.Match[str], value: int) -> str | None:
        said = numerals.ordinal(value, locale.roman_suffixes[match["suffix"]])
        if match["to"] is None:
            return said
        to = roman_value(match["to"])
        if to is None or said is None:
            return None
        suffix = locale.roman_suffixes[match["to_suffix"] or match["suffix"]]
        return f"{said} {locale.range_word} {numerals.ordinal(to, suffix)}"

    words_before = "|".join(locale.centuries)
    small = re.compile(
        rf"(?P<before>\b(?i:{words_before})[ ])(?P<numeral>[ivxl]{{1,6}})(?![\w'’.-])"
    )

    def write_small(match: re.Match[str]) -> str | None:
        value = roman_value(match["numeral"].upper())
        style = locale.centuries.get(match["before"].strip().lower())
        if value is None or style is None:
            return None
        said = _say(numerals, value, style, Agreement.MASCULINE)
        return said and match["before"] + said

    # `xx secolo`, `xxe siècle`
    follows = one_of(locale.ordinal_follows)
    small_before = re.compile(
        rf"(?<![\w.,'’-])(?P<numeral>[ivxl]{{2,6}}|(?<=[ ])[vx])"
        rf"(?:{suffixes})?(?=[ ](?:{follows})\b)"
    )

    def write_before(match: re.Match[str]) -> str | None:
        value = roman_value(match["numeral"].upper())
        noun = _NEXT_WORD.match(match.string, match.end())
        if value is None or noun is None:
            return None
        return numerals.ordinal(value, Suffix(locale.ordinal_follows[noun[1].lower()]))

    return (
        Rule(pattern, write),
        *((Rule(small, write_small),) if words_before else ()),
        *((Rule(small_before, write_before),) if locale.ordinal_follows else ()),
    )


def _style(locale: Locale, match: re.Match[str]) -> tuple[RomanStyle | None, Agreement]:
    before = _WORD.search(match.string[max(0, match.start() - _LOOK_BACK) : match.start()])
    after = _NEXT_WORD.match(match.string, match.end())
    if after is not None and after[1].lower() in locale.ordinal_follows:
        return RomanStyle.ORDINAL, locale.ordinal_follows[after[1].lower()]
    if before is None:
        return None, Agreement.ALONE
    word = before[1]
    style = locale.centuries.get(word.lower()) or locale.divisions.get(word.lower())
    if style is not None:
        return style, Agreement.MASCULINE
    if word.isupper():
        word = word.capitalize()  # case is not meaning
    if word not in locale.regnal_names or _SURNAME_NEXT.match(match.string, match.end()):
        return None, Agreement.ALONE
    is_woman = locale.regnal_names[word]
    return locale.regnal_style, Agreement.FEMININE if is_woman else Agreement.MASCULINE


def _say(numerals: Numerals, value: int, style: RomanStyle, agreement: Agreement) -> str | None:
    is_ordinal = (
        style is RomanStyle.ORDINAL
        or (style is RomanStyle.ORDINAL_TO_TEN and value <= 10)
        or (style is RomanStyle.FIRST_ORDINAL and value == 1)
    )
    if is_ordinal:
        return numerals.ordinal(value, Suffix(agreement))
    return numerals.cardinal(value)
