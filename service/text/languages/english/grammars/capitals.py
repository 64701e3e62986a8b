"""Words in capitals: spelled or read; initials, states, sizes, sides of the compass, numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import (
    LETTERS,
    LOWER,
    UPPER,
    ends_sentence,
    is_spelled,
    letters,
    of_place,
    roman,
)
from service.text.languages.english.normalization.states import STATES
from service.text.languages.english.words import FUNCTION_WORDS
from service.text.lattice.grammar import Grammar, Place, Reading

_AS_WRITTEN = frozenset(("iso", "din", "en", "til"))
"""Names of standards, and a short word, that are never spelled."""
_INTERJECTION = re.compile(
    "sh+|br+|z{2,}|tsk|ps+t|h+m+|mh+m|e+w+|u+g+h+|gr+|p+f+t*|m{2,}|a+h+|o+h+|a+w+|o+f+|y+a+y+"
)
_NO_PLURALS = frozenset(("hdfs", "ntfs", "cups", "pass", "less"))

_READ_OTHERWISE = frozenset(("LED", "LEDs"))
"""Letters that are words in running text."""
LETTERS_OR_WORD = Grammar("letters", prior={"spelled": 0.5, "word": 0.5, "single": 0.5})

_VOWEL = re.compile(r"[AEIOUYaeiouy]")
_ONSETS = (
    "b bl br c ch chl chr cl cr d dr dw f fl fr g gh gl gn gr h j k kh kl kn kr l m n p ph phl phr pl"
    " pr ps q qu r rh s sc sch scl scr sh shr sk sl sm sn sp sph spl spr squ st str sv sw t th thr"
    " tr ts tw v vl w wh wr x y z"
)
_CODAS = (
    "b bb bs c ch ck cks cs ct cts d dd ds dth f ff ffs fs ft fts g gg gh ghs gs ght gn h k ks l lb lc"
    " ld lds lf lk lks ll lls lm lms ln lp lps ls lsh lt lth lts m mb mbs mm mn mp mph mps mpt ms n nc"
    " nch nd nds ng ngs ngth nk nks nn ns nt nth nts nx nz p ph phs pp ps pt pth q r rb rbs rc rch rd"
    " rds rf rg rk rks rl rld rls rm rms rn rns rp rps rr rs rsh rst rt rth rts rv rx rz s sc sch sh sk"
    " sks sm sms sp sps ss st sts t tch th ths ts tt tts tz v w wd wk wl wls wn wns ws wth x xt z zz"
)
_HARD = re.compile(
    rf"^(?!(?:{_ONSETS.replace(' ', '|')})[aeiouy])[^aeiouy]{{2}}|[^aeiouy]{{5}}"
    rf"|[aeiouy](?!(?:{_CODAS.replace(' ', '|')})\Z)[^aeiouy]+\Z",
    re.IGNORECASE,
)
"""What no word begins or ends with, or has inside."""
_PRONOUNCED = re.compile(r"[a-z]*(?:[aeiouy][a-z]|[a-z][aeiouy])|[A-Z][aeiouy][A-Z][aeiouy]")
"""A part that is no row of letters: `iPad`, `eBay`, `UConn`, `HiFi`."""
_CAMEL = re.compile(r"[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})+|(?:[A-Z][aeiouy]){2,3}")
_DEGREE = re.compile(r"[A-Z]{1,2}[a-z]?[A-Z]s")
"""Several of what is written with a small letter: `PhDs`."""
_SPOKEN = frozenset(
    "nasa unesco unicef nato opec fifa uefa aids ram gif jpeg laser radar scuba covid pin sim gaap"
    " json yaml ascii nafta asean moma sars mensa bafta swat wasp nascar cobol hepa ansi epcot fema"
    " sonos lego nike ebay norad osha usaid zip ajax rest cop fica hipaa caesar cat pet ice roi"
    " gdpr seal ada acid basic cad crud dare dos ikea isis jpg lan wan lidar maga mips mime moscow"
    " naacp nimby opec pac potus scotus flotus ram rom sad scotus snap stem tarp taser trips".split()
) - {"gdpr", "jpg", "naacp", "lan", "roi", "seal"}


_TITLES = frozenset(
    "mr mrs ms mx dr prof sir lady lord sgt capt lt col gen sen rep gov rev judge justice president"
    " senator doctor professor".split()
)


@LETTERS_OR_WORD.at(LETTERS, r"[^\W\d_]+(?:['’]s)?")
def letters_or_word(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    token = at.token
    text = token.text
    stem = text[:-2] if text[-2:] in ("'s", "’s") else text
    if stem[-1:] == "s" and len(stem) > 2 and (stem[:-1].isupper() or _DEGREE.fullmatch(stem)):
        stem = stem[:-1]
    ending = text[len(stem) :].replace("’", "'")
    if not stem.isascii() or not stem.isalpha() or len(stem) > 8:
        return
    low = stem.lower()
    shape = (
        "upper"
        if stem.isupper()
        else "lower"
        if stem.islower()
        else "title"
        if stem[1:].islower()
        else "mixed"
    )
    known = at.tokens.knows(low)
    if len(stem) == 1:
        if shape == "upper" and not ending:
            return
        if low in ("a", "i") and shape == "lower":
            following = at.token_after(token.end)
            right = at.text[token.end : token.end + 1]
            if following is not None and not following.text[0].isascii():
                right = ")"  # pictures are silent
            around = at.touches() + right
            if low == "a" and any(sign in '()[]|=“”"*—' for sign in around):
                yield Reading("article", "A", (around,))
            return
        yield Reading("single", None, (shape, "ending" if ending else ""))
        return
    if shape in ("lower", "title") and (known or ending):
        return
    if shape == "title" and at.label() in _TITLES:
        return  # a name: `Dr. Ng`
    shouted = at.tokens.is_shouted(token.start)
    line = "shouted" if shouted else "line"
    vowel = "v" if _VOWEL.search(stem) and not _HARD.search(stem) else "c"
    knows = "function" if low in FUNCTION_WORDS else "known" if known else "unknown"
    spoken = "spoken" if low in _SPOKEN else ""
    facts = (
        f"{shape} {knows} {line}",
        f"{shape} {knows} {line} {vowel}",
        f"{shape} {vowel} {min(len(stem), 6)} {line}",
        f"{shape} {spoken}" if spoken else "",
        f"{shape} {ending} {line}" if ending else "",
        f"= {low}",
        _neighbours(at),
        f"{knows} {_neighbours(at)}",
    )
    spelled = is_spelled(stem) and not (shouted and (known or len(stem) > 4))
    spelled = spelled and stem not in _READ_OTHERWISE
    if shape == "mixed":
        is_name = _PRONOUNCED.search(stem) is not None
    else:
        is_name = shape != "upper" and (
            low in _AS_WRITTEN
            or _INTERJECTION.fullmatch(low) is not None
            or (len(stem) > 4 and vowel == "v")
        )
    many = shape == "lower" and low[-1] == "s" and len(low) == 4 and low not in _NO_PLURALS
    if many and is_spelled(low[:-1].upper()):
        yield Reading("spelled", f"{letters(low[:-1])}'s", facts)
        return
    if spelled or not is_name:
        yield Reading("spelled", None if spelled else " ".join(stem.upper()) + ending, facts)
    if shape in ("upper", "title", "lower"):
        word = None
        if spelled:
            word = text.lower() if known else text.capitalize()
        yield Reading("word", word, facts)
    if shape == "mixed" and _CAMEL.fullmatch(stem):
        yield Reading("camel", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text), facts)
    parts = re.fullmatch(r"(?P<word>[a-z]{2,})(?P<letters>[A-Z]{2,})", stem)
    if parts is not None:
        yield Reading("camel", f"{parts['word']} {letters(parts['letters'])}", facts)


def _neighbours(at: Place) -> str:
    """Return how the words around are written."""
    sides = []
    for token in (at.tokens.neighbour(at.index, -1), at.tokens.neighbour(at.index + 1, 0)):
        sides.append(
            "none" if token is None else token.shape if token.kind == "word" else token.kind
        )
    return f"between {sides[0]} {sides[1]}"


@LETTERS_OR_WORD.at_words(("us",))
def country(at: Place) -> Iterator[Reading]:
    after = at.token_after(at.token.end)
    following = "edge" if after is None else after.kind if after.kind != "word" else "word"
    facts = (f"the {at.before() == 'the'}", f"{at.token.shape} {following}")
    yield Reading("country", "U S", facts)


INITIALS = Grammar("initials", prior={"": 1.5})


@INITIALS.at(
    LETTERS, r"(?<![\w.])(?:[A-Za-z]\.){2,}(?!\w)|(?<![\w.])(?:[A-Za-z]\.)+[A-Za-z](?![\w.])"
)
def initials(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    case = "upper" if match[0][0].isupper() else "lower"
    facts = (case, f"{case} {len(match[0])}", match[0].lower() if len(match[0]) < 5 else "")
    yield Reading("dotted", None, facts)


@INITIALS.at(UPPER, r"(?<!\w)(?P<letter>[A-Z])(?!\w|\.\w)")
def letter(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    stop = at.text[match.end() : match.end() + 1] == "."
    after = at.token_after(match.end() + stop)
    kind = "edge" if after is None else after.shape if after.kind == "word" else after.text[:1]
    before = at.before()
    label = at.before(2) if before[:1].isdigit() else ""
    facts = (
        f"stop {stop}",
        f"{stop} > {kind}",
        match["letter"],
        f"number < {label if label in _LABELS else 'other'}" if label else "",
    )
    yield Reading("letter", None, facts)


_STATES_AS_WORDS = frozenset("in or me hi ok oh pa ma la id al de ct md co ms mt sd".split())
STATE = Grammar(
    "state", prior={"": 0.0, "lower": 3.0, "stopped": 3.0}, domains="address politics weather"
)
_SHORT_STATES = {
    "Ariz": "Arizona", "Calif": "California", "Colo": "Colorado", "Conn": "Connecticut",
    "Fla": "Florida", "Ill": "Illinois", "Ind": "Indiana", "Mass": "Massachusetts",
    "Mich": "Michigan", "Minn": "Minnesota", "Miss": "Mississippi", "Okla": "Oklahoma",
    "Ore": "Oregon", "Penn": "Pennsylvania", "Tenn": "Tennessee", "Tex": "Texas", "Va": "Virginia",
    "Wash": "Washington", "Wis": "Wisconsin", "Vt": "Vermont", "Ga": "Georgia", "Md": "Maryland",
    "Nev": "Nevada", "Neb": "Nebraska", "Del": "Delaware", "Ala": "Alabama", "Ark": "Arkansas",
    "Kan": "Kansas", "Kans": "Kansas", "La": "Louisiana", "Ky": "Kentucky", "Mo": "Missouri",
    "Mont": "Montana", "Pa": "Pennsylvania", "Wyo": "Wyoming", "Ont": "Ontario",
}  # fmt: skip
_UNMISTAKABLE = frozenset("Ariz Calif Colo Fla Minn Okla Tenn Wis Wyo Conn Mich Neb Ont".split())
_STATES = {**STATES, "DC": "DC"}


@STATE.at(UPPER, r"(?<!\w)(?P<state>[A-Z]{2})(?!\w)")
def state(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = _STATES.get(match["state"])
    if name is None:
        return
    comma = "comma" if at.before() == "," else "no comma"
    after = at.token_after(match.end())
    following = "edge" if after is None else after.text if after.kind == "sign" else after.kind
    if after is not None and after.kind == "number":
        following = f"number {len(after.text)}"
    known = "word" if at.tokens.knows(match["state"].lower()) else "no word"
    yield Reading("name", name, (comma, f"{comma} > {following}", f"{known} {comma}"))


@STATE.at(UPPER, r"(?<=, )(?P<state>[A-Z]{2})\.(?=[,;]| [A-Za-z0-9])")
def state_and_stop(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `ST. LOUIS, MO., ON FRIDAY`."""
    name = _STATES.get(match["state"])
    if name is not None and not ends_sentence(at.text, match.end(), any_capital=True):
        yield Reading("stopped", name)


@STATE.at(LOWER, r"(?<=, )(?P<state>[a-z]{2})(?![\w'’])\.?", words=map(str.lower, STATES))
def lower_state(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `chicago, il 60614`, where nothing has a capital."""
    name = _STATES.get(match["state"].upper())
    if name is None or not at.text.islower() or not at.before(2).isalpha():
        return
    behind = at.text[match.end() : match.end() + 7]
    closes = re.match(r"\Z|[,;.)]| ?[0-9]{5}|\n", behind) is not None
    if closes or match["state"] not in _STATES_AS_WORDS:
        yield Reading("lower", name, (), match.end("state") if behind == "" else match.end())


@STATE.at(
    UPPER,
    rf"(?<!\w)(?P<state>{'|'.join(_SHORT_STATES)})\b(?P<stop>\.?)(?!\w)",
    words=map(str.lower, _SHORT_STATES),
)
def short_state(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    comma = "comma" if at.before() == "," else "no comma"
    is_mistakable = at.tokens.knows(match["state"].lower()) and match["state"] not in _UNMISTAKABLE
    if is_mistakable and not (match["stop"] and comma == "comma"):
        return  # a word, as `Ill` and `Wash` are
    facts = (comma, f"stop {bool(match['stop'])} {comma}")
    closes = match["stop"] and ends_sentence(at.text, match.end(), any_capital=True)
    end = match.end("state") if closes else match.end()
    yield Reading("short", _SHORT_STATES[match["state"]], facts, end)


@STATE.at(
    "DRI",
    r"(?<!\w)(?P<party>[DRI])[-–](?P<state>[A-Z]{2}|[A-Z][a-z]{1,4}\.?)(?:-(?P<district>[0-9]{1,2}))?(?![\w-])",
)
def party(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    place = match["state"].rstrip(".")
    name = _STATES.get(place) or _SHORT_STATES.get(place)
    if name is not None:
        district = (
            f" {at.numbers.cardinal(str(int(match['district'])))}" if match["district"] else ""
        )
        yield Reading("party", f"{match['party']} {name}{district}")


COMPASS = Grammar(
    "compass",
    prior={"": -0.5, "turn": 4.0},
    domains="weather aviation address",
    before="wind winds from exit i route us hwy heading mi miles km ft feet yards blocks turn on of",
    after="wind winds at of wall coast side st street ave avenue corner",
)
_SIDES = {"N": "north", "S": "south", "E": "east", "W": "west", "B": "bound"}


@COMPASS.at("NSEW", r"(?<!\w)(?P<side>[NS]{1,2}[EW]|[EW][NS][EW]|[NSEW]B?)(?P<stop>\.?)(?!\w)")
def compass(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    side = match["side"]
    sides = [_SIDES[letter] for letter in side]
    words = "".join(sides) if len(sides) < 3 else f"{sides[0]}-{sides[1]}{sides[2]}"
    before, after = at.before(), at.token_after(match.end())
    following = "edge" if after is None else after.kind if after.kind != "word" else after.shape
    facts = (
        f"length {len(side)}",
        f"{len(side)} > {following}",
        f"{len(side)} after number" if before[:1].isdigit() else "",
        f"stop {bool(match['stop'])}" if len(side) == 1 else "",
        f"> {after.low}"
        if after is not None and after.low in ("of", "on", "at", "and", ",")
        else "",
        of_place(at.text, match.end()),
        f"number < {second}"
        if before[:1].isdigit() and (second := at.before(2)) in _LABELS
        else "",
        f"{len(side)} after measure" if before in _DISTANCES else f"{len(side)} after other",
    )
    left = at.tokens.neighbour(at.index, -1)
    named = left is not None and left.shape == "title" and len(side) == 2
    words = words.capitalize() if following == "title" or named else words
    yield Reading("side", words, facts, match.end("side") if not match["stop"] else match.end())


@COMPASS.at(
    "LR", r"(?<!\w)(?P<side>[LR])\.?(?= (?:on|onto|at|then|to|and|in|past|lane)(?!\w)|,| ?$)"
)
def turn(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `turn L on 3rd St.`"""
    if at.before() in _TURNS:
        yield Reading("turn", "left" if match["side"] == "L" else "right", (), match.end("side"))


_TURNS = frozenset("turn turns keep bear veer then slight sharp go exit merge".split())
_LABELS = frozenset(
    "aisle seat seats gate bus row size wear wore section answer room near to rm rt rte route exit apt".split()
)
_DISTANCES = frozenset(
    "mi miles mile km kilometers ft feet m meters yards blocks minutes hours yd nm".split()
)
SIZE = Grammar("size", prior={"": -1.0}, domains="shop", before="size sizes", after="shirt")
_SIZES = {
    "XL": "extra large", "XS": "extra small", "XXL": "double X L", "S": "small", "M": "medium",
    "L": "large", "XXS": "double X S",
}  # fmt: skip


@SIZE.at("XSML", r"(?<!\w)(?:XXL|XXS|XL|XS|S|M|L)(?![\w.])")
def size(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("word", _SIZES[match[0]], (str(len(match[0])),))


ROMAN = Grammar("roman", prior={"cardinal": -0.5, "ordinal": -0.5}, domains="history law sports")
_COUNTED = frozenset(
    "chapter part book volume act scene section article title appendix phase type stage class level"
    " grade war rocky bowl amendment canto figure table division olympiad schedule vol ch sec pt"
    " art book books parts chapters volumes articles titles sections fig vatican apollo mark mk"
    " hall tier category no number round episode season group unit tome factor lesson annex plate"
    " exhibit item psalm sonnet symphony concerto page step module final fantasy gta gen generation"
    " district region ward corps precinct div".split()
)
_RULERS = frozenset(
    "henry louis charles george edward james william john paul elizabeth richard philip napoleon"
    " francis pius benedict leo gregory alexander peter ivan nicholas frederick ramesses wilhelm"
    " ferdinand gustav pope king queen emperor catherine mary haakon christian olaf harald"
    " leopold baldwin otto urban innocent clement julius sixtus pedro carlos juan felipe jr"
    " robert stephen constantine darius xerxes ptolemy cleopatra alfonso umberto".split()
)


@ROMAN.at("IVXLCDMivxlcdm", r"(?<![\w.])(?P<numeral>[IVXLCDM]+|[ivxlcdm]+)(?![\w'’]|\.\w)")
def numeral(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    value = roman(match[0])
    if not value:
        return
    before = at.tokens.neighbour(at.index, -1)
    if before is not None and before.text == ".":
        before = at.tokens.neighbour(at.index, -2)
    low = "" if before is None else before.low
    if low in _COUNTED or low.removesuffix("s") in _COUNTED:
        standing = "counted"
    elif low in _RULERS:
        standing = "ruler"
    elif before is not None and before.shape == "title" and not at.tokens.knows(low):
        standing = "name"
    elif before is not None and before.shape == "title":
        standing = "title"
    else:
        standing = "other"
    case = "upper" if match[0].isupper() else "lower"
    line = "shouted" if at.tokens.is_shouted(match.start()) else "line"
    single = match[0].lower() if len(match[0]) == 1 else "several"
    known = "word" if at.tokens.knows(match[0].lower()) else "no word"
    facts = (
        f"{case} {standing}",
        f"{case} {single} {standing}",
        f"{single} {case} {line}",
        f"{standing} {known} {case}",
        "high" if value > 39 else "low",
        "row"
        if _ROW.search(at.text, 0, match.start()) or _ROW_NEXT.match(at.text, match.end())
        else "",
    )
    number = str(value)
    yield Reading("cardinal", at.numbers.cardinal(number), facts)
    if value < 40:
        yield Reading("ordinal", f"the {at.numbers.ordinal(number)}", facts)


_REACH = 40
"""Characters before a numeral in which the one before it ends."""
_ROW = re.compile(r"\b[IVX]+,[ ]\Z")
_ROW_NEXT = re.compile(r",[ ][IVX]+\b")
_LABEL = re.compile(r"(?m)^[ \t]{0,8}(?P<numeral>[ivx]{1,5}|[IVX]{1,5})[.)][ \t]")


@ROMAN.at("ivxIVX", r"(?<!\w)(?P<numeral>[ivx]{1,5}|[IVX]{1,5})(?P<stop>[.)])(?=[ \t])")
def label(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of the second and third line of `i. Introduction`, `ii. Methods`, and of the first."""
    value = roman(match["numeral"])
    line = at.text.rfind("\n", 0, match.start()) + 1
    if not value or at.text[line : match.start()].strip():
        return
    others = {
        roman(other["numeral"])
        for other in _LABEL.finditer(at.text)
        if other["numeral"].islower() == match["numeral"].islower()
    }
    if {value - 1, value + 1} & others and others & {1, 2}:
        words = at.numbers.cardinal(str(value))
        yield Reading("label", f"{words}{match['stop']}", (f"length {len(match['numeral'])}",))


@ROMAN.at("IVX", r"(?<![\w.])(?P<numeral>[IVX]+)(?P<letter>[A-C])(?![\w'’])")
def lettered(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    value = roman(match["numeral"])
    if value and at.label() in _COUNTED:
        said = f"{at.numbers.cardinal(str(value))} {match['letter']}"
        yield Reading("lettered", said, (f"length {len(match['numeral'])}",))


@ROMAN.at("IVX", r"(?<!\w)(?P<one>[IVX]+)[-–](?P<other>[IVX]+)(?!\w)")
def numerals(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other = roman(match["one"]), roman(match["other"])
    if one and other:
        cardinal = at.numbers.cardinal
        yield Reading("range", f"{cardinal(str(one))} to {cardinal(str(other))}")
