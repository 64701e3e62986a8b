"""`say`: where text comes from, and where sound goes."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from service import saying
from service.errors import InvalidRequestError, UnsupportedFormatError


class Input:
    """Standard input."""

    def __init__(self, content: bytes, *, terminal: bool = False) -> None:
        self.buffer = io.BytesIO(content)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(("text", "file"), [("-", None), (None, None), (None, Path("-"))])
def test_text_comes_from_standard_input(
    text: str | None, file: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Input("\ufeffGrüße.".encode()))
    assert saying.read_text(text, file) == "Grüße."


def test_text_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "chapter.txt"
    file.write_bytes("\ufeffOnce upon a time.".encode())
    assert saying.read_text(None, file) == "Once upon a time."


def test_nobody_waits_for_a_text_that_nobody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Input(b"", terminal=True))
    with pytest.raises(InvalidRequestError, match="standard input"):
        saying.read_text(None, None)


def test_what_is_not_utf_8_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Input(b"caf\xe9"))
    with pytest.raises(InvalidRequestError, match="standard input is not UTF-8"):
        saying.read_text("-", None)
    file = tmp_path / "latin1.txt"
    file.write_bytes(b"caf\xe9")
    with pytest.raises(InvalidRequestError, match=r"latin1\.txt is not UTF-8"):
        saying.read_text(None, file)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.WAV", "wav"),
        ("a.raw", "pcm"),
        ("a.b.ogg", "opus"),
        ("a.ulaw", "mulaw"),
        ("a.mp3", "mp3"),
    ],
)
def test_the_ending_is_the_format(name: str, expected: str) -> None:
    assert saying.format_of(Path(name)) == expected


def test_a_format_that_cannot_be_written_is_refused_before_anything_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(name: str) -> None:
        raise UnsupportedFormatError(f"no {name} here")

    monkeypatch.setattr(saying, "require_format", refuse)
    with pytest.raises(UnsupportedFormatError, match="no mp3 here"):
        saying.format_of(Path("a.mp3"))
