"""A process that serves, and a client for it."""

import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.service.api.forked_process import ForkedProcess

FAULTY_SERVER = (str(Path(__file__).with_name("faulty_server.py")),)
"""The program of a server that logs the runs of its model, some of which fail."""

_ALTERED_SERVER = str(Path(__file__).with_name("altered_server.py"))
HELD_SERVER, LIMITED_SERVER, REPLACED_SERVER, UNCOLLECTED_SERVER = (
    (_ALTERED_SERVER, name) for name in ("held", "limited", "replaced", "uncollected")
)
"""Programs of servers that read no document for now, that may open few files, that others take over from on SIGUSR1,
that keep garbage."""

WYOMING = ("--wyoming", "tcp://127.0.0.1:0")
"""Has a server speak Wyoming, at its `uri`."""

OWN_SERVER = ("-m", "service")
"""The program of the service's own server."""

_HOSTED_SERVER = str(Path(__file__).with_name("hosted_server.py"))
HOSTS = ("uvicorn-h11", "uvicorn-httptools", "hypercorn")
"""Other ASGI servers that `hosted_by` knows."""


def hosted_by(host):
    """Return the program of a server that another ASGI server hosts."""
    return (_HOSTED_SERVER, host)


def write(path, content):
    """Write a file that nobody but its owner may read; return its path."""
    path.write_bytes(content)
    path.chmod(0o600)
    return path


class Server:
    """A `kokoro-service serve` process and a client for it; its log is read as it comes.

    Args:
        arguments: of the command.
        environment: variables beside those of the tests.
        program: that has the command.
        interpreter: in place of the one that runs the tests.
        forked: start it from a process that has imported the service.
    """

    def __init__(self, *arguments, environment=None, program=OWN_SERVER, interpreter=sys.executable, forked=False):
        arguments = ["serve", "--port", "0", *arguments]
        environment = {**os.environ, **(environment or {})}
        if forked:
            self.process = ForkedProcess(program, arguments, environment)
        else:
            command = [interpreter, *program, *arguments]
            self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.log = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.url = self.wait_for(r"[Rr]unning on (http://\S+)")
        except AssertionError:
            self.process.kill()
            self.process.wait()
            raise
        self.client = httpx.Client(base_url=self.url, timeout=600)

    @property
    def uri(self):
        """Where it speaks Wyoming."""
        return self.wait_for(r"wyoming on (tcp://\S+)")

    def _read(self):
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            for line in stream:
                with self._changed:
                    self.log.append(line)
                    self._changed.notify_all()
        with self._changed:
            self.log.append("")
            self._changed.notify_all()

    def wait_for(self, pattern):
        """Return the first group of the first line of the log that matches, once there is one."""

        def found():
            return next(filter(None, (re.search(pattern, line) for line in self.log)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() or self.log[-1:] == [""], timeout=120)
            match = found()
        assert match is not None, f"no {pattern!r} in the log:\n{''.join(self.log)}"
        return match.group(1) if match.groups() else match.group()

    def wait_for_more(self, pattern, n_lines):
        """Wait until more lines than these match."""

        def there_are():
            return sum(bool(re.search(pattern, line)) for line in self.log) > n_lines

        with self._changed:
            assert self._changed.wait_for(there_are, timeout=120), f"no more {pattern!r}"

    def wait_until_ready(self):
        self.wait_for(r"ready in ")

    def stop(self):
        self.process.terminate()
        status = self.process.wait(timeout=120)
        self._reader.join()
        self.client.close()
        return status


def lent(start_server, *arguments, **options):
    """Start a server, lend it when it is ready, and see that it stops in good order."""
    server = start_server(*arguments, **options)
    server.wait_until_ready()
    yield server
    assert server.stop() == 0


running = contextmanager(lent)


@contextmanager
def starting(cache_dir, program=OWN_SERVER):
    """Lend what starts servers with a cache; what is still running at the end is killed."""
    servers = []

    def start(*arguments, **options):
        options = {"program": program, **options}
        server = Server("--cache-dir", str(cache_dir), *arguments, **options)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.client.close()
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
