"""The way through an SSML document: elements and runs of text, each with its place."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NoReturn
from xml.parsers import expat

from service.errors import MarkupError
from service.text.markup.composition import Composition, FoldedText
from service.text.markup.elements import Element, check_characters
from service.text.markup.passages import Passage, Pause
from service.text.offset_mapping import TracedText

MAX_DEPTH = 64
"""How deep elements may be nested. Hardly any document needs ten levels."""

# The white space of XML. Other spaces are ordinary characters. A single space stays inside a run of
# words.
_SPACES = " \t\r\n"
_ONE_SPACE = dict.fromkeys(map(ord, _SPACES), " ")
_LITERAL = re.compile(r"[ \t\r\n]+|[^ \t\r\n]+(?:[ \t\r\n][^ \t\r\n]+)*")
_RUN = re.compile(r"(?P<reference>&[^&;]+;)|[ \t\r\n]+|[^ \t\r\n&]+(?:[ \t\r\n][^ \t\r\n&]+)*")

_ENTITIES = {"amp;": "&", "lt;": "<", "gt;": ">", "quot;": '"', "apos;": "'"}
_NAMED = re.compile(r"&(?P<name>[A-Za-z][A-Za-z0-9]{0,31};)")

# A tag with its attributes, whose values may hold `>`.
_TAG = re.compile(r"""<[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>""")


class DocumentWalk(ABC):
    """One pass over one document, which subclasses give its meaning.

    Args:
        text: the document. Offsets refer to it.
        start: offset of what XML begins with.
        entities: what stands for the names of entities, besides those of XML; names end with `;`.
    """

    def __init__(self, text: str, start: int, entities: Mapping[str, str]) -> None:
        self._text = text
        self._source = TracedText(text)
        self._entities = {**entities, **_ENTITIES}
        # Expat knows no other entities than XML's, but characters by their numbers.
        known = _NAMED.sub(self._numbered, text[start:]) if entities else text[start:]
        self._bytes = known.encode("utf-8", "surrogatepass")
        self._open: list[Element] = []
        # The same position in bytes, as expat counts, and in characters.
        self._byte = 0
        self._offset = self._start_offset = start
        # End of the last tag, comment or other markup.
        self._done = start
        self._composition = Composition()
        # The last tag that no word goes on beyond, until there are words.
        self._parting: TracedText | None = None
        # The text of an open element whose words are not read as written.
        self._inner: FoldedText | None = None

    def walk(self) -> list[Passage | Pause]:
        """Return the passages and pauses.

        Raises:
            MarkupError: the document is malformed or unsafe, or the subclass refuses it.
        """
        # This encoding overrides an XML declaration, which does not apply to decoded text.
        parser = self._expat = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CommentHandler = self._comment
        parser.StartCdataSectionHandler = self._start_cdata
        parser.EndCdataSectionHandler = self._end_cdata
        # Without a document type there are only XML's five entities, and nothing external.
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse("a document type")
        parser.ProcessingInstructionHandler = self._instruction
        try:
            parser.Parse(self._bytes, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            place = self._place(self._offset_of(parser.ErrorByteIndex))
            raise MarkupError(f"this is not well-formed SSML: {reason}, at {place}") from None
        finally:
            del self._expat  # its handlers refer to this object
        return self._composition.finish()

    @abstractmethod
    def _opened(self, element: Element, parent: Element | None) -> Element:
        """Return the element with its settings; it comes without any."""

    @abstractmethod
    def _closed(self, element: Element, whole: TracedText, tag: TracedText) -> None:
        """Add what the element is; `tag` ends it, and is all of an empty one.

        Raises ValueError with the reason why it is refused.
        """

    @abstractmethod
    def _instructed(self, target: str, start: int) -> None:
        """Handle a processing instruction."""

    @abstractmethod
    def _check_words(self, element: Element, start: int) -> None:
        """Refuse words at an offset, where there should be none."""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        start = self._here()
        self._take(start)
        if len(self._open) == MAX_DEPTH:
            self._fail(f"elements are nested more than {MAX_DEPTH} deep")
        # Refused before the end of the tag is looked for.
        element = Element(name, attributes, start, start)
        element = self._opened(element, parent)
        self._open.append(element)

    def _end(self, name: str) -> None:
        start = self._here()
        self._take(start)
        element = self._open.pop()
        # For both `<break/>` and `<break></break>`, expat is after the first tag here.
        is_empty_tag = self._text.endswith("/>", 0, start) and start == element.content_start
        end = self._done = start if is_empty_tag else self._tag_end(start)
        try:
            tag = self._source[element.start if is_empty_tag else start : end]
            self._closed(element, self._source[element.start : end], tag)
        except ValueError as error:
            raise MarkupError(f"<{name}>: {error}, at {self._place(element.start)}") from None

    def _instruction(self, target: str, _: str) -> None:
        start = self._here()
        self._take(start)
        self._instructed(target, start)
        self._done = self._text.index("?>", start) + len("?>")

    def _take(self, end: int, *, is_literal: bool = False) -> None:
        """Add the text from the last tag up to `end`.

        Expat has checked that it is well-formed, but reports it in fragments that are too small.
        """
        start, self._done = self._done, end
        if start == end or not self._open:
            return
        element = self._open[-1]
        if element.is_silent:
            return
        for match in (_LITERAL if is_literal else _RUN).finditer(self._text, start, end):
            run = self._source[match.start() : match.end()]
            if match.lastgroup == "reference":
                # The span of the character is all of `&amp;`.
                run = run.rewritten(self._referred(match[0], match.start()))
            if run.text[0] in _SPACES:
                # White space before the words of an element goes before the element.
                (self._inner or self._composition).add_space(run)
                continue
            self._check_words(element, match.start())
            words = run.translate(_ONE_SPACE)
            if self._inner is None:
                self._part(words)
                self._composition.add(words, element.voice_settings, element.stress)
            else:
                self._inner.add(words)

    def _part(self, words: TracedText) -> None:
        """Part words from those before a tag that no word goes on beyond."""
        if self._parting is not None and words.text[:1].isalnum():
            self._composition.add_space(self._parting)
        self._parting = None

    def _referred(self, reference: str, offset: int) -> str:
        """Return the character of `&amp;` or `&#38;`. Expat refuses all other entities."""
        name = reference[1:-1]
        if not name.startswith("#"):
            return self._entities[f"{name};"]
        character = chr(int(name[2:], 16) if name.startswith("#x") else int(name[1:]))
        try:
            check_characters(character)
        except ValueError as error:
            self._fail(str(error), offset)
        return character

    def _numbered(self, reference: re.Match[str]) -> str:
        """Return a reference to the same characters that expat knows, of the same length."""
        characters = self._entities.get(reference["name"], "")
        if characters in ("", *_ENTITIES.values()):
            return reference[0]
        digits = str(ord(characters[0]))
        room = len(reference[0]) - len("&#;")
        if len(characters) > 1 or len(digits) > room:
            return characters.ljust(len(reference[0]))
        return f"&#{digits:0>{room}};"

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
        return self._start_offset + len(self._bytes[:byte].decode("utf-8", "ignore"))

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
