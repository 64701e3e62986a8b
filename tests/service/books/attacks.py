"""Small documents that take much time or memory to read."""

import bz2
import zipfile

from tests.service.books import made_books
from tests.service.books.made_books import WORD, cell, page, plain_word, said

_BLOCK = 1 << 20


def long_line(path, sign="a"):
    path.write_text(f"Hello there.\n\n{sign * 40_000}\n")
    return path


def wide_cell(path):
    row = "<w:tr>" + cell('<w:gridSpan w:val="99999999"/>', "Tea") + "</w:tr>"
    return plain_word(path, f"<w:tbl><w:tblPr/><w:tblGrid/>{row}</w:tbl>")


def merged_rows(path, n_rows=3000):
    first = "<w:tr>" + cell('<w:vMerge w:val="restart"/>', "Tea") + "</w:tr>"
    rows = first + ("<w:tr>" + cell("<w:vMerge/>", "Tea") + "</w:tr>") * n_rows
    return plain_word(path, f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>{rows}</w:tbl>")


def many_paragraphs(path, n_paragraphs=300_000):
    return plain_word(path, said("It rained.") * n_paragraphs)


def large_notes(path, n_bytes=160 << 20):
    """Footnotes that take two hundred times as much as the file, and their tree twice that."""
    note = said("It rained. " * 90).encode()
    block = note * (_BLOCK // len(note))
    head = f'<w:footnotes {WORD}><w:footnote w:id="1">{said("A")}'.encode()
    notes = [head, *[block] * (n_bytes // len(block)), b"</w:footnote></w:footnotes>"]
    return plain_word(path, said("Hello."), footnotes=notes)


def packed_fiction(path, n_elements=1_500_000):
    """An FB2 of a few hundred bytes, whose tree takes hundreds of megabytes."""
    head = b'<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section><p>Hello.</p>'
    parts = [head, *[b"<p/>" * 100_000] * (n_elements // 100_000), b"</section></body></FictionBook>"]
    return made_books.pack(path, {"a.fb2": parts}, zipfile.ZIP_BZIP2)


def _epub(path, pages):
    listed = "".join(f'<li><a href="{name}">{name}</a></li>' for name in pages)
    return made_books.epub(path, pages, listed, method=zipfile.ZIP_DEFLATED)


def empty_paragraphs(path, n_paragraphs=2_000_000):
    return _epub(path, {"a.xhtml": page("<h1>A</h1>" + "<p>a</p>" * n_paragraphs)})


def large_chapters(path, n_chapters=2, n_bytes=60_000_000):
    paragraph = "<p>" + "It rained all day. " * 50 + "</p>"
    prose = page(paragraph * (n_bytes // len(paragraph)))
    return _epub(path, {f"{n}.xhtml": prose for n in range(n_chapters)})


def many_headings(path, n_headings=100_000):
    path.write_text("<h1>A</h1>" * n_headings + "<p>Hello.</p>")
    return path


def nested(path, depth=190):
    path.write_text(("<b>" * depth + "Hello." + "</b>" * depth) * 200)
    return path


def packed_text(path):
    """Bytes that decompress to nothing but the same: in a format that has no archive."""
    path.write_bytes(bz2.compress(bytes(_BLOCK)))
    return path


ATTACKS = {
    "letters.txt": long_line, "spaces.txt": lambda path: long_line(path, " "),
    "tabs.md": lambda path: long_line(path, "\t"), "breaks.html": lambda path: long_line(path, "<br>"),
    "wide-cell.docx": wide_cell, "merged-rows.docx": merged_rows, "paragraphs.docx": many_paragraphs,
    "notes.docx": large_notes, "packed.fb2": packed_fiction, "paragraphs.epub": empty_paragraphs,
    "chapters.epub": large_chapters, "headings.html": many_headings, "nested.html": nested,
    "packed.txt": packed_text,
}  # fmt: skip
"""By their file names."""
