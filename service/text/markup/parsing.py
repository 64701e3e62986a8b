"""Understand a text's markup, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable

from service.text.characters import check_text
from service.text.markup import inline, ssml
from service.text.markup.passages import Passage, Pause
from service.text.offset_mapping import TracedText, concatenate


def parse(
    text: str, *, is_ssml: bool = False, language: str | None = None
) -> list[Passage | Pause]:
    """Return what a caller's text is made of, in order.

    Args:
        text: as it was sent.
        is_ssml: whether it is SSML, or has markup of our own.
        language: code of the text's language, by which SSML's phonemes are understood.

    Raises:
        EmptyTextError: it has nothing but white space.
        InvalidTextError: it has characters that no text has.
        MarkupError: the markup is malformed; the message tells where.
        LanguageUnavailableError: SSML names a language that is not known.
    """
    check_text(text)
    return ssml.parse(text, language) if is_ssml else inline.parse(text)


def plain_text(parts: Iterable[Passage | Pause]) -> TracedText:
    """Return the text of parsed parts, without the markup."""
    return concatenate(part.text for part in parts if isinstance(part, Passage))
