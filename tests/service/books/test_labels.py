"""Titles and texts are such that files, headers and XML can have them."""

import unicodedata
import zipfile
from dataclasses import replace
from urllib.parse import quote

import av
import pytest
from hypothesis import strategies as st
from lxml import etree

from service.audio.chaptered_file import BOOK_FORMATS
from service.books import tidying
from service.books.book import Book, Chapter, Paragraph
from service.books.book_files import read_book
from service.books.labels import MAX_LABEL_LENGTH, label, valid_xml
from tests.profiles import costly, given
from tests.service.books import made_books
from tests.service.books.made_books import page
from tests.service.books.recorded_books import written

ANY_TEXT = st.text(st.characters(), max_size=400)
"""With surrogates, control characters and noncharacters."""

SAYABLE = st.characters(exclude_categories=["Cc", "Cs", "Cn"], exclude_characters="[]\\")
"""What the front end takes, without its markup."""

AWFUL = "\0\x01\x1b\n\r\t\x85\u2028\u202e\ud800\ufffe\uffff\U0001fffe"


def book(title, author, chapter, text):
    paragraphs = (Paragraph("Start."), Paragraph(text))
    return Book(title, (author,), "en", None, (Chapter(chapter, paragraphs),), "0")


@given(ANY_TEXT)
def test_a_label_is_a_line_that_everything_takes(text):
    found = label(text)
    assert len(found) <= MAX_LABEL_LENGTH
    assert label(found) == found
    quote(found)
    etree.Element("title").text = found
    kinds = {unicodedata.category(character) for character in found}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    assert " ".join(found.split()) == found


def test_what_can_be_shown_stays():
    for text in ("The Sea & <I>", "Été", "क्षत्रिय", "👩‍👩‍👧", "海", "a\u200db", "\ue000"):
        assert label(text) == text
    assert label(f"The{AWFUL}Sea") == "The Sea"
    assert label("The Sea " * 1_000_000) == ("The Sea " * 38)[:299] + "…"


@given(ANY_TEXT, ANY_TEXT)
def test_a_book_has_labels_whoever_makes_it_or_changes_it(title, other):
    made = replace(book(other, other, other, "x"), title=title)
    (chapter,) = made.chapters
    for text in (made.title, chapter.title, *made.authors):
        assert text
        assert label(text) == text
    assert made.title == (label(title) or "Untitled")
    assert len(book("a", other, "b", "x").authors) == bool(label(other))


@pytest.mark.parametrize("kind", ["epub", "fb2", "docx", "html", "md", "txt"])
def test_long_titles_of_every_kind_of_book_are_cut(kind, tmp_path):
    title, path = "The Sea " * 20_000, tmp_path / f"a.{kind}"
    if kind == "epub":
        made_books.epub(path, {"a.xhtml": page(f"<h1>{title}</h1><p>It rained.</p>")}, "", title=title)
    elif kind == "fb2":
        made_books.fb2(path)
        path.write_text(path.read_text().replace("Waves", title))
    elif kind == "docx":
        made_books.word(path, title)
    elif kind == "html":
        path.write_text(f"<title>{title}</title><h1>{title}</h1><p>It rained.</p>")
    elif kind == "md":
        path.write_text(f"---\ntitle: {title}\nauthor: {title}\n---\n# {title}\n\nIt rained.\n")
    else:
        path.write_text(f"Title: {title}\nAuthor: {title}\n\n*** START OF THE PROJECT GUTENBERG EBOOK\n\nIt rained.\n")
    found = read_book(path)
    labels = [found.title, *found.authors, *(chapter.title for chapter in found.chapters)]
    assert found.title.startswith("The Sea The Sea")
    assert all(len(one) <= MAX_LABEL_LENGTH for one in labels)


@given(ANY_TEXT, ANY_TEXT, st.text(SAYABLE, max_size=400))
@costly()
def test_an_epub_is_well_formed_and_has_its_text(tmp_path, title, author, text):
    paragraph = tidying.paragraph(f"A{AWFUL[:3]}b {text}")
    made = book(title, author, title, paragraph.text)
    output = tmp_path / "out.epub"
    written(made, output)
    with zipfile.ZipFile(output) as archive:
        for name in archive.namelist():
            if name.endswith((".xhtml", ".opf", ".smil", ".xml")):
                etree.fromstring(archive.read(name), etree.XMLParser(recover=False))
        package = etree.fromstring(archive.read("EPUB/book.opf"))
        chapter = etree.fromstring(archive.read("EPUB/chapter-1.xhtml"))
    assert package.findtext(".//{*}title") == made.title
    shown = "".join(chapter.find("{*}body").itertext())
    assert "".join(shown.split()) == "".join(f"Start.{paragraph.text}".split())


@given(ANY_TEXT)
def test_a_paragraph_and_a_document_have_only_characters_of_xml(text):
    etree.Element("p").text = valid_xml(text)
    found = tidying.paragraph(text)
    etree.Element("p").text = found.text if found else ""


@pytest.mark.parametrize("form", BOOK_FORMATS)
def test_tags_are_what_players_can_show(form, tmp_path):
    made = book(f"Sea{AWFUL}", f"Ann{AWFUL}", f"One{AWFUL}", "It rained.")
    output = tmp_path / f"out.{form}"
    written(made, output)
    with av.open(str(output)) as file:
        tags = {**file.metadata, **file.streams.audio[0].metadata}
        assert (tags["title"], tags["artist"]) == ("Sea", "Ann")
        assert [one["metadata"]["title"] for one in file.chapters()] == ["One"]
