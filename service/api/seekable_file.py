"""A file as an answer, whole or in the parts that a client lacks: RFC 9110, sections 13 and 14."""

from __future__ import annotations

import os
import re

import anyio.to_thread
from fastapi.responses import FileResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from service.api.middleware.methods import HEAD_ONLY
from service.api.preconditions import failed_precondition

_UNIT = "bytes="

_RANGE = re.compile(r"([0-9]*)-([0-9]*)")

_MOST_DIGITS = 19
"""No file has a place with more. `int` refuses some thousands."""


class SeekableFile(FileResponse):
    """A file, of which players ask for parts, and others whether it is the version that they have.

    A header Range that is not valid, or of another unit, is ignored, and so is one whose If-Range
    names another version of the file.

    Raises:
        HTTPException: when it is called, 416 if the file has none of the parts; 412 if it is not
            the version that the request expects; 404 if it is not there any more.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request."""
        try:
            self.stat_result = await anyio.to_thread.run_sync(os.stat, self.path)
        except FileNotFoundError:
            raise HTTPException(404) from None
        self.set_stat_headers(self.stat_result)
        headers = MutableHeaders(raw=list(scope["headers"]))
        etag, last_modified = self.headers["etag"], self.headers["last-modified"]
        failed = failed_precondition(headers, etag, last_modified)
        if failed == 412:
            raise HTTPException(failed, "the file is another version")
        if failed is not None:
            known = {"ETag": etag, "Last-Modified": last_modified}
            await Response(status_code=failed, headers=known)(scope, receive, send)
            return
        asked = self._asked_for(headers)
        del headers["range"]
        if asked is not None:
            n_bytes = self.stat_result.st_size
            parts = satisfiable(asked, n_bytes)
            if not parts:
                message = f"the file has {n_bytes} bytes"
                raise HTTPException(416, message, {"Content-Range": f"bytes */{n_bytes}"})
            # As few words as starlette understands rightly.
            headers["range"] = _UNIT + ",".join(f"{first}-{last}" for first, last in parts)
        method = "HEAD" if scope.get(HEAD_ONLY) else scope["method"]
        await super().__call__({**scope, "method": method, "headers": headers.raw}, receive, send)

    def _asked_for(self, headers: Headers) -> list[tuple[int | None, int | None]] | None:
        """Return the ranges that the request asks for; None for the whole file."""
        versions = (self.headers["etag"], self.headers["last-modified"])
        if headers.get("if-range", versions[0]) not in versions:
            return None
        values = headers.getlist("range")
        return parse_ranges(values[0]) if len(values) == 1 else None


def parse_ranges(header: str) -> list[tuple[int | None, int | None]] | None:
    """Return the ranges of a header as they are written: first and last byte, counted from 0.

    The last is None for the end of the file; the first is None if the last is a number of bytes
    at the end. None for a header that is not valid, or of another unit.
    """
    if header[: len(_UNIT)].lower() != _UNIT:
        return None
    ranges = []
    for item in header[len(_UNIT) :].split(","):
        part = item.strip(" \t")
        if not part:
            continue  # lists may have empty elements
        match = _RANGE.fullmatch(part)
        if match is None or match.group() == "-":
            return None
        first, last = map(_number, match.groups())
        if first is not None and last is not None and last < first:
            return None
        ranges.append((first, last))
    return ranges or None


def _number(digits: str) -> int | None:
    if not digits:
        return None
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS


def satisfiable(ranges: list[tuple[int | None, int | None]], n_bytes: int) -> list[tuple[int, int]]:
    """Return first and last byte of those ranges that a file of so many bytes has."""
    parts = []
    for first, last in ranges:
        if first is None:
            first, last = max(0, n_bytes - (last or 0)), n_bytes - 1
        elif last is None or last >= n_bytes:
            last = n_bytes - 1
        if first < n_bytes:
            parts.append((first, last))
    return parts
