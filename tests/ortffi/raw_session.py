"""Sessions made by C calls alone, for options that a test wants to set itself."""

from contextlib import contextmanager

import pytest

import ortffi
from ortffi._api import SLOTS, new


def create_session(environment, model, *steps):
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
def raw_session(environment, model, *steps):
    """Lend an `OrtSession*` as `create_session` makes it."""
    session = create_session(environment, model, *steps)
    try:
        yield session
    finally:
        environment.api.ReleaseSession(session)


def listen(environment, callback, level):
    """Return the step that gives a session a log callback."""

    def step(options):
        environment.api.SetSessionLogSeverityLevel(options, level)
        environment.api.SetUserLoggingFunction(options, callback.function, callback.parameter)

    return step


def needs(function):
    """Skip the test where the library has no such function."""
    if not ortffi.init().api.has(function):
        pytest.skip(f"{function} needs ONNX Runtime 1.{SLOTS[function].since}")
