import asyncio
import errno
import json
import logging
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from service.errors import (
    JobNotFoundError,
    JobsUnavailableError,
    ReadingInterruptedError,
    StorageFailedError,
    StorageFullError,
)
from service.jobs import Job, JobsFolder, job_table, jobs_folder
from service.jobs.job_table import JobTable
from service.jobs.storage import cause, erase
from tests.service.files import fill, mounted, open_files
from tests.service.jobs import interrupted_life

DAY_S = 86_400


def job(number, **fields):
    return Job(**{
        "id": f"{number:032x}", "owner": "anne", "options": {"format": "mp3"}, "document": "document.txt",
        "title": "A night", "n_characters": 5, "created_s": float(number), **fields,
    })  # fmt: skip


def open_store(folder, **options):
    return JobsFolder(folder, **{"max_jobs": 3, "max_bytes": 1000, "max_age_s": DAY_S, "now": lambda: 0.0, **options})


def add(store, new, n_bytes=5):
    document = store.incoming / "received"
    document.write_bytes(b"x" * n_bytes)
    store.add(new, document)


def keep(folder, *jobs, n_bytes=5):
    """Leave a folder with jobs behind, as a process that has ended."""
    with closing(open_store(folder)) as store:
        for each in jobs:
            add(store, each, n_bytes)


def test_jobs_outlive_the_process(tmp_path):
    store = open_store(tmp_path / "jobs")
    speaking, done = job(1), job(2, state="done", finished_s=3.0, outputs=["output.mp3"])
    failed = job(3, state="failed", finished_s=4.0, error=("storage_failed", "no"))
    for each in (speaking, done, failed):
        add(store, each)
    speaking.state, speaking.progress = "speaking", 0.5
    store.save(speaking)
    store.close()
    again = open_store(tmp_path / "jobs")
    kept = again.jobs()
    assert [each.state for each in kept] == ["queued", "done", "failed"]
    assert kept[1].outputs == ["output.mp3"]
    assert kept[2].error == ("storage_failed", "no")
    assert kept[0].options == {"format": "mp3"}
    assert (again.folder_of(kept[0]) / "document.txt").read_bytes() == b"xxxxx"
    again.close()


def test_a_folder_is_one_process_s_and_one_user_s_own(tmp_path):
    store = open_store(tmp_path)
    with pytest.raises(JobsUnavailableError, match="another process"):
        open_store(tmp_path)
    store.close()
    open_store(tmp_path).close()
    keep(tmp_path / "jobs", job(1))
    assert (tmp_path / "jobs").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_and_damaged_records_are_told_and_kept(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(JobsUnavailableError, match="cannot be written"):
        open_store(tmp_path / "file" / "jobs")
    (tmp_path / "jobs.sqlite").write_bytes(b"no database, but somebody's jobs" * 100)
    with pytest.raises(JobsUnavailableError, match="cannot be read"):
        open_store(tmp_path)
    assert (tmp_path / "jobs.sqlite").read_bytes().startswith(b"no database")
    assert not open_files(tmp_path)


def test_number_and_bytes_are_bounded(tmp_path):
    store = open_store(tmp_path)
    first = job(1)
    add(store, first, 600)
    with pytest.raises(StorageFullError, match="600 of 1000 bytes"):
        add(store, job(2), 401)
    add(store, job(2), 400)
    with pytest.raises(StorageFullError, match="1000 of 1000 bytes"):
        add(store, job(3), 1)
    store.check_room(first)
    (store.folder_of(first) / "output.mp3").write_bytes(b"x")
    with pytest.raises(StorageFullError):
        store.check_room(first)
    assert store.n_bytes == 1001
    store.remove(first)
    assert store.n_bytes == 400
    add(store, job(3))
    add(store, job(4))
    with pytest.raises(StorageFullError, match="3 jobs"):
        add(store, job(5))
    store.close()


def test_finished_jobs_are_removed_when_they_are_old(tmp_path):
    now_s = 0.0
    store = open_store(tmp_path, now=lambda: now_s)
    for each in (job(1), job(2, state="done", finished_s=10.0), job(3, state="done", finished_s=99.0)):
        add(store, each)
    now_s = DAY_S + 50.0
    store.expire()
    assert [each.id for each in store.jobs()] == [job(1).id, job(3).id]
    assert not store.folder_of(job(2)).exists()
    store.close()


# Records that are lost, damaged or of another version.

RECORDS = [
    ("no JSON", "{"), ("another kind of JSON", "[]"), ("no text", None),
    ("bytes that are no UTF-8", b'{"id": "\xff"}'), ("nothing", "{}"),
    *((f"no {name}", {name: ...}) for name in ("id", "options", "document", "title", "created_s")),
    ("the id of another job", {"id": f"{8:032x}"}), ("a time of another kind", {"created_s": "yesterday"}),
    ("a time beyond all calendars", {"created_s": 1e300}), ("no time at all", {"created_s": float("nan")}),
    ("a state of another version", {"state": "dreaming"}),
    ("a document elsewhere", {"document": "../../keys"}), ("a file elsewhere", {"outputs": ["/etc/passwd"]}),
    ("an error of another form", {"error": "storage_failed"}),
    ("the end of nothing", {"state": "done", "outputs": []}),
    ("an end without a time", {"state": "failed", "finished_s": None}),
    ("options of another version", {"options": {"format": "hologram"}}),
]  # fmt: skip


def only_mp3(options):
    if options["format"] != "mp3":
        raise ValueError("unknown")


def rewrite(folder, record):
    """Change the record of the first job: some of its fields, or all of it."""
    with closing(sqlite3.connect(folder / "jobs.sqlite")) as database, database:
        if isinstance(record, dict):
            ((kept,),) = database.execute("select record from job where id = ?", (job(1).id,))
            changed = json.loads(kept) | record
            record = json.dumps({n: value for n, value in changed.items() if value is not ...})
        database.execute("pragma ignore_check_constraints = on")
        database.execute("update job set record = ? where id = ?", (5 if record is None else record, job(1).id))


@pytest.mark.parametrize(("name", "record"), RECORDS, ids=[name for name, _ in RECORDS])
def test_a_record_that_cannot_be_read_is_kept_and_hides_no_other(name, record, tmp_path, caplog):
    keep(tmp_path, job(1, state="failed", finished_s=1.0), n_bytes=7)
    keep(tmp_path, job(2))
    rewrite(tmp_path, record)
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite")) as database:
        rows = database.execute("select cast(record as blob) from job").fetchall()
    store = open_store(tmp_path, now=lambda: 10.0 * DAY_S, check_options=only_mp3)
    assert [each.id for each in store.jobs()] == [job(2).id]
    store.expire()
    assert store.n_bytes == 7 + 5
    store.close()
    told = [line.getMessage() for line in caplog.records if line.levelno == logging.ERROR]
    assert len(told) == 1
    assert job(1).id in told[0]
    assert "A night" not in told[0]
    assert (tmp_path / job(1).id / "document.txt").read_bytes() == b"x" * 7
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite")) as database:
        assert database.execute("select cast(record as blob) from job").fetchall() == rows


def test_a_version_before_can_read_the_records_and_fields_of_a_later_one_are_ignored(tmp_path):
    keep(tmp_path, job(1))
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite")) as database:
        ((record,),) = database.execute("select record from job")
    # A version before knows these fields, and fails at any other.
    assert json.loads(record).keys() == {
        *("id", "owner", "options", "document", "title", "n_characters", "created_s"),
        *("finished_s", "state", "error", "outputs", "duration_s", "loudness_lufs"),
    }
    told_apart = {"progress", "left_s", "n_dropped", "notes", "left_out", "ignored"}
    assert json.loads(record).keys() | told_apart == {f.name for f in fields(Job)}
    rewrite(tmp_path, {"mood": {"gloomy": True}})
    store = open_store(tmp_path)
    assert store.jobs() == [job(1)]
    store.close()


@pytest.mark.parametrize("is_empty", [False, True], ids=["missing", "empty"])
def test_without_its_database_no_folder_is_removed(is_empty, tmp_path, caplog):
    keep(tmp_path, job(1))
    keep(tmp_path, job(2), n_bytes=7)
    (tmp_path / "jobs.sqlite").rename(tmp_path / "copy")
    if is_empty:
        (tmp_path / "jobs.sqlite").touch()
    for _ in range(2):
        store = open_store(tmp_path)
        assert store.jobs() == []
        assert store.n_bytes == 5 + 7
        store.expire()
        store.close()
    told = [line.getMessage() for line in caplog.records]
    assert len(told) == 2
    assert "2 folders of jobs in data_dir have no record" in told[0]
    (tmp_path / "copy").replace(tmp_path / "jobs.sqlite")
    store = open_store(tmp_path)
    assert store.jobs() == [job(1), job(2)]
    store.close()


# Who waits for the disk.

IN_MEMORY = {"jobs", "get", "folder_of", "incoming", "n_bytes"}


def test_the_event_loop_never_waits_for_the_disk(tmp_path):
    store = open_store(tmp_path)
    first = job(1)
    add(store, first)
    needs = {
        "add": (job(2), tmp_path), "save": (first,), "queue_again": (first,), "finish": (first,),
        "remove": (first,), "expire": (), "check_room": (first,), "close": (),
    }  # fmt: skip
    public = {name for name in vars(JobsFolder) if not name.startswith("_")}
    assert public == IN_MEMORY | needs.keys() | {"reading"}

    async def on_loop():
        for name, arguments in needs.items():
            with pytest.raises(RuntimeError, match="must not wait"):
                getattr(store, name)(*arguments)
        with pytest.raises(RuntimeError, match="must not wait"), store.reading(first):
            pass
        with pytest.raises(RuntimeError, match="must not wait"):
            open_store(tmp_path / "other")

    asyncio.run(on_loop())
    store.close()


@pytest.mark.thorough
def test_a_database_that_somebody_locks_leaves_all_as_it_is(tmp_path):
    store = open_store(tmp_path)
    store._table._database.execute("pragma busy_timeout = 0")
    first, failed = job(1), job(2, state="failed", finished_s=1.0, error=("code", "message"))
    for each in (first, failed):
        add(store, each)
    with closing(sqlite3.connect(tmp_path / "jobs.sqlite", isolation_level=None)) as other:
        other.execute("begin exclusive")

        async def on_loop():  # while a thread has the lock and waits for the database
            assert store.jobs() == [first, failed]
            assert store.get(first.id) is first

        with store._changing:
            asyncio.run(asyncio.to_thread(asyncio.run, on_loop()))
        for action in (
            lambda: store.remove(first),
            lambda: add(store, job(3)),
            lambda: store.queue_again(failed),
            lambda: store.finish(first, state="failed", error=("code", "message")),
            lambda: store.reading(first).__enter__(),
        ):
            with pytest.raises(StorageFailedError) as refused:
                action()
            assert refused.value.status == 503
        assert [each.state for each in store.jobs()] == ["queued", "failed"]
        assert store.n_bytes == 10
        other.execute("rollback")
    for each in (first, failed):
        store.remove(each)
    assert store.n_bytes == 0
    with pytest.raises(JobNotFoundError):
        store.remove(first)
    store.close()
    again = open_store(tmp_path)
    assert again.jobs() == []
    again.close()


# Disks that are full, and files that others have locked.


def test_a_job_can_be_removed_though_others_take_all_room_at_once(tmp_path, monkeypatch):
    limits = {"max_jobs": 40, "max_bytes": 1 << 20}
    with mounted(tmp_path / "disk") as disk:
        store = open_store(disk / "jobs", **limits)
        for number in range(40):
            add(store, job(number, title="a long title " * 500))
        store.close()
        fill(disk)
        store = open_store(disk / "jobs", **limits)

        def erase_and_fill(path):
            erase(path)
            fill(disk)

        monkeypatch.setattr(jobs_folder, "erase", erase_and_fill)
        for each in store.jobs():
            store.remove(each)
        store.close()
        with closing(open_store(disk / "jobs")) as again:
            assert again.jobs() == []


@pytest.mark.thorough
def test_changes_wait_once_for_who_has_locked_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(job_table, "_WAIT_S", 1.0)
    store = open_store(tmp_path / "jobs")
    jobs = [job(number) for number in range(3)]
    for each in jobs:
        add(store, each)
    with closing(sqlite3.connect(tmp_path / "jobs/jobs.sqlite", isolation_level=None)) as other:
        for _ in range(2):
            other.execute("begin exclusive")
            seconds = []
            for each in jobs * 3:
                start_s = time.monotonic()
                with pytest.raises(StorageFailedError, match="another program has locked"):
                    store.remove(each)
                seconds.append(time.monotonic() - start_s)
            assert sum(seconds[1:]) < seconds[0]
            other.execute("rollback")
            # It is tried all the same, so it is known at once that it is not locked any more.
            store.save(jobs[0], n_dropped=1)
    for each in jobs:
        store.remove(each)
    store.close()


def test_callers_are_told_what_stands_in_the_way(tmp_path):
    file = tmp_path / "table.sqlite"
    JobTable(file).close()
    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as protected,
        closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as full,
    ):
        with pytest.raises(sqlite3.Error) as failed:
            protected.execute("delete from job")
        assert cause(failed.value) == "it may not be written"
        full.execute("pragma max_page_count = 1")
        with pytest.raises(sqlite3.Error) as failed:
            full.execute("insert into job values ('a', randomblob(1000000))")
        assert cause(failed.value) == "its disk is full"
    words = {"ENOSPC": "full", "EROFS": "written", "EACCES": "written", "EIO": "fails", "EMFILE": "open"}
    for name, word in (words | {"ENOTDIR": "log"}).items():
        assert word in cause(OSError(getattr(errno, name), "secret", "/secret"))
    of_journal = OSError("the journal cannot be written")
    of_journal.__cause__ = failed.value
    assert cause(of_journal) == "its disk is full"
    assert cause(sqlite3.DatabaseError("malformed")) == "the log says why"


# Documents that the process does not outlive.


_DIES = """
import os, sys
from pathlib import Path
from service.jobs import JobsFolder
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            store = JobsFolder(Path(sys.argv[1]), max_jobs=3, max_bytes=1000, max_age_s=86400)
            with store.reading(store.jobs()[0]):
                os._exit(99)
        finally:
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Has a process of its own read, and die, for each line; tells its status."""


@pytest.fixture
def read_and_die(tmp_path):
    program = [sys.executable, "-c", _DIES, str(tmp_path)]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as reader:

        def read_and_die():
            print(file=reader.stdin, flush=True)
            return int(reader.stdout.readline())

        yield read_and_die


def test_a_document_that_is_not_survived_is_read_once_more(tmp_path, read_and_die):
    def opened():
        store = open_store(tmp_path)
        return store, store.jobs()[0]

    keep(tmp_path, job(1))
    assert read_and_die() == 99
    store, first = opened()
    with pytest.raises(ZeroDivisionError), store.reading(first):
        raise ZeroDivisionError  # any ordinary end makes the death before not count
    store.close()

    assert read_and_die() == 99
    assert read_and_die() == 99
    assert read_and_die() == 1  # it was not read
    store, first = opened()
    with pytest.raises(ReadingInterruptedError, match="ended 2 times") as refused, store.reading(first):
        pass
    assert refused.value.code == "reading_interrupted"
    store.finish(first, state="failed", error=(refused.value.code, refused.value.message))
    store.queue_again(first)
    store.close()
    assert read_and_die() == 99
    store, first = opened()
    with store.reading(first):
        pass
    store.close()


# Whatever ends or disturbs the process, at whichever step, no job is lost and none comes back.


@pytest.fixture
def place():
    """A folder in memory if there is one: a disk takes most of the time for what only a loss of
    power would undo."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("fault", "stride"),
    [
        ("kill", 40),
        *(pytest.param(fault, 5, marks=pytest.mark.thorough) for fault in get_args(interrupted_life.Fault)),
        *(pytest.param(fault, 1, marks=pytest.mark.slow) for fault in get_args(interrupted_life.Fault)),
    ],
)
def test_a_fault_at_any_step_leaves_each_job_whole_or_gone(fault, stride, place, repository):
    done = subprocess.run(
        [sys.executable, "-m", interrupted_life.__name__, fault, str(place), str(stride)],
        cwd=repository, capture_output=True, text=True, check=True,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert not result["faults"], done.stderr
    assert {
        *("os.mkdir", "os.rename", "os.remove", "os.rmdir", "fsync", "open", "schema"),
        *("begin exclusive", "insert into", "insert or", "update job", "delete from", "commit"),
        *("create table", "update room", "drop table"),
    } == {*result["steps"]}
