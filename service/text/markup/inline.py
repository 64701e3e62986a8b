"""Inline markup in plain text: phonemes, stress, pauses, voices and rates.

A voice lasts to the next tag of a voice, to its end, or to the end of the text; a rate too, and
only as long as its voice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from service.errors import MarkupError
from service.text.markup.passages import Passage, Pause, VoiceSettings
from service.text.markup.prosody import rate_of
from service.text.markup.stretches import stretches
from service.text.markup.values import is_blank, parse_duration, parse_phonemes, parse_stress
from service.text.offset_mapping import TracedText, concatenate
from service.text.spans import Override
from service.text.vocabulary import load_vocabulary

# As in Markdown, a bracket after a backslash is text.
_MARKUP = re.compile(
    r"""\[pause:(?P<length>[^\[\]\n]*)(?P<closed>\])?
      | \[voice:(?P<voice>[^\[\]\n]*)(?P<named>\])?
      | (?P<end>\[/voice\])
      | \[rate:(?P<rate>[^\[\]\n]*)(?P<rated>\])?
      | (?P<usual>\[/rate\])
      | \]\((?P<manner>[^()\n]*)\)
    """,
    re.VERBOSE | re.IGNORECASE,
)

# One digit: `[Call us](+15551234567)` is a link or a number. Word processors write minus signs.
_STRESS = re.compile(r"[-+−–]\d(?:\.\d*)?", re.ASCII)
_SIGNS = str.maketrans("−–", "--")

# Not phonemes but the inside of a path without folders: `/getting-started/`.
_PATH = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)+", re.IGNORECASE)

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")

_STRESS_MARKS = frozenset("ˈˌ")
_LETTERS_OF_LANGUAGES = frozenset("çœ")


class OpenVoice(str):
    """The voice of a tag that is open, or an empty text for the voice before all tags.

    Attributes:
        rate: of the last tag since; 1 for none.
    """

    __slots__ = ("rate",)
    rate: float

    @classmethod
    def at(cls, voice: str, rate: float = 1.0) -> OpenVoice:
        """Return a voice at a rate."""
        opened = cls(voice)
        opened.rate = rate
        return opened


_MOST_OPEN = 32
"""Voices that can be returned to. Tags without an end may be many more."""


class _Manner(NamedTuple):
    """How words in brackets are spoken."""

    phonemes: str | None = None
    stress: float = 0


def parse(
    text: str, open_voices: Sequence[str] | None = None, *, has_voices: bool = True
) -> list[Passage | Pause]:
    """Return the passages and pauses of a text with inline markup, in order.

    White space stays as it is. Passages without visible text are left out. docs/markup.md says what
    is markup; everything else is text.

    Args:
        text: of the caller.
        open_voices: what `voices_after` says of what is before it, if it is a part of a text: it
            may leave tags open too. None for a whole text.
        has_voices: whether tags of voices and rates are markup; otherwise they are text.

    Raises:
        MarkupError: the markup is invalid. The message has the position of the mistake; the first
            character is number 1.
    """
    if not open_voices and "]" not in text and "[" not in text:
        return [] if is_blank(text) else [Passage(TracedText(text))]
    return _Parser(text, open_voices, has_voices=has_voices).parse()


def voices_after(text: str, open_voices: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the voices of the tags that are open after a part of a text, the outermost first.

    Each is an `OpenVoice`.

    Args:
        text: the part; invalid markup counts as text.
        open_voices: those that are open before it.
    """
    voices = _opened(open_voices)
    for match in _MARKUP.finditer(text):
        if text[match.start() - 1 : match.start()] != "\\":
            if match["named"]:
                _open(voices, match["voice"].strip())
            elif match["end"] and len(voices) > 1:
                voices.pop()
            elif match["rated"] or match["usual"]:
                rate, reason = rate_of(match["rate"] or "1", 1.0)
                if not reason:
                    voices[-1] = OpenVoice.at(voices[-1], rate)
    return tuple(voices if voices[0].rate != 1.0 else voices[1:])


def _opened(open_voices: Sequence[str]) -> list[OpenVoice]:
    """Return open voices as those of tags; the first is the voice before all tags."""
    voices = [
        voice if isinstance(voice, OpenVoice) else OpenVoice.at(voice) for voice in open_voices
    ]
    return voices if voices and not voices[0] else [OpenVoice.at(""), *voices]


def _open(voices: list[OpenVoice], voice: str) -> None:
    voices.append(OpenVoice.at(voice))
    if len(voices) > _MOST_OPEN:
        del voices[1]


_VOICE_TAGS = ("named", "end", "rated", "usual")


def without_voice_tags(text: str) -> str:
    """Return a text without the tags that begin and end voices and rates."""
    return _MARKUP.sub(
        lambda match: "" if any(match[tag] for tag in _VOICE_TAGS) else match[0], text
    )


def without_markup(text: str, *, has_voices: bool = True) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a text that are no markup, in order. What is invalid counts as text.

    Args:
        text: of the caller.
        has_voices: as for `parse`.
    """
    tags = ("closed", *(_VOICE_TAGS if has_voices else ()))
    done = 0
    for match in _MARKUP.finditer(text):
        start, end = match.span()
        if text[start - 1 : start] == "\\":
            continue
        if match["manner"] is not None:
            opening = text.rfind("[", done, start)
            if opening < 0 or "]" in text[opening:start] or not _is_manner(match["manner"]):
                continue
            yield done, opening
            done = opening + 1
        elif not any(match[tag] for tag in tags):
            continue
        yield done, start
        done = end
    yield done, len(text)


def tagged_text(parts: Sequence[Passage | Pause]) -> str:
    """Return a text with inline markup that is said like passages and pauses.

    Gains, pitches and kinds of a text have no tags, and are left out. Voices are those with names.
    """
    written: list[str] = []
    voice, rate = None, 1.0
    for part in parts:
        if isinstance(part, Pause):
            written.append(f"[pause:{part.duration_s:g}s]")
            continue
        settings, name = part.voice_settings, part.voice_settings.voice
        if name != voice:
            written.append("[/voice]" if name is None else f"[voice:{name}]")
            rate = 1.0
            if voice is not None and name is not None:
                written.insert(-1, "[/voice]")
            voice = name
        if settings.rate != rate:
            written.append(f"[rate:{settings.rate:g}]")
            rate = settings.rate
        written.append(_tagged(part))
    return " ".join(filter(None, written)).strip()


def _tagged(passage: Passage) -> str:
    """Return the text of a passage with the markup of its overrides."""
    pieces: list[str] = []
    done = 0
    for override in passage.overrides:
        start, end = passage.text.within(override.start, override.end)
        words = passage.text.text[start:end]
        manner = f"/{override.phonemes}/" if override.phonemes else f"{override.stress:+g}"
        has_manner = override.phonemes or override.stress
        pieces += [
            passage.text.text[done:start],
            f"[{words}]({manner})" if has_manner else words,
        ]
        done = end
    return "".join([*pieces, passage.text.text[done:]]).strip()


class _Parser:
    """One pass over one text."""

    def __init__(self, text: str, open_voices: Sequence[str] | None, *, has_voices: bool) -> None:
        self._text = text
        self._has_voices = has_voices
        self._voices = _opened(open_voices or ())
        self._source = TracedText(text)
        self._items: list[Passage | Pause] = []
        # The passage being built. The text up to `_done` is in it or in earlier passages.
        self._parts: list[TracedText] = []
        self._overrides: list[Override] = []
        self._done = 0

    def parse(self) -> list[Passage | Pause]:
        for match in _MARKUP.finditer(self._text):
            if self._text[match.start() - 1 : match.start()] == "\\":
                continue
            if match["length"] is not None:
                self._pause(match)
                continue
            if match["manner"] is None:
                if self._has_voices:
                    self._voice(match)
                continue
            manner = _manner(match["manner"], match.start("manner"))
            if manner is not None:
                self._words(manner, match)
        self._take(len(self._text))
        self._end_passage()
        return self._items

    def _pause(self, match: re.Match[str]) -> None:
        start, end = match.span()
        if not match["closed"]:
            raise _error("a pause has no closing bracket", start)
        try:
            duration_s = parse_duration(match["length"])
        except ValueError as error:
            raise _error(str(error), match.start("length")) from None
        self._take(start)
        self._end_passage()
        self._items.append(Pause(duration_s, start, end))
        self._done = end

    def _voice(self, match: re.Match[str]) -> None:
        start, end = match.span()
        self._take(start)
        self._end_passage()
        self._done = end
        if match["usual"] or match["rate"] is not None:
            self._rate(match)
            return
        if match["end"]:
            if len(self._voices) == 1:
                raise _error("this [/voice] has no [voice:...] before it", start)
            self._voices.pop()
            return
        if not match["named"]:
            raise _error("a voice has no closing bracket", start)
        if is_blank(match["voice"]):
            raise _error("a voice has no name", start)
        _open(self._voices, match["voice"].strip())

    def _rate(self, match: re.Match[str]) -> None:
        rate, reason = rate_of(match["rate"] or ("1" if match["usual"] else ""), 1.0)
        if match["rate"] is not None and not match["rated"]:
            raise _error("a rate has no closing bracket", match.start())
        if reason:
            raise _error(reason, match.start("rate"))
        self._voices[-1] = OpenVoice.at(self._voices[-1], rate)

    def _words(self, manner: _Manner, match: re.Match[str]) -> None:
        """Add the words before the bracket of the match, and their override."""
        opening = self._text.rfind("[", self._done, match.start())
        if opening > 0 and self._text[opening - 1] == "\\":
            return
        words = self._text[opening + 1 : match.start()]
        if opening < 0 or "]" in words or _PARAGRAPH.search(words):
            raise _error("this closing bracket has no opening bracket", match.start())
        if is_blank(words):
            raise _error("the brackets contain no words", opening)
        self._take(opening)
        self._done = opening + 1
        self._take(match.start())
        self._done = match.end()
        start = opening + 1
        if manner.phonemes is not None:
            start += len(words) - len(words.lstrip())
            end = start + len(words.strip())
            self._overrides.append(Override(start, end, phonemes=manner.phonemes))
        elif manner.stress:
            self._overrides += [
                Override(start + first, start + last, stress=manner.stress)
                for first, last in stretches(words)
            ]

    def _take(self, end: int) -> None:
        self._parts.append(self._source[self._done : end])
        self._done = end

    def _end_passage(self) -> None:
        text = concatenate(self._parts)
        if not is_blank(text.text):
            voice = self._voices[-1]
            settings = VoiceSettings(str(voice) or None, rate=voice.rate)
            self._items.append(Passage(text, settings, tuple(self._overrides)))
        self._parts, self._overrides = [], []


def _manner(written: str, start: int) -> _Manner | None:
    """Return what the parentheses say about the words, None if they are text.

    Args:
        written: everything between the parentheses.
        start: where it starts in the caller's text.
    """
    kept = written.strip()
    start += written.find(kept)
    if _STRESS.fullmatch(kept):
        try:
            return _Manner(stress=parse_stress(kept.translate(_SIGNS)))
        except ValueError as error:
            raise _error(str(error), start) from None
    inner = kept[1:-1]
    is_between_slashes = len(kept) > 1 and kept[0] == kept[-1] == "/" and "/" not in inner
    if is_between_slashes and not _PATH.fullmatch(inner):
        return _Manner(phonemes=_phonemes(inner, start + 1))
    if not is_between_slashes and _lacks_slash(kept):
        raise _error("phonemes must be between two slashes", start)
    return None


def _is_manner(written: str) -> bool:
    try:
        return _manner(written, 0) is not None
    except MarkupError:
        return False


def _phonemes(written: str, start: int) -> str:
    try:
        return parse_phonemes(written)
    except ValueError as error:
        symbols = load_vocabulary().symbols
        wrong = (
            index
            for index, symbol in enumerate(written)
            if symbol not in symbols and not symbol.isspace()
        )
        raise _error(str(error), start + next(wrong, 0)) from None


def _lacks_slash(written: str) -> bool:
    """Tell whether these are phonemes with one or both slashes missing."""
    phonemes = written.strip("/")
    vocabulary = load_vocabulary()
    if not phonemes or not vocabulary.symbols.issuperset(phonemes):
        return False
    if not _STRESS_MARKS.isdisjoint(phonemes):
        return True
    is_path_without_phonemes = "/" not in written or phonemes.isascii()
    return not is_path_without_phonemes and any(
        symbol in vocabulary.sounds and not symbol.isascii()
        for symbol in set(phonemes) - _LETTERS_OF_LANGUAGES
    )


def _error(reason: str, offset: int) -> MarkupError:
    return MarkupError(f"{reason}, at position {offset + 1} of the text")
