"""Amounts of money, percentages and measures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from service.text.languages.mandarin.normalization.numbers import NUMBER, say_integer, say_number
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
    "₺": "里拉",
    "₫": "越南盾",
    "฿": "泰铢",
    "₱": "比索",
    "₴": "格里夫纳",
    "¢": "美分",
    "JPY": "日元",
    "HKD": "港元",
}
_CODES = "USD|EUR|GBP|CNY|RMB|JPY|HKD"
_SIGNS = "$€£¥￥₩₹₽₺₫฿₱₴¢"
_MAGNITUDES = {"K": 3, "k": 3, "M": 6, "B": 9}

UNITS = {
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
    "nm": "纳米",
    "μm": "微米",
    "µm": "微米",
    "μg": "微克",
    "µg": "微克",
    "cl": "厘升",
    "dL": "分升",
    "mg/dL": "毫克每分升",
    "g/L": "克每升",
    "mg/L": "毫克每升",
    "mmol/L": "毫摩尔每升",
    "μmol/L": "微摩尔每升",
    "g/cm³": "克每立方厘米",
    "mmHg": "毫米汞柱",
    "Pa": "帕",
    "hPa": "百帕",
    "kPa": "千帕",
    "MPa": "兆帕",
    "mAh": "毫安时",
    "mA": "毫安",
    "GW": "吉瓦",
    "kV": "千伏",
    "kJ": "千焦",
    "kcal": "千卡",
    "cal": "卡",
    "dB": "分贝",
    "Ω": "欧姆",
    "kΩ": "千欧",
    "mph": "英里每小时",
    "ft": "英尺",
    "lb": "磅",
    "lbs": "磅",
    "oz": "盎司",
    "mi": "英里",
    "ha": "公顷",
    "rpm": "转每分钟",
    "fps": "帧每秒",
    "Mbps": "兆比特每秒",
    "Gbps": "吉比特每秒",
    "m/s²": "米每二次方秒",
    "cm2": "平方厘米",
    "L/100km": "升每百公里",
    "°C": "摄氏度",
    "℃": "摄氏度",
    "°F": "华氏度",
    "℉": "华氏度",
    "°": "度",
    "N": "牛",
    "kN": "千牛",
    "N·m": "牛米",
    "Nm": "牛米",
    "J": "焦耳",
    "A": "安",
    "kVA": "千伏安",
    "K": "开",
    "mol": "摩尔",
    "bar": "巴",
    "psi": "磅每平方英寸",
    "lx": "勒克斯",
    "lm": "流明",
    "bpm": "次每分钟",
    "dm": "分米",
    "μL": "微升",
    "μs": "微秒",
    "px": "像素",
    "dpi": "点每英寸",
    "in": "英寸",
    "yd": "码",
    "gal": "加仑",
    "d": "天",
}
"""Those that are said; two of them with a slash between them too."""

# Letters that mean something else after a figure alone.
_WORDLESS = frozenset({"d", "K", "A", "N", "J", "in", "bar"})
_UNITS_PATTERN = "|".join(sorted(map(re.escape, {*UNITS} - _WORDLESS), key=len, reverse=True))
_ANY_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))


_CENTS = re.compile(r"([\d,]+)\.([1-9])0")
_NO_CENTS = re.compile(r"(?:\.0+|(?<=\.\d)0)\Z")


def _money(match: re.Match[str]) -> str:
    number, magnitude = _NO_CENTS.sub("", match["number"]), match["magnitude"]
    currency = _CURRENCIES[match["sign"].strip()]
    if magnitude in _MAGNITUDES:
        amount = Decimal(number.replace(",", "")).scaleb(_MAGNITUDES[magnitude])
        number, magnitude = f"{amount:f}", ""
        if "." in number:
            number = number.rstrip("0").rstrip(".")
    magnitude = magnitude or ""
    first = match["first"]
    until = f"{say_number(first, '到')}到" if first else ""
    cents = _CENTS.fullmatch(match["number"])
    if cents is not None and currency == "元" and not first and not magnitude:
        return f"{say_number(cents[1], '元')}元{say_integer(cents[2])}角"
    return until + say_number(number, magnitude or currency) + magnitude + currency


def _percent(match: re.Match[str]) -> str:
    whole = "千分之" if match["sign"] == "‰" else "百分之"
    first = match["first"]
    until = f"{say_number(first)}到" if first else ""
    return f"{whole}{until}{say_number(match['number'])}"


def _unit(match: re.Match[str]) -> str:
    unit = "每".join(UNITS[part] for part in _parts(match["unit"]))
    # 两米, but 二到八度.
    first = "" if match["first"] is None else say_number(match["first"], unit)
    if first == "两" and unit[-1] == "度":
        first = "二"
    magnitude = match["magnitude"] or ""
    until = f"{first}到" if first else ""
    return until + say_number(match["number"], magnitude or unit) + magnitude + unit


def _parts(unit: str) -> Sequence[str]:
    return (unit,) if unit in UNITS else unit.split("/")


MONEY: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"(?<![\d{_SIGNS}])(?P<sign>(?:US|HK)\$|(?:{_CODES}) ?|[{_SIGNS}]) ?"
            rf"(?:(?P<first>{NUMBER})[-~〜～–—])?(?P<number>{NUMBER})"
            r" ?(?P<magnitude>[KkMB](?![A-Za-z])|[十百千万亿]+)?(?![A-Za-z])"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"(?:(?P<first>{NUMBER})[-~〜～–—])?(?P<number>{NUMBER})(?P<magnitude>[十百千万亿]+)?"
            rf" ?(?P<sign>[{_SIGNS}](?![{_SIGNS}\d])|(?:{_CODES})(?![A-Za-z]))"
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
        rf"(?<![A-Za-z{_SIGNS}])(?:(?P<first>{NUMBER}) ?[-~〜～–—])?"
        rf"(?P<number>{NUMBER})(?P<magnitude>[十百千万亿]{{1,2}})? ?"
        rf"(?P<unit>(?:{_ANY_UNIT})/(?:{_ANY_UNIT})|{_UNITS_PATTERN})"
        r"(?![A-Za-z0-9²³零一二三四五六七八九十])"
    ),
    _unit,
)

PACE = Rule(
    re.compile(r"(?<![\d.])(?P<minutes>\d{1,2})['’′](?P<seconds>[0-5]\d)(?:[\"”″]|'')(?=/km)"),
    lambda match: f"{say_number(match['minutes'], '分')}分{say_integer(match['seconds'])}秒",
)
"""Minutes and seconds for each kilometre, before a slash."""

PER = Rule(
    re.compile(
        r"(?<=[秒次元人件块万亿吨升米克度个台])/(?P<unit>(?:分钟?|秒|小?时|[天日周月年人吨斤米个次件股平]|kg|g|m2|m²|㎡|km|h|L|t)"
        r"(?![A-Za-z²]))"
    ),
    lambda match: f"每{UNITS.get(match['unit'], match['unit'])}",
)
"""A unit after a slash: 元/kg, 次/分."""
