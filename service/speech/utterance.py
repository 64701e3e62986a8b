"""What is said, and how it is delivered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.settings import Decoding

TextKind = Literal["text", "ssml", "phonemes"]
"""Text with the markup of docs/markup.md, SSML, or symbols of the model's vocabulary."""

_LIKELY_S_PER_BYTE = 0.07
"""Of a text: 14.6 letters of English are a second; what is written with fewer signs has more bytes
for each. Figures and pauses may take many times as long."""


@dataclass(frozen=True)
class Utterance:
    """What is to be said.

    Attributes:
        text: any text; phonemes are said as they are.
        kind: what the text is written in.
        voice: a voice's name or a blend; None for the default voice.
        speed: 0.5 to 2.0.
        language: code of the text's language; None for the voice's own. Phonemes need none.
        normalized: whether figures, dates, abbreviations and the like are written in words
            before they are read.
    """

    text: str
    kind: TextKind = "text"
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None
    normalized: bool = True

    @property
    def likely_s(self) -> float:
        """Return about how many seconds it takes to say, before anything of it is read."""
        n_bytes = len(self.text.encode("utf-8", "surrogatepass"))
        return n_bytes * _LIKELY_S_PER_BYTE / self.speed


@dataclass(frozen=True)
class Delivery:
    """How the speech of an utterance is delivered.

    Attributes:
        streamed: whether the sound is wanted while it is made.
        timed: whether each word's time is wanted.
        early: whether the first chunks are cut short, so that sound starts early, instead of
            evenly; None for early where it is streamed and not decoded in windows.
        decoding: None for what the settings say.
        first: whether no other speech stands before it; else its first pause is a joint's.
        last: whether no other speech follows.
        read_first: whether all of the text is read before anything of it is said; else a long text
            is read while its beginning is spoken.
    """

    streamed: bool = False
    timed: bool = False
    early: bool | None = None
    decoding: Decoding | None = None
    first: bool = True
    last: bool = True
    read_first: bool = False
