"""Nothing that a book can do without keeps its speech from being written."""

import zipfile
from datetime import datetime, timezone

import av
import pytest
from lxml import etree
from service.audio.chaptered_file import BOOK_FORMATS
from service.books.book import Book, Chapter, Illustration, Paragraph, Picture
from service.books.book_files import read_book
from tests.service.books import made_books
from tests.service.books.made_books import page, picture, png, png_bomb
from tests.service.books.recorded_books import Heard, recorded

from service.audio import chaptered_file

WHEN = datetime(2026, 1, 31, tzinfo=timezone.utc)
OUTPUTS = (*BOOK_FORMATS, "epub")


def sea(path, cover, name="c.jpg", media_type="image/jpeg"):
    if path.suffix == ".fb2":
        return made_books.fb2(path, cover)
    return made_books.epub(
        path, {"a.xhtml": page("<h1>Water</h1><p>It rained.</p>")}, "",
        items=f'<item id="c" href="{name}" media-type="{media_type}" properties="cover-image"/>',
        extra={f"OPS/{name}": cover},
    )  # fmt: skip


def written(book, output):
    heard = Heard()
    with recorded(book, output, heard) as audiobook:
        (path,) = audiobook.write(WHEN)
    assert path == output
    if output.suffix == ".epub":
        return heard
    with av.open(str(output)) as file:
        assert sum(frame.samples for frame in file.decode(audio=0)) > 0
    return heard


DAMAGED = {
    "cut off": picture()[:400], "cut off PNG": png()[:-40], "no picture": b"no picture",
    "another kind": b"GIF89a" + bytes(100), "empty": b"", "too many pixels": png_bomb(),
    "noise": picture()[:200] + bytes(range(256)) * 9,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["epub", "fb2"])
@pytest.mark.parametrize("damage", sorted(DAMAGED))
def test_a_cover_that_cannot_be_shown_is_left_out_and_told(damage, kind, tmp_path):
    book = read_book(sea(tmp_path / f"sea.{kind}", DAMAGED[damage]))
    assert book.cover is None
    (note,) = book.notes
    assert note.startswith("the cover is left out: it ")


@pytest.mark.parametrize("form", OUTPUTS)
@pytest.mark.parametrize("kind", ["epub", "fb2"])
def test_the_speech_is_written_without_such_a_cover(kind, form, tmp_path):
    book = read_book(sea(tmp_path / f"sea.{kind}", DAMAGED["cut off"]))
    heard = written(book, tmp_path / f"out.{form}")
    assert heard.of("note") == list(book.notes)
    (done,) = heard.of("done")
    assert done.endswith("of speech; the cover is left out: it is damaged")


@pytest.mark.parametrize("form", OUTPUTS)
def test_a_cover_that_is_called_by_another_name_is_what_it_is(form, tmp_path):
    book = read_book(sea(tmp_path / "sea.epub", png(), "c.jpg", "image/gif"))
    assert book.cover == Picture(png(), "image/png")
    assert book.notes == ()
    output = tmp_path / f"out.{form}"
    written(book, output)
    if form != "epub":
        with av.open(str(output)) as file:
            assert file.streams.video[0].codec_context.name == "png"


def test_a_cover_that_is_damaged_in_its_archive_is_left_out(tmp_path):
    path = sea(tmp_path / "sea.epub", picture())
    content = path.read_bytes()
    path.write_bytes(content.replace(picture(), picture()[:-1] + b"\0"))
    book = read_book(path)
    assert book.cover is None
    assert "Bad CRC-32" in book.notes[0]


@pytest.mark.parametrize("form", BOOK_FORMATS)
@pytest.mark.parametrize("step", ["_attached", "_picture_block", "start_encoding"])
def test_a_cover_that_fails_when_it_is_written_is_left_out(step, form, tmp_path, monkeypatch):
    def fail(*_):
        raise ValueError("no")

    book = read_book(sea(tmp_path / "sea.epub", picture()))
    if step == "start_encoding":
        # As a muxer that does not take the picture.
        book = Book(book.title, (), None, Picture(b"x", "image/jpeg"), book.chapters, "0")
    else:
        monkeypatch.setattr(chaptered_file, step, fail)
    output = tmp_path / f"out.{form}"
    heard = written(book, output)
    is_used = step == "start_encoding" or (step == "_picture_block") == (form == "opus")
    assert len(heard.of("note")) == is_used
    with av.open(str(output)) as file:
        assert bool(file.streams.video) == (not is_used)


def test_a_full_disk_is_no_fault_of_the_cover(tmp_path, monkeypatch):
    def fail(*_):
        raise av.error.OSError(28, "No space left on device")

    book = read_book(sea(tmp_path / "sea.epub", picture()))
    monkeypatch.setattr(chaptered_file, "_attached", fail)
    with pytest.raises(OSError, match="No space left"):
        written(book, tmp_path / "out.m4b")


def test_pictures_that_cannot_be_read_any_more_are_left_out_of_an_epub(tmp_path):
    path = made_books.epub(
        tmp_path / "sea.epub",
        {"a.xhtml": page('<h1>Water</h1><p>It rained.<img src="a.jpg"/><img src="b.png"/></p>')},
        "",
        extra={"OPS/a.jpg": picture(), "OPS/b.png": png()},
    )
    book = read_book(path)
    path.write_bytes(path.read_bytes().replace(picture(), picture()[:-1] + b"\0"))
    output = tmp_path / "out.epub"
    heard = written(book, output)
    assert heard.of("note") == ["a picture is left out: sea.epub: the picture OPS/a.jpg cannot be read"]
    with zipfile.ZipFile(output) as archive:
        assert archive.read("EPUB/picture-1.png") == png()
        shown = etree.fromstring(archive.read("EPUB/chapter-1.xhtml")).findall(".//{*}img")
        assert [one.get("src") for one in shown] == ["picture-1.png"]
        assert b"image/jpeg" not in archive.read("EPUB/book.opf")


def test_a_picture_that_is_gone_is_left_out(tmp_path):
    gone = Illustration(tmp_path / "gone.png", None, "image/png", "")
    paragraphs = (Paragraph("", "picture", gone), Paragraph("It rained."))
    book = Book("Sea", (), None, None, (Chapter("One", paragraphs),), "0")
    assert len(written(book, tmp_path / "out.epub").of("note")) == 1
