"""Read a book in plain text, as typed, scanned or from Project Gutenberg."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from num2words import num2words

from service.books import tidying
from service.books.blocks import Block
from service.books.book import UNTITLED, Book, Chapter, ChapterRole, ParagraphKind
from service.books.chaptering import Mark, by_contents
from service.books.document_budget import Budget, Document
from service.books.encodings import utf_8
from service.books.ledger import Ledger
from service.books.odd_characters import without_odd
from service.text.characters import CLOSING, SENTENCE_ENDS
from service.text.languages import LANGUAGES, tag_of_name

_START = re.compile(r"(?im)^[ \t]*\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG.*$")
_END = re.compile(r"(?im)^[ \t]*(?:\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG.*|"
                  r"End of (?:the )?Project Gutenberg.*)$")  # fmt: skip
_FIELD = re.compile(r"(?m)^(Title|Author|Language):[ \t]*(.+)$")

_IN_WORDS = range(1, 51)
"""Numbers of chapters that are written in words."""
_OF_HINDI = (
    "एक", "दो", "तीन", "चार", "पाँच", "पांच", "छह", "छः", "सात", "आठ", "नौ", "दस", "पहला",
    "दूसरा", "तीसरा", "चौथा", "पाँचवाँ", "पांचवां", "छठा", "सातवाँ", "आठवाँ", "नौवाँ", "दसवाँ",
    "प्रथम", "द्वितीय", "तृतीय", "चतुर्थ", "पंचम",
)  # fmt: skip


def _numbers() -> Iterator[str]:
    """Yield numbers in the words of all languages, as chapters have them."""
    yield from _OF_HINDI
    yield from ("last", "the last", "dernier", "dernière", "último", "última", "ultimo", "ultima")
    yield from ("première", "second", "seconde", "primer", "tercer", "secondo", "um", "uma", "una")
    for tag in sorted({one.tags[0] for one in LANGUAGES.values() if one.divisions}):
        for to, number in itertools.product(("cardinal", "ordinal"), _IN_WORDS):
            with suppress(NotImplementedError):
                word = str(num2words(number, lang=tag, to=to))
                yield word
                if word.endswith("o"):
                    yield f"{word[:-1]}a"
                if tag == "en" and to == "ordinal":
                    yield f"the {word}"


_NUMBER = "|".join(
    [
        "[MDCLXVI]+",
        r"\d{1,3}",
        "[०-९]{1,3}",
        *sorted(set(_numbers()), key=lambda one: (-len(one), one)),
    ]
)
_DIVISION = re.compile(
    rf"(?i:{'|'.join(one.divisions for one in LANGUAGES.values() if one.divisions)})"
    rf"\s+(?i:{_NUMBER})(?![\w-])[.:,—–\-)]*\s*(?P<title>[^\n]{{0,80}})\Z"
)
_IDEOGRAPHIC_DIVISION = re.compile(
    r"第\s{0,3}[一二三四五六七八九十百千〇零两兩0-9０-９]{1,6}\s{0,3}[章回部巻卷編编篇節节話话幕場场](?P<title>[^\n]{0,60})\Z"
    r"|(?:序章|終章|终章|序幕|終幕|楔子|尾声|尾聲|プロローグ|エピローグ|まえがき|あとがき|序言|后记|後記)\Z"
)
_BARE_DIVISION = re.compile(
    r"(?:CHAPTER|BOOK|PART|VOLUME|ACT|SCENE|CANTO)\s+(?:[MDCLXVI]+|\d{1,3})[.:]?\Z"
)
_ROMAN_ALONE = re.compile(r"(?P<number>[MDCLXVI]+)\.?\Z")
_NUMBER_ALONE = re.compile(r"\d{1,3}\.?\Z")
_NAMED_PART = re.compile(
    r"(?i:prologue|epilogue|preface|foreword|introduction|afterword|conclusion|contents|"
    r"table of contents|index|footnotes:?|notes|appendix(?: [a-z0-9])?|etymology|extracts|"
    r"épilogue|préface|avant-propos|table des matières|"
    r"prólogo|epílogo|prefacio|introducción|índice|"
    r"prologo|epilogo|prefazione|introduzione|indice|prefácio|introdução|posfácio|"
    r"vorwort|prolog|epilog|nachwort|einleitung|प्रस्तावना|भूमिका|उपसंहार)\.?\Z"
)
_READING_AID = re.compile(
    r"(?:[｜|](?P<marked>[^《》｜\n]{1,30})|(?<=[々〆ヶ\u3400-\u9fff]))《[\u3040-\u30ff・ー\s]{1,30}》"
)
"""How ideographs are read, as Aozora Bunko writes it."""
_INSTRUCTION = re.compile(r"［＃[^［］\n]{1,80}］")
_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}][{re.escape(CLOSING)}]*\s*\Z")
_PAGE_NUMBER = re.compile(
    r"\s*(?:[-–—\[(]+\s*)?(?:page\s+)?(?P<number>\d{1,4})\s*(?:[-–—\])]+\s*)?\Z", re.I
)
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
    budget = Budget(document.name, ledger=document.ledger)
    content = utf_8(budget.read(document.path), document.name, budget)
    text = without_odd(content, budget).decode().replace("\r\n", "\n").replace("\r", "\n")
    budget.take_lines(text)
    ledger = document.ledger
    ledger.find([text])
    text = _without_aids(text, ledger)
    head, body, tail, marks_between = _parts(text)
    for line in marks_between:
        ledger.leave_out(line, "boilerplate")
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
        for block, title in _blocks(_without_page_furniture(part, ledger), known, ledger):
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


def _without_aids(text: str, ledger: Ledger) -> str:
    """Return a text of Aozora Bunko without what tells how ideographs are read and set."""
    if "《" not in text and "［＃" not in text:
        return text

    def aid(match: re.Match[str]) -> str:
        kept = match["marked"] or ""
        ledger.leave_out(match[0].replace(kept, "", 1) if kept else match[0], "reading aid")
        return kept

    def instruction(match: re.Match[str]) -> str:
        ledger.leave_out(match[0], "not text")
        return ""

    return _INSTRUCTION.sub(instruction, _READING_AID.sub(aid, text))


def _parts(text: str) -> tuple[str, str, str, list[str]]:
    """Return what is before a text of Project Gutenberg, the text, what is after it, and the lines
    between them."""
    start, end = _START.search(text), _END.search(text)
    first = start.end() if start else 0
    between = [start[0]] if start else []
    head = text[: start.start()] if start else ""
    if end is None or end.start() < first:
        return head, text[first:], "", between
    return head, text[first : end.start()], text[end.end() :], [*between, end[0]]


def _chapters(blocks: Sequence[Block], marks: list[Mark]) -> tuple[Chapter, ...]:
    chapters = by_contents(blocks, marks)
    # A table of contents names the chapters too, each without text.
    return tuple(chapter for chapter in chapters if chapter.n_characters)


def _without_page_furniture(text: str, ledger: Ledger) -> str:
    """Return the text without page numbers and the running heads beside them."""
    lines = text.replace("\f", "\n\f\n").split("\n")
    ends = {i for i, line in enumerate(lines) if line == "\f"}
    numbers = _page_numbers(lines, ends)
    if len(numbers | ends) < _RUNNING_HEADS:
        return text.replace("\f", "\n\n")
    beside = [i + step for i in numbers | ends for step in (-2, -1, 1, 2)]
    heads = Counter(
        _furniture(lines[i])
        for i in beside
        if 0 <= i < len(lines) and lines[i].strip() and i not in numbers
    )
    running = {
        head for head, count in heads.items() if head and count >= _RUNNING_HEADS and len(head) < 80
    }
    places = set(beside)
    kept: list[str] = []
    for number, line in enumerate(lines):
        is_head = _furniture(line) in running and (number in places or line.strip()[-1:].isdigit())
        if number in numbers:
            ledger.leave_out(line, "page number")
        elif is_head:
            ledger.leave_out(line, "running head")
        elif number not in ends:
            kept.append(line)
    return "\n".join(_healed(kept))


def _page_numbers(lines: Sequence[str], ends: set[int]) -> set[int]:
    """Return which lines are the numbers of pages.

    Those go up by one or two, and stand at the ends of pages: beside form feeds, inside sentences,
    or as far apart as pages are long. Numbers of chapters and of years do not.
    """
    found = [
        (i, int(match["number"]))
        for i, line in enumerate(lines)
        if (match := _PAGE_NUMBER.match(line)) is not None
    ]
    runs: list[list[tuple[int, int]]] = []
    for place, number in found:
        if runs and 1 <= number - runs[-1][-1][1] <= 2:
            runs[-1].append((place, number))
        else:
            runs.append([(place, number)])
    numbers: set[int] = set()
    for run in runs:
        places = [place for place, _ in run]
        n_at_ends = sum(bool(ends.intersection(range(i - 2, i + 3))) for i in places)
        n_inside = sum(_is_inside_sentence(lines, i) for i in places)
        gaps = sorted(b - a for a, b in itertools.pairwise(places))
        is_even = len(gaps) > 3 and gaps[0] > 15 and gaps[-1] < 1.3 * gaps[0]
        if n_at_ends > len(run) / 2 or (
            len(run) >= _RUNNING_HEADS and (n_inside > len(run) / 3 or is_even)
        ):
            numbers.update(places)
    return numbers


def _is_inside_sentence(lines: Sequence[str], place: int) -> bool:
    before = next((line for line in reversed(lines[max(0, place - 4) : place]) if line.strip()), "")
    return bool(before) and _SENTENCE_END.search(before) is None


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


def _blocks(text: str, known: set[str], ledger: Ledger) -> Iterator[tuple[Block, str]]:
    """Yield the blocks, each with the title of the chapter that it begins, or nothing."""
    has_blank_lines = "\n\n" in text.strip()
    parts = re.split(r"\n[^\S\n]*\n", text) if has_blank_lines else text.split("\n")
    after_heading = False
    numeral = 0  # of the last heading that is one
    counted = _counted([part.strip() for part in parts]) if has_blank_lines else frozenset[str]()
    for part in itertools.chain.from_iterable(map(_headings_apart, parts)):
        stripped = part.strip()
        if not stripped:
            continue
        ledger.read(part)
        marks: list[str] = []
        title = stripped if stripped in counted else _title(stripped, numeral)
        if title is not None:
            if match := _ROMAN_ALONE.match(stripped):
                numeral = tidying.roman(match["number"]) or 0
            heading = tidying.paragraph(stripped, "heading", marks.append)
            if heading is not None:
                for mark in marks:
                    ledger.strike(mark, "note mark")
                yield Block(heading, 1, ()), heading.text
                after_heading = True
                continue
        kind, said = _kind(part, after_heading)
        after_heading = False
        done = tidying.paragraph(tidying.joined_lines(said, known), kind, marks.append)
        if done is None or not done.text:
            ledger.strike(part, "ornament")
        for mark in marks:
            ledger.strike(mark, "note mark")
        if done is not None:
            yield Block(done, 0, ()), ""


def _counted(parts: Sequence[str]) -> frozenset[str]:
    """Return the numbers that head chapters: alone in their paragraphs, from 1 on without a gap."""
    alone = [part for part in parts if _NUMBER_ALONE.match(part)]
    numbers = [int(part.rstrip(".")) for part in alone]
    is_count = len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1))
    return frozenset(alone) if is_count else frozenset()


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
    first = lines[0].strip("_*= \u3000")
    if match := _IDEOGRAPHIC_DIVISION.match(first):
        ends_sentence = (match["title"] or "").rstrip()[-1:] in tuple("。！？，、")
        return None if ends_sentence else text
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
