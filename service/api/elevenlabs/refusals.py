"""Errors as ElevenLabs' clients read them."""

from __future__ import annotations

from pydantic import BaseModel

from service.api.error_answers import ErrorShape, Failure

_STATUSES = {
    "overloaded": "system_busy",
    "text_too_long": "max_character_limit_exceeded",
    "unauthorized": "invalid_api_key",
}
"""ElevenLabs' names of errors, by this service's codes; the others keep their code."""


class Refusal(BaseModel):
    """An error."""

    status: str
    message: str
    request_id: str


class RefusalAnswer(BaseModel):
    """The body of an error."""

    detail: Refusal


def _write(failure: Failure) -> RefusalAnswer:
    detail = Refusal(
        status=status_name(failure.code), message=failure.message, request_id=failure.request_id
    )
    return RefusalAnswer(detail=detail)


def status_name(code: str) -> str:
    """Return ElevenLabs' name of an error."""
    return _STATUSES.get(code, code)


ERROR_SHAPE = ErrorShape(RefusalAnswer, _write, statuses={}, headers={})
"""How this door writes errors; their statuses are this service's own."""
