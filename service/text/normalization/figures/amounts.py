"""Amounts: money, large numbers, units, percentages."""

from __future__ import annotations

import re

from service.text.normalization.figures.notation import (
    DASH,
    FIGURE_BEFORE,
    SPACE,
    WORD_AFTER,
    WORD_BEFORE,
    one_of,
    without_spaces,
)
from service.text.normalization.figures.numbers import Number, Numerals
from service.text.normalization.locale import Agreement, Currency, Locale, Magnitude, Noun
from service.text.normalization.rules import Rule

_VOWELS = "aeiouhéèêâôîyAEIOUHÉÈÊ"
# A dot after a symbol belongs to the symbol if the sentence continues.
_SYMBOL_DOT = r"(?:\.(?=\s{1,3}[a-zß-öø-ÿ]|[,;:]))?"
_SIGN = r"(?P<sign>[-+±~≈<>≤≥\u2010-\u2013\u2212])"
# Alternative spellings of unit symbols.
_SPELLINGS = {
    "m2": "m²",
    "m3": "m³",
    "km2": "km²",
    "cm2": "cm²",
    "cm3": "cm³",
    "M2": "m²",
    "M²": "m²",
    "MQ": "mq",
    "mt": "m",
    "Km": "km",
    "Km/h": "km/h",
    "KM/H": "km/h",
    "kmh": "km/h",
    "km/hr": "km/h",
    "Kg": "kg",
    "KG": "kg",
    "gr": "g",
    "L": "l",
    "mL": "ml",
    "hs": "h",
    "hrs": "h",
    "hr": "h",
    "mn": "min",
    "seg": "s",
    "sec": "s",
    "kB": "KB",
    "Mb/s": "Mbps",
    "Mbit/s": "Mbps",
    "Gb/s": "Gbps",
    "kb/s": "kbps",
    "kbit/s": "kbps",
    "Gbit/s": "Gbps",
    "ºC": "°C",
    "ºF": "°F",
    "°c": "°C",
    **{f"{sign} {letter}": f"°{letter.upper()}" for sign in "°º" for letter in "cCF"},
}
_GROUP = 3
_LONGEST_SEAT = 12
_CAPITALS_AFTER = re.compile(rf"{SPACE}[0-9A-Z]")
"""After a preposition in capitals: `DE 10 A 20`."""
_PARTICIPLE_AFTER = re.compile(
    rf"{SPACE}(?:[a-zà-ÿ]{{1,20}}(?:[aiu]d|[st]|ch)o(?!\w)|[0-9]|(?:un[ao']?|due|tre|più|sempre)\b)"
)
"""After a verb of Spanish and Italian: `el 1 ha ganado`."""
# `4K` is a resolution. So few thousands are not written that way.
_SEAT_BEFORE = re.compile(
    r"\b(?i:plaza|asiento|posto|place|siège|assento|poltrona|platz|sitz|porta?e?|puerta|gate|fila)\s\Z"
)
_RESOLUTIONS = frozenset({"2K", "4K", "5K", "8K"})


class Amounts:
    """Writes amounts as words."""

    def __init__(self, locale: Locale, numerals: Numerals) -> None:
        self._locale = locale
        self._numerals = numerals
        number = numerals.pattern
        self._quantity = (
            rf"(?:(?<![\w.,:/)%°²³€$]){_SIGN})?(?P<number>{number})"
            rf"(?:[%°€]?{SPACE}?{DASH}{SPACE}?(?P<high>{number}))?"
        )
        self._units = {**locale.units, "°": locale.degree, "º": locale.degree} | {
            without_spaces(spelling): locale.units[symbol]
            for spelling, symbol in _SPELLINGS.items()
            if symbol in locale.units
        }
        self.unit = one_of([*self._units, *(one for one in _SPELLINGS if " " in one)])
        """Pattern of a unit."""
        self._units |= {without_spaces(symbol): noun for symbol, noun in locale.units.items()}
        shouted = {key.upper(): said for key, said in locale.magnitudes.items() if len(key) > 3}
        magnitudes = {**shouted, **locale.magnitudes}
        self._magnitude_names = tuple(magnitudes)
        self._magnitudes = {without_spaces(key): said for key, said in magnitudes.items()}
        codes = {key.lower(): said for key, said in locale.currencies.items() if len(key) == 3}
        all_currencies = {
            **{key: codes[key] for key in codes if key.isalpha()},
            **locale.currencies,
        }
        self._currencies = {without_spaces(key): said for key, said in all_currencies.items()}
        self._currency = one_of(all_currencies)

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules for amounts."""
        locale = self._locale
        front = rf"{FIGURE_BEFORE}(?<![0-9]{DASH})"
        magnitude = f"(?P<magnitude>{one_of(self._magnitude_names)})"
        currency = f"(?P<currency>{self._currency})"
        # `5 €/kg`, and the Indian `500/-`.
        per = rf"(?:/(?:-|(?P<per>{one_of(self._units)}){WORD_AFTER}))?"
        short = one_of(key for key in locale.magnitudes if len(key) == 1)
        longer = one_of(key for key in self._magnitude_names if len(key) > 1)
        after_symbol = r"(?![\w²³'’]|[/·°]\w)"
        below = rf"/(?:(?P<many>100|24|12|48){SPACE}?)?(?P<below>{self.unit}){after_symbol}"
        return (
            # 5,4 l/100 km, 78/min, 150 M km
            Rule(
                re.compile(
                    rf"{front}{self._quantity}(?:{SPACE}?(?P<unit>{self.unit}){below}"
                    rf"|/(?P<rate>min|mn|h|s){after_symbol})"
                ),
                self._write_rate,
            ),
            Rule(
                re.compile(
                    rf"{front}{self._quantity}{SPACE}?{magnitude}(?:{SPACE}(?:de|di))?{SPACE}"
                    rf"(?P<unit>{self.unit}){after_symbol}"
                ),
                self._write_large_measure,
            ),
            Rule(
                re.compile(
                    rf"(?:(?<![\w.,)])(?P<minus>[-+\u2212]))?{WORD_BEFORE}{currency}{SPACE}?"
                    rf"{self._quantity}(?:{SPACE}?{magnitude}{WORD_AFTER}"
                    rf"(?!{SPACE}(?:{one_of(locale.currencies)})))?{per}"
                ),
                self._write_money,
            ),
            Rule(
                re.compile(
                    rf"{front}{self._quantity}(?:{SPACE}?{magnitude})?{SPACE}?{currency}{WORD_AFTER}{per}"
                ),
                self._write_money,
            ),
            Rule(
                re.compile(
                    rf"{front}{self._quantity}{SPACE}?(?P<percent>{one_of(locale.percent)})"
                ),
                self._write_percent,
            ),
            Rule(
                re.compile(
                    rf"{front}{self._quantity}{SPACE}?(?P<unit>{self.unit})"
                    rf"{after_symbol}{_SYMBOL_DOT}"
                ),
                self._write_unit,
            ),
            Rule(
                re.compile(
                    rf"{front}{self._quantity}(?P<magnitude>{short}|{SPACE}?{longer})"
                    rf"{after_symbol}{_SYMBOL_DOT}"
                ),
                self._write_magnitude,
            ),
        )

    def money(self, number: Number, currency: Currency, magnitude: Magnitude | None = None) -> str:
        """Return an amount of money in words."""
        numerals = self._numerals
        main, cent = currency
        if magnitude is None and len(number.fraction) == _GROUP and number.integer != "0":
            # No currency has thousandths, so the mark groups digits as in another country.
            number = Number(number.integer + number.fraction)
        if magnitude is not None:
            return self._large(number, magnitude, main)
        if self._locale.of and not number.fraction and number.integer[-6:] == "000000":
            of = self._locale.of_vowel if main.many[0] in _VOWELS else self._locale.of
            return f"{numerals.say(number, main.agreement)} {of}{main.many}"
        if len(number.fraction) != 2:
            return numerals.count(number, main)
        whole = numerals.count(Number(number.integer), main)
        cents = Number(str(int(number.fraction)))
        if cents.integer == "0":
            return whole
        part = numerals.count(cents, cent)
        if not number.integer.strip("0"):
            return part
        return self._locale.money.format(
            main=whole, cent=part, cents=numerals.say(cents, cent.agreement)
        )

    def _large(self, number: Number, magnitude: Magnitude, noun: Noun | None = None) -> str:
        """Return a number of thousands or millions of something in words."""
        numerals = self._numerals
        agreement = Agreement.ALONE if noun is None else noun.agreement
        multiplied = _multiplied(number, magnitude.factor)
        if multiplied is not None:
            words = numerals.say(multiplied, agreement)
        else:
            words = numerals.count(number, Noun(magnitude.one, magnitude.many))
        if noun is None:
            return words
        of = ""
        if magnitude.linked:
            of = self._locale.of_vowel if noun.many[0] in _VOWELS else self._locale.of
        return f"{words} {of}{noun.many}"

    def _magnitude(self, match: re.Match[str]) -> Magnitude | None:
        written = match["magnitude"]
        return None if written is None else self._magnitudes[without_spaces(written)]

    def _with_range(self, match: re.Match[str], agreement: Agreement, last: str) -> str:
        """Return the words for the range of the match that ends with `last`."""
        parts: list[str] = []
        sign = match.groupdict().get("minus") or match["sign"]
        if sign:
            parts.append(self._locale.signs.get(sign, self._locale.signs["-"]))
        if match["high"]:
            low = self._numerals.parse(match["number"])
            high = self._numerals.parse(match["high"])
            parts += [self._numerals.say(low, agreement), self._numerals.range_word(low, high)]
        return " ".join(filter(None, [*parts, last]))

    def _last(self, match: re.Match[str]) -> Number:
        return self._numerals.parse(match["high"] or match["number"])

    def _write_money(self, match: re.Match[str]) -> str:
        currency = self._currencies[without_spaces(match["currency"])]
        said = self.money(self._last(match), currency, self._magnitude(match))
        if match["per"]:
            said = f"{said} {self._locale.per} {self._units[without_spaces(match['per'])].one}"
        return self._with_range(match, currency.main.agreement, said)

    def _write_percent(self, match: re.Match[str]) -> str:
        said = self._numerals.say(self._last(match))
        words = f"{said} {self._locale.percent[match['percent']]}"
        # `5%off`
        gap = " " * match.string[match.end() : match.end() + 1].isalpha()
        return self._with_range(match, Agreement.ALONE, words) + gap

    def _write_unit(self, match: re.Match[str]) -> str | None:
        if match["unit"] == "A" and _CAPITALS_AFTER.match(match.string, match.end()):
            return None
        if match["unit"] == "A" and _SEAT_BEFORE.search(
            match.string, max(0, match.start() - _LONGEST_SEAT), match.start()
        ):
            return None
        if match["unit"] == "ha" and _PARTICIPLE_AFTER.match(match.string, match.end()):
            return None
        unit = self._units[without_spaces(match["unit"])]
        said = self._numerals.count(self._last(match), unit)
        return self._with_range(match, unit.agreement, said)

    def _write_rate(self, match: re.Match[str]) -> str | None:
        joint, last = self._locale.unit_per or self._locale.per, self._last(match)
        if match["rate"]:
            below = self._units.get(match["rate"])
            agreement, said = Agreement.ALONE, self._numerals.say(last)
        else:
            if without_spaces(f"{match['unit']}/{match['below']}") in self._units:
                return None  # it has a name
            unit, below = (self._units[without_spaces(match[name])] for name in ("unit", "below"))
            agreement, said = unit.agreement, self._numerals.count(last, unit)
        if below is None:
            return None
        many = match.groupdict().get("many")
        noun = self._numerals.count(Number(many), below) if many else below.one
        return self._with_range(match, agreement, f"{said} {joint} {noun}")

    def _write_large_measure(self, match: re.Match[str]) -> str | None:
        magnitude, unit = self._magnitude(match), self._units[without_spaces(match["unit"])]
        assert magnitude is not None
        return self._with_range(
            match, unit.agreement, self._large(self._last(match), magnitude, unit)
        )

    def _write_magnitude(self, match: re.Match[str]) -> str | None:
        if match[0] in _RESOLUTIONS:
            return None
        magnitude = self._magnitude(match)
        assert magnitude is not None
        said = self._large(self._last(match), magnitude)
        return self._with_range(match, Agreement.ALONE, said)


def _multiplied(number: Number, factor: int) -> Number | None:
    """Return the product, None if it is not a whole number."""
    places = len(str(factor)) - 1
    if factor == 0 or len(number.fraction) > places:
        return None
    return Number((number.integer + number.fraction.ljust(places, "0")).lstrip("0") or "0")
