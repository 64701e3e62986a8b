"""Codes of letters and digits: models, flights, seats, tickets, telephones, hosts and files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.capitals import _SPOKEN
from service.text.languages.english.grammars.said import (
    DIGITS,
    LETTERS,
    UPPER,
    code,
    letters,
)
from service.text.languages.english.normalization.run_together import split
from service.text.lattice.grammar import Grammar, Place, Reading
from service.text.normalization.formulas import ELEMENTS

CODE = Grammar(
    "code",
    prior={"": 0.0, "hyphen": 0.5, "episode": 2.5, "groups": 12.0},
    domains="transit code aviation shop address",
)


def _pattern(text: str) -> str:
    shape = re.sub("[0-9]+", "0", re.sub("[a-z]+", "a", re.sub("[A-Z]+", "A", text)))
    return shape[:6]


@CODE.at(LETTERS + DIGITS, r"(?<![\w])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{2,40}(?!\w)")
def mixed(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    text = match[0]
    runs = re.findall(r"[0-9]+|[A-Za-z]+", text)
    lengths = "".join(str(min(len(run), 4)) for run in runs)[:4]
    facts = (
        _pattern(text),
        f"{_pattern(text)} {lengths}",
        f"runs {min(len(runs), 5)}",
        f"touches {at.touches()}",
    )
    longest = max(len(run) for run in runs if run.isdecimal())
    yield Reading("small", code(at.numbers, text), facts)
    if longest > 2:
        yield Reading("pairs", code(at.numbers, text, digits="pairs"), facts)
    if longest > 1:
        yield Reading("single", code(at.numbers, text, digits="single"), facts)
    if longest == 3:
        yield Reading(
            "cardinal",
            " ".join(at.numbers.cardinal(run) if run.isdecimal() else letters(run) for run in runs),
            facts,
        )
    if len(runs) == 2 and runs[0].isalpha() and len(runs[0]) > 2:
        known = "known" if at.tokens.knows(runs[0].lower()) else "unknown"
        spoken = "spoken" if runs[0].lower() in _SPOKEN else ""
        for form, number in (
            ("word", at.numbers.paired(runs[1])),
            ("word single", at.numbers.spelled(runs[1])),
        ):
            yield Reading(
                form,
                f"{runs[0] if runs[0].isupper() and not known else runs[0].capitalize()} {number}",
                (*facts, known, spoken),
            )
    if len(runs) == 2 and runs[0].isdecimal() and len(runs[1]) > 2 and runs[1].islower():
        yield Reading("number word", f"{at.numbers.cardinal(runs[0])} {runs[1]}", facts)


@CODE.at(
    LETTERS,
    r"(?<![\w-])(?P<head>[A-Za-z]{1,6})-(?P<number>[0-9]{1,6})(?P<tail>[A-Za-z]{0,2})(?![\w]|-\w)",
)
def hyphened(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    head, number, tail = match["head"], match["number"], match["tail"]
    case = "upper" if head.isupper() else "lower" if head.islower() else "title"
    facts = (
        f"{case} {len(head)}",
        f"digits {len(number)}",
        f"{case} {min(len(head), 4)} {len(number)}",
        f"tail {len(tail)}",
    )
    known = at.tokens.knows(head.lower())
    said = {
        "paired": at.numbers.paired(number)
        if number[0] != "0" and len(number) < 5
        else at.numbers.spelled(number),
        "cardinal": at.numbers.cardinal(number),
        "single": at.numbers.spelled(number),
    }
    seen = set()
    for form, words in said.items():
        if words in seen:
            continue
        seen.add(words)
        end = f" {letters(tail)}" if tail else ""
        yield Reading(f"letters {form}", f"{letters(head)} {words}{end}", facts)
        if len(head) > 2:
            spoken = "spoken" if head.lower() in _SPOKEN else "known" if known else "unknown"
            yield Reading(
                f"word {form}",
                f"{head if case != 'upper' else head.capitalize()} {words}{end}",
                (*facts, spoken),
            )
    if head == "I" and not tail:
        yield Reading("interstate", f"Interstate {at.numbers.paired(number)}", facts)


@CODE.at(
    UPPER + DIGITS,
    r"(?<![\w/-])(?=[A-Z0-9-]*[0-9])(?=[A-Z0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])",
)
def parts(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = match[0].split("-")
    facts = (f"parts {min(len(said), 4)}", _pattern(match[0]))
    yield Reading(
        "parts",
        ", ".join(
            code(at.numbers, part, digits="single" if part.isdecimal() else "small")
            for part in said
        ),
        facts,
    )
    yield Reading(
        "parts pairs", ", ".join(code(at.numbers, part, digits="pairs") for part in said), facts
    )
    yield Reading(
        "parts single", ", ".join(code(at.numbers, part, digits="single") for part in said), facts
    )


@CODE.at(
    LETTERS,
    r"(?<![\w.-])(?P<head>[A-Za-z]{1,6})(?P<number>[0-9]{1,2}\.[0-9]{1,2})(?![\w-]|\.[0-9])",
)
def with_decimal(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `PM2.5`, `USB3.1`, `GPT4.5`."""
    head, number = match["head"], at.numbers.decimal(match["number"])
    facts = (f"{_pattern(head)} {min(len(head), 4)}",)
    yield Reading("decimal", f"{letters(head)} {number}", facts)
    if len(head) > 2:
        known = "known" if at.tokens.knows(head.lower()) else "unknown"
        yield Reading("word decimal", f"{head.capitalize()} {number}", (*facts, known))


@CODE.at(
    "7", r"(?<![\w.-])(?P<type>7[0-9]7)-(?P<variant>[1-9][0-9]{0,2})(?P<tail>[A-Z]{0,3})(?!\w)"
)
def aircraft(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    variant = match["variant"]
    said = (at.numbers.cardinal if variant.endswith("00") else at.numbers.paired)(variant)
    tail = f" {letters(match['tail'])}" if match["tail"] else ""
    yield Reading(
        "aircraft", f"{at.numbers.paired(match['type'])} {said}{tail}", (f"{len(variant)}",)
    )


_SIDES = {"N": "north", "S": "south", "E": "east", "W": "west"}


@CODE.at("Ss", r"(?<!\w)[Ss](?P<season>[0-9]{1,2}) ?[Ee](?P<episode>[0-9]{1,3})(?!\w)")
def episode(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `S01E09`."""
    season, number = (at.numbers.cardinal(str(int(part))) for part in match.groups())
    zeros = "zeros" if "0" in (match["season"][0], match["episode"][0]) else "plain"
    yield Reading("episode", f"season {season}, episode {number}", (zeros,))


@CODE.at(DIGITS, r"(?<![\w.,/-])[0-9]{4}(?: [0-9]{4}){2,6}(?: [0-9]{1,4})?(?![\w.,/-]*[0-9])")
def groups(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of a card or a parcel, in groups of four."""
    yield Reading("groups", ", ".join(map(at.numbers.spelled, match[0].split())))


ROAD = Grammar("road", prior={"": 0.5}, domains="transit address")


@ROAD.at(
    "USI",
    r"(?<!\w)(?P<road>US|I|U\.S\.)[- ](?P<number>[0-9]{1,3})(?:[- ](?P<side>[NSEW])\.?)?(?!\w)",
)
@ROAD.at(
    "ui",
    r"(?<!\w)(?P<road>us|i)-(?P<number>[0-9]{1,3})(?:[- ](?P<side>[nsew]))?(?!\w)",
    words=("us", "i"),
)
def road(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = "Interstate" if match["road"] in "Ii" else "U S"
    side = f" {_SIDES[match['side'].upper()]}" if match["side"] else ""
    facts = (match["road"].upper(), f"side {bool(side)}")
    yield Reading("name", f"{name} {at.numbers.paired(match['number'])}{side}", facts)
    yield Reading(
        "letters",
        f"{letters(match['road'].replace('.', ''))} {at.numbers.paired(match['number'])}{side}",
        facts,
    )
    if name == "U S":
        yield Reading("route", f"{name} Route {at.numbers.paired(match['number'])}{side}", facts)


@ROAD.at(UPPER, r"(?<!\w)(?P<road>[A-Z]{2})[- ](?P<number>[0-9]{1,4})[- ](?P<side>[NSEW])B?(?!\w)")
def state_road(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `SR-520 E`."""
    said = f"{letters(match['road'])} {at.numbers.paired(match['number'])} {_SIDES[match['side']]}"
    yield Reading("state", said, ("hyphen" if "-" in match[0] else "space",))


RUNWAY = Grammar("runway", prior={"": -0.5}, domains="aviation", before="runway runways for rwy")


@RUNWAY.at(DIGITS, r"(?<!\w)(?P<number>[0-3]?[0-9])(?P<side>[LRC])(?!\w)")
def runway(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    side = {"L": "left", "R": "right", "C": "center"}[match["side"]]
    yield Reading("side", f"{at.numbers.spelled(match['number'])} {side}", (match["side"],))


@RUNWAY.at("F", r"(?<!\w)FL\s?(?P<number>[0-9]{3})(?!\w)")
def flight_level(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("level", f"flight level {at.numbers.spelled(match['number'])}")


TELEPHONE = Grammar("telephone", prior={"plain": 1.5, "": 0.5}, domains="address home",
    before="call at phone tel dial fax text number")  # fmt: skip


@TELEPHONE.at(
    "+(" + DIGITS,
    r"(?<![\w.])(?:\+?[0-9]{1,3}[\s.-])?(?:\(?[0-9]{3}\)?[\s.–-]{1,2})?[0-9]{3}[\s.–-][0-9]{4}"
    r"(?:,?\s(?:ext|x|extension)\.?\s?(?P<extension>[0-9]{1,5}))?(?![\w-])",
)
def telephone(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    extension = match["extension"]
    if not extension:
        yield from _telephone(at, match[0], "plain")
        return
    number = re.split("[A-Za-z,]", match[0])[0]
    said = at.numbers.cardinal(extension) if len(extension) < 3 else at.numbers.spelled(extension)
    for reading in _telephone(at, number, "plain"):
        yield reading._replace(words=f"{reading.words}, extension {said}")


@TELEPHONE.at(
    "+(" + DIGITS, r"(?<![\w.])\+?\(?[0-9]{1,5}\)?(?:[\s.-][0-9]{2,4}){1,5}(?![\w/:-]|[.,][0-9])"
)
def other_telephone(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield from _telephone(at, match[0], "other")


def _is_called(at: Place) -> bool:
    before = {at.before(distance) for distance in (1, 2, 3)}
    return not before.isdisjoint(TELEPHONE.words_before)


_FEWEST_DIGITS_ABROAD = 8
"""Of a number with the code of its country."""


def _telephone(at: Place, text: str, form: str) -> Iterator[Reading]:
    groups = re.findall("[0-9]+", text)
    is_signed = text.startswith("+") or at.touches() in ("+", "-", "−", "±")
    if is_signed and len("".join(groups)) < _FEWEST_DIGITS_ABROAD:
        return  # a decimal: `+100.0000`
    if "." in text and len(groups) == 2 and not _is_called(at):
        return  # likewise, unless something says who is called: `call 555.0134`
    lead = "plus " if text.startswith("+") else ""
    said = ", ".join(at.numbers.spelled(group) for group in groups)
    facts = (
        f"digits {len(''.join(groups))}",
        f"groups {len(groups)}",
        f"plus {bool(lead)}",
        "-".join(str(len(group)) for group in groups)[:9],
    )
    yield Reading(form, lead + said, facts)
    yield Reading(f"{form} oh", lead + said.replace("zero", "oh"), facts)


@TELEPHONE.at(
    "12345678",
    r"(?<![\w-])(?:1-(?=8)|(?:1-)?(?=[0-9-]{4,8}[A-Z]))(?P<area>[2-8][0-9]{2})-(?P<one>[A-Z0-9]{3,4})-?(?P<other>[A-Z0-9]{3,4})(?!\w)",
)
def toll_free(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    area = (
        f"{at.numbers.cardinal(match['area'][0])} hundred"
        if match["area"].endswith("00")
        else at.numbers.spelled(match["area"])
    )
    one = "one, " if match[0].startswith("1-") else ""
    if (match["one"] + match["other"]).isalpha() and match[0].count("-") == 1 + bool(one):
        yield Reading("toll free", f"{one}{area}, {match['one']}{match['other']}")  # one word
        return
    tail = [
        part
        if part.isalpha()
        else at.numbers.spelled(part)
        if part.isdecimal()
        else code(at.numbers, part)
        for part in (match["one"], match["other"])
    ]
    yield Reading("toll free", f"{one}{area}, {' '.join(tail)}")
    yield Reading(
        "toll free letters",
        f"{one}{area}, {' '.join(letters(part) if part.isalpha() else part for part in tail)}",
    )


ZIP = Grammar("zip", prior={"": 1.0}, domains="address")


@ZIP.at(DIGITS, r"(?<!\w)[0-9]{5}-[0-9]{4}(?!\w)")
def zip_code(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    one, other = match[0].split("-")
    yield Reading("plain", f"{at.numbers.spelled(one)}, {at.numbers.spelled(other)}")
    yield Reading("dash", f"{at.numbers.spelled(one)} dash {at.numbers.spelled(other)}")


NAME = Grammar("name", prior={"": 0.5}, domains="code")


def _spelled(at: Place, text: str, silent: str = "") -> str:
    said = []
    names = {".": "dot", "/": "slash", "_": "underscore", "-": "dash", ":": "colon", "@": "at", "~": "tilde",
        "\\": "backslash", "$": "dollar", "*": "star", "+": "plus", "=": "equals", "?": "question mark", "&": "and", "#": "hash", "%": "percent", ",": ","}  # fmt: skip
    for run in re.findall(r"[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|.", text):
        if run.isdecimal():
            said.append(
                at.numbers.spelled(run)
                if len(run) > 4 or (run[0] == "0" and len(run) > 1)
                else at.numbers.paired(run)
                if len(run) < 4
                else at.numbers.year(run)
            )
        elif run.isalpha():
            low = run.lower()
            if len(run) == 1 or (
                not at.tokens.knows(low) and (len(run) < 4 or not re.search("[aeiouy]", low))
            ):
                said.append(letters(run))
            else:
                said += split(low)
        elif run not in silent:
            said.append(names.get(run, ""))
    return " ".join(filter(None, said))


@NAME.at(LETTERS + "_", r"(?<![\w.])(?:[A-Za-z0-9]+_[\w]*|_+[A-Za-z]\w*)(?!\w)(?:\(\))?")
def snake(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    case = "upper" if match[0].isupper() else "lower"
    yield Reading("snake", _spelled(at, match[0], "_()"), (case,))
    yield Reading("snake signs", _spelled(at, match[0], "()"), (case,))


@NAME.at(LETTERS, r"(?<![\w.])(?P<name>[A-Za-z]\w*(?:\.[A-Za-z]\w*)+)(?:\(\))?(?!\w)")
def dotted(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = match["name"].split(".")
    facts = (
        f"short {min(map(len, parts)) < 2}",
        f"parts {min(len(parts), 4)}",
        "call" if match[0].endswith(")") else "",
    )
    yield Reading("dotted", _spelled(at, match[0], "_()"), facts)


@NAME.at(LETTERS, r"(?<![\w.])(?P<name>[A-Za-z]\w*)\(\)")
def call(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("call", _spelled(at, match["name"], "_"))


@NAME.at(
    "/~.$" + LETTERS,
    r"(?<![\w/~$.])(?:~|\$?[A-Za-z_]+|\.{1,2}|[A-Z]:)?(?:[/\\][\w.*-]{0,60}[\w*]){1,12}[/\\]?(?![\w/\\])",
)
def path(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    slashes = f"slashes {min(match[0].count('/') + match[0].count(chr(92)), 3)}"
    first = match[0][0] if not match[0][0].isalpha() else "letter"
    facts = (
        slashes,
        f"{first} {slashes}",
        "extension" if re.search(r"\.\w{1,4}\Z", match[0]) else "",
    )
    yield Reading("path", _spelled(at, match[0].rstrip("/")), facts)
    yield Reading("path quiet", _spelled(at, match[0].rstrip("/"), "_-"), facts)


_KINDS = (
    "py js ts tsx jsx c cc cpp h hpp rs go java kt rb php cs swift sh sql css html json yaml yml toml"
    " md txt log conf xml lua scala vue"
)


@NAME.at(
    LETTERS + "_./",
    rf"(?<![\w./\\-])(?P<file>[\w./\\-]{{1,80}}\.(?:{_KINDS.replace(' ', '|')})):(?P<line>[0-9]{{1,6}})"
    r"(?::(?P<column>[0-9]{1,4}))?(?![\w:])",
)
def position(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = f"{_spelled(at, match['file'])}, line {at.numbers.cardinal(match['line'])}"
    if match["column"]:
        words += f", column {at.numbers.cardinal(match['column'])}"
    yield Reading("position", words)


@NAME.at("*.", r"(?<![\w.*])\*?\.(?P<extension>[A-Za-z][A-Za-z0-9]{0,5})(?![\w.])")
def file_kind(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    star = "star " if match[0][0] == "*" else ""
    extension = match["extension"]
    spelled = len(extension) < 4 and not at.tokens.knows(extension.lower())
    facts = ("star" if star else "dot", "spelled" if spelled else "word")
    yield Reading("extension", f"{star}dot {_spelled(at, extension)}", facts)


@NAME.at("-", r"(?<![\w-])(?P<dashes>--?)(?P<name>[A-Za-z][\w-]*)(?!\w)")
def option(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    dashes = len(match["dashes"])
    facts = (f"dashes {dashes}", "single" if len(match["name"]) == 1 else "word")
    lead = " ".join(["dash"] * dashes)
    yield Reading("option", f"{lead} {_spelled(at, match['name'])}", facts)
    yield Reading("option quiet", f"{lead} {_spelled(at, match['name'], '_-')}", facts)


@NAME.at(
    LETTERS, r"(?<!\w)(?P<name>[A-Za-z][\w-]*)[:=](?P<value>[0-9]+(?:\.[0-9]+)?)(?![\w:/]|\.[0-9])"
)
def key(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    value = at.numbers.decimal(match["value"])
    sign = "=" if "=" in match[0] else ":"
    facts = (
        sign,
        f"{sign} {min(len(match['value']), 5)}",
        "single" if len(match["name"]) == 1 else "",
    )
    name = _spelled(at, match["name"])
    yield Reading("key", f"{name} {value}", facts)
    yield Reading("key sign", f"{name} {'equals' if sign == '=' else 'colon'} {value}", facts)
    yield Reading(
        "key digits", f"{name} {at.numbers.spelled(match['value'].replace('.', ''))}", facts
    )


@NAME.at("#", r"(?<!\w)#(?P<code>[0-9A-Fa-f]{6})(?!\w)")
def color(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = " ".join(at.numbers.spelled(c) if c.isdecimal() else c.upper() for c in match["code"])
    kind = "letters" if re.search("[A-Fa-f]", match["code"]) else "digits"
    yield Reading("color", f"hash {said}", (kind,))


@NAME.at(DIGITS + "abcdef", r"(?<!\w)(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{6,40}(?!\w)")
def hash_code(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = " ".join(at.numbers.spelled(c) if c.isdecimal() else c.upper() for c in match[0])
    yield Reading("hash", said, (f"length {min(len(match[0]) // 4, 4)}",))


@NAME.at("0", r"(?<!\w)0x(?P<code>[0-9A-Fa-f]+)(?!\w)")
def hex_number(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    said = " ".join(at.numbers.spelled(c) if c.isdecimal() else c.upper() for c in match["code"])
    yield Reading("hex", f"zero X {said}")


@NAME.at("@", r"(?<![\w@.])@(?P<name>[A-Za-z0-9_][\w.]*\w|[A-Za-z0-9])")
def mention(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("mention", f"at {_spelled(at, match['name'])}")
    yield Reading("mention quiet", f"at {_spelled(at, match['name'], '_.')}")


@NAME.at("#", r"(?<![\w#])#(?P<name>[A-Za-z]\w*)(?!\w)")
def hashtag(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    facts = ("single" if len(match["name"]) == 1 else "word",)
    yield Reading("hashtag", f"hashtag {_spelled(at, match['name'], '_')}", facts)
    yield Reading("hash", f"hash {_spelled(at, match['name'], '_')}", facts)


CHEMISTRY = Grammar("chemistry", prior={"": 0.0}, domains="science")
_SYMBOL = re.compile("[A-Z][a-z]?")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@CHEMISTRY.at(
    UPPER + DIGITS,
    r"(?<!\w)(?:[0-9]{0,2}(?:\(?[A-Z][a-z]?[₀-₉0-9]*(?:\)[₀-₉0-9]*)?){1,8})(?P<charge>[⁺⁻]|[¹²³⁴][⁺⁻])?(?![\w])",
)
def formula(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    text = match[0].translate(_SUBSCRIPTS)
    if (
        not (re.search("[0-9]", text) or match["charge"] or re.search("[a-z]", text))
        or len(text) < 2
    ):
        return
    if re.fullmatch("[A-Z][a-z]+", text) and not match["charge"]:
        return
    core = text[: len(text) - len(match["charge"] or "")]
    said = code(at.numbers, core)
    charge = match["charge"] or ""
    if charge:
        number = (
            at.numbers.cardinal(charge[0].translate(str.maketrans("¹²³⁴", "1234"))) + " "
            if len(charge) > 1
            else ""
        )
        said = re.sub("[A-Z]{2,}", lambda letters_of: " ".join(letters_of[0]), said)
        said += f" {number}{'plus' if charge[-1] == '⁺' else 'minus'}"
    marked = "subscript" if re.search("[₀-₉]", match[0]) else "plain"
    symbols = _SYMBOL.findall(core)
    is_compound = len(symbols) > 1 and ELEMENTS.issuperset(symbols)
    yield Reading(
        "formula",
        said,
        (
            marked,
            _pattern(core),
            f"charge {bool(charge)}",
            f"elements {is_compound} {min(len(symbols), 3)}",
        ),
    )
