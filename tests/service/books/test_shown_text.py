"""Text that documents show in kinds that reports do not name: each with its ledger whole."""

import pytest

from service.books import book_files
from service.books.book_files import read_book
from service.books.document_budget import Document
from service.books.ledger import Ledger
from tests.service.books import made_books
from tests.service.books.made_books import WORD, page, plain_word
from tests.service.books.reading_processes import text


def texts(book):
    return [p.text for chapter in book.chapters for p in chapter.paragraphs if p.text]


def of_ledger(path):
    """Read a document whose ledger is to be whole; return its texts, and what is left out by reason."""
    ledger = Ledger(keeps_texts=True)
    book = book_files.read(Document(path, path.name, ledger))
    assert not ledger.unaccounted
    return texts(book), ledger.texts


@pytest.mark.parametrize(
    ("body", "read", "left_out"),
    [
        ("<svg><title>T</title><text>Axis</text></svg><p>Text.</p>", ["Text."], ["Axis"]),
        ("<svg><foreignObject><p>All of it.</p></foreignObject><text>x</text></svg><p>B</p>",
         ["All of it.", "B"], ["x"]),
        ("<svg><g><text>Once upon a time</text><text>there was a fox.</text></g><desc>A fox</desc></svg>",
         ["Once upon a time", "there was a fox."], ["A fox"]),
        ("<p>A</p><datalist><option>Red</option></datalist>", ["A"], ["Red"]),
        ("<p>A</p><dialog><p>closed</p></dialog><dialog open=''><p>open</p></dialog>", ["A", "open"], ["closed"]),
        ("<p>A</p><p style='visibility: hidden'>B</p><p style='DISPLAY : NONE'>C</p>", ["A"], ["B", "C"]),
        ("<xmp>One</xmp><listing>Two</listing>", ["One", "Two"], []),
        ("<p><span style='position:absolute;top:1px'>Once</span><span style='position: fixed'>upon</span></p>",
         ["Once upon"], []),
        ("<p>A<ruby>漢<rp>(<rt>kan<rp>)</ruby>B</p>", ["A漢B"], ["(", "kan", ")"]),
        ("<p><ruby><ruby>東<rt>a</rt></ruby><rt>b</rt></ruby>C</p>", ["東C"], ["a", "b"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".html", ".epub"])
def test_drawings_controls_and_what_is_hidden_are_told(suffix, body, read, left_out, tmp_path):
    path = tmp_path / f"a{suffix}"
    if suffix == ".epub":
        made_books.epub(path, {"a.xhtml": page(body)}, "")
    else:
        text(path, f"<!DOCTYPE html><html><body>{body}</body></html>")
    found, omitted = of_ledger(path)
    assert found == read
    assert [one for reason, one in omitted if one != "T"] == left_out


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("A <svg><title>T</title><text>Axis</text></svg> B", ["A B"]),
        ("A <select><option>Red</option></select> B", ["A B"]),
        ("A <button>Send</button> B <rt>C", ["A B"]),
        ("A <ruby>漢<rp>(<rt>kan<rp>)</ruby>B", ["A 漢B"]),
        ("A <select> that nobody ends.", ["A <select> that nobody ends."]),
    ],
)
def test_html_in_markdown_is_left_out_as_in_html(body, read, tmp_path):
    assert of_ledger(text(tmp_path / "a.md", body))[0] == read


def field(*parts):
    """Return a field of Word: its instructions, and its result after `separate`."""
    said = "".join(part if part.startswith("<") else f"<w:r><w:instrText>{part}</w:instrText></w:r>" for part in parts)
    return f'<w:r><w:fldChar w:fldCharType="begin"/></w:r>{said}<w:r><w:fldChar w:fldCharType="end"/></w:r>'


SEPARATE = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'


def run(words):
    return f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>'


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (f"<w:p>{run('A ')}{field('IF', field('PAGE', SEPARATE, run('7')), '= 7', SEPARATE, run('yes'))}</w:p>",
         ["A yes"]),
        (f"<w:p>{run('A')}{field('XE', 'entry')}{run(' B')}</w:p>", ["A B"]),
        (f"<w:p>{run('A')}<w:r><w:fldChar w:fldCharType='begin'/></w:r>{run(' B')}</w:p>", ["A B"]),
        (f"<w:p>{field('TOC', SEPARATE, run('A') + '</w:p><w:p>' + run('B'))}</w:p>", ["A", "B"]),
        (f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p>{run('gone')}</w:p></w:tc></w:tr>"
         f"<w:tr><w:tc><w:p>{run('kept')}</w:p></w:tc></w:tr></w:tbl>", ["kept"]),
        (f"<w:p><w:pPr><w:framePr w:dropCap='drop'/></w:pPr>{run('O')}</w:p><w:p>{run('nce more.')}</w:p>",
         ["Once more."]),
        ("<w:p><w:r><w:sym w:font='Symbol' w:char='F061'/><w:t> ray</w:t></w:r></w:p>", ["α ray"]),
        (f"<w:p><w:moveFrom>{run('moved')}</w:moveFrom><w:moveTo>{run('moved')}</w:moveTo>"
         f"<w:ins><w:del>{run('both')}</w:del></w:ins></w:p>", ["moved"]),
    ],
)  # fmt: skip
def test_fields_moves_and_rows_of_word_are_as_word_shows_them(body, read, tmp_path):
    assert of_ledger(plain_word(tmp_path / "a.docx", body))[0] == read


def test_contents_and_separators_of_word_are_told_and_documents_inside_are_missed(tmp_path):
    styles = f"<w:styles {WORD}><w:style w:type='paragraph' w:styleId='T1'><w:name w:val='toc 1'/></w:style></w:styles>"
    rule = f"<w:footnote w:id='0' w:type='separator'><w:p>{run('rule')}</w:p></w:footnote>"
    notes = f"<w:footnotes {WORD}>{rule}</w:footnotes>"
    body = f"<w:p><w:pPr><w:pStyle w:val='T1'/></w:pPr>{run('One 3')}</w:p><w:p>{run('Text.')}</w:p><w:altChunk/>"
    path = plain_word(tmp_path / "a.docx", body, styles=[styles.encode()], footnotes=[notes.encode()])
    assert of_ledger(path) == (["Text."], [("navigation", "One 3"), ("not text", "rule")])
    assert read_book(path).missing == ("documents inside that are not read: 1",)
