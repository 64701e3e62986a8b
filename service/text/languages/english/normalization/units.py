"""Units of measurement after numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from service.text.languages.english.normalization import fractions
from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    NUMBER,
    describes,
    text_after,
    text_before,
    word_after,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.languages.english.normalization.unit_names import INCH, PER, UNITS
from service.text.normalization.rules import Rule

# After a space these are more often a word, a name or a sign than a unit.
_TIGHT_ONLY = word_set("M bit d")
_NOT_DAYS = word_set("print printing printer printed model models modeling graphics nails")
_BASIS = re.compile(
    r"\b(?:yields?|rates?|Fed|ECB|hike[ds]?|cuts?|spreads?|Treasur\w+|bonds?|inflation"
    r"|loan|basis|mortgage)\b"
)
_MINUTES_BEFORE = re.compile(
    r"\b(?:[Pp]rep|[Cc]ook|[Bb]ake|[Rr]est|ETA|[Dd]uration|[Ww]ait(?:ed)?|[Tt]imeout"
    r"|[Ee]very|[Ll]ast|[Nn]ext)(?:[ ]time)?:?[ ]\Z"
)
_MINUTES_AFTER = re.compile(
    r"[ ](?:of CPU time|CPU time|ago|late|early|break|meeting|call|timeout|timer|nap|workout)(?!\w)"
)
# Also letters that number, name or mark something: `gate 5 A`, `size 9 F`, `12 N Main St`.
_LETTERS = word_set("s h A N J W V K C F")
_LABELS = word_set(
    "size page gate room seat row plan vitamin grade grades type class group exhibit section table "
    "figure part unit apt apartment route flat team zone platform terminal block building annex "
    "appendix level step line channel option question item highway suite subsection paragraph "
    "clause article rule chapter aisle pillar bus bay dock berth pier lot track sector stand seats "
    "rows gates rooms locker stall tent cabin car coach stop entrance tier shelf answer wing"
)
_AFTER_LETTER = re.compile(
    r"[ ](?!(?:AC|DC|RMS)(?!\w))(?:[A-Z0-9][\w.]*|and[ ][A-Z](?!\w)|grades?|levels?"
    r"|on[ ](?:I-|US|Hwy|Route|the)|student"
    r"|team|side|vitamin)|['’&]|[ ]?[-–]\w"
)
# `20 N and 20 P`: the second is no unit.
_OTHER_LETTER = re.compile(
    r"(?:,|,?[ ](?:and|or|to|through|&))[ ][0-9]+[ ]?(?P<letter>[A-Z])(?!\w|[/.]\w)"
)
# `3a - 2b` is a formula.
_TERM_NEXT = re.compile(
    r"[ ](?:plus|minus|times|over|equals)[ ](?:[a-z]+[ ]|[0-9]+[ ]?)?[B-Zb-z](?!\w)|[ ]squared"
)
_LATITUDE = re.compile(
    r"\b(?:latitudes?|lat\.?|parallel|[Ss]ail(?:s|ed|ing)?|steam(?:s|ed|ing)?)\b"
)
_BYTES = re.compile(
    r"\b(?:bytes?|headers?|packets?|payloads?|cache|buffers?|padding|RAM|memory|registers?|structs?"
    r"|checksums?|frames?|MTU|aligned|alignment|offsets?|cookies?|trailers?|heap|KB|KiB|kB|MB)\b"
)
_CORES = re.compile(r"\b(?:v?CPUs?|cpu|kubectl|millicores?|[Kk]ubernetes|HPA)\b")
_NOT_CORES = re.compile(
    r"[ ](?:long|deep|tall|wide|high|away|from|apart|of cable|cable|(?:of )?CPU time)\b"
)
_WARMTH = re.compile(
    r"\b(?:temp\w*|oven|heat\w*|cool\w*|bake\w*|preheat\w*|boil\w*|roast\w*|degrees?"
    r"|weather|fever|warm\w*|cold|hot|high|low"
    r"|feels|freez\w*|melt\w*|outside|thermostat|sunny|°|storage|store|stored|reactor"
    r"|incubat\w*|internal|at|to|below|above|reached|hit)\b",
    re.IGNORECASE,
)
# Nouns that `5m` counts in millions, as in newspapers.
_IN_MILLIONS = word_set(
    "people users views downloads subscribers followers copies homes jobs viewers visitors "
    "customers members streams"
)
_SQUARED = {"²": "square", "2": "square", "³": "cubic", "3": "cubic"}
_DIMENSIONAL = word_set("mm cm dm m km in ft mi yd")
_NEVER_HALVED = {"%", "‰", "°", "M", "bn", "mn", "tn", "s", "h", "pt", "A", "N", "K", "C", "F", "J"}


def _any(symbols: Iterable[str]) -> str:
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=len, reverse=True))


_QUANTITY = rf"(?P<number>{NUMBER})(?P<part>{fractions.PART})?"
_MEASURE = re.compile(
    rf"{_QUANTITY}(?P<gap>[ \u00a0\u202f-]?)(?P<unit>{_any(UNITS)})"
    r"(?P<power>[²³])?(?:\^?(?P<plain>[23]))?"
    rf"(?:/(?P<per>{_any(PER)}))?(?![\w²³°])"
)
_AFTER_POWER = re.compile(
    r"\b(?P<words>(?:million|billion|trillion|ten to the (?:minus )?[a-z-]+))"
    rf"(?:[ ](?P<unit>{_any(UNITS)})(?P<power>[²³])?(?:\^?(?P<plain>[23]))?)?"
    rf"(?:/(?P<per>{_any(PER)}))?(?![\w²³°])"
)
_FOLD_PER = re.compile(
    rf"{_QUANTITY}[ ]?[xX×]/(?P<per>d|day|wk|week|mo|month|yr|year|h|hr|hour|min|night|game)(?!\w)"
)
_PER_NUMBER = re.compile(
    rf"/(?<=[A-Za-z³²]/)(?=[0-9]+(?:\.[0-9]+)?[ ]?(?:(?:{_any(UNITS)})[²³]?|people"
    rf"|persons|cells|patients|users|residents)(?!\w))"
)
_KNOWN_BEFORE = re.compile(rf"(?:[0-9][ ]?(?:{_any(UNITS)}|[a-z]+s?)|[a-z]{{3,}})\Z")
_FRACTION = re.compile(
    r"(?P<fraction>[1-9](?<![\w.,/][1-9])(?<![0-9][ -][1-9])[/⁄](?:2|3|4|5|8|16)"
    rf"|{fractions.SIGN}(?<![0-9].)(?<![0-9][ ].))[ ]?"
    rf"(?P<unit>{_any(set(UNITS) - _NEVER_HALVED)}|″|\"(?=[ ][a-z]))"
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
_POSITION = re.compile(
    rf"(?P<first>{NUMBER})[ ]?(?P<side>[NS])(?P<gap>,?[ ])(?P<second>[0-9]{{1,3}}(?:\.[0-9]+)?)[ ]?"
    r"(?P<other>[EW])(?!\w|[ ][A-Z][a-z]+[ ](?:St|Ave|Rd|Blvd)\b)"
)
_BLOOD_PRESSURE = re.compile(rf"(?P<above>{FIRST_DIGIT}[0-9]{{1,2}})/(?=[0-9]{{2,3}}[ ]?mmHg)")
_SIDES = {"N": "north", "S": "south", "E": "east", "W": "west"}
_BRITISH_SPELLING = (("meter", "metre"), ("liter", "litre"))


def say_per(symbol: str) -> str:
    """Return `per hour` for the symbol after a slash, such as `h`."""
    name = PER.get(symbol) or (UNITS[symbol].one if symbol in UNITS else symbol)
    return f"per {name}"


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for units."""
    measures = _Measures(numbers)
    return (
        Rule(_FOLD_PER, measures.fold),
        Rule(
            _PER_NUMBER, lambda match: " per " if _KNOWN_BEFORE.search(text_before(match)) else None
        ),
        Rule(_AFTER_POWER, measures.after_power),
        Rule(_BLOOD_PRESSURE, lambda match: f"{numbers.cardinal(match['above'])} over "),
        Rule(_COORDINATE, measures.coordinate),
        Rule(_POSITION, measures.position),
        Rule(_FEET_AND_INCHES, measures.feet_and_inches),
        Rule(_INCHES, measures.inches),
        Rule(_FEET, measures.feet),
        Rule(_FRACTION, measures.fraction),
        Rule(_MEASURE, measures.measure),
    )


class _Measures:
    """Writes measures as words."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def measure(self, match: re.Match[str]) -> str | None:
        number, symbol, gap = match["number"], match["unit"], match["gap"]
        if symbol in _TIGHT_ONLY and gap not in ("", "-"):
            return None
        before = text_before(match)
        # `I18N`, `U+26A2`, `subsection 2d`.
        if len(symbol) == 1 and (before[-1:].isalpha() or before.endswith("U+")):
            return None
        if symbol == "d" and (
            word_after(match).lower() in _NOT_DAYS or word_before(match).lower() in _LABELS
        ):
            return None
        if symbol == "bps" and _BASIS.search(match.string):
            return f"{self._quantity(match)} basis points"
        if (
            symbol == "m"
            and gap == ""
            and (
                _MINUTES_BEFORE.search(text_before(match))
                or _MINUTES_AFTER.match(text_after(match))
            )
        ):
            symbol = "min"
        if symbol in "NS" and _LATITUDE.search(before):
            return f"{self._quantity(match)} {_SIDES[symbol]}"
        if symbol in _LETTERS and not self._is_unit(match, symbol, gap):
            return None
        if symbol == "B":
            symbol = _of_storage_or_money(match)
            if not symbol:
                return None
        if symbol == "m" and gap == "" and _counts_cores(match):
            symbol = "m(CPU)"
        # `747s` and `4x4s` are plurals, not seconds.
        is_many = len(number) > 2 and "." not in number
        if symbol == "s" and (is_many or word_before(match) == "by"):
            return None
        if symbol == "m" and word_after(match) in _IN_MILLIONS:
            symbol = "mn"
        unit = UNITS[symbol]
        if gap == "-":
            # `5-kg bag`, with a hyphen.
            words = f"{self._quantity(match)}-{unit.one}"
        else:
            is_one = (number == "1" and not match["part"]) or describes(match)
            words = (
                f"{self._quantity(match)} {self._powered(match, unit.one if is_one else unit.many)}"
            )
        if match["per"]:
            words += f" {say_per(match['per'])}"
        return self._spelled(words) + self._full_stop(match)

    def _is_unit(self, match: re.Match[str], symbol: str, gap: str) -> bool:
        """Tell whether a single letter is a unit, and not a name, a grade or a plural."""
        if symbol in "CF" and not match["per"]:
            number = match["number"]
            warm = _WARMTH.search(text_before(match)) is not None
            return (
                1 < len(number) < 6
                and warm
                and gap != "-"
                and not _AFTER_LETTER.match(text_after(match))
            )
        if symbol in "AKNJ" and gap == "" and symbol != "A":
            return symbol in "NJ" or match["per"] is not None
        if symbol == "A" and gap == "" and len(match["number"]) > 2:
            return False
        if gap == "" and symbol in "shWV":
            return True
        if word_before(match).lower() in _LABELS and "." not in match["number"]:
            return False
        if symbol == "A" and _TERM_NEXT.match(text_after(match)):
            return False
        other = _OTHER_LETTER.match(text_after(match))
        if other and other["letter"] not in _LETTERS:
            return False
        return not _AFTER_LETTER.match(text_after(match))

    def after_power(self, match: re.Match[str]) -> str | None:
        """Return a unit after `million` or a power of ten."""
        words, symbol, per = match["words"], match["unit"], match["per"]
        if symbol is None:
            return f"{words} {say_per(per)}" if per else None
        if len(symbol) == 1 and not per and not words.startswith("ten to"):
            return None
        if symbol in ("pt", "ac", "mi", "in.", "min", "A", "%", "M", "bn", "mn", "tn", "K"):
            return None
        name = self._powered(match, UNITS[symbol].many)
        return self._spelled(
            f"{words} {name}" + (f" {say_per(per)}" if per else "")
        ) + self._full_stop(match)

    def fold(self, match: re.Match[str]) -> str:
        """Return `3x/week` in words."""
        return f"{self._quantity(match)} times {say_per(match['per'])}"

    def fraction(self, match: re.Match[str]) -> str | None:
        if match["unit"] == '"' and _OPENING_QUOTE.search(match.string, 0, match.end()):
            return None
        unit = UNITS.get(match["unit"], INCH)
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
        # A quote that closes a quotation does not mean inches.
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

    def position(self, match: re.Match[str]) -> str | None:
        """Return a place on a map, such as `20 N, 85 W`."""
        north, east = float(match["first"].replace(",", "")), float(match["second"])
        if north > 90 or east > 180:
            return None
        first, second = (self._numbers.decimal(match[name]) for name in ("first", "second"))
        return f"{first} {_SIDES[match['side']]}{match['gap']}{second} {_SIDES[match['other']]}"

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
        """Return the dot of a unit if it also ends the sentence."""
        if not match[0].endswith("."):
            return ""
        return "." if re.match(r"[”\"’')]*(?:\s*\Z|\s*\n|\s+[A-Z])", text_after(match)) else ""


def _of_storage_or_money(match: re.Match[str]) -> str:
    """Return the unit that `B` stands for: bytes, billions; empty if it is a letter."""
    if match["gap"] != " " or word_before(match).lower() in _LABELS:
        return ""
    if word_after(match) in _IN_MILLIONS:
        return "bn"
    return "B" if _BYTES.search(text_before(match) + text_after(match)) else ""


def _counts_cores(match: re.Match[str]) -> bool:
    """Tell whether `250m` is a quarter of a processor, as in Kubernetes."""
    before, after = text_before(match), text_after(match)
    return (
        match["number"].isdigit()
        and not match["per"]
        and _NOT_CORES.match(after) is None
        and _CORES.search(before + after) is not None
    )
