"""A subset of SSML, the W3C's Speech Synthesis Markup Language.

docs/markup.md lists the elements and attributes. All others are errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NoReturn
from xml.parsers import expat

from service.errors import LanguageUnavailableError, MarkupError
from service.text.markup.composition import Composition, FoldedText
from service.text.markup.elements import (
    BLOCKS,
    ONLY_TEXT,
    Element,
    alias_of,
    break_s,
    check_characters,
    check_element,
    interpretation_of,
    phonemes_of,
    styled,
)
from service.text.markup.passages import Passage, Pause
from service.text.markup.values import is_blank
from service.text.offset_mapping import TracedText
from service.text.stress import shift

MAX_DEPTH = 64
"""How deep elements may be nested. Hardly any document needs ten levels."""

# The white space of XML. Other spaces are ordinary characters. A single space stays inside a run of
# words.
_SPACES = " \t\r\n"
_ONE_SPACE = dict.fromkeys(map(ord, _SPACES), " ")
_LITERAL = re.compile(r"[ \t\r\n]+|[^ \t\r\n]+(?:[ \t\r\n][^ \t\r\n]+)*")
_RUN = re.compile(r"(?P<reference>&[^&;]+;)|[ \t\r\n]+|[^ \t\r\n&]+(?:[ \t\r\n][^ \t\r\n&]+)*")

_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

# A tag with its attributes, whose values may hold `>`.
_TAG = re.compile(r"""<[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>""")


def parse(text: str, language: str | None = None) -> list[Passage | Pause]:
    """Return the passages and pauses of an SSML document, in order.

    White space is folded. A blank line marks where a sentence or a paragraph begins or ends.
    Passages without visible text are left out.

    Args:
        text: the document. Offsets of passages, overrides and hints refer to it.
        language: code of the language if the document names neither a language nor a voice. It
            decides how IPA in `phoneme` is converted.

    Raises:
        MarkupError: the document is malformed or unsafe, or uses something that is not supported.
            The message has the reason and the position; the first character is number 1.
        LanguageUnavailableError: `xml:lang` names an unknown language.
    """
    return _Parser(text, language).parse()


class _Parser:
    """One pass over one document."""

    def __init__(self, text: str, language: str | None) -> None:
        self._text = text
        self._source = TracedText(text)
        self._bytes = text.encode("utf-8", "surrogatepass")
        self._language = language
        self._open: list[Element] = []
        # The same position in bytes, as expat counts, and in characters.
        self._byte = self._offset = 0
        # End of the last tag, comment or other markup.
        self._done = 0
        self._composition = Composition()
        # The text of an open element whose words are not read as written.
        self._inner: FoldedText | None = None

    def parse(self) -> list[Passage | Pause]:
        # This encoding overrides an XML declaration, which does not apply to decoded text.
        parser = self._expat = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CommentHandler = self._comment
        parser.StartCdataSectionHandler = self._start_cdata
        parser.EndCdataSectionHandler = self._end_cdata
        # Without a document type there are only XML's five entities, and nothing external.
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse("a document type")
        parser.ProcessingInstructionHandler = lambda *_: self._refuse("a processing instruction")
        try:
            parser.Parse(self._bytes, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            place = self._place(self._offset_of(parser.ErrorByteIndex))
            raise MarkupError(f"this is not well-formed SSML: {reason}, at {place}") from None
        finally:
            del self._expat  # its handlers refer to this object
        return self._composition.finish()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        start = self._here()
        self._take(start)
        self._check(name, attributes, parent)
        element = Element(name, attributes, start, self._tag_end(start))
        self._done = element.content_start
        if parent is not None:
            element = replace(element, voice_settings=parent.voice_settings, stress=parent.stress)
        try:
            element = styled(element)
        except ValueError as error:
            self._fail(f"<{name}>: {error}")
        except LanguageUnavailableError as error:
            message = f"<{name}>: {error}, at {self._place(start)}"
            raise LanguageUnavailableError(message) from None
        if name in BLOCKS:
            self._composition.end_sentence(self._source[start : element.content_start])
        if name in ONLY_TEXT:
            self._inner = FoldedText()
        self._open.append(element)

    def _check(self, name: str, attributes: Mapping[str, str], parent: Element | None) -> None:
        if len(self._open) == MAX_DEPTH:
            self._fail(f"elements are nested more than {MAX_DEPTH} deep")
        try:
            check_element(name, attributes, parent)
        except ValueError as error:
            self._fail(str(error))

    def _end(self, name: str) -> None:
        start = self._here()
        self._take(start)
        element = self._open.pop()
        # For both `<break/>` and `<break></break>`, expat is after the first tag here.
        is_empty_tag = self._text.endswith("/>", 0, start) and start == element.content_start
        end = self._done = start if is_empty_tag else self._tag_end(start)
        try:
            if name in BLOCKS:
                tag_start = element.start if is_empty_tag else start
                self._composition.end_sentence(self._source[tag_start:end])
            elif name == "break":
                self._composition.add_pause(Pause(break_s(element.attributes), element.start, end))
            elif self._inner is not None:
                inner, self._inner = self._inner, None
                self._add_element(element, inner.text, self._source[element.start : end])
                if inner.space is not None:
                    self._composition.add_space(inner.space)
        except ValueError as error:
            raise MarkupError(f"<{name}>: {error}, at {self._place(element.start)}") from None

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

    def _take(self, end: int, *, is_literal: bool = False) -> None:
        """Add the text from the last tag up to `end`.

        Expat has checked that it is well-formed, but reports it in fragments that are too small.
        """
        start, self._done = self._done, end
        if start == end or not self._open:
            return
        element = self._open[-1]
        for match in (_LITERAL if is_literal else _RUN).finditer(self._text, start, end):
            run = self._source[match.start() : match.end()]
            if match.lastgroup == "reference":
                # The span of the character is all of `&amp;`.
                run = run.rewritten(self._referred(match[0], match.start()))
            if run.text[0] in _SPACES:
                # White space before the words of an element goes before the element.
                (self._inner or self._composition).add_space(run)
                continue
            if element.name == "break":
                self._fail("<break> must not contain text", match.start())
            words = run.translate(_ONE_SPACE)
            if self._inner is None:
                self._composition.add(words, element.voice_settings, element.stress)
            else:
                self._inner.add(words)

    def _referred(self, reference: str, offset: int) -> str:
        """Return the character of `&amp;` or `&#38;`. Expat refuses all other entities."""
        name = reference[1:-1]
        if not name.startswith("#"):
            return _ENTITIES[name]
        character = chr(int(name[2:], 16) if name.startswith("#x") else int(name[1:]))
        try:
            check_characters(character)
        except ValueError as error:
            self._fail(str(error), offset)
        return character

    def _comment(self, _: str) -> None:
        start = self._here()
        self._take(start)
        self._done = self._text.index("-->", start) + len("-->")

    def _start_cdata(self) -> None:
        start = self._here()
        self._take(start)
        self._done = start + len("<![CDATA[")

    def _end_cdata(self) -> None:
        end = self._here()
        self._take(end, is_literal=True)
        self._done = end + len("]]>")

    def _here(self) -> int:
        """Return the position of expat, in code points."""
        at = self._expat.CurrentByteIndex
        self._offset += len(self._bytes[self._byte : at].decode("utf-8"))
        self._byte = at
        return self._offset

    def _offset_of(self, byte: int) -> int:
        return len(self._bytes[:byte].decode("utf-8", "ignore"))

    def _tag_end(self, start: int) -> int:
        tag = _TAG.match(self._text, start)
        assert tag is not None
        return tag.end()

    def _refuse(self, what: str) -> NoReturn:
        self._fail(f"{what} is not allowed")

    def _fail(self, reason: str, offset: int | None = None) -> NoReturn:
        """Raise MarkupError for `offset`, or for the position of expat."""
        place = self._place(self._here() if offset is None else offset)
        raise MarkupError(f"{reason}, at {place}")

    def _place(self, offset: int) -> str:
        line = self._text.count("\n", 0, offset) + 1
        column = offset - self._text.rfind("\n", 0, offset)
        return f"line {line}, column {column} (position {offset + 1} of the text)"
