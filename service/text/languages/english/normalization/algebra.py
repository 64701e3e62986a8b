"""Formulas: variables, functions, factorials, LaTeX, ions."""

from __future__ import annotations

import re
from functools import partial

from service.text.languages.english.normalization.notation import text_after, text_before
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_GREEK = {
    "\\alpha": "alpha", "\\beta": "beta", "\\gamma": "gamma", "\\delta": "delta",
    "\\epsilon": "epsilon", "\\theta": "theta", "\\lambda": "lambda", "\\mu": "mu", "\\pi": "pi",
    "\\rho": "rho", "\\sigma": "sigma", "\\tau": "tau", "\\phi": "phi", "\\omega": "omega",
    "\\Delta": "delta", "\\Omega": "omega", "\\Sigma": "sigma", "\\infty": "infinity",
    "\\times": " times ", "\\cdot": " times ", "\\leq": " ≤ ", "\\le": " ≤ ", "\\geq": " ≥ ",
    "\\ge": " ≥ ", "\\neq": " ≠ ", "\\ne": " ≠ ", "\\approx": " ≈ ", "\\pm": " ± ", "\\to": " → ",
    "\\sum": "the sum ", "\\int": "the integral ", "\\ldots": "…", "\\dots": "…", "\\sin": "sine ",
    "\\cos": "cosine ", "\\tan": "tangent ", "\\log": "log ", "\\ln": "natural log ",
    "\\lim": "the limit ", "\\in": " in ", "\\div": " divided by ", "\\left": "", "\\right": "",
    "\\,": " ", "\\;": " ", "\\quad": " ", "\\rightarrow": " → ",
}  # fmt: skip
_LATEX = re.compile(
    r"\$\$(?P<display>[^$\n]{1,200})\$\$"
    r"|\$(?![\s\d.,]+\$)(?P<inline>[^\s$](?:[^$\n]{0,120}?[^\s$\\])?)\$(?!\w)"
    r"|\\\((?P<round>[^\n]{1,120}?)\\\)|\\\[(?P<square>[^\n]{1,200}?)\\\]"
)
_IS_FORMULA = re.compile(
    r"[\\^_=+<>]|^[-−]?[A-Za-z]{1,2}!?$|^[0-9]+!$|^[A-Za-z]\(|[a-zA-Z]/|[0-9][a-z]"
)
_NEGATIVE = re.compile(r"\A[-−](?=[A-Za-z])")
_FACTORIAL_ALONE = re.compile(r"!\Z")
_FRACTION = re.compile(r"\\[dt]?frac\{(?P<above>[^{}]+)\}\{(?P<below>[^{}]+)\}")
_ROOT = re.compile(r"\\sqrt\{(?P<under>[^{}]+)\}")
_DEGREES = re.compile(r"\^\{?\\circ\}?")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|[,;])")
_BRACED = re.compile(r"(?P<sign>[\^_])\{(?P<inside>[^{}]*)\}")
_BASE_INDEX = re.compile(r"(?<=[A-Za-z])_(?P<index>[A-Za-z0-9])")

_VARIABLE = r"[b-hj-zA-HJ-Zα-ωΑ-Ω]"
_MINUS = re.compile(
    rf"(?:(?<=[=(,<>≤≥≈+*×/^])[ ]?|(?m:^)|(?<=[=<>≤≥≈][ ]))[-−](?=(?:{_VARIABLE}|a)(?![a-zA-Z'’-]))"
    rf"|(?<=[0-9A-Za-z)²³π])[ ][-−][ ](?={_VARIABLE}|a|[(]?[0-9√π])"
    rf"|(?<=[0-9)²³])[-−](?={_VARIABLE}(?![\w-]))|(?<=\w)[ ]?−[ ]?(?=[\w(])"
)
_PLUS_A = re.compile(
    r"(?:(?<=[-+=<>≤≥≈×÷*/^(|])|(?<=[-+=<>≤≥≈×÷*/^][ ])|(?<=plus )|(?<=minus )|(?<=times ))"
    # Not the article, as in `not-a-number`, `(a singleton)` and `plus a $50 fee`.
    r"(?<![A-Za-z]-)a(?=[)=²³^*/|<>+]|[ ][=²³^*/|<>+-][ ]|[,.;]?(?:\s(?![\w.(\"'‘“$€£¥₹~])|\Z))"
    r"|(?<![\w'’])a(?=(?:[ ]?[=<>≤≥≈×÷*/^²³|+]|[ ]-[ ])(?![A-Za-z]{2}))(?!/[a-z]{1,3}\b)"
)
_FACTORIAL = re.compile(
    r"(?<![\w!])(?P<base>[0-9]{1,4}|[a-zA-Z]|\([^()]{1,20}\))!(?=[ ]?[=/*×+)<>≤≥]|[ ][a-z-]|/)"
)
_BARS = re.compile(r"\|(?<!\w\|)(?P<inside>[a-z0-9+*/^ −-]{1,16})\|(?!\w|\|)")
_FUNCTIONS = {
    "sin": "sine", "cos": "cosine", "tan": "tangent", "log": "log", "ln": "natural log",
    "exp": "exp", "sec": "secant", "csc": "cosecant", "cot": "cotangent", "lim": "limit",
}  # fmt: skip
_POWERED = re.compile(
    r"\b(?P<name>sin|cos|tan|log|ln|sec|csc|cot)(?:(?P<power>⁻?[¹²³⁴-⁹]"
    r"|\^-?[0-9])[ ]?(?=[(0-9a-zθπαβφω])|[ ](?=[0-9]*[xyzθπαβφω](?![a-zA-Z]))"
    r"|(?=\([^)]{1,20}\)))"
)
_OF = re.compile(
    r"(?<![\w.'’-])(?P<name>[fghFGHP])(?P<prime>['’′]{0,2})\((?P<inside>[a-z0-9]"
    r"|[a-zA-Z0-9]{1,2}[ ]?[+−|-][ ]?[0-9a-zA-Z]{1,2})\)(?![\w(])"
)
_COEFFICIENT = re.compile(
    r"(?<![\w.,$£€])(?P<number>[0-9]{1,3}(?:\.[0-9]+)?)(?P<letters>[abcnpqrtuvxyz]{1,3})"
    r"(?=[ ]?[-−+=^²³*/)<>≤≥]|[ ]minus[ ]"
    r"|[²³]|[ ]?\Z|[.,;][\s])"
)
_NEAR_FORMULA = re.compile(r"[=^²³+√≤≥<>]")
_BRACKETED = re.compile(
    r"(?<=[0-9])(?P<letter>[a-z]?)\((?=[0-9]*[a-z0-9][ ]?[-+−])"
    r"|(?<![\w'’])(?P<variable>[a-z])\((?=[a-z0-9][ ]?[-+−])"
)
_OVER = re.compile(r"(?<=\))[ ]?/[ ]?(?=[0-9(a-z])|(?<![\w/])(?P<above>[a-z0-9])/(?=\()")
_ION = re.compile(r"\b(?P<name>(?:[A-Z][a-z]?[0-9₀-₉]?){1,4})(?P<charge>[⁰¹²³⁴-⁹]?[⁺⁻])(?!\w)")
_INVERSE = re.compile(
    r"(?<=[a-zA-Z)])[ ·⋅]?\b(?P<unit>mol|s|m|cm|mm|km|kg|g|L|l|mL|K|h|min|d|J|N|V|A|Hz"
    r"|yr|day)⁻(?P<power>[¹²³])"
)
_INVERSES = {
    "mol": "mole", "s": "second", "m": "meter", "cm": "centimeter", "mm": "millimeter",
    "km": "kilometer", "kg": "kilogram", "g": "gram", "L": "liter", "l": "liter",
    "mL": "milliliter", "K": "kelvin", "h": "hour", "min": "minute", "d": "day", "J": "joule",
    "N": "newton", "V": "volt", "A": "amp", "Hz": "hertz", "yr": "year", "day": "day",
}  # fmt: skip
_INVERSE_FIRST = re.compile(r"(?<=[0-9][ ])(?P<unit>mol|s|m|cm|kg|h|min|K|yr)⁻(?P<power>[¹²³])")
_SYMBOLS = {
    "∩": "intersection", "∪": "union", "⊂": "is a subset of", "⊆": "is a subset of", "∈": "is in",
    "∉": "is not in", "∀": "for all", "∃": "there exists", "∅": "the empty set", "∴": "therefore",
    "∝": "is proportional to", "≡": "is equivalent to", "⊥": "is perpendicular to",
    "∥": "is parallel to", "∠": "angle", "∧": "and", "∨": "or", "¬": "not", "⇒": "implies",
    "⇔": "if and only if", "∂": "partial", "∇": "del", "≅": "is congruent to",
    "∮": "the contour integral",
    "≪": "is much less than",
    "≫": "is much greater than",
}  # fmt: skip
_SYMBOL = re.compile(rf"[ ]?[{''.join(_SYMBOLS)}][ ]?")
_TENDS = re.compile(
    r"(?<=[ (][a-zA-Z0-9])[ ]?→[ ]?(?=[∞0-9a-z−-])|(?<=^[a-z])[ ]?→[ ]?(?=[∞0-9a-z])"
)
_FACTORIAL_OVER = re.compile(r"(?<=factorial)[ ]?/[ ]?(?=[\w(])")
_PI = re.compile(r"π(?![^\W\d_])")
_LESS = re.compile(r"(?<=[a-zA|)])[ ]?(?P<sign>[<>]=?)[ ]?(?=-?\.?[0-9]|[a-z|])")
_COMPARISONS = {
    "<": " is less than ", ">": " is greater than ", "<=": " is at most ", ">=": " is at least ",
}  # fmt: skip
_POWERS = {"2": "squared", "3": "cubed"}


def latex_rules() -> tuple[Rule, ...]:
    """Return the rules for formulas in LaTeX, whose signs the other rules know, and for limits."""
    return (Rule(_LATEX, _latex), Rule(_TENDS, lambda match: " to "))


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for formulas. They come before all rules for numbers."""

    def power(written: str) -> str:
        raised = written.lstrip("^").translate(_RAISED)
        if raised in _POWERS:
            return f" {_POWERS[raised]}"
        if raised == "-1":
            return " inverse"
        sign = "minus " if raised[0] == "-" else ""
        return f" to the {sign}{numbers.cardinal(raised.lstrip('-'))}"

    def powered(match: re.Match[str]) -> str:
        name = _FUNCTIONS[match["name"]]
        return f"{name}{power(match['power']) if match['power'] else ''} "

    def ion(match: re.Match[str]) -> str:
        charge = match["charge"].translate(_RAISED)
        sign = "plus" if charge[-1] == "+" else "minus"
        count = f"{numbers.cardinal(charge[:-1])} " if len(charge) > 1 else ""
        name = "".join(
            f" {numbers.cardinal(c)} " if c.isdigit() else f"{c.upper()} "
            for c in match["name"].translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))
        )
        return f"{' '.join(name.split())} {count}{sign}"

    def inverse(match: re.Match[str]) -> str:
        raised = match["power"].translate(_RAISED)
        ending = f" {_POWERS[raised]}" if raised in _POWERS else ""
        space = " " if match[0][0] != match["unit"][0] or match.re is _INVERSE else ""
        return f"{space}per {_INVERSES[match['unit']]}{ending}"

    return (
        Rule(_ION, ion),
        Rule(_INVERSE_FIRST, inverse),
        Rule(_INVERSE, inverse),
        Rule(_POWERED, powered),
        Rule(_OF, _function),
        Rule(_BARS, lambda match: f"absolute value of {match['inside']}"),
        Rule(
            _PI,
            lambda match: (
                " pi" if match.string[match.start() - 1 : match.start()].isalnum() else "pi"
            ),
        ),
        Rule(_SYMBOL, lambda match: f" {_SYMBOLS[match[0].strip()]} "),
        Rule(_FACTORIAL, lambda match: f"{match['base']} factorial"),
        Rule(_FACTORIAL_OVER, lambda match: " over "),
        Rule(_MINUS, _minus),
        Rule(_COEFFICIENT, partial(_coefficient, numbers)),
        Rule(_OVER, lambda match: f"{match['above'] or ''} over "),
        Rule(
            _BRACKETED,
            lambda match: f"{(match['letter'] or match['variable'] or '')} times (",
        ),
        Rule(_PLUS_A, lambda match: "A"),
        Rule(_LESS, _less),
    )


def _latex(match: re.Match[str]) -> str | None:
    formula = match["display"] or match["inline"] or match["round"] or match["square"]
    if match["inline"] and not _IS_FORMULA.search(formula):
        return None
    formula = _FRACTION.sub(lambda found: f"{found['above']} over {found['below']}", formula)
    formula = _ROOT.sub(lambda found: f"the square root of {found['under']}", formula)
    formula = _DEGREES.sub("°", formula)
    formula = _BRACED.sub(lambda found: f"{found['sign']}{found['inside']}", formula)
    formula = _COMMAND.sub(lambda found: _GREEK.get(found[0], " " + found[0][1:] + " "), formula)
    formula = _BASE_INDEX.sub(lambda found: f" {found['index']}", formula)
    formula = _FACTORIAL_ALONE.sub(" factorial", _NEGATIVE.sub("minus ", formula))
    # Letters side by side are factors.
    formula = re.sub(
        r"(?<![A-Za-z])[A-Za-z]{2}(?=\^|\s|=|\Z)(?!\w)",
        lambda found: found[0] if found[0] in ("in", "of", "to") else " ".join(found[0].upper()),
        formula,
    )
    return " ".join(formula.replace("{", "").replace("}", "").replace("\\", " ").split())


def _function(match: re.Match[str]) -> str | None:
    prime = " prime" * len(match["prime"])
    if match["name"] == "P" and not _NEAR_FORMULA.search(text_after(match)):
        return None
    inside = match["inside"].replace("|", " given ")
    inside = "A" if inside == "a" else inside
    return f"{match['name']}{prime} of {inside}"


def _minus(match: re.Match[str]) -> str | None:
    before, after = text_before(match), text_after(match)
    spaced = match[0].strip() != match[0]
    if "−" not in match[0]:
        # A hyphen is a minus only in a formula: `y = 2x - a`, not `option a - the first`.
        near = before + after
        if not re.search(r"[=+^²³√<>≤≥*/]", near):
            return None
        if (
            match[0] == " - "
            and re.match(r"[a-zA-Z]{2}", after)
            and not re.match(r"[a-z]{1,2}(?:[²³^ )=]|\Z)", after)
        ):
            return None
        if (
            match[0] == " - "
            and re.search(r"[A-Za-z]{2}\Z", before)
            and not re.search(r"[0-9(= ][a-z]{2}\Z", before)
        ):
            return None
    left = " " if (spaced or (before and not before[-1].isspace())) else ""
    return f"{left}minus "


def _coefficient(numbers: Numbers, match: re.Match[str]) -> str | None:
    around = text_before(match) + text_after(match)
    if not _NEAR_FORMULA.search(around) or re.search(r"[$£€@]", around):
        return None
    if match["letters"] in ("am", "pm", "nd", "st", "rd", "th", "ft", "pt", "yr", "cc"):
        return None
    # In words, so that `5n` becomes no newtons.
    return f"{numbers.decimal(match['number'])} {' '.join(match['letters'].upper())}"


def _less(match: re.Match[str]) -> str | None:
    before, after = text_before(match), text_after(match)
    # Variables only: one letter, or a closed bracket.
    if not re.search(r"(?:(?<![\w'’])[a-zA]|[|)]|value of [a-z])\Z", before):
        return None
    if not re.match(r"-?\.?[0-9]|[a-z|](?!\w)", after):
        return None
    return _COMPARISONS[match["sign"]]
