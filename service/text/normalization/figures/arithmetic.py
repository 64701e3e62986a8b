"""Sums, comparisons, fractions, powers and ranges."""

from __future__ import annotations

import re
import unicodedata

from service.text.normalization.figures.notation import (
    DASH,
    FIGURE_AFTER,
    FIGURE_BEFORE,
    SPACE,
    one_of,
    without_spaces,
)
from service.text.normalization.figures.numbers import Number, Numerals
from service.text.normalization.locale import Agreement, Locale, Noun
from service.text.normalization.rules import Rule

_MINUS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_MOST_TERMS = 12
_FRACTIONS = re.compile(r"(?=[^/]*[0-9]/[0-9])[0-9]+(?:/[0-9]+)?(?: [-+×·=] [0-9]+(?:/[0-9]+)?)+\Z")
_ROUND_THE_CLOCK = re.compile("24[x/] ?7")
_NOUN = re.compile(rf"{SPACE}([^\W\d_]{{3,30}})")
_LONGEST_SCORE_WORD = 24
_VULGAR = "\u00bc-\u00be\u2150-\u215e"


def _unit(locale: Locale, written: str) -> Noun | None:
    """Return the unit of a symbol, whose spaces may be missing."""
    return locale.units.get(written) or locale.units.get(without_spaces(written))


class Arithmetic:
    """Writes signs between numbers as words."""

    def __init__(self, locale: Locale, numerals: Numerals) -> None:
        self._locale = locale
        self._numerals = numerals
        # One character each.
        self._operator = f"[{re.escape(''.join(locale.operators))}\u2010-\u2013\u2212]"
        self._term = re.compile(f"({numerals.pattern})|(\\S)")

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules for numbers with signs between them."""
        locale, number = self._locale, self._numerals.pattern
        sum_ = re.compile(
            rf"(?<![\w.,:/)])[-\u2212]?{number}"
            rf"(?:{SPACE}?{self._operator}{SPACE}?[-\u2212]?{number}){{1,{_MOST_TERMS}}}(?!\w|[/:]\w)"
        )
        fraction = re.compile(
            rf"{FIGURE_BEFORE}(?:(?P<whole>[0-9]{{1,3}}){SPACE})?"
            rf"(?P<numerator>[0-9]{{1,4}})/(?P<denominator>[1-9][0-9]{{0,3}}){FIGURE_AFTER}"
            rf"(?:{SPACE}(?P<unit>{one_of(locale.units)})(?![\w²³/°]|['’]\w))?"
        )
        vulgar = re.compile(
            rf"(?:(?<![\w.,])(?P<whole>[0-9]{{1,6}}){SPACE}?)?"
            rf"(?P<part>[{_VULGAR}])"
        )
        power = re.compile(
            rf"{FIGURE_BEFORE}(?P<number>{number})(?P<power>{one_of(locale.powers)})(?!\w)"
        )
        range_ = re.compile(
            rf"(?<![\w.,:/-])(?P<low>{number})(?P<dash>{SPACE}?{DASH}{SPACE}?)(?P<high>{number})"
            rf"(?![\w-]|[.,:/][0-9])(?={SPACE}?(?P<noun>[^\W\d_]{{1,30}})?)"
        )
        return (
            Rule(sum_, self._write_sum),
            Rule(fraction, self._write_fraction),
            Rule(vulgar, self._write_vulgar),
            Rule(power, self._write_power),
            Rule(range_, self._write_range),
        )

    def _write_sum(self, match: re.Match[str]) -> str | None:
        if _ROUND_THE_CLOCK.fullmatch(match[0]):
            return self._round_the_clock()
        text = match[0].translate(_MINUS)
        if _FRACTIONS.search(text):
            return " ".join(map(self._part_of_sum, text.split()))
        terms = self._term.findall(text)
        operators = {operator for _, operator in terms if operator}
        # A single hyphen is a range, and a single slash a fraction.
        if operators <= {"-"} or operators <= {"/"}:
            return None
        words: list[str] = []
        follows_number = False
        for written, operator in terms:
            if written:
                words.append(self._numerals.say(self._numerals.parse(written)))
            else:
                table = self._locale.operators if follows_number else self._locale.signs
                words.append(table[operator])
            follows_number = bool(written)
        return " ".join(words)

    def _part_of_sum(self, part: str) -> str:
        """Return a number, a fraction or a sign between spaces in words."""
        if part in self._locale.operators:
            return self._locale.operators[part]
        top, _, bottom = part.partition("/")
        if bottom:
            return self._fraction(top, bottom)
        return self._numerals.say(self._numerals.parse(part))

    def _write_fraction(self, match: re.Match[str]) -> str | None:
        if _ROUND_THE_CLOCK.fullmatch(match[0]):
            return self._round_the_clock()
        numerator, denominator = match["numerator"], match["denominator"]
        is_proper = int(numerator) < int(denominator)
        if numerator[0] == "0" or (match["whole"] and not is_proper):
            return None
        if self._is_mark(match):
            return self._locale.over.format(
                top=self._numerals.whole(numerator), bottom=self._numerals.whole(denominator)
            )
        unit = None if match["unit"] is None else _unit(self._locale, match["unit"])
        if unit is None:
            return self._halved(match, numerator, denominator)
        return self._measured(match["whole"], numerator, denominator, unit)

    def _measured(self, whole: str | None, numerator: str, denominator: str, unit: Noun) -> str:
        """Return a fraction of a unit: three quarters of a litre, one and a half litres."""
        is_half = (numerator, denominator) == ("1", "2")
        if whole is None:
            if is_half:
                is_feminine = unit.agreement is Agreement.FEMININE and self._locale.half
                half = self._locale.half if is_feminine else self._fraction("1", "2")
                return f"{half} {unit.one}"
            of = self._locale.of_vowel if unit.one[0] in "aeiouh" else self._locale.of
            return f"{self._fraction(numerator, denominator)} {of}{unit.one}"
        if is_half and self._locale.and_a_half:
            return f"{self._and_a_half(whole)} {unit.many}"
        agreement = unit.agreement
        part = self._fraction(numerator, denominator)
        if is_half and agreement is Agreement.FEMININE and self._locale.half:
            part = self._locale.half
        is_one = whole == "1" and self._locale.one_below_two
        return f"{self._mixed(whole, part, agreement)} {unit.one if is_one else unit.many}"

    def _is_mark(self, match: re.Match[str]) -> bool:
        """Tell whether a fraction is what something has got of ten, twenty or a hundred points."""
        if not self._locale.marks or match["denominator"] not in ("10", "20", "100"):
            return False
        before = match.string[max(0, match.start() - _LONGEST_SCORE_WORD) : match.start()]
        return re.search(rf"\b(?i:{self._locale.marks})\b[^.!?\n]*\Z", before) is not None

    def _halved(self, match: re.Match[str], numerator: str, denominator: str) -> str:
        """Return a mixed fraction; a half agrees with a feminine noun after it."""
        if match["whole"] and self._locale.and_a_half and (numerator, denominator) == ("1", "2"):
            return self._and_a_half(match["whole"])
        noun = _NOUN.match(match.string, match.end())
        if noun is not None and self._locale.half and (numerator, denominator) == ("1", "2"):
            agreement = self._numerals.agreement(noun[1], is_one=match["whole"] is None)
            if agreement is Agreement.FEMININE:
                return self._mixed(match["whole"], self._locale.half, agreement)
        return self._mixed(match["whole"], self._fraction(numerator, denominator))

    def half_rules(self) -> tuple[Rule, ...]:
        """Return the rule for `2.5` before what is counted in halves; it comes before amounts."""
        if not self._locale.halved:
            return ()
        money = one_of(self._locale.currencies)
        pattern = re.compile(
            rf"(?<![$€£¥₹.])(?<![$€£¥₹.]{SPACE}){FIGURE_BEFORE}(?P<whole>[0-9]{{1,3}})\.5"
            rf"(?={SPACE}?{one_of(self._locale.halved)}(?![\w\u0900-\u0963])(?!{SPACE}?{money}))"
        )
        return (Rule(pattern, lambda match: self._and_a_half(match["whole"])),)

    def _and_a_half(self, whole: str) -> str:
        said = self._locale.halves.get(int(whole))
        return said or self._locale.and_a_half.format(whole=self._numerals.whole(whole))

    def _round_the_clock(self) -> str:
        return f"{self._numerals.cardinal(24)} {self._numerals.cardinal(7)}"

    def _write_vulgar(self, match: re.Match[str]) -> str:
        # NFKC puts U+2044 between the digits of such a character.
        numerator, _, denominator = unicodedata.normalize("NFKC", match["part"]).partition("\u2044")
        return self._halved(match, numerator, denominator)

    def _fraction(self, numerator: str, denominator: str) -> str:
        special = self._locale.fractions.get(f"{numerator}/{denominator}")
        if special is not None:
            return special
        noun = self._locale.denominators.get(int(denominator))
        if noun is not None and int(numerator) < int(denominator):
            return self._numerals.count(Number(numerator), noun)
        top, bottom = self._numerals.whole(numerator), self._numerals.whole(denominator)
        return self._locale.over.format(top=top, bottom=bottom)

    def _mixed(self, whole: str | None, part: str, agreement: Agreement = Agreement.ALONE) -> str:
        if whole is None:
            return part
        return self._locale.mixed.format(whole=self._numerals.whole(whole, agreement), part=part)

    def _write_power(self, match: re.Match[str]) -> str:
        number = self._numerals.parse(match["number"])
        return f"{self._numerals.say(number)} {self._locale.powers[match['power']]}"

    def _is_score(self, match: re.Match[str]) -> bool:
        """Tell whether the numbers are a score, which has no word between them."""
        if self._locale.score_words is None:
            return False
        before, after = self._locale.score_words
        start = max(0, match.start() - _LONGEST_SCORE_WORD)
        following = match.string[match.end() : match.end() + _LONGEST_SCORE_WORD]
        return (
            re.search(rf"(?:{before}){SPACE}\Z", match.string[start : match.start()]) is not None
            or re.match(rf"{SPACE}(?:{after})", following) is not None
        )

    def _write_range(self, match: re.Match[str]) -> str | None:
        low, high = self._numerals.parse(match["low"]), self._numerals.parse(match["high"])
        agreement = Agreement.ALONE
        if match["noun"]:
            agreement = self._numerals.agreement(match["noun"], is_one=False)
        if self._is_score(match):
            return f"{self._numerals.say(low)} {self._numerals.say(high)}"
        said = self._numerals.say(low, agreement), self._numerals.say(high, agreement)
        joint = self._numerals.range_word(low, high)
        return f" {joint} ".join(said) if joint else " ".join(said)
