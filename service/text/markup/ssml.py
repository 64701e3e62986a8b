"""A subset of SSML, the W3C's Speech Synthesis Markup Language.

docs/markup.md says which elements and attributes there are; all others are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import NoReturn
from xml.parsers import expat

from service.errors import InvalidTextError, LanguageUnavailableError, MarkupError
from service.text.characters import check_text
from service.text.languages import LANGUAGES, find_language, language_of_voice
from service.text.markup.composition import Composition, FoldedText
from service.text.markup.ipa import kokoro_phonemes
from service.text.markup.passages import Delivery, Interpretation, Passage, Pause
from service.text.markup.values import (
    check_rate,
    is_blank,
    parse_duration,
    parse_phonemes,
    quote,
)
from service.text.offset_mapping import TracedText
from service.text.stress import shift

MAX_DEPTH = 64
"""Elements inside each other; hardly any text needs ten."""

_BREAKS_S = {
    "none": 0.0,
    "x-weak": 0.1,
    "weak": 0.25,
    "medium": 0.5,
    "strong": 0.75,
    "x-strong": 1.0,
}
_RATES = {"x-slow": 0.5, "slow": 0.75, "medium": 1.0, "fast": 1.25, "x-fast": 1.5}
_EMPHASES = {"strong": 1.0, "moderate": 0.5, "none": 0.0, "reduced": -1.0}

_ALPHABETS = ("ipa", "kokoro")

_INTERPRETATIONS: Mapping[str, Interpretation] = {
    "cardinal": "cardinal",
    "number": "cardinal",
    "ordinal": "ordinal",
    "digits": "digits",
    "characters": "characters",
    "spell-out": "characters",
    "verbatim": "characters",
    "date": "date",
    "time": "time",
    "telephone": "telephone",
    "currency": "currency",
    "unit": "unit",
}
_FORMATS = {
    "date": ("mdy", "dmy", "ymd", "ydm", "md", "dm", "ym", "my", "y", "m", "d"),
    "time": ("hms12", "hms24", "hms", "hm12", "hm24", "hm"),
}

_ATTRIBUTES: Mapping[str, Set[str]] = {
    "speak": {"version", "xsi:schemaLocation"},
    "p": set(),
    "s": set(),
    "lang": set(),
    "voice": {"name"},
    "break": {"time", "strength"},
    "phoneme": {"alphabet", "ph"},
    "say-as": {"interpret-as", "format"},
    "sub": {"alias"},
    "prosody": {"rate", "pitch", "volume"},
    "emphasis": {"level"},
}
"""What each element may have besides what every element may."""

_EVERYWHERE = frozenset({"xmlns", "xml:base", "xml:id", "xml:lang", "xml:space"})
_ONLY_TEXT = frozenset({"phoneme", "say-as", "sub"})
_WITHOUT_ELEMENTS = _ONLY_TEXT | {"break"}
_BLOCKS = frozenset({"p", "s"})
_UNCHANGED = frozenset({"default", "medium"})
"""The pitch and the volume that every passage has anyway."""

_RATE = re.compile(r"(?P<sign>[+-]?)(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%)?", re.ASCII)
_REPEATED = re.compile(r"([dmy])\1+|[-/. ]")
# What XML calls white space; other spaces are characters like any. One alone stays among words.
_SPACES = " \t\r\n"
_ONE_SPACE = dict.fromkeys(map(ord, _SPACES), " ")
_LITERAL = re.compile(r"[ \t\r\n]+|[^ \t\r\n]+(?:[ \t\r\n][^ \t\r\n]+)*")
_PIECE = re.compile(r"(?P<reference>&[^;]+;)|[ \t\r\n]+|[^ \t\r\n&]+(?:[ \t\r\n][^ \t\r\n&]+)*")

_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

# A tag with its attributes, whose values may hold `>`.
_TAG = re.compile(r"""<[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>""")


def parse(text: str, language: str | None = None) -> list[Passage | Pause]:
    """Return the passages and pauses of an SSML document, in order.

    White space is folded; a blank line stands where a sentence or a paragraph begins or ends.
    Passages in which nothing is seen are left out.

    Args:
        text: the document, with offsets to which passages, overrides and hints refer.
        language: code of the language where the document names neither one nor a voice; the
            symbols of `phoneme` in IPA depend on it.

    Raises:
        MarkupError: the document is malformed, unsafe, or asks for what is not there; the
            message names it and its place, where the first character is number 1.
        LanguageUnavailableError: `xml:lang` names a language that there is not.
    """
    return _Parser(text, language).parse()


@dataclass(frozen=True, slots=True)
class _Element:
    """An element that is open.

    Attributes:
        name: its name.
        attributes: its attributes.
        start: where its start tag starts in the source.
        content_start: where its start tag ends.
        delivery: how its text is said.
        stress: steps by which its words are stressed more.
    """

    name: str
    attributes: Mapping[str, str]
    start: int
    content_start: int
    delivery: Delivery = field(default_factory=Delivery)
    stress: float = 0.0


class _Parser:
    """One pass over one document."""

    def __init__(self, text: str, language: str | None) -> None:
        self._text = text
        self._source = TracedText(text)
        self._bytes = text.encode("utf-8", "surrogatepass")
        self._language = language
        self._open: list[_Element] = []
        # A place known in both: expat counts bytes.
        self._byte = self._offset = 0
        # Where the last tag ends, or whatever else is no text.
        self._done = 0
        self._composition = Composition()
        # The text of an element that is not said as it is written.
        self._held: FoldedText | None = None

    def parse(self) -> list[Passage | Pause]:
        # The encoding named here is in force whatever an XML declaration says: text that was
        # decoded has none.
        parser = self._expat = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CommentHandler = self._comment
        parser.StartCdataSectionHandler = self._start_cdata
        parser.EndCdataSectionHandler = self._end_cdata
        # Without a document type there are no entities but XML's five, and nothing external.
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse("a document type")
        parser.ProcessingInstructionHandler = lambda *_: self._refuse("a processing instruction")
        try:
            parser.Parse(self._bytes, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            place = self._place(self._offset_of(parser.ErrorByteIndex))
            raise MarkupError(f"this is not well-formed SSML: {reason}, at {place}") from None
        finally:
            del self._expat  # whose handlers hold this object
        return self._composition.finish()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else None
        start = self._here()
        self._take(start)
        self._check(name, attributes, parent)
        element = _Element(name, attributes, start, self._tag_end(start))
        self._done = element.content_start
        if parent is not None:
            element = replace(element, delivery=parent.delivery, stress=parent.stress)
        try:
            element = _changed(element)
        except ValueError as error:
            self._fail(f"<{name}>: {error}")
        except LanguageUnavailableError as error:
            message = f"<{name}>: {error}, at {self._place(start)}"
            raise LanguageUnavailableError(message) from None
        if name in _BLOCKS:
            self._composition.end_sentence(self._source[start : element.content_start])
        if name in _ONLY_TEXT:
            self._held = FoldedText()
        self._open.append(element)

    def _check(self, name: str, attributes: Mapping[str, str], parent: _Element | None) -> None:
        """Refuse elements and attributes that are unknown or out of place."""
        if name not in _ATTRIBUTES:
            self._refuse(f"the element {quote(name)}")
        if (parent is None) != (name == "speak"):
            self._fail(f"the root is <speak> and only that, but here is {quote(name)}")
        if len(self._open) == MAX_DEPTH:
            self._fail(f"more than {MAX_DEPTH} elements are inside each other")
        if parent is not None and parent.name in _WITHOUT_ELEMENTS:
            self._fail(f"<{parent.name}> holds no elements, but here is {quote(name)}")
        for attribute in attributes:
            is_known = attribute in _ATTRIBUTES[name] or attribute in _EVERYWHERE
            if not is_known and not attribute.startswith("xmlns:"):
                self._refuse(f"the attribute {quote(attribute)} of <{name}>")

    def _end(self, name: str) -> None:
        start = self._here()
        self._take(start)
        element = self._open.pop()
        # Of `<break/>` as of `<break></break>`, expat is behind the first tag.
        is_empty_tag = self._text.endswith("/>", 0, start) and start == element.content_start
        end = self._done = start if is_empty_tag else self._tag_end(start)
        try:
            if name in _BLOCKS:
                tag_start = element.start if is_empty_tag else start
                self._composition.end_sentence(self._source[tag_start:end])
            elif name == "break":
                self._composition.add_pause(Pause(_break_s(element.attributes), element.start, end))
            elif self._held is not None:
                held, self._held = self._held, None
                self._settle(element, held.text, self._source[element.start : end])
                if held.space is not None:
                    self._composition.add_space(held.space)
        except ValueError as error:
            raise MarkupError(f"<{name}>: {error}, at {self._place(element.start)}") from None

    def _settle(self, element: _Element, words: TracedText, whole: TracedText) -> None:
        """Add the words of an element that tells how to say them; `whole` is all its source."""
        attributes, delivery = element.attributes, element.delivery
        if element.name == "sub":
            alias = " ".join(_required(attributes, "alias").split())
            _check_characters(alias)
            source = whole if is_blank(words.text) else words
            self._composition.add(source.rewritten(alias), delivery, element.stress)
            return
        if is_blank(words.text):
            raise ValueError("there are no words in it")
        if element.name == "phoneme":
            phonemes = self._phonemes(attributes, delivery)
            if element.stress:
                phonemes = " ".join(shift(word, element.stress) for word in phonemes.split())
            self._composition.add_pronounced(words, phonemes, delivery)
            return
        interpretation = _INTERPRETATIONS[
            _one_of("interpret-as", _required(attributes, "interpret-as"), _INTERPRETATIONS)
        ]
        detail = _detail(interpretation, attributes.get("format", ""))
        self._composition.add_interpreted(words, interpretation, detail, delivery, element.stress)

    def _phonemes(self, attributes: Mapping[str, str], delivery: Delivery) -> str:
        ph = _required(attributes, "ph")
        if _one_of("alphabet", attributes.get("alphabet", "ipa"), _ALPHABETS) == "kokoro":
            return parse_phonemes(ph)
        language = delivery.language
        if language is None and delivery.voice is not None:
            language = language_of_voice(delivery.voice)
        return kokoro_phonemes(ph, language or self._language)

    def _take(self, end: int, *, is_literal: bool = False) -> None:
        """Add the text up to a place, from where the last tag ends.

        Expat has found it well-formed, and tells of it in parts too small to be of use.
        """
        start, self._done = self._done, end
        if start == end or not self._open:
            return
        element = self._open[-1]
        for match in (_LITERAL if is_literal else _PIECE).finditer(self._text, start, end):
            piece = self._source[match.start() : match.end()]
            if match.lastgroup == "reference":
                # All of `&amp;` is where its character comes from.
                piece = piece.rewritten(self._referred(match[0], match.start()))
            if piece.text[0] in _SPACES:
                # That before the words of an element is before the element.
                (self._held or self._composition).add_space(piece)
                continue
            if element.name == "break":
                self._fail("<break> holds no text", match.start())
            words = piece.translate(_ONE_SPACE)
            if self._held is None:
                self._composition.add(words, element.delivery, element.stress)
            else:
                self._held.add(words)

    def _referred(self, reference: str, offset: int) -> str:
        """Return the character of `&amp;` or `&#38;`; expat has let no other pass."""
        name = reference[1:-1]
        if not name.startswith("#"):
            return _ENTITIES[name]
        character = chr(int(name[2:], 16) if name.startswith("#x") else int(name[1:]))
        try:
            _check_characters(character)
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
        """Return where expat is, in code points."""
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
        """Refuse what is at a place, or where expat is."""
        place = self._place(self._here() if offset is None else offset)
        raise MarkupError(f"{reason}, at {place}")

    def _place(self, offset: int) -> str:
        line = self._text.count("\n", 0, offset) + 1
        column = offset - self._text.rfind("\n", 0, offset)
        return f"line {line}, column {column} (position {offset + 1} of the text)"


def _changed(element: _Element) -> _Element:
    """Return an element with its own say about how its text is said."""
    attributes, delivery, stress = element.attributes, element.delivery, element.stress
    if element.name == "voice":
        if "name" in attributes:
            # Another voice speaks its own language.
            delivery = replace(delivery, voice=_required(attributes, "name").strip(), language=None)
        elif "xml:lang" not in attributes:
            raise ValueError("there is neither name nor xml:lang")
    elif element.name == "prosody":
        for unchangeable in ("pitch", "volume"):
            if attributes.get(unchangeable, "default") not in _UNCHANGED:
                raise ValueError(f"{unchangeable} cannot be changed")
        delivery = replace(delivery, rate=_rate(attributes.get("rate", "100%"), delivery.rate))
    elif element.name == "emphasis":
        level = _one_of("level", attributes.get("level", "moderate"), _EMPHASES)
        stress = _EMPHASES[level]
    elif element.name == "lang":
        _required(attributes, "xml:lang")
    if attributes.get("xml:space", "default") != "default":
        raise ValueError("white space is folded, and xml:space cannot change that")
    if "xml:lang" in attributes:
        delivery = replace(delivery, language=_language(attributes["xml:lang"]))
    return replace(element, delivery=delivery, stress=stress)


def _check_characters(text: str) -> None:
    """Refuse what a caller may not write, and could smuggle in by its number."""
    try:
        check_text(f"{text}.")
    except InvalidTextError as error:
        raise ValueError(f"there is a {error.message.partition(' at ')[0]}") from None


def _required(attributes: Mapping[str, str], name: str) -> str:
    value = attributes.get(name, "")
    if is_blank(value):
        raise ValueError(f"there is no {name}")
    return value


def _one_of(attribute: str, value: str, known: Iterable[str]) -> str:
    if value not in known:
        raise ValueError(f"{attribute} is {quote(value)}, but can be {', '.join(known)}")
    return value


def _break_s(attributes: Mapping[str, str]) -> float:
    strength = _one_of("strength", attributes.get("strength", "medium"), _BREAKS_S)
    return parse_duration(attributes["time"]) if "time" in attributes else _BREAKS_S[strength]


def _rate(value: str, outer: float) -> float:
    """Return the rate inside an element that asks for one, in one that has another."""
    wanted = value.strip()
    if wanted == "default":
        return 1.0
    factor = _RATES.get(wanted)
    if factor is None:
        match = _RATE.fullmatch(wanted)
        if match is None or (match["sign"] and not match["percent"]):
            raise ValueError(
                f"rate is {quote(value)}, but can be {', '.join(_RATES)}, 80%, 1.2 or +10%"
            )
        factor = float(match["number"]) / (100 if match["percent"] else 1)
        if match["sign"]:
            factor = 1 + factor if match["sign"] == "+" else 1 - factor
    # Rounded, so that 80 % of 125 % is the rate that was there before.
    return check_rate(round(check_rate(factor) * outer, 6))


def _detail(interpretation: Interpretation, written: str) -> str:
    """Return the order of a date or the hours of a time, in one way: `mdy` of `mm/dd/yyyy`."""
    known = _FORMATS.get(interpretation)
    if not written:
        return ""
    if known is None:
        raise ValueError(f"format is not for {interpretation}")
    if interpretation == "date":
        return _one_of("format", _REPEATED.sub(r"\1", written.strip().lower()), known)
    return _one_of("format", written.strip().lower(), known)


def _language(tag: str) -> str:
    """Return the code of the language of `es-MX`, `fr-FR` or `en-US`."""
    primary = re.split("[-_]", tag.strip().lower())[0]
    # What the service has in one variety stands for all of them.
    return find_language(primary if primary in LANGUAGES else tag).code
