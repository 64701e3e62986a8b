"""Books of every kind, made for the tests."""

import base64
import io
import math
import re
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
COVER = '<item id="c" href="c.jpg" media-type="image/jpeg" properties="cover-image"/>'
"""The line of a manifest."""


def page(body, *, kind=""):
    """Return an XHTML document."""
    declared = f' epub:type="{kind}"' if kind else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head>'
        f"<body{declared}>{body}</body></html>"
    )


def _encoded(codec, form, pixels):
    context = av.CodecContext.create(codec, "w")
    context.height, context.width, _ = pixels.shape
    context.pix_fmt, context.time_base = form, Fraction(1, 25)
    frame = av.VideoFrame.from_ndarray(pixels, "rgb24").reformat(format=form)
    frame.pts = 0
    return b"".join(bytes(one) for one in [*context.encode(frame), *context.encode(None)])


def picture():
    """Return a grey picture of 64 by 64 as JPEG."""
    return _encoded("mjpeg", "yuvj420p", np.full((64, 64, 3), 128, np.uint8))


def png(form="rgb24", width=64, height=48):
    """Return a picture of noise as PNG, its pixels in a form of FFmpeg."""
    return _encoded("png", form, np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8))


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


def pack(path, members, method=zipfile.ZIP_DEFLATED):
    """Write an archive of members, each of which comes in parts."""
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        for name, parts in members.items():
            with archive.open(name, "w", force_zip64=True) as file:
                for part in parts:
                    file.write(part)
    return path


def epub(path, pages, contents, *, title="The Sea &amp; I", extra=None, items="", identifier="urn:x:1", method=0):
    """Write an EPUB 3.

    Args:
        path: of the file.
        pages: documents of the spine, by their names.
        contents: the list items of the table of contents.
        title: as XML.
        extra: more files, by their paths.
        items: their lines in the manifest.
        identifier: of the book.
        method: of the archive; 0 leaves its members as they are.
    """
    manifest = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(pages)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">{identifier}</dc:identifier><dc:title>{title}</dc:title>'
        "<dc:creator>Ann Writer</dc:creator><dc:creator>Bo Other</dc:creator>"
        "<dc:language>en-GB</dc:language></metadata>"
        f'<manifest>{manifest}{items}<item id="nav" href="nav.xhtml" properties="nav" '
        f'media-type="application/xhtml+xml"/></manifest><spine>{spine}</spine></package>'
    )
    members = {
        "mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": package,
        "OPS/nav.xhtml": page(f'<nav epub:type="toc"><ol>{contents}</ol></nav>'),
        **{f"OPS/{name}": content for name, content in pages.items()}, **(extra or {}),
    }  # fmt: skip
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def fiction(body, title="Sea", more=""):
    """Return an FB2 of these sections, and more of its description."""
    return (
        f"<FictionBook><description><title-info><book-title>{title}</book-title></title-info>{more}"
        f"</description><body>{body}</body></FictionBook>"
    )


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


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def said(text):
    """Return a paragraph of a DOCX."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(properties, text):
    """Return a cell of a DOCX."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{said(text)}</w:tc>"


def plain_word(path, body, **others):
    """Write a DOCX of a body, and the parts of others, and no more."""
    document = f"<w:document {WORD}><w:body>{body}</w:body></w:document>".encode()
    parts = {f"word/{name}.xml": content for name, content in others.items()}
    return pack(path, {"word/document.xml": [document], **parts})


def pdf(path, pages, outline=(), size=(612, 792), letters="", tags=()):
    """Write a PDF.

    Args:
        path: of the file.
        pages: for each the lines on it: text, left, base, size of letters; all in points, and the degrees by which
            it is turned, or nothing. None for a picture.
            `^{2}` in a text is raised and small, `_{2}` lowered.
        outline: titles and numbers of the pages that they name.
        size: of a page.
        letters: up to 64 that are not in windows-1252.
        tags: of the only page: types of structure in order, each with the number of lines in it; those of what
            is inside another with slashes, as in `LI/LBody`. `Artifact` is none of the structure, and all with the
            name `P#1` are one.
    """
    codes = {ord(one): 0xC0 + n for n, one in enumerate(letters)}

    def escaped(words):
        plain = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        return b"".join(
            bytes([codes[ord(one)]]) if ord(one) in codes else one.encode("cp1252", "replace") for one in plain
        )

    def turned(degrees=0):
        angle = math.radians(degrees)
        cosine, sine = round(math.cos(angle), 4), round(math.sin(angle), 4)
        return cosine, sine, -sine, cosine

    def shown(words, height):
        parts = re.split(r"([_^])\{(.*?)\}", words)
        drawn = b"(%s) Tj" % escaped(parts[0])
        for sign, small, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            drawn += b" %g Ts /F1 %g Tf (%s) Tj 0 Ts /F1 %g Tf (%s) Tj" % (
                0.38 * height if sign == "^" else -0.15 * height, 0.6 * height, escaped(small), height, escaped(rest),
            )  # fmt: skip
        return drawn

    objects = {1: b"", 2: b"", 3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}
    if letters:
        names = b"".join(
            b"<%02X> <%04X>\n" % (code, ord(one)) for one, code in zip(letters, codes.values(), strict=True)
        )
        names += b"".join(b"<%02X> <%04X>\n" % (code, code) for code in range(32, 127))
        cmap = b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange %d beginbfchar\n%sendbfchar endcmap" % (
            len(letters) + 95, names,
        )  # fmt: skip
        objects[4] = b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap)
        objects[3] = (
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 255/Widths[%s]/ToUnicode 4 0 R>>"
        )
        objects[3] %= b"500 " * 256
    kids = []
    for lines in pages:
        drawn = [
            b"BT /F1 %g Tf %g %g %g %g %g %g Tm %s ET\n" % (height, *turned(*angle), left, base, shown(words, height))
            for words, left, base, height, *angle in lines or ()
        ]
        at = 0
        for number, (kind, count) in enumerate(tags):
            mark = b"/Artifact BMC\n" if kind == "Artifact" else b"/P <</MCID %d>> BDC\n" % number
            drawn[at] = mark + drawn[at]
            at += count
            drawn[at - 1] += b"EMC\n"
        content = b"".join(drawn)
        if lines is None:
            content = b"q 600 0 0 700 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q"
        number = len(objects) + 1
        objects[number] = b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)
        objects[number + 1] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>%s>>"
            % (*size, number, b"/StructParents 0" if tags else b"")
        )
        kids.append(number + 1)
    entries = [len(objects) + 2 + n for n in range(len(outline))]
    root = len(objects) + 1
    objects[root] = b"<</Type/Outlines>>"
    if outline:
        objects[root] = b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (
            entries[0],
            entries[-1],
            len(entries),
        )
    for n, (title, page_number) in enumerate(outline):
        beside = b"".join(
            b"/%s %d 0 R" % (name, entries[other])
            for name, other in ((b"Prev", n - 1), (b"Next", n + 1))
            if 0 <= other < len(entries)
        )
        objects[entries[n]] = b"<</Title(%s)/Parent %d 0 R%s/Dest[%d 0 R/XYZ 0 %d null]>>" % (
            escaped(title), root, beside, kids[page_number], size[1],
        )  # fmt: skip
    structure = _structure(objects, kids, tags) if tags else b""
    objects[1] = b"<</Type/Catalog/Pages 2 0 R/Outlines %d 0 R%s>>" % (root, structure)
    objects[2] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(b"%d 0 R" % one for one in kids))
    content, places = b"%PDF-1.7\n", []
    for number in sorted(objects):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(content))
    content += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table) + end
    path.write_bytes(content)
    return path


def _structure(objects, kids, tags):
    """Add the structure of the only page; return what the catalogue says of it."""
    root = max(objects) + 1
    objects[root] = b""
    parents, outermost, contents = [], [], {}
    for number, (kind, _) in enumerate(tags):
        if kind == "Artifact":
            parents.append(b"null")
            continue
        if "#" not in kind or kind not in contents:
            first, names = max(objects) + 1, kind.partition("#")[0].split("/")
            for depth, name in enumerate(names):
                parent = first + depth - 1 if depth else root
                objects[first + depth] = b"<</Type/StructElem/S/%s/P %d 0 R/Pg %d 0 R/K %d 0 R>>" % (
                    name.encode(), parent, kids[0], first + depth + 1,
                )  # fmt: skip
            outermost.append(b"%d 0 R" % first)
            contents[kind] = first + len(names), []
        place, own = contents[kind]
        own.append(b"%d" % number)
        # One alone may be a number, or what tells its page.
        objects[place] = b"[%s]" % b" ".join(own)
        if len(own) == 1 and number % 3:
            alone = own[0] if number % 3 == 1 else b"<</Type/MCR/Pg %d 0 R/MCID %s>>" % (kids[0], own[0])
            objects[place - 1] = re.sub(rb"/K .*>>", b"/K " + alone.replace(b"\\", b"") + b">>", objects[place - 1])
        elif len(own) > 1:
            objects[place - 1] = re.sub(rb"/K .*>>", b"/K %d 0 R>>" % place, objects[place - 1])
        parents.append(b"%d 0 R" % (place - 1))
    objects[root] = b"<</Type/StructTreeRoot/K[%s]/ParentTree<</Nums[0[%s]]>>>>" % (
        b" ".join(outermost), b" ".join(parents),
    )  # fmt: skip
    return b"/MarkInfo<</Marked true>>/StructTreeRoot %d 0 R" % root


def set_lines(words, left=72, top=700, height=11, gap=14):
    """Return lines of a PDF, one below the other."""
    return [(line, left, top - n * gap, height) for n, line in enumerate(words)]
