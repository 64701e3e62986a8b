"""The endpoint of piper's server."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from service.api.openapi import SPEECH_HEADERS, error_responses
from service.api.piper.schemas import PiperRequest
from service.api.piper_fields import with_own_voice
from service.api.rendering import WholeAudio
from service.api.response import SpeechResponse
from service.api.state import state_of
from service.speech import Delivery

router = APIRouter(tags=["piper"])

_SPEECH: dict[str, Any] = {
    "description": "A WAV file: int16, mono, 24 kHz",
    "headers": SPEECH_HEADERS,
    "content": {"audio/wav": {}},
}


# There is no `GET /?text=`, which piper's server once had: any web page could send it, and keep
# the processor busy.
@router.post(
    "/",
    operation_id="piper",
    response_class=Response,
    responses={200: _SPEECH, **error_responses(413, 415, 422, 503, 504)},
)
async def synthesize(body: PiperRequest, request: Request) -> Response:
    """Synthesize speech, as piper's server does."""
    state = state_of(request)
    said = body.utterance(auto_ssml="piper" in state.settings.auto_ssml)
    utterance = with_own_voice(said, state.default_voice)
    return SpeechResponse(state, utterance, Delivery(), WholeAudio("wav"))
