"""Times of day."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import FIRST_DIGIT
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

# Includes the last dot, even if that also ends the sentence: the splitter knows such dots.
_HALF = r"[ \u00a0\u202f]?(?P<half>[aApP])\.?[mM](?!\w)\.?"

_STOPPED = re.compile(
    rf"(?P<minute>{FIRST_DIGIT}[0-9]?):(?P<second>(?!00)[0-5][0-9])\.(?P<tenths>[0-9]{{1,3}})(?![:\w])"
)
_FULL = re.compile(
    rf"(?P<hour>{FIRST_DIGIT}[0-9]?):(?P<minute>[0-5][0-9])"
    rf"(?::(?P<second>[0-5][0-9])(?:\.[0-9]+)?)?(?![:0-9]|[.,][0-9])(?:{_HALF})?"
)
_HOUR = re.compile(rf"(?P<hour>{FIRST_DIGIT}[0-9]?)(?:\.(?P<minute>[0-5][0-9]))?{_HALF}")

_SHORT = re.compile(
    rf"(?P<hour>{FIRST_DIGIT}[0-9]?)(?P<minute>:[0-5][0-9])?(?P<half>[ap])(?![\w'’])(?=\W|\Z)"
)
_SPAN_NEXT = re.compile(r"[ ]?(?:[-–]|to|until|til)[ ]?[0-9]{1,2}(?::[0-9]{2})?[ap](?!\w)")
_SPAN_BEFORE = re.compile(
    r"[0-9][ap](?:\.m\.)?[ ]?(?:[-–]|to|until|til)[ ]?\Z|m\.[ ](?:to|or|and)[ ]\Z"
)
_TIME_BEFORE = re.compile(r"\b(?:at|by|until|till|from|to|after|before|around|til|since|@)[ ]?\Z")
_HOUR_MARK = re.compile(rf"(?P<hour>{FIRST_DIGIT}[0-9]?)[hH](?P<minute>[0-5][0-9])(?![\w:])")


def short_rules() -> tuple[Rule, ...]:
    """Return the rules for `5:10p`, `10p–6a` and `11h05`. They write a longer form."""

    def short(match: re.Match[str]) -> str | None:
        before = match.string[max(0, match.start() - 12) : match.start()]
        after = match.string[match.end() : match.end() + 12]
        if int(match["hour"]) not in range(1, 13):
            return None
        certain = match["minute"] or _SPAN_NEXT.match(after) or _SPAN_BEFORE.search(before)
        if not certain and _TIME_BEFORE.search(before) is None:
            return None
        # The dot belongs to `p.m.`, and may end the sentence.
        stop = "" if after[:1] == "." else "."
        return f"{match['hour']}{match['minute'] or ''} {match['half']}.m{stop}"

    def hour_mark(match: re.Match[str]) -> str | None:
        return f"{match['hour']}:{match['minute']}" if int(match["hour"]) < 25 else None

    return (Rule(_HOUR_MARK, hour_mark), Rule(_SHORT, short))


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for times."""

    def write(match: re.Match[str]) -> str | None:
        groups = match.groupdict()
        half = f"{groups['half'].lower()}.m." if groups["half"] else ""
        return say(numbers, match["hour"], match["minute"] or "00", groups.get("second"), half=half)

    def stopped(match: re.Match[str]) -> str | None:
        words = say(numbers, match["minute"], match["second"])
        return words and f"{words} point {numbers.spelled(match['tenths'])}"

    return (Rule(_STOPPED, stopped), Rule(_FULL, write), Rule(_HOUR, write))


def say(
    numbers: Numbers, hour: str, minute: str, second: str | None = None, *, half: str = ""
) -> str | None:
    """Return a time in words, None if there is no such time.

    Args:
        numbers: writes the numbers.
        hour: 0 to 24.
        minute: two digits.
        second: two digits; None if there are none.
        half: `a.m.` or `p.m.`, as in the result.
    """
    if int(hour) > (12 if half else 24) or (half and int(hour) == 0):
        return None
    hours = numbers.cardinal(str(int(hour)))
    if int(hour) == 0 and minute == "00" and not second:
        return "midnight"
    if minute == "00":
        words = hours
        if not half:
            words += " o'clock" if 0 < int(hour) < 13 else " hundred"
    elif minute[0] == "0":
        words = f"{hours} oh {numbers.cardinal(minute[1])}"
    else:
        words = f"{hours} {numbers.cardinal(minute)}"
    if second is not None and int(second):
        count = numbers.cardinal(str(int(second)))
        words += f" and {count} second" + ("" if int(second) == 1 else "s")
    return f"{words} {half}" if half else words
