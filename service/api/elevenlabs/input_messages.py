"""Messages of ElevenLabs' WebSockets, in both directions."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import AliasChoices, Field, ValidationError
from pydantic_core import to_json

from service.api.elevenlabs.character_times import CharacterTime
from service.api.elevenlabs.refusals import status_name
from service.api.elevenlabs.schemas import LenientModel, VoiceSettings
from service.api.error_answers import explain
from service.api.schemas import ErrorDetail, IgnoredAnswer, SpeakersField, WordAnswer
from service.errors import InvalidRequestError


class InputMessage(LenientModel):
    """What a client sends; all fields together, as they are often combined.

    The fields of `generation_config` and `try_trigger_generation` have no effect: a clause is said
    as soon as it is complete.
    """

    text: str | None = None
    flush: bool | None = None
    voice_settings: VoiceSettings | None = None
    speakers: SpeakersField | None = None
    context_id: str | None = Field(
        None, validation_alias=AliasChoices("context_id", "contextId"), max_length=256
    )
    close_context: bool | None = None
    close_socket: bool | None = None


def from_client(text: str | None) -> InputMessage:
    """Read a message.

    Args:
        text: of a text frame; None for a binary frame.

    Raises:
        InvalidRequestError: it is not one.
    """
    if text is None:
        raise InvalidRequestError("messages are JSON in text frames")
    try:
        return InputMessage.model_validate_json(text)
    except ValidationError as error:
        raise InvalidRequestError(explain(error.errors(), whole="the message")) from None


def audio_message(
    context_id: str | None,
    audio: bytes,
    characters: Iterable[CharacterTime],
    origin_ms: int,
    ignored: Sequence[IgnoredAnswer] = (),
    words: Sequence[WordAnswer] | None = None,
) -> str:
    """Return the message of a part of the speech.

    Args:
        context_id: of its context, if the socket has several.
        audio: the next part of the audio file; may be empty.
        characters: that start in it.
        origin_ms: from where their times count.
        ignored: markup of SSML that has no effect, with the first message of its document.
        words: that start in it; None if nobody asked for them.
    """
    rows = [(c.character, round(c.start_s * 1000), round(c.end_s * 1000)) for c in characters]
    alignment = None
    if rows:
        alignment = {
            "chars": [character for character, _, _ in rows],
            "charStartTimesMs": [start_ms - origin_ms for _, start_ms, _ in rows],
            "charDurationsMs": [end_ms - start_ms for _, start_ms, end_ms in rows],
        }
    content: dict[str, Any] = {
        "audio": base64.b64encode(audio).decode(),
        "isFinal": None,
        "alignment": alignment,
        "normalizedAlignment": alignment,
    }
    if ignored:
        content["ignored"] = [one.model_dump(exclude_none=True) for one in ignored]
    if words is not None:
        content["words"] = [word.model_dump(exclude_none=True) for word in words]
    return _message(context_id, content)


def final_message(context_id: str | None) -> str:
    """Return the last message of a speech."""
    return _message(context_id, {"audio": None, "isFinal": True})


def error_message(context_id: str | None, detail: ErrorDetail, close_code: int | None) -> str:
    """Return the message of an error; with the code of the close if the socket closes."""
    content: dict[str, Any] = {
        "error": status_name(detail.code),
        "message": detail.message,
        "request_id": detail.request_id,
    }
    return _message(context_id, content | ({} if close_code is None else {"code": close_code}))


def _message(context_id: str | None, content: dict[str, Any]) -> str:
    return to_json(content | ({} if context_id is None else {"contextId": context_id})).decode()
