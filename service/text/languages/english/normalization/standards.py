"""Numbers of standards, which are names: `ISO 9001:2015`, `RFC 2119`, `802.11ac`."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_BODIES = (
    r"(?:ISO|IEC|IEEE|ANSI|BS|DIN|EN|NF|JIS|GB/T|ASTM|ASME|SAE|UL|CSA|AS/NZS|NFPA|ETSI|ITU-T|NIST"
    r"|RFC|FIPS|CEN|TS|TR|PAS|MIL-STD)"
)
_TOGETHER = re.compile(
    r"\b(?:BS|DIN|NF|ISO|IEC|IEEE|EN|ANSI|CEN)(?:/(?:ISO|IEC|IEEE|TS|TR|ASTM|CEN))+(?![\w/])"
)
_YEAR = re.compile(
    rf"(?P<name>\b{_BODIES}[ -]?[A-Z]?[0-9]{{2,6}}(?:-[0-9]{{1,3}})?):(?P<year>(?:19|20)[0-9]{{2}})"
    r"(?![\w:])"
)
_NUMBER = re.compile(
    rf"(?P<body>\b{_BODIES}[ -])(?P<number>[1-9][0-9]{{2,3}})(?![\w%°]|[.,/-]?[0-9])"
)
_WIRELESS = re.compile(r"\b802\.(?P<part>[0-9]{1,2})(?P<letters>[a-z]{0,2}|X)(?!\w)")
_APERTURE = re.compile(r"(?<![\w/])(?P<letter>[fƒ])/(?=[0-9]{1,2}(?:\.[0-9])?(?![\w/]))")


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for standards. They come before those for times and numbers."""

    def number(match: re.Match[str]) -> str | None:
        digits = match["number"]
        # `ISO 9001` is nine thousand one, `ISO 8601` eighty-six oh one.
        if len(digits) == 4 and digits[1:3] == "00":
            return None
        return match["body"] + numbers.paired(digits)

    def wireless(match: re.Match[str]) -> str:
        letters = f" {match['letters'].upper()}" if match["letters"] else ""
        return f"eight oh two point {numbers.cardinal(match['part'])}{letters}"

    return (
        Rule(_TOGETHER, lambda match: match[0].replace("/", " ")),
        Rule(_YEAR, lambda match: f"{match['name']}, {numbers.year(match['year'])}"),
        Rule(_NUMBER, number),
        Rule(_WIRELESS, wireless),
        Rule(_APERTURE, lambda match: "f "),
    )
