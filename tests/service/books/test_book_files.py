"""Books of every kind become chapters of paragraphs."""

import zipfile

import pytest

from service.books.book import USUALLY_SKIPPED, Chapter, Paragraph, without
from service.books.book_files import read_book
from service.books.tidying import tidy
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import COVER, page
from tests.service.books.reading_processes import text

LONG = "<p>" + "The sea was calm and the night was long. " * 60 + "</p>"


def sea(tmp_path, pages, contents, **more):
    """Read an EPUB of the bodies of pages."""
    pages = {f"{name}.xhtml": each if each.startswith("<?xml") else page(each) for name, each in pages.items()}
    return read_book(made_books.epub(tmp_path / "sea.epub", pages, contents, **more))


def outline(book):
    return [(c.title, c.role, [p.text for p in c.paragraphs]) for c in book.chapters]


def test_a_long_title_with_a_stop_is_a_title(tmp_path):
    title = "CHAPTER 108. Ahab and the Carpenter. The Deck—First Night Watch."
    written = f"CHAPTER 1. Loomings.\n\nCall me Ishmael.\n\n{title}\n\nDrat the file.\n"
    assert [one.title for one in read_book(text(tmp_path / "whale.txt", written)).chapters][1:] == [title]


def test_an_epub_has_its_chapters_metadata_and_cover(tmp_path):
    picture = made_books.picture()
    book = sea(
        tmp_path,
        {
            "cover": page("<p>Cover</p>", kind="cover"), "part": '<h1 id="p">PART ONE</h1>',
            "one": '<h2 id="a">I. Water</h2><p>It rained.</p><p>Still.</p>', "more": "<p>It went on.</p>",
            "two": '<h2>II. Fire</h2><p>It burned.</p><h3 id="s">Later</h3><p>Out.</p>',
            "notes": page("<p>A note.</p>", kind="endnotes"),
        },
        '<li><a href="part.xhtml">Part One</a><ol><li><a href="one.xhtml#a">Water</a></li>'
        '<li><a href="two.xhtml">Fire</a><ol><li><a href="two.xhtml#s">Later</a></li></ol></li></ol></li>',
        items=COVER, extra={"OPS/c.jpg": picture},
    )  # fmt: skip
    assert (book.title, book.author, book.language) == ("The Sea & I", "Ann Writer, Bo Other", "en-GB")
    assert (book.cover.content, book.cover.media_type) == (picture, "image/jpeg")
    assert len(book.sha256) == 64
    assert outline(book) == [
        ("Front matter", "front", ["Cover"]),
        ("Part One", "body", ["Part One", "1. Water", "It rained.", "Still.", "It went on.",
                              "2. Fire", "It burned.", "Later", "Out."]),
        ("Notes", "notes", ["A note."]),
    ]  # fmt: skip


def test_long_entries_below_others_are_chapters_and_a_page_with_a_part_belongs_to_the_next(tmp_path):
    chapters = sea(
        tmp_path,
        {"part": "<h1>PART ONE</h1>", "one": f"<h2>I. Water</h2>{LONG}", "two": f"<h2>II. Fire</h2>{LONG}"},
        '<li><a href="part.xhtml">Part One</a><ol><li><a href="one.xhtml">Water</a></li>'
        '<li><a href="two.xhtml">Fire</a></li></ol></li>',
    ).chapters
    assert [chapter.title for chapter in chapters] == ["Part One. Water", "Fire"]
    assert [p.text for p in chapters[0].paragraphs][:2] == ["Part One", "1. Water"]


def test_an_epigraph_opens_the_first_chapter_and_a_motto_the_part(tmp_path):
    book = sea(
        tmp_path,
        {
            "title": page("<h1>The Sea</h1>", kind="titlepage"),
            "motto": "<blockquote><p>All is water.</p></blockquote>",
            "about": page("<p>Ann wrote it.</p>", kind="copyright-page"),
            "part": "<h1>PART ONE</h1><p>In which it rains.</p>", "one": f"<h2>I. Water</h2>{LONG * 2}",
            "given": "<h2>To Bo</h2><p>With love.</p>", "two": f"<h2>II. Fire</h2>{LONG * 2}",
        },
        '<li><a href="about.xhtml">About</a></li><li><a href="part.xhtml">Part One</a><ol>'
        '<li><a href="one.xhtml">Water</a></li><li><a href="given.xhtml">To Bo</a></li>'
        '<li><a href="two.xhtml">Fire</a></li></ol></li>',
    )  # fmt: skip
    assert [(title, role, texts[:4]) for title, role, texts in outline(book)] == [
        ("The Sea", "front", ["The Sea"]), ("About", "front", ["Ann wrote it."]),
        ("Part One. Water", "body", ["All is water.", "Part One", "In which it rains.", "1. Water"]),
        ("To Bo", "body", ["To Bo", "With love."]), ("Fire", "body", ["2. Fire", *[tidy(LONG[3:-4])] * 2]),
    ]  # fmt: skip


def test_a_document_is_read_once_and_what_is_outside_the_order_is_back_matter(tmp_path):
    path = made_books.epub(
        tmp_path / "sea.epub",
        {
            "toc.xhtml": page("<p>1. Water</p>", kind="titlepage"),
            "one.xhtml": page('<div role="navigation">next</div><h1>Water</h1><p>It rained.</p>'),
            "aside.xhtml": page("<p>An answer.</p>"),
        },
        "",
    )
    changed = tmp_path / "changed.epub"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".opf"):
                content = content.replace(b'<itemref idref="i1"/>', b'<itemref idref="i1"/>' * 2)
                content = content.replace(b'"i2"/></spine>', b'"i2" linear="no"/></spine>')
            new.writestr(name, content)
    assert outline(read_book(changed)) == [
        ("Front matter", "front", ["1. Water"]), ("Water", "body", ["Water", "It rained."]),
        ("Back matter", "back", ["An answer."]),
    ]  # fmt: skip


def test_contents_that_point_to_nowhere_are_replaced_by_the_documents(tmp_path):
    pages = {f"{n}": f"<h1>Day {n}</h1><p>It rained.</p>" for n in (1, 2, 3)}
    contents = "".join(f'<li><a href="lost/{n}.xhtml">Day {n}</a></li>' for n in (1, 2, 3))
    assert [chapter.title for chapter in sea(tmp_path, pages, contents).chapters] == ["Day 1", "Day 2", "Day 3"]


def encrypted(algorithm):
    method = f'<EncryptionMethod Algorithm="http://www.{algorithm}"/>'
    return {"META-INF/encryption.xml": f"<encryption><EncryptedData>{method}</EncryptedData></encryption>"}


def test_a_book_behind_drm_is_refused_and_obfuscated_fonts_are_none(tmp_path):
    for extra in ({"META-INF/rights.xml": "<rights/>"}, encrypted("w3.org/2001/04/xmlenc#aes128-cbc")):
        with pytest.raises(InvalidBookError, match=r"protected by DRM.*without DRM"):
            sea(tmp_path, {"a": "<p>A.</p>"}, "", extra=extra)
    book = sea(tmp_path, {"a": "<p>A.</p>"}, "", extra=encrypted("idpf.org/2008/embedding"))
    assert outline(book) == [("Beginning", "body", ["A."])]


def test_a_book_of_pictures_is_refused(tmp_path):
    with pytest.raises(InvalidBookError, match=r"no text.*OCR"):
        sea(tmp_path, {"a": '<img src="a.png"/>'}, "")


def test_what_is_no_book_is_refused_with_advice(tmp_path):
    cases = {
        "a.exe": (b"MZ", r"must end in \.epub"), "a.azw3": (b"", "Calibre's ebook-convert"),
        "a.kfx": (b"", "as EPUB"), "a.epub": (b"PK", "no EPUB"),
        "a.docx": (b"\xd0\xcf\x11\xe0", "password"), "b.docx": (b"PK", "no DOCX"),
        "a.fb2": (b"<html/>", "no FB2"), "b.fb2": (b"<FictionBook", "not well-formed"),
        "a.txt": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4, "no text file"),
        "b.txt": (b"", "no text"),
    }  # fmt: skip
    for name, (content, message) in cases.items():
        with pytest.raises(InvalidBookError, match=message):
            read_book(text(tmp_path / name, content))
    with zipfile.ZipFile(tmp_path / "c.epub", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(InvalidBookError, match=r"no META-INF/container\.xml"):
        read_book(tmp_path / "c.epub")


def test_an_fb2(tmp_path):
    book = read_book(made_books.fb2(tmp_path / "a.fb2"))
    assert (book.title, book.author, book.language) == ("Waves", "Ann Writer", "en")
    assert book.cover is not None
    assert outline(book) == [
        ("Chapter 1", "body",
         ["Chapter 1", "All is water.", "Thales", "It rained.", "",
          "The wind blew,\nAnd so it grew."]),
        ("Chapter 2", "body", ["Chapter 2", "The end."]),
        ("Notes", "notes", ["1", "A lot."]),
    ]  # fmt: skip


def test_a_docx(tmp_path):
    book = read_book(made_books.word(tmp_path / "a.docx"))
    assert (book.title, book.author, book.language) == ("Minutes", "Ann Writer, Bo Other", "en-US")
    assert outline(book) == [
        ("Chapter 1", "body", ["Chapter 1", "We met at noon.", "Tea, two cups"]),
        ("Chapter 2", "body", ["Chapter 2", "Be brief."]),
    ]
    assert [p.kind for c in book.chapters for p in c.paragraphs] == ["heading", "text", "table", "heading", "quotation"]


def test_html_in_an_older_encoding(tmp_path):
    written = (
        '<html lang="fr"><head><meta charset="iso-8859-1"><title>Été</title><meta name="author" content="Ann"></head>'
        "<body><h1>Été</h1><h2>Un</h2><p>Là.</p><h2>Deux</h2><p>Ici.</p></body></html>"
    )
    book = read_book(text(tmp_path / "a.html", written.encode("latin-1")))
    assert (book.title, book.author, book.language) == ("Été", "Ann", "fr")
    assert outline(book) == [("Un", "body", ["Été", "Un", "Là."]), ("Deux", "body", ["Deux", "Ici."])]


def test_markdown_keeps_the_markup_of_the_service(tmp_path):
    written = (
        "---\ntitle: Tales\nauthor: Ann\nlang: en-gb\n---\n# One\n\n"
        "*He* said [Kokoro](/kˈOkəɹO/), [never](+1) [here](https://a.org).[^1]\n\n---\n\n"
        '[voice:bf_emma]"Hello,"[/voice] she [pause:1s] said.\n\n> All\n> is water.\n\n'
        "```\nx = 1\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n# Two\n\nEnd.\n\n[^1]: A note.\n"
    )
    book = read_book(text(tmp_path / "a.md", written))
    assert (book.title, book.author, book.language) == ("Tales", "Ann", "en-gb")
    assert outline(book) == [
        ("One", "body", [
            "One", "He said [Kokoro](/kˈOkəɹO/), [never](+1) here.", "",
            '[voice:bf_emma]"Hello,"[/voice] she [pause:1s] said.', "All is water.", "x = 1",
            "a, b", "c, d"]),
        ("Two", "body", ["Two", "End.", "A note."]),
    ]  # fmt: skip
    assert book.chapters[1].paragraphs[-1].kind == "note"


GUTENBERG = """Title: The Sea
Author: Ann Writer
Language: English

*** START OF THE PROJECT GUTENBERG EBOOK THE SEA ***

CHAPTER I.
Water

It was a dark night and the remem-
brance of it is
well known.[1]

   The wind blew
   And so it grew.

[1] A note of the author.

* * *

[Illustration: The ship]

CHAPTER II

Part one of the plan was to wait.

*** END OF THE PROJECT GUTENBERG EBOOK THE SEA ***

Licence.
"""


def test_a_text_of_project_gutenberg(tmp_path):
    book = read_book(text(tmp_path / "sea.txt", GUTENBERG))
    assert (book.title, book.author, book.language) == ("The Sea", "Ann Writer", "en")
    assert outline(book)[1:] == [
        ("Chapter 1. Water", "body", [
            "Chapter 1. Water", "It was a dark night and the remembrance of it is well known.",
            "The wind blew,\nAnd so it grew.", "A note of the author.", "", "The ship"]),
        ("Chapter 2", "body", ["Chapter 2", "Part one of the plan was to wait."]),
        ("Back matter", "back", ["Licence."]),
    ]  # fmt: skip
    assert book.chapters[0].role == "front"


def test_the_acts_of_a_play_and_numerals_that_follow_each_other(tmp_path):
    written = (
        "THE PLAY\n\nby Ann Writer\n\nACT I.\nSCENE I.\n[Rain.\nEnter ANN.]\n\nANN.\nHello?\n\n"
        "SCENE II.\n\nBO.\nI am.\n\nACT SECOND.\n\nANN.\nPart second is long.\n\nC\n\nEnd.\n"
    )
    assert outline(read_book(text(tmp_path / "play.txt", written))) == [
        ("Act 1. Scene 1.", "body", [
            "THE PLAY", "by Ann Writer", "Act 1. Scene 1.", "[Rain. Enter ANN.]",
            "ANN. Hello?", "SCENE II.", "BO. I am."]),
        ("Act Second.", "body", [
            "Act Second.", "ANN. Part second is long.", "C", "End."]),
    ]  # fmt: skip
    written = "".join(f"{numeral}\n\nIt rained.\n\n" for numeral in ("XLIX", "L", "LI"))
    assert [chapter.title for chapter in read_book(text(tmp_path / "poems.txt", written)).chapters] == [
        "49",
        "50",
        "51",
    ]


def test_page_numbers_and_running_heads_of_a_scan_go(tmp_path):
    pages = [f"THE SEA   {n}\n\nThis is page {w} and it goes\n\n{n}\n\f" for n, w in
             enumerate(("one", "two", "three", "four"), 10)]  # fmt: skip
    book = read_book(text(tmp_path / "scan.txt", "".join(pages) + "on to the end."))
    found = " ".join(p.text for c in book.chapters for p in c.paragraphs).replace("\n", " ")
    assert "SEA" not in found
    assert not any(map(str.isdigit, found))
    assert "and it goes on to the end." in found


def test_text_in_an_older_encoding_and_without_blank_lines(tmp_path):
    written = "Le garçon était là, près de la fenêtre fermée.\nIl rêvait.".encode("cp1252")
    ((_, _, found),) = outline(read_book(text(tmp_path / "a.txt", written)))
    assert found == ["Le garçon était là, près de la fenêtre fermée.", "Il rêvait."]


def test_parts_are_kept_or_left_out():
    prose, note = Paragraph("Text."), Paragraph("Note.", "note")
    chapter = Chapter("One", (prose, note))
    assert without(chapter, USUALLY_SKIPPED).paragraphs == (prose,)
    assert without(chapter, frozenset()) == chapter
    assert without(Chapter("Index", (prose,), "back"), USUALLY_SKIPPED) is None
    assert without(Chapter("Notes", (note,), "notes"), frozenset({"front"})) is not None
