"""Examples of answers in the OpenAPI document: those of answer_examples.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from service.api.error_answers import ErrorShape, Failure
from service.api.rendering import server_sent_event

_FILE = Path(__file__).with_name("answer_examples.json")
_REQUEST_ID = "1b0dba108bf5"


def add_examples(schemas: dict[str, Any], contents: Iterable[dict[str, Any]]) -> None:
    """Write examples into a document. Audio has none: nobody reads its bytes.

    Args:
        schemas: of the document, by name.
        contents: what the good answers have, by media type.
    """
    examples = _examples()
    for name, found in examples["models"].items():
        if name in schemas:
            schemas[name]["examples"] = found
    for content in contents:
        for media_type, described in content.items():
            if media_type == "text/event-stream":
                described["example"] = _events(described["schema"]["anyOf"])
            elif media_type in examples["texts"]:
                described["example"] = examples["texts"][media_type]


def error_examples(shape: ErrorShape, status: int) -> dict[str, Any]:
    """Return examples, by code, of the errors that have a status in a shape."""
    return {
        error["code"]: {
            "value": shape.write(
                Failure(status, error["code"], error["message"], _REQUEST_ID)
            ).model_dump()
        }
        for error in _examples()["errors"]
        if shape.status(error["status"]) == status
        and error.get("only", shape.model.__name__) == shape.model.__name__
    }


def _events(schemas: Iterable[dict[str, Any]]) -> str:
    """Return a stream with one event of each kind."""
    models = _examples()["models"]
    events = []
    for schema in schemas:
        name, data = (schema["properties"][field] for field in ("event", "data"))
        example = models[data["contentSchema"]["title"]][0] if "contentSchema" in data else None
        text = data["const"] if example is None else json.dumps(example, ensure_ascii=False)
        events.append(
            server_sent_event(None if name["const"] == "message" else name["const"], text)
        )
    return b"".join(events).decode()


@cache
def _examples() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found
