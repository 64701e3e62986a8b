"""Shortened words of forms, labels, addresses, memos and tables, many of which need a context."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.calendar import MONTH, WEEKDAY_NAMES
from service.text.languages.english.normalization.notation import text_after, text_before, word_set
from service.text.normalization.rules import Rule

# With a dot; no other word has this spelling.
_DOTTED = {
    "avg": "average",
    "bldg": "building",
    "mgr": "manager",
    "doz": "dozen",
    "sched": "scheduled",
    "para": "paragraph",
    "paras": "paragraphs",
    "exc": "except",
    "qty": "quantity",
    "pcs": "pieces",
    "pkg": "package",
    "pkgs": "packages",
    "appt": "appointment",
    "appts": "appointments",
    "attn": "attention",
    "acct": "account",
    "amt": "amount",
    "addr": "address",
    "asst": "assistant",
    "atty": "attorney",
    "cert": "certificate",
    "cont": "continued",
    "cont'd": "continued",
    "dist": "district",
    "div": "division",
    "equiv": "equivalent",
    "excl": "excluding",
    "freq": "frequency",
    "hosp": "hospital",
    "hwy": "highway",
    "ins": "insurance",
    "inst": "institute",
    "intro": "intro",
    "maint": "maintenance",
    "mkt": "market",
    "mtg": "meeting",
    "nat'l": "national",
    "natl": "national",
    "int'l": "international",
    "orig": "original",
    "pkwy": "parkway",
    "prev": "previous",
    "recd": "received",
    "rec'd": "received",
    "ref": "reference",
    "reg": "regular",
    "req": "required",
    "reqd": "required",
    "sch": "school",
    "spec": "specification",
    "specs": "specifications",
    "std": "standard",
    "svc": "service",
    "temp": "temperature",
    "tot": "total",
    "trans": "translated",
    "vac": "vacation",
    "wknd": "weekend",
    "yrs": "years",
    "wk": "week",
    "wks": "weeks",
    "mos": "months",
    "hrs": "hours",
    "mins": "minutes",
    "secs": "seconds",
    "lbs": "pounds",
    "wt": "weight",
    "ht": "height",
    "vol": "volume",
    "sqn": "squadron",
    "supv": "supervisor",
    "cir": "circuit",
    "crim": "criminal",
    "jct": "junction",
}
# Without a dot as well.
_UNDOTTED = (
    "avg|bldg|mgr|qty|pcs|pkg|appts?|acct|amt|attn|hwy|mtg|sched|wknd|wks|yrs|rec'd|int'l|nat'l"
    "|cont'd|natl|reqd|bldgs|pkwy"
)
_UNDOTTED_ALSO = {"bldgs": "buildings"}
_SHORT = re.compile(
    r"\b(?=[A-Za-z']{2,7}\.)"
    rf"(?P<word>{'|'.join(sorted(map(re.escape, _DOTTED), key=len, reverse=True))})\.(?!\w|\.)",
    re.IGNORECASE,
)
# Words themselves: shortened only where something small or a number follows.
_WORDS_TOO = word_set(
    "def ins intro reg req spec specs temp trans vac ref cert dist div para paras hrs mins "
    "secs lbs wt ht inst cir vol"
)
# A name may follow inside the sentence.
_BEFORE_NAME = word_set("exc excl attn equiv avg bldg ref orig asst mgr")
# Before a number or a colon only: `temp. 21`, but `a temp. worker`.
_AMBIGUOUS = word_set("temp ref reg spec trans cert dist div inst ins")
_LABELLED = re.compile(r"[ ](?:[a-z0-9#(]|No\b)|[,:;]")
_MARK = re.compile(r"\bM[kK]\.?(?=[ ](?:[IVX]{1,4}|[0-9]{1,2})(?!\w))")
_YEARS_OLD = re.compile(
    r"(?<=[0-9])[ -]?(?:y/?o|yo)(?!\w)(?P<noun>(?=[ ](?:[MF](?!\w)|man|woman|male|female"
    r"|boy|girl|patient|child)))?"
)
_SEX = re.compile(r"(?<=-year-old )(?P<sex>[MF])(?!\w)")
_HISTORY = re.compile(r"\b[hH]x(?=[ ]of)")
_BEFORE_NUMBERS = {
    "op": "opus", "lat": "latitude", "long": "longitude", "lon": "longitude", "dep": "departs",
    "arr": "arrives", "rev": "revenue", "ed": "edition", "par": "paragraph", "prob": "problem",
    "ex": "exercise", "bk": "book", "ln": "line", "pos": "position", "pop": "population",
    "alt": "altitude", "elev": "elevation", "tr": "track", "wk": "week", "lvl": "level",
    "exp": "expires", "sn": "serial number", "flt": "flight", "blk": "block", "cl": "clause",
    "reg": "regulation", "amend": "amendment", "cat": "category", "diam": "diameter",
}  # fmt: skip
_BY_NUMBER = re.compile(
    rf"\b(?P<word>{'|'.join(_BEFORE_NUMBERS)})\.(?=[ ]?[$£€~#]?[0-9])", re.IGNORECASE
)
_CUPS = re.compile(r"(?<=[0-9½¼¾⅓⅔][ ])(?P<one>(?<=(?<![0-9/ ])1[ ]))?c\.[ ](?=[a-z])")
_SIZES = {"lg.": "large", "sm.": "small", "med.": "medium", "sml.": "small", "lge.": "large"}
_SIZE = re.compile(r"(?<=[0-9½¼¾][ ])(?P<size>lge?\.|sml?\.|med\.)(?=[ ][a-z])")
_ESTIMATE_AFTER = re.compile(r"(?<=[0-9%KMB][ ])est\.(?![ ]?[0-9])")
_MOST = re.compile(r"(?<=[0-9][ ][a-zA-Z][ ])(?P<word>max|min)(?:\.(?!\w)|(?![\w.]))")
_BARE = re.compile(rf"\b(?P<word>{_UNDOTTED})(?![\w.'’-])", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?P<word>[Mm]ax|[Mm]in)\.?(?=[ ]?(?::|[0-9]|of[ ][0-9])|\.?[ ][a-z])")
_LIMITS = {"max": "maximum", "min": "minimum"}
_LIMIT_AFTER = re.compile(r"[0-9][ ]\Z")
_NOUN_NEXT = re.compile(
    r"[ ](?:age|temp|temperature|speed|height|weight|width|length|price|score|value"
    r"|order|bid|wage|load"
    r"|capacity|dose|size|rate|pressure|power|depth|number|amount|time|stay|of|per|distance|qty"
    r"|quantity|occupancy|grade|requirements?|payment|balance|spend|purchase|bet|stake)(?!\w)"
)
_FLOOR = re.compile(r"\b(?P<word>Fl)\.(?=[ ]?[0-9])|(?<=[0-9](?:st|nd|rd|th)[ ])[Ff]l\.?(?!\w)")
_EACH = re.compile(r"(?<=[0-9a-z][ ])ea\.?(?!\w)")
_ESTIMATED = re.compile(r"\b(?P<word>[Ee]st)\.(?=[ ](?:[a-z]|[$£€~][0-9])|[ ]?:)")
_TIME_ZONE = re.compile(r"[0-9m.][ ]\Z")
_REGARDING = re.compile(r"(?m)^(?P<word>R[Ee])(?=:[ ])")
_UNITED = re.compile(r"(?:(?<=[a-z][ ])|(?m:^))Utd\.?(?!\w)")
_WEDNESDAY = re.compile(r"(?<=\bSheff[ ])Wed\b(?!\.)")
_NOTTINGHAM = re.compile(r"\bNott(?:m|['’]m)(?=[ ]Forest\b)")
_NEXT_WEEK = re.compile(r"(?<=[a-z][ ])(?P<word>wk|mo|yr)(?=[.,;:!?)]|\Z|[ ][a-z])")
_WEEK_BEFORE = re.compile(
    r"\b(?:next|last|this|per|a|each|every|the|past|prev|previous|one|half)[ ]\Z", re.IGNORECASE
)
_SPANS = {"wk": "week", "mo": "month", "yr": "year"}
_READ_BY_LETTER = re.compile(r"\b(?:TL;?DR|tl;?dr)(?!\w)")
_WEEKDAY = re.compile(r"\b(?P<day>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.(?!\w)")
_DAY_BEFORE = re.compile(
    r"\b(?:on|by|until|till|from|next|last|this|every|each|since|and|or|to|closed|open"
    r"|before|after|late|early)"
    r"[ ]\Z|[-–][ ]?\Z",
    re.IGNORECASE,
)
_DATE_NEXT = re.compile(rf"[ ](?:[0-9]|{MONTH}(?!\w))")
_QUADRANT = re.compile(
    r"(?P<road>\b(?:Ave|St|Rd|Blvd|Dr|Ln|Ct|Pl|Street|Avenue|Road|Drive|Lane|Boulevard|Place|Court"
    r"|Way)\.?[ ])?\b(?P<side>NW|NE|SW|SE|N\.W\.|N\.E\.|S\.W\.|S\.E\.)(?!\w)"
)
_QUADRANTS = {"NW": "Northwest", "NE": "Northeast", "SW": "Southwest", "SE": "Southeast"}
_ROADS = {
    "Ave": "Avenue",
    "St": "Street",
    "Rd": "Road",
    "Blvd": "Boulevard",
    "Dr": "Drive",
    "Ln": "Lane",
    "Ct": "Court",
    "Pl": "Place",
    "Hwy": "Highway",
    "Sq": "Square",
    "Ter": "Terrace",
    "Cres": "Crescent",
}
_ADDRESS_ROAD = re.compile(
    r"\b(?P<road>Ln|Ct|Pl|Sq|Ter|Cres)\.?(?=[,;)\n]|\s*\Z|[ ](?:and|in|at|is|near|to"
    r"|by|Apt|Unit)(?!\w)"
    r"|[ ][A-Z])"
)
_HOUSE_BEFORE = re.compile(r"[0-9][A-Za-z]?[ ](?:[NSEW]\.?[ ])?(?:[A-Z][\w'’]*[ ]){1,3}\Z")
_VERSUS = re.compile(r"(?<=[A-Za-z.)][ ])v\.?(?=[ ][A-Z])")
_CASE = re.compile(r"\b[A-Z][\w'’&.-]*[ ]\Z")
_ASAP = re.compile(r"\basap(?!\w)")
_SENTENCE_ENDS = re.compile(r"[”\"’')]*(?:\s*\Z|\s*\n|\s+[“\"‘'(]*[A-Z])")


def rules() -> tuple[Rule, ...]:
    """Return the rules for shortened words. They come before those for other abbreviations."""
    return (
        Rule(_YEARS_OLD, lambda match: "-year-old" if match["noun"] is not None else " years old"),
        Rule(_SEX, lambda match: "male" if match["sex"] == "M" else "female"),
        Rule(_HISTORY, lambda match: "history"),
        Rule(_BY_NUMBER, _by_number),
        Rule(_CUPS, lambda match: "cup " if match["one"] else "cups "),
        Rule(_SIZE, lambda match: _SIZES[match["size"]]),
        Rule(_ESTIMATE_AFTER, lambda match: "estimate" + _stop(match)),
        Rule(_MOST, lambda match: _LIMITS[match["word"].lower()] + _stop(match)),
        Rule(_READ_BY_LETTER, lambda match: "T L D R"),
        Rule(_MARK, lambda match: "Mark"),
        Rule(_ASAP, lambda match: "ASAP"),
        Rule(_REGARDING, lambda match: "Regarding"),
        Rule(_QUADRANT, _quadrant),
        Rule(_ADDRESS_ROAD, _road),
        Rule(_ESTIMATED, _estimated),
        Rule(_LIMIT, _limit),
        Rule(_FLOOR, lambda match: "Floor" if match["word"] else "floor"),
        Rule(_EACH, lambda match: "each" + (_stop(match) if match[0].endswith(".") else "")),
        Rule(_UNITED, lambda match: "United" + (_stop(match) if match[0].endswith(".") else "")),
        Rule(_WEDNESDAY, lambda match: "Wednesday"),
        Rule(_NOTTINGHAM, lambda match: "Nottingham"),
        Rule(_VERSUS, _versus),
        Rule(_WEEKDAY, _weekday),
        Rule(_NEXT_WEEK, _next_week),
        Rule(_SHORT, _short),
        Rule(_BARE, _bare),
    )


def _stop(match: re.Match[str]) -> str:
    """Return the dot of an abbreviation if it also ends the sentence."""
    after = text_after(match)
    return "." if _SENTENCE_ENDS.match(after) and not after.startswith(",") else ""


def _cased(written: str, words: str) -> str:
    return words[0].upper() + words[1:] if written[0].isupper() else words


def _short(match: re.Match[str]) -> str | None:
    word, after = match["word"], text_after(match)
    if word.isupper() and len(word) > 1:
        return None
    small = word.lower()
    if small in _WORDS_TOO and not _LABELLED.match(after):
        return None
    if small in _AMBIGUOUS and not re.match(r"[ ]?[0-9#]|:|[ ](?:range|sensor|no)(?!\w)", after):
        return None
    # A title before a name, such as `Ref. Smith`, keeps no dot; a sentence's end does.
    ends = _SENTENCE_ENDS.match(after) if word[0].islower() else re.match(r"\s*(?:\n|\Z)", after)
    inside = small in _BEFORE_NAME and text_after(match).strip() != ""
    return _cased(word, _DOTTED[small]) + ("." if ends and not inside else "")


def _bare(match: re.Match[str]) -> str | None:
    word = match["word"]
    if not word[1:].islower() and "'" not in word:
        return None
    words = _UNDOTTED_ALSO.get(word.lower()) or _DOTTED[word.lower()]
    return _cased(word, words)


def _limit(match: re.Match[str]) -> str | None:
    after = text_after(match)
    dotted = match[0].endswith(".")
    if _LIMIT_AFTER.search(text_before(match)) and match["word"].lower() == "min":
        return None
    is_limit = re.match(r"[ ]?(?::|[0-9])", after) or _NOUN_NEXT.match(after)
    if not is_limit and not (dotted and match["word"].islower()):
        return None
    if not dotted and not _NOUN_NEXT.match(after) and not after.startswith(":"):
        return None
    return _cased(match["word"], _LIMITS[match["word"].lower()])


def _estimated(match: re.Match[str]) -> str | None:
    if match["word"] == "EST" or _TIME_ZONE.search(text_before(match)):
        return None
    # `est. by John` was founded.
    if re.match(r"[ ](?:by|in|circa|c\.|ca\.)(?!\w)", text_after(match)):
        return None
    return _cased(match["word"], "estimated")


def _next_week(match: re.Match[str]) -> str | None:
    if _WEEK_BEFORE.search(text_before(match)) is None:
        return None
    return _SPANS[match["word"]]


def _weekday(match: re.Match[str]) -> str | None:
    before, day = text_before(match), match["day"]
    # `the Sun.` shines, `he sat.` has a small letter.
    if _DAY_BEFORE.search(before) is None:
        return None
    if _DATE_NEXT.match(text_after(match)):
        return None
    if day == "Sun" and before.endswith("the "):
        return None
    return WEEKDAY_NAMES[day] + _stop(match)


def _quadrant(match: re.Match[str]) -> str | None:
    side = _QUADRANTS[match["side"].replace(".", "")]
    if match["road"]:
        road = match["road"].strip().rstrip(".")
        return f"{_ROADS.get(road, road)} {side}"
    before = text_before(match)
    named = re.search(r"[0-9]+(?:st|nd|rd|th)?[ ]\Z", before)
    follows = re.match(r"[ ](?:[A-Z][a-z]+|[0-9]+(?:st|nd|rd|th))\b", text_after(match))
    return side if named and follows else None


def _road(match: re.Match[str]) -> str | None:
    if _HOUSE_BEFORE.search(text_before(match)) is None:
        return None
    return _ROADS[match["road"]] + (_stop(match) if match[0].endswith(".") else "")


def _by_number(match: re.Match[str]) -> str:
    return _cased(match["word"], _BEFORE_NUMBERS[match["word"].lower()])


def _versus(match: re.Match[str]) -> str | None:
    return "versus" if _CASE.search(text_before(match)) else None
