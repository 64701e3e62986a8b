"""Units of measurement after numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from service.text.normalization.english import fractions
from service.text.normalization.english.notation import (
    FIRST_DIGIT,
    NUMBER,
    describes,
    text_after,
    word_after,
    word_before,
    word_set,
)
from service.text.normalization.english.numbers import Numbers
from service.text.normalization.rules import Rule


class Unit(NamedTuple):
    """Names of a unit."""

    one: str
    many: str


def _regular(name: str) -> Unit:
    return Unit(name, name + "s")


def _same(name: str) -> Unit:
    return Unit(name, name)


_INCH = Unit("inch", "inches")
_METRIC = {
    "mm": "millimeter",
    "cm": "centimeter",
    "dm": "decimeter",
    "m": "meter",
    "km": "kilometer",
    "µm": "micrometer",
    "μm": "micrometer",
    "nm": "nanometer",
    "ml": "milliliter",
    "mL": "milliliter",
    "cl": "centiliter",
    "dl": "deciliter",
    "l": "liter",
    "L": "liter",
}

_UNITS: dict[str, Unit] = {
    **{symbol: _regular(name) for symbol, name in _METRIC.items()},
    "in.": _INCH,
    "ft": Unit("foot", "feet"),
    "ft.": Unit("foot", "feet"),
    "yd": _regular("yard"),
    "yds": _regular("yard"),
    "mi": _regular("mile"),
    "mi.": _regular("mile"),
    "mpg": Unit("mile per gallon", "miles per gallon"),
    "ac": _regular("acre"),
    "mg": _regular("milligram"),
    "µg": _regular("microgram"),
    "μg": _regular("microgram"),
    "mcg": _regular("microgram"),
    "g": _regular("gram"),
    "kg": _regular("kilogram"),
    "kgs": _regular("kilogram"),
    "Kg": _regular("kilogram"),
    "KG": _regular("kilogram"),
    "lb": _regular("pound"),
    "lb.": _regular("pound"),
    "lbs": _regular("pound"),
    "lbs.": _regular("pound"),
    "oz": _regular("ounce"),
    "oz.": _regular("ounce"),
    "gal": _regular("gallon"),
    "gal.": _regular("gallon"),
    "qt": _regular("quart"),
    "qt.": _regular("quart"),
    "tsp": _regular("teaspoon"),
    "tsp.": _regular("teaspoon"),
    "tbsp": _regular("tablespoon"),
    "tbsp.": _regular("tablespoon"),
    "Tbsp": _regular("tablespoon"),
    "fl oz": _regular("fluid ounce"),
    "fl. oz.": _regular("fluid ounce"),
    "ns": _regular("nanosecond"),
    "µs": _regular("microsecond"),
    "μs": _regular("microsecond"),
    "ms": _regular("millisecond"),
    "s": _regular("second"),
    "sec": _regular("second"),
    "secs": _regular("second"),
    "sec.": _regular("second"),
    "min": _regular("minute"),
    "mins": _regular("minute"),
    "min.": _regular("minute"),
    "h": _regular("hour"),
    "hr": _regular("hour"),
    "hrs": _regular("hour"),
    "hr.": _regular("hour"),
    "hrs.": _regular("hour"),
    "wk": _regular("week"),
    "wks": _regular("week"),
    "wks.": _regular("week"),
    "mo.": _regular("month"),
    "mos.": _regular("month"),
    "yr": _regular("year"),
    "yrs": _regular("year"),
    "yr.": _regular("year"),
    "yrs.": _regular("year"),
    "bit": _regular("bit"),
    "kB": _regular("kilobyte"),
    "KB": _regular("kilobyte"),
    "MB": _regular("megabyte"),
    "GB": _regular("gigabyte"),
    "TB": _regular("terabyte"),
    "PB": _regular("petabyte"),
    "KiB": _regular("kibibyte"),
    "MiB": _regular("mebibyte"),
    "GiB": _regular("gibibyte"),
    "kb": _regular("kilobit"),
    "Kb": _regular("kilobit"),
    "Mb": _regular("megabit"),
    "Gb": _regular("gigabit"),
    "kbit": _regular("kilobit"),
    "Mbit": _regular("megabit"),
    "Gbit": _regular("gigabit"),
    "mmHg": Unit("millimeter of mercury", "millimeters of mercury"),
    "kbps": Unit("kilobit per second", "kilobits per second"),
    "Kbps": Unit("kilobit per second", "kilobits per second"),
    "Mbps": Unit("megabit per second", "megabits per second"),
    "Gbps": Unit("gigabit per second", "gigabits per second"),
    "Hz": _same("hertz"),
    "kHz": _same("kilohertz"),
    "KHz": _same("kilohertz"),
    "MHz": _same("megahertz"),
    "GHz": _same("gigahertz"),
    "THz": _same("terahertz"),
    "V": _regular("volt"),
    "mV": _regular("millivolt"),
    "kV": _regular("kilovolt"),
    "mA": _regular("milliamp"),
    "mAh": Unit("milliamp hour", "milliamp hours"),
    "Ah": Unit("amp hour", "amp hours"),
    "W": _regular("watt"),
    "mW": _regular("milliwatt"),
    "kW": _regular("kilowatt"),
    "MW": _regular("megawatt"),
    "GW": _regular("gigawatt"),
    "Wh": Unit("watt hour", "watt hours"),
    "kWh": Unit("kilowatt hour", "kilowatt hours"),
    "MWh": Unit("megawatt hour", "megawatt hours"),
    "GWh": Unit("gigawatt hour", "gigawatt hours"),
    "Ω": _regular("ohm"),
    "kΩ": _regular("kilohm"),
    "MΩ": _regular("megohm"),
    "kJ": _regular("kilojoule"),
    "MJ": _regular("megajoule"),
    "cal": _regular("calorie"),
    "kcal": _regular("kilocalorie"),
    "Pa": _regular("pascal"),
    "hPa": _regular("hectopascal"),
    "kPa": _regular("kilopascal"),
    "MPa": _regular("megapascal"),
    "psi": _same("P S I"),
    "mbar": _regular("millibar"),
    "kN": _regular("kilonewton"),
    "hp": _same("horsepower"),
    "dB": _regular("decibel"),
    "lm": _regular("lumen"),
    "mol": _regular("mole"),
    "rpm": _same("R P M"),
    "RPM": _same("R P M"),
    "bpm": Unit("beat per minute", "beats per minute"),
    "BPM": Unit("beat per minute", "beats per minute"),
    "fps": Unit("frame per second", "frames per second"),
    "dpi": _same("D P I"),
    "ppi": _same("P P I"),
    "px": _regular("pixel"),
    "pt": _regular("point"),
    "MP": _regular("megapixel"),
    "mph": Unit("mile per hour", "miles per hour"),
    "MPH": Unit("mile per hour", "miles per hour"),
    "kph": Unit("kilometer per hour", "kilometers per hour"),
    "kmh": Unit("kilometer per hour", "kilometers per hour"),
    "ha": _regular("hectare"),
    "ppm": Unit("part per million", "parts per million"),
    "ppb": Unit("part per billion", "parts per billion"),
    "sq ft": Unit("square foot", "square feet"),
    "sq. ft.": Unit("square foot", "square feet"),
    "sq mi": Unit("square mile", "square miles"),
    "sq m": Unit("square meter", "square meters"),
    "sq km": Unit("square kilometer", "square kilometers"),
    "°C": Unit("degree Celsius", "degrees Celsius"),
    "°F": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "° C": Unit("degree Celsius", "degrees Celsius"),
    "° F": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "ºC": Unit("degree Celsius", "degrees Celsius"),
    "ºF": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "°": _regular("degree"),
    "%": _same("percent"),
    "‰": _same("per thousand"),
    "bn": _same("billion"),
    "mn": _same("million"),
    "tn": _same("trillion"),
    "M": _same("million"),
}

# One letter after a space is more often a word, a name or a sign than a unit.
_TIGHT_ONLY = word_set("s h M W bit")
# What is counted in millions by `5m`, as newspapers have it.
_IN_MILLIONS = word_set(
    "people users views downloads subscribers followers copies homes jobs viewers visitors "
    "customers members streams"
)
_SQUARED = {"²": "square", "2": "square", "³": "cubic", "3": "cubic"}
_DIMENSIONAL = word_set("mm cm dm m km in ft mi yd")
_PER = {
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "hour": "hour",
    "d": "day",
    "day": "day",
    "wk": "week",
    "week": "week",
    "mo": "month",
    "month": "month",
    "yr": "year",
    "year": "year",
    "person": "person",
    "km": "kilometer",
    "kg": "kilogram",
    "lb": "pound",
    "m": "meter",
    "m²": "square meter",
    "m³": "cubic meter",
    "L": "liter",
    "l": "liter",
    "dL": "deciliter",
    "dl": "deciliter",
    "ml": "milliliter",
    "mL": "milliliter",
    "gal": "gallon",
    "cm": "centimeter",
    "cm²": "square centimeter",
    "cm³": "cubic centimeter",
    "s²": "second squared",
}


_NEVER_HALVED = {"%", "‰", "°", "M", "bn", "mn", "tn", "s", "h", "pt"}


def _any(symbols: Iterable[str]) -> str:
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=len, reverse=True))


_QUANTITY = rf"(?P<number>{NUMBER})(?P<part>{fractions.PART})?"
_MEASURE = re.compile(
    rf"{_QUANTITY}(?P<gap>[ \u00a0\u202f-]?)(?P<unit>{_any(_UNITS)})"
    r"(?P<power>[²³])?(?:\^?(?P<plain>[23]))?"
    rf"(?:/(?P<per>{_any(_PER)}))?(?![\w²³°])"
)
_FRACTION = re.compile(
    r"(?P<fraction>[1-9](?<![\w.,/][1-9])(?<![0-9][ -][1-9])[/⁄](?:2|3|4|5|8|16)"
    rf"|{fractions.SIGN}(?<![0-9].)(?<![0-9][ ].))[ ]?"
    rf"(?P<unit>{_any(set(_UNITS) - _NEVER_HALVED)}|″|\"(?=[ ][a-z]))"
    r"(?![\w²³°/])"
)
_LONG = "tall|wide|long|high|deep|thick"
_FEET_AND_INCHES = re.compile(
    rf"(?P<feet>{NUMBER})[ ]?(?:['’′]|ft\.?[ ])[ ]?(?P<inches>[0-9]{{1,2}})"
    rf"(?P<part>{fractions.PART}|\.[0-9]+)?[ ]?(?:[\"”″]|['’′]{{2}}|in\b\.?)?(?![\w])"
)
_INCHES = re.compile(
    rf"(?P<number>{FIRST_DIGIT}(?<!/[0-9])[0-9]*(?:\.[0-9]+)?)"
    rf"(?P<part>{fractions.PART})?(?:[ ]?″|-?in\b(?![-\w])"
    r"|(?P<quote>\")(?=[ ][a-z]|[,.;:)]|\s*(?:\n|\Z))"
    rf"|”(?=[ ](?:{_LONG}|screen|monitor|display|TV)))"
)
_OPENING_QUOTE = re.compile(r"\"(?<![^\s(]\")(?=\S)")
_FEET = re.compile(rf"{_QUANTITY}(?:′|['’](?=[ ](?:{_LONG}|x|×)))")
_COORDINATE = re.compile(
    rf"(?P<degrees>{NUMBER})°(?:[ ]?(?P<minutes>[0-9]{{1,2}}(?:\.[0-9]+)?)['’′])?"
    r"(?:[ ]?(?P<seconds>[0-9]{1,2}(?:\.[0-9]+)?)[\"”″])?[ ]?(?P<side>[NSEW])(?![\w])"
)
_BLOOD_PRESSURE = re.compile(rf"(?P<above>{FIRST_DIGIT}[0-9]{{1,2}})/(?=[0-9]{{2,3}}[ ]?mmHg)")
_SIDES = {"N": "north", "S": "south", "E": "east", "W": "west"}
_BRITISH_SPELLING = (("meter", "metre"), ("liter", "litre"))


def say_per(symbol: str) -> str:
    """Return `per hour` for what stands after a stroke, such as `h`."""
    name = _PER.get(symbol) or (_UNITS[symbol].one if symbol in _UNITS else symbol)
    return f"per {name}"


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for units."""
    measures = _Measures(numbers)
    return (
        Rule(_BLOOD_PRESSURE, lambda match: f"{numbers.cardinal(match['above'])} over "),
        Rule(_COORDINATE, measures.coordinate),
        Rule(_FEET_AND_INCHES, measures.feet_and_inches),
        Rule(_INCHES, measures.inches),
        Rule(_FEET, measures.feet),
        Rule(_FRACTION, measures.fraction),
        Rule(_MEASURE, measures.measure),
    )


class _Measures:
    """Writes measures out."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def measure(self, match: re.Match[str]) -> str | None:
        number, symbol, gap = match["number"], match["unit"], match["gap"]
        if symbol in _TIGHT_ONLY and gap not in ("", "-"):
            return None
        # `747s` and `4x4s` are more than one of them.
        is_many = len(number) > 2 and "." not in number
        if symbol == "s" and (is_many or word_before(match) == "by"):
            return None
        if symbol == "m" and word_after(match) in _IN_MILLIONS:
            symbol = "mn"
        unit = _UNITS[symbol]
        if gap == "-":
            # `5-kg bag`; a hyphen before `%` or `°` is none.
            words = f"{self._quantity(match)}-{unit.one}"
        else:
            is_one = (number == "1" and not match["part"]) or describes(match)
            words = (
                f"{self._quantity(match)} {self._powered(match, unit.one if is_one else unit.many)}"
            )
        if match["per"]:
            words += f" {say_per(match['per'])}"
        return self._spelled(words) + self._full_stop(match)

    def fraction(self, match: re.Match[str]) -> str | None:
        if match["unit"] == '"' and _OPENING_QUOTE.search(match.string, 0, match.end()):
            return None
        unit = _UNITS.get(match["unit"], _INCH)
        article = "an" if unit.one.startswith(("a", "i", "o", "hour")) else "a"
        written = match["fraction"]
        if written in ("½", "1/2"):
            words = f"half {article} {unit.one}"
        else:
            whole = fractions.say_mixed(self._numbers, "0", written).removeprefix("zero and ")
            words = f"{whole.replace('a quarter', 'quarter')} of {article} {unit.one}"
            words = words if not words.startswith("quarter") else f"a {words}"
        return self._spelled(words) + self._full_stop(match)

    def feet_and_inches(self, match: re.Match[str]) -> str | None:
        if int(match["inches"]) > 11:
            return None
        feet = "foot" if match["feet"] == "1" else "feet"
        part = match["part"] or ""
        if part.startswith("."):
            inches = self._numbers.decimal(match["inches"] + part)
        elif part:
            inches = fractions.say_mixed(self._numbers, match["inches"], part)
        else:
            inches = self._numbers.cardinal(str(int(match["inches"])))
        unit = "inch" if inches == "one" else "inches"
        words = f"{self._numbers.decimal(match['feet'])} {feet} {inches}"
        marked = match[0].rstrip()[-1] in "\"”″'’′n."
        return (f"{words} {unit}" if marked else words) + self._full_stop(match)

    def inches(self, match: re.Match[str]) -> str | None:
        # The quote that closes a quotation is not one of inches.
        if match["quote"] and _OPENING_QUOTE.search(match.string, 0, match.end()):
            return None
        hyphen = "-" if "-" in match[0] else " "
        is_one = (match["number"] == "1" and not match["part"]) or describes(match)
        unit = "inch" if is_one or hyphen == "-" else "inches"
        return f"{self._quantity(match)}{hyphen}{unit}"

    def feet(self, match: re.Match[str]) -> str:
        one = match["number"] == "1" and not match["part"]
        return f"{self._quantity(match)} {'foot' if one else 'feet'}"

    def coordinate(self, match: re.Match[str]) -> str:
        words = ""
        for name, unit in (("degrees", "degree"), ("minutes", "minute"), ("seconds", "second")):
            if match[name]:
                ending = "" if match[name] == "1" else "s"
                number = match[name].lstrip("0") or "0"
                words += f"{self._numbers.decimal(number)} {unit}{ending} "
        return words + _SIDES[match["side"]]

    def _quantity(self, match: re.Match[str]) -> str:
        if match["part"]:
            return fractions.say_mixed(self._numbers, match["number"], match["part"])
        return self._numbers.decimal(match["number"])

    def _powered(self, match: re.Match[str], name: str) -> str:
        power = match["power"] or match["plain"]
        if not power:
            return name
        if match["unit"] in _DIMENSIONAL:
            return f"{_SQUARED[power]} {name}"
        return f"{name} {'squared' if power in '²2' else 'cubed'}"

    def _spelled(self, words: str) -> str:
        if self._numbers.british:
            for american, british in _BRITISH_SPELLING:
                words = words.replace(american, british)
        return words

    def _full_stop(self, match: re.Match[str]) -> str:
        """Keep the dot of a unit if it ends the sentence too."""
        if not match[0].endswith("."):
            return ""
        return "." if re.match(r"[”\"’')]*(?:\s*\Z|\s*\n|\s+[A-Z])", text_after(match)) else ""
