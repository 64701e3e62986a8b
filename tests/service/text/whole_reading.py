"""Read a whole text, for tests."""

from __future__ import annotations

from service.errors import (
    EmptyTextError,
    InvalidTextError,
    LanguageUnavailableError,
    NothingToSayError,
    UnknownSymbolError,
)
from service.text import USUAL, FrontEnd, Normalization, Passage, Reading, Word, parse

REFUSALS = (
    EmptyTextError,
    InvalidTextError,
    LanguageUnavailableError,
    NothingToSayError,
    UnknownSymbolError,
)
"""What says that a text cannot be read."""


def read(
    front_end: FrontEnd,
    text: str,
    language: str,
    *,
    normalization: Normalization | None = USUAL,
) -> Reading:
    """Return the reading of a text without pauses; NothingToSayError if there is none."""
    phonemes, written = "", []
    words: list[Word] = []
    for part in parse(text):
        assert isinstance(part, Passage)
        for reading in front_end.read(part, language, normalization=normalization):
            phonemes += " " if phonemes else ""
            words += [
                Word(
                    word.text_start,
                    word.text_end,
                    word.phonemes_start + len(phonemes),
                    word.phonemes_end + len(phonemes),
                )
                for word in reading.words
            ]
            phonemes += reading.phonemes
            written.append(reading.normalized)
    if not phonemes:
        raise NothingToSayError("nothing was read")
    return Reading(phonemes, tuple(words), " ".join(written))
