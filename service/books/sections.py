"""Cut chapters into sections: what is planned at once, with the silence after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.books.book import Chapter, CueTimes, Paragraph
from service.text import voices_after

TOGETHER = 200
"""Characters up to which paragraphs are said together. Chunks of fewer than 70 phonemes lose the
melody, and dialogue has many short paragraphs."""

LONGEST_PAUSE_S = 60
"""Of the pauses that a reader chooses."""

_SEPARATOR = "\n\n"


@dataclass(frozen=True)
class Pauses:
    """Seconds of silence after a section, by what follows it.

    Attributes:
        paragraph: another paragraph.
        heading: of a heading, whatever follows.
        scene: a change of scene.
        chapter: another chapter.
    """

    paragraph: float = 0.7
    heading: float = 1.2
    scene: float = 2.0
    chapter: float = 3.0


@dataclass(frozen=True, slots=True)
class Section:
    """Paragraphs that are planned together.

    Attributes:
        start: offset of its text in the text of its chapter.
        text: of its paragraphs, with blank lines between them.
        pause_s: seconds of silence after it.
        times: of the cue that it is; None for any other.
        is_ssml: whether its text is an SSML document.
    """

    start: int
    text: str
    pause_s: float
    times: CueTimes | None = None
    is_ssml: bool = False


def text_of_chapter(chapter: Chapter) -> str:
    """Return the text of a chapter, which the offsets in timings refer to."""
    return _SEPARATOR.join(paragraph.text for paragraph in chapter.paragraphs if paragraph.text)


def sections(chapter: Chapter, pauses: Pauses) -> Iterator[Section]:
    """Yield the sections of a chapter, in order; nothing of its text is in none of them.

    A section ends after a paragraph of some length, after a heading, before a change of scene, and
    never inside the tags of a voice. A cue is one, and there is no silence after it but until the
    next. A document in SSML is one, all of a chapter.
    """
    start = position = 0
    texts: list[str] = []
    voices: tuple[str, ...] = ()
    paragraphs = [one for one in chapter.paragraphs if one.kind != "picture"]
    last = max((number for number, one in enumerate(paragraphs) if one.text), default=0)
    for number, paragraph in enumerate(paragraphs):
        if not paragraph.text:
            continue
        if paragraph.is_ssml:
            yield Section(position, paragraph.text, pauses.chapter, is_ssml=True)
        elif paragraph.times is not None:
            yield Section(position, paragraph.text, 0.0, paragraph.times)
        if paragraph.is_ssml or paragraph.times is not None:
            position += len(paragraph.text) + len(_SEPARATOR)
            continue
        texts.append(paragraph.text)
        position += len(paragraph.text) + len(_SEPARATOR)
        voices = voices_after(paragraph.text, voices)
        following = paragraphs[number + 1] if number + 1 < len(paragraphs) else None
        if following is not None and (voices or not _ends(texts, paragraph, following)):
            continue
        pause_s = pauses.chapter
        if following is not None and number < last:
            pause_s = _pause(paragraph, following, pauses)
        yield Section(start, _SEPARATOR.join(texts), pause_s)
        start, texts, voices = position, [], ()


def _ends(texts: Sequence[str], paragraph: Paragraph, following: Paragraph) -> bool:
    is_long = sum(map(len, texts)) >= TOGETHER
    return is_long or paragraph.kind != following.kind or paragraph.kind == "heading"


def _pause(paragraph: Paragraph, following: Paragraph, pauses: Pauses) -> float:
    if following.kind == "break":
        return pauses.scene
    return pauses.heading if paragraph.kind == "heading" else pauses.paragraph
