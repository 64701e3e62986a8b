"""Formulas: the signs around them, where they are, and what is said of them in any language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from service.text.normalization.locale import words
from service.text.normalization.rules import Rule

_UP, _DOWN = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "₀₁₂₃₄₅₆₇₈₉ₙᵢ"
_PLAIN = str.maketrans(_UP + _DOWN, "0123456789-+n0123456789ni")
_CAPITALS, _SMALL = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", "αβγδεζηθικλμνξοπρστυφχψω"
_GREEK_NAMES = words(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma"
    " tau upsilon phi chi psi omega"
)
_COMMANDS = {
    **dict(zip(_GREEK_NAMES, _SMALL, strict=True)),
    **dict(zip((name.capitalize() for name in _GREEK_NAMES), _CAPITALS, strict=True)),
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈",
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "to": "→", "rightarrow": "→",
    "Rightarrow": "⇒", "implies": "⇒", "in": "∈", "notin": "∉", "cup": "∪", "cap": "∩",
    "subset": "⊂", "subseteq": "⊆", "setminus": "∖", "propto": "∝", "mid": "∣", "land": "∧",
    "lor": "∨", "iff": "⇔", "equiv": "≡", "sim": "~", "lt": "<", "gt": ">", "circ": "∘",
    "infty": "∞", "forall": "∀", "exists": "∃", "partial": "∂", "nabla": "∇", "ldots": "…",
    "dots": "…", "cdots": "…", "emptyset": "∅", "degree": "°", "prime": "′", "hbar": "ħ",
    "ell": "l", "neg": "¬", "angle": "∠", "triangle": "△", "perp": "⊥", "parallel": "∥",
    "therefore": "∴", "percent": "%", "%": "%", "sum": "∑", "int": "∫", "prod": "∏", "oint": "∫",
    "iint": "∬", "bigcup": "⋃", "bigcap": "⋂",
}  # fmt: skip
"""The signs for which commands of LaTeX stand."""
_TYPED = {
    "<=": "≤", ">=": "≥", "!=": "≠", "==": "=", "->": "→", "=>": "⇒", "−": "-", "–": "-", "⋅": "·",
    "µ": "μ", "ς": "σ", "∮": "∫", "//": "∥",
}  # fmt: skip
_BIG = "∑∫∏∬⋃⋂"
_FONTS = frozenset(words("mathbb mathrm text mathbf operatorname mathit mathcal textbf"))
_ABOVE = frozenset(words("vec bar hat overline dot tilde underline"))
_SILENT = frozenset(words("left right quad qquad displaystyle limits big Big bigg Bigg middle"))
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_DEPTH = 12
"""Deepest nesting that is parsed; what is deeper is read part by part."""


@dataclass(frozen=True, slots=True)
class FormulaWords:
    """What a language says in formulas.

    Attributes:
        number: returns the words for a number.
        operators: words for signs between terms; without them a sign is none.
        names: words for other signs, Greek letters and functions such as `sin`.
        phrases: templates: `root`, `cube root` and `absolute` of `x`, `nth root` with `n` too,
            `power` and `again`, a power of a power, with `n`; `over` with `top` and `bottom`,
            `from` with `name`, `low` and `high`, `set` with `name` and `low`, `limit` with `x`,
            `choose` with `n` and `k`; `vec`, `bar`, `hat`, `dot` and `tilde` with `x`; and the
            words `of`, after a function, and `applied`, after one like `sin`.
        powers: words after a base with this exponent.
        letters: returns the names of letters side by side.
        signs: words for signs before a term, where they are others than between terms.
        sums: words for signs between terms where there are nothing but numbers, if they are
            others; None if other rules read numbers alone.
        gap: what is written between words.
        digit: returns the words for a figure in a chemical formula; `number` if None.
        element: returns the words for the symbol of an element.
        ordinal: returns the ordinal of a degree, None if it has none.
        ordinal_power: returns the words for an exponent, None if the template says it.
        fraction: returns the words for a fraction of two numbers.
        factor: returns a factor after a number as it is said.
        figures: pattern of a number.
        whole: words that are not letters side by side.
        units: names of units by symbol, which is no variable after a number.
    """

    number: Callable[[str], str]
    operators: Mapping[str, str]
    names: Mapping[str, str]
    phrases: Mapping[str, str]
    powers: Mapping[str, str]
    letters: Callable[[str], list[str]] = list
    signs: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, str] | None = None
    gap: str = " "
    digit: Callable[[str], str] | None = None
    element: Callable[[str], str] = str
    ordinal: Callable[[str], str | None] = str
    ordinal_power: Callable[[str], str | None] = lambda text: None
    fraction: Callable[[int, int], str] = "{}/{}".format
    factor: Callable[[str], str] = str
    figures: str = r"[0-9]+(?:[.,][0-9]+)*"
    whole: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)

    def joined(self, said: Iterable[str]) -> str:
        """Return words together; letters that are named must not become a word."""
        written = ""
        for word in filter(None, said):
            apart = self.gap or (
                " " if re.search("[A-Za-z]\\Z", written) and word[0].isascii() else ""
            )
            written += apart + word if written else word
        return written.replace(" ,", ",")


def greek_names(names: str) -> dict[str, str]:
    """Return the names of the Greek letters, capital and small, from those of alpha to omega."""
    found = names.split(", ") if "," in names else names.split()
    return dict(zip(_CAPITALS, found, strict=True)) | dict(zip(_SMALL, found, strict=True))


class Formulas:
    """Says formulas in the words of a language."""

    def __init__(self, words: FormulaWords) -> None:
        self.words = words
        self._token = re.compile(
            rf"\s*(?P<token>\\[A-Za-z]+|\\.|{words.figures}|[A-Za-z]+|[{_UP}]+|[{_DOWN}]+"
            r"|\*\*|<=|>=|!=|==|->|=>|\S)"
        )

    def say(self, text: str) -> str:
        """Return the words of a formula without its delimiters; no part of it is refused."""
        return _Parser(self, text, 0).all_words()

    def tokens(self, text: str) -> list[str]:
        """Return the numbers, rows of letters, commands and signs of a formula."""
        found = (match["token"] for match in self._token.finditer(text))
        return ["^" if token == "**" else _TYPED.get(token, token) for token in found]


class _Parser:
    """Reads a formula as words, by descending into its parts."""

    def __init__(self, formulas: Formulas, text: str, depth: int) -> None:
        self._formulas = formulas
        self._words = formulas.words
        self._tokens = formulas.tokens(text)
        self._operators = self._words.operators
        if self._words.sums is not None and not depth and not _ALGEBRA.search(text):
            self._operators = self._words.sums
        self._at = 0
        self._depth = depth

    def all_words(self) -> str:
        said: list[str] = []
        while self._at < len(self._tokens):
            said += self._sequence("")
            self._at += 1  # an unmatched closing sign has no words
        return self._words.joined(said)

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sequence(self, closing: str) -> list[str]:
        said: list[str] = []
        follows_term = False
        while self._peek() and self._peek() not in ("}", ")", "]", "\\}", "\\right", closing):
            if self._peek() in ("|", "\\|") and not follows_term:
                bar = self._take()
                inner = self._sequence(bar)
                if self._peek() == bar:
                    self._take()
                said.append(self._phrase("absolute", x=self._words.joined(inner)))
                follows_term = True
                continue
            sign = self._sign(self._peek())
            said += self._part(is_first=not follows_term)
            follows_term = sign not in self._operators
        return said

    @staticmethod
    def _sign(token: str) -> str:
        return _COMMANDS.get(token[1:], token) if token.startswith("\\") else token

    def _phrase(self, key: str, /, **parts: str) -> str:
        return self._words.phrases[key].format(**parts)

    def _inner(self, text: str) -> str:
        if self._depth > _DEPTH:
            return " ".join(re.findall(r"\w+", text))
        return _Parser(self._formulas, text, self._depth + 1).all_words()

    def _raw(self) -> str:
        """Take an argument: a group without its braces, or one token."""
        if self._peek() not in ("{", "("):
            token = self._take() if self._peek() else ""
            if token in ("-", "+") and self._peek():
                return token + " " + self._take()
            return token
        opening = self._take()
        depth, parts = 1, []
        while self._peek():
            token = self._take()
            depth += (token == opening) - (token == _CLOSING[opening])
            if not depth:
                break
            parts.append(token)
        return " ".join(parts)

    def _part(self, *, is_first: bool = True) -> list[str]:
        words, token = self._words, self._take()
        if token.startswith("\\"):
            name = token[1:]
            if name not in _COMMANDS:
                return self._command(name)
            token = _COMMANDS[name]
        if token in _CLOSING:
            inner = self._sequence(_CLOSING[token])
            if self._peek() == _CLOSING[token]:
                self._take()
            if token == "(" and inner:
                inner = [f"({words.joined(inner)})"]  # brackets pause
            return [*inner, *self._scripts()]
        if token[0].isdecimal() or (token[0] == "." and len(token) > 1):
            return self._number(token)
        if token[0] in _UP + _DOWN or token in ("^", "_"):
            self._at -= 1
            return self._scripts() or [self._take()]
        if token in "√∛" and self._peek():
            name = "root" if token == "√" else "cube root"
            return [self._phrase(name, x=words.joined(self._part()))]
        if token in _BIG:
            return self._big(words.names.get(token, ""))
        if token == ":" and self._peek()[:1].isdecimal() and "ratio" in words.phrases:
            return [words.phrases["ratio"]]
        if token in self._operators:
            said = words.signs.get(token) if is_first else None
            return [said or self._operators[token]]
        if token in words.names and not token.isascii():
            return [words.names[token], *self._scripts()]
        if token == ",":
            return [","]
        if token.isalpha():
            return self._letters(token)
        return [words.names[token]] if token in words.names else []

    def _number(self, token: str) -> list[str]:
        words, factor = self._words, self._peek()
        below = (
            self._tokens[self._at + 1] if factor == "/" and self._at + 1 < len(self._tokens) else ""
        )
        if not words.gap and token.isdecimal() and below.isdecimal() and int(below) > 1:
            self._at += 2
            return [words.fraction(int(token), int(below))]
        if factor in words.units and (len(factor) > 1 or factor in "mgs"):
            return [token + self._take()]  # a measure, which other rules read
        said = [words.number(token), *self._scripts()]
        if len(said) > 1:
            return said
        if factor == "(":
            said.append(self._operators["×"])
        elif factor.isascii() and factor.isalpha() and len(factor) < 3:
            self._tokens[self._at] = words.factor(factor)
        return said

    def _letters(self, token: str) -> list[str]:
        words = self._words
        if token in words.names:
            said = [words.names[token], *self._scripts()]
            is_applied = self._peek() and self._sign(self._peek()) not in self._operators
            return [*said, words.phrases["applied"]] if is_applied else said
        if token in words.whole or (len(token) > 2 and re.search("[aeiouAEIOU]", token)):
            return [token, *self._scripts()]
        said = words.letters(token)
        before = self._at
        said += self._scripts()
        if len(token) == 1 and self._peek() == "(" and self._at == before:
            is_function = token in "fghpuvyFGHOPQTEV"
            inner = self._part()
            if is_function and len(inner[0].split()) < 2:
                inner[0] = inner[0].strip("()")
            return [*said, words.phrases["of"] if is_function else self._operators["×"], *inner]
        return said

    def _scripts(self) -> list[str]:
        said: list[str] = []
        while token := self._peek():
            if token == "^":
                self._take()
                raw = self._raw()
                again = self._phrase("again", n=self._inner(raw)) if said else ""
                said.append(again or self._power(raw))
            elif token == "_":
                self._take()
                said.append(self._inner(self._raw()))
            elif token[0] in _UP:
                said.append(self._power(self._take().translate(_PLAIN)))
            elif token[0] in _DOWN:
                said.append(self._inner(self._take().translate(_PLAIN)))
            elif token in ("'", "′", "!"):
                said.append(self._words.names["!" if self._take() == "!" else "′"])
            else:
                break
        return said

    def _power(self, text: str) -> str:
        words, text = self._words, text.replace(" ", "")
        if text in words.powers:
            return words.powers[text]
        if self._sign(text) in ("∘", "°"):
            return words.names["°"]
        if self._sign(text) in ("'", "′"):
            return words.names["′"]
        said = words.ordinal_power(text) if text.isdecimal() else None
        return said or self._phrase("power", n=self._inner(text))

    def _big(self, name: str) -> list[str]:
        low = high = ""
        while self._peek() in ("_", "^", "\\limits"):
            sign = self._take()
            if sign == "_":
                low = self._inner(self._raw())
            elif sign == "^":
                high = self._inner(self._raw())
        if low and high:
            return [self._phrase("from", name=name, low=low, high=high)]
        return [self._phrase("set" if low else "all", name=name, low=low)]

    def _command(self, name: str) -> list[str]:
        words = self._words
        if name in ("frac", "dfrac", "tfrac"):
            top, bottom = self._raw(), self._raw()
            is_simple = top.isdecimal() and bottom.isdecimal()
            if is_simple and 1 < int(bottom) <= 100 and 0 < int(top) < 20:
                return [words.fraction(int(top), int(bottom)), *self._scripts()]
            over = self._phrase("over", top=self._inner(top), bottom=self._inner(bottom))
            return [over, *self._scripts()]
        if name in ("binom", "dbinom"):
            return [self._phrase("choose", n=self._inner(self._raw()), k=self._inner(self._raw()))]
        if name == "sqrt":
            degree = self._degree()
            root = self._inner(self._raw())
            if degree in ("", "2", "3"):
                return [self._phrase("cube root" if degree == "3" else "root", x=root)]
            nth = words.ordinal(degree) if degree.isdecimal() else f"{degree}th"
            return [self._phrase("nth root", n=nth or words.number(degree), x=root)]
        if name == "lim":
            if self._peek() != "_":
                return [self._phrase("all", name=words.names["lim"])]
            self._take()
            limit = self._raw().replace("\\to", "→").replace("\\rightarrow", "→")
            sides = [self._inner(side) for side in limit.split("→")]
            return [self._phrase("limit", x=f" {words.phrases['tends']} ".join(sides))]
        if name in _FONTS:
            return [self._raw(), *self._scripts()]
        if name in _ABOVE:
            inner = self._inner(self._raw())
            if name == "underline":
                return [inner, *self._scripts()]
            return [self._phrase({"overline": "bar"}.get(name, name), x=inner), *self._scripts()]
        if name in words.names:
            return self._letters(name)
        sign = _COMMANDS.get(name.removeprefix("var"))
        if sign is not None:
            return [words.names.get(sign, name), *self._scripts()]
        return [] if name in _SILENT or not name.isalpha() else [name]

    def _degree(self) -> str:
        degree = ""
        if self._peek() == "[":
            self._take()
            while self._peek() not in ("]", ""):
                degree += self._take()
            if self._peek():
                self._take()
        return degree


# Letters of the script of formulas, and of words beside them.
_LETTER = "A-Za-zΑ-Ωα-ω"
_WORD = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u1f00-\u1fff"
_SIGNS = "-−–+×÷·*/=≠≈≡<>≤≥±∓∈∉∪∩⊂→⊥∥"
_CARET = (
    r"(?:\^(?:\{[-−]?[0-9A-Za-z]{1,4}\}|\([-−]?[0-9A-Za-z]{1,4}\)"
    r"|[-−]?[0-9]{1,4}|[A-Za-z](?![A-Za-z])))"
)
_POWER = rf"(?:[{_UP}]{{1,4}}|{_CARET})"
_POWERS = rf"{_POWER}(?:{_CARET}){{0,1000}}"
_FUNCTION = rf"(?:(?:ln|[a-z]{{3}}(?<=sin|sen|cos|tan|cot|log|lim|exp))[{_UP}{_DOWN}]{{0,3}}[ ]?)"
_ATOM = (
    rf"(?:(?:{_FUNCTION})?[√∛∠△]?(?:[0-9]{{1,12}}(?:[.,][0-9]{{1,12}})?(?![0-9])"
    rf"|[A-Za-z]\([{_LETTER}0-9]\)|[{_LETTER}∞]|\([{_LETTER}0-9 +−·-]{{2,12}}\))"
    rf"(?:{_POWER}|[{_DOWN}]{{1,3}}|_[0-9A-Za-z](?![0-9A-Za-z])"
    rf"|!(?![\w])(?!=(?![ ]?[0-9]))|%|°(?![CF]))?)"
)
_TERM = rf"[(|]?[-−±+]?[(]?(?:{_ATOM}[)|]?(?:{_POWER})?){{1,4}}"
_APART = (
    rf"(?<![{_WORD}0-9/%$€£¥_\\])(?:(?<![0-9][.,:])|(?![0-9]))(?<![{_SIGNS}^√)])(?<![{_SIGNS}][ ])"
)
_EXPRESSION = re.compile(
    rf"{_APART}(?={_TERM}[ ]?[{_SIGNS}xX])"
    rf"{_TERM}(?:(?:[ ]?(?:[{_SIGNS}]|[<>]=|!=)[ ]?|[ ][xX][ ]){_TERM}){{1,6}}"
    rf"(?![{_WORD}0-9_(²³]|[.,/:-][0-9A-Za-z]|['’]\w|[ ]?=)"
)
_ALONE = re.compile(
    rf"(?<![{_WORD}0-9/%_^\\])(?<![0-9][.,: ])(?:[√∛∠△][ ]?(?:[0-9]{{1,12}}(?:[.,][0-9]{{1,12}})?"
    rf"|[{_LETTER}])(?:{_POWERS})?|(?:[0-9]{{0,6}}(?:[.,][0-9]{{1,6}})?[{_LETTER}]{{0,2}}){_POWERS}"
    rf"|[0-9]{{0,6}}[πΔ][A-Za-z]|\([{_LETTER}0-9 +−-]{{2,12}}\){_POWERS}"
    rf"|\|[{_LETTER}][{_DOWN}]?(?:[ ]?[-+−][ ]?[{_LETTER}0-9]{{1,3}})?\|)"
    rf"(?![{_WORD}0-9])"
)
_RELATION = re.compile("[=≠≈≡≤≥<>∈∉⊂⊥∥]")
_EQUALITY = re.compile("[=≠≈≡∈∉⊂⊥∥]")
_ALGEBRA = re.compile(f"[{_LETTER}√∛{_UP}^()]")
_RAISED = re.compile(f"[{_UP}^√∛]")
_FACTORIAL = re.compile("!=(?<=[0-9]!=)(?=[0-9])")
_TIMES = re.compile("(?<=[0-9])([ ]?)[xX](?=[ ]?[0-9])")
_VARIABLES = re.compile("[A-Za-z]+")
_SUM = re.compile(r"[a-z] \+ [a-z]")
_FIGURE_BEFORE = re.compile(r"[0-9][ \u00a0\u202f]?\Z")
_LAST_FIGURE = re.compile(r"(?<![0-9.,_^])[0-9]+(?:[.,][0-9]+)*\Z")
_MEASURED = re.compile(r"[ \u00a0\u202f]?(?:[%°€$£¥₹]|(?P<unit>[^\W\d_][\w²³/µ·]{0,8}))")
_EQUALS = re.compile(r"(?<=[\w%°)²³€\"”])(?P<gap>[ ]?)(?P<sign>[=≈≠])(?P=gap)(?=[\w(¿√\"“$€£¥-])")


class _Plain:
    """Finds formulas that nothing marks, and writes them as words."""

    def __init__(self, formulas: Formulas) -> None:
        self._formulas = formulas
        self._words = formulas.words

    def rules(self) -> Iterator[Rule]:
        units, gap = self._words.units, self._words.gap
        if units:
            symbols = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
            per = self._words.phrases.get("per", "")
            slash = "(?P<per>/)?" if per else "(?P<per>(?!))?"
            pattern = re.compile(rf"(?<=[⁰¹⁴-⁹])[ ]?{slash}(?P<unit>{symbols})(?![\w²³/])")
            yield Rule(
                pattern, lambda match: gap + (per if match["per"] else "") + units[match["unit"]]
            )
        yield Rule(_GEOMETRY, self._name)
        yield Rule(_COMPOUND, self._compound)
        yield Rule(_EXPRESSION, self._expression)
        yield Rule(_ALONE, self._alone)
        yield Rule(_GREEK_ALONE, self._name)
        yield Rule(_SIGN_ALONE, self._name)
        yield Rule(_EQUALS, self._equals)

    def _name(self, match: re.Match[str]) -> str | None:
        words = self._words
        known = {**words.operators, **words.names}
        written = [match[0]] if match[0] in _TYPED else match[0]
        signs = [_TYPED.get(sign, sign) for sign in written]
        if not all(sign in known for sign in signs):
            return None
        apart = " " if words.gap and not match[0].isalpha() else ""
        return f"{apart}{words.joined(known[sign] for sign in signs)}{apart}"

    def _expression(self, match: re.Match[str]) -> str | None:
        text = match[0]
        if text.count("(") != text.count(")") or text.count("|") % 2 or not self._is_formula(text):
            return None
        if self._words.sums is None and not _ALGEBRA.search(text):
            return None
        before = match.string[max(0, match.start() - 2) : match.start()]
        first = _VARIABLES.match(text)
        if first and _FIGURE_BEFORE.search(before) and first[0] in self._words.units:
            return None
        text = _FACTORIAL.sub("! =", text)
        if set(re.findall(f"[{_LETTER}]", text)) <= set("xX"):
            text = _TIMES.sub(r"\1×", text)
        # A measure at the end has rules of its own.
        last = _LAST_FIGURE.search(text)
        if last and self._is_measured(match.string, match.end()):
            said = self._formulas.say(text[: last.start()])
            return self._words.joined((said, last[0]))
        return self._formulas.say(text)

    def _is_measured(self, text: str, end: int) -> bool:
        following = _MEASURED.match(text, end)
        return following is not None and (
            following["unit"] is None or following["unit"] in self._words.units
        )

    def _is_formula(self, text: str) -> bool:
        """Tell whether signs are those of a formula: `10-3=7`, `x²+1`, not `3-1` or `A/B`."""
        for letters in _VARIABLES.findall(text):
            is_word = len(letters) > 2 and re.search("[aeiouyAEIOUY]", letters)
            if len(letters) > 3 or (is_word and letters not in self._words.names):
                return False
        if _EQUALITY.search(text):
            return True
        if _RAISED.search(text):
            return re.search(r"[A-Za-z0-9)]", text) is not None and not self._is_unit(text)
        has_letters = re.search(f"[{_LETTER}]", text) is not None
        if _RELATION.search(text):
            return has_letters
        if _SUM.fullmatch(text) or (has_letters and re.search("[α-ωΔΩ|°]", text)):
            return True
        n_signs = len(re.findall("[×÷+−·-]", text))
        return re.search("[×÷]", text) is not None and n_signs > 1

    def _is_unit(self, text: str) -> bool:
        bare = text.lstrip("0123456789.,").replace("^2", "²").replace("^3", "³")
        return bare in self._words.units

    def _alone(self, match: re.Match[str]) -> str | None:
        text = match[0]
        if text[0] in _UP + "^" or (text[0] == "^" and len(text) < 3) or self._is_unit(text):
            return None
        before = match.string[max(0, match.start() - 2) : match.start()]
        bare = text.rstrip(_UP)
        is_unit = bare.isalpha() and (len(bare) > 1 or _FIGURE_BEFORE.search(before))
        if is_unit and bare in self._words.units:
            return None
        if self._words.sums is None and bare.isdecimal() and text[-1] in "²³":
            return None  # numbers alone have rules of their own
        return self._formulas.say(text)

    def _equals(self, match: re.Match[str]) -> str | None:
        sides = match.string[match.start() - 1] + match.string[match.end()]
        if self._words.sums is None and sides.isdecimal():
            return None
        apart = " " if self._words.gap else ""
        return f"{apart}{self._words.operators[match['sign']]}{apart}"

    def _compound(self, match: re.Match[str]) -> str | None:
        text = match["formula"]
        plain = text.translate(_PLAIN)
        parts = _PARTS.findall(text)
        if not all(symbol in ELEMENTS for symbol, _ in parts):
            return None
        has_charge = bool(match["charge"])
        if text == plain and not has_charge and not _is_compound(plain, parts):
            return None
        words = self._words
        digit = words.digit or words.number
        said = [words.number(match["count"])] if match["count"] else []
        for symbol, number in parts:
            said.append(words.element(symbol))
            if number:
                said.append(digit(number.translate(_PLAIN)))
        if has_charge:
            charge = match["charge"].translate(_PLAIN)
            said += [words.number(charge[:-1])] if charge[:-1] else []
            said.append(words.operators[charge[-1]])
        return words.joined(said)


ELEMENTS = frozenset(
    re.findall(
        "[A-Z][a-z]?",
        "HHeLiBeBCNOFNeNaMgAlSiPSClArKCaScTiVCrMnFeCoNiCuZnGaAsSeBrKrAgCdSnSbIXeCsBaWPtAuHgPbBiRaThU",
    )
)
"""The symbols of elements that formulas of daily life have."""
_PART = rf"[A-Z][a-z]?(?:[0-9]{{1,2}}|[{_DOWN}]{{1,2}})?"
_COMPOUND = re.compile(
    rf"(?<![A-Za-z0-9_.-])(?P<count>[0-9]?)(?P<formula>(?:{_PART}){{1,7}})(?P<charge>[²³⁴]?[⁺⁻])?"
    r"(?![A-Za-z0-9_²³]|[.-][0-9A-Za-z])"
)
_PARTS = re.compile(rf"([A-Z][a-z]?)([0-9]{{1,2}}|[{_DOWN}]{{1,2}})?")
_GASES = frozenset({"H2", "N2", "O2", "O3", "F2", "Cl2"})
_PAIRS = re.compile(r"(?:[HNKF]|Na|Cl|Li)2(?:[OS]2?)|[A-Z][a-z]?[0-9]?\Z(?<=C60)")
_GREEK_ALONE = re.compile(rf"(?<![{_WORD}0-9])[Α-Ωα-ωµ]{{1,2}}(?![{_WORD}])")
# Before and between the names of points: △ABC, AB//CD.
_GEOMETRY = re.compile("△(?=[A-Z]{3}(?![A-Za-z]))|//(?<=[A-Z]{2}//)(?=[A-Z]{2}(?![A-Za-z]))")
_SIGN_ALONE = re.compile("[∂∇∠⊥∥∪∩⊂⊆∉∝≡∏∮⋃⋂∓¬∧∨]")


def _is_compound(text: str, parts: list[tuple[str, str]]) -> bool:
    """Tell whether a formula without subscripts is one: `H2SO4`, not `B2B`."""
    if text in _GASES or _PAIRS.fullmatch(text):
        return True
    if len(parts) < 2 or len({symbol for symbol, _ in parts}) < 2:
        return False
    # Oxides and acids end with a figure: CO2, SO3, HNO3, CaCO3, CH4, NH3.
    last, number = parts[-1]
    return number != "" and (len(number) == 1 or last == "H") and last in ("O", "H", "Cl", "S")


# Chinese and Japanese words may touch a formula.
_TOUCHING = "0-9A-Za-z\u00aa-\u2e7f"
_DOLLARS = re.compile(
    rf"\$(?<![{_TOUCHING}$\\]\$)(?:(?P<inside>[^\s$](?:[^$\n]{{0,120}}[^\s$\\])?)\$(?![{_TOUCHING}$])"
    rf"|[ ](?<![0-9][ ]\$[ ])(?P<spaced>[^\s$][^$\n]{{0,120}})[ ]\$(?![{_TOUCHING}$]|[ ]?[0-9]))"
)
_ROUND = re.compile(r"\\\((?P<inside>[^\n]{1,120}?)\\\)|\\\[(?P<square>[^\n]{1,200}?)\\\]")
# Nothing but numbers, variables, commands and signs, and it ends with an operand.
_FORMULA = re.compile(
    r"(?=[\w(\[{|√∞π±+−.\\-])"
    r"(?:[^\W\d_π]{1,3}(?![^\W\d_])|[0-9]|\\[A-Za-z]+(?![A-Za-z])|\\[,;{}%|]"
    r"|[ .,;:'!%|()\[\]{}<>=≤≥≠≈+−±×÷·/*^_√∞π–-])+"
    r"(?<=[\w)\]}!%'|∞π])"
)
# An amount, with a second sign behind its last word.
_AMOUNT = re.compile(r"[0-9][0-9.,–-]{0,16}[ ]?[^\W\d_]{2,12}")


def _inside(match: re.Match[str], say: Callable[[str], str]) -> str | None:
    inside = match["inside"] or match["spaced"]
    if _AMOUNT.fullmatch(inside):
        return f"${inside}"
    is_bare = re.search(r"[^\W\d_]{2}", inside) and not re.search(r"[=^_\\<>≤≥]", inside)
    return say(inside) if _FORMULA.fullmatch(inside) and not is_bare else None


UNMARKED: tuple[Rule, ...] = (Rule(_DOLLARS, lambda match: _inside(match, str)),)
"""The rule that takes the dollars of `$x = 2$` and `$5$` away, and one of `$5 million$`, which is
money; not of `$5 and $6`, `5$, 6$` and `$HOME`."""


def marked_rules(words: FormulaWords) -> tuple[Rule, ...]:
    """Return the rules for formulas between dollars and in LaTeX's brackets."""
    formulas = Formulas(words)
    return (
        Rule(_DOLLARS, lambda match: _inside(match, formulas.say)),
        Rule(_ROUND, lambda match: formulas.say(match["inside"] or match["square"])),
    )


def rules(words: FormulaWords) -> tuple[Rule, ...]:
    """Return the rules for formulas that nothing marks, and those of chemistry."""
    return tuple(_Plain(Formulas(words)).rules())
