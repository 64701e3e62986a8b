"""The service's own endpoints."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, cast

from fastapi import APIRouter, Request, Response
from pydantic_core import to_json

from service import __version__
from service.api.openapi import (
    SPEECH_HEADERS,
    TEXT,
    audio_content,
    error_responses,
    event_content,
)
from service.api.rendering import (
    Rendering,
    StreamedAudio,
    StreamedTimedAudio,
    Subtitles,
    TimedAudio,
    WholeAudio,
)
from service.api.response import SpeechResponse
from service.api.state import ServiceState
from service.api.synthesize.schemas import (
    AudioEvent,
    DoneEvent,
    HealthAnswer,
    LanguageAnswer,
    LanguagesAnswer,
    ModelAnswer,
    PhonemizeAnswer,
    PhonemizeRequest,
    ReadyAnswer,
    SynthesisRequest,
    TimedAnswer,
    VoiceAnswer,
    VoicesAnswer,
)
from service.audio import FORMATS, SRT_MEDIA_TYPE, VTT_MEDIA_TYPE
from service.errors import InvalidRequestError, UnsupportedFormatError
from service.text import LANGUAGES

router = APIRouter()

_SPEECH: dict[str, Any] = {
    "description": "Speech (int16, mono, 24 kHz), speech with times, or subtitles",
    "headers": SPEECH_HEADERS,
    "model": TimedAnswer,
    "content": {
        **audio_content(),
        **event_content(("audio", AudioEvent), ("done", DoneEvent)),
        SRT_MEDIA_TYPE: TEXT,
        VTT_MEDIA_TYPE: TEXT,
    },
}


def state_of(request: Request) -> ServiceState:
    """Return the state of the service that a request came to."""
    return cast("ServiceState", request.app.state.service)


@router.post(
    "/synthesize",
    tags=["speech"],
    operation_id="synthesize",
    response_class=Response,
    responses={200: _SPEECH, **error_responses(413, 415, 422, 501, 503, 504)},
)
async def synthesize(body: SynthesisRequest, request: Request) -> Response:
    """Turn text into speech."""
    rendering = _rendering(body)
    return SpeechResponse(state_of(request), body.utterance(), body.delivery(), rendering)


def _rendering(body: SynthesisRequest) -> Rendering:
    if body.format == "srt" or body.format == "vtt":
        if body.stream or body.timestamps:
            raise InvalidRequestError(f"{body.format} goes without stream and timestamps")
        return Subtitles(body.format, body.utterance())
    if body.stream and not FORMATS[body.format].streamable:
        raise UnsupportedFormatError(
            f"{body.format} tells its length at its head, which nobody knows before the speech is "
            "made; stream pcm, or leave stream out"
        )
    if body.timestamps is None:
        return StreamedAudio(body.format) if body.stream else WholeAudio(body.format)
    timed = StreamedTimedAudio if body.stream else TimedAudio
    return timed(body.format, body.spoken, body.timestamps)


@router.post(
    "/phonemize",
    tags=["speech"],
    operation_id="phonemize",
    response_model=PhonemizeAnswer,
    responses=error_responses(413, 415, 422, 503),
)
async def phonemize(body: PhonemizeRequest, request: Request) -> Response:
    """Tell what would be said of a text, and how, without saying it."""
    state = state_of(request)
    planner = state.require().synthesizer.planner

    def answer() -> bytes:  # of a long text it takes longer to write than the event loop has
        return to_json(
            PhonemizeAnswer.of(planner.preview(body.utterance(), early=body.early), body.text)
        )

    with state.admission.request():
        content = await asyncio.get_running_loop().run_in_executor(state.executor, answer)
    return Response(content, media_type="application/json")


@router.get(
    "/languages", tags=["speech"], operation_id="list_languages", responses=error_responses(503)
)
async def languages(request: Request) -> LanguagesAnswer:
    """List the languages of the voices, and which of them can be read here."""
    planner = state_of(request).require().synthesizer.planner
    readers = planner.front_end.readers
    speakers = Counter(voice.language for voice in planner.voices.voices)
    return LanguagesAnswer(
        languages=[
            LanguageAnswer(
                code=language.code,
                name=language.name,
                available=readers.is_available(language.code),
                reader=readers.name(language.code),
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
        default=state.settings.voice, voices=[VoiceAnswer.of(voice) for voice in known]
    )


@router.get("/health", tags=["operation"], operation_id="get_health")
async def health() -> HealthAnswer:
    """Tell that the process is alive; says nothing of the model."""
    return HealthAnswer()


@router.get(
    "/ready", tags=["operation"], operation_id="get_readiness", responses=error_responses(503)
)
async def ready(request: Request) -> ReadyAnswer:
    """Tell that the model is loaded and its self-test passed, and what is in use."""
    state = state_of(request)
    found = state.require()
    state.admission.check_open()
    model = found.synthesizer.model
    return ReadyAnswer(
        version=__version__,
        provider=model.provider,
        onnxruntime=model.runtime.version,
        model=ModelAnswer(
            name=model.name,
            sha256=model.sha256,
            gives_durations=model.gives_durations,
            prepared=model.prepared.variant,
            kernels=model.prepared.kernels,
        ),
        self_test_s=round(found.self_test_s, 6),
    )


@router.get(
    "/metrics",
    tags=["operation"],
    operation_id="get_metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": TEXT, "application/openmetrics-text": TEXT}}},
)
def metrics(request: Request) -> Response:
    """Give numbers to Prometheus."""
    # Not async, so in a thread: writing them takes half of what the event loop has for a step.
    content, media_type = state_of(request).metrics.render(request.headers.get("accept", ""))
    return Response(content, headers={"content-type": media_type})
