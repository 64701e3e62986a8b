"""SSML 1.1, the W3C's Speech Synthesis Markup Language, and what the clouds add to it.

docs/markup.md lists the elements and attributes. By default what cannot be done is ignored and
told; strict mode knows a subset, of which everything is done, and refuses all else.
"""

from __future__ import annotations

import re
from dataclasses import replace

from service.errors import LanguageUnavailableError
from service.text.markup.composition import FoldedText
from service.text.markup.document_walk import DocumentWalk
from service.text.markup.elements import (
    BLOCKS,
    ONLY_TEXT,
    Element,
    alias_of,
    break_s,
    check_element,
    interpretation_of,
    phonemes_of,
    styled,
)
from service.text.markup.notes import Notes
from service.text.markup.passages import Passage, Pause
from service.text.markup.tolerant import TolerantWalk
from service.text.markup.values import is_blank
from service.text.offset_mapping import TracedText
from service.text.stress import shift

_OPENING = re.compile(r"[\s\ufeff]*<(?:\?xml\s|(?:\w+:)?speak[\s>/])", re.ASCII | re.IGNORECASE)


def opens(text: str) -> bool:
    """Tell whether a text begins as an SSML document does: with an XML prolog or `<speak`."""
    return _OPENING.match(text) is not None


def parse(
    text: str, language: str | None = None, notes: Notes | None = None
) -> list[Passage | Pause]:
    """Return the passages and pauses of an SSML document, in order.

    White space is folded. A blank line marks where a sentence or a paragraph begins or ends.
    Passages without visible text are left out. Nothing is fetched.

    Args:
        text: the document. Offsets of passages, overrides and hints refer to it.
        language: code of the language if the document names neither a language nor a voice. It
            decides how phonemes are converted.
        notes: is told of marks, and of what is ignored; None for strict mode.

    Raises:
        MarkupError: the document is malformed or unsafe, or, in strict mode, uses something that
            is not supported. The message has the reason and the position; the first character is
            number 1.
        LanguageUnavailableError: in strict mode: `xml:lang` names an unknown language.
    """
    if notes is None:
        return _StrictWalk(text, language).walk()
    return TolerantWalk(text, language, notes).walk()


class _StrictWalk(DocumentWalk):
    """Reads what docs/markup.md lists under strict mode, and refuses all else.

    Args:
        text: the document.
        language: of its text, if it names neither a language nor a voice.
    """

    def __init__(self, text: str, language: str | None) -> None:
        super().__init__(text, 0, {})
        self._language = language

    def _opened(self, element: Element, parent: Element | None) -> Element:
        name = element.name
        try:
            check_element(name, element.attributes, parent)
        except ValueError as error:
            self._fail(str(error))
        content_start = self._done = self._tag_end(element.start)
        element = replace(element, content_start=content_start)
        if parent is not None:
            element = replace(element, voice_settings=parent.voice_settings, stress=parent.stress)
        try:
            element = styled(element)
        except ValueError as error:
            self._fail(f"<{name}>: {error}")
        except LanguageUnavailableError as error:
            message = f"<{name}>: {error}, at {self._place(element.start)}"
            raise LanguageUnavailableError(message) from None
        if name in BLOCKS:
            self._composition.end_sentence(self._source[element.start : content_start])
        if name in ONLY_TEXT:
            self._inner = FoldedText()
        return element

    def _closed(self, element: Element, whole: TracedText, tag: TracedText) -> None:
        if element.name in BLOCKS:
            self._composition.end_sentence(tag)
        elif element.name == "break":
            self._composition.add_pause(Pause(break_s(element.attributes), *whole.span))
        elif self._inner is not None:
            inner, self._inner = self._inner, None
            self._add_element(element, inner.text, whole)
            if inner.space is not None:
                self._composition.add_space(inner.space)

    def _add_element(self, element: Element, words: TracedText, whole: TracedText) -> None:
        """Add the words of an element that sets their reading; `whole` is its complete source."""
        attributes, voice_settings = element.attributes, element.voice_settings
        if element.name == "sub":
            alias = alias_of(attributes)
            source = whole if is_blank(words.text) else words
            self._composition.add(source.rewritten(alias), voice_settings, element.stress)
            return
        if is_blank(words.text):
            raise ValueError("it contains no words")
        if element.name == "phoneme":
            phonemes = phonemes_of(attributes, voice_settings, self._language)
            if element.stress:
                phonemes = " ".join(shift(word, element.stress) for word in phonemes.split())
            self._composition.add_pronounced(words, phonemes, voice_settings)
            return
        interpretation, detail = interpretation_of(attributes)
        self._composition.add_interpreted(
            words, interpretation, detail, voice_settings, element.stress
        )

    def _check_words(self, element: Element, start: int) -> None:
        if element.name == "break":
            self._fail("<break> must not contain text", start)

    def _instructed(self, target: str, start: int) -> None:
        self._refuse("a processing instruction")
