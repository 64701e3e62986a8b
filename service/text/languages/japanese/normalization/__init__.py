"""Text normalization for Japanese: only what Open JTalk would misread.

Open JTalk reads numbers with counters, decimals and most units, with the right sound changes
(三本, 六百, 二十歳). These stay. The rules rewrite characters that stand for other words: a slash
in a date, a colon in a time, a dash between numbers, a currency sign before its number.
"""

from __future__ import annotations

import re
from decimal import Decimal

from service.text.languages.japanese.normalization import codes, contexts, weekdays
from service.text.languages.japanese.normalization.spoken_digits import DIGITS, say_digits
from service.text.languages.japanese.normalization.symbol_words import (
    ADDRESSES,
    BOUNDS,
    CURRENCIES,
    MAGNITUDES,
    PICTURES,
    SIGN_WORDS,
    SIGNS,
    UNITS,
    VULGAR,
    WORDLESS_UNITS,
)
from service.text.markup.passages import Interpretation
from service.text.normalization import stars
from service.text.normalization.date_parts import RUN, date_parts, is_day, say_run
from service.text.normalization.normalizer import LanguageRules
from service.text.normalization.rules import Rule, write_whole

_LETTER_NAMES = """
エー ビー シー ディー イー エフ ジー エイチ アイ ジェー ケー エル エム
エヌ オー ピー キュー アール エス ティー ユー ブイ ダブリュー エックス ワイ ゼット
"""
_LETTERS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", _LETTER_NAMES.split(), strict=True))

_UNITS_PATTERN = "|".join(sorted(map(re.escape, {*UNITS} - WORDLESS_UNITS), key=len, reverse=True))
_ANY_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_EVERY = {"s": "毎秒", "min": "毎分", "h": "毎時"}
_EACH = "分|秒|時間?|日|週|月|年|回"
_PIECES = "人|個|本|枚|台|名|冊|泊|杯|袋|箱|食|件|坪|株|口|玉|束|缶|皿"

# No longer than the longest number that is read as one. A match starts at the first digit of a row
# and ends at the last, so a long row is scanned only once.
_NUMBER = r"(?<!\d)(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,20})(?!\d)(?:\.\d{1,20}(?!\d))?"
_NOT_IN_NUMBER = r"(?<![\d/A-Za-z-])(?<!\d[.,:])"
_SIGNS = "$€£¥￥₩₹₽₺₫฿₱₴¢"
_ENDS = r"(?![\d/:A-Za-z])(?!\.\d)(?!-\d)"

_YEARS = range(1000, 2101)
_HOURS, _SIXTIETHS = range(30), range(60)  # a late show may start at 25:30

_LENGTH = re.compile(r"(?:(?:^| )\d+ (?:h|min|s))+")
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?: ?(?P<noon>[AaPp])\.?[Mm]\.?)?"
)

# Characters between a number and the dash after it.
_RANGE_COUNTERS = "年月日時分秒円人歳才回個本枚台階章名度代週件点杯匹%％℃kmcgtLF"


def _plain(number: str) -> str:
    return number.replace(",", "")


def _no_date(match: re.Match[str]) -> str | None:
    # No rule reads a part of a single one.
    is_range = len(re.findall(r"\d+", match[0])) > 3
    return say_run(match[0], _figures, "から") if is_range else None


def _figures(text: str) -> str:
    return "、".join(map(_whole, re.split("[/.-]", text)))


def _date(match: re.Match[str]) -> str | None:
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    if year not in _YEARS or not is_day(month, day, year):
        return None
    return f"{year}年{month}月{day}日"


def _day_of_week(match: re.Match[str]) -> str | None:
    month, day = int(match[1]), int(match[2])
    return f"{month}月{day}日" if is_day(month, day) else None


def _time(match: re.Match[str]) -> str | None:
    hour, minute = int(match["hour"]), int(match["minute"])
    if hour not in _HOURS or minute not in _SIXTIETHS:
        return None
    noon = {"a": "午前", "p": "午後"}.get((match["noon"] or "").lower(), "")
    if match["second"] is None:
        return f"{noon}{hour}時" + (f"{minute}分" if minute else "")
    if int(match["second"]) not in _SIXTIETHS:
        return None
    return f"{noon}{hour}時{minute}分{int(match['second'])}秒"


def _telephone(match: re.Match[str]) -> str | None:
    groups = re.findall(r"\d+", match[0])
    if sum(map(len, groups)) not in range(9, 14):
        return None
    international = "プラス" if match[0].startswith("+") else ""
    return international + "、".join(map(say_digits, groups))


def _postal_code(match: re.Match[str]) -> str:
    return f"郵便番号{say_digits(match[1])}の{say_digits(match[2])}"


def _money_before(match: re.Match[str]) -> str:
    number, magnitude = _plain(match["number"]), match["magnitude"] or ""
    if magnitude in MAGNITUDES:
        number, magnitude = f"{Decimal(number).scaleb(MAGNITUDES[magnitude]):f}", ""
        if "." in number:
            number = number.rstrip("0").rstrip(".")
    first = f"{_plain(match['first'])}から" if match["first"] else ""
    return first + number + magnitude + CURRENCIES[match["sign"].strip()]


def _money_after(match: re.Match[str]) -> str:
    return f"{_plain(match['number'])}{match['magnitude'] or ''}{CURRENCIES[match['sign']]}"


def _fraction(match: re.Match[str]) -> str | None:
    whole, numerator, denominator = match["whole"], int(match["top"]), int(match["bottom"])
    if not 1 < denominator <= 100 or not 0 < numerator < denominator:
        return None
    said = f"{denominator}分の{numerator}"
    return f"{whole}と{said}" if whole else said


def _unit(match: re.Match[str]) -> str:
    if match["unit"] == "°F":
        return f"華氏{_plain(match['number'])}度"
    return _plain(match["number"]) + (match["magnitude"] or "") + _unit_name(match["unit"])


def _unit_name(unit: str) -> str:
    if unit in UNITS:
        return UNITS[unit]
    above, below = unit.split("/")
    return UNITS[above] + _EVERY.get(below, f"パー{UNITS[below]}")


def _last_day(match: re.Match[str]) -> str | None:
    month, day = int(match[1]), int(match[2])
    return f"{month}月{day}日" if is_day(month, day) else None


def _range(match: re.Match[str]) -> str:
    return f"{match['first']}から"


def _negative(match: re.Match[str]) -> str:
    return f"マイナス{match[1] or match[2]}"


def _version(match: re.Match[str]) -> str:
    return "テン".join(map(_whole, match[0].split(".")))


def _whole(number: str) -> str:
    return say_digits(number) if number.startswith("0") or len(number) == 1 else number


def _long_number(match: re.Match[str]) -> str:
    return say_digits(_plain(match[0]))


UNMARKED_RULES = stars.rules(stars.StarWords("かける", "の{}乗", "つ星"))
"""The rules for stars that are left when markup is gone, before those for addresses."""

RULES: tuple[Rule, ...] = (
    *contexts.rules(_LETTERS),
    *codes.RULES,
    # Open JTalk reads B4 as a paper size, even in AKB48.
    Rule(re.compile(r"(?<=[A-Z]{2})\d{2,}(?![\d.])"), lambda match: f" {match[0]}"),
    Rule(re.compile(rf"{RUN}(?![A-Za-z])"), _no_date),
    Rule(
        re.compile(
            rf"{_NOT_IN_NUMBER}(?P<year>\d{{4}})([/.-])"
            rf"(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){_ENDS}"
        ),
        _date,
    ),
    # A weekday in brackets after it: 3/15(金).
    Rule(
        re.compile(r"(?<![\d./-])(\d{1,2})/(\d{1,2})(?= ?[(（][月火水木金土日])"),
        _day_of_week,
    ),
    # Open JTalk takes 3月 for a month in 13月1日, which is none.
    Rule(
        re.compile(r"(?<!\d)(?<!\d[.,])(?!1[0-2]|0)(\d\d)月(?=\d)"),
        lambda match: f"{match[1]}がつ",
    ),
    *weekdays.RULES,
    # A day with a particle after it: 3/15に. Fractions have smaller denominators: 3/4まで.
    Rule(
        re.compile(
            r"(?<![\d./-])(1[0-2]|[1-9])/(?:(3[01]|2\d|1[1-9])"
            r"(?=に(?!な)|から|まで|より|は|です|[〜～~]|の[夜朝昼午会試講授予締放公])"
            r"|(3[01]|[12]\d|[1-9])(?=付|締|開催|発売|発送|以降|以前| ?[(（]祝))"
        ),
        lambda match: (
            f"{match[1]}月{match[2] or match[3]}日"
            if is_day(int(match[1]), int(match[2] or match[3]))
            else None
        ),
    ),
    # No fraction: 12/1まで.
    Rule(
        re.compile(r"(?<![\d./-])(1[0-2]|[2-9])/([1-9])(?=に(?!な)|から|まで|より|は|の|[〜～~])"),
        lambda match: f"{match[1]}月{match[2]}日" if int(match[1]) > int(match[2]) else None,
    ),
    Rule(
        re.compile(
            rf"(?<![0-9A-Za-z)）.])[+＋](?={_NUMBER}"
            r"(?:[度℃°%％点円]|です|でし|だ|の|に|と|と|[、。]|\Z))"
        ),
        lambda match: "プラス",
    ),
    Rule(
        re.compile(
            r"(?<![\dA-Za-z)）=<>-])(?<![\dA-Za-z)）] )(?P<sign>[<>＜＞]=?|[≤≥≦≧]) ?"
            rf"(?P<amount>(?:US\$|[$€£¥￥])?[-−]?{_NUMBER}"
            rf"(?:円|人|個|件|点|歳|才|回|分間?|秒|時間|日間?|か?月|年|枚|本|台|名|{_UNITS_PATTERN})?)"
        ),
        lambda match: match["amount"] + BOUNDS[match["sign"]],
    ),
    Rule(
        re.compile(
            r"(?:(?<=\d)|(?<=\d[cm]m)|(?<=\dm)) ?[xX×*] ?"
            r"(?=\d+(?:\.\d+)?(?: ?[xX×*] ?\d+(?:\.\d+)?)? ?[cm]?m(?![A-Za-z]))"
            # 0x1F is no product.
            r"|(?<=\d)(?<!(?<!\d)0)[xX](?=\d)"
        ),
        lambda match: "かける",
    ),
    Rule(re.compile(r"〒 ?(\d{3})-(\d{4})(?!\d)"), _postal_code),
    Rule(
        re.compile(
            r"(?<![\d/A-Za-z-])(?<!\d[.,:])(?:\+\d{1,3}[- ]\d{1,4}|\(0\d{1,4}\) ?\d{1,4}"
            r"|0\d{1,4}-\d{1,4})"
            r"-\d{3,4}(?:-\d{3,4})?(?![\d-])|(?<![\d/A-Za-z+-])(?<!\d[.,:])0[5789]0\d{8}(?!\d)"
        ),
        _telephone,
    ),
    Rule(
        re.compile(
            r"(?<![\d.])(?<!\d:)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?![\d:]|\.\d)"
            r"(?: ?(?P<noon>[AaPp])\.?[Mm](?![A-Za-z])\.?)?"
        ),
        _time,
    ),
    Rule(
        re.compile(
            rf"(?<![\dA-Za-z{_SIGNS}])(?P<sign>US\$|USD ?|EUR ?|JPY ?|[{_SIGNS}]) ?"
            rf"(?:(?P<first>{_NUMBER})[-~〜～–—])?(?P<number>{_NUMBER})"
            rf"(?P<magnitude>[KMB](?![A-Za-z])|[十百千万億兆]+)?(?![A-Za-z{_SIGNS}])"
        ),
        _money_before,
    ),
    Rule(
        re.compile(
            rf"(?<![{_SIGNS}])(?<![{_SIGNS}] )(?P<number>{_NUMBER})(?P<magnitude>[十百千万億兆]+)?"
            rf"(?P<sign>[{_SIGNS}])(?! ?[{_SIGNS}\d])"
        ),
        _money_after,
    ),
    Rule(
        re.compile(
            rf"{_NOT_IN_NUMBER}(?:(?P<whole>\d{{1,3}}) )?"
            rf"(?P<top>(?!0)\d{{1,3}})/(?P<bottom>(?!0)\d{{1,3}})(?![\d/:])(?!\.\d)(?!-\d)"
        ),
        _fraction,
    ),
    Rule(re.compile("[" + "".join(VULGAR) + "]"), lambda match: VULGAR[match[0]]),
    Rule(
        re.compile(
            rf"(?<![\w)）%％℃°-])[-−]({_NUMBER})(?![\d-])"
            rf"|(?<![\d%％℃°度])[-−]({_NUMBER})(?=[度℃°%％])"
        ),
        _negative,
    ),
    # Numbers of block and house: 芝公園4-2-8.
    Rule(
        re.compile(r"(?<=[\u4e00-\u9fff])\d{1,4}-\d{1,4}-\d{1,4}(?![\d-])"),
        lambda match: match[0].replace("-", "の"),
    ),
    Rule(
        re.compile(r"(?<![\d-])(\d{1,2})-(\d{1,2})(?=で(?:勝|負|敗|逆転))"),
        lambda match: f"{match[1]}対{match[2]}",
    ),
    Rule(
        re.compile(
            rf"(?<![A-Za-z{_SIGNS}])(?<!\d/)(?<![{_SIGNS}] )(?P<number>{_NUMBER})"
            rf"(?P<magnitude>[万億兆千百])?"
            rf" ?(?P<unit>(?:{_ANY_UNIT})/(?:{_ANY_UNIT})|{_UNITS_PATTERN})"
            rf"(?![A-Za-z0-9²³{_SIGNS}])"
        ),
        _unit,
    ),
    # 2万円/月, 88/分, 350円/個
    Rule(
        re.compile(rf"(?<=[0-9円個件回人名滴])[/／]1?({_EACH})(?![\d一-龥])"),
        lambda match: f"毎{match[1]}",
    ),
    Rule(
        re.compile(rf"(?P<amount>{_NUMBER}円)[/／]1?(?P<piece>{_PIECES})(?![\d一-龥])"),
        lambda match: f"1{match['piece']}あたり{match['amount']}",
    ),
    Rule(
        re.compile(r"(?<![\d.])\d{1,4}(?:\.\d{1,4}){2,5}(?![\d.])"),
        _version,
    ),
    Rule(re.compile(r"(?<![A-Za-z])[Vv]er\.? ?(?=\d)"), lambda match: "バージョン"),
    Rule(re.compile(r"(?<![A-Za-z])No\. ?(?=\d)"), lambda match: "ナンバー"),
    # Numbers above a quintillion are read digit by digit.
    Rule(re.compile(r"(?<!\d)(?<!\d[.,])\d{17,}(?!\d|[.,]\d)"), _long_number),
    Rule(
        re.compile(r"(?<=\d) ?([+＋=＝×÷]) ?(?=\d)"),
        lambda match: SIGNS[match[1]],
    ),
    # So many of a size: 500ml×24本.
    Rule(
        re.compile(r"(?<=\d)(?P<unit>[A-Za-z]{1,2}|[ァ-ヶー]{2,8}|[個本枚袋缶箱錠粒])×(?=\d)"),
        lambda match: f"{match['unit']}{SIGNS['×']}",
    ),
    Rule(re.compile(r"(?<=\d)[%％] ?OFF(?![A-Za-z])"), lambda match: "パーセントオフ"),
    Rule(re.compile(r"(?<![A-Za-z])([CF])#(?![A-Za-z0-9_#])"), lambda match: f"{match[1]}シャープ"),
    Rule(re.compile("[≒≠±]"), lambda match: SIGN_WORDS[match[0]]),
    # The last day of several, and what begins or ends with a word: 5/3〜5/6, 1時半〜3時, 18時〜.
    Rule(
        re.compile(
            r"(?:(?<=月\d日[〜~–-])|(?<=月\d\d日[〜~–-]))(1[0-2]|[1-9])/(3[01]|[12]\d|[1-9])(?![\d/])"
        ),
        _last_day,
    ),
    Rule(
        re.compile(
            r"(?<=[年月日時分半円人個名回階号歳度代話章巻頁枚本])[〜～~](?=[\d令平昭大明午翌第])"
            r"|(?<=[\d万千億][時分日円歳])[〜～~](?=[、。,)）\s]|\Z)|(?<=時)[-–](?=\d{1,2}[時:])"
        ),
        lambda match: "から",
    ),
    Rule(
        re.compile(
            rf"(?P<first>\d[\d,.]{{0,20}}[万億兆]?(?:[{_RANGE_COUNTERS}]{{0,2}}|[ァ-ヶー]{{1,12}}))"
            r"[〜～~–](?=\d)"
        ),
        _range,
    ),
    Rule(
        re.compile(
            rf"(?<![\dA-Za-z.-])(?P<first>\d{{1,4}})-(?=\d{{1,4}}(?:[{_RANGE_COUNTERS}]|ページ|パーセント|キロ|グラム|センチ|ミリ|メートル))"
        ),
        _range,
    ),
)
"""The rules, in the order in which they are applied."""


_DATE_WORDS = (("year", "年"), ("month", "月"), ("day", "日"))


def interpret(text: str, interpretation: Interpretation, detail: str) -> str | None:
    """Return the words for a text of a known kind, None if it is not of that kind.

    Args:
        text: any text.
        interpretation: its kind.
        detail: for a date the order of its parts, such as `mdy`; other kinds ignore it.
    """
    text = text.strip()
    number = re.fullmatch(rf"-?{_NUMBER}", text)
    if interpretation == "cardinal":
        return _plain(text).replace("-", "マイナス") if number else None
    if interpretation == "ordinal":
        return f"{text}番目" if text.isdecimal() else None
    if interpretation in ("digits", "telephone"):
        groups = re.findall(r"\d+", text)
        said = "、".join(map(say_digits, groups))
        return ("プラス" if text.startswith("+") else "") + said if said else None
    if interpretation == "characters":
        spelled = [_LETTERS.get(c.upper(), DIGITS.get(c, c)) for c in text if not c.isspace()]
        return " ".join(spelled) or None
    if interpretation == "date":
        return _interpret_date(text, detail or "ymd")
    if interpretation == "fraction":
        return write_whole(text.replace("+", " ").strip(), RULES)
    if interpretation in ("time", "duration") and _LENGTH.fullmatch(text):
        return text.replace(" h", "時間").replace(" min", "分").replace(" s", "秒").replace(" ", "")
    if interpretation in ("time", "duration"):
        match = _CLOCK.fullmatch(text)
        return _time(match) if match else None
    # Signs and symbols in the text tell the rules what to do with money and measures.
    return write_whole(text, RULES)


def _interpret_date(text: str, order: str) -> str | None:
    values = date_parts(text, order)
    if values is None:
        return None
    return "".join(f"{int(values[name])}{word}" for name, word in _DATE_WORDS if name in values)


def language_rules() -> LanguageRules:
    """Return the rules of the language."""
    return LanguageRules(
        RULES,
        interpret,
        ADDRESSES,
        PICTURES,
        contexts.EARLY_RULES,
        UNMARKED_RULES,
        formulas=contexts.formula_words(_LETTERS),
    )
