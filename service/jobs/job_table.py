"""The records of jobs, in SQLite."""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

logger = logging.getLogger(__name__)

_SCHEMA = """
create table if not exists job (id text primary key, record text not null);
create table if not exists reading (id text primary key, n_times integer not null);
create table if not exists remark (id text primary key, remarks text not null);
"""

_N_PAGES = 40
"""Of room for one change, which touches up to four pages and their neighbours in six trees."""

_PAGE_BYTES = 4096

_FILL_ROOM = f"""
insert into room with recursive page (n) as (values (1) union all select n + 1 from page)
select randomblob({_PAGE_BYTES - 500}) from page limit {_N_PAGES}
"""

_WAIT_S = 5.0
"""How long a change waits for another program that has locked the file."""

_KNOWN_S = 60.0
"""For so long after it waited in vain, no other change waits: they would wait one after another."""


class JobTable:
    """A row for each job, its remarks, and one for each document that is being read.

    Not thread-safe.

    An older version finds its table as it left it: what is newer has a table of its own.

    Args:
        path: of the file, which is made if it is missing.

    Raises:
        sqlite3.Error: it cannot be opened, or is damaged. Every method raises it too.
    """

    def __init__(self, path: Path) -> None:
        with ExitStack() as opened:
            # Rows are read as bytes, so that one with a damaged text does not hide the others.
            database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._database = opened.enter_context(closing(database))
            self._locked_s = -math.inf  # when it was seen last that another program has it
            database.text_factory = bytes
            # Unlike a write-ahead log, a journal that stays needs no new room on a full disk.
            database.execute("pragma journal_mode = persist")
            database.execute("pragma synchronous = full")
            database.executescript(_SCHEMA)
            self._make_room(path.with_name(f"{path.name}-journal"))
            opened.pop_all()

    def _make_room(self, journal: Path) -> None:
        """Let file and journal have room for one more change, so that a full disk prevents none.

        What is written over pages of the file grows the journal, which stays as long; the pages
        are free then.
        """
        if journal.exists() and journal.stat().st_size > _N_PAGES * _PAGE_BYTES:
            return
        try:
            with self.changing():
                self._database.execute("create table if not exists room (page blob)")
                self._database.execute(_FILL_ROOM)
            with self.changing():
                self._database.execute(f"update room set page = randomblob({_PAGE_BYTES - 500})")
                self._database.execute("drop table room")
        except sqlite3.OperationalError as error:
            logger.error("there may be no room for deleting a job: %s", error)

    def close(self) -> None:
        """Close the file. May be called again."""
        self._database.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make the changes in the block whole or not at all. Nobody else has the file meanwhile."""
        database = self._database
        if database.in_transaction:  # one that could not be rolled back
            database.execute("rollback")
        self._begin()
        try:
            yield
            database.execute("commit")
        except BaseException:
            if database.in_transaction:
                database.execute("rollback")
            raise

    def _begin(self) -> None:
        """Begin a transaction; wait for a program that has locked the file, but do so once."""
        is_known = time.monotonic() - self._locked_s < _KNOWN_S
        wait_ms = 0 if is_known else round(_WAIT_S * 1000)
        self._database.execute(f"pragma busy_timeout = {wait_ms}")
        try:
            self._database.execute("begin exclusive")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                self._locked_s = time.monotonic()
            raise
        self._locked_s = -math.inf

    def records(self) -> dict[str, bytes]:
        """Return the records of all jobs by their ids; one that is no text is empty."""
        with closing(self._database.execute("select id, record from job")) as cursor:
            return {_text(job_id): _bytes(record) for job_id, record in cursor}

    def readings(self) -> dict[str, int]:
        """Return how often the documents were begun to be read whose reading has not ended."""
        query = "select id, cast(n_times as integer) from reading"
        with closing(self._database.execute(query)) as cursor:
            return {_text(job_id): n_times for job_id, n_times in cursor}

    def remarks(self) -> dict[str, bytes]:
        """Return the remarks of all jobs by their ids."""
        with closing(self._database.execute("select id, remarks from remark")) as cursor:
            return {_text(job_id): _bytes(remarks) for job_id, remarks in cursor}

    def insert(self, job_id: str, record: str) -> None:
        """Write the record of a new job."""
        self._database.execute("insert into job values (?, ?)", (job_id, record))

    def update(self, job_id: str, record: str, remarks: str) -> None:
        """Write another record of a job, and its remarks; nothing if it has no record."""
        self._database.execute("update job set record = ? where id = ?", (record, job_id))
        self._database.execute("insert or replace into remark values (?, ?)", (job_id, remarks))

    def delete(self, job_id: str) -> None:
        """Delete the rows of a job."""
        self._database.execute("delete from job where id = ?", (job_id,))
        self._database.execute("delete from remark where id = ?", (job_id,))
        self.end_reading(job_id)

    def begin_reading(self, job_id: str, n_times: int) -> None:
        """Note that a document is read, for the nth time."""
        self._database.execute("insert or replace into reading values (?, ?)", (job_id, n_times))

    def end_reading(self, job_id: str) -> None:
        """Note that the document is not read any more."""
        self._database.execute("delete from reading where id = ?", (job_id,))


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _text(value: object) -> str:
    return _bytes(value).decode(errors="replace")
