"""The page that speaks: `/`, and the files that it is made of."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from service.api.page.assets import read_assets

router = APIRouter(include_in_schema=False)

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""What the page may load: files of this service, and nothing that is written into the document."""


@router.get("/")
def page(request: Request) -> Response:
    """Return the page. Browsers ask each time whether theirs is the newest."""
    assets = read_assets()
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": _POLICY,
        "ETag": f'"{assets.digest}"',
    }
    known = [tag.strip().removeprefix("W/") for tag in _split(request, "if-none-match")]
    if headers["ETag"] in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(assets.index.content, media_type=assets.index.media_type, headers=headers)


@router.get("/page/{digest}/{name}")
def asset(digest: str, name: str) -> Response:
    """Return a file of the page, which a browser may keep: another version has another digest."""
    assets = read_assets()
    found = assets.files.get(name) if digest == assets.digest else None
    if found is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(found.content, media_type=found.media_type, headers=headers)


def _split(request: Request, name: str) -> list[str]:
    return [part for value in request.headers.getlist(name) for part in value.split(",")]
