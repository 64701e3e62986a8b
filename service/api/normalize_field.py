"""The field `normalize`, which several doors share."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from service.api.schemas import StrictModel
from service.text import USUAL, Normalization


class NormalizationFields(BaseModel):
    """What a caller chooses about text normalization."""

    urls: Literal["full", "short", "skip"] = Field(
        "full", description="URLs and domains: read in full, the host alone, or not at all"
    )
    emoji: Literal["name", "skip"] | None = Field(
        None, description="emoji: named or not read; default: the setting emoji"
    )
    markdown: bool = Field(
        True, description="remove the marks of Markdown, and keep its lines apart"
    )
    code: Literal["read", "skip"] = Field("read", description="fenced code blocks: read or not")
    reasoning: Literal["read", "skip"] = Field(
        "skip", description="what an assistant thinks before it answers, as in <think>: read or not"
    )
    numbers_as: Literal["auto", "digits"] = Field(
        "auto", description="digits: read every number digit by digit"
    )

    def choices(self) -> Normalization:
        """Return them for the front end."""
        return Normalization(
            urls=self.urls,
            emoji=self.emoji,
            markdown=self.markdown,
            code=self.code,
            reasoning=self.reasoning,
            numbers_as=self.numbers_as,
        )


class NormalizationChoices(StrictModel, NormalizationFields):
    """How the text is normalized."""


NormalizeField = bool | NormalizationChoices

NORMALIZE: Any = Field(
    True,
    description="write numbers, dates, abbreviations, addresses and the like as words before G2P; "
    "an object says how",
    examples=[True, {"urls": "short", "code": "skip"}],
)


def normalization_of(normalize: NormalizeField) -> Normalization | None:
    """Return what the front end is to do; None for no normalization."""
    if isinstance(normalize, NormalizationChoices):
        return normalize.choices()
    return USUAL if normalize else None
