"""The command line, called in this process: a process of its own takes a second to import it."""

import io
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from unittest import mock

from service import __main__ as command_line

_PATIENCE_S = 120
"""After this a command is interrupted, as one that serves although it should have refused to."""


def command(*arguments):
    """Call `main` and return what a process would have told and its status."""
    out, err = io.StringIO(), io.StringIO()
    with _as_alone(), redirect_stdout(out), redirect_stderr(err):
        try:
            status = command_line.main(arguments)
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def complaint(*arguments):
    """Have a command refuse; return the one line that it says."""
    done = command(*arguments)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("kokoro-service: ")
    return line


def heed_interrupts():
    """Undo what a shell does to those in the background, and so to what a test starts: it has them ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _as_alone():
    """Have no log yet, and undo what a command sets for its whole process.

    What it tells the C library about the heap cannot be undone, so that is left out.
    """
    root, uvicorn = logging.getLogger(), logging.getLogger("uvicorn")
    log_handlers, level, level_of_uvicorn = root.handlers[:], root.level, uvicorn.level
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    n_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    switch_s = sys.getswitchinterval()
    watch = threading.Timer(_PATIENCE_S, os.kill, (os.getpid(), signal.SIGINT))
    root.handlers.clear()
    watch.start()
    try:
        with mock.patch.object(command_line, "share_freed_memory"):
            yield
    finally:
        watch.cancel()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        resource.setrlimit(resource.RLIMIT_NOFILE, n_files)
        sys.setswitchinterval(switch_s)
        root.handlers[:] = log_handlers
        root.setLevel(level)
        uvicorn.setLevel(level_of_uvicorn)
