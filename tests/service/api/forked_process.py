"""Processes that are forked from one that has imported the service, which takes two thirds of a start.

`multiprocessing` keeps that one. It has no thread and no library of ONNX Runtime, so a fork is what a process of
its own would be at that point, except that it ends without the functions of `atexit`. `test_http` and `test_starts`
have one of their own.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
from pathlib import Path

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["service.__main__", "service.api"])


class ForkedProcess:
    """A program of Python in a fork, with what `subprocess.Popen` has to wait for it and end it.

    Args:
        program: `-m` and a module, or a file, and arguments before the others.
        arguments: that it finds in `sys.argv`.
        environment: all variables; those that Python reads when it starts do nothing.
    """

    def __init__(self, program, arguments, environment):
        reader, writer = _forks.Pipe(duplex=False)
        self._process = _forks.Process(target=_run, args=(program, arguments, environment, writer))
        self._process.start()
        writer.close()
        self.stderr = open(os.dup(reader.fileno()), encoding="utf-8")  # noqa: SIM115
        reader.close()
        self.pid = self._process.pid
        self.kill, self.terminate = self._process.kill, self._process.terminate

    @property
    def returncode(self):
        return self.poll()

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)
        return self.poll()

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)


def _run(program, arguments, environment, errors):
    os.dup2(errors.fileno(), sys.stderr.fileno())
    errors.close()
    os.environ.clear()
    os.environ.update(environment)
    if program[0] == "-m":
        _, module, *more = program
        sys.argv = [module, *more, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        file, *more = program
        sys.argv = [file, *more, *arguments]
        sys.path.insert(0, str(Path(file).parent))
        runpy.run_path(file, run_name="__main__")
