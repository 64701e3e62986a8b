"""The log: text or JSON lines on standard error, without callers' texts."""

from __future__ import annotations

import copy
import logging
import math
import re
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

_TEXT_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

_PLAIN = re.compile(r'[^\s"=\\]+')
"""A printable value that logfmt does not quote."""

_ExceptionInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


def configure_logging(level: str, log_format: Literal["text", "json"]) -> None:
    """Send the log to standard error, unless logging is already configured.

    Args:
        level: least severe messages to log, such as `info`.
        log_format: a line of text, or a JSON object with `time` (ISO 8601, UTC), `level`,
            `logger`, `message`, and the fields of a request or of `extra`.

    Exceptions are logged by class and frames only, because messages may quote a caller's text. For
    the same reason uvicorn stays at level info, because at debug it logs WebSocket messages, and
    its lines with the paths of WebSockets are dropped. What asyncio complains of, and what uvicorn
    warns of, is logged once a minute: clients can cause it as often as they like.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Text(_TEXT_FORMAT) if log_format == "text" else _Json())
    handler.addFilter(_is_worth_it)
    handler.addFilter(_is_news())
    number = logging.getLevelName(level.upper())
    logging.basicConfig(level=number, handlers=[handler])
    logging.getLogger("uvicorn").setLevel(max(number, logging.INFO))


def log_request(logger: logging.Logger, level: int, fields: Mapping[str, object]) -> None:
    """Log one line for a request: `request id=... status=200 ...`, or JSON with these fields.

    Fields that are None are left out. Never pass what a caller wrote: texts, keys, unknown paths.
    """
    logger.log(level, RequestFields(fields))


class RequestFields(dict[str, object]):
    """The message of a request's line: `request` and its fields in logfmt, on one line.

    A dictionary, because python-json-logger makes fields of it.
    """

    def __init__(self, fields: Mapping[str, object]) -> None:
        super().__init__({name: value for name, value in fields.items() if value is not None})

    def __str__(self) -> str:
        return " ".join(["request", *(f"{name}={_logfmt(self[name])}" for name in self)])


def _logfmt(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    if text.isprintable() and _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in escaped) + '"'


def describe(error: BaseException) -> str:
    """Return class and frames of an exception, its causes and its group, without messages."""
    return "\n".join(_describe(error, set())).rstrip()


def _describe(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    cause = error.__cause__
    if cause is None and not error.__suppress_context__:
        cause = error.__context__
    if cause is not None and id(cause) not in seen:
        yield from _describe(cause, seen)
        yield "which led to"
    yield f"{type(error).__module__}.{type(error).__qualname__}"
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip()
    # Those of an ExceptionGroup, which Python 3.10 lacks.
    for held in getattr(error, "exceptions", ()):
        if isinstance(held, BaseException) and id(held) not in seen:
            yield "which holds"
            yield from _describe(held, seen)


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        # Another handler may have cached its text of the exception, with the message.
        record = copy.copy(record)
        record.exc_text = None
        return super().format(record)

    def formatException(self, ei: _ExceptionInfo) -> str:  # noqa: N802
        return describe(ei[1]) if ei[1] is not None else ""


class _Json(JsonFormatter):
    def __init__(self) -> None:
        super().__init__(
            "%(levelname)s %(name)s %(message)s",
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            timestamp="time",
            # uvicorn's message once more, for terminals.
            reserved_attrs=[*RESERVED_ATTRS, "color_message"],
        )

    def formatException(self, ei: _ExceptionInfo) -> str:  # noqa: N802
        return describe(ei[1]) if ei[1] is not None else ""

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        if not log_data["message"]:
            log_data["message"] = "request"  # see RequestFields
        return {name: _plain(value) for name, value in log_data.items()}


def _plain(value: object) -> object:
    if isinstance(value, BaseException):
        return type(value).__name__
    if isinstance(value, float):
        # JSON has no word for infinity.
        return round(value, 6) if math.isfinite(value) else str(value)
    return value


_UNWANTED = (
    '"WebSocket %s"',
    "ASGI callable returned without completing",
    "Invalid UTF-8 sequence received",
)
"""In lines of uvicorn: paths; what it says of WebSockets that are refused with an answer, of
answers that are broken off on purpose, and of clients, with a traceback. `RequestLog` has a line
for each."""


def _is_worth_it(record: logging.LogRecord) -> bool:
    return not (isinstance(record.msg, str) and any(part in record.msg for part in _UNWANTED))


_COMPLAINTS = {
    "asyncio": (logging.WARNING, logging.ERROR),
    "uvicorn.error": (logging.WARNING,),
}
"""By logger, the levels of what clients can cause. Errors of uvicorn are faults of the service."""

_NEWS_AGAIN_S = 60.0
_MOST_KEPT = 64
"""Complaints that are remembered; there are not that many kinds."""


def _is_news() -> Callable[[logging.LogRecord], bool]:
    """Return a filter for what has been complained of already within a minute."""
    said: dict[str, float] = {}

    def is_news(record: logging.LogRecord) -> bool:
        if record.levelno not in _COMPLAINTS.get(record.name, ()):
            return True
        # The lines that follow name the socket or the task.
        complaint, now = record.getMessage().partition("\n")[0], time.monotonic()
        if now - said.get(complaint, -math.inf) < _NEWS_AGAIN_S:
            return False
        if len(said) >= _MOST_KEPT:
            said.clear()
        said[complaint] = now
        return True

    return is_news
