"""Real books are read without losing a letter: novels, plays and poems; texts and EPUBs."""

import itertools
import re

import pytest

from service.books.book_files import read_book
from service.books.illustrations import Gallery
from service.books.sections import Pauses, sections, text_of_chapter
from service.books.tidying import roman
from tests.service.books.real_books import (
    XHTML,
    chapters_of_the_novel,
    documents,
    letters,
    novel_as_epub,
    sample,
    shakespeare,
    text_of,
    the_war_of_the_worlds,
    whole_text,
    write_novel,
)

pytestmark = pytest.mark.slow


def test_every_chapter_of_the_novel_is_there_with_every_letter(shelf, tmp_path):
    written = list(chapters_of_the_novel(shelf))
    book = read_book(write_novel(tmp_path / "Moby Dick.txt", iter(written)))
    assert len(written) == 135
    found = [chapter for chapter in book.chapters if chapter.role == "body"]
    assert len(found) == 135
    for (number, title, text), chapter in zip(written, found, strict=True):
        assert letters(chapter.title) == letters(f"chapter {title}"), number
        assert letters(text_of_chapter(chapter)) == letters(f"chapter {title} {text}"), number


def test_the_epub_of_the_novel_has_the_same_chapters_its_title_page_and_its_note(shelf):
    path = novel_as_epub(shelf)
    book = read_book(path)
    assert (book.title, book.author, book.language) == ("Moby-Dick", "Herman Melville", "en-US")
    assert book.cover is not None
    found = [chapter for chapter in book.chapters if chapter.role == "body"]
    assert [letters(chapter.title) for chapter in found[:2]] == ["etymology", "extractssuppliedbyasubsublibrarian"]
    assert found[-1].title == "Epilogue"
    for (number, _, _), chapter in zip(chapters_of_the_novel(shelf), found[2:-1], strict=True):
        assert chapter.title.startswith(f"Chapter {number}.")
    written = [(name, root) for name, root in documents(path, "OPS/package.opf") if name.startswith("chapter_")]
    assert len(written) == 136
    for (name, root), chapter in zip(written, found[2:], strict=True):
        assert letters(text_of_chapter(chapter)) == letters(text_of(root)), name
    assert [p.text for c in book.chapters for p in c.paragraphs if p.kind == "note"] == [
        "These have been corrected in this EPUB3 edition."
    ]
    (marked,) = [p.text for c in book.chapters for p in c.paragraphs if p.text.startswith("In chapters 24")]
    assert marked.endswith("a unit of currency.")


def test_parts_and_chapters_of_an_epub_2(shelf):
    path = the_war_of_the_worlds(shelf)
    book = read_book(path)
    assert (book.title, book.author, book.language) == ("The War of the Worlds", "H. G. Wells", "en")
    assert book.cover is not None
    assert book.cover.media_type == "image/png"
    found = [chapter for chapter in book.chapters if chapter.role == "body"]
    titles = [chapter.title for chapter in found]
    assert titles[0] == "Part 1 - The Coming of the Martians. Chapter 1 - The Eve of the War"
    assert titles[17] == "Part 2 - The Earth Under the Martians. Chapter 1 - Under Foot"
    assert titles[26] == "Chapter 10 - The Epilogue"
    assert len(titles) == 28  # with what the publisher recommends
    # The epigraph and the titles of the parts are in the chapters that they open.
    assert [p.kind for p in found[0].paragraphs[:6]] == [
        "quotation", "quotation", "quotation", "text", "heading", "heading",
    ]  # fmt: skip
    written = [text_of(root) for name, root in documents(path, "OPS/fb.opf") if name.startswith("main")]
    assert letters("".join(map(text_of_chapter, found[:27]))) == letters("".join(written))


def test_plays_have_their_acts(shelf):
    texts = sorted(path for path in shakespeare(shelf, "hamlet").parent.glob("*_gut.txt"))
    acts, others = {}, []
    for path in texts:
        written = path.read_text(encoding="utf-8", errors="replace")
        if not re.search(r"^(?i:act (?:i|1|first)\b)", written, re.M):
            others.append(path.name)
            continue
        book = read_book(path)
        starts = [
            paragraph.text
            for chapter in book.chapters
            for paragraph in chapter.paragraphs
            if paragraph.kind == "heading" and paragraph.text.lower().startswith("act ")
        ]
        acts[path.name.removesuffix("_gut.txt")] = [
            n for n, _ in itertools.groupby(start.split()[1].strip(".,:—") for start in starts)
        ]
        # Nothing is lost but the numerals of headings, which become numbers.
        heading = re.compile(r"\b(?:act|scene)\s+[ivxl\d]+\b", re.I)
        assert letters(heading.sub("", whole_text(book))) == letters(heading.sub("", written))
    assert len(acts) == 37
    # Its text has no headings of the third and fourth.
    assert [name for name, found in acts.items() if len(found) != 5] == ["cymbeline"]
    assert len(others) == 5


def test_poems_are_chapters_by_their_numerals(shelf):
    path = shakespeare(shelf, "sonnets")
    head, *written = re.split(r"^([IVXLC]+)$", path.read_text(encoding="utf-8"), flags=re.M)
    numerals, texts = written[::2], written[1::2]
    chapters = read_book(path).chapters
    assert len(chapters) == 154
    assert [chapter.title for chapter in chapters] == [str(roman(one)) for one in numerals]
    texts[0] = head + texts[0]
    for text, chapter in zip(texts, chapters, strict=True):
        assert letters(text_of_chapter(chapter)) == letters(text)


def test_an_epub_with_a_picture_and_notes_keeps_its_text_and_order(shelf, tmp_path):
    path = sample(shelf, "accessible_epub_3", tmp_path / "accessible.epub")
    book = read_book(path)
    assert (book.title, book.author, book.language) == ("Accessible EPUB 3", "Matt Garrish", "en")
    assert book.cover is not None
    titles = [chapter.title for chapter in book.chapters]
    for title in ("Preface", "1. Introduction", "The Digital Famine", "Acknowledgments"):
        assert title in titles
    found = letters("\n".join(map(text_of_chapter, book.chapters)))
    paragraphs = [
        "".join(paragraph.itertext())
        for _, root in documents(path, "EPUB/package.opf")
        for paragraph in root.iter(f"{XHTML}p")
    ]
    assert len(paragraphs) > 300
    missing = [one for one in paragraphs if letters(one) and letters(one) not in found]
    assert not missing
    places = [found.find(letters(one)) for one in paragraphs if len(letters(one)) > 60]
    assert sum(a > b for a, b in itertools.pairwise(places)) <= 0.02 * len(places)
    (picture,) = [p.illustration for c in book.chapters for p in c.paragraphs if p.illustration]
    assert picture.alt == "Cover art for EPUB 3 Best Practices, coming in 2012"
    with Gallery() as gallery:
        assert gallery.content_of(picture).startswith(b"\x89PNG")


def test_a_book_of_formulas_is_read(shelf, tmp_path):
    book = read_book(sample(shelf, "linear-algebra", tmp_path / "algebra.epub"))
    assert book.title == "A First Course in Linear Algebra"
    titles = [chapter.title for chapter in book.chapters]
    assert "Part II. Part T Topics. Chapter 14. Section T Trace" in titles
    assert "Chapter 5. Chapter D Determinants" in titles
    assert sum(chapter.n_characters for chapter in book.chapters) > 500_000
    for chapter in book.chapters:
        for section in sections(chapter, Pauses()):
            assert section.text.strip()
