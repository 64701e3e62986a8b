"""Examines the document of a new job while its client waits."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request

from service.api.job_options import JobOptions
from service.api.production import finish
from service.api.state import state_of
from service.books.cue_times import check_times
from service.books.document_reader import DocumentReader
from service.books.sections import sections, text_of_chapter
from service.errors import CancelledError
from service.speech import Cancellation, Planner
from service.text import Ignored


@dataclass(frozen=True)
class Examined:
    """What is known of a document.

    Attributes:
        title: of it.
        n_characters: that are spoken.
        n_charged: characters that count for the caller's key: more, if single signs become many.
        ignored: markup of SSML that has no effect, as far as it is known.
    """

    title: str
    n_characters: int
    n_charged: int
    ignored: tuple[Ignored, ...] = ()


async def examine(
    request: Request, executor: Executor, fields: JobOptions, document: Path, name: str
) -> Examined:
    """Read a document, and tell what a job of it is.

    Nobody reads it any more when the client has left, nor when this ends.

    Args:
        request: whose body is complete.
        executor: of the thread that waits for the document.
        fields: what the document becomes.
        document: the file.
        name: of the document, as the caller knows it.

    Raises:
        ServiceError: it cannot be read, a field is wrong, or the client has left.
        OSError: the file cannot be read.
    """
    with Cancellation() as cancellation:
        state = state_of(request)
        planner = (await state.synthesizer(fields.model)).planner
        work = asyncio.get_running_loop().run_in_executor(
            executor, _check, state.documents, planner, fields, document, name, cancellation
        )
        watch = asyncio.ensure_future(_watch(request, cancellation))
        try:
            return await asyncio.shield(work)
        finally:
            watch.cancel()
            cancellation.cancel(CancelledError("the request is over"))
            await finish(work)


async def _watch(request: Request, cancellation: Cancellation) -> None:
    """Cancel when the client disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    cancellation.cancel(CancelledError("the client has disconnected"))


def _check(
    documents: DocumentReader,
    planner: Planner,
    fields: JobOptions,
    document: Path,
    name: str,
    cancellation: Cancellation,
) -> Examined:
    job_order = fields.order(document, None)
    job_order.order.check()
    planner.settle(fields.voice, fields.language)
    for voice in job_order.order.manner.cast.voices:
        planner.resolve(voice)
    book = job_order.read(documents, cancellation, name=name)
    chapters = job_order.order.choice.of(book)
    if fields.fit:
        check_times(chapters)
    n_characters = sum(chapter.n_characters for chapter in chapters)
    counted = planner.count(text_of_chapter(chapter) for chapter in chapters)
    manner = job_order.order.manner
    ignored = tuple(
        one
        for chapter in chapters
        for section in sections(chapter, manner.pauses)
        if section.is_ssml
        for one in planner.ignored(manner.utterance(section, chapter.number))
    )
    return Examined(book.title, n_characters, max(n_characters, counted), ignored)
