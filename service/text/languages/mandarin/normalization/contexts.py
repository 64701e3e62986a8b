"""Figures that their sentence tells apart: scores, hotlines, days, generations, pages, names."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization.numbers import (
    APART,
    TELEPHONE_DIGITS,
    say_digits,
    say_integer,
    say_number,
)
from service.text.languages.mandarin.normalization.times import say_duration
from service.text.normalization.date_parts import is_day
from service.text.normalization.rules import Rule

_REACH = 24
_SENTENCE = re.compile("[。!?！？;；\n]")
_MEASURES = "米元块个人名户次秒天年岁页楼层件台平万亿千百公斤吨克升度%％分倍号室座种条项位只张本"

_HOTLINES = "110|119|120|122|114"
_LONG_HOTLINES = r"12306|123(?:15|45|33|58|69|20|18|93|29)|100(?:86|10|00|01|60)|12123|95\d{3}"
_CALLS = re.compile(
    "打|拨|报警|急救|火警|匪警|致电|热线|号码|查号|求助|呼叫|电话|客服|报案|短信|订票|投诉"
)
_SCORES = re.compile(
    "比分|战胜|击败|淘汰|落败|领先|落后|获胜|取胜|逆转|力克|大胜|小胜|告负|打成|打到|打出|战平|不敌"
    "|扳平|险胜|完胜|惜败|胜出|反超|首局|末局|决胜局|首盘|首节|次节|半场|总分|大比分|横扫|赢|输|晋级"
    "|决赛|联赛|对阵|主队|客队|夺冠|绝杀|客场|主场|加时"
)
_RACES = re.compile("成绩|跑|用时|耗时|时长|全程|历时|纪录|记录|完赛|马拉松|片长|长达|播放|游|骑")
_CHATTED = re.compile("快乐|啊|呀|呢|啦|吧|哈|表白|爱|要不要|[，,。.!！~～?？ ]|\\Z")
_PAGES = re.compile("课本|见|书|教材|手册|练习册|翻到|作业|课文|教程|文献|讲义")


def _around(match: re.Match[str]) -> tuple[str, str]:
    """Return what is in the same sentence, before and after a match, as far as it matters."""
    text = match.string
    before = _SENTENCE.split(text[max(0, match.start() - _REACH) : match.start()])[-1]
    after = _SENTENCE.split(text[match.end() : match.end() + _REACH], maxsplit=1)[0]
    return before, after


def _hotline(match: re.Match[str]) -> str | None:
    before, after = _around(match)
    return say_digits(match[0], TELEPHONE_DIGITS) if _CALLS.search(before + after) else None


def _score(match: re.Match[str]) -> str | None:
    before, after = _around(match)
    if _SCORES.search(before) is None and _SCORES.search(after) is None:
        return None
    return f"{say_integer(match['first'])}比{say_integer(match['last'])}"


def _day(match: re.Match[str]) -> str | None:
    month, day = int(match["month"]), int(match["day"])
    if not is_day(month, day) or not (month >= day or match["cue"] is not None):
        return None
    return f"{say_integer(str(month))}月{say_integer(str(day))}日"


def _race(match: re.Match[str]) -> str | None:
    before, _ = _around(match)
    return say_duration(match) if _RACES.search(before) else None


def _half_day(match: re.Match[str]) -> str | None:
    hour = int(match["hour"])
    if not 1 <= hour <= 12:
        return None
    half = "上午" if match["half"] in "Aa" else "下午"
    minute = match["minute"]
    said = f"{half}{say_number(str(hour), '点')}点"
    if minute is None or minute == "00":
        return said
    return said + (say_digits(minute) if minute[0] == "0" else say_integer(minute)) + "分"


def _chatted(match: re.Match[str]) -> str | None:
    after = match.string[match.end() : match.end() + 3]
    return say_digits(match[0]) if _CHATTED.match(after) else None


def _page(match: re.Match[str]) -> str | None:
    if match["sign"] == "P" and _PAGES.search(_around(match)[0]) is None:
        return None
    last = f"到{say_integer(match['last'])}" if match["last"] else ""
    return f"第{say_integer(match['first'])}{last}页"


_NUMBERED = {
    "Ch": "第{}章",
    "Chap": "第{}章",
    "Vol": "第{}卷",
    "Sec": "第{}节",
    "Fig": "图{}",
    "Tab": "表{}",
}

_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN = r"(?=[IVXLC])(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"


def roman(numeral: str) -> str:
    """Return a Roman numeral in words."""
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    # A smaller digit before a greater one is subtracted.
    value = sum(
        -here if here < following else here
        for here, following in zip(values, [*values[1:], 0], strict=True)
    )
    return say_integer(str(value))


BEFORE_DATES: tuple[Rule, ...] = (
    Rule(
        re.compile(
            rf"{APART}(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])(?![\d/.:%％-])"
            r"(?P<cue>(?=[日号]?(?:全天|上午|下午|早|晚|中午|凌晨|当[天日]|起|[之以]?前|截止|开|恢复"
            r"|发布|上线|到|至|[（(]?[周星]|[\u3400-\u9fff]{1,4}[节日]|双)))?(?![个杯勺份块圈斤的英寸])"
        ),
        _day,
    ),
    Rule(
        re.compile(r"(?<![\d/-])(?<!\d[.,])0([1-9])(?=月(?:\d|[^\d球]|\Z)|[日号](?![楼线机码]))"),
        lambda match: say_integer(match[1]),
    ),
    Rule(
        re.compile(r"(?<![\dA-Za-z])(?<!\d[.,])(?:[05-9]0|[05-9]5|[6-9]\d)(?=后(?![来面边果]))"),
        lambda match: say_digits(match[0]),
    ),
    Rule(
        re.compile(
            r"(?<![\d/-])(?<!\d[.,:])((?:19|20)\d\d)-((?:19|20)?\d\d)(?=学年|赛季|年度|财年)"
        ),
        lambda match: f"{say_digits(match[1])}到{say_digits(match[2])}",
    ),
    Rule(
        re.compile(
            r"(?<!\d)(?<!\d[.,])(?:19|20)\d\d(?=届|级(?!别)|学年|财年|款|版|赛季|(?:Q[1-4]|H[12])(?![A-Za-z0-9]))"
        ),
        lambda match: say_digits(match[0]),
    ),
    Rule(
        re.compile(
            r"(?<![\d.])(?<!\d:)(?P<hour>\d{1,2}):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?![\d:])"
        ),
        _race,
    ),
    Rule(
        re.compile(
            rf"(?<![\dA-Za-z第¥$-])(?<!\d[.,])(?:{_HOTLINES})(?![\d.,]\d|[{_MEASURES}\dA-Za-z-])"
        ),
        _hotline,
    ),
    Rule(
        re.compile(
            rf"(?<![\dA-Za-z第¥$-])(?<!\d[.,])(?:{_LONG_HOTLINES})(?![\d.,]\d|[{_MEASURES}\dA-Za-z-])"
        ),
        _hotline,
    ),
    Rule(
        re.compile(r"(?<=分机)[:：是为号 ]?\d{1,5}(?![\d.])|(?<=转)[1-9]\d{2,4}(?![\d.次元人万])"),
        lambda match: say_digits(match[0], TELEPHONE_DIGITS),
    ),
    Rule(re.compile(r"(?<=\d)[-−](?=\d{1,6}(?:等于|得多少|得几|是多少))"), lambda match: "减"),
    Rule(
        re.compile(
            rf"(?<![\dA-Za-z-])(?<!\d[.,])(?P<first>\d{{1,3}})[-–—](?P<last>\d{{1,3}})"
            rf"(?!\d|[.,]\d|[%％℃°A-Za-z-]|[{_MEASURES}])"
        ),
        _score,
    ),
    Rule(
        re.compile(
            r"(?<![\dA-Za-z])(?<!\d[.,])[45]\d\d(?=错误|页面|状态|报错|找不到)|(?<=提示)[45]\d\d(?!\d)|(?<=返回)[45]\d\d(?!\d)"
        ),
        lambda match: say_digits(match[0]),
    ),
    Rule(
        re.compile(
            r"(?<!\d[.,])(?<![\dA-Za-z欠共有约第¥$])(?:52[01]|666|888|233|996|007|1314|886)(?!\d)"
        ),
        _chatted,
    ),
    Rule(
        re.compile(
            r"(?<![A-Za-z])(?P<sign>[Pp]{1,2}\. ?|P)(?P<first>\d{1,4})(?:[-–~](?P<last>\d{1,4}))?"
            r"(?![\dA-Za-z.])"
        ),
        _page,
    ),
    Rule(
        re.compile(r"(?<![A-Za-z])(?:(Ch|Chap|Vol|Sec|Fig|Tab)\.|(Vol)) ?(\d{1,3})(?![\d.])"),
        lambda match: _NUMBERED[match[1] or match[2]].format(say_integer(match[3])),
    ),
    Rule(
        re.compile(r"(?<![A-Za-z])No\. ?(\d{1,4})(?![\d.])"),
        lambda match: f"第{say_integer(match[1])}",
    ),
    Rule(
        re.compile(r"(?<=[\u3400-\u9fff]) ?(?:vs|VS|Vs)\.? ?(?=[\u3400-\u9fff])"),
        lambda match: "对",
    ),
    Rule(
        re.compile(rf"(?<=[\u3400-\u9fff])(?:{_ROMAN})(?=[世型期级类度章节卷部代号])(?<!维[A-Z])"),
        lambda match: roman(match[0]) if match[0] != "C" else None,
    ),
    # A model or standard: C919, A380, N95.
    Rule(
        re.compile(
            r"(?<=[A-Z])(?<![A-Za-z0-9][A-Z])(?:[1-9]\d{2,3}(?!\d|[.,]\d|[%℃米元])|9[59](?=口罩))"
        ),
        lambda match: say_digits(match[0], TELEPHONE_DIGITS),
    ),
    Rule(
        re.compile(r"(?<=[A-Z])(?<![a-z0-9][A-Z])2(?![\d.A-Za-z])"),
        lambda match: "二",
    ),
    Rule(
        re.compile(r"(?<!\d)(\d{2})([LRC])(?=跑道)"),
        lambda match: say_digits(match[1]) + {"L": "左", "R": "右", "C": "中"}[match[2]],
    ),
    Rule(re.compile(r"(?<=\d[秒米])\d\d(?![\d.])"), lambda match: say_digits(match[0])),
    Rule(
        re.compile(r"(?<=满)(\d{2,5})-(\d{1,4})(?![\d.])"),
        lambda match: f"{say_integer(match[1])}减{say_integer(match[2])}",
    ),
    Rule(re.compile(r"(?<=\d)w(?=\+?(?![A-Za-z0-9]))(?!\+?[A-Za-z])"), lambda match: "万"),
    Rule(
        re.compile(r"(?<![A-Za-z0-9])(?:Q([1-4])|([1-4])Q)(?![A-Za-z0-9])"),
        lambda match: f"第{say_integer(match[1] or match[2])}季度",
    ),
    Rule(
        re.compile(
            r"(?<![\d.])(?<!\d:)(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?"
            r" ?(?P<half>[AaPp])\.?[Mm]\.?(?![A-Za-z])"
        ),
        _half_day,
    ),
    Rule(re.compile(r"(?<=(?<![A-Za-z])C)\+\+"), lambda match: "加加"),
    Rule(re.compile(r"(?<=(?<![A-Za-z])[CF])#(?![A-Za-z0-9_#])"), lambda match: "井"),
    Rule(
        re.compile(r"(?<=[服用连续程])(\d{1,3}) ?d(?![A-Za-z])"),
        lambda match: f"{say_number(match[1], '天')}天",
    ),
    Rule(
        re.compile(
            r"(?<![\d./])(\d{2,3})/(\d{2,3})(?= ?(?:毫米汞柱|mmHg))"
            r"|(?<=血压)[:：为是 ]?(\d{2,3})/(\d{2,3})(?!\d)"
        ),
        lambda match: f"{say_integer(match[1] or match[3])}比{say_integer(match[2] or match[4])}",
    ),
    Rule(re.compile(r"(?<=[\u3400-\u9fff]) ?mmHg(?![A-Za-z])"), lambda match: "毫米汞柱"),
    Rule(
        re.compile(
            r"(?<![A-Za-z0-9)_.-])[.](?=(?:pdf|docx?|xlsx?|pptx?|txt|csv|zip|rar|jpe?g|png|mp[34]|exe|apk)(?![A-Za-z0-9_]))"
        ),
        lambda match: "点",
    ),
)
"""The rules before those for dates, in the order in which they are applied."""
