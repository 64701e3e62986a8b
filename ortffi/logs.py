"""ONNX Runtime's log messages, passed to Python (`OrtLoggingFunction`)."""

from __future__ import annotations

import atexit
import ctypes
import itertools
import logging
import sys
import threading
import weakref
from collections.abc import Callable
from typing import NamedTuple

from ortffi._api import LogLevel
from ortffi._gate import Gate

LoggingFunction = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,  # the parameter that was registered with the function
    ctypes.c_int,  # severity, an OrtLoggingLevel
    ctypes.c_char_p,  # category
    ctypes.c_char_p,  # log id
    ctypes.c_char_p,  # code location
    ctypes.c_char_p,  # message
)
"""`OrtLoggingFunction`."""


class LogMessage(NamedTuple):
    """One log message of ONNX Runtime.

    Attributes:
        severity: how bad it is.
        category: the part of the library, almost always `onnxruntime`.
        log_id: the session or environment that logged it; often empty.
        code_location: source file, line and function, such as `session_state.cc:1148 Verify`.
        text: the message.
    """

    severity: LogLevel
    category: str
    log_id: str
    code_location: str
    text: str


LogHandler = Callable[[LogMessage], None]
"""Takes messages. It is called in the thread that logs, which may be one of ONNX Runtime's own, and
by several threads at once. Exceptions go to `sys.unraisablehook` and never into C."""


class LogCallback:
    """A handler as a C function and the parameter to pass to it.

    All callbacks of a process share one function, which is never freed, so that C may call it at
    any time; the parameter identifies the handler. Messages for a collected callback are dropped,
    so keep the callback alive as long as you want messages. When the interpreter exits, ONNX
    Runtime's messages stop just before `logging.shutdown`.

    Args:
        handler: takes the messages.

    Attributes:
        function: the address of an `OrtLoggingFunction`.
        parameter: its first argument.
    """

    def __init__(self, handler: LogHandler) -> None:
        self.handler = handler
        self.function = _function()
        self.parameter = next(_parameters)
        _callbacks[self.parameter] = self


_LEVELS = {
    LogLevel.VERBOSE: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
    LogLevel.FATAL: logging.CRITICAL,
}


def to_logger(logger: logging.Logger) -> LogHandler:
    """Return a handler that passes messages to a logger at the corresponding level.

    VERBOSE becomes `logging.DEBUG`, and FATAL becomes `logging.CRITICAL`. A record's text ends
    with the code location. Records also have the attributes `category`, `log_id` and
    `code_location`.
    """

    def handle(message: LogMessage) -> None:
        level = _LEVELS[message.severity]
        if logger.isEnabledFor(level):
            extra = {
                "category": message.category,
                "log_id": message.log_id,
                "code_location": message.code_location,
            }
            logger.log(level, "%s [%s]", message.text, message.code_location, extra=extra)

    return handle


def to_standard_error(message: LogMessage) -> None:
    """Print a message on one line, as ONNX Runtime does without a callback."""
    if sys.stderr is None:  # a program without a console; print() would take standard output
        return
    print(
        f"[{message.severity.name[0]}:{message.category}:{message.log_id}, "
        f"{message.code_location}] {message.text}",
        file=sys.stderr,
    )


_callbacks: weakref.WeakValueDictionary[int, LogCallback] = weakref.WeakValueDictionary()
_parameters = itertools.count(1)  # 0 would be the null pointer
_severities = dict(enumerate(LogLevel))


def _dispatch(
    parameter: int | None,
    severity: int,
    category: bytes | None,
    log_id: bytes | None,
    code_location: bytes | None,
    text: bytes | None,
) -> None:
    callback = _callbacks.get(parameter or 0)
    if callback is None:
        return
    # If the handler raises, ctypes calls sys.unraisablehook and returns to C normally.
    callback.handler(
        LogMessage(
            _severities.get(severity, LogLevel.FATAL),
            (category or b"").decode("utf-8", "replace"),
            (log_id or b"").decode("utf-8", "replace"),
            (code_location or b"").decode("utf-8", "replace"),
            (text or b"").decode("utf-8", "replace"),
        )
    )


_lock = threading.RLock()
_made: list[tuple[object, int]] = []


def _function() -> int:
    """Return the address of the process's one C function; create it on first use."""
    with _lock:
        if not _made:
            dispatch = LoggingFunction(_dispatch)
            gate = Gate(ctypes.cast(dispatch, ctypes.c_void_p).value or 0)
            # Exit handlers run in reverse: `logging`, imported above, shuts down after this.
            atexit.register(gate.close)
            _made.append((dispatch, gate.address))
        return _made[0][1]
