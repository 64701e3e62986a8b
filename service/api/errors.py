"""Errors as answers: every one has the same JSON shape."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Scope

from service.api.schemas import ErrorAnswer, ErrorDetail, SynthesisRequest
from service.errors import ServiceError
from service.settings import nearest

logger = logging.getLogger(__name__)

_HTTP_CODES = {
    400: "invalid_json",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}


def install(app: FastAPI) -> None:
    """Map every expected exception to an answer; `RequestLog` answers the others."""
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)


def error_answer(
    scope: Scope,
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Return an error in the one shape, and note it for the log."""
    scope["state"]["outcome"] = code
    detail = ErrorDetail(code=code, message=message, request_id=scope["state"]["request_id"])
    # A message may quote a lone surrogate, which no encoding of JSON can hold.
    detail.message = detail.message.encode("utf-8", "backslashreplace").decode("utf-8")
    return JSONResponse(
        ErrorAnswer(error=detail).model_dump(), status_code=status, headers=dict(headers or {})
    )


async def _service_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, ServiceError):
        raise error
    headers = {"Retry-After": "1"} if error.status == 503 else None
    if error.status != 500:
        return error_answer(request.scope, error.status, error.code, error.message, headers)
    logger.error("request %s failed: %s", request.scope["state"]["request_id"], error.message)
    return error_answer(request.scope, 500, error.code, "the speech could not be made")


async def _validation_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    if any(item["type"] == "json_invalid" for item in error.errors()):
        return error_answer(request.scope, 400, "invalid_json", "the body is not valid JSON")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        message = f"send the header content-type: application/json, not {media_type or 'none'}"
        return error_answer(request.scope, 415, "unsupported_media_type", message)
    message = "; ".join(_explain(item) for item in error.errors())
    return error_answer(request.scope, 422, "invalid_request", message)


def _explain(item: Mapping[str, object]) -> str:
    location = item["loc"] if isinstance(item["loc"], tuple) else ()
    name = ".".join(str(part) for part in location if part != "body") or "the body"
    if item["type"] == "extra_forbidden":
        return f"unknown field {name}{nearest(name, SynthesisRequest.model_fields)}"
    return f"{name}: {item['msg']}"


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    code = _HTTP_CODES.get(error.status_code, "http_error")
    return error_answer(request.scope, error.status_code, code, str(error.detail), error.headers)
