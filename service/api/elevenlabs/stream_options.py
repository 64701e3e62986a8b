"""What the address of a WebSocket says about its speech."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from pydantic import TypeAdapter, ValidationError

from service.api.backlog import Manner
from service.api.elevenlabs.output_formats import (
    DEFAULT_OUTPUT_FORMAT,
    OutputFormat,
    require_output_format,
)
from service.api.elevenlabs.schemas import said_language
from service.api.elevenlabs.voice_ids import require_voice
from service.api.normalize_field import normalization_of
from service.api.schemas import Depth, TimestampDepth
from service.errors import InvalidRequestError
from service.speech import SILENCE_S, Planner

_INACTIVITY_TIMEOUT_S = 20
_MAX_INACTIVITY_TIMEOUT_S = 180

_DEPTH: TypeAdapter[Depth | None] = TypeAdapter(TimestampDepth | None)


@dataclass(frozen=True)
class StreamOptions:
    """How a session speaks.

    Attributes:
        manner: of its speech, before any message.
        output: format of the audio.
        inactivity_timeout_s: how long it stays open without a message.
        auto_mode: whether each message is a sentence or a phrase, to be said at once.
        in_one_time: whether times count from the start of the speech, not of each message.
        has_ssml: whether a text that opens like SSML is SSML.
        depth: of the times of words; None for characters only.
    """

    manner: Manner
    output: OutputFormat
    inactivity_timeout_s: int
    auto_mode: bool
    in_one_time: bool
    has_ssml: bool
    depth: Depth | None

    @classmethod
    def read(
        cls, planner: Planner, voice_id: str, query: Mapping[str, str], *, auto_ssml: bool
    ) -> StreamOptions:
        """Read the parameters of an address; others are ignored.

        Args:
            planner: knows the voices.
            voice_id: of the address.
            query: likewise.
            auto_ssml: whether a text that opens like SSML is SSML, if the address does not say.

        Raises:
            VoiceNotFoundError: there is no such voice.
            LanguageUnavailableError: the language is unknown, or its G2P is not installed.
            UnsupportedFormatError: there is no such format, or it cannot be streamed.
            InvalidRequestError: the timeout is not a number of seconds up to 180, or there are no
                such timestamps.
        """
        voice, blend = require_voice(planner, voice_id)
        language = said_language(query.get("language_code"), blend)
        planner.settle(voice, language)
        timeout = query.get("inactivity_timeout", str(_INACTIVITY_TIMEOUT_S))
        if not timeout.isdecimal() or not 0 < int(timeout[:4]) <= _MAX_INACTIVITY_TIMEOUT_S:
            raise InvalidRequestError(
                f"inactivity_timeout must be from 1 to {_MAX_INACTIVITY_TIMEOUT_S} seconds"
            )
        normalization = normalization_of(query.get("apply_text_normalization") != "off")
        parses = query.get("enable_ssml_parsing")
        name = query.get("output_format", DEFAULT_OUTPUT_FORMAT)
        return cls(
            Manner(
                voice=voice, language=language, normalization=normalization, silence_s=SILENCE_S
            ),
            require_output_format(name, streamed=True),
            int(timeout),
            _is_true(query.get("auto_mode")),
            _is_true(query.get("sync_alignment")),
            auto_ssml if parses is None else _is_true(parses),
            _depth(query.get("timestamps")),
        )


def _depth(name: str | None) -> Depth | None:
    try:
        return _DEPTH.validate_python(name)
    except ValidationError:
        names = ", ".join(get_args(Depth))
        raise InvalidRequestError(f"timestamps must be one of {names}") from None


def _is_true(value: str | None) -> bool:
    return value is not None and value.lower() == "true"
