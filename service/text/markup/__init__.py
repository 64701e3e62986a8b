"""Markup with which callers control how their text is spoken."""

from service.text.markup.inline import voices_after, without_voice_tags
from service.text.markup.parsing import parse, plain_text, unmarked
from service.text.markup.passages import Hint, Passage, Pause, VoiceSettings

__all__ = [
    "Hint",
    "Passage",
    "Pause",
    "VoiceSettings",
    "parse",
    "plain_text",
    "unmarked",
    "voices_after",
    "without_voice_tags",
]
