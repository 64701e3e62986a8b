"""Markup with which callers control how their text is spoken."""

from service.text.markup.inline import tagged_text, voices_after, without_voice_tags
from service.text.markup.notes import Ignored, Mark, Notes
from service.text.markup.parsing import parse, shown, unmarked
from service.text.markup.passages import (
    Fit,
    Hint,
    MarkPause,
    Passage,
    Pause,
    VoiceSettings,
    VoiceWish,
    moved,
)
from service.text.markup.ssml import opens as opens_ssml

__all__ = [
    "Fit",
    "Hint",
    "Ignored",
    "Mark",
    "MarkPause",
    "Notes",
    "Passage",
    "Pause",
    "VoiceSettings",
    "VoiceWish",
    "moved",
    "opens_ssml",
    "parse",
    "shown",
    "tagged_text",
    "unmarked",
    "voices_after",
    "without_voice_tags",
]
