"""The endpoints of ElevenLabs' API that list voices and models."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from service.api.elevenlabs.schemas import (
    ElevenLabsModel,
    ElevenLabsVoice,
    ElevenLabsVoices,
    SpokenLanguage,
    VoicesPage,
)
from service.api.elevenlabs.voice_ids import KNOWN_VOICES
from service.api.openapi import error_responses
from service.api.state import ServiceState, state_of
from service.errors import VoiceNotFoundError
from service.text import LANGUAGES

router = APIRouter(tags=["elevenlabs"])


class _KeyedRoute(APIRoute):
    """A route for requests with ElevenLabs' header of the key; others go on to the next route."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether, and how, a request belongs to this route."""
        if "xi-api-key" not in Headers(scope=scope):
            return Match.NONE, {}
        return super().matches(scope)


keyed_router = APIRouter(route_class=_KeyedRoute, tags=["elevenlabs"])


@router.get("/v1/voices", operation_id="list_elevenlabs_voices", responses=error_responses(503))
async def voices(request: Request) -> ElevenLabsVoices:
    """List the voices; ElevenLabs' own come last."""
    return ElevenLabsVoices(voices=_voices(state_of(request)))


@router.get("/v2/voices", operation_id="search_elevenlabs_voices", responses=error_responses(503))
async def search(
    request: Request,
    search: Annotated[
        str | None, Query(description="part of an id or a name, in any case", examples=["rachel"])
    ] = None,
) -> VoicesPage:
    """List the voices whose id or name has a text in it, on one page."""
    wanted = (search or "").lower()
    found = [
        voice
        for voice in _voices(state_of(request))
        if wanted in voice.voice_id.lower() or wanted in voice.name.lower()
    ]
    return VoicesPage(voices=found, total_count=len(found))


@router.get(
    "/v1/voices/{voice_id}",
    operation_id="get_elevenlabs_voice",
    responses=error_responses(404, 503),
)
async def voice(
    voice_id: Annotated[
        str, Path(description="of GET /v1/voices", examples=["21m00Tcm4TlvDq8ikWAM"])
    ],
    request: Request,
) -> ElevenLabsVoice:
    """Describe a voice."""
    for voice in _voices(state_of(request)):
        if voice.voice_id == voice_id:
            return voice
    raise VoiceNotFoundError(f"no voice {voice_id!r}")


@keyed_router.get("/v1/models", include_in_schema=False)
async def models(request: Request) -> list[ElevenLabsModel]:
    """List the models for a client that names its key as ElevenLabs' do."""
    state = state_of(request)
    own = ElevenLabsModel(
        maximum_text_length_per_request=state.settings.max_text_length,
        languages=[
            SpokenLanguage(language_id=language.code, name=language.name)
            for language in LANGUAGES.values()
        ],
    )
    added = (own.model_copy(update={"model_id": name, "name": name}) for name in state.models.names)
    return [own, *added]


def _voices(state: ServiceState) -> list[ElevenLabsVoice]:
    own = {voice.name: voice for voice in state.require().synthesizer.planner.voices.voices}
    known = [
        ElevenLabsVoice.of(own[known.voice], voice_id=known.voice_id, name=known.name)
        for known in KNOWN_VOICES
        if known.voice in own
    ]
    return [*map(ElevenLabsVoice.of, own.values()), *known]
