"""Signs beside and between numbers: ratios, minus, fractions, ranges."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization.amounts import UNITS
from service.text.languages.mandarin.normalization.numbers import (
    APART,
    ENDS,
    NUMBER,
    context,
    say_digits,
    say_integer,
    say_number,
)
from service.text.normalization import formulas
from service.text.normalization.formulas import FormulaWords, greek_names
from service.text.normalization.locale import table
from service.text.normalization.rules import Rule

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
_BOUNDS = {
    "<": "小于",
    ">": "大于",
    "＜": "小于",
    "＞": "大于",
    **dict.fromkeys(("<=", "＜="), "小于等于"),
    **dict.fromkeys((">=", "＞="), "大于等于"),
}


def _ratio(match: re.Match[str]) -> str:
    return "比".join(map(say_number, match[0].split(":")))


def _fraction(match: re.Match[str]) -> str | None:
    top, bottom = int(match["top"]), int(match["bottom"])
    if not 0 < top < bottom <= 1000:
        return None
    said = f"{say_integer(str(bottom))}分之{say_integer(str(top))}"
    return f"{say_integer(match['whole'])}又{said}" if match["whole"] else said


def _range(match: re.Match[str]) -> str:
    _, following = context(match)
    first, last = match["first"] or match["low"], match["last"] or match["high"]
    return f"{say_number(first, following)}{match['unit'] or ''}到{say_number(last, following)}"


RATIO = Rule(
    re.compile(
        r"(?<!\d)(?<!\d[.:])\d{1,4}(?::\d{1,7}){1,3}(?![\d:]|\.\d)"
        r"|(?<!\d)(?<!\d[.:])(?:\d{1,4}:\d{1,4}\.\d{1,4}|\d{1,4}\.\d{1,4}:\d{1,4}(?:\.\d{1,4})?)(?![\d:])"
    ),
    _ratio,
)

NEGATIVE = (
    Rule(
        re.compile(r"(?<=[℃°度])[-–—~〜～](?=[-−]?\d)|(?<=°C)[-–—~〜～](?=[-−]?\d)"),
        lambda match: "到",
    ),
    Rule(
        re.compile(
            rf"(?<![\dA-Za-z)）%％-])[-−](?={NUMBER}"
            r"(?:[℃度]|°C|摄氏|[~〜～到至][-−]?\d{1,2} ?[℃°度]))"
        ),
        lambda match: "零下",
    ),
    Rule(
        re.compile(
            rf"(?<![\w)）%％℃°-])[-−](?=\d)|(?<![\d)）%％℃°-])[-−](?={NUMBER}[%％°])"
            r"|(?<=[\u3400-\u9fff])(?<![栋幢号楼室区组路年月日点期第型码部])[-−](?=\d[\d.,]*[万亿元点])"
            r"|(?<=[为是降到达亏损比约])[-−](?=\d)"
        ),
        lambda match: "负",
    ),
    Rule(re.compile(r"-(?=百分之)"), lambda match: "负"),
)

POSITIVE = Rule(
    re.compile(r"(?<![\d)）%％℃°A-Za-z+＋])[+＋](?=[$€£¥￥]?\d)"),
    lambda match: "正",
)

FRACTIONS: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"{APART}(?:(?P<whole>\d{{1,3}}) )?"
            rf"(?P<top>(?!0)\d{{1,4}})/(?P<bottom>(?!0)\d{{1,4}}){ENDS}"
        ),
        _fraction,
    ),
    Rule(re.compile("[" + "".join(_VULGAR) + "]"), lambda match: _VULGAR[match[0]]),
)

RANGE = Rule(
    re.compile(
        rf"(?<![\dA-Za-z-])(?<!\d[.,])(?P<first>{NUMBER})(?P<unit>[年月日号点岁元个万亿]?)"
        rf"(?:[~〜～–—]|-(?=[\d.,]+(?:[^\W\dA-Za-z_]|[kcm]?m\b|k?g\b|℃|°)))"
        rf"(?P<last>{NUMBER})(?![\d-])"
        # No score and no date: 3.9-6.1.
        r"|(?<![\dA-Za-z-])(?<!\d[.,])(?P<low>\d{1,4}\.\d{1,3})[-~](?P<high>\d{1,4}\.\d{1,3})(?![\d.-])"
    ),
    _range,
)

SIDES = Rule(
    re.compile(
        r"(?:(?<=\d)|(?<=\d[m米])|(?<=\d[cm]m)|(?<=\d厘米)|(?<=\d毫米)|(?<=\d公分))"
        r" ?[xX×*] ?(?=[宽高长厚深]?\d)"
    ),
    lambda match: "乘",
)
"""Between the sides of something: 30x40cm."""

BOUND = Rule(
    # Not an arrow. Hearts are gone by now.
    re.compile(r"(?<![-=<>])[<>＜＞]=?(?= ?[-−]?[$¥￥€£]?\d)"),
    lambda match: _BOUNDS[match[0]],
)
"""Before an amount: <50元."""

SIGNS: tuple[Rule, ...] = (
    Rule(re.compile(r"(?<=\d) ?([+＋=＝×÷]) ?(?=\d)"), lambda match: _SIGNS[match[1]]),
    # A+5, 18+
    Rule(re.compile(r"(?<=[\dA-Za-z)）%％])[+＋](?=\d)|(?<=\d)[+＋]"), lambda match: "加"),
    Rule(re.compile("[≈≠≥≤±]"), lambda match: _SIGN_WORDS[match[0]]),
)

FORMULA_WORDS = FormulaWords(
    number=say_number,
    operators={
        **_SIGNS,
        **_SIGN_WORDS,
        **_BOUNDS,
        **dict.fromkeys("·*", "乘"),
        **table(
            "-: 减; /: 除以; ≡: 恒等于; ∓: 负正; ∈: 属于; ∉: 不属于; ∪: 并; ∩: 交; ⊂: 包含于"
            "; ∝: 正比于; ⇒: 推出; ⇔: 当且仅当; →: 趋于; ⊥: 垂直于; ∥: 平行于"
        ),
    },
    signs={"-": "负", "+": "正"},
    names={
        **table(
            "∞: 无穷大; ∀: 任意; ∃: 存在; ∂: 偏; ∇: 纳布拉; ∅: 空集; ∠: 角; △: 三角形; ∴: 所以"
            "; !: 的阶乘; ′: 撇; ∑: 求和; ∫: 积分; ∏: 求积; ∬: 二重积分; ⋃: 并; ⋂: 交; lim: 极限"
            "; sin: 正弦; cos: 余弦; tan: 正切; cot: 余切"
        ),
        "%": "百分之",
        "°": "度",
        **greek_names(
            "阿尔法 贝塔 伽马 德尔塔 艾普西龙 泽塔 伊塔 西塔 约塔 卡帕 拉姆达 谬 纽 克西 欧米克戎"
            " 派 柔 西格玛 陶 宇普西龙 斐 希 普西 欧米伽"
        ),
    },
    phrases=table(
        "per: 每; root: 根号{x}"
        "; cube root: 三次根号{x}; nth root: {n}次根号{x}; absolute: {x}的绝对值"
        "; over: {bottom}分之{top}; power: 的{n}次方; again: 的{n}次方; choose: {n}选{k}"
        "; from: {name}从{low}到{high}; set: {name}在{low}上; all: {name}; limit: 当{x}时极限"
        "; tends: 趋于; of:; applied:; vec: 向量{x}; bar: {x}拔; hat: {x}帽; dot: {x}点"
        "; tilde: {x}波浪"
    ),
    powers={"2": "的平方", "3": "的立方"},
    sums={**_SIGNS, **_SIGN_WORDS, **_BOUNDS, **dict.fromkeys("·*", "乘"), "-": "减", "/": "除以"},
    gap="",
    digit=say_digits,
    fraction=lambda top, bottom: f"{say_integer(str(bottom))}分之{say_integer(str(top))}",
    units=UNITS,
)

EXPRESSIONS: tuple[Rule, ...] = formulas.rules(FORMULA_WORDS)
"""Expressions of algebra, formulas of chemistry, and Greek letters."""
