"""Expressions of arithmetic and algebra, and formulas of chemistry, in the words of a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from service.text.normalization.rules import Rule

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ", "0123456789-n")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_UP, _DOWN = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ", "₀₁₂₃₄₅₆₇₈₉"
_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψω"
_LETTERS = "A-Za-zΑ-Ωα-ω"
_SIGNS = "-−–+×÷·*/=≠≈≡<>≤≥±∓"
_POWER = (
    rf"(?:[{_UP}]{{1,4}}|\^(?:\{{[-−]?[0-9A-Za-z]{{1,4}}\}}|[-−]?[0-9]{{1,4}}"
    r"|[A-Za-z](?![A-Za-z])))"
)
_ATOM = (
    rf"(?:[√∛]?(?:[0-9]{{1,12}}(?:[.,][0-9]{{1,12}})?|[{_LETTERS}∞])"
    rf"(?:{_POWER}|[{_DOWN}]{{1,3}}|_[0-9A-Za-z](?![0-9A-Za-z])|!(?![=\w]))?)"
)
_TERM = rf"[(]?[-−±+]?[(]?(?:{_ATOM}[)]?(?:{_POWER})?){{1,5}}"
_EXPRESSION = re.compile(
    rf"(?<![{_LETTERS}0-9/%$€£¥_])(?<![0-9][.,:])"
    rf"(?<![{_SIGNS}^√)])(?<![{_SIGNS}][ ])"
    rf"(?={_TERM}[ ]?[{_SIGNS}xX])"
    rf"{_TERM}(?:(?:[ ]?[{_SIGNS}][ ]?|[ ][xX][ ]){_TERM}){{1,8}}"
    rf"(?![{_LETTERS}0-9_(]|[.,/:-][0-9A-Za-z])"
)
_RELATION = re.compile("[=≠≈≡≤≥<>]")
_EQUALITY = re.compile("[=≠≈≡]")
_WORD = re.compile("[A-Za-z]{4}")
_LETTER = re.compile(f"[{_LETTERS}]")
_ALGEBRA = re.compile(f"[{_LETTERS}√∛{_UP}^()]")
_RAISED = re.compile(f"[{_UP}^√]")
_TOKEN = re.compile(
    rf"(?P<power>{_POWER})|(?P<index>[{_DOWN}]{{1,3}}|_[0-9A-Za-z])"
    rf"|(?P<number>[0-9]+(?:[.,][0-9]+)?)|(?P<letter>[{_LETTERS}∞])|(?P<sign>\S)"
)
_ALONE = re.compile(
    rf"(?<![{_LETTERS}0-9/%_^])(?<![0-9][.,: ])(?:[√∛](?:[0-9]{{1,12}}(?:\.[0-9]{{1,12}})?"
    rf"|[{_LETTERS}])(?:{_POWER})?|(?:[0-9]{{0,6}}[{_LETTERS}]{{0,2}}){_POWER}(?<![0-9{_LETTERS}][{_UP}][{_UP}][{_UP}]))"
    rf"(?![{_LETTERS}0-9])"
)
_ELEMENTS = frozenset(
    re.findall(
        "[A-Z][a-z]?",
        "HHeLiBeBCNOFNeNaMgAlSiPSClArKCaTiCrMnFeCoNiCuZnBrAgSnIBaAuHgPbU",
    )
)
_PART = rf"[A-Z][a-z]?(?:[0-9]{{1,2}}|[{_DOWN}]{{1,2}})?"
_COMPOUND = re.compile(
    rf"(?<![A-Za-z0-9_.-])[0-9]?(?:{_PART}){{1,7}}(?![A-Za-z0-9_]|[.-][0-9A-Za-z])"
)
_PARTS = re.compile(rf"([A-Z][a-z]?)([0-9]{{1,2}}|[{_DOWN}]{{1,2}})?")
_GASES = frozenset({"H2", "N2", "O2", "O3", "F2", "Cl2"})
_MEASURE = re.compile("[0-9]*[kcdm]?m[²³]")
_LENGTH = re.compile("[0-9][ ]?(?:[kcdmnµμ]?m|[kmµμ]?g|mL|ml|L)[²³]?(?![A-Za-z])")
_TIMES = re.compile("(?<=[0-9])([ ]?)[xX](?=[ ]?[0-9])")
_PAIRS = re.compile(r"(?:[HNKF]|Na|Cl|Li)2(?:[OS]2?)")


@dataclass(frozen=True, slots=True)
class ExpressionWords:
    """What a language says in expressions.

    Attributes:
        number: returns the words for a number.
        letter: returns the name of a letter.
        signs: words for signs between terms and for brackets, which may be silent.
        negative: the word for a minus before a term.
        positive: the word for a plus before a term.
        powers: words after a base with this exponent.
        power: template with `n`, for other exponents.
        root: template with `x`, for a square root.
        cube_root: likewise.
        gap: what is written between words.
        digit: returns the words for a figure in a chemical formula.
        element: returns the words for a letter or symbol in one.
        is_algebra: whether sums of numbers alone are left to other rules.
        greek: names of the Greek letters.
    """

    number: Callable[[str], str]
    letter: Callable[[str], str]
    signs: Mapping[str, str]
    negative: str
    positive: str
    powers: Mapping[str, str]
    power: str
    root: str
    cube_root: str
    digit: Callable[[str], str]
    gap: str = ""
    is_algebra: bool = False
    element: Callable[[str], str] = str
    greek: Mapping[str, str] = field(default_factory=dict)

    def name(self, letter: str) -> str:
        """Return the name of a letter, Latin or Greek."""
        return self.greek.get(letter) or self.letter(letter)


def greek_names(names: str) -> dict[str, str]:
    """Return the names of the Greek letters, capital and small, from those of alpha to omega."""
    found = names.split()
    capitals, small = _GREEK[:24], _GREEK[24:].replace("ς", "")
    return {
        **dict(zip(capitals, found[:24], strict=True)),
        **dict(zip(small, found[:24], strict=True)),
    } | {
        "ς": found[17],
        "∞": found[24] if len(found) > 24 else "∞",
    }


def rules(words: ExpressionWords) -> tuple[Rule, ...]:
    """Return the rules for expressions, powers and roots alone, and chemical formulas."""

    def write(match: re.Match[str]) -> str | None:
        text = match[0]
        if _WORD.search(text) or not _is_expression(text) or text.count("(") != text.count(")"):
            return None
        if _LENGTH.search(text):
            return None
        if words.is_algebra and _ALGEBRA.search(text) is None:
            return None
        if set(_LETTER.findall(text)) <= set("xX"):
            text = _TIMES.sub(r"\1×", text)
        return _say(text, words)

    def write_alone(match: re.Match[str]) -> str | None:
        text = match[0]
        return None if text[0] in _UP + "^" or _MEASURE.match(text) else _say(text, words)

    def write_compound(match: re.Match[str]) -> str | None:
        text = match[0]
        plain = text.translate(_SUBSCRIPTS)
        parts = _PARTS.findall(text)
        if not all(symbol in _ELEMENTS for symbol, _ in parts):
            return None
        if text == plain and not _is_compound(plain, parts):
            return None
        if text == plain and not any(number for _, number in parts):
            return None
        said = [words.number(text[0])] if text[0].isdigit() else []
        for symbol, number in parts:
            said.append(words.element(symbol))
            if number:
                said.append(words.digit(number.translate(_SUBSCRIPTS)))
        return _joined(said, words)

    return (
        Rule(_COMPOUND, write_compound),
        Rule(_EXPRESSION, write),
        Rule(_ALONE, write_alone),
    )


def _is_expression(text: str) -> bool:
    """Tell whether signs are those of arithmetic: `10-3=7`, `x²+1`, not `3-1` or `A/B`."""
    if _EQUALITY.search(text):
        return True
    if _RAISED.search(text):
        return re.search(r"[A-Za-z0-9)]", text) is not None
    relation = _RELATION.search(text)
    if relation is not None:
        return _LETTER.search(text, 0, relation.start()) is not None
    return re.search("[×÷]", text) is not None and re.search("[×÷+−·-].*[×÷+−·-]", text) is not None


def _is_compound(text: str, parts: list[tuple[str, str]]) -> bool:
    """Tell whether a formula without subscripts is one: `H2SO4`, not `B2B`."""
    if text in _GASES or _PAIRS.fullmatch(text):
        return True
    if len(parts) < 2 or len({symbol for symbol, _ in parts}) < 2:
        return False
    # Oxides and acids end with a figure: CO2, SO3, HNO3, CaCO3, CH4, NH3.
    return parts[-1][1] != "" and len(parts[-1][1]) == 1 and parts[-1][0] in ("O", "H", "Cl", "S")


def _say(text: str, words: ExpressionWords) -> str:
    said: list[str] = []
    follows_term = False
    root = ""
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "power":
            exponent = token.lstrip("^").strip("{}").translate(_SUPERSCRIPTS).replace("−", "-")
            said.append(
                words.powers.get(exponent) or words.power.format(n=_exponent(exponent, words))
            )
            continue
        if kind == "index":
            said.append(_exponent(token.lstrip("_").translate(_SUBSCRIPTS), words))
            continue
        if kind == "sign":
            if token in "√∛":
                root = words.root if token == "√" else words.cube_root
                continue
            if token in "-−–+±" and not follows_term:
                said.append({"+": words.positive, "±": words.signs["±"]}.get(token, words.negative))
            else:
                said.append(words.signs.get(token, ""))
            follows_term = token in ")!"
            continue
        name = words.number(token) if kind == "number" else words.name(token)
        said.append(root.format(x=name) if root else name)
        root, follows_term = "", True
    return _joined(said, words)


def _joined(said: Iterable[str], words: ExpressionWords) -> str:
    """Return words together; letters that are named must not become a word."""
    written = ""
    for word in filter(None, said):
        apart = words.gap or (
            " " if re.search("[A-Za-z]\\Z", written) and word[0].isascii() else ""
        )
        written += apart + word if written else word
    return written


def _exponent(text: str, words: ExpressionWords) -> str:
    sign, text = (words.negative, text[1:]) if text.startswith("-") else ("", text)
    name = words.number(text) if text.isdigit() else _joined(map(words.name, text), words)
    return _joined((sign, name), words)
