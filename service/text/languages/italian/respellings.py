"""What espeak-ng misreads in Italian, and what it is to read instead."""

from __future__ import annotations

import re

from service.text.languages.language import Respell

_TENS = "vent|trent|quarant|cinquant|sessant|settant|ottant|novant"
_NUMERAL = re.compile(
    r"\b(?:(?:un|due|tr[eé]|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici"
    rf"|quindici|sedici|diciassette|diciotto|diciannove|(?:{_TENS})[ai]?|cent[oi]?|mille|mila)(?=\w)){{1,9}}"
    r"(?:uno|un|due|tr[eé]|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici"
    rf"|quindici|sedici|diciassette|diciotto|diciannove|(?:{_TENS})[ai]|cento|mila)\b",
    re.IGNORECASE,
)
_PARTS = (
    (re.compile(r"cent(?=ott)", re.IGNORECASE), "cento "),
    (re.compile(r"(mille|mila|cento)(?=\w)", re.IGNORECASE), r"\1 "),
    (re.compile(r"(?<=nta)(?=sett|seimila)", re.IGNORECASE), "-"),
)


def _apart(match: re.Match[str]) -> str:
    """Return a numeral as several words.

    One long word would have only one stress, and espeak-ng voices an s between vowels.
    """
    written = match[0]
    for pattern, words in _PARTS:
        written = pattern.sub(words, written)
    return written


RESPELLINGS: tuple[tuple[re.Pattern[str], Respell], ...] = ((_NUMERAL, _apart),)
"""Applied in order."""
