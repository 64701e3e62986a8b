"""What is there already is not replaced by something else."""

import hashlib
import re

import pytest

from service import narrating
from service.books.document_reader import DocumentReader
from service.books.ongoing_reading import ReadingLimits
from service.books.outputs import Recording
from service.settings import Settings
from tests.service.books.made_books import epub, fiction, page
from tests.service.books.read_command import played, read, read_here
from tests.small_kokoro import write_small_kokoro

TALE = "\n\n".join(f"# {title}\n\nIt rained." for title in ("One", "Two", "Three", "Four"))


FORMS = ["m4b", *(pytest.param(form, marks=pytest.mark.thorough) for form in ("flac", "mp3", "opus", "epub"))]
NAMES = ["folder", "f.m4b", *(pytest.param(f"f.{form.values[0]}", marks=form.marks) for form in FORMS[1:])]


@pytest.fixture(scope="module", autouse=True)
def _one_process_starts_all_readings():
    """Starting one for each call of the command takes longer than the rest of the call."""
    with DocumentReader(ReadingLimits.of(Settings())) as documents, pytest.MonkeyPatch.context() as patch:
        patch.setattr(narrating, "_read", lambda settings, path: documents.read(path))
        yield


class Shelf:
    """A book of four chapters, and what is made of it by a model that hums."""

    def __init__(self, folder):
        self.folder = folder
        self.tale = folder / "tale.md"
        self.tale.write_text(TALE)
        self.other = folder / "other.md"
        self.other.write_text("---\ntitle: Another\n---\n" + TALE)
        self._model = write_small_kokoro(folder / "small.onnx")

    def call(self, name, *options, book=None, by=read_here):
        return by(
            book or self.tale, self.folder / name, self.folder, "--model", str(self._model),
            "--no-prepare", "--chapter-pause", "0.1", *options,
        )  # fmt: skip

    def read(self, name, *options, **how):
        """Read a book, and return the digests of all that is made then."""
        done = self.call(name, *options, **how)
        assert done.returncode == 0, done.complaint
        return self.digests()

    def refuse(self, name, *options, named="", **how):
        """Have a reading refused in one line, which leaves everything as it is."""
        before, done = self.digests(), self.call(name, *options, **how)
        assert (done.returncode, self.digests()) == (1, before)
        (line,) = done.complaint.splitlines()
        assert "--overwrite" in line
        assert (named or name) in line

    def book(self, name, text):
        """Write a book whose first chapter is named One."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
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


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_replaced_by_the_same_chapters_only_unless_told(shelf, form):
    name = f"tale.{form}"
    before = shelf.read(name)
    shelf.refuse(name, "--chapters", "3")
    assert shelf.read(name) == before
    assert shelf.read(name, "--chapters", "3", "--overwrite") != before
    shelf.refuse(name)


def test_a_stranger_s_file_is_not_replaced(shelf):
    for name in ("strange.flac", "strange.epub"):
        (shelf.folder / name).write_bytes(b"PK mine")
        shelf.refuse(name)
    for form, content in (("json", '{"chapters": 3}'), ("vtt", "WEBVTT\n")):
        (shelf.folder / f"fresh.{form}").write_text(content)
        shelf.refuse("fresh.m4b", "--timestamps", form, named=f"fresh.{form}")


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_the_same_headings_is_another_book(shelf, name):
    first, second = shelf.book("x.md", "First book."), shelf.book("y.md", "Second, another.")
    before = shelf.read(name, book=first)
    shelf.refuse(name, book=second)
    # A corrected text is still the same book, and so is one that lies elsewhere now.
    shelf.book("x.md", "First book, corrected.")
    after = shelf.read(name, book=first)
    assert list(after) == list(before)
    assert after != before
    moved = first.rename(shelf.folder / "z.md")
    shelf.read(name, book=moved)
    shelf.book("z.md", "First book, corrected twice.")
    shelf.read(name, book=moved)


def test_a_shorter_book_does_not_replace_the_beginning_of_another(shelf):
    shelf.read("folder", book=shelf.book("x.md", "One.\n\n# Two\n\nTwo."))
    shelf.refuse("folder", book=shelf.book("y.md", "Ein."), named="01 One.mp3")


def test_files_of_one_name_in_two_folders_are_two_books(shelf):
    times = ("--timestamps", "json")
    first, second = shelf.book("a/x.md", "First book."), shelf.book("b/x.md", "Second, another.")
    shelf.read("f.flac", *times, book=first)
    shelf.refuse("f.flac", book=second)
    (shelf.folder / "f.flac").unlink()
    shelf.refuse("f.flac", *times, book=second, named="f.json")
    shelf.read("f.flac", *times, book=first)


@pytest.mark.parametrize("kind", ["epub", "fb2"])
def test_a_book_is_known_by_its_own_identifier(shelf, kind):
    def book(name, identifier, text):
        path = shelf.book(f"{name}/book.{kind}", text)
        if kind == "epub":
            listed = '<li><a href="p.xhtml">One</a></li>'
            return epub(path, {"p.xhtml": page(f"<h1>One</h1><p>{text}</p>")}, listed, identifier=identifier)
        section = f"<section><title><p>One</p></title><p>{text}</p></section>"
        path.write_text(fiction(section, more=f"<document-info><id>{identifier}</id></document-info>"))
        return path

    before = shelf.read("f.flac", book=book("a", "urn:x:1", "It rained."))["f.flac"]
    shelf.refuse("f.flac", book=book("a", "urn:x:2", "It snowed."))
    assert shelf.read("f.flac", book=book("b", "urn:x:1", "It rained twice."))["f.flac"] != before


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_the_files_of_earlier_versions_are_known_by_their_titles(shelf, name, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(Recording, "fingerprints", "")
        shelf.read(name)
    shelf.refuse(name, book=shelf.other)
    shelf.read(name)


@pytest.mark.parametrize("form", FORMS[:-1])
def test_a_file_tells_nothing_of_where_its_book_is(shelf, form):
    shelf.read(f"f.{form}", book=shelf.book("secret/x.md", "First."))
    tags = played(shelf.folder / f"f.{form}").tags
    # Comments and descriptions are what players show.
    assert {"comment", "description", "synopsis", "lyrics"}.isdisjoint(map(str.lower, tags))
    value = tags["keywords" if form == "m4b" else "kokoro_book"]
    assert re.fullmatch("(kokoro_book:)?[0-9a-f]{8}-[0-9a-f]{8}", value)
    assert b"secret" not in (shelf.folder / f"f.{form}").read_bytes()


@pytest.mark.thorough
def test_a_folder_keeps_its_chapters_and_their_numbers(shelf):
    times = ("--timestamps", "vtt,json")
    assert list(shelf.read("tale", "--chapters", "3")) == ["tale/03 Three.mp3"]
    assert played(shelf.folder / "tale/03 Three.mp3").tags["track"] == "3/4"
    whole = shelf.read("tale", *times)
    assert [name for name in whole if name.endswith("mp3")] == [
        "tale/01 One.mp3", "tale/02 Two.mp3", "tale/03 Three.mp3", "tale/04 Four.mp3",
    ]  # fmt: skip
    # Its loudness is its own now, so its bytes are others.
    again = shelf.read("tale", "--chapters", "2")
    assert {name for name in whole if again[name] != whole[name]} <= {"tale/02 Two.mp3"}
    assert list(again) == list(whole)
    shelf.refuse("tale", "--chapters", "2", *times, named="book.vtt")
    shelf.refuse("tale", book=shelf.other)
    assert shelf.read("tale", *times) == whole


def test_numbers_of_chapters_are_the_book_s_wherever_they_are_told(shelf):
    (shelf.folder / "cast.toml").write_text('[chapters]\n2 = "bm_lewis"\n4 = "no_such_voice"\n')
    done = shelf.call("two.flac", "--chapters", "2-3", "--timestamps", "json")
    assert done.returncode == 0, done.complaint
    assert [one["number"] for one in done.of("planned")[0]["chapters"]] == [2, 3]
    assert {one["chapter"] for one in done.of("progress")} <= {2, 3}
    assert '"number": 2' in (shelf.folder / "two.json").read_text()
    cast = shelf.call("cast.flac", "--chapters", "2", "--cast", str(shelf.folder / "cast.toml"))
    assert "no_such_voice" in cast.complaint


@pytest.mark.thorough
def test_speech_that_is_kept_is_not_dropped_for_other_chapters_unless_told(shelf):
    shelf.read("tale.flac", "--keep-state", by=read)
    (shelf.folder / "tale.flac").unlink()
    asked = shelf.call("tale.flac", "--chapters", "1")
    assert asked.returncode == 1
    assert "the choice of chapters and parts changed; --changed update" in asked.complaint
    kept = shelf.call("tale.flac")
    assert (kept.returncode, kept.of("progress")) == (0, [])
