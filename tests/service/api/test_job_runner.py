"""Jobs whose ends cannot be kept, and that cannot be removed, and who waits for the disk."""

import asyncio
import sqlite3
import threading

import pytest

from service import errors
from service.api import job_runner
from service.api.callers import Callers
from service.api.idleness import Idleness
from service.api.job_runner import JobRunner
from service.books.document_reader import DocumentReader
from service.books.ongoing_reading import ReadingLimits
from service.jobs import Job, JobsFolder
from service.jobs.job_table import JobTable
from service.settings import Settings

SOUND = b"x" * 100


class Work:
    """What is done for jobs, in the place of speech: a state, and an output from it."""

    def __init__(self):
        self.n_spoken = 0
        self.n_written = 0
        self.error = None
        self.is_read = threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def __call__(self, job, order, documents, synthesizer, cancellation, f):
        with f.reading(job):
            assert order.document.read_bytes() == b"Hello."
        self.is_read.set()
        with cancellation.calling(self.goes_on.set):
            self.goes_on.wait()
        cancellation.check()
        if self.error is not None:
            raise self.error
        path = f.folder_of(job) / "state"
        if not path.exists():
            self.n_spoken += 1
            path.write_bytes(SOUND)
        self.n_written += 1
        (f.folder_of(job) / "output.mp3").write_bytes(path.read_bytes())
        job.state = "writing"
        return ["output.mp3"]


@pytest.fixture
def work(monkeypatch):
    work = Work()
    monkeypatch.setattr(job_runner, "perform", work)
    monkeypatch.setattr(job_runner, "_KEEP_AGAIN_S", 0.01)
    return work


def run(tmp_path, scenario):
    """Run a scenario with the jobs of a service that starts and stops."""

    async def choose(model):
        return object()

    async def lived():
        idleness = Idleness(0, lambda: None)
        settings = Settings(data_dir=tmp_path)
        documents = DocumentReader(ReadingLimits.of(settings))
        runner = JobRunner(settings, Callers(None), documents, lambda _: idleness)
        await runner.start(choose)
        try:
            return await scenario(runner)
        finally:
            await runner.close()
            documents.close()

    return asyncio.run(lived())


async def add(runner, number=1):
    job = Job(
        id=f"{number:032x}", owner=None, options={"format": "mp3"}, document="document.txt",
        title="A night", n_characters=6, created_s=float(number),
    )  # fmt: skip
    folder = await runner.folder()
    document = folder.incoming / "received"
    document.write_bytes(b"Hello.")
    await runner.add(job, document)
    return job


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def test_an_end_that_cannot_be_kept_is_kept_later(work, tmp_path, monkeypatch):
    async def scenario(runner):
        work.goes_on.clear()
        job = await add(runner)
        folder = await runner.folder()
        await until(work.is_read.is_set)
        failed = []

        def fail(table):
            failed.append(table)
            raise sqlite3.OperationalError("database or disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(JobTable, "changing", fail)
            work.goes_on.set()
            await until(lambda: len(failed) > 3)
            assert job.state == "writing"
        await until(lambda: not runner.n_unfinished and not runner._tasks)
        assert (job.state, job.outputs, work.n_written) == ("done", ["output.mp3"], 1)
        assert [path.name for path in folder.folder_of(job).iterdir()] == ["output.mp3"]

    run(tmp_path, scenario)


def test_an_end_that_was_never_kept_costs_no_speech(work, tmp_path, monkeypatch):
    folder = []

    async def never_kept(runner):
        with monkeypatch.context() as patch:

            def full(*_):
                raise sqlite3.OperationalError("database or disk is full")

            patch.setattr(JobTable, "update", full)
            job = await add(runner)
            await until(lambda: work.n_written)
            folder.append((await runner.folder()).folder_of(job))
            await runner.close()
            assert job.state == "queued"

    async def kept(runner):
        (job,) = await runner.own()
        await until(lambda: job.is_finished)
        assert job.state == "done"

    run(tmp_path, never_kept)
    assert sorted(path.name for path in folder[0].iterdir()) == ["document.txt", "output.mp3", "state"]
    run(tmp_path, kept)
    assert (work.n_spoken, work.n_written) == (1, 2)
    assert [path.name for path in folder[0].iterdir()] == ["output.mp3"]


def test_a_job_that_cannot_be_removed_goes_on_and_can_be_removed_later(work, tmp_path, monkeypatch):
    async def scenario(runner):
        work.goes_on.clear()
        job = await add(runner)
        await until(lambda: runner._cancellations)
        folder = await runner.folder()

        def locked(_):
            raise errors.StorageFailedError("locked")

        with monkeypatch.context() as patch:
            patch.setattr(folder, "remove", locked)
            with pytest.raises(errors.StorageFailedError):
                await runner.remove(job)
        assert await runner.own() == [job]
        work.goes_on.set()
        await until(lambda: job.is_finished)
        assert job.state == "done"
        await runner.remove(job)
        assert await runner.own() == []
        with pytest.raises(errors.JobNotFoundError):
            await runner.remove(job)

    run(tmp_path, scenario)


def test_a_job_can_be_tried_again_after_every_failure(work, tmp_path):
    async def scenario(runner):
        work.error = OSError(28, "No space left on device")
        job = await add(runner)
        codes = []
        for error in (errors.UnknownVoiceError("no such voice"), RuntimeError("a fault"), None):
            await until(lambda: job.is_finished)
            assert job.error is not None
            codes.append(job.error[0])
            work.error = error
            await runner.retry(job)
        await until(lambda: job.is_finished)
        assert (job.state, job.error) == ("done", None)
        assert codes == ["storage_failed", "unknown_voice", "internal_error"]

    run(tmp_path, scenario)


def test_nobody_on_the_event_loop_waits_for_the_disk(work, tmp_path, monkeypatch):
    async def scenario(runner):
        first, second = await add(runner, 1), await add(runner, 2)
        await until(lambda: first.is_finished and second.is_finished)
        hangs, comes_back = threading.Event(), threading.Event()
        erase = JobsFolder._empty

        def hanging(folder, remains):
            hangs.set()
            comes_back.wait()
            erase(folder, remains)

        with monkeypatch.context() as patch:
            patch.setattr(JobsFolder, "_empty", hanging)
            removing = asyncio.create_task(runner.remove(first))
            await until(hangs.is_set)  # with the lock and a transaction
            assert await runner.own() == [first, second]
            assert await runner.find(second.id) is second
            assert runner.n_unfinished == 0
            waiting = asyncio.create_task(runner.remove(second))
            with pytest.raises(errors.JobLeavingError, match="being deleted"):
                await runner.remove(first)
            with pytest.raises(errors.JobLeavingError, match="being deleted"):
                await runner.retry(first)
            assert not removing.done()
            comes_back.set()
            await asyncio.gather(removing, waiting)
        assert await runner.own() == []

    run(tmp_path, scenario)


def test_who_asks_while_the_folder_is_opened_shares_the_wait(work, tmp_path, monkeypatch):
    async def scenario(runner):
        begun, goes_on = [], threading.Event()
        open_folder = JobRunner._open

        def locked(runner, path):
            begun.append(path)
            assert goes_on.wait(60)
            raise errors.JobsUnavailableError("another program has locked it")

        monkeypatch.setattr(JobRunner, "_open", locked)
        asked = [asyncio.create_task(runner.own()) for _ in range(5)]
        await until(lambda: begun)
        goes_on.set()
        for refused in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(refused, errors.JobsUnavailableError)
            assert "locked" in refused.message
        assert len(begun) == 1
        with pytest.raises(errors.JobsUnavailableError):
            await runner.own()  # it is tried anew by who comes later
        assert len(begun) == 2
        monkeypatch.setattr(JobRunner, "_open", open_folder)
        assert await runner.own() == []

    run(tmp_path, scenario)


def test_jobs_whose_options_another_version_made_stop_nobody(work, tmp_path):
    async def first_life(runner):
        await add(runner, 1)
        job = await add(runner, 2)
        await until(lambda: job.is_finished)
        folder = await runner.folder()
        await asyncio.to_thread(folder.save, job, options={"format": "hologram"})

    async def second_life(runner):
        return [job.id for job in await runner.own()]

    run(tmp_path, first_life)
    assert run(tmp_path, second_life) == [f"{1:032x}"]
    assert (tmp_path / "jobs" / f"{2:032x}" / "output.mp3").exists()
