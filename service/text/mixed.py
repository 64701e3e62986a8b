"""Read texts in several scripts: decide which language reads which words."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, groupby
from typing import NamedTuple

from service.errors import LanguageUnavailableError
from service.text.characters import is_meaningful
from service.text.languages.foreign import SCRIPTS
from service.text.offset_mapping import TracedText, concatenate
from service.text.reader import SILENT, Fragment, Reader
from service.text.reading import Word
from service.text.scripts import HAN, KANA, LATIN
from service.text.spans import Override, Span

# A run of letters of one script, with the marks between its words.
_STRETCH = re.compile(
    "|".join(
        (
            rf"(?P<east_asian>[{HAN}{KANA}]+)|(?P<latin>[{LATIN}]+(?:[ '’&-]+[{LATIN}]+)*)",
            *(
                rf"(?P<{code}>[{script.letters}]{{{script.least},}}(?:[ '’-]+[{script.letters}]+)*)"
                for code, script in SCRIPTS.items()
            ),
        )
    )
)
_LINE = re.compile(r"[^\n]+")
_KANA_LETTERS = re.compile(f"[{KANA}]+")
_EAST_ASIAN = ("ja", "zh")


@cache
def _foreign_to(language: str) -> re.Pattern[str]:
    """Return a pattern of the characters that another language may have to read."""
    others = {"ja": LATIN, "zh": LATIN + KANA}.get(language, HAN + KANA)
    scripts = (script.letters for code, script in SCRIPTS.items() if code != language)
    return re.compile(f"[{others}{''.join(scripts)}]")


# A run of characters in a Chinese text is Japanese if it has more kana than this.
_KANA_SHARE = 0.25


class BorrowingReader(Reader):
    """Reads a language that also has words in Latin script."""

    @abstractmethod
    def knows(self, word: str) -> bool:
        """Tell whether this reader reads a word in Latin letters itself."""


class Run(NamedTuple):
    """Words in one language, or a mark.

    Attributes:
        language: its code. A mark has the language of the words before it.
        position: index of the span that it comes from.
        span: the words.
    """

    language: str
    position: int
    span: Span


def route(
    spans: Sequence[Span], language: str, knows: Callable[[str], bool] = lambda word: False
) -> list[Run]:
    """Return the spans, cut where the language changes.

    In Japanese and Chinese, words in Latin letters are English. In the other languages, Chinese
    characters are Japanese if the text has kana anywhere, and otherwise Chinese. Words in one of
    `SCRIPTS` are of its language; other scripts stay with `language`. So do words that have an
    override. Digits and signs stay with the letters that they touch.

    Args:
        spans: the spans of one text.
        language: code of the language that the text is in.
        knows: tells whether Latin letters are a word of `language`.
    """
    is_japanese = any(_KANA_LETTERS.search(span.text.text) for span in spans)
    runs: list[Run] = []
    for position, span in enumerate(spans):
        if span.is_mark or (span.override is not None and span.override.phonemes is not None):
            last = runs[-1].language if runs and span.is_mark else language
            runs.append(Run(last, position, span))
            continue
        cuts = _cuts(span.text.text, language, knows, is_japanese=is_japanese)
        for said_in, start, end in cuts:
            words = span.text[start:end].stripped()
            if words:
                apart = any(
                    near.isspace() for near in span.text.text[max(start - 1, 0) : start + 1]
                )
                joined = span.joined if start == 0 else not apart
                runs.append(Run(said_in, position, Span(words, False, span.override, joined)))
    return runs


class MixedReader(Reader):
    """Reads texts in several scripts, each with the reader of its language.

    Args:
        language: code of the language that the text is in.
        find: returns the reader of a language; raises LanguageUnavailableError if there is none.
    """

    def __init__(self, language: str, find: Callable[[str], Reader]) -> None:
        super().__init__(language)
        self._language = language
        self._find = find
        self._foreign = _foreign_to(language)

    def skipped(self, text: TracedText) -> list[int]:
        """Return the indexes of meaningful characters that no reader would say, in order.

        The reader of their script would skip them, or nothing installed here reads it.

        Raises:
            LanguageUnavailableError: nothing installed here reads the language of the text.
        """
        found: list[int] = []
        for said_in, places in self._places(text.text).items():
            said = concatenate(text[start:end] for start, end in places)
            try:
                skipped = self._find(said_in).skipped(said)
            except LanguageUnavailableError:
                if said_in == self._language:
                    raise
                skipped = [at for at, letter in enumerate(said.text) if is_meaningful(letter)]
            if skipped:
                at = list(chain.from_iterable(range(start, end) for start, end in places))
                found += [at[index] for index in skipped]
        return sorted(found)

    def check(self, text: TracedText) -> None:
        """Refuse meaningful characters that the reader of their script would skip.

        Raises:
            InvalidTextError: there is such a character; the message names the first one.
            LanguageUnavailableError: nothing installed here reads one of the scripts.
        """
        for said_in, places in self._places(text.text).items():
            self._find(said_in).check(concatenate(text[start:end] for start, end in places))

    def _places(self, text: str) -> dict[str, list[tuple[int, int]]]:
        """Return which parts of a text each language reads; its own language always has some."""
        if self._foreign.search(text) is None:
            return {self._language: [(0, len(text))]}
        is_japanese = _KANA_LETTERS.search(text) is not None
        places: dict[str, list[tuple[int, int]]] = {self._language: []}
        for line in _LINE.finditer(text):
            for said_in, start, end in _cuts(
                line[0], self._language, self._knows, is_japanese=is_japanese
            ):
                place = (line.start() + start, line.start() + end)
                places.setdefault(said_in, []).append(place)
        return places

    def read(self, spans: Sequence[Span]) -> list[Fragment]:
        """Return the fragment of each span, in order. The phoneme of a mark is the mark."""
        if not any(self._foreign.search(span.text.text) for span in spans):
            return self._find(self._language).read(spans)
        runs = route(spans, self._language, self._knows)
        fragments = self._read_own(runs)
        for said_in, group in groupby(enumerate(runs), lambda item: item[1].language):
            if said_in == self._language:
                continue
            positions, others = zip(*group, strict=True)
            said = self._find(said_in).read([run.span for run in others])
            for position, fragment in zip(positions, said, strict=True):
                fragments[position] = fragment
        whole: list[Fragment] = [SILENT] * len(spans)
        read = zip(runs, fragments, strict=True)
        for index, parts in groupby(read, lambda item: item[0].position):
            whole[index] = _joined(fragment for _, fragment in parts)
        return whole

    def _read_own(self, runs: Sequence[Run]) -> list[Fragment]:
        """Read the words in the text's own language. The others are context and stay silent."""
        spans = [
            run.span
            if run.language == self._language or run.span.is_mark
            else run.span._replace(override=Override(*run.span.text.span, phonemes=""))
            for run in runs
        ]
        return self._find(self._language).read(spans)

    def _knows(self, word: str) -> bool:
        reader = self._find(self._language)
        return isinstance(reader, BorrowingReader) and reader.knows(word)


def _cuts(
    text: str, language: str, knows: Callable[[str], bool], *, is_japanese: bool
) -> list[tuple[str, int, int]]:
    """Return the language of each part of a text, in order and without gaps."""
    cuts: list[tuple[str, int, int]] = []
    for match in _STRETCH.finditer(text):
        start = cuts[-1][2] if cuts else 0
        for said_in, first, last in _languages(match, language, knows, is_japanese=is_japanese):
            if start < first:
                between = _between(text[start:first], cuts[-1][0] if cuts else None, said_in)
                cuts.append((between or language, start, first))
            cuts.append((said_in, first, last))
            start = last
    end = cuts[-1][2] if cuts else 0
    if end < len(text):
        said_in = cuts[-1][0] if cuts and not text[end].isspace() else language
        cuts.append((said_in, end, len(text)))
    return list(_merged(cuts))


def _languages(
    stretch: re.Match[str], language: str, knows: Callable[[str], bool], *, is_japanese: bool
) -> Iterator[tuple[str, int, int]]:
    """Yield the language of each part of a run of letters."""
    start, end = stretch.span()
    if stretch.lastgroup is not None and stretch.lastgroup in SCRIPTS:
        yield stretch.lastgroup, start, end
    elif stretch.lastgroup == "latin":
        # Several words are a quotation, even if each one is a loanword.
        is_borrowed = language in _EAST_ASIAN and " " not in stretch[0] and knows(stretch[0])
        yield "en-us" if language in _EAST_ASIAN and not is_borrowed else language, start, end
    elif language == "zh":
        n_kana = sum(map(len, _KANA_LETTERS.findall(stretch[0])))
        if n_kana > _KANA_SHARE * (end - start):
            yield "ja", start, end
            return
        done = start
        for kana in _KANA_LETTERS.finditer(stretch[0]):
            first, last = start + kana.start(), start + kana.end()
            if done < first:
                yield "zh", done, first
            yield "ja", first, last
            done = last
        if done < end:
            yield "zh", done, end
    else:
        yield "ja" if is_japanese or language == "ja" else "zh", start, end


def _between(text: str, before: str | None, after: str) -> str | None:
    """Return the language of the characters between two runs, None for the language of the text.

    Characters that touch a letter are read with it; free-standing ones are not.
    """
    if before is not None and (before == after or not text[0].isspace()):
        return before
    return after if text.isspace() or not text[-1].isspace() else None


def _merged(cuts: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    for said_in, group in groupby(cuts, lambda cut: cut[0]):
        parts = list(group)
        yield said_in, parts[0][1], parts[-1][2]


def _joined(fragments: Iterable[Fragment]) -> Fragment:
    """Return the fragments of one span, joined by spaces."""
    phonemes = ""
    words: list[Word] = []
    for fragment in fragments:
        if not fragment.phonemes:
            continue
        start = len(phonemes) + bool(phonemes)
        phonemes += (" " if phonemes else "") + fragment.phonemes
        words += [
            replace(
                word,
                phonemes_start=start + word.phonemes_start,
                phonemes_end=start + word.phonemes_end,
            )
            for word in fragment.words
        ]
    return Fragment(phonemes, tuple(words))
