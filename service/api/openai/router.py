"""The endpoints of OpenAI's speech API, for its clients and those of Kokoro-FastAPI."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Body, HTTPException, Path, Query, Request, Response

from service.api.openai.captions import LINES_MEDIA_TYPE, CaptionedAudio, StreamedCaptions
from service.api.openai.events import END, SpeechEvents
from service.api.openai.ignored_fields import name_fields
from service.api.openai.names import MODELS, VoiceNames, check_model, language_code
from service.api.openai.schemas import (
    STREAMED_HERE,
    CaptionedAnswer,
    CaptionedRequest,
    NamedModel,
    OpenAIModel,
    OpenAIModels,
    OpenAIVoice,
    OpenAIVoices,
    PartTimesAnswer,
    ProbeAnswer,
    SpeechDelta,
    SpeechDone,
    SpeechModels,
    SpeechRequest,
    SsmlRequest,
    TaggedText,
    TurnsRequest,
)
from service.api.openapi import (
    SPEECH_HEADERS,
    TEXT,
    audio_content,
    error_responses,
    event_content,
)
from service.api.part_times import TimedParts
from service.api.rendering import Rendering, StreamedAudio, WholeAudio
from service.api.response import SpeechResponse
from service.api.schemas import TimedAnswer, ignored_answers
from service.api.state import ServiceState, state_of
from service.api.timed_rendering import TimedAudio
from service.audio import FORMATS
from service.errors import InvalidRequestError, UnsupportedFormatError
from service.speech import SILENCE_S, Delivery, Synthesizer, Utterance, gain_of
from service.speech.dialogues import SaidTurn, dialogue
from service.tensor_files import pytorch_file

logger = logging.getLogger(__name__)

router = APIRouter(prefix="/v1", tags=["openai"])
dev_router = APIRouter(prefix="/dev", tags=["openai"])
"""Of Kokoro-FastAPI's clients."""

_SENT_WHOLE = "flac"
"""A format that is sent when it is complete unless `stream` is true: some decoders refuse FLAC of
unknown length."""

_SPEECH: dict[str, Any] = {
    "description": "Audio (mono), or audio with word times",
    "headers": {
        **SPEECH_HEADERS,
        "X-Ignored-Fields": {
            "description": "Names of the fields that were sent and have no effect",
            "schema": {"type": "string"},
        },
        "X-Timing-Path": {
            "description": "Where the times of the parts are, below /v1: return_timing",
            "schema": {"type": "string"},
        },
    },
    "model": TimedAnswer | CaptionedAnswer,
    "content": {
        **audio_content(),
        **event_content(("message", SpeechDelta), ("message", SpeechDone), ("message", END)),
    },
}


@router.post(
    "/audio/speech",
    operation_id="create_speech",
    response_class=Response,
    responses={200: _SPEECH, **error_responses(404, 413, 415, 422, 503, 504)},
)
async def speech(body: SpeechRequest, request: Request) -> Response:
    """Synthesize speech, as OpenAI's endpoint and Kokoro-FastAPI's do."""
    return await _speech(body, request, _rendering(body, body.input))


_TURNS: dict[str, Any] = {**_SPEECH, "description": "Audio (mono) of all turns"}
_CAPTIONS: dict[str, Any] = {
    "description": "Audio with word times; with stream, one such object in a line for each part",
    "headers": _SPEECH["headers"],
    "model": CaptionedAnswer,
    "content": {LINES_MEDIA_TYPE: TEXT},
}


@dev_router.post(
    "/dialogue",
    operation_id="dev_dialogue",
    response_class=Response,
    responses={200: _TURNS, **error_responses(404, 413, 415, 422, 503, 504)},
)
async def dev_dialogue(body: TurnsRequest, request: Request) -> Response:
    """Synthesize a dialogue, as Kokoro-FastAPI's endpoint does."""
    names = _names(state_of(request), await _synthesizer(body, request))
    cast = {name.casefold() for name in body.cast(names)}
    turns = [
        SaidTurn(
            turn.text,
            turn.voice if turn.voice.casefold() in cast else names.resolve(turn.voice),
        )
        for turn in body.turns
    ]
    said = dialogue(turns, Utterance(""), body.pause_between_turns)
    return await _speech(body, request, _rendering(body, said.text), said)


@dev_router.post(
    "/captioned_speech",
    operation_id="dev_captioned_speech",
    response_class=Response,
    responses={200: _CAPTIONS, **error_responses(404, 413, 415, 422, 501, 503, 504)},
)
async def dev_captioned_speech(body: CaptionedRequest, request: Request) -> Response:
    """Synthesize speech with word times, as Kokoro-FastAPI's endpoint does."""
    audio_format = body.response_format
    is_timed = body.return_timestamps
    if body.stream is not False and audio_format in STREAMED_HERE:
        rendering: Rendering = StreamedCaptions(
            audio_format, body.sample_rate, body.input, is_timed=is_timed
        )
    else:
        rendering = CaptionedAudio(audio_format, body.sample_rate, body.input, "word")
    return await _speech(body, request, rendering)


@dev_router.post(
    "/ssml",
    operation_id="dev_ssml",
    response_model_exclude_none=True,
    responses=error_responses(413, 415, 422, 503),
)
async def dev_ssml(body: SsmlRequest, request: Request) -> TaggedText:
    """Write an SSML document as text with inline markup, as Kokoro-FastAPI's endpoint does."""
    document = body.text if body.text is not None else body.input
    if document is None:
        raise InvalidRequestError("text must be given")
    tagged, notes = state_of(request).require().synthesizer.planner.tagged(document)
    return TaggedText(text=tagged, ignored=ignored_answers(notes.ignored))


async def _synthesizer(body: SpeechRequest, request: Request) -> Synthesizer:
    """Return that of the model that a request names; see `SpeechRequest.model`."""
    state = state_of(request)
    if state.settings.strict_models:
        check_model(body.model, state.models.names)
    return await state.synthesizer_called(body.model)


async def _speech(
    body: SpeechRequest,
    request: Request,
    rendering: Rendering,
    said: Utterance | None = None,
) -> SpeechResponse:
    """Return speech: of the input, or of a dialogue."""
    state, synthesizer = state_of(request), await _synthesizer(body, request)
    language = body.lang_code or body.language
    names = _names(state, synthesizer)
    cast = body.cast(names)
    utterance = Utterance(
        body.input,
        body.kind(auto_ssml="openai" in state.settings.auto_ssml),
        _voice(body, names, cast),
        body.speed,
        None if language is None else language_code(language),
        body.normalization_options.normalization(),
        silence_s=SILENCE_S,
        lexicon=body.lexicon,
        cast=cast,
        has_voices=body.allow_voice_tags is not False,
        even=body.normalize_loudness,
    )
    if said is not None:
        utterance = replace(utterance, text=said.text, kind=said.kind, turns=said.turns)
    headers = {}
    if body.return_timing:
        rendering = TimedParts(rendering, utterance.text, state.part_times)
        headers["x-timing-path"] = f"/timing/{rendering.name}.json"
    delivery = Delivery(
        streamed=rendering.streams,
        timed=body.depth is not None or body.return_timing,
        gain=body.volume_multiplier * gain_of(body.volume),
        loudness_lufs=body.loudness,
    )
    if body.ignored:
        headers["x-ignored-fields"] = name_fields(body.ignored)
        logger.debug(
            "request %s: ignored fields: %s",
            request.state.request_id,
            headers["x-ignored-fields"],
        )
    return SpeechResponse(state, utterance, delivery, rendering, headers, synthesizer)


@router.get(
    "/timing/{name}.json",
    operation_id="part_times",
    response_model_exclude_none=True,
    responses=error_responses(404),
)
async def part_times(
    request: Request, name: Annotated[str, Path(examples=["hGkD0b0AbbQ2YzWh3zv4xw"])]
) -> PartTimesAnswer:
    """Tell the times of the parts of an answer, which was asked for with return_timing."""
    found = state_of(request).part_times.get(name)
    if found is None:
        raise HTTPException(404, "there are no such times, yet or any more")
    return PartTimesAnswer(chunks=list(found))


def _names(state: ServiceState, synthesizer: Synthesizer) -> VoiceNames:
    is_own = synthesizer is state.require().synthesizer
    mapped = state.settings.openai_voices if is_own else {}
    return VoiceNames(mapped, synthesizer.planner.voices)


def _voice(body: SpeechRequest, names: VoiceNames, cast: Mapping[str, object]) -> str | None:
    if body.voice is None:
        # Some clients send the name of the voice as that of the model.
        return names.resolve(body.model) if names.knows(body.model) else None
    voice = body.voice if isinstance(body.voice, str) else body.voice.id
    is_speaker = voice.casefold() in map(str.casefold, cast)
    return voice if is_speaker else names.resolve(voice)


def _rendering(body: SpeechRequest, text: str) -> Rendering:
    audio_format = body.response_format
    if body.stream_format == "sse":
        if audio_format not in STREAMED_HERE:
            raise UnsupportedFormatError(
                f"{audio_format} cannot be sent as events, because its header has the length of "
                "the audio"
            )
        return SpeechEvents(audio_format, body.sample_rate, text, body.depth)
    if body.depth is not None:
        timed = CaptionedAudio if body.return_timestamps else TimedAudio
        return timed(audio_format, body.sample_rate, text, body.depth)
    streams = body.stream
    if streams is None:
        streams = FORMATS[audio_format].streamable and audio_format != _SENT_WHOLE
    return (StreamedAudio if streams else WholeAudio)(audio_format, body.sample_rate)


@router.get("/models", operation_id="list_models")
async def models(request: Request) -> OpenAIModels:
    """List the model names."""
    return OpenAIModels(data=_models(state_of(request)))


@router.get("/audio/models", operation_id="list_speech_models")
async def speech_models(request: Request) -> SpeechModels:
    """List the model names, as Open WebUI asks for them."""
    found = _models(state_of(request))
    return SpeechModels(data=found, models=[NamedModel(id=one.id, name=one.id) for one in found])


def _models(state: ServiceState) -> list[OpenAIModel]:
    return [OpenAIModel(id=name) for name in dict.fromkeys((*MODELS, *state.models.names))]


@router.get("/models/{model:path}", operation_id="retrieve_model", responses=error_responses(404))
async def model(
    request: Request, model: Annotated[str, Path(pattern=r"^[^\n]+$", examples=[MODELS[0]])]
) -> OpenAIModel:
    """Describe a model; every name is one, unless the setting strict_models is on."""
    state = state_of(request)
    if state.settings.strict_models:
        check_model(model, state.models.names)
    return OpenAIModel(id=model)


@router.get("/audio/voices", operation_id="list_openai_voices", responses=error_responses(422, 503))
async def voices(
    request: Request,
    format: Annotated[
        Literal["objects", "names"],
        Query(description="objects, as Open WebUI reads them, or names only"),
    ] = "objects",
    legacy: Annotated[
        Literal["true", "false"],
        Query(description="true: names only, as clients of Kokoro-FastAPI ask for them"),
    ] = "false",
    model: Annotated[
        str | None,
        Query(
            description="a model of GET /v1/models; default: the server's own",
            examples=[MODELS[0]],
        ),
    ] = None,
) -> OpenAIVoices:
    """List the voices; names that stand for others come last."""
    state = state_of(request)
    synthesizer = await state.synthesizer_called(model)
    library = synthesizer.planner.voices
    described = {
        voice.name: OpenAIVoice(
            id=voice.name, name=voice.name, language=voice.language, sex=voice.sex
        )
        for voice in library.voices
    }
    for name, target in _names(state, synthesizer).mapped.items():
        voice = library.resolve(target).parts[0][0]
        described[name] = OpenAIVoice(id=name, name=name, language=voice.language, sex=voice.sex)
    if legacy == "true" or format == "names":
        return OpenAIVoices(voices=list(described))
    return OpenAIVoices(voices=list(described.values()))


_VOICE_FILE: dict[str, Any] = {
    "description": "The voice, as PyTorch saves a tensor: float32 [510, 1, 256]",
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


@router.post(
    "/audio/voices/combine",
    operation_id="combine_voices",
    response_class=Response,
    responses={200: _VOICE_FILE, **error_responses(413, 415, 422, 503)},
)
async def combine(
    body: Annotated[
        str | list[str],
        Body(examples=["af_bella(2)+af_sky(1)", ["af_bella", "af_sky"]]),
    ],
    request: Request,
) -> Response:
    """Mix voices into the file of a new one, as Kokoro-FastAPI's endpoint does.

    `kokoro-service voices add` adds it to those of a server.
    """
    synthesizer = state_of(request).require().synthesizer
    library, names = synthesizer.planner.voices, _names(state_of(request), synthesizer)
    blend = library.resolve("+".join(map(names.resolve, [body] if isinstance(body, str) else body)))
    content = await anyio.to_thread.run_sync(lambda: pytorch_file(library.styles(blend)))
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{blend.name}.pt"'},
    )


@router.get("/test", operation_id="probe")
async def probe() -> ProbeAnswer:
    """Return 200: wyoming_openai and others recognize Kokoro's servers by this."""
    return ProbeAnswer()
