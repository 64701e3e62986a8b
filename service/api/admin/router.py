"""Endpoints about the service: languages, voices, health, metrics."""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter, Request, Response

from service import __version__
from service.api.admin.schemas import (
    HealthAnswer,
    LanguageAnswer,
    LanguagesAnswer,
    ModelAnswer,
    ReadyAnswer,
    VoiceAnswer,
    VoicesAnswer,
)
from service.api.openapi import TEXT, error_responses
from service.api.state import state_of
from service.text import LANGUAGES

router = APIRouter()


@router.get(
    "/languages", tags=["speech"], operation_id="list_languages", responses=error_responses(503)
)
async def languages(request: Request) -> LanguagesAnswer:
    """List the languages, and whether their G2P is installed."""
    planner = state_of(request).require().synthesizer.planner
    readers = planner.front_end.readers
    speakers = Counter(voice.language for voice in planner.voices.voices)
    return LanguagesAnswer(
        languages=[
            LanguageAnswer(
                code=language.code,
                name=language.name,
                available=readers.is_available(language.code),
                reader=language.g2p,
                extra=language.extra,
                voices=speakers[language.code],
            )
            for language in LANGUAGES.values()
        ]
    )


@router.get("/voices", tags=["speech"], operation_id="list_voices", responses=error_responses(503))
async def voices(request: Request) -> VoicesAnswer:
    """List the voices."""
    state = state_of(request)
    known = state.require().synthesizer.planner.voices.voices
    return VoicesAnswer(
        default=state.default_voice, voices=[VoiceAnswer.of(voice) for voice in known]
    )


@router.get("/health", tags=["operation"], operation_id="get_health")
async def health() -> HealthAnswer:
    """Return 200 while the process is alive, whether the model is loaded or not."""
    return HealthAnswer()


@router.get(
    "/ready", tags=["operation"], operation_id="get_readiness", responses=error_responses(503)
)
async def ready(request: Request) -> ReadyAnswer:
    """Return 200 once the model has been loaded and has passed its self-test, and what is in use.

    The status is `idle` while the model is unloaded; the next request loads it again.
    """
    state = state_of(request)
    found = state.require()
    state.admission.check_open()
    model = found.synthesizer.model
    return ReadyAnswer(
        status="ready" if found.synthesizer.is_loaded else "idle",
        version=__version__,
        provider=model.provider,
        onnxruntime=model.runtime.version,
        workers=len(found.synthesizer.workers),
        threads=model.runtime.threads,
        model=ModelAnswer(
            name=model.name,
            sha256=model.sha256,
            gives_durations=model.gives_durations,
            prepared=model.prepared.variant,
            kernels=model.prepared.kernels,
        ),
        self_test_s=round(found.self_test_s, 6),
        jobs=state.jobs.are_offered,
    )


@router.get(
    "/metrics",
    tags=["operation"],
    operation_id="get_metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": TEXT, "application/openmetrics-text": TEXT}}},
)
def metrics(request: Request) -> Response:
    """Return the metrics for Prometheus."""
    # Not async, so FastAPI runs it in a thread: rendering takes long for the event loop.
    content, media_type = state_of(request).metrics.render(request.headers.get("accept", ""))
    return Response(content, headers={"content-type": media_type})
