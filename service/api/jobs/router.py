"""The endpoints below `/jobs`."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from service.api.error_answers import media_type_of
from service.api.job_options import JobOptions
from service.api.jobs.examination import examine
from service.api.jobs.reception import (
    declared_bytes,
    receive_document,
    receive_form,
    receive_text,
)
from service.api.jobs.schemas import (
    DOCUMENT_ENDINGS,
    MEDIA_TYPES,
    JobAnswer,
    JobQuery,
    JobRequest,
    JobsAnswer,
)
from service.api.openapi import TEXT, error_responses, event_content, schema_of
from service.api.rendering import server_sent_event
from service.api.seekable_file import SeekableFile
from service.api.state import ServiceState, state_of
from service.books.outputs import plain_name
from service.books.timings import TimestampFormat
from service.errors import JobNotDoneError, StorageFailedError
from service.jobs import Job
from service.jobs.storage import cause

JOBS = "/jobs"
"""The path of all jobs."""

router = APIRouter(prefix=JOBS, tags=["jobs"])

_POLL_S = 0.5
"""How often the events of a job look for news."""

_SIGN_OF_LIFE_POLLS = 30
"""A comment is sent after so many without news, so that nobody takes the connection for dead."""


_TIMES = {
    "title": "A night",
    "author": "",
    "chapters": [
        {
            "number": 1,
            "title": "Chapter 1",
            "text": "Hello.",
            "start_s": 0.0,
            "sentences": [{"text": "Hello.", "start_s": 0.3, "end_s": 0.9}],
            "words": [
                {"text": "Hello", "text_start": 0, "text_end": 5, "start_s": 0.3, "end_s": 0.8}
            ],
        }
    ],
}
"""A file of times."""

_CREATED = {
    "description": "The new job",
    "headers": {
        "Location": {
            "description": "Path of the job",
            "required": True,
            "schema": {"type": "string"},
        }
    },
}
_PART = {
    "description": "The part of the file that the header Range asks for",
    "headers": {
        "Content-Range": {
            "description": "Which bytes these are, and how many the file has",
            "required": True,
            "schema": {"type": "string"},
        }
    },
}
_KNOWN = {"description": "The client has this version of the file"}

_BINARY = {"schema": {"type": "string", "format": "binary"}}

_FORM = {
    "type": "object",
    "description": "A document as the file of a form; other fields may say what the query can",
    "properties": {"file": {"type": "string", "format": "binary"}},
    "required": ["file"],
    "additionalProperties": False,
}

_FILLED_FORM = (
    '--x\r\nContent-Disposition: form-data; name="file"; filename="sea.txt"\r\n\r\n'
    "It rained.\r\n--x--\r\n"
)

JobId = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{32}$",
        description="of the job",
        examples=["4f0c1d6f2a5b4e7c9d8a1b2c3d4e5f60"],
    ),
]


@router.post(
    "",
    status_code=201,
    operation_id="create_job",
    response_model=JobAnswer,
    responses={201: _CREATED, **error_responses(413, 415, 422, 501, 503)},
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A text with what it becomes; or a document, with that in the query",
            "content": {
                "application/json": {"schema": schema_of(JobRequest)},
                "multipart/form-data": {"schema": _FORM, "example": _FILLED_FORM},
                **dict.fromkeys(DOCUMENT_ENDINGS, _BINARY),
            },
        }
    },
)
async def create_job(
    request: Request, response: Response, query: Annotated[JobQuery, Query()]
) -> JobAnswer:
    """Have a text or a document spoken into a file, behind all requests."""
    state = state_of(request)
    state.require()
    state.admission.check_open()
    jobs_folder = await state.jobs.folder()
    job_id = secrets.token_hex(16)
    received = jobs_folder.incoming / f"{job_id}.received"
    loop = asyncio.get_running_loop()
    with state.uploads.place(declared_bytes(request)):
        try:
            await loop.run_in_executor(None, received.mkdir)
            if media_type_of(request) == "application/json":
                document, options = await receive_text(request, received)
                name = "the text"
            elif media_type_of(request) == "multipart/form-data":
                document, options, name = await receive_form(request, query, received)
            else:
                document, options = await receive_document(request, query, received)
                name = FilePath(query.name or document.stem).name
            fields = JobOptions.model_validate(options)
            options["format"] = fields.format
            examined = await examine(request, state.uploads.executor, fields, document, name)

            job = Job(
                id=job_id,
                owner=state.callers.owner(),
                options=options,
                document=document.name,
                title=examined.title,
                n_characters=examined.n_characters,
                created_s=time.time(),
                ignored=list(map(asdict, examined.ignored)),
            )
            await _add(state, job, document, examined.n_charged)
        except OSError as error:
            message = f"the service cannot keep the document: {cause(error)}"
            raise StorageFailedError(message) from error
        finally:
            # What cannot be removed now is removed at the next start.
            remove = partial(shutil.rmtree, received, ignore_errors=True)
            await loop.run_in_executor(None, remove)
    response.headers["Location"] = f"{JOBS}/{job.id}"
    return JobAnswer.of(job)


async def _add(state: ServiceState, job: Job, document: FilePath, n_charged: int) -> None:
    """Take a new job, which counts for the caller's key unless it is refused."""
    take_back = state.callers.charge(n_charged)
    try:
        await state.jobs.add(job, document)
    except BaseException:
        take_back()
        raise


@router.get("", operation_id="list_jobs", responses=error_responses(501))
async def list_jobs(request: Request) -> JobsAnswer:
    """List the caller's jobs, the oldest first."""
    jobs = await state_of(request).jobs.own()
    return JobsAnswer(jobs=[JobAnswer.of(job) for job in jobs])


@router.get("/{job_id}", operation_id="get_job", responses=error_responses(404, 422, 501))
async def get_job(job_id: JobId, request: Request) -> JobAnswer:
    """Tell how far a job is."""
    return JobAnswer.of(await state_of(request).jobs.find(job_id))


@router.post(
    "/{job_id}/retry", operation_id="retry_job", responses=error_responses(404, 409, 422, 501, 503)
)
async def retry_job(job_id: JobId, request: Request) -> JobAnswer:
    """Try a job again that has failed. It goes on from what is made of it."""
    state = state_of(request)
    job = await state.jobs.find(job_id)
    state.require()
    await state.jobs.retry(job)
    return JobAnswer.of(job)


@router.delete(
    "/{job_id}",
    status_code=204,
    response_class=Response,
    operation_id="delete_job",
    responses=error_responses(404, 409, 422, 501, 503),
)
async def delete_job(job_id: JobId, request: Request) -> None:
    """Stop a job if it is worked on, and remove it with its files."""
    jobs = state_of(request).jobs
    await jobs.remove(await jobs.find(job_id))


@router.get(
    "/{job_id}/events",
    operation_id="get_job_events",
    response_class=Response,
    responses={
        200: {
            "description": "The job, now and whenever something of it has changed, until it is "
            "done, has failed or is deleted",
            "content": event_content(("job", JobAnswer)),
        },
        **error_responses(404, 422, 501, 503),
    },
)
async def get_job_events(job_id: JobId, request: Request) -> Response:
    """Follow a job by server-sent events."""
    state = state_of(request)
    job = await state.jobs.find(job_id)
    state.admission.check_open()
    headers = {"Cache-Control": "no-store"}
    return StreamingResponse(_events(state, job), media_type="text/event-stream", headers=headers)


@router.get(
    "/{job_id}/output",
    operation_id="get_job_output",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                MEDIA_TYPES[form]: _BINARY for form in ("m4b", "mp3", "opus", "flac", "epub")
            },
        },
        206: _PART,
        304: _KNOWN,
        **error_responses(404, 409, 412, 416, 422, 501),
    },
)
async def get_job_output(job_id: JobId, request: Request) -> Response:
    """Get the audio of a job that is done, whole or in parts, so that players can seek."""
    job = await state_of(request).jobs.find(job_id)
    return await _file(request, job, job.options["format"])


@router.get(
    "/{job_id}/timestamps/{form}",
    operation_id="get_job_timestamps",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                MEDIA_TYPES["vtt"]: TEXT,
                MEDIA_TYPES["srt"]: TEXT,
                MEDIA_TYPES["ass"]: TEXT,
                MEDIA_TYPES["json"]: {"schema": {"type": "object", "examples": [_TIMES]}},
            },
        },
        206: _PART,
        304: _KNOWN,
        **error_responses(404, 409, 412, 416, 422, 501),
    },
)
async def get_job_timestamps(job_id: JobId, form: TimestampFormat, request: Request) -> Response:
    """Get a file of times that was asked for with the job."""
    return await _file(request, await state_of(request).jobs.find(job_id), form)


async def _events(state: ServiceState, job: Job) -> AsyncIterator[bytes]:
    """Yield the events of a job until nothing more happens to it, or sessions are to end."""
    told: JobAnswer | None = None
    n_quiet = 0
    while True:
        is_last = job.is_finished
        answer = JobAnswer.of(job)
        n_quiet += 1
        if answer != told:
            told, n_quiet = answer, 0
            yield server_sent_event("job", answer.model_dump_json())
        elif n_quiet % _SIGN_OF_LIFE_POLLS == 0:
            yield b": still there\n\n"
        if is_last or state.admission.ending.is_set():
            return
        try:
            await asyncio.wait_for(state.admission.ending.wait(), _POLL_S)
        except asyncio.TimeoutError:
            if (await state.jobs.folder()).get(job.id) is None:
                return


async def _file(request: Request, job: Job, ending: str) -> Response:
    """Return a file of a job by its ending.

    Raises:
        JobNotDoneError: the job is not done, or has no such file.
    """
    name = next((name for name in job.outputs if name.partition(".")[2] == ending), None)
    if job.state != "done" or name is None:
        why = f"the job is {job.state}" if job.state != "done" else f"the job has no {ending}"
        raise JobNotDoneError(why)
    return SeekableFile(
        (await state_of(request).jobs.folder()).folder_of(job) / name,
        media_type=MEDIA_TYPES[ending],
        filename=f"{plain_name(job.title) or 'speech'}.{ending}",
        content_disposition_type="inline",
    )
