"""Tell punctuation from what only looks like it, and put it back between phonemes.

espeak-ng drops punctuation; Kokoro was trained with it and pauses and sings by it. So the text is
split into words and marks, the words become phonemes, and the marks go back where they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_OPENING = frozenset("(“")
_CLOSING = frozenset(";:,.!?…)”")
_DASH = "—"
# After one of these (and closing quotes or brackets) a line needs no full stop.
_PAUSES = frozenset(";:,.!?…—")


class Span(NamedTuple):
    """A stretch of text: words to be read, or one mark of the vocabulary."""

    text: str
    is_mark: bool


# Marks of other scripts and styles. A full stop of a script without spaces gets one, so that it
# is not taken for the dot inside `example.com`.
_MARKS = str.maketrans(
    {
        "。": ". ",
        "、": ", ",
        "।": ". ",
        "॥": ". ",
        "۔": ". ",
        "؟": "?",
        "،": ",",
        "؛": ";",
        "‽": "?!",
        "¿": "",
        "¡": "",
        "[": "(",
        "]": ")",
        "{": "(",
        "}": ")",
        "【": "(",
        "】": ")",
        "〔": "(",
        "〕": ")",
        "«": "“",
        "»": "”",
        "‹": "“",
        "›": "”",
        "‟": "“",
        "「": "“",
        "」": "”",
        "『": "“",
        "』": "”",
        "《": "“",
        "》": "”",
        "‚": "‘",
        "‛": "‘",
        "\u2010": "-",
        "\u2011": "-",
        "−": "-",  # the minus sign: espeak-ng reads the ASCII one before a number
        "‒": _DASH,
        "–": _DASH,
        "―": _DASH,
        "⸺": _DASH,
    }
)

_WORD_AFTER = r"(?=[^\W_]|[-+$£€¥]\d)"

# A single quote opens before a word and closes after one; everything else is an apostrophe. The
# words that start with an apostrophe are few.
_ELISION = r"(?!(?:tis|twas|twere|em|til|till|cause|n|bout|round|cos|\d0s)\b)"
_SINGLE_QUOTED = re.compile(
    rf"(?<![\w.!?…,’'])(?:‘|['’]{_ELISION}){_WORD_AFTER}"  # opens
    r"((?:[^\n'’‘]|(?<=\w)['’](?=\w))*?)"  # apostrophes inside words belong to the quotation
    r"(?<=[\w.,!?…])['’](?!\w)",
    re.IGNORECASE,
)

_SOLID_TITLES = (
    "Dr|Dra|Mr|Mrs|Ms|Mx|St|Ste|Mt|Prof|Profa|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Sr|Sra|Srta|Ud|Uds"
    "|Mme|Mlle|MM|Sig|Dott|vs|cf|ca|approx"
)
_BEFORE_NUMBER = "No|Nos|nos?|p|pp|vol|Vol|fig|Fig|ch|Ch|art|Art"
_OPEN_ENDED = "etc|Jr|Inc|Ltd|Co|Corp|al|Bros"

_TOKEN = re.compile(
    rf"""
    (?P<line>[^\S\n]*\n\s*)
  | (?P<space>\s+)
  | (?P<url>(?:https?://|www\.)\S*[^\s;:,.!?…—"“”()'])
  | (?P<number>\d+(?:[.,:]\d+)+ | (?<!\S)[.,]\d+)
  | (?P<title>\b(?:{_SOLID_TITLES})\. | \b(?:{_BEFORE_NUMBER})\.(?=\s*\d))
  | (?P<initial>\b[A-HJ-Z]\.(?=\s+[A-Z]))
  | (?P<dotted>\b(?:[^\W\d_]\.){{2,}} | \b(?:{_OPEN_ENDED})\.)
  | (?P<ellipsis>\.(?:\s*\.)+|…+)
  | (?P<sentence>(?<=[a-z])\.(?=[A-Z][a-z]))
  | (?P<inner>(?<=\w)\.(?=\w))
  | (?P<dash>-{{2,}}|—+|(?<!\S)-(?!\S))
  | (?P<quote>["„])
  | (?P<mark>[;:,.!?()“”])
  | (?P<word>[^\W\d_]+|\d+|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_SENTENCE_ENDS_HERE = re.compile(r"[”\"’')]*\s*(?:\n|\Z)")
_SENTENCE_STARTS_NEXT = re.compile(r"[”\"’')]*\s+[“\"‘'(]*[A-ZÀ-ÖØ-Þ]")

# A single line break inside a paragraph is a full stop after a title, an item or a verse, and
# nothing in a letter that was wrapped at a column. Wrapped lines are long but not very long.
_WRAPPED_LINE_CHARACTERS = range(55, 121)


def split(text: str) -> list[Span]:
    """Split cleaned text into words and marks, in order.

    Dots, commas and colons inside numbers, abbreviations, initials, times and addresses stay with
    the words, as do apostrophes and hyphens. Quotes become curly, brackets round, dashes long,
    runs of one mark single. A line that ends without punctuation ends a sentence, unless the next
    one goes on with a small letter or the lines look wrapped at a column; a blank line always
    does. A dash that starts a line (an item, a speaker) is dropped: nobody reads it.
    """
    text = text.translate(_MARKS).strip()
    text = _SINGLE_QUOTED.sub(r"“\1”", text)
    text = text.replace("’", "'").replace("‘", "'")
    return _Splitter(text).spans()


def join(spans: Iterable[Span]) -> str:
    """Return one line of the spans, marks spaced as in print: `a (b), “c” — d.`.

    A mark that repeats the one before it, because nothing was left between them, is written once.
    """
    out: list[str] = []
    last = ""
    for text, is_mark in spans:
        if not text or (is_mark and text == last):
            continue
        attached = not out or last in _OPENING or (is_mark and text in _CLOSING)
        out.append(text if attached else " " + text)
        last = text if is_mark else ""
    return "".join(out)


class _Splitter:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[Span] = []
        self._words: list[str] = []
        self._quote_is_open = False
        self._line_start = 0

    def spans(self) -> list[Span]:
        for match in _TOKEN.finditer(self._text):
            kind = match.lastgroup
            token = match[0]
            if kind == "line":
                self._end_line(match)
            elif kind == "space":
                self._words.append(" ")
            elif kind == "dotted":
                self._words.append(token)
                if self._ends_sentence(token, match.end()):
                    self._mark(".")
            elif kind == "ellipsis":
                self._mark("…")
            elif kind == "sentence":
                self._mark(".")
            elif kind == "dash":
                if not self._is_line_start():
                    self._mark(_DASH)
            elif kind == "quote":
                self._quote(token, match)
            elif kind == "mark":
                self._mark(self._direct(token))
            else:
                self._words.append(token)
        self._flush()
        return self._spans

    def _flush(self) -> None:
        words = " ".join("".join(self._words).split())
        self._words.clear()
        if words:
            self._spans.append(Span(words, False))

    def _mark(self, mark: str) -> None:
        self._flush()
        repeated = bool(self._spans) and self._spans[-1] == Span(mark, True)
        if not repeated or mark in "()“”":
            self._spans.append(Span(mark, True))

    def _is_line_start(self) -> bool:
        """Tell whether nothing was read or marked yet on this line."""
        return not "".join(self._words).strip() and len(self._spans) == self._line_start

    def _ends_sentence(self, abbreviation: str, end: int) -> bool:
        """Tell whether the dot of an abbreviation is the full stop of its sentence too."""
        if _SENTENCE_ENDS_HERE.match(self._text, end):
            return True
        # `the U.S. Army` goes on; `at 7 p.m. The` and `etc. The` do not.
        return (
            abbreviation.islower()
            and abbreviation not in ("e.g.", "i.e.")
            and _SENTENCE_STARTS_NEXT.match(self._text, end) is not None
        )

    def _quote(self, token: str, match: re.Match[str]) -> None:
        """Give a straight quote its direction; `„` always opens."""
        before = self._text[match.start() - 1] if match.start() else " "
        after = self._text[match.end()] if match.end() < len(self._text) else " "
        if before.isdigit() and not self._quote_is_open:
            # Inches, which espeak-ng leaves unsaid: 5'10" tall.
            self._words.append(token)
            return
        is_beside_space = before.isspace() != after.isspace()
        opens = before.isspace() if is_beside_space else not self._quote_is_open
        self._quote_is_open = opens or token == "„"
        self._mark("“" if self._quote_is_open else "”")

    def _direct(self, mark: str) -> str:
        """Follow the curly quotes; `“` closes what `„` opened."""
        if mark == "“":
            if self._quote_is_open and self._is_german:
                mark = "”"
            self._quote_is_open = mark == "“"
        elif mark == "”":
            self._quote_is_open = False
        return mark

    @property
    def _is_german(self) -> bool:
        return "„" in self._text

    def _end_line(self, match: re.Match[str]) -> None:
        is_blank = match[0].count("\n") > 1
        next_character = self._text[match.end() : match.end() + 1]
        line = self._text[self._text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if not is_blank and (next_character.islower() or len(line) in _WRAPPED_LINE_CHARACTERS):
            self._words.append(" ")
            return
        self._flush()
        if len(self._spans) > self._line_start and not self._ends_with_pause():
            self._mark(".")
        self._line_start = len(self._spans)
        if is_blank:
            self._quote_is_open = False

    def _ends_with_pause(self) -> bool:
        for text, is_mark in reversed(self._spans):
            if not is_mark:
                return False
            if text in _PAUSES:
                return True
        return True
