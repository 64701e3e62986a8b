"""Telephone numbers and other numbers that are read digit by digit."""

from __future__ import annotations

import re
from decimal import Decimal

from service.text.languages.mandarin.normalization.numbers import (
    TELEPHONE_DIGITS,
    say_digits,
    say_integer,
    say_number,
)
from service.text.normalization.rules import Rule


def _telephone(match: re.Match[str]) -> str | None:
    groups = re.findall(r"\d+", match[0])
    if sum(map(len, groups)) not in range(7, 15):
        return None
    said = ", ".join(say_digits(group, TELEPHONE_DIGITS) for group in groups)
    return ("加" if match[0].startswith("+") else "") + said


def _room(match: re.Match[str]) -> str:
    return say_digits(match[0].lstrip("- "), TELEPHONE_DIGITS)


def _thousands(number: str) -> str:
    return say_number(f"{Decimal(number).scaleb(3):f}")


def _identifier(match: re.Match[str]) -> str:
    return say_digits(match[0], TELEPHONE_DIGITS)


_CODE_WORDS = (
    "端口|QQ群|QQ号|QQ|群号|代码|订单号|运单号|手机号|准考证号|身份证号|区号|编号|流水号|"
    "卡号|账号|帐号|账户|帐户|银行卡|信用卡|储蓄卡|借记卡|会员卡|尾号|后四位|验证码|密码|邮编"
    "|邮政编码|取件码|取货码|提货码|邀请码|激活码|兑换码|动态码|校验码|口令|工号|学号|单号|车牌|编码"
)
_AFTER_CODE_WORD = "|".join(f"(?<={word})" for word in _CODE_WORDS.split("|"))


def _identifier_in_groups(text: str) -> str:
    return say_digits(re.sub(r"(?<=\d)[ -](?=\d)", ", ", text), TELEPHONE_DIGITS)


RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            r"(?<![\d/A-Za-z-])(?<!\d[.,: ])(?:\+\d{1,3}[- ]?1\d{2}[- ]?\d{4}[- ]?\d{4}"
            r"|1[3-9]\d(?:[- ]\d{4}[- ]|\d{4})\d{4}|\(?0\d{2,3}\)?[- ](?:\d{7,8}|\d{3,4}[- ]\d{4})"
            r"|[48]00-\d{3,4}-\d{3,4})(?![\d-])"
        ),
        _telephone,
    ),
    Rule(
        re.compile(r"(?<=拨打|致电|热线|客服|电话|短号)[:：是为 ]?\d{3,6}(?!\d|[.,]\d)"),
        _identifier,
    ),
    # Trains, flights, rooms and cards.
    Rule(re.compile(r"(?<![A-Za-z])[GDCZTKYL]\d{1,4}(?=次|列车|高铁|动车)"), _identifier),
    Rule(
        re.compile(
            r"(?<![A-Za-z])[A-Z][A-Z0-9]\d{3,4}(?=航班|次航班)|(?<=航班)[A-Z][A-Z0-9]\d{3,4}"
        ),
        _identifier,
    ),
    # Floors and the rooms behind them, digits in the name of a host, thousands of a salary.
    Rule(re.compile(r"(?<=\d[F层楼栋座幢])[- ]?\d{3,4}(?!\d|[.,]\d|[^\W\d_]?[元米人])"), _room),
    Rule(
        re.compile(r"(?<=[号座栋厦场心城])(B?)(\d{1,2})F(?![A-Za-z0-9])"),
        lambda match: ("地下" if match[1] else "") + say_integer(match[2]) + "层",
    ),
    Rule(re.compile(r"\d+(?=[a-z]* 点 [a-z]{2,4})"), lambda match: say_digits(match[0])),
    Rule(
        re.compile(
            r"(?<![\dA-Za-z.])(\d{1,3}(?:\.\d)?)[kK]([-~到至])(\d{1,3}(?:\.\d)?)[kK](?![A-Za-z0-9])"
        ),
        lambda match: f"{_thousands(match[1])}到{_thousands(match[3])}",
    ),
    Rule(
        re.compile(r"(?<=房间|房号)[:：是为 ]?\d{3,4}(?!\d|[.,]\d)|(?<!\d)\d{3,4}(?=房间|室|号房)"),
        _identifier,
    ),
    Rule(
        re.compile(
            rf"(?:{_AFTER_CODE_WORD})(?P<code>[:：是为 ]{{0,2}}(?:\d{{4}}(?:[ -]\d{{2,4}}){{2,4}}"
            r"|\d{4,24}))(?!\d|[.,]\d|[位元块个张万千亿笔%％])"
        ),
        lambda match: _identifier_in_groups(match["code"]),
    ),
    Rule(
        re.compile(r"(?:(?<=[号码])|(?<=[号码][:：是为])|(?<=[号码][:：] ))\d{5,}(?!\d|[.,]\d)"),
        _identifier,
    ),
    # How many digits a code has, and then the code.
    Rule(re.compile(r"(?:(?<=位数字)|(?<=位数))[:：是为] ?\d{4,20}(?!\d|[.,]\d)"), _identifier),
    # A parcel or a serial number.
    Rule(
        re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,4}-?(?P<code>\d{7,20})(?![A-Za-z0-9])"),
        lambda match: match[0][: -len(match["code"])] + say_digits(match["code"], TELEPHONE_DIGITS),
    ),
)
