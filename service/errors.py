"""Every error of the service: its code, its HTTP status and its message.

A message may quote the request. It goes back to the caller only and is never logged. The message of
a `StartupError` is one line that says what to do.
"""

from __future__ import annotations

from typing import ClassVar


class ServiceError(Exception):
    """Base class of all errors of the service."""

    status: ClassVar[int] = 500
    """HTTP status of the answer."""
    code: ClassVar[str] = "internal_error"
    """Machine-readable name: `error.code` in the JSON answer."""

    @property
    def message(self) -> str:
        """Return the sentence for the caller."""
        return str(self)


# Errors of a request.


class InvalidRequestError(ServiceError):
    """A field is missing, unknown, of the wrong type or out of range."""

    status = 422
    code = "invalid_request"


class InvalidTextError(ServiceError):
    """The text has control characters, lone surrogates, or letters foreign to its language."""

    status = 422
    code = "invalid_text"


class MarkupError(InvalidTextError):
    """The markup in the text is malformed or asks for something unsupported."""

    code = "invalid_markup"


class EmptyTextError(ServiceError):
    """The text is empty or consists of white space."""

    status = 422
    code = "empty_text"


class NothingToSayError(ServiceError):
    """The text has nothing that can be pronounced."""

    status = 422
    code = "nothing_to_say"


class TextTooLongError(ServiceError):
    """The text is longer than `max_text_length`."""

    status = 413
    code = "text_too_long"


class UnknownSymbolError(ServiceError):
    """A phoneme is not in the model's vocabulary."""

    status = 422
    code = "unknown_symbol"


class UnknownVoiceError(ServiceError):
    """The voice does not exist."""

    status = 422
    code = "unknown_voice"


class InvalidBlendError(ServiceError):
    """A voice blend is malformed or has unusable weights."""

    status = 422
    code = "invalid_blend"


class LanguageUnavailableError(ServiceError):
    """The language is unknown, or its G2P is not installed."""

    status = 422
    code = "language_unavailable"


class InvalidLexiconError(ServiceError):
    """The lexicon of a request has too many words, or one that cannot be used."""

    status = 422
    code = "invalid_lexicon"


class UnsupportedFormatError(ServiceError):
    """The audio format is unknown, or cannot be streamed."""

    status = 400
    code = "unsupported_format"


class UnknownModelError(ServiceError):
    """The model does not exist."""

    status = 404
    code = "model_not_found"


class VoiceNotFoundError(ServiceError):
    """The path of the request names a voice that does not exist."""

    status = 404
    code = "voice_not_found"


class JobNotFoundError(ServiceError):
    """The job does not exist, or belongs to another API key."""

    status = 404
    code = "job_not_found"


class JobNotDoneError(ServiceError):
    """The files of a job are wanted before it is done, or after it has failed."""

    status = 409
    code = "job_not_done"


class JobNotFailedError(ServiceError):
    """A job is to be tried again that has not failed."""

    status = 409
    code = "job_not_failed"


class JobLeavingError(ServiceError):
    """Something is wanted of a job that is being deleted."""

    status = 409
    code = "job_leaving"


class UnauthorizedError(ServiceError):
    """The API key is missing or unknown."""

    status = 401
    code = "unauthorized"


class ForbiddenOriginError(ServiceError):
    """The request comes from a web page whose origin is not in `cors_origins`."""

    status = 403
    code = "forbidden_origin"


class TryLaterError(ServiceError):
    """Base of errors that time mends.

    Attributes:
        retry_after_s: whole seconds after which to try again.
    """

    def __init__(self, message: str, retry_after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class KeyLimitError(TryLaterError):
    """The API key has used what its limits allow."""

    status = 429
    code = "key_limit"


class InputTimeoutError(ServiceError):
    """No message came on a WebSocket for as long as its client had said."""

    status = 408
    code = "input_timeout_exceeded"


class InvalidBookError(InvalidRequestError):
    """The file is no book that can be read: it is damaged, protected, empty or of another kind."""

    code = "invalid_book"


class DocumentLimitError(InvalidBookError):
    """Reading the document takes more time or memory than a document may have."""

    code = "document_limit"


class ReadingInterruptedError(InvalidBookError):
    """The process has ended again while it read the document of a job."""

    code = "reading_interrupted"


class DamagedJournalError(InvalidRequestError):
    """What is kept of a book's speech is damaged."""


class OtherBookError(InvalidRequestError):
    """What is kept of a book's speech is of another file, voice, version or choice of parts."""


class OutputExistsError(InvalidRequestError):
    """A file would be replaced that is of something else, or of nobody knows what."""


# Failures while serving.


class NotReadyError(ServiceError):
    """The model is still loading or cannot be loaded again, or the service is shutting down."""

    status = 503
    code = "not_ready"


class OverloadedError(TryLaterError):
    """The service has as many requests as it accepts."""

    status = 503
    code = "overloaded"


class JobsUnavailableError(ServiceError):
    """The service has no folder for jobs, or cannot use it, or lacks what reads books."""

    status = 501
    code = "jobs_unavailable"


class StorageFullError(TryLaterError):
    """There are as many jobs, or as many bytes of them, as the settings allow."""

    status = 503
    code = "storage_full"


class StorageFailedError(TryLaterError):
    """The folder of jobs cannot be written: its disk is full or fails, or somebody locks it."""

    status = 503
    code = "storage_failed"


class DeadlineError(ServiceError):
    """The request took longer than `deadline_s`."""

    status = 504
    code = "deadline_exceeded"


class CancelledError(ServiceError):
    """The client has gone or has cancelled the request."""

    status = 499
    code = "cancelled"


class TimesUnavailableError(ServiceError):
    """The model has no output for durations, so word times are unknown."""

    status = 501
    code = "times_unavailable"


class DecodingUnavailableError(ServiceError):
    """The model or the voice cannot be decoded in windows."""

    status = 501
    code = "decoding_unavailable"


class SynthesisError(ServiceError):
    """The model's audio is not finite, or not as long as its durations say."""

    code = "synthesis_failed"


class RunError(SynthesisError):
    """ONNX Runtime failed in a run; the message is its own."""


# Failures at start-up.


class StartupError(ServiceError):
    """The service cannot start. The message says why and what to do."""

    code = "startup_failed"


class SettingsError(StartupError):
    """A setting is unknown, malformed or out of range."""

    code = "invalid_settings"


class ModelError(StartupError):
    """The model file is missing or damaged, or its inputs and outputs are not Kokoro's."""

    code = "model_unusable"


class VoiceError(StartupError):
    """A voice file or the manifest is missing, damaged or malformed."""

    code = "voices_unusable"


class EspeakError(StartupError):
    """espeak-ng cannot be found or started."""

    code = "espeak_unusable"


class ProviderError(StartupError):
    """The execution provider cannot be used."""

    code = "provider_unavailable"


class LexiconError(StartupError):
    """The user's lexicon cannot be read, or has an unusable entry."""

    code = "invalid_lexicon"
