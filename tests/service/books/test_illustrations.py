"""Pictures of a book's text are found, and nothing else is."""

from dataclasses import replace

import pytest
from service.books.book_files import read_book
from service.books.illustrations import Gallery
from service.books.sections import Pauses, sections
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import page


def content_of(picture):
    with Gallery() as gallery:
        return gallery.content_of(picture)


def test_pictures_stay_where_they_were(tmp_path):
    picture = made_books.picture()
    path = made_books.epub(
        tmp_path / "sea.epub",
        {
            "one.xhtml": page(
                '<h1>Water</h1><p>It rained. <img src="im/a%20b.jpg" alt=" The\n sea"/></p>'
                '<figure><a href="b.html"><img src="IM/gif.jpg"/></a>'
                "<figcaption>A ship</figcaption></figure>"
                '<table><tr><td><img src="im/a%20b.jpg" alt="Again"/></td><td>x</td></tr></table>'
                '<p><img src="c.jpg" alt="cover"/><img src="lost.jpg"/><img src="text.jpg"/>'
                '<img src="http://[a"/><img src="data:image/png;base64,AA=="/>'
                '<img src="../../../etc/passwd"/><img/>End.</p>'
            )
        },
        '<li><a href="one.xhtml">Water</a></li>',
        items='<item id="c" href="c.jpg" media-type="image/jpeg" properties="cover-image"/>',
        extra={
            "OPS/c.jpg": picture, "OPS/im/a b.jpg": picture, "OPS/im/gif.jpg": b"GIF89a",
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
        ("OPS/im/a b.jpg", "image/jpeg", "The sea"),
        ("OPS/im/gif.jpg", "image/gif", ""),
        ("OPS/im/a b.jpg", "image/jpeg", "Again"),
    ]
    assert content_of(found[0]) == picture
    assert found[0] == found[2]
    with_pictures = list(sections(chapter, Pauses()))
    without_pictures = replace(chapter, paragraphs=tuple(p for p in chapter.paragraphs if not p.illustration))
    assert with_pictures == list(sections(without_pictures, Pauses()))
    path.write_bytes(b"")
    with pytest.raises(InvalidBookError, match=r"sea\.epub: the picture OPS/im/a b\.jpg"):
        content_of(found[0])


def test_pictures_of_html_are_in_its_own_folder(tmp_path):
    picture = made_books.picture()
    folder = tmp_path / "book"
    (folder / "im").mkdir(parents=True)
    for place in (tmp_path / "secret.jpg", folder / "im/a.jpg"):
        place.write_bytes(picture)
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
    assert content_of(found) == picture
