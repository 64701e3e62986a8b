"""Read a book in plain text, as typed, scanned or from Project Gutenberg."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from service.books import tidying
from service.books.book import UNTITLED, Book, Chapter, ChapterRole, ParagraphKind
from service.books.chaptering import Mark, by_contents
from service.books.document_budget import Budget, Document
from service.books.encodings import utf_8
from service.books.html_blocks import Block
from service.books.odd_characters import without_odd
from service.text.languages import LANGUAGES, tag_of_name

_START = re.compile(r"(?im)^[ \t]*\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG.*$")
_END = re.compile(r"(?im)^[ \t]*(?:\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG.*|"
                  r"End of (?:the )?Project Gutenberg.*)$")  # fmt: skip
_FIELD = re.compile(r"(?m)^(Title|Author|Language):[ \t]*(.+)$")

_NUMBER = (
    r"(?:[MDCLXVI]+|\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|"
    r"(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last))"
)
_DIVISION = re.compile(
    rf"(?i:{'|'.join(one.divisions for one in LANGUAGES.values() if one.divisions)}|kapitel|teil)"
    rf"\s+(?i:{_NUMBER})(?:[-\s](?i:{_NUMBER}))?\b[.:,—–\-)]*\s*"
    rf"(?P<title>[^\n]{{0,80}})\Z"
)
_BARE_DIVISION = re.compile(
    r"(?:CHAPTER|BOOK|PART|VOLUME|ACT|SCENE|CANTO)\s+(?:[MDCLXVI]+|\d{1,3})[.:]?\Z"
)
_ROMAN_ALONE = re.compile(r"(?P<number>[MDCLXVI]+)\.?\Z")
_NAMED_PART = re.compile(
    r"(?i:prologue|epilogue|preface|foreword|introduction|afterword|conclusion|contents|"
    r"table of contents|index|footnotes:?|notes|appendix(?: [a-z0-9])?|etymology|extracts)\.?\Z"
)
_PAGE_NUMBER = re.compile(r"\s*(?:[-–—\[(]+\s*)?(?:page\s+)?\d{1,4}\s*(?:[-–—\])]+\s*)?\Z", re.I)
_NOTE = re.compile(r"\s*\[(?:footnote )?(?:\d{1,3}|[*†])\]?:?\]?\s+\S", re.I)
_PICTURE = re.compile(r"\s*\[illustration(?::(?P<caption>.*?))?\]\s*\Z", re.I | re.S)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_VERSE_LENGTH = 60
_RUNNING_HEADS = 3
"""How often a line must stand beside page numbers to be a running head."""


def read_text_file(document: Document) -> Book:
    """Read a book from a text file. Chapters begin at lines such as `CHAPTER IV`.

    Paragraphs have blank lines between them, or, if there are none, a line each. What stands
    around a text of Project Gutenberg is front and back matter.

    Raises:
        InvalidBookError: it is no text.
    """
    budget = Budget(document.name)
    content = utf_8(budget.read(document.path), document.name)
    text = without_odd(content, budget).decode().replace("\r\n", "\n").replace("\r", "\n")
    budget.take_lines(text)
    head, body, tail = _parts(text)
    fields = dict(reversed(_FIELD.findall(head)))
    known = {word.lower() for word in _WORD.findall(body)}
    blocks: list[Block] = []
    marks: list[Mark] = []
    parts: tuple[tuple[ChapterRole, str], ...] = (("front", head), ("body", body), ("back", tail))
    for role, part in parts:
        if not part.strip():
            continue
        if role != "body":
            marks.append(Mark(UNTITLED[role], 1, len(blocks), role))
        elif blocks:
            marks.append(Mark("", 1, len(blocks)))
        for block, title in _blocks(_without_page_furniture(part), known):
            if title and role == "body":
                marks.append(Mark(title, 1, len(blocks)))
            blocks.append(block)
    return Book(
        fields.get("Title", "").strip() or document.stem,
        tuple(filter(None, (fields.get("Author", "").strip(),))),
        tag_of_name(fields.get("Language", "")),
        None,
        _chapters(blocks, marks),
        n_dropped=budget.n_dropped,
    )


def _parts(text: str) -> tuple[str, str, str]:
    """Return what is before a text of Project Gutenberg, the text, and what is after it."""
    start, end = _START.search(text), _END.search(text)
    first = start.end() if start else 0
    if end is None or end.start() < first:
        return text[:first], text[first:], ""
    return text[:first], text[first : end.start()], text[end.end() :]


def _chapters(blocks: Sequence[Block], marks: list[Mark]) -> tuple[Chapter, ...]:
    chapters = by_contents(blocks, marks)
    # A table of contents names the chapters too, each without text.
    return tuple(chapter for chapter in chapters if chapter.n_characters)


def _without_page_furniture(text: str) -> str:
    """Return the text without page numbers and the running heads beside them."""
    lines = text.replace("\f", "\n\f\n").split("\n")
    numbers = {i for i, line in enumerate(lines) if _PAGE_NUMBER.match(line) or line == "\f"}
    if len(numbers) < _RUNNING_HEADS:
        return text.replace("\f", "\n\n")
    beside = [i + step for i in numbers for step in (-2, -1, 1, 2)]
    heads = Counter(
        _furniture(lines[i]) for i in beside if 0 <= i < len(lines) and lines[i].strip()
    )
    running = {head for head, count in heads.items() if count >= _RUNNING_HEADS and len(head) < 80}
    places = set(beside)
    kept: list[str] = []
    for number, line in enumerate(lines):
        is_head = _furniture(line) in running and (number in places or line.strip()[-1:].isdigit())
        if number not in numbers and not is_head:
            kept.append(line)
    return "\n".join(_healed(kept))


def _healed(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without the blank ones that a page's end left inside a sentence."""
    held: list[str] = []
    last = ""
    for line in lines:
        if not line.strip():
            held.append(line)
            continue
        if not (held and last and _goes_on(last) and line[:1].islower()):
            yield from held
        yield line
        held, last = [], line
    yield from held


def _goes_on(line: str) -> bool:
    return line.rstrip()[-1:].isalnum() or line.rstrip()[-1:] in ",;-‐"


def _furniture(line: str) -> str:
    return re.sub(r"\d+", "", line).strip().lower()


def _blocks(text: str, known: set[str]) -> Iterator[tuple[Block, str]]:
    """Yield the blocks, each with the title of the chapter that it begins, or nothing."""
    has_blank_lines = "\n\n" in text.strip()
    parts = re.split(r"\n[^\S\n]*\n", text) if has_blank_lines else text.split("\n")
    after_heading = False
    numeral = 0  # of the last heading that is one
    for part in itertools.chain.from_iterable(map(_headings_apart, parts)):
        stripped = part.strip()
        if not stripped:
            continue
        title = _title(stripped, numeral)
        if title is not None:
            if match := _ROMAN_ALONE.match(stripped):
                numeral = tidying.roman(match["number"]) or 0
            heading = tidying.paragraph(stripped, "heading")
            if heading is not None:
                yield Block(heading, 1, ()), heading.text
                after_heading = True
                continue
        kind, said = _kind(part, after_heading)
        after_heading = False
        done = tidying.paragraph(tidying.joined_lines(said, known), kind)
        if done is not None:
            yield Block(done, 0, ()), ""


def _headings_apart(part: str) -> list[str]:
    """Return a paragraph in two if headings stand above its text without a blank line.

    `ACT I` and `SCENE I` above `Enter Ghost` are headings, `PART 1 of the plan` is none.
    """
    lines = part.strip().split("\n")
    n_headings = 0
    while n_headings < len(lines) and _BARE_DIVISION.match(lines[n_headings].strip()):
        n_headings += 1
    if n_headings in (0, len(lines)) or _title(part.strip()) is not None:
        return [part]
    return ["\n".join(lines[:n_headings]), "\n".join(lines[n_headings:])]


def _kind(part: str, after_heading: bool) -> tuple[ParagraphKind, str]:
    """Return what a paragraph is, and its text with the line breaks that matter."""
    if match := _PICTURE.match(part):
        return "caption", (match["caption"] or "").lstrip()
    if _NOTE.match(part):
        return "note", re.sub(r"\A\s*\[[^\]]*\]\]?\s*", "", part).replace("\n", " ").rstrip("]")
    lines = [line for line in part.split("\n") if line.strip()]
    if after_heading and len(lines) == 1 and tidying.is_capitals(part):
        return "heading", part
    # Lines that are set in and short are verse, or an address.
    is_set_in = all(line[:1].isspace() or not line.strip() for line in lines)
    if is_set_in and len(lines) > 1 and max(len(line.strip()) for line in lines) < _VERSE_LENGTH:
        return "verse", part
    # Lines of a paragraph end where the print did; a hyphen there is seen to later.
    joined = "\n".join(line.strip() for line in lines)
    return "text", re.sub(r"(?<![-‐\u00ad])\n", " ", joined)


def _title(text: str, numeral: int = 0) -> str | None:
    """Return the title if a paragraph is the heading of a chapter.

    Args:
        text: of the paragraph.
        numeral: the last Roman numeral that was a heading. `C` is one after `XCIX` only.
    """
    lines = [line.strip() for line in text.split("\n")]
    if len(lines) > 3 or len(text) > 160:
        return None
    first = lines[0].strip("_*= ")
    if match := _DIVISION.match(first):
        # Not `Part one of the plan was to wait.`, but `CHAPTER 108. Ahab. The Deck--First Watch.`
        title = match["title"]
        is_sentence = title[:1].islower() or (title.endswith(".") and len(title) > 50)
        return None if is_sentence and not first.split()[0].isupper() else text
    number = _ROMAN_ALONE.match(first)
    if number and tidying.roman(number["number"]) is not None and len(text) < 80:
        is_next = tidying.roman(number["number"]) == numeral + 1
        return text if len(lines) > 1 or len(first) > 1 or first in "IVX" or is_next else None
    return text if _NAMED_PART.match(first) and len(lines) == 1 else None
