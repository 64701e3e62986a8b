"""Small documents that take much time or memory to read."""

import bz2
import io
import zipfile

import docx
from tests.service.books import made_books

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_BLOCK = 1 << 20


def _epub(path, pages):
    """Write an EPUB, compressed."""
    listed = "".join(f'<li><a href="{name}">{name}</a></li>' for name in pages)
    plain = made_books.epub(path, pages, listed)
    content = io.BytesIO()
    with (
        zipfile.ZipFile(plain) as source,
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for name in source.namelist():
            archive.writestr(name, source.read(name))
    path.write_bytes(content.getvalue())
    return path


def _word(path, body, notes=None):
    """Write a DOCX with this content of its body, compressed."""
    plain = io.BytesIO()
    docx.Document().save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in source.namelist():
            content = source.read(name)
            if name == "word/document.xml":
                before, begin, after = content.partition(b"<w:body>")
                content = before + begin + body.encode() + after
            archive.writestr(name, content)
        if notes is not None:
            notes(archive)
    return path


def _said(text):
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _cell(properties):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{_said('Tea')}</w:tc>"


def long_line(path, sign="a"):
    path.write_text(f"Hello there.\n\n{sign * 40_000}\n")
    return path


def wide_cell(path):
    row = "<w:tr>" + _cell('<w:gridSpan w:val="99999999"/>') + "</w:tr>"
    return _word(path, f"<w:tbl><w:tblPr/><w:tblGrid/>{row}</w:tbl>")


def merged_rows(path, n_rows=3000):
    first = "<w:tr>" + _cell('<w:vMerge w:val="restart"/>') + "</w:tr>"
    rows = first + ("<w:tr>" + _cell("<w:vMerge/>") + "</w:tr>") * n_rows
    return _word(path, f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>{rows}</w:tbl>")


def many_paragraphs(path, n_paragraphs=300_000):
    return _word(path, _said("It rained.") * n_paragraphs)


def large_notes(path, n_bytes=160 << 20):
    """Footnotes that take two hundred times as much as the file, and their tree twice that."""

    def write(archive):
        with archive.open("word/footnotes.xml", "w", force_zip64=True) as file:
            head = f'<w:footnotes xmlns:w="{_WORD}"><w:footnote w:id="1">{_said("A")}'
            file.write(head.encode())
            note = _said("It rained. " * 90).encode()
            block = note * (_BLOCK // len(note))
            for _ in range(n_bytes // len(block)):
                file.write(block)
            file.write(b"</w:footnote></w:footnotes>")

    return _word(path, _said("Hello."), write)


def packed_fiction(path, n_elements=1_500_000):
    """An FB2 of a few hundred bytes, whose tree takes hundreds of megabytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive, archive.open("a.fb2", "w") as f:
        f.write(b'<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section><p>Hello.</p>')
        block = b"<p/>" * 100_000
        for _ in range(n_elements // 100_000):
            f.write(block)
        f.write(b"</section></body></FictionBook>")
    return path


def empty_paragraphs(path, n_paragraphs=2_000_000):
    return _epub(path, {"a.xhtml": made_books.page("<h1>A</h1>" + "<p>a</p>" * n_paragraphs)})


def large_chapters(path, n_chapters=2, n_bytes=60_000_000):
    paragraph = "<p>" + "It rained all day. " * 50 + "</p>"
    prose = made_books.page(paragraph * (n_bytes // len(paragraph)))
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
