"""Receives documents, and texts in JSON, into files."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from service.api.error_answers import media_type_of
from service.api.job_options import MAX_TITLE_LENGTH
from service.api.jobs.forms import Form
from service.api.jobs.schemas import DOCUMENT_ENDINGS, JobQuery, JobRequest
from service.api.schemas import text_kind, without_halves
from service.api.state import state_of
from service.books.book_files import ENDINGS, ending_of
from service.errors import CancelledError, EmptyTextError, InvalidRequestError
from service.speech import Utterance
from service.speech.utterance import TextKind
from service.text import is_blank

_WITHOUT_TITLES = (".txt", ".srt", ".vtt", ".ssml")
"""Endings of documents that have the name of their file for a title."""

_UNTITLED = "Untitled"

_OPENING_BYTES = 4096
"""In which a document shows that it is SSML."""

_MAX_DIGITS = 20
"""Of a length; a longer number is none."""


async def receive_text(request: Request, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Keep the text of a body in a folder; return its file and what the body says beside it."""
    if request.query_params:
        raise InvalidRequestError("with JSON, the fields belong in the body, not in the query")
    content = folder / "body.json"
    await _receive(request, content)
    uploads = state_of(request).uploads
    async with uploads.parsing:
        loop = asyncio.get_running_loop()
        keep = partial(_keep_text, content, folder, auto_ssml=_is_auto(request))
        return await loop.run_in_executor(uploads.executor, keep)


def _keep_text(content: Path, folder: Path, *, auto_ssml: bool) -> tuple[Path, dict[str, Any]]:
    """Keep the text of a file of JSON as `receive_text` says, in a thread."""
    try:
        # Byte by byte: the text is decoded when it is parsed.
        written = without_halves(content.read_bytes().decode("latin-1")).encode("latin-1")
        body = JobRequest.model_validate_json(written)
    except ValidationError as error:
        errors = [{**item, "loc": ("body", *item["loc"])} for item in error.errors()]
        raise RequestValidationError(errors) from None
    if is_blank(body.text):
        raise EmptyTextError("the text is empty")
    document = folder / ("document.md" if body.markdown else "document.txt")
    document.write_bytes(body.text.encode())
    kind = text_kind(body.ssml, auto=auto_ssml)
    del body  # a text may take four times its bytes, and is in memory but once
    document = _by_kind(document, kind)
    options = json.loads(written)
    for name in ("text", "markdown"):
        options.pop(name, None)
    options.setdefault("title", _UNTITLED)
    return document, options


def _is_auto(request: Request) -> bool:
    return "jobs" in state_of(request).settings.auto_ssml


def _by_kind(document: Path, kind: TextKind) -> Path:
    """Return the file of a document, whose ending says so if it is SSML.

    Raises:
        InvalidRequestError: it is to be SSML, and is no text.
    """
    if document.suffix != ".txt":
        if kind in ("ssml", "strict_ssml") and document.suffix != ".ssml":
            raise InvalidRequestError(f"only a text can be SSML, not {document.suffix}")
        return document
    with document.open("rb") as file:
        opening = file.read(_OPENING_BYTES).decode(errors="ignore")
    if not opening or not Utterance(opening, kind).is_ssml:
        return document
    return document.rename(document.with_suffix(".ssml"))


async def receive_document(
    request: Request, query: JobQuery, folder: Path
) -> tuple[Path, dict[str, Any]]:
    """Keep the body in a folder; return its file and what the query says.

    Raises:
        HTTPException: 415, if nothing tells what kind of document it is.
    """
    ending, options = _ending_and_options(query, media_type_of(request))
    document = folder / f"document{ending}"
    await _receive(request, document)
    kind = text_kind(query.ssml, auto=_is_auto(request))
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, _by_kind, document, kind), options


def _ending_and_options(query: JobQuery, media_type: str) -> tuple[str, dict[str, Any]]:
    """Return the ending that tells what a document is, and what is asked for."""
    name = Path(query.name or "")
    ending = ending_of(name.name)
    if ending not in ENDINGS:
        ending = DOCUMENT_ENDINGS.get(media_type, "")
    if not ending:
        known = ", ".join(("application/json", "multipart/form-data", *DOCUMENT_ENDINGS))
        raise HTTPException(
            415, f"the content type must be one of {known}; or give name, with its ending"
        )
    options = query.model_dump(mode="json", exclude_unset=True, exclude={"name"})
    if ending in _WITHOUT_TITLES and name.stem.strip():
        options.setdefault("title", name.stem[:MAX_TITLE_LENGTH])
    return ending, options


async def receive_form(
    request: Request, query: JobQuery, folder: Path
) -> tuple[Path, dict[str, Any], str]:
    """Keep the document of a form, `curl -F file=@book.epub`, in a folder.

    Returns:
        Its file, what the query and the fields of the form say, and the document's name.

    Raises:
        InvalidRequestError: the form is malformed, or has not one document.
        HTTPException: 415, if nothing tells what kind of document it is.
        RequestValidationError: a field is wrong.
    """
    content = folder / "body.form"
    await _receive(request, content)
    loop = asyncio.get_running_loop()
    form = await loop.run_in_executor(
        state_of(request).uploads.executor,
        partial(Form.of, content, request.headers.get("content-type", ""), folder / "document"),
    )
    given = {**query.model_dump(mode="json", exclude_unset=True), **form.fields}
    given.setdefault("name", form.file_name or None)
    try:
        fields = JobQuery.model_validate(given)
    except ValidationError as error:
        errors = [{**item, "loc": ("query", *item["loc"])} for item in error.errors()]
        raise RequestValidationError(errors) from None
    ending, options = _ending_and_options(fields, form.media_type)
    document = form.document.rename(folder / f"document{ending}")
    kind = text_kind(fields.ssml, auto=_is_auto(request))
    document = await loop.run_in_executor(None, _by_kind, document, kind)
    return document, options, Path(fields.name or document.name).name


async def _receive(request: Request, file: Path) -> None:
    """Write the body of a request into a file as it comes.

    Raises:
        CancelledError: the client has left.
        OSError: it cannot be written.
    """
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, file.touch)
    try:
        async for part in request.stream():
            await loop.run_in_executor(None, _append, file, part)
    except ClientDisconnect:
        raise CancelledError("the client has disconnected") from None


def _append(file: Path, part: bytes) -> None:
    with file.open("ab") as opened:
        opened.write(part)


def declared_bytes(request: Request) -> int | None:
    """Return how long a body is to be; None if its length is unknown."""
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isdecimal() and len(declared) < _MAX_DIGITS else None
