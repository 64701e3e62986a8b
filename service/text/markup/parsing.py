"""Parse the markup of a text: inline markup or SSML."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

from service.text.characters import REPLACEMENT, check_text, check_visible, replaced
from service.text.markup import inline, ssml
from service.text.markup.notes import Notes
from service.text.markup.passages import Passage, Pause
from service.text.offset_mapping import TracedText, concatenate


def parse(
    text: str,
    *,
    is_ssml: bool = False,
    language: str | None = None,
    open_voices: Sequence[str] | None = None,
    strict: bool = False,
    notes: Notes | None = None,
    has_voices: bool = True,
) -> list[Passage | Pause]:
    """Return the passages and pauses of a caller's text, in order.

    Args:
        text: the text as it was sent.
        is_ssml: whether it is SSML; otherwise it may have inline markup.
        language: code of the text's language, for phonemes in SSML.
        open_voices: see `inline.parse`.
        strict: whether characters are refused that no text contains. Otherwise each is a
            `REPLACEMENT` in the passages, or ends a line.
        has_voices: see `inline.parse`.
        notes: see `ssml.parse`; None for the strict mode of SSML.

    Raises:
        EmptyTextError: there is nothing but white space.
        InvalidTextError: there are characters that no text contains, and that is strict.
        MarkupError: the markup is malformed. The message has the position.
        LanguageUnavailableError: SSML names an unknown language.
    """
    if strict:
        check_text(text)
    else:
        check_visible(text)
        text = replaced(text)
        if is_ssml:
            text = _REFERENCE.sub(_replaced_reference, text)
    return (
        ssml.parse(text, language, notes)
        if is_ssml
        else inline.parse(text, open_voices, has_voices=has_voices)
    )


_REFERENCE = re.compile(r"&#(?:x(?P<hex>[0-9a-fA-F]{1,8})|(?P<decimal>[0-9]{1,9}));")


def _replaced_reference(match: re.Match[str]) -> str:
    """Return as many replacements as a reference to a character that no text contains is long."""
    code = int(match["hex"], 16) if match["hex"] else int(match["decimal"])
    if code > sys.maxunicode or replaced(chr(code)) == chr(code):
        return match[0]
    return REPLACEMENT * len(match[0])


def unmarked(text: str, *, has_voices: bool = True) -> TracedText:
    """Return a caller's text without its inline markup; arguments as for `inline.parse`."""
    source = TracedText(replaced(text))
    ranges = inline.without_markup(text, has_voices=has_voices)
    return concatenate(source[start:end] for start, end in ranges)


def shown(
    parts: Iterable[Passage | Pause], words: Iterable[tuple[int, int]] = ()
) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its markup, and where in it words are.

    Args:
        parts: of the text.
        words: spans of the caller's text, in the order in which they are said: a document may have
            a part of it said again.
    """
    pieces: list[str] = []
    passages: list[tuple[int, TracedText]] = []
    length = 0
    is_apart = False
    for part in parts:
        if isinstance(part, Pause):
            is_apart = True
            continue
        if is_apart and pieces and not pieces[-1][-1].isspace() and not part.text.text[0].isspace():
            pieces.append(" ")
            length += 1
        passages.append((length, part.text))
        pieces += filter(None, (part.text.text, part.gap))
        length += len(part.text) + len(part.gap)
        is_apart = False
    places: list[tuple[int, int]] = []
    current, said = 0, 0  # the passage, and where its last word begins
    for start, end in words:
        for number in range(current, len(passages)):
            first, last = passages[number][1].span
            if first <= start < last and (number > current or start >= said):
                current = number
                break
        said = start
        place, text = passages[current]
        begin, stop = text.within(start, end)
        places.append((place + begin, place + max(stop, begin + 1)))
    return "".join(pieces).rstrip(), places
