"""What to say, and how to deliver it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.audio.loudness import is_available
from service.errors import InvalidRequestError
from service.extras import advice
from service.settings import Decoding
from service.speech.chunking import Chunking
from service.text import USUAL, Normalization, TracedText, UserLexicon, opens_ssml

TextKind = Literal["text", "ssml", "strict_ssml", "auto", "phonemes"]
"""Text with the markup of docs/markup.md, SSML, SSML that is refused if something of it cannot be
done, SSML if it opens like that and else text, or symbols of the model's vocabulary."""

SILENCE_S = 0.2
"""The usual `silence_s`. Some clients send `.` to try a key, or nothing but an emoji, and take an
error, or an answer without audio, for a failure of the service."""

MIN_VOLUME_DB, MAX_VOLUME_DB = -60.0, 20.0
"""Of a volume. Less is silence in 16 bits, and more is little but distortion."""

MIN_LOUDNESS_LUFS, MAX_LOUDNESS_LUFS = -50.0, -10.0
"""Of a loudness. Speech that is louder has lost its dynamics to the limiter."""

_LIKELY_S_PER_BYTE = 0.07
"""English has 14.6 letters in a second. Scripts with fewer characters have more bytes for each.
Numbers and pauses may take many times as long."""


@dataclass(frozen=True)
class Speaker:
    """Who speaks under a name.

    Attributes:
        voice: a voice's name or a blend.
        speed: factor on the speed of the text.
        gain: factor of the samples.
    """

    voice: str
    speed: float = 1.0
    gain: float = 1.0


@dataclass(frozen=True)
class Turn:
    """What one speaker of a dialogue says.

    Attributes:
        start: offset of its text in that of the utterance.
        end: likewise, of its end.
        voice: a voice, a blend or a speaker; None for the voice of the utterance.
        speed: factor on the speed of the utterance.
        language: code; None for that of the voice.
        pause_s: silence after it; None for that between sentences.
    """

    start: int
    end: int
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None
    pause_s: float | None = None


def _folded(cast: Mapping[str, object]) -> dict[str, str]:
    return {name.casefold(): name for name in cast}


def gain_of(volume_db: float) -> float:
    """Return the factor of samples for a volume in decibels.

    Raises:
        InvalidRequestError: it is out of range.
    """
    if not MIN_VOLUME_DB <= volume_db <= MAX_VOLUME_DB:
        raise InvalidRequestError(
            f"volume must be {MIN_VOLUME_DB:g} to {MAX_VOLUME_DB:g} dB, not {volume_db:g}"
        )
    gain: float = 10 ** (volume_db / 20)
    return gain


@dataclass(frozen=True)
class Utterance:
    """What to say.

    Attributes:
        text: text, SSML or phonemes.
        kind: which of them.
        voice: a voice's name or a blend; None for the default voice.
        speed: 0.25 to 6.0; 2.0 is twice as fast.
        language: code of the text's language; None for the voice's language. Phonemes need none.
        normalization: how the text is normalized; None for not at all.
        silence_s: seconds of silence that a text or SSML with nothing to pronounce gives; None if
            it is an error.
        cast: speakers, or just their voices or blends, by the names that the text's tags may give;
            None for none.
        turns: of a dialogue, in order, which together with the white space between them are the
            text; empty for other texts.
        even: whether the voices are brought to the same loudness.
        has_voices: whether tags of voices and rates in a text are markup; otherwise they are read.
        open_voices: voices of the tags that are open before it, if it is a part of a text: it may
            leave tags open too. None for a whole text. Of a text only.
        lexicon: pronunciations for this text, laid over those of the service; None for no others.
            Phonemes need none.
        words: what is said of the text, if that is known already: of a clause, by the tree of the
            text that it belongs to. None to read it as a whole.
        is_part: whether it is a part of a document: then `max_text_length` does not hold, because
            the document was admitted as a whole.
    """

    text: str
    kind: TextKind = "text"
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None
    normalization: Normalization | None = USUAL
    silence_s: float | None = None
    lexicon: UserLexicon | None = None
    cast: Mapping[str, str | Speaker] | None = None
    open_voices: tuple[str, ...] | None = None
    words: TracedText | None = None
    is_part: bool = False
    turns: tuple[Turn, ...] = ()
    even: bool = False
    has_voices: bool = True

    def speaker(self, name: str) -> Speaker:
        """Return who speaks under a name: one of the cast, in any case, or the voice itself."""
        cast = self.cast or {}
        known = name if name in cast else _folded(cast).get(name.casefold(), name)
        speaker = cast.get(known, name)
        return speaker if isinstance(speaker, Speaker) else Speaker(speaker)

    @property
    def first_voice(self) -> str | None:
        """Return the voice that is named for its beginning, None for the default voice."""
        if self.voice is None and self.turns:
            return self.turns[0].voice
        return self.voice

    @property
    def is_ssml(self) -> bool:
        """Tell whether the text is SSML."""
        if self.kind == "auto":
            return not self.turns and opens_ssml(self.text)
        return self.kind in ("ssml", "strict_ssml")

    @property
    def likely_s(self) -> float:
        """Return an estimate of its duration in seconds, before G2P."""
        n_bytes = len(self.text.encode("utf-8", "surrogatepass"))
        return n_bytes * _LIKELY_S_PER_BYTE / self.speed


@dataclass(frozen=True)
class Delivery:
    """How to deliver the audio of an utterance.

    Attributes:
        streamed: whether audio is wanted while it is made.
        timed: whether word times are wanted.
        chunking: how the text is cut; None for `even`, but in a stream for `short_first` if it is
            decoded in windows, else for `early`.
        decoding: None for the default of the settings.
        first: whether no other speech comes before it; otherwise it starts with a pause as
            between chunks.
        last: whether no other speech follows.
        read_first: whether G2P of the whole text is done before any of it is said; otherwise it
            runs while the beginning is spoken.
        gain: factor of the samples; loud ones are limited when they are encoded.
        loudness_lufs: integrated loudness of the whole, instead of a gain; None for that of the
            model.

    Raises:
        InvalidRequestError: a loudness is out of range, given with a gain or for a stream, or
            cannot be measured here.
    """

    streamed: bool = False
    timed: bool = False
    chunking: Chunking | None = None
    decoding: Decoding | None = None
    first: bool = True
    last: bool = True
    read_first: bool = False
    gain: float = 1.0
    loudness_lufs: float | None = None

    def __post_init__(self) -> None:
        """Refuse a loudness that cannot be had."""
        if self.loudness_lufs is None:
            return
        if not MIN_LOUDNESS_LUFS <= self.loudness_lufs <= MAX_LOUDNESS_LUFS:
            raise InvalidRequestError(
                f"loudness must be {MIN_LOUDNESS_LUFS:g} to {MAX_LOUDNESS_LUFS:g} LUFS, "
                f"not {self.loudness_lufs:g}"
            )
        if self.gain != 1.0:
            raise InvalidRequestError("give a loudness or a volume, not both")
        if self.streamed:
            raise InvalidRequestError(
                "loudness is measured over the whole answer, so a stream cannot have one; set "
                "stream to false, or give a volume"
            )
        if not is_available():
            raise InvalidRequestError(f"loudness needs PyAV; run `{advice('books')}`")
