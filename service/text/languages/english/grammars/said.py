"""Words that several grammars say: amounts, fractions, times of day, units, letters."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from service.text.languages.english.dictionary import Dictionary
from service.text.languages.english.normalization.calendar import MONTH_NAMES, MONTHS
from service.text.languages.english.normalization.numbers import Numbers, plural
from service.text.languages.english.normalization.unit_names import PER, UNITS
from service.text.languages.english.tokens import Next, Token

DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
LETTERS = UPPER + LOWER

INTEGER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
NUMBER = rf"(?:{INTEGER}(?:\.[0-9]+)?)"
ANY_NUMBER = rf"(?:{NUMBER}|\.[0-9]+)"

SIGNS = {
    "-": "minus",
    "−": "minus",
    "–": "minus",
    "+": "plus",
    "±": "plus or minus",
    "~": "about",
    "≈": "about",
    "<": "less than",
    ">": "more than",
    "≤": "at most",
    "≥": "at least",
    "": "",
}
"""Words for the sign before a number."""

VULGAR = {
    "½": (1, 2),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
    "⅕": (1, 5),
    "⅖": (2, 5),
    "⅗": (3, 5),
    "⅘": (4, 5),
    "⅙": (1, 6),
    "⅚": (5, 6),
}
MONTH = {
    **{name.lower(): full for name, full in MONTH_NAMES.items()},
    **{full.lower(): full for full in MONTHS},
}
"""Months by their names and short forms in lower case."""

MAGNITUDES = {
    "k": "thousand",
    "m": "million",
    "mm": "million",
    "mn": "million",
    "mln": "million",
    "b": "billion",
    "bn": "billion",
    "t": "trillion",
    "tn": "trillion",
    "thousand": "thousand",
    "million": "million",
    "billion": "billion",
    "trillion": "trillion",
    "lakh": "lakh",
    "crore": "crore",
}


def join(*parts: str) -> str:
    """Return words with single spaces between them."""
    return " ".join(part for part in parts if part)


def amount(numbers: Numbers, text: str) -> str:
    """Return an integer or a decimal in words: `1,200`, `3.5`, `.5`."""
    if text.startswith("."):
        return f"zero point {numbers.spelled(text[1:])}"
    return numbers.decimal(text)


_STARTERS = (
    "The|Then|There|This|That|These|Those|He|She|It|We|They|I|You|A|An|But|And|So|In|On|At|When|What"
    "|Who|Why|How|If|As|His|Her|Its|Our|My|Their|Your|After|Before|While|With|For|From|No|Yes|Not"
    "|Now|Some|Many|Most|All|One|Please|Turn|Go|Is|Are|Do|Did|Was|Were|Will|Can"
)
_ENDS = re.compile(r"[”\"’')]*\s*(?:\n|\Z)")
_STARTS = re.compile(rf"[”\"’')]*\s+[“\"‘'(]*(?:{_STARTERS})(?!\w)")
_CAPITAL = re.compile(r"[”\"’')]*\s+[“\"‘'(]*(?![NSEW]{1,3}(?!\w)|[A-Z]{1,3}[0-9])[A-Z]")


_NEARBY = 40


def ends_sentence(text: str, end: int, *, any_capital: bool) -> bool:
    """Tell whether a stop of an abbreviation ends the sentence too.

    Args:
        text: the whole text.
        end: offset behind the stop.
        any_capital: whether each word with a capital may begin the next sentence; otherwise only
            words that begin sentences, for a name may follow.
    """
    if _ENDS.match(text, end) is not None:
        return True
    if text[max(0, end - _NEARBY) : end + _NEARBY].isupper():
        return False  # among capitals none tells where a sentence begins
    starts = _CAPITAL if any_capital else _STARTS
    return starts.match(text, end) is not None


_FIELD = 200


def nearby(text: str, start: int, end: int) -> str:
    """Return a part of a text and what stands around it, so that a long text costs no square."""
    return text[max(0, start - _FIELD) : end + _FIELD]


LABELS = frozenset(
    "aisle seat seats gate bus row size wear wore section answer room rm rt rte route hwy highway exit"
    " apt suite ste unit bldg building box locker bay dock pier track platform zone door".split()
)
"""Words before a number with a letter that is no unit: `Rte. 9W`, `seat 22A`."""

_PLACE = re.compile(
    r" of (?:(?:the|our|this|that|my|your|its|their|an?) (?:[a-z]+ )?(?:town|city|village|center"
    r"|border|river|lake|bridge|coast|park|highway|station|airport|harbor|island|equator|line|road"
    r"|house|farm|hotel|campus|base|camp|capital|epicenter|mountains?|creek|pass|interstate"
    r"|junction|tracks|church|school|port|shore|mine|dam|site)(?!\w)"
    r"|town|downtown|here|there|home|camp|[A-Z][a-z]{2})"
)


def of_place(text: str, end: int) -> str:
    """Return as a fact whether `of` and a place stand at an offset."""
    if not text.startswith(" of ", end):
        return ""
    return "of place" if _PLACE.match(text, end) else "of other"


def is_one(text: str) -> bool:
    """Tell whether an amount takes the singular."""
    return text in ("1", "½", "¼", "¾", "⅓", "⅔")


def fraction(numbers: Numbers, top: int, bottom: int) -> str:
    """Return `one half`, `three quarters`, `seven sixteenths`."""
    if bottom == 2:
        name, many = "half", "halves"
    elif bottom == 4:
        name, many = "quarter", "quarters"
    else:
        name = numbers.ordinal(str(bottom))
        many = plural(name)
    return f"{numbers.cardinal(str(top))} {name if top == 1 else many}"


def mixed(numbers: Numbers, whole: str, top: int, bottom: int) -> str:
    """Return `two and a half`."""
    part = fraction(numbers, top, bottom)
    if top == 1:
        part = ("an " if bottom in (8, 11, 18) else "a ") + part.removeprefix("one ")
    return f"{numbers.decimal(whole)} and {part}"


def clock(numbers: Numbers, hour: str, minute: str | None) -> str:
    """Return `five thirty`, `seven oh five`, `five` for full hours."""
    words = numbers.cardinal(str(int(hour)))
    if minute is None or int(minute) == 0:
        return words
    return f"{words} {two_digits(numbers, minute)}"


def year(numbers: Numbers, digits: str) -> str:
    """Return a year of any length in words."""
    return numbers.paired(digits) if len(digits) == 3 else numbers.year(digits)


def pairs(numbers: Numbers, digits: str) -> str:
    """Return digits two by two, `two ten` for `210`, `five twenty-one ten` for `52110`."""
    if len(digits) % 2:
        said = [numbers.cardinal(digits[0]) if digits[0] != "0" else "oh"]
        digits = digits[1:]
    else:
        said = []
    for index in range(0, len(digits), 2):
        two = digits[index : index + 2]
        if two == "00":
            is_last = index == len(digits) - 2
            said.append("hundred" if is_last and said and said[-1] != "oh" else "oh oh")
        elif two[0] == "0":
            said.append(f"oh {numbers.cardinal(two[1])}")
        else:
            said.append(numbers.cardinal(two))
    return " ".join(said)


def two_digits(numbers: Numbers, digits: str) -> str:
    """Return two digits as of a year or of minutes: `oh five`, `thirty-five`."""
    if digits[0] == "0":
        return f"oh {numbers.cardinal(digits[1])}"
    return str(numbers.cardinal(digits))


def counted(numbers: Numbers, number: str, one: str) -> str:
    """Return a number of things: `one hour`, `two hours`."""
    return f"{amount(numbers, number)} {one if number.lstrip('0') in ('1', '1.0') else one + 's'}"


def letters(text: str) -> str:
    """Return what the reader spells: capitals, apart if it would read them as a word."""
    upper = text.upper()
    return upper if len(upper) > 1 and is_spelled(upper) else " ".join(upper)


_PLAIN = str.maketrans("", "", "ˈˌ")


@lru_cache(4096)
def is_spelled(word: str) -> bool:
    """Tell whether the reader names the letters of a word as it stands."""
    dictionary = _dictionary()
    names = dictionary.pronounce(Token(".".join(word.upper()), "NNP"), Next(), opens=True)
    said = dictionary.pronounce(Token(word, "NN"), Next(), opens=True)
    return bool(said and names) and str(said).translate(_PLAIN) == str(names).translate(_PLAIN)


@cache
def _dictionary() -> Dictionary:
    return Dictionary(british=False)


def code(numbers: Numbers, text: str, *, digits: str = "small") -> str:
    """Return letters by name and the numbers between them.

    Args:
        numbers: writes the numbers.
        text: letters and digits; all else is silent.
        digits: `small`: numbers of one or two digits as one, longer ones digit by digit; `single`:
            all digit by digit; `pairs`: longer ones two by two.
    """
    said: list[str] = []
    for run in re.findall(r"[0-9]+|[^\W\d_]+", text):
        if not run.isdecimal():
            said.append(letters(run))
        elif digits == "pairs" and 2 < len(run) < 5 and run[0] != "0":
            said.append(pairs(numbers, run))
        elif digits != "single" and len(run) < 3 and (run[0] != "0" or run == "0"):
            said.append(numbers.cardinal(run))
        else:
            said.append(numbers.spelled(run))
    return " ".join(said)


_ROMANS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_WELL_FORMED = re.compile(
    r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE
)


def roman(text: str) -> int:
    """Return the value of a Roman numeral, 0 if it is not a well-formed one."""
    if not text or _WELL_FORMED.fullmatch(text) is None:
        return 0
    values = [_ROMANS[letter] for letter in text.lower()]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


UNIT_NAMES: dict[str, tuple[str, str]] = {
    **{symbol: (unit.one, unit.many) for symbol, unit in UNITS.items()},
    "in": ("inch", "inches"),
    "T": ("tablespoon", "tablespoons"),
    "c": ("cup", "cups"),
    "w": ("week", "weeks"),
    "y": ("year", "years"),
    "Tbs": ("tablespoon", "tablespoons"),
    "tbs": ("tablespoon", "tablespoons"),
    "rd": ("round", "rounds"),
    "mo": ("month", "months"),
    "mos": ("month", "months"),
    "dz": ("dozen", "dozen"),
    "doz": ("dozen", "dozen"),
    "pk": ("pack", "pack"),
    "ct": ("count", "count"),
    "pkg": ("package", "packages"),
    "ea": ("each", "each"),
    "tab": ("tablet", "tablets"),
    "tabs": ("tablet", "tablets"),
    "caps": ("capsule", "capsules"),
    "bu": ("bushel", "bushels"),
    "t": ("ton", "tons"),
    "yo": ("year old", "year old"),
    "stars": ("star", "stars"),
    "req": ("request", "requests"),
    "cap": ("capsule", "capsules"),
    "cu ft": ("cubic foot", "cubic feet"),
    "cu. ft": ("cubic foot", "cubic feet"),
    "cu. in": ("cubic inch", "cubic inches"),
    "cu in": ("cubic inch", "cubic inches"),
    "cu. yd": ("cubic yard", "cubic yards"),
    "cu yd": ("cubic yard", "cubic yards"),
    "sqft": ("square foot", "square feet"),
    "pc": ("parsec", "parsecs"),
    "kpc": ("kiloparsec", "kiloparsecs"),
    "bp": ("base pair", "base pairs"),
    "mM": ("millimolar", "millimolar"),
    "µM": ("micromolar", "micromolar"),
    "μM": ("micromolar", "micromolar"),
    "nM": ("nanomolar", "nanomolar"),
    "kDa": ("kilodalton", "kilodaltons"),
    "°N": ("degree north", "degrees north"),
    "°S": ("degree south", "degrees south"),
    "°E": ("degree east", "degrees east"),
    "°W": ("degree west", "degrees west"),
    "℃": ("degree Celsius", "degrees Celsius"),
    "℉": ("degree Fahrenheit", "degrees Fahrenheit"),
    "mb": ("millibar", "millibars"),
    "lumens": ("lumen", "lumens"),
    "SM": ("statute mile", "statute miles"),
    "nt": ("nucleotide", "nucleotides"),
    "puffs": ("puff", "puffs"),
    "Å": ("angstrom", "angstroms"),
    "HP": ("horsepower", "horsepower"),
    "hp": ("horsepower", "horsepower"),
    "fm": ("fathom", "fathoms"),
    "mya": ("million years ago", "million years ago"),
    "Ma": ("million years ago", "million years ago"),
    "Mbp": ("megabase pair", "megabase pairs"),
    "BTC": ("bitcoin", "bitcoin"),
    "ETH": ("ether", "ether"),
    "sts": ("stitch", "stitches"),
    "BR": ("bedroom", "bedroom"),
    "bd": ("bedroom", "bedroom"),
    "bdrm": ("bedroom", "bedroom"),
    "BA": ("bath", "bath"),
    "ba": ("bath", "bath"),
}
for _written in ("Km", "KM", "LB", "LBS", "OZ", "FT", "TSP", "TBSP", "Min", "MIN", "Hr", "HR"):
    UNIT_NAMES[_written] = UNIT_NAMES[_written.lower()]
for _written in ("HRS", "YRS", "Mi", "MI", "PSI", "ML", "MG", "CM", "MM", "SEC", "GAL", "IN"):
    UNIT_NAMES[_written] = UNIT_NAMES[_written.lower()]
for _written in (
    "°C",
    "°F",
    "GHz",
    "MHz",
    "kHz",
    "Hz",
    "kWh",
    "MWh",
    "mAh",
    "Mbps",
    "Gbps",
    "kPa",
    "MPa",
    "dB",
    "mL",
):
    UNIT_NAMES.setdefault(_written.lower(), UNIT_NAMES[_written])
UNIT_NAMES["M"] = ("molar", "molar")
del UNIT_NAMES["%"], UNIT_NAMES["bn"], UNIT_NAMES["mn"], UNIT_NAMES["tn"]

PER_NAMES = {
    **PER,
    "share": "share",
    "item": "item",
    "unit": "unit",
    "head": "head",
    "page": "page",
    "dose": "dose",
    "each": "each",
    "barrel": "barrel",
    "seat": "seat",
    "room": "room",
    "mile": "mile",
    "serving": "serving",
    "a": "year",
    "pp": "person",
    "pk": "pack",
    "token": "token",
    "bu": "bushel",
    "hours": "hours",
    "sq ft": "square foot",
    "ticket": "ticket",
    "pound": "pound",
    "yd": "yard",
    "visit": "visit",
    "class": "class",
    "session": "session",
    "lap": "lap",
}

for _written in ("sq ft", "sq in", "sq mi", "sq m", "cu ft", "fl oz"):
    if _written in UNIT_NAMES:
        UNIT_NAMES[_written.replace(" ", "-")] = UNIT_NAMES[_written]

for _written in [name for name in UNIT_NAMES if name.endswith(".")]:
    del UNIT_NAMES[_written]  # grammars look for the stop themselves

_UNIT = "|".join(re.escape(name) for name in sorted(UNIT_NAMES, key=len, reverse=True))
_PER = "|".join(
    re.escape(name)
    for name in sorted({*UNIT_NAMES, *PER_NAMES}, key=len, reverse=True)
    if name[-1] not in "²³"
)
_POWER = r"(?:\^-?[1-3]|⁻?[¹²³]|(?<=[mtn])[23](?![0-9]))?"
SINGLE_UNIT = rf"(?:(?:{_UNIT}){_POWER})(?![\w²³])"
# Behind a point or a space a divisor needs a power below zero.
UNIT = (
    rf"(?:(?:{_UNIT}){_POWER}"
    rf"(?:(?:\s?/\s?|[·⋅ ](?=[^\W\d_]{{1,9}}(?:⁻|\^-)))(?:{_PER}){_POWER}){{0,2}})(?![\w²³])"
)
"""A unit with its divisors, as an expression."""

_UNIT_PART = re.compile(rf"(?P<joint>\s?/\s?|[·⋅ ]|^)(?P<name>{_PER})(?P<power>{_POWER})")
_POWERS = {"2": "square", "3": "cubic", "²": "square", "³": "cubic"}


def unit(text: str, *, is_one: bool) -> str:
    """Return the words for a unit: `kilometers per hour`, `meters per second squared`."""
    said: list[str] = []
    for match in _UNIT_PART.finditer(text):
        name, power = match["name"], match["power"]
        is_divisor = "/" in match["joint"] or power.startswith(("⁻", "^-"))
        degree = _POWERS.get(power[-1:], "") if power[-1:] != "¹" else ""
        if not said and not is_divisor:
            one, many = UNIT_NAMES.get(name) or (PER_NAMES[name],) * 2
            word = one if is_one else many
        else:
            word = PER_NAMES.get(name) or UNIT_NAMES[name][0]
        if degree and word.startswith(("second", "hour")):
            word = f"{word} {'squared' if degree == 'square' else 'cubed'}"
        elif degree:
            word = f"{degree} {word}"
        said.append(f"per {word}" if is_divisor else word)
    return " ".join(said)
