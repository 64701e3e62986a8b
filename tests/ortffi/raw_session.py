"""Sessions made by C calls alone, for options that a test wants to set itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import ortffi
from ortffi._api import SLOTS, LogLevel, new
from ortffi.environment import Environment


def create_session(environment: Environment, model: bytes, *steps: Callable[[int], Any]) -> int:
    """Make an `OrtSession`; each step is called with the `OrtSessionOptions*` before."""
    api = environment.api
    options = new(api.CreateSessionOptions)
    try:
        api.SetIntraOpNumThreads(options, 1)
        for step in steps:
            step(options)
        return new(api.CreateSessionFromArray, environment.pointer, model, len(model), options)
    finally:
        api.ReleaseSessionOptions(options)


@contextmanager
def raw_session(
    environment: Environment, model: bytes, *steps: Callable[[int], Any]
) -> Iterator[int]:
    """Lend an `OrtSession*` as `create_session` makes it."""
    session = create_session(environment, model, *steps)
    try:
        yield session
    finally:
        environment.api.ReleaseSession(session)


def listen(environment: Environment, callback: Any, level: LogLevel) -> Callable[[int], None]:
    """Return the step that gives a session a log callback."""

    def step(options: int) -> None:
        environment.api.SetSessionLogSeverityLevel(options, level)
        environment.api.SetUserLoggingFunction(options, callback.function, callback.parameter)

    return step


def needs(function: str) -> None:
    """Skip the test where the library has no such function."""
    if not ortffi.init().api.has(function):
        pytest.skip(f"{function} needs ONNX Runtime 1.{SLOTS[function].since}")
