"""Requests that depend on the version that a client has or expects: RFC 9110, section 13."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Literal

from starlette.datastructures import Headers

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')

_TAGS = re.compile(rf"[ \t,]*(?:{_TAG.pattern}[ \t]*(?:,[ \t,]*|$))+")

_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_DATE = re.compile(
    rf"[A-Z][a-z]{{2}}, [0-9]{{2}} [A-Z][a-z]{{2}} [0-9]{{4}} {_TIME} GMT"
    rf"|[A-Z][a-z]{{5,8}}, [0-9]{{2}}-[A-Z][a-z]{{2}}-[0-9]{{2}} {_TIME} GMT"
    rf"|[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [0-9 ][0-9] {_TIME} [0-9]{{4}}"
)
"""The three forms of a date that HTTP has."""


def failed_precondition(
    headers: Headers, etag: str, last_modified: str | None = None
) -> Literal[304, 412] | None:
    """Return the status of an answer without the content to a GET; None for the content.

    Args:
        headers: of the request. A date that is none is ignored; a list that is none names nothing.
        etag: of the content, a strong one.
        last_modified: of the content, as the header has it; None if that is unknown.
    """
    if (tags := _tags(headers, "if-match")) is not None:
        if "*" not in tags and etag not in tags:
            return 412
    elif _is_newer(last_modified, headers, "if-unmodified-since"):
        return 412
    if (tags := _tags(headers, "if-none-match")) is not None:
        return 304 if {"*", etag, f"W/{etag}"} & tags else None
    return 304 if _is_newer(last_modified, headers, "if-modified-since") is False else None


def _tags(headers: Headers, name: str) -> set[str] | None:
    """Return the tags that a header lists, weak ones with `W/`; None if there is no such header."""
    values = headers.getlist(name)
    if not values:
        return None
    listed = ", ".join(values).strip()
    if listed == "*":
        return {"*"}
    if not _TAGS.fullmatch(listed):
        return set()
    return {found.group() for found in _TAG.finditer(listed)}


def _is_newer(last_modified: str | None, headers: Headers, name: str) -> bool | None:
    """Return whether the content is newer than the date of a header; None if there is none."""
    values = headers.getlist(name)
    date = _date(values[0]) if len(values) == 1 else None
    modified = None if last_modified is None else _date(last_modified)
    return None if date is None or modified is None else modified > date


def _date(written: str) -> datetime | None:
    if not _DATE.fullmatch(written):
        return None
    try:
        date = parsedate_to_datetime(written)
    except ValueError:
        return None
    return date.replace(tzinfo=timezone.utc)  # whether or not the form names it
