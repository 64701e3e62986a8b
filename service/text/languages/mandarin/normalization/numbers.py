"""Numbers in Chinese characters."""

from __future__ import annotations

import re

_HAN_DIGITS = "零一二三四五六七八九"
DIGITS = {str(value): han for value, han in enumerate(_HAN_DIGITS)}
# With 幺, as 一 is easily heard as 七.
TELEPHONE_DIGITS = {**DIGITS, "1": "幺"}

_PLACES = ("", "十", "百", "千")
_GROUPS = ("", "万", "亿", "万亿")
_MAX_DIGITS = 16

# Before these 2 is 两 (两个); elsewhere it is 二 (二月, 二楼).
_CLASSIFIERS = (
    "小时|分钟|公里|公斤|平方|立方|厘米|毫米|毫克|毫升|千瓦|摄氏度|美元|欧元|英镑|港元|韩元|卢"
    "|个|只|勺|分(?![之钟])|条|本|张|位|次|件|块|杯|瓶|天|周|岁|斤|米|倍|种|人|口|家|辆|台|套|双|对|层|遍|句|名"
    "|片|头|匹|棵|朵|座|间|点|秒|国|边|者|元|克|吨|升|章(?!程)|年(?!级)|所|项|份|碗|盒|包|根|颗"
    "|场|届|门|首|篇|部|架|艘|把|扇|幅|封|枚|支|栋|幢|排|组|队|批|笔|句|段|步|顿|趟|回|头|户|滴|匙|粒|桶|件|串|股|架|册|具|颗|列|笼|拍|轮|把|千|万|亿"
)
_PAIR = re.compile(rf"(?:多)?(?:{_CLASSIFIERS})")

# No longer than the longest number that is read as one. A match starts at the first digit of a row
# and ends at the last, so a long row is scanned only once.
NUMBER = r"(?<!\d)(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,20})(?!\d)(?:\.\d{1,20}(?!\d))?"
APART = r"(?<![\d/A-Za-z-])(?<!\d[.,:])"
"""Before a number that belongs to nothing before it. A colon may be before it: 时间:9:30."""

ENDS = r"(?![\d/:A-Za-z])(?!\.\d)(?!-\d)"


def say_digits(text: str, table: dict[str, str] = DIGITS) -> str:
    """Return the text with each digit in Chinese; other characters stay."""
    return "".join(table.get(character, character) for character in text)


def say_integer(number: str) -> str:
    """Return a whole number in words: `1010` as 一千零一十, `0` as 零.

    Args:
        number: decimal digits. A number that starts with a zero or has more than 16 digits is
            read digit by digit.
    """
    if len(number) > _MAX_DIGITS or (number.startswith("0") and number != "0"):
        return say_digits(number)
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
        # 万亿 is 万 and 亿. If the next group is not zero, it adds the 亿 itself.
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
        # 两千, but 二百 and 二十.
        two = "两" if digit == "2" and place == 3 else DIGITS[digit]
        words += two + _PLACES[place]
    return words


def say_number(text: str, following: str = "") -> str:
    """Return a number in words; the text after it, `following`, decides between 两 and 二."""
    whole, _, decimals = text.replace(",", "").partition(".")
    if decimals:
        return f"{say_integer(whole)}点{say_digits(decimals)}"
    if whole == "2" and _PAIR.match(following):
        return "两"
    return say_integer(whole)


def context(match: re.Match[str]) -> tuple[str, str]:
    """Return two characters before a match and four after it, fewer at the ends of the text."""
    text = match.string
    return text[max(match.start() - 2, 0) : match.start()], text[match.end() : match.end() + 4]
