"""Formulas: equations, powers and roots with variables, and formulas of chemistry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.text.normalization.figures.notation import SPACE, one_of
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Agreement, Locale, Suffix
from service.text.normalization.rules import Rule

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉"
_PLAIN = str.maketrans(_RAISED + _LOWERED, "0123456789-+n0123456789")
_SIGNS = "\u2212=≠≈<>≤≥±+×*·÷/"
_STRONG = re.compile(r"[=≠≈≤≥±^√×÷·²³⁰¹⁴-⁹ⁿ]")
"""Signs of which a formula has one; the others are between words too."""

_GREEK = "αβγδεθλμπρσφωΔΩ"
_ATOM = (
    rf"[(√]{{0,3}}(?:[A-Za-z]\([a-z0-9]{{1,2}}\)|[0-9]{{1,9}}(?:[.,][0-9]{{1,9}})?(?:[A-Za-z{_GREEK}]{{1,2}}(?![A-Za-zÀ-ÿ]))?"
    rf"|[A-Za-z{_GREEK}]{{1,2}}(?![A-Za-zÀ-ÿ]|['’.]\w))"
    rf"(?:[{_RAISED}]{{1,4}}|[{_LOWERED}]{{1,3}}|\^(?:\(-?\w{{1,3}}\)|\{{-?\w{{1,3}}\}}|-?[0-9]{{1,3}}|[a-z])|_\w)?\){{0,3}}"
)
_FORMULA = re.compile(
    rf"(?<![\w$€£.,/=+*^√\\-])[\u2212-]?{_ATOM}"
    rf"(?:{SPACE}?(?:[{_SIGNS}-]|<=|>=){SPACE}?[\u2212-]?{_ATOM}){{0,9}}(?![\w²³^=]|[.,][0-9]|{SPACE}[=]|[-/][^\W\d_])"
)
_TOKEN = re.compile(
    rf"(?P<number>[0-9]+(?:[.,][0-9]+)?)|(?P<raised>[{_RAISED}]+|\^(?:\(-?\w+\)|\{{-?\w+\}}|-?[0-9]+|[a-z]))"
    rf"|(?P<function>[A-Za-z](?=\())|(?P<lowered>[{_LOWERED}]+|_\w)|(?P<letter>[A-Za-z{_GREEK}])|(?P<sign><=|>=|[{_SIGNS}√-])"
)
_ASCII = {"<=": "≤", ">=": "≥", "\u2212": "-"}
_UNIT_BEFORE = re.compile(rf"[0-9]{SPACE}?\Z")

_ELEMENT = (
    "(?:A[cglrstu]|B[aeir]?|C[adelorsu]?|F[er]?|H[eg]?|I[nr]?|K|L[aiu]|M[gno]|N[abdei]?|O|P[abdtu]?|R[abn]"
    "|S[bcinr]?|T[ah]|U|V|W|Xe|Y|Z[nr])"
)
_MOLECULE = re.compile(
    rf"(?<![\w.-])(?=[A-Za-z]{{0,6}}[0-9{_LOWERED}])"
    rf"(?:{_ELEMENT}[0-9{_LOWERED}]{{0,2}}){{2,6}}(?![\w²³]|[.,/-]\w)"
    rf"|(?<![\w.-]){_ELEMENT}[{_LOWERED}]{{1,2}}(?![\w²³])"
    r"|(?<![\w.-])[HNO][23](?![\w²³]|[.,/-]\w)(?<!H3)"
)
_PART = re.compile(rf"(?P<element>{_ELEMENT})|(?P<count>[0-9{_LOWERED}]+)")
_CODE = re.compile(r"[A-Z]{2,}[0-9]{2,}|[A-Z][0-9][A-Z]")
_LATEX = re.compile(r"\\\((?P<inside>[^\n]{1,120}?)\\\)")
_FRACTION = re.compile(r"\\[dt]?frac\{(?P<top>[^{}\n]{1,30})\}\{(?P<bottom>[^{}\n]{1,30})\}")
_COMMANDS = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "pi": "π", "alpha": "α", "beta": "β",
    "gamma": "γ", "delta": "δ", "theta": "θ", "lambda": "λ", "mu": "μ", "sigma": "σ",
    "omega": "ω", "Delta": "Δ", "Omega": "Ω", "left": "", "right": "",
}  # fmt: skip
_COMMAND = re.compile(
    rf"\\(?P<name>{'|'.join(sorted(_COMMANDS, key=len, reverse=True))})(?![A-Za-z])"
)
_ROOT = re.compile(r"\\sqrt\{(?P<inside>[^{}\n]{1,30})\}")


def rules(locale: Locale, numerals: Numerals) -> tuple[Rule, ...]:
    """Return the rules for formulas; none if the language has no words for Greek letters."""
    if not locale.greek:
        return ()

    measured = re.compile(rf"[0-9.,]+{one_of(locale.units)}[²³]?")

    def say_power(written: str) -> str:
        text = written.translate(_PLAIN).strip("^(){}")
        for sign, value in (("²", "2"), ("³", "3")):
            if text == value:
                return locale.powers[sign]
        minus = f"{locale.signs['-']} " if text.startswith("-") else ""
        text = text.lstrip("-+")
        if text.isdecimal() and locale.powers_are_ordinals and not minus:
            said = numerals.ordinal(int(text), Suffix(Agreement.FEMININE))
            if said is not None:
                return f"{locale.operators['^']} {said}"
        said = numerals.whole(text) if text.isdecimal() else text
        return f"{locale.operators['^']} {minus}{said}"

    def say(text: str) -> Iterator[str]:
        is_operand = False
        for token in _TOKEN.finditer(text):
            kind, written = token.lastgroup, token[0]
            if kind == "sign":
                sign = _ASCII.get(written, written)
                if sign == "√":
                    yield locale.root
                elif is_operand:
                    yield locale.operators[sign]
                else:
                    yield locale.signs.get(sign, locale.operators[sign])
            elif kind == "number":
                yield numerals.say(numerals.parse(written))
            elif kind == "raised":
                yield say_power(written)
            elif kind == "function":
                yield f"{written} {locale.of.strip()}"
            elif kind == "lowered":
                low = written.translate(_PLAIN).lstrip("_")
                yield numerals.whole(low) if low.isdecimal() else low
            else:
                yield locale.greek.get(written, written)
            is_operand = kind != "sign"

    def write(match: re.Match[str]) -> str | None:
        text = match[0]
        if text.count("(") != text.count(")"):
            return None
        letters = re.findall(rf"[A-Za-z{_GREEK}]+", text)
        is_sum = re.fullmatch(r"[a-z] \+ [a-z]", text) is not None
        if not _STRONG.search(text) and not is_sum and not set(_GREEK).intersection(text):
            return None
        is_power = "=" in text and bool(set(_RAISED).intersection(text))
        if (
            not letters
            and not is_power
            and not re.search(rf"[{_RAISED.replace('²', '').replace('³', '')}^√]", text)
        ):
            return None  # numbers alone have rules of their own
        before = match.string[max(0, match.start() - 2) : match.start()]
        if (
            letters
            and _UNIT_BEFORE.search(before)
            and text.startswith(letters[0])
            and letters[0] in locale.units
        ):
            return None
        bare = text.rstrip(_RAISED)
        is_unit = text in locale.units or bare in locale.units or bare.rstrip("0123456789") == ""
        if (
            bare != text
            and is_unit
            and (_UNIT_BEFORE.search(before) or (len(bare) > 1 and bare.isalpha()))
        ):
            return None
        if measured.fullmatch(text):
            return None
        return " ".join(say(text))

    def write_molecule(match: re.Match[str]) -> str | None:
        text = match[0]
        if _CODE.match(text) and set(_LOWERED).isdisjoint(text):
            return None
        return " ".join(
            numerals.whole(part["count"].translate(_PLAIN))
            if part["count"]
            else " ".join(part["element"].upper())
            for part in _PART.finditer(text)
        )

    def write_latex(match: re.Match[str]) -> str:
        return f" {match['inside']} ".strip()

    return (
        Rule(_LATEX, write_latex),
        Rule(
            _ROOT,
            lambda match: (
                f"√({match['inside']})"
                if len(match["inside"]) > 1 and not match["inside"].isalnum()
                else f"√{match['inside']}"
            ),
        ),
        Rule(_FRACTION, lambda match: locale.over.format(top=match["top"], bottom=match["bottom"])),
        Rule(_COMMAND, lambda match: _COMMANDS[match["name"]]),
        Rule(_MOLECULE, write_molecule),
        Rule(_FORMULA, write),
    )
