"""Errors as answers: one JSON body, and another where the clients of a door expect it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from service.api.schemas import ErrorAnswer, ErrorDetail
from service.errors import ServiceError, TryLaterError
from service.settings import nearest

logger = logging.getLogger(__name__)

_MAX_EXPLAINED = 8
_MAX_QUOTED = 100
"""Characters of a field's name."""

RECEIVE_TIMEOUT = "receive_timeout"
"""Code of a request that did not arrive in time."""

_HTTP_CODES = {
    400: "invalid_json",
    404: "not_found",
    405: "method_not_allowed",
    412: "precondition_failed",
    413: "body_too_large",
    415: "unsupported_media_type",
    416: "range_not_satisfiable",
}


@dataclass(frozen=True)
class Failure:
    """What went wrong with a request.

    Attributes:
        status: of the answer.
        code: for programs.
        message: for people.
        request_id: of the request.
        field: of the body that is wrong, as far as validation tells; None if it does not.
    """

    status: int
    code: str
    message: str
    request_id: str
    field: str | None = None


@dataclass(frozen=True)
class ErrorShape:
    """How a door writes errors.

    Attributes:
        model: of the body, for the OpenAPI document.
        write: makes the body of a failure.
        statuses: by this service's own status, the one that the door's clients expect instead.
        headers: that answers have besides, by the door's status.
    """

    model: type[BaseModel]
    write: Callable[[Failure], BaseModel]
    statuses: Mapping[int, int]
    headers: Mapping[int, Mapping[str, str]]

    def status(self, status: int) -> int:
        """Return the status that the door gives for one of this service's own."""
        return self.statuses.get(status, status)


def _own_body(failure: Failure) -> ErrorAnswer:
    return ErrorAnswer(error=error_detail(failure.code, failure.message, failure.request_id))


OWN_SHAPE = ErrorShape(ErrorAnswer, _own_body, statuses={}, headers={})
"""The shape on every path for which there is no other."""


def install(app: FastAPI, shapes: Mapping[str, ErrorShape]) -> None:
    """Map every expected exception to an answer; `AccessLog` answers the others.

    Args:
        app: the application.
        shapes: by the beginning of the paths on which errors have them: `/v1` is `/v1` and all
            below it. The longest beginning counts.
    """
    app.state.error_shapes = dict(shapes)
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)


def error_shape(app: FastAPI | None, path: str) -> ErrorShape:
    """Return the shape of errors on a path; without an application, the service's own."""
    shapes: Mapping[str, ErrorShape] = getattr(getattr(app, "state", None), "error_shapes", {})
    begins = [begin for begin in shapes if path == begin or path.startswith(f"{begin}/")]
    return shapes[max(begins, key=len)] if begins else OWN_SHAPE


def error_answer(
    scope: Scope,
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    field: str | None = None,
) -> JSONResponse:
    """Return the answer for an error in the shape of its path, and note its code for the log.

    Args:
        scope: of the request.
        status: this service's own.
        code: for programs.
        message: for people; a lone surrogate in it is escaped.
        headers: of the answer.
        field: of the body that is wrong; None if no single one is.
    """
    scope["state"]["outcome"] = code
    shape = error_shape(scope.get("app"), scope.get("path", ""))
    failure = Failure(
        shape.status(status), code, _printable(message), scope["state"]["request_id"], field
    )
    body = shape.write(failure).model_dump()
    all_headers = {**(headers or {}), **shape.headers.get(failure.status, {})}
    return JSONResponse(body, status_code=failure.status, headers=all_headers)


def error_detail(code: str, message: str, request_id: str) -> ErrorDetail:
    """Return the body of an error; a lone surrogate in the message is escaped."""
    return ErrorDetail(code=code, message=_printable(message), request_id=request_id)


def _printable(message: str) -> str:
    return message.encode("utf-8", "backslashreplace").decode("utf-8")


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    error: ServiceError,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Answer a request, or a WebSocket before its upgrade, with an error."""
    # For a WebSocket, starlette answers by the extension websocket.http.response.
    answer = service_error_answer(scope, error, headers)
    await answer(scope, receive, send)


def service_error_answer(
    scope: Scope, error: ServiceError, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return the answer for an error of the service."""
    headers = dict(headers or {})
    if error.status in (429, 503):
        after_s = error.retry_after_s if isinstance(error, TryLaterError) else 1
        headers["Retry-After"] = str(after_s)
    detail = service_error_detail(error, scope["state"]["request_id"])
    return error_answer(scope, error.status, error.code, detail.message, headers)


def service_error_detail(error: ServiceError, request_id: str) -> ErrorDetail:
    """Return the body of an error. The message of an internal error goes to the log only."""
    if error.status != 500:
        return error_detail(error.code, error.message, request_id)
    logger.error("request %s failed: %s", request_id, error.message)
    return error_detail(error.code, "synthesis failed", request_id)


def media_type_of(request: Request) -> str:
    """Return the media type of a body, without its parameters; empty if there is none."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def explain(errors: Iterable[Any], known: Iterable[str] = (), whole: str = "the body") -> str:
    """Return pydantic's first errors in one line, with the nearest known name of a field."""
    # Nobody reads thousands of them, and looking for similar names takes time.
    return "; ".join(_explain(item, known, whole) for item in islice(errors, _MAX_EXPLAINED))


def _forget_frames(error: BaseException) -> None:
    """Drop the tracebacks of an error and of its causes.

    FastAPI's frames hold the error and the body of the request: a reference cycle that stays in
    memory until the garbage collector runs.
    """
    following: BaseException | None = error
    while following is not None:
        following.__traceback__ = None
        following = following.__cause__ or following.__context__


async def _service_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, ServiceError):
        raise error
    _forget_frames(error)
    return service_error_answer(request.scope, error)


async def _validation_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    _forget_frames(error)
    if any(item["type"] == "json_invalid" for item in error.errors()):
        return error_answer(request.scope, 400, "invalid_json", "the body is not valid JSON")
    errors = error.errors()
    media_type = media_type_of(request)
    if media_type != "application/json" and any(item["loc"][0] == "body" for item in errors):
        message = f"the content type must be application/json, not {media_type or 'none'}"
        return error_answer(request.scope, 415, "unsupported_media_type", message)
    message = explain(errors, _fields_of(request))
    place = errors[0]["loc"][1:2]  # after where it is: body, query or path
    field = str(place[0])[:_MAX_QUOTED] if place else None
    return error_answer(request.scope, 422, "invalid_request", message, field=field)


def _fields_of(request: Request) -> Iterable[str]:
    """Return the fields of the endpoint's body."""
    body = getattr(request.scope.get("route"), "body_field", None)
    return () if body is None else getattr(body.field_info.annotation, "model_fields", ())


def _explain(item: Mapping[str, Any], known: Iterable[str], whole: str) -> str:
    name = ".".join(str(part) for part in item["loc"] if part != "body") or whole
    if len(name) > _MAX_QUOTED:
        name = f"{name[:_MAX_QUOTED]}..."
    if item["type"] == "extra_forbidden":
        return f"unknown field {name}{nearest(name, known)}"
    return f"{name}: {item['msg']}"


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    _forget_frames(error)
    code = _HTTP_CODES.get(error.status_code, "http_error")
    if isinstance(error.__cause__, ClientDisconnect):
        code = "aborted"  # while its body was read; nobody reads this answer
    return error_answer(request.scope, error.status_code, code, str(error.detail), error.headers)
