"""Books of every kind, made for the tests."""

import base64
import io
import struct
import zipfile
import zlib
from fractions import Fraction

import av
import docx
import numpy as np

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)


def page(body, *, kind=""):
    """Return an XHTML document."""
    declared = f' epub:type="{kind}"' if kind else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head>'
        f"<body{declared}>{body}</body></html>"
    )


def picture():
    """Return a grey picture of 64 by 64 as JPEG."""
    context = av.CodecContext.create("mjpeg", "w")
    context.width = context.height = 64
    context.pix_fmt = "yuvj420p"
    context.time_base = Fraction(1, 25)
    grey = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 128, np.uint8), "rgb24")
    frame = grey.reformat(format="yuvj420p")
    frame.pts = 0
    return b"".join(bytes(one) for one in [*context.encode(frame), *context.encode(None)])


def png(form="rgb24", width=64, height=48):
    """Return a picture of noise as PNG, its pixels in a form of FFmpeg."""
    context = av.CodecContext.create("png", "w")
    context.width, context.height, context.pix_fmt = width, height, form
    context.time_base = Fraction(1, 25)
    noise = np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8)
    frame = av.VideoFrame.from_ndarray(noise, "rgb24").reformat(format=form)
    frame.pts = 0
    return b"".join(bytes(one) for one in [*context.encode(frame), *context.encode(None)])


def png_bomb(side=30_000):
    """Return a small PNG that says it has so many pixels a side, all of them white."""

    def part(name, content):
        check = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

    # A hundred lines are compressed once; after a full flush the same bytes may follow.
    pack = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    hundred = (b"\0" + b"\xff" * ((side + 7) // 8)) * 100
    packed = pack.compress(hundred) + pack.flush(zlib.Z_FULL_FLUSH)
    check = 1
    for _ in range(side // 100):
        check = zlib.adler32(hundred, check)
    lines = b"\x78\xda" + packed * (side // 100) + b"\x03\0" + struct.pack(">I", check)
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    parts = part(b"IHDR", head) + part(b"IDAT", lines) + part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def epub(path, pages, contents, *, metadata="", extra=None, items="", identifier="urn:x:1"):
    """Write an EPUB 3.

    Args:
        path: of the file.
        pages: documents of the spine, by their names.
        contents: the list items of the table of contents.
        metadata: more elements of the package's metadata.
        extra: more files, by their paths.
        items: their lines in the manifest.
        identifier: of the book.
    """
    manifest = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(pages)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{identifier}</dc:identifier><dc:title>The Sea &amp; I</dc:title>'
        "<dc:creator>Ann Writer</dc:creator><dc:creator>Bo Other</dc:creator>"
        f"<dc:language>en-GB</dc:language>{metadata}</metadata>"
        f'<manifest>{manifest}{items}<item id="nav" href="nav.xhtml" properties="nav" '
        f'media-type="application/xhtml+xml"/></manifest><spine>{spine}</spine></package>'
    )
    nav = page(f'<nav epub:type="toc"><ol>{contents}</ol></nav>')
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", package)
        archive.writestr("OPS/nav.xhtml", nav)
        for name, content in pages.items():
            archive.writestr(f"OPS/{name}", content)
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return path


def fb2(path, cover_picture=None):
    """Write an FB2 with a cover, a poem, an epigraph and a note."""
    cover = base64.b64encode(picture() if cover_picture is None else cover_picture).decode()
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?>'
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" '
        'xmlns:l="http://www.w3.org/1999/xlink"><description><title-info>'
        "<author><first-name>Ann</first-name><last-name>Writer</last-name></author>"
        "<book-title>Waves</book-title><lang>en</lang>"
        '<coverpage><image l:href="#c.jpg"/></coverpage></title-info></description>'
        "<body><section><title><p>Chapter</p><p>I</p></title>"
        "<epigraph><p>All is water.</p><text-author>Thales</text-author></epigraph>"
        '<p>It rained<a l:href="#n1" type="note">[1]</a>.</p><empty-line/>'
        "<poem><stanza><v>The wind blew</v><v>And so it grew.</v></stanza></poem></section>"
        "<section><title><p>Chapter II</p></title><p>The end.</p></section></body>"
        '<body name="notes"><section id="n1"><title><p>1</p></title><p>A lot.</p></section></body>'
        f'<binary id="c.jpg" content-type="image/jpeg">{cover}</binary></FictionBook>',
        encoding="utf-8",
    )
    return path


def word(path, title="Minutes"):
    """Write a DOCX with headings, a table and a quotation."""
    document = docx.Document()
    document.core_properties.title = title[:255]  # which is all that the library takes
    document.core_properties.author = "Ann Writer; Bo Other"
    document.core_properties.language = "en-US"
    document.add_heading("CHAPTER I", 1)
    document.add_paragraph("We met at noon.")
    table = document.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Tea", "two cups"
    document.add_heading("CHAPTER II", 1)
    document.add_paragraph("Be brief.", style="Quote")
    content = io.BytesIO()
    document.save(content)
    path.write_bytes(content.getvalue())
    return path
