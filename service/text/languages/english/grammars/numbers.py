"""Numbers: cardinals, digits, pairs, years, decimals, ordinals, Roman-free; and pairs of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    ANY_NUMBER,
    DIGITS,
    INTEGER,
    MAGNITUDES,
    NUMBER,
    SIGNS,
    UNIT,
    VULGAR,
    amount,
    code,
    fraction,
    join,
    letters,
    mixed,
    pairs,
    unit,
    year,
)
from service.text.languages.english.normalization.numbers import plural
from service.text.lattice.grammar import Grammar, Place, Reading

_YEARS = "in since from by until till circa year years of to early late mid spring summer fall"
CARDINAL = Grammar("cardinal", prior={"": 1.5, "magnitude": 1.0})
YEAR = Grammar(
    "year",
    prior={"": 0.0, "three": -1.5},
    before=_YEARS + " c ca before after during january february march april may june july august"
    " september october november december class",
    domains="history academic politics finance",
)
DIGIT = Grammar(
    "digits",
    prior={"": -0.5, "pairs": -1.5},
    domains="address transit aviation code",
    before="code pin zip room flight gate suite apt squawk ext extension dial box account unit id"
    " number no bus route highway hwy i order case ticket serial locker channel",
)


def _order(one: str, other: str) -> str:
    first, second = float(one.replace(",", "")), float(other.replace(",", ""))
    return "up" if first < second else "same" if first == second else "down"


@CARDINAL.at(DIGITS, rf"(?<![0-9])(?<![0-9],)(?P<number>{INTEGER})(?![0-9]|,[0-9]{{3}}(?![0-9]))")
def cardinal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    digits = number.replace(",", "")
    after = at.token_after(match.end())
    glued = after is not None and after.start == match.end() and after.kind == "word"
    touch = at.touches()
    facts = (
        "comma" if "," in number else f"length {min(len(digits), 7)}",
        "zero first" if digits[0] == "0" and len(digits) > 1 else "",
        "glued" if glued else "",
        f"after {touch}" if touch and not touch.isspace() and not touch.isalnum() else "",
        "after letter" if touch.isalpha() else "",
    )
    if digits[0] != "0" or digits == "0":
        yield Reading("plain", at.numbers.cardinal(number), facts)
    else:
        yield Reading("zeros", at.numbers.spelled(digits), facts)


@CARDINAL.at(
    DIGITS,
    r"(?<![\w.,'’])[1-9][0-9]{0,2}(?:(?P<gap>[\u00a0\u2009\u202f])[0-9]{3}(?:(?P=gap)[0-9]{3})*|(?: [0-9]{3})* 000"
    r"|(?:\.[0-9]{3}){2,}|(?:['’][0-9]{3})+)(?![\w.,'’]*[0-9])(?!\w)",
)
def grouped(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    digits = re.sub("[^0-9]", "", match[0])
    yield Reading("grouped", at.numbers.cardinal(digits), (re.sub("[0-9]", "", match[0])[0],))


@DIGIT.at(DIGITS, r"(?<![0-9])[0-9]{2,30}(?![0-9])")
def digits(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    text = match[0]
    zero = "zero first" if text[0] == "0" else ""
    length = f"length {min(len(text), 9)}"
    before = at.tokens.neighbour(at.index, -1)
    state = before is not None and len(before.text) == 2 and before.text.isupper()
    facts = (length, zero, "zip" if state and len(text) == 5 else "", f"touches {at.touches()}")
    yield Reading("single", at.numbers.spelled(text), facts)
    if "0" in text:
        yield Reading("oh", at.numbers.spelled(text).replace("zero", "oh"), facts)
    if 3 <= len(text) <= 6:
        yield Reading("pairs", pairs(at.numbers, text), facts)
    if len(text) == 2 and text[0] == "0":
        yield Reading("pairs", f"oh {at.numbers.cardinal(text[1])}", facts)


@YEAR.at(DIGITS, r"(?<![0-9.,])[0-9]{3,4}(?![0-9]|[.,][0-9])")
def plain_year(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    text = match[0]
    if text[0] == "0":
        return
    value = int(text)
    when = "recent" if 1700 <= value <= 2040 else "old" if value < 1700 else "far"
    after = at.token_after(match.end())
    following = "edge" if after is None else after.kind if after.kind != "sign" else after.text
    if after is not None and after.kind == "word":
        following = "plural" if after.low.endswith("s") and len(after.low) > 3 else "word"
    facts = (f"{len(text)} {when}", f"{len(text)} > {following}", f"touches {at.touches()}")
    yield Reading("plain" if len(text) == 4 else "three", year(at.numbers, text), facts)


@YEAR.at("'’", r"(?<!\w)['’](?P<year>[0-9]{2})(?!\w)")
def short_year(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    digits = match["year"]
    words = (
        f"oh {at.numbers.cardinal(digits[1])}" if digits[0] == "0" else at.numbers.cardinal(digits)
    )
    yield Reading("short", words)


@YEAR.at("'’" + DIGITS, r"(?<!\w)(?P<mark>['’]?)(?P<year>[0-9]0|[0-9]{3}0)['’]?s(?!\w)")
def decade(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    digits = match["year"]
    words = at.numbers.cardinal(digits) if len(digits) == 2 else at.numbers.year(digits)
    if digits.endswith("00") and digits[1] != "0":
        words = f"{at.numbers.cardinal(digits[:2])} hundred"
    facts = (f"length {len(digits)}", "mark" if match["mark"] else "")
    yield Reading("decade", plural(words), facts)


@YEAR.at(
    DIGITS + "ABC",
    r"(?<!\w)(?:(?P<era>A\.?D\.?)\s(?P<year>[0-9]{1,4})(?!\w)"
    r"|(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,5})\s?(?P<after>B\.?C\.?E\.?|B\.?C\.?|C\.?E\.?|A\.?D\.?)(?!\w))",
)
def era(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["year"] or match["number"]
    said = (
        at.numbers.cardinal(number)
        if len(number) < 3 or "," in number
        else year(at.numbers, number)
    )
    name = match["era"] or match["after"]
    yield Reading("era", f"{name} {said}" if match["era"] else f"{said} {name}")


@CARDINAL.at(DIGITS, r"(?<![\w.,])(?P<number>[0-9]{1,4})s(?!\w)")
def several(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if match["number"][0] != "0":
        said = plural(at.numbers.paired(match["number"]))
        yield Reading("several", said, (f"length {len(match['number'])}",))


DECIMAL = Grammar("decimal", prior={"plain": 1.0, "": 0.0})


@DECIMAL.at(
    "." + DIGITS,
    r"(?<![0-9])(?<![0-9][.,])(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)\.(?P<part>[0-9]+)(?!\.?[0-9])",
)
def decimal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    whole, part = match["whole"], match["part"]
    said = at.numbers.spelled(part)
    facts = (f"places {min(len(part), 4)}", "" if whole else "bare")
    if whole:
        yield Reading("plain", f"{at.numbers.cardinal(whole)} point {said}", facts)
        tail = at.numbers.cardinal(part) if part[0] != "0" and len(part) < 3 else said
        yield Reading("dot", f"{at.numbers.cardinal(whole)} dot {tail}", facts)
        yield Reading("parts", f"{at.numbers.cardinal(whole)} point {tail}", facts)
    else:
        yield Reading("plain", f"zero point {said}", facts)
        yield Reading("point", f"point {said}", facts)
        if len(part) == 3:
            yield Reading("average", pairs(at.numbers, part), facts)


SIGNED = Grammar("signed", prior={"": 0.5}, domains="maths science weather finance")


@SIGNED.at(
    "-−–+±~≈<>≤≥",
    rf"(?<![\w.)\]%])(?P<sign>[-−–+±~≈<>≤≥])\s?(?P<number>{ANY_NUMBER})(?![\w]|[.,/:-][0-9])",
)
def signed(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    touch = at.touches()
    gap = "gap" if match[0][1].isspace() else "solid"
    before = "edge" if not touch else "space" if touch.isspace() else touch
    sign = match["sign"]
    words = f"{SIGNS[sign]} {amount(at.numbers, match['number'])}"
    yield Reading("number", words, (sign, f"{sign} {before}", f"{sign} {gap}"))


ORDINAL = Grammar("ordinal", prior={"": 1.5})


@ORDINAL.at(
    DIGITS,
    rf"(?<!\w)(?P<number>{INTEGER})(?P<gap>\s?)(?P<suffix>st|nd|rd|th|ST|ND|RD|TH)(?!\w)",
)
def ordinal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    # Britons weigh in stones: only `1st` and `21st` are ordinals.
    is_stone = at.numbers.british and match["suffix"] == "st"
    if not is_stone or _is_first(match["number"], match["gap"]):
        yield Reading("plain", at.numbers.ordinal(match["number"]))


def _is_first(number: str, gap: str) -> bool:
    return not gap and number.endswith("1") and not number.endswith("11")


STONE = Grammar("stone", prior={"": 3.0})
_WEIGHT_BEFORE = re.compile(
    r"\b(?:weigh\w*|lost|lose[sd]?|gain\w*|shed\w*|heav\w+|under|over|weight|dropped)\b",
    re.IGNORECASE,
)
_POUNDS_NEXT = re.compile(r" ?[0-9]{1,2}½? ?(?:lbs?|pounds)(?!\w)")


@STONE.at(DIGITS, r"(?<![\w.,])(?P<number>[0-9]{1,3}(?:\.[0-9])?)(?P<half>½?)(?P<gap> ?)st(?!\w)")
def stone(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not at.numbers.british:
        return
    before = at.text[max(0, match.start() - 40) : match.start()]
    if _is_first(match["number"], match["gap"]) and not (
        _POUNDS_NEXT.match(at.text, match.end()) or _WEIGHT_BEFORE.search(before)
    ):
        return
    half = " and a half" if match["half"] else ""
    words = f"{at.numbers.decimal(match['number'])}{half} stone"
    yield Reading("plain", words)
    if re.match(r"\.\s+[a-z]", at.text[match.end() : match.end() + 8]):
        yield Reading("dot", words, (), match.end() + 1)


_LABELS = frozenset("aisle seat seats gate bus row size wear wore section answer room".split())


def _magnitude_facts(at: Place, written: str, end: int) -> tuple[str, ...]:
    if len(written) > 1:
        return ()
    after = at.token_after(end)
    follows = "edge" if after is None else after.text if after.kind == "sign" else after.kind
    if after is not None and after.kind == "word":
        follows = "plural" if after.low.endswith("s") and len(after.low) > 3 else "word"
    fields = [f"{written} in {field}" for field in sorted(at.tokens.domains)]
    label = "label" if at.before() in _LABELS else "no label"
    return (f"{written} > {follows}", f"{written} {label}", *(fields or [f"{written} in no field"]))


@CARDINAL.at(
    DIGITS,
    rf"(?<![\w.,$€£¥])(?P<number>{NUMBER})(?P<gap>\s?)(?P<magnitude>k|K|m|M|mm|b|bn|B|T|million|billion|trillion|thousand|mn|mln)(?P<plus>\+?)(?!\w)",
)
def magnitude(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    written = match["magnitude"]
    gap = "apart" if match["gap"] else "glued"
    words = join(
        amount(at.numbers, match["number"]),
        MAGNITUDES[written.lower()],
        "plus" if match["plus"] else "",
    )
    facts = (
        f"{written} {gap}",
        gap if len(written) == 1 else "word",
        *_magnitude_facts(at, written, match.end("magnitude")),
    )
    yield Reading("magnitude", words, facts)
    if written in ("k", "K") and not match["gap"]:
        yield Reading("k", f"{amount(at.numbers, match['number'])} K", (written,))


@CARDINAL.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER})\+(?!\w)")
def plus(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("plus", f"{amount(at.numbers, match['number'])} plus")


FRACTION = Grammar("fraction", prior={"plain": 0.0, "mixed": 1.5, "": 0.0}, domains="cooking maths",
    after="cup cups tsp tbsp inch mile of in")  # fmt: skip
PAIR = Grammar(
    "of",
    prior={"": -1.0},
    domains="shop chat home",
    before="score rated rating page only with got about",
    after="stars people votes ballots tests replicas pods steps done complete",
)
OVER = Grammar(
    "over", prior={"": -1.0}, domains="medicine", before="bp pressure vision was reading"
)
ODDS = Grammar("odds", prior={"": -1.0}, domains="sports", before="odds at shot priced")
_USUAL = (2, 3, 4, 5, 8, 10, 16, 100)


@FRACTION.at(DIGITS, r"(?<![\w/.])(?P<top>[0-9]+)\s?/\s?(?P<bottom>[0-9]+)(?![\w/]|\.[0-9])")
def slashed(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if 2 <= int(match["bottom"]) <= 1000 and int(match["top"]):
        facts = _slash_facts(at, match)
        top, bottom = int(match["top"]), int(match["bottom"])
        yield Reading("plain", fraction(at.numbers, top, bottom), facts)
        if bottom in (2, 4) and top == 1:
            yield Reading("a", "half a" if bottom == 2 else "a quarter", facts)


_SETTINGS = {
    word: setting
    for setting, words in {
        "step": "step part page slide question chapter day week level round task test episode phase"
        " stage attempt try retry lesson section tweet thread photo image item completed done"
        " progress passed finished hp downloaded loading processed sheet post side card",
        "after step": "complete passing tests tasks items files steps green ready running healthy"
        " pods checks correct",
        "odds": "odds priced price bet bets backed favorite favourite shortened drifted horse colt"
        " mare bookie bookies bookmaker moneyline long shot",
        "cricket": "wicket wickets overs stumps innings tea bowled declared cricket batting runs"
        " crease opener england india australia pakistan",
        "due": "due ends end ended starts start started begins opens closes expires expired"
        " effective deadline ending starting beginning arriving arrives leaving leaves posted"
        " updated dated delivered shipped ships on by until since before thru till",
        "rating": "rated rating score scored got gave pain review stars would grade give",
        "maths": "fraction fractions simplify reduce rewrite improper proper equivalent convert add"
        " subtract divide multiply probability",
        "pressure": "bp pressure systolic vision sees",
        "music": "time beat meter waltz count bars",
        "part": "cup cups inch inches tsp tbsp teaspoon tablespoon mile miles majority vote share"
        " full of",
    }.items()
    for word in words.split()
}  # fmt: skip
_SETTING_BEFORE, _SETTING_AFTER = 5, 2
_FIXED = frozenset({("9", "11"), ("24", "7"), ("50", "50"), ("20", "20"), ("7", "11")})
"""Numbers with a slash that are names: the day, the hours, the chances, the eyesight."""


def setting(at: Place, end: int) -> tuple[str, ...]:
    """Return as facts what the words around two numbers with a slash say of them.

    Args:
        at: the first number.
        end: offset behind the second one.
    """
    found: list[str] = []
    for distance in range(1, _SETTING_BEFORE + 1):
        name = _SETTINGS.get(at.before(distance), "")
        if name and name not in ("after step", "part"):
            found.append(f"{name} {'beside' if distance == 1 else 'before'}")
    for distance in range(_SETTING_AFTER):
        name = _SETTINGS.get(at.after(end, distance), "")
        if name:
            found.append(f"{name} after")
    return tuple(found[:3]) or ("no setting",)


def _slash_facts(at: Place, match: re.Match[str]) -> tuple[str, ...]:
    top, bottom = match["top"], match["bottom"]
    order = _order(top, bottom)
    common = f"of {bottom}" if int(bottom) in _USUAL else "of other"
    after = at.after(match.end())
    gap = "spaced" if " " in match[0] else ""
    return (
        order,
        common,
        f"{len(top)}/{len(bottom)}",
        f"{order} > {after}" if len(after) == 1 else "",
        gap,
        f"fixed {top}" if (top, bottom) in _FIXED else "",
        *setting(at, match.end()),
    )


@PAIR.at(
    DIGITS, r"(?<![\w/.])(?P<top>[0-9]+(?:\.[0-9]+)?)\s?/\s?(?P<bottom>[0-9]+)(?![\w/]|\.[0-9])"
)
def of_so_many(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    facts = _slash_facts(at, match)
    top, bottom = amount(at.numbers, match["top"]), at.numbers.cardinal(match["bottom"])
    yield Reading("of", f"{top} of {bottom}", facts)
    yield Reading("out of", f"{top} out of {bottom}", facts)
    if "." not in match["top"]:
        yield Reading("slash", f"{top} slash {bottom}", facts)
        yield Reading(
            "side", f"{at.numbers.paired(match['top'])} {at.numbers.paired(match['bottom'])}", facts
        )
        yield Reading("for", f"{at.numbers.paired(match['top'])} for {bottom}", facts)
        yield Reading("for", f"{top} for {bottom}", (*facts, "cardinal"))


@OVER.at(DIGITS, r"(?<![\w/.])(?P<one>50|100)/(?P=one)(?![\w/]|\.[0-9])")
def even(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    part = at.numbers.cardinal(match["one"])
    yield Reading("even", f"{part}-{part}")


@OVER.at(DIGITS, r"(?<![\w/.])(?P<top>[0-9]+)\s?/\s?(?P<bottom>[0-9]+)(?![\w/]|\.[0-9])")
def over(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    facts = _slash_facts(at, match)
    paired = at.numbers.paired(match["top"])
    yield Reading("pairs", f"{paired} over {at.numbers.paired(match['bottom'])}", facts)


@ODDS.at(DIGITS, r"(?<![\w/.])(?P<top>[0-9]+)\s?[/-]\s?(?P<bottom>[0-9]+)(?![\w/]|[.-][0-9])")
def odds(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    top, bottom = at.numbers.cardinal(match["top"]), at.numbers.cardinal(match["bottom"])
    yield Reading("to", f"{top} to {bottom}", _slash_facts(at, match))


@FRACTION.at(
    DIGITS, r"(?<![\w/.])(?P<whole>[0-9]+)[\s-](?P<top>[0-9]+)/(?P<bottom>[0-9]+)(?![\w/])"
)
def mixed_number(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    top, bottom = int(match["top"]), int(match["bottom"])
    if top > 0 and 2 <= bottom <= 100:
        proper = "proper" if top < bottom else "improper"
        yield Reading("mixed", mixed(at.numbers, match["whole"], top, bottom), (proper,))


@FRACTION.at(
    DIGITS + "".join(VULGAR), rf"(?<![\w.])(?P<whole>[0-9]*)\s?(?P<vulgar>[{''.join(VULGAR)}])"
)
def vulgar(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    top, bottom = VULGAR[match["vulgar"]]
    if match["whole"]:
        yield Reading("mixed", mixed(at.numbers, match["whole"], top, bottom), ("vulgar",))
        return
    words = fraction(at.numbers, top, bottom)
    yield Reading("plain", words, ("vulgar",))
    if top == 1:
        yield Reading(
            "a", "half a" if bottom == 2 else f"a {words.removeprefix('one ')}", ("vulgar",)
        )


RATIO = Grammar("ratio", prior={"": 0.0}, domains="cooking science maths finance chess",
    before="ratio odds mix scale aspect")  # fmt: skip
VERSE = Grammar("verse", prior={"": 0.0}, domains="scripture")


@RATIO.at(
    DIGITS,
    r"(?<![\w:.])(?P<one>[0-9]+(?:\.[0-9]+)?)(?P<more>(?::[0-9]+(?:\.[0-9]+)?(?:,[0-9]{3})*)+)(?![\w:]|\.[0-9])",
)
def ratio(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = [match["one"], *match["more"][1:].split(":")]
    last = parts[-1]
    minute = len(last) == 2 and last.isdecimal() and int(last) < 60
    facts = (
        "minute" if minute else "no minute",
        f"parts {len(parts)}",
        "zero" if last[0] == "0" else "",
        f"{len(parts[0])}:{len(last)}",
    )
    yield Reading("to", " to ".join(amount(at.numbers, part) for part in parts), facts)
    if len(parts) == 2 and parts[0] == last and last.isdecimal():
        yield Reading("on", f"{amount(at.numbers, last)} on {amount(at.numbers, last)}", facts)


@VERSE.at(
    DIGITS,
    r"(?<![\w:.])(?P<chapter>[0-9]{1,3}):(?P<verse>[0-9]{1,3})(?P<until>[-–](?P<last>[0-9]{1,3}))?(?![\w:]|\.[0-9])",
)
def verse(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if match["verse"][0] == "0":
        return
    before = at.tokens.neighbour(at.index, -1)
    named = "name" if before is not None and before.shape == "title" else "no name"
    said = f"{at.numbers.paired(match['chapter'])} {at.numbers.paired(match['verse'])}"
    facts = (
        named,
        "beyond clock" if int(match["chapter"]) > 24 else "",
        f"until {bool(match['until'])}",
    )
    if match["until"]:
        yield Reading("plain", said, facts, match.start("until"))
        said += f" to {at.numbers.paired(match['last'])}"
    yield Reading("plain", said, facts)


_POINTS = frozenset(("0", "15", "30", "40"))
_SPORTS = "won beat win lost lead led leads trail trailed final defeated up down score tied record"
SCORE = Grammar("score", prior={"": -0.5}, domains="sports politics", before=_SPORTS,
    after="win loss victory lead defeat vote final record series decision")  # fmt: skip
RANGE = Grammar(
    "range",
    prior={"": 0.5},
    before="pages pp ages aged between from about around chapters lines years up of every for figures"
    " figs sections tables verses rows questions items steps open hours daily takes lasts",
    after="people years days minutes hours weeks times percent pages miles points players",
)
MINUS = Grammar("difference", prior={"": -1.0}, domains="maths")


@RANGE.at(
    DIGITS,
    rf"(?<![\w.,/$€£-])(?P<one>{NUMBER})(?P<dash>[-–—−]|\s[-–—]\s)(?P<other>{NUMBER})(?!\w|[.,/:-][0-9])",
)
def between(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other = match["one"], match["other"]
    facts = _pair_facts(match, at)
    said = f"{amount(at.numbers, one)} to {amount(at.numbers, other)}"
    yield Reading("plain", said, facts)
    if one.isdecimal() and other.isdecimal():
        if len(one) == 4 and one[0] != "0":
            last = other
            said = (
                at.numbers.cardinal(last)
                if len(last) < 3 and last[0] != "0"
                else year(at.numbers, last)
            )
            if last[0] == "0" and len(last) == 2:
                said = f"oh {at.numbers.cardinal(last[1])}"
            yield Reading("years", f"{year(at.numbers, one)} to {said}", facts)
        elif 3 in (len(one), len(other)):
            yield Reading("pairs", f"{at.numbers.paired(one)} to {at.numbers.paired(other)}", facts)
        if one[0] == "0" or other[0] == "0" or len(one) + len(other) > 6:
            yield Reading(
                "digits", f"{at.numbers.spelled(one)}, {at.numbers.spelled(other)}", facts
            )


def _pair_facts(match: re.Match[str], at: Place) -> tuple[str, ...]:
    one, other, dash = match["one"], match["other"], match["dash"]
    order = _order(one, other)
    small = "small" if max(len(one), len(other)) < 2 else ""
    kind = "hyphen" if dash.strip() == "-" else "dash"
    gap = " spaced" if dash != dash.strip() else ""
    after = at.after(match.end())
    return (
        f"{order} {kind}{gap}",
        f"{min(len(one), 5)}-{min(len(other), 5)}",
        f"{order} {small}" if small else "",
        f"{order} > {after}" if after in (")", "(", "in", "to", "on") else "",
        f"after {at.touches()}" if at.touches() in ("(", "[") else "",
    )


_VOTED = ("vote", "votes", "voted", "ruled", "split", "by")


@SCORE.at(
    DIGITS,
    r"(?<![\w.,/$€£-])(?P<one>[0-9]{1,3})(?P<dash>[-–—−])(?P<other>[0-9]{1,3})(?!\w|[.,/:-][0-9])",
)
def score(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    facts = _pair_facts(match, at)
    one, other = at.numbers.cardinal(match["one"]), at.numbers.cardinal(match["other"])
    yield Reading("plain", f"{one} {other}", facts)
    # Britons say goals without `to`, and votes and longer scores with it.
    is_football = at.numbers.british and len(match["one"]) == len(match["other"]) == 1
    if not is_football or at.before() in _VOTED:
        yield Reading("to", f"{one} to {other}", facts)
    yield Reading("and", f"{one} and {'oh' if other == 'zero' else other}", facts)
    if match["other"] == "0":
        yield Reading("nil", f"{one} {'nil' if at.numbers.british else 'nothing'}", facts)
    if match["one"] == match["other"] and one != "zero":
        yield Reading("all", f"{one} all", facts)
    if match["one"] in _POINTS and match["other"] in _POINTS:
        said = [
            {"0": "love"}.get(match[side], value)
            for side, value in (("one", one), ("other", other))
        ]
        if "love" in said:
            yield Reading("love", " ".join(said), facts)


@SCORE.at(DIGITS, r"(?<![\w.,/$€£-])(?P<all>[0-9]{1,3}(?:[-–][0-9]{1,3}){2,4})(?!\w|[.,/:-][0-9])")
def scores(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = re.split("[-–]", match["all"])
    said = " ".join(at.numbers.cardinal(part) for part in parts)
    yield Reading("triple", said, (f"parts {len(parts)}", f"longest {max(map(len, parts))}"))


@SCORE.at(DIGITS, r"(?<![\w-])(?P<one>[0-9])[-–](?P<other>[0-9]) ?\((?P<points>[0-9]{1,2})\)")
def tiebreak(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("tiebreak", " ".join(at.numbers.cardinal(part) for part in match.groups()))


@SCORE.at(
    DIGITS,
    r"(?<!\w)(?P<one>[0-9]{1,3})(?P<joint>-(?:for|and|of|to|by|in|on)-|v)(?P<other>[0-9]{1,3})(?!\w)",
)
def score_in_words(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    joint = match["joint"].strip("-")
    one, other = at.numbers.cardinal(match["one"]), at.numbers.cardinal(match["other"])
    yield Reading(
        "words", f"{one}-{joint}-{other}" if len(joint) > 1 else f"{one} V {other}", (joint,)
    )


@MINUS.at(
    DIGITS,
    rf"(?<![\w.,/$€£-])(?P<one>{NUMBER})(?P<dash>[-–−]|\s[-–−]\s)(?P<other>{NUMBER})(?!\w|[.,/:-][0-9])",
)
def difference(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other = amount(at.numbers, match["one"]), amount(at.numbers, match["other"])
    yield Reading("minus", f"{one} minus {other}", _pair_facts(match, at))


VERSION = Grammar(
    "version", prior={"": 0.5}, domains="code", before="version python ios android v release"
)


@VERSION.at(
    "vV" + DIGITS,
    r"(?<![\w.])(?P<v>[vV]?)\.?\s?(?P<parts>[0-9]+(?:\.[0-9]+){0,4})(?P<tail>\+?)(?![\w]|\.[0-9])",
)
def version(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = match["parts"].split(".")
    if not match["v"] and len(parts) < 3 and not (len(parts) == 2 and match["tail"]):
        return
    said = [
        at.numbers.spelled(part) if (part[0] == "0" and part != "0") or len(part) > 3
        else pairs(at.numbers, part) if len(part) == 3 else at.numbers.cardinal(part)
        for part in parts
    ]  # fmt: skip
    tail = " plus" if match["tail"] else ""
    facts = (f"parts {len(parts)}", match["v"])
    words = " point ".join(said) + tail
    yield Reading("points", f"version {words}" if match["v"] else words, facts)
    if match["v"]:
        yield Reading("v", f"V {words}", facts)
    if not match["v"]:
        yield Reading(
            "dots", " dot ".join(at.numbers.cardinal(part) for part in parts) + tail, facts
        )


TIMES = Grammar("times", prior={"": 0.5})


@TIMES.at(DIGITS, rf"(?<![\w.,])(?P<number>{NUMBER})\s?[x×](?!\w)")
def so_many_times(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = amount(at.numbers, match["number"])
    spaced = "spaced" if " " in match[0] else "glued"
    yield Reading("times", f"{number} times", (spaced,))
    yield Reading("x", f"{number} X", (spaced,))


@TIMES.at("xX×", r"(?<!\w)[xX×]\s?(?P<number>[0-9]+)(?!\w)")
def times_so_many(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = at.numbers.cardinal(match["number"])
    facts = (f"length {len(match['number'])}",)
    yield Reading("times", f"times {number}", facts)
    yield Reading("x", f"X {number}", facts)
    yield Reading("by", f"by {number}", facts)
    yield Reading("extension", f"extension {at.numbers.spelled(match['number'])}", facts)


@TIMES.at(
    "x×", r"(?<!\w)[x×]\s?(?P<number>[0-9]+)\s?(?P<unit>d|days?|wks?|weeks?|mo|months?)(?!\w)"
)
def for_so_long(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    unit = {"d": "day", "w": "week", "m": "month"}[match["unit"][0]]
    many = unit if match["number"] == "1" else unit + "s"
    yield Reading("for", f"for {at.numbers.cardinal(match['number'])} {many}")


BY = Grammar("by", prior={"": 1.0}, domains="shop")


@BY.at(
    DIGITS,
    rf"(?<![\w.,])(?P<one>{NUMBER})(?P<more>(?:\s?[x×X]\s?{NUMBER})+)(?P<many>s?)(?![\w]|\s?[x×]\s?[0-9])",
)
def by(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    numbers = [match["one"], *re.split(r"\s?[x×X]\s?", match["more"])[1:]]
    said = [amount(at.numbers, number) for number in numbers]
    facts = (
        f"numbers {len(numbers)}",
        "sign" if "×" in match[0] else "letter",
        "spaced" if " " in match[0] else "",
    )
    if match["many"]:
        yield Reading("by", plural(" by ".join(said)), facts)
        return
    yield Reading("by", " by ".join(said), facts)
    if len(numbers) == 2 and all(number.isdecimal() and len(number) > 2 for number in numbers):
        yield Reading("resolution", " by ".join(map(at.numbers.paired, numbers)), facts)
    yield Reading("times", " times ".join(said), facts)


NUMBERED = Grammar("numbered", prior={"": 0.5})


@NUMBERED.at("#", r"(?<![\w#])#\s?(?P<number>[0-9]+)(?P<letter>[A-Za-z]?)(?!\w)")
def number_sign(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    facts = (f"length {len(number)}",)
    said = join(
        at.numbers.cardinal(number) if len(number) < 3 else at.numbers.paired(number),
        letters(match["letter"]),
    )
    yield Reading("number", f"number {said}", facts)
    if len(number) > 2:
        yield Reading(
            "digits", join("number", at.numbers.spelled(number), letters(match["letter"])), facts
        )
        yield Reading(
            "cardinal", join("number", at.numbers.cardinal(number), letters(match["letter"])), facts
        )
    yield Reading("hashtag", f"hashtag {said}", facts)
    yield Reading("pounds", f"{at.numbers.cardinal(number)} pounds", facts)


CLAUSE = Grammar("clause", prior={"": 1.0}, domains="law")


@CLAUSE.at(
    DIGITS + "IVX",
    r"(?<!\w)(?P<number>[0-9]+[A-Za-z]?|[IVX]+)(?P<parts>(?:\((?:[0-9]+|[a-zA-Z]{1,4})\))+)",
)
def clause(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match["number"]
    said = code(at.numbers, number, digits="pairs") if number[0].isdigit() else letters(number)
    for part in re.findall(r"\((\w+)\)", match["parts"]):
        said += " " + (at.numbers.cardinal(part) if part.isdecimal() else letters(part))
    parts = match["parts"].count("(")
    yield Reading("parts", said, (f"parts {parts}", f"length {len(number)}"))


SCIENTIFIC = Grammar("scientific", prior={"": 2.0}, domains="science maths")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@SCIENTIFIC.at(
    DIGITS,
    rf"(?<![\w.])(?P<number>{NUMBER})\s?[×x·]\s?10(?:\^\(?(?P<power>[-−]?[0-9]+)\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))(?P<per>/(?:L|mL|µL|dL))?",
)
def scientific(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    power = (match["power"] or match["raised"].translate(_RAISED)).replace("−", "-")
    minus = "minus " if power[0] == "-" else ""
    said = at.numbers.cardinal(power.lstrip("-+"))
    per = f"per {unit(match['per'][1:], is_one=True)}" if match["per"] else ""
    value = amount(at.numbers, match["number"])
    yield Reading("plain", join(f"{value} times ten to the {minus}{said}", per))


@SCIENTIFIC.at(
    "1",
    rf"(?<![\w.,])10(?:\^\(?(?P<power>[-−]?[0-9]+)\)?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))(?:\s?(?P<unit>{UNIT}))?(?!\w)",
)
def power_of_ten(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    power = (match["power"] or match["raised"].translate(_RAISED)).replace("−", "-")
    minus = "minus " if power[0] == "-" else ""
    name = unit(match["unit"], is_one=False) if match["unit"] else ""
    said = f"ten to the {minus}{at.numbers.cardinal(power.lstrip('-+'))}"
    yield Reading("ten", join(said, name), ("unit" if name else "bare",))


@SCIENTIFIC.at(
    DIGITS, r"(?<![\w.])(?P<number>[0-9](?:\.[0-9]+)?)[eE](?P<power>[-+]?[0-9]{1,3})(?!\w)"
)
def exponent(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    power = match["power"]
    minus = "minus " if power[0] == "-" else ""
    said = at.numbers.cardinal(str(int(power.lstrip("-+"))))
    yield Reading("e", f"{amount(at.numbers, match['number'])} times ten to the {minus}{said}")


RAISED = Grammar("raised", prior={"": 0.5, "silent": 0.0})


@RAISED.at("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", r"[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
def raised(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    number = match[0].translate(_RAISED)
    touch = at.touches()
    facts: tuple[str, ...] = (
        "after letter"
        if touch.isalpha()
        else "after digit"
        if touch.isdecimal()
        else f"after {touch}",
        f"number {number}" if number in ("2", "3") else "other number",
    )
    before = at.tokens.neighbour(at.index, -1)
    if before is not None and before.kind == "word":
        facts = (*facts, "after word" if len(before.text) > 2 else "after symbol")
    yield Reading("silent", "", facts)
    minus = "minus " if number[0] == "-" else ""
    digits = number.lstrip("-+")
    power = {"2": "squared", "3": "cubed"}.get(
        number
    ) or f"to the {minus}{at.numbers.ordinal(digits) if not minus else at.numbers.cardinal(digits)}"
    yield Reading("power", power, facts)
    yield Reading("number", minus + at.numbers.cardinal(digits), facts)
