"""The life of a folder of jobs, with a fault at each of its durable steps, one after the other.

`python -m tests.service.jobs.interrupted_life FAULT FOLDER STRIDE` prints a JSON object: the steps
that there are, and what was wrong after a fault at every so many of them. A step is whatever changes
the disk: a statement of SQLite, and what the interpreter tells its audit hooks of files. So a new step
is covered as soon as there is one. Each life is a process of its own, for hooks stay.
"""

import errno
import json
import os
import sqlite3
import sys
import traceback
from pathlib import Path
from typing import Literal

from service.complete_files import completed
from service.errors import JobsUnavailableError, StorageFailedError
from service.jobs import Job, JobsFolder
from service.jobs.storage import size_of

Fault = Literal["kill", "kill twice", "once", "late", "from then on"]
"""The process is killed before the step; and again before each step of the next start. The step
fails once; a statement fails though it is done; all steps fail from this one on, as on a full disk,
and then the process is killed."""

_KILLED = 99
_TEXT = b"It was a dark night."
_SOUND = b"x" * 1000
_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.link"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_DAY_S = 86_400.0
_MANY = 5
"""Faults after which no more are looked for."""


class Steps:
    """Counts the durable steps of this process, and has one of them fail."""

    def __init__(self, fault, fails_at):
        self._fault = fault
        self._fails_at = fails_at
        self.names = []
        self.is_over = False
        sys.addaudithook(self._on_event)
        fsync = os.fsync

        def counted_fsync(descriptor):
            self.take("fsync")
            fsync(descriptor)

        os.fsync = counted_fsync
        _Connection.steps = self

    def _on_event(self, event, arguments):
        if event in _CHANGES or (event == "open" and arguments[2] & _WRITING):
            self.take(event)

    def take(self, name, *, is_statement=False):
        """Count a step, and fail if it is the one; return whether it is to fail afterwards."""
        if self.is_over:
            return False
        self.names.append(name)
        n = len(self.names)
        if n < self._fails_at or (n > self._fails_at and self._fault != "from then on"):
            return False
        if self._fault.startswith("kill"):
            os._exit(_KILLED)
        if self._fault == "late":
            return is_statement
        self.fail(is_statement=is_statement)
        raise AssertionError

    def fail(self, *, is_statement):
        if is_statement:
            raise sqlite3.OperationalError("database or disk is full")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _Connection(sqlite3.Connection):
    steps: Steps

    def execute(self, sql, *parameters):
        is_late = False
        if not sql.startswith(("select", "pragma")):
            is_late = self.steps.take(" ".join(sql.split()[:2]), is_statement=True)
        cursor = super().execute(sql, *parameters)
        if is_late:
            self.steps.fail(is_statement=True)
        return cursor

    def executescript(self, sql):
        self.steps.take("schema", is_statement=True)
        return super().executescript(sql)


class Life:
    """What users of a folder do, and tell of it.

    Args:
        folder: of the jobs.
        tell: takes what somebody knows of a job: that it is being added, was added, ...
    """

    def __init__(self, folder, tell):
        self._folder = folder
        self._tell = tell
        self._now_s = 1000.0
        self._n_jobs = 0

    def open(self):
        return self._repeated(
            lambda: JobsFolder(
                self._folder, max_jobs=100, max_bytes=1_000_000, max_age_s=_DAY_S, now=lambda: self._now_s
            )
        )

    def live(self):
        """Add jobs, speak them, fail, try again, delete, let expire, and start again."""
        store = self.open()
        expired, removed = self._add(store), self._add(store)
        self._speak(store, expired)
        self._remove(store, removed)
        failed = self._add(store)
        self._tell("failing", failed.id)
        self._repeated(lambda: store.finish(failed, state="failed", error=("code", "message")))
        self._repeated(lambda: store.queue_again(failed))
        self._tell("queued", failed.id)
        self._now_s += 2 * _DAY_S
        done = self._add_while(store, expired)
        self._speak(store, done)
        queued = self._add(store)
        self._check_bytes(store)
        store.close()
        store = self.open()
        assert {job.id for job in store.jobs()} == {failed.id, done.id, queued.id}
        self._remove(store, store.jobs()[-1])
        self._check_bytes(store)
        store.close()

    def _repeated(self, action):
        """Do what a user does: try again."""
        try:
            return action()
        except (StorageFailedError, JobsUnavailableError):
            return action()

    def _add(self, store):
        try:
            return self._add_once(store)
        except (OSError, StorageFailedError):
            return self._add_once(store)

    def _add_once(self, store):
        self._n_jobs += 1
        job = Job(
            id=f"{self._n_jobs:032x}", owner=None, options={}, document="document.txt",
            title="A night", n_characters=len(_TEXT), created_s=float(self._n_jobs),
        )  # fmt: skip
        document = store.incoming / f"{job.id}.received"
        self._tell("adding", job.id)
        try:
            document.write_bytes(_TEXT)
            store.add(job, document)
        except (OSError, StorageFailedError):
            self._tell("refused", job.id)
            document.unlink(missing_ok=True)
            raise
        self._tell("added", job.id)
        return job

    def _add_while(self, store, expiring):
        """Add a job, which removes an old one, at the second try if need be."""
        self._tell("removing", expiring.id)
        job = self._add(store)
        self._repeated(store.expire)
        if store.get(expiring.id) is not None:
            store.expire()
        assert store.get(expiring.id) is None
        self._tell("removed", expiring.id)
        return job

    def _remove(self, store, job):
        self._tell("removing", job.id)
        self._repeated(lambda: store.remove(job))
        self._tell("removed", job.id)

    def _speak(self, store, job):
        def speak():
            with store.reading(job):
                assert (store.folder_of(job) / job.document).read_bytes() == _TEXT
            state = store.folder_of(job) / "output.mp3.state"
            state.mkdir(exist_ok=True)
            (state / "speech").write_bytes(_SOUND)
            store.check_room(job)
            with completed(store.folder_of(job) / "output.mp3") as partial:
                partial.write_bytes(_SOUND)

        try:
            speak()
        except (OSError, StorageFailedError):
            speak()
        self._tell("spoken", job.id)
        self._repeated(lambda: store.finish(job, state="done", outputs=["output.mp3"], error=None))
        self._tell("done", job.id)

    def _check_bytes(self, store):
        assert store.n_bytes == _bytes_below(self._folder), "bytes are not counted"


def _bytes_below(folder):
    return sum(size_of(path) for path in folder.iterdir() if path.is_dir())


def check(folder, told, fault):
    """Start again, and check that every job is there whole or gone, as its users were told."""
    life = Life(folder, lambda verb, job_id: None)
    store = life.open()
    there = {job.id: job for job in store.jobs()}
    known = {}
    for verb, job_id in told:
        known.setdefault(job_id, set()).add(verb)
    assert there.keys() <= known.keys(), "a job of nobody"
    for job_id, verbs in known.items():
        if "removed" in verbs or ("refused" in verbs and fault != "from then on"):
            assert job_id not in there, "a job is back"
        if "added" in verbs and "removing" not in verbs:
            assert job_id in there, "a job is lost"
        job = there.get(job_id)
        if job is not None:
            names = {path.name for path in store.folder_of(job).iterdir()}
            if job.state == "done":
                assert names == {"output.mp3"}, names
                assert (store.folder_of(job) / "output.mp3").read_bytes() == _SOUND
            else:
                assert "done" not in verbs, "a finished job is lost"
                assert (store.folder_of(job) / "document.txt").read_bytes() == _TEXT
                assert "spoken" not in verbs or "output.mp3.state" in names, "speech is lost"
    folders = {path.name for path in folder.iterdir() if path.is_dir()}
    assert folders == {*there, "incoming", "outgoing"}, "a folder of nobody"
    assert not [*store.incoming.iterdir(), *(folder / "outgoing").iterdir()]
    assert store.n_bytes == _bytes_below(folder), "bytes are not counted"
    for job in store.jobs():
        if job.state == "failed":
            store.queue_again(job)
        if job.state == "queued":
            life._speak(store, job)
        store.remove(job)
    assert store.n_bytes == _bytes_below(folder) == 0
    store.close()


def _in_child(action):
    """Run in a process of its own; return its status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _live(folder, diary, fault, fails_at):
    told = os.open(diary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)

    def tell(verb, job_id):
        os.write(told, f"{verb} {job_id}\n".encode())

    steps = Steps(fault, fails_at)
    try:
        Life(folder, tell).live()
    except (OSError, sqlite3.Error, StorageFailedError, JobsUnavailableError):
        if fault != "from then on":
            raise
    steps.is_over = True
    os.write(told, json.dumps(["steps", *steps.names]).encode())
    if len(steps.names) >= fails_at:
        os._exit(_KILLED)


def _restart(folder, fails_at):
    steps = Steps("kill", fails_at)
    Life(folder, lambda verb, job_id: None).open()
    steps.is_over = True


def main(fault, place, stride):
    """Have steps fail, each in a life of its own; return all steps and what was wrong."""
    sqlite3.connect = _connect
    steps = []
    faults = []
    fails_at = 1 - stride
    while not steps and len(faults) < _MANY:
        fails_at += stride
        folder, diary = place / f"{fails_at}", place / "diary"
        status = _in_child(lambda: _live(folder, diary, fault, fails_at))  # noqa: B023
        lines = diary.read_text().splitlines()
        if status == 0:
            steps = json.loads(lines[-1])[1:]
        elif status != _KILLED:
            faults.append(f"step {fails_at}: the life itself failed")
        told = [(line.split()[0], line.split()[1]) for line in lines if not line.startswith("[")]
        at = 1
        while fault == "kill twice" and _in_child(lambda: _restart(folder, at)) == _KILLED:  # noqa: B023
            at += 1
        if _in_child(lambda: check(folder, told, fault)):  # noqa: B023
            faults.append(f"step {fails_at}, told {told}")
    return {"steps": steps, "faults": faults}


_plain_connect = sqlite3.connect


def _connect(*arguments, **options):
    if not hasattr(_Connection, "steps"):
        return _plain_connect(*arguments, **options)
    return _plain_connect(*arguments, factory=_Connection, **options)


if __name__ == "__main__":
    chosen = sys.argv[1]
    print(json.dumps(main(chosen, Path(sys.argv[2]), int(sys.argv[3]))))
