"""What a caller can choose about text normalization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from service.text.document.spoken import Choices

UrlReading = Literal["full", "short", "skip"]
EmojiReading = Literal["name", "skip"]
CodeReading = Literal["read", "skip"]
ReasoningReading = Literal["read", "skip"]
NumberReading = Literal["auto", "digits"]


@dataclass(frozen=True, slots=True)
class Normalization:
    """How a text is normalized.

    Attributes:
        urls: URLs and domains are read in full, `short` (the host alone), or not at all. E-mail
            addresses and file names are always read.
        emoji: whether emoji are named; None for the choice of the front end.
        markdown: whether the marks of Markdown are removed and its lines kept apart. Without it
            they are read like other signs.
        code: whether fenced code blocks are read.
        reasoning: whether that is read which an assistant thinks before it answers: `<think>`,
            `<reasoning>` and what else writers put around it.
        numbers_as: `digits` reads every number digit by digit, also dates, times and amounts;
            English ordinals and `º` stay ordinals.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}
    """For those who validate what a caller wrote."""

    urls: UrlReading = "full"
    emoji: EmojiReading | None = None
    markdown: bool = True
    code: CodeReading = "read"
    reasoning: ReasoningReading = "skip"
    numbers_as: NumberReading = "auto"

    @property
    def of_document(self) -> Choices | None:
        """Return what is read of the tree of a text; None if the text is not Markdown."""
        return Choices(code=self.code, reasoning=self.reasoning) if self.markdown else None


USUAL = Normalization()
"""What a caller gets who chooses nothing."""
