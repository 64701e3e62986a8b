from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import soundfile

from service.audio import FORMATS, check_formats, encode, open_encoder, require_format
from service.audio.formats import _writable
from service.errors import UnsupportedFormatError


@pytest.fixture
def old_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A libsndfile without MP3, as 1.0.31 is: no machine here has one."""
    genuine = soundfile.SoundFile

    def without_mp3(*arguments: Any, **options: Any) -> Any:
        if options["format"] == "MP3":
            raise soundfile.LibsndfileError(1)
        return genuine(*arguments, **options)

    monkeypatch.setattr(soundfile, "SoundFile", without_mp3)
    _writable.cache_clear()
    yield
    _writable.cache_clear()


def test_every_format_has_a_media_type() -> None:
    assert {name: form.media_type for name, form in FORMATS.items()} == {
        "wav": "audio/wav",
        "pcm": "audio/pcm",
        "flac": "audio/flac",
        "mp3": "audio/mpeg",
        "opus": "audio/ogg",
    }


def test_only_wav_needs_its_length_first() -> None:
    assert [name for name, form in FORMATS.items() if not form.streamable] == ["wav"]


def test_the_library_of_the_wheel_writes_every_format() -> None:
    assert check_formats() == list(FORMATS)


def test_an_unknown_format_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(UnsupportedFormatError, match="wav, pcm, flac, mp3, opus") as caught:
        require_format("aac")
    assert caught.value.status == 400


@pytest.mark.usefixtures("old_library")
def test_a_format_that_the_library_cannot_write_is_refused_before_any_byte() -> None:
    assert check_formats() == ["wav", "pcm", "flac", "opus"]
    with pytest.raises(UnsupportedFormatError, match="cannot write mp3; supported: wav, pcm, flac"):
        encode([], "mp3", 24_000)
    with pytest.raises(UnsupportedFormatError, match="cannot write mp3"):
        open_encoder("mp3", 24_000)
    assert encode([], "pcm", 24_000) == b""
