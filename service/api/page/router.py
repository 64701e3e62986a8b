"""The page that speaks: `/`, the description of the API: `/docs`, and the files of both."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from service.api.page.assets import read_assets
from service.api.preconditions import failed_precondition

router = APIRouter(include_in_schema=False)

_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
"""What the page may load: files of this service, and nothing that is written into the document."""

_DOCS_POLICY = {**_POLICY, "img-src": "'self' data:", "media-src": "blob:"}
"""Swagger UI has its icons in its style sheet, and plays the audio of an answer from memory."""


@router.get("/")
def page(request: Request) -> Response:
    """Return the page."""
    return _document(request, "index.html", _POLICY)


@router.get("/docs")
def docs(request: Request) -> Response:
    """Return the page that shows the OpenAPI document and sends its requests."""
    return _document(request, "docs.html", _DOCS_POLICY)


@router.get("/page/{digest}/{name}")
def asset(digest: str, name: str, request: Request) -> Response:
    """Return a file of the page, which a browser may keep: another version has another digest."""
    assets = read_assets()
    found = assets.files.get(name) if digest == assets.digest else None
    if found is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    content = found.content
    if found.is_packed:
        headers["Vary"] = "Accept-Encoding"
        codings = [coding.partition(";")[0] for coding in _split(request, "accept-encoding")]
        if "gzip" in codings:
            headers["Content-Encoding"] = "gzip"
        else:
            content = found.unpack()
    return Response(content, media_type=found.media_type, headers=headers)


def _document(request: Request, name: str, policy: dict[str, str]) -> Response:
    """Return a document. Browsers ask each time whether theirs is the newest."""
    assets = read_assets()
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": "; ".join(f"{kind} {source}" for kind, source in policy.items()),
        "ETag": f'"{assets.digest}"',
    }
    failed = failed_precondition(request.headers, headers["ETag"])
    if failed == 412:
        raise HTTPException(failed, "the document is another version")
    if failed is not None:
        return Response(status_code=failed, headers=headers)
    found = assets.documents[name]
    return Response(found.content, media_type=found.media_type, headers=headers)


def _split(request: Request, name: str) -> list[str]:
    values = request.headers.getlist(name)
    return [part.strip() for value in values for part in value.split(",")]
