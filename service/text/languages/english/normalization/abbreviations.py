"""Abbreviations with a dot, and some without."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    text_after,
    text_before,
    word_before,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

# Before a name.
_TITLES = {
    "Mr": "Mister",
    "Mrs": "Missus",
    "Ms": "Miz",
    "Messrs": "Messieurs",
    "Prof": "Professor",
    "Gen": "General",
    "Col": "Colonel",
    "Maj": "Major",
    "Capt": "Captain",
    "Cpt": "Captain",
    "Cmdr": "Commander",
    "Lt": "Lieutenant",
    "Sgt": "Sergeant",
    "Cpl": "Corporal",
    "Pvt": "Private",
    "Adm": "Admiral",
    "Rev": "Reverend",
    "Fr": "Father",
    "Hon": "Honorable",
    "Sen": "Senator",
    "Rep": "Representative",
    "Gov": "Governor",
    "Pres": "President",
    "Supt": "Superintendent",
    "Mt": "Mount",
    "Ft": "Fort",
    "Mme": "Madame",
    "Mlle": "Mademoiselle",
}
_OF_LABELS = {"Det": "Detective", "Dr": "Doctor", "Ofc": "Officer", "Insp": "Inspector"}
_ROLES = {"ANNCR": "Announcer", "NARR": "Narrator", "INTVR": "Interviewer"}
_PLACES = {"I": "interior", "E": "exterior", "INT": "interior", "EXT": "exterior"}
# Before a number.
_NUMBERED = {
    "no": "number",
    "nos": "numbers",
    "vol": "volume",
    "vols": "volumes",
    "p": "page",
    "pp": "pages",
    "pt": "part",
    "pg": "page",
    "pgs": "pages",
    "fig": "figure",
    "figs": "figures",
    "ch": "chapter",
    "chap": "chapter",
    "sec": "section",
    "art": "article",
    "ca": "circa",
    "c": "circa",
    "eq": "equation",
    "eqs": "equations",
    "ver": "version",
    "apt": "apartment",
    "rm": "room",
    "rte": "route",
    "ext": "extension",
    "tel": "telephone",
    "cf": "compare",
    "b": "born",
    "d": "died",
}
_INSIDE = {
    "e.g": "for example",
    "i.e": "that is",
    "viz": "namely",
    "cf": "compare",
    "approx": "approximately",
    "vs": "versus",
    "a.k.a": "also known as",
    "incl": "including",
    "est": "established",
    "esp": "especially",
    "ca": "circa",
}
_OPEN_ENDED = {
    "etc": "et cetera",
    "et al": "and others",
    "dept": "department",
    "Dept": "Department",
    "govt": "government",
    "Govt": "Government",
    "Inc": "Incorporated",
    "Ltd": "Limited",
    "Co": "Company",
    "Corp": "Corporation",
    "Bros": "Brothers",
    "Jr": "Junior",
    "Sr": "Senior",
    "Esq": "Esquire",
    "Ave": "Avenue",
    "Blvd": "Boulevard",
    "Rd": "Road",
    "Hwy": "Highway",
    "Pkwy": "Parkway",
    "Assn": "Association",
    "Assoc": "Associates",
    "Univ": "University",
    "Ph.D": "PhD",
    "Mfg": "Manufacturing",
    "misc": "miscellaneous",
    "Intl": "International",
}
_UNDOTTED = {
    "Mr": "Mister",
    "Mrs": "Missus",
    "Ms": "Miz",
    "Dr": "Doctor",
    "Prof": "Professor",
    "Mt": "Mount",
}
_STARTERS = (
    "The|Then|There|This|That|These|Those|He|She|It|We|They|I|You|A|An|But|And|So|In|On|At|When|What"
    "|Who|Why|How|If|As|His|Her|Its|Our|My|Their|Your|After|Before|While|With|For|From|No|Yes|Not"
    "|Now|Some|Many|Most|All|One|Please|Turn|Go|Is|Are|Do|Did|Was|Were|Will|Can"
)
_SAINTS = (
    "Albans?|Andrews?|Anne?|Anthony|Augustine|Barts?|Bartholomew|Benedict|Bernard|Bernadette|Brigid"
    "|Catharines|Catherine|Cecilia|Charles|Christopher|Clair|Clare|Claire|Clement|Cloud|Croix|David|Denis"
    "|Dominic|Elizabeth|Elmo|Francis|Gallen|Gabriel|George|Germain|Gregory|Helena|Helens|Helier"
    "|Ignatius|Ives|James|Jerome|Joan|Joe|John|Johns|Joseph|Jude|Kilda|Kitts|Laurent|Lawrence|Leonard|Louis|Lucia"
    "|Lucie|Luke|Margaret|Mark|Martin|Mary|Marys|Matthew|Maarten|Michael|Monica|Moritz|Nicholas|Nick"
    "|Olaf|Pancras|Patrick|Paul|Pauls|Peter|Peters|Petersburg|Petersburgh|Pete|Pierre|Raphael|Sebastian"
    "|Simon|Stephen|Teresa|Thomas|Tropez|Valentine|Vincent|Vitus"
)
_KEPT_APART = {"c", "b", "d", "p", "no"}

_ALWAYS = "Mr|Mrs|Ms|Messrs"
_SOLID = re.compile(
    rf"\b(?P<title>(?:{_ALWAYS})(?=\.)|(?:{'|'.join(_TITLES)})(?=\.[^\S\n]*[A-Z]))\."
)
# What a screenplay or a transcript has in capitals, at the beginnings of lines.
_LABELLED = re.compile(
    rf"(?m:^)(?P<title>{'|'.join(_TITLES | _OF_LABELS).upper()})\.?[ ]"
    r"(?P<names>[A-Z]{2,}(?:[ '’-][A-Z]{2,}){0,3})(?=[ ]?[(:])"
)
_ROLE = re.compile(rf"(?m:^)(?P<role>{'|'.join(_ROLES)})\.?(?=[ ]?[(:])")
_SLUGLINE = re.compile(
    r"(?m:^)(?P<first>INT|EXT|I)(?:\.?/(?P<second>INT|EXT|E))?\.?[ ](?=[A-Z'’]{3})"
)
_SOLID_UNDOTTED = re.compile(r"\b(?P<title>Mrs?|Ms|Dr|Prof|Mt)(?=[ ][A-Z][a-z])")
_DOCTOR = re.compile(r"\bDr\.")
_SAINT = re.compile(rf"\bSt\b\.?(?=[ -](?:{_SAINTS})\b)|\bSte\.(?=[ ][A-Z])|\bSts\.(?=[ ][A-Z])")
_STREET = re.compile(r"\bSt\.")
_ROAD = re.compile(
    r"\b(?P<road>St|Ave|Blvd|Rd|Hwy|Pkwy)(?=[,;)\n]|\s*\Z|[ ](?:and|in|at|is|near|to|by)(?!\w))"
)
_BEFORE_NUMBER = re.compile(
    r"\b(?<![.'’-])(?P<word>[Nn]os?|NO|[Vv]ols?|[Pp]p?|[Pp]gs?|[Ff]igs?|Pt"
    r"|[Cc]h(?:ap)?|[Ss]ec|[Aa]rt|[Cc]a?|[Ee]qs?"
    r"|[Vv]er|[Aa]pt|[Rr]m|[Rr]te|[Ee]xt|[Tt]el|cf|[bd])\.[ ]?(?=[#(]?[0-9])"
)
_BEFORE_NUMERAL = re.compile(
    r"\b(?P<word>[Vv]ol|[Ff]ig|[Cc]h(?:ap)?|[Ss]ec|[Aa]rt)\.(?=[ ][IVXL]+\b)"
)
_GOES_ON = re.compile(
    r"\b(?P<word>[Ee]\.[ ]?g|[Ii]\.[ ]?e|[Vv]iz|cf|[Aa]pprox|[Vv]s|[Aa]\.k\.a|incl|[Ee]st|esp"
    r"|[Cc]a)\.(?!\w)"
)
_MAY_END = re.compile(
    r"\b(?P<word>[Ee]tc|et[ ]al|[Dd]ept|[Gg]ovt|Inc|Ltd|Co|Corp|Bros|[JS]r|Esq|Ave|Blvd|Rd|Hwy|Pkwy"
    r"|Assn|Assoc|Univ|Ph\.D|Mfg|misc|Intl)\.(?!\w)"
)
_VERSUS = re.compile(r"(?<=[a-z.][ ])v(?:s\b)?\.?(?=[ ][A-Z])|\bvs(?!\w)")
_WITH = re.compile(r"\bw/(?P<out>o\b)?(?P<gap>[ ]?)")
_CARE_OF = re.compile(r"\bc/o\b")
_BECAUSE = re.compile(r"\bb/c\b")
_UNDOTTED_WORDS = re.compile(r"\b(?P<word>a\.?k\.?a|approx|dept|govt|etc|Ltd)(?=[ ,;:)]|\Z)")
_NORTHERLY = re.compile(r"(?<=[0-9][ ])(?P<side>[NSEW])\.(?=[ ][A-Z0-9])")
_SIDES = {"N": "North", "S": "South", "E": "East", "W": "West"}
# `5 miles N of town`; without a unit only before what must be a place, since `20 N` are newtons.
_SIDE_OF = re.compile(r"(?<=[a-z0-9.)][ ])(?P<side>[NS]{1,2}[EW]|[EW][NS][EW]|[NSEW])(?=[ ]of[ ])")
_DISTANCE = re.compile(
    r"[0-9½¼¾][ ]?(?:mi|km|m|ft|nm|NM|yd|nmi)?\.?[ ]\Z|\b(?:miles?|kilomet(?:er|re)s?"
    r"|met(?:er|re)s?|feet|yards?|blocks?|leagues?|minutes?|hours?|mins?|hrs?|just)[ ]\Z"
)
_NO_UNIT = re.compile(r"[0-9½¼¾][ ]\Z")
_PLACE = re.compile(
    r"(?:(?:the|our|this|that|my|your|its|their|an?)[ ](?:[a-z]+[ ])?(?:town|city|village|centre"
    r"|center|border|river|lake|bridge|coast|park|highway|station|airport|harbou?r|island|equator"
    r"|line|road|house|farm|hotel|campus|base|camp|capital|epicent(?:er|re)|mountains?|creek|pass"
    r"|interstate|junction|tracks|church|school|port|shore|mine|dam|site)(?!\w)"
    r"|town|downtown|here|there|home|camp|[A-Z][a-z]{2})"
)
_COMPASS = {"N": "north", "S": "south", "E": "east", "W": "west"}

_ENDS_HERE = re.compile(r"[”\"’')]*\s*(?:\n|\Z)")
_STARTS_NEXT = re.compile(rf"[”\"’')]*\s+[“\"‘'(]*(?:{_STARTERS})(?!\w)")
_CAPITAL_NEXT = re.compile(r"[”\"’')]*\s+[“\"‘'(]*[A-Z]")
_NAME_BEFORE = re.compile(
    r"(?:[A-Z][\w'’]+|[0-9]+(?:st|nd|rd|th)|[A-Z]\.?|[a-z]+(?:st|nd|rd|th))[ ]\Z"
)
_ADDRESS = re.compile(r"[0-9][A-Z]?[ ](?:[A-Z][\w'’]*[ ]){1,3}\Z")
_FLAT_NEXT = re.compile(r",?\s+(?:Apartment|Apt|Suite|Unit|Building|[NS][EW]\b)")
_NO_STREET_BEFORE = re.compile(
    r"\b(?:The|In|At|On|To|From|Near|Of|And|By|For|Visit|Mount|Lake|Port|Fort|Cathedral|Through|Via"
    r"|When|Like|Of)[ ]\Z"
)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for abbreviations."""

    def solid(match: re.Match[str]) -> str:
        words = _TITLES[match["title"]]
        if numbers.british and words == "Honorable":
            words = "Honourable"
        return words

    return (
        Rule(_GOES_ON, _goes_on),
        Rule(_BEFORE_NUMBER, _before_number),
        Rule(
            _BEFORE_NUMERAL, lambda match: _cased(match["word"], _NUMBERED[match["word"].lower()])
        ),
        Rule(_LABELLED, _labelled),
        Rule(_ROLE, lambda match: _ROLES[match["role"]]),
        Rule(_SLUGLINE, _slugline),
        Rule(_SOLID, solid),
        Rule(_SOLID_UNDOTTED, lambda match: _UNDOTTED[match["title"]]),
        Rule(_DOCTOR, _doctor),
        Rule(_SAINT, _saint),
        Rule(_STREET, _street),
        Rule(_ROAD, _road),
        Rule(_MAY_END, _may_end),
        Rule(_VERSUS, _versus),
        Rule(_WITH, _with),
        Rule(_CARE_OF, lambda match: "care of"),
        Rule(_BECAUSE, lambda match: "because"),
        Rule(_UNDOTTED_WORDS, _undotted),
        Rule(_NORTHERLY, lambda match: _SIDES[match["side"]]),
        Rule(_SIDE_OF, _side_of),
    )


def _labelled(match: re.Match[str]) -> str:
    """Return the title and the name of who speaks, which are no acronyms: `DET. RUIZ:`."""
    title = match["title"].title()
    return f"{_OF_LABELS.get(title) or _TITLES[title]} {match['names'].title()}"


def _slugline(match: re.Match[str]) -> str | None:
    """Return where a scene is: `EXT. HARBOR - DAY`, `INT./EXT. CAR`."""
    if match["first"] == "I" and match["second"] is None:
        return None
    places = (_PLACES[one] for one in match.group("first", "second") if one is not None)
    return f"{' and '.join(places)} ".capitalize()


def _side_of(match: re.Match[str]) -> str | None:
    """Return the side that a place lies on; None where the letter is a unit or a name."""
    before, side = text_before(match), match["side"]
    if _DISTANCE.search(before) is None:
        return None
    may_be_unit = len(side) == 1 and _NO_UNIT.search(before) is not None
    if may_be_unit and _PLACE.match(text_after(match), len(" of ")) is None:
        return None
    first, *others = (_COMPASS[letter] for letter in side)
    return f"{first}{'-' if len(others) > 1 else ''}{''.join(others)}"


def _cased(written: str, words: str) -> str:
    """Return the words, with a capital if the abbreviation has one."""
    return words[0].upper() + words[1:] if written[0].isupper() else words


def _goes_on(match: re.Match[str]) -> str:
    word = match["word"].replace(" ", "")
    return _cased(word, _INSIDE[word.lower()])


def _before_number(match: re.Match[str]) -> str | None:
    word = match["word"].lower()
    if word in _KEPT_APART and match["word"].isupper():
        # `J. C. 5` and `P. 5` are initials or enumerations; `NO. 5` is a number.
        return "Number " if word == "no" else None
    return _cased(match["word"], _NUMBERED[word]) + " "


def _road(match: re.Match[str]) -> str | None:
    before = text_before(match)
    if _NAME_BEFORE.search(before) is None or _NO_STREET_BEFORE.search(before):
        return None
    return "Street" if match["road"] == "St" else _OPEN_ENDED[match["road"]]


def _may_end(match: re.Match[str]) -> str:
    word = match["word"]
    words = _OPEN_ENDED.get(word) or _cased(word, _OPEN_ENDED[word.lower()])
    return words + _full_stop(match, any_capital=word[0].islower())


def _full_stop(match: re.Match[str], *, any_capital: bool = False) -> str:
    """Return the dot of an abbreviation if it also ends the sentence."""
    after = text_after(match)
    starts = _CAPITAL_NEXT if any_capital else _STARTS_NEXT
    return "." if _ENDS_HERE.match(after) or starts.match(after) else ""


def _doctor(match: re.Match[str]) -> str:
    before, after = text_before(match), text_after(match)
    named = _NAME_BEFORE.search(before) is not None
    name_follows = re.match(r"\s+[A-Z]", after) is not None and not _STARTS_NEXT.match(after)
    if named and (not name_follows or _ADDRESS.search(before) or _FLAT_NEXT.match(after)):
        return "Drive" + _full_stop(match)
    return "Doctor"


def _saint(match: re.Match[str]) -> str | None:
    before = text_before(match)
    if match[0].startswith("Sts"):
        return "Saints"
    # `123 Main St, John said`: a mark separates street and name, so a space never does.
    if re.search(r"[0-9][ ][A-Z][a-z]+[ ]\Z", before) and "." not in match[0]:
        return None
    return "Saint"


def _street(match: re.Match[str]) -> str:
    before, after = text_before(match), text_after(match)
    name_follows = re.match(r"[ ][A-Z][a-z]", after) is not None
    named = _NAME_BEFORE.search(before) is not None and not _NO_STREET_BEFORE.search(before)
    if name_follows and not named:
        return "Saint"
    return "Street" + _full_stop(match)


def _versus(match: re.Match[str]) -> str | None:
    is_letter = match[0].startswith("v") and "s" not in match[0]
    return None if is_letter and not word_before(match)[:1].isupper() else "versus"


def _with(match: re.Match[str]) -> str:
    word = "without" if match["out"] else "with"
    return word + (match["gap"] or ("" if match["out"] else " "))


def _undotted(match: re.Match[str]) -> str:
    word = match["word"].replace(".", "")
    return "also known as" if word == "aka" else _OPEN_ENDED.get(word) or _INSIDE[word]
