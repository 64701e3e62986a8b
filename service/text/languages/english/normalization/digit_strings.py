"""Numbers that are read digit by digit or in pairs, by their context: codes, PINs, flights."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_after,
    text_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_SECRET = re.compile(
    r"\b(?:PIN|pin|OTP|otp|CVV|CVC|cvv|[Pp]asscode|[Pp]assword|[Pp]assphrase|[Cc]ode"
    r"|CODE|SKU|SSN|[Tt]racking"
    r"|[Cc]onfirmation|[Rr]eference|[Mm]embership|[Ll]icen[cs]e|[Ss]erial|[Bb]adge"
    r"|[Tt]icket|[Ii]nvoice|[Oo]rder"
    r"|[Aa]ccount|ZIP|[Zz]ip|[Pp]ostcode|[Pp]ostal code|[Tt]oken|[Pp]olicy|[Cc]laim"
    r"|[Cc]ase|[Bb]ooking|MRN|NPI"
    r"|[Cc]ombination|[Ll]ocker|[Mm]eeting|[Pp]ager|[Ee]nding|[Ee]nds|[Pp]ort|UPC|EAN"
    r"|[Ii]d|ID)(?:[ ](?:is|was|no\.?|number|code|id|ID"
    r"|in|with|#|number is|of|for[ ]today[ ]is|PIN|again)){0,2}[:#]?[ ]?#?\Z"
)
_STRING = re.compile(
    rf"(?P<sign>#[ ]?)?(?P<number>{FIRST_DIGIT}[0-9]{{2,11}})(?![\w%°$€£]|[.,:/-]?[0-9])"
)
_COUNTED = re.compile(
    r"[ ](?:points?|times?|people|items?|lines?|days?|hours?|minutes?|seconds?"
    r"|dollars?|miles?|units?|copies"
    r"|words?|characters?|years?|pages?|orders?|tickets?|percent|million|billion|thousand)(?!\w)"
)
_ROUND = re.compile(r"[1-9][0-9]?0{2,}\Z")
_SHORT_CODE = re.compile(
    r"\b(?:[Tt]ext|TEXT|SMS|[Ss]end|[Rr]eply|[Rr]espond|REPLY)(?:[ ]with)?[ ]"
    r"(?:[A-Z]{2,10}|[\"“'][\w ]{1,16}[\"”'])[ ]to[ ]\Z"
)
_EMERGENCY = re.compile(
    r"\b(?:[Cc]all|[Dd]ial|[Rr]ing|[Pp]hone|[Tt]ext|[Cc]alled|[Dd]ialed"
    r"|[Ee]mergency)\b[^.!?]{0,30}\Z"
)
_EMERGENCY_NUMBERS = word_set("911 999 112 000 111 101 119 110 988 211 311 411 511 611 711 811 116")
_HTTP_AFTER = re.compile(
    r"(?:s(?!\w))?(?:[ ](?:error|errors|response|status|page|not found|Not Found"
    r"|Internal|Forbidden|Unauthorized|Bad|OK"
    r"|Service|Too|Gateway|redirect|Created|Moved)(?!\w))"
)
_HTTP_NUMBER = re.compile(
    rf"(?P<number>{FIRST_DIGIT}(?<=[1-5])[0-9]{{2}})(?P<many>s?)(?![\w%°$€£]|[.,:/-]?[0-9])"
)
_MODEL = re.compile(
    r"\b(?P<name>RTX|GTX|RX|Ryzen [3579]|Core i[3579]|Radeon|GeForce|Arc|XPS|ThinkPad"
    r"|PowerEdge|Boeing|Airbus"
    r"|Nikon|Canon|Model|Galaxy|Xeon|Threadripper|EPYC|MiG|Nokia|BMW|Peugeot|Porsche"
    r"|Subaru|Ferrari|Intel|AMD)"
    r"[ ](?P<number>[0-9]{3,4})(?P<more>0?)(?![\w%°$€£]|[.,:/-]?[0-9])"
)
_MILITARY = re.compile(
    rf"(?P<hour>{FIRST_DIGIT}[0-9])(?P<minute>[0-5][0-9])(?=[ ]?(?:hours|hrs|h|Z|UTC"
    rf"|Zulu|local|GMT)(?!\w))"
)
_MILITARY_BEFORE = re.compile(
    r"\b(?:at|by|from|until|to|before|after|around|NLT|since|between|and)[ ]\Z", re.IGNORECASE
)
_LEADING_ZERO = re.compile(
    r"(?P<hour>0(?<![\w.,/:-]0)[0-9])(?P<minute>[0-5][0-9])(?![\w%°]|[.,:/-]?[0-9])"
)
_AIRLINE = re.compile(
    r"\b(?P<lead>[Ff]lights?[ ])(?P<line>(?=[A-Z0-9]*[A-Z])[A-Z0-9]{2}"
    r"|[A-Z]{3})[ ]?(?P<number>[0-9]{1,4})(?![\w])"
)
_AIRLINE_NAMED = re.compile(
    r"\b(?P<line>United|Delta|American|Southwest|JetBlue|Alaska|Lufthansa|Emirates"
    r"|Qantas|Ryanair|British Airways|Air France"
    r"|Malaysia|Singapore|KLM)[ ](?P<number>[0-9]{3,4})(?=[ ](?:to|from|is|was|has"
    r"|departs|arrives|boards|lands)(?!\w))"
)
_CARRIER = re.compile(
    r"\b(?P<line>UA|AA|DL|BA|LH|AF|WN|B6|QF|EK|SQ|KL|QR|TK|VS|AC|NH|JL|CX|EY|IB|LX|FR|U2)[ ]"
    r"(?P<number>[0-9]{3,4})(?=[ ](?:to|from|is|was|departs|arrives|boards|boarding"
    r"|lands|dep|arr|at|on|delayed|cancel+ed)(?!\w))"
)
_DOCKET = re.compile(
    rf"(?P<year>{FIRST_DIGIT}[0-9]?)-(?P<number>[0-9]{{2,5}})(?P<tail>(?:-[A-Z]{{2,4}})?)(?![\w]"
    rf"|[-.,/:]?[0-9])"
)
_DOCKET_BEFORE = re.compile(
    r"\b(?:[Dd]ocket|[Cc]ase|[Nn]os?|[Nn]umbers?|[Cc]ause|[Cc]ivil|[Aa]ction"
    r"|[Ii]ndictment|[Ff]ile)\b\.?:?[ ]?#?\Z"
)
_ROOM = re.compile(
    r"\b(?:room|suite|apartment|unit|ward|locker|cabin|gate|bed|studio|rm\.?)[ ]#?\Z", re.IGNORECASE
)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for strings of digits. They come before years and all other numbers."""

    def string(match: re.Match[str]) -> str | None:
        number, before, after = match["number"], text_before(match), text_after(match)
        if _SHORT_CODE.search(before):
            return numbers.spelled(number)
        if number in _EMERGENCY_NUMBERS and _EMERGENCY.search(before) and not _COUNTED.match(after):
            return numbers.spelled(number)
        if _COUNTED.match(after):
            return None
        # `port 443`, `case 200` stay numbers; codes have four digits and more.
        found = _SECRET.search(before)
        if found is None:
            return None
        word = found[0].lower()
        if word.startswith(
            ("port", "case", "order", "ticket", "meeting", "ends", "claim", "policy")
        ):
            if len(number) < 5:
                return None
        elif (
            word.startswith(("reference", "account", "id", "code"))
            and len(number) < 4
            and number[0] != "0"
        ):
            return None
        if _ROUND.match(number) and word.startswith(("code", "account", "order")):
            return None
        return ("number " if match["sign"] else "") + numbers.spelled(number)

    def http(match: re.Match[str]) -> str | None:
        before, after = text_before(match), text_after(match)
        number = match["number"]
        if not (
            _HTTP_AFTER.match(after)
            or re.search(r"HTTP[: ]+\Z|\bstatus(?: code)?(?: of)?[: ]+\Z", before)
        ):
            return None
        if re.match(r" (?:error|response|page|status)", after) and int(number) not in _STATUSES:
            return None
        words = numbers.cardinal(number) if number.endswith("00") else numbers.paired(number)
        return words + match["many"]

    def model(match: re.Match[str]) -> str | None:
        return f"{match['name']} {numbers.paired(match['number'])}"

    def military(match: re.Match[str]) -> str | None:
        if int(match["hour"]) > 24:
            return None
        return clock(match)

    def clock(match: re.Match[str]) -> str:
        hour, minute = match["hour"], match["minute"]
        said = numbers.cardinal(hour) if hour[0] != "0" else f"oh {numbers.cardinal(hour[1])}"
        if hour == "00":
            said = "zero"
        if minute == "00":
            return f"{said} hundred"
        small = (
            f"oh {numbers.cardinal(minute[1])}" if minute[0] == "0" else numbers.cardinal(minute)
        )
        return f"{said} {small}"

    def leading(match: re.Match[str]) -> str | None:
        if int(match["hour"]) > 9 or not _MILITARY_BEFORE.search(text_before(match)):
            return None
        return clock(match)

    def airline(match: re.Match[str]) -> str:
        return f"{match['lead']}{match['line']} {numbers.paired(match['number'])}"

    def docket(match: re.Match[str]) -> str | None:
        if _DOCKET_BEFORE.search(text_before(match)) is None:
            return None
        number = match["number"]
        said = numbers.paired(number) if len(number) < 5 else numbers.spelled(number)
        return f"{numbers.cardinal(match['year'])}, {said}{match['tail']}"

    def room(match: re.Match[str]) -> str | None:
        if _ROOM.search(text_before(match)) is None or len(match["number"]) > 4:
            return None
        return numbers.paired(match["number"])

    return (
        Rule(_CARRIER, lambda match: f"{match['line']} {numbers.paired(match['number'])}"),
        Rule(_DOCKET, docket),
        Rule(_AIRLINE, airline),
        Rule(
            _AIRLINE_NAMED,
            lambda match: f"{match['line']} {numbers.paired(match['number'])}",
        ),
        Rule(_MODEL, model),
        Rule(_MILITARY, military),
        Rule(_LEADING_ZERO, leading),
        Rule(_HTTP_NUMBER, http),
        Rule(_STRING, room),
        Rule(_STRING, string),
    )


_STATUSES = frozenset(
    (200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308,
     400, 401, 402, 403, 404, 405, 406, 408, 409,
     410, 412, 413, 415, 418, 422, 425, 426, 429, 431, 451,
     500, 501, 502, 503, 504, 505, 507, 508, 511)
)  # fmt: skip
