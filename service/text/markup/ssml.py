"""SSML 1.1, the W3C's Speech Synthesis Markup Language, and what the clouds add to it.

docs/markup.md lists the elements and attributes. By default what cannot be done is ignored and
told; strict mode knows a subset, of which everything is done, and refuses all else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from html.entities import html5

from service.errors import LanguageUnavailableError
from service.text.languages import find_language, language_of_voice
from service.text.markup import alphabets
from service.text.markup.composition import FoldedText
from service.text.markup.document_walk import DocumentWalk
from service.text.markup.elements import (
    ATTRIBUTES,
    BREAKS_S,
    EMPHASES,
    EVERYWHERE,
    KNOWN,
    LONGER_NAMES,
    NAMESPACES,
    OF_HTML,
    Element,
    canonical_attribute,
    canonical_attributes,
    check_characters,
    check_strict,
    reason_of,
)
from service.text.markup.kinds import kind_of
from service.text.markup.notes import Mark, Notes
from service.text.markup.passages import (
    Fit,
    MarkPause,
    Passage,
    Pause,
    VoiceSettings,
    VoiceWish,
)
from service.text.markup.prosody import gain_of, pitch_of, rate_of, time_of
from service.text.markup.values import is_blank, quote
from service.text.offset_mapping import TracedText
from service.text.stress import shift

_APART = frozenset({"audio", "voice", "par", "seq", "media", "lookup"})
"""Elements that no word goes on beyond, besides those of the clouds."""
_SILENT = frozenset({"desc", "metadata"})
_BLOCKS = frozenset({"p", "s", "mstts:turn"})
_WHOLE = frozenset({"phoneme", "say-as", "sub"})
"""Elements whose words are taken as a whole, as are those of a `w` with a role."""

_CHOOSING = ("name", "languages", "language", "gender", "variant")
"""Attributes that choose a voice, the most telling first."""

_SEXES = {"female": "female", "male": "male", "neutral": "neutral"}
_FEATURES = {"name": "name", "gender": "gender", "languages": "languages", "variant": "variant",
             "age": "age", "language": "languages"}  # fmt: skip
_MOST_VARIANTS = 64

_ROLES = {"VB": "VB", "VBD": "VBD", "VBN": "VBN", "NN": "NN", "JJ": "JJ", "IN": "IN", "DT": "DT",
          "SENSE_1": "SENSE_1", "SENSE_2": "SENSE_1", "DEFAULT": ""}  # fmt: skip

_SENTENCE_PAUSES = {
    "sentenceboundary": ".!?…",
    "comma": ",",
    "semicolon": ";",
    "enumerationcomma": "、",
}

_TAG_NAME = re.compile(r"<[^\s/>]+")
_ATTRIBUTE = re.compile(r"""\s*(?P<name>[^\s=/<>"']+)\s*=\s*(?:"[^"]*"|'[^']*')""")
_AFTER = re.compile(r"(?P<id>[^\s.+-]+)\.(?P<edge>begin|end)(?:\s*(?P<sign>[+-])\s*(?P<time>\S+))?")

_OF_AZURE = re.compile(r"[a-z]{2,3}-.{2,60}Neural|Microsoft Server Speech .{0,99}", re.IGNORECASE)
"""Names of voices whose documents mean `50%` as half as much more."""

_MOST_COPIES = 4
"""How many times a document may be said again by repetitions of its parts."""


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
    return _Reading(text, language, Notes(text, is_strict=True) if notes is None else notes).walk()


class _Reading(DocumentWalk):
    """Reads SSML 1.1 and the elements of Azure, Google and Polly.

    Args:
        text: the document.
        language: of its text, if it names neither a language nor a voice.
        notes: is told of marks, and of what is ignored, which it refuses if it is strict.
    """

    def __init__(self, text: str, language: str | None, notes: Notes) -> None:
        kept = text.lstrip("\ufeff \t\r\n")
        names = {} if notes.is_strict else html5
        super().__init__(text, len(text) - len(kept), entities=names)
        self._language = language
        self._notes = notes
        self._prefixes: dict[str, str] = {}
        self._is_azure = False
        self._media: list[tuple[int, str]] = []  # where each open one began, and its id
        self._before = ""  # id of the media that ended last
        self._n_copied = 0
        self._places: tuple[int, dict[str, int]] = (-1, {})  # of the attributes of the last tag
        self._whole_end = -1  # of the last element whose words are taken as a whole
        self._trailing: dict[int, list[Pause]] = {}  # by the offset of what they end

    def walk(self) -> list[Passage | Pause]:
        """Return the passages and pauses; raises MarkupError if it is malformed or unsafe."""
        parts = super().walk()
        self._notes.marks.sort(key=lambda mark: mark.start)
        return parts

    # Elements.

    def _opened(self, element: Element, parent: Element | None) -> Element:
        if self._notes.is_strict:
            self._check(element, parent)
        content_start = self._done = self._tag_end(element.start)
        for attribute, value in element.attributes.items():
            if attribute.startswith("xmlns:") and value in NAMESPACES:
                self._prefixes[attribute.removeprefix("xmlns:")] = NAMESPACES[value]
                self._is_azure |= NAMESPACES[value] == "mstts" and not self._notes.is_strict
        name, attributes = self._canonical(element.name), element.attributes
        if not self._notes.is_strict:
            attributes = canonical_attributes(name, attributes)
        element = replace(element, name=name, attributes=attributes, content_start=content_start)
        if parent is not None:
            element = replace(
                element, voice_settings=parent.voice_settings, stress=parent.stress,
                is_silent=parent.is_silent,
            )  # fmt: skip
        if element.is_silent:
            return element
        if self._inner is not None:
            return self._opened_inside(element)
        self._tell_attributes(element)
        element = self._with_language(element)
        name = element.name
        if name not in ATTRIBUTES:
            self._tell(element, reason_of(name))
        elif (style := self._styles.get(name)) is not None:
            element = style(self, element)
        if name in _SILENT:
            element = replace(element, is_silent=True)
        elif name in _BLOCKS:
            self._composition.end_sentence(self._source[element.start : content_start])
        elif self._is_apart(element):
            self._parting = self._source[element.start : content_start]
        elif _is_whole(element):
            self._inner = FoldedText()
        elif name in ("mark", "bookmark"):
            self._mark(element)
        return element

    def _check(self, element: Element, parent: Element | None) -> None:
        try:
            check_strict(element, parent)
        except ValueError as error:
            self._fail(str(error))

    def _opened_inside(self, element: Element) -> Element:
        """Return an element inside one whose words are taken as a whole."""
        if element.name in ("mark", "bookmark"):
            self._mark(element)
        elif element.name in _SILENT:
            return replace(element, is_silent=True)
        elif element.name not in _BLOCKS:
            within = next(one.name for one in self._open if _is_whole(one))
            self._tell(element, f"it has no effect inside <{within}>")
        return element

    def _closed(self, element: Element, whole: TracedText, tag: TracedText) -> None:
        name = element.name
        if self._inner is not None:
            if any(map(_is_whole, self._open)):
                return
            inner, self._inner = self._inner, None
            self._add_whole(element, inner.text, whole)
            if inner.space is not None:
                self._composition.add_space(inner.space)
        elif element.is_silent:
            return
        elif name in _BLOCKS:
            self._composition.end_sentence(tag)
        elif name == "break":
            self._composition.add_pause(Pause(self._break_s(element), *whole.span))
        elif name == "media":
            self._end_media(element)
        if self._is_apart(element):
            self._parting = tag
        for pause in self._trailing.pop(element.start, ()):
            self._composition.add_pause(pause)

    def _instructed(self, target: str, start: int) -> None:
        self._notes.ignore(f"?{target}", start, "processing instructions have no effect")

    def _check_words(self, element: Element, start: int) -> None:
        if element.name == "break" and self._notes.is_strict:
            self._fail("<break> must not contain text", start)

    def _canonical(self, name: str) -> str:
        prefix, colon, local = name.rpartition(":")
        if colon and prefix in self._prefixes:
            known = self._prefixes[prefix]
            name = f"{known}:{local}" if known else local
        if name not in KNOWN and name.lower() in KNOWN:
            name = name.lower()
        return LONGER_NAMES.get(name, name)

    def _is_apart(self, element: Element) -> bool:
        """Tell whether no word goes on beyond an element: it has a sound or a voice of its own."""
        name = element.name
        if ":" in name or name in _APART:
            return name != "mstts:viseme"
        return name not in ATTRIBUTES and name not in OF_HTML

    # What is told.

    def _tell(self, element: Element, reason: str, attribute: str = "") -> None:
        if attribute not in element.attributes:
            attribute = ""
        start = self._place_of(element, attribute) if attribute else element.start
        self._notes.ignore(element.name, start, reason, attribute=attribute)

    def _place_of(self, element: Element, attribute: str) -> int:
        """Return the offset of an attribute that the element has."""
        start, places = self._places
        if start != element.start:
            places = {}
            match = _TAG_NAME.match(self._text, element.start)
            while match is not None:
                match = _ATTRIBUTE.match(self._text, match.end(), element.content_start)
                if match is not None:
                    name = canonical_attribute(element.name, match["name"])
                    places.setdefault(name, match.start("name"))
            self._places = element.start, places
        return places[attribute]

    def _tell_attributes(self, element: Element) -> None:
        """Tell of attributes that have no effect, of an element that has one."""
        known = ATTRIBUTES.get(element.name)
        if known is None:
            return
        for attribute in element.attributes:
            if attribute in known or attribute in EVERYWHERE or attribute.startswith("xmlns:"):
                continue
            self._tell(element, "the attribute has no effect", attribute)
        if element.attributes.get("xml:space", "default") != "default":
            self._tell(element, "white space is always folded", "xml:space")

    def _valued(
        self,
        element: Element,
        attribute: str,
        read: Callable[[str], tuple[float, str]],
        usual: float,
    ) -> float:
        """Return the value of an attribute, `usual` if there is none; tell what is wrong."""
        if attribute not in element.attributes:
            return usual
        value, reason = read(element.attributes[attribute])
        if reason:
            self._tell(element, reason, attribute)
        return value

    # Voices and languages.

    def _language_of(self, element: Element, attribute: str) -> str | None:
        """Return the code of the language of an attribute; tell of one that cannot be had."""
        tag = element.attributes.get(attribute, "").strip()
        if attribute not in element.attributes or not (tag or self._notes.is_strict):
            return None
        try:
            language = find_language(tag)
        except LanguageUnavailableError as error:
            if self._notes.is_strict:
                message = f"<{element.name}>: {error}, at {self._place(element.start)}"
                raise LanguageUnavailableError(message) from None
            self._tell(element, f"no voice speaks {quote(tag)}", attribute)
            return None
        if not language.is_installed and not self._notes.is_strict:
            self._tell(element, f"what reads {language.code} is not installed here", attribute)
            return None
        return language.code

    def _with_language(self, element: Element) -> Element:
        if "xml:lang" not in element.attributes:
            return element
        language = self._language_of(element, "xml:lang")
        if language is not None:
            settings = replace(element.voice_settings, language=language)
            return replace(element, voice_settings=settings)
        skips = element.attributes.get("onlangfailure") == "ignoretext"
        return replace(element, is_silent=element.is_silent or skips)

    def _spoken_language(self, settings: VoiceSettings) -> str | None:
        """Return the language of a text, as far as it is known before its voice is chosen."""
        if settings.language is not None:
            return settings.language
        if settings.voice is not None:
            return language_of_voice(settings.voice) or self._language
        if settings.wish is not None:
            of_names = map(language_of_voice, settings.wish.names)
            known = [*settings.wish.languages, *filter(None, of_names)]
            if known:
                return known[0]
        return self._language

    def _voice(self, element: Element) -> Element:
        attributes, settings = element.attributes, element.voice_settings
        if self._notes.is_strict:
            return self._named_voice(element)
        sex = attributes.get("gender", "").strip().lower()
        if sex and sex not in _SEXES:
            self._tell(element, f"{quote(sex)} is not a gender", "gender")
        if not is_blank(attributes.get("age", "")):
            self._tell(element, "the voices have no age", "age")
        name = attributes.get("name", "").strip()
        self._is_azure |= _OF_AZURE.fullmatch(name) is not None
        names = (name,) if "(" in name or "+" in name else tuple(name.split())
        languages = [
            code
            for tag in attributes.get("languages", "").split()
            if (code := self._listed_language(element, tag)) is not None
        ]
        language = self._language_of(element, "language")
        if language is not None:
            languages.append(language)
        failure = attributes.get("onvoicefailure", "").strip()
        required = self._features(element, "required")
        ordering = self._features(element, "ordering")
        wish = VoiceWish(
            names,
            _SEXES.get(sex),
            tuple(languages),
            self._variant(element),
            frozenset(required),
            tuple(dict.fromkeys([*ordering, "name", "languages", "gender", "variant"])),
            failure == "keepexisting",
            failure == "ignoretext",
            outer=settings.wish,
        )
        is_unspoken = bool(attributes.get("languages", "").split()) and not languages
        if is_unspoken and wish.skips and not names:
            return replace(element, is_silent=True)
        choosing = (one for one in _CHOOSING if not is_blank(attributes.get(one, "")))
        attribute = next(choosing, None)
        if attribute is None or not (names or languages or wish.sex or attribute == "variant"):
            return element
        wish = replace(wish, start=self._place_of(element, attribute), attribute=attribute)
        own = settings.language if "xml:lang" in attributes else None
        if not (names or languages):
            # A voice of another sex speaks the language that is being spoken.
            own = settings.language
        settings = replace(settings, voice=None, language=own, wish=wish)
        return replace(element, voice_settings=settings)

    def _named_voice(self, element: Element) -> Element:
        """Return an element of strict mode, in which only this voice will do."""
        name = element.attributes.get("name", "").strip()
        settings = element.voice_settings
        if name:
            own = settings.language if "xml:lang" in element.attributes else None
            settings = replace(settings, voice=name, language=own)
        return replace(element, voice_settings=settings)

    def _listed_language(self, element: Element, listed: str) -> str | None:
        """Return the code of `fr-CA`, or of `fr:fr-CA`, a language with an accent."""
        for tag in reversed(listed.split(":")):
            try:
                language = find_language(tag)
            except LanguageUnavailableError:
                continue
            if language.is_installed:
                return language.code
        self._tell(element, f"no voice speaks {quote(listed)}", "languages")
        return None

    def _features(self, element: Element, attribute: str) -> list[str]:
        written = element.attributes.get(attribute, "").split()
        for feature in written:
            if feature not in _FEATURES:
                self._tell(element, f"{quote(feature)} is not a feature of voices", attribute)
        return [_FEATURES[feature] for feature in written if feature in _FEATURES]

    def _variant(self, element: Element) -> int:
        written = element.attributes.get("variant", "1").strip()
        if re.fullmatch("[1-9][0-9]?", written, re.ASCII):
            return min(int(written), _MOST_VARIANTS)
        self._tell(element, f"{quote(written)} is not a variant", "variant")
        return 1

    def _turn(self, element: Element) -> Element:
        """Let the speaker of a turn of Azure's dialogues speak: a voice by its first name."""
        speaker = element.attributes.get("speaker", "")
        if is_blank(speaker):
            self._tell(element, "it has no speaker", "speaker")
            return element
        settings = element.voice_settings
        start = self._place_of(element, "speaker")
        wish = VoiceWish(
            (speaker.strip(),),
            start=start,
            attribute="speaker",
            element=element.name,
            outer=settings.wish,
        )
        return replace(element, voice_settings=replace(settings, voice=None, wish=wish))

    # Sound.

    def _prosody(self, element: Element) -> Element:
        settings = element.voice_settings
        azure, sex = self._is_azure, _sex_of(settings)
        readers = {
            "rate": partial(rate_of, outer=settings.rate, is_relative=azure),
            "volume": partial(gain_of, outer=settings.gain, is_relative=azure),
            "pitch": partial(pitch_of, outer=settings.pitch, sex=sex, is_relative=azure),
        }
        settings = replace(
            settings,
            rate=self._valued(element, "rate", readers["rate"], settings.rate),
            gain=self._valued(element, "volume", readers["volume"], settings.gain),
            pitch=self._valued(element, "pitch", readers["pitch"], settings.pitch),
        )
        for attribute, at_most in (("duration", False), ("amazon:max-duration", True)):
            settings = self._fitted(element, attribute, settings, at_most=at_most)
        return replace(element, voice_settings=settings)

    def _fitted(
        self, element: Element, attribute: str, settings: VoiceSettings, *, at_most: bool
    ) -> VoiceSettings:
        if attribute not in element.attributes:
            return settings
        duration_s = self._time(element, attribute)
        if not duration_s:
            return settings
        start = self._place_of(element, attribute)
        return replace(settings, fit=Fit(duration_s, at_most, start, element.name, attribute))

    def _time(self, element: Element, attribute: str) -> float | None:
        seconds, reason = time_of(element.attributes.get(attribute, ""))
        if reason:
            self._tell(element, reason, attribute)
        return seconds

    def _emphasis(self, element: Element) -> Element:
        level = element.attributes.get("level", "moderate").strip().lower()
        if level not in EMPHASES:
            self._tell(element, f"{quote(level)} is not a level", "level")
        return replace(element, stress=EMPHASES.get(level, EMPHASES["moderate"]))

    def _break_s(self, element: Element) -> float:
        strength = element.attributes.get("strength", "medium").strip().lower()
        if strength not in BREAKS_S:
            self._tell(element, f"{quote(strength)} is not a strength", "strength")
        seconds = self._time(element, "time") if "time" in element.attributes else None
        return BREAKS_S.get(strength, BREAKS_S["medium"]) if seconds is None else seconds

    def _silence(self, element: Element) -> Element:
        """Add a silence of Azure's, or have it added where it belongs in the voice around it."""
        kind = element.attributes.get("type", "").strip().lower()
        is_exact = kind.endswith("-exact")
        kind = kind.removesuffix("-exact")
        seconds = self._time(element, "value")
        if seconds is None:
            return element
        span = (element.start, element.content_start)
        around = self._open[-1] if self._open else element
        if kind == "leading":
            self._composition.add_pause(Pause(seconds, *span))
        elif kind in ("tailing", "trailing"):
            voices = (one for one in reversed(self._open) if one.name == "voice")
            ends = next(voices, self._open[0] if self._open else element).start
            self._trailing.setdefault(ends, []).append(Pause(seconds, *span))
        elif kind in _SENTENCE_PAUSES:
            pause = MarkPause(_SENTENCE_PAUSES[kind], seconds, is_exact)
            settings = around.voice_settings
            self._resettle(replace(settings, pauses=(*settings.pauses, pause)))
        else:
            self._tell(element, f"{quote(kind)} is not a type of silence", "type")
        return element

    def _audio_duration(self, element: Element) -> Element:
        seconds = self._time(element, "value") if "value" in element.attributes else None
        if seconds and self._open:
            fit = Fit(seconds, False, self._place_of(element, "value"), element.name, "value")
            self._resettle(replace(self._open[-1].voice_settings, fit=fit))
        return element

    def _resettle(self, settings: VoiceSettings) -> None:
        """Change how the rest of the element around is spoken."""
        if self._open:
            self._open[-1] = replace(self._open[-1], voice_settings=settings)

    # Marks and media.

    def _mark(self, element: Element) -> None:
        name = element.attributes.get("name" if element.name == "mark" else "mark", "")
        if is_blank(name):
            self._tell(element, "it has no name")
        else:
            self._notes.marks.append(Mark(name, element.start))

    def _par(self, element: Element) -> Element:
        self._before = ""
        return element

    def _begin_media(self, element: Element) -> Element:
        attributes, settings = element.attributes, element.voice_settings
        within = self._open[-1].name if self._open else ""
        start = self._composition.cut()
        begin = attributes.get("begin", "0s").strip()
        follows = _AFTER.fullmatch(begin)
        wait_s: float | None
        if follows is not None and follows["id"] == self._before and follows["edge"] == "end":
            wait_s = time_of(follows["time"])[0] if follows["time"] else 0.0
            if follows["sign"] == "-" and wait_s:
                wait_s = None
        elif (within == "par" and start and self._before) or follows is not None:
            wait_s = None
        else:
            wait_s = time_of(begin)[0]
        if wait_s is None:
            place = "begin" if "begin" in attributes else ""
            self._tell(element, "voices do not overlap; it is read after what comes before", place)
        elif wait_s:
            self._composition.add_pause(Pause(wait_s, element.start, element.content_start))
        if "end" in attributes:
            self._tell(element, "speech is not cut", "end")
        self._media.append(
            (self._composition.cut(), attributes.get("xml:id", attributes.get("id", "")))
        )
        gain = self._valued(
            element, "soundLevel", partial(gain_of, outer=settings.gain), settings.gain
        )
        return replace(element, voice_settings=replace(settings, gain=gain))

    def _end_media(self, element: Element) -> None:
        start, name = self._media.pop()
        self._before = name or f"#{element.start}"
        written = element.attributes.get("repeatCount", "1").strip()
        if re.fullmatch(r"\d{1,3}(\.\d{0,3})?", written, re.ASCII) is None:
            self._tell(element, f"{quote(written)} is not a number of times", "repeatCount")
            return
        times = max(0, int(float(written)) - 1)
        length = max(1, self._composition.n_characters(start))
        room = (_MOST_COPIES * len(self._text) - self._n_copied) // length
        if float(written) != int(float(written)) or times > min(room, 99):
            self._tell(element, "it is repeated less often", "repeatCount")
        times = max(0, min(times, room, 99))
        self._n_copied += times * length
        self._composition.repeat(start, times)

    # Words that are taken as a whole.

    def _add_whole(self, element: Element, words: TracedText, whole: TracedText) -> None:
        """Add the words of an element that sets their reading; `whole` is its complete source."""
        if self._whole_end == whole.span[0] and words.text[:1].isalnum():
            self._composition.add_space(self._source[element.start : element.content_start])
        self._whole_end = whole.span[1]
        self._part(words)
        add = {"sub": self._add_alias, "phoneme": self._add_phonemes, "say-as": self._add_kind,
               "w": self._add_word}  # fmt: skip
        add[element.name](element, words, whole)

    def _add_plain(self, element: Element, words: TracedText) -> None:
        if words.text:
            self._composition.add(words, element.voice_settings, element.stress)

    def _add_alias(self, element: Element, words: TracedText, whole: TracedText) -> None:
        alias = " ".join(element.attributes.get("alias", "").split())
        if is_blank(alias):
            self._tell(element, "it has no alias; its content is read")
            self._add_plain(element, words)
            return
        check_characters(alias)
        source = whole if is_blank(words.text) else words
        self._composition.add(source.rewritten(alias), element.voice_settings, element.stress)

    def _add_phonemes(self, element: Element, words: TracedText, whole: TracedText) -> None:
        attributes, settings = element.attributes, element.voice_settings
        alphabet = attributes.get("alphabet", "ipa")
        said = alphabets.read(alphabet, attributes.get("ph", ""), self._spoken_language(settings))
        if said.reason:
            is_unknown = said.phonemes is None and not is_blank(attributes.get("ph", ""))
            self._tell(element, said.reason, "alphabet" if is_unknown else "ph")
        if is_blank(words.text):
            if self._notes.is_strict:
                self._tell(element, "it contains no words")
            words = whole.rewritten("x")
            if said.phonemes is None:
                return
        if said.phonemes is None:
            self._add_plain(element, words)
        else:
            phonemes = said.phonemes
            if element.stress:
                phonemes = " ".join(shift(word, element.stress) for word in phonemes.split())
            self._composition.add_pronounced(words, phonemes, settings)

    def _add_kind(self, element: Element, words: TracedText, whole: TracedText) -> None:
        attributes, settings = element.attributes, element.voice_settings
        if is_blank(words.text):
            self._tell(element, "it contains no words")
            return
        name = "interpret-as" if "interpret-as" in attributes else "type"
        kind = kind_of(attributes.get(name, ""), attributes.get("format", ""))
        if kind.type_reason:
            self._tell(element, kind.type_reason, name)
        if kind.format_reason:
            self._tell(element, kind.format_reason, "format" if "format" in attributes else name)
        if attributes.get("google:style", "zero-as-zero") != "zero-as-zero":
            self._tell(element, "the style is unknown", "google:style")
        language = self._language_of(element, "language")
        if language is not None and language != self._spoken_language(settings):
            settings = replace(settings, language=language)
        if kind.is_bleeped:
            self._composition.add(words, replace(settings, is_bleeped=True), element.stress)
        elif kind.interpretation is None:
            self._composition.add(words, settings, element.stress)
        else:
            self._composition.add_interpreted(
                words, kind.interpretation, kind.detail, settings, element.stress
            )

    def _add_word(self, element: Element, words: TracedText, whole: TracedText) -> None:
        role = element.attributes.get("role", "").rpartition(":")[2].upper()
        tag = _ROLES.get(role)
        language = self._spoken_language(element.voice_settings) or ""
        is_english = language.startswith("en")
        if role and (tag is None or not is_english):
            self._tell(element, "the role is unknown, or not one of English words", "role")
        if is_blank(words.text) or not tag or not is_english:
            self._add_plain(element, words)
            return
        self._composition.add_sense(words, tag, element.voice_settings, element.stress)

    _styles: Mapping[str, Callable[[_Reading, Element], Element]] = {
        "voice": _voice,
        "prosody": _prosody,
        "emphasis": _emphasis,
        "mstts:silence": _silence,
        "mstts:audioduration": _audio_duration,
        "mstts:turn": _turn,
        "par": _par,
        "media": _begin_media,
    }


def _is_whole(element: Element) -> bool:
    """Tell whether the words of an element are taken as a whole."""
    is_whole = element.name in _WHOLE or (element.name == "w" and "role" in element.attributes)
    return is_whole and not element.is_silent


def _sex_of(settings: VoiceSettings) -> str:
    """Return the sex of a voice as far as it is known before it is chosen."""
    wish = settings.wish
    if wish is not None and wish.sex in ("female", "male"):
        return wish.sex
    names = wish.names if wish is not None else ()
    return "male" if names and re.match("[a-z]m_", names[0]) else "female"
