"""Codes, cards and flights, which are read digit by digit."""

from __future__ import annotations

import re

from service.text.languages.japanese.normalization.spoken_digits import say_digits
from service.text.normalization.rules import Rule

_WORDS = (
    "番号|認証コード|確認コード|招待コード|品番コード|商品コード|店舗コード|銀行コード|支店コード|クーポンコード"
    "|パスコード|パスワード|内線|下4桁|下四桁|PIN"
)
_AFTER_WORD = "|".join(f"(?<={word})" for word in _WORDS.split("|"))


def _code(match: re.Match[str]) -> str:
    groups = re.findall(r"\d+", match["code"])
    return "、".join(map(say_digits, groups))


RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(r"(?<=郵便番号)[はが:]? ?(\d{3})-(\d{4})(?!\d)"),
        lambda match: re.sub(
            r"\d{3}-\d{4}", f"{say_digits(match[1])}の{say_digits(match[2])}", match[0]
        ),
    ),
    Rule(
        re.compile(
            rf"(?:{_AFTER_WORD})(?P<link>[はがの:]? ?)"
            r"(?P<code>\d{3,20}(?:[ -]\d{2,6}){0,4})(?!\d|[.,]\d|[円人個件名歳回番行桁本枚])"
        ),
        lambda match: match["link"] + _code(match),
    ),
    # A parcel or a serial number.
    Rule(
        re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,4}-?(?P<code>\d{7,20})(?![A-Za-z0-9])"),
        lambda match: match[0][: -len(match["code"])] + say_digits(match["code"]),
    ),
    Rule(re.compile(r"(?<=[A-Z]{2}) ?\d{1,4}(?=便)"), lambda match: say_digits(match[0].strip())),
)
"""The rules, in the order in which they are applied."""
