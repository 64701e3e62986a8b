"""Covers and pictures are found, and none that is damaged keeps the speech from being written."""

import zipfile
from dataclasses import replace

import av
import pytest
from lxml import etree

from service.audio import chaptered_file
from service.audio.chaptered_file import BOOK_FORMATS
from service.books.book import Book, Chapter, Illustration, Paragraph, Picture
from service.books.book_files import read_book
from service.books.illustrations import Gallery
from service.books.sections import Pauses, sections
from service.errors import InvalidBookError
from tests.service.books import made_books, recorded_books
from tests.service.books.made_books import COVER, page, picture, png, png_bomb

OUTPUTS = (*BOOK_FORMATS, "epub")


def sea(path, cover, name="c.jpg", media_type="image/jpeg"):
    if path.suffix == ".fb2":
        return made_books.fb2(path, cover)
    pages = {"a.xhtml": page("<h1>Water</h1><p>It rained.</p>")}
    items = COVER.replace("c.jpg", name).replace("image/jpeg", media_type)
    return made_books.epub(path, pages, "", items=items, extra={f"OPS/{name}": cover})


def written(book, output):
    """Write a book, and look that its sound is there."""
    heard = recorded_books.written(book, output)
    if output.suffix != ".epub":
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
    assert heard.of("done")[0].endswith("; the cover is left out: it is damaged")


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
    path.write_bytes(path.read_bytes().replace(picture(), picture()[:-1] + b"\0"))
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


# Pictures stay where they were.


def content_of(illustration):
    with Gallery() as gallery:
        return gallery.content_of(illustration)


def test_pictures_stay_where_they_were(tmp_path):
    text = (
        '<h1>Water</h1><p>It rained. <img src="im/a%20b.jpg" alt=" The\n sea"/></p>'
        '<figure><a href="b.html"><img src="IM/gif.jpg"/></a><figcaption>A ship</figcaption></figure>'
        '<table><tr><td><img src="im/a%20b.jpg" alt="Again"/></td><td>x</td></tr></table>'
        '<p><img src="c.jpg" alt="cover"/><img src="lost.jpg"/><img src="text.jpg"/><img src="http://[a"/>'
        '<img src="data:image/png;base64,AA=="/><img src="../../../etc/passwd"/><img/>End.</p>'
    )
    path = made_books.epub(
        tmp_path / "sea.epub", {"one.xhtml": page(text)}, '<li><a href="one.xhtml">Water</a></li>', items=COVER,
        extra={
            "OPS/c.jpg": picture(), "OPS/im/a b.jpg": picture(), "OPS/im/gif.jpg": b"GIF89a",
            "OPS/text.jpg": "no picture",
        },
    )  # fmt: skip
    (chapter,) = read_book(path).chapters
    assert [(p.kind, p.text) for p in chapter.paragraphs] == [
        ("heading", "Water"), ("picture", ""), ("text", "It rained."), ("picture", ""),
        ("caption", "A ship"), ("picture", ""), ("table", "x"), ("text", "End."),
    ]  # fmt: skip
    found = [p.illustration for p in chapter.paragraphs if p.illustration]
    assert [(one.member, one.media_type, one.alt) for one in found] == [
        ("OPS/im/a b.jpg", "image/jpeg", "The sea"), ("OPS/im/gif.jpg", "image/gif", ""),
        ("OPS/im/a b.jpg", "image/jpeg", "Again"),
    ]  # fmt: skip
    assert content_of(found[0]) == picture()
    assert found[0] == found[2]
    with_pictures = list(sections(chapter, Pauses()))
    without_pictures = replace(chapter, paragraphs=tuple(p for p in chapter.paragraphs if not p.illustration))
    assert with_pictures == list(sections(without_pictures, Pauses()))
    path.write_bytes(b"")
    with pytest.raises(InvalidBookError, match=r"sea\.epub: the picture OPS/im/a b\.jpg"):
        content_of(found[0])


def test_pictures_of_html_are_in_its_own_folder(tmp_path):
    folder = tmp_path / "book"
    (folder / "im").mkdir(parents=True)
    for place in (tmp_path / "secret.jpg", folder / "im/a.jpg"):
        place.write_bytes(picture())
    (folder / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    secrets = ("../secret.jpg", tmp_path / "secret.jpg", "link.jpg", "im", "%00", "file:im/a.jpg")
    path = folder / "a.html"
    path.write_text(
        '<h1>Water</h1><p>It rained.</p><img src="im/a.jpg?1" alt="Sea">'
        + "".join(f'<img src="{src}">' for src in secrets)
    )
    (chapter,) = read_book(path).chapters
    (found,) = [p.illustration for p in chapter.paragraphs if p.illustration]
    assert (found.member, found.alt) == (None, "Sea")
    assert found.source == (folder / "im/a.jpg").resolve()
    assert content_of(found) == picture()
