"""Weekdays in brackets, which Open JTalk reads as moon, fire and water."""

from __future__ import annotations

import re

from service.text.normalization.rules import Rule

_DAY = "[月火水木金土日]"
# Not in a formula, and not after a noun that it explains.
_BEGINS = r"(?:(?<=^)|(?<=[\s、。,はがとらに週回日翌・:」]))"
_CONTINUES = (
    r"(?=[はもにのがを]|から|まで|と|以外|以降|定休|休|開|締|[朝昼夜夕午]|[、。,]"
    r"|\s?\d{1,2}[時:]|\Z)"
)


_DAYS = rf"{_DAY}(?:・{_DAY})*(?:・(?:{_DAY}|祝日?))"


def _list(match: re.Match[str]) -> str:
    days = re.findall(f"{_DAY}|祝", match[0].replace("祝日", "祝"))
    return "、".join("祝日" if day == "祝" else f"{day}曜日" for day in days)


RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(rf"(?<=日) ?[(（]({_DAY})(?P<holiday>・祝)?[)）]"),
        lambda match: f"{match[1]}曜日" + ("祝日" if match["holiday"] else ""),
    ),
    Rule(re.compile(r"(?<=日) ?[(（]祝[)）]"), lambda match: "祝日"),
    Rule(
        re.compile(rf"[(（]({_DAY})[〜～~–-]({_DAY})[)）]"),
        lambda match: f"{match[1]}曜日から{match[2]}曜日",
    ),
    Rule(re.compile(rf"[(（]{_DAYS}[)）]"), _list),
    Rule(
        re.compile(rf"(?<![\w・]){_DAYS}(?=休|定休|は|の|以外|を除|も|に|が|営業|[)）、。 ]|\Z)"),
        _list,
    ),
    Rule(
        re.compile(rf"{_BEGINS}[(（](?P<day>{_DAY}|祝)[)）]{_CONTINUES}"),
        lambda match: "祝日" if match["day"] == "祝" else f"{match['day']}曜日",
    ),
)
"""The rules, in the order in which they are applied."""
