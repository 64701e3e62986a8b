"""Two numbers that stand to each other: fractions, odds, ratios, verses, scores, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    DIGITS,
    NUMBER,
    VULGAR,
    amount,
    fraction,
    mixed,
    year,
)
from service.text.lattice.grammar import Grammar, Place, Reading


def _order(one: str, other: str) -> str:
    first, second = float(one.replace(",", "")), float(other.replace(",", ""))
    return "up" if first < second else "same" if first == second else "down"


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


_FIXED = frozenset({("9", "11"), ("24", "7"), ("50", "50"), ("20", "20"), ("7", "11")})
"""Numbers with a slash that are names: the day, the hours, the chances, the eyesight."""


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
    before="ratio odds mix scale aspect dilute diluted dilution")  # fmt: skip
_OF_CLOCKS = frozenset("at by until till since before after around".split())
_REACH = 6


def _speaks_of_ratios(at: Place) -> bool:
    return any(at.before(n) in RATIO.words_before for n in range(1, _REACH + 1))


VERSE = Grammar("verse", prior={"": 0.0}, domains="scripture")


@RATIO.at(
    DIGITS,
    r"(?<![\w:.])(?P<one>[0-9]+(?:\.[0-9]+)?)(?P<more>(?::[0-9]+(?:\.[0-9]+)?(?:,[0-9]{3})*)+)(?![\w:]|\.[0-9])",
)
def ratio(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = [match["one"], *match["more"][1:].split(":")]
    last = parts[-1]
    minute = len(last) == 2 and last.isdecimal() and int(last) < 60
    if minute and len(parts) == 2 and at.before() in _OF_CLOCKS and not _speaks_of_ratios(at):
        return
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
    " figs sections tables verses rows questions items steps open hours daily takes lasts seats mon"
    " tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday"
    " sunday weekdays weekends",
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
        elif 3 in (len(one), len(other)) and one.endswith("00") == other.endswith("00"):
            yield Reading("pairs", f"{at.numbers.paired(one)} to {at.numbers.paired(other)}", facts)
        if one[0] == "0" or other[0] == "0" or len(one) + len(other) > 6:
            yield Reading(
                "digits", f"{at.numbers.spelled(one)}, {at.numbers.spelled(other)}", facts
            )


_LABELS = frozenset("room rm apt apartment suite ste unit bldg building box locker bay law".split())


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
        "label" if at.label() in _LABELS else "",
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
        nil = "nil" if at.numbers.british else "nothing"
        first = nil if at.numbers.british and match["one"] == "0" else one
        yield Reading("nil", f"{first} {nil}", facts)
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


@SCORE.at(
    DIGITS,
    r"(?<![\w.,/$€£-])[0-9]{1,3}(?:\.[0-9])?(?:/[0-9]{1,3}(?:\.[0-9])?){2,4}(?![\w/]|[.,-][0-9])",
)
def slash_line(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `31/9/8`: points, rebounds and assists."""
    parts = match[0].split("/")
    said = [amount(at.numbers, part) for part in parts]
    facts = (f"parts {len(parts)}", f"longest {max(map(len, parts))}")
    yield Reading("line", ", ".join(said), facts)
    yield Reading("line slash", " slash ".join(said), facts)


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
