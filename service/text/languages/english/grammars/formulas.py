"""Formulas, in LaTeX and plain, as candidates for the decision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial

from service.text.languages.english.grammars.said import (
    ANY_NUMBER,
    DIGITS,
    LETTERS,
    UNIT,
    amount,
    fraction,
    is_one,
    unit,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.lattice.grammar import Grammar, Place, Reading
from service.text.normalization.formulas import Formulas, FormulaWords, greek_names

FORMULA = Grammar(
    "formula",
    prior={"marked": 4.0, "plain": -0.5, "product": 2.0, "derivative": 6.0},
    domains="maths science",
)

_OPERATORS = {
    "+": "plus", "-": "minus", "*": "times", "×": "times", "·": "times", "÷": "divided by",
    "/": "over", "=": "equals", "<": "is less than", ">": "is greater than",
    "≤": "is less than or equal to", "≥": "is greater than or equal to", "≠": "is not equal to",
    "≈": "is approximately", "±": "plus or minus", "→": "to", "∈": "in", "∉": "not in",
    "∪": "union", "∩": "intersection", "⊂": "is a subset of", "⊆": "is a subset of",
    "∖": "minus", "∝": "is proportional to", "⇒": "implies", "%": "percent", ":": "such that",
    "∧": "and", "∨": "or", "mod": "mod", "∘": "composed with", "⇔": "if and only if",
    "≡": "is equivalent to", "~": "is distributed as", "∣": "given",
}  # fmt: skip
_GREEK = greek_names(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma"
    " tau upsilon phi chi psi omega"
) | {"µ": "mu"}
_FUNCTIONS = {
    "sin": "sine", "cos": "cosine", "tan": "tangent", "sec": "secant", "csc": "cosecant",
    "cot": "cotangent", "log": "log", "ln": "natural log", "exp": "exp", "max": "max", "min": "min",
    "det": "determinant", "gcd": "G C D", "arcsin": "arc sine", "arccos": "arc cosine",
    "arctan": "arc tangent", "sqrt": "the square root of", "dim": "dimension", "ker": "kernel",
}  # fmt: skip
_NAMES = {
    **_GREEK, **_FUNCTIONS, "lim": "the limit",
    "∞": "infinity", "∀": "for all", "∃": "there exists", "∂": "partial", "∇": "nabla",
    "∅": "the empty set", "…": "and so on", "∠": "angle", "△": "triangle", "∴": "therefore",
    "¬": "not", "⊥": "is perpendicular to", "∥": "is parallel to", "ħ": "h bar", "°": "degrees",
    "!": "factorial", "'": "prime", "′": "prime", "″": "double prime", "|": "given",
    "∑": "the sum", "∫": "the integral", "∏": "the product", "∬": "the double integral",
    "⋃": "the union", "⋂": "the intersection",
}  # fmt: skip
_PHRASES = {
    "root": "the square root of {x}", "cube root": "the cube root of {x}",
    "nth root": "the {n} root of {x}", "absolute": "the absolute value of {x}",
    "over": "{top} over {bottom}", "power": "to the {n}", "again": "to the power of {n}",
    "choose": "{n} choose {k}", "from": "{name} from {low} to {high} of",
    "set": "{name} over {low} of", "all": "{name} of", "limit": "the limit as {x} of",
    "tends": "approaches", "ratio": "to", "of": "of", "applied": "", "vec": "vector {x}",
    "bar": "{x} bar", "hat": "{x} hat", "dot": "{x} dot", "tilde": "{x} tilde",
}  # fmt: skip


@cache
def _formulas(numbers: Numbers) -> Formulas:
    words = FormulaWords(
        number=partial(amount, numbers),
        operators=_OPERATORS,
        names=_NAMES,
        phrases=_PHRASES,
        powers={"2": "squared", "3": "cubed", "T": "transpose"},
        # A small `a` would be an article.
        letters=lambda token: list(token.upper() if len(token) > 1 or token == "a" else token),
        ordinal=numbers.ordinal,
        fraction=partial(fraction, numbers),
        factor=str.upper,
        figures=r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+",
        whole=frozenset(("pi", "in", "of", "to", "or", "if", "is")),
    )
    return Formulas(words)


def _say(at: Place, text: str) -> str:
    return _formulas(at.numbers).say(text)


_BETWEEN = re.compile(rf"({ANY_NUMBER})[-–]({ANY_NUMBER})")


@FORMULA.at(
    "$\\",
    r"\$\$(?P<two>.+?)\$\$|\$(?P<gapped> [^$\n]{1,40} )\$|(?<![0-9])\$(?!\s)(?P<one>(?:[^$\n\\]|\\.)+?)(?<!\s)\$(?![0-9])|\\\((?P<round>.+?)\\\)|\\\[(?P<square>.+?)\\\]",
    re.DOTALL,
)
def marked(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    inner = next(group for group in match.groups() if group is not None)
    words = _say(at, inner)
    part = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,3})", inner)
    if part is not None and int(part[1]) and int(part[2]) > 1:
        words = fraction(at.numbers, int(part[1]), int(part[2]))
    span = _BETWEEN.fullmatch(inner)
    if span is not None:
        words = f"{amount(at.numbers, span[1])} to {amount(at.numbers, span[2])}"
    if not words:
        return
    signs = bool(re.search(r"[=<>^_+\\]", inner))
    text = bool(re.search(r"(?<!\\)\b[a-z]{3,}\b.*(?<!\\)\b[a-z]{2,}\b", inner))
    number = bool(re.fullmatch(r"[-−]?[0-9.,]+", inner))
    money = bool(re.match(r"[0-9]", inner)) and not number and not signs
    delimiter = match[0][0] if match[0][0] == "$" else "\\"
    size = "short" if len(inner) < 4 else "long"
    facts = (
        delimiter,
        f"signs {signs} text {text} money {money} number {number}",
        f"{delimiter} {size} {signs} letters {inner.isalpha()}",
    )
    for form, said in _variants("marked", words):
        yield Reading(form, said, facts)


def _variants(form: str, words: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to say comparisons, each with its form."""
    yield form, words
    short = words.replace("less than or equal to", "at most")
    short = short.replace("greater than or equal to", "at least")
    short = short.replace("is approximately", "is about")
    if short != words:
        yield f"{form} short", short


_STEP = re.compile(
    r"(?P<gap> ?)(?:(?P<function>(?:sin|cos|tan|log|ln|exp|max|min|sqrt|mod)(?![a-z]))"
    r"|(?P<operand>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?[a-zA-Z]{0,2}(?![\w.])|[0-9]+(?:\.[0-9]+)?(?![\w])"
    r"|\.[0-9]+|[0-9]*[A-Za-z]{1,2}(?![A-Za-z0-9'’])|[0-9]*[αβγδεθλμπρσφωΔΩ∞])"
    r"|(?P<after>\^(?:\{[^{}\n]{1,12}\}|\([^()\n]{1,12}\)|[-−]?[0-9]+|[A-Za-z])|[²³ⁿ⁰¹⁴⁵⁶⁷⁸⁹⁻⁺]+|[₀-₉]+"
    r"|_(?:[A-Za-z0-9]|\{[^{}\n]{1,8}\})|!(?=[ ]?[=/*×+)<>≤≥]|[ ][a-z-])|['′](?![\w'′]))"
    r"|(?P<sign>\*\*|<=|>=|!=|==|->|[-+*/=×÷·⋅<>≤≥≠≈±∈∉∪∩⊂⊆∝→−–^])|(?P<open>[(√])|(?P<close>\)))"
)
_LONGEST = 160
"""Characters of the longest plain formula. Longer ones are read part by part."""


def _end_of_formula(text: str, start: int) -> int:
    """Return where the plain formula that begins at an offset ends; the offset if there is none."""
    at, end, depth, n_signs = start, start, 0, 0
    wants, is_signed, is_function = True, False, False  # an operand; after such a sign, a function
    limit = min(len(text), start + _LONGEST)
    while at < limit:
        step = _STEP.match(text, at, limit)
        if step is None:
            break
        kind, gap = step.lastgroup, bool(step["gap"])
        if kind == "operand":
            if not wants and (gap or step[0][0].isdecimal()):
                break
            wants = False
        elif kind == "function":
            wants = is_function = True
            at = step.end()
            n_signs += text[at : at + 1] == "("
            continue
        elif kind == "open":
            if step["open"] == "(":
                if gap and not wants:
                    break
                depth += 1
            wants = True
        elif kind == "close":
            if wants or gap or not depth:
                break
            depth -= 1
        elif kind == "after":
            if (wants and not is_function) or gap:
                break
            n_signs += step["after"][0] not in "'′_"
        else:
            sign = step["sign"]
            spaced = text[step.end() : step.end() + 1] == " "
            if wants and (sign not in "-−+±" or spaced or is_signed):
                break
            is_signed = wants
            if not wants:
                if sign in ("-", "–", "**") and gap != spaced:
                    break
                if sign == "→" and not gap:
                    break  # an arrow between numbers is one of many signs
                n_signs += 1
            wants = True
        at = step.end()
        is_function = False
        if not wants and not depth and n_signs and not text[at : at + 1].isalnum():
            end = at
    return end


@FORMULA.at(
    DIGITS + LETTERS + "(√πθαβγδλμρσφωΔ-−.",
    r"(?<![\w$\\/.^(+*=×÷·<>≤≥≠≈−-])(?<![+*/=×÷·<>≤≥≠≈−^] )\S",
    words=(*_FUNCTIONS, "pi"),
)
def plain(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    end = _end_of_formula(at.text, match.start())
    if end == match.start():
        return
    text = at.text[match.start() : end]
    signs = set(re.findall(r"[-+*/=×÷·^≈≤≥≠<>−²³√!∈∪∩→±_|]", text))
    letters = bool(re.search("[A-Za-zα-ω]", text))
    words = _say(at, text)
    if not words:
        return
    strong = bool(signs & set("=^²³√≈≤≥≠×÷*·∈∪∩±"))
    facts = (
        f"{'strong' if strong else 'weak'} {'letters' if letters else 'digits'} {'spaced' if ' ' in text else 'solid'}",
        "".join(sorted(signs))[:3] + (" letters" if letters else " digits"),
        f"signs {min(len(re.findall(r'[-+*/=×÷·^<>−]', text)), 3)}",
        "function" if re.search("(?:sin|cos|tan|log|ln|exp|max|min|sqrt)[(]", text) else "",
        "words"
        if re.search("[A-Za-z]{3}", text)
        else "two letters"
        if re.search("[A-Za-z]{2}", text)
        else "",
    )
    for form, said in _variants("plain", words):
        yield Reading(form, said, facts, end)


@FORMULA.at(
    LETTERS,
    r"(?<![\w.])(?P<name>[A-Za-z])['’′]?\((?P<inside>[A-Za-z0-9](?:[^()\n]{0,18}[A-Za-z0-9!²³])?)\)",
)
def applied(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = _say(at, match[0])
    inside = "letter" if len(match["inside"]) == 1 else "formula"
    case = "upper" if match["name"].isupper() else "lower"
    yield Reading("applied", words, (f"{case} {inside}", match["name"]))


@FORMULA.at(
    "|", r"\|(?<!\w\|)(?P<inside>(?! )(?![^|]{0,16}[a-z]{2})[a-z0-9+*/^ −-]{1,16}(?<! ))\|(?!\w|\|)"
)
def absolute(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = _say(at, match["inside"])
    if words:
        yield Reading("absolute", f"absolute value of {words}")


@FORMULA.at(
    DIGITS + LETTERS + "π",
    r"(?<![\w*])(?:[A-Za-z]+|[0-9.]+|π)(?:(?P<gap> ?)\*(?P=gap)(?:[A-Za-z]+|[0-9.]+|π))+(?![\w*])",
)
def product(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    parts = re.split(r" ?\* ?", match[0])
    said = [
        amount(at.numbers, part.strip(".")) if part[0].isdecimal() else part
        for part in parts
        if part.strip(".")
    ]
    gap = "spaced" if match["gap"] else "solid"
    one = "letter" if max(map(len, parts)) == 1 else "word"
    yield Reading(
        "product", " times ".join(said), (gap, f"{gap} {one}", f"factors {min(len(parts), 3)}")
    )


@FORMULA.at("d", r"(?<!\w)d(?P<of>[a-z])?/d(?P<by>[a-z])(?!\w)", words=("d", "dx", "dy", "dt"))
def derivative(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    """Of `dy/dx`, and of `d/dx`."""
    over = " ".join(filter(None, ("D", (match["of"] or "").upper())))
    yield Reading("derivative", f"{over} by D {match['by'].upper()}")


STATISTIC = Grammar("statistic", prior={"": 1.0}, domains="academic science medicine")


@STATISTIC.at(
    LETTERS + "αβχηρσμδκ",
    r"(?<!\w)(?P<name>[A-Za-zαβχηρσμδκ]|df|RR|HR|SD|SE|CI|OR|MSE|AUC|ICC)(?P<power>[²³]?)(?:\((?P<degrees>[0-9]+(?:\.[0-9]+)?(?:,\s?[0-9]+(?:\.[0-9]+)?)*)\))?\s?(?P<sign>[=<>≈≤≥])\s?(?P<value>[-−]?[0-9]*\.?[0-9]+(?:,[0-9]{3})*)(?:\s?(?P<unit>"
    rf"{UNIT}))?(?![\w])",
)
def statistic(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    name = match["name"]
    if name in _GREEK:
        said = _GREEK[name] if name != "χ" else "chi"
    else:
        said = " ".join(name) if name != "df" else "D F"
    said += {"²": " squared", "³": " cubed", "": ""}[match["power"]]
    if match["degrees"]:
        said += " of " + ", ".join(
            amount(at.numbers, part) for part in re.split(r",\s?", match["degrees"])
        )
    value = match["value"].replace("−", "-")
    minus = "minus " if value[0] == "-" else ""
    facts = (
        match["sign"],
        f"degrees {bool(match['degrees'])}",
        f"{len(name)} letters",
        "decimal" if "." in value else "integer",
    )
    tail = f"{_OPERATORS[match['sign']]} {minus}{amount(at.numbers, value.lstrip('-'))}"
    if match["unit"]:
        known = "word" if at.tokens.knows(match["unit"].lower()) else "no word"
        measure = unit(match["unit"], is_one=is_one(value))
        yield Reading("measure", f"{said} {tail} {measure}", (*facts, known))
        if not (known == "word" or len(match["unit"]) == 1) or "/" in match["unit"]:
            return
    end = match.end("value")
    yield Reading("plain", f"{said} {tail}", facts, end)
    if match["degrees"]:
        yield Reading("degrees", f"{said.replace(' of ', ' ', 1)} {tail}", facts, end)
    if value.lstrip("-").startswith("."):
        yield Reading(
            "point",
            f"{said} {_OPERATORS[match['sign']]} {minus}point {at.numbers.spelled(value.lstrip('-')[1:])}",
            facts,
            end,
        )
    yield Reading(
        "short",
        f"{said} {_OPERATORS[match['sign']].removeprefix('is ')} {minus}{amount(at.numbers, value.lstrip('-'))}",
        facts,
        end,
    )
