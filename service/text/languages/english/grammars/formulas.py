"""Formulas, in LaTeX and plain: an expression parser whose parts are all said, none refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

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

FORMULA = Grammar(
    "formula", prior={"marked": 4.0, "plain": -0.5, "product": 2.0}, domains="maths science"
)

_OPERATORS = {
    "+": "plus", "-": "minus", "−": "minus", "–": "minus", "*": "times", "×": "times", "·": "times",
    "⋅": "times", "÷": "divided by", "/": "over", "=": "equals", "==": "equals",
    "<": "is less than", ">": "is greater than", "≤": "is less than or equal to",
    "≥": "is greater than or equal to", "<=": "is less than or equal to",
    ">=": "is greater than or equal to", "≠": "is not equal to", "!=": "is not equal to",
    "≈": "is approximately", "±": "plus or minus", "→": "to", "->": "to", "∈": "in",
    "∉": "not in", "∪": "union", "∩": "intersection", "⊂": "is a subset of",
    "⊆": "is a subset of", "∖": "minus", "∝": "is proportional to", "⇒": "implies", "=>": "implies",
    "%": "percent", ":": "such that", "∧": "and", "∨": "or", "mod": "mod", "∘": "composed with",
    "⇔": "if and only if", "≡": "is equivalent to", "~": "is distributed as", "∣": "given",
}  # fmt: skip
_COMMANDS = {
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈",
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "to": "→", "rightarrow": "→",
    "Rightarrow": "⇒", "implies": "⇒", "in": "∈", "notin": "∉", "cup": "∪", "cap": "∩",
    "subset": "⊂", "subseteq": "⊆", "setminus": "∖", "propto": "∝", "mid": "∣", "land": "∧",
    "lor": "∨", "iff": "⇔", "equiv": "≡", "sim": "~", "lt": "<", "gt": ">", "circ": "∘",
}  # fmt: skip
_NAMES = {
    "infty": "infinity", "forall": "for all", "exists": "there exists", "partial": "partial",
    "nabla": "nabla", "ldots": "and so on", "dots": "and so on", "cdots": "and so on",
    "emptyset": "the empty set", "degree": "degrees", "prime": "prime", "hbar": "h bar", "ell": "l",
    "neg": "not", "angle": "angle", "triangle": "triangle", "perp": "is perpendicular to",
    "parallel": "is parallel to", "therefore": "therefore", "percent": "percent",
}  # fmt: skip
_SILENT = frozenset("left right quad qquad displaystyle limits big Big bigg Bigg middle".split())
_SIGNS = {
    "∞": "infinity", "∀": "for all", "∃": "there exists", "∂": "partial", "∇": "nabla",
    "∅": "the empty set", "…": "and so on", "∠": "angle", "∴": "therefore", "¬": "not",
}  # fmt: skip
_FUNCTIONS = {
    "sin": "sine", "cos": "cosine", "tan": "tangent", "sec": "secant", "csc": "cosecant",
    "cot": "cotangent", "log": "log", "ln": "natural log", "exp": "exp", "max": "max", "min": "min",
    "det": "determinant", "gcd": "G C D", "arcsin": "arc sine", "arccos": "arc cosine",
    "arctan": "arc tangent", "sqrt": "the square root of", "dim": "dimension", "ker": "kernel",
}  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "gamma", "Δ": "delta", "Θ": "theta", "Λ": "lambda", "Π": "pi",
    "Σ": "sigma", "Φ": "phi", "Ψ": "psi", "Ω": "omega",
}  # fmt: skip
_GREEK_NAMES = frozenset(_GREEK.values()) | {"iota", "upsilon", "varepsilon", "vartheta", "varphi"}
_BIG = {"sum": "the sum", "∑": "the sum", "int": "the integral", "∫": "the integral",
    "prod": "the product", "∏": "the product", "oint": "the integral", "iint": "the double integral",
    "bigcup": "the union", "bigcap": "the intersection"}  # fmt: skip
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₙᵢ", "0123456789ni")
_TOKEN = re.compile(
    r"\s*(?P<token>\\[A-Za-z]+|\\.|[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+|[A-Za-z]+"
    r"|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+|[₀₁₂₃₄₅₆₇₈₉ₙᵢ]+|\*\*|<=|>=|!=|==|->|=>|\S)"
)
_WORDS = frozenset(("pi", "in", "of", "to", "or", "if", "is"))
_DEPTH = 12
"""Deepest nesting that is parsed; what is deeper is read part by part."""


class Parser:
    """Reads a formula as words.

    Args:
        text: the formula, without its delimiters.
        numbers: writes numbers.
    """

    def __init__(self, text: str, numbers: Numbers, depth: int = 0) -> None:
        self._tokens = [
            "^" if match["token"] == "**" else match["token"] for match in _TOKEN.finditer(text)
        ]
        self._at = 0
        self._numbers = numbers
        self._depth = depth

    def words(self) -> str:
        """Return the words of the whole formula."""
        said: list[str] = []
        while self._at < len(self._tokens):
            said += self._sequence("")
            self._at += 1  # an unmatched closing sign has no words
        return " ".join(word for word in said if word).replace(" ,", ",")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sequence(self, closing: str) -> list[str]:
        said: list[str] = []
        while self._peek() and self._peek() not in ("}", ")", "]", "\\}", "\\right", closing):
            if self._peek() in ("|", "\\|") and (not said or said[-1] in _OPERATORS.values()):
                bar = self._take()
                inner = self._sequence(bar)
                if self._peek() == bar:
                    self._take()
                said += ["the absolute value of", *inner]
                continue
            said += self._part()
        return said

    def _inner(self, text: str) -> str:
        if self._depth > _DEPTH:
            return " ".join(re.findall(r"\w+", text))
        return Parser(text, self._numbers, self._depth + 1).words()

    def _raw(self) -> str:
        """Take an argument: a group without its braces, or one token."""
        if self._peek() not in ("{", "("):
            token = self._take() if self._peek() else ""
            if token in ("-", "−", "+") and self._peek():
                return token + " " + self._take()
            return token
        opening = self._take()
        closing = {"{": "}", "(": ")"}[opening]
        depth, parts = 1, []
        while self._peek():
            token = self._take()
            depth += (token == opening) - (token == closing)
            if not depth:
                break
            parts.append(token)
        return " ".join(parts)

    def _part(self) -> list[str]:
        token = self._take()
        if token.startswith("\\"):
            return self._command(token[1:])
        if token in ("{", "(", "["):
            closing = {"{": "}", "(": ")", "[": "]"}[token]
            inner = self._sequence(closing)
            if self._peek() == closing:
                self._take()
            if token == "(" and inner:
                inner = [f"({' '.join(filter(None, inner))})"]  # brackets pause
            return [*inner, *self._scripts()]
        if token[0].isdecimal() or (token[0] == "." and len(token) > 1):
            said = [amount(self._numbers, token), *self._scripts()]
            factor = self._peek()
            if len(said) == 1 and factor == "(":
                said.append("times")
            elif len(said) == 1 and factor.isascii() and factor.isalpha() and len(factor) < 3:
                self._tokens[self._at] = factor.upper()
            return said
        if token[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ₀₁₂₃₄₅₆₇₈₉ₙᵢ" or token in ("^", "_"):
            self._at -= 1
            return self._scripts() or [self._take()]
        if token in _GREEK:
            return [_GREEK[token], *self._scripts()]
        if token == "√":
            return ["the square root of", *self._part()] if self._peek() else ["root"]
        if token in _BIG:
            return self._big(_BIG[token])
        if token == "!":
            return ["factorial"]
        if token in ("'", "′"):
            return ["prime"]
        if token in ("″",):
            return ["double prime"]
        if token in _SIGNS:
            return [_SIGNS[token]]
        if token == ":" and self._peek()[:1].isdecimal():
            return ["to"]
        if token in _OPERATORS:
            return [_OPERATORS[token]]
        if token in ("|",):
            return ["given"]
        if token == ",":
            return [","]
        if token.isalpha():
            return self._letters(token)
        return []

    def _letters(self, token: str) -> list[str]:
        if token in _FUNCTIONS:
            return [_FUNCTIONS[token], *self._scripts()]
        if token == "mod":
            return ["mod"]
        if len(token) > 2 or token in _WORDS:
            return [token, *self._scripts()]
        said = list(token.upper() if len(token) > 1 or token == "a" else token)
        before = self._at
        said += self._scripts()
        if len(token) == 1 and self._peek() == "(" and self._at == before:
            joint = "of" if token in "fghpuvyFGHOPQTEV" else "times"
            inner = self._part()
            if joint == "of" and len(inner[0].split()) < 2:
                inner[0] = inner[0].strip("()")
            return [*said, joint, *inner]
        return said

    def _scripts(self) -> list[str]:
        said: list[str] = []
        while self._peek():
            token = self._peek()
            if token == "^":
                self._take()
                raw = self._raw()
                said.append(f"to the power of {self._inner(raw)}" if said else self._power(raw))
            elif token == "_":
                self._take()
                said.append(self._inner(self._raw()))
            elif token[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ":
                said.append(self._power(self._take().translate(_RAISED)))
            elif token[0] in "₀₁₂₃₄₅₆₇₈₉ₙᵢ":
                said.append(self._inner(self._take().translate(_LOWERED)))
            elif token in ("'", "′", "!"):
                said.append("factorial" if self._take() == "!" else "prime")
            else:
                break
        return said

    def _power(self, text: str) -> str:
        text = text.replace(" ", "")
        if text == "2":
            return "squared"
        if text == "3":
            return "cubed"
        if text in ("\\circ", "°"):
            return "degrees"
        if text in ("'", "\\prime"):
            return "prime"
        if text == "T":
            return "transpose"
        if text.isdecimal():
            return f"to the {self._numbers.cardinal(text)}"
        if len(text) == 1 and text.isalpha():
            return f"to the {'A' if text == 'a' else text}"
        if re.fullmatch(r"[-−][0-9]+", text):
            return f"to the minus {self._numbers.cardinal(text[1:])}"
        return f"to the {self._inner(text)}"

    def _big(self, name: str) -> list[str]:
        low = high = ""
        while self._peek() in ("_", "^", "\\limits"):
            sign = self._take()
            if sign == "_":
                low = self._inner(self._raw())
            elif sign == "^":
                high = self._inner(self._raw())
        said = [name]
        if low:
            said.append(f"from {low} to {high}" if high else f"over {low}")
        return [*said, "of"]

    def _command(self, name: str) -> list[str]:
        if name in ("frac", "dfrac", "tfrac"):
            top, bottom = self._raw(), self._raw()
            if (
                top.isdecimal()
                and bottom.isdecimal()
                and 1 < int(bottom) <= 100
                and 0 < int(top) < 20
            ):
                return [fraction(self._numbers, int(top), int(bottom)), *self._scripts()]
            return [f"{self._inner(top)} over {self._inner(bottom)}", *self._scripts()]
        if name in ("binom", "dbinom"):
            return [f"{self._inner(self._raw())} choose {self._inner(self._raw())}"]
        if name == "sqrt":
            degree = ""
            if self._peek() == "[":
                self._take()
                while self._peek() not in ("]", ""):
                    degree += self._take()
                if self._peek():
                    self._take()
            root = self._inner(self._raw())
            if degree in ("", "2"):
                return ["the square root of", root]
            nth = (
                "cube"
                if degree == "3"
                else self._numbers.ordinal(degree)
                if degree.isdecimal()
                else f"{degree}th"
            )
            return [f"the {nth} root of", root]
        if name in _BIG:
            return self._big(_BIG[name])
        if name == "lim":
            if self._peek() == "_":
                self._take()
                limit = self._inner(self._raw()).replace(" to ", " approaches ")
                return [f"the limit as {limit} of"]
            return ["the limit of"]
        if name in (
            "mathbb",
            "mathrm",
            "text",
            "mathbf",
            "operatorname",
            "mathit",
            "mathcal",
            "textbf",
        ):
            return [self._raw(), *self._scripts()]
        if name in ("vec", "bar", "hat", "overline", "dot", "tilde", "underline"):
            inner = self._inner(self._raw())
            word = {"vec": "vector", "overline": "bar", "underline": ""}.get(name, name)
            return [f"vector {inner}" if name == "vec" else f"{inner} {word}", *self._scripts()]
        if name in _FUNCTIONS:
            return [_FUNCTIONS[name], *self._scripts()]
        if name in _COMMANDS:
            return [_OPERATORS[_COMMANDS[name]]]
        if name in _NAMES:
            return [_NAMES[name]]
        low = name.lower().removeprefix("var")
        if low in _GREEK_NAMES:
            return [low, *self._scripts()]
        if name in _SILENT or not name.isalpha():
            return ["percent"] if name == "%" else []
        return [name]


_BETWEEN = re.compile(rf"({ANY_NUMBER})[-–]({ANY_NUMBER})")


@FORMULA.at(
    "$\\",
    r"\$\$(?P<two>.+?)\$\$|\$(?P<gapped> [^$\n]{1,40} )\$|(?<![0-9])\$(?!\s)(?P<one>(?:[^$\n\\]|\\.)+?)(?<!\s)\$(?![0-9])|\\\((?P<round>.+?)\\\)|\\\[(?P<square>.+?)\\\]",
    re.DOTALL,
)
def marked(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    inner = next(group for group in match.groups() if group is not None)
    words = Parser(inner, at.numbers).words()
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
    words = Parser(text, at.numbers).words()
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
    words = Parser(match[0], at.numbers).words()
    inside = "letter" if len(match["inside"]) == 1 else "formula"
    case = "upper" if match["name"].isupper() else "lower"
    yield Reading("applied", words, (f"{case} {inside}", match["name"]))


@FORMULA.at(
    "|", r"\|(?<!\w\|)(?P<inside>(?! )(?![^|]{0,16}[a-z]{2})[a-z0-9+*/^ −-]{1,16}(?<! ))\|(?!\w|\|)"
)
def absolute(at: Place, match: re.Match[str]) -> Iterator[Reading]:
    words = Parser(match["inside"], at.numbers).words()
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
