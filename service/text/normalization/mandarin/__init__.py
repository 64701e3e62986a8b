"""Mandarin Chinese in words: every number in Chinese characters."""

from __future__ import annotations

import re
from decimal import Decimal

from service.text.markup.passages import Interpretation
from service.text.normalization.rules import Rule, write_whole

_HAN_DIGITS = "零一二三四五六七八九"
_DIGITS = {str(value): han for value, han in enumerate(_HAN_DIGITS)}
# So that a one is not heard as a seven.
_TELEPHONE_DIGITS = {**_DIGITS, "1": "幺"}

_PLACES = ("", "十", "百", "千")
_GROUPS = ("", "万", "亿", "万亿")
_MAX_DIGITS = 16

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

# Before these a two is a pair (两个), not the number (二月, 二楼).
_CLASSIFIERS = (
    "小时|分钟|公里|公斤|平方|立方|厘米|毫米|毫克|毫升|千瓦|摄氏度|美元|欧元|英镑|港元|韩元|卢"
    "|个|只|条|本|张|位|次|件|块|杯|瓶|天|周|岁|斤|米|倍|种|人|口|家|辆|台|套|双|对|层|遍|句|名"
    "|片|头|匹|棵|朵|座|间|点|秒|国|边|者|元|克|吨|升|章(?!程)|年(?!级)|所|项|份|碗|盒|包|根|颗"
    "|场|届|门|首|篇|部|架|艘|把|扇|幅|封|枚|支|栋|幢|排|组|队|批|笔|句|段|步|顿|趟|回|千|万|亿"
)
_PAIR = re.compile(rf"(?:多)?(?:{_CLASSIFIERS})")

# No more digits than a number has that is read as one; from its first digit to its last, so that
# a long row of them is looked at once.
_NUMBER = r"(?<!\d)(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,20})(?!\d)(?:\.\d{1,20}(?!\d))?"
_APART = r"(?<![\d.,/:A-Za-z-])"
_ENDS = r"(?![\d/:A-Za-z])(?!\.\d)(?!-\d)"

_YEARS = range(1000, 2101)
_HOURS, _SIXTIETHS = range(25), frozenset(range(60))

_ROMAN = re.compile(r"(?<=第)(?=[IVX])X{0,3}(?:I[XV]|V?I{0,3})(?![A-Za-z])")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}


def _digits(text: str, table: dict[str, str] = _DIGITS) -> str:
    return "".join(table.get(character, character) for character in text)


def integer(number: str) -> str:
    """Return a whole number in words: `1010` as 一千零一十, `0` as 零.

    Args:
        number: decimal digits. One that starts with a zero, or is too long for anybody to grasp,
            is read digit by digit.
    """
    if len(number) > _MAX_DIGITS or (number.startswith("0") and number != "0"):
        return _digits(number)
    words = ""
    groups = [number[max(end - 4, 0) : end] for end in range(len(number), 0, -4)]
    gap = False
    for order in range(len(groups) - 1, -1, -1):
        value = int(groups[order])
        if not value:
            gap = bool(words)
            continue
        group = "两" if value == 2 and order else _below_ten_thousand(value)
        if words and (gap or value < 1000):
            words += "零"
        words += group
        # 万亿 is 万 and then 亿, which the group after it may have said already.
        words += "万" if order == 3 and int(groups[2]) else _GROUPS[order]
        gap = False
    if words.startswith("一十"):
        words = words[1:]
    return words or "零"


def _below_ten_thousand(value: int) -> str:
    words = ""
    gap = False
    for place, digit in zip(range(3, -1, -1), f"{value:04d}", strict=True):
        if digit == "0":
            gap = bool(words)
            continue
        if gap:
            words += "零"
        gap = False
        # 两千, 两万, but 二百 and 二十.
        two = "两" if digit == "2" and place == 3 else _DIGITS[digit]
        words += two + _PLACES[place]
    return words


def _number(text: str, following: str = "") -> str:
    """Return a number in words; what follows it tells whether a two is a pair."""
    whole, _, decimals = text.replace(",", "").partition(".")
    if decimals:
        return f"{integer(whole)}点{_digits(decimals)}"
    if whole == "2" and _PAIR.match(following):
        return "两"
    return integer(whole)


def _beside(match: re.Match[str]) -> tuple[str, str]:
    """Return the few characters before a match and after it."""
    text = match.string
    return text[max(match.start() - 2, 0) : match.start()], text[match.end() : match.end() + 4]


def _date(match: re.Match[str]) -> str | None:
    year, month, day = match["year"], match["month"].lstrip("0"), match["day"].lstrip("0")
    if int(year) not in _YEARS or not 1 <= int(month or 0) <= 12 or not 1 <= int(day or 0) <= 31:
        return None
    return f"{_digits(year)}年{integer(month)}月{integer(day)}日"


def _year(match: re.Match[str]) -> str | None:
    year = match[1]
    if len(year) == 4 and int(year) not in _YEARS:
        return None
    if year.endswith("000") and _SPAN_OF_YEARS.match(match.string, match.end()):
        return None
    return _digits(year)


_SPAN_OF_YEARS = re.compile("年(?:前|后|来|间|的|历史|以)")


def _time(match: re.Match[str]) -> str | None:
    hour, minute, second = match["hour"], match["minute"], match["second"]
    if int(hour) not in _HOURS or any(
        int(part or 0) not in _SIXTIETHS for part in (minute, second)
    ):
        return None
    said = _number(hour.lstrip("0") or "0", "点") + "点"
    if int(minute) or second:
        said += _padded(minute) + "分"
    return said + (_padded(second) + "秒" if second else "")


def _padded(sixtieths: str) -> str:
    """Return minutes or seconds, a zero before a single digit."""
    return (
        _digits(sixtieths)
        if sixtieths.startswith("0") and sixtieths != "00"
        else integer(str(int(sixtieths)))
    )


def _ratio(match: re.Match[str]) -> str:
    return "比".join(map(integer, match[0].split(":")))


def _telephone(match: re.Match[str]) -> str | None:
    groups = re.findall(r"\d+", match[0])
    if sum(map(len, groups)) not in range(7, 15):
        return None
    said = ", ".join(_digits(group, _TELEPHONE_DIGITS) for group in groups)
    return ("加" if match[0].startswith("+") else "") + said


def _identifier(match: re.Match[str]) -> str:
    return _digits(match[0], _TELEPHONE_DIGITS)


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
    until = f"{_number(first, '到')}到" if first else ""
    return until + _number(number, magnitude or currency) + magnitude + currency


def _percent(match: re.Match[str]) -> str:
    whole = "千分之" if match["sign"] == "‰" else "百分之"
    first = match["first"]
    until = f"{_number(first)}到" if first else ""
    return f"{whole}{until}{_number(match['number'])}"


def _fraction(match: re.Match[str]) -> str | None:
    top, bottom = int(match["top"]), int(match["bottom"])
    if not 0 < top < bottom <= 1000:
        return None
    said = f"{integer(str(bottom))}分之{integer(str(top))}"
    return f"{integer(match['whole'])}又{said}" if match["whole"] else said


def _unit(match: re.Match[str]) -> str:
    unit = _UNITS[match["unit"]]
    return _number(match["number"], unit) + unit


def _range(match: re.Match[str]) -> str:
    _, following = _beside(match)
    first, last = match["first"], match["last"]
    return f"{_number(first, following)}{match['unit'] or ''}到{_number(last, following)}"


def _version(match: re.Match[str]) -> str:
    return "点".join(map(integer, match[0].split(".")))


def _roman(match: re.Match[str]) -> str:
    values = [_ROMAN_DIGITS[letter] for letter in match[0]]
    # A smaller one before a greater one is taken off.
    value = sum(
        -here if here < following else here
        for here, following in zip(values, [*values[1:], 0], strict=True)
    )
    return integer(str(value))


def _cardinal(match: re.Match[str]) -> str | None:
    before, after = _beside(match)
    if _LATIN_BEFORE.search(before) and _LATIN_AFTER.match(after):
        # Inside English words; whoever reads them reads the number.
        return None
    return _number(match[0], "" if before.endswith("第") else after)


_LATIN_BEFORE = re.compile(r"[A-Za-z][ -]?\Z")
_LATIN_AFTER = re.compile(r"[ -]?[A-Za-z]")

_VULGAR = {
    "½": "二分之一",
    "⅓": "三分之一",
    "⅔": "三分之二",
    "¼": "四分之一",
    "¾": "四分之三",
    "⅕": "五分之一",
    "⅛": "八分之一",
    "⅜": "八分之三",
    "⅝": "八分之五",
    "⅞": "八分之七",
}
_SIGNS = {"+": "加", "＋": "加", "=": "等于", "＝": "等于", "×": "乘", "÷": "除以"}
_SIGN_WORDS = {
    "≈": "约等于",
    "≠": "不等于",
    "≥": "大于等于",
    "≤": "小于等于",
    "±": "正负",
}

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"{_APART}(?P<year>\d{{4}})([/.-])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){_ENDS}"
        ),
        _date,
    ),
    Rule(
        re.compile(r"(?<![\d.,/:-])([12]\d{3})年?[-~〜～—–]([12]\d{3})(?=年)"),
        lambda match: f"{_digits(match[1])}到{_digits(match[2])}",
    ),
    Rule(re.compile(r"(?<![\d.,/:-])(\d{4}|0\d|\d{2}(?=年\d{1,2}月))(?=年)"), _year),
    Rule(
        re.compile(
            r"(?<![\d.,/:A-Za-z-])(?:\+\d{1,3}[- ]?1\d{2}[- ]?\d{4}[- ]?\d{4}"
            r"|1[3-9]\d(?:[- ]\d{4}[- ]|\d{4})\d{4}|\(?0\d{2,3}\)?[- ]\d{7,8}"
            r"|[48]00-\d{3,4}-\d{3,4})(?![\d-])"
        ),
        _telephone,
    ),
    Rule(
        re.compile(r"(?:(?<=[号码])|(?<=[号码][:：是为])|(?<=[号码][:：] ))\d{5,}(?![\d.,])"),
        _identifier,
    ),
    Rule(
        re.compile(
            r"(?<![\d:.])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?![\d:]|\.\d)"
        ),
        _time,
    ),
    Rule(re.compile(r"(?<![\d:.])\d{1,4}(?::\d{1,4}){1,3}(?![\d:]|\.\d)"), _ratio),
    Rule(
        re.compile(
            rf"(?<![\d$€£¥￥₩₹₽])(?P<sign>(?:US|HK)\$|(?:USD|EUR|GBP|CNY|RMB) ?|[$€£¥￥₩₹₽]) ?"
            rf"(?:(?P<first>{_NUMBER})[-~〜～–—])?(?P<number>{_NUMBER})"
            r" ?(?P<magnitude>[KkMB](?![A-Za-z])|[十百千万亿]+)?(?![A-Za-z])"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"(?:(?P<first>{_NUMBER})[-~〜～–—])?(?P<number>{_NUMBER})(?P<magnitude>[十百千万亿]+)?"
            r" ?(?P<sign>[$€£¥￥₩₹₽](?![$€£¥￥₩₹₽\d])|(?:USD|EUR|GBP|CNY|RMB)(?![A-Za-z]))"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"(?<![\w)）%％℃°-])[-−](?=\d)|(?<![\d)）%％℃°-])[-−](?={_NUMBER}(?:[%％℃°度]|摄氏))"
        ),
        lambda match: "负",
    ),
    Rule(
        re.compile(
            rf"(?:(?P<first>{_NUMBER})[%％]?[-~〜～–—])?"
            rf"(?P<number>{_NUMBER})(?P<sign>[%％‰])"
        ),
        _percent,
    ),
    Rule(
        re.compile(
            rf"{_APART}(?:(?P<whole>\d{{1,3}}) )?(?P<top>\d{{1,4}})/(?P<bottom>\d{{1,4}}){_ENDS}"
        ),
        _fraction,
    ),
    Rule(re.compile("[" + "".join(_VULGAR) + "]"), lambda match: _VULGAR[match[0]]),
    Rule(
        re.compile(
            rf"(?<![\d.,A-Za-z-])(?P<first>{_NUMBER})(?P<unit>[年月日号点岁元个万亿]?)"
            rf"(?:[~〜～–—]|-(?=[\d.,]+(?:[^\W\dA-Za-z_]|[kcm]?m\b|k?g\b|℃|°)))"
            rf"(?P<last>{_NUMBER})(?![\d-])"
        ),
        _range,
    ),
    Rule(
        re.compile(
            rf"(?<![A-Za-z$€£¥￥₩₹₽])(?P<number>{_NUMBER}) ?(?P<unit>{_UNITS_PATTERN})"
            r"(?![A-Za-z0-9²³零一二三四五六七八九十])"
        ),
        _unit,
    ),
    Rule(re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,4}){2,5}(?![\d.])"), _version),
    Rule(re.compile(r"(?<=\d) ?([+＋=＝×÷]) ?(?=\d)"), lambda match: _SIGNS[match[1]]),
    Rule(re.compile("[≈≠≥≤±]"), lambda match: _SIGN_WORDS[match[0]]),
    Rule(_ROMAN, _roman),
    Rule(re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?"), _cardinal),
    Rule(re.compile(r"(?<=[点分秒])[-~〜～–—](?=[零一二三四五六七八九十两])"), lambda match: "到"),
)
"""What is rewritten, in order."""


_ORDERS = {
    "ymd": ("year", "month", "day"),
    "mdy": ("month", "day", "year"),
    "dmy": ("day", "month", "year"),
    "ym": ("year", "month"),
    "md": ("month", "day"),
    "dm": ("day", "month"),
    "y": ("year",),
    "m": ("month",),
    "d": ("day",),
}


def interpret(text: str, interpretation: Interpretation, detail: str) -> str | None:
    """Return the words for a text whose kind is known, None if it is not of that kind.

    Args:
        text: what is to be read.
        interpretation: what it is.
        detail: which kind of it: for a date the order of its parts, such as `mdy`.
    """
    text = text.strip()
    if interpretation == "cardinal":
        match = re.fullmatch(rf"([-−]?)({_NUMBER})", text)
        return ("负" if match[1] else "") + _number(match[2]) if match else None
    if interpretation == "ordinal":
        return f"第{integer(text)}" if re.fullmatch(r"\d+", text) else None
    if interpretation in ("digits", "telephone"):
        table = _TELEPHONE_DIGITS if interpretation == "telephone" else _DIGITS
        said = ", ".join(_digits(group, table) for group in re.findall(r"\d+", text))
        return ("加" if text.startswith("+") else "") + said if said else None
    if interpretation == "characters":
        # English letters have their English names.
        return " ".join(_digits(text.upper()).replace(" ", "")) or None
    if interpretation == "date":
        return _interpret_date(text, detail or "ymd")
    if interpretation == "time":
        match = re.fullmatch(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?", text)
        return _time(match) if match else None
    # Money and measures are read by their signs.
    return write_whole(text, RULES)


def _interpret_date(text: str, order: str) -> str | None:
    parts = re.findall(r"\d+", text)
    names = _ORDERS.get(order)
    if names is None or len(parts) != len(names):
        return None
    values = dict(zip(names, parts, strict=True))
    if not (1 <= int(values.get("month", 1)) <= 12 and 1 <= int(values.get("day", 1)) <= 31):
        return None
    said = f"{_digits(values['year'])}年" if "year" in values else ""
    for name, word in (("month", "月"), ("day", "日")):
        if name in values:
            said += integer(str(int(values[name]))) + word
    return said
