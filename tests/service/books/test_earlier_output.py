"""What is there already is not replaced by something else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service.books.read_command import Call, played, read, read_here
from tests.small_kokoro import write_small_kokoro

TALE = "\n\n".join(f"# {title}\n\nIt rained." for title in ("One", "Two", "Three", "Four"))


class Shelf:
    """A book of four chapters, and what is made of it by a model that hums."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tale = folder / "tale.md"
        self.tale.write_text(TALE)
        self._model = write_small_kokoro(folder / "small.onnx")

    def read(
        self,
        name: str,
        *options: str,
        book: Path | None = None,
        by: Callable[..., Call] = read_here,
    ) -> Call:
        return by(
            book or self.tale, self.folder / name, self.folder, "--model", str(self._model),
            "--no-prepare", "--chapter-pause", "0.1", *options,
        )  # fmt: skip

    def digests(self) -> dict[str, str]:
        """Return the digests of all that is made."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.suffix not in (".md", ".onnx")
        }


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def refused(call: Call) -> str:
    assert call.returncode == 1
    assert "--overwrite" in call.complaint
    assert len(call.complaint.splitlines()) == 1
    return call.complaint


@pytest.mark.parametrize(
    "form",
    [
        *("m4b", "flac", "epub"),
        *(pytest.param(name, marks=pytest.mark.thorough) for name in ("mp3", "opus")),
    ],
)
def test_a_file_is_replaced_by_the_same_chapters_only_unless_told(shelf: Shelf, form: str) -> None:
    name = f"tale.{form}"
    assert shelf.read(name).returncode == 0
    before = shelf.digests()
    assert name in refused(shelf.read(name, "--chapters", "3"))
    assert shelf.digests() == before
    assert shelf.read(name).returncode == 0
    assert shelf.digests() == before
    assert shelf.read(name, "--chapters", "3", "--overwrite").returncode == 0
    assert shelf.digests() != before
    assert name in refused(shelf.read(name))


def test_another_book_and_a_stranger_s_file_are_not_replaced(shelf: Shelf) -> None:
    assert shelf.read("tale.mp3").returncode == 0
    other = shelf.folder / "other.md"
    other.write_text("---\ntitle: Another\n---\n" + TALE)
    strange = shelf.folder / "strange.flac"
    strange.write_bytes(b"mine")
    (shelf.folder / "strange.epub").write_bytes(b"PK mine")
    (shelf.folder / "fresh.json").write_text('{"chapters": 3}')
    (shelf.folder / "fresh.vtt").write_text("WEBVTT\n")
    before = shelf.digests()
    refused(shelf.read("tale.mp3", book=other))
    refused(shelf.read("strange.flac"))
    refused(shelf.read("strange.epub"))
    refused(shelf.read("fresh.m4b", "--timestamps", "json"))
    refused(shelf.read("fresh.m4b", "--timestamps", "vtt"))
    assert shelf.digests() == before


def test_a_folder_keeps_its_chapters_and_their_numbers(shelf: Shelf) -> None:
    times = ("--timestamps", "vtt,json")
    assert shelf.read("tale", "--chapters", "3").returncode == 0
    assert list(shelf.digests()) == ["tale/03 Three.mp3"]
    third = played(shelf.folder / "tale/03 Three.mp3")
    assert third.tags["track"] == "3/4"
    assert shelf.read("tale", *times).returncode == 0
    whole = shelf.digests()
    assert [name for name in whole if name.endswith("mp3")] == [
        "tale/01 One.mp3", "tale/02 Two.mp3", "tale/03 Three.mp3", "tale/04 Four.mp3",
    ]  # fmt: skip
    # Its loudness is its own now, so its bytes are others.
    assert shelf.read("tale", "--chapters", "2").returncode == 0
    again = shelf.digests()
    assert {name for name in whole if again[name] != whole[name]} <= {"tale/02 Two.mp3"}
    assert list(again) == list(whole)
    assert "book.vtt" in refused(shelf.read("tale", "--chapters", "2", *times))
    other = shelf.folder / "other.md"
    other.write_text("---\ntitle: Another\n---\n" + TALE)
    refused(shelf.read("tale", book=other))
    assert shelf.digests() == again
    assert shelf.read("tale", *times).returncode == 0
    assert shelf.digests() == whole


def test_numbers_of_chapters_are_the_book_s_wherever_they_are_told(shelf: Shelf) -> None:
    (shelf.folder / "cast.toml").write_text('[chapters]\n2 = "bm_lewis"\n4 = "no_such_voice"\n')
    done = shelf.read("two.flac", "--chapters", "2-3", "--timestamps", "json")
    assert done.returncode == 0, done.complaint
    assert [one["number"] for one in done.of("planned")[0]["chapters"]] == [2, 3]
    assert {one["chapter"] for one in done.of("progress")} <= {2, 3}
    assert '"number": 2' in (shelf.folder / "two.json").read_text()
    cast = shelf.read("cast.flac", "--chapters", "2", "--cast", str(shelf.folder / "cast.toml"))
    assert "no_such_voice" in cast.complaint


def test_speech_that_is_kept_is_not_dropped_for_other_chapters_unless_told(shelf: Shelf) -> None:
    assert shelf.read("tale.flac", "--keep-state", by=read).returncode == 0
    (shelf.folder / "tale.flac").unlink()
    asked = shelf.read("tale.flac", "--chapters", "1")
    assert asked.returncode == 1
    assert "the choice of chapters and parts changed; --changed update" in asked.complaint
    kept = shelf.read("tale.flac")
    assert kept.returncode == 0
    assert kept.of("progress") == []
