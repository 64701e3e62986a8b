"""Abbreviations, acronyms, chat and formulas of German."""

from __future__ import annotations

import re
import unicodedata

from service.text.languages.german.abbreviations import (
    ABBREVIATIONS,
    BEFORE_NUMBER,
    WORDS_IN_CAPITALS,
)
from service.text.languages.german.locale import LOCALE
from service.text.normalization.figures.notation import SPACE, one_of, without_spaces
from service.text.normalization.locale import words
from service.text.normalization.rules import Rule

# These often end a sentence; before a noun the stop of others belongs to them alone.
_LAST = frozenset(
    words("usw. usf. etc. u.a. u.v.m. u.v.a. u.a.m. Jh. n.Chr. v.Chr. e.V. p.P. a.D. n.V. n.E. ff.")
)
_STOPPED = {key: said for key, said in ABBREVIATIONS.items() if key.endswith(".")}
_STOPPED |= {
    key[0].upper() + key[1:]: said[0].upper() + said[1:]
    for key, said in _STOPPED.items()
    if key[0].islower() and key[1].islower()
}
_FULL = {without_spaces(key): said for key, said in _STOPPED.items()}


CHAT = {
    "kA": "keine Ahnung", "ka": "keine Ahnung", "kp": "kein Plan", "kB": "kein Bock",
    "kb": "kein Bock", "lg": "liebe Grüße", "LG": "Liebe Grüße", "vlg": "viele liebe Grüße",
    "VLG": "Viele liebe Grüße", "mfg": "mit freundlichen Grüßen", "MfG": "Mit freundlichen Grüßen",
    "MFG": "Mit freundlichen Grüßen", "VG": "Viele Grüße", "vg": "viele Grüße", "BG": "Beste Grüße",
    "hdl": "hab dich lieb", "hdgdl": "hab dich ganz doll lieb", "ild": "ich liebe dich",
    "vllt": "vielleicht", "vlt": "vielleicht", "viell": "vielleicht", "evtl": "eventuell",
    "iwie": "irgendwie", "iwo": "irgendwo", "iwas": "irgendwas", "iwann": "irgendwann",
    "iwer": "irgendwer", "jmd": "jemand", "jmdn": "jemanden", "jmdm": "jemandem",
    "bzgl": "bezüglich", "bzw": "beziehungsweise", "zB": "zum Beispiel", "zb": "zum Beispiel",
    "dh": "das heißt", "usw": "und so weiter", "ggf": "gegebenenfalls", "inkl": "inklusive",
    "eig": "eigentlich", "eigtl": "eigentlich", "mMn": "meiner Meinung nach",
    "mmn": "meiner Meinung nach", "mE": "meines Erachtens", "wg": "wegen", "gn8": "gute Nacht",
    "sry": "sorry", "thx": "danke", "pls": "bitte", "plz": "bitte", "bb": "bis bald",
    "wmd": "was machst du", "wms": "was machst so", "kk": "okay", "WE": "Wochenende",
    "ned": "nicht", "gz": "Glückwunsch", "sof": "sofort", "momtl": "momentan",
    "grds": "grundsätzlich", "vhs": "V H S", "tgl": "täglich",
}  # fmt: skip

_MIXED = {
    "GmbH": "G m b H", "gGmbH": "gemeinnützige G m b H", "StGB": "S T G B", "StPO": "S T P O",
    "StVO": "S T V O", "StVZO": "S T V Z O", "BauGB": "Bau G B", "EStG": "E S T G",
    "UStG": "U S T G", "Kfz": "K F Z", "KFZ": "K F Z", "Lkw": "L K W", "Pkw": "P K W",
    "KfW": "K F W", "UrhG": "U R H G", "DSGVO": "D S G V O", "MwSt": "Mehrwertsteuer",
    "Lkws": "L K W S", "Pkws": "P K W S", "AufenthG": "Aufenthaltsgesetz",
    "InsO": "Insolvenzordnung", "BetrVG": "Betriebsverfassungsgesetz", "TzBfG": "T Z B F G",
    "PKWs": "P K W S", "LKWs": "L K W S", "OHG": "O H G", "PLZ": "P L Z", "UdSSR": "U D S S R",
    "Nr": "Nummer", "Tel": "Telefon", "Std": "Stunden", "Str": "Straße", "Dr": "Doktor",
}  # fmt: skip
_SMALL_WORDS = frozenset(
    words(
        "UND ODER DER DIE DAS DEN DEM DES EIN EINE KEIN IST SIND WAR NUR NEU JETZT HALT STOP RUHE"
        " ZU AUF AUS AN AB IN IM AM VON VOM ZUM ZUR BEI MIT FÜR OHNE ALLE SALE ENDE HIER HEUTE"
        " SEHR NIE NEIN JA ICH DU ER SIE ES WIR IHR MICH DICH NICHT NIX GUT GEIL LOS RAUS REIN WEG"
        " TOLL VIEL MEHR NACH VOR WAS WER WIE WO DANN DOCH AUCH SO BIS UM TEIL INFO GRATIS FREI"
        " TOP HIT WARM KALT BAR"
    )
)
_VOWEL = re.compile("[AEIOUÄÖÜY]")
_SAYABLE = re.compile(
    "(?:SCH|CH|ST|SP|[BDFGKP][LR]|TR|KN|PF|[BCDFGHJKLMNPQRSTVWXZ])?[AEIOUÄÖÜY]{1,2}"
    "(?:[BCDFGHJKLMNPQRSTVWXZ]{1,3}[AEIOUÄÖÜY]{1,2}){0,6}[BCDFGHJKLMNPQRSTVWXZ]{0,3}"
)
_MINUS = "\u2212"
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_NUMBER_AFTER = re.compile("[ ]?(?:[0-9]|[IVX]+\\b)")
_ROMAN = re.compile("[IVX]+")
_CAPITALS = re.compile(r"[A-ZÄÖÜ]{2,}")
_LONGEST_SPELLED = 5


def _write_abbreviation(match: re.Match[str]) -> str:
    written = without_spaces(match[0])
    said = _FULL[written]
    if written in BEFORE_NUMBER and _NUMBER_AFTER.match(match.string, match.end()):
        return BEFORE_NUMBER[written]
    rest = match.string[match.end() : match.end() + 3]
    is_end = not rest.strip() or rest[0] == "\n" or (written in _LAST and rest[1:2].isupper())
    return said + "." * is_end


def _spell(match: re.Match[str]) -> str | None:
    written = match["capitals"]
    if written in WORDS_IN_CAPITALS or written in _SMALL_WORDS or _ROMAN.fullmatch(written):
        return None
    if len(written) > _LONGEST_SPELLED and _SAYABLE.fullmatch(written):
        return None
    if len(written) == _LONGEST_SPELLED and _SAYABLE.fullmatch(written):
        return None
    around = match.string[max(0, match.start() - 24) : match.start()].split("\n")[-1].split()[-1:]
    around += match.string[match.end() : match.end() + 24].split("\n")[0].split()[:1]
    loud = [word.strip(".,:;!?-") for word in around]
    is_shouted = any(_CAPITALS.fullmatch(word) and len(word) > 2 for word in loud)
    if is_shouted and _SAYABLE.fullmatch(written):
        return None
    return " ".join(written) + (match["plural"] or "")


def _write_chemistry(match: re.Match[str]) -> str:
    digits = match["number"].translate(_SUBSCRIPTS)
    gap = " " * match.string[match.end() : match.end() + 1].isalpha()
    return f"{' '.join(match['letters'])} {digits}{gap}"


def _write_power(match: re.Match[str]) -> str:
    unit = LOCALE.units.get(match[0])
    if unit is not None:
        return unit.many
    power = "Quadrat" if match["power"] == "²" else "hoch drei"
    return f"{' '.join(match['letters'])} {power}"


def _write_exponent(match: re.Match[str]) -> str:
    return f" hoch {unicodedata.normalize('NFKC', match[0]).replace(_MINUS, '-')}"


def _write_account(match: re.Match[str]) -> str:
    return " ".join(match[0].replace(" ", ""))


def _write_division(match: re.Match[str]) -> str:
    return " geteilt durch " if "=" in match.string[match.end() : match.end() + 24] else " zu "


_SIGNS = {
    "=": "gleich", "+": "plus", "−": "minus", "-": "minus", "·": "mal", "×": "mal",
    "<": "kleiner als",
    ">": "größer als", "≤": "kleiner oder gleich", "≥": "größer oder gleich", "≠": "ungleich",
    "≈": "ungefähr gleich", "→": "nach", "*": "mal",
}  # fmt: skip
_WEEKDAYS = {
    "Mo": "Montag", "Di": "Dienstag", "Mi": "Mittwoch", "Do": "Donnerstag", "Fr": "Freitag",
    "Sa": "Samstag", "So": "Sonntag",
}  # fmt: skip
_WEEKDAY_LINE = re.compile(r"(?:\A|\n)(?:Mo|Di|Mi|Do|Fr|Sa|So)\b")


def _write_weekday(match: re.Match[str]) -> str | None:
    is_clear = match["day"] in ("Mo", "Di", "Mi", "Fr", "Sa") and match.string[match.end()] in ":,"
    if is_clear or len(_WEEKDAY_LINE.findall(match.string)) > 1:
        return _WEEKDAYS[match["day"]]
    return None


def _write_following(match: re.Match[str]) -> str:
    rest = match.string[match.end() :].lstrip(" ")
    said = " fortfolgende" if "ff" in match[0] else " folgende"
    return said + "." * (not rest or rest[0] == "\n")


def _write_before_number(match: re.Match[str]) -> str:
    return BEFORE_NUMBER[match["short"]] + " " * match.string[match.end()].isdigit()


_SHARES = "Tag|Woche|Monat|Jahr|Stunde|Minute|Person|Kopf|Nacht|Kilo|Liter|Meter|Stück|Kind|Spiel"

_DAY = "Mo|Di|Mi|Do|Fr|Sa|So"

RULES_BEFORE = (
    Rule(
        re.compile(r"(?P<head>(?<!\w)Abs\.[ ]?[0-9]{1,3}[a-z]?[ ])S\.(?=[ ]?[0-9])"),
        lambda match: f"{match['head']}Satz",
    ),
    Rule(
        re.compile(
            rf"(?<![\w–/-])(?P<first>{_DAY})\.?[ ]?[-–][ ]?(?P<last>{_DAY})"
            r"(?:\.(?=[ ,:]|\Z)|(?![\w.-]))"
        ),
        lambda match: f"{_WEEKDAYS[match['first']]} bis {_WEEKDAYS[match['last']]}",
    ),
    Rule(re.compile(r"(?<=[0-9]\.)\+(?=[0-9])"), lambda match: " plus "),
    Rule(re.compile(r"(?<=[0-9][ ])Pkt(?:\.(?=[ ,;)])|(?=\.\Z))"), lambda match: "Punkte"),
    Rule(re.compile(r"(?<=[0-9][ ])S(?:\.(?=[,;)])|(?=\.\Z))"), lambda match: "Seiten"),
    Rule(
        re.compile(
            r"(?P<court>(?<!\w)(?:ZR|ZB|StR|AZR|BvR|BvL|KR)|(?<=[0-9][ ])[OUCS])[ ]"
            r"(?P<case>[0-9]{1,4})/(?P<year>[0-9]{2})(?!\w)"
        ),
        lambda match: f"{match['court']} {match['case']} Schrägstrich {match['year']}",
    ),
    Rule(
        re.compile(rf"(?<![\w.])(?P<short>{one_of(BEFORE_NUMBER)})(?=[ ]?[0-9]{{1,4}}/[0-9])"),
        _write_before_number,
    ),
    Rule(
        re.compile(r"(?<=Nummer[ ])(?P<first>[0-9]{1,4})/(?P<second>[0-9]{2,4})(?![\w/])"),
        lambda match: f"{match['first']} Schrägstrich {match['second']}",
    ),
    Rule(re.compile(rf"(?<=[€%.)a-zA-Zäöüß])/(?=(?:{_SHARES})\b)"), lambda match: " pro "),
    Rule(re.compile(r"(?<=pro (?:Monat|Woche) )x(?=[ ]?[0-9])"), lambda match: "mal"),
    Rule(re.compile(r"(?<=[0-9])[ ]?ff?\.(?=\s|[,;)]|\Z)"), _write_following),
    Rule(
        re.compile(r"(?<![\w.])s\.(?=[ ](?:S\.|Abb\.|Kap\.|Tab\.|Anh|Seite))"),
        lambda match: "siehe",
    ),
    Rule(re.compile(r"(?<!\w)(?<![0-9][ ])km(?=[ ][0-9])"), lambda match: "Kilometer"),
    Rule(
        re.compile(rf"(?<![\w.])(?P<short>{one_of(_STOPPED)})(?!\w)"),
        _write_abbreviation,
    ),
    Rule(
        re.compile(r"(?<=[a-zäöüß])str\.?(?=[ ][0-9])|(?<=[a-zäöüß])str\."), lambda match: "straße"
    ),
    Rule(re.compile(r"(?<=[a-zäöüß]-)Str\.?(?=[ ][0-9])"), lambda match: "Straße"),
    Rule(re.compile(r"(?<=[a-zäöüß])pl\.(?=[ ][0-9])"), lambda match: "platz"),
    Rule(
        re.compile(r"(?:(?<=\n)|\A)(?P<day>Mo|Di|Mi|Do|Fr|Sa|So)\.?(?=[:,]|[ ]?[|])"),
        _write_weekday,
    ),
    Rule(
        re.compile(
            r"(?<![\w.@/-])(?P<letters>(?:CO|NO|SO|CH|NH|HNO|CaCO|Na|H|O|N|C)(?:[A-Z][a-z]?)?)"
            r"(?P<number>[₀-₉]{1,2}|(?:(?<=[A-Z][A-Z])|(?<=[HON]))[2-4](?=\b|O|S))"
        ),
        _write_chemistry,
    ),
    Rule(re.compile(r"(?<![\w])(?P<letters>[A-Za-z]{1,3})(?P<power>[²³])(?!\w)"), _write_power),
    Rule(re.compile(r"(?<=[0-9])[ ]:[ ](?=[0-9])"), _write_division),
    Rule(re.compile("(?<=[0-9])(?:⁻[⁰¹²³⁴-⁹]{1,4}|[⁰¹⁴-⁹][⁰¹²³⁴-⁹]{0,3})"), _write_exponent),
    Rule(
        re.compile(r"(?<!\w)[A-Z]{2}[0-9]{2}(?:[ ][0-9]{4}){3,6}(?:[ ][0-9]{1,3})?(?!\w)"),
        _write_account,
    ),
    Rule(
        re.compile(
            r"(?<![\w–/-])(?P<day>Mo|Di|Mi|Do|Fr|Sa|So)"
            r"(?:\.(?=,?[ ][0-9a-zäöü]|[ ]?[-–/]|,)|(?=,?[ ][0-9]{1,2}(?:[.:]|[ ]Uhr)))"
        ),
        lambda match: _WEEKDAYS[match["day"]],
    ),
    Rule(re.compile(r"(?<=[a-zäöüß])(?:[:*_]|/-?)innen(?!\w)"), lambda match: "innen"),
    Rule(re.compile(r"(?<=[a-zäöüß])(?:[:*_]|/-?)in(?!\w)"), lambda match: "in"),
    Rule(re.compile(r"(?<=\()m/w/d(?=\))"), lambda match: "männlich, weiblich, divers"),
)

RULES_AFTER = (
    Rule(
        re.compile(rf"(?<![\w@./-])(?:{one_of(CHAT)})(?![\w@-]|\.\w)"), lambda match: CHAT[match[0]]
    ),
    Rule(
        re.compile(rf"(?<![\w@./])(?:{one_of(_MIXED)})(?![\w@]|\.\w)"),
        lambda match: _MIXED[match[0]],
    ),
    Rule(re.compile(r"(?<=[A-Za-z0-9)])\^(?=[\w(])"), lambda match: " hoch "),
    Rule(
        re.compile(
            rf"(?<=[^\W_]{SPACE})(?P<sign>[=+−·×<>≤≥≠≈*])(?={SPACE}[\w(√−-])"
            rf"|(?<=[^\W_])(?P<tight>[=≤≥≠≈·×])(?=[\w(√−-])"
        ),
        lambda match: _SIGNS[match["sign"]] if match["sign"] else f" {_SIGNS[match['tight']]} ",
    ),
    Rule(
        re.compile(r"(?<![\w@./&])(?P<capitals>[A-ZÄÖÜ]{2,6})(?P<plural>s)?(?![\w@&]|\.\w)"),
        _spell,
    ),
)
