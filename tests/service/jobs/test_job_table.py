import errno
import sqlite3
import time
from contextlib import closing

import pytest
from service.errors import StorageFailedError
from service.jobs.job_table import JobTable
from service.jobs.storage import cause, erase
from tests.service.jobs.test_jobs_folder import Clock, add, job, open_store
from tests.service.small_disk import fill, mounted

from service.jobs import job_table, jobs_folder


def test_a_job_can_be_removed_though_others_take_all_room_at_once(tmp_path, monkeypatch):
    limits = {"max_jobs": 40, "max_bytes": 1 << 20}
    with mounted(tmp_path / "disk") as disk:
        store = open_store(disk / "jobs", Clock(), **limits)
        for number in range(40):
            add(store, job(number, title="a long title " * 500))
        store.close()
        fill(disk)
        store = open_store(disk / "jobs", Clock(), **limits)

        def erase_and_fill(path):
            erase(path)
            fill(disk)

        monkeypatch.setattr(jobs_folder, "erase", erase_and_fill)
        for each in store.jobs():
            store.remove(each)
        store.close()
        again = open_store(disk / "jobs", Clock())
        assert again.jobs() == []
        again.close()


def test_changes_wait_once_for_who_has_locked_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(job_table, "_WAIT_S", 1.0)
    store = open_store(tmp_path / "jobs", Clock())
    jobs = [job(number) for number in range(3)]
    for each in jobs:
        add(store, each)
    database = tmp_path / "jobs" / "jobs.sqlite"
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
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
    with closing(JobTable(file)):
        pass
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
    for number, words in (
        (errno.ENOSPC, "full"), (errno.EROFS, "written"), (errno.EACCES, "written"),
        (errno.EIO, "fails"), (errno.EMFILE, "open"), (errno.ENOTDIR, "log"),
    ):  # fmt: skip
        assert words in cause(OSError(number, "secret", "/secret"))
    of_journal = OSError("the journal cannot be written")
    of_journal.__cause__ = failed.value
    assert cause(of_journal) == "its disk is full"
    assert cause(sqlite3.DatabaseError("malformed")) == "the log says why"
