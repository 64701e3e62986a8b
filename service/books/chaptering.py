"""Cut the blocks of a book into chapters, by its table of contents or by its headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.books.blocks import Block
from service.books.book import Chapter, ChapterRole, Paragraph

_FRONT = re.compile(
    r"(?:cover|title ?page|half-?title|copyright|imprint|(?:table of )?contents|"
    r"(?:list of )?(?:illustrations|figures|plates|tables)|inhalt(?:sverzeichnis)?|impressum|"
    r"table des matières|sommaire|índice|indice|sumário)\W*\Z",
    re.I,
)
_BACK = re.compile(
    r"(?:(?:index|colophon|bibliography|works cited|about the (?:author|publisher)|"
    r"advertisements?|transcriber[’']?s? notes?|"
    r"bibliographie|literaturverzeichnis|bibliografía|bibliografia)\W*"
    r"|also by\b.*|the full project gutenberg(?=.*licen[cs]e).*)\Z",
    re.I,
)
_NOTES = re.compile(
    r"(?:foot|end)?notes|footnotes:?|anmerkungen|notes de bas de page|notas|note\W*\Z", re.I
)
_PART = re.compile(
    r"(?:the )?(?:part|book|volume|act|livre|partie|tome|acte|teil|buch|band|parte|libro|tomo|atto|"
    r"acto|livro|ato|भाग|खंड)\b|(?:first|second|third|fourth|fifth) (?:part|book|volume)\b|"
    r"第\s?[一二三四五六七八九十\d]+\s?[部編编篇巻卷]|"
    r"(?:premi[eè]re?|deuxième|seconde|troisième) partie\b|"
    r"(?:erster?|zweiter?|dritter?) (?:teil|buch)\b|"
    r"(?:primera|segunda|tercera|prima|seconda|terza|primeira|terceira) parte\b",
    re.I,
)
"""A heading of a part, in which chapters are."""
_SECTION_LENGTH = 2_000
"""Mean characters from which an entry below another in the table of contents is a chapter."""
_OPENING_LENGTH = 300
"""Characters below which what opens a book or a part, such as an epigraph, is no chapter: 20 s."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An entry of a table of contents.

    Attributes:
        title: as it is there.
        level: 1 for the first; those inside it have 2.
        start: number of the block at which it begins.
        role: if the book declares one.
    """

    title: str
    level: int
    start: int
    role: ChapterRole | None = None


def role_of_title(title: str) -> ChapterRole:
    """Return where a chapter of this title belongs."""
    title = title.strip()
    if _FRONT.match(title):
        return "front"
    if _BACK.match(title):
        return "back"
    return "notes" if _NOTES.fullmatch(title) else "body"


def by_contents(
    blocks: Sequence[Block], marks: Iterable[Mark], *, cuts_sections: bool = True
) -> tuple[Chapter, ...]:
    """Return the chapters that a table of contents names; all blocks are in one of them.

    An entry inside another is a chapter of its own only if it and its neighbours are long. What
    comes before the first entry is a chapter too, unless it is short. That, and the page of a part
    with little but its title, belong to the next chapter that is read.

    Args:
        blocks: of the book.
        marks: the entries.
        cuts_sections: whether short entries inside others are no chapters.
    """
    marks = _without_sections(sorted(marks, key=lambda mark: mark.start), blocks, cuts_sections)
    if not marks or marks[0].start > 0:
        marks.insert(0, Mark("", 1, 0))
    parts = []
    ends = [mark.start for mark in marks[1:]] + [len(blocks)]
    levels_after = [mark.level for mark in marks[1:]] + [0]
    for mark, end, level_after in zip(marks, ends, levels_after, strict=True):
        own = [block.paragraph for block in blocks[mark.start : end] if block.paragraph]
        title = mark.title or _first_heading(own)
        role = mark.role or role_of_title(title)
        parts.append((title, role, own, mark.title if level_after > mark.level else ""))
    chapters: list[Chapter] = []
    held: list[Paragraph] = []
    outer: list[str] = []
    n_left = sum(role == "body" for _, role, _, _ in parts)
    for title, role, own, outer_title in parts:
        if role != "body":
            chapters.append(Chapter(title, _trimmed(own), role))
            continue
        n_left -= 1
        if n_left and _is_opening(own, title, bool(outer_title)):
            held += own
            outer.append(outer_title)
            continue
        title = ". ".join(filter(None, [*outer, title]))
        chapters.append(Chapter(title, _trimmed([*held, *own]), role))
        held, outer = [], []
    return tuple(chapter for chapter in chapters if chapter.n_characters)


def by_headings(blocks: Sequence[Block]) -> tuple[Chapter, ...]:
    """Return the chapters of a document: they begin at the headings of the highest level that
    occurs more than once, or of the only one that there is. If those are parts or volumes, the
    chapters begin at the headings below them."""
    levels = Counter(block.level for block in blocks if block.level)
    usual = min((level for level, count in levels.items() if count > 1), default=min(levels or [0]))
    deepest = usual
    while _are_parts(blocks, deepest):
        below = [level for level in levels if level > deepest]
        if not below:
            break
        deepest = min(below)
    marks = [
        Mark(block.paragraph.text, max(1, block.level - usual + 1), number)
        for number, block in enumerate(blocks)
        if block.paragraph and 0 < block.level <= deepest
    ]
    return by_contents(blocks, marks, cuts_sections=deepest == usual)


def _are_parts(blocks: Sequence[Block], level: int) -> bool:
    """Tell whether most headings of a level are those of parts, with chapters below them."""
    titles = [b.paragraph.text for b in blocks if b.paragraph and b.level == level > 0]
    return 2 * sum(bool(_PART.match(title)) for title in titles) > len(titles)


def _without_sections(
    marks: list[Mark], blocks: Sequence[Block], cuts_sections: bool
) -> list[Mark]:
    """Return the entries without those that are sections of a chapter, and without doubles."""
    before = [0]  # characters before each block
    for block in blocks:
        before.append(before[-1] + (len(block.paragraph.text) if block.paragraph else 0))
    lengths: dict[int, list[int]] = {}
    outer: list[Mark] = []  # those that the next one may be inside
    for mark in [*marks, Mark("", 0, len(blocks))]:
        while outer and outer[-1].level >= mark.level:
            one = outer.pop()
            lengths.setdefault(one.level, []).append(before[mark.start] - before[one.start])
        outer.append(mark)
    # A level of parts, each with little text before its chapters, does not hide those.
    deepest = max(
        (level for level, found in lengths.items() if sum(found) >= _SECTION_LENGTH * len(found)),
        default=1,
    )
    kept: list[Mark] = []
    for mark in marks:
        if cuts_sections and mark.level > deepest:
            continue
        if kept and kept[-1].start == mark.start:
            # Two entries for one place: the outer one is the part's.
            title = f"{kept[-1].title}. {mark.title}" if kept[-1].level < mark.level else ""
            kept[-1] = Mark(title or kept[-1].title, mark.level, mark.start, kept[-1].role)
            continue
        kept.append(mark)
    return kept


def _first_heading(paragraphs: Sequence[Paragraph]) -> str:
    return next((one.text for one in paragraphs if one.kind == "heading"), "")


def _is_opening(paragraphs: Sequence[Paragraph], title: str, has_chapters: bool) -> bool:
    """Tell whether something only opens the chapter after it.

    Args:
        paragraphs: of it.
        title: empty if it has none.
        has_chapters: whether it is a part, with chapters inside it.
    """
    if all(one.kind in ("heading", "break", "picture") for one in paragraphs):
        return True
    is_short = sum(len(one.text) for one in paragraphs) < _OPENING_LENGTH
    return is_short and (has_chapters or not title)


def _trimmed(paragraphs: list[Paragraph]) -> tuple[Paragraph, ...]:
    """Return the paragraphs without breaks at the ends, and without two in a row."""
    kept: list[Paragraph] = []
    for paragraph in paragraphs:
        if paragraph.kind != "break" or (kept and kept[-1].kind != "break"):
            kept.append(paragraph)
    if kept and kept[-1].kind == "break":
        kept.pop()
    return tuple(kept)
