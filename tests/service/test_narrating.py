"""`kokoro-service read` has its book read within limits."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.service.api.speech_client import wait_until
from tests.service.books.odd_readers import started
from tests.service.books.reading_processes import in_session_of, is_running, starter_of
from tests.service.commands import complaint

ENDLESS = str(Path(__file__).with_name("api") / "endless_server.py")
"""Also runs `read`."""


def test_a_book_that_exceeds_a_limit_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("It rained.\n\n" * 200_000)
    for more in (["--list"], ["-o", "a.m4b"]):
        line = complaint("read", "a.txt", *more, "--document-memory-bytes", "2000000")
        assert line.startswith("kokoro-service: a.txt takes more than 2000000 bytes of memory")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


ENDS = [(more, number) for number in (signal.SIGINT, signal.SIGKILL) for more in (["--list"], ["-o", "a.m4b"])]


@pytest.mark.parametrize(
    ("more", "number"), [ENDS[0], *(pytest.param(*end, marks=pytest.mark.thorough) for end in ENDS[1:])]
)
def test_who_stops_the_command_stops_the_reading(more, number, tmp_path):
    book = tmp_path / "a.txt"
    book.write_text("loop now")
    process = subprocess.Popen(
        [sys.executable, ENDLESS, "read", str(book), *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    with process:
        wait_until(lambda: bool(started(book)))
        starter = starter_of(process.pid)
        process.send_signal(number)
        told, _ = process.communicate(timeout=60)
    assert (process.returncode, told) == (130 if number == signal.SIGINT else -number, "")
    wait_until(lambda: not any(map(is_running, in_session_of(starter))))
