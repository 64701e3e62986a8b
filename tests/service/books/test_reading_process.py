"""The processes that read documents end with whoever had them read, and have nothing else of it."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from service.books.book_files import read_book
from service.books.document_reader import DocumentReader
from service.errors import DocumentLimitError, InvalidBookError, NotReadyError
from tests.service.api.speech_client import wait_until
from tests.service.books.odd_readers import started, text_of
from tests.service.books.reading_processes import (
    ROOMY,
    children_of,
    exists,
    in_session_of,
    is_running,
    reader,
    starter_of,
    text,
)
from tests.service.commands import complaint, heed_interrupts


def test_the_process_that_reads_has_nothing_of_the_service(document):
    """No socket, no file, no thread, no model; and its memory and core stay its own."""
    with document.open("rb") as file, pytest.MonkeyPatch.context() as patch, reader("tell_what_it_has") as documents:
        os.set_inheritable(file.fileno(), True)
        patch.chdir(document.parent)
        first = json.loads(text_of(documents.read(document)))
        second = json.loads(text_of(documents.read(Path(document.name))))
    for told in (first, second):
        assert told["threads"] == 1
        assert told["core"] == 0
        assert told["niceness"] > os.nice(0)
        assert told["first to go"] == "1000"
        assert not {"ortffi", "fastapi", "numpy", "sqlite3", "multiprocessing"} & {*told["modules"]}
        assert set(told["rooms"]) <= {"service.books", "service.covers", "service.errors",
                                      "service.extras", "service.logs", "service.resources",
                                      "service.text"}  # fmt: skip
        descriptors = told["descriptors"]
        assert {descriptors.pop(number) for number in "012"} == {os.devnull}
        (answer,) = descriptors.values()
        assert answer.startswith("pipe:")
    assert first["parent"] == second["parent"]
    assert first["pid"] != second["pid"]
    assert second["folder"] == str(document.parent)


def test_descriptors_and_processes_do_not_become_more(document):
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    before, processes = descriptors(), children_of(os.getpid())
    with DocumentReader(replace(ROOMY, memory_bytes=64 << 20)) as documents:
        documents.read(document)
        held = descriptors()
        starter = starter_of(os.getpid())
        theirs = len(os.listdir(f"/proc/{starter}/fd"))
        damaged = text(document.with_name("a.epub"), "PK")
        for _ in range(5):
            documents.read(document)
            with pytest.raises(InvalidBookError):
                documents.read(damaged)
        assert descriptors() == held
        # It closes the last connection after it has told how the reading ended.
        wait_until(lambda: len(os.listdir(f"/proc/{starter}/fd")) <= theirs)
        assert in_session_of(starter) == [starter]
    assert descriptors() == before
    assert children_of(os.getpid()) == processes
    assert not exists(starter)


@pytest.mark.thorough
def test_somebody_who_ends_the_starting_process_ends_no_reading_but_the_one_in_progress(document):
    with reader("loop_if_asked") as documents, ThreadPoolExecutor(1) as thread:
        expected = read_book(document)
        assert documents.read(document) == expected
        starter = starter_of(os.getpid())
        os.kill(starter, signal.SIGKILL)
        wait_until(lambda: not is_running(starter))
        assert documents.read(document) == expected
        endless = text(document.with_name("endless.txt"), "loop now")
        reading = thread.submit(documents.read, endless)
        pids = []
        for number in (1, 2):  # it is tried twice
            wait_until(lambda number=number: len(started(endless)) == number)
            starter = starter_of(os.getpid())
            os.kill(starter, signal.SIGKILL)
            pids = started(endless)
        with pytest.raises(NotReadyError):
            reading.result()
        wait_until(lambda: not any(map(is_running, pids)))
        assert documents.read(document) == expected


PROGRAM = """
import sys
from pathlib import Path
from service.books.document_reader import DocumentReader, ReadingLimits
documents = DocumentReader(ReadingLimits(600, 600, 1 << 28), sys.argv[2])
print(documents.read(Path(sys.argv[1])).chapters[0].paragraphs[0].text, flush=True)
"""
"""It has no main guard: who imports it reads the document."""

ODD = "tests.service.books.odd_readers:"


def program(tmp_path, way):
    path = text(tmp_path / "program.py", PROGRAM)
    return {
        "-c": [sys.executable, "-c", PROGRAM], "file": [sys.executable, str(path)],
        "-m": [sys.executable, "-m", "program"], "standard input": [sys.executable, "-"],
    }[way]  # fmt: skip


@pytest.mark.parametrize(
    "way", ["standard input", *(pytest.param(way, marks=pytest.mark.thorough) for way in ("-c", "file", "-m"))]
)
def test_any_program_may_have_documents_read(way, document, tmp_path, repository):
    done = subprocess.run(
        [*program(tmp_path, way), str(document), f"{ODD}tell_what_it_has"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        input=PROGRAM if way == "standard input" else "",
        env={**os.environ, "PYTHONPATH": str(repository)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "program" not in json.loads(done.stdout)["modules"]
    assert not exists(json.loads(done.stdout)["parent"])


ENDS = [(name, number) for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT) for name in ("loop", "sleep")]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "number"), ENDS)
def test_all_processes_end_with_the_program_however_it_ends(name, number, document, tmp_path, repository):
    process = subprocess.Popen(
        [*program(tmp_path, "file"), str(document), f"{ODD}{name}"],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(repository)},
        preexec_fn=heed_interrupts,
    )
    with process:
        wait_until(lambda: bool(started(document)))
        starter = starter_of(process.pid)
        assert len(in_session_of(starter)) == 2
        process.send_signal(number)
        process.wait(60)
    wait_until(lambda: not any(map(is_running, in_session_of(starter))))


@pytest.mark.thorough
def test_the_memory_of_this_process_does_not_grow_with_what_a_document_takes(document):
    with reader("take_memory") as documents:
        for _ in range(3):
            with pytest.raises(DocumentLimitError):
                documents.read(document)
        starter = starter_of(os.getpid())
        status = Path(f"/proc/{starter}/status").read_text(encoding="utf-8")
        (peak,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
        assert int(peak.split()[1]) < 100_000


# `kokoro-service read` has its book read within limits.


ENDLESS = str(Path(__file__).parents[1] / "api" / "endless_server.py")
"""Also runs `read`."""


def test_a_book_that_exceeds_a_limit_is_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text(tmp_path / "a.txt", "It rained.\n\n" * 200_000)
    for more in (["--list"], ["-o", "a.m4b"]):
        line = complaint("read", "a.txt", *more, "--document-memory-bytes", "2000000")
        assert line.startswith("kokoro-service: a.txt takes more than 2000000 bytes of memory")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


COMMANDS = [(more, number) for number in (signal.SIGINT, signal.SIGKILL) for more in (["--list"], ["-o", "a.m4b"])]


@pytest.mark.thorough
@pytest.mark.parametrize(("more", "number"), COMMANDS)
def test_who_stops_the_command_stops_the_reading(more, number, tmp_path):
    book = text(tmp_path / "a.txt", "loop now")
    process = subprocess.Popen(
        [sys.executable, ENDLESS, "read", str(book), *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    with process:
        wait_until(lambda: bool(started(book)))
        starter = starter_of(process.pid)
        process.send_signal(number)
        told, _ = process.communicate(timeout=60)
    how = "stopped; the same command goes on from here\n"
    expected = how if number == signal.SIGINT and "-o" in more else ""
    assert (process.returncode, told) == (130 if number == signal.SIGINT else -number, expected)
    wait_until(lambda: not any(map(is_running, in_session_of(starter))))
