"""Characters that no document may have are dropped and counted, and all else is read."""

import io
import random
import zipfile
from dataclasses import replace

import pytest

from service.books.book_files import read_book
from service.books.document_budget import Budget
from service.books.odd_characters import without_odd_in_xml
from service.errors import InvalidBookError
from tests.service.books import made_books
from tests.service.books.made_books import fiction
from tests.service.books.test_damaged_books import MAKERS

ODD = [*map(chr, (*range(9), *range(0x0E, 0x20), 0x7F, 0xD800, 0xDBFF, 0xDFFF, 0xFFFE, 0xFFFF))]
REFERENCES = (
    "&#0;", "&#1;", "&#x0;", "&#x1F", "&#xFFFE;", "&#xFFFF;", "&#xD800;", "&#xdfff;", "&#127;",
    "&#x110000;", "&#99999999999999999999;", f"&#{'9' * 5000};", "&#x81;",
)  # fmt: skip
MARKUP = ("epub", "fb2", "html")


def with_odd(content, chance):
    """Return a text in UTF-8 with odd characters anywhere, and how many."""
    text, n_odd = content.decode(), chance.choice((1, 1, 2, 20))
    for _ in range(n_odd):
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice(ODD) + text[place:]
    return text.encode("utf-8", "surrogatepass"), n_odd


def with_odd_inside(content, chance):
    """Return an archive with odd characters in one of its texts, and how many."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        names = [name for name in source.namelist() if source.read(name)[:1] == b"<"]
        chosen, n_odd = chance.choice(names), 0
        for name in source.namelist():
            member = source.read(name)
            if name == chosen:
                member, n_odd = with_odd(member, chance)
            archive.writestr(name, member)
    return target.getvalue(), n_odd


def as_read(book):
    return replace(book, sha256="", n_dropped=0)


@pytest.mark.parametrize(("n_trials", "n_least"), [(15, 1), pytest.param(60, 15, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("kind", sorted(MAKERS.keys() - {"pdf"}))
def test_a_document_is_read_as_if_they_were_not_there(kind, n_trials, n_least, tmp_path):
    """Whatever part they are in: text, a tag, an attribute, a relationship, a title."""
    name, make = MAKERS[kind]
    path = make(tmp_path / name)
    content = path.read_bytes()
    expected = read_book(path)
    assert expected.n_dropped == 0
    n_counted = 0
    for seed in range(n_trials):
        chance = random.Random(f"{kind} {seed}")
        is_archive = zipfile.is_zipfile(io.BytesIO(content))
        changed, n_odd = (with_odd_inside if is_archive else with_odd)(content, chance)
        path.write_bytes(changed)
        book = read_book(path)
        assert as_read(book) == as_read(expected), seed
        assert book.n_dropped <= n_odd, seed  # some are in parts that nobody needs, and in pictures
        n_counted += book.n_dropped == n_odd
    assert n_counted > n_least


def documents(folder, kind, said):
    """Write a document with this in its title, and one with it in its text."""
    for title, text in ((f"The {said}Sea", "It rained."), ("The Sea", f"It ra{said}ined.")):
        path = folder / f"a.{kind}"
        if kind == "fb2":
            path.write_text(fiction(f"<section><p>{text}</p></section>", title))
        elif kind == "html":
            path.write_text(f"<title>{title}</title><p>{text}</p>")
        else:
            made_books.epub(path, {"a.xhtml": made_books.page(f"<p>{text}</p>")}, "", title=title)
        yield path


@pytest.mark.parametrize("kind", MARKUP)
@pytest.mark.parametrize("said", REFERENCES)
def test_references_to_them_are_dropped_too(kind, said, tmp_path):
    for path in documents(tmp_path, kind, said):
        book = read_book(path)
        assert (book.title, book.chapters[0].paragraphs[-1].text) == ("The Sea", "It rained.")
        assert book.n_dropped == 1


@pytest.mark.parametrize("kind", MARKUP)
@pytest.mark.parametrize(("said", "read"), [
    ("&#146;", "’"), ("&#x97;", "—"), ("&eacute;", "é"), ("&eacute", "é"), ("&amp;", "&"),
    ("&nosuch;", "&nosuch;"), ("&nosuch", "&nosuch"), ("&", "&"), ("&&", "&&"), ("&#65", "A"),
    ("&#00065;", "A"), ("&#;", "&#;"), ("&#x;", "&#x;"), ("&;", "&;"),
])  # fmt: skip
def test_other_references_are_what_browsers_make_of_them(kind, said, read, tmp_path):
    path = list(documents(tmp_path, kind, f"{said} "))[-1]
    book = read_book(path)
    assert book.chapters[0].paragraphs[-1].text == f"It ra{read} ined."
    assert book.n_dropped == 0


def test_sections_of_characters_are_as_they_are_written():
    budget = Budget("a")
    kept = b"<a><![CDATA[&#1; & &eacute;]]>%s<!-- & --><![CDATA["
    assert without_odd_in_xml(kept % b"&#1;&", budget) == kept % b"&amp;"
    assert budget.n_dropped == 1


def test_white_space_before_xml_and_ends_of_pages_are_no_harm(tmp_path):
    path = made_books.fb2(tmp_path / "a.fb2")
    expected = as_read(read_book(path))
    content = path.read_bytes().replace(b"It rained", b"It\x0crained")
    assert content.startswith(b"<?xml")
    path.write_bytes(b"\x0b\r\n " + content)
    assert as_read(read_book(path)) == expected


SENTENCE = "Дождь шёл, «café» и чай; 東京 12."
ENCODINGS = [
    ("utf-8", "", SENTENCE), ("utf-8-sig", "", SENTENCE), ("utf-16", "", SENTENCE),
    ("utf-16-le", "", "Дождь шёл."), ("utf-16-be", "", "It rained, café."),
]  # fmt: skip
DECLARED = [
    ("utf-8", "x", SENTENCE), ("utf-8", "utf-16", SENTENCE), ("utf-8", "windows-1251", SENTENCE),
    ("utf-8", "punycode", SENTENCE), ("utf-8", "hex", SENTENCE), ("gb18030", "gb18030", SENTENCE),
    ("cp1251", "windows-1251", "Дождь шёл."), ("shift_jis", "shift_jis", "東京。"),
    ("cp1252", "iso-8859-1", "“Là”"), ("iso2022_jp", "iso-2022-jp", "東京。"),
]  # fmt: skip


@pytest.mark.parametrize(("suffix", "encoding", "declared", "text"), [
    *((suffix, *case) for suffix in (".txt", ".md", ".html", ".fb2") for case in ENCODINGS),
    *((suffix, *case) for suffix in (".html", ".fb2") for case in DECLARED),
])  # fmt: skip
def test_text_is_read_in_the_encoding_that_it_has(suffix, encoding, declared, text, tmp_path):
    declared = declared or encoding
    written = {
        ".fb2": f"<?xml version='1.0' encoding='{declared}'?>{fiction(f'<section><p>{text}</p></section>')}",
        ".html": f"<meta charset='{declared}'><p>{text}",
    }
    path = tmp_path / f"a{suffix}"
    path.write_bytes(written.get(suffix, text).encode(encoding))
    book = read_book(path)
    assert book.chapters[0].paragraphs[-1].text == text
    assert book.n_dropped == 0


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        *((encoding, "“Café” — naïve, it’s done…") for encoding in ("cp1252", "mac-roman")),
        *((encoding, "Garçon, être là") for encoding in ("cp1252", "iso8859-15", "cp850", "cp437")),
        ("iso8859-15", "Le cœur coûte 5 € à Noël"),
        ("cp437", "Señor, ¿qué pasa?"),
        ("cp1252", "Price: £5 – 10 °C ± 2 µm × 3 ½ cups©"),
        ("cp1250", "„Zażółć gęślą jaźń” – rzekł."),
        ("cp1251", "Купил iPhone и CD-диск, USB-кабель; «Привет» — и ушёл…"),
        ("cp1253", "Είπε «καλημέρα» – ’σύ…"),
        ("cp1254", "“Güneş doğdu” – dedi İbrahim."),
        ("cp1255", "הוא אמר שלום והלך הביתה"),
        ("cp874", "สวัสดีครับ ผมชื่อสมชาย"),
        ("cp866", "Он сказал привет и ушёл домой спать."),
        ("euc-kr", "그는 안녕이라고 말했다."),
    ],
)
def test_an_undeclared_encoding_is_guessed_by_what_words_look_like(encoding, text, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    book = read_book(path)
    assert book.chapters[0].paragraphs[-1].text == text
    assert any("no encoding; it is read as" in note for note in book.notes)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".fb2"])
def test_a_byte_that_is_no_character_costs_no_other(suffix, tmp_path):
    path = tmp_path / f"a{suffix}"
    said = "Grüße aus Köln.\udcff It rained."
    written = fiction(f"<section><p>{said}</p></section>") if suffix == ".fb2" else said
    path.write_text(written, encoding="utf-8", errors="surrogateescape")
    assert read_book(path).chapters[0].paragraphs[-1].text == "Grüße aus Köln.\ufffd It rained."


def test_what_is_nothing_else_is_no_document(tmp_path):
    for name in ("a.txt", "a.md", "a.html"):
        (tmp_path / name).write_bytes(bytes(range(9)) * 100)
        with pytest.raises(InvalidBookError, match=f"{name} has no text"):
            read_book(tmp_path / name)
