"""The endpoints of ElevenLabs' speech API, for its clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from service.api.elevenlabs import lists, streams
from service.api.elevenlabs.output_formats import (
    DEFAULT_OUTPUT_FORMAT,
    OUTPUT_FORMATS,
    require_output_format,
)
from service.api.elevenlabs.schemas import (
    TextToDialogueRequest,
    TextToSpeechRequest,
    TimestampedAudio,
    TimestampedDialogue,
)
from service.api.elevenlabs.timestamped_rendering import (
    LINES_MEDIA_TYPE,
    StreamedTimestampedAudio,
    WholeTimestampedAudio,
)
from service.api.elevenlabs.voice_ids import require_voice
from service.api.openapi import SPEECH_HEADERS, audio_content, error_responses
from service.api.rendering import Rendering, StreamedAudio, WholeAudio
from service.api.response import SpeechResponse
from service.api.schemas import BLEND
from service.api.state import state_of
from service.audio import FORMATS
from service.speech import Delivery, Utterance

router = APIRouter(tags=["elevenlabs"])

_PATH = "/v1/text-to-speech/{voice_id}"
_ERRORS: Any = error_responses(400, 404, 413, 415, 422, 503, 504)
_TIMED_ERRORS: Any = {**_ERRORS, **error_responses(501)}

_AUDIO: dict[str, Any] = {
    "description": "Audio: mono", "headers": SPEECH_HEADERS, "content": audio_content()
}  # fmt: skip
_TIMED: dict[str, Any] = {
    "description": "Audio in base64, and the times of the characters",
    "headers": SPEECH_HEADERS,
    "model": TimestampedAudio,
}
_TIMED_LINES: dict[str, Any] = {
    "description": "Lines with parts of the audio in base64, and the times of the characters",
    "headers": SPEECH_HEADERS,
    "content": {
        LINES_MEDIA_TYPE: {
            "schema": {
                "type": "string",
                "description": "lines that are each a TimestampedAudio in JSON",
            }
        }
    },
}

VoiceId = Annotated[
    str,
    Path(
        description="a voice of GET /v1/voices, or a blend of voices",
        examples=["21m00Tcm4TlvDq8ikWAM", "af_heart"],
        json_schema_extra=BLEND,
    ),
]


def _format_name(names: Iterable[str]) -> Any:
    return Query(
        description="format, samples per second and bit rate; the bit rate has no effect",
        json_schema_extra={"enum": [*names]},
    )


FormatName = Annotated[str, _format_name(OUTPUT_FORMATS)]
StreamedFormatName = Annotated[
    str,
    _format_name(
        name for name, output in OUTPUT_FORMATS.items() if FORMATS[output.audio_format].streamable
    ),
]


@router.post(
    _PATH,
    operation_id="text_to_speech",
    response_class=Response,
    responses={200: _AUDIO, **_ERRORS},
)
async def convert(
    voice_id: VoiceId,
    body: TextToSpeechRequest,
    request: Request,
    output_format: FormatName = DEFAULT_OUTPUT_FORMAT,
) -> Response:
    """Synthesize speech, as ElevenLabs' endpoint does."""
    output = require_output_format(output_format)
    return await _speak(
        request, voice_id, body, WholeAudio(output.audio_format, output.sample_rate_hz)
    )


@router.post(
    f"{_PATH}/stream",
    operation_id="stream_text_to_speech",
    response_class=Response,
    responses={200: _AUDIO, **_ERRORS},
)
async def stream(
    voice_id: VoiceId,
    body: TextToSpeechRequest,
    request: Request,
    output_format: FormatName = DEFAULT_OUTPUT_FORMAT,
) -> Response:
    """Synthesize speech, and send it while it is made; WAV is sent when it is complete."""
    output = require_output_format(output_format)
    streams = FORMATS[output.audio_format].streamable
    written = StreamedAudio if streams else WholeAudio
    rendering = written(output.audio_format, output.sample_rate_hz)
    return await _speak(request, voice_id, body, rendering)


@router.post(
    f"{_PATH}/with-timestamps",
    operation_id="text_to_speech_with_timestamps",
    response_class=Response,
    responses={200: _TIMED, **_TIMED_ERRORS},
)
async def convert_with_timestamps(
    voice_id: VoiceId,
    body: TextToSpeechRequest,
    request: Request,
    output_format: FormatName = DEFAULT_OUTPUT_FORMAT,
) -> Response:
    """Synthesize speech, and tell when each character is said."""
    output = require_output_format(output_format)
    rendering = WholeTimestampedAudio(output, body.text, body.timestamps)
    return await _speak(request, voice_id, body, rendering, timed=True)


@router.post(
    f"{_PATH}/stream/with-timestamps",
    operation_id="stream_text_to_speech_with_timestamps",
    response_class=Response,
    responses={200: _TIMED_LINES, **_TIMED_ERRORS},
)
async def stream_with_timestamps(
    voice_id: VoiceId,
    body: TextToSpeechRequest,
    request: Request,
    output_format: StreamedFormatName = DEFAULT_OUTPUT_FORMAT,
) -> Response:
    """Send lines of JSON, each with a part of the audio and the characters that start in it."""
    output = require_output_format(output_format, streamed=True)
    rendering = StreamedTimestampedAudio(output, body.text, body.timestamps)
    return await _speak(request, voice_id, body, rendering, timed=True)


_DIALOGUE = "/v1/text-to-dialogue"
_DIALOGUE_TIMED: dict[str, Any] = {**_TIMED, "model": TimestampedDialogue}


@router.post(
    _DIALOGUE,
    operation_id="text_to_dialogue",
    response_class=Response,
    responses={200: _AUDIO, **_ERRORS},
)
async def convert_dialogue(
    body: TextToDialogueRequest, request: Request, output_format: FormatName = DEFAULT_OUTPUT_FORMAT
) -> Response:
    """Synthesize a dialogue, as ElevenLabs' endpoint does."""
    output = require_output_format(output_format)
    rendering = WholeAudio(output.audio_format, output.sample_rate_hz)
    return await _converse(request, body, lambda _: rendering)


@router.post(
    f"{_DIALOGUE}/stream",
    operation_id="stream_text_to_dialogue",
    response_class=Response,
    responses={200: _AUDIO, **_ERRORS},
)
async def stream_dialogue(
    body: TextToDialogueRequest, request: Request, output_format: FormatName = DEFAULT_OUTPUT_FORMAT
) -> Response:
    """Synthesize a dialogue, and send it while it is made; WAV is sent when it is complete."""
    output = require_output_format(output_format)
    written = StreamedAudio if FORMATS[output.audio_format].streamable else WholeAudio
    rendering = written(output.audio_format, output.sample_rate_hz)
    return await _converse(request, body, lambda _: rendering)


@router.post(
    f"{_DIALOGUE}/with-timestamps",
    operation_id="text_to_dialogue_with_timestamps",
    response_class=Response,
    responses={200: _DIALOGUE_TIMED, **_TIMED_ERRORS},
)
async def convert_dialogue_with_timestamps(
    body: TextToDialogueRequest, request: Request, output_format: FormatName = DEFAULT_OUTPUT_FORMAT
) -> Response:
    """Synthesize a dialogue, and tell when each character is said, and by whom."""
    output = require_output_format(output_format)

    def rendered(utterance: Utterance) -> Rendering:
        places = _places(body, utterance)
        return WholeTimestampedAudio(output, utterance.text, body.timestamps, places)

    return await _converse(request, body, rendered, timed=True)


@router.post(
    f"{_DIALOGUE}/stream/with-timestamps",
    operation_id="stream_text_to_dialogue_with_timestamps",
    response_class=Response,
    responses={200: _TIMED_LINES, **_TIMED_ERRORS},
)
async def stream_dialogue_with_timestamps(
    body: TextToDialogueRequest,
    request: Request,
    output_format: StreamedFormatName = DEFAULT_OUTPUT_FORMAT,
) -> Response:
    """Send lines of JSON, each with a part of the audio and the characters that start in it."""
    output = require_output_format(output_format, streamed=True)

    def rendered(utterance: Utterance) -> Rendering:
        places = _places(body, utterance)
        return StreamedTimestampedAudio(output, utterance.text, body.timestamps, places)

    return await _converse(request, body, rendered, timed=True)


def _places(body: TextToDialogueRequest, utterance: Utterance) -> list[tuple[str, int, int]]:
    """Return the id of the voice of each turn, and the offsets of its text."""
    turns = zip(body.inputs, utterance.turns, strict=True)
    return [(said.voice_id, turn.start, turn.end) for said, turn in turns]


async def _converse(
    request: Request,
    body: TextToDialogueRequest,
    rendered: Callable[[Utterance], Rendering],
    *,
    timed: bool = False,
) -> SpeechResponse:
    state = state_of(request)
    synthesizer = await state.synthesizer_called(body.model_id)
    voices = [require_voice(synthesizer.planner, turn.voice_id) for turn in body.inputs]
    utterance = body.utterance(voices)
    rendering = rendered(utterance)
    delivery = Delivery(streamed=rendering.streams, timed=timed)
    return SpeechResponse(state, utterance, delivery, rendering, synthesizer=synthesizer)


async def _speak(
    request: Request,
    voice_id: str,
    body: TextToSpeechRequest,
    rendering: Rendering,
    *,
    timed: bool = False,
) -> SpeechResponse:
    state = state_of(request)
    synthesizer = await state.synthesizer_called(body.model_id)
    voice, blend = require_voice(synthesizer.planner, voice_id)
    delivery = Delivery(streamed=rendering.streams, timed=timed)
    auto = "elevenlabs" in state.settings.auto_ssml
    utterance = body.utterance(voice, blend, auto_ssml=auto)
    return SpeechResponse(state, utterance, delivery, rendering, synthesizer=synthesizer)


ROUTERS = (router, lists.router, lists.keyed_router, streams.router)
"""All of the door; one within another would hide its routes."""
