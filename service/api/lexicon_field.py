"""The field `lexicon` of requests."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from service.text import UserLexicon
from service.text.lexicon_entries import MAX_PRONUNCIATION_LENGTH, MAX_WORD_LENGTH, MAX_WORDS


def _read(value: object) -> UserLexicon | None:
    """Return the lexicon of a body; raises InvalidLexiconError if a word cannot be used."""
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(said, str) for said in value.values()):
        raise PydanticCustomError("lexicon_type", "Input should be an object with strings")
    return UserLexicon.of_words(value)


_SCHEMA = {
    "anyOf": [
        {
            "type": "object",
            "maxProperties": MAX_WORDS,
            "propertyNames": {"minLength": 1, "maxLength": MAX_WORD_LENGTH},
            "additionalProperties": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_PRONUNCIATION_LENGTH,
            },
        },
        {"type": "null"},
    ]
}

LexiconField = Annotated[
    UserLexicon | None,
    PlainValidator(_read),
    WithJsonSchema(_SCHEMA),
    Field(
        description="words, and how this text says them: as other words, or as phonemes between "
        "slashes; not for phonemes",
        examples=[{"Siobhan": "/ʃəvˈɔn/", "Nguyen": "win"}],
    ),
]
"""The lexicon of a request, checked; None if it has none."""
