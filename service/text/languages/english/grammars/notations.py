"""Notations of crafts: chess, music, knitting, keys, ratings, elements, books of the Bible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from service.text.languages.english.grammars.said import DIGITS, LETTERS, UPPER, code, join, letters
from service.text.lattice.grammar import Grammar, Place, Reading

CHESS = Grammar("chess", prior={"": 2.0, "castles": 0.5}, domains="chess")
_PIECES = {"K": "king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight"}


@CHESS.at(
    "KQRBNabcdefgh" + DIGITS,
    r"(?<![\w.])(?:(?P<number>[0-9]{1,3})(?P<dots>\.{1,3}|…)\s?)?(?P<piece>[KQRBN])?"
    r"(?P<origin>[a-h](?=x?[a-h])|[1-8](?=x?[a-h]))?(?P<takes>x)?(?P<field>[a-h][1-8])"
    r"(?:=(?P<becomes>[QRBN]))?(?P<check>[+#]?)(?![\w])",
)
def move(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not (match["piece"] or match["takes"] or match["number"]):
        return
    field = f"{match['field'][0].upper()} {at.numbers.cardinal(match['field'][1])}"
    origin = match["origin"] or ""
    said = join(
        at.numbers.cardinal(match["number"]) if match["number"] else "",
        _PIECES[match["piece"]] if match["piece"] else "",
        origin.upper() if origin.isalpha() else at.numbers.cardinal(origin) if origin else "",
        "takes" if match["takes"] else "",
        field,
        f"becomes {_PIECES[match['becomes']]}" if match["becomes"] else "",
    )
    facts = (
        "piece" if match["piece"] else "pawn",
        "takes" if match["takes"] else "",
        "numbered" if match["number"] else "",
        match["check"],
    )
    yield Reading("move", join(said, {"+": "check", "#": "mate", "": ""}[match["check"]]), facts)
    if match["check"] == "#":
        yield Reading("move", f"{said} checkmate", facts)


@CHESS.at("O0", r"(?<!\w)(?P<side>O-O(?:-O)?|0-0(?:-0)?)(?![\w-])")
def castling(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    side = "queenside" if len(match[0]) > 3 else "kingside"
    yield Reading("castles", f"castles {side}", (match[0],))


MUSIC = Grammar(
    "music", prior={"": -0.5, "chord": 0.5}, domains="music", before="in key of chord chords to and",
    after="major minor chord for scale flat sharp",
)  # fmt: skip
_SIGNS = {"#": "sharp", "♯": "sharp", "b": "flat", "♭": "flat", "": ""}
_KINDS = {"m": "minor", "min": "minor", "maj": "major", "M": "major", "dim": "diminished",
    "aug": "augmented", "sus": "sus", "add": "add", "": ""}  # fmt: skip


@MUSIC.at(
    "ABCDEFG",
    r"(?<!\w)(?P<note>[A-G])(?P<sign>[#♯b♭]?)(?P<kind>maj|min|dim|aug|sus|add|m|M)?"
    r"(?P<number>(?:2|4|5|6|7|9|11|13)?)(?:/(?P<bass>[A-G])(?P<low>[#♯b♭]?))?(?![\w#♯♭'’])",
)
def chord(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if not (match["sign"] or match["kind"] or match["bass"]):
        return
    note = join(match["note"], _SIGNS[match["sign"]], _KINDS[match["kind"] or ""])
    bass = join("over", match["bass"], _SIGNS[match["low"] or ""]) if match["bass"] else ""
    number = match["number"]
    facts = (
        f"sign {match['sign']} {match['kind'] or ''}",
        "number" if number else "",
        "word" if at.tokens.knows(match[0].lower()) else "",
    )
    form = "chord" if match["kind"] or number or bass else "note"
    yield Reading(form, join(note, at.numbers.cardinal(number) if number else "", bass), facts)
    if number:
        yield Reading(form, join(note, at.numbers.ordinal(number), bass), facts)


_DYNAMICS = {
    "ppp": "pianississimo", "pp": "pianissimo", "mp": "mezzo piano", "mf": "mezzo forte",
    "ff": "fortissimo", "fff": "fortississimo", "sfz": "sforzando", "fp": "fortepiano",
}  # fmt: skip


@MUSIC.at_words(_DYNAMICS)
def dynamics(at: Place) -> Iterator[Reading]:
    yield Reading("dynamics", _DYNAMICS[at.token.low], (at.token.low, at.token.shape))


@MUSIC.at("D", r"(?<!\w)D\.\s?(?P<where>[CS])\.(?!\w)")
def repeat_from(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = "da capo" if match["where"] == "C" else "dal segno"
    al = "al" if at.after(match.end()) in ("al", "senza", "e") else ""
    yield Reading("repeat", words, (al,))


CRAFT = Grammar("craft", prior={"": -0.5, "stitch": 1.0}, domains="craft")
_STITCHES = {
    "co": "cast on", "bo": "bind off", "rs": "right side", "ws": "wrong side", "st": "stitch",
    "sts": "stitches", "ch": "chain", "dc": "double crochet", "sc": "single crochet",
    "hdc": "half double crochet", "rep": "repeat", "tog": "together",
    "rnd": "round", "rnds": "rounds", "sk": "skip",
    "yo": "yarn over", "ssk": "slip slip knit",
}  # fmt: skip


@CRAFT.at_words(_STITCHES)
def stitches(at: Place) -> Iterator[Reading]:
    token = at.token
    before, after = at.tokens.neighbour(at.index, -1), at.token_after(token.end)
    facts = (
        f"{token.shape}",
        f"< {'number' if before is not None and before.kind == 'number' else 'other'}",
        f"> {'number' if after is not None and after.kind == 'number' else 'other'}",
    )
    yield Reading("word", _STITCHES[token.low], facts)
    if at.text[token.end : token.end + 1] == ".":
        yield Reading("word", _STITCHES[token.low], (*facts, "stop"), token.end + 1)


_STITCH = re.compile(r"(?<!\w)[kpKP][0-9]{1,2}(?:tog)?(?!\w)")


@CRAFT.at("kpKP", r"(?<!\w)(?P<kind>[kpKP])(?P<number>[0-9]{1,2})(?P<together>tog)?(?!\w)")
def knit(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    kind = "knit" if match["kind"] in "kK" else "purl"
    tail = "together" if match["together"] else ""
    case = "lower" if match["kind"].islower() else "upper"
    pattern = "row" if len(list(islice(_STITCH.finditer(at.text), 2))) > 1 else "alone"
    field = "craft" if "craft" in at.tokens.domains else "elsewhere"
    facts = (case, tail, f"{pattern} {field}")
    yield Reading("stitch", join(kind, at.numbers.cardinal(match["number"]), tail), facts)


KEYS = Grammar(
    "keys", prior={"": 2.0}, domains="code",
    before="press hit use type tap hold with pressing shortcut push",
)  # fmt: skip
_KEYS = {
    "ctrl": "control", "control": "control", "cmd": "command", "command": "command",
    "alt": "alt", "shift": "shift", "option": "option", "opt": "option", "win": "windows",
    "fn": "function", "meta": "meta", "super": "super", "del": "delete", "delete": "delete",
    "esc": "escape", "escape": "escape", "tab": "tab", "enter": "enter", "return": "return",
    "space": "space", "up": "up", "down": "down", "left": "left", "right": "right",
    "home": "home", "end": "end", "pgup": "page up", "pgdn": "page down", "ins": "insert",
}  # fmt: skip
_HELD = "ctrl|control|cmd|command|alt|shift|option|opt|win|fn|meta|super"


_HELD_KEY = re.compile(rf"({_HELD})\s?[+-]", re.IGNORECASE)


@KEYS.at(
    LETTERS,
    rf"(?<![\w+])(?:(?:{_HELD})(?P<gap>\s?)[+-](?P=gap)){{1,3}}"
    rf"(?P<last>{'|'.join(_KEYS)}|F[0-9]{{1,2}}|[A-Za-z0-9]|[+-])(?!\w)",
    re.IGNORECASE,
)
def chorded(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    held = _HELD_KEY.findall(match[0][: match.start("last") - match.start()])
    last = match["last"]
    said = [_KEYS[name.lower()] for name in held]
    if last.lower() in _KEYS:
        said.append(_KEYS[last.lower()])
    elif last in "+-":
        said.append("plus" if last == "+" else "minus")
    else:
        said.append(join(*(at.numbers.cardinal(run) if run.isdecimal() else letters(run)
            for run in re.findall("[0-9]+|[A-Za-z]+", last))))  # fmt: skip
    facts = ("minus" if "-" in match[0] else "plus", f"keys {len(said)}")
    yield Reading("held", " ".join(said), facts)
    yield Reading("held signs", " plus ".join(said), facts)


@KEYS.at_words(("ctrl", "cmd"))
def key(at: Place) -> Iterator[Reading]:
    yield Reading("one", _KEYS[at.token.low], (at.token.shape,))


RATING = Grammar(
    "rating", prior={"": 1.0}, domains="finance medicine academic",
    before="rated rating type grade grades blood a an got from to at of is",
)  # fmt: skip
_DOUBLED = {1: "", 2: "double ", 3: "triple "}


@RATING.at(
    "ABCDFO", r"(?<!\w)(?P<letters>A{1,3}|B{1,3}|C{1,3}|D|F|O|AB)(?P<sign>[+−–-])(?![\w+−–-])"
)
def rated(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    written = match["letters"]
    name = "A B" if written == "AB" else f"{_DOUBLED[len(written)]}{written[0]}"
    following = at.text[match.end() : match.end() + 1]
    after = at.token_after(match.end())
    kind = "edge" if after is None else after.kind if after.kind != "sign" else after.text
    facts = (
        match["sign"],
        f"{match['sign']} {'gap' if following.isspace() else 'glued' if following else 'edge'} {kind}",
        f"{len(written)} letters",
        written if written in ("O", "AB") else "",
    )
    yield Reading("grade", f"{name} {'plus' if match['sign'] == '+' else 'minus'}", facts)
    if written in ("A", "B", "O", "AB"):
        word = "positive" if match["sign"] == "+" else "negative"
        yield Reading("blood", f"{name} {word}", facts)


@RATING.at(
    "ABC", r"(?<!\w)(?P<letters>A{2,3}|BBB|BB|CCC|CC|(?:Aa|A|Ba|B|Ca|C)aa?)(?P<number>[1-3]?)(?!\w)"
)
def letters_doubled(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    written = match["letters"].upper()
    number = at.numbers.cardinal(match["number"]) if match["number"] else ""
    runs = [run[0] for run in re.finditer(r"(.)\1*", written)]
    said = join(*(f"{_DOUBLED.get(len(run), '')}{run[0]}" for run in runs), number)
    case = "upper" if match["letters"].isupper() else "mixed"
    facts = (f"{case} {written[0]} {len(written)}", "number" if number else "")
    yield Reading("doubled", said, facts)
    yield Reading("letters", join(" ".join(written), number), facts)


@RATING.at_words(("ieee",))
def triple_e(at: Place) -> Iterator[Reading]:
    yield Reading("triple", "I triple E")


ELEMENT = Grammar("element", prior={"": -0.5, "mass": 1.0}, domains="science medicine")
_ELEMENTS = {
    "He": "helium", "Li": "lithium", "Be": "beryllium", "Ne": "neon", "Na": "sodium",
    "Mg": "magnesium", "Al": "aluminum", "Si": "silicon", "Cl": "chloride", "Ar": "argon",
    "Ca": "calcium", "Ti": "titanium", "Cr": "chromium", "Mn": "manganese", "Fe": "iron",
    "Co": "cobalt", "Ni": "nickel", "Cu": "copper", "Zn": "zinc", "Ga": "gallium",
    "As": "arsenic", "Se": "selenium", "Br": "bromine", "Kr": "krypton", "Sr": "strontium",
    "Tc": "technetium", "Ag": "silver", "Cd": "cadmium", "In": "indium", "Sn": "tin",
    "Xe": "xenon", "Cs": "cesium", "Ba": "barium", "Pt": "platinum", "Au": "gold",
    "Hg": "mercury", "Pb": "lead", "Ra": "radium", "Th": "thorium", "Pu": "plutonium",
    "U": "uranium", "K": "potassium", "C": "carbon", "I": "iodine", "P": "phosphorus",
}  # fmt: skip
_LABS = {**_ELEMENTS, "Cr": "creatinine", "Cl": "chloride", "Gluc": "glucose", "Hct": "hematocrit"}


@ELEMENT.at(
    UPPER, rf"(?<![\w.])(?P<symbol>{'|'.join(_ELEMENTS)})-(?P<mass>[0-9]{{1,3}})(?P<m>m?)(?![\w-])"
)
def isotope(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    mass = at.numbers.paired(match["mass"])
    tail = " M" if match["m"] else ""
    symbol = match["symbol"]
    facts = (f"{len(symbol)} letters",)
    yield Reading("mass", f"{_ELEMENTS[symbol]} {mass}{tail}", facts)
    yield Reading("mass letters", f"{' '.join(symbol.upper())} {mass}{tail}", facts)


@ELEMENT.at(
    UPPER, r"(?<![\w-])(?P<symbol>Cl|OH|Br|HCO3|NO[23]|HSO4|H2PO4|CN|Na|K|H|Li|NH4|Ca2|Mg2|Fe[23]|Cu2|Zn2)"
    r"(?P<charge>[+−-])(?![\w+−-])"
)  # fmt: skip
def ion(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    sign = "plus" if match["charge"] == "+" else "minus"
    yield Reading("ion", f"{code(at.numbers, match['symbol'])} {sign}", (sign,))


@ELEMENT.at(UPPER, rf"(?<![\w.])(?P<symbol>{'|'.join(_LABS)})(?= [0-9])(?!\w)")
def laboratory(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("value", _LABS[match["symbol"]], (match["symbol"],))


@ELEMENT.at(
    UPPER, rf"(?<![\w.])(?P<symbol>{'|'.join(_ELEMENTS)})\((?P<state>I|II|III|IV|V|VI)\)(?!\w)"
)
def oxidized(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    state = ("I", "II", "III", "IV", "V", "VI").index(match["state"]) + 1
    yield Reading("state", f"{_ELEMENTS[match['symbol']]} {at.numbers.cardinal(str(state))}")


SCRIPTURE = Grammar(
    "scripture", prior={"": 3.0, "part": 1.0, "part elsewhere": -0.5}, domains="scripture"
)
_BOOKS = {
    "gen": "Genesis", "exod": "Exodus", "ex": "Exodus", "lev": "Leviticus", "num": "Numbers",
    "deut": "Deuteronomy", "josh": "Joshua", "judg": "Judges", "neh": "Nehemiah", "ps": "Psalm",
    "pss": "Psalms", "prov": "Proverbs", "eccl": "Ecclesiastes", "isa": "Isaiah", "jer": "Jeremiah",
    "lam": "Lamentations", "ezek": "Ezekiel", "dan": "Daniel", "hos": "Hosea", "mic": "Micah",
    "hab": "Habakkuk", "zech": "Zechariah", "mal": "Malachi", "matt": "Matthew", "mt": "Matthew",
    "mk": "Mark", "lk": "Luke", "jn": "John", "rom": "Romans", "gal": "Galatians",
    "eph": "Ephesians", "phil": "Philippians", "col": "Colossians", "heb": "Hebrews",
    "jas": "James", "rev": "Revelation", "sam": "Samuel", "kgs": "Kings", "chr": "Chronicles",
    "chron": "Chronicles", "cor": "Corinthians", "thess": "Thessalonians", "tim": "Timothy",
    "pet": "Peter",
}  # fmt: skip
_PARTED = "Samuel Kings Chronicles Corinthians Thessalonians Timothy Peter John Maccabees".split()
_PARTS = {"1": "first", "2": "second", "3": "third", "i": "first", "ii": "second", "iii": "third"}


@SCRIPTURE.at("123I", rf"(?<!\w)(?P<part>[123]|I{{1,3}}) (?P<book>{'|'.join(_PARTED)})(?!\w)")
def parted(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `II Samuel`, of which no chapter is named."""
    kind = "numeral" if match["part"][0] == "I" else "digit"
    yield Reading("book", f"{_PARTS[match['part'].lower()]} {match['book']}", (kind, match["book"]))


_VERSE = r"(?P<chapter>[0-9]{1,3})(?::(?P<verse>[0-9]{1,3})(?:[-–](?P<last>[0-9]{1,3}))?)?(?![\w:])"


_HOLY = (
    "quran koran qur'an surah sura gita dhammapada vedas upanishad mahabharata iliad odyssey aeneid"
)


@SCRIPTURE.at(
    DIGITS,
    r"(?<![\w:.])(?P<chapter>[0-9]{1,3}):(?P<verse>[0-9]{1,3})(?:[-–](?P<last>[0-9]{1,3}))?(?![\w:])",
)
def verse_of_a_scripture(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `Qur'an 2:255`, whose name is said as it is written."""
    if at.before() in _HOLY.split():
        said = " ".join(at.numbers.paired(match[part]) for part in ("chapter", "verse"))
        last = f" to {at.numbers.paired(match['last'])}" if match["last"] else ""
        yield Reading("verse", said + last)


@SCRIPTURE.at(
    LETTERS + "123",
    rf"(?<!\w)(?:(?P<part>[123]|I{{1,3}})\s?)?(?P<book>{'|'.join((*_BOOKS, *_PARTED))})\b\.?\s{_VERSE}",
    re.IGNORECASE,
    words=(*_BOOKS, *map(str.lower, _PARTED)),
)
def passage(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    book = match["book"].lower()
    name = _BOOKS.get(book) or book.title()
    part = _PARTS[match["part"].lower()] if match["part"] else ""
    is_parted = name in _PARTED
    if (bool(part) != is_parted and name != "John") or (book not in _BOOKS and not part):
        return
    said = join(part, name, at.numbers.paired(match["chapter"]))
    if match["verse"]:
        said += f" {at.numbers.paired(match['verse'])}"
    if match["last"]:
        said += f" to {at.numbers.paired(match['last'])}"
    facts = (
        f"verse {bool(match['verse'])} part {bool(part)}",
        f"{book} {bool(match['verse'])}",
        "title" if match["book"][0].isupper() else "lower",
    )
    part_form = "part" if "scripture" in at.tokens.domains or part else "part elsewhere"
    yield Reading("verse" if match["verse"] else part_form, said, facts)
