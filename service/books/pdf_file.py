"""Read a PDF: lines on pages, made into paragraphs again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import pypdfium2
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE, FPDFText_GetCharAngle, FPDFText_GetUnicode

from service.books import tidying
from service.books.blocks import Block, blocks
from service.books.book import Book, Chapter
from service.books.chaptering import Mark, by_contents, by_headings
from service.books.document_budget import Budget, Document
from service.books.furniture import is_page, is_prose
from service.books.ledger import Ledger, Reason
from service.books.pdf_tags import Tag, TaggedPage
from service.books.walk import Page
from service.errors import InvalidBookError
from service.text.characters import CLOSING, SENTENCE_ENDS
from service.text.document.spoken import SUPERSCRIPTS
from service.text.document.tree import BlockKind, TreeBuilder
from service.text.offset_mapping import TracedText

_MARGIN = 0.12
"""Share of a page's height, at its top and at its foot, in which heads and numbers stand."""
_OFTEN = 3
"""Pages on which a line returns at the same height if it is a running head."""
_HEIGHTS = 4.0
"""Points by which these heights may differ."""
_GAP = 1.0
"""Of the height of letters: between columns the gap is wider."""
_MORE_RECTANGLES = 1.4
"""Rectangles of a page for each of its lines, from which on they may stand in columns."""
_STRIP = (0.3, 0.7)
"""Shares of a page's width between which columns are apart."""
_NARROW = 6.0
"""Points that are at least between columns."""
_CROSSING = 0.2
"""Share of the lines that may cross the strip: headings and the like."""
_SMALL = 0.9
"""Of the usual height of letters: those of notes are smaller."""
_FOOT = 0.5
"""Share of a page's height below which notes stand."""
_LARGE = 1.15
"""Of the usual height of letters, from which on a line is a heading."""
_RAISED = 0.85, 0.2
"""Of the height of the letters before them: what raised figures have at most, and how far they
stand above the foot of these at least."""
_TURNED = 0.1
"""Radians from which on a letter is not level."""
_TOUCHING = 0.5
"""Of the height of letters: what is raised in a line is no further away."""
_FIGURES = frozenset("0123456789+-−")
_PLAIN_FIGURES = {ord(raised): chr(plain) for plain, raised in SUPERSCRIPTS.items()}
_HEADING_LENGTH = 120
_SPARSE = 20
"""Characters of a page of text, below which it is a picture."""
_HYPHENS = re.compile("[\\x02\ufffe]")
"""What the library writes for a hyphen at the end of a line."""
_NOTHING = "\0\t\n\r \xa0\u3000"
"""What is no sign on a page. A zero is what the library cannot name."""
_CHARACTERS = {
    **dict.fromkeys((*range(0x20), 0x7F, *range(0xD800, 0xE000)), "\0"),
    **{ord(one): one for one in "\x02\t\n\r"},
}
"""Code points that are no text; a hyphen of the library is one that is."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}:][{re.escape(CLOSING)}]*\s*\Z")
_NOTE = re.compile(r"\s*(?P<mark>\d{1,3}|[*†‡§])[.)\s]\s*\S")
_ATTACHED = re.compile(r"(?<=[^\W\d_]|[.,;:!?”’\")])\d{1,3}(?![\w.])")
"""A number that may mark a note: it stands behind a word or a mark, without a space."""
_DIGITS = re.compile(r"\d+")
_NUMERAL = re.compile(r"[ivxlcdm]+", re.I)
_BETWEEN_AUTHORS = re.compile(r"[;&]")
_LIST_ITEM = re.compile(r"\s*(?:[•◦▪‣–-]|\d{1,2}[.)])\s+\S")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line on a page. Lengths are points, from the page's lower left corner.

    Attributes:
        text: with hyphens of the library where words are broken.
        page: its number, from 0.
        left: where it begins.
        right: where it ends.
        base: where its first letters stand.
        foot: where its last ones do, which may be a line below, behind a broken word.
        height: of its letters.
        place: share of the page's height at which it stands; 1 at the top.
        tag: what the file says of it; None if it says nothing.
        is_turned: whether it is not level, as a watermark is not.
    """

    text: str
    page: int
    left: float
    right: float
    base: float
    foot: float
    height: float
    place: float
    tag: Tag | None = None
    is_turned: bool = False


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """Lines that belong together."""

    kind: BlockKind
    level: int
    lines: tuple[_Line, ...]
    is_note: bool = False


def read_pdf(document: Document) -> Book:
    """Read a book from a PDF. Chapters begin where its outline says, or at large letters.

    Raises:
        InvalidBookError: it is damaged, has a password, or its pages are pictures.
    """
    budget = Budget(document.name, ledger=document.ledger)
    budget.check_bytes(0)
    try:
        pdf = pypdfium2.PdfDocument(document.path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise InvalidBookError(
                f"{document.name} has a password; save it without one"
            ) from error
        raise InvalidBookError(f"{document.name} is no PDF, or is damaged: {error}") from error
    with pdf:
        pages = [_lines(pdf, number, budget) for number in range(len(pdf))]
        pictures = [n for n, page in enumerate(pages) if _is_picture(pdf, n, page)]
        outline = list(_outline(pdf))
        told = pdf.get_metadata_dict()
    _check_text(pages, pictures, document)
    lines, left_out = _without_furniture(pages)
    for line, reason in left_out:
        document.ledger.leave_out(_plain(line.text), reason)
    paragraphs = list(_paragraphs(lines, document.ledger))
    known = {word.lower() for line in lines for word in _WORD.findall(line.text)}
    found, starts = _blocks_of(paragraphs, known, document.ledger)
    authors = (one.strip() for one in _BETWEEN_AUTHORS.split(told.get("Author", "")))
    title = " ".join(told.get("Title", "").split())
    return Book(
        title if any(map(str.isalnum, title)) else document.stem,
        tuple(filter(None, authors)),
        None,
        None,
        _chapters(found, starts, outline),
        n_dropped=budget.n_dropped,
    )


def _lines(pdf: pypdfium2.PdfDocument, number: int, budget: Budget) -> list[_Line]:
    """Return the lines of a page, in the order in which they are read."""
    page = pdf.get_page(number)
    try:
        width, height = page.get_size()
        text_page = page.get_textpage()
        try:
            text = _text(text_page)
            budget.take_bytes(len(text))
            budget.take_elements(text.count("\n") + 1)
            budget.ledger.find([_plain(text)])
            tags = TaggedPage(page, text_page, budget)
            found = list(_plain_lines(text_page, text, number, height, tags))
            if all(line.tag is not None for line in found):
                return sorted(found, key=lambda line: line.tag.order if line.tag else 0)
            n_rectangles = text_page.count_rects()
            if len(found) > 3 and n_rectangles > _MORE_RECTANGLES * len(found):
                found = _columns(text_page, text, number, width, height) or found
            return found
        finally:
            text_page.close()
    finally:
        page.close()


def _text(page: pypdfium2.PdfTextPage) -> str:
    """Return the text of a page, one character for each that the library counts.

    What it gives as a whole has others, so that their places would be wrong.
    """
    codes = (FPDFText_GetUnicode(page, index) for index in range(page.count_chars()))
    return "".join(_CHARACTERS.get(code) or chr(code) for code in codes)


def _plain(text: str) -> str:
    return _HYPHENS.sub("-", text).replace("\0", "")


def _plain_lines(
    page: pypdfium2.PdfTextPage, text: str, number: int, height: float, tags: TaggedPage
) -> Iterator[_Line]:
    """Yield the lines in the order in which the page draws them."""
    spans: list[tuple[int, int]] = []
    tag: Tag | None = None
    at = 0
    for part in text.split("\n"):
        for first, end in (
            level
            for own in tags.parts(at, at + len(part.rstrip("\r")))
            for level in _level_parts(page, text, *own)
        ):
            words = text[first:end].strip(_NOTHING)
            if not words:
                continue
            start = first + text[first:end].index(words[0])
            before, tag = tag, tags.of(start)
            if spans and before == tag and _is_one_line(page, spans[-1][1], start):
                spans[-1] = spans[-1][0], start + len(words) - 1
            else:
                spans.append((start, start + len(words) - 1))
        at += len(part) + 1
    for first, last in spans:
        yield replace(_line(page, text, number, height, first, last), tag=tags.of(first))


def _level_parts(
    page: pypdfium2.PdfTextPage, text: str, first: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a line that are level, and those that are not."""
    signs = [at for at in range(first, end) if text[at] not in _NOTHING]
    if signs and _is_turned(page, signs[0]) != _is_turned(page, signs[-1]):
        turn = next(at for at in signs if _is_turned(page, at) != _is_turned(page, signs[0]))
        yield first, turn
        first = turn
    yield first, end


def _is_turned(page: pypdfium2.PdfTextPage, index: int) -> bool:
    return bool(FPDFText_GetCharAngle(page, index) > _TURNED)


def _is_one_line(page: pypdfium2.PdfTextPage, last: int, first: int) -> bool:
    """Tell whether two characters are of one line that the library has cut where one is raised."""
    _, low, right, high = page.get_charbox(last, loose=True)
    left, base, _, top = page.get_charbox(first, loose=True)
    tall, short = max(high - low, top - base), min(high - low, top - base)
    # The middle of the small one is beside the other.
    is_beside = low < (base + top) / 2 < high or base < (low + high) / 2 < top
    is_near = abs(left - right) < _TOUCHING * tall
    return bool(is_beside and is_near and short < _RAISED[0] * tall)


def _line(
    page: pypdfium2.PdfTextPage, text: str, number: int, height: float, first: int, last: int
) -> _Line:
    left, base, _, top = page.get_charbox(first, loose=True)
    words, lowest = _with_powers(page, text, first, last)
    _, _, right, _ = page.get_charbox(last, loose=True)
    _, foot, _, _ = page.get_charbox(lowest, loose=True)
    return _Line(
        words,
        number,
        left,
        right,
        base,
        foot,
        top - base,
        base / max(height, 1.0),
        is_turned=_is_turned(page, first),
    )


def _with_powers(page: pypdfium2.PdfTextPage, text: str, first: int, last: int) -> tuple[str, int]:
    """Return a line whose raised figures are superscripts, and its last character that is not."""
    said: list[str] = []
    base = top = 0.0  # of the letter before
    is_attached = False
    lowest = first
    for at in range(first, last + 1):
        one = text[at]
        if one in "\r\n\0":
            continue
        if is_attached and one in _FIGURES:
            _, low, _, high = page.get_charbox(at, loose=True)
            if high - low < _RAISED[0] * (top - base) and low - base > _RAISED[1] * (top - base):
                said.append(one.translate(SUPERSCRIPTS))
                continue
        is_attached = not one.isspace()
        if is_attached:
            lowest = at
            if text[at + 1 : at + 2] in _FIGURES or text[at + 1 : at + 2] in ("\r", "\n"):
                _, base, _, top = page.get_charbox(at, loose=True)
        said.append(one)
    return "".join(said), lowest


def _columns(
    page: pypdfium2.PdfTextPage, text: str, number: int, width: float, height: float
) -> list[_Line]:
    """Return the lines of a page in columns, the left one first; none if there are no columns."""
    pieces = list(_pieces(page, text, number, height))
    strip = _strip(pieces, width)
    if strip is None:
        return []
    found: list[_Line] = []
    band: list[_Line] = []
    for piece in _joined(sorted(pieces, key=lambda one: (-one.base, one.left)), strip):
        if piece.left < strip < piece.right:
            found += [*_halves(band, strip), piece]
            band = []
        else:
            band.append(piece)
    return [*found, *_halves(band, strip)]


def _pieces(page: pypdfium2.PdfTextPage, text: str, number: int, height: float) -> Iterator[_Line]:
    """Yield the pieces of lines that have wide gaps between them."""
    first = 0
    edge = level = size = 0.0  # where the piece ends so far, how high it stands, its letters
    for at, character in enumerate(f"{text}\n"):
        if character in "\r\n":
            is_gap = True
        elif character in _NOTHING:
            continue
        else:
            left, base, right, top = page.get_charbox(at, loose=True)
            size = max(size, top - base) if text[first:at].strip(_NOTHING) else top - base
            is_apart = not -2 * size < left - edge <= _GAP * size or abs(base - level) > 0.6 * size
            is_gap = is_apart and bool(text[first:at].strip(_NOTHING))
            edge, level = right, base if top - base > 0.8 * size else level
        if is_gap:
            if words := text[first:at].strip(_NOTHING):
                start = first + text[first:at].index(words[0])
                last = start + len(words) - 1
                yield _line(page, text, number, height, start, last)
            first = at + (character in "\r\n")


def _halves(band: list[_Line], strip: float) -> Iterator[_Line]:
    yield from (one for one in band if one.left < strip)
    yield from (one for one in band if one.left >= strip)


def _strip(pieces: Sequence[_Line], width: float) -> float | None:
    """Return the middle of the strip that hardly any line crosses; None if there is none."""
    edges = sorted({one.right for one in pieces} | {one.left for one in pieces})
    best, strip = (_CROSSING * len(pieces), 0.0), None
    for left, right in pairwise(edges):
        if not _STRIP[0] * width < (left + right) / 2 < _STRIP[1] * width:
            continue
        middle = (left + right) / 2
        n_crossing = sum(one.left < middle < one.right for one in pieces)
        both = {one.right <= middle for one in pieces if not one.left < middle < one.right}
        score = n_crossing, left - right
        if right - left > _NARROW and score < best and len(both) == 2:
            best, strip = score, middle
    return strip


def _joined(pieces: Sequence[_Line], strip: float) -> list[_Line]:
    """Join the pieces of a line that are on one side of the strip."""
    found: list[_Line] = []
    for piece in pieces:
        for index in range(len(found) - 1, max(-1, len(found) - 8), -1):
            other = found[index]
            same_side = (other.right <= strip) == (piece.right <= strip)
            if same_side and abs(other.base - piece.base) < 0.6 * max(other.height, piece.height):
                first, second = sorted((other, piece), key=lambda one: one.left)
                gap = second.left - first.right > 0.15 * piece.height
                found[index] = replace(
                    other,
                    text=f"{first.text}{' ' if gap else ''}{second.text}",
                    left=first.left,
                    right=max(first.right, second.right),
                )
                break
        else:
            found.append(piece)
    return found


def _is_picture(pdf: pypdfium2.PdfDocument, number: int, lines: Sequence[_Line]) -> bool:
    """Tell whether a page is a picture, with hardly any text."""
    if sum(len(line.text) for line in lines) >= _SPARSE:
        return False
    page = pdf.get_page(number)
    try:
        return any(True for _ in page.get_objects(filter=(FPDF_PAGEOBJ_IMAGE,)))
    finally:
        page.close()


def _check_text(
    pages: Sequence[Sequence[_Line]], pictures: Sequence[int], document: Document
) -> None:
    has_text = any(any(map(str.isalnum, line.text)) for page in pages for line in page)
    if 10 * len(pictures) > 9 * len(pages) or (pictures and not has_text):
        raise InvalidBookError(
            f"{document.name} has no text, as its pages are pictures; have a program recognize "
            "them (OCR), such as ocrmypdf, first"
        )
    if pictures:
        shown = ", ".join(str(n + 1) for n in pictures[:10]) + (", …" if len(pictures) > 10 else "")
        document.ledger.note(f"pages that are pictures, whose text is not read: {shown}")


def _without_furniture(
    pages: Sequence[Sequence[_Line]],
) -> tuple[list[_Line], list[tuple[_Line, Reason]]]:
    """Return the lines without running heads and numbers of pages, and those."""
    usual = _usual_height([line for page in pages for line in page])
    heads: dict[tuple[str, int], set[int]] = {}
    offsets: Counter[int] = Counter()
    for line in (one for page in pages for one in page):
        if _is_at_edge(line):
            for key in _keys(line):
                heads.setdefault(key, set()).add(line.page)
            if (number := _number(line.text)) is not None:
                offsets[number - line.page] += 1
    kept: list[_Line] = []
    left_out: list[tuple[_Line, Reason]] = []
    for line in (one for page in pages for one in page):
        reason: Reason | None = None
        if line.tag is not None and line.tag.kind == "artifact" and not is_prose(line.text):
            reason = "page number" if is_page(line.text) else "running head"
        elif _is_at_edge(line) and (line.tag is None or line.tag.is_free):
            number = _number(line.text)
            n_pages = max(len(heads[key]) for key in _keys(line))
            if number is not None and (offsets[number - line.page] >= min(_OFTEN, len(pages))):
                reason = "page number"
            elif (
                number is None
                and n_pages >= _OFTEN
                and (line.is_turned or not _is_large(line, usual))
            ):
                reason = "running head"
        if reason is None:
            kept.append(line)
        else:
            left_out.append((line, reason))
    return kept, left_out


def _is_at_edge(line: _Line) -> bool:
    """Tell whether a line stands where heads and numbers do, or across the page."""
    return line.is_turned or not _MARGIN < line.place < 1 - _MARGIN


def _keys(line: _Line) -> Iterator[tuple[str, int]]:
    """Yield what is alike of lines that return: their words without numbers, and their heights."""
    words = line.text.strip("0123456789 |·•-–—").lower()
    height = int(line.base // _HEIGHTS)
    yield words, height
    yield words, height + 1


def _number(text: str) -> int | None:
    """Return the number of a page, if a line is no more than that."""
    if not is_page(text):
        return None
    digits = _DIGITS.search(text)
    if digits is not None:
        return int(digits[0])
    letters = _NUMERAL.search(text)
    return None if letters is None else tidying.roman(letters[0].upper())


def _paragraphs(lines: Sequence[_Line], ledger: Ledger) -> Iterator[_Paragraph]:
    """Yield the paragraphs that lines are of; what marks notes goes into the ledger."""
    usual = _usual_height(lines)
    larger = sorted({round(line.height) for line in lines if _is_large(line, usual)}, reverse=True)
    gaps = [
        one.foot - two.base
        for one, two in pairwise(lines)
        if one.page == two.page and 0 < one.foot - two.base < 3 * usual
    ]
    usual_gap = median(gaps) if gaps else 1.2 * usual
    lines, notes = _without_notes(lines, usual)
    lines = _without_marks(lines, notes, ledger)
    held: list[_Line] = []
    for line in lines:
        if held and not _goes_on(held[-1], line, held, usual_gap):
            yield _paragraph(held, usual, larger)
            yield from _before(notes, line.page - 1)
            held = []
        held.append(line)
    if held:
        yield _paragraph(held, usual, larger)
    yield from notes


def _usual_height(lines: Sequence[_Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.height, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 1.0


def _without_notes(lines: Sequence[_Line], usual: float) -> tuple[list[_Line], list[_Paragraph]]:
    """Return the lines without the notes at the feet of pages, and those.

    They stand inside a sentence that goes on on the next page.
    """
    kept: list[_Line] = []
    notes: list[list[_Line]] = []
    page = -1  # of which notes have begun
    for line in lines:
        is_small = line.height < _SMALL * usual and line.place < _FOOT
        if line.tag is not None and line.tag.kind == "footnote":
            if notes and notes[-1][-1].tag == line.tag:
                notes[-1].append(line)
            else:
                notes.append([line])
        elif is_small and _NOTE.match(line.text):
            page = line.page
            notes.append([line])
        elif is_small and page == line.page:
            notes[-1].append(line)
        else:
            page = -1
            kept.append(line)
    return kept, [_Paragraph("paragraph", 0, tuple(one), True) for one in notes]


def _without_marks(
    lines: Sequence[_Line], notes: Sequence[_Paragraph], ledger: Ledger
) -> list[_Line]:
    """Return the lines without the numbers that stand for the notes of their pages."""
    marks: dict[int, list[str]] = {}
    for note in notes:
        match = _NOTE.match(note.lines[0].text)
        if match is not None and match["mark"].isdigit():
            marks.setdefault(note.lines[0].page, []).append(match["mark"])
    kept = []
    for line in lines:
        text = line.text
        figures = text.translate(_PLAIN_FIGURES)
        for mark in list(marks.get(line.page, ())):
            attached = (one for one in _ATTACHED.finditer(figures) if one[0] == mark)
            found = next(attached, None)
            if found is not None:
                text = text[: found.start()] + text[found.end() :]
                figures = figures[: found.start()] + figures[found.end() :]
                marks[line.page].remove(mark)
                ledger.leave_out(mark, "note mark")
        kept.append(replace(line, text=text))
    return kept


def _before(notes: list[_Paragraph], page: int) -> Iterator[_Paragraph]:
    """Yield the notes of a page and of those before, and take them out."""
    while notes and notes[0].lines[0].page <= page:
        yield notes.pop(0)


def _is_large(line: _Line, usual: float) -> bool:
    return line.height > _LARGE * usual and len(line.text) < _HEADING_LENGTH


def _goes_on(last: _Line, line: _Line, held: Sequence[_Line], usual_gap: float) -> bool:
    """Tell whether a line is of the same paragraph as the one before."""
    if last.page == line.page and last.tag is not None and line.tag is not None:
        if last.tag == line.tag:
            return last.foot - line.base < 2 * usual_gap
        # Some programs call each line a paragraph.
        if not (last.tag.is_free and line.tag.is_free and line.text[:1].islower()):
            return False
    if abs(last.height - line.height) > 0.12 * last.height or last.is_turned != line.is_turned:
        return False
    if _LIST_ITEM.match(line.text) and not _HYPHENS.search(last.text[-1:]):
        return False
    ends = _SENTENCE_END.search(last.text) is not None
    gap = last.foot - line.base
    if last.page != line.page or gap <= 0:  # another page or column
        return not ends or line.text[:1].islower()
    if gap > 1.35 * usual_gap:
        return False
    left = min(one.left for one in held)
    width = max(one.right for one in held) - left
    is_set_in = line.left > left + 0.6 * line.height and line.left > last.left + 0.6 * line.height
    is_short = len(held) > 1 and last.right < left + 0.8 * width
    return not (ends and (is_set_in or is_short))


def _paragraph(lines: Sequence[_Line], usual: float, larger: Sequence[int]) -> _Paragraph:
    first = lines[0]
    if first.tag is not None and first.tag.kind == "heading":
        return _Paragraph("heading", first.tag.level, tuple(lines))
    if _is_large(first, usual) and sum(len(line.text) for line in lines) < 2 * _HEADING_LENGTH:
        level = min(6, larger.index(round(first.height)) + 1)
        return _Paragraph("heading", level, tuple(lines))
    return _Paragraph("paragraph", 0, tuple(lines))


def _blocks_of(
    paragraphs: Sequence[_Paragraph], known: set[str], ledger: Ledger
) -> tuple[list[Block], list[tuple[int, float]]]:
    """Return the paragraphs as blocks, and page and height at which each begins."""
    builder = TreeBuilder("")
    pieces: list[str] = []
    at = 0
    anchors: list[tuple[int, str]] = []
    for index, paragraph in enumerate(paragraphs):
        anchors.append((at, str(index)))
        if paragraph.is_note:
            builder.open("footnote", at)
        builder.open(paragraph.kind, at, level=paragraph.level)
        written = _written(paragraph.lines)
        text = tidying.joined_lines(written, known).replace("\n", " ")
        n_hyphens = written.count("-") - text.count("-")
        ledger.leave_out("-" * n_hyphens, "not text")
        pieces += [text, "\n"]
        end = at + len(text)
        traced = TracedText(text, range(at, end), range(at + 1, end + 1))
        builder.leaf("text", at, end, traced)
        at = end + 1
        builder.close(at)
        if paragraph.is_note:
            builder.close(at)
    tree = builder.finish()._replace(text="".join(pieces))
    found = blocks(Page(tree, (), tuple(anchors)), ledger)
    starts: list[tuple[int, float]] = []
    for block in found:
        first = paragraphs[int(block.anchors[0])].lines[0] if block.anchors else None
        starts.append((first.page, -first.base) if first else starts[-1] if starts else (0, 0.0))
    return found, starts


def _written(lines: Sequence[_Line]) -> str:
    """Return the text of lines, with a hyphen and a line feed where a word is broken."""
    parts: list[str] = []
    for line in lines:
        text = _HYPHENS.sub("-\n", line.text).rstrip("\n")
        is_broken = bool(parts) and parts[-1].endswith("-")
        parts.append(text if not parts else ("\n" if is_broken else " ") + text)
    return "".join(parts)


def _outline(pdf: pypdfium2.PdfDocument) -> Iterator[tuple[str, int, int, float]]:
    """Yield title, level, page and height of each entry of the outline."""
    for entry in pdf.get_toc():
        target = entry.get_dest()
        page = target.get_index() if target is not None else None
        if target is None or page is None:
            continue
        _, view = target.get_view()
        # A place is left and top, and a zoom; without one it is the whole page.
        height = float(view[1]) if len(view) == 3 and view[1] else float("inf")
        yield " ".join(entry.get_title().split()), entry.level + 1, page, -height


def _chapters(
    found: Sequence[Block],
    starts: Sequence[tuple[int, float]],
    outline: Sequence[tuple[str, int, int, float]],
) -> tuple[Chapter, ...]:
    marks = []
    for title, level, page, height in outline:
        # A heading stands a little below the place that its entry names.
        at = next((n for n, one in enumerate(starts) if one >= (page, height - _HEIGHTS)), None)
        if at is not None and title:
            marks.append(Mark(title, level, at))
    return by_contents(found, marks) if len(marks) > 1 else by_headings(found)
