"""Dollar signs around formulas, as in Markdown and LaTeX: they are no money."""

from __future__ import annotations

import re

from service.text.normalization.rules import Rule

# Chinese and Japanese words may touch a formula.
_WORD = "0-9A-Za-z\u00aa-\u2e7f"
_DOLLARS = re.compile(
    rf"\$(?<![{_WORD}$\\]\$)(?:(?P<inside>[^\s$](?:[^$\n]{{0,120}}[^\s$\\])?)\$(?![{_WORD}$])"
    rf"|[ ](?<![0-9][ ]\$[ ])(?P<spaced>[^\s$][^$\n]{{0,120}})[ ]\$(?![{_WORD}$]|[ ]?[0-9]))"
)
# Nothing but numbers, variables, commands and signs, and it ends with an operand.
_FORMULA = re.compile(
    r"(?=[\w(\[{|√∞π±+−.\\-])"
    r"(?:[^\W\d_π](?![^\W\d_])|[0-9]|\\[A-Za-z]+(?![A-Za-z])|\\[,;{}%|]"
    r"|[ .,;:'!%|()\[\]{}<>=≤≥≠≈+−±×÷·/*^_√∞π–-])+"
    r"(?<=[\w)\]}!%'|∞π])"
)
# An amount, with a second sign behind its last word.
_AMOUNT = re.compile(r"[0-9][0-9.,–-]{0,16}[ ]?[^\W\d_]{2,12}")


def _inside(match: re.Match[str]) -> str | None:
    inside = match["inside"] or match["spaced"]
    if _AMOUNT.fullmatch(inside):
        return f"${inside}"
    return inside if _FORMULA.fullmatch(inside) else None


RULES: tuple[Rule, ...] = (Rule(_DOLLARS, _inside),)
"""The rule for `$x = 2$` and `$5$`, and for `$5 million$`, which is money; not for `$5 and $6`,
`5$, 6$` and `$HOME`."""
