"""Say one utterance of a corpus: from an utterance to the bytes of its file."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Literal

from service.audio import AudioFormat, encode, require_rate
from service.errors import CancelledError, ServiceError
from service.logs import describe
from service.speech import Cancellation, Delivery, Synthesizer, Utterance, WordTime, merge_parts

logger = logging.getLogger(__name__)

Timestamps = Literal["word", "phoneme"]


@dataclass(frozen=True)
class SpeechForm:
    """How each utterance of a corpus is written.

    Attributes:
        audio_format: of the files.
        sample_rate_hz: of the files; None for the format's usual one.
        timestamps: which times the manifest has; None for none.
    """

    audio_format: AudioFormat = "wav"
    sample_rate_hz: int | None = None
    timestamps: Timestamps | None = None

    def check(self) -> None:
        """Raise UnsupportedFormatError if such files cannot be written here."""
        require_rate(self.audio_format, self.sample_rate_hz)


@dataclass(frozen=True)
class Speech:
    """An utterance that was spoken.

    Attributes:
        audio: the content of its file.
        duration_s: its length in seconds.
        words: with their times, as the manifest has them; None if none are wanted.
    """

    audio: bytes
    duration_s: float
    words: list[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Failure:
    """Why an utterance cannot be spoken: a code for programs, a message for people."""

    code: str
    message: str


class Speaker:
    """Says utterances. Safe to use from several threads.

    Args:
        synthesizer: to use; the caller closes it.
        form: how to write what is said.
        attempts: how often to try what fails by no fault of the text.
    """

    def __init__(self, synthesizer: Synthesizer, form: SpeechForm, attempts: int) -> None:
        self._synthesizer = synthesizer
        self._form = form
        self._attempts = attempts
        self._stopped = False
        self._cancellations: set[Cancellation] = set()

    def say(self, utterance: Utterance) -> Speech | Failure:
        """Say an utterance, or tell why that cannot be.

        Raises:
            CancelledError: the speaker was stopped.
        """
        for attempt in range(1, self._attempts + 1):
            try:
                return self._say(utterance)
            except CancelledError:
                raise
            except ServiceError as error:
                failure = Failure(error.code, error.message)
                if error.status < 500:
                    break
            except Exception as error:  # told in the report of the corpus, and in the log
                logger.error("an utterance failed: %s", describe(error))
                failure = Failure("internal_error", f"{type(error).__name__}; see the log")
            if attempt > 1:
                failure = Failure(failure.code, f"{failure.message} ({attempt} attempts)")
        return failure

    def _say(self, utterance: Utterance) -> Speech:
        form = self._form
        with Cancellation() as cancellation:
            self._cancellations.add(cancellation)
            try:
                if self._stopped:
                    raise CancelledError("the speaker was stopped")
                plan = self._synthesizer.plan(
                    utterance, Delivery(timed=form.timestamps is not None)
                )
                segments = list(self._synthesizer.stream(plan, cancellation))
            finally:
                self._cancellations.discard(cancellation)
        words = None
        if form.timestamps is not None:
            spoken = merge_parts([word for segment in segments for word in segment.words])
            words = [_written(word, utterance.text, form.timestamps) for word in spoken]
        audio = encode(
            (segment.samples for segment in segments), form.audio_format, form.sample_rate_hz
        )
        return Speech(audio, round(sum(segment.duration_s for segment in segments), 6), words)

    def stop(self) -> None:
        """Stop what is being said, and say nothing more."""
        self._stopped = True
        for cancellation in tuple(self._cancellations):
            cancellation.cancel(CancelledError("the speaker was stopped"))


def _written(word: WordTime, text: str, timestamps: Timestamps) -> dict[str, Any]:
    """Return a word as `POST /synthesize` answers it."""
    written: dict[str, Any] = {
        "text": text[word.text_start : word.text_end],
        "text_start": word.text_start,
        "text_end": word.text_end,
        "start_s": round(word.start_s, 6),
        "end_s": round(word.end_s, 6),
    }
    if timestamps == "phoneme":
        written["phonemes"] = [
            {"symbol": one.symbol, "start_s": round(one.start_s, 6), "end_s": round(one.end_s, 6)}
            for one in word.phonemes
        ]
    return written
