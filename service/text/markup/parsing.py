"""Parse the markup of a text: inline markup or SSML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from service.text.characters import check_text
from service.text.markup import inline, ssml
from service.text.markup.passages import Passage, Pause
from service.text.offset_mapping import TracedText, concatenate


def parse(
    text: str,
    *,
    is_ssml: bool = False,
    language: str | None = None,
    open_voices: Sequence[str] | None = None,
) -> list[Passage | Pause]:
    """Return the passages and pauses of a caller's text, in order.

    Args:
        text: the text as it was sent.
        is_ssml: whether it is SSML; otherwise it may have inline markup.
        language: code of the text's language, for phonemes in SSML.
        open_voices: see `inline.parse`.

    Raises:
        EmptyTextError: there is nothing but white space.
        InvalidTextError: there are characters that no text contains.
        MarkupError: the markup is malformed. The message has the position.
        LanguageUnavailableError: SSML names an unknown language.
    """
    check_text(text)
    return ssml.parse(text, language) if is_ssml else inline.parse(text, open_voices)


def plain_text(parts: Iterable[Passage | Pause]) -> TracedText:
    """Return the text of passages, without the markup."""
    return concatenate(part.text for part in parts if isinstance(part, Passage))
