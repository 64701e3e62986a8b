"""What can go wrong, one class each: its code, its HTTP status and a message for the caller.

A message may quote what the caller sent (it goes back to the caller only); it is never logged
for requests. Messages of `StartupError` and its subclasses are one line and say what to do.
"""

from __future__ import annotations

from typing import ClassVar


class ServiceError(Exception):
    """Base of every error that the service raises on purpose."""

    status: ClassVar[int] = 500
    """HTTP status of the answer."""
    code: ClassVar[str] = "internal_error"
    """Machine-readable name, the `error.code` of the JSON answer."""

    @property
    def message(self) -> str:
        """Return the sentence for the caller."""
        return str(self)


# What a caller can do wrong.


class InvalidRequestError(ServiceError):
    """A field is missing, unknown, of the wrong type or out of its range."""

    status = 422
    code = "invalid_request"


class InvalidTextError(ServiceError):
    """The text holds controls, lone surrogates, or letters that the language has no reading for."""

    status = 422
    code = "invalid_text"


class MarkupError(InvalidTextError):
    """The markup in the text is wrong, or asks for what cannot be done."""

    code = "invalid_markup"


class EmptyTextError(ServiceError):
    """The text is empty or only white space."""

    status = 422
    code = "empty_text"


class NothingToSayError(ServiceError):
    """The text has no symbol that can be pronounced."""

    status = 422
    code = "nothing_to_say"


class TextTooLongError(ServiceError):
    """The text is over the configured limit."""

    status = 413
    code = "text_too_long"


class UnknownSymbolError(ServiceError):
    """A phoneme is not in the model's vocabulary."""

    status = 422
    code = "unknown_symbol"


class UnknownVoiceError(ServiceError):
    """No such voice."""

    status = 422
    code = "unknown_voice"


class InvalidBlendError(ServiceError):
    """A voice blend cannot be read, or its weights cannot be used."""

    status = 422
    code = "invalid_blend"


class LanguageUnavailableError(ServiceError):
    """The language is unknown, or nothing here turns it into phonemes."""

    status = 422
    code = "language_unavailable"


class UnsupportedFormatError(ServiceError):
    """The audio format is not offered, or cannot be made in the way asked for."""

    status = 400
    code = "unsupported_format"


class UnknownModelError(ServiceError):
    """No such model."""

    status = 404
    code = "model_not_found"


class UnauthorizedError(ServiceError):
    """No API key, or one that is not known."""

    status = 401
    code = "unauthorized"


class ForbiddenOriginError(ServiceError):
    """A page of another web origin asked, and that origin is not listed."""

    status = 403
    code = "forbidden_origin"


# What can fail while serving.


class NotReadyError(ServiceError):
    """The model is still loading, or the service is shutting down."""

    status = 503
    code = "not_ready"


class OverloadedError(ServiceError):
    """Every place is taken.

    Attributes:
        retry_after_s: whole seconds after which it is worth trying again.
    """

    status = 503
    code = "overloaded"

    def __init__(self, message: str, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DeadlineError(ServiceError):
    """The request took longer than it may."""

    status = 504
    code = "deadline_exceeded"


class CancelledError(ServiceError):
    """Nobody waits for the speech any more."""

    status = 499
    code = "cancelled"


class TimesUnavailableError(ServiceError):
    """The model does not tell durations, so nobody knows when a word is said."""

    status = 501
    code = "times_unavailable"


class DecodingUnavailableError(ServiceError):
    """The model, or a voice, cannot be decoded window by window."""

    status = 501
    code = "decoding_unavailable"


class SynthesisError(ServiceError):
    """The model gave something that is not the whole, finite speech asked for."""

    code = "synthesis_failed"


class RunError(SynthesisError):
    """ONNX Runtime ended a run with an error, which the message holds."""


# What stops start-up.


class StartupError(ServiceError):
    """The service cannot start; the message says why and what to do."""

    code = "startup_failed"


class SettingsError(StartupError):
    """A setting is unknown, malformed or out of its range."""

    code = "invalid_settings"


class ModelError(StartupError):
    """The model file is missing, damaged, or does not keep the contract."""

    code = "model_unusable"


class VoiceError(StartupError):
    """A voice file or the manifest is missing, damaged or malformed."""

    code = "voices_unusable"


class EspeakError(StartupError):
    """espeak-ng cannot be found or started."""

    code = "espeak_unusable"


class ProviderError(StartupError):
    """The execution provider asked for cannot be had."""

    code = "provider_unavailable"


class LexiconError(StartupError):
    """The user's lexicon cannot be read, or one of its entries cannot be used."""

    code = "invalid_lexicon"
