"""Write an EPUB 3 with Media Overlays: text that lights up while it is read."""

from __future__ import annotations

import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Literal

from service.audio import SOURCE_RATE_HZ
from service.audio.chaptered_file import BOOK_TAG
from service.audio.loudness import Level
from service.books.book import Illustration, Picture
from service.books.illustrations import ENDINGS, Gallery
from service.books.labels import valid_xml
from service.books.outputs import Recording
from service.books.timings import TimedParagraph, timed_paragraphs
from service.complete_files import completed
from service.errors import InvalidBookError

Unit = Literal["sentence", "word"]

_ACTIVE = "-epub-media-overlay-active"
_STYLE = f""".{_ACTIVE} {{ background-color: #ffe79a; color: #000; }}
.verse {{ white-space: pre-line; margin-left: 2em; }}
blockquote p, .quotation {{ margin-left: 2em; font-style: italic; }}
.code {{ white-space: pre-wrap; font-family: monospace; }}
figure {{ margin: 1em 0; text-align: center; }}
img {{ max-width: 100%; max-height: 100vh; }}
"""
_CONTAINER = (
    '<?xml version="1.0" encoding="utf-8"?>\n'
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="EPUB/book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>\n"
)
_NO_DATE = (1980, 1, 1, 0, 0, 0)
"""Of the files in the archive: the same book gives the same bytes."""


def write_read_along(
    recording: Recording, level: Level, path: Path, unit: Unit, modified: str
) -> None:
    """Write the EPUB.

    Args:
        recording: the book.
        level: of its sound.
        path: of the EPUB.
        unit: what lights up.
        modified: date and time of the book's text in UTC, such as `2026-01-31T12:00:00Z`.

    Raises:
        OSError: it cannot be written.
    """
    lengths_s = [length / SOURCE_RATE_HZ for length in recording.lengths()]
    with completed(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        _add(archive, "mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        _add(archive, "META-INF/container.xml", _CONTAINER)
        pictures = _add_pictures(archive, recording)
        _add(archive, "EPUB/book.opf", _package(recording, lengths_s, pictures, modified))
        _add(archive, "EPUB/nav.xhtml", _contents(recording))
        _add(archive, "EPUB/style.css", _STYLE)
        if recording.book.cover is not None:
            info = _info(f"EPUB/{_cover_name(recording.book.cover)}", zipfile.ZIP_STORED)
            archive.writestr(info, recording.book.cover.content)
        for number in range(len(recording.chapters)):
            page, overlay = _chapter(recording, number, unit, pictures)
            _add(archive, f"EPUB/{_name(number)}.xhtml", page)
            _add(archive, f"EPUB/{_name(number)}.smil", overlay)
            with _sound(recording, path, number, level) as sound:
                info = _info(f"EPUB/{_name(number)}.m4a", zipfile.ZIP_STORED)
                with archive.open(info, "w", force_zip64=True) as target, sound.open("rb") as file:
                    while block := file.read(1 << 20):
                        target.write(block)


def _add_pictures(archive: zipfile.ZipFile, recording: Recording) -> dict[Illustration, str]:
    """Add the pictures in the text, each once; return the names that they get.

    One that cannot be read is left out, and told.
    """
    names: dict[Illustration, str] = {}
    with Gallery() as gallery:
        for picture in dict.fromkeys(
            paragraph.illustration
            for chapter in recording.chapters
            for paragraph in chapter.paragraphs
            if paragraph.illustration is not None
        ):
            name = f"picture-{len(names) + 1}.{ENDINGS[picture.media_type]}"
            try:
                content = gallery.content_of(picture)
            except (InvalidBookError, OSError) as error:
                recording.note(f"a picture is left out: {error}")
                continue
            archive.writestr(_info(f"EPUB/{name}", zipfile.ZIP_STORED), content)
            names[picture] = name
    return names


def _name(number: int) -> str:
    return f"chapter-{number + 1}"


@contextmanager
def _sound(recording: Recording, path: Path, number: int, level: Level) -> Iterator[Path]:
    """Give a chapter's sound file, for as long as it is read."""
    sound = path.with_name(f".{path.name}.{_name(number)}.m4a")
    try:
        recording.write_chapter(sound, number, level)
        yield sound
    finally:
        sound.unlink(missing_ok=True)


def _info(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _NO_DATE)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    return info


def _add(
    archive: zipfile.ZipFile, name: str, content: str, compression: int = zipfile.ZIP_DEFLATED
) -> None:
    """Add a document; XML, if it is one, has no character that XML may not have."""
    archive.writestr(_info(name, compression), valid_xml(content).encode())


def _cover_name(cover: Picture) -> str:
    return f"cover.{ENDINGS[cover.media_type]}"


def _language(recording: Recording) -> str:
    return escape(recording.book.language or "und")


def _clock(seconds: float) -> str:
    return f"{seconds:.3f}s"


def _package(
    recording: Recording,
    lengths_s: Sequence[float],
    pictures: Mapping[Illustration, str],
    modified: str,
) -> str:
    book = recording.book
    identifier = uuid.uuid5(uuid.NAMESPACE_OID, f"{book.sha256} {len(recording.chapters)}")
    creators = "".join(f"<dc:creator>{escape(author)}</dc:creator>" for author in book.authors)
    durations = "".join(
        f'<meta property="media:duration" refines="#overlay-{n}">{_clock(length)}</meta>'
        for n, length in enumerate(lengths_s)
    )
    which = recording.fingerprints
    which = f'<meta name="{BOOK_TAG}" content="{which}"/>' if which else ""
    items = "".join(
        f'<item id="page-{n}" href="{_name(n)}.xhtml" media-type="application/xhtml+xml" '
        f'media-overlay="overlay-{n}"/>'
        f'<item id="overlay-{n}" href="{_name(n)}.smil" media-type="application/smil+xml"/>'
        f'<item id="sound-{n}" href="{_name(n)}.m4a" media-type="audio/mp4"/>'
        for n in range(len(lengths_s))
    )
    items += "".join(
        f'<item id="picture-{n}" href="{name}" media-type="{picture.media_type}"/>'
        for n, (picture, name) in enumerate(pictures.items())
    )
    if book.cover is not None:
        items += (
            f'<item id="cover" href="{_cover_name(book.cover)}" '
            f'media-type="{book.cover.media_type}" properties="cover-image"/>'
        )
    spine = "".join(f'<itemref idref="page-{n}"/>' for n in range(len(lengths_s)))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>'
        f"<dc:title>{escape(book.title)}</dc:title>{creators}"
        f"<dc:language>{_language(recording)}</dc:language>"
        f'<meta property="dcterms:modified">{modified}</meta>'
        f'<meta property="media:duration">{_clock(sum(lengths_s))}</meta>{durations}{which}'
        f'<meta property="media:active-class">{_ACTIVE}</meta></metadata>'
        '<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" '
        'properties="nav"/><item id="style" href="style.css" media-type="text/css"/>'
        f"{items}</manifest><spine>{spine}</spine></package>\n"
    )


def _page(recording: Recording, title: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
        f'lang="{_language(recording)}" xml:lang="{_language(recording)}">'
        f"<head><title>{escape(title)}</title>"
        '<link rel="stylesheet" type="text/css" href="style.css"/></head>'
        f"<body>{body}</body></html>\n"
    )


def _contents(recording: Recording) -> str:
    items = "".join(
        f'<li><a href="{_name(number)}.xhtml">{escape(chapter.title)}</a></li>'
        for number, chapter in enumerate(recording.chapters)
    )
    body = f'<nav epub:type="toc"><h1>{escape(recording.book.title)}</h1><ol>{items}</ol></nav>'
    return _page(recording, recording.book.title, body)


def _chapter(
    recording: Recording, number: int, unit: Unit, pictures: Mapping[Illustration, str]
) -> tuple[str, str]:
    """Return the page of a chapter, and its overlay."""
    pieces: list[str] = []
    pairs: list[str] = []
    for paragraph in timed_paragraphs(recording, number):
        if paragraph.kind == "break":
            pieces.append("<hr/>")
            continue
        if paragraph.illustration is not None:
            if paragraph.illustration not in pictures:
                continue
            name, alt = pictures[paragraph.illustration], escape(paragraph.illustration.alt)
            pieces.append(f'<figure><img src="{name}" alt="{alt}"/></figure>')
            continue
        spans = []
        for cue in paragraph.cues(unit):
            name = f"t{len(pairs) + 1}"
            spans.append(f'<span id="{name}">{escape(cue.text, quote=False)}</span>')
            pairs.append(
                f'<par id="p{len(pairs) + 1}"><text src="{_name(number)}.xhtml#{name}"/>'
                f'<audio src="{_name(number)}.m4a" clipBegin="{_clock(cue.start_s)}" '
                f'clipEnd="{_clock(max(cue.end_s, cue.start_s + 0.001))}"/></par>'
            )
        pieces.append(_element(paragraph, " ".join(spans) or escape(paragraph.text)))
    body = f'<section id="text" epub:type="chapter">{"".join(pieces)}</section>'
    overlay = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" '
        f'version="3.0"><body><seq id="s1" epub:textref="{_name(number)}.xhtml#text">'
        f"{''.join(pairs)}</seq></body></smil>\n"
    )
    return _page(recording, recording.chapters[number].title, body), overlay


def _element(paragraph: TimedParagraph, content: str) -> str:
    if paragraph.kind == "heading":
        return f"<h1>{content}</h1>"
    style = "" if paragraph.kind == "text" else f' class="{paragraph.kind}"'
    return f"<p{style}>{content}</p>"
