"""Convert text to phonemes of Kokoro's vocabulary, in every language that has a reader."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeVar

from service.errors import ServiceError, TextTooLongError
from service.text import punctuation
from service.text.characters import clean_text, is_meaningful, is_silent, silenced
from service.text.document import elements, structure
from service.text.document.spoken import flatten
from service.text.espeak import Espeak
from service.text.languages import LANGUAGES
from service.text.lattice.reader import Decision
from service.text.markup.passages import Hint, Passage
from service.text.mixed import MixedReader
from service.text.normalization import USUAL, Normalization, normalize, normalizer
from service.text.offset_mapping import TracedText
from service.text.omissions import with_omissions
from service.text.reader import Fragment, indexes
from service.text.readers import EspeakSounds, Readers
from service.text.reading import Reading, Word, merge
from service.text.spans import Override, Span
from service.text.text_blocks import BLOCK_LENGTH, blocks
from service.text.turn import Turn
from service.text.user_lexicon import UserLexicon
from service.text.vocabulary import Vocabulary, load_vocabulary

MAX_GROWTH = 128
"""How many times as long a block of the usual length may become in words. One character becomes 64
at most, and one of the caller's lexicon as many as that allows."""

READ_AT_ONCE = BLOCK_LENGTH
"""Length up to which a whole text is read before speech starts."""

_NAMED_EMOJI = replace(USUAL, emoji="name")
_MOST_NAMED = 16
"""Characters of a text of nothing but emoji that are named; one emoji has up to ten."""

_FIRST_TEXT = "1."
"""Needs text normalization and G2P, and can be read in every language."""

_PROBED_KEPT = 8192
"""Number of characters for which the check's result is kept. A Chinese text has some 3,000."""

Marked = TypeVar("Marked", Override, Hint)


class FrontEnd:
    """Converts text to phonemes. Safe to share between threads.

    Args:
        espeak: the library. If None, it is searched for when it is first needed, so languages and
            vocabulary are available on a machine without it.
        lexicon: pronunciations that the operator of the service sets.
        emoji: whether emoji are named or dropped.
        strict: whether a text with a letter, number or currency sign that cannot be read is
            refused. Otherwise they are dropped, and `Reading.dropped` tells of them.
        vocabulary: of the model; that of Kokoro v1.0 if it is left out.

    Attributes:
        lexicon: as above. It may be replaced at any time; later texts use the new one.
        readers: the readers of the languages.
        named_emoji: whether emoji are named.
        strict: as above.
        vocabulary: as above.
    """

    def __init__(
        self,
        espeak: Espeak | None = None,
        *,
        lexicon: UserLexicon | None = None,
        emoji: Literal["drop", "name"] = "drop",
        strict: bool = False,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.vocabulary = vocabulary or load_vocabulary()
        self.lexicon = lexicon or UserLexicon()
        self._turn = Turn()
        self.readers = Readers(
            espeak,
            strict=strict,
            loading=self._turn.given_away,
            vocabulary=self.vocabulary,
        )
        self.named_emoji = emoji == "name"
        self.strict = strict
        self._can_read = lru_cache(_PROBED_KEPT)(self._can_read_anew)

    def of_model(
        self, vocabulary: Vocabulary, tables: Mapping[str, EspeakSounds] | None = None
    ) -> FrontEnd:
        """Return one for another model, which shares readers with this; see `Readers.of_model`."""
        other = copy(self)
        other.vocabulary = vocabulary
        other.readers = self.readers.of_model(vocabulary, tables)
        return other

    def check(
        self,
        passage: Passage,
        language: str,
        *,
        normalization: Normalization | None = USUAL,
        lexicon: UserLexicon | None = None,
    ) -> None:
        """Refuse what a strict front end refuses, before `read` reaches it; arguments as there.

        Raises:
            ServiceError: as `read` does.
        """
        if not self.strict:
            return
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

        A block with nothing to pronounce has none. A long text is read while it is being spoken.

        Args:
            passage: text with its overrides and hints.
            language: code of one of `LANGUAGES`.
            normalization: how the text is normalized before it is read; None for not at all.
            lexicon: of this text, laid over the front end's own.

        Raises:
            LanguageUnavailableError: nothing installed here reads the language.
            InvalidTextError: if it is strict: the language has no reading for a letter, number or
                currency sign, or a word crashes espeak-ng.
            UnknownSymbolError: if it is strict: a word has a sound for which the vocabulary has no
                symbol.
            TextTooLongError: a block becomes too long; see `MAX_GROWTH`.
            EspeakError: espeak-ng is needed but cannot be used.
        """
        self._load(language, normalization)
        applied = self.lexicon if lexicon is None else lexicon.over(self.lexicon)
        told = 0  # of the passage's characters
        for block in _blocks(passage, normalization):
            with self._turn:
                reading = self._read_block(block, language, normalization, applied)
                if not reading.phonemes and _is_whole(block, passage) and normalization == USUAL:
                    # Nothing but emoji, as in an answer in a chat.
                    reading = self._read_block(block, language, _NAMED_EMOJI, applied)
            end = max(told, passage.text.within(0, block.text.span[1])[1])
            yield with_omissions(reading, passage.text[told:end])
            told = end
        rest = with_omissions(Reading(""), passage.text[told:])
        if rest.dropped:
            yield rest

    def explain(
        self,
        passage: Passage,
        language: str,
        *,
        normalization: Normalization | None = USUAL,
        lexicon: UserLexicon | None = None,
    ) -> None:
        """Raise what a strict front end would for a character that has no reading in a language.

        Characters that nobody reads in any language are no reason. Arguments are those of `read`.

        Raises:
            InvalidTextError: the language has no reading for a letter, number or currency sign.
            LanguageUnavailableError: nothing installed here reads it.
        """
        applied = self.lexicon if lexicon is None else lexicon.over(self.lexicon)
        reader = MixedReader(language, self.readers.get)
        for block in _blocks(passage, normalization):
            with self._turn:
                text, overrides, _ = self._normalize(block, language, normalization, applied)
                reader.check(_hidden(text, overrides))

    def decisions(
        self,
        passage: Passage,
        language: str,
        *,
        normalization: Normalization | None = USUAL,
        lexicon: UserLexicon | None = None,
    ) -> Iterator[Decision]:
        """Yield what is decided about the readings of a passage; arguments and errors as of `read`.

        There is nothing to decide where a language has no grammars.
        """
        self._load(language, normalization)
        if normalization is None:
            return
        applied = self.lexicon if lexicon is None else lexicon.over(self.lexicon)
        for block in _blocks(passage, normalization):
            text, _, fixed, _ = self._prepared(block, language, applied)
            yield from normalizer.explain(
                text,
                language,
                hints=block.hints,
                fixed=fixed,
                choices=normalization,
                named_emoji=self.named_emoji,
            )

    def length_in_words(
        self,
        passage: Passage,
        language: str,
        *,
        normalization: Normalization | None = USUAL,
        lexicon: UserLexicon | None = None,
    ) -> Iterator[int]:
        """Yield how long each block of a passage is in words; arguments and errors as of `read`.

        It takes a third of the time of `read`.
        """
        self._load(language, normalization)
        applied = self.lexicon if lexicon is None else lexicon.over(self.lexicon)
        for block in _blocks(passage, normalization):
            with self._turn:
                text, *_ = self._normalize(block, language, normalization, applied)
            yield len(text)

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

    def _load(self, language: str, normalization: Normalization | None) -> None:
        """Load a language before the turn to read it, so that others are read meanwhile."""
        self.readers.get(language)
        if normalization is not None:
            normalizer.load(language, normalization, named_emoji=self.named_emoji)

    def _read_block(
        self,
        block: Passage,
        language: str,
        normalization: Normalization | None,
        lexicon: UserLexicon,
    ) -> Reading:
        text, overrides, silent = self._normalize(block, language, normalization, lexicon)
        reader = MixedReader(language, self.readers.get)
        hidden = _hidden(text, overrides)
        if self.strict:
            reader.check(hidden)
        else:
            text = _blanked(text, [*reader.skipped(hidden), *_silent(hidden.text)])
        spans = punctuation.split(text, overrides)
        reading = _compose(block.text, text.text.strip(), spans, reader.read(spans))
        if not self.vocabulary.is_pronounceable(reading.phonemes):
            reading = Reading("", normalized=reading.normalized)
        return replace(reading, dropped=tuple(silent))

    def _normalize(
        self,
        block: Passage,
        language: str,
        normalization: Normalization | None,
        lexicon: UserLexicon,
    ) -> tuple[TracedText, list[Override], list[tuple[int, int]]]:
        """Return the words of a block, all overrides in it, and what nobody reads."""
        text, overrides, fixed, silent = self._prepared(block, language, lexicon)
        if normalization is not None:
            text = normalize(
                text,
                language,
                hints=block.hints,
                fixed=fixed,
                choices=normalization,
                named_emoji=self.named_emoji,
            )
            _check_growth(text, block)
        return text, overrides, silent

    def _prepared(
        self, block: Passage, language: str, lexicon: UserLexicon
    ) -> tuple[TracedText, list[Override], list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the clean text of a block, its overrides, what is fixed, and what nobody reads."""
        text = clean_text(block.text, keep_joiners=LANGUAGES[language].keeps_joiners)
        text, added = lexicon.apply(text, language, _spans(block))
        _check_growth(text, block)
        overrides = sorted((*block.overrides, *added), key=lambda override: override.start)
        fixed = [(o.start, o.end) for o in overrides if o.phonemes is not None]
        silent: list[tuple[int, int]] = []
        if not self.strict:
            text, silent = silenced(text, fixed)
        return text, overrides, fixed, silent

    def _can_read_anew(
        self, character: str, language: str, normalization: Normalization | None
    ) -> bool:
        try:
            with self._turn:
                passage = Passage(TracedText(character))
                self._read_block(passage, language, normalization, self.lexicon)
        except ServiceError:
            return False
        return True


def words_of(text: TracedText, normalization: Normalization | None) -> TracedText:
    """Return what is said of a text, by its tree."""
    choices = None if normalization is None else normalization.of_document
    if choices is None:
        return text
    text = elements.unescaped(text)
    return flatten(structure.parse(text.text), choices).text.of(text)


def _blocks(passage: Passage, normalization: Normalization | None) -> Iterator[Passage]:
    """Yield the blocks of a passage, which have the words of its tree and no markup."""
    text = passage.words if passage.words is not None else words_of(passage.text, normalization)
    kept = sorted(text.within(*span) for span in _spans(passage))
    for start, end in blocks(text.text, kept):
        part = text[start:end]
        yield Passage(
            part,
            overrides=_inside(passage.overrides, *part.span),
            hints=_inside(passage.hints, *part.span),
        )


def _check_growth(text: TracedText, block: Passage) -> None:
    limit = MAX_GROWTH * max(len(block.text), BLOCK_LENGTH)
    if len(text) > limit:
        raise TextTooLongError(
            f"{len(block.text)} characters of the text become {len(text)} in words; the limit is "
            f"{limit}"
        )


def _is_whole(block: Passage, passage: Passage) -> bool:
    """Tell whether a block has all signs of a passage, which are few: a name has 40 letters."""
    length = len(passage.text.text.strip())
    return len(block.text.text.strip()) == length <= _MOST_NAMED


def _silent(text: str) -> list[int]:
    """Return where a text has characters that nobody reads."""
    if text.isascii():
        return []
    silent = {character for character in set(text) if is_silent(character)}
    return indexes(text, silent) if silent else []


def _inside(marked: Sequence[Marked], start: int, end: int) -> tuple[Marked, ...]:
    """Return the items that start in a span of the caller's text."""
    if not marked:
        return ()
    first, last = (
        bisect_left(marked, place, key=lambda part: part.start) for place in (start, end)
    )
    return tuple(marked[first:last])


def _spans(passage: Passage) -> list[tuple[int, int]]:
    """Return the spans of the caller's text that have overrides or hints, in order."""
    overrides = [(override.start, override.end) for override in passage.overrides]
    return sorted([*overrides, *((hint.start, hint.end) for hint in passage.hints)])


def _hidden(text: TracedText, overrides: Sequence[Override]) -> TracedText:
    """Return the text, of the same length, without the words whose phonemes are given."""
    ranges = (text.within(o.start, o.end) for o in overrides if o.phonemes is not None)
    return _blanked(text, list(chain.from_iterable(range(start, end) for start, end in ranges)))


def _blanked(text: TracedText, places: Sequence[int]) -> TracedText:
    """Return the text with spaces in place of some characters."""
    if not places:
        return text
    characters = list(text.text)
    for index in places:
        characters[index] = " "
    return text.respelled(characters)


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
            replace(
                word,
                phonemes_start=start + word.phonemes_start,
                phonemes_end=start + word.phonemes_end,
            )
            for word in fragment.words
        ]
    return Reading(phonemes, merge(words, phonemes, text), normalized, tuple(unbroken))
