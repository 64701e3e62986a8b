"""Find punctuation, and put it back between the phonemes.

espeak-ng drops punctuation, but Kokoro was trained with it and takes pauses and melody from it. So
the text is split into words and marks, the words become phonemes, and the marks are put back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from service.text.characters import WRAPPED_LINE
from service.text.offset_mapping import TracedText
from service.text.scripts import is_written_solid
from service.text.spans import Override, Span

_OPENING = frozenset("(“")
_CLOSING = frozenset(";:,.!?…)”")
_DASH = "—"
# A line that ends with one of these needs no full stop. Quotes or brackets may close after it.
_PAUSES = frozenset(";:,.!?…—")


# Marks of other scripts and styles. A full stop of a script without spaces gets a space, so that it
# does not look like the dot in `example.com`.
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

_WITHOUT_WORDS = frozenset(_MARKS) | frozenset(map(ord, ";:,.!?…—-()\"“”'‘’„‘‚"))
"""Marks that shape a sentence, quote or join, and have no word of their own."""

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'"})

_WORD_AFTER = r"(?=[^\W_]|[-+$£€¥]\d)"

# A single quote opens before a word and closes after one. All others are apostrophes. Few words
# start with an apostrophe.
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

_TITLE = rf"\b(?:{_SOLID_TITLES})\."
_NUMBER_SIGN = rf"\b(?:{_BEFORE_NUMBER})\."
_INITIAL = r"\b[A-HJ-Z]\."
_DOTTED = rf"\b(?:[^\W\d_]\.){{2,}} | \b(?:{_OPEN_ENDED})\."

_TOKEN = re.compile(
    rf"""
    (?P<line>[^\S\n]*\n\s*)
  | (?P<space>\s+)
  | (?P<url>(?:https?://|www\.)\S*[^\s;:,.!?…—"“”()'])
  | (?P<number>\d+(?:[.,:]\d+)+ | (?<!\S)[.,]\d+)
  | (?P<title>{_TITLE} | {_NUMBER_SIGN}(?=\s*\d))
  | (?P<initial>{_INITIAL}(?=\s+[A-Z]))
  | (?P<dotted>{_DOTTED})
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

# Words before white space that are, or may be, abbreviations.
_ABBREVIATION = re.compile(
    rf"(?: (?P<title>{_TITLE}) | (?P<number>{_NUMBER_SIGN}) | (?P<initial>{_INITIAL})"
    rf" | (?P<dotted>{_DOTTED}) )\Z",
    re.VERBOSE,
)
_BEFORE_WORD = " \n\t"
_NUMBER_NEXT = re.compile(r"\s*\d")
_CAPITAL_NEXT = re.compile(r"\s+[A-Z]")
_NOTHING_NEXT = re.compile(r"[”\"’')]*\s*[“\"‘'(]*\Z")


def has_no_words(character: str) -> bool:
    """Tell whether a character only shapes a sentence: a pause, a quote, a bracket, a hyphen."""
    return all(ord(plain) in _WITHOUT_WORDS for plain in unicodedata.normalize("NFKC", character))


def split(text: TracedText, overrides: Sequence[Override] = ()) -> list[Span]:
    """Split cleaned text into words and marks, in order.

    The words of an override form their own span.

    Dots, commas and colons inside numbers, abbreviations, initials, times and addresses stay with
    the words, as do apostrophes and hyphens. Quotes become curly, brackets round and dashes long;
    repeated marks become one. A line without final punctuation ends a sentence, unless the next
    line starts with a small letter or the lines look wrapped at a column. A blank line always ends
    a sentence. A dash at the start of a line (an item, a speaker) is dropped: nobody reads it
    aloud.
    """
    text = _curl_single_quotes(text.translate(_MARKS).stripped())
    return _Splitter(text.translate(_APOSTROPHES), overrides).spans()


def ends_sentence(text: str, end: int, *, is_whole: bool) -> bool | None:
    """Tell whether the dot before `end` is a full stop. White space follows it.

    The dots of `Dr.`, of `J.` before a name and of `etc.` inside a sentence are not. Returns None
    if more text is needed to decide; with `is_whole` there is no more.
    """
    start = max(text.rfind(character, 0, end) for character in _BEFORE_WORD) + 1
    match = _ABBREVIATION.search(text[start:end])
    if match is None:
        return True
    if match.lastgroup == "title":
        return False
    if not is_whole and _NOTHING_NEXT.match(text, end):
        return None
    if match.lastgroup == "number":
        return _NUMBER_NEXT.match(text, end) is None
    if match.lastgroup == "initial":
        return _CAPITAL_NEXT.match(text, end) is None
    return _ends_with_abbreviation(text, match[0], end)


def space(phonemes: Iterable[str], spans: Iterable[Span]) -> list[str]:
    """Return each span's phonemes, spaced as in print: `a (b), “c” — d.`.

    A span without phonemes returns nothing. Neither does a mark that repeats the one before it
    because the words between them are silent.
    """
    spaced: list[str] = []
    last: Span | None = None
    for said, span in zip(phonemes, spans, strict=True):
        before = last.text.text if last is not None and last.is_mark else ""
        if not said or (span.is_mark and said == before):
            spaced.append("")
            continue
        goes_on = last is not None and _goes_on(last, span)
        attached = before in _OPENING or (span.is_mark and said in _CLOSING)
        spaced.append(said if last is None or goes_on or attached else " " + said)
        last = span
    return spaced


def _goes_on(last: Span, span: Span) -> bool:
    """Tell whether a word continues from one span to the next."""
    if last.is_mark or span.is_mark or not span.joined:
        return False
    return not is_written_solid(last.text.text[-1] + span.text.text[0], 1)


def _ends_with_abbreviation(text: str, abbreviation: str, end: int) -> bool:
    """Tell whether the dot of an abbreviation also ends its sentence."""
    if _SENTENCE_ENDS_HERE.match(text, end):
        return True
    # `the U.S. Army` continues; `at 7 p.m. The` and `etc. The` do not.
    return (
        abbreviation.islower()
        and abbreviation not in ("e.g.", "i.e.")
        and _SENTENCE_STARTS_NEXT.match(text, end) is not None
    )


def _curl_single_quotes(text: TracedText) -> TracedText:
    """Turn single quotes around quotations into double ones. Apostrophes stay."""
    matches = list(_SINGLE_QUOTED.finditer(text.text))
    if not matches:
        return text
    characters = list(text.text)
    for match in matches:
        characters[match.start()] = "“"
        characters[match.end() - 1] = "”"
    return text.respelled(characters)


class _Splitter:
    """One pass over one text."""

    def __init__(self, text: TracedText, overrides: Sequence[Override]) -> None:
        self._source = text
        self._text = text.text
        self._spans: list[Span] = []
        # Where the words with overrides are.
        self._settled = [
            (*text.within(override.start, override.end), override) for override in overrides
        ]
        self._quote_is_open = False
        # Where the words start that are not in a span yet, and the index of the line's first span.
        self._words_start = 0
        self._line_start = 0

    def spans(self) -> list[Span]:
        for match in _TOKEN.finditer(self._text):
            if self._settled:
                at = match.start()
                if any(start <= at < end for start, end, _ in self._settled):
                    continue
            kind = match.lastgroup
            if kind == "line":
                self._end_line(match)
            elif kind == "dotted":
                if _ends_with_abbreviation(self._text, match[0], match.end()):
                    self._flush(match.end())
                    self._mark(".", match.end() - 1, match.end())
            elif kind == "ellipsis":
                self._mark("…", *match.span())
            elif kind == "sentence":
                self._mark(".", *match.span())
            elif kind == "dash":
                if self._is_line_start(match.start()):
                    self._words_start = match.end()
                else:
                    self._mark(_DASH, *match.span())
            elif kind == "quote":
                self._quote(match)
            elif kind == "mark":
                self._mark(self._direct(match[0]), *match.span())
        self._flush(len(self._text))
        return self._spans

    def _flush(self, end: int) -> None:
        """Make spans of the words up to `end`. Words of an override get their own."""
        for first, last, override in self._settled:
            if self._words_start <= first < last <= end:
                self._add_words(first)
                self._add_words(last, override)
        self._add_words(end)

    def _add_words(self, end: int, override: Override | None = None) -> None:
        start = self._words_start
        words = self._source[start:end]
        apart = start == 0 or any(near.isspace() for near in self._text[start - 1 : start + 1])
        self._words_start = end
        words = words.folded()
        if words:
            self._spans.append(Span(words, override=override, joined=not apart))

    def _mark(self, mark: str, start: int, end: int) -> None:
        self._flush(start)
        self._words_start = end
        last = self._spans[-1] if self._spans else None
        repeated = last is not None and last.is_mark and last.text.text == mark
        if not repeated or mark in "()“”":
            self._spans.append(Span(self._source[start:end].rewritten(mark), is_mark=True))

    def _is_line_start(self, position: int) -> bool:
        """Tell whether this line has no word and no mark yet."""
        words = self._text[self._words_start : position]
        return not words.strip() and len(self._spans) == self._line_start

    def _quote(self, match: re.Match[str]) -> None:
        """Give a straight quote its direction; `„` always opens."""
        before = self._text[match.start() - 1] if match.start() else " "
        after = self._text[match.end()] if match.end() < len(self._text) else " "
        if before.isdigit() and not self._quote_is_open:
            # Inches, which espeak-ng does not read: 5'10" tall.
            return
        is_beside_space = before.isspace() != after.isspace()
        opens = before.isspace() if is_beside_space else not self._quote_is_open
        self._quote_is_open = opens or match[0] == "„"
        self._mark("“" if self._quote_is_open else "”", *match.span())

    def _direct(self, mark: str) -> str:
        """Track open curly quotes; `“` closes what `„` opened."""
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
        if not is_blank and (next_character.islower() or len(line) in WRAPPED_LINE):
            return
        self._flush(match.start())
        if len(self._spans) > self._line_start and not self._ends_with_pause():
            self._mark(".", *match.span())
        self._line_start = len(self._spans)
        if is_blank:
            self._quote_is_open = False

    def _ends_with_pause(self) -> bool:
        for span in reversed(self._spans):
            if not span.is_mark:
                return False
            if span.text.text in _PAUSES:
                return True
        return True
