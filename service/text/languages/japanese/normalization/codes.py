"""Codes, cards and flights, which are read digit by digit."""

from __future__ import annotations

import re

from service.text.languages.japanese.normalization.spoken_digits import say_digits
from service.text.normalization.rules import Rule

_WORDS = (
    "暗証番号|予約番号|会員番号|注文番号|部屋番号|カード番号|社員番号|学籍番号|受付番号|口座番号|整理番号"
    "|追跡番号|管理番号|お客様番号|シリアル番号|認証番号|確認番号|認証コード|確認コード|招待コード"
    "|パスコード|パスワード|ワンタイムパスワード|内線|内線番号|下4桁|下四桁|PIN"
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
            r"(?P<code>\d{3,20}(?:[ -]\d{2,6}){0,4})(?!\d|[.,]\d|[円人個件名歳回番])"
        ),
        lambda match: match["link"] + _code(match),
    ),
    Rule(re.compile(r"(?<=[A-Z]{2}) ?\d{1,4}(?=便)"), lambda match: say_digits(match[0].strip())),
)
"""The rules, in the order in which they are applied."""
