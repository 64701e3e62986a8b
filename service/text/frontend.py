"""Convert text to phonemes of Kokoro's vocabulary, in every language that has a reader."""

from __future__ import annotations

import threading
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeVar

from service.errors import ServiceError
from service.text import punctuation
from service.text.characters import clean_text, is_meaningful
from service.text.espeak import Espeak
from service.text.markup.passages import Hint, Passage
from service.text.mixed import MixedReader
from service.text.normalization import USUAL, Normalization, normalize
from service.text.normalization.fenced_code import without_code
from service.text.offset_mapping import TracedText, concatenate
from service.text.reader import Fragment
from service.text.readers import Readers
from service.text.reading import Reading, Word, merge
from service.text.spans import Override, Span
from service.text.text_blocks import BLOCK_LENGTH, blocks
from service.text.user_lexicon import UserLexicon
from service.text.vocabulary import load_vocabulary

READ_AT_ONCE = BLOCK_LENGTH
"""Length up to which a whole text is read before speech starts."""

_FIRST_TEXT = "1."
"""Needs text normalization and G2P, and can be read in every language."""

_PROBED_KEPT = 8192
"""Number of characters for which the check's result is kept. A Chinese text has some 3,000."""

Marked = TypeVar("Marked", Override, Hint)

# Major categories of what a listener may miss: letters, numbers, symbols and marks.
_NOTICEABLE = ("L", "N", "S", "P")


class FrontEnd:
    """Converts text to phonemes. Safe to share between threads.

    Args:
        espeak: the library. If None, it is searched for when it is first needed, so languages and
            vocabulary are available on a machine without it.
        lexicon: pronunciations that the operator of the service sets.
        emoji: whether emoji are named or dropped.

    Attributes:
        lexicon: as above. It may be replaced at any time; later texts use the new one.
        readers: the readers of the languages.
        named_emoji: whether emoji are named.
    """

    def __init__(
        self,
        espeak: Espeak | None = None,
        *,
        lexicon: UserLexicon | None = None,
        emoji: Literal["drop", "name"] = "drop",
    ) -> None:
        self.lexicon = lexicon or UserLexicon()
        self.readers = Readers(espeak)
        self.named_emoji = emoji == "name"
        # Python runs one thread at a time, and each ready thread delays the event loop: with 16
        # threads reading at once, by a second.
        self._reading = threading.Lock()
        self._can_read = lru_cache(_PROBED_KEPT)(self._can_read_anew)

    def check(
        self,
        passage: Passage,
        language: str,
        *,
        normalization: Normalization | None = USUAL,
        lexicon: UserLexicon | None = None,
    ) -> None:
        """Refuse characters that cannot be read, before `read` reaches them; arguments as there.

        Raises:
            ServiceError: as `read` does.
        """
        respellings = () if lexicon is None else lexicon.respellings
        characters = dict.fromkeys(chain(passage.text.text, *respellings))
        if not all(
            self._can_read(character, language, normalization)
            for character in characters
            if not character.isascii() and is_meaningful(character)
        ):
            # A rule may rewrite the character. Only the whole text decides.
            for _ in self.read(passage, language, normalization=normalization, lexicon=lexicon):
                pass

    def read(
        self,
        passage: Passage,
        language: str,
        *,
        normalization: Normalization | None = USUAL,
        lexicon: UserLexicon | None = None,
    ) -> Iterator[Reading]:
        """Yield the phonemes of a passage, block by block; joined by spaces, they are complete.

        Silent text yields nothing. A long text is read while it is being spoken.

        Args:
            passage: text with its overrides and hints.
            language: code of one of `LANGUAGES`.
            normalization: how the text is normalized before it is read; None for not at all.
            lexicon: of this text, laid over the front end's own.

        Raises:
            LanguageUnavailableError: nothing installed here reads the language.
            InvalidTextError: the language has no reading for a letter, number or currency sign, or
                a word crashes espeak-ng.
            UnknownSymbolError: a word has a sound for which the vocabulary has no symbol.
            EspeakError: espeak-ng is needed but cannot be used.
        """
        text = passage.text
        if normalization is not None and normalization.code == "skip":
            text = without_code(text)
        applied = self.lexicon if lexicon is None else lexicon.over(self.lexicon)
        kept = sorted(text.within(*span) for span in _spans(passage))
        for start, end in blocks(text.text, kept):
            part = text[start:end]
            block = Passage(
                part,
                overrides=_inside(passage.overrides, *part.span),
                hints=_inside(passage.hints, *part.span),
            )
            with self._reading:
                reading = self._read_block(block, language, normalization, applied)
            if load_vocabulary().is_pronounceable(reading.phonemes):
                yield reading

    def warm_up(self, language: str) -> None:
        """Load what the first text of a language needs: up to a second's work, or several.

        Args:
            language: code of one of `LANGUAGES`.

        Raises:
            LanguageUnavailableError: nothing installed here reads the language.
            EspeakError: espeak-ng is needed but cannot be used.
        """
        for _ in self.read(Passage(TracedText(_FIRST_TEXT)), language):
            pass

    def _read_block(
        self,
        block: Passage,
        language: str,
        normalization: Normalization | None,
        lexicon: UserLexicon,
    ) -> Reading:
        # Devanagari needs joiners.
        text = clean_text(block.text, keep_joiners=language == "hi")
        text, added = lexicon.apply(text, language, _spans(block))
        overrides = sorted((*block.overrides, *added), key=lambda override: override.start)
        if normalization is not None:
            text = normalize(
                text,
                language,
                hints=block.hints,
                fixed=[(o.start, o.end) for o in overrides if o.phonemes is not None],
                choices=normalization,
                named_emoji=self.named_emoji,
            )
        reader = MixedReader(language, self.readers.get)
        reader.check(_without(text, overrides))
        spans = punctuation.split(text, overrides)
        return _compose(block.text, text.text.strip(), spans, reader.read(spans))

    def _can_read_anew(
        self, character: str, language: str, normalization: Normalization | None
    ) -> bool:
        try:
            with self._reading:
                passage = Passage(TracedText(character))
                self._read_block(passage, language, normalization, self.lexicon)
        except ServiceError:
            return False
        return True


def dropped(passage: Passage, readings: Sequence[Reading]) -> list[tuple[int, int]]:
    """Return which parts of a passage are not spoken, as spans of the caller's text.

    These are letters, numbers, symbols and marks that belong to no word of the readings: dropped
    emoji, the marks of Markdown, names of tags, the language of a fenced code block. Marks that
    only shape a sentence, such as commas and quotes, are not among them.
    """
    said = iter(chain.from_iterable(reading.words for reading in readings))
    word = next(said, None)
    spans: list[tuple[int, int]] = []
    for index, character in enumerate(passage.text.text):
        is_noticeable = unicodedata.category(character)[0] in _NOTICEABLE
        if not is_noticeable or punctuation.has_no_words(character):
            continue
        start, end = passage.text[index : index + 1].span
        while word is not None and word.text_end <= start:
            word = next(said, None)
        if word is not None and word.text_start < end:
            continue
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _inside(marked: Sequence[Marked], start: int, end: int) -> tuple[Marked, ...]:
    """Return the items that start in a span of the caller's text."""
    first, last = (
        bisect_left(marked, place, key=lambda part: part.start) for place in (start, end)
    )
    return tuple(marked[first:last])


def _spans(passage: Passage) -> list[tuple[int, int]]:
    """Return the spans of the caller's text that have overrides or hints, in order."""
    overrides = [(override.start, override.end) for override in passage.overrides]
    return sorted([*overrides, *((hint.start, hint.end) for hint in passage.hints)])


def _without(text: TracedText, overrides: Sequence[Override]) -> TracedText:
    """Return the text without the words whose phonemes are given."""
    parts: list[TracedText] = []
    done = 0
    for override in overrides:
        if override.phonemes is not None:
            start, end = text.within(override.start, override.end)
            parts.append(text[done:start])
            done = end
    return concatenate([*parts, text[done:]]) if parts else text


def _compose(
    text: TracedText, normalized: str, spans: Sequence[Span], fragments: Sequence[Fragment]
) -> Reading:
    """Join the fragments of a text in the order of its spans."""
    spaced = punctuation.space([fragment.phonemes for fragment in fragments], spans)
    phonemes = "".join(spaced)
    words: list[Word] = []
    unbroken: list[tuple[int, int]] = []
    end = 0
    for span, fragment, spaced_phonemes in zip(spans, fragments, spaced, strict=True):
        end += len(spaced_phonemes)
        start = end - len(fragment.phonemes)
        if span.override is not None:
            unbroken.append((start, end))
        words += [
            Word(
                word.text_start,
                word.text_end,
                start + word.phonemes_start,
                start + word.phonemes_end,
            )
            for word in fragment.words
        ]
    return Reading(phonemes, merge(words, phonemes, text), normalized, tuple(unbroken))
