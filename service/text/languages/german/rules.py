"""German rules: its own, then those that all languages share."""

from __future__ import annotations

import re
from collections.abc import Callable

from service.text.languages.german import shortenings
from service.text.languages.german.inflection import (
    gender,
    has_determiner,
    one,
    ordinal,
    ordinal_ending,
)
from service.text.languages.german.locale import ADDRESSES, LOCALE, PICTURES
from service.text.normalization.date_parts import is_day
from service.text.normalization.figures import language_rules
from service.text.normalization.figures.abbreviations import CAPITALS
from service.text.normalization.figures.notation import DASH, SPACE, one_of
from service.text.normalization.figures.numbers import Number, Numerals
from service.text.normalization.locale import Agreement, words
from service.text.normalization.normalizer import LanguageRules
from service.text.normalization.rules import Rule
from service.text.normalization.typed import roman_value

_NUMERALS = Numerals(LOCALE)
_FREE = r"(?<![\w.,:/])"
_SHORT_MONTHS = {
    short: number for number, shorts in enumerate(LOCALE.month_abbreviations, 1) for short in shorts
}
_MONTHS = {month.lower(): number for number, month in enumerate(LOCALE.months, 1)}
_MONTH = (
    rf"(?:(?P<month>(?i:{one_of(LOCALE.months)}))(?!\w)"
    rf"|(?P<short>(?i:{one_of(_SHORT_MONTHS)}))(?:\.|(?!\w)))"
)
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_CENTURY_TURNS_AT = 50
_MOST_DAYS = 31
_JOINTS = {**dict.fromkeys("-–—", "bis"), "/": "und"}
_STARTERS = frozenset(
    words(
        "Der Die Das Ein Eine Er Sie Es Wir Ich Ihr Du Man Und Aber Oder Denn Dann Danach Doch In"
        " Im Am An Auf Aus Bei Mit Nach Von Zu Zum Zur Für Über Unter Vor Seit Wenn Als Da Dort"
        " Hier Wer Was Wie Wo Warum Nun So Auch Nur Noch Jetzt Heute Morgen Gestern Diese Dieser"
        " Dieses Kein Keine Mein Meine Sein Seine Bitte Sonst Später Jeder Jede Alle Viele Nicht"
        " Niemand"
    )
)
_SCORING = re.compile(
    r"führ|gewann|gewonn|gewinn|sieg|niederlage|verlor|verlier|unterl|halbzeit|endstand|ergebnis"
    r"|endete|spielstand|schlug|unentschieden|remis|hieß es|stand es|steht es|verhältnis|maßstab",
    re.IGNORECASE,
)
_CLOCK_WORD = re.compile(
    r"\b(?:um|ab|bis|von|gegen|seit|vor|nach|beginnt?|termin)[ ]\Z", re.IGNORECASE
)
_PRESSURE = re.compile(r"druck|mmHg|RR\b", re.IGNORECASE)
_NAMES = one_of(
    words(
        "Ludwig Louis Friedrich Wilhelm Karl Otto Heinrich Johannes Paul Pius Benedikt Leo Gregor"
        " Klemens Innozenz Urban Alexander Napoleon Georg Jakob Eduard Richard Franz Joseph"
        " Leopold Albert Albrecht Nikolaus Iwan Peter Ramses Maximilian Ferdinand Philipp August"
        " Konrad Rudolf Sigismund Lothar Ludwigs Harald Gustav Christian Carl Charles Philip"
        " Felipe Alfons Juan Henri Baudouin Boris Mehmed Bonifatius Sixtus Julius Hadrian Johann"
        " Ernst Adolf Viktor Abdullah Mohammed Hassan Elisabeth Katharina Maria Margarethe"
        " Margrethe Beatrix Wilhelmina"
    )
)
_QUEENS = frozenset(words("Elisabeth Katharina Maria Margarethe Margrethe Beatrix Wilhelmina"))
_TITLES = frozenset(
    words(
        "könig kaiser papst königin kaiserin zar zarin fürst prinz herzog graf queen king kurfürst"
    )
)
_AMOUNTS = {
    **{sign: currency.main for sign, currency in LOCALE.currencies.items()},
    **LOCALE.units,
}
_FLOORS = {
    "OG": "Obergeschoss", "UG": "Untergeschoss", "EG": "Erdgeschoss", "DG": "Dachgeschoss",
    "Jh.": "Jahrhundert", "Jh": "Jahrhundert", "Jhd.": "Jahrhundert", "Jhdt.": "Jahrhundert",
    "Aufl.": "Auflage", "Kl.": "Klasse", "Lj.": "Lebensjahr", "Std.": "Stunde", "Min.": "Minute",
    "Stk.": "Stock", "St.": "Stock", "Etg.": "Etage", "Sem.": "Semester",
}  # fmt: skip
_FEMININE = Agreement.FEMININE

Write = Callable[[re.Match[str]], str | None]


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 80) : match.start()]


def _sentence(match: re.Match[str]) -> str:
    """Return the words of the sentence around a match."""
    before = re.split(r"[.!?]\s|\n", match.string[max(0, match.start() - 80) : match.start()])[-1]
    after = re.split(r"[.!?]\s|\n", match.string[match.end() : match.end() + 60], maxsplit=1)[0]
    return f"{before} {after}"


def _year(written: str) -> str:
    if len(written) == 2:
        written = f"{20 if int(written) < _CENTURY_TURNS_AT else 19}{written}"
    return _NUMERALS.year(written)


def _ends(match: re.Match[str]) -> str:
    """Return the stop that also ends the sentence, if one does."""
    rest = match.string[match.end() : match.end() + 30]
    following = re.match(r"\s+([^\W\d_]+)", rest)
    is_end = not rest.strip() or rest[0] == "\n"
    return "." if is_end or (following is not None and following[1] in _STARTERS) else ""


# Dates


def _date(match: re.Match[str], month: int) -> str | None:
    day = int(match["day"])
    if not is_day(month, day):
        return None
    said = f"{ordinal(day, ordinal_ending(_before(match), 'Monat'))} {LOCALE.months[month - 1]}"
    year = match["year"]
    return f"{said} {_year(year)}" if year else said


def _write_named_date(match: re.Match[str]) -> str | None:
    month = (
        _MONTHS[match["month"].lower()] if match["month"] else _SHORT_MONTHS[match["short"].lower()]
    )
    return _date(match, month)


def _write_numeric_date(match: re.Match[str]) -> str | None:
    said = _date(match, int(match["m"]))
    named = re.search(r"\w[ ]([A-ZÄÖÜ]\w+)[ ]\Z", _before(match))
    if said is None or (
        named is not None and not match["year"] and not named[1].endswith(("tag", "woch"))
    ):
        return None  # `Python 3.12.`
    if match["dash"]:
        return f"{said} bis "
    return said if match["year"] else said + _ends(match)


def _write_first_day(match: re.Match[str]) -> str:
    joint = match["joint"].strip()
    said = ordinal(int(match["day"]), ordinal_ending(_before(match), "Monat"))
    return f"{said} {_JOINTS.get(joint, joint)} "


def _write_decade(match: re.Match[str]) -> str:
    figure = match["figure"]
    said = _NUMERALS.year(figure) if len(figure) == 4 else _NUMERALS.whole(figure)
    return f"{said.removesuffix('s') if figure == '1' else said}er"


def _write_years(match: re.Match[str]) -> str:
    low, high = match["low"], match["high"]
    if len(high) == 2:
        return f"{_NUMERALS.year(low)} {_NUMERALS.whole(high)}"
    return f"{_NUMERALS.year(low)} bis {_NUMERALS.year(high)}"


# Times


def _clock(hour: str, minute: str | None) -> str:
    said = _NUMERALS.cardinal(int(hour), Agreement.MASCULINE)
    return (
        f"{said} Uhr {_NUMERALS.cardinal(int(minute))}" if minute and int(minute) else f"{said} Uhr"
    )


def _write_opening(match: re.Match[str]) -> str | None:
    if int(match["to"]) > 24 or int(match["hour"]) > 24:
        return None
    last = _clock(match["to"], match["to_minute"])
    if match["minute"] is None or not int(match["minute"]):
        first = _NUMERALS.cardinal(int(match["hour"]))
        return f"{first} bis {last}"
    return f"{_clock(match['hour'], match['minute'])} bis {last}"


def _write_time(match: re.Match[str]) -> str | None:
    return _clock(match["hour"], match["minute"]) if int(match["hour"]) <= 24 else None


def _write_duration(match: re.Match[str]) -> str:
    parts = [match["a"], match["b"], match["c"]]
    nouns = [LOCALE.units["h"], LOCALE.minute, LOCALE.second]
    if match["unit"].lower().startswith("m") and not parts[2]:
        nouns = nouns[1:]
    return " ".join(
        _NUMERALS.count(Number(str(int(part))), noun)
        for part, noun in zip(parts, nouns, strict=False)
        if part
    )


def _write_score(match: re.Match[str]) -> str | None:
    first, second = match["first"], match["second"]
    looks_like_time = len(second) == 2 and int(first) < 25 and int(second) < 60
    if looks_like_time and (
        _CLOCK_WORD.search(_before(match)) or _SCORING.search(_sentence(match)) is None
    ):
        return None
    return f"{_NUMERALS.whole(first)} zu {_NUMERALS.say(_NUMERALS.parse(second))}"


def _write_pressure(match: re.Match[str]) -> str | None:
    around = match.string[max(0, match.start() - 60) : match.end() + 10]
    if _PRESSURE.search(around) is None:
        return None
    said = f"{_NUMERALS.whole(match['first'])} zu {_NUMERALS.whole(match['second'])}"
    return f"{said} Millimeter Quecksilbersäule" if match["unit"] else said


# Ordinals


def _write_ordinal(match: re.Match[str]) -> str | None:
    value = int(match["value"])
    before, noun = _before(match), match["noun"] or ""
    if not value:
        return None
    if not has_determiner(before):
        last = re.search(r"([^\W\d_]+|[^\s])\s*\Z", before)
        if not noun[:1].isupper() or noun in _STARTERS or "\n" in match["gap"]:
            return None
        if last is not None and (
            last[1][:1].isupper() or last[1] in ("um", "gegen", "auf", "mit", "von", "ist", "sind")
        ):
            return None
        if last is None or "\n" in before[last.end(1) :]:
            return None  # an item of a list
    if not noun and value > _MOST_DAYS and match.string[match.end() :].strip(" \n") == "":
        return None  # the end of a sentence
    said = ordinal(value, ordinal_ending(before, noun if noun not in _STARTERS else ""))
    return said + _ends(match)


def _write_floor(match: re.Match[str]) -> str:
    noun = _FLOORS[match["floor"]]
    return f"{ordinal(int(match['value']), ordinal_ending(_before(match), noun))} {noun}"


def _write_suffixed(match: re.Match[str]) -> str | None:
    value = int(match["value"])
    return ordinal(value, match["ending"]) if value else None


def _write_ruler(match: re.Match[str]) -> str | None:
    value = roman_value(match["numeral"])
    if value is None:
        return None
    name = match["name"]
    before = re.findall(r"[^\W\d_]+|[,.:;]", _before(match).lower())
    while before and before[-1] in _TITLES:
        before.pop()
    last = before[-1] if before else ""
    is_woman = name.removesuffix("s") in _QUEENS
    if match["genitive"] or last in ("des", "wegen", "trotz"):
        article, ending = ("der", "en") if is_woman else ("des", "en")
    elif last in ("unter", "von", "mit", "nach", "bei", "seit", "vor", "zu", "aus", "neben", "dem"):
        article, ending = ("der", "en") if is_woman else ("dem", "en")
    elif last in ("für", "durch", "gegen", "ohne", "um", "über", "den"):
        article, ending = ("die", "e") if is_woman else ("den", "en")
    else:
        article, ending = ("die", "e") if is_woman else ("der", "e")
    said = ordinal(value, ending)
    stop = _ends(match) if match["stop"] else ""
    return f"{name}{match['genitive'] or ''} {article} {said.capitalize()}{stop}"


def _write_roman_ordinal(match: re.Match[str]) -> str | None:
    value = roman_value(match["numeral"])
    if value is None:
        return None
    return ordinal(value, ordinal_ending(_before(match), match["noun"]))


# Amounts


def _write_one(match: re.Match[str]) -> str:
    noun = _AMOUNTS[match["unit"]]
    kind = "f" if noun.agreement is _FEMININE else gender(noun.one)
    if noun.one in ("Meter", "Kilometer", "Zentimeter", "Liter", "Franken", "Tag", "Monat"):
        kind = "m"
    said = f"{one(_before(match), kind)} {noun.one}"
    cents = int(match["cents"] or 0)
    return f"{said} {_NUMERALS.cardinal(cents)}" if cents else said


def _write_half(match: re.Match[str]) -> str:
    noun = _AMOUNTS[match["unit"]].one if match["unit"] in _AMOUNTS else match["unit"]
    feminine = match["unit"] in _AMOUNTS and _AMOUNTS[match["unit"]].agreement is _FEMININE
    kind = "f" if feminine else gender(noun)
    article = one(_before(match), kind)
    ending = {"ein": "er" if kind == "m" else "es", "eine": "e"}.get(article, "en")
    return f"{article} halb{ending} {noun}"


def _write_counted(match: re.Match[str]) -> str | None:
    before = _before(match)
    last = re.search(r"([^\W\d_]+)\s\Z", before)
    is_label = last is not None and last[1][0].isupper() and before.strip() != last[1]
    if is_label or match["noun"] in _STARTERS:
        return None
    return one(before, gender(match["noun"]))


def _write_plural(match: re.Match[str]) -> str:
    return _NUMERALS.cardinal(int(match["number"]))


def _write_million(match: re.Match[str]) -> str:
    noun = {"Mi": "Million", "Mr": "Milliarde", "Bi": "Billion"}[match["large"][:2]]
    said = f"{one(_before(match), 'f')} {noun}"
    return f"{said} {_AMOUNTS[match['unit']].many}" if match["unit"] else said


def _write_thousands(match: re.Match[str]) -> str:
    number = _NUMERALS.parse(match["number"])
    if number.fraction:
        return f"{_NUMERALS.say(number)} tausend Euro"
    return f"{_NUMERALS.whole(number.integer + '000')} Euro"


def _joined(match: re.Match[str]) -> str:
    """Return a figure before the rest of its word."""
    said = _NUMERALS.say(_NUMERALS.parse(match["number"]))
    said = "ein" if said == "eins" else said
    return said.replace(" ", "-") if " " in said else said


def _write_compound(match: re.Match[str]) -> str:
    return f"{_joined(match)}-"


def _write_measured_compound(match: re.Match[str]) -> str:
    return f"{_joined(match)}-{LOCALE.units[match['unit']].one}-"


def _write_adjective(match: re.Match[str]) -> str:
    return _joined(match)


def _write_times(match: re.Match[str]) -> str:
    return f"{_joined(match)}mal"


def _write_percent_adjective(match: re.Match[str]) -> str:
    return f"{_joined(match)}prozentig"


def _write_postcode(match: re.Match[str]) -> str:
    return _NUMERALS.digits(match["code"])


def _own_rules() -> tuple[Rule, ...]:
    number = _NUMERALS.pattern
    units = one_of(_AMOUNTS)
    patterns: tuple[tuple[str, Write], ...] = (
        # 3.–5. Mai
        (
            rf"{_FREE}(?P<day>[0-3]?[0-9])\.?(?P<joint>{SPACE}?[-–—/]{SPACE}?|{SPACE}(?:bis|und|oder|sowie){SPACE})"
            rf"(?=[0-3]?[0-9]\.{SPACE}?(?i:{one_of([*LOCALE.months, *_SHORT_MONTHS])})\b)",
            _write_first_day,
        ),
        (
            rf"{_FREE}(?P<day>[0-3]?[0-9])\.{SPACE}?{_MONTH}"
            r"(?:[ \u00a0](?P<year>[0-9]{4})(?!\w|[.,:][0-9]))?",
            _write_named_date,
        ),
        (
            rf"{_FREE}(?P<day>[0-3]?[0-9])\.{SPACE}?(?P<m>0?[1-9]|1[0-2])\.(?:{SPACE}?{_YEAR}(?![\w]|[.,:][0-9]))?"
            rf"(?:(?P<dash>{SPACE}?{DASH}{SPACE}?)(?=[0-3]?[0-9]\.[ ]?[01]?[0-9]\.))?",
            _write_numeric_date,
        ),
        (
            rf"{_FREE}(?P<year>[12][0-9]{{3}})-(?P<m>0[1-9]|1[0-2])-(?P<day>[0-3][0-9])(?P<dash>)(?![-\w])",
            _write_numeric_date,
        ),
        (r"(?<![\w.,])(?P<figure>[0-9]{1,4})er(?=n?\b|[A-ZÄÖÜ-])", _write_decade),
        (
            r"(?<![\w.,:/-])(?P<low>1[1-9][0-9]{2}|20[0-9]{2})[ ]?[-–—][ ]?"
            r"(?P<high>1[1-9][0-9]{2}|20[0-9]{2})"
            r"(?![\w-]|[.,:][0-9]|[ ]?[€$])",
            _write_years,
        ),
        (
            r"(?<![\w.,:/-])(?P<low>1[1-9][0-9]{2}|20[0-9]{2})/(?P<high>[0-9]{2})(?![\w/-]|[.,:][0-9])",
            _write_years,
        ),
        # Lengths of time, then times of day
        (
            rf"{_FREE}(?P<a>[0-9]{{1,3}}):(?P<b>[0-5][0-9])(?::(?P<c>[0-5][0-9]))?{SPACE}?"
            r"(?P<unit>h|Std\.?|Stunden?|min|Min\.?|Minuten)(?!\w)",
            _write_duration,
        ),
        (
            rf"{_FREE}(?P<hour>[0-2]?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?(?:{SPACE}?Uhr)?"
            rf"{SPACE}?(?:[-–—]|bis){SPACE}?(?P<to>[0-2]?[0-9])(?:[:.](?P<to_minute>[0-5][0-9]))?{SPACE}?(?:Uhr|h)\b",
            _write_opening,
        ),
        (
            rf"{_FREE}(?P<hour>[0-2]?[0-9])[:.](?P<minute>[0-5][0-9]){SPACE}?(?:Uhr|h)\b",
            _write_time,
        ),
        (rf"{_FREE}(?P<hour>[0-2]?[0-9])(?P<minute>){SPACE}?Uhr\b", _write_time),
        (
            r"(?:(?<=\bum[ ])|(?<=\bab[ ])|(?<=\bbis[ ])|(?<=\bgegen[ ]))"
            r"(?P<hour>[0-2]?[0-9])(?P<minute>)[ ]?h\b",
            _write_time,
        ),
        (
            r"(?<![\w.,:/-])(?P<first>[0-9]{1,3}):(?P<second>[0-9]{1,3}(?:\.[0-9]{3}){1,2}|[0-9]{1,6})(?![\w:]|[.,][0-9])",
            _write_score,
        ),
        (
            r"(?<![\w.,:/-])(?P<first>[0-9]{2,3})/(?P<second>[0-9]{2,3})"
            r"(?P<unit>[ ]?mmHg)?(?![\w/:]|[.,][0-9])",
            _write_pressure,
        ),
        # Ordinals
        (
            rf"(?<![\w.,:/])(?P<value>[0-9]{{1,3}})\.{SPACE}?(?P<floor>{one_of(_FLOORS)})(?!\w)",
            _write_floor,
        ),
        (
            r"(?<![\w.,:/])(?P<value>[0-9]{1,4})\.(?=(?P<gap>\s{0,2})(?P<noun>[^\W\d_]{2,40})?)(?![\w.,]*[0-9])",
            _write_ordinal,
        ),
        (
            r"(?<![\w.,:/])(?P<value>[0-9]{1,4})-?s?t(?P<ending>e[nmrs]?)(?!\w)",
            _write_suffixed,
        ),
        (
            rf"(?<!\w)(?P<name>{_NAMES}|"
            r"(?:(?<=König[ ])|(?<=Papst[ ])|(?<=Kaiser[ ])|(?<=Königin[ ])|(?<=Prinz[ ]))"
            rf"[A-ZÄÖÜ][a-zäöüß]{{2,15}})(?P<genitive>(?<!s)s)?{SPACE}(?P<numeral>[IVXLC]{{1,8}})(?P<stop>\.)?(?!\w)",
            _write_ruler,
        ),
        (
            rf"(?<![\w.])(?P<numeral>[IVXLC]{{1,8}})\.(?={SPACE}(?P<noun>Jahrhundert|Weltkrieg|[A-ZÄÖÜ][a-zäöüß]{{3,30}}))",
            _write_roman_ordinal,
        ),
        # Amounts
        (
            rf"(?<=[0-9]),[-–—]{{1,2}}(?={SPACE}?(?:{one_of(LOCALE.currencies)}|[.;!?)\s]|\Z))",
            lambda match: "",
        ),
        (
            rf"{_FREE}(?P<number>{number}){SPACE}?(?:T€|TEUR|Tsd\.?{SPACE}?(?:€|EUR|Euro))(?!\w)",
            _write_thousands,
        ),
        (
            rf"{_FREE}1{SPACE}?(?P<large>Mio|Million|Mrd|Milliarde|Bio|Billion)(?:\.|(?!\w))(?:{SPACE}?(?P<unit>{units})(?!\w))?",
            _write_million,
        ),
        (
            rf"{_FREE}(?<![0-9]{SPACE})1/2{SPACE}?(?P<unit>{units}|[A-ZÄÖÜ][a-zäöüß]{{2,30}})(?![\w²³/])",
            _write_half,
        ),
        (
            rf"{_FREE}(?<!-)(?<![-–−+±]{SPACE})1(?:,(?P<cents>[0-9]{{2}}))?{SPACE}?"
            rf"(?P<unit>{units})(?<!1,[0-9]{{2}}{SPACE}[a-z])(?![\w²³/])",
            _write_priced_one,
        ),
        (rf"{_FREE}(?<!-)1(?={SPACE}(?P<noun>[A-ZÄÖÜ][a-zäöüß]{{2,30}})(?!\w))", _write_counted),
        (
            rf"{_FREE}(?P<number>1[1-9][0-9]{{2}})(?={SPACE}[A-ZÄÖÜ][a-zäöüß]{{2,30}}(?:en|er|e|n)\b)(?<!-)",
            _write_plural_or_year,
        ),
        # Compounds
        (
            rf"(?<![\w.,:/-])(?P<number>{number})(?:-?%|-?prozent)ig(?=e|\b)",
            _write_percent_adjective,
        ),
        (rf"(?<![\w.,:/-])(?P<number>{number})-(?=[A-ZÄÖÜ][a-zäöüß])", _write_compound),
        (
            rf"(?<![\w.,:/-])(?P<number>{number})-(?P<unit>{one_of(LOCALE.units)})-(?=[A-ZÄÖÜ])",
            _write_measured_compound,
        ),
        (
            rf"(?<![\w.,:/-])(?P<number>{number})-?(?=(?:jährig|tägig|stündig|minütig|monatig|wöchig|fach|prozentig|stellig"
            r"|köpfig|seitig|teilig|stufig|türig|bändig|malig|mal\b|tel\b|sprachig|zimmrig|eckig|silbig"
            r"|gängig|stöckig|spurig|sitzig|zeilig|reihig|motorig|rädrig|gradig|sekündig|sätzig)[a-zäöüß]*)",
            _write_adjective,
        ),
        (
            rf"(?<![\w.,:/-])(?P<number>[0-9]{{1,3}}){SPACE}?[x×](?!\w|{SPACE}?[0-9(]|{SPACE}[-+−=])",
            _write_times,
        ),
        (
            rf"(?:(?<=,{SPACE})|(?<=\n)|(?<=D-)|(?<=A-)|\A)(?P<code>[0-9]{{5}})(?={SPACE}[A-ZÄÖÜ][a-zäöüß])",
            _write_postcode,
        ),
    )
    return tuple(Rule(re.compile(pattern), write) for pattern, write in patterns)


def _write_priced_one(match: re.Match[str]) -> str | None:
    if match["cents"] and match["unit"] not in LOCALE.currencies:
        return None
    return _write_one(match)


def _write_plural_or_year(match: re.Match[str]) -> str | None:
    before = re.search(r"([^\W\d_]+)\s\Z", _before(match))
    if before is not None and before[1].lower() in (
        "im",
        "jahr",
        "jahre",
        "seit",
        "bis",
        "ab",
        "von",
    ):
        return None
    return _write_plural(match)


def load_rules() -> LanguageRules:
    """Return what text normalization needs."""
    shared = language_rules(LOCALE, ADDRESSES, PICTURES)
    # German tells acronyms from shouted words by its own rule, which must see all of them.
    figures = (rule for rule in shared.rules if rule.pattern is not CAPITALS)
    own = (*shortenings.RULES_BEFORE, *_own_rules())
    return shared._replace(rules=(*own, *figures, *shortenings.RULES_AFTER))
