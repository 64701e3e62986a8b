"""The endpoints."""

from __future__ import annotations

from typing import Any, cast

from fastapi import APIRouter, Request, Response

from service import __version__
from service.api.schemas import (
    ErrorAnswer,
    HealthAnswer,
    ModelAnswer,
    ReadyAnswer,
    SynthesisRequest,
    VoiceAnswer,
    VoicesAnswer,
)
from service.api.state import ServiceState
from service.audio import FORMATS, encode
from service.model.kokoro import SAMPLE_RATE_HZ

router = APIRouter()

_AUDIO: dict[str, Any] = {form.media_type: {} for form in FORMATS.values()}
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "Not JSON"},
    413: {"model": ErrorAnswer, "description": "Text or body over the limit"},
    415: {"model": ErrorAnswer, "description": "No JSON content type"},
    422: {"model": ErrorAnswer, "description": "Something about the request cannot be spoken"},
    500: {"model": ErrorAnswer, "description": "The speech could not be made"},
}
_NOT_READY: dict[int | str, dict[str, Any]] = {
    503: {"model": ErrorAnswer, "description": "Still loading, or shutting down"}
}


def _state(request: Request) -> ServiceState:
    return cast("ServiceState", request.app.state.service)


# Not `async`: it computes, so it belongs in the thread pool.
@router.post(
    "/synthesize",
    response_class=Response,
    responses={200: {"content": _AUDIO, "description": "Speech"}, **_ERRORS, **_NOT_READY},
)
def synthesize(body: SynthesisRequest, request: Request) -> Response:
    """Turn text into speech: int16, mono, 24 kHz."""
    synthesizer = _state(request).require().synthesizer
    plan = synthesizer.plan(body.utterance())
    chunks = list(synthesizer.stream(plan))
    content = encode([chunk.samples for chunk in chunks], body.format, SAMPLE_RATE_HZ)
    duration_s = sum(chunk.duration_s for chunk in chunks)
    compute_s = sum(chunk.compute_s for chunk in chunks)
    provider = synthesizer.model.provider
    voice = "+".join(voice.name for voice, _ in plan.blend.parts)
    request.scope["state"]["summary"] = (
        f" voice={voice} language={plan.language or '-'}"
        f" characters={len(body.text or body.phonemes or '')} chunks={len(chunks)}"
        f" audio_s={duration_s:.3f} compute_s={compute_s:.3f} provider={provider}"
    )
    return Response(
        content,
        media_type=FORMATS[body.format].media_type,
        headers={
            "X-Sample-Rate-Hz": str(SAMPLE_RATE_HZ),
            "X-Duration-S": f"{duration_s:.6f}",
            "X-Chunk-Count": str(len(chunks)),
            "X-Compute-S": f"{compute_s:.6f}",
            "X-Execution-Provider": provider,
        },
    )


@router.get("/voices", responses=_NOT_READY)
async def voices(request: Request) -> VoicesAnswer:
    """List the voices."""
    state = _state(request)
    known = state.require().synthesizer.voices.voices
    return VoicesAnswer(
        default=state.settings.voice, voices=[VoiceAnswer.of(voice) for voice in known]
    )


@router.get("/health")
async def health() -> HealthAnswer:
    """Tell that the process is alive; says nothing of the model."""
    return HealthAnswer()


@router.get("/ready", responses=_NOT_READY)
async def ready(request: Request) -> ReadyAnswer:
    """Tell that the model is loaded and its self-test passed, and what is in use."""
    found = _state(request).require()
    model = found.synthesizer.model
    return ReadyAnswer(
        version=__version__,
        provider="cuda" if model.provider == "cuda" else "cpu",
        onnxruntime=model.runtime.version,
        model=ModelAnswer(
            name=model.name, sha256=model.sha256, gives_durations=model.gives_durations
        ),
        self_test_s=round(found.self_test_s, 6),
    )
