"""Signals that arrive at each bytecode of a call, one call after the other.

A trace function in C sends the signal, so that the interpreter itself decides where its handler
runs: where it really could. A trace function in Python would be interrupted in its own code.
"""

import ctypes
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

import ortffi

FOLDER = str(Path(ortffi.__file__).parent)
_SIGNAL = signal.SIGUSR1

_raise = ctypes.PyDLL(None)["raise"]
# The frame, the event and its argument follow; C ignores them.
_raise.argtypes = [ctypes.c_int, ctypes.py_object, ctypes.py_object, ctypes.py_object]
_raise.restype = None


class Interrupted(BaseException):
    """Raised by a signal handler, as KeyboardInterrupt is."""


def interrupt(*_):
    raise Interrupted


interruptible = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 interrupts between a `finally` and its first call; run a newer one"
)


def interrupted_at_each_step(call, handle=interrupt, *, step=1, places=(FOLDER,)):
    """Call again and again, with a signal at the first bytecode, the second, and so on.

    Only bytecodes of some places count. The exceptions that the handler raises are caught here.

    Args:
        call: what is interrupted.
        handle: what the signal handler does; it raises by default.
        step: signals at every so many bytecodes.
        places: what the names of their files begin with; ortffi by default.

    Yields:
        After each call that was interrupted, the number of its bytecode.
    """
    number = 1
    while _interrupt(call, handle, number, places):
        yield number
        number += step


def trace_bytecodes(trace):
    """Call a trace function at each call, and, if it asks for them, at each bytecode."""
    # From Python 3.12 on, bytecodes are traced only if a frame has asked before.
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)


def _interrupt(call, handle, number, places):
    """Return whether the call had so many bytecodes."""
    left, handled = number, False

    def on_signal(_number, _frame):
        nonlocal handled
        sys.settrace(None)
        handled = True
        handle()

    def on_bytecode(frame, _event, _argument):
        nonlocal left
        left -= 1
        if left > 0:
            return on_bytecode
        # At each bytecode from there on, until the handler runs.
        send = partial(_raise, _SIGNAL)
        caller = frame.f_back
        while caller is not None:
            if caller.f_trace is not None:
                caller.f_trace = send
            caller = caller.f_back
        return send

    def on_call(frame, _event, _argument):
        if left <= 0 or not frame.f_code.co_filename.startswith(places):
            return None
        frame.f_trace_opcodes = True  # beside lines: Python 3.13.0 forgets some bytecodes
        return on_bytecode

    previous = signal.signal(_SIGNAL, on_signal)
    trace_bytecodes(on_call)
    try:
        call()
        sys.settrace(None)  # here at the latest the handler runs
    except (Interrupted, ortffi.ClosedError):
        pass
    finally:
        sys.settrace(None)
        signal.signal(_SIGNAL, previous)
    return handled
