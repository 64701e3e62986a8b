"""Read a whole text, for tests."""

from service.errors import (
    EmptyTextError,
    InvalidTextError,
    LanguageUnavailableError,
    NothingToSayError,
    UnknownSymbolError,
)
from service.text import USUAL, Passage, Reading, Word, parse
from service.text.characters import clean_text
from service.text.document import structure
from service.text.document.spoken import flatten
from service.text.normalization import normalize

REFUSALS = (EmptyTextError, InvalidTextError, LanguageUnavailableError, NothingToSayError, UnknownSymbolError)
"""What says that a text cannot be read."""


def normalized(text, language="en-us", **options):
    """Return the words of a text of one block, with their places."""
    words = flatten(structure.parse(text)).text
    return normalize(clean_text(words, keep_joiners=language == "hi"), language, **options)


def read(front_end, text, language, *, normalization=USUAL):
    """Return the reading of a text without pauses; NothingToSayError if there is none."""
    phonemes, written = "", []
    words = []
    dropped = []
    for part in parse(text, strict=front_end.strict):
        assert isinstance(part, Passage)
        for reading in front_end.read(part, language, normalization=normalization):
            dropped += reading.dropped
            written.append(reading.normalized)
            if not reading.phonemes:
                continue
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
    if not phonemes:
        raise NothingToSayError("nothing was read")
    normalized = " ".join(filter(None, written))
    return Reading(phonemes, tuple(words), normalized, dropped=tuple(dropped))
