"""What is there already is not replaced by something else."""

import hashlib
import re

import pytest
from service.books.outputs import Recording
from tests.service.books.made_books import epub, page
from tests.service.books.read_command import played, read, read_here
from tests.small_kokoro import write_small_kokoro

TALE = "\n\n".join(f"# {title}\n\nIt rained." for title in ("One", "Two", "Three", "Four"))


class Shelf:
    """A book of four chapters, and what is made of it by a model that hums."""

    def __init__(self, folder):
        self.folder = folder
        self.tale = folder / "tale.md"
        self.tale.write_text(TALE)
        self._model = write_small_kokoro(folder / "small.onnx")

    def read(self, name, *options, book=None, by=read_here):
        return by(
            book or self.tale, self.folder / name, self.folder, "--model", str(self._model),
            "--no-prepare", "--chapter-pause", "0.1", *options,
        )  # fmt: skip

    def book(self, name, text):
        """Write a book whose first chapter is named One."""
        path = self.folder / name
        path.write_text(f"# One\n\n{text}\n")
        return path

    def digests(self):
        """Return the digests of all that is made."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.suffix not in (".md", ".onnx")
        }


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path)


def refused(call):
    assert call.returncode == 1
    assert "--overwrite" in call.complaint
    assert len(call.complaint.splitlines()) == 1
    return call.complaint


@pytest.mark.parametrize(
    "form", [*("m4b", "flac", "epub"), *(pytest.param(name, marks=pytest.mark.thorough) for name in ("mp3", "opus"))]
)
def test_a_file_is_replaced_by_the_same_chapters_only_unless_told(shelf, form):
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


def test_another_book_and_a_stranger_s_file_are_not_replaced(shelf):
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


@pytest.mark.parametrize("name", ["f.m4b", "f.mp3", "f.opus", "f.flac", "f.epub", "folder"])
def test_a_file_with_the_same_headings_is_another_book(shelf, name):
    first, second = shelf.book("x.md", "First book."), shelf.book("y.md", "Second, another.")
    assert shelf.read(name, book=first).returncode == 0
    before = shelf.digests()
    refused(shelf.read(name, book=second))
    assert shelf.digests() == before
    # A corrected text is still the same book, and so is one that lies elsewhere now.
    shelf.book("x.md", "First book, corrected.")
    assert shelf.read(name, book=first).returncode == 0
    after = shelf.digests()
    assert list(after) == list(before)
    assert after != before
    moved = first.rename(shelf.folder / "z.md")
    assert shelf.read(name, book=moved).returncode == 0
    shelf.book("z.md", "First book, corrected twice.")
    assert shelf.read(name, book=moved).returncode == 0
    assert shelf.read(name, "--overwrite", book=second).returncode == 0
    refused(shelf.read(name, book=moved))


def test_a_shorter_book_does_not_replace_the_beginning_of_another(shelf):
    first = shelf.book("x.md", "One.\n\n# Two\n\nTwo.\n\n# Three\n\nThree.")
    second = shelf.book("y.md", "Ein.\n\n# Two\n\nZwei.")
    assert shelf.read("folder", book=first).returncode == 0
    before = shelf.digests()
    assert "01 One.mp3" in refused(shelf.read("folder", book=second))
    assert shelf.digests() == before


def test_files_of_one_name_in_two_folders_are_two_books(shelf):
    for folder in ("a", "b"):
        (shelf.folder / folder).mkdir()
    first, second = shelf.book("a/x.md", "First book."), shelf.book("b/x.md", "Second, another.")
    assert shelf.read("f.flac", "--timestamps", "json", book=first).returncode == 0
    refused(shelf.read("f.flac", book=second))
    (shelf.folder / "f.flac").unlink()
    assert "f.json" in refused(shelf.read("f.flac", "--timestamps", "json", book=second))
    assert shelf.read("f.flac", "--timestamps", "json", book=first).returncode == 0


@pytest.mark.parametrize("kind", ["epub", "fb2"])
def test_a_book_is_known_by_its_own_identifier(shelf, kind):
    def book(name, identifier, text):
        (shelf.folder / name).mkdir(exist_ok=True)
        path = shelf.folder / name / f"book.{kind}"
        if kind == "epub":
            epub(
                path, {"p.xhtml": page(f"<h1>One</h1><p>{text}</p>")},
                '<li><a href="p.xhtml">One</a></li>', identifier=identifier,
            )  # fmt: skip
        else:
            path.write_text(
                "<FictionBook><description><title-info><book-title>Sea</book-title></title-info>"
                f"<document-info><id>{identifier}</id></document-info></description><body>"
                f"<section><title><p>One</p></title><p>{text}</p></section></body></FictionBook>"
            )
        return path

    assert shelf.read("f.flac", book=book("a", "urn:x:1", "It rained.")).returncode == 0
    before = shelf.digests()["f.flac"]
    refused(shelf.read("f.flac", book=book("a", "urn:x:2", "It snowed.")))
    assert shelf.digests()["f.flac"] == before
    assert shelf.read("f.flac", book=book("b", "urn:x:1", "It rained twice.")).returncode == 0
    assert shelf.digests()["f.flac"] != before


@pytest.mark.parametrize("name", ["f.m4b", "f.mp3", "f.opus", "f.flac", "f.epub", "folder"])
def test_the_files_of_earlier_versions_are_known_by_their_titles(shelf, name, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(Recording, "fingerprints", "")
        assert shelf.read(name).returncode == 0
    other = shelf.folder / "other.md"
    other.write_text("---\ntitle: Another\n---\n" + TALE)
    refused(shelf.read(name, book=other))
    assert shelf.read(name).returncode == 0


@pytest.mark.parametrize("form", ["m4b", "mp3", "opus", "flac"])
def test_a_file_tells_nothing_of_where_its_book_is(shelf, form):
    hidden = shelf.folder / "secret"
    hidden.mkdir()
    assert shelf.read(f"f.{form}", book=shelf.book("secret/x.md", "First.")).returncode == 0
    tags = played(shelf.folder / f"f.{form}").tags
    # Comments and descriptions are what players show.
    assert {"comment", "description", "synopsis", "lyrics"}.isdisjoint(map(str.lower, tags))
    value = tags["keywords" if form == "m4b" else "kokoro_book"]
    assert re.fullmatch("(kokoro_book:)?[0-9a-f]{8}-[0-9a-f]{8}", value)
    assert b"secret" not in (shelf.folder / f"f.{form}").read_bytes()


def test_a_folder_keeps_its_chapters_and_their_numbers(shelf):
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


def test_numbers_of_chapters_are_the_book_s_wherever_they_are_told(shelf):
    (shelf.folder / "cast.toml").write_text('[chapters]\n2 = "bm_lewis"\n4 = "no_such_voice"\n')
    done = shelf.read("two.flac", "--chapters", "2-3", "--timestamps", "json")
    assert done.returncode == 0, done.complaint
    assert [one["number"] for one in done.of("planned")[0]["chapters"]] == [2, 3]
    assert {one["chapter"] for one in done.of("progress")} <= {2, 3}
    assert '"number": 2' in (shelf.folder / "two.json").read_text()
    cast = shelf.read("cast.flac", "--chapters", "2", "--cast", str(shelf.folder / "cast.toml"))
    assert "no_such_voice" in cast.complaint


def test_speech_that_is_kept_is_not_dropped_for_other_chapters_unless_told(shelf):
    assert shelf.read("tale.flac", "--keep-state", by=read).returncode == 0
    (shelf.folder / "tale.flac").unlink()
    asked = shelf.read("tale.flac", "--chapters", "1")
    assert asked.returncode == 1
    assert "the choice of chapters and parts changed; --changed update" in asked.complaint
    kept = shelf.read("tale.flac")
    assert kept.returncode == 0
    assert kept.of("progress") == []
