"""`say`: where text comes from, where sound goes, and that no file is ever in part."""

from __future__ import annotations

import io
import os
import stat
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


def test_a_file_has_the_permissions_that_a_shell_would_give_it(tmp_path: Path) -> None:
    plain, output = tmp_path / "plain", tmp_path / "a.wav"
    plain.touch()
    saying.write_whole(output, b"sound")
    assert output.read_bytes() == b"sound"
    assert output.stat().st_mode == plain.stat().st_mode
    output.chmod(0o640)
    saying.write_whole(output, b"other")
    assert stat.S_IMODE(output.stat().st_mode) == 0o640


def test_a_file_that_cannot_be_completed_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "a.wav"
    output.write_bytes(b"before")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        saying.write_whole(output, b"after")
    assert output.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [output]


def test_a_symbolic_link_stays_one_and_a_device_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target.wav", tmp_path / "link.wav"
    link.symlink_to(target)
    saying.write_whole(link, b"sound")
    assert link.is_symlink()
    assert target.read_bytes() == b"sound"
    saying.write_whole(Path("/dev/null"), b"sound")
    assert not Path("/dev/null").is_file()
