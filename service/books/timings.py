"""The times of a book's words and sentences, in the text as it is shown."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from service.audio import SOURCE_RATE_HZ, Cue, ass, cues_of_words, srt, vtt
from service.audio.chaptered_file import BOOK_TAG
from service.books.book import Illustration, ParagraphKind
from service.books.outputs import Recording
from service.complete_files import completed
from service.text import Notes, Passage, Pause, parse, shown, voices_after

TimestampFormat = Literal["vtt", "srt", "json", "ass", "words.vtt", "words.srt"]
TIMESTAMP_FORMATS: tuple[TimestampFormat, ...] = get_args(TimestampFormat)

TimedWord = tuple[int, int, float, float]
"""Offsets of a word's start and end in a text, and its start and end in seconds."""

_NO_LIMIT = 10**9
_BETWEEN = "\n\n"
"""What stands between sentences and paragraphs of SSML."""


@dataclass(frozen=True)
class TimedParagraph:
    """A paragraph as it is shown.

    Attributes:
        kind: what it is; a `break` and a `picture` have no text.
        text: without markup.
        words: with offsets in the text, and seconds from the start of the chapter.
        illustration: of a `picture`.
    """

    kind: ParagraphKind
    text: str
    words: tuple[TimedWord, ...]
    illustration: Illustration | None = None

    def cues(self, by: Literal["sentence", "word"] = "sentence") -> list[Cue]:
        """Return its sentences or words with the marks around them; joined they are its text."""
        length = _NO_LIMIT if by == "sentence" else 1
        return cues_of_words(
            self.words, self.text, max_characters=length, max_duration_s=_NO_LIMIT,
            max_gap_s=_NO_LIMIT,
        )  # fmt: skip


def timed_paragraphs(recording: Recording, number: int) -> list[TimedParagraph]:
    """Return the paragraphs of a chapter, by its number from 0, with the times of their words."""
    words = _words(recording, number)
    place = next(words, None)
    start = 0
    voices: tuple[str, ...] = ()
    found: list[TimedParagraph] = []
    for paragraph in recording.chapters[number].paragraphs:
        if not paragraph.text:
            found.append(TimedParagraph(paragraph.kind, "", (), paragraph.illustration))
            continue
        end = start + len(paragraph.text)
        own: list[TimedWord] = []
        while place is not None and place[0] < end:
            own.append((place[0] - start, place[1] - start, place[2], place[3]))
            place = next(words, None)
        if paragraph.is_ssml:
            found += _timed_document(paragraph.text, own)
        else:
            text, timed = _placed(parse(paragraph.text, open_voices=voices), own)
            found.append(TimedParagraph(paragraph.kind, text, tuple(timed)))
            voices = voices_after(paragraph.text, voices)
        start = end + 2  # the blank line between paragraphs
    return found


def _placed(
    parts: Sequence[Passage | Pause], words: Sequence[TimedWord]
) -> tuple[str, list[TimedWord]]:
    """Return a text without its markup, and its words with their offsets in that."""
    text, places = shown(parts, [(first, last) for first, last, _, _ in words])
    return text, [
        (*place, start_s, end_s)
        for place, (_, _, start_s, end_s) in zip(places, words, strict=True)
    ]


def _timed_document(source: str, words: Sequence[TimedWord]) -> Iterator[TimedParagraph]:
    """Yield the paragraphs and sentences of an SSML document."""
    text, timed = _placed(parse(source, is_ssml=True, notes=Notes(source)), words)
    waiting = deque(timed)
    start = 0
    for part in text.split(_BETWEEN):
        own: list[TimedWord] = []
        while waiting and waiting[0][0] < start + len(part):
            first, last, start_s, end_s = waiting.popleft()
            own.append((first - start, min(last - start, len(part)), start_s, end_s))
        yield TimedParagraph("text", part, tuple(own))
        start += len(part) + len(_BETWEEN)


def _words(recording: Recording, number: int) -> Iterator[TimedWord]:
    """Yield the words of a chapter, with offsets in its text with markup."""
    for one in recording.placed(number):
        _, times = recording.journal.times(one.chunk.key)
        start_s = one.start / SOURCE_RATE_HZ
        for (first, last), (begin_s, end_s) in zip(one.chunk.words, times, strict=True):
            yield first, last, start_s + begin_s, start_s + end_s


def write_timestamps(recording: Recording, path: Path, form: TimestampFormat) -> None:
    """Write the times of a whole book, from the start of its audio; see docs/books.md.

    Raises:
        OSError: the file cannot be written.
    """
    starts = [mark.start / SOURCE_RATE_HZ for mark in recording.chapter_marks()]
    with completed(path) as partial, partial.open("w", encoding="utf-8") as file:
        if form == "json":
            head = {"title": recording.book.title, "author": recording.book.author,
                    BOOK_TAG: recording.fingerprints}  # fmt: skip
            file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "chapters": [\n')
            for number, start_s in enumerate(starts):
                chapter = _described(recording, number, start_s)
                file.write((",\n" if number else "") + json.dumps(chapter, ensure_ascii=False))
            file.write("\n]}\n")
            return
        lines = list(_lines(recording, starts))
        if form == "ass":
            file.write(ass([words for _, words in lines]))
            return
        cues = [cue for cue, _ in lines]
        if form.startswith("words."):
            cues = [word for _, words in lines for word in words]
        file.write(srt(cues) if form.endswith("srt") else vtt(cues))


def _lines(recording: Recording, starts: Sequence[float]) -> Iterator[tuple[Cue, list[Cue]]]:
    """Yield the cues of a book, which can be read along, each with its words."""
    for number, start_s in enumerate(starts):
        for paragraph in timed_paragraphs(recording, number):
            own = [(a, b, s + start_s, e + start_s) for a, b, s, e in paragraph.words]
            words = deque(replace(paragraph, words=tuple(own)).cues("word"))
            for cue in cues_of_words(own, paragraph.text):
                inside = []
                while words and words[0].start_s < cue.end_s:
                    inside.append(words.popleft())
                yield cue, inside


def _described(recording: Recording, number: int, start_s: float) -> dict[str, object]:
    """Return a chapter as JSON: its text, and where in it each word and sentence is."""
    texts: list[str] = []
    words: list[dict[str, object]] = []
    sentences: list[dict[str, object]] = []
    place = 0
    for paragraph in timed_paragraphs(recording, number):
        if not paragraph.text:
            continue
        texts.append(paragraph.text)
        words += [
            {
                "text": paragraph.text[first:last], "text_start": place + first,
                "text_end": place + last, "start_s": round(start_s + begin_s, 6),
                "end_s": round(start_s + end_s, 6),
            }
            for first, last, begin_s, end_s in paragraph.words
        ]  # fmt: skip
        sentences += [
            {"text": cue.text, "start_s": round(start_s + cue.start_s, 6),
             "end_s": round(start_s + cue.end_s, 6)}
            for cue in paragraph.cues()
        ]  # fmt: skip
        place += len(paragraph.text) + 2
    chapter = recording.chapters[number]
    described = {"number": chapter.number, "title": chapter.title, "text": "\n\n".join(texts),
                 "start_s": round(start_s, 6), "sentences": sentences, "words": words}  # fmt: skip
    marks = [
        {"name": name, "time_s": round(start_s + time_s, 6)}
        for name, time_s in _marks(recording, number)
    ]
    return {**described, "marks": marks} if marks else described


def _marks(recording: Recording, number: int) -> Iterator[tuple[str, float]]:
    """Yield the marks of a chapter, with their times from its beginning."""
    for one in recording.placed(number):
        start_s = one.start / SOURCE_RATE_HZ
        for name, time_s in recording.journal.marks(one.chunk.key):
            yield name, start_s + time_s
