"""Subtitles: SubRip, WebVTT, the format of YouTube, and transcripts with bare times between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.text.document.lines.labels import label_at
from service.text.document.lines.line import Part
from service.text.document.lines.page import (
    FIRST_PERSON,
    Page,
    Row,
    ends_openly,
    ends_sentence,
    first_letter,
    is_shouted,
)

_CLOCK = r"(?:[0-9]{1,3}:)?[0-9]{1,2}:[0-9]{2}[.,][0-9]{1,3}"
_TIMING = re.compile(rf"{_CLOCK}(?:[ \t]*-->[ \t]*|,){_CLOCK}(?:[ \t]+[A-Za-z][A-Za-z0-9]*:\S+)*")
_BARE_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
_SOON = 60
"""A recording begins to speak within its first minute; a timetable starts later in the day."""
_HEADER = re.compile(r"WEBVTT(?:[ \t]|$)")
_COMMENT = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|$)")
_NUMBER = re.compile(r"[0-9]{1,6}")
_TAG = re.compile(
    r"""</?(?i:b|c|font|i|lang|rt|ruby|s|u|v)(?:[. \t][^<>]*)?>
      | <[0-9:.]+>          # when the next word is sung
      | \{\\[^{}]*\}        # a place on the screen
    """,
    re.VERBOSE,
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]+(?P<name>[^\s<>][^<>]*)>")
_OPENING = re.compile(r"(?:>{2,3}|-(?![0-9])|[–—](?=\s))[ \t]*(?=\S)")
_NEW_VOICE = ("[", "(", "♪", "#", "（", "【")
_GOES_ON = ("...", "…")


@dataclass(frozen=True, slots=True)
class _Cue:
    head: Sequence[Row]
    words: Sequence[Row]


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What a row of a cue says.

    Attributes:
        parts: speakers and text.
        text: the text without tags.
        is_new_voice: whether somebody else begins to speak, or a noise is described.
    """

    row: Row
    group: int
    parts: list[Part]
    text: str
    is_new_voice: bool


def claim_subtitles(page: Page) -> None:
    """Claim cues, with their numbers, times and settings, and the header and comments of WebVTT.

    A time with an arrow needs text right below it, and nothing but a number or an identifier right
    above it. Bare times need three of them in one block, from zero on.
    """
    if page.has_digits:
        cues = list(_cues(page))
        if any(cue.words for cue in cues):
            _claim_comments(page, cues)
            _claim_cues(page, cues)
        _claim_bare_times(page)
    _claim_voices(page)


def _cues(page: Page) -> Iterator[_Cue]:
    """Yield each cue of a file of subtitles."""
    rows = page.rows
    has_header = any(_HEADER.match(row.bare) for row in rows)
    timings = [
        row.index for row in rows if _TIMING.fullmatch(row.bare) is not None and page.is_free(row)
    ]
    used = 0
    for timing, following in zip(timings, (*timings[1:], len(rows)), strict=False):
        first = timing
        if timing > used and rows[timing - 1].bare:
            above = rows[timing - 1]
            is_top = timing - 1 == used or not rows[timing - 2].bare
            if not (_NUMBER.fullmatch(above.bare) or (has_header and is_top)):
                continue
            first -= 1
        end = timing + 1
        while end < following and rows[end].bare and page.is_free(rows[end]):
            end += 1
        # The number of the next cue, where no blank row stands between.
        if end == following and end < len(rows) and _NUMBER.fullmatch(rows[end - 1].bare):
            end = max(end - 1, timing + 1)
        used = end
        yield _Cue(rows[first : timing + 1], rows[timing + 1 : end])


def _claim_comments(page: Page, cues: Sequence[_Cue]) -> None:
    """Claim the header of WebVTT, and comments, styles and regions between it and the last cue."""
    last = cues[-1].head[0].index
    inside = False
    opener = _HEADER
    for row in page.rows[:last]:
        if not row.bare or _TIMING.fullmatch(row.bare):
            inside = False
        elif row.index == 0 or not page.rows[row.index - 1].bare:
            inside = opener.match(row.bare) is not None
            if inside:
                opener = _COMMENT
                group = page.new_group()
        if inside and row.bare and page.is_free(row):
            page.claim(row, "cue", (), group)


def _claim_cues(page: Page, cues: Sequence[_Cue]) -> None:
    spoken = []
    for cue in cues:
        group = page.new_group()
        for row in cue.head:
            page.claim(row, "cue", (), group, pause=False)
        spoken += [_spoken(row, group) for row in cue.words]
    for one, following in zip(spoken, (*spoken[1:], None), strict=True):
        pause = following is None or _pauses_between(one, following)
        page.claim(one.row, "cue", one.parts, one.group, pause)


def _spoken(row: Row, group: int) -> _Spoken:
    """Take the tags and the marks of a dialogue out of a row."""
    opening = _OPENING.match(row.bare)
    place = opening.end() if opening else 0
    parts = []
    speaks = bool(opening)
    label = label_at(row.bare) if not opening else None
    if label and label.is_shouted:
        parts.append(row.part("speaker", label.start, label.end))
        place = label.behind
        speaks = True
    for tag in _TAG.finditer(row.bare, place):
        parts.append(row.part("text", place, tag.start()))
        voice = _VOICE.fullmatch(tag[0])
        if voice:
            start = tag.start() + voice.start("name")
            parts.append(row.part("speaker", start, tag.end() - 1))
            speaks = True
        place = tag.end()
    parts.append(row.part("text", place))
    text = " ".join(
        row.bare[part.start - row.left : part.end - row.left]
        for part in parts
        if part.role == "text"
    ).strip()
    return _Spoken(row, group, parts, text, speaks or text.startswith(_NEW_VOICE))


def _pauses_between(above: _Spoken, below: _Spoken) -> bool:
    """Tell whether a sentence or a speaker ends between two rows; sentences often span cues."""
    if below.is_new_voice or ends_sentence(above.text):
        return True
    if above.group == below.group or below.text.startswith(_GOES_ON):
        return False
    # A capital begins a sentence, if small letters are used at all, unless it must be one.
    if not first_letter(below.text).isupper() or is_shouted(above.text):
        return False
    waits = above.text.endswith((",", "-", "–", "—")) or ends_openly(above.text)
    return not waits and not FIRST_PERSON.match(below.text)


def _claim_bare_times(page: Page) -> None:
    """Claim blocks in which the time since the start stands between rows of text."""
    for block in page.free_blocks:
        times = [_BARE_TIME.fullmatch(row.bare) for row in block.rows]
        is_time = [time is not None for time in times]
        first = times[0]
        if first is None or sum(is_time) < 3 or not page.all_free(block.rows):
            continue
        # The last row and the one below any time are text.
        alternate = not any(a and b for a, b in zip(is_time, (*is_time[1:], True), strict=True))
        if int(first[0].replace(":", "")) < _SOON and alternate:
            _claim_cues(page, list(_timed(block.rows, is_time)))


def _timed(rows: Sequence[Row], is_time: Sequence[bool]) -> Iterator[_Cue]:
    starts = [index for index, time in enumerate(is_time) if time]
    for start, end in zip(starts, (*starts[1:], len(rows)), strict=True):
        yield _Cue(rows[start : start + 1], rows[start + 1 : end])


def _claim_voices(page: Page) -> None:
    """Claim rows that each name their voice, as in WebVTT, without times."""
    for block in page.free_blocks:
        rows = block.rows
        named = all(_VOICE.match(row.bare) for row in rows)
        if named and len(rows) > 1 and page.all_free(rows):
            for row in rows:
                group = page.new_group()
                page.claim(row, "turn", _spoken(row, group).parts, group)
