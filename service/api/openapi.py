"""The OpenAPI document: FastAPI's, completed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any, get_args

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from service.api.error_answers import ErrorShape, error_shape
from service.api.middleware.authentication import OPEN_PATHS, is_list
from service.api.openapi_examples import add_examples, error_examples
from service.audio import FORMATS, SampleRate

SPEECH_HEADERS: dict[str, Any] = {
    "X-Sample-Rate-Hz": {
        "description": "Samples per second",
        "required": True,
        "schema": {"type": "integer", "enum": list(get_args(SampleRate))},
    },
    "X-Execution-Provider": {
        "description": "Execution provider of the model",
        "required": True,
        "schema": {"type": "string", "enum": ["cpu", "cuda", "tensorrt"]},
    },
    "X-Duration-S": {
        "description": "Duration of the audio in seconds; not for streams",
        "schema": {"type": "number", "exclusiveMinimum": 0},
    },
    "X-Chunk-Count": {
        "description": "Number of chunks; not for streams",
        "schema": {"type": "integer", "minimum": 1},
    },
    "X-Compute-S": {
        "description": "Compute time in seconds; not for streams",
        "schema": {"type": "number", "minimum": 0},
    },
    "X-Dropped": {
        "description": "Parts of the text that are not said, such as `3-4, 17-20`: offset of the "
        "first character and of the end, in Unicode code points. The first 32, then `...`; in a "
        "stream, of what is read when it begins. Left out if all is said.",
        "schema": {"type": "string"},
    },
    "X-Ignored": {
        "description": "Markup of the text that has no effect, such as `prosody contour 1:8`: "
        "element, attribute if it is one, line and column of the first. The first 32, then `...`. "
        "Left out if there is none.",
        "schema": {"type": "string"},
    },
    "X-Cache": {
        "description": "Whether the chunks were in the audio cache; only if it is on, and not for "
        "streams",
        "schema": {"type": "string", "enum": ["hit", "miss", "partial"]},
    },
}
"""Headers of answers with audio."""

TEXT = {"schema": {"type": "string"}}

_TAGS = {
    "speech": "Speech and voices.",
    "openai": "Endpoints of OpenAI's speech API.",
    "elevenlabs": "Endpoints of ElevenLabs' speech API.",
    "piper": "The endpoint of piper's server.",
    "jobs": "Documents that are spoken into files, behind all requests.",
    "operation": "For operators of the service.",
}

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "One of the API keys."},
    "header": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "One of the API keys, for clients that cannot send bearer tokens.",
    },
}

_DESCRIPTIONS = {
    400: "Not HTTP, not JSON, or an audio format that is unknown or cannot be delivered this way",
    401: "The API key is missing or unknown",
    403: "The request comes from a web page of another origin, or names another host",
    404: "The model, voice or job does not exist",
    408: "Headers or body did not arrive in time",
    409: "The job is not done, or has no such file; or it has not failed, or is being deleted",
    412: "The file is another version than the request expects",
    413: "The text or the body is too long",
    415: "The content type is not JSON, or not of a document that can be read",
    416: "The file ends before the range begins",
    422: "A field is invalid, or the text cannot be spoken",
    429: "The API key has used what its limits allow",
    431: "The headers are too large",
    500: "Synthesis failed, or an internal error",
    501: "The model gives no durations or cannot be decoded in windows, or jobs have no folder",
    503: "The service is loading, shutting down or overloaded",
    504: "The request exceeded its deadline",
}

_ANYWHERE = (400, 408, 431, 500)
"""Statuses that every request can get."""

_REQUEST_ID = {
    "description": "The request's own id if it has up to 64 letters, digits, `.`, `_` and `-`; "
    "otherwise a new one. It is also in the log.",
    "required": True,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
}

_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds to wait before the next try",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    }
}

_ERROR_HEADERS = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "const": "Bearer"}}},
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
}

_SCHEMAS = "#/components/schemas/{model}"


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return this service's statuses for the errors of an endpoint; `describe` completes them."""
    return {status: {} for status in statuses}


def audio_content() -> dict[str, Any]:
    """Return the media types of audio."""
    return {form.media_type: {} for form in FORMATS.values()}


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a body that FastAPI does not read; `describe` refers to it."""
    return model.model_json_schema(ref_template=_SCHEMAS)


def event_content(*events: tuple[str, type[BaseModel] | str]) -> dict[str, Any]:
    """Return the content of server-sent events, with the schema of each event.

    Args:
        events: name and data of each event; the name is `message` for an event without one, and
            data that is no model is always the same text.
    """
    schemas = [
        {
            "type": "object",
            "properties": {"event": {"const": name}, "data": _event_data(data)},
            "required": ["event", "data"],
        }
        for name, data in events
    ]
    return {"text/event-stream": {"schema": {"anyOf": schemas}}}


def _event_data(data: type[BaseModel] | str) -> dict[str, Any]:
    if isinstance(data, str):
        return {"const": data}
    return {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": data.model_json_schema(ref_template=_SCHEMAS),
    }


def describe(
    app: FastAPI, *, max_text_length: int, asks_for_key: bool, open_lists: bool = True
) -> dict[str, Any]:
    """Return the document of an application.

    Args:
        app: with all its routes.
        max_text_length: characters that a text may have.
        asks_for_key: whether requests need an API key.
        open_lists: whether lists of voices, models and languages need none.
    """
    document = deepcopy(
        get_openapi(
            title=app.title,
            version=app.version,
            description="Text-to-speech with Kokoro-82M on ONNX Runtime. Unknown paths and methods "
            "get 404 and 405 with the same error body. docs/websocket.md describes the WebSocket "
            "/synthesize/stream.",
            routes=app.routes,
            tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
        )
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
        ("TextToSpeechRequest", "text"),
        ("PiperRequest", "text"),
    ):
        schemas[name]["properties"][field]["maxLength"] = max_text_length
    used: dict[str, dict[str, Any]] = {}
    for path, item in document["paths"].items():
        shape = error_shape(app, path)
        for method, operation in item.items():
            responses = operation["responses"]
            # FastAPI describes validation errors of its own, which are never sent.
            if responses.get("422", {}).get("description") == "Validation Error":
                del responses["422"]
            good = {code: responses.pop(code) for code in [*responses] if code < "4"}
            for answer in good.values():
                answer["headers"] = {"X-Request-ID": _REQUEST_ID, **answer.get("headers", {})}
            for schema in _schemas_of_events(good.values()):
                schemas |= schema.pop("$defs", {})
            for name, schema in _schemas_of_body(operation):
                schemas |= {**schema.pop("$defs", {}), name: schema}
            statuses = {*map(int, responses), *_ANYWHERE}
            if asks_for_key and path not in OPEN_PATHS:
                schemes: list[dict[str, Any]] = [{name: []} for name in _SCHEMES]
                is_open = open_lists and is_list(path)
                operation["security"] = [*schemes, {}] if is_open else schemes
                statuses |= {401, 429}
            if method == "post" or not asks_for_key:
                statuses.add(403)
            errors: dict[str, Any] = {}
            for status in sorted({shape.status(status) for status in statuses}):
                name = f"{shape.model.__name__}{status}"
                used[name] = _error(shape, status)
                errors[str(status)] = {"$ref": f"#/components/responses/{name}"}
            operation["responses"] = {**good, **errors}
            schemas |= _schemas_of(shape.model)
    components["responses"] = used
    answers = [
        answer
        for item in document["paths"].values()
        for operation in item.values()
        for code, answer in operation["responses"].items()
        if code < "4"
    ]
    add_examples(schemas, (answer.get("content", {}) for answer in answers))
    return document


def _error(shape: ErrorShape, status: int) -> dict[str, Any]:
    """Return the answer with a status of a door, which may stand for several of this service's."""
    meanings = [text for own, text in _DESCRIPTIONS.items() if shape.status(own) == status]
    reference = {"$ref": _SCHEMAS.format(model=shape.model.__name__)}
    own_headers = {
        name: {"required": True, "schema": {"type": "string", "const": value}}
        for name, value in shape.headers.get(status, {}).items()
    }
    return {
        "description": "; ".join(meanings),
        "headers": {
            "X-Request-ID": _REQUEST_ID,
            **_ERROR_HEADERS.get(status, {}),
            **own_headers,
        },
        "content": {
            "application/json": {"schema": reference, "examples": error_examples(shape, status)}
        },
    }


def _schemas_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a model, and of those that it has in it, by name."""
    schema = model.model_json_schema(ref_template=_SCHEMAS, mode="serialization")
    return {**schema.pop("$defs", {}), model.__name__: schema}


def _schemas_of_body(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Put references in the place of what `schema_of` returned; yield that, with its name."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        if "title" in schema:
            content["schema"] = {"$ref": _SCHEMAS.format(model=schema["title"])}
            yield schema["title"], schema


def _schemas_of_events(answers: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for answer in answers:
        content = answer.get("content", {}).get("text/event-stream", {})
        for event in content.get("schema", {}).get("anyOf", []):
            if "contentSchema" in event["properties"]["data"]:
                yield event["properties"]["data"]["contentSchema"]
