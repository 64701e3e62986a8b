"""Signs alone: named, silent, or with a meaning of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.languages.english.grammars.said import LOWER, UNIT_NAMES, UPPER
from service.text.lattice.decision import MARKS
from service.text.lattice.grammar import Grammar, Place, Reading

SIGN = Grammar("sign", prior={"name": -0.5, "silent": 0.0, "mark": 0.5, "": -1.0})
_NAMES = {
    "&": ("and",), "@": ("at",), "+": ("plus",), "=": ("equals",), "×": ("times", "by"),
    "÷": ("divided by",), "±": ("plus or minus",), "≈": ("approximately", "about", "is about"),
    "≤": ("less than or equal to", "at most", "is at most"), "≥": ("greater than or equal to", "at least", "is at least"),
    "≠": ("not equal to", "is not equal to"), "<": ("less than", "is less than"),
    ">": ("greater than", "is greater than"), "→": ("to", "goes to", "yields"), "←": ("from",),
    "↑": ("up",), "↓": ("down",), "▲": ("up",), "▼": ("down",), "%": ("percent",),
    "°": ("degrees", "degree"), "§": ("section",), "¶": ("paragraph",),
    "#": ("number", "hash", "hashtag", "pound"), "*": ("star", "asterisk", "times"),
    "~": ("about", "tilde"), "/": ("slash", "or", "per", "and", "over", "out of"),
    "\\": ("backslash",), "_": ("underscore",), "^": ("caret", "to the"),
    "|": ("bar", "vertical bar", "pipe"), "€": ("euros",), "£": ("pounds",), "¢": ("cents",),
    "$": ("dollars", "dollar"), "-": ("minus", "to", "dash"), "–": ("minus", "to", "dash"),
    "−": ("minus",), ".": ("dot", "point"), ":": ("to", "colon"), "©": ("copyright",),
    "®": ("registered",), "™": ("trademark",), "∞": ("infinity",), "√": ("the square root of",),
    "△": ("triangle",), "∠": ("angle",), "⟂": ("is perpendicular to",), "⊥": ("is perpendicular to",),
    "∥": ("is parallel to",), "∈": ("in",), "∅": ("the empty set",), "∑": ("the sum of",), "∫": ("the integral of",),
    "∀": ("for all",), "∃": ("there exists",), "∴": ("therefore",), "♯": ("sharp",), "♭": ("flat",),
    "′": ("prime", "feet", "minutes"), "″": ("inches", "seconds", "double prime"), "'": ("prime",),
    "(": ("open parenthesis",), ")": ("close parenthesis",), "[": ("open bracket",),
    "]": ("close bracket",), "{": ("open brace",), "}": ("close brace",), "!": ("factorial",),
    "✓": ("check",), "✔": ("check",), "★": ("star",), "•": ("bullet",), "∂": ("partial",),
    "∩": ("intersection",), "∪": ("union",), "⊂": ("subset of",), "∝": ("is proportional to",),
    "⇒": ("implies",), "º": ("degrees",), "½": ("one half",), "`": ("backtick",),
    "♩": ("quarter note",), "♪": ("eighth note",), "♫": ("music",),
}  # fmt: skip
_OPEN = "([{"


def _class(at: Place, distance: int) -> str:
    token = at.tokens.neighbour(
        at.index + (1 if distance > 0 else 0), distance - 1 if distance > 0 else distance
    )
    if token is None:
        return "edge"
    if token.kind == "sign":
        return token.text
    if token.kind == "number":
        return "number"
    return "letter" if len(token.text) == 1 else "word"


def _per(at: Place) -> str:
    """Return what follows a slash that might be `per`."""
    following = at.tokens.neighbour(at.index + 1, 0)
    if following is None or following.kind != "word":
        return "none"
    return "unit" if following.low in UNIT_NAMES else following.shape


@SIGN.at("".join(_NAMES), r"(?s).")
def sign(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    written, text = match[0], at.text
    before, after = _class(at, -1), _class(at, 1)
    left = text[match.start() - 1 : match.start()]
    right = text[match.end() : match.end() + 1]
    glue = f"{'edge' if not left else 'gap' if left.isspace() else 'glued'} {'edge' if not right else 'gap' if right.isspace() else 'glued'}"
    facts = (
        written,
        f"{written} {before} {after}",
        f"{written} {glue}",
        f"{written} {before} {after} {glue}",
    )
    between_words = glue == "gap gap" and "edge" not in (before, after)
    # A sign of money is silent only behind a word: `$2 million$`.
    closes = (
        written == "$"
        and left.isalpha()
        and not right.isalnum()
        and re.search(r"\$[0-9][^$\n]{0,30}\Z", text[: match.start()]) is not None
    )
    if closes or (written not in MARKS and written not in "$€£¥¢%°△∠⟂⊥∥♩♪"):
        yield Reading("silent", "", facts)
    for index, name in enumerate(_NAMES[written]):
        if name in ("star", "asterisk") and between_words:
            continue
        yield Reading(
            f"name {name}",
            name,
            (
                f"{before} {after}",
                glue,
                f"{before} {after} {glue}",
                f"number {index}",
                f"> {_per(at)}" if name == "per" else "",
            ),
        )
    if written not in MARKS and not (written == "&" and _ENTITY.match(text, match.start()) is None):
        yield Reading("kept", None, facts)
    if written in "/|>→":
        yield Reading("mark", ",", facts)


@SIGN.at("~=-*_#+.<>|&", r"(?P<sign>[~=*_#+<>|&-])(?P=sign){1,}|\.{4,}")
def run(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    if at.touches() != match[0][0]:
        yield Reading("run", "", (match[0][0], f"{match[0][0]} {min(len(match[0]), 4)}"))


@SIGN.at("-=<>!&|:+", r"->|=>|<<|>>|<=|>=|!=|==|&&|\|\||\+/-|::|<-|\+\+|--|:=")
def operator(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    names = {
        "->": ("to", "arrow", "yields"), "=>": ("arrow", "implies"), "<=": ("less than or equal to",), ">=": ("greater than or equal to",),
        "!=": ("not equal to", "is not equal to"), "==": ("equals", "equals equals"), "&&": ("and",), "||": ("or",),
        "+/-": ("plus or minus",), "<<": ("shifted left by",), ">>": ("shifted right by",), "::": ("colon colon", "double colon"), "<-": ("from",), "++": ("plus plus",), "--": ("dash dash", "minus minus"), ":=": ("equals",),
    }[match[0]]  # fmt: skip
    for name in names:
        yield Reading("operator", name, (match[0], f"{match[0]} {name}"))


_ENTITY = re.compile(r"&(?:\w{1,8};|#|T(?!\w))")
EMOTICON = Grammar("emoticon", prior={"": 0.5}, domains="chat")
_FACES = re.compile(
    r"(?:[:;=8]['’]?[-o^]?[)(DPpOo/\\|3*\]\[]|<3+|</3|\^_\^|-_-|T_T|o_O|xD+|XD+|D:|:'\()(?![\w])"
)


@EMOTICON.at(":;=8<^-TxXoDB", _FACES.pattern)
def emoticon(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    left = at.touches()
    around = "edge" if not left or left.isspace() else left if not left.isalnum() else "glued"
    if around != "edge" and any(map(str.isalnum, match[0])):
        return  # `x=3` has a number
    yield Reading("silent", "", (match[0], around))


GREEK = Grammar("greek", prior={"": 1.0})
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon",
    "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "gamma", "Δ": "delta",
    "Θ": "theta", "Λ": "lambda", "Ξ": "xi", "Π": "pi", "Σ": "sigma", "Φ": "phi", "Ψ": "psi",
    "Ω": "omega", "ϵ": "epsilon",
}  # fmt: skip


@GREEK.at("".join(_GREEK), rf"[{''.join(_GREEK)}]+(?![^\W0-9_])")
def greek(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("name", " ".join(_GREEK[letter] for letter in match[0]))
    if match[0] == "Δ":
        yield Reading("change", "the change in")


@GREEK.at("".join(_GREEK), rf"(?P<letter>[{''.join(_GREEK)}])(?P<variable>[A-Za-z])(?!\w)")
def greek_and_variable(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    yield Reading("variable", f"{_GREEK[match['letter']]} {match['variable']}")


STUTTER = Grammar("stutter", prior={"": 1.0})


@STUTTER.at(
    UPPER + LOWER,
    r"(?=[^\W\d_]*?(?P<letter>[^\W\d_])(?P=letter){2})[^\W\d_]+(?!\w)",
)
def drawn_out(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    short = re.sub(r"([^\W\d_])\1{2,}", r"\1", match[0])
    double = re.sub(r"([^\W\d_])\1{2,}", r"\1\1", match[0])
    for form, word in (("one", short), ("two", double)):
        known = at.tokens.knows(word.lower())
        yield Reading(form, word, ("known" if known else "unknown",))
