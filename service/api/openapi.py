"""The OpenAPI document, with what FastAPI does not know of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from service.api.middleware.authentication import OPEN_PATHS
from service.api.schemas import ErrorAnswer
from service.audio import FORMATS
from service.model.kokoro import SAMPLE_RATE_HZ

SPEECH_HEADERS: dict[str, Any] = {
    "X-Sample-Rate-Hz": {
        "description": "Samples a second",
        "required": True,
        "schema": {"type": "integer", "const": SAMPLE_RATE_HZ},
    },
    "X-Execution-Provider": {
        "description": "Where the model runs",
        "required": True,
        "schema": {"type": "string", "enum": ["cpu", "cuda", "tensorrt"]},
    },
    "X-Duration-S": {
        "description": "Seconds of audio; not of a stream",
        "schema": {"type": "number", "exclusiveMinimum": 0},
    },
    "X-Chunk-Count": {
        "description": "Chunks that the text was cut into; not of a stream",
        "schema": {"type": "integer", "minimum": 1},
    },
    "X-Compute-S": {
        "description": "Seconds that the model took; not of a stream",
        "schema": {"type": "number", "minimum": 0},
    },
    "X-Cache": {
        "description": "Whether the chunks were in the audio cache; where there is one, and not "
        "of a stream",
        "schema": {"type": "string", "enum": ["hit", "miss", "partial"]},
    },
}
"""Of answers that are speech."""

TEXT = {"schema": {"type": "string"}}

_TAGS = {
    "speech": "Speech and voices.",
    "openai": "What OpenAI's clients ask for.",
    "operation": "For who runs the service.",
}

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "One of the API keys."},
    "header": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "The same, for clients that have no bearer tokens.",
    },
}

_DESCRIPTIONS = {
    400: "No HTTP or no JSON, or an audio format that is not offered, or not in this way",
    401: "No API key, or one that is not known",
    403: "A page of a web origin that is not listed asked, or one under another name than ours",
    404: "No such model",
    408: "Head or body did not come in time",
    413: "Text or body over the limit",
    415: "No JSON content type",
    422: "Something about the request is wrong, or cannot be spoken",
    500: "The speech could not be made, or something else went wrong here",
    501: "The model does not tell durations, so there are no times",
    503: "Still loading, shutting down, or no place free",
    504: "It took longer than it may",
}

_ANYWHERE = (400, 408, 500)
"""What can meet any request."""

_REQUEST_ID = {
    "description": "The request's own, if it was sent as up to 64 letters, digits, `.`, `_` and "
    "`-`; else a new one. Also in the log.",
    "required": True,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
}

_ERROR_HEADERS = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "const": "Bearer"}}},
    503: {
        "Retry-After": {
            "description": "Seconds after which it is worth trying again",
            "required": True,
            "schema": {"type": "integer", "minimum": 1},
        }
    },
}

_SCHEMAS = "#/components/schemas/{model}"


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors that an endpoint has of its own; `describe` says more of each."""
    return {status: {"model": ErrorAnswer} for status in statuses}


def audio_content() -> dict[str, Any]:
    """Return the media types of audio."""
    return {form.media_type: {} for form in FORMATS.values()}


def event_content(*events: tuple[str, type[BaseModel]]) -> dict[str, Any]:
    """Return server-sent events, the schema being that of each event.

    Args:
        events: the name of an event, which is `message` for one without, and its data.
    """
    schemas = [
        {
            "type": "object",
            "properties": {
                "event": {"const": name},
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": data.model_json_schema(ref_template=_SCHEMAS),
                },
            },
            "required": ["event", "data"],
        }
        for name, data in events
    ]
    return {"text/event-stream": {"schema": {"anyOf": schemas}}}


def describe(app: FastAPI, *, max_text_length: int, asks_for_key: bool) -> dict[str, Any]:
    """Return the document of an application.

    Args:
        app: with all its routes.
        max_text_length: characters that a text may have.
        asks_for_key: whether requests need an API key.
    """
    document = get_openapi(
        title=app.title,
        version=app.version,
        description="Text in, speech out: Kokoro-82M on ONNX Runtime. Unknown paths and methods "
        "get 404 and 405 in the shape of every error. The WebSocket /synthesize/stream is "
        "described in docs/websocket.md of the project.",
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
    )
    components = document.setdefault("components", {})
    if asks_for_key:
        components["securitySchemes"] = _SCHEMES
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for name, field in (
        ("SynthesisRequest", "text"),
        ("SynthesisRequest", "phonemes"),
        ("PhonemizeRequest", "text"),
        ("SpeechRequest", "input"),
    ):
        schemas[name]["properties"][field]["maxLength"] = max_text_length
    used: set[int] = set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            responses = operation["responses"]
            # FastAPI's own shape of validation errors is not ours.
            if responses.get("422", {}).get("description") == "Validation Error":
                del responses["422"]
            good = responses.pop("200")
            good["headers"] = {"X-Request-ID": _REQUEST_ID, **good.get("headers", {})}
            for schema in _schemas_of_events(good):
                schemas |= schema.pop("$defs", {})
            statuses = {*map(int, responses), *_ANYWHERE}
            if asks_for_key and path not in OPEN_PATHS:
                operation["security"] = [{name: []} for name in _SCHEMES]
                statuses.add(401)
            if method == "post" or not asks_for_key:
                statuses.add(403)
            errors = {
                str(status): {"$ref": f"#/components/responses/{status}"}
                for status in sorted(statuses)
            }
            operation["responses"] = {"200": good, **errors}
            used |= statuses
    components["responses"] = {str(status): _error(status) for status in sorted(used)}
    return document


def _error(status: int) -> dict[str, Any]:
    reference = {"$ref": _SCHEMAS.format(model=ErrorAnswer.__name__)}
    return {
        "description": _DESCRIPTIONS[status],
        "headers": {"X-Request-ID": _REQUEST_ID, **_ERROR_HEADERS.get(status, {})},
        "content": {"application/json": {"schema": reference}},
    }


def _schemas_of_events(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    events = response["content"].get("text/event-stream", {}).get("schema", {}).get("anyOf", [])
    for event in events:
        yield event["properties"]["data"]["contentSchema"]
