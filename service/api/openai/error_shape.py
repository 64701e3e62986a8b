"""Errors as OpenAI's clients read them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from service.api.error_answers import ErrorShape, Failure

_FIELDS = {
    "empty_text": "input",
    "invalid_blend": "voice",
    "invalid_markup": "input",
    "invalid_text": "input",
    "language_unavailable": "lang_code",
    "model_not_found": "model",
    "nothing_to_say": "input",
    "text_too_long": "input",
    "times_unavailable": "timestamps",
    "unknown_symbol": "input",
    "unknown_voice": "voice",
    "unsupported_format": "response_format",
}
"""The field of a request that each code is about."""


class OpenAIErrorDetail(BaseModel):
    """An error."""

    message: str
    type: str = Field(description="invalid_request_error, rate_limit_error or server_error")
    param: str | None = Field(description="the field that is wrong")
    code: str = Field(description="this service's own, as docs/errors.md lists them")
    request_id: str


class OpenAIErrorAnswer(BaseModel):
    """The body of every error on the paths of OpenAI's API."""

    error: OpenAIErrorDetail


def _write(failure: Failure) -> OpenAIErrorAnswer:
    kind = "server_error" if failure.status >= 500 else "invalid_request_error"
    return OpenAIErrorAnswer(
        error=OpenAIErrorDetail(
            message=failure.message,
            type="rate_limit_error" if failure.status == 429 else kind,
            param=failure.field or _FIELDS.get(failure.code),
            code=failure.code,
            request_id=failure.request_id,
        )
    )


OPENAI_SHAPE = ErrorShape(
    OpenAIErrorAnswer,
    _write,
    # Some clients expect no other status for a bad request, and all repeat one with 501.
    statuses={422: 400, 501: 400},
    # What failed or took too long once does so again; the SDKs would ask two more times.
    headers={500: {"X-Should-Retry": "false"}, 504: {"X-Should-Retry": "false"}},
)
"""Errors on `/v1`. OpenAI's SDKs choose the class of their exception by the status."""
