"""Text normalization for Mandarin: every number in Chinese characters."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization import (
    amounts,
    arithmetic,
    contexts,
    counts,
    dates,
    telephones,
    times,
)
from service.text.languages.mandarin.normalization.numbers import (
    DIGITS,
    NUMBER,
    TELEPHONE_DIGITS,
    say_digits,
    say_integer,
    say_number,
)
from service.text.markup.passages import Interpretation
from service.text.normalization import stars
from service.text.normalization.addresses import AddressWords
from service.text.normalization.emoji import HEART, PictureWords
from service.text.normalization.emoticons import ENDS, HAN, MEASURED
from service.text.normalization.normalizer import LanguageRules
from service.text.normalization.rules import Rule, write_whole

UNMARKED_RULES = (amounts.PACE, amounts.PER, *stars.rules(stars.StarWords("乘", "的{}次方", "星")))
"""The rules for stars that are left when markup is gone, before those for addresses."""

RULES: tuple[Rule, ...] = (
    *arithmetic.EXPRESSIONS,
    *contexts.BEFORE_DATES,
    *dates.RULES,
    *telephones.RULES,
    times.TIME,
    arithmetic.SIDES,
    arithmetic.BOUND,
    arithmetic.RATIO,
    arithmetic.POSITIVE,
    *amounts.MONEY,
    *arithmetic.NEGATIVE,
    amounts.PERCENT,
    *arithmetic.FRACTIONS,
    amounts.UNIT,
    arithmetic.RANGE,
    counts.VERSION,
    *arithmetic.SIGNS,
    counts.ROMAN,
    counts.CARDINAL,
    times.RANGE,
)
"""The rules, in the order in which they are applied."""


def interpret(text: str, interpretation: Interpretation, detail: str) -> str | None:
    """Return the words for a text of a known kind, None if it is not of that kind.

    Args:
        text: any text.
        interpretation: its kind.
        detail: for a date the order of its parts, such as `mdy`; other kinds ignore it.
    """
    text = text.strip()
    if interpretation == "cardinal":
        match = re.fullmatch(rf"([-−]?)({NUMBER})", text)
        return ("负" if match[1] else "") + say_number(match[2]) if match else None
    if interpretation == "ordinal":
        return f"第{say_integer(text)}" if re.fullmatch(r"\d+", text) else None
    if interpretation in ("digits", "telephone"):
        table = TELEPHONE_DIGITS if interpretation == "telephone" else DIGITS
        said = ", ".join(say_digits(group, table) for group in re.findall(r"\d+", text))
        return ("加" if text.startswith("+") else "") + said if said else None
    if interpretation == "characters":
        # Latin letters keep their English names.
        return " ".join(say_digits(text.upper()).replace(" ", "")) or None
    if interpretation == "date":
        return dates.say(text, detail or "ymd")
    if interpretation == "fraction":
        return write_whole(text.replace("+", " ").strip(), RULES)
    if interpretation == "time":
        match = re.fullmatch(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?", text)
        return times.say(match) if match else None
    # Signs and symbols in the text tell the rules what to do with money and measures.
    return write_whole(text, RULES)


# Where `<3` and a heart are a verb or a sign of love: 我<3你.
_LOVING = "我你您他她们咱俺家也都超最"
ADDRESSES = AddressWords(
    signs=(
        "点; 斜杠; at; 冒号; 问号; 等于; 和; 井号; 横杠; 下划线; 百分号; 加号; 波浪号; 反斜杠"
        "; 逗号; 分号; 感叹号; 美元符; 星号; 左括号; 右括号; 左方括号; 右方括号; 撇号; 竖线"
    ),
    hashtag="话题",
    words_too=("in it at me no so is be to us my am as do by"),
    mention="艾特",
    has_topics=True,
)

PICTURES = PictureWords(
    symbols=(
        "→ 到; ↑ 上升; ↓ 下降; © 版权所有; § 第; §§ 第; ¶ 段落; ¶¶ 段落; × 乘以; ÷ 除以; ± 正负"
        "; ≠ 不等于; ≈ 约等于; ≤ 小于等于; ≥ 大于等于; ∞ 无穷大; √ 根号; ∑ 求和; ∫ 积分"
        "; ∬ 二重积分; ∭ 三重积分; ⨌ 四重积分; ∈ 属于; ∅ 空集; ∀ 任意; ∃ 存在; ∴ 所以; ∵ 因为"
        "; ⇒ 推出; ⇔ 当且仅当; № 号; ♯ 升; ♭ 降"
    ),
    stars=("{total}颗星中的{n}颗", "{n}颗星", "星", "星"),
    names_in="zh",
    solid_comma=",",
    love=(
        re.compile(
            rf"[ ]?{HEART}(?:(?<=[{_LOVING}I永远].)|(?<=[{_LOVING}I永远][ ].))\ufe0f?[ ]?(?=\w)"
        ),
        "爱",
    ),
    typed_heart=re.compile(
        rf"<3(?:(?:(?<=[{_LOVING}]<3)|(?<=\bI<3))(?![岁年月天日周号点分秒元块米厘毫公千克斤度次万亿百成倍杯片粒级层楼名位条"
        rf"篇页只小个人])(?=[{HAN}])|(?=[你您我她]|他们|大家|宝贝|老婆|老公|妈妈|爸爸|中国|祖国)"
        rf"|(?<=[{HAN}!！~～]<3)(?<![{MEASURED}]<3){ENDS})"
    ),
)


def language_rules() -> LanguageRules:
    """Return the rules of the language."""
    return LanguageRules(
        RULES,
        interpret,
        ADDRESSES,
        PICTURES,
        unmarked=UNMARKED_RULES,
        formulas=arithmetic.FORMULA_WORDS,
    )
