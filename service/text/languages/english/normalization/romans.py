"""Roman numerals, where the context makes them certain."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import text_after, text_before
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_END = (
    r"(?![\w.]?\w)"
    # `V3` is two words by now, but still not a numeral.
    r"(?![ ](?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|thirt|fift|twent))"
)
_NUMERAL = "[IVXLCDM]{1,9}"
_COUNTED = re.compile(
    r"\b(?P<thing>(?:[Cc]hapters?|[Pp]arts?|[Vv]olumes?|[Bb]ooks?|[Aa]cts?|[Ss]cenes?|[Ss]ections?"
    r"|[Aa]rticles?|[Aa]ppendix|[Pp]hase|[Tt]ype|[Cc]lass|[Ll]evel|[Ss]tage|[Tt]itle|[Ee]pisode"
    r"|[Ff]igure|[Tt]able|[Mm]ark|[Vv]ersion|[Gg]rade|[Cc]anto|[Ss]chedule"
    r"|World Wars?|Super Bowl|WrestleMania|Apollo|Final Fantasy|Diablo|Quake|Civilization|Rocky"
    r"|Symphony No|Psalm|Mk|MK|GTA|Final Fantasy|Civ|Elden|Dragon Quest|Street Fighter"
    r"|Resident Evil|Age of Empires|Star Wars Episode|Rambo|Saw|Godfather|Title"
    r"|Amendment|Factor|Lodge|[Qq]uadrant|[Tt]rack|[Bb]and)[ ])(?P<numeral>"
    rf"{_NUMERAL})(?P<more>(?:,[ ]{_NUMERAL})*(?:[-–]|,?[ ](?:and|or|to|through|&)[ ])"
    rf"{_NUMERAL})?{_END}"
)
_RULER = re.compile(
    r"\b(?P<name>Henry|Louis|Elizabeth|George|Edward|Charles|William|James|John|Paul"
    r"|Pius|Benedict|Leo"
    r"|Richard|Philip|Catherine|Peter|Nicholas|Ivan|Alexander|Frederick|Wilhelm|Napoleon|Ramesses"
    r"|Ramses|Ptolemy|Innocent|Gregory|Clement|Urban|Francis|Ferdinand|Friedrich|Joseph|Leopold"
    r"|Albert|Victor|Emmanuel|Umberto|Christian|Gustav|Harald|Haakon|Olav|Mary|Anne|Margaret|Juan"
    r"|Carlos|Felipe|Alfonso|Pedro|Baldwin|Otto|Darius|Xerxes|Cyrus|Mehmed|Suleiman|Murad|Selim"
    r"|Abdul|Sixtus|Julius|Boniface|Celestine|Callixtus|Constantine|Justinian|Theodosius|Leopold"
    r"|Robert|Malcolm|David|Thomas|Michael|Stephen|Amenhotep|Thutmose|Seti|Isabella|Matilda)[ ]"
    rf"(?P<numeral>{_NUMERAL}){_END}"
)
_HEIR = re.compile(
    r"\b(?P<name>(?:John|William|Robert|James|George|Charles|Thomas|Edward|Henry"
    r"|Richard|Joseph|David"
    r"|Michael|Samuel|Sammy|Harold|Walter|Albert|Frank|Daniel)(?:[ ][A-Z]\.)?[ ][A-Z][a-z]+,?[ ])"
    r"(?P<numeral>II|III|IV)(?!\w)"
)
_CENTURY = re.compile(r"\b(?P<numeral>[IVX]{1,6})(?:th|st|nd|rd)?(?=[ -][cC]entur)")
_NAMED = re.compile(
    r"\b(?P<name>[A-Z][a-z]{2,20}[ ])"
    rf"(?P<numeral>I{{2,3}}|IV|VI{{1,3}}|IX|XI{{1,3}}|XIV|XVI{{0,3}}){_END}"
)

_LISTED = re.compile(r"(?:(?P<stop>(?<=[\w)])\n)|(?m:^))(?P<numeral>[IVX]{1,5})(?=[.)][ ])")
_SECOND_LINE = re.compile(r"(?m)^[ ]*(?:II|2|two)[.)][ ]")
# No word and no acronym looks like these.
_LONG = re.compile(
    rf"\b(?P<numeral>X{{2,3}}(?:IX|IV|V?I{{1,3}}|V)|[XVI]*(?:XV|VI)I{{2}}"
    rf"|XL[XVI]{{1,4}}|LX[XVI]{{1,5}}){_END}"
)
_YEAR = re.compile(rf"\b(?P<numeral>M(?=[MDCLXVI]{{4}})[MDCLXVI]{{4,14}}){_END}")
_ACRONYM_AND_NUMBER = re.compile(
    rf"\b(?P<name>[A-Z]{{2,6}}[ ])(?P<numeral>I{{2,3}}|IV|VI{{1,3}}|IX){_END}"
)
_ALL_NUMERALS = re.compile("[IVXLCDM]+")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_PROPER = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\Z")
_REIGNS = re.compile(
    r"\b(?:[Kk]ing|[Qq]ueen|[Pp]ope|[Ee]mperor|[Ee]mpress|[Tt]sar|[Cc]zar|Kaiser"
    r"|Pharaoh|Prince|Saint|"
    r"Franz|John)[ ](?:[A-Z][a-z]+[ ])?\Z"
)
# Words after a name that show that `I` is the pronoun: `I told John I was late`.
_GOES_ON_AS_NAME = re.compile(r"\s+(?:of|reigned|ruled)(?!\w)|['’]s|[,.;:!?)]|\s*\Z")
_GOES_ON_AS_THING = re.compile(
    r"\s+(?:of|is|was|and|to|in|on|ends|begins|errors?|diabetes)(?!\w)|[,.;:!?)]|\s*\Z|\n"
)
_NEVER_MIXED_UP = 2


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for Roman numerals."""

    def counted(match: re.Match[str]) -> str | None:
        others = _ALL_NUMERALS.findall(match["more"] or "")
        values = [value(numeral) for numeral in (match["numeral"], *others)]
        if None in values or "I" in others:
            return None
        # `Part I wrote` and `Class C` are something else.
        if not others and len(match["numeral"]) == 1 and not _is_counted(match):
            return None
        more = _ALL_NUMERALS.sub(lambda found: said(found[0]), match["more"] or "")
        return match["thing"] + said(match["numeral"]) + re.sub("[-–]", " to ", more, count=1)

    def said(numeral: str) -> str:
        return numbers.cardinal(str(value(numeral)))

    def ruler(match: re.Match[str]) -> str | None:
        number = value(match["numeral"])
        if number is None or number > 40:
            return None
        single = len(match["numeral"]) < _NEVER_MIXED_UP
        if single and not _is_ruler(match):
            return None
        return f"{match['name']} the {numbers.ordinal(str(number))}"

    def heir(match: re.Match[str]) -> str:
        number = str(value(match["numeral"]))
        return f"{match['name']}the {numbers.ordinal(number)}"

    def century(match: re.Match[str]) -> str | None:
        number = value(match["numeral"])
        return None if number is None else numbers.ordinal(str(number))

    def named(match: re.Match[str]) -> str:
        return match["name"] + numbers.cardinal(str(value(match["numeral"])))

    def long(match: re.Match[str]) -> str | None:
        number = value(match["numeral"])
        return None if number is None else numbers.cardinal(str(number))

    def year(match: re.Match[str]) -> str | None:
        number = value(match["numeral"])
        return None if number is None or number > 2100 else numbers.year(str(number))

    def listed(match: re.Match[str]) -> str | None:
        number = value(match["numeral"])
        # One line alone may start with an initial.
        if number is None or not _SECOND_LINE.search(match.string):
            return None
        # The line before ends, although a small letter follows now.
        return (".\n" if match["stop"] else "") + numbers.cardinal(str(number))

    return (
        Rule(_LISTED, listed),
        Rule(_ACRONYM_AND_NUMBER, lambda match: match["name"] + said(match["numeral"])),
        Rule(_CENTURY, century),
        Rule(_COUNTED, counted),
        Rule(_RULER, ruler),
        Rule(_HEIR, heir),
        Rule(_NAMED, named),
        Rule(_LONG, long),
        Rule(_YEAR, year),
    )


def value(numeral: str) -> int | None:
    """Return the value of a Roman numeral, None if it is not well-formed."""
    if not numeral or _PROPER.match(numeral) is None:
        return None
    total = 0
    for letter, following in zip(numeral, numeral[1:] + " ", strict=True):
        worth = _VALUES[letter]
        total += -worth if worth < _VALUES.get(following, 0) else worth
    return total


def _is_counted(match: re.Match[str]) -> bool:
    thing, numeral, after = match["thing"], match["numeral"], text_after(match)
    if numeral in "LCDM" or thing.strip().lower() in ("class", "grade", "mark"):
        return False
    return numeral != "I" or (thing[0].isupper() and _GOES_ON_AS_THING.match(after) is not None)


def _is_ruler(match: re.Match[str]) -> bool:
    if match["numeral"] not in "IVX" or match["name"] in ("Malcolm", "David", "Michael", "Thomas"):
        return False
    if match["numeral"] != "I" or _REIGNS.search(text_before(match)):
        return True
    return _GOES_ON_AS_NAME.match(text_after(match)) is not None
