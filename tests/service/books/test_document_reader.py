"""Documents are read in processes of their own, whatever they do there."""

import errno
import logging
import os
import re
import resource
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from service.books.book_files import read_book
from service.books.document_reader import AT_ONCE, DocumentReader
from service.books.ongoing_reading import ReadingLimits
from service.errors import CancelledError, DocumentLimitError, InvalidBookError, NotReadyError
from service.settings import Settings
from service.speech import Cancellation
from tests.service.api.speech_client import wait_until
from tests.service.books import made_books, odd_readers
from tests.service.books.odd_readers import SECRET, started
from tests.service.books.reading_processes import ROOMY, exists, in_session_of, is_running, reader, starter_of, text


@pytest.fixture(scope="module")
def starting():
    """Starts all readings: a process that starts others takes longer to start than a document to read."""
    with DocumentReader(ROOMY) as documents:
        yield documents


@pytest.fixture
def documents(starting, monkeypatch):
    """Read as the service does."""
    monkeypatch.setattr(starting, "_limits", ReadingLimits.of(Settings()))
    return starting


@pytest.fixture
def reading(starting, monkeypatch):
    """Return what lends a reader that reads with one of `odd_readers`, within limits."""

    def reading(name, limits=ROOMY):
        monkeypatch.setattr(starting, "_reader", f"tests.service.books.odd_readers:{name}")
        monkeypatch.setattr(starting, "_limits", limits)
        return starting

    return reading


def test_a_document_of_every_kind_is_read_as_in_this_process(documents, tmp_path, monkeypatch):
    (tmp_path / "p.jpg").write_bytes(made_books.picture())
    marked = '<h1>One</h1><p>Hello.</p><img src="p.jpg" alt="A p."/>'
    paths = [
        text(tmp_path / "a.txt", "CHAPTER I\n\nIt rained.\n\nCHAPTER II\n\nGrüße aus Köln."),
        text(tmp_path / "b.txt", "Grüße aus Köln.".encode("utf-16")),
        text(tmp_path / "a.md", "# One\n\nHello.\n\n```\ncode\n```\n\n![A p.](p.jpg)\n\n***\n\nB."),
        text(tmp_path / "a.html", f"<title>T</title>{marked}"),
        made_books.fb2(tmp_path / "a.fb2"),
        made_books.word(tmp_path / "a.docx"),
        made_books.epub(
            tmp_path / "a.epub", {"a.xhtml": made_books.page(marked)}, '<li><a href="a.xhtml">One</a></li>',
            extra={"OPS/c.jpg": made_books.picture(), "OPS/p.jpg": made_books.picture()}, items=made_books.COVER,
        ),
    ]  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for path in [*paths, Path(paths[2].name), Path(paths[-1].name)]:
        expected = read_book(path)
        book = documents.read(path)
        assert book == expected, path
        assert repr(book) == repr(expected)
    assert documents.read(paths[-1]).cover is not None


def test_a_document_that_cannot_be_read_is_refused_as_in_this_process(documents, tmp_path):
    odd = tmp_path / os.fsdecode(b"odd-\xff.txt")
    paths = [
        text(tmp_path / "a.epub", "PK"), text(tmp_path / "a.pdf", "%PDF"), text(tmp_path / "a.azw3", ""),
        text(tmp_path / "empty.txt", "..."), text(odd, "..."), tmp_path / "missing.txt", tmp_path,
    ]  # fmt: skip
    (tmp_path / "folder.txt").mkdir()
    for path in [*paths, tmp_path / "folder.txt"]:
        with pytest.raises((InvalidBookError, OSError)) as expected:
            read_book(path)
        with pytest.raises((InvalidBookError, OSError)) as raised:
            documents.read(path)
        assert type(raised.value) is type(expected.value)
        assert str(raised.value) == str(expected.value)


LIMITED = [
    ("loop", replace(ROOMY, cpu_s=1), "document_cpu_s"),
    ("sleep", replace(ROOMY, wall_s=1), "document_timeout_s"),
    pytest.param("loop", replace(ROOMY, wall_s=1), "document_timeout_s", marks=pytest.mark.thorough),
    ("take_memory", ROOMY, "document_memory_bytes"),
    ("make_much_text", replace(ROOMY, answer_bytes=1_000_000), "has .* with .* characters, more than"),
    ("make_many_paragraphs", replace(ROOMY, answer_bytes=1_000_000), "has .*,000 paragraphs"),
    ("make_a_large_cover", replace(ROOMY, answer_bytes=1_000_000), "and a cover of .* bytes"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "limits", "limit"), LIMITED)
def test_a_limit_ends_the_reading_and_says_which_it_was(name, limits, limit, document, reading):
    with pytest.raises(DocumentLimitError, match=rf"My novel\.txt .*{limit}") as raised:
        reading(name, limits).read(document, name="My novel.txt")
    assert (raised.value.status, raised.value.code) == (422, "document_limit")
    starter = starter_of(os.getpid())
    assert in_session_of(starter) == [starter]


@pytest.mark.parametrize("name", ["make_much_text", "make_many_paragraphs", "make_a_large_cover"])
def test_a_book_within_the_limits_comes_whole(name, document, reading):
    assert reading(name).read(document) == getattr(odd_readers, name)(document)


FAULTS = {
    "crash": "signal 11", "be_killed": "signal 9", "end": "no book|status 0", "recur": "RecursionError",
    "fail": "KeyError", "seek_wrongly": "OSError", "write_a_file": "OSError", "send_code": "no book",
}  # fmt: skip


@pytest.mark.parametrize(("name", "told"), FAULTS.items())
def test_a_fault_of_the_reading_refuses_the_document_and_is_logged_without_its_text(
    name, told, document, caplog, capfd, monkeypatch, reading
):
    monkeypatch.chdir(document.parent)
    with caplog.at_level(logging.DEBUG), pytest.raises(InvalidBookError, match=r"^document\.txt cannot") as raised:
        reading(name).read(document)
    assert type(raised.value) is InvalidBookError
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert re.search(told, record.getMessage())
    assert len(record.getMessage()) < 5000
    assert SECRET not in caplog.text
    assert SECRET not in "".join(capfd.readouterr())
    assert {path.name for path in document.parent.iterdir()} <= {"document.txt", "written"}
    with pytest.raises(InvalidBookError, match=r"^My novel\.txt "):
        reading(name).read(document, name="My novel.txt")


def test_a_fault_of_a_parser_is_logged_without_the_text(document, caplog, reading):
    told = r"My novel\.txt is damaged, or .* \(KeyError\)"
    with caplog.at_level(logging.DEBUG), pytest.raises(InvalidBookError, match=told):
        reading("parse_wrongly").read(document, name="My novel.txt")
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert re.match(r"a document cannot be read: builtins\.KeyError\n  File", record.getMessage())
    assert "in _fail" in record.getMessage()
    assert not [word for word in (SECRET, document.name, "novel") if word in caplog.text]


def test_a_disk_that_fails_is_no_fault_of_the_document(document, reading):
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        reading("be_refused_by_the_disk").read(document)


def test_other_documents_wait_for_their_turn_and_can_be_cancelled_meanwhile(tmp_path):
    paths = [text(tmp_path / f"{n}.txt", "Hello.") for n in range(AT_ONCE + 1)]
    with reader("sleep") as documents, ThreadPoolExecutor(len(paths)) as threads:
        cancellations = [Cancellation() for _ in paths]
        first = [
            threads.submit(documents.read, path, cancellation)
            for path, cancellation in zip(paths[:-1], cancellations, strict=False)
        ]
        wait_until(lambda: all(started(path) for path in paths[:-1]))
        begun = []

        @contextmanager
        def reading():
            begun.append("begun")
            yield

        last = threads.submit(documents.read, paths[-1], cancellations[-1], reading)
        cancellations[-1].cancel(CancelledError("the client has disconnected"))
        with pytest.raises(CancelledError):
            last.result()
        assert not started(paths[-1])
        assert not begun  # who only waits is not to blame for the end of the process

        last = threads.submit(documents.read, paths[-1], None, reading)
        cancellations[0].cancel(CancelledError("the client has disconnected"))
        with pytest.raises(CancelledError):
            first[0].result()
        wait_until(lambda: bool(started(paths[-1])))
        assert begun
        assert not any(map(exists, started(paths[0])))
        assert all(map(is_running, started(paths[1])))

        documents.close()
        for one in (*first[1:], last):
            with pytest.raises(NotReadyError):
                one.result()
        with pytest.raises(NotReadyError):
            documents.read(paths[0])
        for path in paths:
            assert not any(map(exists, started(path)))
        documents.close()


@pytest.mark.parametrize("name", ["loop", "sleep"])
def test_a_reading_that_is_cancelled_is_over_when_the_reason_is_raised(name, document, caplog, reading):
    with ThreadPoolExecutor(1) as thread, Cancellation() as cancellation:
        read = thread.submit(reading(name).read, document, cancellation)
        wait_until(lambda: bool(started(document)))
        (pid,) = started(document)
        assert is_running(pid)
        cancellation.cancel(CancelledError("the client has disconnected"))
        with pytest.raises(CancelledError, match="disconnected"):
            read.result()
        assert not exists(pid)
    assert not caplog.records


def test_without_a_process_or_a_descriptor_the_document_can_be_read_later(document):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with DocumentReader(ROOMY) as documents:
        lowest = os.dup(0)  # the number that the next one would have
        os.close(lowest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
        try:
            with pytest.raises(NotReadyError, match="Too many open files"):
                documents.read(document)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert documents.read(document).title


@pytest.mark.thorough
def test_the_book_is_whole_or_refused_whatever_memory_there_is(tmp_path):
    """Libraries that run out of memory must not leave out what they cannot hold."""
    body = "<h1>One</h1>" + "<p>It rained.</p>" * 4000
    paths = [
        text(tmp_path / "a.html", body),
        text(tmp_path / "a.md", "# One\n\nIt rained.\n\n" * 1000),
        text(tmp_path / "a.txt", "CHAPTER I\n\nIt rained.\n\n" * 2000),
        made_books.epub(tmp_path / "a.epub", {"a.xhtml": made_books.page(body)}, '<li><a href="a.xhtml">One</a></li>'),
    ]
    for path in paths:
        expected, outcomes = read_book(path), []
        for n_blocks in (1, 4, 7, 12, 64):
            limits = replace(ROOMY, memory_bytes=n_blocks << 19)
            with DocumentReader(limits) as documents:
                try:
                    outcomes.append(documents.read(path) == expected)
                except InvalidBookError:
                    outcomes.append(None)
        assert outcomes[0] is None, path
        assert outcomes[-1] is True, path
        assert False not in outcomes, path
