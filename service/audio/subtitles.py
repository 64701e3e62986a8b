"""Subtitles: words with their times as cues, and cues as SubRip or WebVTT."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from service.text.characters import SENTENCE_ENDS

SRT_MEDIA_TYPE = "application/x-subrip"
VTT_MEDIA_TYPE = "text/vtt"

# Where a spoken word starts and ends in the text, and when, in seconds.
_TimedWord = tuple[int, int, float, float]

_SENTENCE_END = re.compile(f"[{SENTENCE_ENDS}]")
_CLAUSE_END = re.compile(r"[,;:—–、，；：،؛]")
_ABBREVIATIONS = frozenset(
    {"mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "mme", "vs", "etc", "approx", "e.g", "i.e"}
)
"""Words whose full stop seldom ends a sentence, like that of single letters. If it does, two
sentences share a cue, which is better than a name cut in two."""


@dataclass(frozen=True)
class Cue:
    """Text that is shown from `start_s` to `end_s`."""

    start_s: float
    end_s: float
    text: str


def srt(cues: Sequence[Cue]) -> str:
    """Return cues as a SubRip file, of media type `SRT_MEDIA_TYPE`.

    Each cue is one line of text. SubRip has no escapes; only its arrow becomes `→`. A cue without
    text is left out, and no cues make an empty file.

    Raises:
        ValueError: a time is negative or NaN, or the cues are not in order.
    """
    blocks = _blocks(cues, ",", lambda text: text.replace("-->", "→"))
    return "".join(f"{number}\n{block}\n\n" for number, block in enumerate(blocks, start=1))


def vtt(cues: Sequence[Cue]) -> str:
    """Return cues as a WebVTT file, of media type `VTT_MEDIA_TYPE`; encode it as UTF-8.

    Each cue is one line of text, with `&`, `<` and `>` escaped. A cue without text is left out, and
    no cues make a file of only the header.

    Raises:
        ValueError: a time is negative or NaN, or the cues are not in order.
    """
    return "WEBVTT\n" + "".join(f"\n{block}\n" for block in _blocks(cues, ".", _escape))


_ASS_HEAD = """[Script Info]
ScriptType: v4.00+
WrapStyle: 0
PlayResX: 1280
PlayResY: 720

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, \
Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, \
Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,sans-serif,40,&H0000FFFF,&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,0,\
2,40,40,40,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


def ass(lines: Sequence[Sequence[Cue]]) -> str:
    """Return lines of words as a file of Advanced SubStation Alpha, in which each word lights up.

    Args:
        lines: the words of each, in order.
    """
    events = []
    for words in lines:
        shown = [(word, _fold(word.text)) for word in words]
        shown = [(word, text) for word, text in shown if text]
        if not shown:
            continue
        # Each word counts from the one before, so the places in time are rounded, not the lengths.
        starts = [round(word.start_s * 100) for word, _ in shown]
        ends = [*starts[1:], max(round(shown[-1][0].end_s * 100), starts[-1] + 1)]
        text = " ".join(
            f"{{\\k{end - start}}}{_without_codes(text)}"
            for start, end, (_, text) in zip(starts, ends, shown, strict=True)
        )
        events.append(
            f"Dialogue: 0,{_ass_time(starts[0])},{_ass_time(ends[-1])},Default,,0,0,0,,{text}\n"
        )
    return _ASS_HEAD + "".join(events)


def _ass_time(hundredths: int) -> str:
    seconds, hundredths = divmod(hundredths, 100)
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}.{hundredths:02}"


def _without_codes(text: str) -> str:
    """Return a text without what begins codes there; there is no way to write it."""
    return text.replace("\\", "⧵").replace("{", "(").replace("}", ")")


def cues_of_words(
    words: Sequence[tuple[int, int, float, float]],
    text: str,
    *,
    max_characters: int = 80,
    max_duration_s: float = 6.0,
    max_gap_s: float = 1.0,
) -> list[Cue]:
    """Group words into cues that can be read along.

    A cue ends at the end of a sentence and before a long silence. One that would be too long ends
    at its last comma or similar mark, or after as many words as fit. Only a single word may be
    longer than the limits. Cues do not overlap.

    Args:
        words: offsets of each word's start and end in the text, and its start and end in seconds;
            in order by both. Parts of the same word count as one.
        text: the text of the offsets. A cue shows it from its first word to its last, with the
            marks around them, and with white space folded; nothing between words is lost.
        max_characters: of a cue's text; subtitles usually have two lines of 40.
        max_duration_s: of a cue.
        max_gap_s: longest silence within a cue.
    """
    words = _merge_parts(words)
    shown = _attach_marks(words, text)
    cues: list[Cue] = []
    first = 0
    for end in _sentence_ends(words, shown, text, max_gap_s):
        while first < end:
            fitting = first + 1
            while fitting < end and (
                words[fitting][3] - words[first][2] <= max_duration_s
                and len(_fold(text[shown[first][0] : shown[fitting][1]])) <= max_characters
            ):
                fitting += 1
            stop = fitting if fitting == end else _clause_end(words, shown, text, first, fitting)
            start_s, end_s = words[first][2], words[stop - 1][3]
            if stop < len(words):
                end_s = min(end_s, words[stop][2])
            cue_text = _fold(text[shown[first][0] : shown[stop - 1][1]])
            cues.append(Cue(start_s, max(start_s, end_s), cue_text))
            first = stop
    return cues


def _merge_parts(words: Sequence[_TimedWord]) -> list[_TimedWord]:
    """Merge words that overlap in the text."""
    merged: list[_TimedWord] = []
    for start, end, start_s, end_s in words:
        if merged and start < merged[-1][1]:
            earlier = merged.pop()
            start, start_s = earlier[0], earlier[2]
            end, end_s = max(end, earlier[1]), max(end_s, earlier[3])
        merged.append((start, end, start_s, end_s))
    return merged


def _attach_marks(words: Sequence[_TimedWord], text: str) -> list[tuple[int, int]]:
    """Return start and end of each word with the marks around it."""
    if not words:
        return []
    before = words[0][0]
    while before > 0 and not text[before - 1].isalnum():
        before -= 1
    after = words[-1][1]
    while after < len(text) and not text[after].isalnum():
        after += 1
    # Unspoken words before the first and after the last belong to other cues, with their marks.
    cuts = [_cut(text, before, words[0][0]) if before else 0]
    cuts += [_cut(text, word[1], other[0]) for word, other in itertools.pairwise(words)]
    cuts += [_cut(text, words[-1][1], after) if after < len(text) else after]
    return list(itertools.pairwise(cuts))


def _cut(text: str, start: int, end: int) -> int:
    """Return where, between two words, the marks of the first end and those of the second begin.

    That is the last white space; without any, opening quotes and brackets go to the second.
    """
    for place in range(end, start, -1):
        if text[place - 1].isspace():
            return place
    place = end
    while place > start and unicodedata.category(text[place - 1]) in ("Ps", "Pi"):
        place -= 1
    return place


def _sentence_ends(
    words: Sequence[_TimedWord], shown: Sequence[tuple[int, int]], text: str, max_gap_s: float
) -> list[int]:
    """Return the numbers of the words that begin a sentence or follow a silence, and the count."""
    ends = []
    for number, (word, other) in enumerate(itertools.pairwise(words), start=1):
        marks = text[word[1] : shown[number - 1][1]]
        spoken = text[word[0] : word[1]]
        abbreviated = marks.strip() == "." and (
            len(spoken) == 1 or spoken.casefold() in _ABBREVIATIONS
        )
        is_end = _SENTENCE_END.search(marks) is not None and not abbreviated
        if is_end or other[2] - word[3] > max_gap_s:
            ends.append(number)
    return [*ends, len(words)] if words else []


def _clause_end(
    words: Sequence[_TimedWord],
    shown: Sequence[tuple[int, int]],
    text: str,
    first: int,
    fitting: int,
) -> int:
    """Return the number after the last word before `fitting` that ends a clause, or `fitting`."""
    for stop in range(fitting, first, -1):
        if _CLAUSE_END.search(text[words[stop - 1][1] : shown[stop - 1][1]]):
            return stop
    return fitting


def _blocks(cues: Sequence[Cue], separator: str, escape: Callable[[str], str]) -> list[str]:
    """Return the lines of times and text of each cue."""
    blocks = []
    previous_s = 0.0
    for cue in cues:
        if not (previous_s <= cue.start_s <= cue.end_s < math.inf):
            raise ValueError(f"the times of a cue are not in order: {cue.start_s} to {cue.end_s} s")
        previous_s = cue.start_s
        text = escape(_fold(cue.text))
        if text:
            start_ms = round(cue.start_s * 1000)
            # WebVTT: the end must be greater than the start.
            end_ms = max(round(cue.end_s * 1000), start_ms + 1)
            times = f"{_time(start_ms, separator)} --> {_time(end_ms, separator)}"
            blocks.append(f"{times}\n{text}")
    return blocks


def _time(milliseconds: int, separator: str) -> str:
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{separator}{milliseconds:03}"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _fold(text: str) -> str:
    return " ".join(text.split())
