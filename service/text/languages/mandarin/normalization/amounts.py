"""Amounts of money, percentages and measures."""

from __future__ import annotations

import re
from decimal import Decimal

from service.text.languages.mandarin.normalization.numbers import NUMBER, say_number
from service.text.normalization.rules import Rule

_CURRENCIES = {
    "$": "美元",
    "US$": "美元",
    "USD": "美元",
    "HK$": "港元",
    "€": "欧元",
    "EUR": "欧元",
    "£": "英镑",
    "GBP": "英镑",
    "¥": "元",
    "￥": "元",
    "CNY": "元",
    "RMB": "元",
    "₩": "韩元",
    "₹": "卢比",
    "₽": "卢布",
}
_MAGNITUDES = {"K": 3, "k": 3, "M": 6, "B": 9}

_UNITS = {
    "km/h": "公里每小时",
    "m/s": "米每秒",
    "km²": "平方公里",
    "km2": "平方公里",
    "m²": "平方米",
    "m2": "平方米",
    "m³": "立方米",
    "m3": "立方米",
    "cm²": "平方厘米",
    "cm³": "立方厘米",
    "km": "公里",
    "cm": "厘米",
    "mm": "毫米",
    "m": "米",
    "kg": "公斤",
    "mg": "毫克",
    "g": "克",
    "t": "吨",
    "L": "升",
    "mL": "毫升",
    "ml": "毫升",
    "W": "瓦",
    "kW": "千瓦",
    "MW": "兆瓦",
    "kWh": "千瓦时",
    "V": "伏",
    "Hz": "赫兹",
    "kHz": "千赫",
    "MHz": "兆赫",
    "GHz": "吉赫",
    "min": "分钟",
    "h": "小时",
    "s": "秒",
    "ms": "毫秒",
    "°C": "摄氏度",
    "℃": "摄氏度",
    "°F": "华氏度",
    "℉": "华氏度",
    "°": "度",
}
_UNITS_PATTERN = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))


def _money(match: re.Match[str]) -> str:
    number, magnitude = match["number"], match["magnitude"]
    currency = _CURRENCIES[match["sign"].strip()]
    if magnitude in _MAGNITUDES:
        amount = Decimal(number.replace(",", "")).scaleb(_MAGNITUDES[magnitude])
        number, magnitude = f"{amount:f}", ""
        if "." in number:
            number = number.rstrip("0").rstrip(".")
    magnitude = magnitude or ""
    first = match["first"]
    until = f"{say_number(first, '到')}到" if first else ""
    return until + say_number(number, magnitude or currency) + magnitude + currency


def _percent(match: re.Match[str]) -> str:
    whole = "千分之" if match["sign"] == "‰" else "百分之"
    first = match["first"]
    until = f"{say_number(first)}到" if first else ""
    return f"{whole}{until}{say_number(match['number'])}"


def _unit(match: re.Match[str]) -> str:
    unit = _UNITS[match["unit"]]
    return say_number(match["number"], unit) + unit


MONEY: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"(?<![\d$€£¥￥₩₹₽])(?P<sign>(?:US|HK)\$|(?:USD|EUR|GBP|CNY|RMB) ?|[$€£¥￥₩₹₽]) ?"
            rf"(?:(?P<first>{NUMBER})[-~〜～–—])?(?P<number>{NUMBER})"
            r" ?(?P<magnitude>[KkMB](?![A-Za-z])|[十百千万亿]+)?(?![A-Za-z])"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"(?:(?P<first>{NUMBER})[-~〜～–—])?(?P<number>{NUMBER})(?P<magnitude>[十百千万亿]+)?"
            r" ?(?P<sign>[$€£¥￥₩₹₽](?![$€£¥￥₩₹₽\d])|(?:USD|EUR|GBP|CNY|RMB)(?![A-Za-z]))"
        ),
        _money,
    ),
)

PERCENT = Rule(
    re.compile(
        rf"(?:(?P<first>{NUMBER})[%％]?[-~〜～–—])?"
        rf"(?P<number>{NUMBER})(?P<sign>[%％‰])"
    ),
    _percent,
)

UNIT = Rule(
    re.compile(
        rf"(?<![A-Za-z$€£¥￥₩₹₽])(?P<number>{NUMBER}) ?(?P<unit>{_UNITS_PATTERN})"
        r"(?![A-Za-z0-9²³零一二三四五六七八九十])"
    ),
    _unit,
)
