"""Gender of nouns, and the endings of `ein` and of ordinals that the words around them tell."""

from __future__ import annotations

import re

from num2words import CONVERTER_CLASSES

from service.text.normalization.locale import words

_FEMININE = re.compile(
    r"(?:ung|heit|keit|schaft|ion|tät|ik|ur|anz|enz|ei|ie|in|nacht|zeit|stadt|liga|bahn|frau|wahl"
    r"|zahl|hand|welt|tür|spur|fahrt|schicht|runde|e)\Z"
)
_FEMININE_NOUNS = frozenset(
    words("nacht zeit stadt liga bahn frau wahl zahl hand welt tür spur fahrt mark person wohnung")
)
_NEUTER = re.compile(
    r"(?:chen|lein|ment|tum|ium|jahr|jahrhundert|jahrtausend|viertel|drittel|mal|kapitel|buch|kind"
    r"|haus|spiel|tor|semester|quartal|geschoss|gebot"
    r"|werk|stück|bild|lied|zimmer|dutzend|paar|gleis"
    r"|bier|brot|ei|foto|ticket|auto|glas|blatt|wort|land|bett|team|finale|halbjahr|lebensjahr"
    r"|ende|auge|interesse|gebäude|gemüse|kilo|gramm|kilogramm|pfund|prozent|mädchen|bein|tal)\Z"
)
_MASCULINE = re.compile(
    r"(?:käse|name|junge|kollege|kunde|buchstabe|gedanke|affe|hase|neffe|löwe|ling|ismus|termin"
    r"|stein|verein|schein|wein|berlin|partei\b|geburtstag|brei)\Z"
)

_ENDING_N = frozenset(
    words(
        "am im vom zum beim zur den dem des ab seit bis nach vor mit von bei aus zu gegenüber pro"
        " je unterm überm hinterm"
    )
)
_ENDING_E = frozenset(words("die das ins ans aufs fürs ums durchs diese dieses jede jedes jenes"))
_STEMS = "ein|kein|mein|dein|sein|ihr|unser|unsr|euer|eur|jed|dies|jen|welch|all|manch|solch"
_OBLIQUE = re.compile(rf"(?:{_STEMS})(?:en|em|es)\Z")
_OF_OTHERS = re.compile(r"(?:ein|kein|mein|dein|sein|ihr|unser|unsr|eur)er\Z")
_WITHOUT_ENDING = re.compile(r"(?:ein|kein|mein|dein|sein|ihr|unser|euer)\Z")
_WITH_E = re.compile(rf"(?:{_STEMS})e\Z")
_WITH_R = re.compile(r"(?:der|dieser|jeder|jener|welcher)\Z")
_WORD = re.compile(r"[^\W\d_]+|[,;:.!?()\n]")
_COORDINATED = re.compile(
    r"(?:(?:[0-9]{1,3}\.){1,2}|[a-zäöüß]+(?:te|ten|ter|tes)(?:[ ][A-ZÄÖÜ][a-zä]{2,8})?)"
    r"(?:[ ]?[-–—/][ ]?|,[ ]|[ ](?:und|oder|bis|sowie|bzw\.)[ ])\Z"
)
_DATIVE = frozenset(words("mit von aus bei nach seit zu ab zum zur vom beim nebst samt außer"))
_BEFORE_DATIVE = _DATIVE | frozenset(words("in an auf unter über vor hinter neben zwischen im am"))
_ADVERBS = frozenset(
    words(
        "nur etwa rund genau ungefähr mindestens höchstens jeweils noch knapp circa fast nun"
        " schon maximal gut insgesamt gerade"
    )
)
_COPULAS = frozenset(words("ist war bleibt wird fehlt reicht heißt kommt entspricht gilt wäre"))
_REACH = 80

ORDINAL_STEM_END = 1
"""`zweite` without its ending is `zweit`."""


def gender(noun: str) -> str:
    """Return `m`, `f` or `n` for a noun, by its end; most that tell nothing are masculine."""
    low = noun.lower()
    if _MASCULINE.search(low):
        return "m"
    if _NEUTER.search(low):
        return "n"
    if low in _FEMININE_NOUNS or (len(low) > 3 and _FEMININE.search(low)):
        return "f"
    return "m"


def ordinal(value: int, ending: str) -> str:
    """Return an ordinal, such as `dritten` for 3 and `en`."""
    word = str(CONVERTER_CLASSES["de"].to_ordinal(value))
    if word.startswith(("einhundert", "eintausend")):
        word = word.removeprefix("ein")
    return word[:-ORDINAL_STEM_END] + ending


def ordinal_ending(before: str, noun: str) -> str:
    """Return the ending that an ordinal has.

    Args:
        before: the text before it.
        noun: after it; empty if none is.
    """
    before = before[-_REACH:]
    for _ in range(4):
        joined = _COORDINATED.search(before)
        if joined is None:
            break
        before = before[: joined.start()]
    found = _WORD.findall(before.lower())
    last = found[-1] if found else ""
    kind = gender(noun) if noun else "m"
    if last in _ENDING_N or _OBLIQUE.search(last):
        return "en"
    if last in _ENDING_E or _WITH_E.search(last):
        return "e"
    if _OF_OTHERS.search(last):
        return "en"
    if _WITH_R.search(last):
        is_oblique = kind == "f" or (len(found) > 1 and found[-2] in _BEFORE_DATIVE)
        return "en" if is_oblique else "e"
    if last == "," and len(found) > 1 and found[-2].endswith(("tag", "woch", "abend")):
        return "en" if any(word in _ENDING_N for word in found[-5:-2]) else "er"
    if _WITHOUT_ENDING.search(last) or not noun:
        return {"m": "er", "n": "es", "f": "e"}[kind]
    if last in ("in", "an", "auf", "unter", "über"):
        return "er" if kind == "f" else "em"
    return {"m": "er", "n": "es", "f": "e"}[kind]


def has_determiner(before: str) -> bool:
    """Tell whether a word before a figure with a stop makes it an ordinal."""
    joined = _COORDINATED.search(before[-_REACH:])
    if joined is not None:
        return has_determiner(before[-_REACH:][: joined.start()])
    found = _WORD.findall(before[-_REACH:].lower())
    last = found[-1] if found else ""
    return before[-1:].isspace() and bool(
        last in (_ENDING_N | _ENDING_E) - {"je", "pro", "zu", "von", "mit", "nach", "bei", "aus"}
        or any(
            pattern.search(last)
            for pattern in (_OBLIQUE, _OF_OTHERS, _WITHOUT_ENDING, _WITH_E, _WITH_R)
        )
    )


def case(before: str) -> str:
    """Return `nominative`, `accusative` or `dative` for an amount after this text."""
    found = re.findall(r"[^\W\d_]+|[,;:.!?()\n]", before[-_REACH:])
    is_joined = False
    sentence: list[str] = []
    for word in reversed(found):
        if word in ".!?;:\n":
            break
        sentence.append(word.lower())
    for word in reversed(found):
        low = word.lower()
        if low in _DATIVE:
            return "dative"
        if low in ("für", "um", "ohne", "gegen", "durch", "pro", "auf", "über", "je"):
            return "accusative"
        if low in ("und", "oder", ","):
            is_joined = True
        elif low not in _ADVERBS and not (is_joined and word[0].isupper()):
            break
    if not sentence or any(word in _COPULAS for word in sentence):
        return "nominative"
    return "accusative" if any(word.isalpha() for word in sentence) else "nominative"


def one(before: str, kind: str) -> str:
    """Return the form of `ein` before a noun of a gender."""
    forms = {
        "nominative": {"m": "ein", "n": "ein", "f": "eine"},
        "accusative": {"m": "einen", "n": "ein", "f": "eine"},
        "dative": {"m": "einem", "n": "einem", "f": "einer"},
    }
    return forms[case(before)][kind]
